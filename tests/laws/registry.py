"""What the laws need to know of each statistic and each family. To be registered is to be tested.

`test_registry.py` fails when a family or a statistic of the library is missing here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import integrate, special, stats

from suffice.posterior import (
    Beta,
    Conjugate,
    Dirichlet,
    Gamma,
    NormalInverseGamma,
    NormalInverseWishart,
    Pareto,
    WaitingRate,
)
from suffice.stats import (
    BinaryCounts,
    Bursts,
    CategoryCounts,
    ClassCounts,
    DiagonalMoments,
    Extremes,
    FullMoments,
    JointCounts,
    PoissonSums,
    RateCounts,
    Statistic,
    TokenCounts,
    ValueCounts,
    WaitingTimes,
)

COLUMNS, CLASSES = 3, 3
Draw = st.SearchStrategy[Any]


@dataclass(frozen=True)
class StatisticCase:
    """A statistic, the values its rows hold, and how exact its algebra is."""

    kind: type[Statistic]
    cells: Draw
    exact: bool = True
    sparse: bool = True
    subtracts: bool = True
    redraws: bool = False
    """Whether rows can be drawn given the statistic alone."""

    def __str__(self) -> str:
        return self.kind.__name__

    def rows(self, n: int) -> st.SearchStrategy[NDArray[np.float64]]:
        return arrays(np.float64, (n, COLUMNS), elements=self.cells)

    def of(self, data: Any, labels: Any, weights: Any = None) -> Any:
        if self.kind is CategoryCounts:
            return CategoryCounts.of(data, labels, weights, n_classes=CLASSES, sizes=[4] * COLUMNS)
        if self.kind is ValueCounts:
            data = [row[0] for row in data] if isinstance(data, list) else data[:, 0]
        return self.kind.of(data, labels, weights, n_classes=CLASSES)


def reals() -> Draw:
    """Draw well-behaved numbers, some of them around 1e8 with a spread of one."""
    near = st.floats(-8, 8).map(lambda x: round(x, 6))
    return st.one_of(near, near.map(lambda x: x + 1e8))


STATISTICS = [
    StatisticCase(ClassCounts, st.just(0.0)),
    StatisticCase(BinaryCounts, st.integers(0, 1).map(float), redraws=True),
    StatisticCase(CategoryCounts, st.integers(0, 3).map(float), sparse=False, redraws=True),
    StatisticCase(TokenCounts, st.integers(0, 50).map(float), redraws=True),
    StatisticCase(RateCounts, st.integers(0, 50).map(float), redraws=True),
    StatisticCase(Bursts, st.integers(0, 4).map(float)),
    StatisticCase(ValueCounts, st.integers(-40, 40).map(lambda x: x / 8), sparse=False),
    StatisticCase(JointCounts, st.integers(0, 3).map(float), sparse=False),
    StatisticCase(WaitingTimes, st.floats(0, 50).map(lambda x: round(x, 3)), exact=False),
    StatisticCase(PoissonSums, st.integers(0, 50).map(float), exact=False),
    StatisticCase(Extremes, st.floats(0.5, 100), sparse=False, subtracts=False, redraws=True),
    StatisticCase(DiagonalMoments, reals(), exact=False, redraws=True),
    StatisticCase(FullMoments, reals(), exact=False),
]


@dataclass(frozen=True)
class FamilyCase:
    """A family, proper priors to start from, single rows, and its predictive by other means than our code."""

    family: type[Conjugate[Any]]
    priors: Draw
    row: Draw
    oracle: Callable[[Any, Any], float]
    """Predictive probability or density of a row under a prior, by quadrature or by scipy."""
    total: Callable[[Any], float]
    """Sum or integral of a predictive over all there is."""
    typical: Any
    """A member whose mean and variance are finite, to draw from."""

    def __str__(self) -> str:
        return self.family.__name__

    def rows(self, min_size: int = 1, max_size: int = 12) -> Draw:
        return st.lists(self.row, min_size=min_size, max_size=max_size)

    def data(self, rows: list[Any]) -> dict[str, Any]:
        """Return rows as keywords of `update` and `log_evidence`."""
        return {"values": rows, **({"categories": range(4)} if self.family is Dirichlet else {})}


def positive(low: float = 0.05, high: float = 50.0) -> Draw:
    return st.floats(np.log(low), np.log(high)).map(lambda x: float(np.exp(x)))


def quad(f: Callable[[float], float], *points: float) -> float:
    """Integrate over the stretches between the points."""
    pieces = pairwise(points)
    return float(sum(integrate.quad(f, low, high, limit=400, epsabs=0, epsrel=1e-10)[0] for low, high in pieces))


def line_integral(log_density: Callable[[NDArray[np.float64]], NDArray[np.float64]], reach: float = 700.0) -> float:
    """Return ∫ exp(log_density(t)) dt by the trapezoidal rule, very exact where both tails fade exponentially."""
    t = np.linspace(-reach, reach, 140_001)
    return float(np.exp(log_density(t)).sum() * (t[1] - t[0]))


def coin_oracle(prior: Beta, x: int) -> float:
    """Return ∫ p(x|θ) p(θ) dθ over t = logit θ; the smaller of θ and 1−θ is computed."""

    def log_density(t: NDArray[np.float64]) -> NDArray[np.float64]:
        small = special.expit(-np.abs(t))
        prior_part = np.where(
            t < 0, stats.beta.logpdf(small, prior.a, prior.b), stats.beta.logpdf(small, prior.b, prior.a)
        )
        heads, tails = special.log_expit(t), special.log_expit(-t)
        return np.asarray(prior_part + (heads if x else tails) + heads + tails)

    return line_integral(log_density)


def die_oracle(prior: Dirichlet, x: int) -> float:
    one = np.eye(len(prior.alpha), dtype=int)[x]
    return float(stats.dirichlet_multinomial(prior.alpha, 1).pmf(one))


def count_oracle(prior: Gamma, x: int) -> float:
    """Return ∫ p(x|rate) p(rate) d rate over t = ln rate."""
    density = stats.gamma(prior.shape, scale=1 / prior.rate)
    return line_integral(lambda t: stats.poisson.logpmf(x, np.exp(t)) + density.logpdf(np.exp(t)) + t)


def wait_oracle(prior: WaitingRate, x: float) -> float:
    return float(stats.lomax.pdf(x, prior.shape, scale=prior.rate))


def number_oracle(prior: NormalInverseGamma, x: float) -> float:
    """Return ∫ p(x|σ²) p(σ²) dσ² over t = ln σ²; the mean is integrated out by adding variances."""
    variance, spread = stats.invgamma(prior.a, scale=prior.b), 1 + 1 / prior.kappa
    return line_integral(
        lambda t: stats.norm.logpdf(x, prior.m, np.exp(t / 2) * np.sqrt(spread)) + variance.logpdf(np.exp(t)) + t, 140
    )


def vector_oracle(prior: NormalInverseWishart, x: list[float]) -> float:
    """Return p(x₁)·p(x₂|x₁) of Student-t's, by their conditionals."""
    d = len(prior.m)
    df = float(prior.nu) - d + 1
    shape = prior.scale * (prior.kappa + 1) / (prior.kappa * df)
    first = stats.t.pdf(x[0], df, prior.m[0], np.sqrt(shape[0, 0]))
    away = (x[0] - prior.m[0]) / shape[0, 0]
    location = prior.m[1] + shape[1, 0] * away
    left = shape[1, 1] - shape[1, 0] ** 2 / shape[0, 0]
    scale = np.sqrt(left * (df + away**2 * shape[0, 0]) / (df + 1))
    return float(first * stats.t.pdf(x[1], df + 1, location, scale))


