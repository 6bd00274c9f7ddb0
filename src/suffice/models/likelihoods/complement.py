"""Counts of words in uneven classes: each class is described by what the others are (Rennie et al. 2003).

score      −Σ_j x_j ln θ̃_cj,   θ̃_cj = (T_j − T_cj + α) / (T − T_c + αF); with `norm` over −Σ_j ln θ̃_cj       NB-8
held out   a row, or its group, is taken from every other class's complement: T_j − T_cj − g_j + g_cj        SX-3

It is no model of the rows of a class: it has no evidence, no posterior and no part in EM.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.errors import KindError, NoUniqueMode
from suffice.later import sparse
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.models.likelihoods.shared import added, known_words, of_counts, part_of_row, speaking_words
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.information import of_cells
from suffice.models.scoring.kernels import product
from suffice.models.scoring.linear import (
    AS_OFTEN,
    ONCE,
    DenseHeldOut,
    FittedTransform,
    Linear,
    Times,
    TransformedScorer,
)
from suffice.models.scoring.removal import Entries, Removal, Repeats, left
from suffice.models.scoring.results import Contributions, Estimate, HeldOut, Scorer, Speaks
from suffice.models.scoring.rows import Labels, Rows
from suffice.stats import TokenCounts
from suffice.stats.inputs import COUNT
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Booleans, Integers

__all__ = ["Complement"]

TINY = float(np.finfo(np.float64).tiny)

WordTable = TokenCounts | WordCounts


@dataclass(frozen=True, eq=False, repr=False)
class Complement(Likelihood):
    """Words by what the other classes have of them, with a pseudo-count of `alpha` each."""

    alpha: float | Array = 1.0
    norm: bool = False  # whether weights are divided by their sum in the class
    binary: bool = field(default=False, repr=False)  # whether a word counts once a row
    cut: Cut | None = field(default=None, repr=False)  # words that are left out
    transform: FittedTransform | None = field(
        default=None, repr=False
    )  # of documents, before they are counted and scored
    estimate: Estimate = field(default="mean", repr=False)

    word = "complement"
    no_density = "a class is described by the rows of all others"
    subject = "The complement of classes"
    statistic = (TokenCounts, WordCounts)
    no_evidence = "it describes a class by what the others are, which is no model of its rows"
    allowed = COUNT

    def count(self, rows: Any, labels: Labels) -> WordTable:
        """Count the words of each class; transformed documents, over the vocabulary of the rows."""
        if self.transform is None:
            return rows.count(TokenCounts, labels)  # type: ignore[no-any-return]
        words: WordCounts = rows.vocabulary
        x = self.transform(self._counted(rows.entries(words)))
        return WordCounts.of_matrix(x, words.words, labels.y, labels.weights, labels.n_classes)

    def kept(self, statistic: Any) -> Any:
        """Return the counts of the words that are not left out."""
        return statistic if self.cut is None or self.transform is not None else self.cut.of(statistic)

    def uncut(self) -> Complement:
        """Return the likelihood for counts of the words that are not left out."""
        return self if self.cut is None else replace(self, cut=None)

    def without(self, t: Any, rows: Rows, labels: Labels) -> Any:
        """Return the counts without some of the rows; all words stay."""
        if not isinstance(t, WordCounts):
            return t - self.count(rows, labels)
        x = rows.entries(t)
        return t.less(x if self.transform is None else self.transform(self._counted(x)), labels.y, labels.given)

    def counts(self, t: Any) -> Cells:
        """Return T, classes × words."""
        return Cells.of(t.documents if self.binary and self.transform is None else t.tokens)

    def _counted(self, x: Any) -> Any:
        """Return rows × words as they are counted."""
        return x if not self.binary else sparse.csr_matrix((np.ones(x.nnz), x.indices, x.indptr), x.shape)

    @property
    def times(self) -> Times:
        """What x occurrences of a word count for in a score."""
        return ONCE if self.binary else AS_OFTEN

    @property
    def more(self) -> Any:
        """What is added to each count."""
        return added(np.asarray(self.alpha, np.float64), self.estimate)

    def settled(self, t: WordTable) -> Complement:
        """Return the likelihood as it is; raise NoUniqueMode if the mode takes away from counts."""
        if np.min(self.more) < 0:
            raise NoUniqueMode(
                f"The estimate 'map' needs alpha of at least 1 for a unique mode; got alpha={np.min(self.alpha):g}. "
                "Use estimate='mean', or a larger alpha."
            )
        return self

    def _more(self, width: int) -> tuple[Array, float]:
        """Return what is added to the count of each word, and to all of them."""
        more = np.broadcast_to(self.more, (width,))
        return more, float(more.sum() if np.ndim(self.more) else self.more * width)

    def scorer(self, t: WordTable) -> Scorer:
        """Return what scores rows."""
        weights = self.weights(t)
        return weights if self.transform is None else TransformedScorer(weights, self.transform)

    def weights(self, t: WordTable) -> Linear:
        """Return −ln θ̃ of each class and word, or with `norm` the share of it in the class."""
        counts, zeros = self.counts(t), np.zeros(self.counts(t).values.shape[0])
        if self.norm and counts.width == 1:  # the only word is certain, and has all of the weight
            return Linear(counts.map(np.ones_like), zeros, t, self.times)
        (more, all_more), every, total = self._more(counts.width), counts.by_feature(), counts.sum()
        log_total = np.log(np.maximum(total.sum() - total + all_more, TINY * counts.width))
        base = -np.log(np.maximum(every + more, TINY))
        weights = _complements(counts, every, more, base, log_total)
        scale = 1 / (weights.sum() + base.sum()) if self.norm else None  # NB-8
        return Linear(weights, zeros, t, self.times, base, scale)

    def held_out(self, t: WordTable, rows: Rows, removed: Removal) -> HeldOut:
        """Score training rows, each by complements without it or its group."""
        if self.transform is not None:
            raise KindError("Transformed rows cannot be held out: the transform depends on all rows.")
        counts, x = self.counts(t), self._counted(rows.entries(t))
        (more, all_more), every, total = self._more(counts.width), counts.by_feature(), counts.sum()
        repeats = Repeats.of(x, removed, len(total))
        if repeats is not None:
            scores = self._held_out_alone(counts, x, removed.code, repeats)
            return DenseHeldOut(scores, rows.lengths(self.weights(t)))
        lost_words = _RemovedWords.of(x, removed)
        scores = np.empty((len(rows), len(total)))
        for code in range(len(total)):
            others = np.asarray(every - counts.line(code))
            less, all_less = lost_words.from_complement(code)
            rest = np.log(np.maximum(left(others[lost_words.feature], less) + more[lost_words.feature], TINY))
            words = np.maximum(left(total.sum() - total[code], all_less) + all_more, TINY * counts.width)
            log_theta = np.log(np.maximum(others + more, TINY))
            scores[:, code] = self._scored(lost_words, log_theta, rest, np.log(words))
        return DenseHeldOut(scores, rows.lengths(self.weights(t)))

    def _held_out_alone(self, counts: Cells, x: Any, code: Integers, repeats: Repeats) -> Array:
        """Score rows that are removed one by one: a logarithm for each word, count and class, not for each entry."""
        (more, all_more), total, row = self._more(counts.width), counts.sum(), np.arange(x.shape[0])
        others = np.stack([counts.by_feature() - counts.line(c) for c in range(len(total))])
        log_theta = np.log(np.maximum(others + more, TINY))
        some, less = others[:, repeats.feature], np.where(repeats.lost, repeats.count, 0.0)
        logs = np.log(np.maximum(left(some, less) + more[repeats.feature], TINY))
        found, length = product(repeats.rows, logs), Entries.of(x).sums(x.data)
        found[row, code] = product(x, log_theta)[row, code]  # the complement of a row's own class has none of it
        gone = np.repeat(length[:, None], len(total), axis=1)
        gone[row, code] = 0.0
        words = np.maximum(left(total.sum() - total, gone) + all_more, TINY * counts.width)
        log_total = np.log(words)
        found -= length[:, None] * log_total  # SX-3
        if not self.norm:
            return -found
        if counts.width == 1:
            return np.repeat(length[:, None], len(total), axis=1)
        ones = sparse.csr_matrix((np.ones(x.nnz), repeats.rows.indices, x.indptr), repeats.rows.shape)
        change = product(ones, logs - log_theta[:, repeats.feature])
        change[row, code] = 0.0
        return np.asarray(found / (log_theta.sum(axis=1) + change - counts.width * log_total))

    def _scored(self, lost_words: _RemovedWords, log_theta: Array, rest: Array, log_total: Array) -> Array:
        """Score all rows by one class: ln θ̃ of all words before, of words that are removed after, and the new total."""
        x, width, place = lost_words.x, len(log_theta), lost_words.place
        logs = rest if place is None else np.where(place < 0, log_theta[x.feature], np.append(rest, 0.0)[place])
        found = x.sums(x.value * logs) - lost_words.length * log_total[lost_words.group]  # SX-3
        if not self.norm:
            return -found
        if width == 1:
            return lost_words.length
        change = rest - log_theta[lost_words.feature]
        sums = log_theta.sum() + np.bincount(lost_words.owner, change, len(log_total)) - width * log_total
        return np.asarray(found / sums[lost_words.group])

    def contributions(self, t: WordTable, rows: Rows, weights: Array | None = None) -> Contributions:
        """Explain one row: what each of its words says."""
        part = part_of_row(rows, t, self.weights(t), weights)
        if self.transform is None:
            return part.said
        x = self.transform(rows.entries(t))
        logs = x.data[:, None] * self.weights(t).columns(x.indices).T
        return Contributions(part.said.features, part.said.values, logs)

    def speaks(self, t: WordTable, n: Array, code: int, k: int, weights: Array | None = None) -> list[Speaks]:
        """Return the words that bring most evidence by shares of words in each class, as the multinomial has them."""
        counts, (more, all_more) = self.counts(t), self._more(self.counts(t).width)
        return speaking_words(of_counts(counts, more, counts.sum() + all_more, n, code), t, k, weights)

    def information(self, t: WordTable, prior: Array) -> Array:
        """Return what it tells that a drawn word is this one, by shares of words in each class."""
        counts = self.counts(t)
        total = counts.sum() + self._more(counts.width)[1]
        return of_cells(counts, self.more, total, 1 / max(1, counts.width), prior)

    def believed(self, t: WordTable) -> FeatureBelief:
        """Return a Beta for each word, by shares of words in each class; of transformed documents there is none."""
        counts, alpha = self.counts(t), self.more
        sure = not isinstance(t, WordCounts) or (self.transform is None and bool(alpha > 0))
        total = counts.sum() + self._more(counts.width)[1]
        return FeatureBelief(counts, alpha, total, "beta", "word", "share of its words", sure)

    def known(self, t: WordTable, rows: Rows, least: int = 1) -> Booleans:
        """Return which rows hold a word that was learned from so many rows or more."""
        return known_words(t, rows, least)


@dataclass(frozen=True)
class _RemovedWords:
    """Words that are removed with each group of rows; without groups, each row is one."""

    x: Entries  # of all rows
    group: Integers  # of each row
    place: Integers | None  # of entries of x: where each is among words removed with its group; −1 if not, None if all
    owner: Integers  # the group of each removed word
    feature: Integers  # which word that is
    count: Array  # how much is removed of it
    parts: Entries  # removed words by group and class
    part_place: Integers  # of each entry of these: where its word is among those removed with its group
    part_code: Integers  # the class of each part
    part_group: Integers

    @classmethod
    def of(cls, x: Any, removed: Removal) -> _RemovedWords:
        """Read what is removed of rows × words."""
        if removed.alone:  # words are removed with the row that has them
            mine, every, rows = Entries.of(x), np.arange(x.nnz), np.arange(x.shape[0])
            count = removed.members.data[mine.row] * mine.value
            parts = replace(mine, value=count)
            return cls(mine, rows, None, mine.row, mine.feature, count, parts, every, removed.code, rows)
        first = removed.part[np.searchsorted(removed.row, np.arange(x.shape[0]))]
        _, group = np.unique(first, return_inverse=True)
        part_group = np.zeros(removed.members.shape[0], np.int64)
        part_group[removed.part] = group[removed.row]
        mine, parts, width = Entries.of(x), Entries.of((removed.members @ x).tocsr()), np.int64(max(1, x.shape[1]))
        keys, part_place = np.unique(part_group[parts.row] * width + parts.feature, return_inverse=True)
        wanted = group[mine.row] * width + mine.feature
        found = np.append(keys, -1)[np.searchsorted(keys, wanted)] == wanted
        place = np.where(found, np.searchsorted(keys, wanted), -1)
        count = np.bincount(part_place, parts.value, len(keys)).astype(np.float64, copy=False)
        beside = (parts, part_place, removed.part_code, part_group)
        return cls(mine, group, place, keys // width, keys % width, count, *beside)

    def from_complement(self, code: int) -> tuple[Array, Array]:
        """Return what the complement of a class loses with each group: of each removed word, and of all words."""
        own, parts = np.flatnonzero(self.part_code[self.parts.row] == code), np.flatnonzero(self.part_code == code)
        less, total = self.count.copy(), self.total.copy()
        less[self.part_place[own]] -= self.parts.value[own]
        total[self.part_group[parts]] -= self.part_total[parts]
        return less, total

    @cached_property
    def length(self) -> Array:
        """Words of each row."""
        return self.x.sums(self.x.value)

    @cached_property
    def part_total(self) -> Array:
        """Words of each part."""
        return self.parts.sums(self.parts.value)

    @cached_property
    def total(self) -> Array:
        """Words that are removed with each group."""
        groups = int(self.group.max(initial=-1)) + 1
        return np.bincount(self.part_group, self.part_total, groups).astype(np.float64, copy=False)


def _complements(counts: Cells, every: Array, more: Array, base: Array, log_total: Array) -> Cells:
    """Return −ln θ̃ without the base of each word: 0 but for the total, where a class does not have the word."""
    if counts.unmet is None:
        return Cells(log_total[:, None] - np.log(np.maximum(every - counts.values + more, TINY)) - base)  # NB-8
    word, lines = counts.values.indices, counts.lines
    others = np.maximum(every[word] - counts.values.data + more[word], TINY)
    return Cells(counts.like(log_total[lines] - np.log(others) - base[word]), log_total)  # NB-8
