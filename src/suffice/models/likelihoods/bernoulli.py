"""Model binary features, where an absent feature is evidence, too.

score      Σ_j x_j ln θ_cj + (1−x_j) ln(1−θ_cj),   θ_cj = (N_cj + a) / (N_c + a + b)                   NB-1
held out   the same of N_cj − g_j and N_c − g, without g rows of which g_j have feature j              SX-3
evidence   ln of a…(a+N_cj−1) · b…(b+N_c−N_cj−1) / (a+b)…(a+b+N_c−1)                                   NB-11

If k of n rows have a feature, θ = on / (on + off), where on = k + a and off = n − k + b for the posterior mean; k and
n − k for maximum likelihood; k + a − 1 and n − k + b − 1, floored at 0, for the mode. Without rows and prior, θ = ½.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from suffice.errors import DataError, NoUniqueMode
from suffice.later import digamma, gammaln
from suffice.models.empirical.pseudo_counts import alpha_of_presence, beta_of_flags, flag_terms
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.models.likelihoods.places import PlaceScores, must_be_proper
from suffice.models.likelihoods.shared import (
    WordShares,
    added,
    check_mode,
    flags,
    must_be,
    of_ratio,
    share_of_others,
    strongest,
    top_words,
)
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.scoring.beliefs import belief_of_shares, log_gammas, must_be_known, trigamma
from suffice.models.scoring.cells import Cells, log, powered, safe_log
from suffice.models.scoring.information import of_flags
from suffice.models.scoring.linear import ONCE, DenseHeldOut, Linear
from suffice.models.scoring.removal import ROUNDING, Entries, Removal, left
from suffice.models.scoring.results import (
    Belief,
    Contributions,
    Estimate,
    HeldOut,
    Moments,
    Scorer,
    TopFeature,
    times_in_words,
)
from suffice.models.scoring.rows import MatrixRows, Rows
from suffice.posterior import Beta
from suffice.stats import BinaryCounts
from suffice.stats.inputs import BINARY
from suffice.stats.word_counts import WordCounts
from suffice.tables import Column, numbers
from suffice.telling import counted
from suffice.typing import Array, Integers

FlagCounts = BinaryCounts | WordCounts
Features = Literal["values", "flags", "words"]

UNIFORM, HALF = Beta(1, 1), float(np.log(0.5))

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

    def weak(self, t: FlagCounts, rows: float, k: int) -> Bernoulli:
        """Return the likelihood with a uniform prior."""
        return replace(self, prior=UNIFORM, a=None, b=None)  # by WP-3

    def rows(self, column: Column) -> MatrixRows:
        """Return a column as zeros and ones."""
        values = numbers(column)
        wrong = ~BINARY.accepts(values)
        if wrong.any():
            raise DataError(f"Column {column.name!r} is {self.word} and", "hold 0 and 1", column=column.name).but(
                f"got {values[wrong][0]}"
            )
        return MatrixRows.of_column(values, column.name, None if column.missing is None else ~column.missing)

    def prior_in_words(self, t: BinaryCounts) -> str:
        """Return the Beta prior in words."""
        return f"Beta(a={float(self.odds.a):.4g}, b={float(self.odds.b):.4g})"


@dataclass(frozen=True, eq=False)
class FlagOdds:
    """Pseudo-counts of on and off, as single numbers or one per feature, and the estimate of θ."""

    a: Array
    b: Array
    estimate: Estimate = "mean"

    def at(self, feature: Integers) -> FlagOdds:
        """Return the formulas of the given features."""
        return replace(self, a=_of(self.a, feature), b=_of(self.b, feature))

    def amounts(self, k: Array, n: Array) -> tuple[Array, Array]:
        """Return the amounts on and off, where θ : 1−θ = on : off."""
        zeros = less(n, k)
        if self.estimate == "mle":
            return k, zeros
        if self.estimate != "map":
            return k + self.a, zeros + self.b  # NB-1
        a, b = k + self.a, zeros + self.b
        on, off = np.maximum(a - 1, 0.0), np.maximum(b - 1, 0.0)  # NB-1
        end = on + off == 0  # the mode is 0 or 1
        return np.where(end & (a > b), 1.0, on), np.where(end & (b > a), 1.0, off)

    def log_on(self, k: Array, n: Array) -> Array:
        """Return ln θ."""
        on, off = self.amounts(k, n)
        return _log_share(on, on + off)

    def log_off(self, k: Array, n: Array) -> Array:
        """Return ln(1−θ), computed from the rows that lack the feature to keep digits where θ is near one."""
        on, off = self.amounts(k, n)
        return _log_share(off, on + off)

    def finite_off(self, k: Array, n: Array) -> Array:
        """Return ln(1−θ), with 0 in place of −∞; k may exceed n."""
        on, off = self.amounts(k, n)
        logs = _log_share(np.maximum(off, 0.0), on + off)
        return np.where(np.isneginf(logs), 0.0, logs)

    def always(self, k: Array, n: Array) -> Array:
        """Return 1.0 where ln(1−θ) is −∞, otherwise 0.0."""
        on, off = self.amounts(k, n)
        return ((off <= 0) & (on + off > 0)).astype(np.float64)

    def log_odds(self, k: Array, n: Array) -> Array:
        """Return ln θ − ln(1−θ), or ln θ where ln(1−θ) is −∞."""
        return self.log_on(k, n) - self.finite_off(k, n)

    def linear(self, ones: Cells, n: Array, t: Any, on: Cells | None = None) -> Linear:
        """Return the linear scorer of rows; `on` holds ln θ if it comes from other counts than ln(1−θ)."""
        off = ones.map(self.finite_off, n)
        weights = _minus(ones.map(self.log_on, n) if on is None else on, off)
        proper = self.estimate in ("mean", "predictive") and self.b.min() > 0
        always = None if proper else ones.map(self.always, n)
        required = always if always is not None and always.sum().any() else None
        return Linear(weights, off.sum(), t, ONCE, documents=isinstance(t, WordCounts), required=required)  # NB-1


def _minus(one: Cells, other: Cells) -> Cells:
    if one.unmet is None or other.unmet is None:
        return Cells(one.values - other.values)
    return Cells(one.like(one.values.data - other.values.data), one.unmet - other.unmet)


def less(total: Array, part: Array) -> Array:
    """Return total − part, with rounding residue set to 0."""
    rest = np.asarray(total - part)
    return np.where(np.abs(rest) <= ROUNDING * total, 0.0, rest)


def _log_share(part: Array, total: Array) -> Array:
    return np.where(total > 0, log(part) - safe_log(total), HALF)


def _of(numbers: Array, feature: Integers) -> Array:
    return numbers[feature] if numbers.ndim else numbers


def flag_places(rows: MatrixRows) -> Integers:
    """Return 0 or 1 for each row of a column, −1 where the value is missing."""
    place = rows.source.matrix[:, 0].astype(np.int64)
    return place if rows.present is None else np.where(rows.present, place, -1)


def must_have_mode(odds: FlagOdds, t: Any) -> None:
    """Raise NoUniqueMode unless the posterior of every class and feature has a unique mode."""
    if not isinstance(t, WordCounts):
        check_mode(Beta, odds.a + t.ones, odds.b + t.zeros)
    elif (least := min(odds.a.min(), odds.b.min())) < 1:
        raise NoUniqueMode(
            f"The estimate 'map' needs alpha of at least 1 for a unique mode; got alpha={least:g}."
        ).advise(python="Use estimate='mean', or a larger alpha.")


def explained_words(odds: FlagOdds, ones: Cells, n: Array, t: WordCounts, rows: Rows) -> Contributions:
    """Return the contributions of a document's words, and of all absent words together."""
    x, scorer = rows.entries(t), odds.linear(ones, n, t)
    k, size, belief = ones.columns(x.indices), n[:, None], None
    logs, (on, off) = odds.log_on(k, size).T, odds.amounts(k, size)
    if odds.estimate in ("mean", "predictive") and odds.a.min() > 0:
        belief = belief_of_shares(on.T, (on + off).T)
    often = [times_in_words(v) for v in x.data.tolist()]
    said = Contributions(x.indices.tolist(), often, logs, belief, times=np.ones(x.nnz))
    absent = scorer.offset - odds.finite_off(k, size).sum(axis=1)
    lacking = np.isneginf(scorer.scores(rows)[0]) & np.isfinite(logs.sum(axis=0))
    return said.and_one("(absent words)", counted(ones.width - x.nnz, "word"), np.where(lacking, -np.inf, absent))