def end_oracle(prior: Pareto, x: float) -> float:
    """Return ∫ p(x|θ) p(θ) dθ over u = start/θ."""
    start = max(x, float(prior.b))
    return quad(lambda u: float(stats.pareto.pdf(start / u, prior.K, scale=prior.b) / u), 0, 1e-6, 0.01, 0.1, 1)


def sum_whole_numbers(predictive: Any) -> float:
    last = int(stats.nbinom.ppf(1 - 1e-13, predictive.shape, predictive.rate / (predictive.rate + 1))) + 10
    return float(np.sum(predictive.pmf(np.arange(last))))


def integrate_line(predictive: Any) -> float:
    """Integrate over x = location + scale·sinh t."""
    location, scale = predictive.location, predictive.scale
    return line_integral(lambda t: predictive.logpdf(location + scale * np.sinh(t)) + np.log(scale * np.cosh(t)), 140)


def integrate_plane(predictive: Any) -> float:
    """Integrate in polar coordinates about the location, after undoing the shape: four directions, r = eᵗ."""
    root = np.linalg.cholesky(predictive.scale)
    angles = np.linspace(0, 2 * np.pi, 4, endpoint=False)

    def along(angle: float) -> float:
        way = root @ np.array([np.cos(angle), np.sin(angle)])
        jacobian = np.log(np.linalg.det(root))
        return line_integral(
            lambda t: predictive.logpdf(predictive.location + np.exp(t)[:, None] * way) + jacobian + 2 * t, 140
        )

    return float(np.mean([along(angle) for angle in angles]) * 2 * np.pi)


