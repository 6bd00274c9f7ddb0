"""Evaluate classifiers: predictions of rows by models that have not learned them, and their scores.

Rows are new, held out, left out one by one, or left out in folds. `suffice.evaluate` is the public name of this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betaincinv
from sklearn.base import clone

from suffice.errors import InputError, KindError, LabelError, ShapeError
from suffice.estimators.naive_bayes.any_table import NaiveBayes
from suffice.estimators.shell.atomic import snapshot
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.folds import FOLDS, fold_numbers, rests
from suffice.estimators.shell.parameters import CHECKS
from suffice.models.predictor import Predictor
from suffice.models.scoring.removal import group_codes
from suffice.notebook import bar, card, table
from suffice.readers.labels import Given, labelled
from suffice.readers.table import TableReader
from suffice.tables import Table
from suffice.telling import counted
from suffice.typing import Array, Booleans, DataLike, Floats, GroupsLike, Integers, LabelArray, LabelsLike, WeightsLike


@dataclass(frozen=True)
class Reliability:
    """Calibration by bins of confidence: mean confidence, accuracy and number of rows of each bin.

    >>> Reliability(confidence=np.array([0.75, 1.0]), accuracy=np.array([0.5, 1.0]), rows=np.array([10.0, 30.0])).error
    0.0625
    """

    confidence: Array
    accuracy: Array
    rows: Array

    @property
    def error(self) -> float:
        """Expected calibration error: the absolute difference of confidence and accuracy, averaged over rows."""
        return float(np.abs(self.confidence - self.accuracy) @ self.rows / self.rows.sum())

    def intervals(self, level: float = 0.95) -> tuple[Array, Array]:
        """Return the lower and upper bounds of the accuracy of each bin, as `share_interval` finds them."""
        right = (self.accuracy * self.rows).tolist()
        ends = [share_interval(r, n, level) for r, n in zip(right, self.rows.tolist(), strict=True)]
        low, high = np.array(ends, np.float64).reshape(-1, 2).T
        return low, high

    def __repr__(self) -> str:
        many = f"{counted(self.rows.sum(), 'row')} in {counted(len(self.rows), 'bin')}"
        return f"Reliability(error={self.error:.4f}, {many})"

    def _repr_html_(self) -> str:
        rows = zip(self.confidence, self.accuracy, self.rows, map(bar, self.accuracy), strict=True)
        return card(self, lambda: [table(["confidence", "accuracy", "rows", ""], rows, len(self.rows))])


@dataclass(frozen=True)
class ClassScores:
    """Scores of one class: its rows, the rows predicted to be of it, and those that are both.

    >>> found = ClassScores("spam", rows=5, predicted=7, right=5)
    >>> found.recall, round(found.precision, 3), round(found.f1, 3)
    (1.0, 0.714, 0.833)
    """

    label: object
    rows: float
    predicted: float
    right: float

    @property
    def recall(self) -> float:
        """Share of the rows of the class that are predicted to be of it; NaN if the class has no rows."""
        return self.right / self.rows if self.rows else float("nan")

    @property
    def precision(self) -> float:
        """Share of the rows predicted to be of the class that are of it; NaN if there are none."""
        return self.right / self.predicted if self.predicted else float("nan")

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; NaN if the class has no rows and is never predicted."""
        both = self.rows + self.predicted
        return 2 * self.right / both if both else float("nan")