def explained_flags(odds: FlagOdds, ones: Cells, n: Array, x: Array, rows: Rows) -> Contributions:
    """Return the contributions of features that are on and off; for sparse rows, those that are off are summed."""
    here, size, belief = x > 0, n[:, None], None
    on, off = odds.log_on(ones.values, size), odds.log_off(ones.values, size)
    if odds.estimate in ("mean", "predictive"):
        a, b = odds.amounts(ones.values, size)
        belief = belief_of_shares(np.where(here, a, b).T, (a + b).T)
    words = [{0.0: "off", 1.0: "on"}.get(v, f"{v:.6g}") for v in x.tolist()]
    logs, part = np.where(here, on, off), here & (x != 1)  # values other than 0 and 1 count in proportion, as in scores
    logs[:, part] = x[part] * on[:, part] + (1 - x[part]) * off[:, part]
    if belief is not None:
        belief = np.where(part[:, None], np.nan, belief[0]), np.where(part[:, None], np.nan, belief[1])
    said = Contributions(list(range(len(x))), words, logs.T, belief, times=np.ones(len(x)))
    wide = isinstance(rows, MatrixRows) and rows.source.is_sparse
    return said.gathered(here, "(features off)", f"{int((~here).sum()):,}") if wide else said


def held_out_flags(odds: FlagOdds, ones: Cells, n: Array, rows: Rows, t: Any, removed: Removal) -> Array:
    """Return the score of each pair of a row and a class after the removal."""
    if removed.alone and (removed.members.data == removed.members.data[:1]).all():
        return _without_one(odds, ones, n, rows, t, removed)
    x = flags(rows.entries(t))
    (entries, taken), (offset, lacking) = removed.entries(x), _all_off(odds, ones, n, x, removed)
    rest = left(n[removed.code], removed.weight)[entries.row]
    own, each = left(ones.at(removed.code[entries.row], entries.feature), taken), odds.at(entries.feature)
    scores = offset + entries.sums(each.log_odds(own, rest))  # SX-3
    lacking -= entries.sums(each.always(own, rest))
    return np.where(lacking > 0.5, -np.inf, scores)


