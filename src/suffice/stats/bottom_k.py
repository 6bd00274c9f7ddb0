"""Sample rows by a hash of their content, independently of partitions, engines and row order.

A row's index means nothing where rows come from many places at once. So a bottom-k sample keeps the distinct rows with
the smallest hashes, and the number of their copies; samples of parts combine into the sample of all rows. Finally, each
copy gets a hash of its own, and the copies with the smallest hashes are taken. If all distinct rows were kept, that
sample is as uniform as one drawn by row index. Rows in memory are picked in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from suffice.later import pa
from suffice.stats.content import RowHashes, combined, hashed
from suffice.typing import Array, Integers

HASH, COPIES = "__suffice_hash__", "__suffice_copies__"
"""Columns that a sample carries along: the hash of each row, and its number of copies."""

MOST_COPIES = 100
"""Copies of one row fill at most 1/100 of a sample from which distinct rows may have been left out."""

DRAWN = 2**22
"""Number of copies that a sample is drawn from; above it, the copies of each row are reduced in proportion."""


class BottomK:
    """A bottom-k sample in progress: the distinct rows with the `most` smallest hashes so far, and maybe a few more."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._tables: list[Any] = []
        self._bound = np.uint64(2**64 - 1)

    def add(self, table: Any, hashes: RowHashes) -> None:
        """Add the rows of an Arrow table."""
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
        """Return at most `most` rows, sorted by hash, with columns HASH and COPIES; None if there are no rows."""
        return _smallest(self._tables, self.most) if self._tables else None


def united(samples: Iterable[Any], most: int) -> Any:
    """Combine the samples of parts into the sample of all rows; return None if every part is None."""
    tables = [table for table in samples if table is not None]
    return _smallest(tables, most) if tables else None


def rows_of(sample: Any, most: int) -> Any:
    """Return at most `most` rows of a sample, including copies, sorted by the hash of their content."""
    sample = sample.slice(0, most)
    row, _ = _drawn(sample[HASH].to_numpy(), sample[COPIES].to_numpy(), most)
    return sample.drop_columns([HASH, COPIES]).take(pa.array(row))


def picked(
    hashes: RowHashes, most: int, weights: Array | None = None, group: Integers | None = None
) -> tuple[Integers, Integers | None]:
    """Return the indices of at most `most` rows, sorted by hash, and their groups, renumbered from 0.

    These are the rows that `BottomK` would keep and `rows_of` would return. Groups are taken whole, ordered by the
    hashes of all their rows, and the first one is taken even if it is larger than `most`. Rows of weight zero are left
    out, unless all weights are zero; copies are sorted by weight.
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
    """Return a superset of the rows with the `most` smallest hashes, much smaller than all rows if few are copies."""
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
    """Draw at most `most` copies of distinct rows; return the row and the copy number of each, in row order."""
    if len(hashes) >= most:
        copies = np.minimum(copies, max(1, most // MOST_COPIES))
    total = int(copies.sum())
    if total > max(DRAWN, most):
        copies = np.ceil(copies * (max(DRAWN, most) / total)).astype(np.int64)
    row = np.repeat(np.arange(len(hashes)), copies)
    number = np.arange(len(row)) - np.repeat(np.cumsum(copies) - copies, copies)
    if len(row) > most:
        each = combined(number, hashes[row])
        kept = np.sort(np.argsort(each, kind="stable")[:most])
        row, number = row[kept], number[kept]
    return row, number


class Kept:
    """A sample of rows that arrive as Python objects: keep those that `picked` would choose from all of them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._row: dict[int, Any] = {}  # by hash
        self._hashes, self._number = np.empty(0, np.uint64), np.empty(0, np.int64)
        self._bound = np.uint64(2**64 - 1)

    def add(self, rows: list[Any], hashes: RowHashes, numbers: Integers) -> None:
        """Add rows, with their hashes and indices."""
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
        """Return the indices of the picked rows, and the rows."""
        which, _ = picked(self._hashes, self.most, None if weights is None else weights[self._number])
        return self._number[which], [self._row[one] for one in self._hashes[which].tolist()]


def _smallest(tables: Iterable[Any], most: int) -> Any:
    """Return the rows with the smallest hashes, sorted; numbers of copies add up."""
    total = pa.concat_tables(tables, promote_options="permissive")
    hashes, first, place = np.unique(total[HASH].to_numpy(), return_index=True, return_inverse=True)
    copies = np.bincount(place, total[COPIES].to_numpy(), len(hashes)).astype(np.int64)
    rows = total.drop_columns([HASH, COPIES]).take(pa.array(first[:most]))
    return _with_hashes(rows, hashes[:most], copies[:most])


def _with_hashes(rows: Any, hashes: Any, copies: Integers) -> Any:
    return rows.append_column(HASH, pa.array(hashes)).append_column(COPIES, pa.array(copies))


def one_array(column: Any) -> Any:
    """Return an Arrow column as a single array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
