"""Pictures of beliefs show the numbers of scipy."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

import suffice as sf
from plots.shown import holding, rows, titles
from suffice import plots

drawn_by: Any = plots  # for arguments that no type allows


def curve(chart: Any, name: str) -> tuple[Any, Any]:
    lines = [line for line in holding(chart, "x", "density", "of") if line["of"] == name]
    return np.array([line["x"] for line in lines]), np.array([line["density"] for line in lines])


def test_prior_likelihood_and_posterior_of_a_coin() -> None:
    prior = sf.Beta(2, 2)
    after = prior.update(heads=3, tails=17)
    chart = plots.belief(after, prior, level=0.9)
    for name, oracle in (("prior", stats.beta(2, 2)), ("posterior", stats.beta(5, 19))):
        x, density = curve(chart, name)
        np.testing.assert_allclose(density, oracle.pdf(x))
    x, likelihood = curve(chart, "likelihood")
    binomial = stats.binom.pmf(3, 20, x)
    np.testing.assert_allclose(likelihood, binomial / trapezoid(binomial, x), rtol=1e-4)  # of area one
    marks = {line["name"]: line["x"] for line in holding(chart, "name")}
    assert marks == {"mean 0.208": pytest.approx(5 / 24), "mode 0.182": pytest.approx(4 / 22)}
    shaded = [line["x"] for line in rows(chart)[0]]
    assert (shaded[0], shaded[-1]) == pytest.approx(stats.beta(5, 19).interval(0.9))
    assert titles(chart) == {"probability", "density"}
    assert chart.title.text == "Beta(a=5, b=19)"


@pytest.mark.parametrize("belief", [sf.Beta(4, 3000), sf.Beta(5e4, 5e4), sf.Beta(3e6, 7)])
def test_a_probability_that_is_known_well_can_be_seen(belief: sf.Beta) -> None:
    """Such as that of a word in a class: a curve between 0 and 1 would be a spike, or nothing."""
    x, density = curve(plots.belief(belief), "posterior")
    np.testing.assert_allclose(density, stats.beta(belief.a, belief.b).pdf(x), rtol=1e-6)
    assert trapezoid(density, x) == pytest.approx(1, abs=0.01)
    x, density = curve(plots.belief({"before": sf.Beta(2, 2), "after": belief}), "after")
    assert trapezoid(density, x) == pytest.approx(1, abs=0.01)
    assert 0 < x[0] < 0.01 < 0.99 < x[-1] < 1


def test_a_probability_that_is_zero_for_all_that_numbers_can_tell() -> None:
    x, density = curve(plots.belief(sf.Beta(1e-300, 1)), "posterior")
    assert (x[0], x[-1]) == (0.5 / 151, 150.5 / 151)
    assert np.isfinite(density).all()


def test_one_coordinate_of_a_vector() -> None:
    vector = sf.NormalInverseWishart([1], 2, 6, [[8]])
    (mean, variance) = plots.belief(vector).hconcat
    x, density = curve(mean, "posterior")
    np.testing.assert_allclose(density, stats.t.pdf(x, 6, 1, np.sqrt(4 / 3 / 2)))
    x, density = curve(variance, "posterior")
    np.testing.assert_allclose(density, stats.invwishart(6, 8).pdf(x))
    assert len(plots.belief([vector, sf.NormalInverseWishart([1], 2, 7, [[8]])]).hconcat) == 2


def test_a_rate() -> None:
    prior = sf.Gamma(2, 1)
    chart = plots.belief(prior.update(values=[3, 0, 4]), prior)
    x, density = curve(chart, "posterior")
    np.testing.assert_allclose(density, stats.gamma.pdf(x, 9, scale=1 / 4))
    x, likelihood = curve(chart, "likelihood")
    product = np.prod([stats.poisson.pmf(k, x) for k in (3, 0, 4)], axis=0)
    np.testing.assert_allclose(likelihood / likelihood.max(), product / product.max())


def test_several_beliefs_in_one_picture() -> None:
    steps = {"before": sf.Beta(2, 2), "after": sf.Beta(5, 19)}
    for beliefs, names in ((steps, [*steps]), (list(steps.values()), [repr(one) for one in steps.values()])):
        chart = plots.belief(beliefs)
        for name, oracle in zip(names, (stats.beta(2, 2), stats.beta(5, 19)), strict=True):
            x, density = curve(chart, name)
            np.testing.assert_allclose(density, oracle.pdf(x))


def test_a_mean_and_a_variance_have_a_picture_each() -> None:
    prior = sf.NormalInverseGamma(0, 1, 2, 3)
    chart = plots.belief(prior.update(values=[4.0, 5.0, 6.0]), prior)
    mean, variance = chart.hconcat
    now = prior.update(values=[4.0, 5.0, 6.0])
    x, density = curve(mean, "posterior")
    np.testing.assert_allclose(density, stats.t.pdf(x, 2 * now.a, now.m, np.sqrt(now.b / now.a / now.kappa)))
    x, density = curve(variance, "prior")
    np.testing.assert_allclose(density, stats.invgamma.pdf(x, 2, scale=3))
    assert chart.title.text == repr(now)


def test_several_means_and_variances() -> None:
    before = sf.NormalInverseGamma(0, 1, 2, 3)
    chart = plots.belief({"before": before, "after": before.update(values=[4.0, 5.0])})
    x, density = curve(chart.hconcat[1], "before")
    np.testing.assert_allclose(density, stats.invgamma.pdf(x, 2, scale=3))


@pytest.mark.parametrize("show", ["posterior", "prior, posterior", "likelihood"])
def test_only_the_curves_that_are_wanted(show: str) -> None:
    chart = plots.belief(sf.Beta(5, 19), sf.Beta(2, 2), show=show)
    assert {line["of"] for line in holding(chart, "of")} == set(show.split(", "))


def test_an_upper_end() -> None:
    x, density = curve(plots.belief(sf.Pareto(100, 3)), "posterior")
    np.testing.assert_allclose(density, stats.pareto.pdf(x, 3, scale=100))


def test_beliefs_without_a_mode_or_without_data() -> None:
    assert {line["name"] for line in holding(plots.belief(sf.Beta(0.5, 0.5)), "name")} == {"mean 0.5"}
    same = plots.belief(sf.Beta(2, 3), sf.Beta(2, 3))
    assert {line["of"] for line in holding(same, "of")} == {"prior", "posterior"}


def test_filmstrip_of_a_coin() -> None:
    values = [1, 0, 0, 1, 0, 0, 0, 0]
    chart = plots.filmstrip(sf.Beta(2, 2), values, frames=5)
    assert [frame.title.subtitle for frame in chart.concat] == [
        repr(sf.Beta(2, 2).update(values=values[:n]) if n else sf.Beta(2, 2)) for n in (0, 2, 4, 6, 8)
    ]
    last = [line for line in rows(chart.concat[-1])[-2] if "density" in line]
    np.testing.assert_allclose([line["density"] for line in last], stats.beta.pdf([line["x"] for line in last], 4, 8))
    assert len(plots.filmstrip(sf.Gamma(1, 1), [2, 3], frames=9).concat) == 3


def test_filmstrip_of_a_concept() -> None:
    game = sf.NumberGame()
    chart = plots.filmstrip(game, [16, 8, 2, 64], frames=5)
    for n, frame in enumerate(chart.concat):
        expected = game.observe([16, 8, 2, 64][:n]).membership()
        (lines,) = rows(frame)
        np.testing.assert_array_equal([line["membership"] for line in lines], expected)
        assert sum(line["seen"] for line in lines) == n


def test_predictive_against_plug_in() -> None:
    chart = plots.predictive(sf.Beta(5, 19), trials=10)
    lines = rows(chart)[0]
    averaged, plugged = (np.array([line["probability"] for line in part]) for part in (lines[:11], lines[11:]))
    np.testing.assert_allclose(averaged, stats.betabinom.pmf(np.arange(11), 10, 5, 19))
    np.testing.assert_allclose(plugged, stats.binom.pmf(np.arange(11), 10, 5 / 24))
    assert titles(chart) == {"heads in 10 tosses", "probability"}
    counts = rows(plots.predictive(sf.Gamma(9, 4), plug_in="mode"))[0]
    half = len(counts) // 2
    np.testing.assert_allclose(
        [line["probability"] for line in counts[:half]], stats.nbinom.pmf(np.arange(half), 9, 4 / 5)
    )
    np.testing.assert_allclose([line["probability"] for line in counts[half:]], stats.poisson.pmf(np.arange(half), 2))


def test_density_on_the_simplex() -> None:
    belief = sf.Dirichlet([4, 1, 2])
    chart = plots.simplex(belief, samples=50, names=["red", "green", "blue"])
    cells = holding(chart, "density")
    assert len(cells) == 40 * 40
    x, y, density = (np.array([cell[key] for cell in cells]) for key in ("x", "y", "density"))
    third = y / (np.sqrt(3) / 2)
    second = x - third / 2
    np.testing.assert_allclose(density, stats.dirichlet.pdf(np.stack([1 - second - third, second, third]), [4, 1, 2]))
    assert density.mean() == pytest.approx(2, rel=0.01)  # the triangle of (second, third) has an area of one half
    assert [line["name"] for line in holding(chart, "name")] == ["red", "green", "blue"]
    dots = rows(chart)[2]
    drawn = belief.sample(50, 0)
    np.testing.assert_allclose([dot["y"] for dot in dots], drawn[:, 2] * np.sqrt(3) / 2)
    assert len(rows(plots.simplex(belief, samples=0))) == len(rows(chart)) - 1


def test_draws_of_any_number_of_categories() -> None:
    belief = sf.Dirichlet([0.1, 0.5, 1, 2])
    (lines,) = rows(plots.draws(belief, size=3, rng=7))
    np.testing.assert_array_equal([line["probability"] for line in lines], belief.sample(3, 7).ravel())
    np.testing.assert_allclose([line["expected"] for line in lines[:4]], belief.mean)


def test_the_taxicab() -> None:
    chart = plots.pareto(sf.Pareto(0, 0).update(values=[100]))
    x, density = curve(chart, "the next value")
    np.testing.assert_allclose(density, np.where(x <= 100, 1 / 200, 50 / np.maximum(x, 1) ** 2))
    x, density = curve(chart, "the upper end")
    np.testing.assert_allclose(density[2:], stats.pareto.pdf(x[2:], 1, scale=100))
    assert density[:2].tolist() == [0, 0]
    assert chart.title.subtitle == "median 200, 95 % quantile 2000"
    assert max(curve(plots.pareto(sf.Pareto(3, 2), upto=9), "the upper end")[0]) == 9


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: drawn_by.belief(sf.Dirichlet([1, 1])), "'posterior' of belief must be a Beta, a Gamma"),
        (lambda: drawn_by.belief(sf.Dirichlet([1, 2])), r"one category of its marginal\(\), which is a Beta"),
        (lambda: drawn_by.belief(sf.NormalInverseWishart([0, 0], 1, 3, np.eye(2))), "about one coordinate"),
        (lambda: drawn_by.belief(sf.Beta(1, 1), 3), "'prior' of belief must be a Beta, a Gamma"),
        (lambda: drawn_by.belief(sf.Pareto(0, 0)), "must integrate to one"),
        (lambda: drawn_by.belief([]), "must hold 1 to 8 beliefs"),
        (lambda: drawn_by.belief([sf.Beta(1, 1), sf.Beta(1, 1)]), "of different names"),
        (lambda: drawn_by.belief([sf.Beta(1, 1)], sf.Beta(1, 1)), "give it as one of them"),
        (lambda: drawn_by.belief(sf.Beta(5, 19), show="prior"), "needs a prior; got none"),
        (lambda: drawn_by.belief(sf.Beta(5, 19), sf.Beta(5, 19), show="likelihood"), "no likelihood to draw"),
        (lambda: drawn_by.belief("coin"), "a Pareto or a NormalInverseGamma; got a str"),
        (lambda: drawn_by.belief([sf.Beta(1, 1), sf.Gamma(1, 1)]), "must be of one family"),
        (lambda: drawn_by.belief(sf.Beta(1, 1), show="all"), "must list some of: prior, likelihood, posterior"),
        (lambda: drawn_by.belief(sf.NormalInverseGamma(0, 1, 1, 1), sf.Beta(1, 1)), "as the posterior is; got Beta"),
        (lambda: drawn_by.belief(sf.Beta([1, 2], 1)), r"must be one belief; got a table of shape \(2,\)"),
        (lambda: drawn_by.belief(sf.Beta(1, 1), sf.Beta(2, 1)), "must be the prior of the posterior"),
        (lambda: drawn_by.belief(sf.Beta(3, 3), sf.Gamma(2, 1)), "must be the prior of the posterior"),
        (lambda: drawn_by.filmstrip(sf.Pareto(1, 1), [1]), "a Beta, a Gamma or a ConceptLearner; got a Pareto"),
        (lambda: drawn_by.filmstrip(sf.Beta(1, 1), []), "at least one value; got none"),
        (
            lambda: drawn_by.filmstrip(sf.Beta(1, 1), [1], frames=1),
            "'frames' must be a whole number of at least 2; got 1",
        ),
        (lambda: drawn_by.predictive("coin"), "'belief' of predictive must be a Beta or a Gamma; got a str"),
        (lambda: drawn_by.predictive(sf.Beta(2, 2), trials=0), "'trials' must be a whole number of at least 1; got 0"),
        (lambda: drawn_by.predictive(sf.Beta(2, 2), plug_in="median"), "must be 'mean' or 'mode'; got 'median'"),
        (lambda: drawn_by.predictive(sf.Gamma(900, 1)), "must expect counts below 200"),
        (lambda: drawn_by.simplex(sf.Dirichlet([1, 1])), "must be about 3 categories; got 2"),
        (lambda: drawn_by.simplex(sf.Dirichlet(np.ones((2, 3)))), r"one belief; got a table of shape \(2,\)"),
        (lambda: drawn_by.simplex(sf.Dirichlet([1, 1, 1]), names=["a"]), "each of 3 categories; got 1 names"),
        (lambda: drawn_by.draws(sf.Beta(1, 1)), "'belief' of draws must be a Dirichlet; got a Beta"),
        (lambda: drawn_by.pareto(sf.Beta(1, 1)), "'belief' of pareto must be a Pareto; got a Beta"),
        (lambda: drawn_by.pareto(sf.Pareto(0, 0)), "must be one proper belief"),
        (lambda: drawn_by.pareto(sf.Pareto(3, 2), upto=2), "must lie beyond 3"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Any, message: str) -> None:
    with pytest.raises(sf.errors.SufficeError, match=message):
        draw()
