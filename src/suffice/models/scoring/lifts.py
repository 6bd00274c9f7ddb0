"""Compute lifts: how much more often values of columns occur jointly than each alone suggests.

expected   pair: E_c(ab) = n_c(a) n_c(b) / n_c                                                          JC-1
           triple: E_c(abd) = n_c(ab) n_c(ad) n_c(bd) n_c / (n_c(a) n_c(b) n_c(d)), at most each pair's count
evidence   ln κ(κ+1)…(κ+n−1) − n ln κ − (κ + n) ln(1 + E/κ) + E, against E rows, for pairs               JC-3
lift       ℓ_c(v) = ln (n_c(v) + κ) / (E_c(v) + κ)                                                      JC-2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.models.scoring.removal import Removal, left
from suffice.parallel import thread_count
from suffice.posterior.special import log_rising
from suffice.typing import Array, Booleans, Integers


def expected(counts: dict[tuple[int, ...], Array]) -> Array:
    """Return the count expected of a joint value if its columns acted alone, from the counts of its subsets of columns.

    >>> pair = {(): 10.0, (0,): 5.0, (1,): 4.0, (0, 1): 3.0}
    >>> float(expected({which: np.array(count) for which, count in pair.items()}))
    2.0
    """
    n, columns = counts[()], max(counts, key=len)
    single = [counts[j,] for j in columns]
    if len(columns) == 2:
        return np.asarray(single[0] * single[1] / np.where(n > 0, n, 1.0))  # JC-1
    pairs = [counts[pair] for pair in combinations(columns, 2)]
    below = single[0] * single[1] * single[2]
    kirkwood = pairs[0] * pairs[1] * pairs[2] * n / np.where(below > 0, below, 1.0)
    return np.asarray(reduce(np.minimum, pairs, kirkwood))  # JC-1


def subsets(columns: int) -> list[tuple[int, ...]]:
    """Return all subsets of `columns` columns as tuples of their places, the empty one first."""
    return [which for size in range(columns + 1) for which in combinations(range(columns), size)]


def with_expected(table: Array) -> tuple[Array, Array]:
    """Return counts and expected counts, classes × joint values, from a table of class × value of each column."""
    counts = {}
    for which in subsets(table.ndim - 1):
        others = tuple(axis for axis in range(1, table.ndim) if axis - 1 not in which)
        counts[which] = table.sum(axis=others, keepdims=True) if others else table
    every = np.broadcast_to(expected(counts), table.shape)
    return table.reshape(len(table), -1), every.reshape(len(table), -1)


def left_of(table: Array, codes: Integers, removed: Removal) -> tuple[Array, Array]:
    """Return the count and expected count of each pair's joint value after the removal; 0 where a code is −1."""
    place = flat(codes, table.shape[1:])
    there = place >= 0
    if removed.alone and there.any() and table.size <= len(codes):
        weights = removed.members.data if there.all() else removed.members.data[there]
        if (weights == weights[0]).all():
            return _left_of_alike(table, place, removed.code, weights[0])
    return _left_of_each(table, codes, removed, there)


def _left_of_each(table: Array, codes: Integers, removed: Removal, there: Booleans) -> tuple[Array, Array]:
    sizes, counts = table.shape[1:], {}
    for which in subsets(len(sizes)):
        others = tuple(axis for axis in range(1, table.ndim) if axis - 1 not in which)
        total = table.sum(axis=others).reshape(len(table), -1)
        place = np.where(there, flat(codes[:, which], [sizes[j] for j in which]), -1)
        taken = removed.same_place(place)
        mine = place[removed.row]
        counts[which] = left(np.where(mine < 0, 0.0, total[removed.code, mine]), np.where(mine < 0, 0.0, taken))
    return counts[tuple(range(len(sizes)))], expected(counts)  # SX-3


def _left_of_alike(table: Array, place: Integers, labels: Integers, weight: float) -> tuple[Array, Array]:
    """Return what `left_of` does where each row is removed alone, with equal weights: equal rows are computed once."""
    width = table[0].size
    key = np.where(place < 0, table.size, labels * width + place)  # the last is for rows with a missing value
    met = np.zeros(table.size + 1, bool)
    met[key] = True
    (kinds,) = np.nonzero(met[:-1])
    code, where = np.divmod(kinds, width)
    values = np.stack(np.unravel_index(where, table.shape[1:]), axis=1)
    removed = Removal.of(code, np.full(len(kinds), weight))
    found = np.zeros((2, table.size + 1))
    found[:, kinds] = _left_of_each(table, values, removed, np.ones(len(kinds), bool))
    return found[0][key], found[1][key]


def log_lift(count: Any, expected_count: Any, kappa: float) -> Array:
    """Return the log lift of a joint value: ln of the posterior mean of its lift under a Gamma(κ, κ) prior."""
    return np.asarray(np.log((count + kappa) / (expected_count + kappa)))  # JC-2


