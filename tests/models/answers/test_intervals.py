"""Bounds of class probabilities: the delta method against draws, blocks together, rows in stretches."""

import numpy as np
import pytest
from scipy.special import digamma, expit, polygamma
from scipy.stats import norm

from models.answers.made import counts, matrix, of_matrix, of_table, predictor_of, table
from suffice.models.answers import intervals
from suffice.models.answers.intervals import bounds, dependent_bounds, independent_bounds
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.model import Name
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.rows import Rows
from suffice.models.views import ColumnWeights, FeatureWeights, Views


def test_two_classes_have_normal_log_odds() -> None:
    X, y = counts(n=30)
    y = np.where(y == "c", "b", y)
    row = np.array([2.0, 0, 0, 1, 0])
    low, high = bounds(of_matrix(X, y, prior=ClassPrior("uniform")), matrix(row[None]), 0.9)
    alpha = [X[y == label].sum(axis=0) + 1 for label in "ab"]
    mean = [row @ (digamma(a) - digamma(a.sum())) for a in alpha]
    variance = [row**2 @ polygamma(1, a) - row.sum() ** 2 * polygamma(1, a.sum()) for a in alpha]
    reach, centre = norm.ppf(0.95) * np.sqrt(sum(variance)), mean[0] - mean[1]
    np.testing.assert_allclose([low[0, 0], high[0, 0]], expit([centre - reach, centre + reach]))
    np.testing.assert_allclose([low[0, 1], high[0, 1]], expit([-centre - reach, -centre + reach]))


def test_draws_agree_with_moments() -> None:
    X, y = counts(n=400)
    views = Views(weights=FeatureWeights({"a": 0.2}, 1.0, np.array([1.0, 0.3, 1.0, 0.5, 1.0])))
    for predictor in (of_matrix(X, y), of_matrix(X, y, views=views, temper=Temper(0.7, 0.3))):
        near = bounds(predictor, matrix(X[:5]), 0.8)
        drawn = bounds(predictor, matrix(X[:5]), 0.8, np.random.default_rng(0), 4000)
        np.testing.assert_allclose(near, drawn, atol=0.02)
        p = np.exp(predictor.log_proba(matrix(X[:5])))
        assert ((near[0] < p) & (p < near[1])).all()


def test_blocks_are_independent_and_a_missing_value_is_certain() -> None:
    X, y = counts(n=60)
    rows: dict[Name, Rows] = {
        name: matrix(X[:, part])["X"] for name, part in (("one", slice(0, 2)), ("two", slice(2, 5)))
    }
    views = Views(weights=ColumnWeights({"b": 0.3}, 1.0, {"one": 0.5}))
    both = predictor_of({"one": Multinomial(), "two": Multinomial()}, rows, y, views=views)
    mean, variance = (
        np.array([0.0, 0.3, 0.0]) + digamma(1 + both.model.n),
        polygamma(1, 1 + both.model.n),
    )
    for name, power in (("one", 0.5), ("two", 1.0)):
        block = both.model.blocks[name]
        first, second = block.settled.belief(block.t).moments(rows[name])
        mean, variance = mean + power * first, variance + power**2 * second
    np.testing.assert_allclose(np.stack(bounds(both, rows, 0.9)), np.stack(independent_bounds(mean, variance, 0.9)))
    predictor = of_table()
    missing = table({"size": [None, 1.0], "note": ["cheap lunch", "noon"]})
    alone = table({"note": ["cheap lunch", "noon"]})
    near = [np.stack(bounds(predictor, one, 0.9)) for one in (missing, alone)]
    np.testing.assert_allclose(near[0][:, 0], near[1][:, 0])
    drawn = [np.stack(bounds(predictor, one, 0.9, np.random.default_rng(1), 2000)) for one in (missing, alone)]
    np.testing.assert_allclose(drawn[0][:, 0], drawn[1][:, 0], atol=0.05)
    empty = bounds(predictor, table({"size": [None], "note": [None]}), 0.9)
    prior = independent_bounds(digamma([[3.0, 3.0]]), polygamma(1, [[3.0, 3.0]]), 0.9)
    np.testing.assert_allclose(empty, prior)


def test_rows_are_taken_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = counts()
    predictor = of_matrix(X, y)
    expected = bounds(predictor, matrix(X), 0.9)
    monkeypatch.setattr(intervals, "NUMBERS_AT_ONCE", 20)
    np.testing.assert_array_equal(bounds(predictor, matrix(X), 0.9), expected)
    assert bounds(predictor, matrix(X[:0]), 0.9)[0].shape == (0, 3)


def test_covariances_of_independent_scores_change_nothing() -> None:
    rng = np.random.default_rng(0)
    mean, variance = rng.normal(0, 2, (7, 4)), rng.random((7, 4))
    covariance = variance[:, :, None] * np.eye(4)
    np.testing.assert_allclose(dependent_bounds(mean, covariance, 0.9), independent_bounds(mean, variance, 0.9))
    shared = np.ones((7, 4, 4))  # what all classes share cancels
    low, high = dependent_bounds(mean, shared, 0.9)
    np.testing.assert_allclose(low, high)


def test_a_class_alone_is_certain() -> None:
    X, _ = counts()
    low, high = bounds(of_matrix(X, ["a"] * 40), matrix(X[:2]), 0.9)
    assert (low == 1).all()
    assert (high == 1).all()
