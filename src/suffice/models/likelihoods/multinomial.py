"""Counts of words that a class draws one by one.

score      Σ_j x_j ln θ_cj,   θ_cj = (T_cj + α) / (T_c + αF)                                          NB-3
held out   θ_cj = (T_cj − g_j + α) / (T_c − g + αF), without rows that have g_j of word j, g in all   SX-3
evidence   Σ_j ln α(α+1)…(α+T_cj−1) − ln αF(αF+1)…(αF+T_c−1), the total shared among words            NB-11

With estimate="predictive" the whole row is scored by the Dirichlet-multinomial that integrates θ out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from suffice.errors import ImproperPrior, NoUniqueMode
from suffice.models.answers.information import of_shares
from suffice.models.choosing.empirical import alpha_of_words
from suffice.models.likelihoods.base import Belief, Contributions, Estimate, HeldOut, Likelihood, Scorer, Speaks
from suffice.models.likelihoods.words import Cut, dirichlet_density, of_ratio, part_of_row, shares, speaking, weak_count
from suffice.models.scoring.beliefs import WordBelief, belief_of_shares, must_be_known
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.linear import AS_OFTEN, DAMPED, ONCE, Linear, LinearHeldOut
from suffice.models.scoring.logs import log, safe_log
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.rising import Rising, RisingHeldOut
from suffice.models.scoring.rows import Labels, Rows
from suffice.posterior import Dirichlet
from suffice.posterior.special import log_rising
from suffice.stats import TokenCounts
from suffice.stats.words import WordCounts
from suffice.typing import Array, Booleans, Integers

__all__ = ["Multinomial", "added"]


def added(alpha: Any, estimate: Estimate) -> Any:
    """Return what an estimate adds to a count: nothing, α for the mean, α − 1 for the mode."""
    return alpha * 0.0 if estimate == "mle" else alpha - 1.0 if estimate == "map" else alpha


@dataclass(frozen=True, eq=False, repr=False)
class Multinomial(Likelihood):
    """Words by class, with a pseudo-count of `alpha` each; "evidence" for the one that makes the rows most probable."""

    alpha: float | Array | str = 1.0
    estimate: Estimate = field(default="mean", repr=False)
    damped: bool = field(default=False, repr=False)  # whether x occurrences in a row to be scored count for 1 + ln x
    binary: bool = field(default=False, repr=False)  # whether a word counts once a row
    cut: Cut | None = field(default=None, repr=False)  # words that are left out

    word = "multinomial"
    statistic = (TokenCounts, WordCounts)
    measure_kind = "probabilities of words"

    def count(self, rows: Rows, labels: Labels) -> TokenCounts | WordCounts:
        """Count the words of each class."""
        return rows.count(TokenCounts, labels)

    def kept(self, statistic: TokenCounts | WordCounts) -> TokenCounts | WordCounts:
        """Return the counts of the words that are not left out."""
        return statistic if self.cut is None else self.cut.of(statistic)

    def settled(self, t: TokenCounts | WordCounts) -> Multinomial:
        """Return the same with the pseudo-count of highest evidence, if that is wanted; raise if there is no mode."""
        found = self if self.alpha != "evidence" else self._with(alpha_of_words(self.counts(t)))
        if self.estimate == "map":
            found._check_mode(t)
        return found

    def counts(self, t: TokenCounts | WordCounts) -> Cells:
        """Return T, classes × words."""
        return Cells.of(t.documents if self.binary else t.tokens)

    @property
    def more(self) -> Any:
        """What is added to each count."""
        return added(np.asarray(self.alpha, np.float64), self.estimate)

    def _total(self, counts: Cells) -> Array:
        """Return T_c + αF."""
        more = self.more
        return np.asarray(counts.sum() + (more.sum() if more.ndim else more * counts.width))

    def scorer(self, t: TokenCounts | WordCounts) -> Scorer:
        """Return what scores rows."""
        counts = self.counts(t)
        if self.estimate == "predictive":
            return Rising.of(counts, self.more, t)
        log_theta = self.log_theta(t)
        times = ONCE if self.binary else DAMPED if self.damped else AS_OFTEN
        return Linear(log_theta, np.zeros(len(counts.sum())), t, times)

    def log_theta(self, t: TokenCounts | WordCounts) -> Cells:
        """Return ln θ, classes × words; a class without words and prior has no opinion."""
        counts, more = self.counts(t), self.more
        total = self._total(counts)
        none = -np.log(max(1, counts.width))

        def of(words: Array, total: Array) -> Array:
            return np.where(total > 0, log(words + more) - safe_log(total), none)

        return counts.map(of, total)  # NB-3

    def held_out(self, t: TokenCounts | WordCounts, rows: Rows, removed: Removal) -> HeldOut:
        """Score training rows, each by classes without it or its group."""
        counts, x, more = self.counts(t), self._counted(rows.entries(t)), self.more
        entries, gone = removed.entries(x)
        each = more[entries.feature] if more.ndim else more
        word = left(counts.at(removed.code[entries.row], entries.feature), gone) + each
        drawn = removed.sums(np.asarray(x.sum(axis=1)).ravel())
        total = left(counts.sum()[removed.code], drawn) + (more.sum() if more.ndim else more * counts.width)
        if self.estimate == "predictive":
            return RisingHeldOut(self.scorer(t), rows, removed, entries, word, total)
        log_theta = log(word) - safe_log(total)[entries.row]  # SX-3
        return LinearHeldOut(self.scorer(t), rows, removed, entries, log_theta, np.zeros(len(total)))

    def _counted(self, x: Any) -> Any:
        """Return rows × words as they are counted."""
        return x if not self.binary else sparse.csr_matrix((np.ones(x.nnz), x.indices, x.indptr), x.shape)

    def contributions(self, t: TokenCounts | WordCounts, rows: Rows, weights: Array | None = None) -> Contributions:
        """Explain one row: what each of its words says, and its length where whole rows are scored."""
        if self.estimate == "predictive":
            return self.scorer(t).contributions(rows)
        part = part_of_row(rows, t, self.scorer(t), weights)
        if self.estimate != "mean":
            return part.said
        own = self.counts(t).columns(part.features).T + (self.more[part.features, None] if self.more.ndim else self.more)
        return part.with_belief(belief_of_shares(own, self._total(self.counts(t))[None], part.times))

    def posterior(self, t: TokenCounts | WordCounts, features: Integers | None = None) -> Dirichlet:
        """Return the belief about each class's words; with `features`, about these and all others together."""
        counts, alpha = self.counts(t), np.asarray(self.alpha, np.float64)
        if features is None:
            return Dirichlet(alpha + counts.dense())
        some = (alpha[features] if alpha.ndim else alpha) + counts.columns(features)
        total = counts.sum() + (alpha.sum() if alpha.ndim else alpha * counts.width)
        return Dirichlet(np.column_stack([some, total - some.sum(axis=1)]))

    def belief(self, t: TokenCounts | WordCounts) -> Belief:
        """Return what is believed of the scores of rows."""
        return WordBelief(self.counts(t), np.asarray(self.alpha, np.float64), self.scorer_times)

    @property
    def scorer_times(self) -> Any:
        """What x occurrences of a word count for in a score."""
        return ONCE if self.binary else DAMPED if self.damped and self.estimate != "predictive" else AS_OFTEN

    def intervals(self, t: TokenCounts | WordCounts, level: float) -> tuple[Array, Array]:
        """Return bounds of each θ."""
        alpha = np.asarray(self.alpha, np.float64) + self.counts(t).dense()
        must_be_known(alpha)
        found = shares(alpha, level)
        return found["low"], found["high"]

    def log_evidence(self, t: TokenCounts | WordCounts) -> Cells:
        """Return ln p of the words of each class in their order."""
        counts, alpha = self.counts(t), np.asarray(self.alpha, np.float64)
        if not alpha.min() > 0:
            raise ImproperPrior(f"The evidence needs a proper prior; got alpha={alpha.min():g}, which does not integrate to one.")
        total = counts.sum()
        price = log_rising(alpha.sum() if alpha.ndim else alpha * counts.width, total) / np.where(total > 0, total, 1.0)
        return counts.map(lambda words, price: np.asarray(log_rising(alpha, words) - words * price), price)  # NB-11

    def speaks(
        self, t: TokenCounts | WordCounts, n: Array, code: int, k: int, weights: Array | None = None
    ) -> list[Speaks]:
        """Return the words that bring most evidence to each word of a row of the class: θ_c ln(θ_c/θ)."""
        counts, more, total = self.counts(t), self.more, self._total(self.counts(t))
        return speaking(of_ratio(counts, more, total, n, code), t, k, weights)

    def information(self, t: TokenCounts | WordCounts, prior: Array) -> Array:
        """Return what it tells that a drawn word is this one, or another."""
        counts = self.counts(t)
        return of_shares(counts, self.more, self._total(counts), 1 / max(1, counts.width), prior)

    def known(self, t: TokenCounts | WordCounts, rows: Rows, least: int = 1) -> Booleans:
        """Return which rows hold a word that was learned from so many rows or more."""
        often = Cells.of(t.documents).by_feature() >= least if isinstance(t, WordCounts) else np.ones(t.shape[-1], bool)
        x = rows.entries(t)
        row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
        return np.asarray(np.bincount(row, often[x.indices], x.shape[0]) > 0)

    def log_prior_density(self, t: TokenCounts | WordCounts) -> float:
        """Return ln p of the words' probabilities that are plugged in."""
        if self.estimate in ("mle", "predictive"):
            return 0.0
        return dirichlet_density(self.more, self.log_theta(t))

    def n_parameters(self, t: TokenCounts | WordCounts) -> int:
        """Return the number of words but one."""
        return max(0, self.counts(t).width - 1)

    def measure(self, t: TokenCounts | WordCounts, rows: Rows) -> Array | float:
        """Return ln n!/Πx! of each row of a matrix; the words of a text have an order of their own."""
        if isinstance(t, WordCounts):
            return 0.0
        x = rows.entries(t)
        row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
        each = np.bincount(row, gammaln(x.data + 1), x.shape[0])
        return np.asarray(gammaln(np.asarray(x.sum(axis=1)).ravel() + 1) - each)  # NB-11

    @property
    def learns_prior(self) -> bool:
        """Whether the pseudo-count is the one of highest evidence."""
        return isinstance(self.alpha, str)

    def weak(self, t: TokenCounts | WordCounts, k: int) -> Multinomial:
        """Return the same with pseudo-counts that are one row together, by all rows as one class."""
        counts = self.counts(t)
        return self._with(weak_count(float(counts.sum().sum()), t, counts.width, self.estimate))

    def _with(self, alpha: float) -> Multinomial:
        return replace(self, alpha=alpha)

    def _check_mode(self, t: TokenCounts | WordCounts) -> None:
        """Raise NoUniqueMode unless every class's belief has one."""
        if isinstance(t, WordCounts):
            if np.min(self.alpha) < 1:
                raise NoUniqueMode(
                    f"The estimate 'map' needs alpha of at least 1 for a unique mode; got alpha={self.alpha:g}. "
                    "Use estimate='mean', or a larger alpha."
                )
            return
        check_mode(Dirichlet, np.asarray(self.alpha + t.counts))


def check_mode(family: type[Any], *parameters: Array) -> None:
    """Raise NoUniqueMode, naming alpha, which the user chose, and the place, unless a posterior has a mode."""
    hint = "Use estimate='mean', or a larger alpha."
    if any((np.asarray(parameter) <= 0).any() for parameter in parameters):
        raise NoUniqueMode(f"The estimate 'map' needs alpha above 0 where a class has no count. {hint}")
    belief = family(*parameters)
    try:
        _ = belief.mode
    except NoUniqueMode:
        kinds = np.asarray(belief.modes())
        place = np.argwhere(kinds != "point")[0].tolist()
        raise NoUniqueMode(
            f"The estimate 'map' needs a unique mode; alpha leaves it {kinds[tuple(place)]!s} at {place} "
            f"(class first, then feature). {hint}"
        ) from None
