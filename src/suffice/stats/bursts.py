"""Count counts: in how many rows of a class a word occurs once, twice, …, and how many rows have each length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.errors import DataError, ShapeError
from suffice.later import sparse
from suffice.notebook import MOST, table
from suffice.stats import counting_kernels
from suffice.stats.base import ROUNDING, Statistic, check_weight, difference, sealed
from suffice.stats.inputs import EXACT, WHOLE, Groups, RowMatrix
from suffice.stats.value_counts import CellHistogram, side_by_side
from suffice.typing import Array, Integers


@dataclass(frozen=True, eq=False, repr=False)
class Bursts(Statistic):
    """Histograms by class: rows by value of each column, and rows by length.

    Word w of class c is cell c·columns + w; zeros are not stored. `n` counts empty rows too.
    These histograms are sufficient for a Pólya urn, and they add and subtract.

    >>> Bursts.of([[2, 0, 1], [2, 3, 0], [0, 0, 0]])
    Bursts(n=3., columns=3, cell=[0, 1, 2], value=[2, 3, 1], count=[2., 1., 1.], cell_of_length=[0, 0], length=[3, 5],
           count_of_length=[1., 1.])
    """

    n: Array
    columns: Integers
    cell: Integers
    value: Integers
    count: Array
    cell_of_length: Integers
    length: Integers
    count_of_length: Array

    _whole = ("columns", "cell", "value", "cell_of_length", "length")

    def _parts(self) -> Iterator[str]:
        cells, width = self.cell[:MOST], max(1, self.width)
        places = [[str(k) for k in part.tolist()] for part in (cells // width, cells % width)]
        columns = (*places, self.value[:MOST].tolist(), self.count[:MOST].tolist())
        yield table(["class", "column", "value", "rows"], zip(*columns, strict=False), len(self.cell))

    @classmethod
    def zero(cls) -> Self:
        """Return the statistic of no rows and no columns."""
        counts, integers = np.zeros(0), np.zeros(0, np.int64)
        return cls(np.zeros(()), np.zeros((), np.int64), integers, integers, counts, integers, integers, counts)

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        entries = _entries(rows)
        columns = entries.shape[1]
        parts = [_histograms(entries[members], code, weight) for members, code, weight in groups.members()]
        words, lengths = (CellHistogram(*side_by_side(*side)) for side in zip(*parts, strict=True))
        return cls._made(counting_kernels.weights(groups, 0), columns, words, lengths)

    @classmethod
    def _made(cls, n: Array, columns: Any, words: CellHistogram, lengths: CellHistogram) -> Self:
        return cls(sealed(np.asarray(n)), columns, *(sealed(array) for array in (*words.arrays, *lengths.arrays)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Classes (if there are labels) × columns."""
        known = self.n.ndim or self.columns or self.n
        return (*self.n.shape, int(self.columns)) if known else ()

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.columns)

    @property
    def document_frequency(self) -> Array:
        """Number of rows in which each column is nonzero."""
        return np.bincount(self.cell % max(1, self.width), self.count, self.width).astype(np.float64, copy=False)

    @property
    def words(self) -> CellHistogram:
        """Histogram of values of each cell, class·columns + column."""
        return CellHistogram(self.cell, self.value, self.count)

    @property
    def lengths(self) -> CellHistogram:
        """Histogram of row lengths of each class."""
        return CellHistogram(self.cell_of_length, self.length, self.count_of_length)

    def of_class(self, c: int) -> tuple[CellHistogram, CellHistogram]:
        """Return the histograms of one class: by value of each column, and by length."""
        columns = int(self.columns)
        return self.words.between(c * columns, (c + 1) * columns), self.lengths.between(c, c + 1)

    @property
    def totals(self) -> Array:
        """Σx of each column, classes (if there are labels) × columns."""
        return self.words.sums(self.value * self.count, int(np.prod(self.shape))).reshape(self.shape)

    def with_classes(self, place: Integers, classes: int) -> Self:
        """Return the statistic with its classes renumbered: class c becomes `place[c]`; −1 drops the class."""
        n, columns = np.zeros(classes), max(1, int(self.columns))
        n[place[place >= 0]] = self.n[place >= 0]
        words, lengths = (
            _moved(histogram, place, per) for histogram, per in ((self.words, columns), (self.lengths, 1))
        )
        return self._made(n, self.columns, words, lengths)

    def scaled(self, factor: float) -> Self:
        """Return the statistic with all row weights multiplied by `factor`; counts that underflow are dropped."""
        words, lengths = (CellHistogram._seen(h.cell, h.value, h.count * factor) for h in (self.words, self.lengths))
        return self._made(self.n * factor, self.columns, words, lengths)

    def _check(self) -> None:
        if self.columns.ndim or self.columns < 0 or self.n.ndim > 1:
            raise ShapeError("Bursts.columns", "be one whole number, and 'n' one number in all or per class").but(
                f"got columns={self.columns} and 'n' of shape {self.n.shape}"
            )
        check_weight("Bursts", self.n, self.n)
        self.words.check("value", "Bursts", self.n.size * int(self.columns))
        self.lengths.check("length", "Bursts", self.n.size)
        if all((array == np.floor(array)).all() for array in (self.n, self.count, self.count_of_length)):
            self._check_rows()  # after subtracting real weights, rounding may break these identities

    def _check_rows(self) -> None:
        """Raise unless values and lengths describe the same rows, at most `n` of each class."""
        filled = self.lengths.sums(self.count_of_length, self.n.size)
        if (filled > self.n.ravel()).any():
            raise DataError("Bursts.count_of_length", "not exceed 'n', the number of rows")
        columns, first = int(self.columns), np.flatnonzero(np.diff(self.cell, prepend=-1))
        over = np.add.reduceat(self.count, first) > filled[self.cell[first] // columns]
        words = self.words.sums(self.value * self.count, self.n.size, max(1, columns))
        drawn = self.lengths.sums(self.length * self.count_of_length, self.n.size)
        if over.any() or (np.abs(words - drawn) > ROUNDING * drawn).any():
            raise DataError("'count' and 'count_of_length' of Bursts", "describe the same rows").but(
                "their totals differ"
            )

    def _plus(self, other: Self) -> Self:
        return self._made(self.n + other.n, self.columns, self.words + other.words, self.lengths + other.lengths)

    def _minus(self, other: Self) -> Self:
        words, lengths = self.words - other.words, self.lengths - other.lengths
        return self._made(difference(self.n, other.n), self.columns, words, lengths)


def _moved(histogram: CellHistogram, place: Integers, per: int) -> CellHistogram:
    """Return the histogram with its classes, of `per` cells each, renumbered by `place`."""
    line, rest = np.divmod(histogram.cell, per)
    kept = place[line] >= 0
    cell = place[line[kept]] * per + rest[kept]
    return CellHistogram.of(cell, histogram.value[kept], histogram.count[kept])


def _entries(rows: RowMatrix) -> Any:
    """Return the rows as CSR without stored zeros; raise unless they hold whole counts."""
    if len(rows.shape) != 1:
        raise ShapeError(rows.name, "be two-dimensional, rows × words").but(f"got rows of shape {rows.shape}")
    matrix = rows.matrix.data if rows.is_sparse else rows.matrix
    if not WHOLE.accepts(matrix).all():
        rows.complain(WHOLE)
    entries = sparse.csr_array(rows.matrix)
    if not entries.data.all():
        entries = entries.copy()  # leave the caller's matrix unchanged
        entries.eliminate_zeros()
    return entries


def _histograms(entries: Any, code: Integers, weight: Array | None) -> tuple[CellHistogram, CellHistogram]:
    """Return the histograms of values by class and column, and of lengths by class."""
    row = np.repeat(np.arange(len(code)), np.diff(entries.indptr))
    lengths = np.bincount(row, entries.data, minlength=len(code))
    if (lengths > EXACT).any():
        raise DataError("The sum of a row", "be below 2**53, where float64 counts exactly").but(
            f"got {lengths.max():.17g}"
        )
    words = CellHistogram.of(
        code[row] * entries.shape[1] + entries.indices,
        entries.data.astype(np.int64),
        None if weight is None else weight[row],
    )
    (filled,) = np.nonzero(lengths)
    weight = None if weight is None else weight[filled]
    return words, CellHistogram.of(code[filled], lengths[filled].astype(np.int64), weight)
