"""Evidence weights of the features of one block, such as words: rows are sparse, and so are the weights of classes.

The compiled kernel holds rows, what classes say of each feature, and what those that have not seen a row say of its
features: all of it derives from held-out scores that are linear in the features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from suffice import _native
from suffice.models.choosing.descent import safest
from suffice.models.choosing.feature_weights import (
    JUDGED,
    RIDGE,
    ROUGH,
    Fitted,
    choose_ridge,
    fit_weights,
    terms_by_name,
)
from suffice.models.choosing.judge import Judged, Sample, judge, one_in
from suffice.models.choosing.smoothing import Scored, choose_temper, smoothed
from suffice.models.model import Block
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Cells, Temper
from suffice.models.scoring.linear import Linear, LinearHeldOut
from suffice.models.scoring.removal import ROUNDING, Removal
from suffice.models.scoring.text_rows import EntryRows
from suffice.models.views import FeatureWeights, WordWeights
from suffice.parallel import thread_count
from suffice.stats import ClassCounts
from suffice.typing import Array, Booleans, Integers

__all__ = ["Choice", "WordRows", "choose_together", "looked_up", "named"]

ALPHA, STEP, BOUNDS = 0.1, 10**0.5, (1e-3, 10.0)
"""Where the pseudo-count is looked for first, the factor to the next, and its bounds."""

ROWS_AT_ONCE = 2**14


def looked_up(sample: Sample, predictor: Predictor) -> Sample:
    """Return the rows of the only block by their entries."""
    ((name, block),) = predictor.model.voting.items()
    return replace(sample, rows={name: EntryRows(sample.rows[name].entries(block.t))})


@dataclass(frozen=True, eq=False)
class WordRows:
    """Training rows as the compiled kernel holds them."""

    native: _native.Evidence
    size: tuple[int, int]
    prior: Array  # ln p(c) with all rows
    weights: Array
    centre: Array | None = None

    @classmethod
    def of(cls, judged: Judged, temper: Temper) -> WordRows:
        """Take rows of one block whose held-out scores are linear, without offset, base and scale."""
        held: Any
        (held,) = judged.held_out.values()
        scorer: Linear = held.scorer
        x, codes = held.rows.entries(scorer.t), np.ascontiguousarray(judged.codes, np.int64)
        entries = x.indptr.astype(np.int64), x.indices.astype(np.int32), scorer.counted(x.data).astype(np.float64)
        power = np.broadcast_to(temper.of(held.lengths() if temper.length else None), len(codes)).astype(np.float64)
        above, unmet = _by_feature(scorer.weights)
        line = above.indptr.astype(np.int64), above.indices.astype(np.int32), above.data
        weights, prior = _left(judged)
        native = _native.Evidence(*entries, power, codes, *line, unmet, *_pairs(held, unmet, prior))
        return cls(native, (above.shape[0], above.shape[1]), judged.predictor.log_prior, weights)

    def take(self, which: Booleans) -> WordRows:
        """Return some of the rows: the others weigh nothing."""
        return replace(self, weights=np.where(which, self.weights, 0.0))

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """Return −Σ w ln p of the own class, and its gradients."""
        return self._run(features, classes, np.empty(0), np.empty(0))

    def hessian_diagonal(self, features: Array, classes: Array) -> Array:
        """Return second derivatives, feature by feature."""
        diagonal = np.zeros(self.size[0])
        self._run(features, classes, diagonal, np.empty(0))
        return diagonal

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class, row by row."""
        each = np.zeros(len(self.weights))
        self._run(features, classes, np.empty(0), each)
        return self.weights * each

    def _run(self, features: Array, classes: Array, diagonal: Array, each: Array) -> tuple[float, Array, Array]:
        gradient, terms = (np.zeros(n) for n in self.size)
        prior = self.prior + classes
        value = self.native.loss(features, prior, self.weights, gradient, terms, diagonal, each, thread_count())
        return value, gradient, terms


def _by_feature(weights: Cells) -> tuple[Any, Array]:
    """Return weights above those of features that a class never met, features × classes, and the latter by class."""
    if weights.unmet is not None:
        return weights.above.T.tocsr(), weights.unmet
    lowest = np.ascontiguousarray(weights.values.min(axis=1))
    return sparse.csr_matrix((weights.values - lowest[:, None]).T), lowest


def _pairs(held: LinearHeldOut, unmet: Array, prior: Array) -> tuple[Any, ...]:
    """Return the classes that score each row without it or its group, with their weights of the row's features."""
    removed, pair = held.removed, held.entries.row
    first = np.searchsorted(removed.row, np.arange(len(held.rows) + 1)).astype(np.int64)
    start = np.searchsorted(pair, np.arange(len(removed.row))).astype(np.int64)
    return first, removed.code.astype(np.int32), start, held.weights - unmet[removed.code[pair]], prior


