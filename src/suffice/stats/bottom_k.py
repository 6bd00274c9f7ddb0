"""Rows picked by a hash of their content: the same however they lie in parts, whoever reads them, in any order.

A row's number means nothing where rows come from many places at once. So of all different rows those of the smallest
hashes are kept (a bottom-k sample), with the number of their copies; samples of parts add up to the sample of all rows.
At the end each copy has a hash of its own, and copies of the smallest hashes are taken: where all different rows were
kept, that is a sample of rows as even as one by their numbers. Rows in memory are picked in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from suffice.later import pa
from suffice.stats.content import RowHashes, hashed
from suffice.typing import Array, Integers

__all__ = ["COPIES", "HASH", "BottomK", "Kept", "one_array", "picked", "rows_of", "united"]

HASH, COPIES = "__suffice_hash__", "__suffice_copies__"
"""Columns that kept rows carry with them: their hashes, and how often each came."""

MOST_COPIES = 100
"""No row is more than one in so many of a sample, where different rows were left out by chance."""

DRAWN = 2**22
"""Copies that a sample is drawn from: where there are more, there are fewer of each."""


class BottomK:
    """The different rows of the smallest hashes so far, at most so many."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._tables: list[Any] = []
        self._bound = np.uint64(2**64 - 1)

    def add(self, table: Any, hashes: RowHashes) -> None:
        """Look at more rows of an Arrow table."""
        if not self.most or not table.num_rows:
            return
        inside = np.flatnonzero(hashes <= self._bound)
        different, first, copies = np.unique(hashes[inside], return_index=True, return_counts=True)
        kept = slice(0, self.most)
        rows = table.take(pa.array(inside[first[kept]]))
        self._tables.append(_with_hashes(rows, different[kept], copies[kept]))
        if sum(part.num_rows for part in self._tables) > 2 * self.most:
            self._tables = [_smallest(self._tables, self.most)]
            self._bound = np.uint64(self._tables[0][HASH][-1].as_py())

    def table(self) -> Any:
        """Return the rows in the order of their hashes, with these and how often each came; None if there are none."""
        return _smallest(self._tables, self.most) if self._tables else None


def united(samples: Iterable[Any], most: int) -> Any:
    """Return the sample of all parts from a sample of each; None if all are None."""
    tables = [table for table in samples if table is not None]
    return _smallest(tables, most) if tables else None


def rows_of(sample: Any, most: int) -> Any:
    """Return at most so many rows of a sample, copies among them, in the order of the hashes of their content."""
    sample = sample.slice(0, most)
    row, _ = _drawn(sample[HASH].to_numpy(), sample[COPIES].to_numpy(), most)
    return sample.drop_columns([HASH, COPIES]).take(pa.array(row))


def picked(
    hashes: RowHashes, most: int, weights: Array | None = None, group: Integers | None = None
) -> tuple[Integers, Integers | None]:
    """Return the numbers of at most so many rows, in the order of their hashes, and their groups, numbered anew.

    They are those that `BottomK` would keep and `rows_of` return; of rows in groups, whole groups are taken, by what
    their rows hold together. Rows that weigh nothing are left out; copies come in the order of their weights.
    """
    every = np.arange(len(hashes)) if weights is None or not weights.any() else np.flatnonzero(weights)
    if group is not None:
        return _groups_picked(every, hashes, most, weights, group)
    every = _below(every, hashes, most)
    mine = hashes[every]
    order = np.argsort(mine, kind="stable") if weights is None else np.lexsort((weights[every], mine))
    if len(order) > most:
        _, first, copies = np.unique(mine[order], return_index=True, return_counts=True)
        first, copies = first[:most], copies[:most]
        row, number = _drawn(mine[order[first]], copies, most)
        order = order[first[row] + number]
    return every[order], None


def _below(every: Integers, hashes: RowHashes, most: int) -> Integers:
    """Return rows of small hashes: all of the smallest, and not many more, unless many are copies."""
    if len(every) <= 4 * most:
        return every
    mine = hashes[every]
    inside = mine <= np.partition(mine, 2 * most)[2 * most]
    return every[inside] if len(np.unique(mine[inside])) >= most else every


