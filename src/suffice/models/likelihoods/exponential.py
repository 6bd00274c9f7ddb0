"""Model waiting times as exponential, with a rate per class and feature.

score      Σ_j ln λ_cj − λ_cj x_j,   λ_cj = (n_c + s) / (Σx + r)                                        EG-4
           "predictive": Σ_j ln s'/r' − (s' + 1) ln(1 + x_j/r'),   s' = s + n_c,   r' = r + Σx           EG-2
held out   the same of n_c − g and Σx − g_j, without rows that waited g_j                                SX-3
evidence   ln Γ(s') − ln Γ(s) + s ln r − s' ln r'                                                        EG-3
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.later import digamma, gammaln, xlogy
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.models.likelihoods.places import must_be_proper
from suffice.models.likelihoods.shared import added, by_class, check_mode, must_be, share_of_others, strongest
from suffice.models.scoring.beliefs import log_gammas, must_be_known, trigamma
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.linear import DenseHeldOut, Linear
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.results import Contributions, Estimate, HeldOut, Moments, Scorer, Speaks
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.posterior.special import log_rising
from suffice.posterior.waiting_rate import WaitingRate
from suffice.stats.inputs import COUNT
from suffice.stats.waits import WaitingTimes
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers

__all__ = ["Exponential"]

TINY = 1e-300


@dataclass(frozen=True, eq=False, repr=False)
class Exponential(Likelihood):
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
    measure_kind = "densities of numbers"
    storages = frozenset({"integer", "real"})
    allowed = COUNT

    def __post_init__(self) -> None:
        must_be(self.prior, WaitingRate, "Exponential")

    def count(self, rows: MatrixRows, labels: Labels) -> WaitingTimes:
        """Return the number of waits and their total time by class."""
        counted: WaitingTimes = rows.count(WaitingTimes, labels)
        return counted

    def smoothed(self, alpha: float) -> Exponential:
        """Return the likelihood with `alpha` waits of total time `alpha` added to each feature."""
        return replace(self, prior=None, shape=alpha, rate=alpha)

    def settled(self, t: WaitingTimes) -> Exponential:
        """Return the likelihood with a definite prior; raise NoUniqueMode for "map" if a rate has no mode."""
        found = self if self.shape is not None or self.prior is not None else replace(self, prior=_at_mean(t))
        if self.estimate == "map":
            check_mode(WaitingRate, *found._after(t.n, t.total))
        return found

    def _before(self) -> tuple[Array, Array]:
        """Return the prior's shape and rate: numbers, or one per feature."""
        prior: Any = self if self.shape is not None else self.prior
        return np.asarray(prior.shape, np.float64), np.asarray(prior.rate, np.float64)

    def _after(self, n: Array, total: Array) -> tuple[Array, Array]:
        """Return the posterior's shape and rate, lines × features."""
        shape, rate = self._before()
        return np.broadcast_to(shape + n, total.shape), np.asarray(rate + total)

    def rates(self, n: Array, total: Array) -> Array:
        """Return the plug-in rates; 1 where there is neither data nor a prior."""
        shape, rate = self._before()
        time = total if self.estimate == "mle" else total + rate
        waits = np.broadcast_to(np.maximum(n + added(shape, self.estimate), 0.0), time.shape)
        return np.where((waits > 0) & (time > 0), waits / np.maximum(time, TINY), 1.0)  # EG-4

    def logs(self, n: Array, total: Array, x: Array) -> Array:
        """Return ln p of times, lines × features, for classes of n waits with total time `total`."""
        if self.estimate != "predictive":
            rates = self.rates(n, total)
            return np.asarray(np.log(rates) - rates * x)
        shape, rate = self._after(n, total)
        some, time = np.maximum(shape, TINY), np.maximum(rate, TINY)
        return np.asarray(np.log(some / time) - (some + 1) * np.log1p(x / time))  # EG-2

    def scorer(self, t: WaitingTimes) -> Scorer:
        """Return the scorer of rows."""
        if self.estimate == "predictive":
            return WaitingScores(self, t)
        rates = self.rates(t.n, t.total)
        return Linear(Cells(-rates), np.log(rates).sum(axis=1), t, documents=False)

    def held_out(self, t: WaitingTimes, rows: MatrixRows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        x, code = rows.numbers, removed.code
        if rows.present is not None:
            x = np.where(rows.present[:, None], x, 0.0)
        n = left(t.n[code], removed.weight[:, None])
        total = left(t.total[code], removed.sums(x))
        scores = self.scorer(t).scores(rows)
        scores[removed.row, code] = self.logs(n, total, x[removed.row]).sum(axis=1)  # SX-3
        return DenseHeldOut(scores)

    def contributions(self, t: WaitingTimes, rows: MatrixRows, weights: Array | None = None) -> Contributions:
        """Return the contribution of each time."""
        x = rows.numbers[0]
        belief = None
        if self.estimate == "mean":
            mean, variance = _moments(*self._after(t.n, t.total), x)
            belief = (mean.T, variance.T)
        return Contributions(list(range(len(x))), [f"{value:.6g}" for value in x], self.logs(t.n, t.total, x).T, belief)

    def posterior(self, t: WaitingTimes, features: Integers | None = None) -> WaitingRate:
        """Return the posterior of each class's rates."""
        shape, rate = self._after(t.n, t.total)
        return WaitingRate(shape, rate) if features is None else WaitingRate(shape[:, features], rate[:, features])

    def plugged(self, t: WaitingTimes) -> Array:
        """Return the plug-in rates, classes × features."""
        return self.rates(t.n, t.total)

    def belief(self, t: WaitingTimes, weights: Array | None = None) -> WaitingBelief:
        """Return the posterior distribution of scores."""
        return WaitingBelief(*self._after(t.n, t.total))

    def intervals(self, t: WaitingTimes, level: float) -> Any:
        """Return credible bounds of each rate."""
        must_be_known(*self._after(t.n, t.total))
        return self.posterior(t).interval(level)

    def log_evidence(self, t: WaitingTimes) -> Cells:
        """Return the log evidence of each class and feature."""
        s, r = self._before()
        must_be_proper(s, r)
        found = log_rising(s, t.n) - s * np.log1p(t.total / r) - t.n * np.log(r + t.total)  # EG-3
        return Cells(np.asarray(found))

    def speaks(self, t: WaitingTimes, n: Array, code: int, k: int, weights: Array | None = None) -> list[Speaks]:
        """Return the features whose times differ most from those of other classes: ln(λ_c/λ) + λ/λ_c − 1."""
        mean = 1 / np.maximum(self.rates(t.n, t.total), TINY)
        own, others = mean[code], share_of_others(t.n[:, 0], code) @ mean
        brought = np.log(others / own) + own / others - 1
        return strongest(brought, k, lambda j: (j, f"{own[j]:.4g} on average, others {others[j]:.4g}"))

    def believed(self, t: WaitingTimes) -> FeatureBelief:
        """Return a Gamma for each rate."""
        shape, rate = self._before()
        waits = np.broadcast_to(t.n, t.total.shape)
        return FeatureBelief(Cells(waits), shape, t.total + rate, "gamma", "waiting time", "rate")

    def log_prior_density(self, t: WaitingTimes) -> float:
        """Return ln p of the plug-in rates."""
        if self.estimate in ("mle", "predictive"):
            return 0.0
        (shape, rate), rates = self._before(), self.rates(t.n, t.total)
        more, some = added(shape, self.estimate), np.where(rate > 0, rate, 1.0)
        constant = np.where(rate > 0, (more + 1) * np.log(some) - gammaln(more + 1), 0.0)
        return float((xlogy(more, rates) - rate * rates + constant).sum())

    def n_parameters(self, t: WaitingTimes) -> int:
        """Return the number of features."""
        return int(t.total.shape[-1])

    def points(self, rows: MatrixRows) -> Array:
        """Return the times as points."""
        return rows.numbers

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as times."""
        values = numbers(column)
        if values.min(initial=0) < 0:
            raise DataError(
                f"Column {column.name!r} is {self.word} and must hold times of at least 0; got {values.min()}."
            )
        return MatrixRows.of_column(values, column.name, None if column.missing is None else column.present)

    def table(self, t: WaitingTimes, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return the number of rows, the rate and its bounds, one line per class."""
        belief = self.settled(t).posterior(t)
        low, high = belief.interval(level)
        return by_class(classes, n=t.n, rate=belief.mean, low=low, high=high)

    def prior_in_words(self, t: WaitingTimes) -> str:
        """Return the prior in words."""
        shape, rate = (float(np.ravel(part)[0]) for part in self.settled(t)._before())
        return f"WaitingRate({shape:g}, {rate:.4g})"


@dataclass(frozen=True, eq=False)
class WaitingScores:
    """Score times with their rates integrated out."""

    law: Exponential
    t: WaitingTimes

    def scores(self, rows: MatrixRows) -> Array:
        """Return ln p(x | c), rows × classes."""
        COUNT.check(rows.source.matrix, rows.source.name, rows.source.first)
        x = rows.numbers
        lines = zip(self.t.n, self.t.total, strict=True)
        return np.column_stack([self.law.logs(n, total[None], x).sum(axis=1) for n, total in lines])


@dataclass(frozen=True, eq=False)
class WaitingBelief:
    """Hold Gamma beliefs about rates of waiting times, classes × features."""

    shape: Array
    rate: Array

    def moments(self, rows: MatrixRows) -> Moments:
        """Return mean and variance of Σ ln λ − λx for each row and class."""
        must_be_known(self.shape, self.rate)
        both = [_moments(s, r, rows.numbers) for s, r in zip(self.shape, self.rate, strict=True)]
        mean, variance = (np.column_stack([part[k].sum(axis=1) for part in both]) for k in (0, 1))
        return mean, variance

    def draws(self, rows: MatrixRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of λ, size × rows × classes."""
        must_be_known(self.shape, self.rate)
        drawn = [log_gammas(self.shape, rng) - np.log(self.rate) for _ in range(size)]
        return np.stack([logs.sum(axis=1) - rows.numbers @ np.exp(logs).T for logs in drawn])


def _moments(s: Array, r: Array, x: Array) -> Moments:
    """Return mean and variance of ln λ − λx for λ ~ Gamma(s, r); cov(ln λ, λ) = 1/r."""
    mean = digamma(s) - np.log(r) - x * s / r
    return mean, np.maximum(trigamma(s) + x**2 * s / r**2 - 2 * x / r, 0.0)  # SX-5


def _at_mean(t: WaitingTimes) -> WaitingRate:
    """Return a prior worth one wait of the mean time over all classes and features."""
    total, n = float(t.total.sum()), float(np.broadcast_to(t.n, t.total.shape).sum())
    return WaitingRate(1.0, total / n if n > 0 and total > 0 else 1.0)
