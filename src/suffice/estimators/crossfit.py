"""Rows judged by models that know nothing of them: whole folds leave the counts, and views are chosen without them.

Leaving one row out of the counts is exact. But what was chosen by rows (pseudo-count, temper, evidence weights, kinds
of columns) has seen the row, and so flatters. A fold is taken from the counts by subtraction, which is as exact and
costs no other pass over the rest, and all that is chosen is chosen anew by the rows that are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from suffice.errors import InputError, KindError, LabelError, SubtractionError
from suffice.models.removal import gone_by, group_codes
from suffice.models.sample import hashed
from suffice.stats.words import read_weights
from suffice.telling import counted
from suffice.typing import Array, Booleans, Integers

__all__ = ["FOLDS", "CrossFit", "Rest", "crossfit", "fold_numbers", "judged_by_folds", "rests"]

FOLDS = 5

ENOUGH = 20_000
"""Rows by which views are chosen as well as by all."""


@dataclass(frozen=True)
class Rest:
    """A fold, and the model without it: None where nothing is left."""

    rows: Integers
    model: Any


@dataclass(frozen=True, repr=False)
class CrossFit:
    """What models without the row's fold say of each row, and how good that is.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3]] * 5, ["tea", "tea", "rum", "rum"] * 5
    >>> sf.evaluate.crossfit(sf.MultinomialNB(), X, y)
    CrossFit(20 rows in 5 folds, log loss 0.0514, accuracy 1.0000)
    """

    classes: NDArray[Any]
    codes: Integers  # the true class of each row
    log_probabilities: Array  # rows × classes
    weights: Array
    fold: Integers  # the number of each row's fold
    alone: Booleans  # rows whose class has no row in another fold; they are left out of log_loss and accuracy

    @property
    def probabilities(self) -> Array:
        """Probabilities of each row and class, by a model that knows nothing of the row."""
        return np.exp(self.log_probabilities)

    @property
    def losses(self) -> Array:
        """−ln p of the true class of each row; not clipped."""
        return np.asarray(-self.log_probabilities[np.arange(len(self.codes)), self.codes])

    @property
    def log_loss(self) -> float:
        """Weighted mean of −ln p of the true class; not clipped."""
        judged = ~self.alone & (self.weights > 0)
        weights = self.weights[judged]
        return float(weights @ self.losses[judged] / weights.sum()) if judged.any() else float("nan")

    @property
    def accuracy(self) -> float:
        """Weighted share of rows whose most probable class is the true one."""
        judged = np.where(self.alone, 0.0, self.weights)
        right = self.log_probabilities.argmax(axis=1) == self.codes
        return float(judged @ right / judged.sum()) if judged.any() else float("nan")

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.fold.max()) + 1

    @property
    def n_singletons(self) -> int:
        """Rows whose class has no row in another fold: no model without them knows it."""
        return int(self.alone.sum())

    def __repr__(self) -> str:
        how = f"{counted(len(self.codes), 'row')} in {counted(self.n_folds, 'fold')}"
        return f"CrossFit({how}, log loss {self.log_loss:.4f}, accuracy {self.accuracy:.4f})"


def crossfit(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, folds: int = FOLDS
) -> CrossFit:
    """Estimate how a classifier will do on new rows: each row is judged by a model that knows nothing of it.

    Rows are dealt into folds, the same ones each time, with classes and groups in view. A fold's counts are subtracted
    from the whole, and what is chosen by rows (pseudo-count, temper, weights, kinds of columns, priors by evidence) is
    chosen anew by the rows outside. The result is that of refitting for each fold; rows are counted twice, not so many
    times as there are folds.

    Parameters
    ----------
    model : classifier
        Any of this library. If it is fitted, it must have learned these rows, and it stays as it is; otherwise a copy
        is fitted to them.
    X, y : as for fit
        The rows that were learned, or some of them, and their labels.
    sample_weight : array-like of shape (n_rows,), default=None
        Their weights, as they were learned with.
    groups : array-like of shape (n_rows,), default=None
        Rows that belong together, such as those of one author: no group is cut.
    folds : int, default=5
        How many folds; fewer where there are not so many rows, or groups.

    Returns
    -------
    found : CrossFit
        With ``log_probabilities``, ``probabilities``, ``log_loss``, ``accuracy`` and ``fold``. Rows whose class is in
        no other fold, ``n_singletons`` of them, are left out of loss and accuracy.

    Examples
    --------
    >>> import suffice as sf
    >>> texts, labels = ["cheap pills", "lunch at noon", "cheap watches", "lunch?"] * 5, ["spam", "ham"] * 10
    >>> found = sf.evaluate.crossfit(sf.TextClassifier().fit(texts, labels), texts, labels)
    >>> found.probabilities.shape, found.accuracy
    ((20, 2), 1.0)
    """
    if not hasattr(model, "_take_rows"):
        raise KindError(
            f"The argument 'model' of crossfit must be a classifier of suffice whose counts can be taken apart; got "
            f"{type(model).__name__}."
        )
    if not hasattr(model, "classes_"):
        model = clone(model).fit(X, y, sample_weight=sample_weight, groups=groups)
    return judged_by_folds(model, X, y, sample_weight, groups, folds)[0]


def judged_by_folds(
    model: Any, X: Any, y: Any, sample_weight: Any, groups: Any, folds: int, keep: bool = False
) -> tuple[CrossFit, list[Any]]:
    """What is found, and if they are to be kept, the models without each fold."""
    X, y, codes, weights, group = _given(model, X, y, sample_weight, groups)
    fold = fold_numbers(codes, group, folds)
    logs = np.full((len(codes), len(model.classes_)), -np.inf)
    alone, models = np.zeros(len(codes), bool), list[Any]()
    for rest in rests(model, X, y, sample_weight, groups, fold):
        known = np.zeros(len(model.classes_), bool)
        if rest.model is not None:
            place = np.searchsorted(model.classes_, rest.model.classes_)
            logs[np.ix_(rest.rows, place)] = rest.model.predict_log_proba(model._take_rows(X, rest.rows))
            known[place] = rest.model._class_rows() > 0
        alone[rest.rows] = ~known[codes[rest.rows]]
        models += [rest.model] if keep else []
    return CrossFit(model.classes_, codes, np.minimum(logs, 0.0), weights, fold, alone), models


def rests(model: Any, X: Any, y: Any, sample_weight: Any, groups: Any, fold: Integers) -> Iterator[Rest]:
    """Folds one after the other, each with the model without it; its views are chosen by the rows given outside."""
    X, y, _, weights, _ = _given(model, X, y, sample_weight, groups)
    _enough(model, weights)
    parts = [None if part is None else np.asarray(part) for part in (y, sample_weight, groups)]
    for k in range(int(fold.max(initial=-1)) + 1):
        inside, outside = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        if not weights[outside].any() and np.allclose(weights.sum(), model._class_rows().sum()):
            yield Rest(inside, None)
            continue
        mine, others = ([None if part is None else part[which] for part in parts] for which in (inside, outside))
        rest = copy(model)
        rest._journal = None  # a copy that is not kept owes nobody a certificate
        if not rest._can_leave_out():  # its statistics cannot be taken apart
            rows = model._take_rows(X, outside)
            yield Rest(inside, clone(model).fit(rows, others[0], sample_weight=others[1], groups=others[2]))
            continue
        if weights[inside].any():
            rest.forget(model._take_rows(X, inside), mine[0], mine[1], drop_views=True)
        if model._chosen or hasattr(model, "columns_"):  # otherwise rows choose nothing
            rows = model._take_rows(X, outside)
            rest._choose_models(rows, others[0], others[1])
            if model._chosen:
                rest._chosen = {}
                rest._fit_views(rows, *others)
        yield Rest(inside, rest)


def fold_numbers(codes: Integers, group: Integers | None, folds: int) -> Integers:
    """The fold of each row: classes are spread evenly, groups stay whole, and nothing is drawn by chance.

    >>> fold_numbers(np.array([0, 0, 0, 0, 1, 1]), None, 2)
    array([0, 1, 0, 1, 0, 1])
    >>> fold_numbers(np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2]), 2)
    array([0, 0, 1, 1, 0, 0])
    """
    given: Any = folds
    if not isinstance(given, int | np.integer) or given < 2:
        raise InputError(f"The argument 'folds' must be a whole number of at least 2; got {folds!r}.")
    if group is None:
        order = np.lexsort((hashed(np.arange(len(codes))), codes))
        fold = np.empty(len(codes), np.int64)
        fold[order] = np.arange(len(codes)) % min(folds, max(len(codes), 1))
        return fold
    return _of_groups(codes, group, min(folds, int(group.max(initial=0)) + 1))[group]


def _of_groups(codes: Integers, group: Integers, folds: int) -> Integers:
    """The fold of each group: large ones first, each to the fold that has least of its classes."""
    classes = int(codes.max(initial=-1)) + 1
    size = np.bincount(codes, minlength=classes).astype(np.float64)
    rows = gone_by(group, codes, np.ones(len(codes)), classes)
    has, total = np.zeros((folds, classes)), np.zeros(folds)
    fold = np.empty(rows.shape[0], np.int64)
    sizes = np.asarray(rows.sum(axis=1)).ravel()
    for g in np.lexsort((hashed(np.arange(rows.shape[0])), -sizes)).tolist():
        its = slice(rows.indptr[g], rows.indptr[g + 1])
        which, count = rows.indices[its], rows.data[its]
        k = int(np.lexsort((total, has[:, which] @ (count / size[which] ** 2)))[0])
        has[k, which] += count
        total[k] += sizes[g]
        fold[g] = k
    return fold


def _given(model: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Any, Any, Integers, Array, Any]:
    """Rows that can be taken apart, labels, their codes, weights, and codes of groups."""
    X = list(X) if isinstance(X, Iterator) else X
    X, y = model._rows_and_labels(X, y)
    codes = model._codes_of(y)
    if not len(codes):
        raise LabelError("The argument 'y' must hold at least one label; got none.")
    weights = read_weights(sample_weight, len(codes))
    group = None if groups is None else group_codes(groups, len(codes))
    return X, y, codes, np.ones(len(codes)) if weights is None else weights, group


def _enough(model: Any, weights: Array) -> None:
    """Raise if there are more rows than were learned, or too few to choose views by."""
    learned, given = float(model._class_rows().sum()), float(weights.sum())
    if given > learned * (1 + 1e-9):
        raise SubtractionError("Rows can be left out only where they were learned; there are more than that.")
    if model._chosen and given < min(learned / 2, ENOUGH):
        raise InputError(
            "The argument 'X' must hold the rows that were learned, or most of them, since they choose views anew "
            f"(leave_one_out with views='fixed' does without); got {given:,.15g} of {learned:,.15g}."
        )
