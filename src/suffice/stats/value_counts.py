"""Count the values of one column by class: categories by name, and numbers on a fine grid.

Only values that occur are stored, sorted, so two statistics are combined by value, even if they have seen different
ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.errors import DataError, ShapeError
from suffice.notebook import MOST, table
from suffice.stats import counting_kernels
from suffice.stats.base import Statistic, sealed
from suffice.stats.cell_histogram import CellHistogram
from suffice.stats.grid import distinct
from suffice.stats.inputs import REAL, Groups, RowMatrix
from suffice.typing import Array, Integers

__all__ = ["ValueCounts", "in_words"]

LARGEST_TABLE = 2**24


def in_words(values: NDArray[Any]) -> NDArray[Any]:
    """Return values as words, numbers as `repr` writes them."""
    words = [value if isinstance(value, str) else repr(float(value)) for value in values.tolist()]
    return np.array([*words, ""], object)[:-1]


@dataclass(frozen=True, eq=False, repr=False)
class ValueCounts(Statistic):
    """Numbers of rows by class and value of one column.

    `values` are sorted numbers or strings; class `line[i]` has value `values[place[i]]` in `count[i]` rows.

    >>> counts = ValueCounts.of([3, 1, 3, 3], labels=[0, 0, 0, 1])
    >>> counts
    ValueCounts(values=[1., 3.], line=[0, 0, 1], place=[0, 1, 1], count=[1., 2., 1.], classes=2)
    >>> counts.table
    array([[1., 2.],
           [0., 1.]])
    """

    values: Any
    line: Integers
    place: Integers
    count: Array
    classes: Integers

    _whole: ClassVar[tuple[str, ...]] = ("line", "place", "classes")

    def _parts(self) -> Iterator[str]:
        names = [", ".join(map(str, joint)) for joint in self._joint(self.place[:MOST])]
        columns = ([str(c) for c in self.line[:MOST].tolist()], names, self.count[:MOST].tolist())
        yield table(["class", "value", "rows"], zip(*columns, strict=False), len(self.count))

    def _joint(self, place: Integers) -> Any:
        """Return the values at some places, a tuple for each."""
        axes = self._axes if isinstance(self._axes, tuple) else (self._axes,)
        sizes = [len(axis) for axis in axes]
        at = np.unravel_index(place, sizes) if len(place) else [place] * len(sizes)
        return zip(*(axis[k] for axis, k in zip(axes, at, strict=True)), strict=True)

    @classmethod
    def zero(cls) -> Self:
        """Return the statistic of no rows and no classes."""
        integers = np.zeros(0, np.int64)
        return cls(np.zeros(0), integers, integers, np.zeros(0), np.zeros((), np.int64))

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.dtype.kind in "OUT":
            object.__setattr__(self, "values", np.zeros(0))
            super().__post_init__()
            names = values.astype(object)
            names.setflags(write=False)
            object.__setattr__(self, "values", names)
            self._check_values()
        else:
            super().__post_init__()
            self._check_values()

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        if rows.is_sparse or rows.matrix.shape[1] != 1:
            found = "a sparse matrix" if rows.is_sparse else f"rows of shape {rows.shape}"
            raise ShapeError(f"The argument '{rows.name}' must hold one value per row; got {found}.")
        REAL.check(rows.matrix.astype(np.float64, copy=False), rows.name, rows.first)
        return cls._counted(*distinct(rows.matrix[:, 0].astype(np.float64)), groups)

    def in_words(self) -> tuple[NDArray[Any], ...]:
        """Return the values that occur, as words, in a tuple of one array."""
        return (in_words(self.values),)

    @classmethod
    def of_codes(
        cls,
        codes: Any,
        values: Any,
        labels: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
    ) -> Self:
        """Count rows that have `values[code]`; a code of −1 stands for a missing value, which does not count."""
        return cls._counted(np.asarray(values), codes, Groups.read(len(codes), labels, weights, n_classes))

    @classmethod
    def _counted(cls, values: NDArray[Any], codes: Any, groups: Groups) -> Self:
        lines = 1 if groups.classes is None else groups.classes
        order = np.argsort(values, kind="stable")
        if lines * (len(values) + 1) <= LARGEST_TABLE:
            table = _dense(codes, len(values), groups)[:, order]
            line, place = np.nonzero(table)
            counted = CellHistogram(line, place, table[line, place])
        else:
            counted = _sorted_counts(codes, order, groups)
        shape = np.asarray(0 if groups.classes is None else groups.classes)
        return cls._seen(values[order], counted, shape)

    @classmethod
    def _seen(cls, values: Any, counted: CellHistogram, classes: Any) -> Self:
        """Drop values that no row has."""
        used = np.zeros(len(values), bool)
        used[counted.value] = True
        place = counted.value
        if not used.all():
            place = (np.cumsum(used) - 1)[place]
            values = values[used]
        values, line, place, count = (sealed(np.asarray(a)) for a in (values, counted.cell, place, counted.count))
        return cls(values, line, place, count, classes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Class axis, if there are labels; two statistics may have different values."""
        return (int(self.classes),) if self.classes else ()

    @property
    def table(self) -> Array:
        """Counts as a table of classes × values; one line without labels."""
        out = np.zeros((max(1, int(self.classes)), len(self.values)))
        out[self.line, self.place] = self.count
        return out

    @property
    def n(self) -> Array:
        """Number of rows of each class that have a value."""
        return np.bincount(self.line, self.count, max(1, int(self.classes))).astype(np.float64)

    @property
    def totals(self) -> Array:
        """Number of rows with each value, over all classes."""
        return np.bincount(self.place, self.count, len(self.values)).astype(np.float64)

    def with_classes(self, place: Integers, classes: int) -> Self:
        """Return the statistic with its classes renumbered: class c becomes `place[c]`; −1 drops the class."""
        line = place[self.line]
        order = np.lexsort((self.place, line))
        order = order[line[order] >= 0]
        counted = CellHistogram(line[order], self.place[order], self.count[order])
        return self._seen(self._axes, counted, np.asarray(classes))

    def scaled(self, factor: float) -> Self:
        """Return the statistic with all row weights multiplied by `factor`; counts that underflow are dropped."""
        count = self.count * factor
        kept = count > 0
        return self._seen(self._axes, CellHistogram(self.line[kept], self.place[kept], count[kept]), self.classes)

    @property
    def _axes(self) -> Any:
        """Values that places refer to."""
        return self.values

    @staticmethod
    def _called(axes: Any, place: int) -> Any:
        """Return the value at a place, for error messages."""
        return axes[place]

    def _is_identity(self) -> bool:
        return not self.classes and not len(self.values)

    def _check(self) -> None:
        if self.classes.ndim or self.classes < 0:
            raise ShapeError("'classes' of ValueCounts must be one whole number.")

    def _check_values(self) -> None:
        counted = CellHistogram(self.line, self.place + 1, self.count)
        counted.check("place", "ValueCounts", max(1, int(self.classes)))
        seen = np.bincount(self.place, minlength=len(self.values)) if len(self.place) else np.zeros(len(self.values))
        if self.values.ndim != 1 or len(seen) != len(self.values) or not seen.all():
            raise ShapeError("'values' of ValueCounts must be exactly those that 'place' refers to.")
        if (self.values[1:] <= self.values[:-1]).any() or (self.values != self.values).any():
            raise DataError("'values' of ValueCounts must be sorted, distinct and not NaN.")

    def _nothing(self) -> Self:
        if len(self.count):
            raise DataError("there are no rows to remove.")
        return self

    def _plus(self, other: Self) -> Self:
        axes, mine, theirs = self._united(other)
        return self._seen(axes, mine + theirs, self.classes)

    def _minus(self, other: Self) -> Self:
        axes, mine, theirs = self._united(other)
        left = mine - theirs
        if left.count.min(initial=0.0) < 0:
            worst = self._called(axes, int(left.value[left.count.argmin()]))
            raise DataError(f"more rows with the value {worst} would be removed than were added.")
        return self._seen(axes, left, self.classes)

    def _united(self, other: Self) -> tuple[Any, CellHistogram, CellHistogram]:
        """Return the union of the values, and the counts of each statistic over it."""
        if self.values.dtype != other.values.dtype and len(self.values) and len(other.values):
            raise DataError("two ValueCounts must both count words or both count numbers to be combined.")
        if np.array_equal(self.values, other.values):
            return self.values, self._over(None), other._over(None)
        first, second = (s.values.astype(self._kind(other)) for s in (self, other))
        values = np.unique(np.concatenate([first, second]))
        return values, self._over(np.searchsorted(values, first)), other._over(np.searchsorted(values, second))

    def _kind(self, other: Self) -> np.dtype[Any]:
        kind: np.dtype[Any] = (self if len(self.values) else other).values.dtype
        return kind

    def _over(self, places: Any) -> CellHistogram:
        return CellHistogram(self.line, self.place if places is None else places[self.place], self.count)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self.arrays().values())

    def __hash__(self) -> int:
        return hash((tuple(self.values.tolist()), *(array.tobytes() for array in (self.line, self.place, self.count))))


def _dense(codes: Any, size: int, groups: Groups) -> Array:
    """Return counts as classes × values; rows without a value go to an extra column, which is dropped."""
    column = np.asarray(codes, np.int64)
    if column.min(initial=0) < 0:
        column = np.where(column < 0, size, column)
    counts = counting_kernels.categories(RowMatrix(column[:, None], (1,), "codes"), groups, np.array([size + 1]))
    return counts.reshape(-1, size + 1)[:, :size]


def _sorted_counts(codes: Any, order: Integers, groups: Groups) -> CellHistogram:
    """Count values by sorting, because a table of classes × values would be too large."""
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    parts = []
    for members, line, weight in groups.members():
        column = np.asarray(codes)[members]
        present = column >= 0
        parts.append(
            CellHistogram.of(line[present], rank[column[present]], None if weight is None else weight[present])
        )
    return sum(parts[1:], start=parts[0])
