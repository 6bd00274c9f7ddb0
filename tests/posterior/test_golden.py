"""Worked examples with known answers, and formulas against other people's code."""

from dataclasses import fields
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import optimize, special, stats

import suffice as sf
from suffice.posterior.special import digamma_rise, log_rising, trigamma_fall
from suffice.stats import BinaryCounts, CategoryCounts, ClassCounts, DiagonalMoments, Extremes, FullMoments, TokenCounts

# ---- a coin


def test_coin_worked_examples() -> None:
    assert sf.Beta(2, 2).update(heads=3, tails=17) == sf.Beta(5, 19)
    assert sf.Beta(5, 2).update(heads=11, tails=13) == sf.Beta(16, 15)
    assert sf.Beta(1, 1).update(heads=0, tails=3).predict().pmf(1) == pytest.approx(1 / 5)
    assert repr(sf.Beta(2, 2).update(heads=3, tails=17)) == "Beta(a=5, b=19)"


def test_coin_moments_and_intervals_are_scipys() -> None:
    belief, oracle = sf.Beta(5, 19), stats.beta(5, 19)
    assert belief.mean == pytest.approx(oracle.mean())
    assert belief.var == pytest.approx(oracle.var())
    assert belief.interval(0.9) == pytest.approx(oracle.interval(0.9))
    ten = belief.predict(10)
    a, b, m = 5, 19, 10
    assert ten.mean == pytest.approx(m * a / (a + b))
    assert ten.var == pytest.approx(m * a * b * (a + b + m) / ((a + b) ** 2 * (a + b + 1)))
    assert ten.pmf([0, 3]) == pytest.approx(stats.betabinom(10, 5, 19).pmf([0, 3]))


@pytest.mark.parametrize(
    ("a", "b", "kind", "mode"),
    [
        (3, 2, "point", 2 / 3),
        (1, 2, "point", 0),
        (0.5, 1, "point", 0),
        (0.5, 3, "point", 0),
        (2, 1, "point", 1),
        (1, 0.5, "point", 1),
        (3, 0.5, "point", 1),
        (0.5, 0.4, "two", None),
        (1, 1, "flat", None),
    ],
)
def test_coin_modes(a: float, b: float, kind: str, mode: float | None) -> None:
    belief = sf.Beta(a, b)
    assert belief.modes() == kind
    if mode is None:
        with pytest.raises(sf.errors.NoUniqueMode, match="modes"):
            _ = belief.mode
        return
    grid = np.linspace(1e-9, 1 - 1e-9, 100_001)
    assert belief.mode == pytest.approx(mode)
    assert belief.mode == pytest.approx(grid[np.argmax(stats.beta.pdf(grid, a, b))], abs=1e-5)


def test_coin_prior_weight_mixes_prior_and_data() -> None:
    prior: Any = sf.Beta(4, 2)
    heads, tails = 7, 13
    after = prior.update(heads=heads, tails=tails)
    for of, before, result in (("mean", prior.mean, after.mean), ("mode", prior.mode, after.mode)):
        weight = prior.prior_weight(heads + tails, of=of)
        assert result == pytest.approx(weight * before + (1 - weight) * heads / (heads + tails))
    with pytest.raises(sf.errors.NoUniqueMode):
        sf.Beta(0.5, 3).prior_weight(10, of="mode")


def test_highest_density_interval_is_the_shortest() -> None:
    for a, b in [(5, 19), (2, 2), (1.2, 30), (400, 3), (1, 4), (0.3, 4), (4, 1), (0.5, 1), (1, 0.5), (5e6, 5e6)]:
        low, high = sf.Beta(a, b).interval(0.9, kind="highest")
        assert stats.beta.cdf(high, a, b) - stats.beta.cdf(low, a, b) == pytest.approx(0.9)
        widths = stats.beta.ppf(np.linspace(0, 0.1, 2001) + 0.9, a, b) - stats.beta.ppf(np.linspace(0, 0.1, 2001), a, b)
        assert high - low <= np.nanmin(widths) * (1 + 1e-9)


def test_highest_density_interval_of_special_coins() -> None:
    assert sf.Beta(1, 1).interval(0.9, kind="highest") == pytest.approx((0.05, 0.95))
    with pytest.raises(sf.errors.NoUniqueMode, match="both ends"):
        sf.Beta(0.5, 0.5).interval(kind="highest")
    table = sf.Beta([5, 4], [19, 1]).interval(0.9, kind="highest")
    assert table[0][0] == pytest.approx(sf.Beta(5, 19).interval(0.9, kind="highest")[0])
    assert table[1][1] == pytest.approx(1)


def test_coin_evidence_of_a_count_is_the_predictive_of_the_prior() -> None:
    prior = sf.Beta(2, 3)
    sequence = prior.log_evidence(heads=7, tails=13)
    assert sequence == pytest.approx(special.betaln(9, 16) - special.betaln(2, 3))
    assert sequence + np.log(special.comb(20, 7)) == pytest.approx(prior.predict(20).logpmf(7))


# ---- a die


def test_nursery_rhyme() -> None:
    words = ["mary", "lamb", "little", "big", "fleece", "white", "black", "snow", "rain"]
    lines = ["Mary had a little lamb, little lamb, little lamb", "Mary had a little lamb, its fleece was white as snow"]
    tokens = [w for line in lines for w in line.lower().replace(",", "").split() if w not in ("a", "as")]
    codes = [words.index(w) if w in words else len(words) for w in tokens]
    belief = sf.Dirichlet(np.ones(10)).update(values=codes, categories=range(10))
    assert belief.alpha.tolist() == [3, 5, 5, 1, 2, 2, 1, 2, 1, 5]
    assert belief.predict().pmf(np.arange(10)) * 27 == pytest.approx([3, 5, 5, 1, 2, 2, 1, 2, 1, 5])


def test_faces_of_a_die_are_counted_as_what_they_are_said_to_be() -> None:
    """Throws 1, 3, 3, 5 without a six could be codes 0..5 as well: which of both has to be said."""
    throws, die = [1, 3, 3, 5], sf.Dirichlet(np.ones(6))
    with pytest.raises(
        sf.errors.KeywordError, match=r"range\(6\) if they are numbered from 0, range\(1, 7\) if from 1"
    ):
        die.update(values=throws)
    with pytest.raises(sf.errors.KeywordError, match="'values' of Dirichlet needs 'categories'"):
        die.log_evidence(values=throws)
    faces = die.update(values=throws, categories=range(1, 7))
    assert faces == die.update(counts=[1, 0, 2, 0, 1, 0])
    assert die.update(values=throws, categories=range(6)) == die.update(counts=[0, 1, 0, 2, 0, 1])
    assert die.log_evidence(values=throws, categories=range(1, 7)) == die.log_evidence(counts=[1, 0, 2, 0, 1, 0])
    assert die.update(values=throws, categories=range(1, 7), weights=[2, 1, 1, 0]).alpha.tolist() == [3, 1, 3, 1, 1, 1]


def test_die_moments_are_scipys() -> None:
    alpha = np.array([0.3, 2, 5.5])
    belief, oracle = sf.Dirichlet(alpha), stats.dirichlet(alpha)
    assert belief.mean == pytest.approx(oracle.mean())
    assert belief.var == pytest.approx(oracle.var())
    np.testing.assert_allclose(belief.cov, oracle.cov(), atol=1e-15)
    five, by_scipy = belief.predict(5), stats.dirichlet_multinomial(alpha, 5)
    assert five.logpmf([1, 2, 2]) == pytest.approx(by_scipy.logpmf([1, 2, 2]))
    assert five.mean == pytest.approx(by_scipy.mean())
    np.testing.assert_allclose(five.cov, by_scipy.cov())
    sampled = five.sample(50_000, 1)
    assert (sampled.sum(axis=-1) == 5).all()
    np.testing.assert_allclose(sampled.mean(axis=0), by_scipy.mean(), atol=0.05)


