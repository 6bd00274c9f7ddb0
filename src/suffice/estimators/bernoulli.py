"""Naive Bayes for features that are on or off."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from suffice.estimators.counts import EVIDENCE, CountClassifier
from suffice.estimators.views import TEMPER
from suffice.models import Bernoulli, Scorer
from suffice.models.empirical.pseudo_counts import beta_of_flags, flag_terms
from suffice.posterior import Beta
from suffice.stats import BinaryCounts, Statistic
from suffice.stats.inputs import Rows
from suffice.typing import Array

__all__ = ["BernoulliNB"]


class BernoulliNB(CountClassifier):
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
    class_prior : array of shape (n_classes,) or Dirichlet, default=None
        Class probabilities that the data do not change, or a belief that they do.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How the probabilities of on are estimated; "predictive" equals "mean" here.
    temper : float, pair of floats, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CountClassifier._parameter_constraints,
        "alpha": [*CountClassifier._parameter_constraints["alpha"], Beta, EVIDENCE],
        "binarize": [None, Interval(Real, 0, None, closed="left")],
        "temper": TEMPER,
    }

    _feature_counts = BinaryCounts

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        estimate: Any = "mean",
        temper: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper

    @property
    def feature_count_(self) -> Array:
        """Rows of each class in which each feature is on."""
        ones: Array = self._features.arrays()["ones"]
        return ones

    @property
    def feature_log_prob_(self) -> Array:
        """Log-probability of on."""
        on: Array = self._view("log_theta", self._log_theta)
        return on

    def _as_model_sees(self, rows: Rows) -> Rows:
        return rows if self.binarize is None else rows.flags(self.binarize)

    def _count(self, X: Any, codes: Any, weights: Any, n_classes: int, fresh: bool) -> Statistic:
        rows = self._as_model_sees(Rows.read(X, "X"))
        return BinaryCounts.of(rows, codes, weights, n_classes=n_classes)

    def _remake(self) -> None:
        self._remake_prior()
        self._event = Bernoulli(*self._two_parameters(Beta), self.estimate)
        if self.estimate == "map":  # may be refused: now, not later
            self._view("log_theta", self._log_theta)

    def _find_prior(self) -> Beta:
        t: Any = self._features
        return beta_of_flags(flag_terms(t.ones, t.zeros, np.broadcast_to(t.n, t.ones.shape)))

    def _log_theta(self) -> Array:
        t: Any = self._features
        on: Array = self._event.log_theta(t)[0]
        return on

    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        scorer: Scorer = self._event.scorer(t)
        return scorer
