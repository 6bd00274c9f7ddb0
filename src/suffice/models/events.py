"""Event models of rows of flags and counts: from a statistic and a prior to scores.

Each takes its prior as pseudo-counts, which may be zero (then "mean" is the maximum-likelihood estimate). θ is
estimated as

    "mle"   N_jc / N_c            "map"   the posterior's mode (BB-3, DM-3, GP-4)
    "mean"  the posterior's mean  "predictive"  the parameters integrated out; for flags the same as "mean"
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from suffice.errors import NoUniqueMode
from suffice.models import leave_out
from suffice.models.linear import Forbidding, Linear, linear
from suffice.models.logs import log, log_ratio, raised_to
from suffice.models.removal import Entries
from suffice.models.rising import Rising
from suffice.posterior import Beta, Dirichlet, Gamma
from suffice.posterior.special import log_rising
from suffice.stats import BinaryCounts, TokenCounts
from suffice.stats.inputs import Rows
from suffice.typing import Array, Integers

__all__ = ["Bernoulli", "Complement", "Estimate", "Multinomial", "Poisson"]

Estimate = Literal["mle", "map", "mean", "predictive"]


@dataclass(frozen=True)
class Bernoulli:
    """Features that are on or off: Σ x_j ln θ_jc + (1−x_j) ln(1−θ_jc)."""

    a: Array
    b: Array
    estimate: Estimate = "mean"

    def log_theta(self, t: BinaryCounts) -> tuple[Array, Array]:
        """ln θ and ln(1−θ), the second from the count of zeros: no digits are lost for rare or frequent features."""
        if self.estimate == "map":
            mode = _mode(Beta, self.a + t.ones, self.b + t.zeros)
            return log(mode), log(1 - mode)  # NB-1
        a, b = (0.0, 0.0) if self.estimate == "mle" else (self.a, self.b)
        total = np.asarray(t.n + a + b)
        on, off = log_ratio(np.asarray(t.ones + a), total), log_ratio(np.asarray(t.zeros + b), total)  # NB-1
        return _known(on, np.log(0.5)), _known(off, np.log(0.5))

    def scorer(self, t: BinaryCounts) -> Linear | Forbidding | Flags:
        """Scores of rows of zeros and ones."""
        return self._scorer(*self.log_theta(t))

    def _scorer(self, on: Array, off: Array) -> Linear | Forbidding | Flags:
        always = np.isneginf(off)
        if not always.any():
            on -= off
            offset = off.sum(axis=1)
            del off  # tables can be large
            return linear(on, offset)
        off = np.where(always, 0.0, off)
        present = linear(np.where(np.isneginf(on), -np.inf, on - off), off.sum(axis=1))
        return Flags(present, linear(always.astype(np.float64), np.zeros(len(on))), always.sum(axis=1))

    def leave_out(self, t: BinaryCounts, n: Array, X: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        """Scores of rows, each by a class that has not seen it."""
        a, b = added(self.a, self.estimate), added(self.b, self.estimate)
        if not X.is_sparse and (weights == weights[:1]).all():
            gone, size = weights[:1], leave_out.left(n, np.minimum(n, weights[:1]))[:, None] + a + b
            there = [np.where(c < gone, 1.0, c - gone + more) for c, more in ((t.ones, a), (t.zeros, b))]
            without = self._scorer(*(log(part) - log(size) for part in there)).scores(X)
            return leave_out.put(scores, codes, without[np.arange(len(codes)), codes])
        entries = Entries.of(X.matrix, X.above)
        return leave_out.put(scores, codes, leave_out.bernoulli(t.ones, n, a, b, entries, codes, weights))


@dataclass(frozen=True)
class Flags:
    """Bernoulli scores where some feature is always on: its absence forbids the class."""

    present: Linear | Forbidding
    always: Linear | Forbidding
    how_many: Array

    def scores(self, X: object) -> Array:
        """Rows × classes."""
        return np.where(self.always.scores(X) < self.how_many, -np.inf, self.present.scores(X))


@dataclass(frozen=True)
class Multinomial:
    """Word counts: Σ x_j ln θ_jc. "predictive" scores the whole document by the Dirichlet-multinomial."""

    alpha: Array
    estimate: Estimate = "mean"
    weights: Array | None = None  # evidence weights of words, but not where documents are scored as a whole

    def log_theta(self, t: TokenCounts) -> Array:
        """ln θ."""
        if self.estimate == "map":
            return log(_mode(Dirichlet, self.alpha + t.counts))  # NB-3
        counts = t.counts + (0.0 if self.estimate == "mle" else self.alpha)
        theta = log_ratio(counts, counts.sum(axis=1, keepdims=True))  # NB-3
        return _known(theta, -np.log(max(1, theta.shape[1])))

    def scorer(self, t: TokenCounts) -> Linear | Forbidding | Rising:
        """Scores of rows of counts; without n!/Πx!, which all classes share."""
        if self.estimate == "predictive":
            alpha = np.asarray(self.alpha + t.counts)
            return Rising(alpha, None, np.zeros(len(alpha)), alpha.sum(axis=1))  # NB-3
        logs = self.log_theta(t)
        return linear(logs if self.weights is None else raised_to(logs, self.weights), np.zeros(len(t.counts)))

    def leave_out(self, t: TokenCounts, n: Array, X: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        """Scores of rows, each by a class that has not seen it."""
        if not X.is_sparse and self.estimate != "predictive" and self.weights is None:
            prior = np.broadcast_to(added(self.alpha, self.estimate), t.counts.shape[1:])
            return leave_out.put(scores, codes, leave_out.dense_words(t.counts, prior, X.matrix, codes, weights))
        entries, whole = Entries.of(X.matrix), self.estimate == "predictive"
        gone = weights[entries.row] * entries.value
        own, total = t.counts[codes[entries.row], entries.feature], t.counts.sum(axis=1)[codes]
        prior = np.broadcast_to(added(self.alpha, self.estimate), (entries.width,))
        drawn = entries.sums(gone)
        if self.weights is not None:
            entries = replace(entries, value=entries.value * self.weights[entries.feature])
        return leave_out.put(scores, codes, leave_out.multinomial(own, total, prior, entries, gone, drawn, whole))


@dataclass(frozen=True)
class Complement:
    """Word counts, each class described by all the others (Rennie et al. 2003)."""

    alpha: Array
    norm: bool = False

    def weights(self, t: TokenCounts) -> Array:
        """−ln θ̃ of the complement, or its share in the class's total."""
        theta: Array = t.counts.sum(axis=0) + self.alpha - t.counts
        np.maximum(theta, np.finfo(np.float64).tiny, out=theta)
        log_ratio(theta, theta.sum(axis=1, keepdims=True))  # NB-8
        if not self.norm:
            return -theta
        total: Array = theta.sum(axis=1, keepdims=True)
        return np.where(total == 0, 1.0 / theta.shape[1], theta / np.where(total == 0, 1.0, total))  # NB-8

    def leave_out(self, t: TokenCounts, n: Array, X: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        """Scores of rows, each by complements that have not seen it."""
        everywhere = t.counts.sum(axis=0) + self.alpha
        entries = Entries.of(X.matrix)
        return leave_out.complement(lambda c: everywhere - t.counts[c], scores, entries, codes, weights, self.norm)


@dataclass(frozen=True)
class Poisson:
    """Counts of independent events: Σ x_j ln λ_jc − λ_jc, without ln x!, which all classes share."""

    shape: Array
    rate: Array
    estimate: Estimate = "mean"

    def rates(self, t: TokenCounts, n: Array) -> Array:
        """λ, of classes of n rows."""
        if self.estimate == "map":
            return _mode(Gamma, self.shape + t.counts, self.rate + n)  # NB-5
        shape, rate = (0.0, 0.0) if self.estimate == "mle" else (self.shape, self.rate)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((t.counts + shape) / (n + rate))  # NB-5

    def mean_and_rate(self, t: TokenCounts, n: Array) -> tuple[Array, Array]:
        """Expected counts, and the rate of the Gamma belief about them: infinite where they are plugged in."""
        mean, rate = _known(self.rates(t, n), 1.0), np.asarray(self.rate + n)
        if self.estimate != "predictive":
            return mean, np.full(mean.shape, np.inf)
        return mean, np.broadcast_to(np.where(rate > 0, rate, 1.0), mean.shape)

    def scorer(self, t: TokenCounts, n: Array) -> Linear | Forbidding | Rising:
        """Scores of rows of counts."""
        if self.estimate == "predictive":
            shape, rate = np.asarray(self.shape + t.counts), np.asarray(self.rate + n)
            slope = -np.log1p(np.broadcast_to(rate, shape.shape))
            with np.errstate(divide="ignore", invalid="ignore"):  # no rows and no prior: nothing is known
                return Rising(shape, slope, -(shape * np.log1p(1 / rate)).sum(axis=1), None)  # NB-5
        rates = _known(self.rates(t, n), 1.0)
        return linear(log(rates), -rates.sum(axis=1))

    def leave_out(self, t: TokenCounts, n: Array, X: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        """Scores of rows, each by a class that has not seen it."""
        own = leave_out.poisson(self, t.counts, n, Entries.of(X.matrix), codes, weights)
        return leave_out.put(scores, codes, own)

    def of_zeros(self, counts: Array, n: Array) -> Array:
        """The score of a row of zeros, by classes of these counts and n rows."""
        if self.estimate == "predictive":
            with np.errstate(divide="ignore", invalid="ignore"):
                each = -(self.shape + counts) * np.log1p(1 / np.asarray(self.rate + n))
        else:
            each = -_known(self.rates(TokenCounts(counts), n), 1.0)
        return np.asarray(each.sum(axis=1))

    def beyond_zero(self, before: Array, counts: Array, n: Array, feature: Integers, x: Array) -> Array:
        """What x of a feature adds to the score of zeros, by a class of n rows that counts it so, not as `before`."""
        shape, rate = (np.broadcast_to(p, self._shape(feature))[feature] for p in (self.shape, self.rate))
        if self.estimate == "predictive":
            s, r = shape + counts, rate + n
            return np.asarray(log_rising(s, x) - x * np.log1p(r) - (counts - before) * np.log1p(1 / r))
        one = Poisson(shape, rate, self.estimate)
        now, then = (_known(one.rates(TokenCounts(c), n), 1.0) for c in (counts, before))
        return np.asarray(x * log(now) - now + then)

    def _shape(self, feature: Integers) -> tuple[int, ...]:
        return np.broadcast_shapes(self.shape.shape, self.rate.shape) or (int(feature.max(initial=0)) + 1,)


def added(alpha: Array, estimate: Estimate) -> Array:
    """What an estimate adds to a count."""
    return np.asarray({"mle": 0.0 * alpha, "map": alpha - 1.0}.get(estimate, alpha))


def _known(values: Array, otherwise: float) -> Array:
    """Where there is nothing to tell (0/0), the same for all."""
    unknown = np.isnan(values)
    return np.where(unknown, otherwise, values) if unknown.any() else values


def _mode(family: type[Beta | Dirichlet | Gamma], *parameters: Array) -> Array:
    """The mode of a posterior, or an error that names alpha, which the user chose, and the place."""
    hint = "Use estimate='mean', or a larger alpha."
    if any((np.asarray(parameter) <= 0).any() for parameter in parameters):
        raise NoUniqueMode(f"The estimate 'map' needs alpha above 0 where a class has no count. {hint}")
    belief = family(*parameters)
    try:
        return np.asarray(belief.mode)
    except NoUniqueMode:
        kinds = np.asarray(belief.modes())
        place = np.argwhere(kinds != "point")[0].tolist()
        raise NoUniqueMode(
            f"The estimate 'map' needs a unique mode; alpha leaves it {kinds[tuple(place)]!s} at {place} "
            f"(class first, then feature). {hint}"
        ) from None
