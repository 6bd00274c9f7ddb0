"""A waiting time: exponential likelihood, Gamma prior of its rate.

x | rate ~ Exponential(rate)      rate ~ Gamma(s, r)      statistic: n, Σx

EG-1  posterior       Gamma(s + n, r + Σx)
EG-2  one more time   Lomax(s, r):  s/r · (1 + x/r)^−(s+1)
EG-3  log evidence    ln Γ(s') − ln Γ(s) + s ln r − s' ln r'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.posterior.base import draws, generator, plain
from suffice.posterior.gamma import GammaBelief
from suffice.posterior.predictive import Density
from suffice.posterior.special import log_rising
from suffice.stats.counts import WaitingTimes
from suffice.typing import Array, Floats, Rng, Size


class Lomax(Density):
    """A waiting time whose rate is uncertain."""

    def __init__(self, shape: Array, scale: Array) -> None:
        self.shape, self.scale = np.broadcast_arrays(shape, scale)
        self.batch = self.shape.shape

    def _log(self, x: Array) -> Array:
        known = np.where(x >= 0, x, 0.0)
        logs = np.log(self.shape / self.scale) - (self.shape + 1) * np.log1p(known / self.scale)  # EG-2
        return np.where(np.isnan(x), np.nan, np.where(x >= 0, logs, -np.inf))

    def _cdf(self, x: Array) -> Array:
        return np.asarray(-np.expm1(-self.shape * np.log1p(np.maximum(x, 0.0) / self.scale)))

    def _quantile(self, p: Array) -> Array:
        return np.asarray(self.scale * np.expm1(-np.log1p(-p) / self.shape))

    @property
    def mean(self) -> Floats:
        """Expected time; infinite where the shape is at most 1."""
        known = np.where(self.shape > 1, self.shape, 2.0)
        return plain(np.where(self.shape > 1, self.scale / (known - 1), np.inf))

    @property
    def var(self) -> Floats:
        """Variance; infinite where the shape is at most 2."""
        known = np.where(self.shape > 2, self.shape, 3.0)
        spread = self.scale**2 * known / ((known - 1) ** 2 * (known - 2))
        return plain(np.where(self.shape > 2, spread, np.inf))

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw waiting times."""
        rng, shape = generator(rng), (*draws(size), *self.batch)
        return plain(self.scale * np.expm1(rng.standard_exponential(shape) / self.shape))

    def __repr__(self) -> str:
        return f"Lomax(shape={plain(self.shape)}, scale={plain(self.scale)})"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class WaitingRate(GammaBelief[WaitingTimes]):
    """Belief about the rate of waiting times.

    Parameters
    ----------
    shape, rate : float or array
        Number of waits, and the total time they took, that the belief is worth; both positive.

    Examples
    --------
    >>> belief = WaitingRate(shape=2, rate=1).update(values=[3.0, 0.5, 4.5])
    >>> belief
    WaitingRate(shape=5, rate=9)
    >>> belief.mode
    0.4444444444444444
    >>> round(belief.predict().pdf(0), 4)
    0.5556
    """

    learns_from = (WaitingTimes,)

    def __init__(self, shape: ArrayLike, rate: ArrayLike) -> None:
        super().__init__(shape, rate)

    def update(
        self,
        statistic: WaitingTimes | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> WaitingRate:
        """Return the belief after waiting times, or after a statistic of them.

        Parameters
        ----------
        values : array, optional
            Times of at least 0, one row per observation.
        weights : array, optional
            Weight of each row of `values`; 1 by default.
        statistic : WaitingTimes, optional
            Statistic of the data, instead of keywords.
        """
        t = self._read(statistic, values=values, weights=weights)
        return WaitingRate(self.shape + t.n, self.rate + t.total)  # EG-1

    @classmethod
    def simulate(cls, parameter: Any, rng: Rng = None) -> Any:
        """Draw an exponential waiting time for each rate."""
        return plain(generator(rng).standard_exponential(np.shape(parameter)) / parameter)

    def predict(self) -> Lomax:
        """Return the distribution of the next waiting time."""
        return Lomax(np.asarray(self.shape), np.asarray(self.rate))

    def log_evidence(
        self,
        statistic: WaitingTimes | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Floats:
        """Return the log-density of the waiting times."""
        t = self._read(statistic, values=values, weights=weights)
        s, r = np.asarray(self.shape), np.asarray(self.rate)
        times = -s * np.log1p(t.total / r) - t.n * np.log(r + t.total)  # s ln r − s' ln r', without cancellation
        return plain(log_rising(s, t.n) + times)  # EG-3
