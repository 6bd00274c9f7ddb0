"""Which likelihood the columns of a table get when nobody says, and how it is shown."""

from typing import Any

import numpy as np
import pytest

import suffice as sf
from estimators.plain import NaiveBayes
from suffice.models.likelihoods.histogram import Histogram

RNG = np.random.default_rng(0)
N = 2000
Y = RNG.integers(0, 2, N)
BELL = RNG.normal(size=N)


@pytest.mark.parametrize(
    ("column", "word"),
    [
        (BELL + 2 * Y, "gaussian"),
        (BELL * (1 + 3 * Y), "gaussian"),
        (1e8 + BELL + 5 * Y, "gaussian"),
        (np.exp(2 * BELL) * (1 + Y), "histogram"),
        (RNG.random(N) + Y / 2, "histogram"),
        (np.where(RNG.random(N) < 0.9, 0.0, BELL), "histogram"),
        (np.full(N, 2.5), "histogram"),
        (RNG.integers(1, 6, N), "categorical"),
        (RNG.integers(1, 6, N).astype(float), "categorical"),
        (RNG.choice([1, 7, 1000, 123456], N), "categorical"),
        (RNG.poisson(12 + 5 * Y), "poisson"),
        (RNG.integers(0, 50_000, N), "histogram"),
        (RNG.integers(-20, 20, N) ** 3, "histogram"),
        (RNG.integers(0, 10**15, N), "histogram"),
        (Y == 1, "bernoulli"),
        (RNG.choice(["a", "b", "c"], N), "categorical"),
        ([f"word{i % 900} and some more words {i}" for i in range(N)], "text"),
        ([None] * N, "unknown"),
    ],
)
def test_by_what_it_holds(column: Any, word: str) -> None:
    fitted = NaiveBayes().fit({"x": column}, Y)
    assert fitted.columns_["x"].word == word
    declared = {} if word == "unknown" else {"x": word}
    assert fitted.statistics_["x"] == NaiveBayes(declared).fit({"x": column}, Y).statistics_["x"]


@pytest.mark.parametrize("unit", [1e-3, 0.3, 1000, 4096])
def test_the_unit_does_not_choose(unit: float) -> None:
    for column in (BELL + 2 * Y, np.exp(2 * BELL) * (1 + Y), RNG.random(N), 5000 + BELL):
        words = {NaiveBayes().fit({"x": column * scale}, Y).columns_["x"].word for scale in (1, unit)}
        assert len(words) == 1


def test_a_column_is_settled_by_its_first_values() -> None:
    fitted = NaiveBayes().partial_fit({"x": [1, 2] * 10}, Y[:20])
    assert fitted.columns_["x"].word == "categorical"
    fitted.partial_fit({"x": BELL}, Y)
    assert fitted.columns_["x"].word == "categorical"


@pytest.mark.parametrize("estimate", ["mean", "predictive"])
def test_a_histogram_sums_to_one(estimate: Any) -> None:
    fitted = NaiveBayes({"x": "histogram"}).fit({"x": np.exp(2 * BELL) * (1 + Y)}, Y)
    scorer: Any = Histogram(estimate=estimate).scorer(fitted.statistics_["x"])
    np.testing.assert_allclose(np.exp(scorer.table[:-1]).sum(axis=0), 1)
    np.testing.assert_array_equal(scorer.table[-1], 0)


@pytest.mark.parametrize("kind", ["gaussian", "poisson", "histogram", "bernoulli", "categorical"])
def test_priors_in_words(kind: str) -> None:
    column = Y if kind == "bernoulli" else RNG.poisson(3, N)
    shown = repr(NaiveBayes({"x": kind}).fit({"x": column}, Y))
    prior = {"gaussian": "NormalInverseGamma(", "poisson": "Gamma(1, ", "bernoulli": "Beta(a=1, b=1)"}
    assert prior.get(kind, "Dirichlet(1 ") in shown


def test_models_are_shown_as_they_are_written() -> None:
    c = sf.columns
    for model in (c.Gaussian(), c.Categorical(alpha=0.5), c.Histogram(edges=(1.0, 2.0)), c.Text(ngram_range=(1, 2))):
        assert eval(repr(model), vars(c)) == model
    assert c.Categorical(alpha=0.5) != c.Categorical()
    assert c.Bernoulli() == c.Bernoulli(sf.Beta(1, 1)) != c.Bernoulli(sf.Beta(2, 1))
