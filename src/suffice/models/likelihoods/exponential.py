"""Model waiting times as exponential, with a rate per class and feature.

score      Σ_j ln λ_cj − λ_cj x_j,   λ_cj = (n_c + s) / (Σx + r)                                        EG-4
           "predictive": Σ_j ln s'/r' − (s' + 1) ln(1 + x_j/r'),   s' = s + n_c,   r' = r + Σx           EG-2
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from suffice.later import digamma
from suffice.models.likelihoods.shared import added, must_be
from suffice.models.likelihoods.totals import TotalBelief, Totals, TotalScores
from suffice.models.scoring.beliefs import log_gammas, must_be_known, trigamma
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.information import of_densities
from suffice.models.scoring.linear import Linear
from suffice.models.scoring.results import Estimate, Moments, Scorer
from suffice.models.scoring.rows import MatrixRows
from suffice.posterior.waiting_rate import WaitingRate
from suffice.stats.counts import WaitingTimes
from suffice.typing import Array

TINY = 1e-300


@dataclass(frozen=True, eq=False, repr=False)
class Exponential(Totals):
    """Model waiting times by a rate per class, or with estimate="predictive" by the Lomax distribution that integrates
    it out.

    Parameters
    ----------
    prior : WaitingRate, default=None
        Prior on the rate. By default, worth one wait of the mean over all rows.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"minutes": sf.columns.Exponential()}, temper=None)
    >>> model = model.fit({"minutes": [0.5, 1.0, 20.0, 35.0]}, ["bot", "bot", "human", "human"])
    >>> model.predict({"minutes": [0.2, 15.0]})
    array(['bot', 'human'], dtype='<U5')
    """

    prior: WaitingRate | None = None
    estimate: Estimate = field(default="predictive", repr=False)
    shape: Any = field(default=None, repr=False)  # number of waits, and their total time, added to each feature in
    rate: Any = field(default=None, repr=False)  # place of a prior: numbers or arrays, which may be 0

    word, family = "exponential", WaitingRate
    statistic = WaitingTimes
    values_are = "times of at least 0 and below 2**53"

    def __post_init__(self) -> None:
        must_be(self.prior, WaitingRate, "Exponential", by_evidence=False)

    def with_prior(self, t: WaitingTimes) -> Self:
        """Return the likelihood with its prior, by default worth one wait of the mean time."""
        return self if self.shape is not None or self.prior is not None else replace(self, prior=_at_mean(t))

    def after(self, n: Array, total: Array) -> tuple[Array, Array]:
        """Return the posterior's shape and rate, lines × features."""
        shape, rate = self.before()
        return np.broadcast_to(shape + n, total.shape), np.asarray(rate + total)

    def estimated(self, n: Array, total: Array) -> Array:
        """Return the plug-in rates; 1 where there is neither data nor a prior."""
        shape, rate = self.before()
        time = total if self.estimate == "mle" else total + rate
        waits = np.broadcast_to(np.maximum(n + added(shape, self.estimate), 0.0), time.shape)
        return np.where((waits > 0) & (time > 0), waits / np.maximum(time, TINY), 1.0)  # EG-4

    def log_likelihood(self, parameter: Array, x: Array) -> Array:
        """Return ln λ − λx."""
        return np.asarray(np.log(parameter) - parameter * x)

    def logs(self, n: Array, total: Array, x: Array) -> Array:
        """Return ln p of times; with a prior of 0, a class without waits has a rate of its own too."""
        if self.estimate != "predictive":
            return super().logs(n, total, x)
        shape, rate = self.after(n, total)
        some, time = np.maximum(shape, TINY), np.maximum(rate, TINY)
        return np.asarray(np.log(some / time) - (some + 1) * np.log1p(x / time))  # EG-2

    def information(self, t: WaitingTimes, prior: Array) -> Array:
        """Return the mutual information of the class and each time."""
        shape, rate = self.after(t.n, t.total) if self.estimate == "predictive" else (None, self.plug_in(t))

        def quantiles(share: Array) -> Array:
            waits = -np.log1p(-share)  # of a rate of one
            return np.asarray(waits / rate if shape is None else rate * np.expm1(waits / shape))

        return of_densities(quantiles, lambda x: self.logs(t.n, t.total, x), prior)

    def scorer(self, t: WaitingTimes) -> Scorer:
        """Return the scorer of rows."""
        if self.estimate == "predictive":
            return TotalScores(self, t)
        rates = self.plug_in(t)
        return Linear(Cells(-rates), np.log(rates).sum(axis=1), t, documents=False)

    def moments(self, n: Array, total: Array, x: Array) -> Moments:
        """Return the posterior mean and variance of ln λ − λx; cov(ln λ, λ) = 1/r for λ ~ Gamma(s, r)."""
        s, r = self.after(n, total)
        mean = digamma(s) - np.log(r) - x * s / r
        return mean, np.maximum(trigamma(s) + x**2 * s / r**2 - 2 * x / r, 0.0)  # SX-5

    def mean_of(self, parameter: Array) -> Array:
        """Return 1/λ."""
        return np.asarray(1 / np.maximum(parameter, TINY))

    def at_mean(self, mean: Array) -> Array:
        """Return the rate of waits with a mean."""
        return np.asarray(1 / np.maximum(mean, TINY))

    def belief(self, t: WaitingTimes, weights: Array | None = None) -> WaitingBelief:
        """Return the posterior distribution of scores."""
        return WaitingBelief(self, t)

    def points(self, rows: MatrixRows) -> Array:
        """Return the times as points."""
        return rows.numbers


@dataclass(frozen=True, eq=False)
class WaitingBelief(TotalBelief):
    """Gamma beliefs about rates; draw their logarithms, because a rate may be too small for a number."""

    def draws(self, rows: MatrixRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of λ, size × rows × classes."""
        shape, rate = self.law.after(self.t.n, self.t.total)
        must_be_known(shape, rate)
        drawn = [log_gammas(shape, rng) - np.log(rate) for _ in range(size)]
        return np.stack([logs.sum(axis=1) - rows.numbers @ np.exp(logs).T for logs in drawn])


def _at_mean(t: WaitingTimes) -> WaitingRate:
    """Return a prior worth one wait of the mean time over all classes and features."""
    total, n = float(t.total.sum()), float(np.broadcast_to(t.n, t.total.shape).sum())
    return WaitingRate(1.0, total / n if n > 0 and total > 0 else 1.0)
