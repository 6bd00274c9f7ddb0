"""Evidence weights of the features of one block, such as words: rows are sparse, and so are the weights of classes.

The compiled kernel holds rows, what classes say of each feature, and what those that have not seen a row say of its
features: all of it derives from held-out scores that are linear in the features.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from suffice import _native
from suffice.models.choosing.feature_weights import (
    JUDGED,
    Fitted,
    terms_by_name,
)
from suffice.models.choosing.judge import Judged, Sample, judge, one_in
from suffice.models.model import Block, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Cells, Temper
from suffice.models.scoring.linear import Linear, LinearHeldOut
from suffice.models.scoring.removal import ROUNDING, Removal
from suffice.models.scoring.text_rows import EntryRows
from suffice.models.views import FeatureWeights, WordWeights
from suffice.parallel import thread_count
from suffice.stats import ClassCounts
from suffice.typing import Array, Booleans, Integers

__all__ = ["Split", "WordRows", "looked_up", "named", "never_seen", "without"]

ROWS_AT_ONCE = 2**14


def looked_up(sample: Sample, predictor: Predictor) -> Sample:
    """Return the rows of the only block by their entries."""
    ((name, block),) = predictor.model.voting.items()
    return replace(sample, rows={name: EntryRows(sample.rows[name].entries(block.t))})


@dataclass(frozen=True, eq=False)
class WordRows:
    """Training rows as the compiled kernel holds them."""

    native: _native.Evidence
    used: Integers  # the features that rows have, among all, the most frequent first
    width: int  # the number of all features
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
        used, place = _used(x)
        entries = x.indptr.astype(np.int64), place[x.indices], scorer.counted(x.data).astype(np.float64)
        power = np.broadcast_to(temper.of(held.lengths() if temper.length else None), len(codes)).astype(np.float64)
        above, unmet = _by_feature(scorer.weights)
        above = above[used]
        line = above.indptr.astype(np.int64), above.indices.astype(np.int32), above.data
        weights, prior = _left(judged)
        native = _native.Evidence(*entries, power, codes, *line, unmet, *_pairs(held, unmet, prior))
        return cls(native, used, x.shape[1], judged.predictor.log_prior, weights)

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of features that rows have, and of classes."""
        return len(self.used), len(self.prior)

    def own(self, features: Array) -> Array:
        """Return the weights of the features that rows have, of those of all."""
        return features[self.used]

    def among_all(self, features: Array) -> Array:
        """Return the weights of all features: one for those that no row has."""
        out = np.ones(self.width)
        out[self.used] = features
        return out

    def take(self, which: Booleans) -> WordRows:
        """Return some of the rows: the others weigh nothing."""
        return replace(self, weights=np.where(which, self.weights, 0.0))

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """Return −Σ w ln p of the own class, and its gradients."""
        gradient, terms = (np.zeros(n) for n in self.size)
        return self._run(features, classes, gradient=gradient, terms=terms), gradient, terms

    def hessian_diagonal(self, features: Array, classes: Array) -> Array:
        """Return second derivatives, feature by feature."""
        out = np.zeros(len(self.used))
        self._run(features, classes, hessian_diagonal=out)
        return out

    @cached_property
    def curvature(self) -> Array:
        """Second derivatives where all weights are one."""
        return self.hessian_diagonal(*(f(n) for f, n in zip((np.ones, np.zeros), self.size, strict=True)))

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class, row by row."""
        out = np.zeros(len(self.weights))
        self._run(features, classes, each=out)
        return self.weights * out

    def _run(self, features: Array, classes: Array, **out: Array) -> float:
        """Return the loss, and fill the arrays that are given."""
        nothing = np.empty(0)
        gradient, terms, diagonal, each = (
            out.get(name, nothing) for name in ("gradient", "terms", "hessian_diagonal", "each")
        )
        prior = self.prior + classes
        return self.native.loss(features, prior, self.weights, gradient, terms, diagonal, each, thread_count())


def _used(x: Any) -> tuple[Integers, NDArray[np.int32]]:
    """Return the features that rows have, the most frequent first, and where each feature is among these.

    Numbers of frequent features are then near each other in memory.
    """
    rows = np.bincount(x.indices, minlength=x.shape[1])
    used = np.flatnonzero(rows)
    used = used[np.argsort(-rows[used], kind="stable")]
    place = np.zeros(x.shape[1], np.int32)
    place[used] = np.arange(len(used))
    return used, place


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
class Split:
    """Rows that a model has learned, each left out, and rows that it has never seen."""

    learned: Judged
    unseen: Judged

    @classmethod
    def of(cls, predictor: Predictor, sample: Sample, out: Booleans | None = None) -> Split:
        """Take some of the rows out of the model: those that are given, or one in so many."""
        out = one_in(JUDGED, len(sample), sample.group) if out is None else out
        unseen, learned = sample.take(out), sample.take(~out)
        left = without(predictor, unseen)
        judged = judge(left, learned.rows, learned.labels, learned.group)
        return cls(judged, never_seen(left, unseen, judged.held_out))


def without(predictor: Predictor, sample: Sample) -> Predictor:
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


def never_seen(predictor: Predictor, sample: Sample, names: Iterable[Name]) -> Judged:
    """Return rows that a model has never seen, as if they were left out."""
    removed, labels, blocks = _nothing_removed(len(sample)), sample.labels, predictor.model.blocks
    held_out = {name: blocks[name].held_out(sample.rows[name], removed) for name in names}
    return Judged(predictor, sample.rows, held_out, removed, labels.y, labels.given, sample.group)


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
