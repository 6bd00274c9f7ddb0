"""Hold rows of one block of words, and the counts of these words by class, with the rows or without some of them.

Counts are unsmoothed and cover only the words that rows have. So rows can be removed, pseudo-counts tried and weights
fitted without the rest of the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.errors import SubtractionError
from suffice.later import sparse
from suffice.models.choosing.judge import Sample, check_learned, some_rows
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.predictor import Predictor
from suffice.models.scoring.linear import times_counted
from suffice.models.scoring.removal import ROUNDING, Removal, left, nothing_removed
from suffice.models.scoring.rows import Labels
from suffice.parallel import thread_count
from suffice.typing import Array, Booleans, Integers

__all__ = ["CountedWords"]

ROWS_AT_ONCE = 2**14


@dataclass(frozen=True, eq=False)
class CountedWords:
    """Hold rows by their words, and the class counts that score them, each row without what is removed for it."""

    predictor: Predictor
    likelihood: Multinomial
    x: Any  # CSR, rows × words, as counted
    raw: Array  # each entry before counting
    by_word: Any  # CSR, words × classes: counts
    total: Array  # total count of words by class
    n: Array  # number of rows by class
    labels: Labels
    group: Integers | None
    used: Integers  # places of the words in the vocabulary, most frequent first
    width: int  # size of the vocabulary
    learned: bool = True  # whether the counts include the rows

    @classmethod
    def of(cls, predictor: Predictor, sample: Sample) -> CountedWords:
        """Return rows that a model of one block has learned."""
        ((name, block),) = predictor.model.voting.items()
        likelihood: Any = block.settled
        found, labels = sample.rows[name].entries(block.t), sample.labels
        check_learned(predictor.model, labels)
        used, place = _used(found.indices, found.shape[1])
        indices = place[found.indices]
        raw = sparse.csr_matrix((found.data.astype(np.float64), indices, found.indptr), (len(labels), len(used)))
        counts = likelihood.counts(block.t)
        table = counts.values[:, used] if counts.unmet is None else _columns(counts.values, place, len(used), used)
        by_word = sparse.csr_matrix(table.T) if counts.unmet is None else table.T.tocsr()
        x = likelihood.counted_entries(raw)
        n, total = np.asarray(predictor.model.n, np.float64), np.asarray(counts.sum(), np.float64)
        return cls(
            predictor, likelihood, x, raw.data, by_word, total, n, labels, sample.group, used, counts.width
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, which: Any) -> CountedWords:
        """Return the given rows, with groups renumbered."""
        group = None if self.group is None else np.unique(self.group[which], return_inverse=True)[1]
        raw = sparse.csr_matrix((self.raw, self.x.indices, self.x.indptr), self.x.shape)[which]
        x = self.likelihood.counted_entries(raw)
        return replace(self, x=x, raw=raw.data, labels=self.labels.take(which), group=group)

    def with_counts(self, other: CountedWords) -> CountedWords:
        """Return these rows with the counts of others that have the same words."""
        return replace(self, by_word=other.by_word, total=other.total, n=other.n)

    def without(self, out: Booleans, most: int | None = None) -> tuple[CountedWords, CountedWords]:
        """Return the remaining rows, or at most `most` of them, and the rows taken out.

        Both have the counts of all remaining rows.
        """
        numbers = np.flatnonzero(~out)
        if most is not None and len(numbers) > most:
            group = None if self.group is None else np.unique(self.group[numbers], return_inverse=True)[1]
            numbers = numbers[some_rows(len(numbers), most, group)]
        stay, removed_rows = self.take(numbers), self.take(out)
        removed = removed_rows._by_class()
        table = self.by_word.T.tocsr()
        data = table.data.copy()
        at = _places(table, removed)
        data[at] = left(data[at], removed.data)
        by_word = sparse.csr_matrix((data, table.indices, table.indptr), table.shape).T.tocsr()
        y, given = removed_rows.labels.y, removed_rows.labels.given
        tokens = given * removed_rows._sums(removed_rows.x.data)
        brought = (np.bincount(y, each, len(self.n)) for each in (tokens, given))
        total, n = (
            left(one, np.asarray(less, np.float64)) for one, less in zip((self.total, self.n), brought, strict=True)
        )
        rest = {"by_word": by_word, "total": total, "n": n}
        return replace(stay, **rest), replace(removed_rows, **rest, learned=False)

    def _by_class(self) -> Any:
        """Return what these rows contribute to each class, classes × words as CSR."""
        members = sparse.csr_matrix(
            (self.labels.given, (self.labels.y, np.arange(len(self)))), (len(self.n), len(self))
        )
        found = (members @ self.x).tocsr()
        found.sort_indices()
        return found

    @cached_property
    def removed(self) -> Removal:
        """Return what each class loses before it scores a row."""
        if not self.learned:
            return nothing_removed(len(self))
        return Removal.of(self.labels.y, self.labels.weights, self.group)

    @cached_property
    def own(self) -> tuple[Integers, NDArray[np.int32]]:
        """Return the places of the words that these rows have, and the inverse map."""
        return _used(self.x.indices, self.x.shape[1])

    @property
    def places(self) -> Integers:
        """Return the places in the vocabulary of the words that these rows have."""
        return self.used[self.own[0]]

    @cached_property
    def times(self) -> Array:
        """Return the effective count of each entry in a score."""
        return times_counted(self.likelihood.times, self.raw)

    @cached_property
    def lengths(self) -> Array:
        """Return the length of each row: the sum of its effective counts."""
        return self._sums(self.times)

    @property
    def lengths_as_read(self) -> Array:
        """Return the number of words of each row, as read."""
        return self._sums(self.raw)

    def _sums(self, of_entries: Array) -> Array:
        """Return the sum over the entries of each row."""
        entries = sparse.csr_matrix((of_entries, self.x.indices, self.x.indptr), self.x.shape)
        return np.asarray(entries.sum(axis=1)).ravel()

    @cached_property
    def prior(self) -> Array:
        """Return ln p(c), counting all rows."""
        return self.predictor.log_prior_of(self.n)

    @property
    def weights(self) -> Array:
        """Return the weight of each row: 0 if it is alone in its class."""
        return self._left[0]

    @property
    def log_prior(self) -> Array:
        """Return ln p(c) of each row after the removal, up to a constant per row; rows × classes."""
        out = np.repeat(self.prior[None], len(self), axis=0)
        out[self.removed.row, self.removed.code] += self._left[1]
        return out

    @cached_property
    def native(self) -> _native.EvidenceRows:
        """Return the rows in the form of the compiled kernel."""
        used, place = self.own
        removed, line, x = self.removed, self.by_word[used], self.x
        rows = x.indptr.astype(np.int64), place[x.indices], self.times, np.ascontiguousarray(self.labels.y, np.int64)
        counts = line.indptr.astype(np.int64), line.indices.astype(np.int32), line.data, self.total
        rest = left(self.total[removed.code], removed.sums(self._sums(x.data)))
        held = _native.EvidenceRows(*rows, *counts, *self._pairs(), rest, self._left[1], thread_count())
        if not held.learned:
            raise SubtractionError(
                "Rows can be left out only with the labels and weights they were learned with. Pass the rows that the "
                "model was fitted on."
            )
        return held

    def _pairs(self) -> tuple[Integers, NDArray[np.int32], Integers, Array]:
        """Return the classes that lose each row or its group, and what they lose of the row's words."""
        removed, rows = self.removed, len(self)
        first = np.searchsorted(removed.row, np.arange(rows + 1)).astype(np.int64)
        if not len(removed.row):
            return first, np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0)
        if removed.alone:
            amount = self.x.data * np.repeat(removed.members.data, np.diff(self.x.indptr))
            return first, removed.code.astype(np.int32), self.x.indptr[:-1].astype(np.int64), amount
        entries, amount = removed.entries(self.x)
        start = np.searchsorted(entries.row, np.arange(len(removed.row))).astype(np.int64)
        return first, removed.code.astype(np.int32), start, amount

    def smoothed(self, alpha: float | None) -> _native.Evidence:
        """Return the rows smoothed by a pseudo-count; None uses that of the likelihood."""
        likelihood = self.likelihood if alpha is None else self.likelihood.smoothed(alpha)
        more = np.asarray(likelihood.more, np.float64)
        total = float(more.sum()) if more.ndim else float(more) * self.width
        each = np.ascontiguousarray(more[self.places]) if more.ndim else more.reshape(1)
        return _native.Evidence(self.native, each, total, thread_count())

    @cached_property
    def _left(self) -> tuple[Array, Array]:
        """Return the weight of each row, and each pair's change of ln p(c) relative to counting all rows.

        A row that is alone in its class weighs 0. Changes that all classes of a row share are left out.
        """
        removed, codes, given = self.removed, self.labels.y, self.labels.given
        known = np.where(np.isfinite(self.prior), self.prior, 0.0)
        weights, out = np.empty(len(codes)), np.empty(len(removed.row))
        for begin in range(0, len(codes), ROWS_AT_ONCE):
            code = codes[begin : begin + ROWS_AT_ONCE]
            every = np.arange(len(code))
            pairs = slice(*np.searchsorted(removed.row, [begin, begin + len(code)]))
            at = removed.row[pairs] - begin, removed.code[pairs]
            rest = np.repeat(self.n[None], len(code), axis=0)
            less = rest[at] - removed.weight[pairs]
            rest[at] = np.where(less > ROUNDING * rest[at], less, 0.0)
            weights[begin : begin + len(code)] = np.where(rest[every, code] > 0, given[begin:][: len(code)], 0.0)
            more = np.broadcast_to(self.predictor.log_prior_of(rest) - known, rest.shape)
            others = np.isfinite(more)
            others[at] = False
            shared = np.where(others.any(axis=1), more[every, others.argmax(axis=1)], 0.0)
            out[pairs] = more[at] - shared[at[0]]
        return weights, out


