"""The upper end of an interval: Uniform(0, θ) likelihood, Pareto prior.

x | θ ~ Uniform(0, θ)      θ ~ Pareto(b, K)      statistic: N, m = max x

PU-1  MLE               m (of the statistic)
PU-2  posterior         Pareto(max(m, b), N + K)
PU-3  evidence          K / ((N+K) bᴺ) if m ≤ b, else K bᴷ / ((N+K) mᴺ⁺ᴷ)
PU-4  one more value    density K/((K+1)b) up to b, K bᴷ/((K+1) xᴷ⁺¹) beyond
PU-5  mean, mode        Kb/(K−1), infinite where K ≤ 1;  b
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import NoUniqueMode
from suffice.posterior.base import (
    Conjugate,
    draws,
    generator,
    parameters,
    plain,
    require,
    tails,
)
from suffice.posterior.densities import UpToEnd
from suffice.posterior.special import chances, points, where_known
from suffice.stats import Extremes
from suffice.typing import Floats, Interval, Rng, Size


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Pareto(Conjugate[Extremes]):
    """Belief about the upper end of a uniform distribution that begins at 0.

    Parameters
    ----------
    b, K : float or array
        Largest of the K values that the belief is worth; ``Pareto(0, 0)`` is improper and holds no information.

    Examples
    --------
    One taxicab is seen, numbered 100. How many are there?

    >>> belief = Pareto(0, 0).update(values=[100])
    >>> belief
    Pareto(b=100, K=1)
    >>> belief.predict().pdf([50, 200])
    array([0.005  , 0.00125])
    >>> round(belief.interval(0.9)[1])
    2000
    """

    b: Floats
    K: Floats

    learns_from = (Extremes,)

    def __init__(self, b: ArrayLike, K: ArrayLike) -> None:
        given = parameters("Pareto", b=b, K=K)
        for name, array in given.items():
            require("Pareto", name, array, array >= 0, "zero or positive")
        self._set(**given)

    @property
    def proper(self) -> bool:
        """Whether both parameters are positive."""
        return bool(np.all((np.asarray(self.b) > 0) & (np.asarray(self.K) > 0)))

    def update(
        self,
        statistic: Extremes | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Pareto:
        """Return the belief after positive numbers, or after a statistic of them.

        Parameters
        ----------
        values : array, optional
            Positive numbers, one row per observation.
        weights : array, optional
            Weight of each row of `values`; 1 by default.
        statistic : Extremes, optional
            Statistic of the data, instead of keywords.
        """
        t = self._read(statistic, values=values, weights=weights)
        return Pareto(np.maximum(t.largest, self.b), self.K + t.n)  # PU-2

    @property
    def mean(self) -> Floats:
        """Expected upper end; infinite where K ≤ 1."""
        self._require_proper("The mean")
        K = np.asarray(self.K)
        return plain(np.where(K > 1, K * self.b / np.where(K > 1, K - 1, 1.0), np.inf))  # PU-5

    @property
    def var(self) -> Floats:
        """Variance of the upper end; infinite where K ≤ 2."""
        self._require_proper("The variance")
        K = np.asarray(self.K)
        known = np.where(K > 2, K, 3.0)
        with np.errstate(over="ignore"):
            return plain(np.where(K > 2, known * np.square(self.b) / ((known - 1) ** 2 * (known - 2)), np.inf))

    @property
    def mode(self) -> Floats:
        """Most probable upper end."""
        if (np.asarray(self.modes()) != "point").any():
            raise NoUniqueMode(f"{self!r} has no mode: it is improper.").advise(python="Update it with data first.")
        return self.b  # PU-5

    def modes(self) -> Any:
        """Return for each member "point", or "none" if it is improper with b = 0."""
        return plain(np.where(np.asarray(self.b) > 0, "point", "none"))

    def interval(self, level: float = 0.95) -> Interval:
        """Return equal-tailed bounds of the upper end."""
        self._require_proper("An interval")
        lower, upper = tails(level)
        return self.quantile(lower), self.quantile(upper)

    def logpdf(self, x: ArrayLike) -> Floats:
        """Return the log-density at an upper end: K bᴷ / xᴷ⁺¹ from b on."""
        self._require_proper("A density")
        b, K, at = np.asarray(self.b), np.asarray(self.K), points(x, self.batch_shape)
        known = np.where(at >= b, at, b)
        return plain(where_known(at, at >= b, np.log(K) - np.log(known) - K * (np.log(known) - np.log(b))))

    def cdf(self, x: ArrayLike) -> Floats:
        """Return the probability that the upper end is at most x."""
        self._require_proper("A distribution")
        b, at = np.asarray(self.b), points(x, self.batch_shape)
        return plain(-np.expm1(-np.asarray(self.K) * (np.log(np.maximum(at, b)) - np.log(b))))

    def quantile(self, p: ArrayLike) -> Floats:
        """Return the value below which the upper end lies with probability p; infinite for p = 1."""
        self._require_proper("A quantile")
        with np.errstate(divide="ignore", over="ignore"):  # a vague belief may have an infinite one
            return plain(self.b * np.exp(-np.log1p(-chances(p, self.batch_shape)) / self.K))

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw upper ends."""
        self._require_proper("A sample")
        with np.errstate(over="ignore"):
            return plain(
                self.b * np.exp(generator(rng).standard_exponential((*draws(size), *self.batch_shape)) / self.K)
            )

    @classmethod
    def simulate(cls, parameter: Any, rng: Rng = None) -> Any:
        """Draw a uniform number between 0 and each upper end."""
        return plain(generator(rng).uniform(0.0, parameter))

    def predict(self) -> UpToEnd:
        """Return the distribution of the next value."""
        self._require_proper("A prediction")
        return UpToEnd(np.asarray(self.b), np.asarray(self.K))

    def log_evidence(
        self,
        statistic: Extremes | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Floats:
        """Return the log-density of the values."""
        self._require_proper("The evidence")
        t = self._read(statistic, values=values, weights=weights)
        b, K, c = np.asarray(self.b), np.asarray(self.K), np.maximum(t.largest, self.b)
        beyond = K * (np.log(b) - np.log(c))  # zero unless the data exceed b
        return plain(-np.log1p(t.n / K) + beyond - t.n * np.log(c))  # PU-3
