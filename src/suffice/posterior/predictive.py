"""Distributions of data yet to come.

scipy has most of them, but not with the digits that a strong belief needs (a Gamma worth 1e12 counts predicts a mean of
2.99993 for 3), so the logs of their masses are written with `log_rising`; all are checked against scipy where it holds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import gammaln

from suffice.errors import InputError, ShapeError
from suffice.posterior.base import draws, generator, plain
from suffice.posterior.special import log_rising
from suffice.stats.inputs import as_numbers
from suffice.typing import Array, Floats, Rng, Size

__all__ = [
    "BetaBinomial",
    "Categorical",
    "DirichletMultinomial",
    "MultivariateT",
    "NegativeBinomial",
    "Predictive",
    "StudentT",
    "UpToEnd",
]


class Predictive(ABC):
    """What can be asked of any predictive distribution. Outcomes go along leading axes, a batch along the last ones."""

    batch: tuple[int, ...]
    """The shape of the table of distributions; () for one."""
    event: tuple[int, ...] = ()
    """The shape of one outcome: () for a number, (d,) for a vector."""

    def log(self, x: ArrayLike) -> Floats:
        """Log-probability, or log-density, of outcomes x."""
        points = as_numbers(x, "The argument 'x'").astype(np.float64)
        vectors = points.shape[points.ndim - len(self.event) :]
        try:
            np.broadcast_shapes(points.shape[: points.ndim - len(self.event)], self.batch)
            fits = points.ndim >= len(self.event) and vectors == self.event
        except ValueError:
            fits = False
        if not fits:
            raise ShapeError(
                f"The argument 'x' must hold outcomes of shape {self.event} that broadcast against a table of shape "
                f"{self.batch}; got shape {points.shape}. Several outcomes for a table go first: x[:, None]."
            )
        with np.errstate(all="ignore"):
            return plain(self._log(points))

    @abstractmethod
    def _log(self, x: Array) -> Array: ...

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """Expected value."""

    @property
    @abstractmethod
    def var(self) -> Floats:
        """Variance."""

    @abstractmethod
    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Draws: an array of shape `size`, followed by that of the table and of one outcome."""


class Mass(Predictive):
    """A predictive over countable outcomes."""

    def logpmf(self, x: ArrayLike) -> Floats:
        """Log-probability of x."""
        return self.log(x)

    def pmf(self, x: ArrayLike) -> Floats:
        """Probability of x."""
        return plain(np.exp(self.log(x)))


class Density(Predictive):
    """A predictive over real outcomes."""

    def logpdf(self, x: ArrayLike) -> Floats:
        """Log-density at x."""
        return self.log(x)

    def pdf(self, x: ArrayLike) -> Floats:
        """Density at x."""
        return plain(np.exp(self.log(x)))


class BetaBinomial(Mass):
    """How many ones in a number of trials, when the probability of a one is Beta(a, b)."""

    def __init__(self, trials: Array, a: Array, b: Array) -> None:
        self.trials, self.a, self.b = np.broadcast_arrays(trials, a, b)
        self.batch = self.a.shape

    def _log(self, x: Array) -> Array:
        n, a, b = self.trials, self.a, self.b
        k = _possible(x, n)
        ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        sequence = log_rising(a, k) + log_rising(b, n - k) - log_rising(a + b, n)  # BB-6
        return _where_possible(x, n, ways + sequence)

    @property
    def mean(self) -> Floats:
        """Expected number of ones."""
        return plain(self.trials * (self.a / (self.a + self.b)))  # BB-5

    @property
    def var(self) -> Floats:
        """Variance of the number of ones."""
        total = self.a + self.b
        return plain(self.mean * (self.b / total) * (total + self.trials) / (total + 1))  # BB-6

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Numbers of ones."""
        rng, shape = generator(rng), (*draws(size), *self.batch)
        return plain(rng.binomial(self.trials.astype(np.int64), rng.beta(self.a, self.b, shape), shape))

    def __repr__(self) -> str:
        return f"BetaBinomial(trials={plain(self.trials)}, a={plain(self.a)}, b={plain(self.b)})"


class NegativeBinomial(Mass):
    """A Poisson count whose rate is Gamma(shape, rate)."""

    def __init__(self, shape: Array, rate: Array) -> None:
        self.shape, self.rate = shape, rate
        self.batch = shape.shape

    def _log(self, x: Array) -> Array:
        s, r, k = self.shape, self.rate, _possible(x, np.inf)
        chances = -s * np.log1p(1 / r) - k * np.log1p(r)  # s ln p + k ln(1 − p), p = r/(r+1)
        log = log_rising(s, k) - gammaln(k + 1) + chances  # GP-2
        return _where_possible(x, np.inf, log)

    @property
    def mean(self) -> Floats:
        """Expected count."""
        return plain(self.shape / self.rate)

    @property
    def var(self) -> Floats:
        """Variance of the count."""
        return plain(self.shape / self.rate * (1 + 1 / self.rate))

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Counts."""
        rng = generator(rng)
        rates = rng.gamma(self.shape, 1 / self.rate, (*draws(size), *self.batch))
        if np.any(rates > 1e18):
            raise InputError(f"A count can be drawn only from rates up to 1e18; got {np.max(rates):g}.")
        return plain(rng.poisson(rates))

    def __repr__(self) -> str:
        return f"NegativeBinomial(shape={plain(self.shape)}, rate={plain(self.rate)})"


