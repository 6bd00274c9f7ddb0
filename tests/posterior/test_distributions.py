"""Densities, distribution functions and quantiles, beside scipy, and at the ends beside mp."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import suffice as sf
from suffice.errors import ImproperPrior, InputError, PriorError, ShapeError

ALONG = np.array([0.001, 0.05, 0.3, 0.5, 0.77, 0.999])

SCALARS: list[tuple[Any, Any, Any]] = [
    (sf.Beta(2.5, 0.7), stats.beta(2.5, 0.7), ALONG),
    (sf.Beta(1, 1), stats.beta(1, 1), ALONG),
    (sf.Gamma(0.6, 3), stats.gamma(0.6, scale=1 / 3), 5 * ALONG),
    (sf.WaitingRate(4, 0.5), stats.gamma(4, scale=2), 20 * ALONG),
    (sf.Pareto(3, 1.5), stats.pareto(1.5, scale=3), 3 / ALONG),
    (sf.NormalInverseGamma(1, 2, 3, 4).marginal().mean, stats.t(6, 1, np.sqrt(4 / 3 / 2)), 4 * ALONG - 2),
    (sf.NormalInverseGamma(1, 2, 3, 4).marginal().variance, stats.invgamma(3, scale=4), 9 * ALONG),
    (sf.NormalInverseGamma(1, 2, 3, 4).predict(), stats.t(6, 1, np.sqrt(4 / 3 * 1.5)), 4 * ALONG - 2),
    (sf.WaitingRate(4, 0.5).predict(), stats.lomax(4, scale=0.5), 3 * ALONG),
    (sf.Dirichlet([2, 3, 4]).marginal(), stats.beta([2, 3, 4], [7, 6, 5]), ALONG[:, None]),
]
"""A distribution of ours, scipy's, and where they are compared."""


