"""Model counts of independent events: a rate per class and feature, or the negative binomial that integrates it out.

score      Σ_j x_j ln λ_cj − λ_cj,   λ_cj = (T_cj + s) / (N_c + r), without ln x!, which all classes share       NB-5
           "predictive": Σ_j ln S(S+1)…(S+x_j−1) − x_j ln(1+R) − S ln(1+1/R),   S = T_cj + s,   R = N_c + r
held out   T_cj − g_j for T_cj and N_c − g for N_c, without g rows that have g_j of feature j                    SX-3
evidence   ln s(s+1)…(s+T_cj−1) − s ln(1+N_c/r) − T_cj ln(r+N_c), for whole counts also − Σ ln x!               NB-11
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from suffice.errors import DataError
from suffice.later import digamma, gammaln
from suffice.models.empirical.pseudo_counts import gamma_of_counts, rate_terms
from suffice.models.empirical.weak import rate_of_all
from suffice.models.likelihoods.places import must_be_proper
from suffice.models.likelihoods.shared import added, must_be, of_ratio, share_of_others, strongest
from suffice.models.likelihoods.totals import Totals
from suffice.models.scoring.beliefs import RateBelief, trigamma
from suffice.models.scoring.cells import Cells, log
from suffice.models.scoring.information import of_counts
from suffice.models.scoring.linear import DenseHeldOut, Linear
from suffice.models.scoring.removal import Entries, Removal, left
from suffice.models.scoring.results import Estimate, HeldOut, Moments, Scorer, TopFeature
from suffice.models.scoring.rising import Rising
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.posterior import Gamma
from suffice.posterior.special import log_rising
from suffice.stats import PoissonSums, RateCounts
from suffice.stats.inputs import WHOLE
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers

CELLS_AT_ONCE = 2**20

Counted = PoissonSums | RateCounts


@dataclass(frozen=True, eq=False, repr=False)
class Poisson(Totals):
    """Model counts of events by a rate per class, or with estimate="predictive" by the negative binomial.

    Parameters
    ----------
    prior : Gamma or "evidence", default=None
        Prior on the rate, or "evidence" to choose the one that maximizes the column's evidence. By default, one event
        at the mean rate of all rows.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"calls": sf.columns.Poisson(prior=sf.Gamma(shape=2, rate=1))})
    >>> model.fit({"calls": [0, 1, 7, 5]}, ["quiet", "quiet", "busy", "busy"]).predict({"calls": [0, 9]})
    array(['quiet', 'busy'], dtype='<U5')
    """

    prior: Gamma | str | None = None
    estimate: Estimate = field(default="predictive", repr=False)
    shape: Any = field(default=None, repr=False)  # events and rows added to each feature in place of a prior:
    rate: Any = field(default=None, repr=False)  # numbers or arrays, which may be 0
    factorials: bool = field(default=True, repr=False)  # whether counts are whole, so the evidence includes ln x!

    word, family = "poisson", Gamma
    statistic = (PoissonSums, RateCounts)
    storages = frozenset({"bool", "integer", "real"})

    def __post_init__(self) -> None:
        must_be(self.prior, Gamma, "Poisson")

    def count(self, rows: MatrixRows, labels: Labels) -> Counted:
        """Return events and rows by class; for whole counts, also Σ ln x!."""
        if not self.factorials:
            return rows.count(RateCounts, labels)  # type: ignore[no-any-return]
        values = rows.source.matrix
        if not WHOLE.accepts(values).all():
            wrong, name = values[~WHOLE.accepts(values)][0], rows.names(None)[0]
            raise DataError(f"Column {name!r} is {self.word} and", "hold counts 0, 1, 2, …", column=name).but(
                f"got {wrong}"
            )
        return rows.count(PoissonSums, labels)  # type: ignore[no-any-return]

    def with_prior(self, t: Counted) -> Self:
        """Return the likelihood with its prior: by default one event at the mean rate, or that of highest evidence."""
        if self.shape is not None or isinstance(self.prior, Gamma):
            return self
        return replace(self, prior=gamma_of_counts(rate_terms(t.total, t.n)) if self.learns_prior else rate_of_all(t))

    def after(self, n: Array, total: Array) -> tuple[Array, Array]:
        """Return the posterior's shape and rate, lines × features."""
        shape, rate = self.before()
        shape = np.asarray(shape + total)
        return shape, np.broadcast_to(rate + n, shape.shape)

    def estimated(self, n: Array, total: Array, unknown: float = 0.0) -> Array:
        """Return λ, lines × features; `unknown` where there is neither data nor a prior."""
        return self._rates(total, n, *self.before(), unknown)

    def _rates(self, total: Array, n: Array, shape: Array, rate: Array, unknown: float = 1.0) -> Array:
        events = np.asarray(total + added(shape, self.estimate))
        rows = np.asarray(n + (rate if self.estimate != "mle" else 0.0))
        known = rows > 0
        rates = np.maximum(events, 0.0) / np.where(known, rows, 1.0)  # NB-5
        return np.where(known, rates, unknown)

    def scorer(self, t: Counted) -> Scorer:
        """Return the scorer of rows."""
        if self.estimate != "predictive":
            rates = self.estimated(t.n, t.total, 1.0)
            return Linear(Cells(log(rates)), -rates.sum(axis=1), t, documents=False)
        shape, rate = self.after(t.n, t.total)
        with np.errstate(divide="ignore", invalid="ignore"):  # with neither rows nor a prior, the rate is 0
            offset = -(shape * np.log1p(1 / rate)).sum(axis=1)  # NB-5
        each = Linear(Cells(-np.log1p(rate)), np.zeros(len(offset)), t)
        return Rising(Cells(shape), offset, t=t, linear=each)  # NB-5

    def held_out(self, t: Counted, rows: MatrixRows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        x, code = rows.entries(t), removed.part_code
        n = left(t.n[code, 0], np.asarray(removed.members.sum(axis=1)).ravel())
        entries, lost = removed.entries(x)
        total = left(t.total[removed.code[entries.row], entries.feature], lost)
        with np.errstate(divide="ignore", invalid="ignore"):
            zeros = self._zeros_left(t, code, n, Entries.of((removed.members @ x).tocsr()))
            more = self._beyond_zero(total, n[removed.part][entries.row], *self._at(t, entries.feature), entries.value)
            own = zeros[removed.part] + entries.sums(more)  # SX-3
        scores = self.scorer(t).scores(rows)
        scores[removed.row, removed.code] = np.where(np.isnan(own), -np.inf, own)
        return DenseHeldOut(scores)

    def _zeros_left(self, t: Counted, code: Integers, n: Array, removed: Entries) -> Array:
        """Return the score of a row of zeros by each part's class, given that n of its rows are left."""
        (sizes, size), classes = np.unique(n, return_inverse=True), len(t.total)
        pairs, place = np.unique(size * classes + code, return_inverse=True)
        every, step, law = np.empty(len(pairs)), max(1, CELLS_AT_ONCE // max(1, t.total.shape[1])), self.before()
        for at in range(0, len(pairs), step):
            some = pairs[at : at + step]
            counts, rest = t.total[some % classes], sizes[some // classes, None]
            every[at : at + step] = self._zero(counts, rest, *law).sum(axis=1)
        before, rows = t.total[code[removed.row], removed.feature], n[removed.row]
        law = self._at(t, removed.feature)
        change = self._zero(left(before, removed.value), rows, *law) - self._zero(before, rows, *law)
        return np.asarray(every[np.ravel(place)] + removed.sums(change))

    def _at(self, t: Counted, feature: Integers) -> tuple[Array, Array]:
        """Return the prior of the given features."""
        shape, rate = (np.broadcast_to(part, t.total.shape[1:])[feature] for part in self.before())
        return shape, rate

    def _zero(self, total: Array, n: Array, shape: Array, rate: Array) -> Array:
        """Return the score of a zero by a class of n rows."""
        if self.estimate == "predictive":
            return np.asarray(-(shape + total) * np.log1p(1 / (rate + n)))
        return -self._rates(total, n, shape, rate)

    def _beyond_zero(self, total: Array, n: Array, shape: Array, rate: Array, x: Array) -> Array:
        """Return the score of a count x minus that of a zero."""
        if self.estimate == "predictive":
            return np.asarray(log_rising(shape + total, x) - x * np.log1p(rate + n))
        return np.asarray(x * log(self._rates(total, n, shape, rate)))

    def log_likelihood(self, parameter: Array, x: Array) -> Array:
        """Return x ln λ − λ, without ln x!."""
        return np.asarray(x * log(parameter) - parameter)

    def logs(self, n: Array, total: Array, x: Array) -> Array:
        """Return ln p of counts, without ln x!; 0 where there are neither rows nor a prior."""
        law = (total, n, *self.before())
        with np.errstate(divide="ignore", invalid="ignore"):
            zero, more = self._zero(*law), self._beyond_zero(*law, x)
        return np.where(np.isnan(zero), 0.0, zero) + np.where(x > 0, more, 0.0)  # 0 · ∞ with neither rows nor a prior

    def moments(self, n: Array, total: Array, x: Array) -> Moments:
        """Return the posterior mean and variance of x ln λ − λ; cov(ln λ, λ) = 1/r for λ ~ Gamma(s, r)."""
        s, r = self.after(n, total)
        sure = (s > 0) & (r > 0)
        s, r = np.where(sure, s, 1.0), np.where(sure, r, 1.0)
        mean, variance = x * (digamma(s) - np.log(r)) - s / r, x**2 * trigamma(s) + s / r**2 - 2 * x / r  # SX-5
        return np.where(sure, mean, np.nan), np.where(sure, np.maximum(variance, 0.0), np.nan)

    def mean_of(self, parameter: Array) -> Array:
        """Return λ."""
        return parameter

    def at_mean(self, mean: Array) -> Array:
        """Return the mean."""
        return mean

    def belief(self, t: Counted, weights: Array | None = None) -> RateBelief:
        """Return the posterior distribution of scores."""
        return RateBelief(*self.after(t.n, t.total))

    def log_evidence(self, t: Counted) -> Cells:
        """Return the log evidence of each class and feature."""
        s, r = self.before()
        must_be_proper(s, r)
        found = Gamma(s, r)._evidence(t.total, t.n)  # NB-11
        return Cells(np.asarray(found - t.log_factorials if isinstance(t, PoissonSums) else found))

    def top_features(self, t: Counted, n: Array, code: int, k: int, weights: Array | None = None) -> list[TopFeature]:
        """Return the features with higher counts than in other classes: λ_c ln(λ_c/λ) − λ_c + λ."""
        rates = self.estimated(t.n, t.total, 1.0)
        own, others = rates[code], share_of_others(t.n[:, 0], code) @ rates
        brought = np.where(own > others, of_ratio(own, others) - own + others, 0.0)
        return strongest(brought, k, lambda j: (j, f"{rates[code, j]:.4g} on average"))

    def information(self, t: Counted, prior: Array) -> Array:
        """Return the mutual information of each count and the class."""
        mean, (_, rate) = self.estimated(t.n, t.total, 1.0), self.after(t.n, t.total)
        spread = np.where(rate > 0, rate, 1.0) if self.estimate == "predictive" else np.full(mean.shape, np.inf)
        return of_counts(mean, spread, prior)

    def log_measure(self, t: Counted, rows: MatrixRows) -> Array:
        """Return −Σ ln x! of each row."""
        x = Entries.of(rows.entries(t))
        return -x.sums(gammaln(x.value + 1))  # NB-11

    def log_coefficients(self, t: Counted, rows: MatrixRows) -> Array | float:
        """Return −Σ ln x! of each row of a matrix; 0 for a column, whose evidence includes it."""
        return 0.0 if self.factorials else self.log_measure(t, rows)

    def weak(self, t: Counted, rows: float, k: int) -> Poisson:
        """Return the likelihood with a prior of one event at the mean rate of all rows."""
        return replace(self, prior=rate_of_all(t), shape=None, rate=None)  # by WP-3

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as counts."""
        values = numbers(column)
        if values.min(initial=0) < 0:
            raise DataError(
                f"Column {column.name!r} is {self.word} and", "hold counts of at least 0", column=column.name
            ).but(f"got {values.min()}")
        return MatrixRows.of_column(values, column.name, None if column.missing is None else column.present)

    def served(self, block: Any) -> PoissonSums | None:
        """Return the sums of a block, or those kept alongside the counts of another family."""
        kept = None if block.numbers is None else block.numbers.sums
        return block.statistic if block.likelihood == self else kept
