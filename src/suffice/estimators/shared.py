"""What every classifier of ours shares: questions answered by Bayes' rule, views made when asked for, whole changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets

from suffice.errors import LabelError
from suffice.estimators.algebra import Additive, narrowest
from suffice.estimators.evident import Evident
from suffice.estimators.explaining import Explaining
from suffice.estimators.held_out import HeldOut
from suffice.estimators.journaled import Journaled
from suffice.estimators.stored import Stored
from suffice.estimators.uncertain import Uncertain
from suffice.estimators.views import Views
from suffice.estimators.shell.whole import Whole
from suffice.models import decide, joint, log_posterior
from suffice.models.logs import log
from suffice.posterior import Dirichlet
from suffice.text import unwrapped
from suffice.typing import Array, Integers

__all__ = ["ESTIMATES", "Classifier", "class_log_prior", "classes_and_codes", "is_gap", "labelled"]

ESTIMATES = StrOptions({"mle", "map", "mean", "predictive"})


class Classifier(
    Whole, Additive, Journaled, HeldOut, Evident, Uncertain, Views, Explaining, Stored, ClassifierMixin, BaseEstimator
):
    """Statistics make a scorer when one is first needed; what is asked of it goes through Bayes' rule."""

    _made: dict[str, Any]

    @abstractmethod
    def _ask(self, question: Callable[[Any, Any, Array], Any], X: Any) -> Any:
        """The answer of `question(scorer, rows, log_prior)`."""

    def predict(self, X: Any) -> Any:
        """The most probable class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            A label from ``classes_`` for each row.
        """
        codes = self._ask(decide, X)
        return self.classes_[codes]

    def predict_joint_log_proba(self, X: Any) -> Array:
        """ln p(x, c) = ln p(c) + ln p(x | c) of each row and class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        scores: Array = self._ask(joint, X)
        return scores

    def predict_log_proba(self, X: Any) -> Array:
        """ln p(c | x) of each row and class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        logs: Array = self._ask(log_posterior, X)
        return logs

    def predict_proba(self, X: Any) -> Array:
        """p(c | x) of each row and class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; rows add up to one.
        """
        logs: Array = self._ask(log_posterior, X)
        return np.exp(logs, out=logs)

    def _powers(self, X: Any) -> Any:
        """What the likelihood of each row is raised to: a number for all, or one for each."""
        temper = self.temper_
        return temper.of(self._lengths(X) if temper.length else None)

    def _known_classes(self, classes: Any, first: bool) -> Any:
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if first:
            return np.unique(np.asarray(classes))
        if classes is not None and not np.array_equal(self.classes_, np.sort(np.asarray(classes))):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        return self.classes_

    def _view(self, name: str, make: Callable[[], Any]) -> Any:
        """What is made of the statistics, when it is first asked for; every change of them starts anew."""
        made = self._made
        if name not in made:
            view = make()
            for array in view if isinstance(view, list) else [view]:
                if isinstance(array, np.ndarray):
                    array.setflags(write=False)  # changes to it would change nothing
            made.setdefault(name, view)  # another thread may have been faster; all see the same one
        return made[name]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "_made": {}} if "_made" in state else state


def classes_and_codes(y: Any) -> tuple[Any, Integers]:
    """The classes, sorted, and the place of each row's among them."""
    if y.dtype.kind in "iuf" and y.ndim == 1 and len(y):
        least, most = y.min().item(), y.max().item()
        near = most - least < max(1024, len(y)) and -(2**62) < least <= most < 2**62  # never of NaN
        if near and (y.dtype.kind != "f" or (y == np.floor(y)).all()):  # no need to sort
            shifted = y.astype(np.int64, copy=False) - int(least)
            seen = np.bincount(shifted, minlength=1) > 0
            places = np.cumsum(seen) - 1
            return (np.flatnonzero(seen) + int(least)).astype(y.dtype), places[shifted]
    if y.dtype.kind != "U" or y.ndim != 1:
        check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return narrowest(classes), codes


def labelled(y: Any) -> Any:
    """Labels as they are, if all of them are there; Arrow's scalars as what they hold."""
    y = unwrapped(y) if isinstance(y, list | tuple) else y
    row = _first_gap(y)
    if row is not None:
        raise LabelError(
            f"Input y contains NaN or None, first in row {row}: every row needs a label. Leave such rows out; "
            "SemiSupervised learns from them, too."
        )
    return y


def _first_gap(y: Any) -> int | None:
    """The first row without a label; a list is looked at before numpy makes words of None and NaN."""
    if isinstance(y, list | tuple):
        kinds = [kind for kind in set(map(type, y)) if _may_be_gap(kind)]
        return next((row for row, value in enumerate(y) if type(value) in kinds and is_gap(value)), None)
    values = np.asarray(y) if hasattr(y, "__array__") else None
    if values is None or values.ndim != 1 or values.dtype.kind not in "fO":
        return None
    gaps = np.isnan(values) if values.dtype.kind == "f" else np.array([is_gap(value) for value in values], bool)
    return int(np.argmax(gaps)) if gaps.any() else None


def _may_be_gap(kind: type) -> bool:
    return kind.__name__ in ("NoneType", "NAType", "NaTType") or issubclass(kind, float | np.floating)


def is_gap(label: Any) -> bool:
    """Whether a label is None, NaN, NA or NaT."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float | np.floating) and bool(np.isnan(label))


def class_log_prior(estimator: Any, counts: Array) -> Array:
    """ln p(c), by rows of each class on the last axis: by a Dirichlet belief, as given, as counted, or uniform."""
    prior, classes = estimator.class_prior, counts.shape[-1]
    if isinstance(prior, Dirichlet):
        if prior.alpha.shape != (classes,):
            raise ValueError(
                f"The 'class_prior' parameter of {type(estimator).__name__} must be a Dirichlet of {classes} "
                f"categories, one per class. Got one of shape {prior.alpha.shape} instead."
            )
        belief = prior.alpha + counts
        return np.asarray(np.log(belief / belief.sum(axis=-1, keepdims=True)))
    if prior is not None:
        if len(prior) != classes:
            raise ValueError("Number of priors must match number of classes.")
        return log(np.asarray(prior, np.float64))
    if estimator.fit_prior:
        total = counts.sum(axis=-1, keepdims=True)
        return log(counts) - np.log(np.where(total > 0, total, 1.0))
    return np.full(classes, -np.log(classes))
