"""Count the values of many numeric columns at once, in one pass over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.stats import counting_kernels
from suffice.stats.base import sealed
from suffice.stats.grid import BITS, on_grid
from suffice.stats.moments import DiagonalMoments
from suffice.stats.value_counts import ValueCounts
from suffice.typing import Array, Booleans, Integers

PARTS = ("values", "line", "place", "count")


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """Numbers of rows by column, class and value; every row has a value in every column.

    Column j has the values from `first[j]` up to `first[j + 1]`, sorted, and the counts from `cells[j]` up to
    `cells[j + 1]`: class `line[i]` has value `values[place[i]]` in `count[i]` rows.
    """

    values: Array
    first: Integers
    line: Integers
    place: Integers
    count: Array
    cells: Integers
    n: Array  # rows of each class

    @classmethod
    def of(cls, columns: Array, codes: Integers, classes: int) -> ColumnCounts:
        """Count numbers on the grid, columns × rows."""
        columns = np.ascontiguousarray(columns, np.float64)
        codes = np.ascontiguousarray(codes, np.int64)
        values, line, place, count, found = counting_kernels.value_counts(columns, codes, classes)
        first, cells = (np.append(0, np.cumsum(part)) for part in found.T)
        known, there = (np.arange(columns.shape[1]) < part[:, None] for part in found.T)
        n = np.bincount(codes, minlength=classes).astype(np.float64)
        place += first[:-1, None]
        parts = (sealed(part) for part in (values[known], line[there], place[there], count[there]))
        values, line, place, count = parts
        return cls(values, first, line, place, count, cells, n)

    @classmethod
    def side_by_side(cls, each: Sequence[ValueCounts]) -> ColumnCounts:
        """Concatenate the counts of columns that have equally many rows of each class."""
        if len(each) == 1:
            (t,) = each
            first, cells = (np.array([0, len(part)]) for part in (t.values, t.count))
            return cls(t.values, first, t.line, t.place, t.count, cells, t.n)
        first, cells = (np.append(0, np.cumsum([len(getattr(t, name)) for t in each])) for name in ("values", "count"))
        values, line, place, count = (np.concatenate([getattr(t, name) for t in each]) for name in PARTS)
        place = place + np.repeat(first[:-1], np.diff(cells))
        return cls(values, first, line, place, count, cells, each[0].n)

    def __len__(self) -> int:
        return len(self.first) - 1

    @cached_property
    def column(self) -> Integers:
        """Column of each value."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @cached_property
    def totals(self) -> Array:
        """Number of rows with each value."""
        return np.bincount(self.place, self.count, len(self.values)).astype(np.float64)

    @property
    def each(self) -> list[ValueCounts]:
        """Value counts of each column."""
        classes, found = sealed(np.array(len(self.n), np.int64)), []
        own = sealed(self.place - np.repeat(self.first[:-1], np.diff(self.cells)))
        first, cells = self.first.tolist(), self.cells.tolist()
        for a, b, c, d in zip(first, first[1:], cells, cells[1:], strict=False):
            parts = {"values": self.values[a:b], "line": self.line[c:d], "place": own[c:d], "count": self.count[c:d]}
            found.append(_made(ValueCounts, {**parts, "classes": classes}))
        return found

    def take(self, which: Booleans) -> ColumnCounts:
        """Return the counts of a subset of the columns."""
        known, there = which[self.column], np.repeat(which, np.diff(self.cells))
        first, cells = (np.append(0, np.cumsum(np.diff(ends)[which])) for ends in (self.first, self.cells))
        moved = (np.cumsum(known) - 1)[self.place[there]]
        parts = (self.values[known], self.line[there], moved, self.count[there])
        values, line, place, count = (sealed(part) for part in parts)
        return ColumnCounts(values, first, line, place, count, cells, self.n)

    def cells_on(self, bits: Integers) -> Integers:
        """Return how many cells column j would have on a grid of `bits[j]` bits."""
        apart = self._apart(self._coarse(bits)[self.place])
        return np.asarray(np.add.reduceat(apart.astype(np.int64), self.cells[:-1]))

    def on(self, bits: Integers) -> ColumnCounts:
        """Return the counts of column j on a grid of `bits[j]` bits; counts of values that become equal are added."""
        coarse = self._coarse(bits)
        fresh = np.append(True, coarse[1:] != coarse[:-1])
        fresh[self.first[:-1]] = True
        cells = np.flatnonzero(self._apart(coarse[self.place]))
        place, count = (np.cumsum(fresh) - 1)[self.place[cells]], np.add.reduceat(self.count, cells)
        values, line, place, count = (sealed(part) for part in (coarse[fresh], self.line[cells], place, count))
        first, ends = np.append(0, np.cumsum(fresh))[self.first], np.searchsorted(cells, self.cells)
        return ColumnCounts(values, first, line, place, count, ends, self.n)

    def _coarse(self, bits: Integers) -> Array:
        """Return the values of column j on a grid of `bits[j]` bits."""
        own, out = bits[self.column], self.values.copy()
        for one in range(int(bits.min()), BITS):
            here = own == one
            out[here] = on_grid(self.values[here], one)
        return out

    def _apart(self, values: Array) -> Booleans:
        """Return which counts differ in column, class or value from the count before."""
        new = np.append(True, (self.line[1:] != self.line[:-1]) | (values[1:] != values[:-1]))
        new[self.cells[:-1]] = True
        return new


def each_feature(t: DiagonalMoments) -> list[DiagonalMoments]:
    """Split the moments of vectors into the moments of each feature alone."""
    parts = {name: sealed(np.ascontiguousarray(part.T)[..., None]) for name, part in t.arrays().items() if name != "n"}
    return [
        _made(DiagonalMoments, {"n": t.n, **{name: part[j] for name, part in parts.items()}})
        for j in range(t.mean.shape[1])
    ]


def _made(kind: Any, parts: dict[str, Any]) -> Any:
    """Return a statistic of arrays that are part of a validated statistic, without validating them again."""
    found = object.__new__(kind)
    found.__dict__.update(parts)
    return found
