"""Priors of highest evidence: the climb never descends, ends where scipy's ends, and nothing is ever NaN."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize

import suffice as sf
from estimators.plain import TextClassifier
from laws.estimators import ESTIMATORS
from suffice.models.empirical import pseudo_counts as empirical
from suffice.models.empirical.normals import Normals, belief_about_normals
from suffice.models.empirical.pseudo_counts import climb
from suffice.stats import DiagonalMoments

COUNTS = arrays(np.float64, (4, 3), elements=st.integers(0, 50).map(float) | st.floats(0, 50, width=32))
BOUNDS = (empirical.SMALLEST * 0.999, empirical.LARGEST * 1.001)


def best(value: Any, size: int) -> Any:
    """Return the highest value that scipy finds within the bounds, from several starts."""
    ends = [tuple(np.log([empirical.SMALLEST, empirical.LARGEST]))] * size
    starts = [np.full(size, u) for u in (-3.0, 0.0, 3.0)]
    found = [optimize.minimize(lambda u: -value(np.exp(u)), s, bounds=ends, method="L-BFGS-B") for s in starts]
    return max(-one.fun for one in found)


@given(COUNTS, st.sampled_from([None, 0.5]))
def test_one_alpha(counts: Any, other: Any) -> None:
    hill = empirical.symmetric_terms(counts, 3, counts.sum(axis=1), other)
    top = empirical.climb_from_grid(hill)
    assert np.diff(top.heights).min(initial=0.0) >= -1e-13 * abs(top.heights[0])
    assert BOUNDS[0] <= top.x[0] <= BOUNDS[1]
    assert hill.value(top.x) >= best(hill.value, 1) - 1e-6
    strength = 0.7
    alphas = np.append(np.full(3, strength), other) if other else np.full(3, strength)
    padded = np.column_stack([counts, np.zeros(4)]) if other else counts
    whole = np.sum(sf.Dirichlet(np.tile(alphas, (4, 1))).log_evidence(counts=padded))
    assert hill.value(np.array([strength])) == pytest.approx(whole, abs=1e-9)


FAIR = np.array([[6.0, 27.0, 23.0], [7.0, 24.5, 6.0], [24.0, 18.0, 22.0], [16.0, 10.0, 41.0]])
"""Flags that vary no more than chance has it: the evidence is a narrow ridge that rises, barely, to the wall."""


@given(COUNTS, COUNTS)
@example(FAIR, np.array([[16.0, 27.0, 23.0], [7.0, 41.0, 6.0], [24.0, 18.0, 24.0], [18.0, 0.0, 41.0]]))
def test_one_beta(ones: Any, zeros: Any) -> None:
    hill = empirical.flag_terms(ones, zeros, ones + zeros)
    found = empirical.beta_of_flags(hill)
    top = climb(hill, np.ones(2), empirical.SMALLEST, empirical.LARGEST)
    assert np.diff(top.heights).min(initial=0.0) >= -1e-13 * abs(top.heights[0])
    assert BOUNDS[0] <= min(found.a, found.b) <= max(found.a, found.b) <= BOUNDS[1]
    height = hill.value(np.array([found.a, found.b]))
    assert height == pytest.approx(np.sum(found.log_evidence(heads=ones, tails=zeros)), rel=1e-9, abs=1e-9)
    assert height >= best(hill.value, 2) - 1e-5 * (1 + abs(height))


@given(COUNTS, arrays(np.float64, (4, 1), elements=st.integers(0, 30).map(float)))
def test_one_gamma(total: Any, n: Any) -> None:
    total = np.where(n > 0, total, 0.0)
    hill = empirical.rate_terms(total, n)
    found = empirical.gamma_of_counts(hill)
    assert np.isfinite([found.shape, found.rate]).all()
    height = hill.value(np.array([found.shape, found.rate]))
    assert height >= best(hill.value, 2) - 1e-5 * (1 + abs(height))


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 5), st.floats(-8, 8))
def test_one_belief_about_normals(seed: int, classes: int, width: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    X = 10.0**size * (rng.normal(rng.normal(0, 2, (classes, width))[rng.integers(0, classes, n)]) + rng.normal(0, 9))
    t = DiagonalMoments.of(X, rng.integers(0, classes, n), n_classes=classes)
    found = belief_about_normals(t)
    evidence = float(np.sum(found.log_evidence(t)))
    assert np.isfinite(evidence)
    if not (t.scatter.sum(axis=0) > 0).all():
        return
    for m, kappa, a, b in ((0.1, 1, 1, 1), (0, 1.5, 1, 1), (0, 1, 1.3, 1.3), (0, 1, 1, 1.2), (-0.1, 0.7, 0.8, 0.9)):
        args = np.asarray(found.m) + m * np.sqrt(np.asarray(found.b)), found.kappa * kappa, found.a * a, found.b * b
        inside = 1e-6 <= np.min(args[1]) <= np.max(args[1]) <= 1e6 and 0.05 <= np.min(args[2]) <= np.max(args[2]) <= 1e6
        if inside:
            assert float(np.sum(sf.NormalInverseGamma(*args).log_evidence(t))) <= evidence + 1e-5 * (1 + abs(evidence))


def test_rounds_of_normals_never_descend() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        n, scatter = rng.integers(0, 9, (3, 4)).astype(float), rng.gamma(1.0, 1.0, (3, 4))
        state = Normals(n, rng.normal(0, 3, (3, 4)), np.where(n > 1, scatter, 0.0), np.zeros(4), np.ones(4), 1.0, 1.0)
        heights = [state.heights().sum()]
        for _ in range(40):
            state = state.climb_once()
            heights.append(state.heights().sum())
        assert np.diff(heights).min() >= -1e-12 * abs(heights[0])


def test_normals_end_where_scipy_ends() -> None:
    rng = np.random.default_rng(1)
    tau = rng.gamma(3.0, 0.5, (4, 6))
    codes = rng.integers(0, 4, 150)
    X = rng.normal(rng.normal(5, 1 / np.sqrt(0.3 * tau))[codes], 1 / np.sqrt(tau[codes]))
    t = DiagonalMoments.of(X, codes)

    def loss(p: Any) -> float:
        kappa, a = np.exp(p[-2:])
        return -float(np.sum(sf.NormalInverseGamma(p[:6], kappa, a, np.exp(p[6:12])).log_evidence(t)))

    theirs = optimize.minimize(loss, np.concatenate([np.full(6, 5.0), np.zeros(8)]), method="BFGS")
    mine = belief_about_normals(t)
    assert float(np.sum(mine.log_evidence(t))) == pytest.approx(-theirs.fun, abs=1e-6)
    np.testing.assert_allclose([mine.kappa[0], mine.a[0]], np.exp(theirs.x[-2:]), rtol=1e-3)


def test_data_without_a_maximum_end_at_the_bounds() -> None:
    one = empirical.one_alpha
    constant, even = np.array([[9.0, 0.0], [9.0, 0.0]]), np.array([[9.0, 9.0], [9.0, 9.0]])
    assert one(empirical.symmetric_terms(constant, 2, constant.sum(axis=1))) == pytest.approx(1e-6)
    assert one(empirical.symmetric_terms(even, 2, even.sum(axis=1))) == pytest.approx(1e6)
    assert one(empirical.symmetric_terms(np.array([[5.0]]), 1, np.array([5.0]))) == 1  # one word: it does not matter
    single = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert one(empirical.symmetric_terms(single, 2, np.ones(2))) == 1  # one row each: no α is better than another
    assert one(empirical.symmetric_terms(np.zeros((2, 2)), 2, np.zeros(2))) == 1  # nothing was seen


def test_shapes_of_sparse_words() -> None:
    X, y = next(case for case in ESTIMATORS if case.name == "TextClassifier").data(0, 40)
    matrix = sf.CountVectorizer().fit_transform(X).toarray()
    words = sf.MultinomialNB(alpha="evidence").fit(matrix, y)
    text = TextClassifier(alpha="evidence", temper=None).fit(X, y)
    assert text.alpha_ == pytest.approx(words.alpha_)
    np.testing.assert_allclose(text.predict_proba(X), words.predict_proba(matrix))
    presence = TextClassifier("bernoulli", alpha="evidence").fit(X, y)
    alpha: Any = presence.alpha_
    heights = [TextClassifier("bernoulli", alpha=alpha * f).fit(X, y).log_evidence_ for f in (0.9, 1, 1.1)]
    assert max(heights) == heights[1]