def _without_one(odds: FlagOdds, ones: Cells, n: Array, rows: Rows, t: Any, removed: Removal) -> Array:
    """Return held-out scores of equally weighted rows removed alone, from tables of classes that lack one row."""
    weight = np.asarray(removed.members.data[:1].sum())
    rest = np.maximum(less(n, weight), 0.0)
    on = ones.map(lambda k, rest: odds.log_on(np.maximum(less(k, weight), 0.0), rest), rest)
    return odds.linear(ones, rest, t, on).scores(rows)[removed.row, removed.code]  # SX-3


def _all_off(odds: FlagOdds, ones: Cells, n: Array, x: Any, removed: Removal) -> tuple[Array, Array]:
    """Return Σ_j ln(1−θ) of each pair, without features that all rows of its class have, and the number of these.

    The sums are computed as if the removed rows had no feature, then corrected for the features that they have.
    """
    code = removed.part_code
    rest = left(n[code], np.asarray(removed.members.sum(axis=1)).ravel())
    sums, always = _by_size(odds, ones, code, rest)
    taken = Entries.of((removed.members @ x).tocsr())
    size, before, each = rest[taken.row], ones.at(code[taken.row], taken.feature), odds.at(taken.feature)
    after = left(before, taken.value)
    sums += taken.sums(each.finite_off(after, size) - each.finite_off(before, size))
    always += taken.sums(each.always(after, size) - each.always(before, size))
    return sums[removed.part], always[removed.part]


