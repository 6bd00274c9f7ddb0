"""Record which rows were learned, and with what weight, as hashes that add and subtract like every other statistic.

Sums cannot show whether a given row is part of them. A journal can: for each distinct (row, label) it holds a 128-bit
BLAKE2b hash, made under a key that is not stored, and the total weight with which it was learned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, KindError, ShapeError, SubtractionError
from suffice.notebook import card
from suffice.stats.base import ROUNDING, difference, sealed
from suffice.stats.inputs import EXACT
from suffice.typing import Array, Integers

__all__ = ["Hashes", "Journal"]

Hashes = NDArray[np.uint64]
"""Rows × 2: the first and the last 64 bits of each hash."""


@dataclass(frozen=True, eq=False, repr=False)
class Journal:
    """Total weight of the rows with each hash, sorted by hash; `check` distinguishes keys.

    >>> import suffice as sf
    >>> monday = sf.BernoulliNB().fit([[0], [1], [1]], ["a", "b", "b"], journal="a secret").journal_
    >>> tuesday = sf.BernoulliNB().fit([[1], [0]], ["a", "b"], journal="a secret").journal_
    >>> monday + tuesday
    Journal(4 distinct rows, total weight 5)
    >>> (monday + tuesday) - tuesday == monday
    True
    """

    first: NDArray[np.uint64]
    second: NDArray[np.uint64]
    weight: Array
    check: NDArray[np.uint64]

    def __post_init__(self) -> None:
        for name, array in self.arrays().items():
            kind = np.float64 if name == "weight" else np.uint64
            if array.dtype != kind or array.ndim != 1:
                raise DataError(f"'{name}' of Journal must be a one-dimensional array of {np.dtype(kind)}.")
        if not len(self.first) == len(self.second) == len(self.weight) or len(self.check) != 2:
            raise ShapeError("A Journal must have two numbers and a weight for each hash, and two numbers in 'check'.")
        if not ((self.weight > 0) & (self.weight <= EXACT)).all():
            raise DataError("'weight' of Journal must be positive and below 2**53.")
        above = self.first[1:] > self.first[:-1]
        above |= (self.first[1:] == self.first[:-1]) & (self.second[1:] > self.second[:-1])
        if not above.all():
            raise DataError("The hashes of Journal must be sorted and distinct.")

    @classmethod
    def of(cls, hashes: Hashes, weights: Array | None, check: NDArray[np.uint64]) -> Journal:
        """Return the journal of rows with these hashes; rows of weight 0 were not learned and are left out."""
        given = np.ones(len(hashes)) if weights is None else np.asarray(weights, np.float64)
        group, keys = _groups(hashes)
        return cls._seen(keys, _sums(group, given, len(keys)), check)

    @property
    def total(self) -> float:
        """Total weight of all rows."""
        return float(self.weight.sum())

    def __len__(self) -> int:
        return len(self.weight)

    def __repr__(self) -> str:
        return f"Journal({len(self):,} distinct rows, total weight {self.total:,g})"

    def _repr_html_(self) -> str:
        return card(self, lambda: ())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Journal):
            return NotImplemented
        theirs = other.arrays()
        return all(np.array_equal(mine, theirs[name]) for name, mine in self.arrays().items())

    def __hash__(self) -> int:
        return hash(tuple(array.tobytes() for array in self.arrays().values()))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the journal by name."""
        return {"first": self.first, "second": self.second, "weight": self.weight, "check": self.check}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Journal:
        """Return a journal from the arrays that `arrays()` returned."""
        expected = ["check", "first", "second", "weight"]
        if sorted(arrays) != expected:
            raise DataError(f"The argument 'arrays' of Journal must hold {expected}; got {sorted(arrays)}.")
        return cls(**arrays)

    @classmethod
    def total_of(cls, parts: Sequence[Journal]) -> Journal:
        """Return the sum of several journals, added in one step."""
        for part in parts[1:]:
            parts[0]._compare(part)
        group, keys = _groups(np.concatenate([part.hashes for part in parts]))
        weight = _sums(group, np.concatenate([part.weight for part in parts]), len(keys))
        return cls._seen(keys, weight, parts[0].check)

    def __add__(self, other: Journal) -> Journal:
        return Journal.total_of([self, other])

    def __sub__(self, other: Journal) -> Journal:
        self._compare(other)
        group, keys = _groups(np.concatenate([self.hashes, other.hashes]))
        here, there = group[: len(self)], group[len(self) :]
        mine, theirs = _sums(here, self.weight, len(keys)), _sums(there, other.weight, len(keys))
        left = difference(mine, theirs)
        if (left < 0).any():
            many = int((left < 0).sum())
            raise SubtractionError(
                f"Cannot subtract: {many:,} of the {len(other):,} distinct rows are not in the journal, "
                "or not as often."
            )
        return self._seen(keys, left, self.check)

    def scaled(self, factor: float) -> Journal:
        """Return the journal with all row weights multiplied by `factor`; rows whose weight underflows are dropped."""
        return self._seen(self.hashes, self.weight * factor, self.check)

    def not_learned(self, hashes: Hashes, weights: Array | None = None) -> tuple[int, float, float] | None:
        """Return the first row that cannot be removed after all rows before it, or None if all rows can be removed.

        The result is the row's index, the weight with which equal rows were learned, and the weight of equal rows to be
        removed up to this one.
        """
        given = np.ones(len(hashes)) if weights is None else np.asarray(weights, np.float64)
        group, keys = _groups(np.concatenate([self.hashes, hashes]))
        have = _sums(group[: len(self)], self.weight, len(keys))
        query = group[len(self) :]
        over = _sums(query, given, len(keys)) > have * (1 + ROUNDING)
        removed: dict[int, float] = {}
        for row in np.flatnonzero(over[query]).tolist():
            which = int(query[row])
            removed[which] = removed.get(which, 0.0) + float(given[row])
            if removed[which] > have[which] * (1 + ROUNDING):
                return row, float(have[which]), removed[which]
        return None

    @property
    def hashes(self) -> Hashes:
        """Hashes as rows of two numbers."""
        return np.column_stack([self.first, self.second])

    @classmethod
    def _seen(cls, keys: Hashes, weight: Array, check: NDArray[np.uint64]) -> Journal:
        kept = weight != 0
        first, second = (sealed(np.ascontiguousarray(keys[kept, k])) for k in (0, 1))
        return cls(first, second, sealed(weight[kept].astype(np.float64)), check)

    def _compare(self, other: Journal) -> None:
        if not isinstance(other, Journal):
            raise KindError(f"A Journal combines only with another Journal; got {type(other).__name__}.")
        if not np.array_equal(self.check, other.check):
            raise DataError("Two journals must have the same key to be combined; got different keys.")


def _sums(group: Integers, weights: Array, groups: int) -> Array:
    return np.asarray(np.bincount(group, weights, groups), np.float64)


def _groups(hashes: Hashes) -> tuple[Integers, Hashes]:
    """Return the index of each hash in the sorted distinct hashes, and these hashes."""
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))
    ordered = hashes[order]
    new = np.ones(len(ordered), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    group = np.empty(len(ordered), np.int64)
    group[order] = np.cumsum(new) - 1
    return group, ordered[new]