class Categorical(Mass):
    """The next category: outcomes are codes 0..K−1, `probabilities` has them on its last axis."""

    def __init__(self, alpha: Array) -> None:
        self.alpha, self.batch = alpha, alpha.shape[:-1]

    @property
    def probabilities(self) -> Array:
        """The probability of each category."""
        return np.asarray(self.alpha / self.alpha.sum(axis=-1, keepdims=True))

    def _log(self, x: Array) -> Array:
        size = self.alpha.shape[-1]
        shape = np.broadcast_shapes(self.batch, x.shape)
        codes = np.broadcast_to(_possible(x, size - 1), shape).astype(np.int64)
        table = np.log(self.alpha) - np.log(self.alpha.sum(axis=-1, keepdims=True))  # DM-4
        picked = np.take_along_axis(np.broadcast_to(table, (*shape, size)), codes[..., None], -1)[..., 0]
        return _where_possible(x, size - 1, picked)

    @property
    def mean(self) -> Floats:
        """Expected share of each category, one trial ahead: the probabilities themselves."""
        return self.probabilities

    @property
    def var(self) -> Floats:
        """Variance of each category's indicator."""
        return self.probabilities * (1 - self.probabilities)

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Codes."""
        cumulative = np.cumsum(self.alpha, axis=-1)
        at = generator(rng).random((*draws(size), *self.batch, 1)) * cumulative[..., -1:]
        return plain((at >= cumulative).sum(axis=-1))

    def __repr__(self) -> str:
        return f"Categorical({self.probabilities})"


class DirichletMultinomial(Mass):
    """Counts of each category in several trials to come, on the last axis."""

    def __init__(self, alpha: Array, trials: int) -> None:
        self.alpha, self.trials = alpha, trials
        self.batch, self.event = alpha.shape[:-1], alpha.shape[-1:]

    def _log(self, x: Array) -> Array:
        k = _possible(x, self.trials)
        ways = gammaln(self.trials + 1) - gammaln(k + 1).sum(axis=-1)
        sequence = log_rising(self.alpha, k).sum(axis=-1) - log_rising(self.alpha.sum(axis=-1), self.trials)  # DM-5
        return _where_counts(x, self.trials, ways + sequence)

    @property
    def mean(self) -> Floats:
        """Expected counts."""
        return self.trials * self.alpha / self.alpha.sum(axis=-1, keepdims=True)

    @property
    def var(self) -> Floats:
        """Variance of each count."""
        total = self.alpha.sum(axis=-1, keepdims=True)
        return self.mean * (1 - self.alpha / total) * (total + self.trials) / (total + 1)

    @property
    def cov(self) -> Floats:
        """Covariance matrix of the counts."""
        p = self.alpha / self.alpha.sum(axis=-1, keepdims=True)
        spread = np.asarray(self.var) / (p * (1 - p))
        covariance = -p[..., :, None] * p[..., None, :] * spread[..., None]
        return np.where(np.eye(p.shape[-1], dtype=bool), np.asarray(self.var)[..., None, :], covariance)

    def sample(self, rng: Rng = None, size: Size = ()) -> NDArray[np.int64]:
        """Vectors of counts."""
        rng = generator(rng)
        return rng.multinomial(self.trials, draw_dirichlet(self.alpha, rng, size))

    def __repr__(self) -> str:
        return f"DirichletMultinomial(alpha={self.alpha}, trials={self.trials})"


class StudentT(Density):
    """A normal number whose mean and variance are uncertain."""

    def __init__(self, df: Array, location: Array, scale: Array) -> None:
        self.df, self.location, self.scale = np.broadcast_arrays(df, location, scale)
        self.batch = self.df.shape

    def _log(self, x: Array) -> Array:
        return np.asarray(stats.t.logpdf(x, self.df, self.location, self.scale))

    @property
    def mean(self) -> Floats:
        """Expected value; NaN with one degree of freedom or less, where there is none."""
        return plain(np.where(self.df > 1, self.location, np.nan))

    @property
    def var(self) -> Floats:
        """Variance; infinite with two degrees of freedom or less."""
        known = np.where(self.df > 2, self.df, 3.0)
        return plain(np.where(self.df > 2, self.scale**2 * known / (known - 2), np.inf))

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Numbers."""
        return plain(self.location + self.scale * generator(rng).standard_t(self.df, (*draws(size), *self.batch)))

    def __repr__(self) -> str:
        return f"StudentT(df={plain(self.df)}, location={plain(self.location)}, scale={plain(self.scale)})"


