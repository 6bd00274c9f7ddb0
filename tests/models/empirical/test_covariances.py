"""Priors of covariances: the one of highest evidence, and the parts of rows that judge others."""

from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.models.empirical import covariances as spread
from suffice.stats import FullMoments

COVARIANCES = ("full", "shared")


def data(seed: int, rows: int, columns: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 3
    shapes = rng.normal(size=(3, columns, columns))
    return np.einsum("ij,ijk->ik", rng.normal(size=(rows, columns)), shapes[y]) + 0.5 * y[:, None], y


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_the_gradient_of_the_evidence(covariance: Any) -> None:
    X, y = data(6, 50)
    bodies = spread.Bodies.of(FullMoments.of(X, y), covariance, "pooled")
    x, step = np.array([3.0, 0.7]), 1e-5
    first, second = bodies.derivatives(x)
    for i, move in enumerate(step * np.eye(2)):
        assert first[i] == pytest.approx((bodies.value(x + move) - bodies.value(x - move)) / 2 / step, rel=1e-6)
        hessian = (bodies.derivatives(x + move)[0] - bodies.derivatives(x - move)[0]) / 2 / step
        np.testing.assert_allclose(second[i], hessian, rtol=1e-6)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_the_prior_has_the_highest_evidence(covariance: Any) -> None:
    X, y = data(7, 60, 4)
    t = FullMoments.of(X, y)

    def evidence(found: spread.Spread) -> float:
        return float(sf.GaussianDiscriminant(covariance, prior=found.prior(t), temper=None).fit(X, y).log_evidence_)

    best = spread.by_evidence(t, covariance)
    top = evidence(best)
    assert top == sf.GaussianDiscriminant(covariance, prior="evidence").fit(X, y).log_evidence_
    for kind in spread._kinds(covariance):
        for more in best.more * np.array([0.3, 0.9, 1.0, 1.1, 3.0]):
            for size in best.size * np.array([0.3, 0.9, 1.0, 1.1, 3.0]):
                assert evidence(spread.Spread(kind, more, size)) <= top + 1e-3


def test_groups_stay_in_one_part() -> None:
    group = np.random.default_rng(0).integers(0, 25, 300)
    part = spread.parts_of(np.zeros(300, int), group)
    assert all(len(set(part[group == g])) == 1 for g in range(25))
    assert len(set(part)) == 10
    codes = np.repeat([0, 1], [20, 280])
    alone = spread.parts_of(codes, None)
    assert np.bincount(alone[codes == 0]).tolist() == [2] * 10