@dataclass(frozen=True, repr=False)
class Validation:
    """Predictions of rows by models that have not learned them, and their scores.

    Scores weigh rows, and leave out those that are `alone`.

    >>> import suffice as sf
    >>> model = sf.MultinomialNB().fit([[3, 0], [2, 1], [0, 4], [1, 3]], ["tea", "tea", "rum", "rum"])
    >>> sf.evaluate.validate(model, [[2, 0], [0, 2]], ["tea", "rum"])
    Validation(2 rows, log loss 0.0809, accuracy 1.0000)
    """

    classes: LabelArray
    codes: Integers  # the true class of each row
    log_probabilities: Array  # rows × classes
    weights: Array
    alone: Booleans  # rows of a class that their model has no row of; not in the scores

    @property
    def probabilities(self) -> Array:
        """Probabilities of each row and class, by a model that has not learned the row."""
        return np.exp(self.log_probabilities)

    @property
    def predicted(self) -> Integers:
        """The most probable class of each row."""
        return np.asarray(self.log_probabilities.argmax(axis=1), np.int64)

    @property
    def correct(self) -> Booleans:
        """Whether the most probable class of each row is the true one."""
        return np.asarray(self.predicted == self.codes)

    @property
    def confidence(self) -> Array:
        """Probability of the most probable class of each row."""
        return np.asarray(np.exp(self.log_probabilities.max(axis=1)))

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
        return float(judged @ self.correct / judged.sum()) if judged.any() else float("nan")

    @property
    def baseline(self) -> tuple[float, float]:
        """Accuracy and log loss of a prediction from the class shares of these rows alone."""
        rows = self.confusion.sum(axis=1)
        seen = rows[rows > 0] / max(rows.sum(), 1)
        return float(seen.max(initial=0.0)), float(-(seen * np.log(seen)).sum())

    @property
    def n_singletons(self) -> int:
        """Number of rows whose class the predicting model does not know, because it has learned no other row of it."""
        return int(self.alone.sum())

    @property
    def confusion(self) -> Floats:
        """Rows by true and predicted class: their number, or the sum of their weights."""
        k, judged = len(self.classes), ~self.alone
        pairs, weights = (self.codes * k + self.predicted)[judged], self.weights[judged]
        counts = np.bincount(pairs, None if (weights == 1).all() else weights, minlength=k * k)
        return counts.reshape(k, k)

    @property
    def by_class(self) -> list[ClassScores]:
        """Rows, recall, precision and F1 of each class."""
        counts = self.confusion
        sums = counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist(), counts.diagonal().tolist()
        return list(map(ClassScores, self.classes.tolist(), *sums))

    def reliability(self, bins: int = 15, target: object = None) -> Reliability:
        """Compare confidence with accuracy, as `reliability` does.

        Parameters
        ----------
        bins : int, default=15
            Number of bins; bins without rows are left out.
        target : class, default=None
            A class whose probability is compared with its share; by default, the predicted class of each row.
        """
        probability, own = self.confidence, self.correct
        if target is not None:
            code = int(_codes(np.asarray([target]), self.classes)[0])
            probability, own = self.probabilities[:, code], self.codes == code
        return _binned(probability[~self.alone], own[~self.alone], bins, self.weights[~self.alone])

    def _rows(self) -> str:
        return counted(len(self.codes), "row")

    def __repr__(self) -> str:
        scores = f"log loss {self.log_loss:.4f}, accuracy {self.accuracy:.4f}"
        return f"{type(self).__name__}({self._rows()}, {scores})"

    def _repr_html_(self) -> str:
        return card(self, self._parts)

    def _parts(self) -> Iterator[str]:
        scores = [(one.label, one.rows, one.recall if one.rows else 0.0) for one in self.by_class]
        lines = [(str(label), float(rows), recall, bar(recall)) for label, rows, recall in scores]
        yield table(["class", "rows", "recall", ""], lines, len(self.classes))


