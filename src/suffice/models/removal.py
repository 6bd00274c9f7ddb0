"""What goes from a class before a row is scored by it: the row itself, or its whole group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from suffice.errors import LabelError
from suffice.typing import Array, Booleans, Integers

__all__ = ["Entries", "Removal", "gone_by", "group_codes", "removals"]


@dataclass(frozen=True)
class Entries:
    """What is not zero in a matrix: row by row, which feature, and how much."""

    row: Integers
    feature: Integers
    value: Array
    rows: int
    width: int

    @classmethod
    def of(cls, matrix: Any, above: float | None = None) -> Entries:
        """Of a dense array or a sparse matrix; where values stand for whether they are above something, of ones."""
        if sparse.issparse(matrix):
            by_row = matrix.tocsr()
            row = np.repeat(np.arange(by_row.shape[0]), np.diff(by_row.indptr))
            feature, value = by_row.indices, by_row.data
        else:
            row, feature = np.nonzero(matrix)
            value = matrix[row, feature]
        if above is not None:
            kept = value > above
            row, feature, value = row[kept], feature[kept], np.ones(int(kept.sum()))
        return cls(row, feature, value.astype(np.float64, copy=False), *matrix.shape)

    def some(self, rows: Integers) -> Entries:
        """Of some of the rows, in rising order."""
        place = np.full(self.rows, -1)
        place[rows] = np.arange(len(rows))
        kept = place[self.row] >= 0
        return Entries(place[self.row[kept]], self.feature[kept], self.value[kept], len(rows), self.width)

    def sums(self, per_entry: Array) -> Array:
        """Σ over each row's entries."""
        return np.bincount(self.row, per_entry, self.rows).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Removal:
    """Rows that ask a class, and what goes from it for each of them.

    Left alone, a row asks its own class, and goes with its own weight. In a group, every row asks each class that the
    group has rows of, and all of these go.
    """

    rows: Integers  # which of all rows these are
    code: Integers  # the class that each asks
    weight: Array  # what each row weighs, of all rows
    member: Any  # groups × all rows: weights of the rows of the class asked; None where rows go alone
    group: Integers | None = None  # of each row that asks

    def total(self, present: Booleans | None = None) -> Array:
        """How much of the class goes for each row that asks; of rows that have a value, if that matters."""
        ones = np.ones(len(self.weight)) if present is None else present.astype(np.float64)
        return self.sums(ones)

    def sums(self, of_rows: Array) -> Array:
        """Σ weight × something over what goes, for each row that asks."""
        if self.member is None:
            return np.asarray((self.weight * of_rows)[self.rows])
        return np.asarray(self.member @ of_rows)[self.group]

    def alike(self, place: Integers) -> Array:
        """How much goes of what has the same place as the row that asks."""
        if self.member is None:
            return np.asarray(self.weight[self.rows])
        key, weight = self._keys(place)
        return _found(key, weight, self.group * (place.max(initial=0) + 2) + place[self.rows] + 1)

    def _keys(self, place: Integers) -> tuple[Integers, Array]:
        by = self.member.tocoo()
        key = by.row * (place.max(initial=0) + 2) + place[by.col] + 1
        keys, inverse = np.unique(key, return_inverse=True)
        return keys, np.bincount(inverse, by.data, len(keys)).astype(np.float64)

    def entries(self, entries: Entries) -> Entries:
        """Those of the rows that ask."""
        return entries if len(self.rows) == entries.rows else entries.some(self.rows)

    def of_entries(self, entries: Entries) -> tuple[Entries, Array]:
        """The entries of the rows that ask, and how much goes of the feature of each."""
        mine = self.entries(entries)
        if self.member is None:
            return mine, np.asarray(self.weight[self.rows][mine.row] * mine.value)
        table = sparse.csr_matrix((entries.value, (entries.row, entries.feature)), (entries.rows, entries.width))
        gone = (self.member @ table).tocsr()
        gone.sort_indices()
        key = np.repeat(np.arange(gone.shape[0]), np.diff(gone.indptr)) * entries.width + gone.indices
        asked: Any = self.group
        return mine, _found(key, gone.data, asked[mine.row] * entries.width + mine.feature)


def _found(keys: Integers, values: Array, wanted: Integers) -> Array:
    """Values by sorted keys; zero where there is none."""
    if not len(keys):
        return np.zeros(len(wanted))
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, values[place], 0.0)


def group_codes(groups: Any, rows: int) -> Integers:
    """A code for each group."""
    named = np.asarray(groups)
    if named.shape != (rows,):
        raise LabelError(f"The argument 'groups' must name the group of each row, {rows}; got shape {named.shape}.")
    try:
        _, group = np.unique(named, return_inverse=True)
    except TypeError as error:
        raise LabelError("The argument 'groups' must hold names of one kind, none of them missing.") from error
    return np.asarray(group, np.int64)


def gone_by(group: Integers, codes: Integers, weights: Array, classes: int) -> Any:
    """What goes from each class with each group: groups × classes, sparse."""
    shape = (int(group.max(initial=-1)) + 1, classes)
    return sparse.csr_matrix((weights, (group, codes)), shape)


def removals(codes: Integers, weight: Array, group: Integers | None, n_classes: int) -> Iterator[Removal]:
    """Every pair of a row and a class from which something goes, some at a time."""
    if group is None:
        yield Removal(np.arange(len(codes)), codes, weight, None)
        return
    count = int(group.max(initial=-1)) + 1
    for c in range(n_classes):
        mine = np.flatnonzero(codes == c)
        member = sparse.csr_matrix((weight[mine], (group[mine], mine)), shape=(count, len(codes)))
        rows = np.flatnonzero(np.isin(group, group[mine]))
        if len(rows):
            yield Removal(rows, np.full(len(rows), c), weight, member, group[rows])
