"""Evidence weights of columns: gradients by finite differences, the optimum of the objective as it is written."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from suffice.models.choosing.feature_weights import ColumnRows, choose_ridge, fit_weights, in_words


def some_rows(seed: int = 0, n: int = 80, columns: int = 4, classes: int = 3) -> ColumnRows:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, n)
    votes = rng.normal(0, 1, (columns, n, classes))
    votes[:2, np.arange(n), codes] += 1.0
    return ColumnRows.of(votes, np.log(rng.dirichlet(np.ones(classes), n)), codes, rng.uniform(0.5, 2, n))


def penalised(rows: ColumnRows, ridge: float, parameters: Any) -> float:
    """Return the objective, written out row by row."""
    weights, terms = parameters[: len(rows.votes)], parameters[len(rows.votes) :]
    total = ridge / 2 * ((weights - 1) ** 2).sum()
    for i, code in enumerate(rows.codes):
        scores = rows.log_prior[:, i] + terms + weights @ rows.votes[:, :, i]
        total -= rows.weights[i] * (scores[code] - np.logaddexp.reduce(scores))
    return float(total)


@pytest.mark.parametrize("ridge", [0.1, 10.0])
def test_the_optimum_is_that_of_the_objective_as_written(ridge: float) -> None:
    rows = some_rows()
    found = fit_weights(rows, ridge, tolerance=1e-10)
    start = np.concatenate([np.ones(4), np.zeros(3)])
    bounds = [(0, None)] * 4 + [(None, None)] * 3
    other = minimize(
        lambda x: penalised(rows, ridge, x), start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-13}
    )
    got = penalised(rows, ridge, np.concatenate([found.features, found.classes]))
    assert got == pytest.approx(other.fun, rel=1e-6)
    assert found.objective == pytest.approx(-got, rel=1e-9)
    assert (found.features >= 0).all()
    assert found.classes.sum() == pytest.approx(0, abs=1e-12)


def test_gradient_and_hessian_by_finite_differences() -> None:
    rows = some_rows(1)
    at, terms = np.array([0.7, 1.2, 0.4, 1.0]), np.array([0.1, -0.2, 0.1])
    value, gradient, gradient_of_terms = rows.loss(at, terms)
    assert value == pytest.approx(penalised(rows, 0.0, np.concatenate([at, terms])), rel=1e-12)
    assert rows.each(at, terms).sum() == pytest.approx(value, rel=1e-12)
    both = approx_fprime(np.concatenate([at, terms]), lambda x: penalised(rows, 0.0, x), 1e-6)
    np.testing.assert_allclose(np.concatenate([gradient, gradient_of_terms]), both, rtol=1e-4, atol=1e-4)
    for j in range(4):
        step = np.eye(4)[j] * 1e-5
        above, below = (rows.loss(w, terms)[1][j] for w in (at + step, at - step))
        assert rows.hessian_diagonal(at, terms)[j] == pytest.approx((above - below) / 2e-5, rel=1e-4)


def test_a_fit_can_go_on_from_another() -> None:
    rows = some_rows(4)
    near = fit_weights(rows, 1.0, tolerance=1e-9)
    again = fit_weights(rows, 1.0, near, tolerance=1e-9)
    assert again.steps < near.steps
    np.testing.assert_allclose(again.features, near.features, atol=1e-4)


def test_an_infinite_ridge_leaves_all_weights_at_one() -> None:
    found = fit_weights(some_rows(6), np.inf)
    assert (found.features == 1).all()
    assert (found.classes == 0).all()


def test_the_ridge_is_the_largest_that_rows_cannot_tell_from_the_best() -> None:
    rows = some_rows(2, n=400)
    judged = np.arange(400) % 4 == 0
    learned, held = rows.take(~judged), rows.take(judged)
    found = choose_ridge([(learned, held)])
    ridges = 0.3 * 10 ** (np.arange(-4, 7) / 2)
    each = [held.each(fit.features, fit.classes) for fit in (fit_weights(learned, ridge) for ridge in ridges)]
    best = each[int(np.argmin([losses.sum() for losses in each]))]
    more = [losses - best for losses in each]
    same = [extra.sum() <= 1.05 * np.sqrt(len(extra)) * extra.std() for extra in more]
    assert same[int(np.argmin(np.abs(ridges - found.ridge)))]


def test_rows_that_are_impossible_do_not_count() -> None:
    rows = some_rows(3)
    votes, prior = rows.votes.transpose(0, 2, 1).copy(), rows.log_prior.T
    votes[0, 5, 1] = -np.inf
    found = fit_weights(ColumnRows.of(votes, prior, rows.codes, rows.weights), 1.0)
    kept = np.arange(80) != 5
    fewer = fit_weights(ColumnRows.of(votes[:, kept], prior[kept], rows.codes[kept], rows.weights[kept]), 1.0)
    np.testing.assert_allclose(found.features, fewer.features, atol=1e-12)


def test_groups_stay_with_their_rows() -> None:
    rows = some_rows(5)
    votes, prior = rows.votes.transpose(0, 2, 1).copy(), rows.log_prior.T
    votes[0, 5, 1] = -np.inf
    group = np.arange(80) // 4
    found = ColumnRows.of(votes, prior, rows.codes, rows.weights, group)
    np.testing.assert_array_equal(found.group, np.delete(group, 5))
    np.testing.assert_array_equal(found.take(found.group == 3).codes, rows.codes[12:16])


@pytest.mark.parametrize(
    ("weight", "words"), [(0.01, "already said by other columns"), (1.0, ""), (0.5, "weight 0.50")]
)
def test_a_weight_in_words(weight: float, words: str) -> None:
    assert in_words(weight, "columns") == words
