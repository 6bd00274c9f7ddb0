"""Fit evidence weights of the features of one block, such as words; rows and class counts are sparse.

The compiled kernel holds rows, class counts of each feature, and for each row those without it. None is smoothed: a
pseudo-count turns them into log probabilities.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from suffice import _native
from suffice.models.choosing.counted_words import CountedWords
from suffice.models.choosing.feature_weights import JUDGED, Fitted, present_classes, terms_by_name
from suffice.models.choosing.judge import Judged, Sample, held_out_of, judge, one_in
from suffice.models.choosing.smoothing import Scored
from suffice.models.likelihoods.base import uncut
from suffice.models.model import Block, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.removal import nothing_removed
from suffice.models.scoring.rows import present_only
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
    """Hold rows smoothed by one pseudo-count, each to be scored by classes that have not seen it."""

    native: _native.Evidence
    counted: CountedWords
    weights: Array
    powers: Array  # temper of each row
    centre: Array | None = None
    scales: Array | None = None  # second derivatives for another pseudo-count, close enough

    @classmethod
    def of(cls, counted: CountedWords, alpha: float | None = None) -> WordRows:
        """Return untempered rows smoothed by a pseudo-count; None uses that of the likelihood."""
        return cls(counted.smoothed(alpha), counted, counted.weights, np.ones(len(counted)))

    def tempered(self, temper: Temper) -> WordRows:
        """Return the rows with likelihoods raised to powers."""
        power = temper.of(self.counted.lengths if temper.length else None)
        return replace(self, powers=np.broadcast_to(power, len(self.counted)).astype(np.float64))

    @property
    def size(self) -> tuple[int, int]:
        """Return the number of features that rows have, and of classes."""
        return len(self.counted.own[0]), len(self.counted.n)

    @cached_property
    def present(self) -> Booleans:
        """Return which classes have rows that count."""
        return present_classes(self.counted.labels.y, self.weights, self.size[1])

    def own(self, features: Array) -> Array:
        """Return the weights of the features that rows have, given those of all features."""
        return features[self.counted.places]

    def among_all(self, features: Array) -> Array:
        """Return the weights of all features: one for features that no row has."""
        out = np.ones(self.counted.width)
        out[self.counted.places] = features
        return out

    def take(self, which: Booleans) -> WordRows:
        """Return the rows with a weight of 0 for all but the given ones."""
        return replace(self, weights=np.where(which, self.weights, 0.0))

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """Return −Σ w ln p of the own class, and its gradients."""
        gradient, terms = (np.zeros(n) for n in self.size)
        return self._run(features, classes, gradient=gradient, terms=terms), gradient, terms

    def hessian_diagonal(self, features: Array, classes: Array) -> Array:
        """Return the second derivative of the loss in each feature's weight."""
        out = np.zeros(self.size[0])
        self._run(features, classes, hessian_diagonal=out)
        return out

    @cached_property
    def curvature(self) -> Array:
        """Return approximate second derivatives where all weights are one."""
        if self.scales is not None:
            return self.scales
        return self.hessian_diagonal(*(f(n) for f, n in zip((np.ones, np.zeros), self.size, strict=True)))

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class for each row."""
        out = np.zeros(len(self.weights))
        self._run(features, classes, each=out)
        return self.weights * out

    def scores(self, features: Array, which: Integers | None = None) -> Array:
        """Return untempered scores of all or the given rows, without the prior; rows × classes."""
        which = np.arange(len(self.counted)) if which is None else which
        out = np.empty((len(which), self.size[1]))
        self.native.scores(features, which, out, thread_count())
        return out

    def scored(self, which: Integers, exponent: float | None) -> Scored:
        """Return the given rows in the form that chooses a temper."""
        counted = self.counted
        lengths = None if exponent == 0 else counted.lengths[which]
        scores = self.scores(np.ones(self.size[0]), which)
        return Scored(scores, counted.log_prior[which], counted.labels.y[which], self.weights[which], lengths, exponent)

    def _run(self, features: Array, classes: Array, **out: Array) -> float:
        """Return the loss, and fill the given arrays."""
        nothing = np.empty(0)
        gradient, terms, diagonal, each = (
            out.get(name, nothing) for name in ("gradient", "terms", "hessian_diagonal", "each")
        )
        rows = self.counted.prior + classes, self.weights, self.powers
        return self.native.loss(features, *rows, gradient, terms, diagonal, each, thread_count())


@dataclass(frozen=True, eq=False)
class Split:
    """Hold rows that a model has learned, each left out, and held-out rows."""

    learned: Judged
    unseen: Judged

    @classmethod
    def of(cls, predictor: Predictor, sample: Sample, out: Booleans | None = None) -> Split:
        """Return learned and held-out rows, with the given rows, or one in JUDGED, taken out of the model."""
        out = one_in(JUDGED, len(sample), sample.group) if out is None else out
        unseen, learned = sample.take(out), sample.take(~out)
        left = without(predictor, unseen)
        judged = judge(left, learned.rows, learned.labels, learned.group)
        return cls(judged, never_seen(left, unseen, judged.held_out))


def without(predictor: Predictor, sample: Sample) -> Predictor:
    """Return the predictor without some of the rows; all features and classes are kept."""
    model, labels = predictor.model, sample.labels
    counted = ClassCounts.of_labels(labels.y, labels.weights, n_classes=labels.n_classes)
    blocks = {}
    for name, block in model.voting.items():
        likelihood = uncut(block.likelihood)
        blocks[name] = Block(likelihood, likelihood.without(block.t, *present_only(sample.rows[name], labels)))
    return replace(predictor, model=replace(model, rows=model.rows - counted, blocks=blocks))


def never_seen(predictor: Predictor, sample: Sample, names: Iterable[Name]) -> Judged:
    """Return rows that a model has never seen, in the form of left-out rows."""
    removed, labels = nothing_removed(len(sample)), sample.labels
    held_out = held_out_of(predictor.model, sample.rows, removed, names)
    return Judged(predictor, sample.rows, held_out, removed, labels.y, labels.given, sample.group)


def named(found: Fitted, predictor: Predictor) -> FeatureWeights:
    """Return fitted weights as a view, by name if features have names."""
    ((_, block),) = predictor.model.voting.items()
    terms, words = terms_by_name(found, predictor.model.classes), getattr(block.t, "words", None)
    if words is None:
        return FeatureWeights(terms, found.ridge, found.features)
    return WordWeights(terms, found.ridge, found.features, words)
