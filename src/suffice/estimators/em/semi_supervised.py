"""Few labels and many rows without: EM over any generative classifier."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.em.history import StandsOnClassifier
from suffice.estimators.em.reading import Begun, checked_copy, opened, opened_again
from suffice.estimators.em.search import reporter, tell_of_end
from suffice.estimators.em.starts import (
    PartlyLabelled,
    alpha_by_labels,
    check_labelled,
    loss_of_labels,
    predicted,
)
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.parameters import (
    CHECKS,
    Constraints,
    Interval,
    StrOptions,
    Tags,
    Tempering,
    fit_nested,
    is_loo,
)
from suffice.models.answers.explanation import Explanation
from suffice.models.expectation import Climbed, Weighable, climb
from suffice.models.model import Model
from suffice.models.views import Views
from suffice.readers.labels import Examples, partly_labelled
from suffice.stats.word_counts import read_weights
from suffice.typing import Array, DataLike, Integers, Label, LabelArray, LabelsLike, RowLike, WeightsLike

__all__ = ["SemiSupervised"]

SHARES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Weights of unlabelled rows that are tried."""


class SemiSupervised(StandsOnClassifier, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
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
    record_bound : bool, default=False
        Whether to keep the lower bound of each step in `bound_`.

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
    bound_ : list of float
        With `record_bound`, the lower bound after the M step that follows each objective: between that objective and
        the next (EM-4). NaN at the end.
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

    What a classifier chooses by rows is not in force during the steps: `temper` and `feature_weights` are fitted at
    the end, by leaving out the labelled rows; `alpha`, if it is to be chosen so, before, by these alone. While a
    labelled row is left out, the shares of the others stay as they are, though it had a say in them.

    Columns of a table get their models by all rows, as if they were of one class; numbers are normal where they would
    be cut into bins, unless these are declared. Words are cut (`min_df` and the like) by all texts. Columns act alone:
    sets of them (`joint` of NaiveBayes) are no densities, and left out, in ``estimator_`` too.

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

    _parameter_constraints: ClassVar[Constraints] = {
        "estimator": "no_validation",
        "unlabelled_weight": [Interval(Real, 0, None, closed="left"), StrOptions({"loo"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean"],
        "record_bound": ["boolean"],
    }

    _more = ("unlabelled_weight_", "losses_", "bound_")

    classes_: LabelArray
    unlabelled_weight_: float
    losses_: dict[float, float]
    transduction_: LabelArray

    def __init__(
        self,
        estimator: Classifier,
        *,
        unlabelled_weight: Tempering = 1.0,
        max_iter: int = 100,
        tol: float = 1e-4,
        verbose: bool = False,
        record_bound: bool = False,
    ) -> None:
        self.estimator = estimator
        self.unlabelled_weight = unlabelled_weight
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.record_bound = record_bound

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.classifier_tags = self.estimator.__sklearn_tags__().classifier_tags or tags.classifier_tags
        return tags

    @fit_nested
    def fit(
        self, X: DataLike, y: LabelsLike, sample_weight: WeightsLike = None, *, unlabelled: DataLike | None = None
    ) -> Self:
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
        if y is None:
            raise InputError(
                "SemiSupervised requires y to be passed, but the target y is None. Use Mixture without labels."
            )
        estimator = checked_copy(self.estimator, "SemiSupervised")
        source, labels = opened(estimator, X, y)
        reader = estimator._reader
        classes, codes = partly_labelled(labels, reader.size(source), CHECKS)
        weights = read_weights(sample_weight, len(codes))
        check_labelled(codes, weights)
        more = None if unlabelled is None else opened_again(estimator, unlabelled)
        rows = PartlyLabelled.of(reader, source, classes, codes, weights)
        if more is not None:
            rows.free.append((more, np.ones(reader.size(more))))
        self._fit(rows.begun(estimator), rows)
        tell_of_end("SemiSupervised", self.converged_, self.max_iter)
        self.transduction_ = self._transduce(source, codes, more)
        return self

    def _fit(self, begun: Begun, rows: PartlyLabelled) -> None:
        shared = rows.rows(begun, Views())
        views = Views(alpha=alpha_by_labels(begun.estimator, shared.of_labels, rows.labelled))
        shared = replace(shared, empty=begun.empty(rows.labelled.classes, views))
        self._climb(begun, shared, shared.of_labels, rows.labelled, views)

    def _climb(self, begun: Begun, source: Weighable, first: Model, labelled: Examples | None, views: Views) -> None:
        """Make the steps over rows that are here or elsewhere, from the model of rows with labels.

        Rows with labels, if they are given, choose what rows are to choose.
        """
        self.__dict__.pop("losses_", None)
        if labelled is not None and is_loo(self.unlabelled_weight):
            climbed = self._weigh(begun, source, first, labelled, views)
        else:
            self.unlabelled_weight_ = float(self.unlabelled_weight)
            climbed = self._steps(source, first, self.unlabelled_weight_)
        history = climbed.history
        self._keep(history.objective, history.bound, history.converged)
        self.estimator_ = begun.fitted(climbed.model, views if labelled is None else None)
        if labelled is not None:
            self.estimator_._choose(labelled, None)
        self._restored()

    def _weigh(self, begun: Begun, source: Weighable, first: Model, labelled: Examples, views: Views) -> Climbed:
        """Return where the weight leads to by which labelled rows, each left out, are predicted best."""
        self.losses_ = {}
        rows, found = begun.rows(labelled.source), dict[float, Climbed]()
        for share in SHARES:
            found[share] = self._steps(source, first, share)
            predictor = begun.predictor(found[share].model, views)
            self.losses_[share] = loss_of_labels(predictor, rows, labelled.labels, begun.length_exponent)
        least = min(self.losses_.values())
        self.unlabelled_weight_ = max(share for share in SHARES if self.losses_[share] == least)
        return found[self.unlabelled_weight_]

    def _steps(self, source: Weighable, first: Model, share: float) -> Climbed:
        rows = source.weighing(share)
        report = reporter("SemiSupervised", self.verbose, rows.weight, f"weight {share:g}, ")
        return climb(rows, first, self.max_iter, self.tol, report, self.record_bound)

    def _transduce(self, source: Any, codes: Integers, more: Any) -> LabelArray:
        lacks, labels = np.flatnonzero(codes < 0), self.classes_[codes]
        if len(lacks):
            labels[lacks] = predicted(self.estimator_, self.estimator_._reader.take(source, lacks))
        return labels if more is None else np.concatenate([labels, predicted(self.estimator_, more)])

    def _restored(self) -> None:
        self.classes_ = self.estimator_.classes_

    def predict(self, X: DataLike) -> LabelArray:
        """Return the most probable class of each row.

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

    def predict_proba(self, X: DataLike) -> Array:
        """Return p(c | x) of each row and class.

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
        return self.estimator_.predict_proba(X)

    def predict_log_proba(self, X: DataLike) -> Array:
        """Return ln p(c | x) of each row and class.

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
        return self.estimator_.predict_log_proba(X)

    @available_if(lambda self: hasattr(self.estimator, "explain"))
    def explain(self, x: RowLike, target: Label | None = None, against: Label | None = None) -> Explanation:
        """Explain one row by weights of evidence; see the estimator's own ``explain``."""
        check_is_fitted(self)
        return self.estimator_.explain(x, target, against)
