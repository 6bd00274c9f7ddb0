"""What the two normal families share: answers about a mean and a spread together, and the steps to them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import DataError, InputError
from suffice.posterior.base import Conjugate, S, tails
from suffice.posterior.special import points
from suffice.typing import Array, Booleans, Floats

__all__ = [
    "ByItself",
    "MeanCovariance",
    "MeanVariance",
    "finite",
    "pair",
    "require_first_row",
    "weighted_mean",
]


class MeanVariance(NamedTuple):
    """A pair of results, one for the mean and one for the variance."""

    mean: Any
    variance: Any


class MeanCovariance(NamedTuple):
    """A pair of results, one for the mean vector and one for the covariance matrix."""

    mean: Any
    covariance: Any


class ByItself(Conjugate[S]):
    """A belief about a mean and a spread, of which each has a distribution by itself."""

    m: Any

    @abstractmethod
    def marginal(self) -> MeanVariance:
        """Return what is believed of each mean, and of each variance, by itself."""

    def cdf(self, x: Any) -> MeanVariance:
        """Return the probabilities that the mean, and the variance, are at most those of a pair."""
        known, (mean, variance) = self.marginal(), pair(x, np.shape(self.m), np.shape(self.m))
        return MeanVariance(known.mean.cdf(mean), known.variance.cdf(variance))

    def quantile(self, p: ArrayLike) -> MeanVariance:
        """Return what the mean, and the variance, are below with probability p."""
        known = self.marginal()
        return MeanVariance(known.mean.quantile(p), known.variance.quantile(p))

    def interval(self, level: float = 0.95) -> MeanVariance:
        """Return equal-tailed bounds of the mean and of the variance."""
        ends = [self.quantile(end) for end in tails(level)]
        return MeanVariance(*zip(*ends, strict=True))


def pair(x: Any, mean: tuple[int, ...], spread: tuple[int, ...]) -> tuple[Array, Array]:
    """Return a mean and a spread that are given together, as arrays that broadcast against these shapes."""
    if not isinstance(x, tuple | list) or len(x) != 2:
        raise InputError(f"The argument 'x' must be a pair, of the mean and of the spread; got {type(x).__name__}.")
    return points(x[0], mean), points(x[1], spread)


def weighted_mean(m: Floats, kappa: Array, mean: Array, n: Array) -> Array:
    """Return (κm + n x̄) / (κ + n), by a step from whichever of the two weighs more."""
    together = np.where(kappa + n > 0, kappa + n, 1.0)
    heavier = n > kappa
    start, other = np.where(heavier, mean, m), np.where(heavier, m, mean)
    step = np.where(heavier, kappa, n) / together
    return np.asarray(start + np.where(step > 0, step * (other - start), 0.0))


def finite(growth: Array) -> Array:
    """Return what data add to a scale; raise if they are too far away to be squared."""
    if not np.isfinite(growth).all():
        raise DataError("The data are too far from the parameter 'm' for the distance to be squared; rescale them.")
    return np.asarray(growth)


def require_first_row(flat: Booleans, n: Array) -> None:
    """Raise unless there is a complete first row: the evidence under a flat mean is conditional on it."""
    if (flat & (n > 0) & (n < 1)).any():
        raise DataError(f"The evidence under a flat mean (kappa=0) needs rows that weigh at least 1; got {n.min():g}.")
