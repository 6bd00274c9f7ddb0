"""A vocabulary as a user lists it: words, each once, that texts can hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from suffice.errors import InputError, KindError

__all__ = ["given_words"]

NAME = "The 'vocabulary' parameter of LanguageModel must"


def given_words(estimator: Any) -> list[str]:
    """The vocabulary of an estimator with a slot for unknown words, as a list."""
    given = estimator.vocabulary
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise KindError(f"{NAME} be a list of words, such as ['mary', 'lamb']; got a single {type(given).__name__}.")
    words = sorted(given) if isinstance(given, set | frozenset) else list(given)  # a set has no order of its own
    if not words:
        raise InputError(f"{NAME} hold at least one word; got none. Use None for the words of the first texts.")
    odd = [word for word in words if not isinstance(word, str)]
    if odd:
        raise KindError(f"{NAME} hold strings; got {type(odd[0]).__name__}.")
    _each_once(words, estimator.unknown)
    if estimator.lowercase and estimator.preprocessor is None and not callable(estimator.analyzer):
        _all_lower(words)
    return words


def _each_once(words: list[str], unknown: str) -> None:
    seen: set[str] = set()
    for word in words:
        if word == unknown:
            raise InputError(
                f"{NAME} not hold the name of the slot for unknown words; got {word!r}. Leave it out, or choose "
                "another name by 'unknown'."
            )
        if word in seen:
            raise InputError(f"{NAME} hold each word once; got {word!r} twice.")
        seen.add(word)


def _all_lower(words: list[str]) -> None:
    high = next((word for word in words if word != word.lower()), None)
    if high is not None:
        raise InputError(f"{NAME} be in lower case, as texts are read; got {high!r}. Or use lowercase=False.")
