"""Naive Bayes for waiting times."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.naive_bayes.multinomial import two_parameters
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    CLASS_PRIOR,
    COUNTS,
    ESTIMATES,
    LOO,
    TEMPER,
    Alpha,
    ClassPriorLike,
    Constraints,
    Estimate,
    Tags,
    Tempering,
    Vector,
    class_prior_of,
)
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.exponential import Exponential
from suffice.models.views import Views
from suffice.posterior.waiting_rate import WaitingRate
from suffice.readers.one_block import MatrixReader
from suffice.stats.inputs import COUNT
from suffice.typing import Array

__all__ = ["ExponentialNB"]


class ExponentialNB(MatrixClassifier):
    """Naive Bayes for waiting times: minutes between events, lengths of stay, distances to the next one.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), WaitingRate or "loo", default=1.0
        Waits, and the same amount of time that they took, added to every feature: a prior guess of one wait a unit of
        time, worth `alpha` rows. A WaitingRate says it in general; "loo" finds the number of least leave-one-out log
        loss.
    class_prior : "counted", "uniform", array of shape (n_classes,), float or Dirichlet, default=1.0
        Class probabilities as counted, all the same, or given; or a belief about them: a pseudo-count of each class, or
        a Dirichlet.
    estimate : {"mle", "map", "mean", "predictive"}, default="predictive"
        How the rates are estimated; "predictive" integrates them out (Lomax distribution).
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by leave-one-out on the
        rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    alpha_ : float, ndarray or WaitingRate
        The prior in use.
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    rate_ : ndarray of shape (n_classes, n_features)
        Expected rate of each feature in each class, by the posterior.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[0.2, 9.0], [0.4, 14.0], [3.0, 1.0], [5.0, 0.5]]
    >>> sf.ExponentialNB().fit(X, ["night", "night", "day", "day"]).predict([[4.0, 2.0]])
    array(['day'], dtype='<U5')
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "alpha": [*COUNTS["alpha"], WaitingRate, LOO],
        "class_prior": CLASS_PRIOR,
        "estimate": [ESTIMATES],
        "temper": TEMPER,
    }

    def __init__(
        self,
        *,
        alpha: Alpha | WaitingRate = 1.0,
        class_prior: ClassPriorLike = 1.0,
        estimate: Estimate = "predictive",
        temper: Tempering | None = None,
    ) -> None:
        self.alpha = alpha
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _make_reader(self) -> MatrixReader:
        return MatrixReader(COUNT)

    def _likelihood(self, views: Views) -> Exponential:
        shape, rate = two_parameters(self, WaitingRate, views)
        return Exponential(None, self.estimate, shape, rate)

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    @property
    def alpha_(self) -> float | Vector | WaitingRate:
        """The prior in use: as given, or chosen by rows."""
        check_is_fitted(self)
        settled = self._settled_as(Exponential)
        return float(np.ravel(settled.shape)[0]) if isinstance(self.alpha, str) else self.alpha

    @property
    def rate_(self) -> Array:
        """Expected rate of each feature in each class."""
        settled = self._settled_as(Exponential)
        shape, rate = settled._after(self._block.t.n, self._block.t.total)
        return np.asarray(shape / rate)
