"""Some of many rows, by what is in them: the same rows however they lie in parts, whoever reads them, in any order.

A row's number means nothing where rows come from many places at once, so the rows of the smallest hashes of their own
content are kept. Equal rows have equal hashes, and which of them is kept makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from suffice.engines.shapes import one_array
from suffice.models.sample import hashed
from suffice.text import text_hashes

__all__ = ["HASH", "Kept", "least", "row_hashes", "shortened"]

HASH = "__suffice_hash__"
"""The column of hashes that kept rows carry with them."""

MISSING = np.uint64(0x9E3779B97F4A7C15)


class Kept:
    """Rows of the smallest hashes so far."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._tables: list[Any] = []
        self._bound = np.uint64(2**64 - 1)

    def add(self, table: Any) -> None:
        """Look at more rows."""
        if not self.most or not table.num_rows:
            return
        hashes = row_hashes(table)
        which = np.flatnonzero(hashes <= self._bound)
        if len(which) > self.most:
            which = which[np.argpartition(hashes[which], self.most - 1)[: self.most]]
        self._tables.append(table.take(pa.array(which)).append_column(HASH, pa.array(hashes[which])))
        if sum(part.num_rows for part in self._tables) > 2 * self.most:
            self._tables = [least(self._tables, self.most)]
            self._bound = np.uint64(self._tables[0][HASH][-1].as_py())

    def table(self) -> Any:
        """The rows in the order of their hashes, and these; None if there are none."""
        return least(self._tables, self.most) if self._tables else None


def least(tables: Iterable[Any], most: int) -> Any:
    """So many rows of the smallest hashes, in their order."""
    whole = pa.concat_tables(tables, promote_options="permissive")
    order = np.argsort(whole[HASH].to_numpy(), kind="stable")[:most]
    return whole.take(pa.array(order))


def shortened(tables: Iterable[Any], most: int) -> Any:
    """The kept rows of several parts as those of one; None for none."""
    there = [table for table in tables if table is not None]
    return least(there, most) if there else None


def row_hashes(table: Any) -> Any:
    """A 64-bit number for each row of an Arrow table, by its values.

    Numbers are told apart by value, whatever their type: 3 is 3.0, and a null is a NaN.

    >>> import pyarrow as pa
    >>> a, b = pa.table({"n": [1, 2], "w": ["x", "y"]}), pa.table({"n": [2.0], "w": ["y"]})
    >>> bool(row_hashes(a)[1] == row_hashes(b)[0]), bool(row_hashes(a)[0] == row_hashes(b)[0])
    (True, False)
    """
    total = np.zeros(table.num_rows, np.uint64)
    for column in table.columns:
        total = hashed(total ^ _hashes(one_array(column)))
    return total


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
    numbers = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False) + 0.0  # −0 is 0
    bits = np.where(np.isnan(numbers), 0.0, numbers).view(np.uint64)
    return np.where(np.isnan(numbers), MISSING, hashed(bits))


def _of_words(array: Any) -> Any:
    return np.where(array.is_null().to_numpy(zero_copy_only=False), MISSING, text_hashes(array))


def _of_lists(array: Any) -> Any:
    """Values one after the other, each with its place."""
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
