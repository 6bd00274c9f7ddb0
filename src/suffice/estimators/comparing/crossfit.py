"""How a classifier will do on new rows: each row is judged by a model that knows nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import LabelError
from suffice.estimators.comparing.validation import Validation, ready
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.folds import FOLDS, fold_numbers, rests
from suffice.models.predictor import Predictor
from suffice.models.scoring.removal import group_codes
from suffice.telling import counted
from suffice.typing import Integers

__all__ = ["FOLDS", "CrossFit", "crossfit", "judged_by_folds"]


@dataclass(frozen=True, repr=False)
class CrossFit(Validation):
    """What models without the row's fold say of each row, and how good that is.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3]] * 5, ["tea", "tea", "rum", "rum"] * 5
    >>> sf.evaluate.crossfit(sf.MultinomialNB(), X, y)
    CrossFit(20 rows in 5 folds, log loss 0.0514, accuracy 1.0000)
    """

    fold: Integers  # the number of each row's fold

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.fold.max()) + 1

    def _rows(self) -> str:
        return f"{super()._rows()} in {counted(self.n_folds, 'fold')}"


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
    X = list(X) if isinstance(X, Iterator) else X
    model = ready(model, "crossfit", X, y, sample_weight, groups)
    return judged_by_folds(model, X, y, sample_weight, groups, folds)[0]


def judged_by_folds(
    model: Classifier, X: Any, y: Any, sample_weight: Any, groups: Any, folds: int, keep: bool = False
) -> tuple[CrossFit, list[Any]]:
    """Return what is found, and if they are to be kept, the models without each fold."""
    if not isinstance(y, str) and hasattr(y, "__len__") and not len(y):
        raise LabelError("The argument 'y' must hold at least one label; got none.")
    examples = model._learned(X, y, sample_weight)
    codes, classes = examples.codes, model.classes_
    group = None if groups is None else group_codes(groups, len(codes))
    fold = fold_numbers(codes, group, folds)
    logs = np.full((len(codes), len(classes)), -np.inf)
    alone, models = np.zeros(len(codes), bool), list[Any]()
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
