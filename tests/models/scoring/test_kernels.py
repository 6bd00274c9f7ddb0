"""The kernels that score rows, against plain numpy and scipy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse, stats

import suffice as sf
from suffice.models.likelihoods.codes import CodeScores
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.kernels import by_feature, distances
from suffice.models.scoring.linear import Linear
from suffice.models.scoring.reals import NormalDensities
from suffice.models.scoring.rising import Rising
from suffice.models.scoring.rows import MatrixRows
from suffice.posterior.special import log_rising
from suffice.stats.inputs import RowMatrix


def matrix(X: Any) -> MatrixRows:
    return MatrixRows(RowMatrix.read(X, "X"))


def linear(weight: Any, offset: Any) -> Linear:
    return Linear(Cells(np.asarray(weight)), np.asarray(offset))


@given(
    X=arrays(np.int64, st.tuples(st.integers(0, 20), st.just(5)), elements=st.integers(-3, 3)),
    weight=arrays(np.float64, (3, 5), elements=st.floats(-5, 5)),
    layout=st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array]),
    kind=st.sampled_from([np.float64, np.float32, np.int64, np.int32]),
)
def test_linear_scores(X: Any, weight: Any, layout: Any, kind: Any) -> None:
    scorer = linear(weight, [1.0, 2.0, 3.0])
    expected = X @ weight.T + [1.0, 2.0, 3.0]
    np.testing.assert_allclose(scorer.scores(matrix(layout(X.astype(kind)))), expected, atol=1e-12)


@given(arrays(np.int64, st.tuples(st.integers(0, 20), st.just(2)), elements=st.integers(0, 6)), st.integers(1, 23))
def test_category_scores(codes: Any, classes: int) -> None:
    table, first = np.arange(7.0 * classes).reshape(classes, 7), np.array([0, 3, 7])
    expected = (table[:, np.minimum(codes[:, 0], 2)] + table[:, 3 + np.minimum(codes[:, 1], 3)]).T
    scorer = CodeScores(by_feature(table), first, classes)
    for kind in (np.int64, np.int32, np.float64, np.uint8):
        rows = matrix(codes.astype(kind))
        np.testing.assert_array_equal(scorer.scores(rows), expected)
        np.testing.assert_array_equal(scorer.best(rows, np.zeros(classes)), expected.argmax(axis=1))


@given(st.integers(1, 50), st.integers(1, 300), st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_matrix]))
def test_the_best_class_is_that_of_the_largest_score(classes: int, features: int, layout: Any) -> None:
    rng = np.random.default_rng(classes * 1000 + features)
    X, prior = layout(rng.integers(-2, 3, (7, features)).astype(float)), rng.normal(size=classes)
    scorers: list[Any] = [linear(rng.normal(size=(classes, features)), rng.normal(size=classes))]
    if not sparse.issparse(X):
        scorers.append(NormalDensities(rng.normal(size=(classes, features)), rng.random((classes, features)) + 0.1))
    for scorer in scorers:
        rows = matrix(X)
        np.testing.assert_array_equal(scorer.best(rows, prior), (scorer.scores(rows) + prior).argmax(axis=1))


@given(
    X=arrays(np.float64, st.tuples(st.integers(0, 9), st.just(4)), elements=st.sampled_from([0, 0, 1, 2, 24, 25, 1e6])),
    classes=st.integers(1, 23),
    fraction=st.sampled_from([0.0, 0.5]),
    layout=st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array]),
)
def test_rising_scores(X: Any, classes: int, fraction: float, layout: Any) -> None:
    rng = np.random.default_rng(classes)
    X, alpha = X + fraction * (X > 0), 10.0 ** rng.uniform(-8, 20, (classes, 4))
    weight, offset = rng.normal(size=(classes, 4)), rng.normal(size=classes)
    terms = np.where(X[:, None] > 0, log_rising(alpha, X[:, None]) + X[:, None] * weight, 0).sum(axis=2) + offset
    scorer = Rising(Cells(alpha), offset, linear=linear(weight, np.zeros(classes)))
    np.testing.assert_allclose(scorer.scores(matrix(layout(X))), terms, rtol=1e-11, atol=1e-8)
    total = alpha.sum(axis=1)
    expected = terms - log_rising(total, X.sum(axis=1)[:, None])
    scale = np.abs(terms).max(initial=1)
    scorer = Rising(Cells(alpha), offset, total, linear=linear(weight, np.zeros(classes)))
    np.testing.assert_allclose(scorer.scores(matrix(layout(X))), expected, atol=1e-11 * scale)


def test_a_pseudo_count_of_zero_forbids() -> None:
    got = Rising(Cells(np.array([[0.0, 1.0], [2.0, 0.0]])), np.zeros(2)).scores(matrix([[2, 0], [0, 3], [0, 0]]))
    np.testing.assert_allclose(got, [[-np.inf, np.log(6)], [np.log(6), -np.inf], [0, 0]])


def test_flags_are_read_without_a_copy() -> None:
    rng = np.random.default_rng(0)
    X, scorer = rng.normal(size=(40, 6)), linear(rng.normal(size=(3, 6)), np.zeros(3))
    expected = scorer.scores(matrix((X > 0.5).astype(float)))
    for given_rows in (X, X.astype(np.float32).astype(np.float64), sparse.csr_matrix(X), sparse.csc_matrix(X)):
        flags = MatrixRows(RowMatrix.read(given_rows, "X").flags(0.5))
        np.testing.assert_array_equal(scorer.scores(flags), expected)


@given(arrays(np.float64, st.tuples(st.integers(0, 20), st.just(4)), elements=st.floats(-50, 50)), st.booleans())
def test_normal_scores(X: Any, by_columns: bool) -> None:
    rng = np.random.default_rng(0)
    mean, variance = rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.1
    got = NormalDensities(mean, variance).scores(matrix(np.asfortranarray(X) if by_columns else X))
    expected = np.stack([stats.norm.logpdf(X, mean[c], np.sqrt(variance[c])).sum(axis=1) for c in range(3)], axis=1)
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("rank", [1, 5, 8, 13])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_distances(rank: int, kind: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1037, 13)).astype(kind)[:, ::-1]
    middle, axes = rng.normal(size=(4, 13)), np.tril(rng.normal(size=(4, rank, 13)), 2)
    expected = np.square(np.einsum("ncd,crd->ncr", X[:, None] - middle, axes)).sum(axis=2)
    rows, nothing = RowMatrix.read(X, "X"), np.empty((0, rank))
    found = [distances(rows, middle, axes, nothing)]
    with sf.threads(3):
        found.append(distances(rows, middle, axes, nothing))
    np.testing.assert_allclose(found[0], expected, rtol=1e-11)
    np.testing.assert_array_equal(found[0], found[1])
    turned = rng.normal(size=(6, rank))
    expected = np.square(((X - middle[0]) @ axes[0].T)[:, None] - turned).sum(axis=2)
    np.testing.assert_allclose(distances(rows, middle[:1], axes[:1], turned), expected, rtol=1e-11)


def test_the_number_of_threads_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    X, scorer = rng.random((50_000, 10)), linear(rng.random((7, 10)), np.zeros(7))
    results = []
    for n in (1, 2, 5):
        with sf.threads(n):
            results.append((scorer.scores(matrix(X)), scorer.scores(matrix(sparse.csr_matrix(X)))))
    for dense, thin in results:
        np.testing.assert_array_equal(dense, results[0][0])
        np.testing.assert_array_equal(thin, results[0][1])


def test_forbidden_weights_make_minus_infinity_never_nan() -> None:
    scorer = linear([[-np.inf, -1.0], [-2.0, -np.inf]], np.zeros(2))
    expected = np.array([[-np.inf, -2.0], [-1.0, -np.inf], [0.0, 0.0], [-np.inf, -np.inf]])
    for X in (np.array([[1, 0], [0, 1], [0, 0], [2, 1]]), sparse.csr_matrix([[1, 0], [0, 1], [0, 0], [2, 1]])):
        np.testing.assert_array_equal(scorer.scores(matrix(X)), expected)
