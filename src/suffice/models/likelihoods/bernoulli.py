"""Model binary features, where an absent feature is evidence, too.

score      Σ_j x_j ln θ_cj + (1−x_j) ln(1−θ_cj),   θ_cj = (N_cj + a) / (N_c + a + b)                   NB-1
held out   the same of N_cj − g_j and N_c − g, without g rows of which g_j have feature j              SX-3
evidence   ln of a…(a+N_cj−1) · b…(b+N_c−N_cj−1) / (a+b)…(a+b+N_c−1)                                   NB-11
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from suffice.errors import DataError
from suffice.later import gammaln
from suffice.models.empirical.pseudo_counts import alpha_of_presence, beta_of_flags, flag_terms
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.flags import (
    FlagBelief,
    FlagOdds,
    explained_flags,
    explained_words,
    flag_places,
    held_out_flags,
    less,
    must_have_mode,
)
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.models.likelihoods.places import PlaceScores, must_be_proper
from suffice.models.likelihoods.shared import (
    WordShares,
    added,
    must_be,
    of_ratio,
    share_of_others,
    strongest,
    top_words,
)
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.scoring.cells import Cells, powered
from suffice.models.scoring.information import of_flags
from suffice.models.scoring.linear import DenseHeldOut, Linear
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Belief, Contributions, Estimate, HeldOut, Scorer, TopFeature
from suffice.models.scoring.rows import Labels, MatrixRows, Rows
from suffice.posterior import Beta
from suffice.stats import BinaryCounts
from suffice.stats.inputs import BINARY
from suffice.stats.word_counts import WordCounts
from suffice.tables import Column, numbers
from suffice.typing import Array, Integers

FlagCounts = BinaryCounts | WordCounts
Features = Literal["values", "flags", "words"]

UNIFORM = Beta(1, 1)

MEASURES: dict[Features, str] = {
    "values": "probabilities of values",
    "flags": "probabilities of flags",
    "words": "probabilities of words that are there or not",
}


@dataclass(frozen=True, eq=False, repr=False)
class Bernoulli(Likelihood):
    """Model a column of true or false values, with a Beta prior on the probability of True.

    Parameters
    ----------
    prior : Beta or "evidence", default=Beta(1, 1)
        Prior on the probability of True, or "evidence" to choose the one that maximizes the column's evidence.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"paid": sf.columns.Bernoulli(prior=sf.Beta(2, 2))}, temper=None)
    >>> model.fit({"paid": [True, True, False, None]}, ["a", "a", "b", "b"]).predict_proba({"paid": [True]}).round(3)
    array([[0.625, 0.375]])
    """

    prior: Beta | str = UNIFORM
    a: Array | None = field(default=None, repr=False)  # pseudo-counts that replace the prior: numbers or arrays
    b: Array | None = field(default=None, repr=False)
    estimate: Estimate = field(default="mean", repr=False)
    features: Features = field(default="values", repr=False)  # a column, a matrix, or words of texts
    cut: Cut | None = field(default=None, repr=False)  # words to leave out

    word, family = "bernoulli", Beta
    statistic = (BinaryCounts, WordCounts)
    storages = frozenset({"bool", "integer", "real"})

    def __post_init__(self) -> None:
        must_be(self.prior, Beta, "Bernoulli")

    @classmethod
    def of(cls, alpha: Any, estimate: Estimate, features: Features, cut: Cut | None = None) -> Bernoulli:
        """Return binary features with pseudo-counts from a number, an array, a Beta, a table of Betas or "evidence"."""
        plain = cls(estimate=estimate, features=features, cut=cut)
        if isinstance(alpha, str):
            return replace(plain, prior=alpha)
        if isinstance(alpha, Beta):
            single = alpha.batch_shape == ()
            return replace(plain, prior=alpha) if single else replace(plain, a=np.array(alpha.a), b=np.array(alpha.b))
        return plain.smoothed(alpha)

    def measured(self, t: FlagCounts) -> str:
        """Return the kind of quantity that its evidence refers to."""
        return MEASURES[self.features]

    @property
    def odds(self) -> FlagOdds:
        """Return the pseudo-counts in use, with the formulas of θ."""
        if self.a is not None and self.b is not None:
            return FlagOdds(self.a, self.b, self.estimate)
        prior: Any = self.prior
        return FlagOdds(np.asarray(prior.a, np.float64), np.asarray(prior.b, np.float64), self.estimate)

    def count(self, rows: Rows, labels: Labels) -> Any:
        """Return counts of the rows of each class that have each feature."""
        return rows.count(BinaryCounts, labels)

    def kept(self, statistic: Any) -> Any:
        """Return the counts without the words to leave out."""
        return statistic if self.cut is None else self.cut.of(statistic)

    def counts(self, t: FlagCounts) -> tuple[Cells, Array]:
        """Return N_cj, classes × features, and N_c."""
        return Cells.of(t.documents), np.ravel(t.n)

    def smoothed(self, alpha: Any) -> Bernoulli:
        """Return the likelihood with the given pseudo-count of both on and off."""
        both = np.array(alpha, np.float64)
        return replace(self, prior=UNIFORM, a=both, b=both)

    def settled(self, t: FlagCounts) -> Bernoulli:
        """Return the likelihood with its prior learned if so chosen; raise NoUniqueMode for "map" without a mode."""
        found = self._learned(t) if self.learns_prior else self
        if self.estimate == "map":
            must_have_mode(found.odds, t)
        return found

    def _learned(self, t: FlagCounts) -> Bernoulli:
        if isinstance(t, WordCounts):
            return self.smoothed(alpha_of_presence(t.documents, t.n))
        return replace(self, prior=beta_of_flags(flag_terms(t.ones, t.zeros, np.broadcast_to(t.n, t.ones.shape))))

    def scorer(self, t: FlagCounts) -> Scorer:
        """Return the scorer of rows; for a column, a table with one line for False and one for True."""
        if self.features != "values":
            return self.odds.linear(*self.counts(t), t)
        on, off = self.log_theta(t)
        return PlaceScores.of(np.hstack([off.values, on.values]), flag_places)

    def log_theta(self, t: FlagCounts) -> tuple[Cells, Cells]:
        """Return ln θ and ln(1−θ), classes × features."""
        (ones, n), odds = self.counts(t), self.odds
        return ones.map(odds.log_on, n), ones.map(odds.log_off, n)

    def held_out(self, t: FlagCounts, rows: Rows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        scorer = self.scorer(t)
        scores = scorer.scores(rows)
        scores[removed.row, removed.code] = held_out_flags(self.odds, *self.counts(t), rows, t, removed)
        return DenseHeldOut(
            scores, rows.lengths(scorer) if isinstance(scorer, Linear) and self.features == "words" else None
        )

    def contributions(self, t: FlagCounts, rows: Rows, weights: Array | None = None) -> Contributions:
        """Return contributions of features that are on and off; for sparse rows, those that are off are summed."""
        if isinstance(t, WordCounts):
            return explained_words(self.odds, *self.counts(t), t, rows)
        return explained_flags(self.odds, *self.counts(t), rows.entries(t).toarray()[0], rows)

    def posterior(self, t: FlagCounts, features: Integers | None = None) -> Beta:
        """Return the posterior of each class's θ, or of the given features."""
        return Beta(*self._parameters(t, features))

    def _parameters(self, t: FlagCounts, features: Integers | None = None) -> tuple[Array, Array]:
        ones, n = self.counts(t)
        which = np.arange(ones.width) if features is None else features
        return replace(self.odds.at(which), estimate="mean").amounts(ones.columns(which), n[:, None])

    def plug_in(self, t: FlagCounts) -> Array:
        """Return θ, classes × features."""
        return np.exp(self.log_theta(t)[0].dense())

    def belief(self, t: FlagCounts, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores."""
        return FlagBelief(*self.counts(t), self.odds, t)

    def log_evidence(self, t: FlagCounts) -> Cells:
        """Return the log evidence of each class and feature."""
        (ones, n), a, b = self.counts(t), self.odds.a, self.odds.b
        must_be_proper(a, b)
        prior = Beta(a, b)
        return ones.map(lambda k, n: prior._evidence(k, less(n, k)), n)  # NB-11

    def word_shares(self, t: WordCounts) -> WordShares:
        """Return the plug-in share of texts that contain each word."""
        ones, n = self.counts(t)
        on, off = (float(added(part, self.estimate)) for part in (self.odds.a, self.odds.b))
        return WordShares(ones, on, n + (on + off), 0.5, meaning="share of texts that contain the word")

    def top_features(
        self, t: FlagCounts, n: Array, code: int, k: int, weights: Array | None = None
    ) -> list[TopFeature]:
        """Return the features with the most evidence for the class, θ_c ln(θ_c/θ); of words, only present ones."""
        ones, rows = self.counts(t)
        if isinstance(t, WordCounts):
            return top_words(self.word_shares(t).favouring(rows, code), t, k, weights)
        theta = np.exp(np.hstack([logs.values for logs in self.log_theta(t)]))
        says = ("True", "False") if self.features == "values" else ("on", "off")
        brought = of_ratio(theta[code], share_of_others(rows, code) @ theta)
        return strongest(brought, k, lambda i: (i % ones.width, says[i // ones.width]))

    def information(self, t: BinaryCounts, prior: Array) -> Array:
        """Return the mutual information of the class and each feature."""
        on, off = self.log_theta(t)
        return of_flags(np.exp(on.values), np.exp(off.values), prior)

    def believed(self, t: BinaryCounts) -> FeatureBelief:
        """Return a Beta for each feature."""
        (ones, n), odds = self.counts(t), self.odds
        a, b = (np.broadcast_to(part, ones.values.shape) for part in (odds.a, odds.b))
        return FeatureBelief(ones, a, n[:, None] + a + b, "beta", "feature", "share of rows with the feature on")

    def log_prior_density(self, t: FlagCounts) -> float:
        """Return ln Beta(θ ; added + 1) of the plug-in θ, where `added` is what the estimate adds to a count."""
        if self.estimate == "mle":
            return 0.0
        (ones, n), odds = self.counts(t), self.odds
        a, b = added(odds.a, self.estimate), added(odds.b, self.estimate)
        constant = gammaln(a + b + 2) - gammaln(a + 1) - gammaln(b + 1)

        def density(k: Array, n: Array) -> Array:
            return np.asarray(powered(odds.log_on(k, n), a) + powered(odds.log_off(k, n), b) + constant)

        return float(ones.map(density, n).sum().sum())

    @property
    def learns_prior(self) -> bool:
        """Return whether the prior maximizes the evidence."""
        return self.a is None and isinstance(self.prior, str)

    def weak(self, t: FlagCounts, rows: float, k: int) -> Bernoulli:
        """Return the likelihood with a uniform prior."""
        return replace(self, prior=UNIFORM, a=None, b=None)  # by WP-3

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as zeros and ones."""
        values = numbers(column)
        wrong = ~BINARY.accepts(values)
        if wrong.any():
            raise DataError(f"Column {column.name!r} is {self.word} and must hold 0 and 1; got {values[wrong][0]}.")
        return MatrixRows.of_column(values, column.name, None if column.missing is None else ~column.missing)

    def prior_in_words(self, t: BinaryCounts) -> str:
        """Return the Beta prior in words."""
        return f"Beta(a={float(self.odds.a):.4g}, b={float(self.odds.b):.4g})"
