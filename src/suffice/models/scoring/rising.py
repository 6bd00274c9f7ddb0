"""Score counts with their parameters integrated out: Pólya urns, in which a word that occurs becomes more likely.

score_c = offset_c + Σ over x_j > 0 of ln α_cj(α_cj+1)…(α_cj+x_j−1) [+ x_j·w_cj] [− ln s_c(s_c+1)…(s_c+n−1)]

Most words of a document occur once, and need one logarithm from a table. A sparse table stores no number for a word
that a class has not met; there α_cj = rest_c · prior_j.
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

LENGTH = "(length)"
"""Name of the part of an explanation that is due to the document's length."""

CELLS_AT_ONCE = 2**22


@dataclass(frozen=True, eq=False)
class Rising:
    """The α per class and feature, an offset per class, and for documents the sum of α per class."""

    alpha: Cells  # where sparse, `unmet` is the factor rest_c of the prior for words not met
    offset: Array
    total: Array | None = None  # s; None where the score does not depend on the row's length
    t: Any = None  # the statistic whose features rows are matched to by name
    prior: Array | None = None  # one per feature, where α is sparse
    linear: Linear | None = None  # scorer of x·w
    temper: Temper = AS_IT_IS

    @classmethod
    def of(cls, counts: Cells, more: Any, t: Any) -> Rising:
        """Return the scorer of the Dirichlet-multinomial: α = counts + more."""
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
        """Return the scorer with each row's likelihood raised to a power."""
        return replace(self, temper=temper)

    def powers(self, rows: Rows) -> Any:
        """Return the power of the likelihood: one number for all rows, or one per row."""
        return self.temper.of(rows.lengths(self) if self.temper.length else None)  # type: ignore[arg-type]

    def counted(self, x: Array) -> Array:
        """Return the effective count of x occurrences: x."""
        return x

    def scores(self, rows: Any) -> Array:
        """Return ln p(x | c), rows × classes, from nonzero entries only."""
        with np.errstate(invalid="ignore"):  # a class with neither words nor a prior gives NaN
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
        """Add ln (α+1)…(α+x−1) of words that occur more than once to `scores`, in place."""
        again = np.flatnonzero(x.value > 1)
        for part in _parts(again, len(self.offset)):
            row, first = x.row[part], x.row[part[0]]
            more = log_rising(1 + self.columns(x.feature[part]), x.value[part] - 1)
            by_row = sparse.csr_matrix((np.ones(len(part)), (row - first, np.arange(len(part)))))
            scores[first : row[-1] + 1] += by_row @ more.T
        return scores

    def columns(self, feature: Integers) -> Array:
        """Return α of the given features, classes × features."""
        if self.prior is None:
            return self.alpha.columns(feature)
        assert self.alpha.unmet is not None
        met = self.alpha.values[:, feature].toarray()
        return np.where(met > 0, met, self.alpha.unmet[:, None] * self.prior[feature])

    def contributions(self, rows: Rows) -> Contributions:
        """Return the contributions of one row's words, and of its length."""
        x = rows.entries(self.t)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.asarray(log_rising(self.columns(x.indices), x.data)).T
        said = Contributions(x.indices.tolist(), [times_in_words(v) for v in x.data.tolist()], logs)
        return said if self.total is None else with_length(said, self.total, float(x.data.sum()))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).copy().items() if name not in ("_tables", "_words")}


@dataclass(frozen=True, eq=False)
class RisingHeldOut:
    """Score training rows by all classes, with corrected α for the classes that lose the row or its group."""

    scorer: Rising
    rows: Rows
    removed: Removal
    entries: Entries  # of each pair's row
    word: Array  # α of each entry's feature in the pair's class, after the removal
    total: Array  # Σα of each pair's class, after the removal

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return untempered scores, rows × classes. `feature_weights` has no effect on rows scored as a whole."""
        scores = self.scorer.tempered(AS_IT_IS).scores(self.rows)
        x = self.entries.value
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = self.entries.sums(_log_rising(self.word, x))
            own = drawn - log_rising(self.total, self.entries.sums(x))  # SX-3
        scores[self.removed.row, self.removed.code] = np.where(np.isnan(own), -np.inf, own)
        return scores

    def lengths(self) -> Array:
        """Return the length of each row."""
        return self.rows.lengths(self.scorer)  # type: ignore[arg-type]


def rising_words(alpha: Cells, prior: Array | None, offset: Array, t: Any) -> Linear:
    """Return a scorer of the words that occur, each counted once: offset + Σ over x_j > 0 of ln α_cj."""
    if prior is None or not prior.any():
        return Linear(alpha.map(log) if prior is None else _never_unmet(alpha), offset, t, ONCE)
    assert alpha.unmet is not None
    base = log(prior)
    above = Cells(alpha.like(log(alpha.values.data) - base[alpha.values.indices]), log(alpha.unmet))
    return Linear(above, offset, t, ONCE, base)


def _never_unmet(alpha: Cells) -> Cells:
    """Return ln α, with −∞ for words that the class has not met."""
    return Cells(alpha.like(log(alpha.values.data)), np.full(alpha.values.shape[0], -np.inf))


def of_lengths(lengths: Array, total: Array) -> Array:
    """Return ln s(s+1)…(s+n−1) for each row's length n and each class's s, rows × classes."""
    distinct, place = np.unique(lengths, return_inverse=True)
    return np.asarray(log_rising(total, distinct[:, None])[place])


def with_length(said: Contributions, total: Array, n: float) -> Contributions:
    """Return the contributions with a part for the document's length."""
    some = total > 0  # a class with neither words nor a prior is decided by the words alone
    says = np.where(some, -np.asarray(log_rising(np.where(some, total, 1.0), n)), 0.0)
    return said.and_one(LENGTH, f"{n:.6g} word{'s' * (n != 1)}", says)


def _log_rising(alpha: Array, x: Array) -> Array:
    """Return ln α(α+1)…(α+x−1), with a shortcut for x = 1, the usual case."""
    out = log(alpha)
    again = x != 1
    out[again] = log_rising(alpha[again], x[again])
    return out


def _parts(which: Integers, classes: int) -> Iterator[Integers]:
    """Return consecutive chunks of `which` whose tables with all classes stay small."""
    step = max(1, CELLS_AT_ONCE // max(1, classes))
    return (which[at : at + step] for at in range(0, len(which), step))
