"""Counts by shares, as products of matrices, are those of the kernels."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from suffice.stats import BinaryCounts, CategoryCounts, DiagonalMoments, RateCounts, TokenCounts
from suffice.stats.inputs import RowMatrix
from suffice.stats.row_shares import WordMatrix, counts_of_shares
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis, learn

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(1.0, (300, 7)) * RNG.random((300, 7))
SHARES = RNG.dirichlet(np.full(4, 0.3), 300)
WEIGHTS = RNG.random(300) * 3
SPARSE = sparse.csr_matrix(COUNTS)


def assert_same(got: Any, expected: Any) -> None:
    theirs = expected.arrays()
    for name, array in got.arrays().items():
        np.testing.assert_allclose(array, theirs[name], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("X", [COUNTS, COUNTS.astype(np.float32), SPARSE, SPARSE.tocsc()], ids=str)
def test_sums_and_flags(X: Any) -> None:
    rows = RowMatrix.read(X)
    expected = TokenCounts.of(rows, SHARES, WEIGHTS)
    assert_same(counts_of_shares(TokenCounts, rows, SHARES, WEIGHTS), expected)
    rates = RateCounts.of(rows, SHARES, WEIGHTS)
    assert_same(counts_of_shares(RateCounts, rows, SHARES, WEIGHTS), rates)
    flags = rows.flags(0.4)
    assert_same(counts_of_shares(BinaryCounts, flags, SHARES, WEIGHTS), BinaryCounts.of(flags, SHARES, WEIGHTS))


def test_categories_and_numbers() -> None:
    codes = RNG.integers(0, 5, (300, 3))
    sizes = np.array([5, 6, 7])
    expected = CategoryCounts.of(codes, SHARES, WEIGHTS, sizes=sizes)
    assert_same(counts_of_shares(CategoryCounts, RowMatrix.read(codes), SHARES, WEIGHTS, sizes=sizes), expected)
    for X in (COUNTS, COUNTS + 1e8, COUNTS + 1e6 * (np.arange(300) % 2)[:, None]):
        got = counts_of_shares(DiagonalMoments, RowMatrix.read(X), SHARES, WEIGHTS)
        moments = DiagonalMoments.of(X, SHARES, WEIGHTS)
        np.testing.assert_allclose(got.n, moments.n, rtol=1e-12)
        np.testing.assert_allclose(got.mean, moments.mean, rtol=1e-14)
        np.testing.assert_allclose(got.scatter, moments.scatter, rtol=1e-11)


def test_words() -> None:
    texts = ["ant bee ant", "bee", "cow ant", "", "cow cow cow bee"]
    words, matrix = learn(texts, Analysis())
    shares = SHARES[:5]
    got = WordMatrix(matrix, words).counts(shares * WEIGHTS[:5, None])
    parts = [WordCounts.of(texts, [c] * 5, shares[:, c] * WEIGHTS[:5], n_classes=4) for c in range(4)]
    whole = sum(parts[1:], start=parts[0])
    assert got.words == whole.words
    for name in ("tokens", "documents"):
        np.testing.assert_allclose(getattr(got, name).toarray(), getattr(whole, name).toarray(), rtol=1e-12)
    np.testing.assert_allclose(got.n, whole.n)
    some = WordMatrix(matrix, words).take(np.array([True, False, True, True, False]))
    assert some.counts(np.eye(4)[[0, 0, 1]]).tokens.toarray()[:2].tolist() == [[3, 1, 1], [0, 0, 0]]


def test_classes_far_apart_lose_no_digits() -> None:
    codes = np.arange(300) % 4
    X = COUNTS + 1e7 * codes[:, None]
    got = counts_of_shares(DiagonalMoments, RowMatrix.read(X), np.eye(4)[codes], WEIGHTS)
    np.testing.assert_allclose(got.scatter, DiagonalMoments.of(X, codes, WEIGHTS).scatter, rtol=1e-12)
    empty = counts_of_shares(DiagonalMoments, RowMatrix.read(COUNTS), np.eye(5)[codes], WEIGHTS)
    assert (empty.mean[4] == 0).all()
    assert (empty.scatter[4] == 0).all()