def test_die_modes() -> None:
    assert sf.Dirichlet([3, 2, 1]).mode == pytest.approx([2 / 3, 1 / 3, 0])
    flat_then_data = sf.Dirichlet([1, 1, 1]).update(counts=[3, 0, 1])
    assert flat_then_data.mode == pytest.approx([0.75, 0, 0.25]), "a flat prior's MAP is the MLE"
    assert sf.Dirichlet([1, 1, 1]).modes() == "flat"
    assert sf.Dirichlet([0.5, 3, 3]).modes() == "none"
    assert sf.Dirichlet([0.5, 0.4]).modes() == "two"
    assert sf.Dirichlet([7.0]).mode == pytest.approx([1])
    for a, b in [(3.0, 2.0), (1.0, 2.0), (0.5, 3.0), (2.0, 1.0)]:
        assert sf.Dirichlet([a, b]).mode[0] == pytest.approx(sf.Beta(a, b).mode), "a die of two sides is a coin"
    with pytest.raises(sf.errors.NoUniqueMode):
        _ = sf.Dirichlet(np.array([[3, 2, 1], [0.5, 3, 3]])).mode


def test_die_learns_from_every_kind_of_count() -> None:
    prior = sf.Dirichlet.symmetric(3, strength=3)
    expected = sf.Dirichlet([3, 1, 2])
    assert prior.update(counts=[2, 0, 1]) == expected
    assert prior.update(values=[0, 0, 2], categories=range(3)) == expected
    assert prior.update(values=np.array(["a", "a", "c"]), categories=np.array(["a", "b", "c"])) == expected
    assert prior.update(values=[1.0, 1, 3], categories=[1, 2, 3]) == expected
    assert prior.update(ClassCounts.of_labels([0, 0, 2])) == expected
    assert prior.update(TokenCounts.of([[1, 0, 1], [1, 0, 0]])) == expected
    assert prior.update(CategoryCounts.of([0, 0, 2])) == expected
    by_class = prior.update(CategoryCounts.of([0, 0, 2], labels=[0, 1, 1], sizes=[3]))
    assert by_class.alpha.tolist() == [[2, 1, 1], [2, 1, 2]]
    low, high = expected.interval(0.9)
    assert (low[0], high[0]) == pytest.approx(stats.beta.interval(0.9, 3, 3))


def test_die_with_tiny_parameters_still_draws() -> None:
    draws = sf.Dirichlet(np.full((2, 5), 1e-3)).sample(1000, 0)
    assert np.isfinite(draws).all()
    np.testing.assert_allclose(draws.sum(axis=-1), 1)


# ---- a count


def test_count_formulas() -> None:
    prior, x = sf.Gamma(2.5, 0.7), np.array([3, 0, 4, 11])
    after = prior.update(values=x)
    assert (after.shape, after.rate) == pytest.approx((20.5, 4.7))
    s, r = 2.5, 0.7
    literal = special.gammaln(20.5) - special.gammaln(s) + s * np.log(r) - 20.5 * np.log(4.7)
    assert prior.log_evidence(values=x) == pytest.approx(literal - special.gammaln(x + 1).sum())
    assert after.mode == pytest.approx(19.5 / 4.7)
    assert sf.Gamma(0.5, 2).mode == 0
    assert after.interval(0.9) == pytest.approx(stats.gamma(20.5, scale=1 / 4.7).interval(0.9))
    assert after.predict().mean == pytest.approx(after.mean)


def test_counts_of_exposures_are_those_of_scipy() -> None:
    s, r = 2.5, 0.7
    for over in (1e-4, 0.3, 1.0, 40.0, 1e9):
        predicted, oracle = sf.Gamma(s, r).predict(over), stats.nbinom(s, r / (r + over))
        k = np.array([0, 1, 7, 300])
        np.testing.assert_allclose(predicted.logpmf(k), oracle.logpmf(k), rtol=1e-9)
        assert (predicted.mean, predicted.var) == pytest.approx((oracle.mean(), oracle.var()))
        assert sf.Gamma(s, r).log_evidence(values=[7], exposures=[over]) == pytest.approx(oracle.logpmf(7), rel=1e-9)
    with mpmath.workdps(50):  # where scipy has lost the digits of 1 − p
        p = mpmath.mpf(r) / (mpmath.mpf(r) + mpmath.mpf(1e-9))
        exact = [float(mpmath.log(mpmath.binomial(k + s - 1, k) * p**s * (1 - p) ** k)) for k in (0, 1, 7)]
    np.testing.assert_allclose(sf.Gamma(s, r).predict(1e-9).logpmf([0, 1, 7]), exact, rtol=1e-12)
    nothing = sf.Gamma(s, r).predict(0)
    assert nothing.pmf([0, 1]).tolist() == [1, 0]
    assert (nothing.mean, nothing.var, nothing.sample(rng=0)) == (0, 0, 0)
    assert sf.Gamma(s, r).update(values=[0], exposures=[0]) == sf.Gamma(s, r)
    assert sf.Gamma(s, r).log_evidence(values=[0], exposures=[0]) == 0


@pytest.mark.parametrize(("shape", "rate"), [(1e-6, 1e-6), (0.4, 3.0), (1e6, 1e6)])
def test_the_evidence_of_exposures_is_that_of_many_digits(shape: float, rate: float) -> None:
    x, over, times = [0, 3, 41, 2], [5.0, 1e-3, 60.0, 0.25], [1, 2, 1, 3]
    with mpmath.workdps(60):
        s, r, terms = mpmath.mpf(shape), mpmath.mpf(rate), mpmath.mpf(0)
        total, time = sum(w * k for w, k in zip(times, x, strict=True)), mpmath.mpf(0)
        for k, e, w in zip(x, over, times, strict=True):
            time += w * mpmath.mpf(e)
            terms += w * (k * mpmath.log(mpmath.mpf(e)) - mpmath.loggamma(k + 1))
        terms += (
            mpmath.loggamma(s + total) - mpmath.loggamma(s) + s * mpmath.log(r) - (s + total) * mpmath.log(r + time)
        )
        exact = float(terms)
    assert sf.Gamma(shape, rate).log_evidence(values=x, exposures=over, weights=times) == pytest.approx(exact, rel=1e-9)


# ---- a real number, a vector


def test_number_evidence_is_the_literal_formula() -> None:
    m, k, a, b = 0.3, 0.8, 1.7, 2.2
    x = np.array([1.0, -0.4, 2.2, 0.9])
    after = sf.NormalInverseGamma(m, k, a, b).update(values=x)
    n, mean, s = 4, x.mean(), np.sum((x - x.mean()) ** 2)
    b2 = b + s / 2 + k * n * (mean - m) ** 2 / (2 * (k + n))
    assert (after.m, after.kappa, after.a, after.b) == pytest.approx(
        ((k * m + n * mean) / (k + n), k + n, a + n / 2, b2)
    )
    literal = (
        special.gammaln(a + n / 2)
        - special.gammaln(a)
        + a * np.log(b)
        - (a + n / 2) * np.log(b2)
        + (np.log(k) - np.log(k + n)) / 2
        - n / 2 * np.log(2 * np.pi)
    )
    assert sf.NormalInverseGamma(m, k, a, b).log_evidence(values=x) == pytest.approx(literal)


def test_number_mode_is_the_highest_point_of_the_joint_density() -> None:
    belief = sf.NormalInverseGamma(0.3, 0.8, 1.7, 2.2)

    def cost(point: Any) -> float:
        mean, variance = point[0], np.exp(point[1])
        normal = stats.norm.logpdf(mean, 0.3, np.sqrt(variance / 0.8))
        return -float(normal + stats.invgamma.logpdf(variance, 1.7, scale=2.2))

    best = optimize.minimize(cost, [0.0, 0.0], tol=1e-12).x
    assert (belief.mode.mean, belief.mode.variance) == pytest.approx((best[0], np.exp(best[1])), abs=1e-5)
    t = DiagonalMoments.of([4.0, 5.0, 9.0])
    assert float(t.mean) == pytest.approx(6)
    assert float(t.variance) == pytest.approx(np.var([4, 5, 9]))


