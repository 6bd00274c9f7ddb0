"""Collect options of texts in values: what a token is, and how counts of tokens are weighted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from suffice.errors import InputError, KindError, SufficeError
from suffice.text.tokenization import DEFAULT_PATTERN, Analysis


class _Value:
    """A value whose repr shows fields that differ from their defaults. The number 1 is not equal to the share 1.0."""

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), *self._parts().values()))

    def _parts(self) -> dict[str, tuple[Any, bool]]:
        """Return the fields, each with whether it is a whole number."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        return {name: (value, isinstance(value, Integral)) for name, value in given.items()}

    def __repr__(self) -> str:
        usual = type(self)()._parts()
        given = {name: value for name, (value, whole) in self._parts().items() if (value, whole) != usual[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={_shown(value)}' for name, value in given.items())})"

    def _must(self, name: str, sound: bool, what: str, kind: type[SufficeError] = InputError) -> None:
        """Raise unless a field is valid."""
        if not sound:
            owner, value = type(self).__name__, getattr(self, name)
            raise kind(f"{owner}.{name}", f"be {what}").but(f"got {_shown(value)}")

    def _must_be_flags(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            self._must(name, isinstance(value, bool | np.bool_), "True or False", KindError)
            object.__setattr__(self, name, bool(value))


def _shown(value: Any) -> str:
    if isinstance(value, frozenset):
        return repr(sorted(value, key=str))
    return str(getattr(value, "__qualname__", repr(value))) if callable(value) else repr(value)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Tokens(_Value):
    """Define the tokens of a document and how to count them, by options of scikit-learn's ``CountVectorizer``.

    Parameters
    ----------
    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        Whether tokens are words, or characters, across words or within them; or a function from a document to its
        tokens.
    lowercase : bool, default=True
        Whether to convert texts to lower case.
    strip_accents : {"ascii", "unicode"} or callable, default=None
        How to remove accents, if at all.
    stop_words : "english" or collection of str, default=None
        Words to leave out.
    token_pattern : str, default=two or more word characters
        Regular expression of a word; may be None with a `tokenizer` or another analyzer.
    tokenizer, preprocessor : callable, default=None
        Functions that replace the pattern, and that replace `lowercase` and `strip_accents`.
    encoding, decode_error : str, default="utf-8" and "strict"
        How to decode bytes, and what to do if they cannot be decoded: "strict", "ignore" or "replace".
    binary : bool, default=False
        Whether to count a word at most once per document.
    max_df : int or float, default=1.0
        Leave words that occur in more documents than this, or in a larger share of them, out of the model. The counts
        keep them.
    hash_bits : int, default=None
        Count words in 2**hash_bits hash buckets instead of by name, so that memory does not grow with the vocabulary.

    Examples
    --------
    >>> import suffice as sf
    >>> tokens = sf.Tokens(stop_words=["the", "a"], lowercase=True)
    >>> tokens
    Tokens(stop_words=['a', 'the'])
    >>> model = sf.TextClassifier(tokens=tokens).fit(["the cheap pills", "a lunch at noon"], ["spam", "ham"])
    >>> model.words_.tolist()
    ['at', 'cheap', 'lunch', 'noon', 'pills']
    """

    analyzer: Literal["word", "char", "char_wb"] | Callable[[Any], Any] = "word"
    lowercase: bool = True
    strip_accents: Literal["ascii", "unicode"] | Callable[[str], str] | None = None
    stop_words: Literal["english"] | frozenset[str] | Iterable[str] | None = None  # stored as a frozenset
    token_pattern: str | None = DEFAULT_PATTERN
    tokenizer: Callable[[str], Any] | None = None
    preprocessor: Callable[[str], str] | None = None
    encoding: str = "utf-8"
    decode_error: Literal["strict", "ignore", "replace"] = "strict"
    binary: bool = False
    max_df: float = 1.0
    hash_bits: int | None = None

    def __post_init__(self) -> None:
        self._must_be_flags("lowercase", "binary")
        units, accents = ("word", "char", "char_wb"), ("ascii", "unicode")
        self._must("analyzer", _among(self.analyzer, units), "'word', 'char', 'char_wb' or a function")
        known = self.strip_accents is None or _among(self.strip_accents, accents)
        self._must("strip_accents", known, "'ascii', 'unicode', a function or None")
        for name in ("tokenizer", "preprocessor"):
            value = getattr(self, name)
            self._must(name, value is None or callable(value), "a function or None", KindError)
        stop: Any = self.stop_words
        if stop is not None and not (isinstance(stop, str) and stop == "english"):
            many = isinstance(stop, Iterable) and not isinstance(stop, str | bytes)
            self._must("stop_words", many, "'english', a list of words or None")
            words = list(stop)
            self._must("stop_words", all(isinstance(word, str) for word in words), "a list of strings", KindError)
            object.__setattr__(self, "stop_words", frozenset(map(str, words)))
        if self.token_pattern is None:
            needless = self.tokenizer is not None or self.analyzer != "word"
            self._must("token_pattern", needless, "a regular expression unless there is a 'tokenizer'")
        else:
            self._must("token_pattern", isinstance(self.token_pattern, str), "a regular expression or None", KindError)
            try:
                re.compile(self.token_pattern)
            except re.error as error:
                self._must("token_pattern", False, f"a regular expression ({error})")
        known = _among(self.decode_error, ("strict", "ignore", "replace"), False)
        self._must("decode_error", known, "'strict', 'ignore' or 'replace'")
        self._must("encoding", isinstance(self.encoding, str), "the name of an encoding, such as 'utf-8'", KindError)
        try:
            "a".encode(self.encoding)  # refuses rot13, hex and others, which are no encodings of texts
        except (LookupError, ValueError):
            self._must("encoding", False, "the name of an encoding, such as 'utf-8'")
        most: Any = self.max_df
        number = isinstance(most, Real) and not isinstance(most, bool | np.bool_)
        sound = number and (int(most) >= 1 if isinstance(most, Integral) else 0 <= float(most) <= 1)
        self._must("max_df", sound, "a whole number of documents, at least 1, or a share of them from 0.0 to 1.0")
        bits: Any = self.hash_bits
        if bits is not None:
            whole = isinstance(bits, int | np.integer) and not isinstance(bits, bool) and 1 <= int(bits) <= 30
            self._must("hash_bits", whole, "a whole number from 1 to 30, or None")
            object.__setattr__(self, "hash_bits", int(bits))


def _among(value: Any, choices: tuple[str, ...], functions: bool = True) -> bool:
    """Return whether a value is one of the choices, or a function if `functions` are allowed."""
    return (functions and callable(value)) or (isinstance(value, str) and value in choices)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class TermWeighting(_Value):
    """Define how to weight the counts of a document's words.

    Parameters
    ----------
    sublinear_tf : bool, default=None
        Whether a word that occurs x times in a text counts as 1 + ln x, not as x, when the text is classified. The
        default is True for "multinomial", unless the estimate is "predictive". For "complement" the count is
        ln(1 + x), applied before words are counted.
    use_idf, normalize : bool, default=False
        For "complement": whether to multiply counts by ln(N / document frequency), and to divide them by the
        document's length. These options, and its `sublinear_tf`, need the texts in memory, and a model fitted with
        them cannot learn more.
    norm : bool, default=False
        For "complement": whether to divide each class's weights by their sum.

    Examples
    --------
    >>> import suffice as sf
    >>> rennie = sf.TermWeighting(sublinear_tf=True, use_idf=True, normalize=True)
    >>> rennie
    TermWeighting(sublinear_tf=True, use_idf=True, normalize=True)
    >>> model = sf.TextClassifier("complement", term_weighting=rennie)
    >>> model.fit(["cheap pills", "lunch at noon"], ["spam", "ham"]).predict(["cheap lunch pills"])
    array(['spam'], dtype='<U4')
    """

    sublinear_tf: bool | None = None
    use_idf: bool = False
    normalize: bool = False
    norm: bool = False

    def __post_init__(self) -> None:
        if self.sublinear_tf is not None:
            self._must_be_flags("sublinear_tf")
        self._must_be_flags("use_idf", "normalize", "norm")


def analysis_of(tokens: Any, ngram_range: Any, english: frozenset[str]) -> Analysis:
    """Return the analysis that `Tokens` or a vectorizer define; `english` are the stop words of that name."""
    stop = tokens.stop_words
    if tokens.tokenizer is None and tokens.token_pattern is None and tokens.analyzer == "word":
        raise InputError("The 'token_pattern' parameter", "be a regular expression unless there is a 'tokenizer'")
    return Analysis(
        unit=tokens.analyzer,
        ngram_range=tuple(ngram_range),
        lowercase=tokens.lowercase,
        strip_accents=tokens.strip_accents,
        stop_words=frozenset(english if stop == "english" else stop or ()),
        token_pattern=tokens.token_pattern or DEFAULT_PATTERN,
        tokenizer=tokens.tokenizer,
        preprocessor=tokens.preprocessor,
        encoding=tokens.encoding,
        decode_error=tokens.decode_error,
    )


def alike(one: Any, other: Any) -> bool:
    """Return whether two values of an option mean the same; 1 document differs from the share 1.0."""
    if one is None or other is None:
        return one is other
    if isinstance(one, Real) and isinstance(other, Real):
        return one == other and isinstance(one, Integral) == isinstance(other, Integral)
    order = (sorted(each, key=each.__getitem__) if isinstance(each, Mapping) else sorted(each)
             if isinstance(each, Set) else list(each) for each in (one, other))  # fmt: skip
    return next(order) == next(order)
