"""Tokenize documents by scikit-learn's rules for words, characters and n-grams, compiled where possible."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, Literal

from suffice import _native
from suffice.errors import InputError
from suffice.text.documents import Batch, batches
from suffice.text.unicode import table

__all__ = ["DEFAULT_PATTERN", "Analysis"]

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
            raise InputError(
                f"The 'ngram_range' must be (least, most) with 1 <= least <= most; got {self.ngram_range}."
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
            words = self.tokenizer(text) if self.tokenizer else self._find(text)
            return _word_grams([word for word in words if word not in self.stop_words], self.ngram_range)
        return list((_char_grams if self.unit == "char" else _char_grams_in_words)(text, self.ngram_range))

    @property
    def _native_lowers(self) -> bool:
        return self.lowercase and self.preprocessor is None and self.strip_accents is None and not self.in_python

    @property
    def _prepare(self) -> Callable[[list[Any]], Batch | list[Any]] | None:
        """Python function to call before the compiled kernels; None if there is none."""
        if self.in_python:
            return self._tokenize
        if self.preprocessor is not None or self.strip_accents is not None:
            return self._preprocess_all
        return None

    def _tokenize(self, texts: list[Any]) -> Batch | list[Any]:
        texts = [self._decoded(text) for text in texts]
        if not self.by_functions and not all(isinstance(text, str) for text in texts):
            return texts  # Batch.of_list raises the error
        return Batch.of_tokens([self.tokens(text) for text in texts])

    def _preprocess_all(self, texts: list[Any]) -> list[Any]:
        texts = [self._decoded(text) for text in texts]
        own = self.preprocessor is not None
        return [self._preprocess(text) if own or isinstance(text, str) else text for text in texts]

    def _decoded(self, text: Any) -> Any:
        return text.decode(self.encoding, self.decode_error) if isinstance(text, bytes) else text

    def _preprocess(self, text: str) -> str:
        if self.preprocessor is not None:
            return self.preprocessor(text)
        text = text.lower() if self.lowercase else text
        if callable(self.strip_accents):
            return self.strip_accents(text)
        return _plain(text, self.strip_accents) if self.strip_accents and not text.isascii() else text

    def _find(self, text: str) -> list[str]:
        return re.findall(self.token_pattern, text)


def _plain(text: str, how: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    if how == "ascii":
        return apart.encode("ascii", "ignore").decode("ascii")
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _word_grams(words: list[str], ngram_range: tuple[int, int]) -> list[str]:
    least, most = ngram_range
    if most == 1:
        return words
    return [" ".join(words[i : i + n]) for n in range(least, most + 1) for i in range(len(words) - n + 1)]


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
