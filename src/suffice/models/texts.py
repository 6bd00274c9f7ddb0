"""Event models of texts: counts of words → weights that are sparse in (word, class) → scores of documents.

Most words never occur in most classes, and for those a weight needs no number of its own. With x_w the count of a word
(or whether it occurs) and n = Σ_w x_w,

    score_c = offset_c + scale_c · (Σ_w x_w·base_w + n·slope_c + Σ_{w met in c} x_w·value_wc)

An evidence weight of a word multiplies x_w, in n too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from suffice import _native
from suffice.errors import NoUniqueMode
from suffice.models.events import Estimate
from suffice.models.logs import log
from suffice.models.temper import Temper
from suffice.stats.words import WordCounts
from suffice.text import Analysis, Batch, matrix
from suffice.typing import Array, Integers

__all__ = [
    "Lexicon",
    "Times",
    "Transform",
    "TransformedScorer",
    "WordWeights",
    "bernoulli_scorer",
    "bernoulli_scores",
    "complement",
    "multinomial_scorer",
    "multinomial_scores",
    "pseudo_count",
]

Times = _native.Times

AS_IT_IS = Temper()

DENSE = 2**25
"""Tables of words × classes up to this size are faster dense, where many documents are multiplied with them."""


@dataclass(frozen=True)
class Lexicon:
    """The words a model knows, and how documents become words. Frequent words come first: they stay in the cache."""

    analysis: Analysis
    native: _native.Lexicon
    order: Integers  # the word of the statistic that each of the lexicon's is

    @classmethod
    def of(cls, counts: WordCounts, analysis: Analysis) -> Lexicon:
        """The words of a statistic."""
        if counts.hash_bits:
            nothing = np.empty(0, np.uint8), np.zeros(1, np.int64)
            return cls(analysis, _native.Lexicon(*nothing, counts.hash_bits), np.arange(counts.width))
        order = np.argsort(-counts.frequency, kind="stable")
        return cls(analysis, _native.Lexicon(*counts.words.taken(order), 0), order)

    def matrix(self, batch: Batch, width: int) -> Any:
        """Documents × words of the statistic, for what needs the matrix."""
        out = matrix(batch, self.analysis, self.native, width)
        out.indices = self.order[out.indices].astype(out.indices.dtype)
        out.has_sorted_indices = False
        out.sort_indices()
        return out


@dataclass(frozen=True)
class WordWeights:
    """Weights, sparse in (word, class)."""

    values: Any  # words × classes, compressed by word
    base: Array
    slope: Array
    scale: Array
    offset: Array
    times: Times = Times.as_often
    mass: Array | None = None  # of each word in n; one if not given

    def weighted(self, by: Array | None) -> WordWeights:
        """The same with evidence weights of words."""
        if by is None:
            return self
        values = self.values.copy()
        values.data = values.data * np.repeat(by, np.diff(values.indptr))
        return replace(self, values=values, base=self.base * by, mass=by)

    def scorer(self, lexicon: Lexicon) -> TextScorer:
        """What scores documents with these weights."""
        by_word = self.values[lexicon.order]
        start, classes = by_word.indptr.astype(np.int64), by_word.indices.astype(np.int32)
        mass = np.ones(len(self.base)) if self.mass is None else self.mass[lexicon.order]
        terms = (mass, self.slope, self.scale, np.asarray(self.offset, np.float64), self.times, lexicon.native)
        native = _native.TextWeights(start, classes, by_word.data, self.base[lexicon.order], *terms)
        return TextScorer(lexicon, native, len(self.slope))

    def scores(self, X: Any) -> Array:
        """The same for a matrix of documents × words."""
        n = np.asarray(X.sum(axis=1) if self.mass is None else X @ self.mass).reshape(-1, 1)
        small = self.values.shape[0] * self.values.shape[1] <= DENSE
        met = X @ self.values.toarray() if small else (X @ self.values).toarray()
        return np.asarray(self.offset + self.scale * ((X @ self.base)[:, None] + n * self.slope + met))


@dataclass(frozen=True)
class TextScorer:
    """Scores of documents, straight from their text."""

    lexicon: Lexicon
    weights: _native.TextWeights
    classes: int
    temper: Temper = AS_IT_IS

    def tempered(self, temper: Temper) -> TextScorer:
        """The same, with scores raised to their powers while they are made."""
        return replace(self, temper=temper)

    def scores(self, batch: Batch) -> Array:
        """Documents × classes."""
        out = np.empty((len(batch), self.classes))
        self._run(out, np.zeros(self.classes), batch)
        return out

    def best(self, batch: Batch, log_prior: Array) -> Integers:
        """The class of the largest joint, document by document; −1 where no class is possible."""
        out = np.empty(len(batch), np.int64)
        self._run(out, log_prior, batch)
        return out

    def _run(self, out: Any, prior: Array, batch: Batch) -> None:
        analysis, native, temper = self.lexicon.analysis.native, self.lexicon.native, self.temper
        texts = (batch.texts, batch.starts, analysis, native, self.weights, batch.threads)
        _native.text_scores(out, prior, temper.power, temper.length, *texts)


@dataclass(frozen=True)
class Transform:
    """What Rennie et al. (2003) do to a document before it is counted: ln(1+x), times ln(N/df), to length one."""

    sublinear_tf: bool
    idf: Array | None
    normalize: bool

    def __call__(self, X: Any) -> Any:
        """The matrix, document by document."""
        X = X.copy()
        if self.sublinear_tf:
            np.log1p(X.data, out=X.data)  # NB-8
        if self.idf is not None:
            X.data *= self.idf[X.indices]  # NB-8
        if self.normalize:
            rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            length = np.sqrt(np.bincount(rows, X.data**2, X.shape[0]))
            X.data /= np.where(length > 0, length, 1.0)[rows]  # NB-8
        return X


@dataclass(frozen=True)
class TransformedScorer:
    """Scores of documents that are transformed first."""

    lexicon: Lexicon
    transform: Transform
    weights: WordWeights

    def scores(self, batch: Batch) -> Array:
        """Documents × classes."""
        return self.weights.scores(self.transform(self.lexicon.matrix(batch, len(self.weights.base))))


@dataclass(frozen=True)
class Forbidden:
    """Scores, but −∞ where a word occurs that the class never had, or one lacks that it always had."""

    allowed: TextScorer
    strangers: TextScorer
    always: TextScorer | None = None
    how_many: Any = None

    def scores(self, batch: Batch) -> Array:
        """Documents × classes."""
        impossible = self.strangers.scores(batch) > 0.5
        if self.always is not None:
            impossible |= self.always.scores(batch) < self.how_many
        return np.where(impossible, -np.inf, self.allowed.scores(batch))


def pseudo_count(alpha: float, estimate: Estimate) -> float:
    """What is added to a count: nothing, α for the mean, α−1 for the mode."""
    if estimate == "map" and alpha < 1:
        raise NoUniqueMode(
            f"The estimate 'map' needs alpha of at least 1 for a unique mode; got alpha={alpha:g}. "
            "Use estimate='mean', or a larger alpha."
        )
    return {"mle": 0.0, "map": alpha - 1.0}.get(estimate, alpha)


def multinomial(counts: WordCounts, table: Any, alpha: float) -> WordWeights:
    """ln θ of NB-3 for a table of classes × words, with `alpha` added to each count."""
    total = np.asarray(table.sum(axis=1)).ravel() + alpha * counts.width
    floor = np.log(alpha) if alpha > 0 else 0.0
    values = _by_word(table, log(table.data + alpha) - floor)  # NB-3
    return _plain(values, np.full(counts.width, floor), -_log_or_zero(total))


def bernoulli(counts: WordCounts, alpha: float) -> WordWeights:
    """ln θ and ln(1−θ) of NB-1; a word that occurs or not."""
    table, n = counts.documents, counts.n
    rows = np.repeat(n, np.diff(table.indptr))
    on, off = log(table.data + alpha), log(rows - table.data + alpha)
    never, always_off = log(np.full(len(n), alpha)), log(n + alpha)
    finite_off = np.where(np.isneginf(off), 0.0, off)
    slope = np.where(np.isneginf(never), 0.0, never) - np.where(np.isneginf(always_off), 0.0, always_off)
    values = on - finite_off - np.repeat(slope, np.diff(table.indptr))  # NB-1
    lost = np.bincount(_rows(table), finite_off - np.repeat(_log_or_zero(n + alpha), np.diff(table.indptr)), len(n))
    offset = counts.width * (_log_or_zero(n + alpha) - _log_or_zero(n + 2 * alpha)) + lost
    return replace(_plain(_by_word(table, values), np.zeros(counts.width), slope), offset=offset, times=Times.once)


def complement(counts: WordCounts, table: Any, alpha: float, norm: bool, times: Times) -> WordWeights:
    """−ln θ̃ of NB-8: each class by what the others are."""
    tiny = np.finfo(np.float64).tiny
    everywhere = np.asarray(table.sum(axis=0)).ravel()
    totals = np.asarray(table.sum(axis=1)).ravel()
    base = -log(np.maximum(everywhere + alpha, tiny))
    others = np.maximum(everywhere[table.indices] - table.data + alpha, tiny)
    values = -log(others) - base[table.indices]  # NB-8
    slope = log(np.maximum(totals.sum() - totals + alpha * counts.width, tiny))
    weights = replace(_plain(_by_word(table, values), base, slope), times=times)
    if not norm:
        return weights
    whole = base.sum() + counts.width * slope + np.bincount(_rows(table), values, len(totals))
    scale = np.where(whole == 0, 1.0, 1.0 / np.where(whole == 0, 1.0, whole))  # NB-8
    return replace(weights, scale=scale)


def strangers(counts: WordCounts) -> WordWeights:
    """How many words of a document each class never had."""
    table = counts.documents
    values = _by_word(table, np.full(table.nnz, -1.0))
    classes = counts.n_classes
    zero, one = np.zeros(classes), np.ones(classes)
    return WordWeights(values, np.ones(counts.width), zero, one, zero)


def always(counts: WordCounts) -> tuple[WordWeights, Any]:
    """How many words of a document each class had in all of its documents, and how many such words it has."""
    table = counts.documents
    every = (table.data == np.repeat(counts.n, np.diff(table.indptr))).astype(np.float64)
    weights = _plain(_by_word(table, every), np.zeros(counts.width), np.zeros(counts.n_classes))
    return replace(weights, times=Times.once), np.bincount(_rows(table), every, counts.n_classes)


def multinomial_scores(counts: WordCounts, table: Any, alpha: float, X: Any, by: Array | None = None) -> Array:
    """Scores by NB-3 of documents × words, as often as these count."""
    scores = multinomial(counts, table, alpha).weighted(by).scores(X)
    return scores if alpha > 0 else np.where(strangers(counts).scores(X) > 0.5, -np.inf, scores)


def bernoulli_scores(counts: WordCounts, alpha: float, X: Any) -> Array:
    """Scores by NB-1 of documents × words, which are there or not."""
    scores = bernoulli(counts, alpha).scores(X)
    if alpha > 0:
        return scores
    every, how_many = always(counts)
    impossible = (strangers(counts).scores(X) > 0.5) | (every.scores(X) < how_many)
    return np.where(impossible, -np.inf, scores)


def multinomial_scorer(
    counts: WordCounts,
    table: Any,
    alpha: float,
    lexicon: Lexicon,
    times: Times = Times.as_often,
    by: Array | None = None,
) -> TextScorer | Forbidden:
    """Scores by NB-3; without pseudo-counts, a word that a class never had forbids it."""
    scorer = replace(multinomial(counts, table, alpha).weighted(by), times=times).scorer(lexicon)
    return scorer if alpha > 0 else Forbidden(scorer, strangers(counts).scorer(lexicon))


def bernoulli_scorer(counts: WordCounts, alpha: float, lexicon: Lexicon) -> TextScorer | Forbidden:
    """Scores by NB-1; without pseudo-counts, a class forbids words it never had, and to lack words it always had."""
    weights = bernoulli(counts, alpha).scorer(lexicon)
    if alpha > 0:
        return weights
    every, how_many = always(counts)
    return Forbidden(weights, strangers(counts).scorer(lexicon), every.scorer(lexicon), how_many)


def _plain(values: Any, base: Array, slope: Array) -> WordWeights:
    return WordWeights(values, base, slope, np.ones(len(slope)), np.zeros(len(slope)))


def _rows(table: Any) -> Integers:
    return np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))


def _by_word(table: Any, values: Array) -> Any:
    """Values in the places of a table of classes × words, turned to words × classes."""
    return sparse.csr_matrix((values, table.indices, table.indptr), shape=table.shape).T.tocsr()


def _log_or_zero(values: Array) -> Array:
    return np.log(np.where(values > 0, values, 1.0))
