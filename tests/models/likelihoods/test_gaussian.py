"""Normals by class: scores, rows held out, evidence and beliefs, against scipy and against fitting without the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from suffice.errors import DataError, ImproperPrior, InputError, KindError, ShapeError, SingularCovariance
from suffice.models.answers import derived
from suffice.models.likelihoods.discriminant_analysis import DiagonalDiscriminant
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.posterior import NormalInverseGamma
from suffice.stats import DiagonalMoments
from suffice.stats.inputs import RowMatrix
from suffice.tables import Column, Table
from suffice.typing import Array

RNG = np.random.default_rng(3)
N, CLASSES = 40, 3
CODES = np.arange(N) % CLASSES
WEIGHTS = RNG.integers(1, 4, N).astype(float)
GROUPS = RNG.integers(0, 9, N)
X = RNG.normal(size=(N, 2)) * [1.0, 20.0] + [100.0, -3.0] + CODES[:, None] * [1.0, 5.0]
NEW = RNG.normal(size=(5, 2)) * [1.0, 20.0] + [100.0, -3.0]
PRIOR = NormalInverseGamma([100.0, -3.0], 0.5, 2.0, [1.0, 300.0])
ESTIMATES: Any = ["mle", "map", "mean", "predictive"]


def matrix(x: Array) -> MatrixRows:
    return MatrixRows(RowMatrix.read(x, "X"))


def fitted(likelihood: Gaussian, kept: Any = slice(None), x: Array = X) -> tuple[Any, DiagonalMoments]:
    t = likelihood.count(matrix(x[kept]), Labels(CODES[kept], WEIGHTS[kept], CLASSES))
    return likelihood.settled(t), t


def column(values: Any, name: str = "size") -> Column:
    return Table.read({name: values})[name]


def parameters(estimate: str, x: Array, w: Array, floor: float) -> Any:
    """Return scipy's density of the next number, for one class and feature with a prior NIG(m, κ, a, b)."""
    m, kappa, a, b = x[-4:]
    x, n = x[:-4], w.sum()
    mean = w @ x / n
    scatter = w @ (x - mean) ** 2
    if estimate == "mle":
        return stats.norm(mean, np.sqrt(scatter / n + floor))
    k, m1, a1 = kappa + n, (kappa * m + n * mean) / (kappa + n), a + n / 2
    b1 = b + scatter / 2 + kappa * n / (kappa + n) * (mean - m) ** 2 / 2
    if estimate == "predictive":
        return stats.t(2 * a1, m1, np.sqrt(b1 * (k + 1) / (a1 * k)))
    return stats.norm(m1, np.sqrt((b1 / (a1 + 1.5) if estimate == "map" else b1 / (a1 - 1)) + floor))


def by_hand(estimate: str, new: Array, kept: Any = slice(None), floor: float = 0.0) -> Array:
    out = np.zeros((len(new), CLASSES))
    x, codes, weights = X[kept], CODES[kept], WEIGHTS[kept]
    for c in range(CLASSES):
        for j in range(2):
            belief = [np.broadcast_to(part, 2)[j] for part in (PRIOR.m, PRIOR.kappa, PRIOR.a, PRIOR.b)]
            law = parameters(estimate, np.append(x[codes == c, j], belief), weights[codes == c], floor)
            out[:, c] += law.logpdf(new[:, j])
    return out


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_scores_are_those_of_scipy(estimate: Any) -> None:
    total = WEIGHTS @ (X - WEIGHTS @ X / WEIGHTS.sum()) ** 2 / WEIGHTS.sum()
    floor = 1e-3 * total.max()
    likelihood, t = fitted(Gaussian(PRIOR, estimate=estimate, column=False, var_smoothing=1e-3))
    assert_allclose(likelihood.floor, floor)
    scorer = likelihood.scorer(t)
    expected = by_hand(estimate, NEW, floor=floor)
    assert_allclose(scorer.scores(matrix(NEW)), expected, rtol=1e-10)
    explained = likelihood.contributions(t, matrix(NEW[:1]))
    assert_allclose(explained.logs.sum(axis=0), expected[0], rtol=1e-10)
    assert explained.features == [0, 1]
    assert (explained.belief is None) == (estimate == "predictive")
    if estimate != "predictive":
        log_prior = np.log([0.7, 0.2, 0.1])
        assert_array_equal(scorer.best(matrix(NEW), log_prior), (expected + log_prior).argmax(axis=1))


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_rows_are_held_out_as_if_never_counted(estimate: Any) -> None:
    likelihood, t = fitted(Gaussian(PRIOR, 0.1, estimate, column=False))
    alone = likelihood.held_out(t, matrix(X), Removal.of(CODES, WEIGHTS))
    grouped = likelihood.held_out(t, matrix(X), Removal.of(CODES, WEIGHTS, GROUPS)).scores()
    assert alone.lengths() is None
    for i in range(N):
        kept = np.arange(N) != i
        expected = by_hand(estimate, X[i : i + 1], kept, 0.1)[0]
        assert_allclose(alone.scores()[i], expected, rtol=1e-9)
        expected = by_hand(estimate, X[i : i + 1], GROUPS[i] != GROUPS, 0.1)[0]
        assert_allclose(grouped[i], expected, rtol=1e-9)