def test_vector_mode_is_the_highest_point_of_the_joint_density() -> None:
    scale = np.array([[2.0, 0.5], [0.5, 1.0]])
    belief = sf.NormalInverseWishart([1, 2], 2, 5, scale)

    def cost(p: Any) -> float:
        root = np.array([[np.exp(p[2]), 0], [p[3], np.exp(p[4])]])
        cov = root @ root.T
        normal = stats.multivariate_normal.logpdf(p[:2], [1, 2], cov / 2)
        return -float(normal + stats.invwishart.logpdf(cov, 5, scale))

    best = optimize.minimize(cost, np.array([1, 2, -1, 0, -1]), tol=1e-12, method="BFGS", options={"gtol": 1e-7})
    root = np.array([[np.exp(best.x[2]), 0], [best.x[3], np.exp(best.x[4])]])
    np.testing.assert_allclose(belief.mode.covariance, root @ root.T, rtol=1e-4)


def test_vectors_of_length_one_are_numbers() -> None:
    """a = ν/2, b = Λ/2."""
    x = np.array([1.0, -0.4, 2.2, 0.9])
    for kappa in (0.8, 0.0):
        number = sf.NormalInverseGamma(0.3, kappa, 1.7, 2.2)
        vector = sf.NormalInverseWishart([0.3], kappa, 3.4, [[4.4]])
        assert vector.log_evidence(values=x[:, None]) == pytest.approx(number.log_evidence(values=x))
        after_number, after_vector = number.update(values=x), vector.update(values=x[:, None])
        assert after_vector.predict().logpdf([1.5]) == pytest.approx(after_number.predict().logpdf(1.5))
        assert after_vector.interval(0.9).mean[0][0] == pytest.approx(after_number.interval(0.9).mean[0])
        assert after_vector.var.variance[0] == pytest.approx(after_number.var.variance)


def test_vector_evidence_is_the_literal_formula() -> None:
    rng = np.random.default_rng(0)
    X, d, n = rng.normal(size=(7, 3)), 3, 7
    m, k, nu, scale = np.array([0.1, -0.3, 0.5]), 0.6, 4.5, np.diag([1.0, 2.0, 0.5])
    mean = X.mean(axis=0)
    S = (X - mean).T @ (X - mean)
    L2 = scale + S + k * n / (k + n) * np.outer(mean - m, mean - m)
    gamma = special.multigammaln

    def det(matrix: Any) -> Any:
        return np.linalg.slogdet(matrix)[1]

    literal = (
        -n * d / 2 * np.log(np.pi)
        + gamma((nu + n) / 2, d)
        - gamma(nu / 2, d)
        + nu / 2 * det(scale)
        - (nu + n) / 2 * det(L2)
        + d / 2 * (np.log(k) - np.log(k + n))
    )
    assert sf.NormalInverseWishart(m, k, nu, scale).log_evidence(values=X) == pytest.approx(literal)
    flat = (
        -(n - 1) * d / 2 * np.log(np.pi)
        + gamma((nu + n) / 2, d)
        - gamma((nu + 1) / 2, d)
        + (nu + 1) / 2 * det(scale)
        - (nu + n) / 2 * det(scale + S)
        - d / 2 * np.log(n)
    )
    assert sf.NormalInverseWishart(m, 0, nu, scale).log_evidence(values=X) == pytest.approx(flat)


@pytest.mark.parametrize("kappa", [0.0, 1e-9])
def test_flat_mean_obeys_the_chain_rule_from_the_second_row_on(kappa: float) -> None:
    rng = np.random.default_rng(1)
    for prior, rows in (
        (sf.NormalInverseGamma(0, kappa, 1.5, 2), rng.normal(size=6)),
        (sf.NormalInverseWishart([0, 0], kappa, 2.5, np.eye(2)), rng.normal(size=(6, 2))),
    ):
        belief, total = prior.update(values=rows[:1]), 0.0
        for row in rows[1:]:
            total += float(belief.predict().log(row))
            belief = belief.update(values=[row])
        first = 0.0 if kappa == 0 else float(prior.predict().log(rows[0]))
        assert prior.log_evidence(values=rows) == pytest.approx(total + first, abs=1e-6)


def test_vector_learns_a_table_from_labels() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    prior = sf.NormalInverseWishart([0, 0], 1, 3, np.eye(2))
    table = prior.update(FullMoments.of(X, y))
    assert table.batch_shape == (3,)
    one = prior.update(values=X[y == 1])
    np.testing.assert_allclose(table.scale[1], one.scale)
    np.testing.assert_allclose(table.predict().log(X[:, None])[:, 1], one.predict().log(X))
    assert table.predict().sample(5, 0).shape == (5, 3, 2)
    assert table.sample(5, 0).covariance.shape == (5, 3, 2, 2)


def test_vector_uncertainties_where_they_do_not_exist() -> None:
    belief = sf.NormalInverseWishart([0, 0], 1, 2.5, np.eye(2))
    assert np.isinf(belief.mean.covariance[0, 0])
    assert np.isnan(belief.mean.covariance[0, 1])
    assert np.isinf(belief.predict().var).all()
    assert np.isinf(sf.NormalInverseGamma(0, 1, 0.5, 1).mean.variance)
    assert np.isinf(sf.Pareto(1, 1).mean)
    assert np.isinf(sf.Pareto(1, 2).var)
    assert np.isinf(sf.Pareto(1, 2).predict().var)


# ---- the end of an interval


def test_taxicab() -> None:
    belief = sf.Pareto(0, 0).update(values=[100])
    assert belief == sf.Pareto(100, 1)
    density = belief.predict()
    assert density.pdf([1, 100]) == pytest.approx([1 / 200, 1 / 200])
    assert density.pdf([101, 250]) == pytest.approx([50 / 101**2, 50 / 250**2])
    assert density.pdf(-1) == 0
    assert belief.mean == np.inf
    assert belief.mode == 100
    assert Extremes.of([31.0, 100.0]).maximum == 100


def test_interval_evidence_is_the_literal_formula() -> None:
    prior = sf.Pareto(4, 2.5)
    assert prior.log_evidence(values=[1, 3]) == pytest.approx(np.log(2.5 / (4.5 * 4**2)))
    assert prior.log_evidence(values=[1, 9]) == pytest.approx(np.log(2.5 * 4**2.5 / (4.5 * 9**4.5)))
    assert prior.interval(0.9) == pytest.approx(stats.pareto(2.5, scale=4).interval(0.9))
    assert (prior.mean, prior.var) == pytest.approx(stats.pareto(2.5, scale=4).stats("mv"))


def test_improper_priors_answer_only_what_they_can() -> None:
    nothing = sf.Pareto(0, 0)
    for question in (nothing.predict, nothing.sample, nothing.interval, lambda: nothing.log_evidence(values=[1])):
        with pytest.raises(sf.errors.ImproperPrior, match="proper prior"):
            question()
    with pytest.raises(sf.errors.NoUniqueMode):
        _ = nothing.mode
    for flat in (sf.NormalInverseGamma(0, 0, 1, 1), sf.NormalInverseWishart([0], 0, 1, [[1]])):
        assert not flat.proper
        for name in ("predict", "sample", "interval", "var"):
            with pytest.raises(sf.errors.ImproperPrior):
                _ = getattr(flat, name)()


# ---- hard numbers


def test_rising_factorials_keep_their_digits() -> None:
    for n in [0.0, 1e-6, 1.0, 2.5, 1000.0, 1e9]:
        for x in [1e-300, 1e-10, 0.3, 5.0, 15.999, 16.0, 40.0, 1e6, 1e12, 1e17]:
            with mpmath.workdps(80):
                exact = float(mpmath.loggamma(mpmath.mpf(x) + mpmath.mpf(n)) - mpmath.loggamma(mpmath.mpf(x)))
            assert float(log_rising(x, n)) == pytest.approx(exact, rel=4e-15, abs=4e-14)


