"""Semi-supervised learning: EM over any generative classifier.

A labelled row helps to determine the shares of unlabelled rows like it. If only its own count is left out, these shares
still know its label, and the model seems surer of it than of a new row. So where labels are few, EM runs again without
one half of them and then without the other, and each half is predicted by the model that never saw its labels:

    p(c | x) ∝ (π_c · p(x | c)) ^ s(x)      s(x) = a · n(x)^−γ                                                  SX-14

The power that these predictions choose also applies to the class prior, because EM learns the prior from the shares.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, LabelError
from suffice.estimators.em.base import EMSetup, FittedByEM, checked_copy, opened, opened_again
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
from suffice.models.choosing.judge import judge
from suffice.models.choosing.smoothing import (
    Scored,
    alpha_of_counts,
    choose_posterior_temper,
    choose_temper,
    log_loss,
)
from suffice.models.expectation import Climbed, EMRows, SharedRows, climb
from suffice.models.model import Model
from suffice.models.scoring.cells import AS_IT_IS
from suffice.models.scoring.rows import Labels
from suffice.models.views import Views
from suffice.readers.labels import Examples, RowReader, partly_labelled
from suffice.stats.word_counts import read_weights
from suffice.typing import Array, DataLike, Integers, Label, LabelArray, LabelsLike, RowLike, WeightsLike

SHARES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Weights of unlabelled rows tried by unlabelled_weight="loo"."""


FEW = 200
"""Number of labelled rows from which leaving out single counts is good enough."""

ENOUGH = 50
"""Fewest labelled rows whose leave-one-out log loss chooses a pseudo-count."""


