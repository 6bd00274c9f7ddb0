"""Axes of pictures of beliefs: each curve can be seen, has the density of scipy, and reaches its peak."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

import suffice as sf
from plots.shown import holding
from suffice import plots

COUNTS = [3, 0, 4]


def curve(chart: Any, name: str) -> tuple[Any, Any]:
    lines = [line for line in holding(chart, "x", "density", "of") if line["of"] == name]
    return np.array([line["x"] for line in lines]), np.array([line["density"] for line in lines])


def frame(chart: Any) -> tuple[list[float], list[float]]:
    """Return the domains of both axes of one picture."""
    for layer in [chart, *getattr(chart, "layer", [])]:
        found = layer.to_dict(context={"pre_transform": False}).get("encoding", {})
        if "scale" in found.get("x", {}) and "scale" in found.get("y", {}):
            return found["x"]["scale"]["domain"], found["y"]["scale"]["domain"]
    raise AssertionError("no layer has domains")


def assert_seen(chart: Any, name: str, oracle: Any, mass: float = 0.98) -> None:
    """Check a curve against a density of scipy, and that its peak and most of its mass are in the picture."""
    (low, high), (_, tall) = frame(chart)
    x, density = curve(chart, name)
    np.testing.assert_allclose(density, oracle.pdf(x), rtol=1e-9, atol=1e-300)
    assert oracle.cdf(high) - oracle.cdf(low) > mass
    fine = oracle.pdf(oracle.ppf(np.linspace(0.001, 0.999, 5001)))
    assert density.max() >= 0.999 * fine.max()
    assert density.max() < tall < 20 * density.max()
    assert (oracle.ppf(0.75) - oracle.ppf(0.25)) / (high - low) > 0.02  # ten pixels of 460
    assert trapezoid(density, x) == pytest.approx(oracle.cdf(high) - oracle.cdf(low), abs=0.01)


VAGUE = [
    (sf.Gamma(0.01, 0.01), stats.gamma(7.01, scale=1 / 3.01)),
    (sf.Gamma(1e-6, 1e-6), stats.gamma(7 + 1e-6, scale=1 / (3 + 1e-6))),
    (sf.Gamma(1, 0.01), stats.gamma(8, scale=1 / 3.01)),
]


@pytest.mark.parametrize(("prior", "oracle"), VAGUE)
def test_a_vague_prior_of_a_rate_leaves_room_for_the_posterior(prior: sf.Gamma, oracle: Any) -> None:
    posterior = prior.update(values=COUNTS)
    chart = plots.belief(posterior, prior)
    assert_seen(chart, "posterior", oracle)
    assert_seen(chart, "likelihood", stats.gamma(8, scale=1 / 3))
    assert frame(chart)[1][1] == pytest.approx(1.12 * oracle.pdf((oracle.args[0] - 1) * oracle.kwds["scale"]))
    x, density = curve(chart, "prior")
    np.testing.assert_allclose(density, stats.gamma.pdf(x, prior.shape, scale=1 / prior.rate))
    both = plots.belief({"after": posterior, "before": prior})
    assert_seen(both, "after", oracle)
    assert_seen(plots.belief([prior, posterior]), repr(posterior), oracle)


def test_a_vague_prior_of_a_rate_of_waiting() -> None:
    prior = sf.WaitingRate(0.01, 0.01)
    chart = plots.belief(prior.update(values=[3.0, 0.5, 4.0]), prior)
    assert_seen(chart, "posterior", stats.gamma(3.01, scale=1 / 7.51))
    assert_seen(chart, "likelihood", stats.gamma(4, scale=1 / 7.5))
    assert curve(chart, "prior")[1].max() > frame(chart)[1][1]  # infinite at 0, so it is cut at the top


def test_without_a_single_event_the_likelihood_is_seen() -> None:
    prior = sf.Gamma(0.01, 0.01)
    chart = plots.belief(prior.update(values=[0, 0, 0]), prior)
    assert_seen(chart, "likelihood", stats.expon(scale=1 / 3))
    x, density = curve(chart, "posterior")
    np.testing.assert_allclose(density, stats.gamma.pdf(x, 0.01, scale=1 / 3.01))


@pytest.mark.thorough
@pytest.mark.parametrize("prior", [(0, 1e-3, 1e-3, 1e-3), (0, 0.1, 0.1, 0.1), (0, 1, 1, 1)])
@pytest.mark.parametrize("values", [[4.0, 5.0, 6.0, 5.5], [168.0, 172.0, 175.0, 169.0, 171.0]])
def test_a_vague_prior_of_mean_and_variance(prior: tuple[float, ...], values: list[float]) -> None:
    """Warnings are errors in all tests."""
    vague = sf.NormalInverseGamma(*prior)
    now = vague.update(values=values)
    after = [stats.t(2 * now.a, now.m, np.sqrt(now.b / now.a / now.kappa)), stats.invgamma(now.a, scale=now.b)]
    for chart, kind in zip(plots.belief(now, vague).hconcat, after, strict=True):
        assert_seen(chart, "posterior", kind, 0.9)
        x, density = curve(chart, "prior")
        np.testing.assert_array_less(0, density[x > frame(chart)[0][1] / 2])
    if prior[1] == 1:
        return
    for chart, kind in zip(plots.belief({"before": vague, "after": now}).hconcat, after, strict=True):
        assert_seen(chart, "after", kind, 0.9)


@pytest.mark.parametrize("vague", [1e-3, 0.1, 1.0])
def test_a_vague_mean_and_variance_alone(vague: float) -> None:
    mean, variance = plots.belief(sf.NormalInverseGamma(0, vague, vague, vague)).hconcat
    for chart, oracle in (
        (mean, stats.t(2 * vague, 0, np.sqrt(1 / vague))),
        (variance, stats.invgamma(vague, scale=vague)),
    ):
        (low, high), (_, tall) = frame(chart)
        x, density = curve(chart, "posterior")
        np.testing.assert_allclose(density, oracle.pdf(x), rtol=1e-9, atol=1e-300)
        assert tall == pytest.approx(1.12 * density.max())
        halves = x[density > density.max() / 2]
        assert 0.05 < (halves[-1] - halves[0]) / (high - low) < 0.5
    assert {line["x"] for line in holding(mean, "name")} == {0}


def test_upper_ends_jump_where_they_start() -> None:
    chart = plots.belief({"one": sf.Pareto(100, 1), "five": sf.Pareto(100, 5)})
    for name, K in (("one", 1), ("five", 5)):
        x, density = curve(chart, name)
        np.testing.assert_array_equal(density[x < 100], 0)
        np.testing.assert_allclose(density, stats.pareto.pdf(x, K, scale=100))
        assert density.max() == pytest.approx(K / 100)
        assert 100 - x[x < 100].max() < 1e-9
    assert frame(chart)[1] == [0, pytest.approx(1.12 * 0.05)]


def test_an_upper_end_with_its_prior() -> None:
    prior = sf.Pareto(10, 1)
    chart = plots.belief(prior.update(values=[3, 100, 40]), prior)
    for name, b, K in (("prior", 10, 1), ("posterior", 100, 4)):
        x, density = curve(chart, name)
        np.testing.assert_allclose(density, stats.pareto.pdf(x, K, scale=b))
        assert density.max() == pytest.approx(K / b)
        assert b - x[x < b].max() < 1e-9
    vague = sf.Pareto(0.01, 0.01)
    chart = plots.belief(vague.update(values=[3, 100, 40]), vague)
    assert_seen(chart, "posterior", stats.pareto(3.01, scale=100), 0.9)


def test_beliefs_far_apart_are_all_seen() -> None:
    chart = plots.belief({"low": sf.Gamma(1, 100), "high": sf.Gamma(1001, 101), "vague": sf.Gamma(1, 1e-4)})
    (low, high), (_, tall) = frame(chart)
    for name, oracle in (("low", stats.expon(scale=0.01)), ("high", stats.gamma(1001, scale=1 / 101))):
        x, density = curve(chart, name)
        assert oracle.cdf(high) - oracle.cdf(low) > 0.998
        assert trapezoid(density, x) == pytest.approx(1, abs=0.01)
        assert density.max() < tall
    assert high < 12


@pytest.mark.parametrize(
    "beliefs",
    [
        (sf.Beta(1, 4), sf.Beta(1, 1)),
        (sf.Beta(1.2, 30), None),
        (sf.Beta(30, 1), None),
        (sf.Beta(5, 19), sf.Beta(2, 2)),
        (sf.Gamma(1.05, 1), None),
        (sf.Gamma(0.01, 3.01), sf.Gamma(0.01, 0.01)),
        (sf.Gamma(3002, 31), sf.Gamma(2, 1)),
        (sf.Pareto(100, 1.05), None),
    ],
)
@pytest.mark.parametrize("width", [200, 460])
def test_labels_of_mean_and_mode_are_inside_and_apart(beliefs: Any, width: int) -> None:
    posterior, prior = beliefs
    chart = plots.belief(posterior, prior, width=width)
    (low, high), _ = frame(chart)
    boxes = []
    for layer in chart.layer:
        mark = layer.to_dict(context={"pre_transform": False})["mark"]
        if mark["type"] == "text":
            (line,) = layer.data.values
            start, long = width * (line["x"] - low) / (high - low) + mark["dx"], 6 * len(line["name"])
            start -= long if mark["align"] == "right" else 0
            assert start >= 0
            assert start + long <= width
            boxes.append((start, start + long, mark["dy"]))
    for one, other in itertools.combinations(boxes, 2):
        assert one[1] <= other[0] or other[1] <= one[0] or abs(one[2] - other[2]) >= 12


def test_a_mean_beyond_the_axis_has_an_arrow() -> None:
    chart = plots.belief(sf.Pareto(100, 1.05))
    marks = {line["name"]: line["x"] for line in holding(chart, "name")}
    assert marks == {"mode 100": 100, "mean 2.1e+03 →": frame(chart)[0][1]}


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda pair: plots.belief([pair, sf.Beta(1, 1)]),
            "must be of one family, .* got a NormalInverseGamma and a Beta",
        ),
        (
            lambda pair: plots.belief([sf.Gamma(1, 1), pair]),
            "must be of one family, .* got a Gamma and a NormalInverseGamma",
        ),
        (lambda pair: plots.belief([pair, "coin"]), "or a NormalInverseGamma; got a str"),
        (
            lambda pair: plots.belief(sf.Beta(1, 1), pair),
            "'prior' .* must be a Beta, as the posterior is; got NormalInverseGamma",
        ),
    ],
)
def test_a_pair_cannot_share_an_axis_with_a_number(draw: Any, message: str) -> None:
    with pytest.raises(sf.errors.KindError, match=message):
        draw(sf.NormalInverseGamma(0, 1, 1, 1))


def test_filmstrip_from_a_vague_prior() -> None:
    chart = plots.filmstrip(sf.Gamma(0.01, 0.01), [3, 0, 4, 2, 1], frames=6)
    for picture, (shape, rate) in zip(
        chart.concat[1:], [(3.01, 1.01), (3.01, 2.01), (7.01, 3.01), (9.01, 4.01), (10.01, 5.01)], strict=True
    ):
        (low, high), (_, tall) = frame(picture)
        oracle = stats.gamma(shape, scale=1 / rate)
        peak = oracle.pdf((shape - 1) / rate)
        assert oracle.cdf(high) - oracle.cdf(low) > 0.99
        assert peak < tall < 4 * peak
    assert {chart.concat[0].width} == {190}


def test_filmstrip_draws_no_mean_beyond_its_axis() -> None:
    chart = plots.filmstrip(sf.Gamma(1, 0.01), [4] * 30, frames=3)
    for picture in chart.concat:
        _, high = frame(picture)[0]
        assert all(line["x"] <= high for line in holding(picture, "x"))