def test_a_coin_of_one_thousandth_against_a_million() -> None:
    prior = sf.Beta(1e-3, 1e6)
    with mpmath.workdps(50):
        a, b = mpmath.mpf(1e-3), mpmath.mpf(1e6)
        exact = float(mpmath.log(mpmath.beta(a + 3, b + 17)) - mpmath.log(mpmath.beta(a, b)))
    assert prior.log_evidence(heads=3, tails=17) == pytest.approx(exact, rel=1e-14)
    assert prior.mean == pytest.approx(1e-3 / (1e6 + 1e-3), rel=1e-15)
    assert prior.predict().logpmf(1) == pytest.approx(np.log(1e-9), rel=1e-9)
    assert prior.mode == 0
    low, high = prior.interval()
    assert 0 <= low <= high < 1e-4


def test_evidence_of_a_million_trials() -> None:
    with mpmath.workdps(50):
        exact = float(mpmath.log(mpmath.beta(300_001, 700_001)))
    assert sf.Beta(1, 1).log_evidence(heads=300_000, tails=700_000) == pytest.approx(exact, rel=1e-13)
    counts = np.array([500_000, 0, 500_000])
    with mpmath.workdps(50):
        exact = float(sum(mpmath.loggamma(0.5 + int(c)) - mpmath.loggamma(0.5) for c in counts))
        exact += float(mpmath.loggamma(1.5)) - float(mpmath.loggamma(1.5 + 10**6))
    assert sf.Dirichlet([0.5] * 3).log_evidence(counts=counts) == pytest.approx(exact, rel=1e-10)
    values = np.random.default_rng(0).poisson(3, 10**6)
    assert np.isfinite(sf.Gamma(1, 1).log_evidence(values=values))


@pytest.mark.parametrize("extra", [1e-9, 1e-3, 1.0])
def test_degrees_of_freedom_just_above_the_limit(extra: float) -> None:
    d = 3
    prior = sf.NormalInverseWishart(np.zeros(d), 1, d - 1 + extra, np.eye(d))
    X = np.random.default_rng(3).normal(size=(5, d))
    belief, total = prior, 0.0
    for row in X:
        total += float(belief.predict().log(row))
        belief = belief.update(values=[row])
    assert prior.log_evidence(values=X) == pytest.approx(total, rel=1e-9)


def test_huge_priors_do_not_drown_the_data() -> None:
    """A prior worth 1e12 observations: the evidence is that of a known coin, to many digits."""
    coin = sf.Beta(3e11, 7e11).log_evidence(heads=3, tails=7)
    assert coin == pytest.approx(3 * np.log(0.3) + 7 * np.log(0.7), rel=1e-10)
    known = sf.NormalInverseGamma(0, 1e12, 1e12, 1e12).log_evidence(values=[0.5, -1.0])
    assert known == pytest.approx(stats.norm.logpdf([0.5, -1.0]).sum(), rel=1e-9)
    vector = sf.NormalInverseWishart([0, 0], 1e12, 1e12, np.eye(2) * 1e12).log_evidence(values=[[0.5, -1.0]])
    assert vector == pytest.approx(stats.norm.logpdf([0.5, -1.0]).sum(), rel=1e-9)
    count = sf.Gamma(3e12, 1e12).log_evidence(values=[2, 5])
    assert count == pytest.approx(stats.poisson.logpmf([2, 5], 3).sum(), rel=1e-9)


def test_predictives_of_strong_beliefs_keep_their_digits() -> None:
    """Where scipy's lose them: against 50 digits."""
    with mpmath.workdps(60):
        beta = mpmath.log(mpmath.binomial(10, 5) * mpmath.beta(10**12 + 5, 10**12 + 5) / mpmath.beta(10**12, 10**12))
        s, r = mpmath.mpf(3 * 10**12), mpmath.mpf(10**12)
        gamma = mpmath.loggamma(s + 3) - mpmath.loggamma(s) - mpmath.log(6)
        gamma += s * mpmath.log(r / (r + 1)) - 3 * mpmath.log(r + 1)
    assert sf.Beta(1e12, 1e12).predict(10).logpmf(5) == pytest.approx(float(beta), rel=1e-13)
    assert sf.Dirichlet([1e12, 1e12]).predict(10).logpmf([5, 5]) == pytest.approx(float(beta), rel=1e-13)
    assert sf.Gamma(3e12, 1e12).predict().logpmf(3) == pytest.approx(float(gamma), rel=1e-12)
    assert sf.Gamma(3e17, 1e17).predict().mean == pytest.approx(3)
    assert sf.Beta(1e20, 1).predict().logpmf(0) == pytest.approx(-np.log(1e20))
    normal = stats.multivariate_normal([0, 0], np.eye(2) / 2)
    strong = sf.NormalInverseWishart([0, 0], 1e16, 2e16, np.eye(2) * 1e16).predict()
    assert strong.logpdf([0.5, 0.5]) == pytest.approx(normal.logpdf([0.5, 0.5]))
    assert sf.Pareto(1, 1e17).predict().logpdf(1 + 1e-7) == pytest.approx(-1e17 * np.log1p(1e-7), rel=1e-6)
    assert sf.Dirichlet([1e-200, 1e200]).predict().logpmf(0) == pytest.approx(-400 * np.log(10))


def test_predictives_are_scipys_where_scipy_holds() -> None:
    k = np.arange(12)
    assert sf.Beta(2.5, 0.7).predict(11).logpmf(k) == pytest.approx(stats.betabinom.logpmf(k, 11, 2.5, 0.7))
    assert sf.Gamma(2.5, 0.7).predict().logpmf(k) == pytest.approx(stats.nbinom.logpmf(k, 2.5, 0.7 / 1.7))
    for ours, theirs in (
        (sf.Beta(2.5, 0.7).predict(11), stats.betabinom(11, 2.5, 0.7)),
        (sf.Gamma(2.5, 0.7).predict(), stats.nbinom(2.5, 0.7 / 1.7)),
        (sf.NormalInverseGamma(1, 2, 3, 4).predict(), stats.t(6, 1, np.sqrt(4 * 3 / 6))),
    ):
        assert (ours.mean, ours.var) == pytest.approx(theirs.stats("mv"))
    vector = sf.NormalInverseWishart([1, 2], 2, 6, [[2, 1], [1, 3]]).predict()
    oracle = stats.multivariate_t(vector.location, vector.scale, float(vector.df))
    points = np.random.default_rng(0).normal(size=(5, 2))
    assert vector.logpdf(points) == pytest.approx(oracle.logpdf(points))


def test_columns_of_very_different_units() -> None:
    X = np.random.default_rng(0).normal(size=(100, 2)) * [30_000, 0.05]
    belief = sf.NormalInverseWishart(np.zeros(2), 1, 4, np.eye(2)).update(values=X)
    assert belief.predict().logpdf([0, 0]) == pytest.approx(belief.log_evidence(values=[[0, 0]]))
    assert np.isfinite(belief.sample(100, 0).mean).all()


def test_a_flat_mean_ignores_its_guess() -> None:
    assert sf.NormalInverseGamma(1e17, 0, 1, 1).update(values=[1.0, 3.0]).m == 2
    assert sf.NormalInverseGamma(1e200, 0, 1, 1).log_evidence(values=[1.0, 2.0]) == pytest.approx(
        sf.NormalInverseGamma(0, 0, 1, 1).log_evidence(values=[1.0, 2.0])
    )
    assert sf.NormalInverseWishart([1e160, 0], 0, 30, np.eye(2)).update(values=[[1.0, 2.0]]).m.tolist() == [1, 2]
    far = sf.NormalInverseGamma(1e200, 1, 1, 1)
    assert far.update(DiagonalMoments.zero()) == far


def test_draws_near_the_limit_of_the_degrees_of_freedom() -> None:
    draws = sf.NormalInverseWishart([0, 0], 1, 1.2, np.eye(2)).sample(500, 0)
    usual = np.isfinite(draws.covariance).all(axis=(-1, -2))
    assert usual.mean() > 0.9
    assert np.isfinite(draws.mean[usual]).all()


def test_inverse_wishart_draws_have_the_right_mean_and_spread() -> None:
    scale = np.array([[4.0, 1.0, 0.5], [1.0, 6.0, -1.0], [0.5, -1.0, 2.0]])
    ours = sf.NormalInverseWishart(np.zeros(3), 2, 12, scale).sample(60_000, 1).covariance
    np.testing.assert_allclose(ours.mean(axis=0), scale / (12 - 3 - 1), atol=0.02)
    np.testing.assert_allclose(ours.var(axis=0), stats.invwishart(12, scale).var(), rtol=0.2)


