"""A spread that a subtraction leaves is right to twelve digits, or a warning says that it may not be."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.stats import DiagonalMoments, FullMoments
from suffice.typing import Array

PROMISED, FAR_BELOW = 1e-12, 1e-15


def exact(values: Array) -> Fraction:
    given = [Fraction(float(value)) for value in values]
    mean = sum(given, Fraction(0)) / len(given)
    return sum(((value - mean) ** 2 for value in given), Fraction(0))


def rests(kind: Any, X: Array, order: Any) -> Any:
    """Yield what is left as rows go one by one, the values, and whether a warning was given so far."""
    left, told = kind.of(X[:, None]), False
    for at, gone in enumerate(order):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            left = left - kind.of(X[[gone], None])
        told |= bool(caught)
        yield left, np.delete(X, order[: at + 1]), told


def off(left: Any, values: Array) -> float:
    """Return the relative error of the scatter."""
    true = exact(values)
    wrong = abs(Fraction(float(left.scatter.item())) + Fraction(float(left.scatter_lo.item())) - true)
    return float(wrong / true) if true else 0.0 if not wrong else np.inf


@pytest.mark.parametrize("kind", [DiagonalMoments, FullMoments])
@pytest.mark.parametrize("n", [3, 40, 400])
def test_a_variance_is_right_or_a_warning_says_that_it_may_not_be(kind: Any, n: int) -> None:
    rng = np.random.default_rng(n)
    told: list[tuple[float, float]] = []
    untold: list[tuple[float, float]] = []
    for power in np.arange(0.0, 17.5, 0.5):
        for mean in (0.0, 1.0, 50.0):
            X = rng.normal(mean, 0.95, n)
            place = int(rng.integers(n))
            X[place] = rng.choice([-1, 1]) * 10**power * rng.uniform(1, 3)
            for left, values, warned in rests(kind, X, np.array([place])):
                (told if warned else untold).append((off(left, values), power))
    assert max(untold)[0] <= PROMISED
    assert min(told)[0] > FAR_BELOW
    assert all(power < 8 for _, power in untold)


@pytest.mark.parametrize("kind", [DiagonalMoments, FullMoments])
def test_values_that_go_one_by_one_lose_no_digits_in_silence(kind: Any) -> None:
    rng = np.random.default_rng(1)
    for top in (2.0, 5.0, 9.0, 16.0):
        X = np.append(rng.normal(size=12) * 10 ** np.linspace(top, 1, 12), rng.normal(size=5))
        for left, values, told in rests(kind, X, np.arange(12)):
            assert told or off(left, values) <= PROMISED


def test_equal_values_are_left_without_a_spread_and_without_a_warning() -> None:
    for value, far in ((0.0, 7.0), (0.0, 31337.0), (3.0, 7.1), (0.1, 0.7), (7.25, 100.0)):
        for n in (3, 50, 999):
            X = np.full(n, value)
            X[1] = far
            ((left, _, told),) = rests(DiagonalMoments, X, np.array([1]))
            assert not told
            assert left.scatter.item() == 0


def test_ordinary_rows_go_without_a_warning() -> None:
    rng = np.random.default_rng(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for draw in (rng.standard_normal, rng.standard_exponential, lambda size: rng.standard_t(4, size)):
            X = np.asarray(draw((6000, 3)))
            kind: Any
            for kind in (DiagonalMoments, FullMoments):
                assert (kind.of(X) - kind.of(X[60:])).n.max() == 60


@pytest.mark.parametrize("model", [sf.GaussianNB(), sf.GaussianDiscriminant(temper=None), sf.NaiveBayes(joint=None)])
def test_refresh_counts_again_what_a_far_value_left_uncertain(model: Any) -> None:
    rng = np.random.default_rng(3)
    X, y = np.asarray(rng.normal(size=(60, 2))), np.arange(60) % 2
    X[7] = 3e14
    model.fit(X, y)
    with pytest.warns(UserWarning, match=r"The spread of .* may be off by .* refresh"):
        model.forget(X[7:8], y[7:8])
    X, y = X[np.arange(60) != 7], y[np.arange(60) != 7]
    model.refresh(X, y)
    never = type(model)(**model.get_params()).fit(X, y)
    np.testing.assert_allclose(model.predict_log_proba(X), never.predict_log_proba(X), rtol=1e-12)
