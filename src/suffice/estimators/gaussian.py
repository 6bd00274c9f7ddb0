"""Naive Bayes for real numbers."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from suffice.errors import KindError
from suffice.estimators.base import NaiveBayesClassifier
from suffice.estimators.normal_shares import NormalShares
from suffice.estimators.shared import ESTIMATES
from suffice.estimators.validation import validate_data
from suffice.estimators.views import TEMPER
from suffice.models import Gaussian, Scorer
from suffice.models.empirical.normals import belief_about_normals
from suffice.models.gaussian import largest_variance
from suffice.models.logs import log
from suffice.posterior import NormalInverseGamma
from suffice.stats import DiagonalMoments, Statistic
from suffice.typing import Array

__all__ = ["GaussianNB"]


class GaussianNB(NormalShares, NaiveBayesClassifier):
    """Naive Bayes for real numbers: a normal distribution per class and feature.

    A drop-in for scikit-learn's class of the same name. Its variance floor comes from all rows learned so far, each by
    its weight, so batches give the same model as one fit, and a row of weight 2 that of the row given twice;
    scikit-learn takes it from the last batch, weights aside. With a prior it can predict by Student-t, which knows how
    few rows there were.

    Parameters
    ----------
    priors : array of shape (n_classes,), default=None
        Class probabilities; learned from the data if not given.
    var_smoothing : float, default=1e-9
        Share of the largest variance of any feature, by weighted rows, that is added to every plugged-in variance.
    estimate : {"mle", "map", "mean", "predictive"}, default="mle"
        How means and variances are estimated; all but "mle" need a `prior`.
    prior : NormalInverseGamma or "evidence", default=None
        Belief about each feature's mean and variance: one, or one per feature; or the one that makes the training rows
        most probable, with `m` and `b` of each feature and `kappa` and `a` of all.
    temper : float, pair of floats, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    epsilon_ : float
        What was added to the variances.
    prior_ : NormalInverseGamma or None
        The belief in use.
    theta_ : ndarray of shape (n_classes, n_features)
        Mean of each feature in each class.
    var_ : ndarray of shape (n_classes, n_features)
        Variance of each feature in each class, epsilon_ included.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[-1.0, -1.0], [-2.0, -1.0], [1.0, 1.0], [2.0, 1.5]]
    >>> sf.GaussianNB().fit(X, [1, 1, 2, 2]).predict([[-0.8, -1.0]])
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "estimate": [ESTIMATES],
        "prior": [NormalInverseGamma, StrOptions({"evidence"}), None],
        "temper": TEMPER,
    }

    class_count_: Array
    class_prior_: Array
    epsilon_: float
    prior_: NormalInverseGamma | None
    theta_: Array
    var_: Array

    _feature_counts = DiagonalMoments

    def __init__(
        self,
        *,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        estimate: Any = "mle",
        prior: Any = None,
        temper: Any = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.estimate = estimate
        self.prior = prior
        self.temper = temper

    def _read(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, reset=reset, ensure_all_finite=False)
        return X, y

    def _read_rows(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, ensure_all_finite=False)

    def _count(self, X: Any, codes: Any, weights: Any, n_classes: int, fresh: bool) -> Statistic:
        return DiagonalMoments.of(X, codes, weights, n_classes=n_classes, name="X")

    def _must_share(self) -> None:
        if (self.prior is None or self.estimate == "mle") and self.var_smoothing == 0:
            raise KindError(
                "The 'var_smoothing' parameter of GaussianNB must be above 0 to learn without labels by maximum "
                "likelihood, where a variance may shrink to nothing; got 0. Or give a prior, with estimate='map'."
            )

    def _remake(self) -> None:
        t: Any = self._features
        if self.estimate != "mle" and self.prior is None:
            raise ValueError(
                f"The 'prior' parameter of GaussianNB must be a NormalInverseGamma for estimate={self.estimate!r}. "
                "Got None instead."
            )
        self.class_count_ = self._classes.counts.copy()
        self.class_prior_ = self._class_prior()
        self.epsilon_ = self.var_smoothing * largest_variance(t)
        self.prior_ = belief_about_normals(t) if isinstance(self.prior, str) else self.prior
        self._event = Gaussian(self.epsilon_, self.prior_, self.estimate)
        self.theta_, self.var_ = (np.array(part) for part in self._event.parameters(t))
        for part in (self.theta_, self.var_):
            part.setflags(write=False)  # changes to them would change no prediction

    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        scorer: Scorer = self._event.scorer(t)
        return scorer

    def _log_prior_of(self, counts: Array) -> Array:
        if self.priors is not None:
            return self._log_prior()
        total = counts.sum(axis=-1, keepdims=True)
        return log(counts / np.where(total > 0, total, 1.0))

    def _class_prior(self) -> Array:
        if self.priors is None:
            return np.asarray(self.class_count_ / self.class_count_.sum())
        priors = np.asarray(self.priors, np.float64)
        if len(priors) != len(self.classes_):
            raise ValueError("Number of priors must match number of classes.")
        if not np.isclose(priors.sum(), 1.0):
            raise ValueError("The sum of the priors should be 1.")
        if (priors < 0).any():
            raise ValueError("Priors must be non-negative.")
        return priors

    def _log_prior(self) -> Array:
        return log(self.class_prior_)