def test_modes_close_to_flat_still_add_up() -> None:
    eps = np.finfo(float).eps
    assert sf.Dirichlet([1, 1 + eps, 1 + eps]).mode == pytest.approx([0, 0.5, 0.5])
    assert sf.Beta(1 + eps, 1 + 2 * eps).mode == pytest.approx(1 / 3)


def test_one_dominant_category() -> None:
    belief = sf.Dirichlet([1e20, 1])
    assert belief.var == pytest.approx([1e-40, 1e-40])
    np.testing.assert_allclose(belief.cov, 1e-40 * np.array([[1, -1], [-1, 1]]))
    assert belief.interval()[0][0] == 1


def test_equal_beliefs_have_equal_hashes() -> None:
    assert hash(sf.Pareto(0.0, 1)) == hash(sf.Pareto(-0.0, 1))
    assert repr(sf.Beta(0.1 + 0.2, 1)) == "Beta(a=0.30000000000000004, b=1)"


def test_extreme_parameters_give_answers_without_warnings() -> None:
    sf.Beta(1e160, 1e160).log_evidence(heads=1)
    assert sf.Pareto(1e-300, 1).log_evidence(values=[1e300]) == pytest.approx(
        -600 * np.log(10) * 1 - 300 * np.log(10) - np.log(2)
    )
    vague = sf.NormalInverseGamma(0, 0.001, 0.001, 0.001)
    vague.interval()
    vague.sample(100, 0)
    sf.Pareto(1, 0.001).interval()
    sf.Gamma(1e-3, 1e-300).predict().logpmf(0)
    assert np.isnan(sf.NormalInverseGamma(0, 1, 0.5, 1).predict().mean)
    wide = sf.Beta(1e9, 1.05).interval(1 - 1e-9, kind="highest")
    assert wide[1] - wide[0] < 3e-8


def test_outcomes_that_cannot_be_have_no_probability() -> None:
    coin, die = sf.Beta(1, 2).predict(5), sf.Dirichlet([1, 2, 3]).predict(5)
    assert coin.pmf([-1, 2.5, 6]).tolist() == [0, 0, 0]
    assert np.isnan(coin.pmf(np.nan))
    assert die.pmf([[1.5, 2.0, 1.5], [-1.0, 3.0, 3.0], [1.0, 1.0, 1.0]]).tolist() == [0, 0, 0]
    assert np.isnan(die.pmf([np.nan, 1, 1]))
    assert sf.Dirichlet([1, 2, 3]).predict().pmf([-1, 0.5, 3]).tolist() == [0, 0, 0]
    assert sf.Gamma(1, 1).predict().pmf([-1, 0.5, np.inf]).tolist() == [0, 0, 0]
    assert sf.Beta([1, 2]).predict([1, 1]).mean.shape == (2,)


def test_a_table_of_coins_from_a_table_of_counts() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (50, 4)), rng.integers(0, 3, 50)
    table = sf.Beta(1, 1).update(BinaryCounts.of(X, y))
    assert table.batch_shape == (3, 4)
    for c in range(3):
        for j in range(4):
            column = X[y == c, j]
            one = sf.Beta(1, 1).update(values=column)
            assert (table.a[c, j], table.b[c, j]) == (one.a, one.b)
    per_feature = sf.Beta([1, 2, 3, 4], 1).update(BinaryCounts.of(X, y))
    assert per_feature.a[0].tolist() == (table.a[0] + [0, 1, 2, 3]).tolist()


# ---- answers of every family


BELIEFS = [
    sf.Beta(5, 19),
    sf.Dirichlet([0.3, 2, 5.5]),
    sf.Gamma(2.5, 0.7),
    sf.NormalInverseGamma(1, 2, 8, 7),
    sf.NormalInverseWishart([1, -2], 3, 15, [[4, 1], [1, 6]]),
    sf.Pareto(10, 8),
]
every_belief = pytest.mark.parametrize("belief", BELIEFS, ids=lambda belief: type(belief).__name__)


@every_belief
def test_an_interval_holds_95_percent_by_default(belief: Any) -> None:
    for ours, expected in zip(belief.interval(), belief.interval(0.95), strict=True):
        np.testing.assert_array_equal(ours, expected)


@every_belief
@pytest.mark.parametrize("level", [0, 1])
def test_an_interval_holds_neither_nothing_nor_everything(belief: Any, level: float) -> None:
    with pytest.raises(sf.errors.InputError, match="between 0 and 1"):
        belief.interval(level)


@every_belief
def test_draws_have_the_shape_that_was_requested(belief: Any) -> None:
    one = belief.sample(rng=0)
    for size, shape in ((None, ()), ((), ()), (4, (4,)), ((2, 3), (2, 3)), (0, (0,)), ((2, 0), (2, 0))):
        drawn = belief.sample(size, 0)
        if isinstance(one, tuple):
            assert [np.shape(part) for part in drawn] == [(*shape, *np.shape(part)) for part in one]
        else:
            assert np.shape(drawn) == (*shape, *np.shape(one))
        future = belief.predict()
        assert np.shape(future.sample(size, 0)) == (*shape, *np.shape(future.sample(rng=0)))
    with pytest.raises(sf.errors.InputError, match="'size'"):
        belief.sample([[2, 3]], 0)
    with pytest.raises(sf.errors.InputError, match="'size'"):
        belief.sample((2, -3), 0)


@every_belief
def test_a_table_says_for_each_of_its_members_what_its_mode_is(belief: Any) -> None:
    table = type(belief)(*(np.stack([getattr(belief, field.name)] * 3) for field in fields(belief)))
    assert table.batch_shape == (3,)
    assert belief.batch_shape == ()
    if type(belief) is not sf.Dirichlet:
        assert table.modes().tolist() == ["point"] * 3
        assert belief.modes() == "point"
    assert table.proper
    assert table != belief


def test_beliefs_differ_in_any_one_parameter() -> None:
    assert sf.Beta(1, 2) != sf.Beta(1, 3)
    assert sf.Beta(1, 2) != sf.Beta(2, 2)
    assert sf.Gamma(1, 2) != sf.Beta(1, 2)
    assert sf.Beta(1, 2).__eq__("a coin") is NotImplemented
    assert sf.Beta() == sf.Beta(1, 1)
    assert hash(sf.Beta(1, 2)) != hash(sf.Beta(1, 3))
    assert hash(sf.Beta(1, 2)) != hash(sf.Gamma(1, 2))


def test_long_tables_are_shown_by_their_ends() -> None:
    assert repr(sf.Dirichlet(np.ones(12))).count("1.") == 12
    assert repr(sf.Dirichlet(np.ones(13))) == "Dirichlet(alpha=[1., 1., ..., 1., 1.])"


# ---- where a moment ends to exist, and what it is where it does


@pytest.mark.parametrize(("b", "K"), [(3.0, 2.5), (10.0, 8.0), (0.2, 4.0)])
def test_the_next_value_up_to_an_end_has_the_moments_of_its_density(b: float, K: float) -> None:
    """∫ xᵏ p(x) dx, of what is uniform up to b and falls as x⁻ᴷ⁻¹ from there."""
    with mpmath.workdps(30):
        start = mpmath.mpf(K) / (K + 1) / b

        def moment(k: int) -> Any:
            return mpmath.quad(lambda x: x**k * start, [0, b]) + start * mpmath.mpf(b) ** (k + 1) / (K - k)

        mean, square = moment(1), moment(2)
    future = sf.Pareto(b, K).predict()
    assert future.mean == pytest.approx(float(mean), rel=1e-12)
    assert future.var == pytest.approx(float(square - mean**2), rel=1e-11)
    assert future.pdf([0, b / 2, b, 2 * b]) == pytest.approx(float(start) * np.array([1, 1, 1, 2.0 ** -(K + 1)]))
    assert future.pdf(-1e-300) == 0
    assert np.isnan(future.pdf(np.nan))


