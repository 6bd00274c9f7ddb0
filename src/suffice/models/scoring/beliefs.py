"""What beliefs about scores share: digammas of tables, and posteriors that must be there (SX-5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import digamma, polygamma

from suffice.errors import ImproperPrior
from suffice.typing import Array

__all__ = ["belief_of_shares", "log_gammas", "must_be_known", "trigamma"]

MANY = 2**14


def must_be_known(*parameters: Any) -> None:
    """Raise ImproperPrior where a posterior is none."""
    if any((np.asarray(one) <= 0).any() for one in parameters):
        raise ImproperPrior(
            "An interval needs a posterior that integrates to one; alpha=0 leaves none where a class has no count. Use "
            "a larger alpha."
        )


def log_gammas(alpha: Array, rng: np.random.Generator) -> Array:
    """Return ln of draws of Gamma(α, 1), also where they are too small to be written down: ln Gamma(α+1) + ln(U)/α."""
    return np.asarray(np.log(rng.standard_gamma(alpha + 1)) - rng.standard_exponential(alpha.shape) / alpha)


def trigamma(x: Any) -> Array:
    """Return ψ₁; of a large table, where most numbers come often, each is evaluated once."""
    x = np.asarray(x)
    if x.size < MANY:
        return np.asarray(polygamma(1, x))
    values, place = np.unique(x, return_inverse=True)
    return np.asarray(polygamma(1, values)[place].reshape(x.shape))


def belief_of_shares(own: Array, total: Array, times: Any = 1.0) -> tuple[Array, Array]:
    """Return mean and variance of times·ln θ, θ a share of a Dirichlet or Beta: ψ(α_j) − ψ(α_0), ψ₁(α_j) − ψ₁(α_0)."""
    sure = (own > 0) & (total > own * (1 - 1e-12))
    own, total = np.where(sure, own, 1.0), np.where(sure, total, 1.0)
    mean, variance = digamma(own) - digamma(total), polygamma(1, own) - polygamma(1, total)  # SX-5
    return np.where(sure, times * mean, np.nan), np.where(sure, times**2 * np.maximum(variance, 0.0), np.nan)
