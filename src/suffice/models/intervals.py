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


def delta_bounds(mean: Array, variance: Array, level: float) -> tuple[Array, Array]:
    """Bounds of each class probability, from mean and variance of independent joint log-probabilities."""
    out = np.empty((2, *mean.shape))
    reach = float(ndtri((1 + level) / 2))
    for c in range(mean.shape[1]):
        others = np.delete(mean, c, axis=1)
        with np.errstate(all="ignore"):  # one class alone, or one of probability zero
            rest = logsumexp(others, axis=1) if others.shape[1] else np.full(len(mean), -np.inf)
            share = np.nan_to_num(np.exp(others - rest[:, None]))
            spread = np.sqrt(variance[:, c] + (share**2 * np.delete(variance, c, axis=1)).sum(axis=1))  # SX-5
            centre = mean[:, c] - rest
            out[:, :, c] = expit(centre - reach * spread), expit(centre + reach * spread)  # SX-5
    return out[0], out[1]
