"""The bounded search, against scipy's."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from suffice.models.descent import descend


def quadratic(seed: int, n: int) -> Any:
    rng = np.random.default_rng(seed)
    root = rng.normal(0, 1, (n, n)) * np.geomspace(0.1, 10, n)
    bend, middle = root.T @ root + np.eye(n), rng.normal(0, 2, n)

    def function(x: Any) -> Any:
        return float((x - middle) @ bend @ (x - middle) / 2), bend @ (x - middle)

    return function


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("least", [-np.inf, -1.0, 0.0])
def test_it_ends_where_scipys_does(seed: int, least: float) -> None:
    function, start = quadratic(seed, 12), np.ones(12)
    found = descend(function, start, np.full(12, least), 1e-13)
    other = minimize(function, start, jac=True, method="L-BFGS-B", bounds=[(least, None)] * 12, options={"ftol": 1e-15})
    assert found.value == pytest.approx(other.fun, rel=1e-6, abs=1e-8)
    assert (found.x >= least).all()


def test_a_valley_that_bends() -> None:
    found = descend(lambda x: (float(rosen(x)), rosen_der(x)), np.full(4, -1.0), np.full(4, -np.inf), 1e-12)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)


def test_every_step_leads_down_and_is_told() -> None:
    told: list[tuple[int, float]] = []
    function = quadratic(7, 20)
    found = descend(function, np.ones(20), np.zeros(20), 1e-9, tell=lambda step, value: told.append((step, value)))
    values = [value for _, value in told]
    assert [step for step, _ in told] == list(range(1, len(told) + 1))
    assert all(later <= sooner for sooner, later in itertools.pairwise(values))
    assert values[-1] == found.value


def test_nothing_is_left_to_do_at_the_bound() -> None:
    found = descend(lambda x: (float(x.sum()), np.ones(3)), np.zeros(3), np.zeros(3))
    assert found.calls == 1
    assert (found.x == 0).all()
