"""A count: Poisson likelihood, Gamma prior.

x | rate ~ Poisson(rate · E)      rate ~ Gamma(s, r)      statistic: n, Σx, Σ ln x!; exposures E, one if not given

GP-1  posterior       Gamma(s + Σx, r + ΣE)
GP-2  one more count  negative binomial(s, q / (q + 1)), q = r / E
GP-3  log evidence    ln Γ(s') − ln Γ(s) + s ln r − s' ln r' + Σ x ln E − Σ ln x!
GP-4  mode            max(0, s − 1) / r
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import DataError, KeywordError, ShapeError
from suffice.later import gammainc, gammaincinv, xlogy
from suffice.posterior.base import (
    Conjugate,
    S,
    draws,
    generator,
    parameters,
    plain,
    require,
    some_rows,
    tails,
)
from suffice.posterior.masses import NegativeBinomial
from suffice.posterior.special import chances, log_gamma_density, log_rising, points, scaled, where_known
from suffice.stats import PoissonSums
from suffice.stats.inputs import COUNT
from suffice.typing import Array, Floats, Interval, Rng, Size

LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, init=False, eq=False, repr=False)
class GammaBelief(Conjugate[S]):
    """A Gamma belief about a rate, of counts or of waiting times."""

    shape: Floats
    rate: Floats

    def __init__(self, shape: ArrayLike, rate: ArrayLike) -> None:
        given = parameters(type(self).__name__, shape=shape, rate=rate)
        for name, array in given.items():
            require(type(self).__name__, name, array, array > 0, "positive")
        self._set(**given)

    @property
    def proper(self) -> bool:
        """Always true, because both parameters are positive."""
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
        scale = 1 / np.asarray(self.rate)
        low, high = (scaled(gammaincinv(self.shape, end), scale) for end in tails(level))
        return plain(low), plain(high)

    def logpdf(self, x: ArrayLike) -> Floats:
        """Return the log-density at a rate.

        >>> import suffice as sf
        >>> round(float(sf.Gamma(shape=2, rate=1).pdf(1.0)), 4)
        0.3679
        """
        s, r, at = np.asarray(self.shape), np.asarray(self.rate), points(x, self.batch_shape)
        inside = (at >= 0) & np.isfinite(at)
        with np.errstate(over="ignore"):
            known = np.where(inside, at, 1.0) * r
        logs = np.where(np.isinf(known), -np.inf, log_gamma_density(s, np.minimum(known, LARGEST)) + np.log(r))
        return plain(where_known(at, inside, logs))

    def cdf(self, x: ArrayLike) -> Floats:
        """Return the probability that the rate is at most x."""
        return plain(gammainc(self.shape, np.maximum(points(x, self.batch_shape), 0.0) * self.rate))

    def quantile(self, p: ArrayLike) -> Floats:
        """Return the value below which the rate lies with probability p."""
        return plain(scaled(gammaincinv(self.shape, chances(p, self.batch_shape)), 1 / np.asarray(self.rate)))

    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw rates."""
        return plain(generator(rng).gamma(self.shape, 1 / np.asarray(self.rate), (*draws(size), *self.batch_shape)))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Gamma(GammaBelief[PoissonSums]):
    """Belief about a rate of events.

    Parameters
    ----------
    shape, rate : float or array
        Number of events, and number of counts in which they were seen, that the belief is worth; both positive.

    Examples
    --------
    >>> belief = Gamma(shape=2, rate=1).update(values=[3, 0, 4])
    >>> belief
    Gamma(shape=9, rate=4)
    >>> belief.mean, belief.mode
    (2.25, 2.0)
    >>> round(belief.predict().pmf(0), 4)
    0.1342

    Counts may have different exposures, such as times or numbers of people; the rate is per unit of exposure:

    >>> belief = Gamma(shape=2, rate=1).update(values=[3, 40], exposures=[0.5, 8])
    >>> belief, round(belief.predict(exposure=10).mean, 2)
    (Gamma(shape=45, rate=9.5), 47.37)
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
        exposures: ArrayLike | None = None,
    ) -> Gamma:
        """Return the belief after counts, or after a statistic of them.

        Parameters
        ----------
        values : array, optional
            Whole numbers, one row per observation.
        weights : array, optional
            Weight of each row of `values`; 1 by default.
        exposures : array, optional
            Exposure of each row of `values`, such as the time or the number of people that was observed: one number per
            row, or one per value; 1 by default. The rate is per unit of exposure.
        statistic : PoissonSums, optional
            Statistic of the data, instead of keywords.
        """
        t, exposure, _ = self._exposed(statistic, values, weights, exposures)
        return Gamma(self.shape + t.total, self.rate + exposure)  # GP-1

    @classmethod
    def simulate(cls, parameter: Any, rng: Rng = None) -> Any:
        """Draw a Poisson count for each rate."""
        return plain(generator(rng).poisson(parameter))

    def predict(self, exposure: ArrayLike = 1.0) -> NegativeBinomial:
        """Return the distribution of the next count, over the given exposure."""
        over, s, r = np.broadcast_arrays(COUNT.read(exposure, "exposure"), self.shape, self.rate)
        with np.errstate(divide="ignore", over="ignore"):  # without exposure, the count is 0
            return NegativeBinomial(s, r / over)

    def log_evidence(
        self,
        statistic: PoissonSums | None = None,
        *,
        values: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        exposures: ArrayLike | None = None,
    ) -> Floats:
        """Return the log-probability of the counts."""
        t, exposure, logs = self._exposed(statistic, values, weights, exposures)
        return plain(self._evidence(t.total, exposure) + logs - t.log_factorials)

    def _evidence(self, total: Array, exposure: Array) -> Array:
        """Return the log-probability of counts up to their factorials, from their sum and their exposure."""
        s, r = np.asarray(self.shape), np.asarray(self.rate)
        rates = -s * np.log1p(exposure / r) - total * np.log(r + exposure)  # s ln r − s' ln r', without cancellation
        return np.asarray(log_rising(s, total) + rates)  # GP-3

    def _exposed(
        self, statistic: PoissonSums | None, values: Any, weights: ArrayLike | None, exposures: ArrayLike | None
    ) -> tuple[PoissonSums, Any, Any]:
        """Return the statistic, ΣE and Σ x ln E; without exposures, the last two are n and 0."""
        if exposures is not None and values is None:
            raise KeywordError("The keyword 'exposures' of Gamma needs 'values'; got it without them.")
        t = self._read(statistic, values=values, weights=weights)
        if exposures is None:
            return t, t.n, 0.0
        rows, each = some_rows(values), COUNT.read(exposures, "exposures")
        x = np.asarray(rows.matrix.toarray() if rows.is_sparse else rows.matrix, np.float64).reshape(-1, *rows.shape)
        if each.shape not in (x.shape, x.shape[:1]):
            raise ShapeError("exposures", f"hold one number per row of 'values', {len(x)}, or one per value").but(
                f"got shape {each.shape}"
            )
        over = each if each.shape == x.shape else each.reshape(-1, *(1 for _ in rows.shape))
        if ((over == 0) & (x > 0)).any():
            raise DataError("values", "be 0 where 'exposures' is 0").but("got a positive count there")
        times = np.ones(len(x)) if weights is None else np.asarray(weights, np.float64)
        return t, np.tensordot(times, over, 1), np.tensordot(times, xlogy(x, over), 1)