@pytest.mark.parametrize("groups", [None, np.array([0, 1, 1, 2, 3])])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_class_may_lose_all_of_its_rows(estimate: Any, groups: Any) -> None:
    x, codes = np.array([[1.0], [2.0], [4.0], [9.0], [8.0]]), np.array([0, 1, 1, 2, 2])
    likelihood = Gaussian(NormalInverseGamma(2.0, 1.0, 2.0, 3.0), 0.5, estimate, column=False)
    t = likelihood.count(matrix(x), Labels(codes, None, 3))
    held_out = likelihood.held_out(t, matrix(x), Removal.of(codes, None, groups)).scores()
    for i, g in enumerate(np.arange(5) if groups is None else groups):
        kept = (np.arange(5) if groups is None else groups) != g
        rest = likelihood.count(matrix(x[kept]), Labels(codes[kept], None, 3))
        assert_allclose(held_out[i], likelihood.scorer(rest).scores(matrix(x[i : i + 1]))[0], rtol=1e-9)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("prior", [None, "evidence"])
def test_the_unit_of_a_column_changes_no_bit(estimate: Any, prior: Any) -> None:
    found = []
    for power in (0, -30, 40):
        likelihood = Gaussian(prior, 0.0, estimate)
        rows = likelihood.rows(column((X[:, 1] * 2.0**power).tolist()))
        t = likelihood.count(rows, Labels(CODES, WEIGHTS, CLASSES))
        settled = likelihood.settled(t)
        scores = settled.scorer(t).scores(rows)
        held_out = settled.held_out(t, rows, Removal.of(CODES, WEIGHTS, GROUPS)).scores()
        moments = settled.belief(t).moments(rows)
        found.append([scores, held_out, *moments, settled.contributions(t, rows.take([0])).logs])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            assert_array_equal(a, b)


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_column_is_a_density_in_the_unit_of_the_user(estimate: Any) -> None:
    likelihood = Gaussian(estimate=estimate)
    rows = likelihood.rows(column((X[:, 1] * 1000).tolist()))
    t = likelihood.count(rows, Labels(CODES, None, CLASSES))
    settled = likelihood.settled(t)
    prior = settled.prior
    assert isinstance(prior, NormalInverseGamma)
    assert (prior.kappa, prior.a) == (0.01, 1.5)
    assert_allclose(prior.m, X[:, 1].mean() * 1000)
    assert_allclose(2 * np.asarray(prior.b), t.scatter.sum() / N)
    plain = Gaussian(prior, estimate=estimate, column=False)
    expected = plain.scorer(t).scores(rows)
    assert_allclose(settled.scorer(t).scores(rows) + settled.log_measure(t, rows), expected, rtol=1e-10)
    assert_allclose(settled.log_evidence(t).sum().sum(), np.sum(np.asarray(prior.log_evidence(t))))
    assert settled.settled(t) == settled


