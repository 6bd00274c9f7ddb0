"""Each way to estimate, against the families one cell at a time."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import suffice as sf
from suffice.errors import PriorError
from suffice.models.scoring.results import Estimate

X = np.array([[2, 0, 1], [1, 3, 0], [0, 1, 4], [5, 0, 0], [1, 1, 1], [0, 2, 2]])
y = np.array([0, 0, 1, 1, 0, 1])
new = np.array([[1, 2, 0], [3, 0, 1], [0, 0, 0]])
log_prior = np.log([0.5, 0.5])


def brute(score: Any) -> Any:
    return np.array([[score(row, c) for c in (0, 1)] for row in new]) + log_prior


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_bernoulli(estimate: Estimate) -> None:
    model = sf.BernoulliNB(alpha=sf.Beta(2.5, 1.5), estimate=estimate).fit(X, y)

    def score(row: Any, c: int) -> float:
        total = 0.0
        for j in range(3):
            seen = X[y == c, j] > 0
            belief = sf.Beta(2.5, 1.5).update(values=seen)
            theta = {"mle": seen.mean(), "map": belief.mode}.get(estimate, belief.mean)
            total += float(stats.bernoulli.logpmf(int(row[j] > 0), theta))
        return total

    np.testing.assert_allclose(model.predict_joint_log_proba(new), brute(score), rtol=1e-12)


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_multinomial(estimate: Estimate) -> None:
    prior = sf.Dirichlet([1.5, 2.0, 3.0])
    model = sf.MultinomialNB(alpha=prior, estimate=estimate).fit(X, y)

    def score(row: Any, c: int) -> float:
        counts = X[y == c].sum(axis=0)
        belief = prior.update(counts=counts)
        if estimate == "predictive":
            return float(
                belief.predict(int(row.sum())).logpmf(row)
                - stats.multinomial.logpmf(row, row.sum(), [1 / 3] * 3)
                - row.sum() * np.log(3)
            )
        theta = {"mle": counts / counts.sum(), "map": belief.mode}.get(estimate, belief.mean)
        return float(row @ np.log(theta))

    np.testing.assert_allclose(model.predict_joint_log_proba(new), brute(score), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_poisson(estimate: Estimate) -> None:
    prior = sf.Gamma(2.0, 0.5)
    model = sf.PoissonNB(alpha=prior, estimate=estimate).fit(X, y)

    def score(row: Any, c: int) -> float:
        total = 0.0
        for j in range(3):
            belief = prior.update(values=X[y == c, j])
            rate = {"mle": X[y == c, j].mean(), "map": belief.mode}.get(estimate, belief.mean)
            log = belief.predict().logpmf(row[j]) if estimate == "predictive" else stats.poisson.logpmf(row[j], rate)
            total += float(log) - float(stats.poisson.logpmf(row[j], 1) + 1)  # without −ln x!
        return total

    np.testing.assert_allclose(model.predict_joint_log_proba(new), brute(score), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_categorical(estimate: Estimate) -> None:
    model = sf.CategoricalNB(alpha=1.5, estimate=estimate).fit(X, y)

    def score(row: Any, c: int) -> float:
        total = 0.0
        for j in range(3):
            counts = np.bincount(X[y == c, j], minlength=X[:, j].max() + 1)
            belief = sf.Dirichlet(np.full(len(counts), 1.5)).update(counts=counts)
            theta = {"mle": counts / counts.sum(), "map": belief.mode}.get(estimate, belief.mean)
            with np.errstate(divide="ignore"):
                total += float(np.log(theta[row[j]]))
        return total

    np.testing.assert_allclose(model.predict_joint_log_proba(new), brute(score), rtol=1e-12)


@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
def test_gaussian(estimate: Estimate) -> None:
    prior = sf.NormalInverseGamma(1.0, 0.5, 2.0, 3.0)
    model = sf.GaussianNB(prior=prior, estimate=estimate, var_smoothing=0).fit(X, y)

    def score(row: Any, c: int) -> float:
        total = 0.0
        for j in range(3):
            values = X[y == c, j]
            belief = prior.update(values=values)
            mean, variance = {"mle": (values.mean(), values.var()), "map": belief.mode}.get(estimate, belief.mean)
            plug_in = stats.norm.logpdf(row[j], mean, np.sqrt(variance))
            total += float(belief.predict().logpdf(row[j]) if estimate == "predictive" else plug_in)
        return total

    np.testing.assert_allclose(model.predict_joint_log_proba(new), brute(score), rtol=1e-10)


def test_a_dirichlet_class_prior() -> None:
    model = sf.MultinomialNB(class_prior=sf.Dirichlet([3, 1])).fit(X, y)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [6 / 10, 4 / 10])


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (sf.MultinomialNB().set_params(estimate="best"), "'estimate' parameter of MultinomialNB"),
        (sf.MultinomialNB(alpha=sf.Dirichlet([1, 2])), "Dirichlet of 3 categories"),
        (sf.BernoulliNB(alpha=sf.Beta([1, 2], 1)), "one per feature"),
        (sf.PoissonNB(alpha=sf.Gamma([1, 2], 1)), "one per feature"),
        (sf.MultinomialNB().set_params(alpha=sf.Beta(1, 1)), "'alpha' parameter"),
        (sf.CategoricalNB(alpha=0.5, estimate="map"), "alpha leaves it none at .*larger alpha"),
        (sf.CategoricalNB(alpha=0, estimate="map"), "needs alpha above 0"),
        (sf.MultinomialNB(class_prior=sf.Dirichlet([1, 1, 1])), "Dirichlet of 2 categories"),
        (sf.GaussianNB(estimate="predictive"), "must be a NormalInverseGamma"),
    ],
)
def test_bad_options(model: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


def test_a_belief_that_does_not_fit_the_features_is_refused_at_fit() -> None:
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    belief = sf.NormalInverseGamma([0.0, 0.0, 0.0], 1, 1, 1)
    with pytest.raises(PriorError, match=r"'prior' parameter .* shape \(2,\), one per feature.* shape \(3,\)"):
        sf.GaussianNB(prior=belief, estimate="map").fit(X, y)