@pytest.mark.parametrize(("ours", "oracle", "x"), SCALARS, ids=lambda one: repr(one)[:40])
def test_distributions_are_those_of_scipy(ours: Any, oracle: Any, x: Any) -> None:
    np.testing.assert_allclose(ours.logpdf(x), oracle.logpdf(x), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(ours.pdf(x), oracle.pdf(x), rtol=1e-10)
    np.testing.assert_allclose(ours.cdf(x), oracle.cdf(x), rtol=1e-9, atol=1e-14)
    p = ALONG.reshape(-1, *(1 for _ in np.shape(x)[1:]))
    np.testing.assert_allclose(ours.quantile(p), oracle.ppf(p), rtol=1e-8)
    below, above = ours.interval(0.9)
    np.testing.assert_allclose([below, above], [oracle.ppf(0.05), oracle.ppf(0.95)], rtol=1e-8)


COUNTS: list[tuple[Any, Any]] = [
    (sf.Beta(2.5, 0.7).predict(30), stats.betabinom(30, 2.5, 0.7)),
    (sf.Beta([2.5, 1], [0.7, 9]).predict([30, 4]), stats.betabinom([30, 4], [2.5, 1], [0.7, 9])),
    (sf.Gamma(2.5, 0.7).predict(), stats.nbinom(2.5, 0.7 / 1.7)),
    (sf.Gamma([2.5, 40], [0.7, 3]).predict(exposure=2), stats.nbinom([2.5, 40], [0.35 / 1.35, 1.5 / 2.5])),
    (sf.Dirichlet([2, 3, 4]).predict(12), stats.betabinom(12, [2, 3, 4], [7, 6, 5])),
]


@pytest.mark.parametrize(("ours", "oracle"), COUNTS, ids=lambda one: repr(one)[:40])
def test_distributions_of_counts_are_those_of_scipy(ours: Any, oracle: Any) -> None:
    table = (*ours.batch, *ours.event)
    x = np.array([-1, 0, 0.5, 1, 3, 7, 11, 40]).reshape(-1, *(1 for _ in table))
    np.testing.assert_allclose(
        ours.cdf(x), np.broadcast_to(oracle.cdf(x), np.shape(ours.cdf(x))), rtol=1e-9, atol=1e-13
    )
    p = ALONG.reshape(-1, *(1 for _ in table))
    np.testing.assert_array_equal(ours.quantile(p), np.broadcast_to(oracle.ppf(p), np.shape(ours.quantile(p))))


def test_six_heads_or_more_in_ten_tosses() -> None:
    """Of a coin believed to be Beta(5, 19): by integrating over the belief, and by two values plugged in."""
    belief = sf.Beta(2, 2).update(heads=3, tails=17)

    def chance(theta: Any) -> Any:
        return sum(mp.binomial(10, k) * theta**k * (1 - theta) ** (10 - k) for k in range(6, 11))

    with mp.workdps(30):
        averaged = mp.quad(lambda theta: chance(theta) * theta**4 * (1 - theta) ** 18 / mp.beta(5, 19), [0, 1])
    assert 1 - belief.predict(10).cdf(5) == pytest.approx(float(averaged)) == pytest.approx(0.0225, abs=5e-5)
    assert float(chance(mp.mpf(belief.mean))) == pytest.approx(0.0079, abs=5e-5)
    assert float(chance(mp.mpf(belief.mode))) == pytest.approx(0.0039, abs=5e-5)


def test_the_next_category_is_ordered_by_its_code() -> None:
    die = sf.Dirichlet([1, 2, 1]).predict()
    np.testing.assert_allclose(die.cdf([-1, 0, 1, 2, 9]), [0, 0.25, 0.75, 1, 1])
    np.testing.assert_array_equal(die.quantile([0, 0.25, 0.26, 0.75, 1]), [0, 0, 1, 1, 2])
    table = sf.Dirichlet(np.array([[1, 2, 1], [4, 0.5, 0.5]])).predict()
    np.testing.assert_allclose(table.cdf(1), [0.75, 0.9])


def test_the_end_of_an_interval_is_at_most_where_it_was_seen_or_beyond() -> None:
    """PU-4: what is below c has probability K/(K+1); the tail is that of a Pareto."""
    ahead = sf.Pareto(100, 1).predict()
    np.testing.assert_allclose(ahead.cdf([-5, 0, 50, 100, 200]), [0, 0, 0.25, 0.5, 0.75])
    np.testing.assert_allclose(ahead.quantile([0.25, 0.5, 0.75]), [50, 100, 200])
    drawn = sf.Pareto(100, 3).predict().sample(50_000, np.random.default_rng(0))
    for x in (30.0, 100.0, 300.0):
        assert (drawn <= x).mean() == pytest.approx(sf.Pareto(100, 3).predict().cdf(x), abs=0.01)


def test_joint_densities_are_those_of_scipy() -> None:
    point = [0.2, 0.3, 0.5]
    np.testing.assert_allclose(sf.Dirichlet([2, 0.3, 4]).pdf(point), stats.dirichlet([2, 0.3, 4]).pdf(point))
    table = sf.Dirichlet(np.array([[2, 0.3, 4], [1, 1, 1]]))
    np.testing.assert_allclose(table.logpdf(point), [stats.dirichlet(a).logpdf(point) for a in table.alpha])
    belief, mean, variance = sf.NormalInverseGamma(1, 2, 3, 4), 0.3, 1.7
    expected = stats.invgamma(3, scale=4).logpdf(variance) + stats.norm(1, np.sqrt(variance / 2)).logpdf(mean)
    assert belief.logpdf((mean, variance)) == pytest.approx(expected)
    scale, m, covariance = np.array([[2, 0.3], [0.3, 1]]), np.array([0.5, -1]), np.array([[1, 0.2], [0.2, 3]])
    wide = sf.NormalInverseWishart([0, 0], 2, 4, scale)
    expected = stats.invwishart(4, scale).logpdf(covariance)
    expected += stats.multivariate_normal([0, 0], covariance / 2).logpdf(m)
    assert wide.logpdf((m, covariance)) == pytest.approx(expected)


def test_marginals_of_a_vector_are_those_of_its_coordinates() -> None:
    scale = np.array([[2, 0.3], [0.3, 1]])
    belief = sf.NormalInverseWishart([0, 1], 2, 4, scale)
    for k in range(2):
        alone = sf.NormalInverseGamma(belief.m[k], 2, 1.5, scale[k, k] / 2)  # a = (ν − d + 1)/2, b = Λ_kk/2
        for p in (0.01, 0.5, 0.9):
            np.testing.assert_allclose([each[k] for each in belief.quantile(p)], alone.quantile(p))
        both = belief.cdf(([0.4, 0.4], [0.7, 0.7]))
        np.testing.assert_allclose([each[k] for each in both], alone.cdf((0.4, 0.7)))
    ahead = belief.predict()
    np.testing.assert_allclose(ahead.cdf([0.0, 1.0]), [0.5, 0.5])
    np.testing.assert_allclose(ahead.quantile(0.9), ahead.marginal().quantile(0.9))


@pytest.mark.parametrize("x", [1e-300, 1e-20, 1 - 2**-40])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (3, 2), (1e6, 2e6)])
def test_a_beta_keeps_its_digits_at_the_ends(a: float, b: float, x: float) -> None:
    with mp.workdps(60):
        exact = (mp.mpf(a) - 1) * mp.log(x) + (mp.mpf(b) - 1) * mp.log(1 - mp.mpf(x)) - mp.log(mp.beta(a, b))
    assert sf.Beta(a, b).logpdf(x) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize("x", [1e-300, 1e-12, 700.0])
