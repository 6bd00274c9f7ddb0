"""A count: Poisson likelihood, Gamma prior.

x | rate ~ Poisson(rate)      rate ~ Gamma(s, r)      statistic: n, Σx, Σ ln x!

GP-1  posterior       Gamma(s + Σx, r + n)
GP-2  one more count  negative binomial(s, r / (r + 1))
GP-3  log evidence    ln Γ(s') − ln Γ(s) + s ln r − s' ln r' − Σ ln x!
GP-4  mode            max(0, s − 1) / r
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from suffice.posterior.base import Conjugate, S, draws, generator, parameters, plain, require, tails
from suffice.posterior.masses import NegativeBinomial
from suffice.posterior.special import log_rising
from suffice.stats import PoissonSums
from suffice.typing import Floats, Interval, Rng, Size

__all__ = ["Gamma", "GammaBelief"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class GammaBelief(Conjugate[S]):
    """A rate that is Gamma distributed, whatever it is the rate of."""

    shape: Floats
    rate: Floats

    def __init__(self, shape: ArrayLike, rate: ArrayLike) -> None:
        given = parameters(type(self).__name__, shape=shape, rate=rate)
        for name, array in given.items():
            require(type(self).__name__, name, array, array > 0, "positive")
        self._set(**given)

    @property
    def proper(self) -> bool:
        """Always true: both parameters are positive."""
        return True

    @property
    def mean(self) -> Floats:
        """Expected rate."""
        return self.shape / self.rate

    @property
    def var(self) -> Floats:
        """Variance of the rate."""
        return self.mean / self.rate

    @property
    def mode(self) -> Floats:
        """Most probable rate."""
        return plain(np.maximum(0.0, np.asarray(self.shape) - 1) / self.rate)  # GP-4

    def interval(self, level: float = 0.95) -> Interval:
        """Return equal-tailed bounds of the rate."""
        lower, upper = tails(level)
        distribution = stats.gamma(self.shape, scale=1 / np.asarray(self.rate))
        return plain(distribution.ppf(lower)), plain(distribution.ppf(upper))

    def sample(self, rng: Rng = None, size: Size = ()) -> Any:
        """Draw rates."""
        return plain(generator(rng).gamma(self.shape, 1 / np.asarray(self.rate), (*draws(size), *self.batch_shape)))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Gamma(GammaBelief[PoissonSums]):
    """Belief about a rate of events.

    Parameters
    ----------
    shape, rate : float or array
        Events seen, and the number of counts they were seen in, that the belief is worth; both positive.

    Examples
    --------
    >>> belief = Gamma(shape=2, rate=1).update(values=[3, 0, 4])
    >>> belief
    Gamma(shape=9, rate=4)
    >>> belief.mean, belief.mode
    (2.25, 2.0)
    >>> round(belief.predict().pmf(0), 4)
    0.1342
    """

    learns_from = (PoissonSums,)

    def __init__(self, shape: ArrayLike, rate: ArrayLike) -> None:
        super().__init__(shape, rate)

    def update(
        self,
        statistic: PoissonSums | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Gamma:
        """Learn from counts, or from a statistic.

        Parameters
        ----------
        values : array, optional
            Whole numbers, one row per observation.
        weights : array, optional
            What each row of `values` counts for; one if not given.
        statistic : PoissonSums, optional
            Counted before, instead of keywords.
        """
        t = self._read(statistic, values=values, weights=weights)
        return Gamma(self.shape + t.total, self.rate + t.n)  # GP-1

    def predict(self) -> NegativeBinomial:
        """Return the distribution of the next count."""
        return NegativeBinomial(np.asarray(self.shape), np.asarray(self.rate))

    def log_evidence(
        self,
        statistic: PoissonSums | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Floats:
        """Return the log-probability of the counts."""
        t = self._read(statistic, values=values, weights=weights)
        s, r = np.asarray(self.shape), np.asarray(self.rate)
        rates = -s * np.log1p(t.n / r) - t.total * np.log(r + t.n)  # s ln r − s' ln r', kept apart from cancelling
        return plain(log_rising(s, t.total) + rates - t.log_factorials)  # GP-3
