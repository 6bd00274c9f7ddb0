"""Minima, against scipy's; and the search of the safest number along a grid."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from suffice.models.choosing.optimize import descend, safest


def quadratic(seed: int, n: int) -> Any:
    rng = np.random.default_rng(seed)
    root = rng.normal(0, 1, (n, n)) * np.geomspace(0.1, 10, n)
    hessian, middle = root.T @ root + np.eye(n), rng.normal(0, 2, n)

    def function(x: Any) -> Any:
        return float((x - middle) @ hessian @ (x - middle) / 2), hessian @ (x - middle)

    return function


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lower", [-np.inf, -1.0, 0.0])
def test_it_ends_where_scipys_does(seed: int, lower: float) -> None:
    function, initial = quadratic(seed, 12), np.ones(12)
    found = descend(function, initial, np.full(12, lower), 1e-13)
    bounds = [(lower, None)] * 12
    other = minimize(function, initial, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15})
    assert found.value == pytest.approx(other.fun, rel=1e-6, abs=1e-8)
    assert (found.x >= lower).all()


def test_a_curved_valley() -> None:
    found = descend(lambda x: (float(rosen(x)), rosen_der(x)), np.full(4, -1.0), np.full(4, -np.inf), 1e-12)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)


def test_every_step_leads_down_and_is_reported() -> None:
    reported: list[tuple[int, float]] = []
    function = quadratic(7, 20)
    found = descend(function, np.ones(20), np.zeros(20), 1e-9, report=lambda *step: reported.append(step))
    values = [value for _, value in reported]
    assert [step for step, _ in reported] == list(range(1, len(reported) + 1))
    assert all(later <= sooner for sooner, later in itertools.pairwise(values))
    assert values[-1] == found.value


def test_nothing_is_left_to_do_at_the_bound() -> None:
    found = descend(lambda x: (float(x.sum()), np.ones(3)), np.zeros(3), np.zeros(3))
    assert found.calls == 1
    assert (found.x == 0).all()


@pytest.mark.parametrize("lowest", [-4, -1, 0, 2, 3])
def test_the_search_goes_downhill_to_where_it_rises(lowest: int) -> None:
    def loss(x: float) -> Any:
        return np.full(10, (np.log(x) / np.log(2) - lowest) ** 2)  # no two rows differ: no error at all

    assert safest(loss, 1.0, 2.0, 2.0**-10, 2.0**10) == pytest.approx(2.0**lowest)


def test_the_search_stays_within_its_bounds_and_prefers_the_smoother() -> None:
    assert safest(lambda x: np.full(30, x), 1.0, 2.0, 0.2, 10.0) == 0.25
    assert safest(lambda x: np.full(30, -x), 1.0, 2.0, 0.2, 10.0) == 8.0
    rng = np.random.default_rng(0)
    noise = {2.0**k: rng.normal(0, 1, 50) for k in range(-3, 4)}
    assert safest(lambda x: noise[x] - noise[x].mean(), 1.0, 2.0, 0.2, 5.0) == 4.0