def _by_size(odds: FlagOdds, ones: Cells, code: Integers, rest: Array) -> tuple[Array, Array]:
    """Return both sums of `_all_off` for classes of `rest` rows; equal features are computed once."""
    sums, always = np.zeros((2, len(code)))
    for c in np.unique(code):
        mine, line = np.flatnonzero(code == c), ones.line(int(c))
        kinds = np.stack([line, *(np.broadcast_to(part, line.shape) for part in (odds.a, odds.b) if part.ndim)])
        _, first, often = np.unique(kinds, axis=1, return_index=True, return_counts=True)
        k, each = line[first], odds.at(first)
        sizes, which = np.unique(rest[mine], return_inverse=True)
        found = np.array([(each.finite_off(k, size) @ often, each.always(k, size) @ often) for size in sizes])
        sums[mine], always[mine] = found[which].T
    return sums, always


@dataclass(frozen=True, eq=False)
class FlagBelief:
    """Beta beliefs about binary features, classes × features."""

    ones: Cells
    n: Array
    odds: FlagOdds
    t: Any

    def moments(self, rows: Rows) -> Moments:
        """Return mean and variance of Σ x ln θ + (1−x) ln(1−θ) for each row and class."""
        mean, variance = self._moments
        return mean.scores(rows), np.maximum(variance.scores(rows), 0.0)

    @cached_property
    def _moments(self) -> tuple[Linear, Linear]:
        """Return linear scorers of means and variances, which are sums over features."""
        for part in self._parameters(self.ones, self.odds):
            must_be_known(*((part.values,) if part.unmet is None else (part.values.data, part.unmet)))
        return self._linear(digamma), self._linear(trigamma)

    def _linear(self, psi: Any) -> Linear:
        odds = self.odds
        weights = self.ones.map(lambda k, n: psi(k + odds.a) - psi(less(n, k) + odds.b), self.n)  # SX-5
        off = self.ones.map(lambda k, n: psi(less(n, k) + odds.b) - psi(n + odds.a + odds.b), self.n)  # SX-5
        return Linear(weights, off.sum(), self.t, ONCE)

    def _parameters(self, ones: Cells, odds: FlagOdds) -> tuple[Cells, Cells]:
        return ones.map(lambda k: k + odds.a), ones.map(lambda k, n: less(n, k) + odds.b, self.n)

    def draws(self, rows: Rows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of θ, size × rows × classes. Words in no row contribute a normal draw."""
        _ = self._moments  # raises if the posterior is improper
        x, there, rest = rows.entries(self.t), np.arange(self.ones.width), np.zeros((size, 1))
        words = isinstance(self.t, WordCounts)
        if words:
            x, there = flags(x), np.unique(x.indices)
        a, b = (part.values for part in self._parameters(Cells(self.ones.columns(there)), self.odds.at(there)))
        if words:
            rest = self._absent(a, b, rng, size)
        x, out = x[:, there], []
        for other in rest:
            on, off = log_gammas(a, rng), log_gammas(b, rng)
            total = np.logaddexp(on, off)
            out.append(x @ (on - off).T + (off - total).sum(axis=1) + other)
        return np.stack(out)

    def _absent(self, a: Array, b: Array, rng: np.random.Generator, size: int) -> Array:
        """Return draws of Σ ln(1−θ) over all words other than the given ones, draws × classes."""
        (mean, variance), total = self._moments, a + b
        middle = mean.offset - (digamma(b) - digamma(total)).sum(axis=1)
        spread = variance.offset - (trigamma(b) - trigamma(total)).sum(axis=1)
        return rng.normal(middle, np.sqrt(np.maximum(spread, 0.0)), (size, len(self.n)))