def test_a_gamma_keeps_its_digits_at_the_ends(x: float) -> None:
    with mp.workdps(60):
        s, r = mp.mpf("0.3"), mp.mpf(2)
        below = mp.gammainc(s, 0, r * mp.mpf(x), regularized=True)
        log = s * mp.log(r) + (s - 1) * mp.log(x) - r * x - mp.loggamma(s)
    assert sf.Gamma(0.3, 2).cdf(x) == pytest.approx(float(below), rel=1e-12)
    assert sf.Gamma(0.3, 2).logpdf(x) == pytest.approx(float(log), rel=1e-12)


def test_a_strong_belief_predicts_counts_as_a_poisson_does() -> None:
    """scipy's negative binomial loses its digits there."""
    ahead = sf.Gamma(3e12, 1e12).predict()
    np.testing.assert_allclose(ahead.cdf([0, 3, 8]), stats.poisson(3).cdf([0, 3, 8]), rtol=1e-6)
    np.testing.assert_array_equal(ahead.quantile([0.1, 0.5, 0.999]), stats.poisson(3).ppf([0.1, 0.5, 0.999]))


def test_densities_at_and_beyond_the_ends() -> None:
    assert sf.Beta(1, 2).pdf([0, 1]).tolist() == [2, 0]
    assert sf.Beta(0.5, 0.5).pdf([0, 1]).tolist() == [np.inf, np.inf]
    assert sf.Beta(2, 2).pdf([-0.1, 1.1]).tolist() == [0, 0]
    assert np.isnan(sf.Beta(2, 2).logpdf(np.nan))
    assert sf.Gamma(1, 3).pdf([-1, 0, np.inf]).tolist() == pytest.approx([0, 3, 0])
    assert sf.Pareto(3, 1).cdf([1, 3]).tolist() == [0, 0]
    assert sf.Pareto(3, 1).quantile([0, 1]).tolist() == [3, np.inf]
    assert sf.Beta(2, 2).quantile([0, 1]).tolist() == [0, 1]
    assert sf.Gamma(2, 1).predict().quantile([0, 1]).tolist() == [0, np.inf]


def test_quantiles_of_nothing_and_of_everything() -> None:
    flat = sf.NormalInverseGamma(0, 1, 1, 1)
    assert flat.predict().quantile([0, 1]).tolist() == [-np.inf, np.inf]
    assert flat.quantile(0.0) == (-np.inf, 0.0)
    assert sf.NormalInverseWishart([0, 0], 1, 4, np.eye(2)).predict().quantile(0).tolist() == [-np.inf, -np.inf]
    assert sf.Beta(1, 1000).predict(20).quantile(1.0) == 20
    assert sf.Beta([1, 2], 1000).predict([20, 5]).quantile(1.0).tolist() == [20, 5]
    assert sf.Dirichlet([1, 1, 1]).predict().quantile(1.0) == 2


@pytest.mark.parametrize("rate", [1e-9, 1e-12, 1e-17, 0.5, 2.0])
def test_counts_of_a_vague_rate_keep_their_digits(rate: float) -> None:
    """At rates near zero the count, in units of its mean, is as the rate itself: Gamma(2)."""
    ahead = sf.Gamma(2, rate).predict()
    if rate < 1e-6:
        assert ahead.cdf(1 / rate) == pytest.approx(stats.gamma(2).cdf(1), rel=1e-8)
        assert ahead.quantile(0.5) == pytest.approx(stats.gamma(2).ppf(0.5) / rate, rel=1e-6)
    else:
        np.testing.assert_allclose(ahead.cdf([0, 3, 9]), stats.nbinom(2, rate / (1 + rate)).cdf([0, 3, 9]), rtol=1e-12)


