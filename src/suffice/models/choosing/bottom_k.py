"""Rows picked by a hash of their content: the same however they lie in parts, whoever reads them, in any order.

A row's number means nothing where rows come from many places at once. So of all different rows those of the smallest
hashes are kept (a bottom-k sample), with the number of their copies; samples of parts add up to the sample of all rows.
At the end each copy has a hash of its own, and copies of the smallest hashes are taken: where all different rows were
kept, that is a sample of rows as even as one by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from suffice.models.scoring.rows import hashed
from suffice.text import text_hashes
from suffice.typing import Array, Integers

__all__ = ["COPIES", "HASH", "BottomK", "one_array", "row_hashes", "rows_of", "united"]

HASH, COPIES = "__suffice_hash__", "__suffice_copies__"
"""Columns that kept rows carry with them: their hashes, and how often each came."""

MISSING = np.uint64(0x9E3779B97F4A7C15)

MOST_COPIES = 100
"""No row is more than one in so many of a sample, where different rows were left out by chance."""


class BottomK:
    """The different rows of the smallest hashes so far, at most so many."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._tables: list[Any] = []
        self._bound = np.uint64(2**64 - 1)

    def add(self, table: Any) -> None:
        """Look at more rows of an Arrow table."""
        if not self.most or not table.num_rows:
            return
        hashes = row_hashes(table)
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
    copies = sample[COPIES].to_numpy()
    if sample.num_rows >= most:
        copies = np.minimum(copies, max(1, most // MOST_COPIES))
    row = np.repeat(np.arange(sample.num_rows), copies)
    if len(row) > most:
        number = np.arange(len(row)) - np.repeat(np.cumsum(copies) - copies, copies)
        each = hashed(sample[HASH].to_numpy()[row] ^ hashed(number))
        row = row[np.sort(np.argsort(each, kind="stable")[:most])]
    return sample.drop_columns([HASH, COPIES]).take(pa.array(row))


def _smallest(tables: Iterable[Any], most: int) -> Any:
    """Return the rows of the smallest hashes, in their order; copies add up."""
    total = pa.concat_tables(tables, promote_options="permissive")
    hashes, first, place = np.unique(total[HASH].to_numpy(), return_index=True, return_inverse=True)
    copies = np.bincount(place, total[COPIES].to_numpy(), len(hashes)).astype(np.int64)
    rows = total.drop_columns([HASH, COPIES]).take(pa.array(first[:most]))
    return _with_hashes(rows, hashes[:most], copies[:most])


def _with_hashes(rows: Any, hashes: Any, copies: Integers) -> Any:
    return rows.append_column(HASH, pa.array(hashes)).append_column(COPIES, pa.array(copies))


def row_hashes(table: Any) -> Any:
    """Return a 64-bit number for each row of an Arrow table, by its values.

    Numbers are distinguished by value, whatever their type: 3 is 3.0, and a null is a NaN.

    >>> import pyarrow as pa
    >>> a, b = pa.table({"n": [1, 2], "w": ["x", "y"]}), pa.table({"n": [2.0], "w": ["y"]})
    >>> bool(row_hashes(a)[1] == row_hashes(b)[0]), bool(row_hashes(a)[0] == row_hashes(b)[0])
    (True, False)
    """
    total = np.zeros(table.num_rows, np.uint64)
    for column in table.columns:
        total = hashed(total ^ _hashes(one_array(column)))
    return total


def one_array(column: Any) -> Any:
    """Return a column of Arrow as one array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


def _hashes(array: Any) -> Any:
    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.cast(kind.value_type)
        kind = array.type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _of_numbers(array)
    if pa.types.is_struct(kind):
        return _of_struct(array)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _of_lists(array)
    if pa.types.is_null(kind):
        return np.full(len(array), MISSING)
    return _of_words(array if _is_words(kind) else array.cast(pa.string()))


def _is_words(kind: Any) -> bool:
    return any(
        is_one(kind)
        for is_one in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    )


def _of_numbers(array: Any) -> Any:
    numbers: Array = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False) + 0.0  # −0 is 0
    bits = np.where(np.isnan(numbers), 0.0, numbers).view(np.uint64)
    return np.where(np.isnan(numbers), MISSING, hashed(bits))


def _of_words(array: Any) -> Any:
    return np.where(array.is_null().to_numpy(zero_copy_only=False), MISSING, text_hashes(array))


def _of_lists(array: Any) -> Any:
    """Hash values one after the other, each with its place."""
    if not pa.types.is_large_list(array.type):
        array = array.cast(pa.large_list(array.type.value_type))
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy().astype(np.int64)
    values = _hashes(array.flatten())
    starts = np.cumsum(lengths) - lengths
    place = np.arange(len(values)) - np.repeat(starts, lengths)
    sums = np.concatenate([[np.uint64(0)], np.cumsum(hashed(values ^ hashed(place)), dtype=np.uint64)])
    return hashed(sums[starts + lengths] - sums[starts] + lengths.astype(np.uint64))


def _of_struct(array: Any) -> Any:
    total = np.zeros(len(array), np.uint64)
    for field in array.flatten():
        total = hashed(total ^ _hashes(field))
    return total