def integrate_half_line(predictive: Any) -> float:
    c = float(predictive.c)
    above = np.nextafter(1, 0)  # just beyond c, where the density jumps
    tail = quad(lambda t: float(predictive.pdf(c / above * np.exp(t)) * c * np.exp(t)), 0, 5, 50, 700)
    return quad(lambda x: float(predictive.pdf(x)), 0, c) + tail


FAMILIES = [
    FamilyCase(
        Beta,
        st.builds(Beta, positive(), positive()),
        st.integers(0, 1),
        coin_oracle,
        lambda predictive: float(np.sum(predictive.pmf([0, 1]))),
        Beta(3, 5),
    ),
    FamilyCase(
        Dirichlet,
        st.builds(Dirichlet, st.lists(positive(), min_size=4, max_size=4)),
        st.integers(0, 3),
        die_oracle,
        lambda predictive: float(np.sum(predictive.pmf(np.arange(4)))),
        Dirichlet([2, 3, 4]),
    ),
    FamilyCase(
        Gamma,
        st.builds(Gamma, positive(), positive()),
        st.integers(0, 60),
        count_oracle,
        sum_whole_numbers,
        Gamma(4, 2),
    ),
    FamilyCase(
        WaitingRate,
        st.builds(WaitingRate, positive(), positive()),
        st.floats(0, 60),
        wait_oracle,
        lambda predictive: line_integral(lambda t: np.asarray(predictive.log(np.exp(t))) + t),
        WaitingRate(4, 2),
    ),
    FamilyCase(
        NormalInverseGamma,
        st.builds(NormalInverseGamma, st.floats(-5, 5), positive(), positive(0.3), positive()),
        st.floats(-20, 20),
        number_oracle,
        integrate_line,
        NormalInverseGamma(1, 2, 8, 7),
    ),
    FamilyCase(
        NormalInverseWishart,
        st.builds(
            lambda m, kappa, extra, a, b, r: NormalInverseWishart(
                m, kappa, 1 + extra, [[a, r * np.sqrt(a * b)], [r * np.sqrt(a * b), b]]
            ),
            st.lists(st.floats(-5, 5), min_size=2, max_size=2),
            positive(),
            positive(0.8),
            positive(0.2),
            positive(0.2),
            st.floats(-0.9, 0.9),
        ),
        st.lists(st.floats(-20, 20).map(lambda x: round(x, 9)), min_size=2, max_size=2),
        vector_oracle,
        integrate_plane,
        NormalInverseWishart([1, -2], 3, 15, [[4, 1], [1, 6]]),
    ),
    FamilyCase(
        Pareto, st.builds(Pareto, positive(), positive()), positive(0.1), end_oracle, integrate_half_line, Pareto(10, 8)
    ),
]
