"""Rectangles against quadrature, special functions, enumeration and draws."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import dblquad, quad
from scipy.special import expn

import suffice as sf
from refusals import refused
from suffice.errors import DataError, InputError, KeywordError, KindError, ShapeError

HEALTHY = np.array([[180.0, 10.0], [205.0, 14.0], [190.0, 12.0]])
VALUES = st.floats(-100, 100).map(lambda x: round(x, 2))


def spanning(n: int, span: float) -> np.ndarray[Any, Any]:
    """Return n points of one feature from 0 to `span`."""
    return np.linspace(0, span, n)[:, None]


def covering(n: int, prior: Any, low: float, high: float, longest: float) -> float:
    """Return what intervals that cover low to high weigh together: an integral over both ends, no formula of ours."""
    found, _ = dblquad(
        lambda right, left: prior(right - left) * (right - left) ** -n,
        *(high - longest, low),
        *(high, lambda left: left + longest),
        epsabs=0,
        epsrel=1e-9,
    )
    return float(found)


@pytest.mark.parametrize("n", [3, 4, 7])
@pytest.mark.parametrize("beyond", [0.2, 1.0, 5.0])
def test_without_a_scale_it_is_an_integral_over_both_ends(n: int, beyond: float) -> None:
    def density(a: float, b: float, span: float) -> float:
        left, right = a / (1 - a), b / (1 - b)  # from 0 to 1 onto 0 to ∞
        return (left + right + span) ** (-1 - n) / (1 - a) ** 2 / (1 - b) ** 2

    def weight(span: float) -> float:
        return float(dblquad(density, 0, 1, 0, 1, (span,), epsabs=0, epsrel=1e-9)[0])

    learner = sf.Rectangles().observe(spanning(n, 2.0))
    expected = weight(2 + beyond) / weight(2)
    assert learner.membership([[2 + beyond], [-beyond]]) == pytest.approx([expected, expected], rel=1e-6)


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("beyond", [0.2, 3.0])
def test_with_a_size_it_is_an_integral_over_both_ends(n: int, beyond: float) -> None:
    def prior(length: float) -> float:
        return float(np.exp(-length / 1.5))

    learner = sf.Rectangles(1.5).observe(spanning(n, 2.0))
    expected = covering(n, prior, 0, 2 + beyond, 60) / covering(n, prior, 0, 2, 60)
    assert learner.membership([[2 + beyond]])[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 12, 40])
@pytest.mark.parametrize("span", [1e-6, 0.3, 4.0, 60.0])
def test_with_a_size_it_is_a_difference_of_exponential_integrals(n: int, span: float) -> None:
    def weight(r: float) -> float:
        return float(r ** (2 - n) * (expn(n - 1, r / 1.5) - expn(n, r / 1.5)))

    learner = sf.Rectangles(1.5)._with(n, np.zeros(1), np.array([span]))
    for beyond in (0.1 * span, span, 5.0):
        found = learner.membership([[span + beyond]])[0]
        assert found == pytest.approx(weight(span + beyond) / weight(span), rel=1e-9)


@pytest.mark.parametrize("n", [5, 1000, 10**6])
def test_it_stays_exact_with_many_examples(n: int) -> None:
    def integral(x: float) -> float:  # ∫ v (1 + v)⁻ⁿ e⁻ˣᵛ dv, v in units of 1/n
        found = quad(lambda z: z * np.exp(-n * np.log1p(z / n) - x * z / n), 0, 200, epsabs=0, epsrel=1e-12)[0]
        return float(found) / n**2

    learner = sf.Rectangles(3.0)._with(n, np.zeros(1), np.array([6.0]))
    for beyond in (0.5 / n, 5 / n):
        expected = (1 + beyond / 6) ** (2.0 - n) * np.exp(-beyond / 3) * integral((6 + beyond) / 3) / integral(2.0)
        assert learner.membership([[6 + beyond]])[0] == pytest.approx(expected, rel=1e-8)
    scale_free = sf.Rectangles()._with(n, np.zeros(1), np.array([6.0]))
    assert scale_free.membership([[6 + 1 / n]])[0] == pytest.approx((1 + 1 / n / 6) ** (1.0 - n), rel=1e-9)


def test_the_average_of_all_intervals_of_a_fine_grid() -> None:
    points, step = np.array([[1.0], [3.0], [4.0], [9.0]]), 0.1
    reach = (np.arange(2000) + 0.5) * step  # of an end beyond the examples
    size = 8 + reach[:, None] + reach
    for learner, prior in ((sf.Rectangles(), 1 / size), (sf.Rectangles(5.0), np.exp(-size / 5))):
        weights = prior * size**-4.0
        for y, covers in ((9.5, reach > 0.5), (12.0, reach > 3), (15.0, reach > 6), (-2.0, reach > 3)):
            expected = weights[:, covers].sum() / weights.sum()
            assert learner.observe(points).membership([[y]])[0] == pytest.approx(expected, rel=2e-3)


def test_draws_of_rectangles_hold_a_point_as_often() -> None:
    """Draw: with rates g ~ Gamma(n − 1) both ends reach Exp(g/r) beyond the examples, for p(s) = 1/s."""
    rng = np.random.default_rng(3)
    n, spans = 3, np.array([25.0, 4.0])
    rate = rng.gamma(n - 1, size=(200_000, 2)) / spans
    left, right = rng.exponential(1 / rate), rng.exponential(1 / rate)
    learner = sf.Rectangles().observe(HEALTHY)
    for step in ([-5.0, 1.0], [0.0, 3.0], [10.0, -2.0]):
        reach = np.array(step)
        inside = np.where(reach < 0, left >= -reach, right >= reach).all(axis=1)
        point = reach + np.where(reach < 0, [180, 10], [205, 14])
        share, p = inside.mean(), learner.membership([point])[0]
        assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / len(rate))


def test_the_formula_as_it_is_printed() -> None:
    learner = sf.Rectangles().observe(HEALTHY)
    assert learner.membership([[215, 11]])[0] == pytest.approx((1 / (1 + 10 / 25)) ** 2)
    assert learner.membership([[170, 16]])[0] == pytest.approx((1 / ((1 + 10 / 25) * (1 + 2 / 4))) ** 2)


def test_one_example_and_weak_sampling() -> None:
    one = sf.Rectangles([20.0, 3.0]).observe(HEALTHY[:1])
    expected = quad(lambda s: (s - 10) / s * np.exp(-s / 20), 10, np.inf)[0] / 20
    assert one.membership([[190, 10], [180, 10]]) == pytest.approx([expected, 1.0])
    weak = sf.Rectangles([20.0, 3.0], sampling="weak")
    for many in (1, 3):
        found = weak.observe(HEALTHY[:many]).membership([[220, 16]])[0]
        high = HEALTHY[:many].max(axis=0)
        assert found == pytest.approx(np.exp(-(220 - high[0]) / 20 - (16 - high[1]) / 3))  # the law of Shepard


def test_approximations_for_expected_sizes() -> None:
    """Sides far longer than expected: e^(−d/σ) / (1 + d/r)ⁿ. Far shorter, so that the prior is flat: 1/(1 + d/r)ⁿ⁻²."""
    d = np.array([0.1, 0.2, 0.5])
    longer = sf.Rectangles(0.05).observe(spanning(3, 10.0)).membership((10 + d)[:, None])
    assert longer == pytest.approx(np.exp(-d / 0.05) / (1 + d / 10) ** 3, rel=2e-3)
    shorter = sf.Rectangles(1e7).observe(spanning(8, 10.0)).membership((10 + 10 * d)[:, None])
    assert shorter == pytest.approx(1 / (1 + d) ** 6, rel=1e-5)


@given(
    arrays(np.float64, st.tuples(st.integers(2, 9), st.just(2)), elements=VALUES),
    st.integers(0, 9),
    st.sampled_from([None, 3.0, [0.5, 40.0]]),
)
def test_in_parts_or_at_once(points: Any, cut: int, size: Any) -> None:
    empty = sf.Rectangles(size)
    whole, parts = empty.observe(points), empty.observe(points[cut:]).observe(points[:cut])
    assert empty.n_ == 0
    assert whole.n_ == parts.n_ == len(points)
    assert (whole.tightest_ == parts.tightest_).all()
    assert repr(whole) == repr(parts)
    if (np.ptp(points, axis=0) > 0).all():
        asked = np.array([[-120.0, 0.0], [0.0, 0.0], [50.0, 130.0]])
        np.testing.assert_array_equal(whole.membership(asked), parts.membership(asked))
        assert ((whole.membership(asked) >= 0) & (whole.membership(asked) <= 1)).all()
        np.testing.assert_array_equal(whole.membership(points), 1.0)
        np.testing.assert_array_equal(whole.membership(points, plug_in=True), 1.0)


def test_more_examples_sharpen_and_the_plug_in_is_sharp() -> None:
    few, many = (sf.Rectangles().observe(np.tile(HEALTHY, (k, 1))) for k in (1, 4))
    far = [[215.0, 11.0], [170.0, 12.0], [190.0, 20.0]]
    assert (many.membership(far) < few.membership(far)).all()
    assert few.membership([*far, [200, 13]], plug_in=True).tolist() == [0, 0, 0, 1]
    assert few.tightest_.tolist() == [[180, 205], [10, 14]]


def test_tables_and_ranges_of_any_size() -> None:
    frame = pd.DataFrame(HEALTHY, columns=["cholesterol", "insulin"])
    expected = sf.Rectangles().observe(HEALTHY).membership([[215, 11]])
    assert sf.Rectangles().observe(frame).membership(frame.assign(cholesterol=215, insulin=11))[:1] == expected
    for factor in (1e-140, 1e140):
        for size in (None, 3.0):
            scaled = sf.Rectangles(None if size is None else size * factor).observe(spanning(4, 2.0) * factor)
            plain = sf.Rectangles(size).observe(spanning(4, 2.0))
            assert scaled.membership([[3.0 * factor]]) == pytest.approx(plain.membership([[3.0]]), rel=1e-9)
    assert sf.Rectangles(1e-150).observe([[-1e150], [1e150]]).membership([[0.0]]).tolist() == [1.0]
    assert sf.Rectangles().observe([[0.0], [5e-324]]).membership([[1e150]]).tolist() == [0.0]
    assert sf.Rectangles().observe(HEALTHY).observe(np.empty((0, 2))).n_ == 3


@pytest.mark.parametrize(
    ("points", "error", "words"),
    [
        ([[1, np.nan]], DataError, "finite numbers; got nan in feature 1 of point 0"),
        ([[1, 2], [np.inf, 3]], DataError, "finite numbers; got inf in feature 0 of point 1"),
        ([1, 2], ShapeError, r"must have shape \(n_points, 2\); got shape \(2,\). Write \[point\] for one point"),
        ([[1, 2, 3]], ShapeError, r"must have shape \(n_points, 2\); got shape \(1, 3\)"),
        ([["a", "b"]], KindError, "must hold numbers"),
    ],
)
def test_points_that_are_none(points: Any, error: type[Exception], words: str) -> None:
    learner = sf.Rectangles().observe(HEALTHY)
    for method in (learner.observe, learner.membership):
        with pytest.raises(error, match=words):
            method(points)
    assert learner.n_ == 3


def test_examples_that_leave_no_size() -> None:
    flat = sf.Rectangles(5.0).observe([[1, 2], [1, 3]])
    with pytest.raises(DataError, match=r"two different values in each feature; got only 1 in feature 0\.$"):
        flat.membership([[1, 2]])
    assert flat.membership([[1, 2], [2, 2]], plug_in=True).tolist() == [1, 0]
    with pytest.raises(DataError, match=r"got only 180 in feature 0\. Pass 'expected_size'"):
        sf.Rectangles().observe(HEALTHY[:1]).membership(HEALTHY)
    with pytest.raises(DataError, match="no observations yet"):
        sf.Rectangles().membership(HEALTHY)
    with pytest.raises(DataError, match="no observations yet"):
        _ = sf.Rectangles().tightest_


def test_arguments_that_are_none() -> None:
    for size in (0, -1.0, [1, 0], np.nan, np.inf, "wide", [], [[1.0]]):
        with refused(InputError, "Rectangles.expected_size", must="be a number above 0, or one per"):
            sf.Rectangles(size)
    with pytest.raises(InputError, match="'strong' or 'weak'; got 'odd'"):
        sf.Rectangles(sampling="odd")  # type: ignore[arg-type]
    with pytest.raises(KeywordError, match="Weak sampling needs the argument 'expected_size'"):
        sf.Rectangles(sampling="weak")
    with pytest.raises(ShapeError, match=r"shape \(n_points, 2\); got shape"):
        sf.Rectangles([1, 2]).observe([[1.0]])


def test_columns_are_features_by_name() -> None:
    frame = pl.DataFrame({"cholesterol": [190, 205, 181], "insulin": [12.1, 13.8, 10.4]})
    turned = frame.select("insulin", "cholesterol")
    learner = sf.Rectangles().observe(frame)
    expected = learner.membership([[215, 11], [190, 12]])
    asked = pl.DataFrame({"insulin": [11, 12], "cholesterol": [215, 190]})
    for points in (asked, asked.to_pandas(), asked.to_arrow(), asked.to_dict(as_series=False)):
        assert learner.membership(points).tolist() == expected.tolist()
    assert learner.observe(turned).tightest_.tolist() == learner.tightest_.tolist()
    loaded = sf.store.from_bytes(sf.store.to_bytes(learner))
    assert loaded.membership(asked).tolist() == expected.tolist()
    with pytest.raises(DataError, match=r"must have the columns \['cholesterol', 'insulin'\].* got \['x', 'y'\]"):
        loaded.membership(pl.DataFrame({"x": [190], "y": [12.0]}))
    assert "cholesterol" in learner._repr_html_()


@pytest.mark.parametrize("names", [["a", "a"], ["a"], "ab", [1, 2]])
def test_forged_names_are_refused(names: object) -> None:
    learner = sf.Rectangles().observe(pl.DataFrame({"a": [1, 2], "b": [3, 4]}))
    state = {**learner._get_state(), "schema": {"features": names}}
    with pytest.raises(DataError, match="a different name for each of 2 features"):
        sf.Rectangles._of_file(learner._params_in_files(), state)
