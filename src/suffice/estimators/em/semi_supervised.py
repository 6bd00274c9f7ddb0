"""Semi-supervised learning: EM over any generative classifier."""

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
from suffice.estimators.em.partly_labelled import (
    PartlyLabelled,
    alpha_by_labels,
    check_labelled,
    loss_of_labels,
    predicted,
    with_temper_by_halves,
)
from suffice.estimators.em.reading import Begun, checked_copy, opened, opened_again
from suffice.estimators.em.search import reporter, tell_of_end
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
from suffice.models.expectation import Climbed, ShareSource, Weighable, climb
from suffice.models.model import Model
from suffice.models.views import Views
from suffice.readers.labels import Examples, partly_labelled
from suffice.stats.word_counts import read_weights
from suffice.typing import Array, DataLike, Integers, Label, LabelArray, LabelsLike, RowLike, WeightsLike

__all__ = ["SemiSupervised"]

SHARES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Weights of unlabelled rows tried by unlabelled_weight="loo"."""


class SemiSupervised(StandsOnClassifier, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier that also learns from rows without labels.

    A model of the labelled rows gives the probability of each class for every unlabelled row. Unlabelled rows are then
    counted by these probabilities, and both steps repeat until nothing changes (EM). EM helps where labels are few and
    the model is roughly right. With many labels, or a wrong model, it can hurt; ``unlabelled_weight="loo"`` guards
    against that.

    Parameters
    ----------
    estimator : classifier
        A generative classifier of this library; complement models are refused.
    unlabelled_weight : float or "loo", default=1.0
        Weight of an unlabelled row relative to a labelled one. "loo" takes the weight from 0, 0.01, 0.03, 0.1, 0.3 and
        1 with the lowest leave-one-out log loss on the labelled rows.
    max_iter : int, default=100
        Largest number of EM steps.
    tol : float, default=1e-4
        EM stops after a step that changes the objective by at most this, in nats per row.
    verbose : bool, default=False
        Whether to print a line for each step.
    record_bound : bool, default=False
        Whether to record the lower bound of each step in `bound_`.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier. It explains, merges, forgets and can be saved like any other.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    unlabelled_weight_ : float
        Weight of unlabelled rows.
    losses_ : dict
        With "loo", the leave-one-out log loss of the labelled rows for each weight.
    objective_ : list of float
        ln p of the labelled rows with their labels, the unlabelled rows and the parameters, at the start and after each
        step.
    bound_ : list of float
        With `record_bound`, the lower bound after the M step that follows each objective; it lies between that
        objective and the next (EM-4). The last is NaN.
    n_iter_ : int
        Number of models made, the first from the labelled rows alone.
    converged_ : bool
        Whether EM converged.
    transduction_ : ndarray
        Label of each row of X, predicted where it was missing, followed by those of `unlabelled`. Engines
        (`suffice.engines`) do not set it: their rows have no order.

    Notes
    -----
    The objective never decreases (EM-1) if parameters are plugged in at their mean or mode under a fixed prior. With
    "predictive" estimates, and with priors, bins or variance floors that depend on the data, it may.

    Hyperparameters that a classifier chooses on rows are not used during EM. `temper` and `feature_powers` are fitted
    at the end, leaving out the labelled rows one by one; `alpha` is chosen before, from the labelled rows alone. The
    shares of unlabelled rows stay fixed when a labelled row is left out, although it influenced them. So with fewer
    than 200 labels and no weights, a `temper` that rows choose is chosen otherwise: EM runs again without one half of
    the labels, and then without the other, and each half is predicted by the model that never saw its labels (SX-14).
    This takes about three times as long. With one label for each class none can be spared, and probabilities are
    overconfident.

    All rows together choose the models of table columns, as if they had one class. Numeric columns that would be binned
    are modelled as normal, unless bins are declared. All texts decide which words are left out (`min_df` and the like).
    Joint columns (`joint` of NaiveBayes) are not densities and are left out, in ``estimator_`` too.

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
        """Fit to rows, some of which have labels.

        Parameters
        ----------
        X : as for the estimator
            Training rows: an array, a table or texts.
        y : array-like of shape (n_rows,), or str
            Labels; −1, None, NaN or NA for an unlabelled row. For a table, also the name of the label column.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row of X; 1 if not given.
        unlabelled : as X, default=None
            More unlabelled rows, each of weight 1.

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
        """Run EM over rows in memory or elsewhere, from the model of the labelled rows.

        Labelled rows, if given, choose the hyperparameters.
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
            self.estimator_ = with_temper_by_halves(
                self.estimator_, begun, source.weighing(self.unlabelled_weight_), labelled, views, self._climbed
            )
        self._restored()

    def _weigh(self, begun: Begun, source: Weighable, first: Model, labelled: Examples, views: Views) -> Climbed:
        """Return the result of EM for the weight with the lowest leave-one-out log loss on the labelled rows."""
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
        return self._climbed(source.weighing(share), first, f"weight {share:g}, ", self.record_bound)

    def _climbed(
        self, rows: ShareSource, first: Model, told: str = "half of the labels, ", record: bool = False
    ) -> Climbed:
        report = reporter("SemiSupervised", self.verbose, rows.weight, told)
        return climb(rows, first, self.max_iter, self.tol, report, record)

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
        """Explain one row by what each feature adds; see the estimator's own ``explain``."""
        check_is_fitted(self)
        return self.estimator_.explain(x, target, against)