class MultivariateT(Density):
    """A normal vector whose mean and covariance are uncertain. (scipy's has no batches, and refuses mixed units.)"""

    def __init__(self, location: Array, scale: Array, df: Array) -> None:
        self.location, self.scale, self.df = location, scale, df
        self.batch, self.event = location.shape[:-1], location.shape[-1:]
        self.root = np.linalg.cholesky(scale)

    def _log(self, x: Array) -> Array:
        d, df = self.event[0], self.df
        away = np.linalg.solve(self.root, (x - self.location)[..., None])[..., 0]
        volume = np.log(np.diagonal(self.root, axis1=-2, axis2=-1)).sum(axis=-1)
        constant = log_rising(df / 2, d / 2) - d / 2 * np.log(df * np.pi) - volume
        return np.asarray(constant - (df + d) / 2 * np.log1p(np.square(away).sum(axis=-1) / df))

    @property
    def mean(self) -> Floats:
        """Expected vector; NaN with one degree of freedom or less, where there is none."""
        return np.where(self.df[..., None] > 1, self.location, np.nan)

    @property
    def cov(self) -> Floats:
        """Covariance matrix; infinite on the diagonal with two degrees of freedom or less."""
        df = self.df[..., None, None]
        known = np.where(df > 2, df, 3.0)
        unknown = np.where(np.eye(self.event[0], dtype=bool), np.inf, np.nan)
        return np.where(df > 2, self.scale * (known / (known - 2)), unknown)

    @property
    def var(self) -> Floats:
        """Variance of each coordinate."""
        return np.asarray(np.diagonal(self.cov, axis1=-2, axis2=-1))

    def sample(self, rng: Rng = None, size: Size = ()) -> Array:
        """Vectors."""
        rng, shape = generator(rng), (*draws(size), *self.batch)
        steps = self.root @ rng.standard_normal((*shape, *self.event))[..., None]
        return self.location + steps[..., 0] / np.sqrt(rng.chisquare(self.df, shape) / self.df)[..., None]

    def __repr__(self) -> str:
        return f"MultivariateT(location={self.location}, scale={self.scale}, df={plain(self.df)})"


class UpToEnd(Density):
    """Uniform up to an end that may lie beyond c: K/(K+1) of Uniform(0, c), the rest a Pareto tail."""

    def __init__(self, c: Array, K: Array) -> None:
        self.c, self.K = c, K
        self.batch = c.shape

    def _log(self, x: Array) -> Array:
        c, K = self.c, self.K
        below = -np.log1p(1 / K) - np.log(c)  # PU-4
        beyond = below - (K + 1) * (np.log(np.where(x > c, x, c)) - np.log(c))  # PU-4
        return np.where(np.isnan(x), np.nan, np.where(x < 0, -np.inf, np.where(x <= c, below, beyond)))

    @property
    def mean(self) -> Floats:
        """Expected value; infinite where K ≤ 1."""
        known = np.where(self.K > 1, self.K, 2.0)
        return plain(np.where(self.K > 1, self.c / 2 * (known / (known - 1)), np.inf))

    @property
    def var(self) -> Floats:
        """Variance; infinite where K ≤ 2."""
        known = np.where(self.K > 2, self.K, 3.0)
        spread = known / (known - 2) / 3 - (known / (known - 1)) ** 2 / 4
        return plain(np.where(self.K > 2, self.c**2 * spread, np.inf))

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Numbers."""
        rng, shape = generator(rng), (*draws(size), *self.batch)
        with np.errstate(over="ignore"):
            return plain(rng.random(shape) * self.c * np.exp(rng.standard_exponential(shape) / self.K))

    def __repr__(self) -> str:
        return f"UpToEnd(c={plain(self.c)}, K={plain(self.K)})"


def _possible(x: Array, most: Any) -> Array:
    """x where it is a whole number from 0 to `most`, a harmless one elsewhere."""
    whole = np.where(np.isfinite(x), np.floor(x), 0.0)
    return np.clip(whole, 0.0, most)


def _where_possible(x: Array, most: Any, log: Any) -> Array:
    """`log` at whole numbers from 0 to `most`, minus infinity at others; NaN stays NaN."""
    outside = np.where(np.isnan(x), np.nan, -np.inf)
    return np.where((x >= 0) & (x <= most) & (x == np.floor(x)) & np.isfinite(x), log, outside)


def _where_counts(x: Array, total: int, log: Any) -> Array:
    """`log` at vectors of whole numbers that add up to `total`, minus infinity at others; NaN stays NaN."""
    possible = ((x >= 0) & (x == np.floor(x))).all(axis=-1) & (x.sum(axis=-1) == total)
    return np.where(possible, log, np.where(np.isnan(x).any(axis=-1), np.nan, -np.inf))


def draw_dirichlet(alpha: Array, rng: Rng, size: Size) -> Array:
    """Points on the simplex, member by member, by numpy, which keeps tiny parameters from ending in 0/0."""
    shape, rng = draws(size), generator(rng)
    out = np.empty((int(np.prod(shape)), *alpha.shape))
    for place in np.ndindex(alpha.shape[:-1]):
        out[(slice(None), *place)] = rng.dirichlet(alpha[place], len(out))
    return out.reshape(*shape, *alpha.shape)