def _left(judged: Judged) -> tuple[Array, Array]:
    """Return what each row weighs, and how ln p(c) of each pair differs from that with all rows.

    A row that is alone in its class weighs nothing. What all classes of a row share of the difference is left out.
    """
    removed, codes, n = judged.removed, judged.codes, judged.predictor.model.n
    prior = judged.predictor.log_prior
    known = np.where(np.isfinite(prior), prior, 0.0)
    weights, out = np.empty(len(codes)), np.empty(len(removed.row))
    for begin in range(0, len(codes), ROWS_AT_ONCE):
        code = codes[begin : begin + ROWS_AT_ONCE]
        every = np.arange(len(code))
        pairs = slice(*np.searchsorted(removed.row, [begin, begin + len(code)]))
        at = removed.row[pairs] - begin, removed.code[pairs]
        left = np.repeat(n[None], len(code), axis=0)
        rest = left[at] - removed.weight[pairs]
        left[at] = np.where(rest > ROUNDING * left[at], rest, 0.0)
        weights[begin : begin + len(code)] = np.where(left[every, code] > 0, judged.given[begin:][: len(code)], 0.0)
        more = np.broadcast_to(judged.predictor.log_prior_of(left) - known, left.shape)
        others = np.isfinite(more)
        others[at] = False
        shared = np.where(others.any(axis=1), more[every, others.argmax(axis=1)], 0.0)
        out[pairs] = more[at] - shared[at[0]]
    return weights, out


@dataclass(frozen=True, eq=False)
class Choice:
    """What held-out rows chose: a pseudo-count, the temper that suits it, and weights to start from."""

    alpha: float | None
    temper: Temper
    initial: Fitted


@dataclass(frozen=True, eq=False)
class Split:
    """Rows that a model has learned, each left out, and rows that it has never seen."""

    learned: Judged
    unseen: Judged

    @classmethod
    def of(cls, predictor: Predictor, sample: Sample, out: Booleans | None = None) -> Split:
        """Take some of the rows out of the model: those that are given, or one in so many."""
        out = one_in(JUDGED, len(sample), sample.group) if out is None else out
        unseen, learned = sample.take(out), sample.take(~out)
        left = _without(predictor, unseen)
        removed = _nothing_removed(len(unseen))
        judged, labels = judge(left, learned.rows, learned.labels, learned.group), unseen.labels
        held_out = {name: left.model.blocks[name].held_out(unseen.rows[name], removed) for name in judged.held_out}
        return cls(judged, Judged(left, unseen.rows, held_out, removed, labels.y, labels.given, unseen.group))

    def smoothed(self, alpha: float) -> Split:
        """Return the rows judged with another pseudo-count."""
        model = smoothed(self.learned.predictor.model, alpha)
        return Split(self.learned.with_model(model), self.unseen.with_model(model))


def choose_together(
    predictor: Predictor,
    sample: Sample,
    alpha: bool,
    temper: Temper | None,
    ridge: float | None,
    weigh: bool,
    exponent: float | None = None,
) -> Choice:
    """Choose pseudo-count, temper and ridge, as far as they are wanted or not given.

    Some rows are taken out of the model, and judge what the others chose. Leaving out alone would not do: two documents
    that share a rare word would tell each other's class. The pseudo-count is the best with weights; the best without is
    often too small for them, since then it alone makes rare words count.
    """
    split = Split.of(predictor, sample)
    fits: dict[float | None, tuple[Temper, tuple[WordRows, WordRows] | None, Fitted]] = {}

    def loss(pseudo_count: float | None) -> Array:
        part = split if pseudo_count is None else split.smoothed(pseudo_count)
        suited = choose_temper(Scored.of(part.learned, exponent)) if temper is None else temper
        unseen, rows = WordRows.of(part.unseen, suited), WordRows.of(part.learned, suited) if weigh else None
        ones, zeros = np.ones(unseen.size[0]), np.zeros(unseen.size[1])
        fit = Fitted(ones, zeros, 0.0, 0.0, 0) if rows is None else fit_weights(rows, ridge or RIDGE, None, ROUGH)
        fits[pseudo_count] = suited, None if rows is None else (rows, unseen), fit
        return unseen.each(fit.features, fit.classes)

    chosen = safest(loss, ALPHA, STEP, *BOUNDS) if alpha else None
    if chosen is None:
        loss(None)
    suited, rows, fit = fits[chosen]
    if rows is not None and ridge is None:
        fit = choose_ridge([rows], fit)
    return Choice(chosen, suited, fit)


def _without(predictor: Predictor, sample: Sample) -> Predictor:
    """Return the predictor of a model without some of the rows; all features and classes stay."""
    model, labels = predictor.model, sample.labels
    counted = ClassCounts.of_labels(labels.y, labels.weights, n_classes=labels.n_classes)
    blocks = {}
    for name, block in model.voting.items():
        likelihood, rows = block.settled.uncut(), sample.rows[name]
        there = labels if rows.present is None else labels.take(rows.present)
        rows = rows if rows.present is None else rows.take(rows.present)
        blocks[name] = Block(likelihood, likelihood.without(block.t, rows, there))
    return replace(predictor, model=replace(model, rows=model.rows - counted, blocks=blocks))


def _nothing_removed(rows: int) -> Removal:
    """Return the removal for rows that a model has never seen."""
    none: Integers = np.zeros(0, np.int64)
    return Removal(none, none, none, sparse.csr_matrix((0, rows)), False)


def named(found: Fitted, predictor: Predictor) -> FeatureWeights:
    """Return fitted weights as a view: by name if features have names."""
    ((_, block),) = predictor.model.voting.items()
    terms, words = terms_by_name(found, predictor.model.classes), getattr(block.t, "words", None)
    if words is None:
        return FeatureWeights(terms, found.ridge, found.features)
    return WordWeights(terms, found.ridge, found.features, words)
