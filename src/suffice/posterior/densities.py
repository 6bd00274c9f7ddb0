"""Define distributions of real numbers and vectors: of future data, and of means and variances alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.later import betaln, gammaincc, gammainccinv, gammaln, stats, stdtr, stdtrit
from suffice.posterior.base import draws, generator, plain
from suffice.posterior.predictive import Density
from suffice.posterior.special import log_gamma_density, log_rising, scaled, where_known
from suffice.typing import Array, Floats, Rng, Size

FAR = 1e100
"""Largest quantile of Student's t that scipy is asked for; before scipy 1.17, its largest of all."""


class StudentT(Density):
    """A normal number whose mean and variance are uncertain."""

    def __init__(self, df: Array, location: Array, scale: Array) -> None:
        self.df, self.location, self.scale = np.broadcast_arrays(df, location, scale)
        self.batch = self.df.shape

    def _log(self, x: Array) -> Array:
        return np.asarray(stats.t.logpdf(x, self.df, self.location, self.scale))

    def _cdf(self, x: Array) -> Array:
        return np.asarray(stdtr(self.df, (x - self.location) / self.scale))

    def _quantile(self, p: Array) -> Array:
        each = np.select([p == 0, p == 1], [-np.inf, np.inf], stdtrit(self.df, p))  # where scipy returns +∞ or NaN
        far = np.isfinite(each) & (np.abs(each) >= FAR)
        each = np.where(far, self._far_quantile(p), each) if far.any() else each
        return np.asarray(self.location + scaled(each, self.scale))

    def _far_quantile(self, p: Array) -> Array:
        """Return quantiles where scipy's stop short: P(T > t) is y^(df/2) / (df B(df/2, ½)) there, with y = df/t²."""
        tail, df = np.minimum(p, 1 - p), self.df
        with np.errstate(divide="ignore", over="ignore"):
            log_y = 2 / df * (np.log(tail * df) + betaln(df / 2, 0.5))
            return np.asarray(np.sign(p - 0.5) * np.exp((np.log(df) - log_y) / 2))

    @property
    def mean(self) -> Floats:
        """Expected value; NaN with one degree of freedom or less, where there is none."""
        return plain(np.where(self.df > 1, self.location, np.nan))

    @property
    def var(self) -> Floats:
        """Variance; infinite with two degrees of freedom or less."""
        known = np.where(self.df > 2, self.df, 3.0)
        return plain(np.where(self.df > 2, self.scale**2 * known / (known - 2), np.inf))

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw numbers."""
        return plain(self.location + self.scale * generator(rng).standard_t(self.df, (*draws(size), *self.batch)))

    def __repr__(self) -> str:
        return f"StudentT(df={plain(self.df)}, location={plain(self.location)}, scale={plain(self.scale)})"


class InverseGamma(Density):
    """A variance whose inverse is Gamma(shape, scale)."""

    def __init__(self, shape: Array, scale: Array) -> None:
        self.shape, self.scale = np.broadcast_arrays(shape, scale)
        self.batch = self.shape.shape

    def _log(self, x: Array) -> Array:
        inside = (x > 0) & np.isfinite(x)
        at = np.where(inside, x, 1.0)
        inverse = self.scale / at
        log_inverse = np.log(self.scale) - np.log(at)  # finite where the quotient is not
        logs = log_gamma_density(self.shape, inverse) + log_inverse - np.log(at)
        tiny = self.shape * log_inverse - gammaln(self.shape) - np.log(at)
        return where_known(x, inside, np.where(np.isinf(inverse), -np.inf, np.where(inverse > 0, logs, tiny)))

    def _cdf(self, x: Array) -> Array:
        return np.where(
            x > 0, gammaincc(self.shape, self.scale / np.where(x > 0, x, 1.0)), np.where(np.isnan(x), np.nan, 0.0)
        )

    def _quantile(self, p: Array) -> Array:
        return np.asarray(scaled(1 / gammainccinv(self.shape, p), self.scale))

    @property
    def mean(self) -> Floats:
        """Expected variance; infinite where the shape is at most 1."""
        known = np.where(self.shape > 1, self.shape, 2.0)
        return plain(np.where(self.shape > 1, self.scale / (known - 1), np.inf))

    @property
    def var(self) -> Floats:
        """Variance; infinite where the shape is at most 2."""
        known = np.where(self.shape > 2, self.shape, 3.0)
        return plain(np.where(self.shape > 2, (self.scale / (known - 1)) ** 2 / (known - 2), np.inf))

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw variances."""
        with np.errstate(all="ignore"):
            return plain(self.scale / generator(rng).standard_gamma(self.shape, (*draws(size), *self.batch)))

    def __repr__(self) -> str:
        return f"InverseGamma(shape={plain(self.shape)}, scale={plain(self.scale)})"


class MultivariateT(Density):
    """A normal vector whose mean and covariance are uncertain. (scipy's has no batches and rejects mixed units.)"""

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

    def marginal(self) -> StudentT:
        """Return the marginal distribution of each coordinate, as one batch."""
        spread = np.sqrt(np.diagonal(self.scale, axis1=-2, axis2=-1))
        return StudentT(self.df[..., None], self.location, spread)

    def _cdf(self, x: Array) -> Array:
        return self.marginal()._cdf(x)

    def _quantile(self, p: Array) -> Array:
        return self.marginal()._quantile(p)

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

    def sample(self, size: Size = (), rng: Rng = None) -> Array:
        """Draw vectors."""
        rng, shape = generator(rng), (*draws(size), *self.batch)
        steps = self.root @ rng.standard_normal((*shape, *self.event))[..., None]
        return self.location + steps[..., 0] / np.sqrt(rng.chisquare(self.df, shape) / self.df)[..., None]

    def __repr__(self) -> str:
        return f"MultivariateT(location={self.location}, scale={self.scale}, df={plain(self.df)})"


class UpToEnd(Density):
    """A value uniform up to an uncertain end: Uniform(0, c) with weight K/(K+1), and a Pareto tail beyond c."""

    def __init__(self, c: Array, K: Array) -> None:
        self.c, self.K = c, K
        self.batch = c.shape

    def _log(self, x: Array) -> Array:
        c, K = self.c, self.K
        below = -np.log1p(1 / K) - np.log(c)  # PU-4
        beyond = below - (K + 1) * (np.log(np.where(x > c, x, c)) - np.log(c))  # PU-4
        return np.where(np.isnan(x), np.nan, np.where(x < 0, -np.inf, np.where(x <= c, below, beyond)))

    def _cdf(self, x: Array) -> Array:
        c, K = self.c, self.K
        tail = np.exp(-K * (np.log(np.maximum(x, c)) - np.log(c))) / (K + 1)
        return np.where(x <= c, np.maximum(x, 0.0) / c * (K / (K + 1)), 1 - tail)

    def _quantile(self, p: Array) -> Array:
        c, K = self.c, self.K
        beyond = c * np.exp(-np.log((1 - p) * (K + 1)) / K)
        return np.where(p <= K / (K + 1), p * c * (1 + 1 / K), beyond)

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

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw numbers."""
        rng, shape = generator(rng), (*draws(size), *self.batch)
        with np.errstate(over="ignore"):
            return plain(rng.random(shape) * self.c * np.exp(rng.standard_exponential(shape) / self.K))

    def __repr__(self) -> str:
        return f"UpToEnd(c={plain(self.c)}, K={plain(self.K)})"
