"""Naive Bayes for binary features."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.naive_bayes.multinomial import checked_alpha, two_parameters
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    COUNTS,
    EVIDENCE,
    SKLEARN_PRIOR,
    Alpha,
    ClassPriorLike,
    Constraints,
    Estimate,
    Interval,
    ReadOptions,
    Tags,
    Tempering,
    Vector,
    class_prior_of,
)
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.views import Views
from suffice.posterior import Beta
from suffice.readers.one_block import MatrixReader
from suffice.typing import Array

__all__ = ["BernoulliNB"]


class BernoulliNB(MatrixClassifier):
    """Naive Bayes for binary features, whose absence counts as well.

    A drop-in for scikit-learn's class of the same name, with more ways to estimate.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Beta, "evidence" or "loo", default=1.0
        Pseudo-counts added to the counts of 1 and of 0 of every feature; 0 disables smoothing. "evidence" chooses the
        Beta, shared by all features, that maximizes the evidence of the training rows; "loo" chooses the number that
        minimizes the leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    binarize : float or None, default=0.0
        Values above it become 1, all others 0. None if X holds zeros and ones already.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Prior over the classes. An array fixes the probabilities; a number is the pseudo-count of every class, a
        Dirichlet holds one per class, and `estimate` says how pseudo-counts and rows are combined. "counted" and
        "uniform" equal `fit_prior` True and False. If not given, `fit_prior` decides.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How the probabilities of 1 are estimated; "predictive" equals "mean" here.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    alpha_ : float, ndarray or Beta
        The pseudo-counts in use.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Number of rows of each class in which each feature is 1.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log-probability that each feature is 1, in each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[1, 0], [1, 1], [0, 1], [0, 1]]
    >>> sf.BernoulliNB().fit(X, [0, 0, 1, 1]).predict_proba([[1, 0]]).round(3)
    array([[0.857, 0.143]])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **COUNTS,
        **SKLEARN_PRIOR,
        "alpha": [*COUNTS["alpha"], Beta, EVIDENCE],
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }
    _reading: ClassVar[ReadOptions] = {"accept_sparse": ["csr", "csc"], "ensure_all_finite": False}

    def __init__(
        self,
        *,
        alpha: Alpha | Beta | Literal["evidence"] = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: ClassPriorLike | None = None,
        estimate: Estimate = "mean",
        temper: Tempering | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags

    def _make_reader(self) -> MatrixReader:
        return MatrixReader(above=self.binarize)

    def _likelihood(self, views: Views) -> Bernoulli:
        alpha = self.alpha if isinstance(self.alpha, Beta) else checked_alpha(self, views)
        if isinstance(alpha, Beta):
            two_parameters(self, Beta, views)  # raises unless it is one Beta, or one per feature
        return Bernoulli.of(alpha, self.estimate, "flags")

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    @property
    def alpha_(self) -> float | Vector | Beta:
        """The pseudo-counts in use: as given, or as "evidence" or "loo" chose them."""
        check_is_fitted(self)
        if not isinstance(self.alpha, str):
            return self.alpha
        settled = self._settled_as(Bernoulli)
        if self.alpha == "loo":
            assert settled.a is not None
            return float(np.ravel(settled.a)[0])
        assert isinstance(settled.prior, Beta)
        return settled.prior

    @property
    def feature_count_(self) -> Array:
        """Number of rows of each class in which each feature is 1."""
        return np.asarray(self._statistic.ones)

    @property
    def feature_log_prob_(self) -> Array:
        """Log-probability that each feature is 1, in each class."""
        settled = self._settled_as(Bernoulli)
        return np.asarray(settled.log_theta(self._block.t)[0].values)
