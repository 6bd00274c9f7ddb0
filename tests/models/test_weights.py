"""Evidence weights: slopes by finite differences, the optimum of the objective as it is written."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from suffice.models.weights import RIDGES, Rows, choose_weights, fit_weights


def some_rows(seed: int = 0, n: int = 80, columns: int = 4, classes: int = 3) -> Rows:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, n)
    votes = rng.normal(0, 1, (columns, n, classes))
    votes[:2, np.arange(n), codes] += 1.0
    return Rows.of(votes, np.log(rng.dirichlet(np.ones(classes), n)), codes, rng.uniform(0.5, 2, n))


def penalised(rows: Rows, ridge: float, parameters: Any) -> float:
    """The objective, written out row by row."""
    weights, terms = parameters[: len(rows.votes)], parameters[len(rows.votes) :]
    total = ridge / 2 * ((weights - 1) ** 2).sum()
    for i, code in enumerate(rows.codes):
        scores = rows.log_prior[:, i] + terms + weights @ rows.votes[:, :, i]
        total -= rows.weights[i] * (scores[code] - np.logaddexp.reduce(scores))
    return float(total)


@pytest.mark.parametrize("ridge", [0.1, 10.0])
def test_the_optimum_is_that_of_the_objective_as_written(ridge: float) -> None:
    rows = some_rows()
    found = fit_weights(rows, ridge)
    start = np.concatenate([np.ones(4), np.zeros(3)])
    bounds = [(0, None)] * 4 + [(None, None)] * 3
    other = minimize(
        lambda x: penalised(rows, ridge, x), start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-13}
    )
    got = penalised(rows, ridge, np.concatenate([found.columns, found.classes]))
    assert got == pytest.approx(other.fun, rel=1e-6)
    assert (found.columns >= 0).all()
    assert found.classes.sum() == pytest.approx(0, abs=1e-12)


def test_slope_and_bend_by_finite_differences() -> None:
    rows = some_rows(1)
    at, terms = np.array([0.7, 1.2, 0.4, 1.0]), np.array([0.1, -0.2, 0.1])
    _, share, pull = rows.loss(at, terms)
    slope = rows.flat @ pull.ravel()
    expected = approx_fprime(at, lambda w: penalised(rows, 0.0, np.concatenate([w, terms])), 1e-6)
    np.testing.assert_allclose(slope, expected, rtol=1e-4, atol=1e-4)
    for j in range(4):
        step = np.eye(4)[j] * 1e-5
        above, below = (rows.flat @ rows.loss(w, terms)[2].ravel() for w in (at + step, at - step))
        np.testing.assert_allclose(rows.bend(share)[j], (above - below) / 2e-5, rtol=1e-4, atol=1e-4)


def test_the_ridge_is_that_of_highest_evidence() -> None:
    rows = some_rows(2)
    found = choose_weights(rows.votes.transpose(0, 2, 1), rows.log_prior.T, rows.codes, rows.weights)
    every = [fit_weights(rows, ridge) for ridge in RIDGES]
    assert found.log_evidence == pytest.approx(max(one.log_evidence for one in every), abs=1e-3)


def test_rows_that_are_impossible_have_no_say() -> None:
    rows = some_rows(3)
    votes, prior = rows.votes.transpose(0, 2, 1).copy(), rows.log_prior.T
    votes[0, 5, 1] = -np.inf
    found = choose_weights(votes, prior, rows.codes, rows.weights)
    kept = np.arange(80) != 5
    fewer = choose_weights(votes[:, kept], prior[kept], rows.codes[kept], rows.weights[kept])
    np.testing.assert_allclose(found.columns, fewer.columns, atol=1e-6)
