"""Naive Bayes for numbers: normal, Poisson and exponential."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.naive_bayes.words import (
    alpha_in_use,
    checked_alpha,
    must_fit_features,
    total_counts,
    two_parameters,
)
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    CLASS_PRIOR,
    COUNTS,
    ESTIMATES,
    EVIDENCE,
    LOO,
    TEMPER,
    Alpha,
    ClassPriorLike,
    Constraints,
    Estimate,
    Interval,
    StrOptions,
    Tempering,
)
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.exponential import Exponential
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.views import Views
from suffice.posterior import Dirichlet, Gamma, NormalInverseGamma
from suffice.posterior.waiting_rate import WaitingRate
from suffice.stats.inputs import COUNT
from suffice.typing import Array


class GaussianNB(MatrixClassifier):
    """Naive Bayes for real numbers: a normal distribution per class and feature.

    A drop-in for scikit-learn's class of the same name. The variance floor is computed from all rows learned so far,
    with their weights, so batches give the same model as one fit, and a row of weight 2 the same as two rows;
    scikit-learn computes it from the last batch, without weights. With a `prior`, predictions can be Student-t
    distributions, which account for small samples.

    Parameters
    ----------
    priors : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Prior over the classes. An array fixes the probabilities; a number is the pseudo-count of every class, a
        Dirichlet holds one per class, and `estimate` says how pseudo-counts and rows are combined. "uniform" gives
        every class the same probability. "counted", also if not given, uses the class frequencies of the rows.
    var_smoothing : float, default=1e-9
        Share of the largest variance of a feature, over weighted rows, that is added to every plugged-in variance.
    estimate : {"mle", "map", "mean", "predictive"}, default="mle"
        How means and variances are estimated; every estimate but "mle" needs a `prior`.
    prior : NormalInverseGamma or "evidence", default=None
        Prior of the mean and variance of each feature: one for all, or a table of one per feature. "evidence" chooses
        the prior that maximizes the evidence of the training rows, with `m` and `b` per feature and `kappa` and `a`
        shared.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    prior_ : NormalInverseGamma or None
        The prior in use.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    epsilon_ : float
        The number that is added to every variance.
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

    _parameter_constraints: ClassVar[Constraints] = {
        "priors": [*CLASS_PRIOR, None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "estimate": [ESTIMATES],
        "prior": [NormalInverseGamma, StrOptions({"evidence"}), None],
        "temper": TEMPER,
    }

    def __init__(
        self,
        *,
        priors: ClassPriorLike | None = None,
        var_smoothing: float = 1e-9,
        estimate: Estimate = "mle",
        prior: NormalInverseGamma | Literal["evidence"] | None = None,
        temper: Tempering | None = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.estimate = estimate
        self.prior = prior
        self.temper = temper

    def _likelihood(self, views: Views) -> Gaussian:
        if self.estimate != "mle" and self.prior is None:
            raise InputError(
                "GaussianNB.prior", f"be a NormalInverseGamma or 'evidence' for estimate={self.estimate!r}"
            ).but("got None")
        if isinstance(self.prior, NormalInverseGamma):
            must_fit_features(self, self.prior, "prior")
        return Gaussian(self.prior, 0.0, self.estimate, column=False, var_smoothing=self.var_smoothing)

    def _class_prior(self) -> ClassPrior:
        given = "counted" if self.priors is None else self.priors
        given = given if isinstance(given, str | Real | Dirichlet) else np.array(given, np.float64)
        return ClassPrior(given, self.estimate, parameter="priors")

    def _settle(self, rows: int) -> None:
        _check_priors(self._class_prior().given, len(self.classes_))

    @property
    def class_prior_(self) -> Array:
        """Probability of each class."""
        check_is_fitted(self)
        return np.exp(self._predictor.log_prior)

    @property
    def epsilon_(self) -> float:
        """The number that is added to every variance."""
        settled = self._settled_as(Gaussian)
        return float(settled.floor)

    @property
    def prior_(self) -> NormalInverseGamma | None:
        """The prior in use; None without one."""
        prior = self._settled_as(Gaussian).prior
        return None if isinstance(prior, str) else prior

    @property
    def theta_(self) -> Array:
        """Mean of each feature in each class."""
        return self._parameters()[0]

    @property
    def var_(self) -> Array:
        """Variance of each feature in each class, epsilon_ included."""
        return self._parameters()[1]

    def _parameters(self) -> tuple[Array, Array]:
        settled = self._settled_as(Gaussian)
        mean, variance = (np.array(part) for part in settled.parameters(self._block.t))
        for part in (mean, variance):
            part.setflags(write=False)  # writing to them would not change predictions
        return mean, variance


class PoissonNB(MatrixClassifier):
    """Naive Bayes for counts of independent events: calls, clicks, goals.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Gamma, "evidence" or "loo", default=1.0
        Pseudo-events, and as many pseudo-rows, added to every feature: a prior rate of one event per row, with the
        weight of `alpha` rows. A Gamma states the prior in general. "evidence" chooses the Gamma, shared by all
        features, that maximizes the evidence of the training rows; "loo" chooses the number that minimizes the
        leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Prior over the classes. A number is the pseudo-count of every class, a Dirichlet holds one per class; `estimate`
        says how pseudo-counts and rows are combined. "counted" uses the class frequencies of the rows, "uniform" gives
        every class the same probability, and an array fixes the probabilities.
    estimate : {"mle", "map", "mean", "predictive"}, default="predictive"
        How rates are estimated; "predictive" integrates them out, which gives a negative binomial.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    alpha_ : float, ndarray or Gamma
        The prior in use.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each feature in each class.
    rate_ : ndarray of shape (n_classes, n_features)
        Estimated rate of each feature in each class; the posterior mean for "predictive".
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[0, 5], [1, 7], [6, 1], [4, 0]]
    >>> sf.PoissonNB().fit(X, ["night", "night", "day", "day"]).predict([[5, 2]])
    array(['day'], dtype='<U5')
    """

    _parameter_constraints: ClassVar[Constraints] = {**COUNTS, "alpha": [*COUNTS["alpha"], Gamma, EVIDENCE]}
    _tags = ("sparse", "positive_only", "poor_score")
    _allowed = COUNT

    def __init__(
        self,
        *,
        alpha: Alpha | Gamma | Literal["evidence"] = 1.0,
        force_alpha: bool = True,
        class_prior: ClassPriorLike = 1.0,
        estimate: Estimate = "predictive",
        temper: Tempering | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper

    alpha_ = property(alpha_in_use)
    feature_count_ = property(total_counts)

    def _likelihood(self, views: Views) -> Poisson:
        if not isinstance(self.alpha, Gamma) and isinstance(checked_alpha(self, views), str):
            return Poisson("evidence", self.estimate, factorials=False)
        shape, rate = two_parameters(self, Gamma, views)
        return Poisson(None, self.estimate, shape, rate, factorials=False)

    @property
    def rate_(self) -> Array:
        """Estimated rate of each feature in each class; the posterior mean for "predictive"."""
        settled = self._settled_as(Poisson)
        return np.asarray(settled.estimated(self._block.t.n, self._block.t.total, np.nan))


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
    _tags = ("positive_only", "poor_score")
    _allowed = COUNT

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

    alpha_ = property(alpha_in_use)

    def _likelihood(self, views: Views) -> Exponential:
        shape, rate = two_parameters(self, WaitingRate, views)
        return Exponential(None, self.estimate, shape, rate)

    @property
    def rate_(self) -> Array:
        """Posterior mean of the rate of each feature in each class."""
        settled = self._settled_as(Exponential)
        shape, rate = settled.after(self._block.t.n, self._block.t.total)
        return np.asarray(shape / rate)


def _check_priors(given: object, classes: int) -> None:
    """Raise InputError, as scikit-learn does, unless these are probabilities of the classes."""
    if not isinstance(given, np.ndarray):
        return
    if len(given) != classes:
        raise InputError("Number of priors", "match number of classes")
    if not np.isclose(given.sum(), 1.0):
        raise InputError("The sum of the priors should be 1.")
    if (given < 0).any():
        raise InputError("Priors", "be non-negative")
