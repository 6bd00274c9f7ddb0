"""Estimate how a classifier predicts new rows, by leave-one-out and by cross-fitting in folds."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from suffice.errors import KindError, LabelError
from suffice.estimators.shell.atomic import snapshot
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.folds import FOLDS, fold_numbers, rests
from suffice.models.predictor import Predictor
from suffice.models.scoring.removal import group_codes
from suffice.notebook import bar, card, table
from suffice.readers.labels import Given
from suffice.telling import counted
from suffice.typing import Array, Booleans, DataLike, GroupsLike, Integers, LabelArray, LabelsLike, WeightsLike

__all__ = ["FOLDS", "CrossFit", "LeaveOneOut", "Validation", "crossfit", "judged_by_folds", "leave_one_out", "ready"]


@dataclass(frozen=True, repr=False)
class Validation:
    """Predictions of rows by models that have not learned them, and their scores."""

    classes: LabelArray
    codes: Integers  # the true class of each row
    log_probabilities: Array  # rows × classes
    weights: Array
    alone: Booleans  # rows of a class that their model has no row of; not in log_loss and accuracy

    @property
    def probabilities(self) -> Array:
        """Probabilities of each row and class, by a model that has not learned the row."""
        return np.exp(self.log_probabilities)

    @property
    def losses(self) -> Array:
        """−ln p of the true class of each row; not clipped."""
        return np.asarray(-self.log_probabilities[np.arange(len(self.codes)), self.codes])

    @property
    def log_loss(self) -> float:
        """Weighted mean of −ln p of the true class; not clipped; without rows that are `alone`."""
        judged = ~self.alone & (self.weights > 0)
        weights = self.weights[judged]
        return float(weights @ self.losses[judged] / weights.sum()) if judged.any() else float("nan")

    @property
    def accuracy(self) -> float:
        """Weighted share of rows whose most probable class is the true one; without rows that are `alone`."""
        judged = np.where(self.alone, 0.0, self.weights)
        right = self.log_probabilities.argmax(axis=1) == self.codes
        return float(judged @ right / judged.sum()) if judged.any() else float("nan")

    @property
    def n_singletons(self) -> int:
        """Number of rows whose class the predicting model does not know, because it has learned no other row of it."""
        return int(self.alone.sum())

    def _rows(self) -> str:
        return counted(len(self.codes), "row")

    def __repr__(self) -> str:
        scores = f"log loss {self.log_loss:.4f}, accuracy {self.accuracy:.4f}"
        return f"{type(self).__name__}({self._rows()}, {scores})"

    def _repr_html_(self) -> str:
        return card(self, self._parts)

    def _parts(self) -> Iterator[str]:
        counts = np.bincount(self.codes, self.weights, len(self.classes))
        right = self.log_probabilities.argmax(axis=1) == self.codes
        found = np.bincount(self.codes, self.weights * right, len(self.classes)) / np.maximum(counts, 1e-300)
        lines = zip(map(str, self.classes), counts.tolist(), found.tolist(), map(bar, found.tolist()), strict=True)
        yield table(["class", "rows", "recall", ""], lines, len(self.classes))


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Validation):
    """Predictions of rows by models without the row or its group, and their scores.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3]] * 5, ["tea", "tea", "rum", "rum"] * 5
    >>> sf.evaluate.leave_one_out(sf.MultinomialNB(), X, y)
    LeaveOneOut(20 rows, log loss 0.0571, accuracy 1.0000)
    """


def leave_one_out(
    model: Classifier,
    X: DataLike,
    y: LabelsLike,
    sample_weight: WeightsLike = None,
    *,
    groups: GroupsLike = None,
    views: str = "crossfit",
) -> LeaveOneOut:
    """Predict each training row by the model without it, as ``model.leave_one_out`` does, and score the predictions.

    Parameters
    ----------
    model : classifier
        A classifier of this library. If it is fitted, it must have learned these rows, and it is not changed; otherwise
        a copy is fitted to them.
    X, y, sample_weight, groups, views : as for ``model.leave_one_out``
        The training rows, their labels, weights and groups, and whether choices are made again without the rows.

    Returns
    -------
    found : LeaveOneOut
        Predictions and scores: ``log_loss``, ``accuracy``, ``probabilities``, ``log_probabilities`` and ``losses``. The
        ``n_singletons`` rows whose class has no other row are left out of loss and accuracy; they have probability 0 of
        their class unless the class prior has pseudo-counts, or is uniform or fixed.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3], [9, 9]], ["tea", "tea", "rum", "rum", "gin"]
    >>> found = sf.evaluate.leave_one_out(sf.MultinomialNB().fit(X, y), X, y)
    >>> round(found.log_loss, 3), found.accuracy, found.n_singletons
    (0.588, 1.0, 1)
    """
    X = list(X) if isinstance(X, Iterator) else X
    fitted = snapshot(ready(model, "leave_one_out", X, y, sample_weight, groups))
    examples, logs, alone = fitted._left_out(X, y, sample_weight, groups, views)
    return LeaveOneOut(fitted.classes_, examples.codes, np.minimum(logs, 0.0), examples.labels.given, alone)


CROSS_VAL_PREDICT = "Use sklearn.model_selection.cross_val_predict for models of other kinds."
"""Hint of errors for a model whose rows cannot be left out by subtraction."""


def ready(
    model: Classifier, name: str, X: Given, y: LabelsLike, sample_weight: WeightsLike, groups: GroupsLike
) -> Classifier:
    """Return the model if it is fitted, otherwise a copy fitted to the rows; raise KindError unless it is ours."""
    if not isinstance(model, Classifier):
        raise KindError(
            f"The argument 'model' of {name} must be a classifier of suffice, whose counts can be subtracted; got "
            f"{type(model).__name__}. {CROSS_VAL_PREDICT}"
        )
    if model.__sklearn_is_fitted__():
        return model
    fitted: Classifier = clone(model).fit(X, y, sample_weight=sample_weight, groups=groups)
    return fitted


@dataclass(frozen=True, repr=False)
class CrossFit(Validation):
    """Predictions of rows by models without the row's fold, and their scores.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3]] * 5, ["tea", "tea", "rum", "rum"] * 5
    >>> sf.evaluate.crossfit(sf.MultinomialNB(), X, y)
    CrossFit(20 rows in 5 folds, log loss 0.0514, accuracy 1.0000)
    """

    fold: Integers  # the number of each row's fold

    @property
    def n_folds(self) -> int:
        """The number of folds."""
        return int(self.fold.max()) + 1

    def _rows(self) -> str:
        return f"{super()._rows()} in {counted(self.n_folds, 'fold')}"


def crossfit(
    model: Classifier,
    X: Given,
    y: LabelsLike,
    sample_weight: WeightsLike = None,
    *,
    groups: GroupsLike = None,
    folds: int = FOLDS,
) -> CrossFit:
    """Estimate how a classifier predicts new rows: predict each row by a model without its fold.

    Folds are deterministic, stratified by class, and keep groups together. The counts of a fold are subtracted from
    those of all rows, and everything that rows choose (pseudo-count, temper, powers, models of columns, priors by
    evidence) is chosen again by the rows outside the fold. The result is that of refitting for each fold, but rows are
    counted twice, however many folds there are.

    Parameters
    ----------
    model : classifier
        A classifier of this library. If it is fitted, it must have learned these rows, and it is not changed; otherwise
        a copy is fitted to them.
    X, y : as for fit
        The training rows, or some of them, and their labels.
    sample_weight : array-like of shape (n_rows,), default=None
        The weights that the rows were learned with.
    groups : array-like of shape (n_rows,), default=None
        Groups of dependent rows, such as those of one author; a group is never split between folds.
    folds : int, default=5
        Number of folds; fewer if there are fewer rows or groups.

    Returns
    -------
    found : CrossFit
        Predictions and scores: ``log_probabilities``, ``probabilities``, ``log_loss``, ``accuracy`` and ``fold``. The
        ``n_singletons`` rows whose class is in no other fold are left out of loss and accuracy.

    Examples
    --------
    >>> import suffice as sf
    >>> texts, labels = ["cheap pills", "lunch at noon", "cheap watches", "lunch?"] * 5, ["spam", "ham"] * 10
    >>> found = sf.evaluate.crossfit(sf.TextClassifier().fit(texts, labels), texts, labels)
    >>> found.probabilities.shape, found.accuracy
    ((20, 2), 1.0)
    """
    X = list(X) if isinstance(X, Iterator) else X
    model = ready(model, "crossfit", X, y, sample_weight, groups)
    return judged_by_folds(model, X, y, sample_weight, groups, folds)[0]


def judged_by_folds(
    model: Classifier,
    X: Given,
    y: LabelsLike,
    sample_weight: WeightsLike,
    groups: GroupsLike,
    folds: int,
    keep: bool = False,
) -> tuple[CrossFit, list[Classifier | None]]:
    """Return the cross-fitted predictions, and with `keep` the model without each fold."""
    if not isinstance(y, str) and isinstance(y, Sized) and not len(y):
        raise LabelError("The argument 'y' must hold at least one label; got none.")
    examples = model._learned(X, y, sample_weight)
    codes, classes = examples.codes, model.classes_
    group = None if groups is None else group_codes(groups, len(codes))
    fold = fold_numbers(codes, group, folds)
    logs = np.full((len(codes), len(classes)), -np.inf)
    alone, models = np.zeros(len(codes), bool), list[Classifier | None]()
    for rest in rests(model, examples, groups, fold):
        known = np.zeros(len(classes), bool)
        if rest.model is not None:
            place = np.searchsorted(classes, rest.model.classes_)
            parts = rest.model._reader.parts(model._reader.take(examples.source, rest.rows))
            logs[np.ix_(rest.rows, place)] = rest.model._answer_of(Predictor.log_proba, parts)
            known[place] = rest.model.class_count_ > 0
        alone[rest.rows] = ~known[codes[rest.rows]]
        models += [rest.model] if keep else []
    return CrossFit(classes, codes, np.minimum(logs, 0.0), examples.labels.given, alone, fold), models
