"""Order rows by what follows from the data alone, so that rows can be dealt into parts.

The key of a row depends neither on names of columns and labels nor on units, containers and the order of rows and
columns. A number counts by its rank in its column, measured from the middle, and a word by its hash. Columns are told
apart by the rows that have their values, and classes by their rows, in two rounds (colour refinement). So two rows have
the same key only if they are equal, or if nothing but names and order tells them apart.

    column      Σ key of the row · hashed(value)
    row         Σ combined(column, value), combined with the class
    class       Σ hashed(row)

Where the rows above and below the middle of a column differ, its values are told apart by side: the larger sum first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.later import issparse
from suffice.parallel import in_parallel
from suffice.stats.content import RowHashes, combined, hashed, matrix_hashes
from suffice.tables import Column, Table
from suffice.text import text_hashes
from suffice.typing import Booleans, Integers

AT_ONCE, ROUNDS = 2**18, 2
"""Numbers ranked at a time; rounds of telling columns, rows and classes apart."""


@dataclass(frozen=True, eq=False)
class Values:
    """Present values of columns; the zeros that a sparse matrix does not list are one entry per column, of row −1."""

    row: NDArray[Any]
    column: NDArray[Any]
    columns: int
    size: RowHashes  # twice the distance of a number's rank from the middle, or the hash of a word
    side: NDArray[np.int8]  # 1 above the middle, −1 below

    def add(self, keys: RowHashes, total: RowHashes) -> None:
        """Add what the values add to the key of each row, given earlier keys."""
        listed, each = self.row >= 0, np.empty(len(self.row), np.uint64)
        each[listed] = keys[self.row[listed]]
        if not listed.all():
            absent = self.column[~listed]
            each[~listed] = keys.sum(dtype=np.uint64) - self._sums(np.where(listed, each, 0))[absent]
        each *= hashed(self.size) | np.uint64(1)
        above, below, middle = (self._sums(np.where(self.side == side, each, 0)) for side in (1, -1, 0))
        column = combined(np.maximum(above, below), np.minimum(above, below) + middle)
        first = np.where(above > below, 1, -1) * (above != below)  # the side that comes first, if any
        value = 2 * self.size + (self.side * first[self.column] > 0).astype(np.uint64)
        value = combined(column[self.column], value)
        if not listed.all():
            zero = np.zeros(self.columns, np.uint64)
            zero[absent] = value[~listed]
            total += zero.sum(dtype=np.uint64)
            value = value - zero[self.column]
        np.add.at(total, self.row[listed], value[listed])

    def _sums(self, each: RowHashes) -> RowHashes:
        out = np.zeros(self.columns, np.uint64)
        np.add.at(out, self.column, each)
        return out


def row_keys(values: Iterable[Values], codes: Integers) -> tuple[RowHashes, RowHashes]:
    """Return a key for each row and for each class, of which `codes` gives the row's.

    >>> X, y = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 2.0]]), np.array([0, 1, 1])
    >>> keys, _ = row_keys(values_of(X), y)
    >>> again, _ = row_keys(values_of(-10 * X[:, ::-1] + 7), 1 - y)
    >>> bool((keys == again).all()), len(set(keys.tolist()))
    (True, 3)
    """
    every, keys = list(values), np.ones(len(codes), np.uint64)
    classes = np.zeros(int(codes.max(initial=-1)) + 1, np.uint64)
    for _ in range(ROUNDS):
        total = np.zeros(len(codes), np.uint64)
        for part in every:
            part.add(keys, total)
        classes[:] = 0
        np.add.at(classes, codes, hashed(total))
        keys = combined(classes[codes], total)
    return keys, classes


def group_ranks(keys: RowHashes, group: Integers) -> Integers:
    """Return the rank of each group by the keys of its rows."""
    total = np.zeros(int(group.max(initial=-1)) + 1, np.uint64)
    np.add.at(total, group, hashed(keys))
    return np.argsort(np.argsort(total))


def values_of(X: Any, missing: Booleans | None = None) -> list[Values]:
    """Return the values of a matrix of numbers, or of an array of words; `missing` says which rows have none."""
    if issparse(X):
        return [_of_entries(X)]
    if np.asarray(X).dtype.kind not in "biuf":
        return [values_of_words(matrix_hashes(line[:, None])) for line in np.asarray(X).T]
    X, rows = np.asarray(X), np.flatnonzero(np.ones(len(X), bool) if missing is None else ~missing).astype(np.int32)
    step = max(1, AT_ONCE // max(1, len(X)))
    blocks = [X[rows, at : at + step].T for at in range(0, X.shape[1], step)]
    return in_parallel(lambda block: _of_block(block, rows), blocks)


def _of_block(block: NDArray[Any], rows: NDArray[Any]) -> Values:
    width, n = block.shape
    column = np.repeat(np.arange(width, dtype=np.int32), n)
    order = np.argsort(block, axis=1)
    ordered = np.take_along_axis(block, order, axis=1).ravel()
    return _ranked(ordered, column, rows[order.ravel()], np.tile(np.arange(n), width), np.full(width, n))


def _of_entries(X: Any) -> Values:
    entries = X.tocoo(copy=True)
    entries.sum_duplicates()
    there = entries.data != 0
    n, width = X.shape
    row, column, value = (part[there] for part in (entries.row, entries.col, entries.data))
    zeros = n - np.bincount(column, minlength=width)
    (absent,) = np.nonzero(zeros)
    row, column = (
        np.concatenate(pair).astype(np.int64) for pair in ((row, np.full(len(absent), -1)), (column, absent))
    )
    value = np.concatenate([value, np.zeros(len(absent), value.dtype)])
    order = np.lexsort((value, column))
    row, column, value = row[order], column[order], value[order]
    count = np.where(row < 0, zeros[column], 1)
    first = np.searchsorted(column, np.arange(width))
    place = np.cumsum(count) - count
    return _ranked(value, column, row, place - place[first[column]], np.full(width, n), count)


def _ranked(
    ordered: NDArray[Any],
    column: NDArray[Any],
    row: NDArray[Any],
    place: Integers,
    rows: Integers,
    count: Integers | None = None,
) -> Values:
    """Return values that are given column by column in ascending order; `place` is the first place of each."""
    fresh = np.ones(len(ordered), bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]) | (column[1:] != column[:-1])
    tie = np.cumsum(fresh) - 1
    low, high = place[fresh], np.zeros(int(fresh.sum()), np.int64)
    high[tie] = place if count is None else place + count - 1  # of equal values, the last is kept
    rank = (low + high)[tie] - (rows[column] - 1)
    return Values(row, column, len(rows), np.abs(rank).astype(np.uint64), np.sign(rank).astype(np.int8))


def values_of_words(words: RowHashes, missing: Booleans | None = None) -> Values:
    """Return the values of one column of words or texts, given by their hashes."""
    row = np.arange(len(words)) if missing is None else np.flatnonzero(~missing)
    return Values(row, np.zeros(len(row), np.int64), 1, words[row], np.zeros(len(row), np.int8))


def values_of_columns(table: Table, names: Sequence[Any]) -> list[Values]:
    """Return the values of the named columns of a table, without dates."""
    columns = [table[name] for name in names if name in table]
    parts = in_parallel(_of_column, [column for column in columns if column.storage not in ("nothing", "date")])
    return [values for part in parts for values in part]


def _of_column(column: Column) -> list[Values]:
    values = column.values
    if column.storage == "category" or column.is_coded:
        column = column.coded()
        labels, values = column.labels, column.values
        if labels.dtype.kind not in "biuf":
            words = text_hashes([str(label) for label in labels.tolist()])
            return [values_of_words(np.append(words, np.uint64(0))[values], column.missing)]
        values = np.append(labels, 0)[values]
    elif column.storage == "string":
        return [values_of_words(np.asarray(text_hashes(values)), column.missing)]
    return values_of(np.asarray(values, np.float64)[:, None], column.missing)
