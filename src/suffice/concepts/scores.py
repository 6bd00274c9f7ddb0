"""Apply Bayes' rule over hypotheses: compute likelihood, posterior and membership at first use."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from suffice.concepts.bits import Bits
from suffice.concepts.numbers import largest, times
from suffice.concepts.tallies import Tallies
from suffice.typing import Array

__all__ = ["Odds", "Scores"]


class Odds:
    """The prior, and the log-probability of one example or answer: the parts that learning does not change."""

    def __init__(self, bits: Bits, prior: Array, noise: float) -> None:
        self.bits, self.prior = bits, _sealed(prior)
        with np.errstate(divide="ignore"):
            self.log_prior = np.log(prior)
            self.inside = np.log((1 - noise) / bits.sizes + noise / bits.items)  # CL-1
            self.outside = float(np.log(noise / bits.items))
            self.right, self.wrong = float(np.log(1 - noise)), float(np.log(noise))


class Scores:
    """The belief after the tallies."""

    def __init__(self, odds: Odds, seen: Tallies) -> None:
        self.odds, self.seen = odds, seen

    @cached_property
    def log_likelihood(self) -> Array:
        """ln p(D | h), minus infinity where the observations are impossible."""
        t, odds = self.seen, self.odds
        drawn = t.inside * odds.inside + times(t.drawn - t.inside, odds.outside)  # CL-1
        return _sealed(drawn + times(t.agreed, odds.right) + times(t.answered - t.agreed, odds.wrong))

    @cached_property
    def log_joint(self) -> Array:
        """ln p(D, h)."""
        return _sealed(self.odds.log_prior + self.log_likelihood)

    @cached_property
    def log_evidence(self) -> float:
        """ln p(D)."""
        top = self.log_joint.max()
        return float(top + np.log(np.exp(self.log_joint - top).sum()))  # CL-2

    @cached_property
    def posterior(self) -> Array:
        """p(h | D)."""
        posterior = np.exp(self.log_joint - self.log_evidence)  # CL-2
        return _sealed(posterior / posterior.sum())

    @cached_property
    def membership(self) -> Array:
        """Probability that each item belongs to the concept, averaged over all hypotheses."""
        return _sealed(np.minimum(self.odds.bits.weighted(self.posterior), 1.0))  # CL-3

    @cached_property
    def plug_in(self) -> Array:
        """Probability that each item belongs to the concept, by the most probable hypotheses alone."""
        best = largest(self.log_joint)  # CL-2
        return _sealed(np.minimum(self.odds.bits.weighted(best / best.sum()), 1.0))  # CL-3


def _sealed(array: Array) -> Array:
    array.setflags(write=False)
    return array
