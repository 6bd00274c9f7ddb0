"""Urns: the toy's known answer, scipy's density, and a maximum wherever there is one."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, stats
from scipy.special import digamma, gammaln, polygamma

from suffice.models.empirical.urn import LEAST, MOST, Documents, _Climb, dcm, edcm
from suffice.posterior.special import digamma_rise, log_rising, trigamma_fall
from suffice.stats import Bursts

TOY = np.array([(2, 1, 0), (1, 3, 1), (0, 2, 4), (5, 0, 0), (1, 1, 1)])


def documents(X: Any, prior: Any = 0.0) -> Documents:
    t = Bursts.of(np.asarray(X))
    values = t.value.astype(float), t.count, t.length.astype(float), t.count_of_length
    return Documents(t.cell, *values, np.broadcast_to(np.asarray(prior, float), (int(t.columns),)))


def test_the_toy() -> None:
    urn = dcm(documents(TOY))
    np.testing.assert_allclose(urn.alpha, [1.54260, 1.36917, 1.00613], atol=5e-6)
    assert urn.log_likelihood == pytest.approx(-13.79506, abs=5e-6)
    assert urn.converged
    approximate = edcm(documents(TOY))
    np.testing.assert_allclose(approximate.alpha, [0.39720, 0.39720, 0.29790], atol=5e-6)
    assert approximate.alpha.sum() == pytest.approx(1.09230, abs=5e-6)
    assert approximate.log_likelihood == pytest.approx(-17.45726, abs=5e-6)


def test_the_density_is_scipys() -> None:
    alpha = np.array([[1.5, 1.3, 1.0], [0.01, 2.0, 30.0], [1e5, 2e5, 3e5]])
    for a in alpha:
        oracle = [stats.dirichlet_multinomial.logpmf(x, a, x.sum()) for x in TOY]
        np.testing.assert_allclose([documents([x]).log_likelihood(a) for x in TOY], oracle, rtol=1e-9)
        assert documents(TOY).log_likelihood(a) == pytest.approx(sum(oracle), rel=1e-9)
    beta, s = edcm(documents(TOY)).alpha, edcm(documents(TOY)).alpha.sum()
    logs = [
        gammaln(x.sum() + 1) + gammaln(s) - gammaln(s + x.sum()) + np.log(beta[x > 0] / x[x > 0]).sum() for x in TOY
    ]
    np.testing.assert_allclose([documents([x]).log_approximation(beta) for x in TOY], logs)
    assert edcm(documents(TOY)).log_likelihood == pytest.approx(sum(logs))


corpora = arrays(
    np.int64, st.tuples(st.integers(0, 8), st.integers(1, 5)), elements=st.sampled_from([0, 0, 0, 1, 2, 7])
)
priors = st.sampled_from([0.0, 0.01, 1.0])


def height(X: Any, alpha: Any, prior: float) -> float:
    """Return the log-likelihood by definition, row by row."""
    total = prior * (np.log(alpha) - np.log(alpha.sum())).sum() if prior else 0.0
    for x in X:
        a = alpha[x > 0]
        total += (log_rising(a, x[x > 0])).sum() - float(log_rising(alpha.sum(), x.sum()))
    return float(total)


@given(corpora, priors)
def test_each_step_climbs(X: Any, prior: float) -> None:
    t = documents(X, prior)
    df = t.holding()
    if not df.any():
        return
    climb, alpha = _Climb.of(t, df, edcm(t).alpha)
    for _ in range(12):
        before, alpha = alpha, climb.higher(alpha)
        low, high = (height(X, climb.spread(a, df), prior) for a in (before, alpha))
        assert high >= low - 1e-9 * (1 + abs(low))


@given(corpora, priors)
def test_the_gradient_is_zero_at_the_maximum_or_leads_out_of_bounds(X: Any, prior: float) -> None:
    urn = dcm(documents(X, prior))
    assert urn.converged
    assert np.isfinite(urn.alpha).all()
    assert np.isfinite(urn.log_likelihood)
    seen = urn.alpha > 0
    np.testing.assert_array_equal(seen, X.any(axis=0) | (prior > 0))
    if not seen.any():
        return
    s, longest = urn.alpha.sum(), max(1, X.sum(axis=1).max(initial=0))
    assert LEAST * 0.99 <= s <= MOST * longest * 1.01
    x, log_alpha = X[:, seen], np.log(urn.alpha[seen])
    gradient = optimize.approx_fprime(log_alpha, lambda u: height(x, np.exp(u), prior), 1e-6)
    scale = 1e-3 * (1 + X.sum() + prior * seen.sum())
    if LEAST * 1.01 < s < MOST * longest * 0.99:
        np.testing.assert_allclose(gradient, 0, atol=scale)
    else:  # in proportion to α: no other mean would do better, and s would go further
        np.testing.assert_allclose(gradient - gradient.sum() * urn.alpha[seen] / s, 0, atol=scale)
        assert gradient.sum() * (1 if s > 1 else -1) >= -scale


@pytest.mark.thorough
def test_nothing_better_is_found_by_a_general_climber() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        X = np.array([rng.multinomial(rng.integers(5, 40), rng.dirichlet([0.3, 0.5, 1, 2])) for _ in range(30)])
        urn = dcm(documents(X, 0.1))
        best = optimize.minimize(lambda u, X=X: -height(X, np.exp(u), 0.1), np.zeros(4), method="BFGS")
        np.testing.assert_allclose(urn.alpha, np.exp(best.x), rtol=1e-4)
        assert height(X, urn.alpha, 0.1) >= -best.fun - 1e-9


DEGENERATE = {
    "identical documents": ([[2, 1, 3]] * 4, "multinomial"),
    "one document": ([[3, 0, 1]], "multinomial"),
    "a word of the same count everywhere": ([[2, 1, 0], [2, 0, 1], [2, 1, 0], [2, 0, 1]], "multinomial"),
    "all of one word": ([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], "multinomial"),
    "one word, repeated": ([[5, 0, 0], [0, 3, 0], [0, 0, 2], [4, 0, 0]], "one word"),
    "empty documents": ([[0, 0, 0]] * 3, "multinomial"),
    "empty ones among others": ([[0, 0, 0], *TOY.tolist()], "urn"),
    "no documents": (np.zeros((0, 3), int), "multinomial"),
    "a word a million times": ([[10**6, 1, 0], [3, 10**6, 1], [0, 1, 2]], "urn"),
    "one long document": ([[5339, 67, 0]], "multinomial"),
    "long ones, hardly different": ([[934, 1007, 0], [970, 931, 0], [938, 957, 0], [970, 953, 0]], "multinomial"),
    "a single column": ([[3], [1], [7]], "multinomial"),
}


def test_degenerate_documents_have_a_finite_urn() -> None:
    each_fit: Any = [dcm, edcm]
    for fit in each_fit:
        for prior in [0.0, 1e-9, 0.03, 5.0]:
            for name in DEGENERATE:
                X, kind = DEGENERATE[name]
                X = np.asarray(X)
                urn = fit(documents(X, prior))
                assert urn.converged
                assert np.isfinite(urn.alpha).all()
                assert np.isfinite(urn.log_likelihood)
                s, longest = urn.alpha.sum(), max(1, X.sum(axis=1).max(initial=0))
                if s == 0:
                    assert not X.any()
                    assert prior == 0
                elif fit is dcm and prior < 1:
                    bounds = {"multinomial": MOST * longest, "one word": LEAST}
                    at_bound = s == pytest.approx(bounds.get(kind, -1))
                    assert at_bound == (kind != "urn") or X.shape[1] == 1


def test_at_the_upper_bound_it_is_the_multinomial() -> None:
    X = np.array([[2, 1, 3]] * 4)
    urn = dcm(documents(X))
    np.testing.assert_allclose(urn.alpha / urn.alpha.sum(), np.array([2, 1, 3]) / 6, rtol=1e-6)
    expected = 4 * stats.multinomial.logpmf([2, 1, 3], 6, np.array([2, 1, 3]) / 6)
    assert urn.log_likelihood == pytest.approx(expected, abs=1e-4)


def test_the_conditions_of_the_approximation() -> None:
    inside = edcm(documents(TOY)).alpha.sum()
    assert LEAST < inside < MOST
    assert edcm(documents([[1, 1, 0], [0, 1, 1]])).alpha.sum() == MOST * 2  # Σ df = Σ n
    assert edcm(documents([[2, 0, 0], [0, 3, 0]])).alpha.sum() == pytest.approx(LEAST)  # one word a document


def test_too_few_steps_are_not_converged() -> None:
    urn = dcm(documents(TOY), max_iter=1)
    assert (urn.n_iter, urn.converged) == (1, False)
    assert urn.log_likelihood < dcm(documents(TOY)).log_likelihood


def test_the_prior_is_documents_of_one_word() -> None:
    X = np.concatenate([TOY, np.eye(3, dtype=int), np.eye(3, dtype=int)])
    np.testing.assert_allclose(dcm(documents(TOY, 2.0)).alpha, dcm(documents(X)).alpha, rtol=1e-8)
    np.testing.assert_allclose(edcm(documents(TOY, 2.0)).alpha, edcm(documents(X)).alpha, rtol=1e-8)


@given(st.floats(-7, 13).map(lambda p: 10.0**p), st.integers(1, 1000))
def test_differences_of_gamma_functions(x: float, n: int) -> None:
    r = x + np.arange(n)
    assert float(digamma_rise(x, n)) == pytest.approx((1 / r).sum(), rel=1e-12)
    assert float(trigamma_fall(x, n)) == pytest.approx((1 / r**2).sum(), rel=1e-12)
    if x < 100:
        assert float(digamma_rise(x, n)) == pytest.approx(digamma(x + n) - digamma(x), rel=1e-9)
        assert float(trigamma_fall(x, n)) == pytest.approx(polygamma(1, x) - polygamma(1, x + n), rel=1e-6)
