"""Rows of which some have labels: taken apart, and what those with labels choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from suffice.errors import LabelError
from suffice.estimators.em.reading import Begun
from suffice.estimators.naive_bayes.parameters import is_loo
from suffice.models.choosing.judge import judge
from suffice.models.choosing.smoothing import Scored, choose_temper, log_loss
from suffice.models.predictor import Predictor, RowsByName
from suffice.models.scoring.rows import Labels
from suffice.models.shared_rows import SharedRows
from suffice.models.views import Views
from suffice.readers.labels import Examples
from suffice.typing import Array, Integers

__all__ = ["PartlyLabelled", "alpha_by_labels", "check_labelled", "loss_of_labels", "predicted"]

ENOUGH = 50
"""Fewer labelled rows than this do not choose a pseudo-count."""


@dataclass(frozen=True, eq=False)
class PartlyLabelled:
    """Rows with labels, and rows without, each with what it weighs; as a reader takes them."""

    labelled: Examples
    free: list[tuple[Any, Array]]

    @classmethod
    def of(
        cls, reader: Any, source: Any, classes: NDArray[Any], codes: Integers, weights: Array | None
    ) -> PartlyLabelled:
        """Take rows apart; one of no weight was not seen, nor what it holds."""
        seen = np.ones(len(codes), bool) if weights is None else weights > 0
        has, lacks = np.flatnonzero(seen & (codes >= 0)), np.flatnonzero(seen & (codes < 0))
        known = source if len(has) == len(codes) else reader.take(source, has)
        labelled = Examples(known, classes, codes[has], None if weights is None else weights[has])
        given = np.ones(len(codes)) if weights is None else weights
        return cls(labelled, [(reader.take(source, lacks), given[lacks])] if len(lacks) else [])

    def begun(self, estimator: Any) -> Begun:
        """Look at all rows once."""
        return Begun.of(estimator, [self.labelled.source, *(source for source, _ in self.free)])

    def rows(self, begun: Begun, views: Views) -> SharedRows:
        """Return the rows as EM learns from them."""
        free = tuple((begun.rows(source), weights) for source, weights in self.free)
        labelled = begun.rows(self.labelled.source), self.labelled.labels
        return SharedRows(begun.empty(self.labelled.classes, views), begun.prior, free, labelled)


def check_labelled(codes: Integers, weights: Array | None) -> None:
    """Raise LabelError unless every class has a row with a label that weighs something."""
    if not (codes >= 0).any():
        raise LabelError(
            f"The argument 'y' must hold a label for at least one row; all {len(codes):,} are missing. "
            "Use Mixture to find clusters."
        )
    counted = codes >= 0 if weights is None else (codes >= 0) & (weights > 0)
    if len(np.unique(codes[counted])) < codes.max() + 1:
        raise LabelError("The argument 'sample_weight' must give each class a row of weight above zero.")


def alpha_by_labels(estimator: Any, labelled: Examples) -> float | None:
    """Return the pseudo-count that rows with labels choose, where they are to choose it, and are enough."""
    given = estimator.get_params(deep=False)
    alpha = given.get("alpha", 1.0)
    if not (alpha is None or is_loo(alpha)) or len(labelled) < ENOUGH:
        return None
    alone = clone(estimator)
    if "feature_weights" in given:
        alone.set_params(feature_weights=None)
    alone.fit(labelled.source, labelled.y, sample_weight=labelled.weights)
    chosen: float | None = alone._predictor.views.alpha
    return chosen


def loss_of_labels(predictor: Predictor, rows: RowsByName, labels: Labels, exponent: float | None) -> float:
    """Return the log loss of rows with labels, each left out, with the temper that suits it."""
    scored = Scored.of(judge(predictor, rows, labels), exponent)
    return log_loss(scored, choose_temper(scored))


def predicted(estimator: Any, source: Any) -> NDArray[Any]:
    """Return the most probable class of each row, as the reader takes rows."""
    codes = [estimator._predictor.best(rows) for rows in estimator._reader.parts(source)]
    return np.asarray(estimator.classes_[np.concatenate([np.zeros(0, np.int64), *codes])])
