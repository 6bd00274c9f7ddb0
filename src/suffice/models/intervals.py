"""Bounds of class probabilities: the delta method on log-odds, or draws from the posterior (SX-5).

With M_c and V_c, mean and variance of ln p(x, c | θ) over what is believed of θ,

    logit p_c ≈ Normal(M_c − ln Σ_{k≠c} e^{M_k},  V_c + Σ_{k≠c} (p_k / (1 − p_c))² V_k)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma, expit, logsumexp, ndtri

from suffice.models.bayes import _blocks
from suffice.models.uncertainty import Belief, log_gammas, trigamma
from suffice.posterior.base import tails
from suffice.typing import Array

__all__ = ["ClassBelief", "Intervals", "delta_bounds"]


@dataclass(frozen=True)
class ClassBelief:
    """The class prior: a Dirichlet belief, with a term for each class that is certain, or that term alone."""

    alpha: Array | None
    log_prior: Array

    def moments(self) -> tuple[Array, Array]:
        """Mean and variance of ln p(c)."""
        if self.alpha is None:
            return self.log_prior, np.zeros(len(self.log_prior))
        return digamma(self.alpha) + self.log_prior, trigamma(self.alpha)

    def draws(self, rng: np.random.Generator, size: int) -> Array:
        """Draws × classes."""
        if self.alpha is None:
            return np.broadcast_to(self.log_prior, (size, len(self.log_prior)))
        return log_gammas(np.broadcast_to(self.alpha, (size, len(self.alpha))), rng) + self.log_prior


@dataclass(frozen=True)
class Intervals:
    """What bounds are made of, and how."""

    belief: Belief
    prior: ClassBelief
    level: float
    rng: np.random.Generator | None = None  # None for the delta method
    size: int = 1

    def __call__(self, scorer: Any, rows: Any, log_prior: Array) -> Array:
        """Lower and upper bounds: rows × 2 × classes."""
        out = np.empty((len(rows), 2, len(log_prior)))
        for block in _blocks(rows, len(log_prior) * self.size):
            part = rows.part(block)
            powers = scorer.powers(part) if hasattr(scorer, "powers") else 1.0
            each = np.broadcast_to(powers, (len(part),))[:, None]
            out[block, 0], out[block, 1] = self._delta(part, each) if self.rng is None else self._drawn(part, each)
        return out

    def _delta(self, rows: Any, powers: Array) -> tuple[Array, Array]:
        mean, variance = self.belief.moments(rows)
        first, second = self.prior.moments()
        shared: Any = getattr(self.belief, "covariances", None)
        together = None if shared is None else shared(rows)
        if together is not None:
            together = powers[:, :, None] ** 2 * together + np.diag(second)
            return dependent_bounds(first + powers * mean, together, self.level)
        return delta_bounds(first + powers * mean, second + powers**2 * variance, self.level)

    def _drawn(self, rows: Any, powers: Array) -> tuple[Array, Array]:
        assert self.rng is not None
        scores = powers * self.belief.draws(rows, self.rng, self.size)
        scores = scores + self.prior.draws(self.rng, self.size)[:, None]
        scores -= scores.max(axis=2, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=2, keepdims=True)
        low, high = np.quantile(chances, tails(self.level), axis=0)
        return low, high


def dependent_bounds(mean: Array, covariance: Array, level: float) -> tuple[Array, Array]:
    """The same where joint log-probabilities go together: rows × classes × classes."""
    reach, low, high = float(ndtri((1 + level) / 2)), np.empty_like(mean), np.empty_like(mean)
    for c in range(mean.shape[1]):
        others = mean.copy()
        others[:, c] = -np.inf
        total = logsumexp(others, axis=1, keepdims=True)
        slope = -np.exp(others - total)
        slope[:, c] = 1.0
        spread = np.sqrt(np.maximum(np.einsum("na,nab,nb->n", slope, covariance, slope), 0.0))  # SX-5
        centre = mean[:, c] - total[:, 0]
        low[:, c], high[:, c] = expit(centre - reach * spread), expit(centre + reach * spread)
    return low, high


def delta_bounds(mean: Array, variance: Array, level: float) -> tuple[Array, Array]:
    """Bounds of each class probability, from mean and variance of independent joint log-probabilities."""
    reach = float(ndtri((1 + level) / 2))
    best = mean.argmax(axis=1)[:, None]
    with np.errstate(invalid="ignore"):
        mean = mean - np.take_along_axis(mean, best, axis=1)  # digits are for the differences
    runners = mean.copy()
    np.put_along_axis(runners, best, -np.inf, axis=1)
    with np.errstate(all="ignore"):  # one class alone, or one of probability zero
        # Others are the sum of all but one; of the most probable too little would be left, so they are summed anew.
        whole, rest = (logsumexp(part, axis=1, keepdims=True) for part in (mean, runners))
        share, beside = (np.nan_to_num(np.exp(part - size)) for part, size in ((mean, whole), (runners, rest)))
        noise = share**2 * variance
        other = whole + np.log1p(-share)
        shared = np.maximum(noise.sum(axis=1, keepdims=True) - noise, 0.0) / (1 - share) ** 2  # SX-5
        np.put_along_axis(other, best, rest, axis=1)
        np.put_along_axis(shared, best, (beside**2 * variance).sum(axis=1, keepdims=True), axis=1)
        spread, centre = np.sqrt(variance + shared), mean - other
        return expit(centre - reach * spread), expit(centre + reach * spread)  # SX-5
