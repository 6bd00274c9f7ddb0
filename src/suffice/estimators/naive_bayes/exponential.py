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
        Pseudo-waits, and as much time that they took, added to every feature: a prior rate of one per unit of time,
        with the weight of `alpha` rows. A WaitingRate states the prior in general. "loo" chooses the number that
        minimizes the leave-one-out log loss.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Prior over the classes. A number is the pseudo-count of every class, a Dirichlet holds one per class; `estimate`
        says how pseudo-counts and rows are combined. "counted" uses the class frequencies of the rows, "uniform" gives
        every class the same probability, and an array fixes the probabilities.
    estimate : {"mle", "map", "mean", "predictive"}, default="predictive"
        How rates are estimated; "predictive" integrates them out, which gives a Lomax distribution.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    alpha_ : float, ndarray or WaitingRate
        The prior in use.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    rate_ : ndarray of shape (n_classes, n_features)
        Posterior mean of the rate of each feature in each class.
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
        """The prior in use: as given, or as "loo" chose it."""
        check_is_fitted(self)
        settled = self._settled_as(Exponential)
        return float(np.ravel(settled.shape)[0]) if isinstance(self.alpha, str) else self.alpha

    @property
    def rate_(self) -> Array:
        """Posterior mean of the rate of each feature in each class."""
        settled = self._settled_as(Exponential)
        shape, rate = settled.after(self._block.t.n, self._block.t.total)
        return np.asarray(shape / rate)