def validate(model: Classifier, X: DataLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Validation:
    """Score the predictions of a fitted classifier for rows that it has not learned.

    Parameters
    ----------
    model : fitted classifier
        Any classifier with ``classes_`` and ``predict_log_proba``.
    X, y : as for fit
        The new rows and their labels. Rows of a class that the model does not know are left out of the scores.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows.

    Returns
    -------
    found : Validation
        Predictions and scores: ``log_loss``, ``accuracy``, ``confusion``, ``by_class`` and ``reliability()``.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.TextClassifier().fit(["cheap pills", "lunch at noon"] * 5, ["spam", "ham"] * 5)
    >>> found = sf.evaluate.validate(model, ["cheap lunch", "pills now", "at noon"], ["spam", "spam", "ham"])
    >>> found.confusion.tolist(), round(found.by_class[1].recall, 2)
    ([[1, 0], [0, 2]], 1.0)
    """
    X, labels = _rows_and_labels(model, X, y)
    weights = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    return Validation(*_predicted(model, X, labels, weights))


def _rows_and_labels(model: Classifier, X: Given, y: LabelsLike) -> tuple[Any, LabelArray]:
    """Return the rows, without the labels if these are a column of the table, and the labels as an array."""
    if not isinstance(model, NaiveBayes):
        return X, np.asarray(labelled(y))
    table, _, (classes, codes) = TableReader().read(X, y, None, CHECKS)
    return table, classes[codes]


def _predicted(
    model: Classifier, X: DataLike, labels: LabelArray, weights: Array
) -> tuple[LabelArray, Integers, Array, Array, Booleans]:
    """Return the fields of the predictions of rows by a model that has not learned them."""
    known = np.asarray(model.classes_)
    classes = known if np.isin(labels, known).all() else np.union1d(known, labels)
    logs = np.full((len(labels), len(classes)), -np.inf)
    logs[:, np.searchsorted(classes, known)] = np.minimum(model.predict_log_proba(X), 0.0)
    codes = np.searchsorted(classes, labels)
    return classes, codes, logs, weights, ~np.isin(classes, known)[codes]


@dataclass(frozen=True, repr=False)
class HoldOut(Validation):
    """Predictions of held-out rows by a model of the others, and their scores.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3]] * 5, ["tea", "tea", "rum", "rum"] * 5
    >>> sf.evaluate.hold_out(sf.MultinomialNB(), X, y)
    HoldOut(4 of 20 rows, log loss 0.0091, accuracy 1.0000)
    """

    held_out: Booleans  # of all rows, those that are predicted
    model: Classifier  # fitted to the others

    def _rows(self) -> str:
        return f"{len(self.codes):,} of {counted(len(self.held_out), 'row')}"


def hold_out(
    model: Classifier,
    X: Given,
    y: LabelsLike,
    sample_weight: WeightsLike = None,
    *,
    groups: GroupsLike = None,
    folds: int = FOLDS,
) -> HoldOut:
    """Fit a copy of a classifier to all rows but one fold, and predict the rows of that fold.

    Parameters
    ----------
    model : classifier
        A classifier, which is not changed; one of scikit-learn will do.
    X, y : as for fit
        All rows and their labels.
    sample_weight, groups : array-like of shape (n_rows,), default=None
        Weights, and groups of dependent rows; a group is never split.
    folds : int, default=5
        Number of folds, the first of which is held out: one row in five. They are those of ``crossfit``.

    Returns
    -------
    found : HoldOut
        Predictions and scores of the held-out rows, ``held_out``, which tells which rows they are, and ``model``, which
        was fitted to the others.

    Examples
    --------
    >>> import suffice as sf
    >>> texts, labels = ["cheap pills", "lunch at noon", "cheap watches", "lunch?"] * 5, ["spam", "ham"] * 10
    >>> found = sf.evaluate.hold_out(sf.TextClassifier(), texts, labels)
    >>> int(found.held_out.sum()), found.accuracy
    (4, 1.0)
    """
    X, labels = _rows_and_labels(model, list(X) if isinstance(X, Iterator) else X, y)
    codes = np.unique(labels, return_inverse=True)[1]
    held = fold_numbers(codes, None if groups is None else group_codes(groups, len(codes)), folds) == 0
    if held.all():
        raise LabelError("Holding out rows needs at least 2 rows; got 1.").advise("Give more rows.")
    weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    inside, outside = np.flatnonzero(held), np.flatnonzero(~held)
    more: dict[str, object] = {} if weights is None else {"sample_weight": weights[outside]}
    more |= {} if groups is None else {"groups": np.asarray(groups)[outside]}
    rest = clone(model).fit(rows_at(X, outside), labels[outside], **more)
    weights = np.ones(len(inside)) if weights is None else weights[inside]
    return HoldOut(*_predicted(rest, rows_at(X, inside), labels[inside], weights), held, rest)


def rows_at(rows: Any, which: Integers) -> Any:
    """Return the rows at the given positions, which must be increasing, of anything that a classifier takes."""
    if isinstance(rows, list | tuple):
        return [rows[i] for i in which]
    if isinstance(rows, Table):
        return rows.take(np.isin(np.arange(len(rows)), which))
    if hasattr(rows, "iloc"):
        return rows.iloc[which]
    return rows.take(which) if type(rows).__module__.startswith("pyarrow") else rows[which]


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
        raise KindError(f"{name}.model", "be a classifier of suffice, whose counts can be subtracted").but(
            f"got {type(model).__name__}", python=CROSS_VAL_PREDICT
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
        raise LabelError("y", "hold at least one label").but("got none")
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


def reliability(probabilities: ArrayLike, labels: LabelsLike, classes: ArrayLike, bins: int = 15) -> Reliability:
    """Compare confidence, the probability of the best class, with accuracy, in bins of equal width.

    Parameters
    ----------
    probabilities : array of shape (n_rows, n_classes)
        Probability of each class, as ``predict_proba`` returns them.
    labels : array of shape (n_rows,)
        True class of each row.
    classes : array of shape (n_classes,)
        The model's ``classes_``.
    bins : int, default=15
        Number of bins; bins without rows are left out.

    Examples
    --------
    >>> reliability([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4]], ["a", "a", "b"], ["a", "b"], bins=2)
    Reliability(error=0.1000, 3 rows in 1 bin)
    """
    shares, codes = _read(probabilities, labels, classes)
    if not ((shares >= 0) & (shares <= 1 + 1e-9)).all():
        raise InputError("probabilities", "hold numbers from 0 to 1, as predict_proba returns them")
    return _binned(shares.max(axis=1), shares.argmax(axis=1) == codes, bins, np.ones(len(codes)))


def _binned(probability: Array, own: Booleans, bins: int, weights: Array) -> Reliability:
    """Compare the probability of a class with the share of its own rows, in bins of equal width."""
    given: object = bins
    if not isinstance(given, int) or given < 1:
        raise InputError("bins", "be a whole number of at least 1", got=bins)
    place = np.minimum((probability * bins).astype(np.int64), bins - 1)
    rows = np.bincount(place, weights, bins).astype(np.float64)
    filled = rows > 0
    confidence, share = (np.bincount(place, weights * part, bins)[filled] / rows[filled] for part in (probability, own))
    return Reliability(confidence, share, rows[filled])


def log_loss(log_probabilities: ArrayLike, labels: LabelsLike, classes: ArrayLike) -> float:
    """Return the mean of −ln of the probability of the true class, from log-probabilities, without clipping.

    >>> log_loss(np.log([[0.5, 0.5], [0.25, 0.75]]), ["a", "b"], ["a", "b"]).__round__(4)
    0.4904
    """
    logs, codes = _read(log_probabilities, labels, classes)
    if not (logs <= 1e-9).all():
        raise InputError("log_probabilities", "hold numbers of at most 0, as predict_log_proba returns them")
    return float(-logs[np.arange(len(codes)), codes].mean())


def share_interval(right: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return the shortest credible interval of a proportion after `right` successes in `n` trials.

    It is the interval of highest posterior density under a uniform prior. The density is highest at right / n, so the
    bounds always contain the observed proportion, even 0 or 1.

    Parameters
    ----------
    right, n : number
        Number of successes, and number of trials; or sums of weights.
    level : float, default=0.95
        Probability of the interval.

    Returns
    -------
    low, high : float
        Bounds, from 0 to 1.

    Examples
    --------
    >>> [round(bound, 3) for bound in share_interval(9, 10)]
    [0.632, 0.994]
    >>> [round(bound, 3) for bound in share_interval(179, 179)]
    [0.983, 1.0]
    """
    if not 0 <= right <= n:
        raise InputError("right", f"be from 0 to 'n', {n}").but(f"got {right}")
    if not 0 < level < 1:
        raise InputError("level", "lie between 0 and 1", got=level)
    a, b, tail = 1.0 + right, 1.0 + n - right, 1.0 - level
    if not n or not right:
        low = tail / 2 if not n else 0.0
    elif right == n:
        low = tail
    else:

        def above(share: float) -> float:
            """Return the log-density at the lower end minus that at the upper, if `share` lies below the interval."""
            ends = betaincinv(a, b, [share, share + level])
            densities = (a - 1) * np.log(ends) + (b - 1) * np.log1p(-ends)
            return float(densities[0] - densities[1])

        low = brentq(above, 1e-12 * tail, tail * (1 - 1e-12))
    bounds = betaincinv(a, b, [low, low + level])
    return min(float(bounds[0]), right / n if n else 0.5), max(float(bounds[1]), right / n if n else 0.5)


def _read(table: ArrayLike, labels: LabelsLike, classes: ArrayLike) -> tuple[Array, Integers]:
    names, known = np.asarray(labelled(labels)), np.asarray(classes)
    try:
        values = np.asarray(table, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("Probabilities", "be numbers, and the first argument, before labels and classes") from error
    if values.shape != (len(names), len(known)) or not len(names):
        raise ShapeError(
            "Probabilities",
            f"have a row for each label ({counted(len(names), 'row')}, at least one) and a column for each class "
            f"({len(known)})",
        ).but(f"got shape {values.shape}")
    return values, _codes(names, known)


def _codes(labels: ArrayLike, classes: ArrayLike) -> Integers:
    """Return the positions of labels among the classes; raise LabelError for others."""
    names, known = np.asarray(labels), np.asarray(classes)
    place = np.minimum(np.searchsorted(known, names), len(known) - 1)
    strangers = np.flatnonzero(known[place] != names)
    if len(strangers):
        raise LabelError("labels", "hold classes of the model", got=names[strangers[0]])
    return np.asarray(place, np.int64)
