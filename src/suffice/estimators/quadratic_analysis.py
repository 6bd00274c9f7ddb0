"""Quadratic discriminant analysis, with scikit-learn's parameters, attributes and numbers."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from suffice.estimators.analysis import SHRINKAGE, DiscriminantAnalysis
from suffice.estimators.views import TEMPER
from suffice.models.analysis import QuadraticAnalysis
from suffice.typing import Array

__all__ = ["QuadraticDiscriminantAnalysis"]


class QuadraticDiscriminantAnalysis(DiscriminantAnalysis):
    """Quadratic discriminant analysis: normal classes, each with a covariance of its own.

    A drop-in for scikit-learn's class of the same name, from one pass over the rows. It also learns in batches, merges,
    forgets, leaves rows out and takes sample weights; a `covariance_estimator` and `shrinkage="auto"` need the rows
    themselves, and are for `fit` alone. Where rows are few, `GaussianDiscriminant` needs no regularising.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "eigen" can shrink; otherwise both are the same.
    shrinkage : float, "auto" or None, default=None
        Share of a multiple of the identity in the covariance of each class; "auto" is that of Ledoit and Wolf.
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; as in the data if not given.
    reg_param : float, default=0.0
        Share of the identity in the covariance of each class.
    store_covariance : bool, default=False
        Whether there is a `covariance_`.
    tol : float, default=1e-4
        Standard deviation, in units of the columns' own, below which a covariance has not full rank.
    covariance_estimator : object, default=None
        Has `fit` and `covariance_`, and replaces the covariance of each class.
    temper : float, pair of floats, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    covariance_ : list of n_classes ndarrays of shape (n_features, n_features)
        Covariance of each class.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    priors_ : ndarray of shape (n_classes,)
        Probability of each class.
    rotations_ : list of n_classes ndarrays of shape (n_features, n_features)
        Axes of each covariance.
    scalings_ : list of n_classes ndarrays of shape (n_features,)
        Variances along the axes.
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
    >>> sf.QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "solver": [StrOptions({"svd", "eigen"})],
        "shrinkage": SHRINKAGE,
        "priors": ["array-like", None],
        "reg_param": [Interval(Real, 0, 1, closed="both")],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
        "temper": TEMPER,
    }
    _no_estimator = "covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead."

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        temper: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.temper = temper

    @property
    def covariance_(self) -> list[Array]:
        """Covariance of each class."""
        if not self.store_covariance:
            raise AttributeError("Covariances are kept with store_covariance=True.")
        return [self._cast(one) for one in self._solution().covariance]

    @property
    def rotations_(self) -> list[Array]:
        """Axes of each covariance."""
        return [self._cast(one) for one in self._solution().rotations]

    @property
    def scalings_(self) -> list[Array]:
        """Variances along the axes."""
        return [self._cast(one) for one in self._solution().scalings]

    def _solution(self) -> Any:
        check_is_fitted(self)
        return self._view("solution", lambda: self._event.solve(self._features))

    def _is_plain_mle(self) -> bool:
        return super()._is_plain_mle() and (self.solver != "svd" or not self.reg_param)

    def _make_event(self, n: Array) -> QuadraticAnalysis:
        given = None if self._given is None else self._given[:-1]
        ridge = self.reg_param if self.solver == "svd" else 0.0
        return QuadraticAnalysis(
            "full",
            "mle",
            None,
            self.solver,
            self._fixed_shrinkage(),
            ridge,
            self.tol,
            given,
            tuple(self.classes_.tolist()),
        )
