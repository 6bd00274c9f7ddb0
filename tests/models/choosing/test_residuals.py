"""Residuals of values: the kernel against a formula in plain numpy, and the fit against another optimiser."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from suffice import _native
from suffice.models.choosing.residuals import LEAST, Design, FittedResiduals, fit_residuals
from suffice.models.choosing.weights import ROUGH

NOTHING = np.zeros(0)


def made(rows: int = 300, classes: int = 3, sizes: Any = (4, 7, 5), seed: int = 0) -> dict[str, Any]:
    """Return rows with scores, and the place of a value in each block; some have none."""
    rng = np.random.default_rng(seed)
    places = [np.where(rng.random(rows) < 0.1, -1, rng.integers(0, size, rows)) for size in sizes]
    truth = [rng.normal(size=(size + 1, classes)) for size in sizes]
    score = rng.normal(size=(rows, classes))
    signal = score + sum(one[place] for one, place in zip(truth, places, strict=True))
    codes = np.argmax(signal + rng.gumbel(size=(rows, classes)), axis=1)
    offset = rng.normal(size=(rows, classes)) / 3
    return {
        "scores": score, "offset": offset, "design": Design.of(places, [*map(int, np.ravel(sizes))]), "codes": codes,
        "weights": rng.uniform(0.2, 2.0, rows),
    }  # fmt: skip


def plain(data: dict[str, Any], scale: float, terms: Any, delta: Any, ridge: float) -> tuple[float, Any, Any]:
    """Return objective, its gradient, and the loss of each row, row by row."""
    design, codes, weights = data["design"], data["codes"], data["weights"]
    own, each = np.eye(len(terms))[codes], np.zeros(len(codes))
    gradient, by_value = np.zeros(1 + len(terms)), ridge * delta
    for i, (score, offset) in enumerate(zip(data["scores"], data["offset"], strict=True)):
        values = [v for v in design.values[:, i].tolist() if v >= 0]
        line = scale * score + offset + terms + delta[values].sum(axis=0)
        p = np.exp(line - np.logaddexp.reduce(line))
        each[i] = -weights[i] * np.log(p[codes[i]])
        slope = weights[i] * (p - own[i])
        gradient += np.concatenate([[slope @ score], slope])
        for v in values:
            by_value[v] += slope
    objective = each.sum() + ridge / 2 * float((delta**2).sum())
    return objective, np.concatenate([gradient, by_value.ravel()]), each


def somewhere(data: dict[str, Any], seed: int = 1) -> tuple[float, Any, Any]:
    rng, classes = np.random.default_rng(seed), data["scores"].shape[1]
    return 0.8, rng.normal(size=classes), rng.normal(size=(int(data["design"].first[-1]), classes))


def asked(data: dict[str, Any], at: Any, ridge: float, threads: int = 1) -> tuple[float, Any, Any]:
    rows = data["design"].rows(data["scores"], data["offset"], data["codes"], data["weights"])
    gradient, each = np.full(1 + at[1].size + at[2].size, np.nan), np.full(len(data["codes"]), np.nan)
    value = rows.loss(*at, ridge, gradient, each, threads)
    np.testing.assert_equal(rows.loss(*at, ridge, gradient, NOTHING, threads), value)
    np.testing.assert_equal(rows.loss(*at, ridge, NOTHING, NOTHING, threads), value)
    return value, gradient, each


@pytest.mark.parametrize("classes", range(1, 13))
def test_loss_and_gradient_are_those_of_the_formula(classes: int) -> None:
    for rows, sizes in ((1, (2,)), (260, (4, 1, 7, 5, 2, 9)), (3000, (3, 8))):
        data = made(rows, classes, sizes)
        at = somewhere(data)
        value, gradient, each = asked(data, at, 0.7)
        expected = plain(data, *at, 0.7)
        assert value == pytest.approx(expected[0], rel=1e-12)
        np.testing.assert_allclose(gradient, expected[1], rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(each, expected[2], rtol=1e-9, atol=1e-14)


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    data, ridge = made(80), 0.3
    scale, terms, delta = somewhere(data)
    x = np.concatenate([[scale], terms, delta.ravel()])
    rows = data["design"].rows(data["scores"], data["offset"], data["codes"], data["weights"])

    def loss(x: Any) -> float:
        terms = np.ascontiguousarray(x[1:4])
        delta = np.ascontiguousarray(x[4:]).reshape(-1, 3)
        return float(rows.loss(float(x[0]), terms, delta, ridge, NOTHING, NOTHING, 1))

    slope = optimize.approx_fprime(x, loss, 1e-6)
    np.testing.assert_allclose(asked(data, (scale, terms, delta), ridge)[1], slope, rtol=1e-4, atol=1e-4)


def test_threads_do_not_change_a_bit() -> None:
    data = made(3000, 10, (5, 8, 3, 40, 11, 7, 2, 30, 9, 13))
    at = somewhere(data)
    value, gradient, each = asked(data, at, 2.0, 1)
    for threads in (2, 3, 8):
        other = asked(data, at, 2.0, threads)
        assert other[0] == value
        np.testing.assert_array_equal(other[1], gradient)
        np.testing.assert_array_equal(other[2], each)


def test_scores_beyond_all_bounds_have_finite_losses() -> None:
    data = made(20)
    data["scores"] = data["scores"] * 1e6
    value, gradient, each = asked(data, somewhere(data), 0.1)
    assert np.isfinite([value, *gradient, *each]).all()


def bent(change: Callable[[dict[str, Any]], None]) -> None:
    data = made(20)
    design = data["design"]
    parts = {"values": design.values.copy(), "first": design.first.copy(), "code": data["codes"].copy()}
    parts |= {"scores": data["scores"], "offset": data["offset"], "weight": data["weights"]}
    _native.Residuals(**parts)
    change(parts)
    _native.Residuals(**parts)


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: parts["values"].__setitem__((0, 3), parts["first"][1]),  # of another block
        lambda parts: parts["values"].__setitem__((2, 3), parts["first"][3]),  # of none
        lambda parts: parts["values"].__setitem__((0, 3), -2),
        lambda parts: parts["code"].__setitem__(0, 3),
        lambda parts: parts["code"].__setitem__(0, -1),
        lambda parts: parts["first"].__setitem__(0, 1),
        lambda parts: parts.update(first=parts["first"][:-1].copy()),
        lambda parts: parts.update(weight=parts["weight"][:-1].copy()),
        lambda parts: parts.update(offset=parts["offset"][:-1].copy()),
    ],
)
def test_what_does_not_fit_together_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(ValueError, match="do not fit together"):
        bent(change)


def test_values_have_a_term_if_two_rows_have_them() -> None:
    assert LEAST == 2
    widths = [10, 2, 7]
    design = Design.of([np.array([5, 2, 5, -1, 9]), np.array([1, 1, 0, 0, 0]), np.array([3, 4, 5, 6, -1])], widths)
    assert [one.tolist() for one in design.places] == [[5], [0, 1], []]
    assert design.first.tolist() == [0, 1, 3, 3]
    assert design.values.tolist() == [[0, -1, 0, -1, -1], [2, 2, 1, 1, 1], [-1] * 5]
    np.testing.assert_allclose(design.total(np.array([1.0, 2.0, 4.0, 8.0, 16.0])), [5.0, 28.0, 3.0])
    other = Design.of([np.array([2, 5]), np.array([-1, 1]), np.array([3, 3])], widths, design.places)
    assert other.values.tolist() == [[-1, 0], [-1, 2], [-1, -1]]
    terms = np.arange(6.0).reshape(3, 2)
    assert [part.tolist() for part in design.by_block(terms)] == [[[0.0, 1.0]], [[2.0, 3.0], [4.0, 5.0]], []]


def test_the_fit_is_the_lowest_point_of_the_objective() -> None:
    for ridge in (0.5, 20.0):
        data = made(400)
        found = fit_residuals(**data, ridge=ridge)
        width = 1 + 3 + found.terms.size

        def objective(x: Any, data: Any = data, ridge: float = ridge) -> tuple[float, Any]:
            return plain(data, x[0], x[1:4], x[4:].reshape(-1, 3), ridge)[:2]

        start = np.concatenate([[found.scale], found.classes, found.terms.ravel()])
        bounds = [(None, 1.0)] + [(None, None)] * (width - 1)
        best = optimize.minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500})
        own = objective(start)[0]
        assert best.fun <= own <= best.fun * (1 + 4 * ROUGH)
        np.testing.assert_allclose(found.scale, best.x[0], atol=0.1)
        np.testing.assert_allclose(found.classes.sum(), 0.0, atol=1e-12)


def test_a_fit_that_starts_near_its_end_ends_there() -> None:
    data = made(400)
    cold = fit_residuals(**data, ridge=2.0)
    warm = fit_residuals(**data, ridge=2.0, initial=fit_residuals(**data, ridge=3.0))
    losses = [float(one.each(**data).sum()) + float((one.terms**2).sum()) for one in (cold, warm)]
    assert losses[1] == pytest.approx(losses[0], rel=4 * ROUGH)


def test_a_strong_ridge_leaves_no_terms_and_no_evidence_leaves_the_scores() -> None:
    data = made(400)
    assert np.abs(fit_residuals(**data, ridge=1e9).terms).max() < 1e-4
    rng = np.random.default_rng(0)
    score = 2 * rng.normal(size=(4000, 3))
    codes = np.argmax(score + rng.gumbel(size=(4000, 3)), axis=1)
    design = Design.of([rng.integers(0, 5, 4000)], [5])
    found = fit_residuals(score, np.zeros((4000, 3)), design, codes, np.ones(4000), 10.0)
    assert found.scale == pytest.approx(1.0, abs=0.08)
    assert found.scale <= 1
    assert np.abs(found.terms).max() < 0.2


def test_scores_that_mislead_are_turned_off_and_no_further() -> None:
    data = made(400)
    data["scores"] = -5 * data["scores"]
    assert fit_residuals(**data, ridge=1.0).scale >= 0


def test_losses_of_rows_are_those_of_the_formula() -> None:
    data, other = made(200), made(50, seed=3)
    fitted = fit_residuals(**data, ridge=2.0)
    places = [np.random.default_rng(k).integers(-1, 9, 50) for k in range(3)]
    other["design"] = Design.of(places, [9, 9, 9], data["design"].places)
    expected = plain(other, fitted.scale, fitted.classes, fitted.terms, 0.0)[2]
    np.testing.assert_allclose(fitted.each(**other), expected, rtol=1e-9)
    assert isinstance(fitted, FittedResiduals)
