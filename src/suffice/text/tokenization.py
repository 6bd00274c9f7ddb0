"""Tokenize documents by scikit-learn's rules for words, characters and n-grams, compiled where possible.

The words of a given vocabulary are normalized like tokens, so that "Mary" matches where texts are lowercased.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Literal

import numpy as np

from suffice import _native
from suffice.errors import InputError
from suffice.later import sparse
from suffice.text.documents import Batch, batches, table
from suffice.text.word_list import WordList

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"

Unit = Literal["word", "char", "char_wb"]


@dataclass(frozen=True)
class Analysis:
    """The options of scikit-learn's CountVectorizer that determine the tokens of a document."""

    unit: Unit | Callable[[Any], Any] = "word"
    ngram_range: tuple[int, int] = (1, 1)
    lowercase: bool = True
    strip_accents: Literal["ascii", "unicode"] | Callable[[str], str] | None = None
    stop_words: frozenset[str] = frozenset()
    token_pattern: str = DEFAULT_PATTERN
    tokenizer: Callable[[str], Any] | None = None
    preprocessor: Callable[[str], str] | None = None
    encoding: str = "utf-8"
    decode_error: str = "strict"

    def __post_init__(self) -> None:
        pair: Any = self.ngram_range
        if len(pair) != 2 or not all(isinstance(n, Integral) for n in pair) or not 1 <= pair[0] <= pair[1] < 2**31:
            raise InputError("The 'ngram_range'", "be (least, most) with 1 <= least <= most").but(
                f"got {self.ngram_range}"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).copy().items() if name != "native"}

    def batches(self, texts: Any, name: str = "texts") -> Iterator[Batch]:
        """Yield the documents in batches, ready for the compiled kernels."""
        return batches(texts, self._native_lowers, self._prepare, self._decoded, name)

    def empty(self) -> Batch:
        """Return a batch of no documents."""
        return Batch.of_tokens([])

    @cached_property
    def native(self) -> _native.Analysis:
        """Options for the compiled kernels, which leave tokens found by Python unchanged."""
        unit: Any = "whole" if self.in_python else self.unit
        stop = _native.Texts.of_list(sorted(self.stop_words), [])
        return _native.Analysis(table(self._native_lowers), unit, *self.ngram_range, stop)

    @property
    def in_python(self) -> bool:
        """Whether Python finds the tokens: equally exact, but slower."""
        custom = self.tokenizer is not None or self.token_pattern != DEFAULT_PATTERN
        return callable(self.unit) or (self.unit == "word" and custom)

    @property
    def by_functions(self) -> bool:
        """Whether a user's functions read the documents, which then need not be texts."""
        return callable(self.unit) or self.tokenizer is not None or self.preprocessor is not None

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of one document, found in Python."""
        if callable(self.unit):
            return list(self.unit(text))
        text = self._preprocess(text)
        if self.unit == "word":
            words = self.tokenizer(text) if self.tokenizer else re.findall(self.token_pattern, text)
            words, (least, most) = [word for word in words if word not in self.stop_words], self.ngram_range
            if most == 1:
                return words
            return [" ".join(words[i : i + n]) for n in range(least, most + 1) for i in range(len(words) - n + 1)]
        return list((_char_grams if self.unit == "char" else _char_grams_in_words)(text, self.ngram_range))

    @property
    def _native_lowers(self) -> bool:
        return self.lowercase and self.preprocessor is None and self.strip_accents is None and not self.in_python

    @property
    def _prepare(self) -> Callable[[list[Any]], Batch | list[Any]] | None:
        """Python function to call before the compiled kernels; None if there is none."""
        own = self.preprocessor is not None
        if not self.in_python and not own and self.strip_accents is None:
            return None

        def prepare(texts: list[Any]) -> Batch | list[Any]:
            texts = [self._decoded(text) for text in texts]
            if not self.in_python:
                return [self._preprocess(text) if own or isinstance(text, str) else text for text in texts]
            if not self.by_functions and not all(isinstance(text, str) for text in texts):
                return texts  # Batch.of_list raises the error
            return Batch.of_tokens([self.tokens(text) for text in texts])

        return prepare

    def _decoded(self, text: Any) -> Any:
        return text.decode(self.encoding, self.decode_error) if isinstance(text, bytes) else text

    def _preprocess(self, text: str) -> str:
        if self.preprocessor is not None:
            return self.preprocessor(text)
        text = text.lower() if self.lowercase else text
        if callable(self.strip_accents):
            return self.strip_accents(text)
        if not self.strip_accents or text.isascii():
            return text
        apart = unicodedata.normalize("NFKD", text)
        if self.strip_accents == "ascii":
            return apart.encode("ascii", "ignore").decode("ascii")
        return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _char_grams(text: str, ngram_range: tuple[int, int]) -> Iterator[str]:
    text = re.sub(r"\s\s+", " ", text)
    for n in range(ngram_range[0], ngram_range[1] + 1):
        yield from (text[i : i + n] for i in range(len(text) - n + 1))


def _char_grams_in_words(text: str, ngram_range: tuple[int, int]) -> Iterator[str]:
    for word in text.split():
        padded = f" {word} "
        for n in range(ngram_range[0], ngram_range[1] + 1):
            yield from (padded[i : i + n] for i in range(max(1, len(padded) - n + 1)))
            if n >= len(padded):
                break


IN_CONTEXT = re.compile(r"\(\?[<=!]|\\[ABZ]|[$^]")
"""Parts of a pattern that may match inside a text although they do not match a word alone."""


def as_read(words: Sequence[str], analysis: Analysis, owner: str) -> list[str]:
    """Return the tokens that match the words of a vocabulary; raise InputError for duplicates and impossible words.

    `owner` is what the parameter belongs to, for complaints.
    """
    tokens, first = [folded(word, analysis) for word in words], dict[str, str]()
    for word, token in zip(words, tokens, strict=True):
        if token in first:
            raise InputError(f"{owner}.vocabulary", "hold each word once").but(
                f"got {first[token]!r} and {word!r}, which are one word, {token!r}, as texts are read",
                python="Leave one out, or use tokens=sf.Tokens(lowercase=False) if capitals matter.",
            )
        first[token] = word
    if callable(analysis.unit) or analysis.tokenizer is not None:
        return tokens  # a function may make any token
    plain = replace(analysis, lowercase=False, strip_accents=None, preprocessor=None)
    never = [i for i, token in enumerate(tokens) if token not in plain.tokens(token) and not _elsewhere(token, plain)]
    if never:
        word, token = words[never[0]], tokens[never[0]]
        more = f" (and so {len(never) - 1:,} more)" if len(never) > 1 else ""
        raise InputError(
            f"The 'vocabulary' parameter of {owner} must hold words that texts can have; got {word!r}{more}, which "
            f"{_reading(token, plain)}"
        )
    return tokens


def folded(word: str, analysis: Analysis) -> str:
    """Return a word lowercased and without accents, as the tokens are; custom functions are not called."""
    return word if analysis.preprocessor is not None or callable(analysis.unit) else analysis._preprocess(word)


def _elsewhere(token: str, plain: Analysis) -> bool:
    """Return whether a custom pattern may match a token inside a text although not alone."""
    pattern = plain.token_pattern
    if plain.unit != "word" or pattern == DEFAULT_PATTERN or plain.stop_words & {*token.split(" ")}:
        return False
    alone = IN_CONTEXT.search(pattern) is None and re.compile(pattern).groups == 0
    return not (alone and re.fullmatch(r"\w(.*\w)?", token, re.DOTALL))


def _reading(token: str, plain: Analysis) -> str:
    """Return why no text can contain a token, and what to do."""
    if plain.unit != "word":
        least, most = plain.ngram_range
        return f"is not read as {least} to {most} letters in a row. Leave it out, or give another 'ngram_range'."
    every = replace(plain, stop_words=frozenset(), ngram_range=(1, 1)).tokens(token)
    if plain.stop_words & {*every}:
        return "'stop_words' leave out. Take it from there, or leave it out of the vocabulary, too."
    (least, most), n = plain.ngram_range, len(every)
    if " ".join(every) == token and not least <= n <= most:
        rows = (min(n, least), max(n, most))
        return f"is {n} word{'s in a row' * (n > 1)}. Leave it out, or use ngram_range={rows}."
    found = " and ".join(map(repr, every)) or "no word"
    return (
        f"is read as {found}. Leave it out, or say what a word is: tokens=sf.Tokens(token_pattern=r'\\w+') reads words "
        "of one letter, too."
    )


def learn(texts: Any, analysis: Analysis, name: str = "raw_documents") -> tuple[WordList, Any]:
    """Return the sorted vocabulary of the documents, and the count of each word in each document."""
    words = WordList.of([])
    parts: list[Any] = []
    for batch in analysis.batches(texts, name):
        entries, data, offset = _native.learn(batch.texts, batch.starts, analysis.native, batch.threads)
        found = WordList(data, offset)
        words, ours, theirs = words.union(found)
        parts = [_moved(part, ours) for part in parts]
        parts.append(_moved(_csr(entries, len(batch), len(found)), theirs))
    for part in parts:
        part.resize(part.shape[0], len(words))
    return words, sparse.vstack(parts, format="csr") if parts else sparse.csr_matrix((0, len(words)))


def look_up(texts: Any, analysis: Analysis, words: WordList, name: str = "raw_documents") -> Any:
    """Return the count of each given word in each document."""
    lexicon = _native.Lexicon(words.bytes, words.offset, 0)
    parts = [matrix(batch, analysis, lexicon, len(words)) for batch in analysis.batches(texts, name)]
    return sparse.vstack(parts, format="csr") if parts else sparse.csr_matrix((0, len(words)))


def matrix(batch: Batch, analysis: Analysis, lexicon: _native.Lexicon, width: int) -> Any:
    """Return the count of each word of a prepared vocabulary in each document of a batch."""
    entries = _native.look_up(batch.texts, batch.starts, analysis.native, lexicon, batch.threads)
    return _csr(entries, len(batch), width)


def _csr(entries: Any, rows: int, width: int) -> Any:
    value, index, start = entries
    small = max(width, len(index)) < 2**31
    kind = np.int32 if small else np.int64
    out = sparse.csr_matrix((rows, width))
    out.data, out.indices, out.indptr = value, index.astype(kind), start.astype(kind)
    return out


def _moved(part: Any, place: Any) -> Any:
    """Return a matrix with its columns moved to `place`, in the same order."""
    if len(place) == part.shape[1] and (len(place) == 0 or place[-1] == len(place) - 1):
        return part
    width = int(place[-1]) + 1 if len(place) else 0
    out = sparse.csr_matrix((part.shape[0], width))
    out.data, out.indices, out.indptr = part.data, place[part.indices].astype(part.indices.dtype), part.indptr
    return out
