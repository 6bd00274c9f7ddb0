"""Rows of which some have labels, and what the labelled ones choose for EM: a pseudo-count and a temper.

A labelled row helps to determine the shares of unlabelled rows like it. If only its own count is left out, these shares
still know its label, and the model seems surer of it than of a new row. So where labels are few, EM runs again without
one half of them and then without the other, and each half is predicted by the model that never saw its labels:

    p(c | x) ∝ (π_c · p(x | c)) ^ s(x)      s(x) = a · n(x)^−γ                                                  SX-14

The power that these predictions choose also applies to the class prior, because EM learns the prior from the shares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.errors import LabelError
from suffice.estimators.em.reading import Begun
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.parameters import is_loo
from suffice.models.choosing.judge import judge
from suffice.models.choosing.smoothing import (
    Scored,
    alpha_of_counts,
    choose_posterior_temper,
    choose_temper,
    log_loss,
)
from suffice.models.expectation import Climbed, ShareSource, Weighable
from suffice.models.model import Model
from suffice.models.predictor import Predictor, RowsByName
from suffice.models.scoring.cells import AS_IT_IS
from suffice.models.scoring.rows import Labels
from suffice.models.shared_rows import SharedRows
from suffice.models.views import Views
from suffice.readers.labels import Examples, RowReader
from suffice.typing import Array, Integers, LabelArray

__all__ = [
    "PartlyLabelled", "Steps", "alpha_by_labels", "check_labelled", "loss_of_labels", "predicted",
    "with_temper_by_halves",
]  # fmt: skip

Steps = Callable[[ShareSource, Model], Climbed]
"""Runs EM over rows, from the model of labelled ones."""

FEW = 200
"""Number of labelled rows from which leaving out single counts is good enough."""

ENOUGH = 50
"""Fewest labelled rows whose leave-one-out log loss chooses a pseudo-count."""


@dataclass(frozen=True, eq=False)
class PartlyLabelled:
    """Labelled and unlabelled rows with their weights, as a reader takes them."""

    labelled: Examples
    free: list[tuple[Any, Array]]

    @classmethod
    def of(
        cls, reader: RowReader, source: Any, classes: LabelArray, codes: Integers, weights: Array | None
    ) -> PartlyLabelled:
        """Separate labelled from unlabelled rows, and drop rows of weight zero."""
        seen = np.ones(len(codes), bool) if weights is None else weights > 0
        has, lacks = np.flatnonzero(seen & (codes >= 0)), np.flatnonzero(seen & (codes < 0))
        known = source if len(has) == len(codes) else reader.take(source, has)
        labelled = Examples(known, classes, codes[has], None if weights is None else weights[has])
        given = np.ones(len(codes)) if weights is None else weights
        return cls(labelled, [(reader.take(source, lacks), given[lacks])] if len(lacks) else [])

    def begun(self, estimator: Classifier) -> Begun:
        """Read all rows once, for the options that they determine together."""
        return Begun.of(estimator, [self.labelled.source, *(source for source, _ in self.free)])

    def rows(self, begun: Begun, views: Views) -> SharedRows:
        """Return the rows in the form that EM uses."""
        free = tuple((begun.rows(source), weights) for source, weights in self.free)
        labelled = begun.rows(self.labelled.source), self.labelled.labels
        return SharedRows(begun.empty(self.labelled.classes, views), begun.prior, free, labelled)


def check_labelled(codes: Integers, weights: Array | None) -> None:
    """Raise LabelError unless every class has a labelled row of positive weight."""
    if not (codes >= 0).any():
        raise LabelError(
            f"The argument 'y' must hold a label for at least one row; all {len(codes):,} are missing. "
            "Use Mixture to find clusters."
        )
    counted = codes >= 0 if weights is None else (codes >= 0) & (weights > 0)
    if len(np.unique(codes[counted])) < codes.max() + 1:
        raise LabelError("The argument 'sample_weight' must give each class a row of weight above zero.")


def alpha_by_labels(estimator: Classifier, of_labels: Model, labelled: Examples | None) -> float | None:
    """Return the pseudo-count that labelled rows choose; None if it is not to be chosen, or they are too few.

    Where held-out texts would choose it, the counts of the labelled ones give it instead (SX-13): their model knows the
    words of all texts, most of which occur in none of them.
    """
    wanted = estimator._wanted(int(of_labels.n.sum()))
    if wanted is not None and wanted.alpha == "held_out":
        return alpha_of_counts(of_labels, wanted.alpha_bounds)
    given = estimator.get_params(deep=False)
    if not is_loo(given.get("alpha", 1.0)) or labelled is None or len(labelled) < ENOUGH:
        return None
    alone = clone(estimator)
    if "feature_powers" in given:
        alone.set_params(feature_powers=None)
    alone.fit(labelled.source, labelled.y, sample_weight=labelled.weights)
    chosen: float | None = alone._predictor.views.alpha
    return chosen


def loss_of_labels(predictor: Predictor, rows: RowsByName, labels: Labels, exponent: float | None) -> float:
    """Return the leave-one-out log loss of labelled rows, with the temper that minimizes it."""
    scored = Scored.of(judge(predictor, rows, labels), exponent)
    return log_loss(scored, choose_temper(scored))


def with_temper_by_halves(
    fitted: Classifier, begun: Begun, source: Weighable, labelled: Examples, views: Views, steps: Steps
) -> Classifier:
    """Return the classifier that EM fitted, with a temper chosen by labelled rows that took no part in EM.

    It is unchanged if rows choose no temper, if labels are many, if there are feature powers, if no class has two
    labelled rows, or if unlabelled rows have no weight.
    """
    wanted = begun.estimator._wanted(len(labelled))
    if wanted is None or wanted.temper is None or len(labelled) >= FEW or not source.unlabelled:
        return fitted
    chosen, parts = fitted._predictor.views, list[Scored]()
    if chosen.weights is not None:
        return fitted
    for learned, others in _halves(labelled, begun.reader):
        known = begun.rows(learned.source), learned.labels
        base = SharedRows(begun.empty(labelled.classes, views), begun.prior, (), known).of_labels
        model = steps(source.based_on(base), base).model
        parts.append(_scored(begun.fitted(model, replace(chosen, temper=AS_IT_IS)), others, begun.length_exponent))
    if parts:
        temper = choose_posterior_temper(Scored.joined(parts))
        fitted._put(fitted._model, replace(chosen, temper=temper), stale=False)
    return fitted


def _halves(labelled: Examples, reader: RowReader) -> list[tuple[Examples, Examples]]:
    """Return for each half of the labelled rows the others and that half; a row alone in its class is in no half."""
    rows, order, _ = labelled.picked(reader, len(labelled), None)
    size, rank = np.bincount(rows.codes, minlength=len(rows.classes)), np.empty(len(rows), np.int64)
    by_class = order[np.argsort(rows.codes[order], kind="stable")]
    rank[by_class] = np.arange(len(rows)) - np.repeat(np.cumsum(size) - size, size)
    half = np.where(size[rows.codes] > 1, rank % 2, -1)
    pairs = ((np.flatnonzero(half != k), np.flatnonzero(half == k)) for k in (0, 1))
    return [(rows.take(rest, reader), rows.take(own, reader)) for rest, own in pairs if len(own)]


def _scored(model: Classifier, rows: Examples, exponent: float | None) -> Scored:
    """Return rows as a model that has not learned them scores them."""
    nothing = Labels(rows.codes, np.zeros(len(rows)), len(rows.classes))  # is left out
    judged = judge(model._predictor, model._reader.rows(rows.source), nothing, settled=True)
    return replace(Scored.of(judged, exponent), weights=rows.labels.given)


def predicted(estimator: Classifier, source: Any) -> LabelArray:
    """Return the most probable class of each row of a source."""
    codes = [estimator._predictor.best(rows) for rows in estimator._reader.parts(source)]
    return np.asarray(estimator.classes_[np.concatenate([np.zeros(0, np.int64), *codes])])
