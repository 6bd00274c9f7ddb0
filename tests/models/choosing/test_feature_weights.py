"""Feature powers of columns: gradients by finite differences, the optimum of the objective as it is written."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from suffice.models.choosing.weights import ColumnRows, choose_ridge, fit_weights
from suffice.parallel import threads


def some_votes(seed: int = 0, n: int = 80, columns: int = 4, classes: int = 3) -> tuple[Any, Any, Any, Any]:
    """Return votes, logarithms of priors, codes of labels, and weights of rows."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, n)
    votes = rng.normal(0, 1, (columns, n, classes))
    votes[:2, np.arange(n), codes] += 1.0
    return votes, np.log(rng.dirichlet(np.ones(classes), n)), codes, rng.uniform(0.5, 2, n)


def some_rows(seed: int = 0, n: int = 80, columns: int = 4, classes: int = 3) -> ColumnRows:
    return ColumnRows.of(*some_votes(seed, n, columns, classes))


def penalised(rows: ColumnRows, ridge: float, parameters: Any) -> float:
    """Return the objective, written out row by row."""
    weights, terms = parameters[: len(rows.votes)], parameters[len(rows.votes) :]
    votes = np.insert(rows.votes, 0, 0.0, axis=1)  # those of the first class, which others are relative to
    total = ridge / 2 * ((weights - 1) ** 2).sum()
    for i, code in enumerate(rows.codes):
        scores = rows.log_prior[:, i] + terms + weights @ votes[:, :, i]
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


@pytest.mark.parametrize(("n", "columns", "classes"), [(1, 1, 2), (37, 0, 3), (700, 5, 2), (1100, 9, 7), (3, 4, 1)])
def test_losses_and_derivatives_are_those_of_the_formula(n: int, columns: int, classes: int) -> None:
    votes, prior, codes, weights = some_votes(2, n, columns, classes)
    votes = 40 * votes  # some probabilities are as good as nothing
    rng = np.random.default_rng(0)
    at, terms = rng.uniform(0, 2, columns), rng.normal(size=classes)
    at[columns // 2 :][:1] = 0.0
    scores = prior + terms + np.tensordot(at, votes, 1)
    scores -= scores.max(axis=1, keepdims=True)
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    share, losses = np.exp(logs), -weights * logs[np.arange(n), codes]
    residual = weights[:, None] * (share - np.eye(classes)[codes])
    mean = (share * votes).sum(axis=2, keepdims=True)
    rows = ColumnRows.of(votes, prior, codes, weights)
    value, gradient, gradient_of_terms = rows.loss(at, terms)
    assert value == pytest.approx(losses.sum(), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(rows.each(at, terms), losses, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(rows.shares(at, terms), share.T, rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(gradient, (votes * residual).sum(axis=(1, 2)), rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(gradient_of_terms, residual.sum(axis=0), rtol=1e-10, atol=1e-11)
    bend = ((votes - mean) ** 2 * (share * weights[:, None])).sum(axis=(1, 2))
    np.testing.assert_allclose(rows.hessian_diagonal(at, terms), bend, rtol=1e-10, atol=1e-9)


def test_threads_do_not_change_a_bit() -> None:
    rows, at, terms = some_rows(8, 20_000, 12, 3), np.linspace(0, 2, 12), np.array([0.1, -0.3, 0.2])
    found = []
    for n in (1, 2, 5):
        with threads(n):
            value, *gradients = rows.loss(at, terms)
            found.append([value, *np.concatenate([*gradients, rows.hessian_diagonal(at, terms), rows.each(at, terms)])])
    assert found[0] == found[1] == found[2]


def test_scores_beyond_all_numbers_have_no_loss() -> None:
    rows = some_rows(9)
    assert np.isnan(rows.loss(np.full(4, 1e308), np.zeros(3))[0])


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
    votes, prior, codes, weights = some_votes(3)
    votes[0, 5, 1] = -np.inf
    found = fit_weights(ColumnRows.of(votes, prior, codes, weights), 1.0)
    kept = np.arange(80) != 5
    fewer = fit_weights(ColumnRows.of(votes[:, kept], prior[kept], codes[kept], weights[kept]), 1.0)
    np.testing.assert_allclose(found.features, fewer.features, atol=1e-12)


def test_groups_stay_with_their_rows() -> None:
    votes, prior, codes, weights = some_votes(5)
    votes[0, 5, 1] = -np.inf
    group = np.arange(80) // 4
    found = ColumnRows.of(votes, prior, codes, weights, group)
    np.testing.assert_array_equal(found.group, np.delete(group, 5))
    np.testing.assert_array_equal(found.take(found.group == 3).codes, codes[12:16])


@pytest.mark.parametrize("single", [False, True])
def test_votes_of_many_columns_lie_row_by_row(single: bool) -> None:
    votes, prior, codes, weights = some_votes(3, 70, 150, 4)
    rows = ColumnRows.of(votes, prior, codes, weights)
    assert not rows.votes.flags.c_contiguous
    if single:
        rows = replace(rows, votes=rows.votes.astype(np.float32, order="C"))
    features, classes = np.linspace(0, 1.5, 150), np.linspace(-1, 1, 4)
    here = rows.take(np.arange(len(rows.codes)) % 3 > 0)
    own = np.asarray(rows.votes, np.float64)[..., np.arange(len(rows.codes)) % 3 > 0]
    scores = here.log_prior + classes[:, None]
    scores[1:] += np.einsum("j,jcr->cr", features, own)
    share = np.exp(scores - np.logaddexp.reduce(scores, axis=0))
    loss, gradient, terms = here.loss(features, classes)
    each = -here.weights * np.log(share[here.codes, np.arange(len(here.codes))])
    off = (share - (np.arange(4)[:, None] == here.codes)) * here.weights
    mean = np.einsum("cr,jcr->jr", share[1:], own)
    bend = np.einsum("cr,jcr,r->j", share[1:], own**2, here.weights) - np.einsum("jr,r->j", mean**2, here.weights)
    assert loss == pytest.approx(each.sum(), rel=1e-12)
    np.testing.assert_allclose(here.each(features, classes), each, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(here.shares(features, classes), share, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(gradient, np.einsum("cr,jcr->j", off[1:], own), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(terms, off.sum(axis=1), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(here.hessian_diagonal(features, classes), bend, rtol=1e-8, atol=1e-10)