def test_an_end_has_a_mean_from_k_above_one_and_a_variance_from_k_above_two() -> None:
    table = sf.Pareto(1, [1.0, 1.5, 2.0, 2.5, 3.0])
    assert table.mean.tolist() == pytest.approx([np.inf, 3, 2, 5 / 3, 1.5])
    assert table.var.tolist() == pytest.approx([np.inf] * 3 + [stats.pareto(2.5).var(), stats.pareto(3).var()])
    assert table.predict().mean.tolist() == pytest.approx([np.inf, 1.5, 1, 5 / 6, 0.75])
    assert np.isinf(table.predict().var).tolist() == [True, True, True, False, False]


def test_a_number_has_a_variance_from_a_above_one() -> None:
    shapes = [0.5, 1.0, 1.25, 2.0, 2.5, 3.5]
    table = sf.NormalInverseGamma(0.5, 2, shapes, 4)
    variances = [stats.invgamma(a, scale=4) for a in shapes]
    means = [stats.t(2 * a, 0.5, np.sqrt(4 / a / 2)) for a in shapes]
    next_ones = [stats.t(2 * a, 0.5, np.sqrt(4 / a * 1.5)) for a in shapes]
    assert table.mean.variance.tolist() == pytest.approx([np.inf] * 2 + [oracle.mean() for oracle in variances[2:]])
    assert table.var.mean.tolist() == pytest.approx([np.inf] * 2 + [oracle.var() for oracle in means[2:]])
    assert table.var.variance.tolist() == pytest.approx([np.inf] * 4 + [oracle.var() for oracle in variances[4:]])
    future = table.predict()
    assert np.isnan(future.mean).tolist() == [True] + [False] * 5
    assert future.mean[1:].tolist() == [0.5] * 5
    assert future.var.tolist() == pytest.approx([np.inf] * 2 + [oracle.var() for oracle in next_ones[2:]])


def test_a_vector_has_a_covariance_from_nu_above_d_plus_one() -> None:
    scale = np.array([[4.0, 1.0, 0.5], [1.0, 6.0, -1.0], [0.5, -1.0, 2.0]])
    table = sf.NormalInverseWishart([1, -2, 0.5], 2.5, [3.0, 4.0, 5.0, 6.0, 9.0, 7.0], scale)
    means, variances, covariances = table.mean.covariance, table.var, table.cov
    for i in (0, 1):
        assert np.isinf(np.diagonal(means[i])).all()
        assert np.isnan(means[i][~np.eye(3, dtype=bool)]).all()
        assert np.isinf(variances.mean[i]).all()
    for i, nu in ((2, 5), (3, 6), (4, 9), (5, 7)):
        expected = stats.invwishart(nu, scale).mean()
        np.testing.assert_allclose(means[i], expected)
        np.testing.assert_allclose(covariances[i], expected / 2.5)
        np.testing.assert_allclose(variances.mean[i], np.diagonal(expected) / 2.5)
    assert np.isinf(variances.variance[:4]).all()
    for i, nu in ((4, 9), (5, 7)):
        np.testing.assert_allclose(variances.variance[i], np.diagonal(stats.invwishart(nu, scale).var()))
    for end, p in zip(range(2), (0.05, 0.95), strict=True):
        a, b = (9 - 3 + 1) / 2, np.diagonal(scale) / 2
        spread = np.sqrt(b / a / 2.5)
        np.testing.assert_allclose(table.interval(0.9).mean[end][4], stats.t.ppf(p, 2 * a, [1, -2, 0.5], spread))
        np.testing.assert_allclose(table.interval(0.9).variance[end][4], stats.invgamma.ppf(p, a, scale=b))


def test_the_next_vector_has_the_moments_of_students_t() -> None:
    scale = np.array([[4.0, 1.0], [1.0, 6.0]])
    table = sf.NormalInverseWishart([1, -2], 2, [2.0, 3.0, 3.5, 7.0], scale).predict()
    assert table.df.tolist() == [1, 2, 2.5, 6]
    assert np.isnan(table.mean[0]).all()
    assert table.mean[1:].tolist() == [[1, -2]] * 3
    for i in (0, 1):
        assert np.isinf(np.diagonal(table.cov[i])).all()
        assert np.isnan(table.cov[i][[0, 1], [1, 0]]).all()
    for i, df in ((2, 2.5), (3, 6)):
        shape = scale * 3 / (2 * df)
        np.testing.assert_allclose(table.cov[i], shape * df / (df - 2))
        first = stats.t(df, 1, np.sqrt(shape[0, 0]))
        assert table.var[i][0] == pytest.approx(first.var())


def test_the_evidence_of_a_first_row_under_a_flat_mean_is_given_by_itself() -> None:
    number, vector = sf.NormalInverseGamma(3, 0, 1.5, 2), sf.NormalInverseWishart([3, 1], 0, 2.5, np.eye(2))
    assert number.log_evidence(values=[7.0]) == pytest.approx(0, abs=1e-15)
    assert vector.log_evidence(values=[[7.0, -2.0]]) == pytest.approx(0, abs=1e-15)
    assert number.log_evidence(DiagonalMoments.zero()) == 0
    assert vector.log_evidence(FullMoments.zero()) == 0


# ---- limits of what is allowed


def test_the_weight_of_a_coins_prior_in_the_mode_needs_a_mode() -> None:
    for a, b in ((1.0, 3.0), (3.0, 1.0)):
        before, after = sf.Beta(a, b), sf.Beta(a, b).update(heads=4, tails=6)
        weight = before.prior_weight(10, of="mode")
        assert weight == pytest.approx(2 / 12)
        assert after.mode == pytest.approx(weight * before.mode + (1 - weight) * 0.4)
    assert sf.Beta(1, 1.5).prior_weight(10, of="mode") == pytest.approx(0.5 / 10.5)
    for a, b in ((1, 1), (0.9, 1.5), (1.5, 0.9)):
        with pytest.raises(sf.errors.NoUniqueMode):
            sf.Beta(a, b).prior_weight(10, of="mode")
    with pytest.raises(sf.errors.NoUniqueMode):
        sf.Beta([3, 0.5], 2).prior_weight(10, of="mode")
    assert sf.Beta([3, 1], 1).prior_weight([4, 8]) == pytest.approx([4 / 8, 2 / 10])
    with pytest.raises(sf.errors.ShapeError, match="broadcast"):
        sf.Beta([3, 1], 1).prior_weight([4, 8, 9])


def test_dice_of_one_and_two_sides() -> None:
    for only in (0.5, 1.0, 7.0):
        assert sf.Dirichlet([only]).modes() == "point"
        assert sf.Dirichlet([only]).mode.tolist() == [1]
    for a, b in [(0.5, 1.0), (1.0, 0.5), (0.5, 0.7), (1.0, 1.0), (1.0, 1.5)]:
        assert sf.Dirichlet([a, b]).modes() == sf.Beta(a, b).modes()
        if sf.Beta(a, b).modes() == "point":
            assert sf.Dirichlet([a, b]).mode[0] == sf.Beta(a, b).mode
    assert sf.Dirichlet.symmetric(1, 2).alpha.tolist() == [2]
    assert sf.Dirichlet.symmetric(2, [2, 6]).alpha.tolist() == [[1, 1], [3, 3]]


def test_a_table_of_dice_foresees_what_each_of_them_does() -> None:
    alpha = np.array([[0.3, 2, 5.5], [4, 1, 1]])
    table, counts = sf.Dirichlet(alpha), [1, 2, 2]
    next_one, five = table.predict(), table.predict(5)
    for i in range(2):
        oracle, die = stats.dirichlet_multinomial(alpha[i], 5), stats.dirichlet(alpha[i])
        np.testing.assert_allclose(five.logpmf(counts)[i], oracle.logpmf(counts))
        np.testing.assert_allclose(five.mean[i], oracle.mean())
        np.testing.assert_allclose(five.cov[i], oracle.cov())
        np.testing.assert_allclose(np.asarray(five.var)[i], np.diagonal(oracle.cov()))
        np.testing.assert_allclose(table.cov[i], die.cov(), atol=1e-15)
        np.testing.assert_allclose(table.mean[i], die.mean())
        np.testing.assert_allclose(table.log_evidence(counts=counts)[i] + np.log(30), oracle.logpmf(counts))
        np.testing.assert_allclose(next_one.mean[i], die.mean())
        np.testing.assert_allclose(np.asarray(next_one.var)[i], die.mean() * (1 - die.mean()))
        np.testing.assert_allclose(next_one.pmf(np.arange(3)[:, None])[:, i], die.mean())
    drawn = next_one.sample(20_000, 0)[..., None] == np.arange(3)
    np.testing.assert_allclose(drawn.mean(axis=0), alpha / alpha.sum(axis=1, keepdims=True), atol=0.02)


