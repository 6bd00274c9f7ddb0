"""Store histograms of many cells at once, sparsely: sorted, distinct records of (cell, value, number of rows)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, ShapeError
from suffice.stats.base import difference, sealed
from suffice.stats.inputs import EXACT
from suffice.typing import Array, Integers


@dataclass(frozen=True, eq=False)
class CellHistogram:
    """Numbers of rows by cell and value, sorted; zeros are not stored."""

    cell: Integers
    value: Integers
    count: Array

    @classmethod
    def of(cls, cell: Integers, value: Integers, count: Array | None = None) -> CellHistogram:
        """Sort records and merge equal ones; each record stands for one row, or for `count` rows."""
        order, start = _runs(cell, value)
        if count is None:
            sums = np.diff(start, append=len(order)).astype(np.float64)
        else:
            sums = np.add.reduceat(count[order], start)
        return cls._seen(cell[order[start]], value[order[start]], sums)

    @property
    def arrays(self) -> tuple[Integers, Integers, Array]:
        """Cells, values and counts."""
        return self.cell, self.value, self.count

    def __add__(self, other: CellHistogram) -> CellHistogram:
        return CellHistogram.of(*side_by_side(self, other))

    def __sub__(self, other: CellHistogram) -> CellHistogram:
        cell, value, count = side_by_side(self, other)
        order, start = _runs(cell, value)
        mine = np.arange(len(cell)) < len(self.cell)
        sums = [np.add.reduceat(np.where(of, count, 0.0)[order], start) for of in (mine, ~mine)]
        return CellHistogram._seen(cell[order[start]], value[order[start]], difference(*sums))

    @classmethod
    def _seen(cls, cell: Integers, value: Integers, count: Array) -> CellHistogram:
        keep = count != 0
        if not keep.all():
            cell, value, count = cell[keep], value[keep], count[keep]
        return cls(sealed(cell), sealed(value), sealed(count))

    def between(self, first: int, last: int) -> CellHistogram:
        """Return the records of cells `first` up to `last`, renumbered from 0."""
        part = slice(*np.searchsorted(self.cell, [first, last]))
        return CellHistogram(self.cell[part] - first, self.value[part], self.count[part])

    def check(self, name: str, owner: str, cells: int) -> None:
        """Raise DataError or ShapeError unless the records are valid; errors call the values `name` of `owner`."""
        if not self.cell.shape == self.value.shape == self.count.shape == (self.cell.size,):
            raise ShapeError(f"'{name}' of {owner} must have as many entries as there are cells and counts.")
        if not ((self.count > 0) & (self.count <= EXACT)).all():
            worst = self.count.min() if not (self.count > 0).all() else self.count.max()
            raise DataError(f"Counts of each '{name}' of {owner} must be positive and below 2**53; got {worst}.")
        step, rise = np.diff(self.cell), np.diff(self.value)
        inside = (self.cell >= 0) & (self.cell < cells) & (self.value > 0) & (self.value <= EXACT)
        if not inside.all() or not ((step > 0) | ((step == 0) & (rise > 0))).all():
            raise DataError(f"'{name}' of {owner} must be in range, sorted and distinct within each of {cells} cells.")

    def sums(self, weight: NDArray[Any], cells: int, per: int = 1) -> Array:
        """Return Σ weight over the records of each run of `per` cells."""
        return np.bincount(self.cell // per, weight, minlength=cells).astype(np.float64)


def side_by_side(*parts: CellHistogram) -> tuple[Any, Any, Any]:
    """Concatenate the arrays of all parts."""
    cell, value, count = (np.concatenate(arrays) for arrays in zip(*(part.arrays for part in parts), strict=True))
    return cell, value, count


def _runs(cell: Integers, value: Integers) -> tuple[Integers, Integers]:
    """Return the order that sorts the (cell, value) pairs, and where each run of equal pairs starts in it."""
    most, last = int(value.max(initial=0)) + 1, int(cell.max(initial=0)) + 1
    if most * last < 2**63:
        key = cell * most + value
        order = np.argsort(key, kind="stable")
        fresh = np.diff(key[order]) != 0
    else:
        order = np.lexsort((value, cell))
        fresh = (np.diff(cell[order]) != 0) | (np.diff(value[order]) != 0)
    return order, np.flatnonzero(np.concatenate([np.ones(min(1, len(order)), bool), fresh]))
