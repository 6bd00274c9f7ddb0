"""Count the values of one column by class, or the joint values of a few: categories by name, numbers on a fine grid.

Only values that occur are stored, sorted, so two statistics are combined by value, even if they have seen different
ones. They, and counts of counts (`bursts.py`), are histograms of many cells, kept as sorted records.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice import _native
from suffice.errors import DataError, ShapeError
from suffice.notebook import MOST, table
from suffice.parallel import in_parallel, thread_count
from suffice.stats import counting_kernels
from suffice.stats.base import Statistic, difference, sealed
from suffice.stats.grid import distinct
from suffice.stats.inputs import EXACT, REAL, Groups, RowMatrix
from suffice.typing import Array, Integers

LARGEST_TABLE = 2**24

DENSE, ROOM = 2**20, 2**22
"""Largest table of joint values that is counted cell by cell, not by sorting; and approximate size of tables counted at
once."""

Axes = tuple[NDArray[Any], ...]
"""The sorted values of each column."""


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
            raise ShapeError(f"{owner}.{name}", "have as many entries as there are cells and counts")
        if not ((self.count > 0) & (self.count <= EXACT)).all():
            worst = self.count.min() if not (self.count > 0).all() else self.count.max()
            raise DataError(f"Counts of each '{name}' of {owner}", "be positive and below 2**53").but(f"got {worst}")
        step, rise = np.diff(self.cell), np.diff(self.value)
        inside = (self.cell >= 0) & (self.cell < cells) & (self.value > 0) & (self.value <= EXACT)
        if not inside.all() or not ((step > 0) | ((step == 0) & (rise > 0))).all():
            raise DataError(f"{owner}.{name}", f"be in range, sorted and distinct within each of {cells} cells")

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

    @property
    def axes(self) -> Axes:
        """Sorted values of each column."""
        return (self.values,)

    def _parts(self) -> Iterator[str]:
        codes = _codes(self.place[:MOST], self.axes)
        names = zip(*(axis[code] for axis, code in zip(self.axes, codes, strict=True)), strict=True)
        lines = [str(c) for c in self.line[:MOST].tolist()]
        columns = (lines, [", ".join(map(str, each)) for each in names], self.count[:MOST].tolist())
        yield table(["class", "value", "rows"], zip(*columns, strict=False), len(self.count))

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
            raise ShapeError(rows.name, "hold one value per row").but(f"got {found}")
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
            column, size = np.asarray(codes, np.int64), len(values)
            if column.min(initial=0) < 0:  # rows without a value go to an extra column, which is dropped
                column = np.where(column < 0, size, column)
            rows = RowMatrix(column[:, None], (1,), "codes")
            table = counting_kernels.categories(rows, groups, np.array([size + 1])).reshape(-1, size + 1)[:, order]
            line, place = np.nonzero(table)
            counted = CellHistogram(line, place, table[line, place])
        else:
            counted = _sorted_counts(codes, order, groups)
        shape = np.asarray(0 if groups.classes is None else groups.classes)
        return cls._seen((values[order],), counted, shape)

    @classmethod
    def _seen(cls, axes: Axes, counted: CellHistogram, classes: Any) -> Self:
        """Drop values that no row has."""
        codes, kept = _codes(counted.value, axes), list(axes)
        for j, code in enumerate(codes):
            used = np.zeros(len(axes[j]), bool)
            used[code] = True
            if not used.all():
                kept[j], codes[j] = axes[j][used], (np.cumsum(used) - 1)[code]
        place = _place(codes, kept) if codes else counted.value
        return cls._made(tuple(kept), CellHistogram(counted.cell, place, counted.count), classes)

    @classmethod
    def _made(cls, axes: Axes, counted: CellHistogram, classes: Any) -> Self:
        line, place, count = (sealed(np.asarray(part)) for part in counted.arrays)
        return cls(sealed(axes[0]), line, place, count, classes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Class axis, if there are labels; two statistics may have different values."""
        return (int(self.classes),) if self.classes else ()

    @property
    def table(self) -> Array:
        """Counts as an array with the axes classes (one without labels) × values of each column."""
        sizes = [len(axis) for axis in self.axes]
        out = np.zeros((max(1, int(self.classes)), int(np.prod(sizes))))
        out[self.line, self.place] = self.count
        return out.reshape(len(out), *sizes)

    @property
    def n(self) -> Array:
        """Number of rows of each class that have a value."""
        return np.bincount(self.line, self.count, max(1, int(self.classes))).astype(np.float64)

    @property
    def totals(self) -> Array:
        """Number of rows with each value, over all classes, indexed like `place`."""
        most = int(np.prod([len(axis) for axis in self.axes]))
        return np.bincount(self.place, self.count, most).astype(np.float64)

    def with_classes(self, place: Integers, classes: int) -> Self:
        """Return the statistic with its classes renumbered: class c becomes `place[c]`; −1 drops the class."""
        line = place[self.line]
        order = np.lexsort((self.place, line))
        order = order[line[order] >= 0]
        counted = CellHistogram(line[order], self.place[order], self.count[order])
        return self._seen(self.axes, counted, np.asarray(classes))

    def scaled(self, factor: float) -> Self:
        """Return the statistic with all row weights multiplied by `factor`; counts that underflow are dropped."""
        count = self.count * factor
        kept = count > 0
        return self._seen(self.axes, CellHistogram(self.line[kept], self.place[kept], count[kept]), self.classes)

    def _is_identity(self) -> bool:
        return not self.classes and not len(self.count) and not len(self.values)

    def _check(self) -> None:
        if self.classes.ndim or self.classes < 0:
            raise ShapeError("ValueCounts.classes", "be one whole number")

    def _check_values(self) -> None:
        name, axes = type(self).__name__, self.axes
        CellHistogram(self.line, self.place + 1, self.count).check("place", name, max(1, int(self.classes)))
        most = np.prod([len(axis) for axis in axes], dtype=np.float64) if axes else 0
        if any(axis.ndim != 1 for axis in axes) or self.place.max(initial=-1) >= most:
            raise ShapeError(f"{name}.values", "be exactly those that 'place' refers to")
        for axis, code in zip(axes, _codes(self.place, axes), strict=True):
            if not np.bincount(code, minlength=len(axis)).all():
                raise ShapeError(f"{name}.values", "be exactly those that 'place' refers to")
            if (axis[1:] <= axis[:-1]).any() or (axis != axis).any():
                raise DataError(f"{name}.values", "be sorted, distinct and not NaN in each column")

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
            codes = _codes(left.value[[left.count.argmin()]], axes)
            worst = ", ".join(str(axis[code[0]]) for axis, code in zip(axes, codes, strict=True))
            raise DataError(f"more rows with the value {worst} would be removed than were added.")
        return self._seen(axes, left, self.classes)

    def _united(self, other: Self) -> tuple[Axes, CellHistogram, CellHistogram]:
        """Return the union of the values of each column, and the counts of each statistic over it."""
        ours, others = self.axes, other.axes
        if len(ours) != len(others) and len(ours) and len(others):
            raise DataError(
                f"two JointCounts must have the same columns to be combined; got {len(ours)} columns and {len(others)}."
            )
        if len(ours) == len(others) and all(map(np.array_equal, ours, others)):
            return ours, self._over(None), other._over(None)
        empty = tuple(np.zeros(0, object) for _ in ours or others)
        axes = []
        for first, second in zip(ours or empty, others or empty, strict=True):
            if first.dtype != second.dtype and len(first) and len(second):
                raise DataError("two ValueCounts must both count words or both count numbers to be combined.")
            kind = (first if len(first) else second).dtype
            axes.append(np.unique(np.concatenate([first.astype(kind), second.astype(kind)])))
        return tuple(axes), self._over(tuple(axes)), other._over(tuple(axes))

    def _over(self, axes: Axes | None) -> CellHistogram:
        """Return the counts over other axes, which include all values of this statistic; over its own if None."""
        place = self.place
        if len(place) and axes is not None:
            codes = _codes(place, self.axes)
            codes = [np.searchsorted(axis, own)[code] for axis, own, code in zip(axes, self.axes, codes, strict=True)]
            place = _place(codes, axes) if codes else place
        return CellHistogram(self.line, place, self.count)