def _used(words: NDArray[Any], width: int) -> tuple[Integers, NDArray[np.int32]]:
    """Return the words that rows have, most frequent first, and the place of each word among these, or −1.

    So numbers of frequent words are close together in memory.
    """
    rows = np.bincount(words, minlength=width)
    used = np.flatnonzero(rows)
    used = used[np.argsort(-rows[used], kind="stable")]
    place = np.full(width, -1, np.int32)
    place[used] = np.arange(len(used))
    return used, place


def _columns(counts: Any, place: NDArray[np.int32], width: int, used: Integers) -> Any:
    """Return the given columns of a CSR matrix, renumbered."""
    found = place[counts.indices]
    there = found >= 0
    start = np.concatenate([[0], np.cumsum(there)])[counts.indptr]
    out = sparse.csr_matrix((counts.data[there], found[there], start), (counts.shape[0], width))
    out.sort_indices()
    return out


def _places(table: Any, some: Any) -> Integers:
    """Return where the cells of one CSR matrix are stored in another; raise SubtractionError if one is missing."""
    width = np.int64(table.shape[1])
    keys, wanted = (
        np.repeat(np.arange(one.shape[0], dtype=np.int64), np.diff(one.indptr)) * width + one.indices
        for one in (table, some)
    )
    at = np.searchsorted(keys, wanted)
    if len(wanted) and (not len(keys) or (keys[np.minimum(at, len(keys) - 1)] != wanted).any()):
        raise SubtractionError(
            "Rows can be left out only with the labels and weights they were learned with. Pass the rows that the "
            "model was fitted on."
        )
    return np.asarray(at)
