"""Scores of counts whose parameters are integrated out: words drawn from urns that remember them.

score_c = offset_c + Σ over x_j > 0 of ln α_cj(α_cj+1)…(α_cj+x_j−1) [+ x_j·w_cj] [− ln s_c(s_c+1)…(s_c+n−1)]

Most words of a document come once, and take one logarithm from a table. Of a word that a class has not met, a sparse
table holds no number: there α_cj = rest_c · prior_j.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.later import sparse
from suffice.models.scoring.cells import AS_IT_IS, Cells, Temper, log, tempered
from suffice.models.scoring.kernels import by_feature, rising_scores
from suffice.models.scoring.linear import ONCE, Linear
from suffice.models.scoring.removal import Entries, Removal
from suffice.models.scoring.results import Contributions, times_in_words
from suffice.models.scoring.rows import Rows
from suffice.posterior.special import log_rising
from suffice.stats.inputs import COUNT, REAL
from suffice.typing import Array, Integers

__all__ = ["LENGTH", "Rising", "RisingHeldOut", "of_lengths", "rising_words", "with_length"]

LENGTH = "(length)"
"""The part of an explanation that is due to the number of words."""

CELLS_AT_ONCE = 2**22


@dataclass(frozen=True, eq=False)
class Rising:
    """α by class and feature, an offset by class, and for documents the sum of α by class."""

    alpha: Cells  # where it is sparse, `unmet` is what a class holds of words not met, in units of the prior
    offset: Array
    total: Array | None = None  # s; None where the length of a row is no part of the score
    t: Any = None  # the statistic that has the features, where rows are looked up among them by name
    prior: Array | None = None  # of each feature, where α is sparse
    linear: Linear | None = None  # the scores x·w
    temper: Temper = AS_IT_IS

    @classmethod
    def of(cls, counts: Cells, more: Any, t: Any) -> Rising:
        """Return scores by the multinomial with integrated parameters: α = counts + more."""
        more = np.asarray(more, np.float64)
        if counts.unmet is None:
            alpha = np.asarray(counts.values + more)
            return cls(Cells(alpha), np.zeros(len(alpha)), alpha.sum(axis=1), t)  # NB-3
        prior = np.broadcast_to(more, (counts.width,))
        met = counts.like(counts.values.data + prior[counts.values.indices])
        total = counts.sum() + (more.sum() if more.ndim else more * counts.width)
        zeros, ones = np.zeros(len(total)), np.ones(len(total))
        return cls(Cells(met, ones), zeros, total, t, prior)  # NB-3

    def tempered(self, temper: Temper) -> Rising:
        """Return the scorer with scores raised to the power of each row."""
        return replace(self, temper=temper)

    def powers(self, rows: Rows) -> Any:
        """Return what the likelihood of each row is raised to: a number for all, or one for each."""
        return self.temper.of(rows.lengths(self) if self.temper.length else None)  # type: ignore[arg-type]

    def counted(self, x: Array) -> Array:
        """Return what x occurrences count for."""
        return x

    def scores(self, rows: Any) -> Array:
        """Return ln p(x | c), rows × classes; only what is not zero is looked at."""
        with np.errstate(invalid="ignore"):  # a class without words and prior has nothing to say
            out = self._drawn(rows)
            if self.linear is not None:
                out += self.linear.scores(rows)
            if self.total is not None:
                out -= of_lengths(rows.lengths(self), self.total)
        out = np.where(np.isnan(out), -np.inf, out)
        return out if self.temper == AS_IT_IS else tempered(out, self.powers(rows))

    def _drawn(self, rows: Any) -> Array:
        if self.prior is None:
            source = rows.source.must_be(COUNT) if rows.source.allowed is REAL else rows.source
            out = np.empty((len(rows), len(self.offset)))
            return np.asarray(rising_scores(out, source, *self._tables, self.offset))
        return self._and_repeats(self._words.scores(rows), Entries.of(rows.entries(self.t)))

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        alpha = by_feature(self.alpha.values)
        return alpha, log(alpha)

    @cached_property
    def _words(self) -> Linear:
        return rising_words(self.alpha, self.prior, self.offset, self.t)

    def _and_repeats(self, scores: Array, x: Entries) -> Array:
        """Add what words say that come again: ln (α+1)…(α+x−1)."""
        again = np.flatnonzero(x.value > 1)
        for part in _parts(again, len(self.offset)):
            row, first = x.row[part], x.row[part[0]]
            more = log_rising(1 + self.columns(x.feature[part]), x.value[part] - 1)
            by_row = sparse.csr_matrix((np.ones(len(part)), (row - first, np.arange(len(part)))))
            scores[first : row[-1] + 1] += by_row @ more.T
        return scores

    def columns(self, feature: Integers) -> Array:
        """Return α of single features, classes × features."""
        if self.prior is None:
            return self.alpha.columns(feature)
        assert self.alpha.unmet is not None
        met = self.alpha.values[:, feature].toarray()
        return np.where(met > 0, met, self.alpha.unmet[:, None] * self.prior[feature])

    def contributions(self, rows: Rows) -> Contributions:
        """Explain one row: what each of its words says, and its length."""
        x = rows.entries(self.t)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.asarray(log_rising(self.columns(x.indices), x.data)).T
        said = Contributions(x.indices.tolist(), [times_in_words(v) for v in x.data.tolist()], logs)
        return said if self.total is None else with_length(said, self.total, float(x.data.sum()))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).copy().items() if name not in ("_tables", "_words")}


@dataclass(frozen=True, eq=False)
class RisingHeldOut:
    """Scores of training rows, but for the classes that lose something: there, by entry and by pair."""

    scorer: Rising
    rows: Rows
    removed: Removal
    entries: Entries  # of the row of each pair
    word: Array  # α of each entry's feature in the pair's class without what is removed
    total: Array  # Σα of each pair, likewise

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return rows × classes, not tempered; words of rows that are scored as a whole have no weights."""
        scores = self.scorer.tempered(AS_IT_IS).scores(self.rows)
        x = self.entries.value
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = self.entries.sums(_log_rising(self.word, x))
            own = drawn - log_rising(self.total, self.entries.sums(x))  # SX-3
        scores[self.removed.row, self.removed.code] = np.where(np.isnan(own), -np.inf, own)
        return scores

    def lengths(self) -> Array:
        """Return how many features each row has, as often as they count."""
        return self.rows.lengths(self.scorer)  # type: ignore[arg-type]


