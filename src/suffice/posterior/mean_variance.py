"""Share the answers of the two normal families: those about a mean and a spread, and the steps to them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import DataError, InputError
from suffice.posterior.base import Conjugate, S, tails
from suffice.posterior.special import points
from suffice.typing import Array, Booleans, Floats


class MeanVariance(NamedTuple):
    """A pair of results, one for the mean and one for the variance."""

    mean: Any
    variance: Any


class MeanCovariance(NamedTuple):
    """A pair of results, one for the mean vector and one for the covariance matrix."""

    mean: Any
    covariance: Any


class ByItself(Conjugate[S]):
    """A belief about a mean and a spread, each of which has a marginal distribution."""

    m: Any

    @abstractmethod
    def marginal(self) -> MeanVariance:
        """Return the marginal beliefs about each mean and about each variance."""

    def cdf(self, x: Any) -> MeanVariance:
        """Return the probabilities that the mean and the variance are at most those of the pair x."""
        known, (mean, variance) = self.marginal(), pair(x, np.shape(self.m), np.shape(self.m))
        return MeanVariance(known.mean.cdf(mean), known.variance.cdf(variance))

    def quantile(self, p: ArrayLike) -> MeanVariance:
        """Return the values below which the mean and the variance each lie with probability p."""
        known = self.marginal()
        return MeanVariance(known.mean.quantile(p), known.variance.quantile(p))

    def interval(self, level: float = 0.95) -> MeanVariance:
        """Return equal-tailed bounds of the mean and of the variance."""
        ends = [self.quantile(end) for end in tails(level)]
        return MeanVariance(*zip(*ends, strict=True))


def pair(x: Any, mean: tuple[int, ...], spread: tuple[int, ...]) -> tuple[Array, Array]:
    """Return a pair of mean and spread as arrays that broadcast against the given shapes."""
    if not isinstance(x, tuple | list) or len(x) != 2:
        raise InputError("x", "be a pair, the mean and the spread").but(f"got {type(x).__name__}")
    return points(x[0], mean), points(x[1], spread)


def weighted_mean(m: Floats, kappa: Array, mean: Array, n: Array) -> Array:
    """Return (κm + n x̄) / (κ + n), as a step from the mean with the larger weight."""
    together = np.where(kappa + n > 0, kappa + n, 1.0)
    heavier = n > kappa
    start, other = np.where(heavier, mean, m), np.where(heavier, m, mean)
    step = np.where(heavier, kappa, n) / together
    return np.asarray(start + np.where(step > 0, step * (other - start), 0.0))


def finite(growth: Array) -> Array:
    """Return the growth of a scale; raise if the data are too far away to be squared."""
    if not np.isfinite(growth).all():
        raise DataError("The data are too far from the parameter 'm' for the distance to be squared; rescale them.")
    return np.asarray(growth)


def require_first_row(flat: Booleans, n: Array) -> None:
    """Raise if rows weigh less than 1 in all: the evidence under a flat mean is conditional on the first row."""
    if (flat & (n > 0) & (n < 1)).any():
        raise DataError(f"The evidence under a flat mean (kappa=0) needs rows that weigh at least 1; got {n.min():g}.")
