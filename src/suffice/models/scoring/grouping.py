"""Group the values of columns that act jointly: bins, pooled rare categories, and missing values."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.stats.grid import distinct
from suffice.stats.value_counts import in_words
from suffice.typing import Array, Integers

Cuts = tuple[float, ...] | tuple[str, ...] | None
"""How to group the values of a column: upper ends of bins, or categories of which the last stands for all others.

None if each value stands for itself.
"""

MISSING, OTHERS = "\ufdd0", "\ufdd1"
"""Codes of a missing value that is modelled as a value, and of pooled categories. Texts contain neither character."""


def binned(values: Array, edges: Cuts) -> tuple[Integers, NDArray[Any]]:
    """Return codes of numbers, by bin or by distinct value if `edges` is None, and the word of each code."""
    if edges is None:
        found, codes = distinct(values if values.dtype.kind in "iu" else values.astype(np.float64) + 0.0)
        return np.asarray(codes, np.int64), in_words(found)
    if pools(edges):
        return grouped(*binned(values, None), edges)
    place = np.searchsorted(np.array(edges, np.float64), values, side="right").astype(np.int64)
    return place, np.array([*map(str, range(len(edges) + 1))], object)


def grouped(codes: Integers, words: NDArray[Any], cuts: Cuts) -> tuple[Integers, NDArray[Any]]:
    """Return codes of categories, with those not in `cuts` pooled, and the word of each code.

    >>> grouped(np.array([2, 0, -1, 1]), np.array(["a", "b", "c"], object), ("b", OTHERS))[0]
    array([ 1,  1, -1,  0])
    """
    if cuts is None:
        return np.asarray(codes, np.int64), words
    known = {word: place for place, word in enumerate(cuts)}
    place = np.array([*(known.get(word, len(cuts) - 1) for word in words.tolist()), -1], np.int64)
    return place[codes], np.array([*cuts, None], object)[:-1]


def cut_to(cuts: Cuts, known: Container[object]) -> Cuts:
    """Return the categories of `cuts` that are still known, and the pool. The others are pooled from now on."""
    return tuple(word for word in cuts or () if isinstance(word, str) and (word in known or word == OTHERS))


def pools(cuts: Cuts) -> bool:
    """Return whether `cuts` pools categories."""
    return cuts is not None and len(cuts) > 0 and cuts[-1] == OTHERS


def with_missing(codes: Integers, words: NDArray[Any]) -> tuple[Integers, NDArray[Any]]:
    """Return codes that treat a missing value, −1, as a value of its own, and the word of each code."""
    return np.where(codes < 0, len(words), codes), np.append(words, np.array([MISSING], object))


def shown_value(word: str) -> str:
    """Return the display name of a category."""
    return {MISSING: "missing", OTHERS: "another"}.get(word, word.removesuffix(".0"))


@dataclass(frozen=True, eq=False)
class Coding:
    """The columns that may act jointly: their names, and the code of each row's value, −1 where it is missing."""

    names: list[Any]
    codes: Integers  # rows × columns
    words: list[NDArray[Any]]  # the words of each column's codes

    @property
    def sizes(self) -> list[int]:
        """Return the number of values of each column."""
        return [len(words) for words in self.words]

    def with_missing(self) -> Coding | None:
        """Return the coding with missing values as values of their own; None if no value is missing."""
        holes = np.asarray((self.codes < 0).any(axis=0))
        if not holes.any():
            return None
        words = list(self.words)
        codes = self.codes.copy()
        for j in np.flatnonzero(holes).tolist():
            codes[:, j], words[j] = with_missing(codes[:, j], words[j])
        return Coding(self.names, codes, words)
