"""Evidence weights of the features of one block, such as words: rows are sparse, and so are the weights of classes.

The compiled kernel holds rows, what classes counted of each feature, and what those that have not seen a row counted
of its features. None of it is smoothed: a pseudo-count makes logarithms of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from suffice import _native
from suffice.models.choosing.counted_words import CountedWords
from suffice.models.choosing.feature_weights import JUDGED, Fitted, terms_by_name
from suffice.models.choosing.judge import Judged, Sample, held_out_of, judge, one_in
from suffice.models.choosing.smoothing import Scored
from suffice.models.model import Block, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.removal import nothing_removed
from suffice.models.scoring.text_rows import EntryRows
from suffice.models.views import FeatureWeights, WordWeights
from suffice.parallel import thread_count
from suffice.stats import ClassCounts
from suffice.typing import Array, Booleans, Integers

__all__ = ["Split", "WordRows", "looked_up", "named", "never_seen", "without"]


def looked_up(sample: Sample, predictor: Predictor) -> Sample:
    """Return the rows of the only block by their entries."""
    ((name, block),) = predictor.model.voting.items()
    return replace(sample, rows={name: EntryRows(sample.rows[name].entries(block.t))})


@dataclass(frozen=True, eq=False)
class WordRows:
    """Rows by one pseudo-count, each to be predicted by classes that have not seen it."""

    native: _native.Evidence
    counted: CountedWords
    weights: Array
    powers: Array  # of rows: how they are tempered
    centre: Array | None = None
    scales: Array | None = None  # second derivatives by another pseudo-count, which are near enough

    @classmethod
    def of(cls, counted: CountedWords, alpha: float | None = None) -> WordRows:
        """Take rows by a pseudo-count, that of the likelihood if None; not tempered."""
        return cls(counted.smoothed(alpha), counted, counted.weights, np.ones(len(counted)))

    def tempered(self, temper: Temper) -> WordRows:
        """Return the rows with scores raised to powers."""
        power = temper.of(self.counted.lengths if temper.length else None)
        return replace(self, powers=np.broadcast_to(power, len(self.counted)).astype(np.float64))

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of features that rows have, and of classes."""
        return len(self.counted.own[0]), len(self.counted.n)

    def own(self, features: Array) -> Array:
        """Return the weights of the features that rows have, of those of all."""
        return features[self.counted.places]

    def among_all(self, features: Array) -> Array:
        """Return the weights of all features: one for those that no row has."""
        out = np.ones(self.counted.width)
        out[self.counted.places] = features
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
        out = np.zeros(self.size[0])
        self._run(features, classes, hessian_diagonal=out)
        return out

    @cached_property
    def curvature(self) -> Array:
        """Second derivatives where all weights are one, about."""
        if self.scales is not None:
            return self.scales
        return self.hessian_diagonal(*(f(n) for f, n in zip((np.ones, np.zeros), self.size, strict=True)))

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class, row by row."""
        out = np.zeros(len(self.weights))
        self._run(features, classes, each=out)
        return self.weights * out

    def scores(self, features: Array, which: Integers | None = None) -> Array:
        """Return the scores of all rows, or some of them, not tempered and without a prior; rows × classes."""
        which = np.arange(len(self.counted)) if which is None else which
        out = np.empty((len(which), self.size[1]))
        self.native.scores(features, which, out, thread_count())
        return out

    def scored(self, which: Integers, exponent: float | None) -> Scored:
        """Return some of the rows as they choose a temper."""
        counted = self.counted
        lengths = None if exponent == 0 else counted.lengths[which]
        scores = self.scores(np.ones(self.size[0]), which)
        return Scored(scores, counted.log_prior[which], counted.labels.y[which], self.weights[which], lengths, exponent)

    def _run(self, features: Array, classes: Array, **out: Array) -> float:
        """Return the loss, and fill the arrays that are given."""
        nothing = np.empty(0)
        gradient, terms, diagonal, each = (
            out.get(name, nothing) for name in ("gradient", "terms", "hessian_diagonal", "each")
        )
        rows = self.counted.prior + classes, self.weights, self.powers
        return self.native.loss(features, *rows, gradient, terms, diagonal, each, thread_count())


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
    removed, labels = nothing_removed(len(sample)), sample.labels
    held_out = held_out_of(predictor.model, sample.rows, removed, names)
    return Judged(predictor, sample.rows, held_out, removed, labels.y, labels.given, sample.group)


def named(found: Fitted, predictor: Predictor) -> FeatureWeights:
    """Return fitted weights as a view: by name if features have names."""
    ((_, block),) = predictor.model.voting.items()
    terms, words = terms_by_name(found, predictor.model.classes), getattr(block.t, "words", None)
    if words is None:
        return FeatureWeights(terms, found.ridge, found.features)
    return WordWeights(terms, found.ridge, found.features, words)
