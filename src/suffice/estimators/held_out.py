"""Leave-one-out for every classifier: what it would have said of each training row, had it not seen it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, LabelError, SubtractionError
from suffice.estimators.crossfit import FOLDS, fold_numbers, rests
from suffice.models.bayes import normalise
from suffice.models.removal import group_codes
from suffice.models.temper import raised
from suffice.stats.words import read_weights
from suffice.typing import Array, Integers

__all__ = ["HeldOut"]


class HeldOut:
    """Predictions of training rows by the model without them."""

    classes_: Any
    _chosen: dict[str, Any]
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

    def leave_one_out(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, views: str = "crossfit"
    ) -> Array:
        """Probabilities of each training row under the model without that row.

        The row leaves the counts exactly, in one pass. What was chosen by rows (pseudo-count, temper, evidence weights,
        a prior by leave-one-out) is a view, which has seen the row too: by default each row is judged with views that
        were chosen without it. Bins, kinds of columns, priors by evidence and vocabulary follow the counts of all rows;
        ``sf.evaluate.crossfit`` chooses these anew, too.

        Parameters
        ----------
        X : as for fit
            The rows that were learned, or most of them; with fixed views, any of them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights, as they were learned with.
        groups : array-like of shape (n_rows,), default=None
            Rows that belong together, such as those of one author: each is predicted without its whole group.
        views : {"crossfit", "fixed"}, default="crossfit"
            "crossfit" deals rows into five folds, and judges those of a fold with views chosen anew by the others: an
            estimate of how the model does on new rows. "fixed" keeps the views as they are: quicker, and exact only
            where nothing was chosen by rows; otherwise the model looks better than it is. Where nothing was chosen,
            both are the same.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Columns in the order of ``classes_``. `loo_log_loss_`, `loo_accuracy_` and `n_singletons_` are set: the last
            is the number of rows whose class has no other row; they have probability 0 of it, unless the class prior
            is a belief or given, and are left out of the other two.

        Examples
        --------
        >>> import suffice as sf
        >>> X, y = [[3, 0], [2, 1], [0, 4], [1, 3]] * 5, ["tea", "tea", "rum", "rum"] * 5
        >>> model = sf.MultinomialNB(temper="loo").fit(X, y)
        >>> model.leave_one_out(X, y)[0].round(2)
        array([0.01, 0.99])
        """
        if views not in ("crossfit", "fixed"):
            raise InputError(f"The argument 'views' must be 'crossfit' or 'fixed'; got {views!r}.")
        check_is_fitted(self)
        X, y = self._rows_and_labels(list(X) if isinstance(X, Iterator) else X, y)
        if views == "fixed" or not self._chosen:
            logs, codes, weights, gone = self._judged_alone(X, y, sample_weight, groups)
        else:
            logs, codes, weights, gone = self._judged_by_folds(X, y, sample_weight, groups)
        self._sum_up(logs, codes, weights, gone)
        return np.exp(logs, out=logs)

    def _judged_by_folds(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Array, Integers, Array, Array]:
        """Log-probabilities without the row, with views chosen without its fold; codes, weights, and what goes."""
        owner: Any = self
        codes = self._codes_of(y)
        group = None if groups is None else group_codes(groups, len(codes))
        weights = read_weights(sample_weight, len(codes))
        weights = np.ones(len(codes)) if weights is None else weights
        gone = self._gone(codes, weights, group)
        parts = [None if part is None else np.asarray(part) for part in (y, sample_weight, groups)]
        logs = np.empty((len(codes), len(self.classes_)))
        for rest in rests(owner, X, y, sample_weight, groups, fold_numbers(codes, group, FOLDS)):
            judge = copy(owner)
            judge._chosen = {} if rest.model is None else rest.model._chosen
            judge._set_statistics(owner.classes_, owner._get_statistics())
            mine = [None if part is None else part[rest.rows] for part in parts]
            logs[rest.rows] = judge._judged_alone(owner._take_rows(X, rest.rows), *mine)[0]
        return logs, codes, weights, gone

    def _judged_alone(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Array, Integers, Array, Array]:
        """Log-probabilities without the row, with views as they are; codes, weights, and what goes."""
        owner: Any = self
        scores, prior, codes, weights, gone = self._left_out(X, y, sample_weight, groups)
        raised(scores, owner._powers(X))
        scores += prior
        normalise(scores, prior)
        return scores, codes, weights, gone

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
