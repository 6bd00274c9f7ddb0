"""Naive Bayes for real numbers."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.naive_bayes.multinomial import must_fit_features
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    CLASS_PRIOR,
    ESTIMATES,
    TEMPER,
    ClassPriorLike,
    Constraints,
    Estimate,
    Interval,
    StrOptions,
    Tempering,
)
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.views import Views
from suffice.posterior import Dirichlet, NormalInverseGamma
from suffice.typing import Array

__all__ = ["GaussianNB"]


class GaussianNB(MatrixClassifier):
    """Naive Bayes for real numbers: a normal distribution per class and feature.

    A drop-in for scikit-learn's class of the same name. Its variance floor comes from all rows learned so far, each by
    its weight, so batches give the same model as one fit, and a row of weight 2 that of the row given twice;
    scikit-learn takes it from the last batch, weights aside. With a belief it can predict by Student-t, which knows how
    few rows there were.

    Parameters
    ----------
    priors : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Class probabilities that rows do not change, or a belief that they do: a number is a pseudo-count of each class,
        however many there are; `estimate` says what is made of it. Counted if not given.
    var_smoothing : float, default=1e-9
        Share of the largest variance of any feature, by weighted rows, that is added to every plugged-in variance.
    estimate : {"mle", "map", "mean", "predictive"}, default="mle"
        How means and variances are estimated; all but "mle" need a `belief`.
    belief : NormalInverseGamma or "evidence", default=None
        Belief about each feature's mean and variance: one, or one per feature; or the one that makes the training rows
        most probable, with `m` and `b` of each feature and `kappa` and `a` of all.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by leave-one-out on the
        rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    belief_ : NormalInverseGamma or None
        The belief in use.
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    epsilon_ : float
        What was added to the variances.
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
        "belief": [NormalInverseGamma, StrOptions({"evidence"}), None],
        "temper": TEMPER,
    }

    def __init__(
        self,
        *,
        priors: ClassPriorLike | None = None,
        var_smoothing: float = 1e-9,
        estimate: Estimate = "mle",
        belief: NormalInverseGamma | Literal["evidence"] | None = None,
        temper: Tempering | None = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.estimate = estimate
        self.belief = belief
        self.temper = temper

    def _likelihood(self, views: Views) -> Gaussian:
        if self.estimate != "mle" and self.belief is None:
            raise InputError(
                f"The 'belief' parameter of GaussianNB must be a NormalInverseGamma for estimate={self.estimate!r}. "
                "Got None instead."
            )
        if isinstance(self.belief, NormalInverseGamma):
            must_fit_features(self, self.belief, "belief")
        return Gaussian(self.belief, 0.0, self.estimate, column=False, var_smoothing=self.var_smoothing)

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
        """What was added to the variances."""
        settled = self._settled_as(Gaussian)
        return float(settled.floor)

    @property
    def belief_(self) -> NormalInverseGamma | None:
        """The belief in use."""
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
            part.setflags(write=False)  # changes to them would change no prediction
        return mean, variance


def _check_priors(given: object, classes: int) -> None:
    """Raise InputError unless these are probabilities of the classes."""
    if not isinstance(given, np.ndarray):
        return
    if len(given) != classes:
        raise InputError("Number of priors must match number of classes.")
    if not np.isclose(given.sum(), 1.0):
        raise InputError("The sum of the priors should be 1.")
    if (given < 0).any():
        raise InputError("Priors must be non-negative.")
