"""Leave-one-out for every classifier: what it would have said of each training row, had it not seen it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import LabelError, SubtractionError
from suffice.models.bayes import normalise
from suffice.models.removal import group_codes
from suffice.models.temper import raised
from suffice.stats.words import read_weights
from suffice.typing import Array, Integers

__all__ = ["HeldOut"]


class HeldOut:
    """Predictions of training rows by the model without them."""

    classes_: Any
    loo_log_loss_: float
    loo_accuracy_: float
    n_singletons_: int

    @abstractmethod
    def _leave_out(self, X: Any, codes: Integers, weights: Array, group: Integers | None) -> Array:
        """Scores of rows, each by classes without it or its group: rows × classes."""

    @abstractmethod
    def _log_prior_of(self, counts: Array) -> Array:
        """ln p(c) if these were the rows of each class, last axis classes."""

    @abstractmethod
    def _class_rows(self) -> Array:
        """Rows of each class."""

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Array:
        """Probabilities of each training row under the model without that row: exact, in one pass.

        Smoothing, bins, kinds of columns, vocabulary and all that was chosen stay as they are.

        Parameters
        ----------
        X : as for fit
            The rows that were learned, or some of them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights, as they were learned with.
        groups : array-like of shape (n_rows,), default=None
            Rows that belong together, such as those of one author: each is predicted without its whole group.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes_``. `loo_log_loss_`, `loo_accuracy_` and `n_singletons_` are set: the last
            is the number of rows whose class has no other row; they have probability 0 of it, unless the class prior
            is a belief or given, and are left out of the other two.
        """
        owner: Any = self
        X, y = self._rows_and_labels(X, y)
        scores, prior, codes, weights, gone = self._left_out(X, y, sample_weight, groups)
        raised(scores, owner._powers(X))
        scores += prior
        normalise(scores, prior)
        self._sum_up(scores, codes, weights, gone)
        return np.exp(scores, out=scores)

    def _left_out(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Array, Array, Integers, Array, Array]:
        """Scores and log prior by classes without the row or its group; codes, weights, and how much of them goes."""
        check_is_fitted(self)
        codes = self._codes_of(y)
        weights = read_weights(sample_weight, len(codes))
        weights = np.ones(len(codes)) if weights is None else weights
        group = None if groups is None else group_codes(groups, len(codes))
        gone = self._gone(codes, weights, group)
        scores = self._leave_out(X, codes, weights, group)
        return scores, self._log_prior_of(self._class_rows() - gone), codes, weights, gone

    def _rows_and_labels(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows, and labels as an array."""
        return X, y

    def _codes_of(self, y: Any) -> Integers:
        labels = np.asarray(y)
        if labels.ndim != 1:
            raise LabelError(f"The argument 'y' must hold one label per row; got shape {labels.shape}.")
        strangers = np.setdiff1d(labels, self.classes_)
        if len(strangers):
            raise LabelError(f"The argument 'y' must hold labels that were learned; got {strangers.tolist()[0]!r}.")
        return np.asarray(np.searchsorted(self.classes_, labels), np.int64)

    def _gone(self, codes: Integers, weights: Array, group: Integers | None) -> Array:
        """Rows of each class that go for each row: rows × classes."""
        alone = np.arange(len(codes)) if group is None else group
        by_group = np.zeros((int(alone.max(initial=-1)) + 1, len(self.classes_)))
        np.add.at(by_group, (alone, codes), weights)
        if (by_group.sum(axis=0) > self._class_rows() * (1 + 1e-12)).any():
            raise SubtractionError("Rows can be left out only where they were learned; there are more than that.")
        gone = by_group[alone]
        return np.where(np.abs(self._class_rows() - gone) <= 1e-12 * gone, self._class_rows(), gone)

    def _sum_up(self, logs: Array, codes: Integers, weights: Array, gone: Array) -> None:
        at = np.arange(len(codes))
        alone = gone[at, codes] >= self._class_rows()[codes]
        judged = np.where(alone, 0.0, weights)
        own, total = logs[at, codes], judged.sum()
        self.n_singletons_ = int(alone.sum())
        self.loo_log_loss_ = float(-(judged @ np.where(alone, 0.0, own)) / total) if total else float("nan")
        self.loo_accuracy_ = float(judged @ (logs.argmax(axis=1) == codes) / total) if total else float("nan")
