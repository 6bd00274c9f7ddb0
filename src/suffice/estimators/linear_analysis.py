"""Linear discriminant analysis, with scikit-learn's parameters, attributes and numbers."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.analysis import SHRINKAGE, DiscriminantAnalysis
from suffice.estimators.validation import validate_data
from suffice.estimators.views import TEMPER
from suffice.models.analysis import LinearAnalysis
from suffice.telling import tell
from suffice.typing import Array

__all__ = ["LinearDiscriminantAnalysis"]


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DiscriminantAnalysis):
    """Linear discriminant analysis: normal classes that share a covariance.

    A drop-in for scikit-learn's class of the same name, from one pass over the rows. It also learns in batches, merges,
    forgets, leaves rows out and takes sample weights; a `covariance_estimator` and `shrinkage="auto"` need the rows
    themselves, and are for `fit` alone.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd" leaves out directions in which nothing varies, "lsqr" has no `transform`, "eigen" needs a covariance of
        full rank. The last two can shrink.
    shrinkage : float, "auto" or None, default=None
        Share of a multiple of the identity in the covariance of each class; "auto" is that of Ledoit and Wolf.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; as in the data if not given.
    n_components : int, default=None
        Coordinates that `transform` gives; at most as many as columns, and one fewer than classes.
    store_covariance : bool, default=False
        Whether "svd" has `covariance_`, too.
    tol : float, default=1e-4
        Standard deviation, in units of the columns' own, below which "svd" leaves a direction out.
    covariance_estimator : object, default=None
        Has `fit` and `covariance_`, and replaces the covariance of each class.
    temper : float, pair of floats, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shape (n_classes, n_features) and (n_classes,)
        Weights and offsets of joint log-probabilities; of two classes, of the log-odds of the second: (1, n_features).
    covariance_ : ndarray of shape (n_features, n_features)
        Covariance within classes.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each coordinate in what tells classes apart.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    priors_ : ndarray of shape (n_classes,)
        Probability of each class.
    scalings_ : ndarray of shape (n_features, rank)
        Axes of the coordinates.
    xbar_ : ndarray of shape (n_features,)
        Mean of the means.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> sf.LinearDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "solver": [StrOptions({"svd", "lsqr", "eigen"})],
        "shrinkage": SHRINKAGE,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "priors": ["array-like", None],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
        "temper": TEMPER,
    }
    _no_estimator = (
        "covariance estimator is not supported with svd solver. Try another solver"  # as scikit-learn says it
    )

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        n_components: Any = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        temper: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.temper = temper

    def _settle(self, rows: int) -> None:
        if rows == len(self.classes_):
            raise ValueError(f"The number of samples must be more than the number of classes; got n_samples={rows}.")
        if self.n_components is not None and self.n_components > self._max_components:
            raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
        if self.priors is not None and not np.isclose(np.sum(self.priors), 1.0):
            tell("The priors do not sum to 1. Renormalizing")
        super()._settle(rows)

    def transform(self, X: Any) -> Array:
        """Discriminant coordinates: where classes are apart, in units of the spread within them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            The first of them tells most.
        """
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        found, rows = self._solution(), validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        away = rows - found.centre if self.solver == "svd" else rows
        return np.asarray(away @ found.scalings, rows.dtype)[:, : self._kept]

    @property
    def coef_(self) -> Array:
        """Weights of joint log-probabilities, or of the log-odds of two classes."""
        return self._cast(self._planes()[0])

    @property
    def intercept_(self) -> Array:
        """Offsets of the same."""
        return self._cast(self._planes()[1])

    @property
    def covariance_(self) -> Array:
        """Covariance within classes."""
        if self.solver == "svd" and not self.store_covariance:
            raise AttributeError("The covariance is kept with store_covariance=True, or another solver.")
        return self._cast(self._solution().covariance)

    @property
    def explained_variance_ratio_(self) -> Array:
        """Share of each coordinate in what tells classes apart."""
        return self._cast(self._solution().ratio[: self._kept])

    @property
    def scalings_(self) -> Array:
        """Axes of the coordinates."""
        return self._cast(self._solution().scalings)

    @property
    def xbar_(self) -> Array:
        """Mean of the means."""
        return self._cast(self._solution().centre)

    @property
    def _max_components(self) -> int:
        return min(len(self.classes_) - 1, self.n_features_in_)

    @property
    def _kept(self) -> int:
        return self._max_components if self.n_components is None else int(self.n_components)

    @property
    def _n_features_out(self) -> int:
        return self._kept

    def _solution(self) -> Any:
        check_is_fitted(self)
        return self._view("solution", lambda: self._event.solve(self._features))

    def _planes(self) -> tuple[Array, Array]:
        found, prior = self._solution(), self._log_prior()
        centre = found.centre if self.solver == "svd" else np.zeros(self.n_features_in_)  # as scikit-learn has it
        away = (found.mean - centre) @ found.root
        weights = away @ found.root.T
        offsets = prior - 0.5 * np.square(away).sum(axis=1) - weights @ centre
        if len(prior) == 2:
            return weights[1:] - weights[:1], offsets[1:] - offsets[:1]
        return weights, offsets

    def _is_plain_mle(self) -> bool:
        return super()._is_plain_mle() and (self.solver == "svd" or self.priors is None)

    def _make_event(self, n: Array) -> LinearAnalysis:
        return LinearAnalysis(
            "shared",
            "mle",
            None,
            self.solver,
            self._fixed_shrinkage(),
            self.tol,
            None if self.priors is None else self._shares(n),
            self._given,
        )