def test_densities_where_numbers_end() -> None:
    assert sf.NormalInverseGamma(0, 1, 1, 1).marginal().variance.pdf(1e-310) == 0
    assert sf.NormalInverseGamma(0, 1, 1, 1).logpdf((0, 1e-310)) == -np.inf
    with pytest.raises(PriorError, match="no marginals"):
        sf.Dirichlet([5.0]).predict(trials=3).cdf(2)
    with pytest.raises(InputError, match="vectors of 3 probabilities"):
        sf.Dirichlet([1, 2, 3]).logpdf([0.2, 0.8])
    for wrong in (1.0, [1.0, 1.0], np.eye(3)):
        with pytest.raises(InputError, match="must be 2 × 2"):
            sf.NormalInverseWishart([0, 0], 1, 4, np.eye(2)).logpdf(([0, 0], wrong))


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(InputError, match=r"probability, from 0 to 1; got 1\.5"):
        sf.Beta(2, 2).quantile(1.5)
    with pytest.raises(InputError, match="add up to 1"):
        sf.Dirichlet([1, 1, 1]).pdf([0.2, 0.2, 0.2])
    with pytest.raises(InputError, match="pair"):
        sf.NormalInverseGamma(0, 1, 1, 1).pdf(0.3)
    with pytest.raises(ImproperPrior, match="density"):
        sf.Pareto(0, 0).pdf(1)
    with pytest.raises(ImproperPrior, match="marginal"):
        sf.NormalInverseGamma(0, 0, 1, 1).quantile(0.5)
    with pytest.raises(ShapeError, match="broadcast"):
        sf.Beta([1, 2], [1, 2]).cdf([0.1, 0.2, 0.3])
    with pytest.raises(InputError, match="positive definite"):
        sf.NormalInverseWishart([0, 0], 1, 3, np.eye(2)).pdf(([0, 0], -np.eye(2)))
    with pytest.raises(InputError, match="added up one by one"):
        sf.Beta(1, 1).predict(10**9).cdf(3)


def test_strong_beliefs_keep_their_digits() -> None:
    """Near the mode the terms of a log-density are as large as a ln a, and their sum is small."""
    for away in [-30.0, -1.0, 0.0, 1e-3, 8.0]:
        for a in [1.1e3, 1e6, 1e10, 1e14]:
            rate = 1 + away / np.sqrt(a)
            with mp.workdps(60):
                s, x = mp.mpf(a), mp.mpf(rate)
                gamma = s * mp.log(s) + (s - 1) * mp.log(x) - s * x - mp.loggamma(s)
                p = mp.mpf(rate / 4)
                log_beta = mp.loggamma(s) + mp.loggamma(3 * s) - mp.loggamma(4 * s)
                beta = (s - 1) * mp.log(p) + (3 * s - 1) * mp.log(1 - p) - log_beta
                inverse = s * mp.log(s) - (s + 1) * mp.log(x) - s / x - mp.loggamma(s)
            near: Any = {"rel": 1e-9, "abs": 1e-6 if a > 1e12 else 1e-8}
            assert sf.Gamma(a, a).logpdf(rate) == pytest.approx(float(gamma), **near)
            assert sf.Beta(a, 3 * a).logpdf(rate / 4) == pytest.approx(float(beta), **near)
            assert sf.NormalInverseGamma(0, 1, a, a).marginal().variance.logpdf(rate) == pytest.approx(
                float(inverse), **near
            )


def test_strong_beliefs_at_the_ends_and_in_tables() -> None:
    table = sf.Beta([2e3, 2, 2e3], [2e3, 2e3, 0.5])
    np.testing.assert_allclose(table.logpdf(0.4), stats.beta(table.a, table.b).logpdf(0.4), rtol=1e-10)
    assert table.pdf(0).tolist() == [0, 0, 0]
    assert sf.Beta(2e3, 2e3).pdf([0, 1, 1e-300]).tolist() == [0, 0, 0]
    rates = sf.Gamma([2e3, 2.0], 3)
    np.testing.assert_allclose(rates.logpdf(500), stats.gamma(rates.shape, scale=1 / 3).logpdf(500), rtol=1e-10)
    assert sf.Gamma(2e3, 3).pdf([0, 1e-300, np.inf]).tolist() == [0, 0, 0]
    assert np.isnan(sf.Gamma(2e3, 3).logpdf(np.nan))


