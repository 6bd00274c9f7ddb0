"""How good predictions are of rows by models that have not seen them; leave-one-out is the closest such model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from suffice.errors import KindError
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.whole import whole
from suffice.telling import counted
from suffice.typing import Array, Booleans, Integers

__all__ = ["LeaveOneOut", "Validation", "leave_one_out", "ready"]


@dataclass(frozen=True, repr=False)
class Validation:
    """What models that have not seen a row say of it, for each row, and how good that is."""

    classes: NDArray[Any]
    codes: Integers  # the true class of each row
    log_probabilities: Array  # rows × classes
    weights: Array
    alone: Booleans  # rows whose class has no row that the judging model has seen; left out of log_loss and accuracy

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
    def n_singletons(self) -> int:
        """Rows whose class the model that judges them does not know, since it has seen no other row of it."""
        return int(self.alone.sum())

    def _rows(self) -> str:
        return counted(len(self.codes), "row")

    def __repr__(self) -> str:
        scores = f"log loss {self.log_loss:.4f}, accuracy {self.accuracy:.4f}"
        return f"{type(self).__name__}({self._rows()}, {scores})"


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Validation):
    """What a model without the row, or without its group, says of each row, and how good that is.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3]] * 5, ["tea", "tea", "rum", "rum"] * 5
    >>> sf.evaluate.leave_one_out(sf.MultinomialNB(), X, y)
    LeaveOneOut(20 rows, log loss 0.0571, accuracy 1.0000)
    """


def leave_one_out(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, views: str = "crossfit"
) -> LeaveOneOut:
    """Judge each training row by the model without it: probabilities as ``model.leave_one_out`` gives them, and scores.

    Parameters
    ----------
    model : classifier
        Any of this library. If it is fitted, it must have learned these rows, and it stays as it is; otherwise a copy
        is fitted to them.
    X, y, sample_weight, groups, views : as for ``model.leave_one_out``
        The rows that were learned, their labels and weights, which of them belong together, and whether what was chosen
        by rows is chosen anew without them.

    Returns
    -------
    found : LeaveOneOut
        With ``log_loss``, ``accuracy``, ``probabilities``, ``log_probabilities`` and ``losses``. Rows whose class has
        no other row, ``n_singletons`` of them, have probability 0 of it, unless the class prior is a belief or given;
        they are left out of loss and accuracy.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3], [9, 9]], ["tea", "tea", "rum", "rum", "gin"]
    >>> found = sf.evaluate.leave_one_out(sf.MultinomialNB().fit(X, y), X, y)
    >>> round(found.log_loss, 3), found.accuracy, found.n_singletons
    (0.588, 1.0, 1)
    """
    X = list(X) if isinstance(X, Iterator) else X
    fitted = whole(ready(model, "leave_one_out", X, y, sample_weight, groups))
    examples, logs, alone = fitted._left_out(X, y, sample_weight, groups, views)
    return LeaveOneOut(fitted.classes_, examples.codes, np.minimum(logs, 0.0), examples.labels.given, alone)


def ready(model: Any, name: str, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
    """Return the model if it is fitted, otherwise a copy fitted to the rows; raise KindError for other libraries'."""
    if not isinstance(model, Classifier):
        raise KindError(
            f"The argument 'model' of {name} must be a classifier of suffice whose counts can be taken apart; got "
            f"{type(model).__name__}."
        )
    if model.__sklearn_is_fitted__():
        return model
    return clone(model).fit(X, y, sample_weight=sample_weight, groups=groups)
