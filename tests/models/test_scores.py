"""The score kernels against plain numpy, and Bayes' rule against scipy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse, stats
from scipy.special import log_softmax

import suffice as sf
from suffice.models import ImpossibleSampleWarning, Linear, decide, log_posterior
from suffice.models.categorical import Lookup
from suffice.models.gaussian import Normals


@given(
    X=arrays(np.int64, st.tuples(st.integers(0, 20), st.just(5)), elements=st.integers(-3, 3)),
    weight=arrays(np.float64, (3, 5), elements=st.floats(-5, 5)),
    layout=st.sampled_from([np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array]),
    kind=st.sampled_from([np.float64, np.float32, np.int64, np.int32]),
)
def test_linear_scores(X: Any, weight: Any, layout: Any, kind: Any) -> None:
    offset = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(Linear(weight, offset).scores(layout(X.astype(kind))), X @ weight.T + offset, atol=1e-12)


@given(arrays(np.int64, st.tuples(st.integers(0, 20), st.just(2)), elements=st.integers(0, 6)))
def test_category_scores(codes: Any) -> None:
    table, sizes = np.arange(14.0).reshape(7, 2), np.array([2, 3])
    expected = table[np.minimum(codes[:, 0], 2)] + table[3 + np.minimum(codes[:, 1], 3)]
    np.testing.assert_array_equal(Lookup(table, sizes).scores(codes), expected)


@given(arrays(np.float64, st.tuples(st.integers(0, 20), st.just(4)), elements=st.floats(-50, 50)), st.booleans())
def test_normal_scores(X: Any, by_columns: bool) -> None:
    rng = np.random.default_rng(0)
    mean, variance = rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.1
    got = Normals(mean, variance).scores(np.asfortranarray(X) if by_columns else X)
    expected = np.stack([stats.norm.logpdf(X, mean[c], np.sqrt(variance[c])).sum(axis=1) for c in range(3)], axis=1)
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


def test_the_number_of_threads_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    X, model = rng.random((50_000, 10)), Linear(rng.random((7, 10)), np.zeros(7))
    results = []
    for n in (1, 2, 5):
        with sf.threads(n):
            results.append((model.scores(X), model.scores(sparse.csr_matrix(X))))
    for dense, thin in results:
        np.testing.assert_array_equal(dense, results[0][0])
        np.testing.assert_array_equal(thin, results[0][1])


def test_forbidden_weights_make_minus_infinity_never_nan() -> None:
    model = Linear(np.array([[-np.inf, -1.0], [-2.0, -np.inf]]), np.zeros(2))
    expected = np.array([[-np.inf, -2.0], [-1.0, -np.inf], [0.0, 0.0], [-np.inf, -np.inf]])
    for X in (np.array([[1, 0], [0, 1], [0, 0], [2, 1]]), sparse.csr_matrix([[1, 0], [0, 1], [0, 0], [2, 1]])):
        np.testing.assert_array_equal(model.scores(X), expected)


@given(arrays(np.float64, st.tuples(st.integers(1, 10), st.integers(1, 5)), elements=st.floats(-1e6, 1e6)))
def test_bayes_rule_is_a_softmax(joint: Any) -> None:
    prior = np.zeros(joint.shape[1])
    np.testing.assert_allclose(log_posterior(joint, prior), log_softmax(joint, axis=1), rtol=1e-12, atol=1e-9)
    assert (decide(joint, prior) == joint.argmax(axis=1)).all()


def test_rows_that_no_class_can_have_made() -> None:
    prior = np.log([0.2, 0.8])
    with pytest.warns(ImpossibleSampleWarning, match="1 of 2 rows"):
        got = log_posterior(np.array([[-np.inf, -np.inf], [-np.inf, -3.0]]), prior)
    np.testing.assert_allclose(np.exp(got), np.array([[0.2, 0.8], [0.0, 1.0]]))
