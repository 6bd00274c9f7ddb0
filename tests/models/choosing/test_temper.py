"""Tempers, against a general optimiser of the objective as it is written."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax

from suffice.models.choosing.smoothing import Scored, choose_temper, log_loss
from suffice.models.scoring.cells import AS_IT_IS, Temper


def rows(seed: int, by_length: bool, n: int = 120, classes: int = 3) -> Scored:
    rng = np.random.default_rng(seed)
    codes, lengths = rng.integers(0, classes, n), rng.integers(1, 60, n).astype(float)
    scores = rng.normal(0, 1, (n, classes)) * lengths[:, None] ** 0.7
    scores[np.arange(n), codes] += 0.6 * lengths**0.5
    prior = np.log(rng.dirichlet(np.ones(classes), n))
    return Scored(scores, prior, codes, rng.uniform(0.5, 2, n), lengths if by_length else None)


def losses(given: Scored, power: Any) -> Any:
    """Return −ln p of each row's class."""
    joint = given.log_prior + np.asarray(power).reshape(-1, 1) * given.scores
    return -log_softmax(joint, axis=1)[np.arange(len(given.codes)), given.codes]


@pytest.mark.parametrize("by_length", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_is_that_of_the_objective_as_written(seed: int, by_length: bool) -> None:
    given = rows(seed, by_length)
    logs = np.zeros(120) if given.lengths is None else np.log(given.lengths)
    typical = given.weights @ logs / given.weights.sum()

    def objective(x: Any) -> float:
        power = np.exp(x[0] + x[1] * (typical - logs))
        return float(given.weights @ losses(given, power) + ((1 - np.exp(x[0])) ** 2 + 16 * x[1] ** 2) / 2)

    bounds = [(-15, 0), (0, 2 if by_length else 0)]
    other = minimize(objective, np.array([-0.5, 0.1 * by_length]), bounds=bounds, method="L-BFGS-B", tol=1e-12)
    found = choose_temper(given)
    x = np.array([np.log(found.power) - found.length * typical, found.length])
    assert objective(x) <= other.fun + 1e-9 * abs(other.fun)
    assert x[0] <= 1e-12
    assert found.length == 0 or by_length


@pytest.mark.parametrize("exponent", [0.0, 0.4, 2.5, -0.5])
def test_the_power_is_the_best_for_an_exponent_that_is_given(exponent: float) -> None:
    given = replace(rows(8, True), exponent=exponent)
    assert given.lengths is not None
    logs = np.log(given.lengths)
    typical = given.weights @ logs / given.weights.sum()

    def objective(log_power: float) -> float:
        power = np.exp(log_power + exponent * (typical - logs))
        return float(given.weights @ losses(given, power) + (1 - np.exp(log_power)) ** 2 / 2)

    best = minimize_scalar(objective, bounds=(-15, 0), method="bounded", options={"xatol": 1e-10})
    found = choose_temper(given)
    assert found.length == exponent
    at = np.log(found.power) - exponent * typical
    assert objective(at) <= best.fun + 1e-9 * abs(best.fun)
    assert at <= 1e-12


def test_the_loss_is_a_weighted_mean() -> None:
    given = rows(5, True)
    temper = Temper(0.4, 0.3)
    expected = given.weights @ losses(given, temper.of(given.lengths)) / given.weights.sum()
    assert log_loss(given, temper) == pytest.approx(expected, rel=1e-12)


def test_impossible_rows_and_rows_without_weight_do_not_count() -> None:
    given = rows(6, True)
    given.scores[3, given.codes[3]] = -np.inf
    given.weights[5] = 0.0
    kept = ~np.isin(np.arange(120), [3, 5])
    assert choose_temper(given) == choose_temper(given.take(kept))


def test_nothing_to_choose_by() -> None:
    given = rows(7, False)
    assert choose_temper(given.take(np.zeros(120, bool))) == AS_IT_IS
    one = Scored(given.scores[:, :1], given.log_prior[:, :1], np.zeros(120, np.int64), given.weights, None)
    assert choose_temper(one) == AS_IT_IS