def log_evidence_of_lift(count: Array, expected: Array, kappa: float) -> Array:
    """Return ln p(n | E, κ) − ln p(n | E) of each cell: the log Bayes factor for columns that act jointly.

    >>> log_evidence_of_lift(np.array([0.0, 5.0, 20.0]), np.array([0.0, 5.0, 5.0]), 1.0).round(2)
    array([ 0.  , -0.96,  9.71])
    """
    rates = expected - (kappa + count) * np.log1p(expected / kappa) - count * np.log(kappa)
    return np.asarray(log_rising(kappa, count) + rates)  # JC-3


def in_order(codes: Integers, values: NDArray[Any]) -> tuple[Integers, NDArray[Any]]:
    """Return codes renumbered in the order of their words, and the sorted words, without those that no row has.

    So sums do not depend on the order in which values are met.

    >>> in_order(np.array([1, 0, -1]), np.array(["b", "a", "c"]))
    (array([ 0,  1, -1]), array(['a', 'b'], dtype='<U1'))
    """
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(values)))
    order = used[np.argsort(values[used].astype(str), kind="stable")]
    place = np.full(len(values) + 1, -1, np.int64)  # the last entry maps −1 to itself
    place[order] = np.arange(len(order))
    return place[codes], values[order]


def places_among(known: NDArray[Any], words: NDArray[Any]) -> Integers:
    """Return the place of each word among sorted `known` words; −1 for unknown ones.

    >>> places_among(np.array(["a", "c"], object), np.array(["c", "b"], object))
    array([ 1, -1])
    """
    if not len(known):
        return np.full(len(words), -1, np.int64)
    place = np.minimum(np.searchsorted(known, words), len(known) - 1)
    return np.where(known[place] == words, place, -1).astype(np.int64)


def flat(codes: Integers, sizes: Sequence[int]) -> Integers:
    """Return the flat place of each row's joint code, given codes as rows × columns; −1 where any code is −1."""
    place = np.zeros(len(codes), np.int64)
    for code, size in zip(codes.T, sizes, strict=True):
        place = place * size + code
    return np.where(reduce(np.minimum, codes.T, 0) < 0, -1, place)


@dataclass(frozen=True, eq=False)
class LearnedCodes:
    """Training rows by the codes of their values, to score each row without itself or its group.

    Sets are tuples of two or three column numbers. A row that lacks one of the columns does not count for the set, and
    its lift there is zero.
    """

    codes: NDArray[np.int32]  # columns × rows; −1 where a value is missing
    sizes: Integers  # number of values per column
    labels: Integers
    given: Array  # weight of each row
    order: Integers  # rows sorted by group; empty if each row is left out alone
    start: Integers  # start of each group, and the end of the last

    @classmethod
    def of(
        cls, codes: NDArray[np.int32], sizes: Integers, labels: Integers, given: Array, group: Integers | None
    ) -> LearnedCodes:
        """Return the rows prepared for the kernels. `group` has a group number for each row, or is None."""
        nothing = np.zeros(0, np.int64)
        if group is None:
            return cls(codes, sizes, labels, given, nothing, nothing)
        start = np.concatenate([[0], np.cumsum(np.bincount(group))]).astype(np.int64)
        return cls(codes, sizes, labels, given, np.argsort(group, kind="stable"), start)

    def information(self, column: int) -> float:
        """Return N times the mutual information of a column and the class, over the rows that have a value."""
        there = self.codes[column] >= 0
        size, classes = int(self.sizes[column]), int(self.labels.max(initial=0)) + 1
        cell = self.codes[column][there] * classes + self.labels[there]
        counts = np.bincount(cell, self.given[there], size * classes).reshape(size, classes)
        alone = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / max(float(counts.sum()), 1e-300)
        seen = counts > 0
        return float((counts[seen] * np.log(counts[seen] / alone[seen])).sum())

    def gains(
        self, sets: Sequence[tuple[int, ...]], weights: Array, share: Array, kappa: float, ridge: float, power: float
    ) -> Array:
        """Return the gain of each set on top of the probabilities `share`, classes × rows."""
        out = np.zeros(len(sets))
        rows = self.codes, self.sizes, self.labels, self.given, self.order, self.start
        _native.joint_gains(out, *rows, padded(sets), weights, share, kappa, ridge, power, thread_count())  # JC-5
        return out

    def lifts(
        self,
        sets: Sequence[tuple[int, ...]],
        others: NDArray[np.int32],
        kappa: Any,
        power: float,
        mine: NDArray[np.float32],
        theirs: NDArray[np.float32],
        tables: Array | None = None,
    ) -> None:
        """Write lifts × power into `mine`, for these rows without themselves, and into `theirs`, for other rows.

        Both are sets × (classes − 1) × rows: each class's lift minus that of the first class. `kappa` is one number, or
        one per set. `tables` adds the counts of further rows, joint values × classes of one set after the other.
        """
        rows = self.codes, others, self.sizes, self.labels, self.given, self.order, self.start
        every = np.broadcast_to(np.asarray(kappa, np.float64), len(sets)).copy()
        more = np.zeros(0) if tables is None else tables
        _native.joint_lifts(mine, theirs, *rows, padded(sets), more, every, power, thread_count())


def padded(sets: Sequence[tuple[int, ...]]) -> Integers:
    """Return sets as an array of sets × 3 columns, with −1 as the third column of a pair."""
    return np.array([(*columns, -1)[:3] for columns in sets], np.int64).reshape(-1, 3)
