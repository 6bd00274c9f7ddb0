"""What the two normal families share: answers about a mean and a spread together, and the steps to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from suffice.errors import DataError
from suffice.later import gammainccinv, stdtrit
from suffice.posterior.base import plain, tails
from suffice.posterior.special import scaled
from suffice.typing import Array, Booleans, Floats

__all__ = [
    "MeanCovariance",
    "MeanVariance",
    "finite",
    "mean_variance_interval",
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


def weighted_mean(m: Floats, kappa: Array, mean: Array, n: Array) -> Array:
    """Return (κm + n x̄) / (κ + n), by a step from whichever of the two weighs more."""
    together = np.where(kappa + n > 0, kappa + n, 1.0)
    heavier = n > kappa
    start, other = np.where(heavier, mean, m), np.where(heavier, m, mean)
    step = np.where(heavier, kappa, n) / together
    return np.asarray(start + np.where(step > 0, step * (other - start), 0.0))


def mean_variance_interval(m: Floats, kappa: Array, a: Array, b: Array, level: float) -> MeanVariance:
    """Return equal-tailed bounds of a normal mean (Student-t) and of its variance (inverse gamma)."""
    spread = np.sqrt(b / a / kappa)
    with np.errstate(all="ignore"):  # of a vague belief an end may be infinite
        ends = [
            (plain(m + scaled(stdtrit(2 * a, end), spread)), plain(scaled(1 / gammainccinv(a, end), b)))
            for end in tails(level)
        ]
    return MeanVariance(*zip(*ends, strict=True))


def finite(growth: Array) -> Array:
    """Return what data add to a scale; raise if they are too far away to be squared."""
    if not np.isfinite(growth).all():
        raise DataError("The data are too far from the parameter 'm' for the distance to be squared; rescale them.")
    return np.asarray(growth)


def require_first_row(flat: Booleans, n: Array) -> None:
    """Raise unless there is a complete first row: the evidence under a flat mean is conditional on it."""
    if (flat & (n > 0) & (n < 1)).any():
        raise DataError(f"The evidence under a flat mean (kappa=0) needs rows that weigh at least 1; got {n.min():g}.")