@pytest.mark.parametrize(
    ("alpha", "x"), [([1e12, 1e12], [0.5, 0.5]), ([3e6, 2e9, 5e4], [0.0015, 0.9984, 0.0001]), ([2e3, 5e3], [0.0, 1.0])]
)
def test_strong_dirichlets_keep_the_digits_of_their_densities(alpha: list[float], x: list[float]) -> None:
    a, p = [mp.mpf(each) for each in alpha], [mp.mpf(each) for each in x]
    with mp.workdps(50):
        known = mp.loggamma(sum(a)) - sum(mp.loggamma(each) for each in a)
        logs = sum((each - 1) * mp.log(q) for each, q in zip(a, p, strict=True)) if all(p) else -mp.inf
    assert sf.Dirichlet(alpha).logpdf(x) == pytest.approx(float(known + logs), rel=1e-9)


@pytest.mark.parametrize("nu", [1.5, 50.0, 1e4, 1e12])
def test_strong_beliefs_about_covariances_keep_the_digits_of_their_densities(nu: float) -> None:
    one = sf.NormalInverseGamma(0.0, 2.0, nu / 2, nu * 1.3 / 2).logpdf((0.1, 1.3))
    two = sf.NormalInverseWishart([0.0], 2.0, nu, [[nu * 1.3]]).logpdf(([0.1], [[1.3]]))
    assert two == pytest.approx(one, rel=1e-9)
    if nu > 2:
        scale, covariance = np.array([[5.0, 1.0], [1.0, 9.0]]) * nu, np.array([[4.9, 1.2], [1.2, 9.3]])
        with mp.workdps(50):
            d, v, ours, inverse = 2, mp.mpf(nu), mp.matrix(scale), mp.matrix(covariance) ** -1
            gamma = mp.log(mp.pi) / 2 + sum(mp.loggamma((v - i) / 2) for i in range(d))
            logs = v / 2 * (mp.log(mp.det(ours)) - d * mp.log(2)) - gamma
            logs -= (v + d + 1) / 2 * mp.log(mp.det(mp.matrix(covariance)))
            product = ours * inverse
            logs -= (product[0, 0] + product[1, 1]) / 2
        normal = stats.multivariate_normal([0, 0], covariance / 3).logpdf([0.3, 0.2])
        found = sf.NormalInverseWishart([0.0, 0.0], 3.0, nu, scale).logpdf(([0.3, 0.2], covariance))
        assert found == pytest.approx(float(logs) + normal, rel=1e-9)


@pytest.mark.parametrize(
    ("shape", "rate", "k"),
    [(1e6, 1e-9, 1e15), (1e12, 1e-9, 1e21), (0.01, 1e-9, 1e15), (2, 1e-9, 1e9), (1e12, 1e9, 2000), (5e3, 2, 2400)],
)
def test_huge_counts_keep_the_digits_of_their_probabilities(shape: float, rate: float, k: float) -> None:
    with mp.workdps(60):
        s, r, x = map(mp.mpf, (shape, rate, k))
        known = mp.loggamma(s + x) - mp.loggamma(s) - mp.loggamma(x + 1)
        known += s * mp.log(r / (r + 1)) - x * mp.log(r + 1)
    assert sf.Gamma(shape, rate).predict().logpmf(k) == pytest.approx(float(known), rel=1e-9)


def test_quantiles_of_means_that_are_hardly_known_are_infinite_where_no_number_is_large_enough() -> None:
    """For t far out, P(T > t) = ½ I(df/(df + t²); df/2, ½), of which the first term is left."""
    mean = sf.NormalInverseGamma(0, 1, 0.005, 0.005).marginal().mean
    for p in (0.6, 0.95, 0.975):
        with mp.workdps(30):
            df = mp.mpf(0.01)
            log_y = 2 / df * mp.log((1 - mp.mpf(p)) * df * mp.beta(df / 2, 0.5))
            expected = float(mp.exp((mp.log(df) - log_y) / 2))
        assert mean.quantile(p) == pytest.approx(expected, rel=1e-9)
        assert mean.quantile(1 - p) == pytest.approx(-expected, rel=1e-9)
    assert [*sf.NormalInverseGamma(0, 1, 0.001, 0.001).interval().mean] == [-np.inf, np.inf]


def test_densities_where_a_product_or_quotient_leaves_the_range_of_numbers() -> None:
    assert sf.Gamma(2.0, 1e300).logpdf(1e12) == -np.inf
    variance = sf.NormalInverseGamma(0, 1, 0.5, 1e-200).marginal().variance
    expected = 0.5 * (np.log(1e-200) - np.log(np.pi)) - 1.5 * np.log(1e300)
    assert variance.logpdf(1e300) == pytest.approx(expected)
