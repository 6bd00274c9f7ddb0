"""Model counts of words in classes of uneven size: describe each class by the words of the others (Rennie et al. 2003).

score      −Σ_j x_j ln θ̃_cj,   θ̃_cj = (T_j − T_cj + α) / (T − T_c + αF); with `norm` over −Σ_j ln θ̃_cj       NB-8
held out   a row, or its group, is taken from every other class's complement: T_j − T_cj − g_j + g_cj        SX-3

This is not a model of the rows of a class: it has no evidence, no posterior and no part in EM.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from suffice.errors import KindError, NoUniqueMode
from suffice.later import sparse
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.shared import WordShares, added, flags, part_of_row
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.scoring.cells import Cells
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
from suffice.models.scoring.results import Contributions, Estimate, HeldOut, Scorer
from suffice.models.scoring.rows import Labels, Rows
from suffice.stats import TokenCounts
from suffice.stats.inputs import COUNT
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Integers

NO_DENSITY = "a class is described by the rows of all other classes"
TINY = float(np.finfo(np.float64).tiny)

WordTable = TokenCounts | WordCounts


@dataclass(frozen=True, eq=False, repr=False)
class Complement(Likelihood):
    """Describe classes by the word counts of all other classes, with pseudo-count `alpha` each."""

    alpha: float | Array = 1.0
    norm: bool = False  # whether weights are divided by their sum per class
    binary: bool = field(default=False, repr=False)  # whether a word counts at most once per row
    cut: Cut | None = field(default=None, repr=False)  # words to leave out
    transform: FittedTransform | None = field(
        default=None, repr=False
    )  # applied to documents before counting and scoring
    estimate: Estimate = field(default="mean", repr=False)

    word = "complement"
    statistic = (TokenCounts, WordCounts)
    allowed = COUNT

    def count(self, rows: Any, labels: Labels) -> WordTable:
        """Return word counts by class; transformed documents are counted over the vocabulary of the rows."""
        if self.transform is None:
            return rows.count(TokenCounts, labels)  # type: ignore[no-any-return]
        words: WordCounts = rows.vocabulary
        x = self.transform(self._counted(rows.entries(words)))
        return WordCounts.of_matrix(x, words.words, labels.y, labels.weights, labels.n_classes)

    def kept(self, statistic: Any) -> Any:
        """Return the counts without the words to leave out."""
        return statistic if self.cut is None or self.transform is not None else self.cut.of(statistic)

    def without(self, t: Any, rows: Rows, labels: Labels) -> Any:
        """Return the counts without the given rows; all words are kept."""
        if not isinstance(t, WordCounts):
            return t - self.count(rows, labels)
        x = rows.entries(t)
        return t.less(x if self.transform is None else self.transform(self._counted(x)), labels.y, labels.given)

    def counts(self, t: Any) -> Cells:
        """Return T, classes × words."""
        return Cells.of(t.documents if self.binary and self.transform is None else t.tokens)

    def _counted(self, x: Any) -> Any:
        """Return rows × words with each word counted as often as the model counts it."""
        return flags(x) if self.binary else x

    @property
    def times(self) -> Times:
        """Return how x occurrences of a word are counted in a score."""
        return ONCE if self.binary else AS_OFTEN

    @property
    def more(self) -> Any:
        """Return what the estimate adds to each count."""
        return added(np.asarray(self.alpha, np.float64), self.estimate)

    def settled(self, t: WordTable) -> Complement:
        """Return the likelihood unchanged; raise NoUniqueMode if the mode would subtract from counts."""
        if np.min(self.more) < 0:
            raise NoUniqueMode(
                f"The estimate 'map' needs alpha of at least 1 for a unique mode; got alpha={np.min(self.alpha):g}."
            ).advise(python="Use estimate='mean', or a larger alpha.")
        return self

    def _more(self, width: int) -> tuple[Array, float]:
        """Return what is added to each word's count, and to the total."""
        more = np.broadcast_to(self.more, (width,))
        return more, float(more.sum() if np.ndim(self.more) else self.more * width)

    def scorer(self, t: WordTable) -> Scorer:
        """Return the scorer of rows."""
        weights = self.weights(t)
        return weights if self.transform is None else TransformedScorer(weights, self.transform)

    def weights(self, t: WordTable) -> Linear:
        """Return −ln θ̃ of each class and word; with `norm`, divided by its sum in the class."""
        counts, zeros = self.counts(t), np.zeros(self.counts(t).values.shape[0])
        if self.norm and counts.width == 1:  # a single word has all of the weight
            return Linear(counts.map(np.ones_like), zeros, t, self.times)
        (more, all_more), every, total = self._more(counts.width), counts.by_feature(), counts.sum()
        log_total = np.log(np.maximum(total.sum() - total + all_more, TINY * counts.width))
        base = -np.log(np.maximum(every + more, TINY))
        weights = _complements(counts, every, more, base, log_total)
        scale = 1 / (weights.sum() + base.sum()) if self.norm else None  # NB-8
        return Linear(weights, zeros, t, self.times, base, scale)

    def held_out(self, t: WordTable, rows: Rows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, with the row or its group removed from the complements."""
        if self.transform is not None:
            raise KindError("Transformed rows cannot be held out: the transform depends on all rows.").advise(
                "Fit without it to leave rows out."
            )
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
        """Return scores of rows removed one by one, with a logarithm per word, count and class instead of per entry."""
        (more, all_more), total, row = self._more(counts.width), counts.sum(), np.arange(x.shape[0])
        others = np.stack([counts.by_feature() - counts.line(c) for c in range(len(total))])
        log_theta = np.log(np.maximum(others + more, TINY))
        some, less = others[:, repeats.feature], np.where(repeats.lost, repeats.count, 0.0)
        logs = np.log(np.maximum(left(some, less) + more[repeats.feature], TINY))
        found, length = product(repeats.rows, logs), Entries.of(x).sums(x.data)
        found[row, code] = product(x, log_theta)[row, code]  # the complement of a row's own class lacks the row
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
        """Return scores of all rows by one class, from ln θ̃ of all words, of the removed words, and the new totals."""
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
        """Return the contribution of each word of the row."""
        part = part_of_row(rows, t, self.weights(t), weights)
        if self.transform is None:
            return part.said
        x = self.transform(rows.entries(t))
        logs = x.data[:, None] * self.weights(t).columns(x.indices).T
        return Contributions(part.said.features, part.said.values, logs)

    def word_shares(self, t: WordTable) -> WordShares:
        """Return the share of each word in its class, as in the multinomial model."""
        counts = self.counts(t)
        sure = not isinstance(t, WordCounts) or (self.transform is None and bool(np.min(self.more) > 0))
        total = counts.sum() + self._more(counts.width)[1]
        return WordShares(counts, self.more, total, 1 / max(1, counts.width), sure)

    def lacks(self, what: Literal["evidence", "density", "shares"]) -> str:
        """Return why it is no model of the rows of a class."""
        if what == "density":
            return NO_DENSITY
        why = "it describes a class by what the others are, which is no model of its rows"
        return f"{self.word} cannot learn without labels: {why}." if what == "shares" else why


@dataclass(frozen=True)
class _RemovedWords:
    """List the words removed with each group of rows; without groups, each row is its own group."""

    x: Entries  # entries of all rows
    group: Integers  # group of each row
    place: Integers | None  # index of each entry of x among the removed words; −1 if not removed, None if all are
    owner: Integers  # group of each removed word
    feature: Integers  # feature of each removed word
    count: Array  # amount removed
    parts: Entries  # removed words by group and class
    part_place: Integers  # index of each entry of `parts` among the removed words
    part_code: Integers  # class of each part
    part_group: Integers

    @classmethod
    def of(cls, x: Any, removed: Removal) -> _RemovedWords:
        """Return what is removed of rows × words."""
        if removed.alone:  # each row's words are removed with it
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
        """Return what the complement of a class loses with each group: the amount of each removed word, and in all."""
        own, parts = np.flatnonzero(self.part_code[self.parts.row] == code), np.flatnonzero(self.part_code == code)
        less, total = self.count.copy(), self.total.copy()
        less[self.part_place[own]] -= self.parts.value[own]
        total[self.part_group[parts]] -= self.part_total[parts]
        return less, total

    @cached_property
    def length(self) -> Array:
        """Return the number of words of each row."""
        return self.x.sums(self.x.value)

    @cached_property
    def part_total(self) -> Array:
        """Return the number of words of each part."""
        return self.parts.sums(self.parts.value)

    @cached_property
    def total(self) -> Array:
        """Return the number of words removed with each group."""
        groups = int(self.group.max(initial=-1)) + 1
        return np.bincount(self.part_group, self.part_total, groups).astype(np.float64, copy=False)


def _complements(counts: Cells, every: Array, more: Array, base: Array, log_total: Array) -> Cells:
    """Return −ln θ̃ minus each word's base; where a class lacks the word, only the total remains."""
    if counts.unmet is None:
        return Cells(log_total[:, None] - np.log(np.maximum(every - counts.values + more, TINY)) - base)  # NB-8
    word, lines = counts.values.indices, counts.lines
    others = np.maximum(every[word] - counts.values.data + more[word], TINY)
    return Cells(counts.like(log_total[lines] - np.log(others) - base[word]), log_total)  # NB-8
