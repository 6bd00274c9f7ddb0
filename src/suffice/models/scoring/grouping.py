"""How values of a column are grouped where columns act together: bins, rare categories, and what is missing."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.stats.grid import distinct
from suffice.stats.value_counts import in_words
from suffice.typing import Array, Integers

__all__ = [
    "MISSING", "OTHERS", "Coding", "Cuts", "binned", "cut_to", "grouped", "pools", "shown_value", "with_missing",
]  # fmt: skip

Cuts = tuple[float, ...] | tuple[str, ...] | None
"""How values of a column are grouped: where bins of numbers end, or categories of which the last is all others.

None if each value stands for itself.
"""

MISSING, OTHERS = "\ufdd0", "\ufdd1"
"""The word of a missing value, where that is a value like others, and that of all pooled ones: texts have neither."""


def binned(values: Array, edges: Cuts) -> tuple[Integers, NDArray[Any]]:
    """Return codes of numbers, of the bins that end at `edges` or of their values, and what codes stand for."""
    if edges is None:
        found, codes = distinct(values if values.dtype.kind in "iu" else values.astype(np.float64) + 0.0)
        return np.asarray(codes, np.int64), in_words(found)
    if pools(edges):
        return grouped(*binned(values, None), edges)
    place = np.searchsorted(np.array(edges, np.float64), values, side="right").astype(np.int64)
    return place, np.array([*map(str, range(len(edges) + 1))], object)


def grouped(codes: Integers, words: NDArray[Any], cuts: Cuts) -> tuple[Integers, NDArray[Any]]:
    """Return codes of categories with all but some pooled, and what they stand for.

    >>> grouped(np.array([2, 0, -1, 1]), np.array(["a", "b", "c"], object), ("b", OTHERS))[0]
    array([ 1,  1, -1,  0])
    """
    if cuts is None:
        return np.asarray(codes, np.int64), words
    known = {word: place for place, word in enumerate(cuts)}
    place = np.array([*(known.get(word, len(cuts) - 1) for word in words.tolist()), -1], np.int64)
    return place[codes], np.array([*cuts, None], object)[:-1]


def cut_to(cuts: Cuts, known: Container[object]) -> Cuts:
    """Return how categories are grouped, without those that are no longer known: these are pooled from now on."""
    return tuple(word for word in cuts or () if isinstance(word, str) and (word in known or word == OTHERS))


def pools(cuts: Cuts) -> bool:
    """Return whether some categories of a column are pooled."""
    return cuts is not None and len(cuts) > 0 and cuts[-1] == OTHERS


def with_missing(codes: Integers, words: NDArray[Any]) -> tuple[Integers, NDArray[Any]]:
    """Return codes in which a missing value, −1, is a value like others, and what they stand for."""
    return np.where(codes < 0, len(words), codes), np.append(words, np.array([MISSING], object))


def shown_value(word: str) -> str:
    """Return the word of a category as people read it."""
    return {MISSING: "missing", OTHERS: "another"}.get(word, word.removesuffix(".0"))


@dataclass(frozen=True, eq=False)
class Coding:
    """Columns that may act together: names, and the value of each row by code, −1 where it is missing."""

    names: list[Any]
    codes: Integers  # rows × columns
    words: list[NDArray[Any]]  # what the codes of each column stand for

    @property
    def sizes(self) -> list[int]:
        """How many values each column has."""
        return [len(words) for words in self.words]

    def with_missing(self) -> Coding | None:
        """Return the same with missing values as values like others; None if there are none."""
        holes = np.asarray((self.codes < 0).any(axis=0))
        if not holes.any():
            return None
        words = list(self.words)
        codes = self.codes.copy()
        for j in np.flatnonzero(holes).tolist():
            codes[:, j], words[j] = with_missing(codes[:, j], words[j])
        return Coding(self.names, codes, words)