class SemiSupervised(FittedByEM, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
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
            raise InputError("SemiSupervised requires y to be passed, but the target y is None.").advise(
                python="Use Mixture without labels."
            )
        estimator = checked_copy(self.estimator, "SemiSupervised")
        source, labels = opened(estimator, X, y)
        reader = estimator._reader
        classes, codes = partly_labelled(labels, reader.size(source), CHECKS)
        weights = read_weights(sample_weight, len(codes))
        weight = np.ones(len(codes)) if weights is None else weights
        has, lacks = np.flatnonzero((codes >= 0) & (weight > 0)), np.flatnonzero((codes < 0) & (weight > 0))
        if not (codes >= 0).any():
            raise LabelError("y", "hold a label for at least one row").but(
                f"all {len(codes):,} are missing", python="Use Mixture to find clusters."
            )
        if len(np.unique(codes[has])) < codes.max() + 1:
            raise LabelError("sample_weight", "give each class a row of weight above zero")
        more = None if unlabelled is None else opened_again(estimator, unlabelled)
        known = source if len(has) == len(codes) else reader.take(source, has)
        labelled = Examples(known, classes, codes[has], None if weights is None else weights[has])
        free = [(reader.take(source, lacks), weight[lacks])] if len(lacks) else []
        if more is not None:
            free.append((more, np.ones(reader.size(more))))
        setup = EMSetup.of(estimator, [known, *(part for part, _ in free)])
        parts = tuple((setup.rows(part), weights) for part, weights in free)
        rows = SharedRows.of(setup.empty(classes, Views()), setup.prior, parts, (setup.rows(known), labelled.labels))
        self._fit(setup, rows, labelled)
        tell_of_end("SemiSupervised", self.converged_, self.max_iter)
        self.transduction_ = self._transduce(source, codes, more)
        return self

    def _fit(self, setup: EMSetup, rows: EMRows, labelled: Examples | None) -> None:
        """Run EM over rows in memory or on an engine; labelled rows, if given, choose the hyperparameters."""
        views = Views(alpha=alpha_by_labels(setup.estimator, rows.base, labelled))
        rows = replace(rows, base=rows.base.with_likelihoods(setup.likelihoods(views)))
        self.__dict__.pop("losses_", None)
        if labelled is not None and is_loo(self.unlabelled_weight):
            climbed = self._weigh(setup, rows, labelled, views)
        else:
            climbed = self._climb(rows, float(self.unlabelled_weight))
            self.unlabelled_weight_ = float(self.unlabelled_weight)
        self._keep(climbed.history)
        self.estimator_ = setup.fitted(climbed.model, views if labelled is None else None)
        if labelled is not None:
            self.estimator_._choose(labelled, None)
            self._choose_temper_by_halves(setup, replace(rows, share=self.unlabelled_weight_), labelled, views)
        self._restored()

    def _climb(self, rows: EMRows, share: float, what: str | None = None) -> Climbed:
        """Return EM's result for a weight of unlabelled rows, from the model of labelled rows."""
        rows, record = replace(rows, share=share), what is None and self.record_bound
        report = reporter("SemiSupervised", self.verbose, rows.weight, what or f"weight {share:g}, ")
        return climb(rows, rows.base, self.max_iter, self.tol, report, record)

    def _weigh(self, setup: EMSetup, rows: EMRows, labelled: Examples, views: Views) -> Climbed:
        """Return EM's result for the weight with the lowest leave-one-out log loss, at the best temper of each."""
        self.losses_ = {}
        known, climbed = setup.rows(labelled.source), {share: self._climb(rows, share) for share in SHARES}
        for share in SHARES:
            judged = judge(setup.predictor(climbed[share].model, views), known, labelled.labels)
            scored = Scored.of(judged, setup.length_exponent)
            self.losses_[share] = log_loss(scored, choose_temper(scored))
        least = min(self.losses_.values())
        self.unlabelled_weight_ = max(share for share in SHARES if self.losses_[share] == least)
        return climbed[self.unlabelled_weight_]

    def _choose_temper_by_halves(self, setup: EMSetup, rows: EMRows, labelled: Examples, views: Views) -> None:
        """Choose the temper on labelled rows that took no part in EM.

        It stays as it is if rows choose no temper, if labels are many, if there are feature powers, if no class has two
        labelled rows, or if unlabelled rows have no weight.
        """
        wanted, chosen = setup.estimator._wanted(len(labelled)), self.estimator_._predictor.views
        if wanted is None or wanted.temper is None or len(labelled) >= FEW or not rows.unlabelled:
            return
        if chosen.weights is not None:
            return
        parts = []
        for others, half in _halves(labelled, setup.reader):
            known = setup.rows(others.source), others.labels
            base = SharedRows.of(setup.empty(labelled.classes, views), setup.prior, (), known).base
            model = self._climb(replace(rows, base=base), self.unlabelled_weight_, "half of the labels, ").model
            fitted = setup.fitted(model, replace(chosen, temper=AS_IT_IS))
            nothing = Labels(half.codes, np.zeros(len(half)), len(half.classes))  # is left out
            judged = judge(fitted._predictor, fitted._reader.rows(half.source), nothing, settled=True)
            parts.append(replace(Scored.of(judged, setup.length_exponent), weights=half.labels.given))
        if parts:
            temper = choose_posterior_temper(Scored.joined(parts))
            self.estimator_._put(self.estimator_._model, replace(chosen, temper=temper), stale=False)

    def _transduce(self, source: Any, codes: Integers, more: Any) -> LabelArray:
        lacks, labels, reader = np.flatnonzero(codes < 0), self.classes_[codes], self.estimator_._reader

        def predicted(source: Any) -> LabelArray:
            best = [self.estimator_._predictor.best(rows) for rows in reader.parts(source)]
            return np.asarray(self.classes_[np.concatenate([np.zeros(0, np.int64), *best])])

        if len(lacks):
            labels[lacks] = predicted(reader.take(source, lacks))
        return labels if more is None else np.concatenate([labels, predicted(more)])

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


def alpha_by_labels(estimator: Classifier, of_labels: Model, labelled: Examples | None) -> float | None:
    """Return the pseudo-count that labelled rows choose; None if it is not to be chosen, or they are too few.

    Where held-out texts would choose it, the counts of the labelled ones give it instead (SX-13): their model knows the
    words of all texts, most of which occur in none of them.
    """
    wanted = estimator._wanted(int(of_labels.n.sum()))
    if wanted is not None and wanted.alpha == "held_out":
        return alpha_of_counts(of_labels, wanted.alpha_bounds)
    given = estimator.get_params(deep=False)
    if not is_loo(given.get("alpha", 1.0)) or labelled is None or len(labelled) < ENOUGH:
        return None
    alone = clone(estimator)
    if "feature_powers" in given:
        alone.set_params(feature_powers=None)
    alone.fit(labelled.source, labelled.y, sample_weight=labelled.weights)
    chosen: float | None = alone._predictor.views.alpha
    return chosen


def _halves(labelled: Examples, reader: RowReader) -> list[tuple[Examples, Examples]]:
    """Return for each half of the labelled rows the others and that half; a row alone in its class is in no half."""
    rows, order, _ = labelled.picked(reader, len(labelled), None)
    size, rank = np.bincount(rows.codes, minlength=len(rows.classes)), np.empty(len(rows), np.int64)
    by_class = order[np.argsort(rows.codes[order], kind="stable")]
    rank[by_class] = np.arange(len(rows)) - np.repeat(np.cumsum(size) - size, size)
    half = np.where(size[rows.codes] > 1, rank % 2, -1)
    pairs = ((np.flatnonzero(half != k), np.flatnonzero(half == k)) for k in (0, 1))
    return [(rows.take(rest, reader), rows.take(own, reader)) for rest, own in pairs if len(own)]
