"""Model word counts: each class draws words independently.

score      Σ_j x_j ln θ_cj,   θ_cj = (T_cj + α) / (T_c + αF)                                          NB-3
held out   θ_cj = (T_cj − g_j + α) / (T_c − g + αF), without rows that have g_j of word j, g in all   SX-3
evidence   Σ_j ln α(α+1)…(α+T_cj−1) − ln αF(αF+1)…(αF+T_c−1), the total shared among words            NB-11

With estimate="predictive", the whole row is scored by the Dirichlet-multinomial that integrates θ out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from suffice.errors import ImproperPrior, NoUniqueMode
from suffice.later import gammaln, issparse
from suffice.models.empirical.pseudo_counts import alpha_of_cells
from suffice.models.empirical.weak import weak_count
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.draws import Draw, bags, with_rest
from suffice.models.likelihoods.shared import (
    WordShares,
    added,
    check_mode,
    flags,
    part_of_row,
)
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.scoring.beliefs import WordBelief, belief_of_shares, dirichlet_density
from suffice.models.scoring.cells import Cells, log, safe_log
from suffice.models.scoring.linear import AS_OFTEN, DAMPED, ONCE, Linear, LinearHeldOut, Times
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.results import Belief, Contributions, Estimate, HeldOut, Scorer
from suffice.models.scoring.rising import Rising, RisingHeldOut
from suffice.models.scoring.rows import Labels, Rows
from suffice.posterior import Dirichlet
from suffice.posterior.special import log_rising
from suffice.stats import TokenCounts
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Integers

WordTable = TokenCounts | WordCounts


@dataclass(frozen=True, eq=False, repr=False)
class Multinomial(Likelihood):
    """Model words by class, with pseudo-count `alpha` each, or "evidence" for the one that maximizes the evidence."""

    alpha: float | Array | str = 1.0
    estimate: Estimate = field(default="mean", repr=False)
    damped: bool = field(default=False, repr=False)  # whether x occurrences count as 1 + ln x in scores
    binary: bool = field(default=False, repr=False)  # whether a word counts at most once per row
    cut: Cut | None = field(default=None, repr=False)  # words to leave out

    word = "multinomial"
    statistic = (TokenCounts, WordCounts)

    def kept(self, statistic: WordTable) -> WordTable:
        """Return the counts without the words to leave out."""
        return self.cut.of(statistic) if self.cut is not None and isinstance(statistic, WordCounts) else statistic

    def settled(self, t: WordTable) -> Multinomial:
        """Return the likelihood with its pseudo-count learned if so chosen; raise NoUniqueMode if "map" has no mode."""
        found = replace(self, alpha=alpha_of_cells(self.counts(t))) if self.learns_prior else self
        if self.estimate == "map":
            found._check_mode(t)
        return found

    def without(self, t: WordTable, rows: Rows, labels: Labels) -> WordTable:
        """Return the counts without the given rows; all words are kept."""
        rest: WordTable = (
            t.less(rows.entries(t), labels.y, labels.given)
            if isinstance(t, WordCounts)
            else super().without(t, rows, labels)
        )
        return rest

    @property
    def weighable(self) -> bool:
        """Return whether words can have evidence weights: each is scored on its own, with finite weights."""
        return not self.learns_prior and self.estimate != "predictive" and bool(np.min(self.more) > 0)

    def counts(self, t: WordTable) -> Cells:
        """Return T, classes × words, as a dense table where each word has its own pseudo-count."""
        found = self._met(t)
        return Cells(found.dense()) if found.unmet is not None and np.ndim(self.alpha) else found

    def _met(self, t: WordTable) -> Cells:
        return Cells.of(t.documents if self.binary and isinstance(t, WordCounts) else t.tokens)

    @property
    def more(self) -> Any:
        """Return what the estimate adds to each count."""
        return added(np.asarray(self.alpha, np.float64), self.estimate)

    def _total(self, counts: Cells) -> Array:
        """Return T_c + αF."""
        more = self.more
        return np.asarray(counts.sum() + (more.sum() if more.ndim else more * counts.width))

    def scorer(self, t: WordTable) -> Scorer:
        """Return the scorer of rows."""
        return self._rising(t) if self.estimate == "predictive" else self._linear(t)

    def _rising(self, t: WordTable) -> Rising:
        return Rising.of(self._met(t), self.more, t)

    def _linear(self, t: WordTable) -> Linear:
        log_theta = self.log_theta(t)
        return Linear(log_theta, np.zeros(log_theta.values.shape[0]), t, self.times)

    def log_theta(self, t: WordTable) -> Cells:
        """Return ln θ, classes × words; uniform for a class with neither words nor a prior."""
        counts, more = self.counts(t), self.more
        total = self._total(counts)
        none = -np.log(max(1, counts.width))

        def of(words: Array, total: Array, log_total: Array) -> Array:
            return np.where(total > 0, log(words + more) - log_total, none)  # NB-3

        return counts.map(of, total, safe_log(total))

    def held_out(self, t: WordTable, rows: Rows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        counts, x, more = self.counts(t), self.counted_entries(rows.entries(t)), self.more
        entries, amount = removed.entries(x)
        each = more[entries.feature] if more.ndim else more
        word = left(counts.at(removed.code[entries.row], entries.feature), amount) + each
        drawn = removed.sums(np.asarray(x.sum(axis=1)).ravel())
        total = left(counts.sum()[removed.code], drawn) + (more.sum() if more.ndim else more * counts.width)
        if self.estimate == "predictive":
            return RisingHeldOut(self._rising(t), rows, removed, entries, word, total)
        log_theta = log(word) - safe_log(total)[entries.row]  # SX-3
        return LinearHeldOut(self._linear(t), rows, removed, entries, log_theta, np.zeros(len(total)))

    def counted_entries(self, x: Any) -> Any:
        """Return rows × words with each word counted as often as the model counts it."""
        return flags(x) if self.binary else x

    def contributions(self, t: WordTable, rows: Rows, weights: Array | None = None) -> Contributions:
        """Return the contributions of the row's words; if whole rows are scored, also that of its length."""
        if self.estimate == "predictive":
            return self._rising(t).contributions(rows)
        part = part_of_row(rows, t, self._linear(t), weights)
        if self.estimate != "mean":
            return part.said
        counts, more = self.counts(t), self.more
        own = counts.columns(part.features).T + (more[part.features, None] if more.ndim else more)
        return part.with_belief(belief_of_shares(own, self._total(counts)[None], part.times))

    def posterior(self, t: WordTable, features: Integers | None = None) -> Dirichlet:
        """Return the posterior of each class's word probabilities; with `features`, of these and all others pooled."""
        counts, alpha = self.counts(t), np.asarray(self.alpha, np.float64)
        if features is None:
            return Dirichlet(alpha + counts.dense())
        some = counts.columns(features)
        rest = np.maximum(counts.sum() - some.sum(axis=1), 0.0)  # apart from α, which may be smaller than its rounding
        others = np.delete(alpha, features).sum() if alpha.ndim else alpha * (counts.width - len(features))
        return Dirichlet(np.column_stack([some + (alpha[features] if alpha.ndim else alpha), rest + others]))

    def lacks(self, what: Literal["evidence", "density", "shares"]) -> str:
        """Return why rows have no probability: a word counts at most once (binary=True); empty if they have."""
        once = "a word counts once in a row, however often it comes (binary=True)"
        return once if what == "density" and self.binary else ""

    def plug_in(self, t: WordTable) -> Array:
        """Return the plug-in θ, classes × words."""
        return np.exp(self.log_theta(t).dense())

    def sample(self, t: WordTable, draw: Draw) -> Any:
        """Return drawn word counts, rows × words as CSR; `draw` gives the lengths, which the model does not define."""
        counts = self.counts(t)
        some = draw.only(counts.width)
        of = draw.source(self.estimate, lambda: self._plugged(t, some), lambda: self.posterior(t, some))
        return bags(draw, counts.width, of, float(counts.sum().sum()) / draw.rows)

    def _plugged(self, t: WordTable, some: Integers | None) -> Array:
        theta = self.plug_in(t)
        return theta if some is None else with_rest(theta[:, some], theta.sum(axis=1))

    def belief(self, t: WordTable, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores."""
        counts = self.counts(t)
        scorer = Linear(counts, np.zeros(counts.values.shape[0]), t, self.times, feature_weights=weights)
        return WordBelief(counts, np.asarray(self.alpha, np.float64), scorer)

    @property
    def times(self) -> Times:
        """Return how x occurrences of a word are counted in a score."""
        return ONCE if self.binary else DAMPED if self.damped and self.estimate != "predictive" else AS_OFTEN

    def log_evidence(self, t: WordTable) -> Cells:
        """Return ln p of the words of each class, as ordered sequences."""
        counts, alpha = self.counts(t), np.asarray(self.alpha, np.float64)
        if not alpha.min() > 0:
            raise ImproperPrior(
                f"The evidence needs a proper prior; got alpha={alpha.min():g}, which does not integrate to one."
            )
        total = counts.sum()
        price = log_rising(alpha.sum() if alpha.ndim else alpha * counts.width, total) / np.where(total > 0, total, 1.0)
        return counts.map(lambda words, price: np.asarray(log_rising(alpha, words) - words * price), price)  # NB-11

    def word_shares(self, t: WordTable) -> WordShares:
        """Return the plug-in share of each word."""
        counts, texts = self.counts(t), isinstance(t, WordCounts)
        sure = not texts or bool(np.min(self.more) > 0)
        return WordShares(counts, self.more, self._total(counts), 1 / max(1, counts.width), sure)

    def log_prior_density(self, t: WordTable) -> float:
        """Return ln p of the plug-in word probabilities."""
        if self.estimate in ("mle", "predictive"):
            return 0.0
        return dirichlet_density(self.more, self.log_theta(t))

    def n_parameters(self, t: WordTable) -> tuple[int, int]:
        """Return the number of words minus one per class, and none that classes share."""
        return max(0, self.counts(t).width - 1), 0

    def log_measure(self, t: WordTable, rows: Rows) -> Array | float:
        """Return ln n!/Πx! of each row of a matrix; 0 for texts, whose words are ordered."""
        return 0.0 if issparse(t.tokens) else self.log_coefficients(t, rows)

    def log_coefficients(self, t: WordTable, rows: Rows) -> Array:
        """Return ln n!/Πx! of each row."""
        x = self.counted_entries(rows.entries(t))
        row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
        each = np.bincount(row, gammaln(x.data + 1), x.shape[0])
        return np.asarray(gammaln(np.asarray(x.sum(axis=1)).ravel() + 1) - each)  # NB-11

    def weak(self, t: WordTable, rows: float, k: int) -> Multinomial:
        """Return the likelihood with pseudo-counts that are worth one row together, made from all rows as one class."""
        counts = self.counts(t)
        return replace(self, alpha=weak_count(float(counts.sum().sum()), rows, counts.width, self.estimate))

    def _check_mode(self, t: WordTable) -> None:
        """Raise NoUniqueMode unless the posterior of every class has a unique mode."""
        if issparse(t.tokens):
            least = np.min(self.alpha)
            if least < 1:
                raise NoUniqueMode(
                    f"The estimate 'map' needs alpha of at least 1 for a unique mode; got alpha={least:g}."
                ).advise(python="Use estimate='mean', or a larger alpha.")
            return
        check_mode(Dirichlet, np.asarray(self.alpha, np.float64) + t.tokens)
