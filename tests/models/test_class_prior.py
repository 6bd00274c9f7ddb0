"""The class prior, against fractions and scipy: estimates, evidence, densities, draws."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from suffice.errors import InputError, NoUniqueMode
from suffice.models.class_prior import ClassPrior
from suffice.posterior import Dirichlet

counted = st.lists(st.integers(0, 50), min_size=2, max_size=5)
alphas = st.sampled_from([Fraction(1), Fraction(5, 4), Fraction(2), Fraction(7)])


def exact(estimate: str, n: list[int], alpha: list[Fraction]) -> list[Fraction]:
    """Return the estimate in fractions."""
    less = {"mle": alpha, "map": [Fraction(1)] * len(n)}.get(estimate, [Fraction(0)] * len(n))
    each = [rows + a - b for rows, a, b in zip(n, alpha, less, strict=True)]
    return [one / sum(each) for one in each]


@given(counted.filter(any), st.data())
def test_estimates_are_those_of_the_formulas(n: list[int], data: st.DataObject) -> None:
    alpha = data.draw(st.lists(alphas, min_size=len(n), max_size=len(n)))
    same = [alpha[0]] * len(n)
    for estimate in ("mle", "map", "mean", "predictive"):
        belief = ClassPrior(Dirichlet([float(a) for a in alpha]), estimate)
        number = ClassPrior(float(alpha[0]), estimate)
        for prior, pseudo in ((belief, alpha), (number, same)):
            expected = [float(p) for p in exact(estimate, n, pseudo)]
            np.testing.assert_allclose(np.exp(prior.log(np.array(n, float))), expected, rtol=1e-12)


def test_the_mode_is_where_the_density_is_largest() -> None:
    n, alpha = np.array([20.0, 10.0, 3.0]), np.array([2.0, 1.5, 1.0])
    found = np.exp(ClassPrior(Dirichlet(alpha), "map").log(n))
    steps = np.arange(1, 200) / 200
    grid = [np.array([a, b, 1 - a - b]) for a, b in product(steps, steps) if a + b < 1 - 1e-9]
    best = max(stats.dirichlet.pdf(point, n + alpha) for point in grid)
    assert stats.dirichlet.pdf(found, n + alpha) >= best
    np.testing.assert_allclose(found, np.array([21, 10.5, 3]) / 34.5)


@pytest.mark.parametrize(("given_", "n"), [(0.5, [3, 0]), (1.0, [0, 0]), (Dirichlet([0.5, 3]), [0, 9])])
def test_no_unique_mode(given_: Any, n: list[int]) -> None:
    with pytest.raises(NoUniqueMode, match="'map' needs a unique mode of the class prior; the 'class_prior' parameter"):
        ClassPrior(given_, "map").log(np.array(n, float))
    assert np.isfinite(ClassPrior(given_, "mean").log(np.array(n, float))).all()


def test_one_class_is_certain_under_every_estimate() -> None:
    for estimate, given_ in product(("mle", "map", "mean"), (0.5, 1.0, Dirichlet([0.25]), "counted", "uniform")):
        assert ClassPrior(given_, estimate).log(np.array([4.0])).tolist() == [0.0]
    assert ClassPrior(0.5, "map").log(np.array([0.0])).tolist() == [0.0]


def test_rows_left_out_leave_no_error() -> None:
    left = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(np.exp(ClassPrior(1.0, "map").log(left)), [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(np.exp(ClassPrior(0.5, "map").log(left)), [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(np.exp(ClassPrior(1.0).log(left)), [[0.5, 0.5], [0.75, 0.25], [0.5, 0.5]])


@given(st.lists(st.integers(0, 20), min_size=2, max_size=4), st.sampled_from([0.5, 1.0, 3.0]))
def test_the_evidence_is_that_of_labels_one_after_the_other(n: list[int], alpha: float) -> None:
    found, integrated = ClassPrior(alpha).log_evidence(np.array(n, float))
    total, seen = 0.0, np.zeros(len(n))
    for c in np.repeat(np.arange(len(n)), n):
        total += np.log((seen[c] + alpha) / (seen.sum() + alpha * len(n)))
        seen[c] += 1
    assert integrated
    assert found == pytest.approx(total, abs=1e-9)


def test_what_is_given_has_the_evidence_of_its_probabilities() -> None:
    n = np.array([3.0, 1.0, 0.0])
    for prior, shares in (("uniform", [1 / 3] * 3), (np.array([0.2, 0.3, 0.5]), [0.2, 0.3, 0.5])):
        found, integrated = ClassPrior(prior).log_evidence(n)
        assert not integrated
        assert found == pytest.approx(float(n @ np.log(shares)))
    assert ClassPrior("counted").log_evidence(n)[0] == pytest.approx(3 * np.log(3 / 4) + np.log(1 / 4))


@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
def test_what_em_climbs_is_largest_at_the_estimate(estimate: str) -> None:
    n, prior = np.array([7.0, 2.0, 4.0]), ClassPrior(Dirichlet([2.0, 1.0, 1.5]), estimate)
    best = prior.log(n)
    height = prior.log_density(best) + n @ best
    for other in np.random.default_rng(0).dirichlet(np.ones(3), 200):
        assert prior.log_density(np.log(other)) + n @ np.log(other) <= height + 1e-12
    more = np.array([2.0, 1.0, 1.5]) + (estimate != "map")
    assert prior.log_density(best) == pytest.approx(stats.dirichlet.logpdf(np.exp(best), more))
    flat = ClassPrior(Dirichlet([2.0, 1.0, 1.5]), "mle")
    assert flat.log_density(flat.log(n)) == 0.0


def test_moments_and_draws_are_those_of_the_posterior() -> None:
    n = np.array([4.0, 1.0])
    mean, variance = ClassPrior(2.0).moments(n)
    belief = stats.beta(6, 3)  # ln p differs from ln of a gamma draw by what both classes share
    odds = integrate.quad(lambda p: np.log(p / (1 - p)) * belief.pdf(p), 0, 1)[0]
    square = integrate.quad(lambda p: np.log(p / (1 - p)) ** 2 * belief.pdf(p), 0, 1)[0]
    assert mean[0] - mean[1] == pytest.approx(odds)
    assert variance.sum() == pytest.approx(square - odds**2)
    draws = ClassPrior(2.0).draws(n, np.random.default_rng(0), 4000)
    share = np.exp(draws[:, 0]) / np.exp(draws).sum(axis=1)
    assert stats.kstest(share, belief.cdf).pvalue > 1e-3
    for given_ in ("uniform", np.array([0.3, 0.7])):
        assert ClassPrior(given_).moments(n)[1].tolist() == [0, 0]


def test_a_belief_of_other_classes_is_refused() -> None:
    with pytest.raises(InputError, match="must be a Dirichlet of 3 categories, one per class"):
        ClassPrior(Dirichlet([1.0, 1.0])).log(np.ones(3))
    with pytest.raises(InputError, match="Number of priors must match number of classes"):
        ClassPrior(np.array([0.5, 0.5])).log(np.ones(3))
