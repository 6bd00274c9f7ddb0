"""Add and subtract word counts: sparse tables of classes × words, and records by class, word and number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice import _native
from suffice.errors import SubtractionError
from suffice.later import sparse
from suffice.parallel import thread_count
from suffice.text.word_list import WordList
from suffice.typing import Array, Integers

__all__ = ["added", "in_order", "lines", "minus", "moved", "never_added", "summed", "table_of", "united"]


def united(lists: Sequence[WordList]) -> tuple[WordList, list[Integers]]:
    """Return the union of several word lists, and the indices of each list's words in it."""
    if len(lists) == 1:
        return lists[0], [np.arange(len(lists[0]))]
    half = len(lists) // 2
    (left, ours), (right, theirs) = united(lists[:half]), united(lists[half:])
    words, mine, other = left.union(right)
    return words, [*(mine[place] for place in ours), *(other[place] for place in theirs)]


def added(parts: list[tuple[Any, ...]], classes: int, width: int) -> tuple[Any, Any]:
    """Return the sums of the token tables and of the document tables.

    Each part is the places of its words in the sum, and its two tables; places are empty for hash buckets, which need
    none.
    """
    given: list[tuple[Any, ...]] = []
    for place, tokens, documents in parts:
        numbers = (tokens.data, documents.data)
        given.append((place, tokens.indptr.astype(np.int64), tokens.indices.astype(np.int32, copy=False), *numbers))
    found: tuple[Any, ...] = _native.add_counts(given, classes, width, thread_count())
    start, index, *sums = found
    kind = np.int32 if start[-1] < 2**31 else np.int64
    index, start = index.astype(kind, copy=False), start.astype(kind)
    first, second = (table_of(data, index, start, (classes, width)) for data in sums)
    return first, second


def table_of(data: Array, index: Any, start: Any, shape: tuple[int, int]) -> Any:
    """Return a table of classes × words from arrays that fit together; they are not checked."""
    table = sparse.csr_matrix(shape)
    table.data, table.indices, table.indptr = data, index, start
    return table


def lines(start: Integers, *columns: Integers) -> Integers:
    """Return records of a class number and other columns."""
    return np.column_stack([np.repeat(np.arange(len(start) - 1), np.diff(start)), *columns]).astype(np.int64)


def in_order(table: Any) -> Any:
    """Return a table with its words sorted."""
    table.sort_indices()
    return table


def minus(total: Any, part: Any) -> Any:
    """Subtract a table; raise SubtractionError if the result would be negative."""
    left = in_order(total - part)
    if (left.data != np.round(left.data)).any():  # set rounding errors of real numbers to zero
        scale = np.asarray((abs(total) + abs(part))[left.nonzero()]).ravel()
        left.data[np.abs(left.data) <= 1e-12 * scale * (left.data != np.round(left.data))] = 0
        left.eliminate_zeros()
    if left.nnz and left.data.min() < 0:
        raise never_added()
    return left


def summed(*records: tuple[Integers, Array]) -> tuple[Integers, Array]:
    """Add up values of equal keys and drop those whose sum is zero."""
    keys, values = (np.concatenate(parts) for parts in zip(*records, strict=True))
    if not len(keys):
        return records[0]
    order = np.lexsort(keys.T[::-1])
    keys, values = keys[order], values[order]
    fresh = np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)])
    sums = np.add.reduceat(values, np.flatnonzero(fresh))
    scale = np.maximum.reduceat(np.abs(values), np.flatnonzero(fresh))
    sums[np.abs(sums) <= 1e-12 * scale] = 0
    if sums.min(initial=0) < 0:
        raise never_added()
    return keys[fresh][sums > 0], sums[sums > 0]


def moved(keys: Integers, values: Array, place: Integers) -> tuple[Integers, Array]:
    """Return records with class c renumbered as `place[c]`; −1 drops its records."""
    kept = place[keys[:, 0]] >= 0
    moved = keys[kept].copy()
    moved[:, 0] = place[moved[:, 0]]
    return summed((moved, values[kept]), (moved[:0], np.empty(0)))


def never_added() -> SubtractionError:
    """Return the error for subtracting documents that were never added."""
    return SubtractionError(
        "Cannot subtract texts that were not learned: the counts of their class lack some of their words."
    )
