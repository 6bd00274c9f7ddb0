"""Evaluate probabilities: log loss without clipping, and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaincinv

from suffice.errors import InputError, LabelError, ShapeError
from suffice.estimators.comparing.validation import CrossFit, LeaveOneOut, crossfit, leave_one_out
from suffice.notebook import bar, card, table
from suffice.readers.labels import labelled
from suffice.telling import counted
from suffice.typing import Array, Integers

__all__ = [
    "CrossFit", "LeaveOneOut", "Reliability", "crossfit", "leave_one_out", "log_loss", "reliability", "share_interval",
]  # fmt: skip


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

    def __repr__(self) -> str:
        many = f"{counted(self.rows.sum(), 'row')} in {counted(len(self.rows), 'bin')}"
        return f"Reliability(error={self.error:.4f}, {many})"

    def _repr_html_(self) -> str:
        rows = zip(self.confidence, self.accuracy, self.rows, map(bar, self.accuracy), strict=True)
        return card(self, lambda: [table(["confidence", "accuracy", "rows", ""], rows, len(self.rows))])


def reliability(probabilities: Any, labels: Any, classes: Any, bins: int = 15) -> Reliability:
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
    given: Any = bins
    if not isinstance(given, int) or given < 1:
        raise InputError(f"The argument 'bins' must be a whole number of at least 1; got {bins!r}.")
    shares, codes = _read(probabilities, labels, classes)
    if not ((shares >= 0) & (shares <= 1 + 1e-9)).all():
        raise InputError("The argument 'probabilities' must hold numbers from 0 to 1, as predict_proba returns them.")
    sure = shares.max(axis=1)
    place = np.minimum((sure * bins).astype(np.int64), bins - 1)
    right = (shares.argmax(axis=1) == codes).astype(np.float64)
    rows = np.bincount(place, minlength=bins).astype(np.float64)
    filled = rows > 0
    confidence, accuracy = (np.bincount(place, part, bins)[filled] / rows[filled] for part in (sure, right))
    return Reliability(confidence, accuracy, rows[filled])


def log_loss(log_probabilities: Any, labels: Any, classes: Any) -> float:
    """Return the mean of −ln of the probability of the true class, from log-probabilities, without clipping.

    >>> log_loss(np.log([[0.5, 0.5], [0.25, 0.75]]), ["a", "b"], ["a", "b"]).__round__(4)
    0.4904
    """
    logs, codes = _read(log_probabilities, labels, classes)
    if not (logs <= 1e-9).all():
        raise InputError(
            "The argument 'log_probabilities' must hold numbers of at most 0, as predict_log_proba returns them."
        )
    return float(-logs[np.arange(len(codes)), codes].mean())


def share_interval(right: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the shortest credible interval of a proportion after `right` successes in `n` trials.

    It is the interval of highest posterior density under a uniform prior. The density is highest at right / n, so the
    bounds always contain the observed proportion, even 0 or 1.

    Parameters
    ----------
    right, n : int
        Number of successes, and number of trials.
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
        raise InputError(f"The argument 'right' must be from 0 to 'n', {n}; got {right}.")
    if not 0 < level < 1:
        raise InputError(f"The argument 'level' must lie between 0 and 1; got {level!r}.")
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


def _read(table: Any, labels: Any, classes: Any) -> tuple[Array, Integers]:
    names, known = np.asarray(labelled(labels)), np.asarray(classes)
    try:
        values = np.asarray(table, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("Probabilities must be numbers, and the first argument, before labels and classes.") from error
    if values.shape != (len(names), len(known)) or not len(names):
        raise ShapeError(
            f"Probabilities must have a row for each label ({counted(len(names), 'row')}, at least one) and a column "
            f"for each class ({len(known)}); got shape {values.shape}."
        )
    place = np.minimum(np.searchsorted(known, names), len(known) - 1)
    strangers = np.flatnonzero(known[place] != names)
    if len(strangers):
        raise LabelError(f"The argument 'labels' must hold classes of the model; got {names[strangers[0]]!r}.")
    return values, place
