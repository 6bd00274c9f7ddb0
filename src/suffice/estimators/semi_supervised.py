"""Few labels and many rows without: EM over any generative classifier."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from suffice.errors import LabelError
from suffice.estimators.algebra import all_or_nothing
from suffice.estimators.em import Rows, alpha_by_rows, copy_of, loss_of, reporter, tell_of_end
from suffice.estimators.kept import Kept
from suffice.estimators.unlabelled import partly_labelled, read_rows, rows_and_labels, size, some
from suffice.estimators.views import is_loo
from suffice.models.em import Course, climb
from suffice.stats.words import read_weights
from suffice.typing import Array, Integers

__all__ = ["SemiSupervised"]

SHARES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Weights of unlabelled rows that are tried."""


class SemiSupervised(Kept, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier that also learns from rows without labels.

    The model that the labelled rows make says how probable each class is for each of the others; they are counted by
    these shares, and that again until nothing changes (EM). It helps where labels are few and the model is roughly
    right; with many labels, or a model that is wrong, it may do harm, which ``unlabelled_weight="loo"`` is there for.

    Parameters
    ----------
    estimator : classifier
        A generative classifier of this library: all but ComplementNB and its kind.
    unlabelled_weight : float or "loo", default=1.0
        What a row without a label counts for, beside one with. "loo" takes the one of 0, 0.01, 0.03, 0.1, 0.3 and 1
        with which the labelled rows, each left out, are predicted best.
    max_iter : int, default=100
        Most steps.
    tol : float, default=1e-4
        A step that changes the objective by no more than this, in nats a row, is the last.
    verbose : bool, default=False
        Whether to tell of each step.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier, an ordinary one: it explains, merges, forgets and can be saved.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    unlabelled_weight_ : float
        The weight in use.
    losses_ : dict
        With "loo", the log loss of labelled rows by each weight.
    objective_ : list of float
        ln p of labelled rows and labels, of the others, and of the parameters: at the start, and after each step.
    n_iter_ : int
        How often the model was made, by the labelled rows alone first.
    converged_ : bool
        Whether they came to an end.
    transduction_ : ndarray
        The label of each row of X as given, or as predicted where there was none; then those of `unlabelled`. Not set
        by engines (`suffice.engines`), which have no order of rows.

    Notes
    -----
    No step takes the objective down (EM-1) where parameters are plugged in at their mean or mode under a fixed prior.
    With "predictive" estimates, and with priors, bins or variance floors that follow the data, it may waver.

    What a classifier chooses by rows is not in force during the steps: `temper` and evidence `weights` are fitted at
    the end, by leaving out the labelled rows; `alpha`, if it is to be chosen so, before, by these alone. While a
    labelled row is left out, the shares of the others stay as they are, though it had a say in them.

    Columns of a table get their models by all rows, as if they were of one class; numbers are normal where they would
    be cut into bins, unless these are declared. Words are cut (`min_df` and the like) by all texts.

    Examples
    --------
    >>> import suffice as sf
    >>> texts = ["cheap pills", "lunch at noon", "pills and watches", "watches on sale", "noon in the park"]
    >>> model = sf.SemiSupervised(sf.TextClassifier()).fit(texts, ["spam", "ham", None, None, None])
    >>> model.transduction_
    array(['spam', 'ham', 'spam', 'spam', 'ham'], dtype='<U4')
    >>> model.predict(["a sale in the park", "on sale"])
    array(['ham', 'spam'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "unlabelled_weight": [Interval(Real, 0, None, closed="left"), StrOptions({"loo"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean"],
    }

    _more = ("unlabelled_weight_", "losses_")

    estimator_: Any
    classes_: Any
    unlabelled_weight_: float
    losses_: dict[float, float]
    objective_: list[float]
    n_iter_: int
    converged_: bool
    transduction_: Any

    def __init__(
        self,
        estimator: Any,
        *,
        unlabelled_weight: Any = 1.0,
        max_iter: int = 100,
        tol: float = 1e-4,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.unlabelled_weight = unlabelled_weight
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__() if hasattr(self.estimator, "__sklearn_tags__") else tags
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags or tags.classifier_tags
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, unlabelled: Any = None) -> Self:
        """Fit to rows of which some have labels.

        Parameters
        ----------
        X : as for the estimator
            Training rows: an array, a table, or texts.
        y : array-like of shape (n_rows,), or str
            Labels; −1, None, NaN or NA for a row without. Of a table, also the name of their column.
        sample_weight : array-like of shape (n_rows,), default=None
            What each row of X counts for; one if not given.
        unlabelled : as X, default=None
            More rows without labels, each of weight one.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        with all_or_nothing(self):
            model = copy_of(self.estimator, "SemiSupervised")
            X, y = rows_and_labels(model, X, y)
            more = None if unlabelled is None else read_rows(model, unlabelled)
            self.classes_, codes = partly_labelled(y, size(X))
            weights = read_weights(sample_weight, size(X))
            _check(codes, weights)
            weights = np.ones(len(codes)) if weights is None else weights
            seen = weights > 0  # a row of no weight was not seen, nor what it holds
            course = self._fit(model, some(X, seen), codes[seen], weights[seen], more)
            tell_of_end("SemiSupervised", course, self.max_iter)
            self._transduce(X, codes, more)
        return self

    def _fit(self, model: Any, X: Any, codes: Integers, weights: Array, more: Any) -> Course:
        has = codes >= 0
        known, labelled = some(X, has), (some(X, has), self.classes_[codes[has]], weights[has])
        free = [(some(X, ~has), weights[~has])] if not has.all() else []
        free += [(more, np.ones(size(more)))] if more is not None and size(more) else []
        alpha = alpha_by_rows(model, *labelled)
        model._chosen = {} if alpha is None else {"alpha": alpha}
        return self._climb(Rows(model, self.classes_, known, codes[has], weights[has], free), labelled)

    def _climb(self, rows: Any, labelled: Any) -> Course:
        """The steps, over rows that are here or elsewhere; labelled ones, if given, choose what rows are to choose."""
        if is_loo(self.unlabelled_weight):
            course = self._weigh(rows, labelled)
        else:
            self.unlabelled_weight_ = float(self.unlabelled_weight)
            course = self._course(rows, self.unlabelled_weight_)
        self.objective_, self.n_iter_, self.converged_ = course.objective, len(course.objective), course.converged
        if labelled is not None:
            rows.model._fit_views(*labelled)
        self.estimator_ = rows.model
        return course

    def _weigh(self, rows: Any, labelled: Any) -> Course:
        """The course of the weight by which labelled rows, each left out, are predicted best."""
        self.losses_ = {}
        best: Any = None
        for share in SHARES:
            course = self._course(rows, share)
            loss = self.losses_[share] = loss_of(rows.model, *labelled)
            if best is None or loss <= best[0]:  # of equals, the largest weight
                best = loss, share, course, rows.model._get_statistics()
        _, self.unlabelled_weight_, found, statistics = best
        rows.model._take_statistics(self.classes_, statistics)
        chosen: Course = found
        return chosen

    def _course(self, rows: Any, share: float) -> Course:
        rows.weigh(share)
        rows.forget_shares()
        tell = reporter("SemiSupervised", self.verbose, rows.weight, f"weight {share:g}, ")
        return climb(rows, self.max_iter, self.tol, tell)

    def _transduce(self, X: Any, codes: Integers, more: Any) -> None:
        has = codes >= 0
        labels = self.classes_[codes]
        if not has.all():
            labels[~has] = self.estimator_.predict(some(X, ~has))
        parts = [labels] if more is None or not size(more) else [labels, self.estimator_.predict(more)]
        self.transduction_ = np.concatenate(parts)

    def _restored(self) -> None:
        self.classes_ = self.estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Any:
        """Names of the features, if X had them."""
        return self.estimator_.feature_names_in_

    def predict(self, X: Any) -> Any:
        """The most probable class of each row.

        Parameters
        ----------
        X : as for fit
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            A label from ``classes_`` for each row.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> Array:
        """p(c | x) of each row and class.

        Parameters
        ----------
        X : as for fit
            Rows to classify.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; rows add up to one.
        """
        check_is_fitted(self)
        probabilities: Array = self.estimator_.predict_proba(X)
        return probabilities

    def predict_log_proba(self, X: Any) -> Array:
        """ln p(c | x) of each row and class.

        Parameters
        ----------
        X : as for fit
            Rows to classify.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        logs: Array = self.estimator_.predict_log_proba(X)
        return logs

    @available_if(lambda self: hasattr(self.estimator, "explain"))
    def explain(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Weights of evidence of one row; see the estimator's own ``explain``."""
        check_is_fitted(self)
        return self.estimator_.explain(x, *args, **kwargs)


def _check(codes: Integers, weights: Array | None) -> None:
    """Some labels must be there, and weigh something."""
    if not (codes >= 0).any():
        raise LabelError(
            f"The argument 'y' must hold a label for some row; all {len(codes):,} are missing. Use Mixture to find "
            "clusters."
        )
    counted = codes >= 0 if weights is None else (codes >= 0) & (weights > 0)
    if len(np.unique(codes[counted])) < codes.max() + 1:
        raise LabelError("The argument 'sample_weight' must leave each class a row whose weight is above zero.")
