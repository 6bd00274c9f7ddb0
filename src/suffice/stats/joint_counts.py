"""Count joint values of a few columns by class; only joint values that occur are stored."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice import _native
from suffice.errors import DataError, ShapeError
from suffice.parallel import in_parallel, thread_count
from suffice.stats.base import sealed
from suffice.stats.cell_histogram import CellHistogram
from suffice.stats.inputs import EXACT, REAL, Groups, RowMatrix
from suffice.stats.value_counts import ValueCounts
from suffice.typing import Array, Integers

__all__ = ["JointCounts"]

DENSE, ROOM = 2**20, 2**22
"""Largest table that is counted cell by cell, not by sorting; and approximate size of tables counted at once."""


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
            raise ShapeError(f"The argument '{rows.name}' must be a dense table of columns; got {got}.")
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
            counted = counted + _counted(line[mine], place[members][mine], some, int(np.prod(sizes)))
        return cls._seen(axes, counted, np.asarray(0 if groups.classes is None else groups.classes))

    @classmethod
    def _seen(cls, values: tuple[NDArray[Any], ...], counted: CellHistogram, classes: Any) -> Self:
        """Drop values that no row has."""
        axes, place = list(values), counted.value
        if axes:
            codes = list(np.unravel_index(place, [len(one) for one in axes])) if len(place) else [place] * len(axes)
            for j, code in enumerate(codes):
                used = np.zeros(len(axes[j]), bool)
                used[code] = True
                axes[j], codes[j] = axes[j][used], (np.cumsum(used) - 1)[code]
            sizes = [len(one) for one in axes]
            place = np.ravel_multi_index(codes, sizes) if len(place) else place
        else:
            sizes = []
        every = np.concatenate([*axes, np.zeros(0, object)]).astype(object)
        line, place, count = (sealed(np.asarray(part)) for part in (counted.cell, place, counted.count))
        return cls(sealed(every), line, place, count, classes, np.array(sizes, np.int64))

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
    def axes(self) -> tuple[NDArray[Any], ...]:
        """Sorted values of each column."""
        return tuple(np.split(self.values, np.cumsum(self.sizes)[:-1])) if len(self.sizes) else ()

    @property
    def _axes(self) -> Any:
        return self.axes

    def in_words(self) -> tuple[NDArray[Any], ...]:
        """Return the joint values that occur, as one array of values per column."""
        codes = np.unravel_index(np.unique(self.place), self.sizes.tolist()) if len(self.place) else ()
        return tuple(axis[code] for axis, code in zip(self.axes, codes, strict=False))

    @staticmethod
    def _called(axes: Any, place: int) -> Any:
        codes = np.unravel_index(place, [len(one) for one in axes])
        return ", ".join(str(one[code]) for one, code in zip(axes, codes, strict=True))

    @property
    def table(self) -> Array:
        """Counts as an array with the axes classes (one without labels) × values of each column."""
        out = np.zeros((max(1, int(self.classes)), int(np.prod(self.sizes))))
        out[self.line, self.place] = self.count
        return out.reshape(len(out), *self.sizes)

    @property
    def totals(self) -> Array:
        """Number of rows with each joint value, over all classes, indexed like `place`."""
        return np.bincount(self.place, self.count, int(np.prod(self.sizes))).astype(np.float64)

    def _is_identity(self) -> bool:
        return not self.classes and not len(self.count) and not len(self.values)

    def _check_values(self) -> None:
        sizes = self.sizes
        if sizes.ndim != 1 or (sizes < 0).any() or sizes.sum() != len(self.values) or float(np.prod(sizes)) > EXACT:
            raise ShapeError(
                "'sizes' of JointCounts must hold the number of values of each column, which make 'values'."
            )
        counted = CellHistogram(self.line, self.place + 1, self.count)
        counted.check("place", "JointCounts", max(1, int(self.classes)))
        most = int(np.prod(sizes)) if len(sizes) else 0
        if len(self.place) and int(self.place.max()) >= most:
            raise ShapeError(f"'place' of JointCounts must be below {most}, the product of 'sizes'.")
        codes = np.unravel_index(self.place, sizes.tolist()) if len(self.place) else [self.place] * len(sizes)
        for one, code in zip(self.axes, codes, strict=True):
            if len(np.unique(code)) != len(one) or not all(type(value) is str for value in one.tolist()):
                raise ShapeError("'values' of JointCounts must be strings, exactly those that 'place' refers to.")
            if (one[1:] <= one[:-1]).any():
                raise DataError("'values' of JointCounts must be sorted and distinct within each column.")

    def _united(self, other: Self) -> tuple[Any, CellHistogram, CellHistogram]:
        """Return the union of the values of each column, and the counts of each statistic over it."""
        if len(self.sizes) != len(other.sizes) and len(self.sizes) and len(other.sizes):
            raise DataError(
                f"two JointCounts must have the same columns to be combined; got {len(self.sizes)} columns "
                f"and {len(other.sizes)}."
            )
        if np.array_equal(self.sizes, other.sizes) and np.array_equal(self.values, other.values):
            return self.axes, self._over(None), other._over(None)
        empty = tuple(np.zeros(0, object) for _ in range(max(len(self.sizes), len(other.sizes))))
        pairs = list(zip(self.axes or empty, other.axes or empty, strict=True))
        axes = tuple(np.unique(np.concatenate(pair)) for pair in pairs)
        return axes, self._moved(axes), other._moved(axes)

    def _moved(self, axes: tuple[NDArray[Any], ...]) -> CellHistogram:
        """Return the counts over other axes, which include all values of this statistic."""
        if not len(self.place):
            return self._over(None)
        codes = np.unravel_index(self.place, self.sizes.tolist())
        wide = [np.searchsorted(axis, mine)[code] for axis, mine, code in zip(axes, self.axes, codes, strict=True)]
        place = np.ravel_multi_index(wide, [len(axis) for axis in axes])
        return CellHistogram(self.line, place.astype(np.int64), self.count)

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.sizes.tobytes()))


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


def _counted(line: Integers, place: Integers, weight: Array | None, width: int) -> CellHistogram:
    """Count pairs of class and place: in a table if it is small, otherwise by sorting."""
    cells = (int(line.max(initial=0)) + 1) * width
    if cells > max(DENSE, 4 * len(line)):
        return CellHistogram.of(line, place, weight)
    counts = np.bincount(line * width + place, weight, cells)
    (seen,) = np.nonzero(counts)
    return CellHistogram(seen // width, seen % width, counts[seen].astype(np.float64))
