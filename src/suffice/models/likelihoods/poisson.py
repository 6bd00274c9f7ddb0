"""Model counts of independent events: a rate per class and feature, or the negative binomial that integrates it out.

score      Σ_j x_j ln λ_cj − λ_cj,   λ_cj = (T_cj + s) / (N_c + r), without ln x!, which all classes share       NB-5
           "predictive": Σ_j ln S(S+1)…(S+x_j−1) − x_j ln(1+R) − S ln(1+1/R),   S = T_cj + s,   R = N_c + r
held out   T_cj − g_j for T_cj and N_c − g for N_c, without g rows that have g_j of feature j                    SX-3
evidence   ln s(s+1)…(s+T_cj−1) − s ln(1+N_c/r) − T_cj ln(r+N_c), for whole counts also − Σ ln x!               NB-11
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.later import gammaln, xlogy
from suffice.models.empirical.pseudo_counts import gamma_of_counts, rate_terms
from suffice.models.empirical.weak import rate_of_all
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.pictures import ClassDistributions, FeatureBelief, curves_of_counts
from suffice.models.likelihoods.places import must_be_proper
from suffice.models.likelihoods.shared import added, by_class, check_mode, must_be, of_ratio, share_of_others, strongest
from suffice.models.scoring.beliefs import RateBelief, belief_of_rates, must_be_known
from suffice.models.scoring.cells import Cells, log
from suffice.models.scoring.information import of_counts
from suffice.models.scoring.linear import DenseHeldOut, Linear
from suffice.models.scoring.removal import Entries, Removal, left
from suffice.models.scoring.results import Contributions, Estimate, HeldOut, Scorer, Speaks
from suffice.models.scoring.rising import Rising
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.posterior import Gamma
from suffice.posterior.special import log_rising
from suffice.stats import PoissonSums, RateCounts
from suffice.stats.inputs import COUNT, WHOLE
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers

__all__ = ["Poisson"]

CELLS_AT_ONCE = 2**20

Counted = PoissonSums | RateCounts


@dataclass(frozen=True, eq=False, repr=False)
class Poisson(Likelihood):
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
    fixed_measure = True
    statistic = (PoissonSums, RateCounts)
    measure_kind = "probabilities of counts"
    storages = frozenset({"bool", "integer", "real"})
    allowed = COUNT

    def __post_init__(self) -> None:
        must_be(self.prior, Gamma, "Poisson")

    def count(self, rows: MatrixRows, labels: Labels) -> Counted:
        """Return events and rows by class; for whole counts, also Σ ln x!."""
        if not self.factorials:
            return rows.count(RateCounts, labels)  # type: ignore[no-any-return]
        values = rows.source.matrix
        if not WHOLE.accepts(values).all():
            wrong, name = values[~WHOLE.accepts(values)][0], rows.names(None)[0]
            raise DataError(f"Column {name!r} is {self.word} and must hold counts 0, 1, 2, …; got {wrong}.")
        return rows.count(PoissonSums, labels)  # type: ignore[no-any-return]

    def measured(self, t: Counted) -> str:
        """Return the kind of quantity that the evidence refers to: values of a column, or counts of a matrix."""
        return "probabilities of values" if self.factorials else "probabilities of counts"

    def smoothed(self, alpha: float) -> Poisson:
        """Return the likelihood with `alpha` events in `alpha` rows added to each feature."""
        return replace(self, prior=None, shape=alpha, rate=alpha)

    def settled(self, t: Counted) -> Poisson:
        """Return the likelihood with a definite prior; raise NoUniqueMode for "map" if a rate has no mode."""
        found = self if self.shape is not None or isinstance(self.prior, Gamma) else replace(self, prior=self._found(t))
        if self.estimate == "map":
            shape, rate = found._added(t)
            check_mode(Gamma, shape + t.total, rate + t.n)
        return found

    def _found(self, t: Counted) -> Gamma:
        """Return the prior that maximizes the evidence, or one event at the mean rate."""
        return gamma_of_counts(rate_terms(t.total, t.n)) if self.learns_prior else rate_of_all(t)

    def _added(self, t: Counted) -> tuple[Array, Array]:
        """Return the prior's shape and rate: numbers, or one per feature."""
        if self.shape is not None:
            return np.asarray(self.shape, np.float64), np.asarray(self.rate, np.float64)
        prior = self.prior if isinstance(self.prior, Gamma) else self._found(t)
        return np.asarray(prior.shape), np.asarray(prior.rate)

    def _posterior(self, t: Counted) -> tuple[Array, Array]:
        """Return the posterior's shape and rate, classes × features."""
        shape, rate = self._added(t)
        shape = np.asarray(shape + t.total)
        return shape, np.broadcast_to(rate + t.n, shape.shape)

    def rates(self, t: Counted, unknown: float = np.nan) -> Array:
        """Return λ, classes × features; `unknown` where there is neither data nor a prior."""
        return self._rates(t.total, t.n, *self._added(t), unknown)

    def _rates(self, total: Array, n: Array, shape: Array, rate: Array, unknown: float = 1.0) -> Array:
        events = np.asarray(total + added(shape, self.estimate))
        rows = np.asarray(n + (rate if self.estimate != "mle" else 0.0))
        known = rows > 0
        rates = np.maximum(events, 0.0) / np.where(known, rows, 1.0)  # NB-5
        return np.where(known, rates, unknown)

    def scorer(self, t: Counted) -> Scorer:
        """Return the scorer of rows."""
        if self.estimate != "predictive":
            rates = self.rates(t, 1.0)
            return Linear(Cells(log(rates)), -rates.sum(axis=1), t, documents=False)
        shape, rate = self._posterior(t)
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
        every, step, law = np.empty(len(pairs)), max(1, CELLS_AT_ONCE // max(1, t.total.shape[1])), self._added(t)
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
        shape, rate = (np.broadcast_to(part, t.total.shape[1:])[feature] for part in self._added(t))
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

    def contributions(self, t: Counted, rows: MatrixRows, weights: Array | None = None) -> Contributions:
        """Return the contribution of each count; for sparse rows, those of zeros are summed."""
        x, (shape, rate) = rows.numbers[0], self._posterior(t)
        law = (t.total, t.n, *self._added(t))
        with np.errstate(divide="ignore", invalid="ignore"):
            zero, more = self._zero(*law), self._beyond_zero(*law, x)
        logs = np.where(np.isnan(zero), 0.0, zero) + np.where(x > 0, more, 0.0)  # 0 · ∞ with neither rows nor a prior
        belief = belief_of_rates(shape, rate, x) if self.estimate == "mean" else None
        said = Contributions(list(range(len(x))), [f"{value:.6g}" for value in x.tolist()], logs.T, belief)
        return said.gathered(x > 0, "(zeros)", f"{int((x == 0).sum()):,}") if rows.source.is_sparse else said

    def posterior(self, t: Counted, features: Integers | None = None) -> Gamma:
        """Return the posterior of each class's rates."""
        shape, rate = self._posterior(t)
        return Gamma(shape, rate) if features is None else Gamma(shape[:, features], rate[:, features])

    def plugged(self, t: Counted) -> Array:
        """Return the plug-in rates, classes × features; 0 where there is neither data nor a prior."""
        return self.rates(t, 0.0)

    def belief(self, t: Counted, weights: Array | None = None) -> RateBelief:
        """Return the posterior distribution of scores."""
        return RateBelief(*self._posterior(t))

    def intervals(self, t: Counted, level: float) -> Any:
        """Return credible bounds of each rate."""
        must_be_known(*self._posterior(t))
        return self.posterior(t).interval(level)

    def log_evidence(self, t: Counted) -> Cells:
        """Return the log evidence of each class and feature."""
        s, r = self._added(t)
        must_be_proper(s, r)
        found = log_rising(s, t.total) - s * np.log1p(t.n / r) - t.total * np.log(r + t.n)  # NB-11
        return Cells(np.asarray(found - t.log_factorials if isinstance(t, PoissonSums) else found))

    def speaks(self, t: Counted, n: Array, code: int, k: int, weights: Array | None = None) -> list[Speaks]:
        """Return the features with higher counts than in other classes: λ_c ln(λ_c/λ) − λ_c + λ."""
        rates = self.rates(t, 1.0)
        own, others = rates[code], share_of_others(t.n[:, 0], code) @ rates
        brought = np.where(own > others, of_ratio(own, others) - own + others, 0.0)
        return strongest(brought, k, lambda j: (j, f"{rates[code, j]:.4g} on average"))

    def information(self, t: Counted, prior: Array) -> Array:
        """Return the mutual information of each count and the class."""
        mean, (_, rate) = self.rates(t, 1.0), self._posterior(t)
        spread = np.where(rate > 0, rate, 1.0) if self.estimate == "predictive" else np.full(mean.shape, np.inf)
        return of_counts(mean, spread, prior)

    def believed(self, t: Counted) -> FeatureBelief:
        """Return a Gamma for each rate."""
        shape, rate = (np.broadcast_to(part, t.total.shape) for part in self._added(t))
        return FeatureBelief(Cells(t.total), shape, t.n + rate, "gamma", "count", "rate")

    def distributions(self, t: Counted, level: float) -> list[ClassDistributions]:
        """Return the distribution of counts for each column."""
        belief, (low, high) = self.posterior(t), self.posterior(t).interval(level)
        return [curves_of_counts(r, (a, b)) for r, a, b in zip(belief.mean.T, low.T, high.T, strict=True)]

    def log_prior_density(self, t: Counted) -> float:
        """Return ln p of the plug-in rates."""
        if self.estimate in ("mle", "predictive"):
            return 0.0
        rates, (shape, rate) = self.rates(t), self._added(t)
        more, some = added(shape, self.estimate), np.where(rate > 0, rate, 1.0)
        constant = np.where(rate > 0, (more + 1) * np.log(some) - gammaln(more + 1), 0.0)
        return float((xlogy(more, rates) - rate * rates + constant).sum())

    def n_parameters(self, t: Counted) -> int:
        """Return the number of features."""
        return int(t.total.shape[-1])

    def measure(self, t: Counted, rows: MatrixRows) -> Array:
        """Return −Σ ln x! of each row."""
        x = Entries.of(rows.entries(t))
        return -x.sums(gammaln(x.value + 1))  # NB-11

    def log_coefficients(self, t: Counted, rows: MatrixRows) -> Array | float:
        """Return −Σ ln x! of each row of a matrix; 0 for a column, whose evidence includes it."""
        return 0.0 if self.factorials else self.measure(t, rows)

    @property
    def learns_prior(self) -> bool:
        """Return whether the prior maximizes the evidence."""
        return isinstance(self.prior, str) and self.shape is None

    def weak(self, t: Counted, rows: float, k: int) -> Poisson:
        """Return the likelihood with a prior of one event at the mean rate of all rows."""
        return replace(self, prior=rate_of_all(t), shape=None, rate=None)  # by WP-3

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as counts."""
        values = numbers(column)
        if values.min(initial=0) < 0:
            raise DataError(
                f"Column {column.name!r} is {self.word} and must hold counts of at least 0; got {values.min()}."
            )
        return MatrixRows.of_column(values, column.name, None if column.missing is None else column.present)

    def served(self, block: Any) -> PoissonSums | None:
        """Return the sums of a block, or those kept alongside the counts of another family."""
        kept = None if block.numbers is None else block.numbers.sums
        return block.statistic if block.likelihood == self else kept

    def table(self, t: Counted, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return the number of rows, the rate and its bounds, one line per class."""
        belief = self.posterior(t)
        low, high = belief.interval(level)
        return by_class(classes, n=t.n, rate=belief.mean, low=low, high=high)

    def prior_in_words(self, t: Counted) -> str:
        """Return the Gamma prior in words."""
        return "Gamma({:g}, {:.4g})".format(*(float(np.ravel(part)[0]) for part in self._added(t)))
