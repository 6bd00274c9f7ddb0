"""The score kernels against plain numpy, and Bayes' rule against scipy."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse, stats
from scipy.special import log_softmax

import suffice as sf
from suffice.models import ImpossibleSampleWarning, bayes, decide, linear, log_posterior
from suffice.models.categorical import Lookup
from suffice.models.gaussian import Normals
from suffice.models.scoring.kernels import by_feature
from suffice.models.rising import Rising
from suffice.posterior.special import log_rising
from suffice.stats.inputs import Rows


@given(
    X=arrays(np.int64, st.tuples(st.integers(0, 20), st.just(5)), elements=st.integers(-3, 3)),
    weight=arrays(np.float64, (3, 5), elements=st.floats(-5, 5)),
    layout=st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array]),
    kind=st.sampled_from([np.float64, np.float32, np.int64, np.int32]),
)
def test_linear_scores(X: Any, weight: Any, layout: Any, kind: Any) -> None:
    offset = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(linear(weight, offset).scores(layout(X.astype(kind))), X @ weight.T + offset, atol=1e-12)


@dataclass
class Table:
    """A scorer that knows the scores of its rows already: row i of it is asked for by the number i."""

    known: Any

    def scores(self, X: Any) -> Any:
        return self.known[Rows.read(X).matrix[:, 0]].copy()


@given(arrays(np.int64, st.tuples(st.integers(0, 20), st.just(2)), elements=st.integers(0, 6)), st.integers(1, 23))
def test_category_scores(codes: Any, classes: int) -> None:
    table, first = np.arange(7.0 * classes).reshape(classes, 7), np.array([0, 3, 7])
    expected = (table[:, np.minimum(codes[:, 0], 2)] + table[:, 3 + np.minimum(codes[:, 1], 3)]).T
    for kind in (np.int64, np.int32, np.float64, np.uint8):
        scorer = Lookup(by_feature(table), first, classes)
        np.testing.assert_array_equal(scorer.scores(codes.astype(kind)), expected)
        np.testing.assert_array_equal(scorer.best(codes.astype(kind), np.zeros(classes)), expected.argmax(axis=1))


@given(st.integers(1, 50), st.integers(1, 300), st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_matrix]))
def test_the_best_class_is_that_of_the_largest_score(classes: int, features: int, layout: Any) -> None:
    rng = np.random.default_rng(classes * 1000 + features)
    X, prior = layout(rng.integers(-2, 3, (7, features)).astype(float)), rng.normal(size=classes)
    scorers: list[Any] = [linear(rng.normal(size=(classes, features)), rng.normal(size=classes))]
    if not sparse.issparse(X):
        scorers.append(Normals(rng.normal(size=(classes, features)), rng.random((classes, features)) + 0.1))
    for scorer in scorers:
        np.testing.assert_array_equal(scorer.best(X, prior), (scorer.scores(X) + prior).argmax(axis=1))


@given(
    X=arrays(np.float64, st.tuples(st.integers(0, 9), st.just(4)), elements=st.sampled_from([0, 0, 1, 2, 24, 25, 1e6])),
    classes=st.integers(1, 23),
    fraction=st.sampled_from([0.0, 0.5]),
    layout=st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array]),
)
def test_rising_scores(X: Any, classes: int, fraction: float, layout: Any) -> None:
    rng = np.random.default_rng(classes)
    X, shape = X + fraction * (X > 0), 10.0 ** rng.uniform(-8, 20, (classes, 4))
    slope, offset = rng.normal(size=(classes, 4)), rng.normal(size=classes)
    terms = np.where(X[:, None] > 0, log_rising(shape, X[:, None]) + X[:, None] * slope, 0).sum(axis=2) + offset
    got = Rising(shape, slope, offset, None).scores(layout(X))
    np.testing.assert_allclose(got, terms, rtol=1e-11, atol=1e-8)
    total = shape.sum(axis=1)
    expected = terms - log_rising(total, X.sum(axis=1)[:, None])
    scale = np.abs(terms).max(initial=1)
    np.testing.assert_allclose(Rising(shape, slope, offset, total).scores(layout(X)), expected, atol=1e-11 * scale)


def test_a_shape_of_zero_forbids() -> None:
    got = Rising(np.array([[0.0, 1.0], [2.0, 0.0]]), None, np.zeros(2), None).scores([[2, 0], [0, 3], [0, 0]])
    np.testing.assert_allclose(got, [[-np.inf, np.log(6)], [np.log(6), -np.inf], [0, 0]])


def test_flags_are_read_without_a_copy() -> None:
    rng = np.random.default_rng(0)
    X, model = rng.normal(size=(40, 6)), linear(rng.normal(size=(3, 6)), np.zeros(3))
    expected = model.scores((X > 0.5).astype(float))
    for rows in (X, X.astype(np.float32).astype(np.float64), sparse.csr_matrix(X), sparse.csc_matrix(X)):
        np.testing.assert_array_equal(model.scores(Rows.read(rows).flags(0.5)), expected)


@given(arrays(np.float64, st.tuples(st.integers(0, 20), st.just(4)), elements=st.floats(-50, 50)), st.booleans())
def test_normal_scores(X: Any, by_columns: bool) -> None:
    rng = np.random.default_rng(0)
    mean, variance = rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.1
    got = Normals(mean, variance).scores(np.asfortranarray(X) if by_columns else X)
    expected = np.stack([stats.norm.logpdf(X, mean[c], np.sqrt(variance[c])).sum(axis=1) for c in range(3)], axis=1)
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


def test_the_number_of_threads_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    X, model = rng.random((50_000, 10)), linear(rng.random((7, 10)), np.zeros(7))
    results = []
    for n in (1, 2, 5):
        with sf.threads(n):
            results.append((model.scores(X), model.scores(sparse.csr_matrix(X))))
    for dense, thin in results:
        np.testing.assert_array_equal(dense, results[0][0])
        np.testing.assert_array_equal(thin, results[0][1])


def test_forbidden_weights_make_minus_infinity_never_nan() -> None:
    model = linear(np.array([[-np.inf, -1.0], [-2.0, -np.inf]]), np.zeros(2))
    expected = np.array([[-np.inf, -2.0], [-1.0, -np.inf], [0.0, 0.0], [-np.inf, -np.inf]])
    for X in (np.array([[1, 0], [0, 1], [0, 0], [2, 1]]), sparse.csr_matrix([[1, 0], [0, 1], [0, 0], [2, 1]])):
        np.testing.assert_array_equal(model.scores(X), expected)


@given(arrays(np.float64, st.tuples(st.integers(1, 10), st.integers(1, 5)), elements=st.floats(-1e6, 1e6)))
def test_bayes_rule_is_a_softmax(scores: Any) -> None:
    rows, prior = np.arange(len(scores))[:, None], np.zeros(scores.shape[1])
    got = log_posterior(Table(scores), rows, prior)
    np.testing.assert_allclose(got, log_softmax(scores, axis=1), rtol=1e-12, atol=1e-9)
    assert (decide(Table(scores), rows, prior) == scores.argmax(axis=1)).all()


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, prior = np.random.default_rng(0).normal(size=(100, 3)), np.log([0.2, 0.3, 0.5])
    rows = np.arange(100)[:, None]
    whole = log_posterior(Table(scores), rows, prior), decide(Table(scores), rows, prior)
    monkeypatch.setattr(bayes, "NUMBERS_AT_ONCE", 21)
    np.testing.assert_array_equal(log_posterior(Table(scores), rows, prior), whole[0])
    np.testing.assert_array_equal(decide(Table(scores), rows, prior), whole[1])


def test_rows_that_no_class_can_have_made() -> None:
    prior = np.log([0.2, 0.8])
    scorer = Table(np.array([[-np.inf, -np.inf], [-np.inf, -3.0]]))
    with pytest.warns(ImpossibleSampleWarning, match="1 of 2 rows"):
        got = log_posterior(scorer, [[0], [1]], prior)
    np.testing.assert_allclose(np.exp(got), np.array([[0.2, 0.8], [0.0, 1.0]]))
    with pytest.warns(ImpossibleSampleWarning, match="1 of 2 rows"):
        assert decide(scorer, [[0], [1]], prior).tolist() == [1, 1]