def test_a_scale_may_be_askew_by_rounding_and_no_more() -> None:
    for unit in (np.eye(2), np.eye(2) * 1e-8, np.eye(2) * 1e8, np.diag([1e-8, 1e8])):

        def prior(scale: Any, unit: Any = unit) -> Any:
            return sf.NormalInverseWishart([0, 0], 1, 3, unit @ np.array(scale) @ unit)

        middle = prior([[1, 0.5 + 1e-11], [0.5, 1]]).scale
        assert middle.tolist() == middle.T.tolist()
        assert middle[0, 1] / unit[0, 0] / unit[1, 1] == pytest.approx(0.5 + 5e-12, abs=1e-14)
        for bad in (
            [[1, 0.5 + 1e-9], [0.5, 1]],
            [[1, 1], [1, 1]],
            [[0, 0], [0, 1]],
            [[1, 2], [2, 1]],
            [[-1, 0], [0, 1]],
        ):
            with pytest.raises(sf.errors.PriorError, match="positive definite"):
                prior(bad)
    for scales in ([np.eye(2), np.ones((2, 2))], [np.ones((2, 2)), np.eye(2)]):
        with pytest.raises(sf.errors.PriorError, match="positive definite"):
            sf.NormalInverseWishart([0, 0], 1, 3, scales)
    askew = sf.NormalInverseWishart([0, 0], 1, 3, np.array([np.eye(2), [[1, 0.5 + 1e-11], [0.5, 1]]])).scale
    assert askew[1].tolist() == askew[1].T.tolist()
    table = sf.NormalInverseWishart([0, 0], 1, 3, [np.eye(2), 1e17 * np.eye(2)])
    with pytest.raises(sf.errors.DataError, match="collinear"):
        table.update(values=[[1e8, 1e8], [2e8, 2e8]])


def test_a_count_is_drawn_from_rates_of_up_to_1e18() -> None:
    assert sf.Gamma(0.9e30, 1e12).predict().sample(rng=0) == pytest.approx(0.9e18)
    with pytest.raises(sf.errors.InputError, match=r"rates up to 1e18; got 1\.5e"):
        sf.Gamma(1.5e30, 1e12).predict().sample(rng=0)


def test_rises_of_digamma_and_falls_of_trigamma_keep_their_digits() -> None:
    for n in [1.0, 2.5, 1000.0, 1e9]:
        for x in [0.3, 5.0, 15.999, 16.0, 17.5, 40.0, 1e6, 1e12]:
            with mpmath.workdps(60):
                start, end = mpmath.mpf(x), mpmath.mpf(x) + mpmath.mpf(n)
                rise = float(mpmath.digamma(end) - mpmath.digamma(start))
                fall = float(mpmath.psi(1, start) - mpmath.psi(1, end))
            assert float(digamma_rise(x, n)) == pytest.approx(rise, rel=1e-14, abs=0)
            assert float(trigamma_fall(x, n)) == pytest.approx(fall, rel=1e-14, abs=0)


# ---- draws


SCALE = np.array([[4.0, 1.0], [1.0, 6.0]])


@pytest.mark.parametrize(
    ("draw", "oracle"),
    [
        (sf.Beta(0.8, 3).sample, stats.beta(0.8, 3)),
        (sf.Gamma(1.5, 0.3).sample, stats.gamma(1.5, scale=1 / 0.3)),
        (sf.Pareto(3, 1.5).sample, stats.pareto(1.5, scale=3)),
        (lambda *how: sf.Dirichlet([0.5, 2, 1]).sample(*how)[:, 1], stats.beta(2, 1.5)),
        (lambda *how: sf.NormalInverseGamma(1, 0.5, 1.5, 2).sample(*how).mean, stats.t(3, 1, np.sqrt(2 / 1.5 / 0.5))),
        (lambda *how: sf.NormalInverseGamma(1, 0.5, 1.5, 2).sample(*how).variance, stats.invgamma(1.5, scale=2)),
        (sf.NormalInverseGamma(1, 0.5, 1.5, 2).predict().sample, stats.t(3, 1, np.sqrt(2 / 1.5 * 3))),
        (
            lambda *how: sf.NormalInverseWishart([1, 5], 0.5, 4, SCALE).sample(*how).mean[:, 1],
            stats.t(3, 5, np.sqrt(6 / 3 / 0.5)),
        ),
        (
            lambda *how: sf.NormalInverseWishart([1, 5], 0.5, 4, SCALE).sample(*how).covariance[:, 0, 0],
            stats.invgamma(1.5, scale=2),
        ),
        (
            lambda *how: sf.NormalInverseWishart([1, 5], 0.5, 4, SCALE).predict().sample(*how)[:, 1],
            stats.t(3, 5, np.sqrt(6 / 3 * 3)),
        ),
        (
            lambda *how: sf.NormalInverseWishart([1, 5], 0.5, 4, SCALE).predict().sample(*how) @ [1, -1],
            stats.t(3, -4, np.sqrt(8 / 3 * 3)),
        ),
    ],
)
def test_draws_follow_the_distribution_they_are_of(draw: Any, oracle: Any) -> None:
    assert stats.kstest(draw(5, 20_000), oracle.cdf).pvalue > 1e-3


def test_draws_up_to_an_end_follow_their_distribution() -> None:
    def cdf(x: Any) -> Any:
        return np.where(x <= 3, 1.5 / 2.5 * x / 3, 1 - (3 / np.maximum(x, 3)) ** 1.5 / 2.5)

    assert stats.kstest(sf.Pareto(3, 1.5).predict().sample(20_000, 5), cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    ("future", "oracle"),
    [
        (sf.Beta(0.8, 3).predict(4), stats.betabinom(4, 0.8, 3)),
        (sf.Gamma(1.5, 0.7).predict(), stats.nbinom(1.5, 0.7 / 1.7)),
        (sf.Dirichlet([0.5, 2, 1]).predict(), stats.rv_discrete(values=([0, 1, 2], np.array([0.5, 2, 1]) / 3.5))),
    ],
)
def test_counts_are_drawn_as_often_as_they_are_probable(future: Any, oracle: Any) -> None:
    drawn = future.sample(20_000, 5)
    seen = np.bincount(drawn, minlength=3)[:5]
    expected = 20_000 * oracle.pmf(np.arange(len(seen)))
    np.testing.assert_array_less(np.abs(seen - expected), 4 * np.sqrt(expected) + 1)


# ---- tables, weights below one


def test_a_belief_cannot_be_changed_in_place() -> None:
    for array in (sf.Beta([1, 2], 1).a, sf.Dirichlet([1, 2]).alpha, sf.NormalInverseWishart([0], 1, 1, [[1]]).scale):
        with pytest.raises(ValueError, match="read-only"):
            array[..., 0] = 5
    given = np.array([1.0, 2.0])
    belief = sf.Beta(given, 1)
    given[0] = 9
    assert belief.a.tolist() == [1, 2]
    assert given.flags.writeable


def test_a_table_is_proper_if_all_its_members_are() -> None:
    eye = np.eye(2)
    assert not sf.Pareto([0, 1], [1, 1]).proper
    assert not sf.Pareto([1, 1], [0, 1]).proper
    assert not sf.NormalInverseGamma(0, [0, 1], 1, 1).proper
    assert not sf.NormalInverseWishart([0, 0], [0, 1], 3, eye).proper
    beliefs: Any = BELIEFS
    assert all(belief.proper is True for belief in beliefs)
    assert sf.NormalInverseWishart([[0, 0], [1, 1]], 1, 3, eye).kappa.tolist() == [1, 1]
    assert sf.Pareto([0, 1], [1, 0]).modes().tolist() == ["none", "point"]