@dataclass(frozen=True, eq=False, repr=False)
class JointCounts(ValueCounts):
    """Numbers of rows by class and joint value of a few columns; + and − match values by name, column by column.

    `values` holds the sorted values of each column as strings, one column after another; `sizes`, how many each has.
    Class `line[i]` has the joint value `place[i]`, a flat index into an array of shape `sizes`, in `count[i]` rows.

    >>> counts = JointCounts.of([[0, 5], [1, 5], [1, 5]], labels=[0, 0, 0])
    >>> counts.axes, counts.table
    ((array(['0.0', '1.0'], dtype=object), array(['5.0'], dtype=object)), array([[[1.],
            [2.]]]))
    """

    sizes: Integers

    _whole = ("line", "place", "classes", "sizes")

    @classmethod
    def zero(cls) -> Self:
        """Return the statistic of no rows, no columns and no classes."""
        integers = np.zeros(0, np.int64)
        return cls(np.zeros(0, object), integers, integers, np.zeros(0), np.zeros((), np.int64), integers)

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        if rows.is_sparse or rows.matrix.ndim != 2:
            got = "a sparse matrix" if rows.is_sparse else f"an array of {rows.matrix.ndim} axes"
            raise ShapeError(rows.name, "be a dense table of columns").but(f"got {got}")
        REAL.check(rows.matrix.astype(np.float64, copy=False), rows.name, rows.first)
        found = [np.unique(column, return_inverse=True) for column in rows.matrix.astype(np.float64).T]
        codes = np.stack([code for _, code in found], axis=1) if found else np.zeros((len(rows.matrix), 0), np.int64)
        names = tuple(np.array([repr(float(value)) for value in values.tolist()], object) for values, _ in found)
        return cls._of(codes, names, groups)

    @classmethod
    def of_columns(
        cls,
        codes: Integers,
        names: tuple[NDArray[Any], ...],
        labels: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
    ) -> Self:
        """Count rows by codes, rows × columns, that index the columns' `names`; rows with a code of −1 do not count."""
        return cls._of(codes, names, Groups.read(len(codes), labels, weights, n_classes))

    @classmethod
    def of_sets(
        cls,
        columns: Sequence[tuple[Integers, NDArray[Any]]],
        sets: Sequence[tuple[int, ...]],
        labels: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
    ) -> list[Self]:
        """Count rows by several sets of columns at once; a column is a pair: a code for each row, and the codes' names.

        >>> a, b = (np.array([0, 1, 1]), np.array(["x", "y"])), (np.array([0, 0, -1]), np.array(["u"]))
        >>> pair, twice = JointCounts.of_sets([a, b, a], [(0, 1), (0, 2)])
        >>> pair.count, twice.count
        (array([1., 1.]), array([1., 2.]))
        """
        rows, sizes = len(columns[0][0]) if columns else 0, np.array([len(names) for _, names in columns], np.int64)
        groups = Groups.read(rows, labels, weights, n_classes)
        orders = [np.argsort(names.astype(str), kind="stable") for _, names in columns]
        ranks = np.empty((len(columns), rows), np.int32)

        def rank(j: int) -> None:
            order = np.append(np.argsort(orders[j], kind="stable"), -1).astype(np.int32)
            ranks[j] = order[columns[j][0]]  # code −1 takes the last entry

        in_parallel(rank, range(len(columns)))
        most = DENSE // (groups.classes or 1) if not len(groups.share) else 0
        small = [len(which) in (2, 3) and int(np.prod(sizes[[*which]])) <= most for which in sets]
        tables = _tables(ranks, sizes, [which for which, one in zip(sets, small, strict=True) if one], groups)
        found = []
        for which, one in zip(sets, small, strict=True):
            if one:
                axes = tuple(columns[j][1][orders[j]] for j in which)
                counts, width = next(tables), int(np.prod(sizes[[*which]]))
                (seen,) = np.nonzero(counts)
                counted = CellHistogram(seen // width, seen % width, counts[seen])
                found.append(cls._seen(axes, counted, np.asarray(groups.classes or 0)))
            else:
                codes, names = zip(*(columns[j] for j in which), strict=True)
                found.append(cls._of(np.stack(codes, axis=1), names, groups))
        return found

    @classmethod
    def _of(cls, codes: Integers, names: tuple[NDArray[Any], ...], groups: Groups) -> Self:
        orders = [np.argsort(one.astype(str), kind="stable") for one in names]
        ranks = [np.argsort(order, kind="stable") for order in orders]
        axes = tuple(one[order] for one, order in zip(names, orders, strict=True))
        sizes = [len(one) for one in names]
        there = np.asarray((codes >= 0).all(axis=1))
        place = np.zeros(len(codes), np.int64)
        if codes.shape[1] and there.any():
            parts = [rank[np.maximum(code, 0)] for rank, code in zip(ranks, codes.T, strict=True)]
            place = np.ravel_multi_index(parts, sizes)
        nothing = np.zeros(0, np.int64)
        counted = CellHistogram(nothing, nothing, np.zeros(0))
        for members, line, weight in groups.members():
            mine = there[members]
            some = None if weight is None else weight[mine]
            line, at, width = line[mine], place[members][mine], int(np.prod(sizes))
            cells = (int(line.max(initial=0)) + 1) * width
            if cells > max(DENSE, 4 * len(line)):
                counted = counted + CellHistogram.of(line, at, some)
                continue
            counts = np.bincount(line * width + at, some, cells)
            (seen,) = np.nonzero(counts)
            counted = counted + CellHistogram(seen // width, seen % width, counts[seen].astype(np.float64))
        return cls._seen(axes, counted, np.asarray(0 if groups.classes is None else groups.classes))

    @classmethod
    def _made(cls, axes: Axes, counted: CellHistogram, classes: Any) -> Self:
        line, place, count = (sealed(np.asarray(part)) for part in counted.arrays)
        values = sealed(np.concatenate([*axes, np.zeros(0, object)]).astype(object))
        return cls(values, line, place, count, classes, np.array([len(axis) for axis in axes], np.int64))

    def pooled(self, kept: Sequence[Container[str] | None], others: str) -> Self:
        """Return the counts with all values of each column that are not in its `kept` merged into one, `others`.

        Where `kept` is None for a column, it keeps all its values.

        >>> counts = JointCounts.of([[0, 5], [1, 5], [2, 5]])
        >>> counts.pooled([{"0.0"}, None], "z").axes[0].tolist()
        ['0.0', 'z']
        """
        if not len(self.place):
            return self
        axes, codes = list[NDArray[Any]](), []
        for axis, code, some in zip(self.axes, np.unravel_index(self.place, self.sizes.tolist()), kept, strict=True):
            words = [word if some is None or word in some else others for word in axis.tolist()]
            found, place = np.unique(np.array([*words, ""], object)[:-1].astype(str), return_inverse=True)
            axes.append(found.astype(object))
            codes.append(place[code])
        place = np.ravel_multi_index(codes, [len(axis) for axis in axes])
        return self._seen(tuple(axes), CellHistogram.of(self.line, place, self.count), self.classes)

    @cached_property
    def axes(self) -> Axes:
        """Sorted values of each column."""
        return tuple(np.split(self.values, np.cumsum(self.sizes)[:-1])) if len(self.sizes) else ()

    def in_words(self) -> tuple[NDArray[Any], ...]:
        """Return the joint values that occur, as one array of values per column."""
        codes = np.unravel_index(np.unique(self.place), self.sizes.tolist()) if len(self.place) else ()
        return tuple(axis[code] for axis, code in zip(self.axes, codes, strict=False))

    def _check_values(self) -> None:
        sizes = self.sizes
        if sizes.ndim != 1 or (sizes < 0).any() or sizes.sum() != len(self.values) or float(np.prod(sizes)) > EXACT:
            raise ShapeError("JointCounts.sizes", "hold the number of values of each column, which make 'values'")
        if not all(type(value) is str for value in self.values.tolist()):
            raise ShapeError("JointCounts.values", "be strings, exactly those that 'place' refers to")
        super()._check_values()


def _codes(place: Integers, axes: Sequence[Any]) -> list[Any]:
    """Return the code of each column at some places."""
    if len(axes) == 1 or not len(place):
        return [place] * len(axes)
    return list(np.unravel_index(place, [len(axis) for axis in axes]))


def _place(codes: Sequence[Any], axes: Sequence[Any]) -> Integers:
    """Return the flat index of the codes of all columns."""
    if len(codes) == 1 or not len(codes[0]):
        return np.asarray(codes[0])
    return np.asarray(np.ravel_multi_index(tuple(codes), [len(axis) for axis in axes]), np.int64)


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


def _tables(
    codes: NDArray[np.int32], sizes: Integers, sets: Sequence[tuple[int, ...]], groups: Groups
) -> Iterator[Array]:
    """Yield counts of each set of two or three columns, classes × joint values; codes are columns × rows."""
    classes = groups.classes or 1
    cells = [classes * int(np.prod(sizes[[*which]])) for which in sets]
    padded = np.array([(*which, -1)[:3] for which in sets], np.int64).reshape(-1, 3)
    batch = np.cumsum(cells) // ROOM  # limits the memory of tables counted at once
    for number in np.unique(batch).tolist():
        mine = slice(*np.searchsorted(batch, [number, number + 1]))
        out = np.zeros(sum(cells[mine]))
        _native.joint_tables(out, codes, sizes, groups.code, groups.weight, padded[mine], classes, thread_count())
        yield from np.split(out, np.cumsum(cells[mine])[:-1])