def test_a_missing_value_is_not_removed_from_a_class() -> None:
    values: list[Any] = X[:, 0].tolist()
    values[4] = None
    likelihood = Gaussian()
    rows = likelihood.rows(column(values))
    there = rows.present
    assert there is not None
    t = likelihood.count(rows.take(there), Labels(CODES, WEIGHTS, CLASSES).take(there))
    settled = likelihood.settled(t)
    scores = settled.held_out(t, rows, Removal.of(CODES, WEIGHTS, GROUPS).among(there)).scores()
    i = int(np.flatnonzero((GROUPS[4] == GROUPS) & (np.arange(N) != 4))[0])
    kept = there & (GROUPS[4] != GROUPS)
    rest = likelihood.count(rows.take(kept), Labels(CODES, WEIGHTS, CLASSES).take(kept))
    assert_allclose(scores[i], settled.scorer(rest).scores(rows.take([i]))[0], rtol=1e-9)
    measured = np.asarray(settled.log_measure(t, rows))
    assert measured[4] == 0
    assert len(set(measured.tolist())) <= 2


def test_beliefs_and_intervals_are_those_of_draws() -> None:
    likelihood, t = fitted(Gaussian(PRIOR, column=False))
    belief = likelihood.belief(t)
    mean, variance = belief.moments(matrix(NEW))
    draws = belief.draws(matrix(NEW), np.random.default_rng(0), 4000)
    assert_allclose(draws.mean(axis=0), mean, atol=5 * np.sqrt(variance.max() / 4000))
    assert_allclose(draws.var(axis=0), variance, rtol=0.2)
    low, high = derived.parameter_intervals(likelihood, t, 0.9)
    posterior = likelihood.posterior(t)
    scale = np.sqrt(np.asarray(posterior.b) / posterior.a / posterior.kappa)
    law = stats.t(2 * np.asarray(posterior.a), posterior.m, scale)
    assert_allclose([law.ppf(0.05), law.ppf(0.95)], [low, high])
    assert_allclose(likelihood.posterior(t, np.array([1])).m[:, 0], np.asarray(posterior.m)[:, 1])


def test_without_a_prior_a_belief_is_flat() -> None:
    likelihood, t = fitted(Gaussian(estimate="mle", column=False))
    low, high = derived.parameter_intervals(likelihood, t, 0.9)
    n = np.array([WEIGHTS[c == CODES].sum() for c in range(CLASSES)])[:, None]
    law = stats.t(n - 1, t.mean, np.sqrt(t.variance / (n - 1)))
    assert_allclose([low, high], [law.ppf(0.05), law.ppf(0.95)])
    with pytest.raises(ImproperPrior, match=r"evidence.*prior=None"):
        likelihood.log_evidence(t)
    with pytest.raises(ImproperPrior, match=r"posterior.*prior=None"):
        likelihood.posterior(t)


def test_the_evidence_is_the_product_of_predictions() -> None:
    likelihood = Gaussian(PRIOR, column=False)
    total, mine = 0.0, CODES == 1
    for i in np.flatnonzero(mine):
        seen = mine & (np.arange(N) < i)
        rest = likelihood.count(matrix(X[seen]), Labels(CODES[seen], None, CLASSES))
        total += float(likelihood.scorer(rest).scores(matrix(X[i : i + 1]))[0, 1])
    t = likelihood.count(matrix(X[mine]), Labels(CODES[mine], None, CLASSES))
    assert_allclose(likelihood.log_evidence(t).sum(), [0.0, total, 0.0], rtol=1e-9, atol=1e-12)


def test_what_speaks_for_a_class_is_a_divergence() -> None:
    x = np.array([[0.0, 1.0], [2.0, 1.2], [10.0, 1.1], [12.0, 0.9]])
    likelihood = Gaussian(estimate="mle", column=False)
    t = likelihood.count(matrix(x), Labels(np.array([0, 0, 1, 1]), None, 2))
    first = derived.top_features(likelihood, t, np.array([2.0, 2.0]), 1, 2)[0]
    assert (first.feature, first.value) == (0, "high: 11 on average, others 1")
    assert_allclose(first.weight, 50.0)


