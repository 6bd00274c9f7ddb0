"""Define what is removed from a class before it scores a training row: the row itself, or its whole group (SX-3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.errors import LabelError, SubtractionError
from suffice.later import sparse
from suffice.typing import Array, Booleans, Integers

ROUNDING = 1e-12


@dataclass(frozen=True)
class Entries:
    """List the nonzero entries of a sparse matrix."""

    row: Integers
    feature: Integers
    value: Array
    rows: int

    @classmethod
    def of(cls, matrix: Any) -> Entries:
        """Return the entries of a CSR matrix."""
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        return cls(row, matrix.indices, matrix.data, matrix.shape[0])

    def sums(self, per_entry: Array) -> Array:
        """Return the sum over the entries of each row."""
        return np.bincount(self.row, per_entry, self.rows).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Removal:
    """List the pairs of a row and a class that loses something before it scores the row.

    A *part* is all rows of one group and one class. Each row is paired with every part of its group, and the part's
    class scores the row without the part. Without groups, each row is its own group.
    """

    row: Integers  # of each pair
    code: Integers  # class of each pair
    part: Integers  # part removed for each pair
    members: Any  # weights, parts × rows as CSR
    alone: bool  # whether each row is its own group, so that pairs are rows

    @classmethod
    def of(cls, codes: Integers, weights: Array | None, group: Integers | None = None) -> Removal:
        """Return the pairs of all rows; `group` holds each row's group as a code."""
        n, classes = len(codes), int(codes.max(initial=0)) + 1
        weight = np.ones(n) if weights is None else weights
        if group is None:
            every = np.arange(n)
            members = sparse.csr_matrix((weight, every, np.arange(n + 1)), (n, n))
            return cls(every, codes, every, members, True)
        keys, own = np.unique(group * classes + codes, return_inverse=True)
        members = sparse.csr_matrix((weight, (own, np.arange(n))), (len(keys), n))
        first, last = (np.searchsorted(keys // classes, group, side) for side in ("left", "right"))
        row = np.repeat(np.arange(n), last - first)
        part = np.arange(len(row)) - np.repeat(np.cumsum(last - first) - last, last - first)
        return cls(row, keys[part] % classes, part, members, False)

    @cached_property
    def group(self) -> Integers:
        """Return a code for the group of each row."""
        rows = self.members.shape[1]
        if self.alone:
            return np.arange(rows)
        first = self.part[np.searchsorted(self.row, np.arange(rows))]  # rows of one group have one first part
        return np.unique(first, return_inverse=True)[1]

    @cached_property
    def own(self) -> tuple[Integers, Array]:
        """Return the class and the weight of each row."""
        members = self.members.tocsc()
        return self.part_code[members.indices], members.data

    def take(self, which: Integers) -> Removal:
        """Return the removal for some of the rows, which must hold whole groups."""
        code, weight = self.own
        return Removal.of(code[which], weight[which], None if self.alone else self.group[which])

    def among(self, present: Booleans | None) -> Removal:
        """Return the removal for a block that counted only the rows in `present`."""
        if present is None or present.all():
            return self
        members = self.members.copy()
        members.data = members.data * present[members.indices]
        return replace(self, members=members)

    @cached_property
    def part_code(self) -> Integers:
        """Return the class of each part."""
        code = np.zeros(self.members.shape[0], np.int64)
        code[self.part] = self.code
        return code

    def sums(self, of_rows: Array) -> Array:
        """Return the weighted sum of `of_rows` over the removed rows, for each pair."""
        return np.asarray(self.members @ of_rows)[self.part]

    @cached_property
    def weight(self) -> Array:
        """Return the weight removed from the class of each pair."""
        return self.sums(np.ones(self.members.shape[1]))

    def entries(self, x: Any) -> tuple[Entries, Array]:
        """Return the entries of each pair's row, and the amount of each entry's feature that is removed."""
        mine = Entries.of(x if self.alone else x[self.row])
        if self.alone:
            return mine, self.members.data[mine.row] * mine.value
        removed = Entries.of((self.members @ x).sorted_indices())
        width = np.int64(x.shape[1])
        keys, wanted = removed.row * width + removed.feature, self.part[mine.row] * width + mine.feature
        if not len(keys):
            return mine, np.zeros(len(wanted))
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return mine, np.where(keys[place] == wanted, removed.value[place], 0.0)

    def same_place(self, place: Integers) -> Array:
        """Return the weight removed at the place of each pair's row; 0 for rows of place −1."""
        if self.alone:
            return np.where(place < 0, 0.0, self.members.data)
        some = np.flatnonzero(place >= 0)
        flags = sparse.csr_matrix(
            (np.ones(len(some)), (some, place[some])), (len(place), int(place.max(initial=0)) + 1)
        )
        entries, removed = self.entries(flags)
        out = np.zeros(len(self.row))
        out[entries.row] = removed
        return out

    def from_classes(self, counts: Array) -> Array:
        """Return class counts as rows × classes, after each row's removal."""
        rest = np.repeat(counts[None], self.members.shape[1], axis=0)
        weight = self.weight
        there = rest[self.row, self.code]
        rest[self.row, self.code] = np.where(np.abs(there - weight) <= ROUNDING * weight, 0.0, there - weight)
        return rest


@dataclass(frozen=True)
class Repeats:
    """The distinct pairs of a feature and its count in a row; rows that lose as much of a feature share one."""

    rows: Any  # counts, rows × pairs as CSR
    feature: Integers  # one per pair
    count: Array
    lost: Booleans  # classes × pairs: whether a row of another class has the pair

    @classmethod
    def of(cls, x: Any, removed: Removal, classes: int) -> Repeats | None:
        """Return the pairs of rows × features; None if rows are not removed alone with weight 1, or pairs are many."""
        most, room = x.data.max(initial=0), 4 * x.nnz
        if not removed.alone or x.shape[1] * max(most + 1, classes) > room or (removed.members.data != 1).any():
            return None
        whole = x.data.astype(np.int64)
        if (whole != x.data).any():
            return None
        key = x.indices * np.int64(most + 1) + whole
        seen = np.bincount(key)
        place, pairs = (np.cumsum(seen > 0) - 1)[key], np.flatnonzero(seen)
        if len(pairs) * classes > room:
            return None
        row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
        own = np.bincount(place * classes + removed.code[row], minlength=len(pairs) * classes)
        lost = (own.reshape(-1, classes) < seen[pairs, None]).T
        rows = sparse.csr_matrix((x.data, place, x.indptr), (x.shape[0], len(pairs)))
        return cls(rows, pairs // np.int64(most + 1), (pairs % np.int64(most + 1)).astype(np.float64), lost)


def nothing_removed(rows: int) -> Removal:
    """Return an empty removal, for rows that the model has not learned."""
    none: Integers = np.zeros(0, np.int64)
    return Removal(none, none, none, sparse.csr_matrix((0, rows)), False)


def left(total: Array, removed: Array) -> Array:
    """Return total − removed, with rounding residue set to 0; raise SubtractionError if the result is negative."""
    rest = np.asarray(total - removed)
    slight = rest <= ROUNDING * total
    if not slight.any():
        return rest
    if (rest < -ROUNDING * total).any():
        raise SubtractionError("Rows can be left out only with the labels and weights they were learned with.").advise(
            "Pass the rows that the model was fitted on."
        )
    return np.where(slight, 0.0, rest)


def group_codes(groups: Any, rows: int) -> Integers:
    """Return the group of each row as a code."""
    words = isinstance(groups, list | tuple) and any(issubclass(kind, str) for kind in set(map(type, groups)))
    named = np.array(groups, object) if words else np.asarray(groups)  # numpy would make words of numbers among them
    if np.ma.isMaskedArray(groups) and np.ma.is_masked(groups):
        raise LabelError("groups", "hold a group for every row").but("got masked values")
    if named.shape != (rows,):
        raise LabelError("groups", f"hold one group per row, {rows}").but(f"got the shape {named.shape}")
    try:
        _, group = np.unique(named, return_inverse=True)
    except TypeError as error:
        raise LabelError("groups", "hold values of one type, none of them missing") from error
    if (named.dtype.kind == "f" and np.isnan(named).any()) or (named.dtype.kind in "mM" and np.isnat(named).any()):
        raise LabelError("groups", "hold a group for every row").but("got missing values")
    return np.asarray(group, np.int64)
