"""Bounds of class probabilities: the delta method on log-odds, or draws from the posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma

from suffice.models.bayes import _blocks
from suffice.models.uncertainty import Belief, delta_bounds, log_gammas, trigamma
from suffice.posterior.base import tails
from suffice.typing import Array

__all__ = ["ClassBelief", "Intervals"]


@dataclass(frozen=True)
class ClassBelief:
    """The class prior: a Dirichlet belief, or numbers that are certain. What all classes share is left out."""

    alpha: Array | None
    log_prior: Array

    def moments(self) -> tuple[Array, Array]:
        """Mean and variance of ln p(c)."""
        if self.alpha is None:
            return self.log_prior, np.zeros(len(self.log_prior))
        return digamma(self.alpha), trigamma(self.alpha)

    def draws(self, rng: np.random.Generator, size: int) -> Array:
        """Draws × classes."""
        if self.alpha is None:
            return np.broadcast_to(self.log_prior, (size, len(self.log_prior)))
        return log_gammas(np.broadcast_to(self.alpha, (size, len(self.alpha))), rng)


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