def test_em_asks_for_priors_and_parameters() -> None:
    likelihood = Gaussian("evidence", estimate="map", column=False)
    settled, t = fitted(likelihood)
    assert likelihood.learns_prior
    assert not settled.learns_prior
    assert derived.n_parameters(likelihood, t)[0] == 4
    one = likelihood.count(matrix(X), Labels(np.zeros(N, int), None, 1))
    weak: Any = likelihood.weak(one, N, 3).prior
    assert_allclose(weak.m, X.mean(axis=0))
    assert_allclose(2 * weak.b, X.var(axis=0) / 3)
    assert settled.weak(one, N, 3) is settled
    assert_array_equal(likelihood.points(matrix(X)), X)
    assert Gaussian().points(Gaussian().rows(column([1.0, 2.0]))) is None
    # The mode of the joint density of rows and parameters is what is plugged in.
    mean, variance = settled.parameters(t)
    prior: Any = settled.prior

    def height(mean: Array, variance: Array) -> float:
        rows = -0.5 * (t.n * np.log(variance) + (t.scatter + t.n * (t.mean - mean) ** 2) / variance)
        own = stats.invgamma(prior.a, scale=prior.b).logpdf(variance)
        return float((rows + own + stats.norm(prior.m, np.sqrt(variance / prior.kappa)).logpdf(mean)).sum())

    assert height(mean, variance) > height(mean * 1.0001, variance)
    assert height(mean, variance) > max(height(mean, variance * 1.01), height(mean, variance * 0.99))
    densities = stats.invgamma(prior.a, scale=prior.b).logpdf(variance)
    densities = densities + stats.norm(prior.m, np.sqrt(variance / prior.kappa)).logpdf(mean)
    assert_allclose(derived.log_prior_density(settled, t), densities.sum(), rtol=1e-9)


def test_a_table_has_means_and_deviations() -> None:
    likelihood = Gaussian(NormalInverseGamma(0.0, 1.0, 2.0, 3.0))
    rows = likelihood.rows(column([1.0, 3.0, 8.0]))
    t = likelihood.count(rows, Labels(np.array([0, 0, 1]), None, 2))
    table = derived.parameter_table(likelihood, t, np.array(["a", "b"]), 0.9)
    assert list(table) == ["class", "n", "mean", "low", "high", "sd", "sd_low", "sd_high"]
    assert_allclose(table["mean"], [4 / 3, 4.0])
    assert (table["low"] < table["mean"]).all()
    assert derived.prior_in_words(likelihood, t) == "NormalInverseGamma(0, 1, 2, 3)"


def test_a_column_shows_what_was_given() -> None:
    assert repr(Gaussian()) == "Gaussian()"
    assert repr(Gaussian(estimate="mle")) == "Gaussian()"
    assert repr(Gaussian("evidence", 0.5)) == "Gaussian(prior='evidence', floor=0.5)"
    assert Gaussian(floor=1.0) == Gaussian(floor=1.0) != Gaussian()
    assert hash(Gaussian(floor=1.0)) == hash(Gaussian(floor=1.0))


def test_what_a_gaussian_refuses() -> None:
    with pytest.raises(DataError, match="'floor'"):
        Gaussian(floor=-1.0)
    with pytest.raises(KindError, match="NormalInverseGamma"):
        Gaussian("weak")
    with pytest.raises(ShapeError, match="single belief"):
        Gaussian(PRIOR)
    with pytest.raises(DataError, match=r"'size'.*at most 2\*\*500"):
        Gaussian().rows(column([1.0, 2.0**600]))
    with pytest.raises(InputError, match="estimate='map'"):
        fitted(Gaussian(estimate="map", column=False))
    assert "var_smoothing" in Gaussian(estimate="mle", column=False).lacks("shares")
    assert not Gaussian(estimate="mle", column=False, var_smoothing=1e-9).lacks("shares")
    assert not Gaussian().lacks("shares")


def test_a_diagonal_discriminant_refuses_constants() -> None:
    x = np.column_stack([X[:, 0], np.ones(N)])
    likelihood, t = fitted(DiagonalDiscriminant("loo", estimate="mle"), x=x)
    with pytest.raises(SingularCovariance, match="column 1 does not vary"):
        likelihood.scorer(t)
    assert "covariance='diagonal'" in likelihood.lacks("shares")
    predictive, t = fitted(DiagonalDiscriminant("loo"), x=x)
    assert np.isfinite(predictive.scorer(t).scores(matrix(NEW))).all()
    assert not predictive.lacks("shares")
    with pytest.raises(InputError, match="must be a NormalInverseGamma of 2 columns"):
        fitted(DiagonalDiscriminant(None, estimate="mean"))