def _groups_picked(
    every: Integers, hashes: RowHashes, most: int, weights: Array | None, group: Integers
) -> tuple[Integers, Integers]:
    mine = group[every]
    total = np.zeros(int(group.max(initial=-1)) + 1, np.uint64)
    np.add.at(total, mine, hashed(hashes[every]))
    given = np.zeros(len(every)) if weights is None else weights[every]
    order = np.lexsort((given, hashes[every], mine, total[mine]))
    renumbered = np.cumsum(np.diff(mine[order], prepend=mine[order[:1]]) != 0)
    ends = np.cumsum(np.bincount(renumbered))
    within = ends[max(0, int(np.searchsorted(ends, most, side="right")) - 1)] if len(ends) else 0
    return every[order[:within]], renumbered[:within]


def _drawn(hashes: RowHashes, copies: Integers, most: int) -> tuple[Integers, Integers]:
    """Return which of different rows each of at most so many is, in their order, and which copy of it."""
    if len(hashes) >= most:
        copies = np.minimum(copies, max(1, most // MOST_COPIES))
    total = int(copies.sum())
    if total > max(DRAWN, most):
        copies = np.ceil(copies * (max(DRAWN, most) / total)).astype(np.int64)
    row = np.repeat(np.arange(len(hashes)), copies)
    number = np.arange(len(row)) - np.repeat(np.cumsum(copies) - copies, copies)
    if len(row) > most:
        each = hashed(hashes[row] ^ hashed(number))
        kept = np.sort(np.argsort(each, kind="stable")[:most])
        row, number = row[kept], number[kept]
    return row, number


class Kept:
    """Rows that pass by as Python objects: those that `picked` would pick of all of them are kept."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._row: dict[int, Any] = {}  # by hash
        self._hashes, self._number = np.empty(0, np.uint64), np.empty(0, np.int64)
        self._bound = np.uint64(2**64 - 1)

    def add(self, rows: list[Any], hashes: RowHashes, numbers: Integers) -> None:
        """Look at more rows, with their hashes and numbers."""
        inside = np.flatnonzero(hashes <= self._bound)
        for i, one in zip(inside.tolist(), hashes[inside].tolist(), strict=True):
            self._row.setdefault(one, rows[i])
        self._hashes = np.concatenate([self._hashes, hashes[inside]])
        self._number = np.concatenate([self._number, numbers[inside]])
        if len(self._row) > 2 * self.most:
            self._bound = np.partition(np.array(list(self._row), np.uint64), self.most - 1)[self.most - 1]
            self._row = {one: row for one, row in self._row.items() if one <= self._bound}
            left = self._hashes <= self._bound
            self._hashes, self._number = self._hashes[left], self._number[left]

    def rows(self, weights: Array | None = None) -> tuple[Integers, list[Any]]:
        """Return the numbers of the rows that are picked, and the rows."""
        which, _ = picked(self._hashes, self.most, None if weights is None else weights[self._number])
        return self._number[which], [self._row[one] for one in self._hashes[which].tolist()]


def _smallest(tables: Iterable[Any], most: int) -> Any:
    """Return the rows of the smallest hashes, in their order; copies add up."""
    total = pa.concat_tables(tables, promote_options="permissive")
    hashes, first, place = np.unique(total[HASH].to_numpy(), return_index=True, return_inverse=True)
    copies = np.bincount(place, total[COPIES].to_numpy(), len(hashes)).astype(np.int64)
    rows = total.drop_columns([HASH, COPIES]).take(pa.array(first[:most]))
    return _with_hashes(rows, hashes[:most], copies[:most])


def _with_hashes(rows: Any, hashes: Any, copies: Integers) -> Any:
    return rows.append_column(HASH, pa.array(hashes)).append_column(COPIES, pa.array(copies))


def one_array(column: Any) -> Any:
    """Return a column of Arrow as one array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