def rising_words(alpha: Cells, prior: Array | None, offset: Array, t: Any) -> Linear:
    """Return scores of which words there are, however often: offset + Σ over x_j > 0 of ln α_cj."""
    if prior is None or not prior.any():
        return Linear(alpha.map(log) if prior is None else _never_unmet(alpha), offset, t, ONCE)
    assert alpha.unmet is not None
    base = log(prior)
    above = Cells(alpha.like(log(alpha.values.data) - base[alpha.values.indices]), log(alpha.unmet))
    return Linear(above, offset, t, ONCE, base)


def _never_unmet(alpha: Cells) -> Cells:
    """Return ln α where a word that a class has not met is impossible there."""
    return Cells(alpha.like(log(alpha.values.data)), np.full(alpha.values.shape[0], -np.inf))


def of_lengths(lengths: Array, total: Array) -> Array:
    """Return ln s(s+1)…(s+n−1) of each row's length n and each class's s: rows × classes."""
    distinct, place = np.unique(lengths, return_inverse=True)
    return np.asarray(log_rising(total, distinct[:, None])[place])


def with_length(said: Contributions, total: Array, n: float) -> Contributions:
    """Return an explanation with what the number of words says."""
    some = total > 0  # without words and prior, the words say it all
    says = np.where(some, -np.asarray(log_rising(np.where(some, total, 1.0), n)), 0.0)
    return said.and_one(LENGTH, f"{n:.6g} word{'s' * (n != 1)}", says)


def _log_rising(alpha: Array, x: Array) -> Array:
    """Return ln α(α+1)…(α+x−1); most x are 1."""
    out = log(alpha)
    again = x != 1
    out[again] = log_rising(alpha[again], x[again])
    return out


def _parts(which: Integers, classes: int) -> Iterator[Integers]:
    """Return stretches that are small tables with all classes."""
    step = max(1, CELLS_AT_ONCE // max(1, classes))
    return (which[at : at + step] for at in range(0, len(which), step))
