"""Naive Bayes for features that are on or off."""

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
    """Naive Bayes for features that are on or off; absence counts as evidence too.

    A drop-in for scikit-learn's class of the same name, with more ways to estimate.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Beta, "evidence" or "loo", default=1.0
        Pseudo-counts of on and of off; 0 for none. "evidence" finds the Beta, one for all features, that makes the
        training rows most probable, "loo" the number of least leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    binarize : float or None, default=0.0
        Values above it are on; None if X holds zeros and ones already.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Class probabilities that rows do not change, or a belief that they do: a number is a pseudo-count of each class,
        however many there are; `estimate` says what is made of it. "counted" and "uniform" are what `fit_prior` says.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How the probabilities of on are estimated; "predictive" equals "mean" here.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by leave-one-out on the
        rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    alpha_ : float, ndarray or Beta
        The pseudo-counts in use.
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Rows of each class in which each feature is on.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log-probability of on.
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
            two_parameters(self, Beta, views)  # raises unless it has one for each feature
        return Bernoulli.of(alpha, self.estimate, "flags")

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    @property
    def alpha_(self) -> float | Vector | Beta:
        """The pseudo-counts in use: as given, of highest evidence, or chosen by rows."""
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
        """Rows of each class in which each feature is on."""
        return np.asarray(self._statistic.ones)

    @property
    def feature_log_prob_(self) -> Array:
        """Log-probability of on."""
        settled = self._settled_as(Bernoulli)
        return np.asarray(settled.log_theta(self._block.t)[0].values)
