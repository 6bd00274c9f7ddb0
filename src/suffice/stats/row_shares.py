"""Sum over rows that belong to classes in shares, by matrix products, where the same rows are counted repeatedly.

The kernels check every value and sum with about 32 digits. Here the values were checked by an earlier count, and
float64 is enough: a sum of n non-negative terms has at most n rounding errors, which mostly cancel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.later import sparse
from suffice.stats.base import Statistic, sealed
from suffice.stats.counts import BinaryCounts, CategoryCounts, RateCounts, TokenCounts
from suffice.stats.inputs import RowMatrix
from suffice.stats.moments import DiagonalMoments, FullMoments
from suffice.stats.word_counts import WordCounts
from suffice.text import WordList
from suffice.typing import Array, Booleans, Integers

NUMBERS_AT_ONCE = 2**16

FAR = 1e4
"""Largest ratio of squares about the mean of all rows to squares about a class's mean; 1e4 costs four digits."""


def counts_of_shares(kind: type[Statistic], rows: RowMatrix, shares: Array, weights: Array, **sizes: Any) -> Any:
    """Return the statistic of rows by shares (rows × classes) and weights; an earlier count has checked the rows."""
    mine = shares * weights[:, None]
    if kind is CategoryCounts:
        return _categories(rows, mine, **sizes)
    if kind is DiagonalMoments and not rows.is_sparse:
        moments = _moments(rows, mine)
        if moments is not None:
            return moments
    if kind is FullMoments and not rows.is_sparse:
        return _scatters(rows, mine)
    if kind not in (TokenCounts, RateCounts, BinaryCounts):
        return kind.of(rows, shares, weights, n_classes=shares.shape[1], **sizes)
    sums = sealed(sealed(_sums(rows, mine)).T)
    if kind is TokenCounts:
        return TokenCounts(sums)
    n = mine.sum(axis=0)[:, None]
    return RateCounts(sums, n) if kind is RateCounts else BinaryCounts(np.minimum(sums, n), n)


@dataclass(frozen=True, eq=False)
class WordMatrix:
    """A matrix of documents × words, for repeated counting."""

    matrix: Any
    words: WordList
    hash_bits: int = 0

    @cached_property
    def flags(self) -> Any:
        """Matrix of documents × words that is 1 where a word occurs."""
        return sparse.csr_matrix(
            (np.ones(self.matrix.nnz), self.matrix.indices, self.matrix.indptr), shape=self.matrix.shape
        )

    def take(self, keep: Booleans) -> WordMatrix:
        """Return a subset of the documents."""
        return self if keep.all() else WordMatrix(self.matrix[keep], self.words, self.hash_bits)

    def counts(self, shares: Array) -> WordCounts:
        """Count words by weighted shares (documents × classes); the vocabulary stays."""
        tokens, documents = (np.ascontiguousarray((table.T @ shares).T) for table in (self.matrix, self.flags))
        line, word = np.nonzero(documents)
        start = np.searchsorted(line, np.arange(shares.shape[1] + 1))
        tokens, documents = (
            sparse.csr_matrix((table[line, word], word, start), shape=table.shape) for table in (tokens, documents)
        )
        bursts = (np.empty((0, 3), np.int64), np.empty(0), np.empty((0, 2), np.int64), np.empty(0))
        return WordCounts(self.words, shares.sum(axis=0), tokens, documents, *bursts, self.hash_bits)


def no_documents(counts: WordCounts, n_classes: int) -> WordCounts:
    """Return a statistic without documents over the vocabulary of `counts`."""
    nothing = sparse.csr_matrix((0, counts.width))
    return WordMatrix(nothing, counts.words, counts.hash_bits).counts(np.zeros((0, n_classes)))


def _moments(rows: RowMatrix, shares: Array) -> DiagonalMoments | None:
    """Return moments, summed about the mean of all rows; None if a class is so far from it that digits get lost."""
    n = shares.sum(axis=0)[:, None]
    divisor = np.where(n > 0, n, 1.0)
    pivot = shares.sum(axis=1) @ rows.matrix / max(float(n.sum()), 1e-300)
    first, second = np.zeros((2, len(n), len(pivot)))
    for at in range(0, len(rows), _step(rows)):
        away = rows.matrix[at : at + _step(rows)] - pivot
        first += shares[at : at + _step(rows)].T @ away
        second += shares[at : at + _step(rows)].T @ np.square(away, out=away)
    shift = first / divisor
    scatter = second - n * shift**2
    if not (second <= FAR * scatter).all():
        return None
    mean = np.where(n > 0, pivot + shift, 0.0)
    lost = np.where(n > 0, shift - (mean - pivot), 0.0)
    nothing = np.zeros_like(scatter)
    return DiagonalMoments(*(sealed(part) for part in (mean, n, scatter, lost, nothing, scatter.copy())))


def _scatters(rows: RowMatrix, shares: Array) -> FullMoments:
    """Return scatter matrices, summed about the mean of each class in a second pass."""
    n = shares.sum(axis=0)[:, None]
    divisor = np.where(n > 0, n, 1.0)
    pivot = shares.sum(axis=1) @ rows.matrix / max(float(n.sum()), 1e-300)
    step, first = _step(rows), np.zeros((len(n), len(pivot)))
    for at in range(0, len(rows), step):
        first += shares[at : at + step].T @ (rows.matrix[at : at + step] - pivot)
    shift, scatter = first / divisor, np.zeros((len(n), len(pivot), len(pivot)))
    for at in range(0, len(rows), step):
        away = rows.matrix[at : at + step] - pivot
        for c in np.flatnonzero(n[:, 0] > 0):
            own = away - shift[c]
            scatter[c] += (own * shares[at : at + step, c, None]).T @ own
    scatter = (scatter + np.swapaxes(scatter, 1, 2)) / 2
    mean = np.where(n > 0, pivot + shift, 0.0)
    lost = np.where(n > 0, shift - (mean - pivot), 0.0)
    peak = np.diagonal(scatter, axis1=1, axis2=2).copy()
    return FullMoments(*(sealed(part) for part in (mean, n, scatter, lost, np.zeros_like(scatter), peak)))


def _categories(rows: RowMatrix, shares: Array, sizes: Integers) -> CategoryCounts:
    """Return the counts of categories, each of which is a sparse column of ones and zeros."""
    n, columns = rows.matrix.shape
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    places = (rows.matrix.astype(np.int64, copy=False) + first).ravel()
    flags = sparse.csr_matrix((np.ones(n * columns), places, np.arange(n + 1) * columns), (n, int(sizes.sum())))
    return CategoryCounts(sealed(sealed(np.asarray(flags.T @ shares)).T), sizes)


def _sums(rows: RowMatrix, shares: Array) -> Array:
    """Return sums as features × classes, the memory layout in which rows are scored."""
    matrix = rows.matrix
    if rows.is_sparse and rows.above is not None:
        flags = (matrix.data > rows.above).astype(np.float64)
        matrix = type(matrix)((flags, matrix.indices, matrix.indptr), shape=matrix.shape)
    if rows.is_sparse:
        return np.asarray(matrix.T @ shares)
    out = np.zeros((matrix.shape[1], shares.shape[1]))
    step = _step(rows)
    for at in range(0, len(rows), step):
        part = matrix[at : at + step]
        part = part if rows.above is None else part > rows.above
        out += part.astype(np.float64, copy=False).T @ shares[at : at + step]
    return out


def _step(rows: RowMatrix) -> int:
    """Return the number of rows in a batch."""
    return max(1, NUMBERS_AT_ONCE // max(1, int(rows.matrix.shape[1])))