def test_a_table_has_the_modes_of_its_members() -> None:
    a, b = [3, 1, 0.5, 2, 5], [2, 4, 3, 1, 5]
    assert sf.Beta(a, b).mode.tolist() == pytest.approx([2 / 3, 0, 0, 1, 0.5])
    assert (sf.Beta(1.5, 0.5).mode, sf.Beta(0.5, 1.5).mode) == (1, 0)
    alpha = np.array([[3, 2, 1], [2, 2, 4], [1, 1, 7]])
    assert sf.Dirichlet(alpha).mode == pytest.approx(np.array([[2, 1, 0], [1, 1, 3], [0, 0, 6]]) / [[3], [5], [6]])
    assert sf.Dirichlet(np.array([[0.5, 2], [3, 1], [2, 4]])).mode == pytest.approx(
        np.array([[0, 1], [1, 0], [0.25, 0.75]])
    )
    assert sf.Dirichlet(np.array([[1, 1, 1], [0.5, 2, 2], [2, 1, 1]])).modes().tolist() == ["flat", "none", "point"]
    with pytest.raises(sf.errors.NoUniqueMode):
        _ = sf.Beta([3, 1], [2, 1]).mode
    with pytest.raises(sf.errors.NoUniqueMode):
        _ = sf.Pareto([1, 0], 1).mode
    assert sf.Gamma([0.5, 3], [2, 4]).mode.tolist() == [0, 0.5]


@pytest.mark.parametrize("kappa", [0.0, 0.2, 3.0])
def test_rows_that_weigh_less_than_one_count_for_what_they_weigh(kappa: float) -> None:
    x, w = np.array([4.0, 5.0, 9.0]), np.array([0.1, 0.25, 0.15])
    n, mean = w.sum(), np.average(x, weights=w)
    scatter = w @ (x - mean) ** 2
    number = sf.NormalInverseGamma(1, kappa, 1.5, 2).update(values=x, weights=w)
    m, shared = (kappa * 1 + n * mean) / (kappa + n), kappa * n / (kappa + n)
    growth = scatter + shared * (mean - 1) ** 2
    assert (number.m, number.kappa, number.a, number.b) == pytest.approx((m, kappa + n, 1.75, 2 + growth / 2))
    vector = sf.NormalInverseWishart([1], kappa, 3, [[4]]).update(values=x[:, None], weights=w)
    assert (vector.m[0], vector.kappa, vector.nu, vector.scale[0, 0]) == pytest.approx((m, kappa + n, 3.5, 4 + growth))
    if kappa > 0:
        prior = sf.NormalInverseGamma(1, kappa, 1.5, 2)
        literal = (
            special.gammaln(1.75)
            - special.gammaln(1.5)
            + 1.5 * np.log(2)
            - 1.75 * np.log(number.b)
            + np.log(kappa / (kappa + n)) / 2
            - n / 2 * np.log(2 * np.pi)
        )
        assert prior.log_evidence(values=x, weights=w) == pytest.approx(literal)
        same = sf.NormalInverseWishart([1], kappa, 3, [[4]]).log_evidence(values=x[:, None], weights=w)
        assert same == pytest.approx(literal)


def test_a_flat_vector_mean_needs_a_whole_first_row() -> None:
    flat = sf.NormalInverseWishart([0, 0], 0, 3, np.eye(2))
    with pytest.raises(sf.errors.DataError, match=r"at least 1; got 0\.5"):
        flat.log_evidence(values=[[1.0, 2.0]], weights=[0.5])


def test_parameters_that_must_be_positive_are_not_zero() -> None:
    def number(a: float, b: float) -> Any:
        return sf.NormalInverseGamma(0, 1, a, b)

    for family in (sf.Beta, sf.Gamma, number):
        for zero in ((0, 1), (1, 0)):
            with pytest.raises(sf.errors.PriorError, match="must be positive; got 0"):
                family(*zero)
    assert sf.Pareto(0, 0).K == 0
    assert sf.NormalInverseGamma(0, 0, 1, 1).kappa == 0
    assert sf.NormalInverseWishart([0], 0, 1e-9, [[1]]).kappa == 0


def test_categories_that_were_not_seen_are_possible_outcomes() -> None:
    five, oracle = sf.Dirichlet([0.3, 2, 5.5]).predict(5), stats.dirichlet_multinomial([0.3, 2, 5.5], 5)
    for counts in ([0, 3, 2], [5, 0, 0], [0, 0, 5]):
        assert five.logpmf(counts) == pytest.approx(oracle.logpmf(counts))
    everything = [[i, j, 5 - i - j] for i in range(6) for j in range(6 - i)]
    assert np.sum(five.pmf(everything)) == pytest.approx(1)
    assert sf.Dirichlet([1, 2]).predict(0).pmf([0, 0]) == 1


def test_draws_of_vague_beliefs_may_be_infinite_but_do_not_warn() -> None:
    assert np.isinf(sf.Pareto(1, 1e-3).sample(100, 0)).any()
    assert np.isinf(sf.Pareto(1, 1e-3).predict().sample(100, 0)).any()
    assert np.isinf(sf.NormalInverseGamma(0, 1, 1e-3, 1).sample(100, 0).variance).any()
    sf.NormalInverseWishart([0, 0], 1, 1 + 1e-9, 1e9 * np.eye(2)).sample(100, 0)
    assert sf.Pareto(1e200, 3).var == np.inf


def test_predictives_say_what_they_are() -> None:
    assert repr(sf.Beta(2, 3).predict(4)) == "BetaBinomial(trials=4.0, a=2.0, b=3.0)"
    assert repr(sf.Gamma(2, 3).predict()) == "NegativeBinomial(shape=2.0, rate=3.0)"
    assert repr(sf.Dirichlet([1, 3]).predict()) == "Categorical([0.25 0.75])"
    assert repr(sf.Dirichlet([1, 3]).predict(5)) == "DirichletMultinomial(alpha=[1. 3.], trials=5)"
    assert repr(sf.NormalInverseGamma(1, 1, 2, 1).predict()) == "StudentT(df=4.0, location=1.0, scale=1.0)"
    vector = sf.NormalInverseWishart([1], 1, 2, [[1]]).predict()
    assert repr(vector) == "MultivariateT(location=[1.], scale=[[1.]], df=2.0)"
    assert repr(sf.Pareto(2, 3).predict()) == "UpToEnd(c=2.0, K=3.0)"


def test_heads_alone_or_tails_alone_are_no_news_of_the_other() -> None:
    assert sf.Beta(1, 1).update(heads=3) == sf.Beta(4, 1)
    assert sf.Beta(1, 1).update(tails=3) == sf.Beta(1, 4)
    assert sf.Beta(1, 1).update(heads=[3]).a.tolist() == [4]
    assert sf.Beta(1, 1).log_evidence(tails=3) == pytest.approx(np.log(1 / 4))


def test_improper_beliefs_have_no_spread() -> None:
    with pytest.raises(sf.errors.ImproperPrior, match="The variance needs"):
        _ = sf.Pareto(0, 3).var
    with pytest.raises(sf.errors.ImproperPrior, match="The covariance of the mean needs"):
        _ = sf.NormalInverseWishart([0, 0], 0, 5, np.eye(2)).cov


def test_what_is_too_far_to_be_squared_has_no_density_and_is_not_learned() -> None:
    number, vector = sf.NormalInverseGamma(0, 1, 2, 1), sf.NormalInverseWishart([0, 0], 1, 3, np.eye(2))
    assert vector.predict().logpdf([1e300, 0]) == -np.inf
    assert number.predict().pdf(1e300) == 0
    with pytest.raises(sf.errors.DataError, match=r"at most 2\*\*500 in size.* column 0 holds 1e\+155"):
        vector.update(values=[[1e155, 0.0]])
