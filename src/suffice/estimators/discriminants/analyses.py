"""Linear and quadratic discriminant analysis, with scikit-learn's parameters, attributes and results."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.covariance import ledoit_wolf
from sklearn.preprocessing import StandardScaler

from suffice.errors import DataError, InputError
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    CLASS_PRIOR,
    TEMPER,
    ClassPriorLike,
    Constraints,
    HasMethods,
    Interval,
    ReadOptions,
    StrOptions,
    Tempering,
    validate_data,
)
from suffice.estimators.shell.stored import State
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.discriminant_analysis import LinearAnalysis, Planes, QuadraticAnalysis, Quadrics
from suffice.models.model import Model, Name
from suffice.models.views import Views
from suffice.posterior import Dirichlet
from suffice.readers.labels import Examples, Given
from suffice.telling import tell
from suffice.typing import Array, DataLike, LabelArray, LabelsLike, WeightsLike

SHRINKAGE: list[object] = [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None]

Shrinkage: TypeAlias = float | Literal["auto"] | None
"""The weight of the identity in a covariance; "auto" is that of Ledoit and Wolf."""


class EstimatesCovariance(Protocol):
    """An estimator of covariances, as in scikit-learn; it has a `covariance_` once fitted."""

    def fit(self, X: Array, /) -> object:
        """Estimate the covariance of rows."""


def decision_function(self: MatrixClassifier, X: DataLike) -> Array:
    """Return joint log-probabilities up to a constant per row; for two classes, the log-odds of the second.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        A larger score means a more probable class.
    """
    joint = self.predict_joint_log_proba(X)
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint


class _Analysis(MatrixClassifier):
    """What linear and quadratic discriminant analysis share: covariances from moments, or from the rows themselves."""

    _reading: ClassVar[ReadOptions] = {"dtype": [np.float64, np.float32]}
    _schema = (*MatrixClassifier._schema, "_given", "_dtype")
    _no_estimator: ClassVar[str]  # the error of scikit-learn for a covariance estimator with "svd"

    solver: str
    shrinkage: Shrinkage
    priors: ClassPriorLike | None
    covariance_estimator: EstimatesCovariance | None
    _given: Array | None
    _dtype: str

    @property
    def _fixed_shrinkage(self) -> float:
        given: object = self.shrinkage
        return float(given) if isinstance(given, Real) else 0.0

    def _needs_all_rows(self) -> str:
        needs = self.covariance_estimator is not None or self.shrinkage == "auto"
        return "a covariance_estimator, or shrinkage='auto'," if needs else ""

    def _check_combination(self) -> None:
        """Raise the error of scikit-learn for parameters that contradict each other."""
        given = self.covariance_estimator is not None
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and given:
            raise InputError(self._no_estimator)
        if given and self.shrinkage is not None and self.shrinkage != 0:
            raise InputError("covariance_estimator and shrinkage parameters are not None.").advise(
                "Only one of the two can be set."
            )

    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        self._check_combination()
        examples = super()._read(X, y, sample_weight, first)
        if first:
            self._dtype = examples.source.dtype.name
            self._given = self._covariances_of_rows(examples) if self._needs_all_rows() else None
        return examples

    def _covariances_of_rows(self, examples: Examples) -> Array:
        """Return the covariances of the classes and of all rows by the covariance estimator."""
        if examples.weights is not None:
            raise InputError("A covariance_estimator, or shrinkage='auto', takes no sample_weight; got one.").advise(
                "Leave it out."
            )
        X, codes, n_classes = examples.source, examples.codes, len(examples.classes)
        parts = [X[codes == c] for c in range(n_classes)]
        if not all(len(part) for part in parts):
            raise InputError("A covariance_estimator, or shrinkage='auto', needs at least one row of every class.")
        covariances = [np.atleast_2d(_covariance(self.covariance_estimator, part)) for part in [*parts, X]]
        return np.stack(covariances).astype(np.float64)

    def _refuse_parts(self, to: str) -> None:
        if to == "count" and self._needs_all_rows():
            raise InputError(
                "A covariance_estimator, or shrinkage='auto', needs all rows at once: call fit, not partial_fit or "
                "forget."
            )
        if to == "combine" and self._needs_all_rows():
            raise InputError(
                "Models with a covariance_estimator, or shrinkage='auto', cannot be combined: fit one model to the "
                "rows of both."
            )

    def _check_statistics(self, classes: LabelArray, statistics: State, likelihood: Likelihood) -> None:
        self._check_combination()
        shape = (len(classes) + 1, self.n_features_in_, self.n_features_in_)
        given: object = self._given
        if self._dtype not in ("float32", "float64"):
            raise DataError("The dtype", "be float32 or float64", got=self._dtype)
        if given is not None and (not isinstance(given, np.ndarray) or given.shape != shape or given.dtype != "f8"):
            raise DataError("The covariances of the classes and of all rows", f"be float64 of shape {shape}")
        super()._check_statistics(classes, statistics, likelihood)

    def _class_prior(self) -> ClassPrior:
        """Return the class prior; given probabilities are normalized to sum to one."""
        priors = self.priors
        if priors is None or isinstance(priors, str | Real | Dirichlet):
            return ClassPrior("counted" if priors is None else priors, parameter="priors")
        given = np.array(priors, np.float64)
        if (given < 0).any():
            raise InputError("priors must be non-negative")
        if not np.isfinite(given).all() or not given.any():
            raise InputError("The 'priors' parameter", "hold finite numbers, at least one above 0").but(
                f"got {given.tolist()}"
            )
        return ClassPrior(given / given.sum(), parameter="priors")

    def _cast(self, array: Array) -> Array:
        return array.astype(self._dtype)

    @abstractmethod
    def _solution(self) -> Planes | Quadrics:
        """Return the solution of the likelihood for the moments."""

    def _evidence_names(self) -> list[str]:
        return ["all columns"]

    decision_function = decision_function

    @property
    def means_(self) -> Array:
        """Mean of each class."""
        return self._cast(self._solution().mean)

    @property
    def priors_(self) -> Array:
        """Probability of each class."""
        return self._cast(np.exp(self._class_prior().log(self._model.n)))


def _covariance(by: EstimatesCovariance | None, X: Array) -> ArrayLike:
    if by is None:
        scaler = StandardScaler()
        found = ledoit_wolf(scaler.fit_transform(X))[0]
        scaled: Array = scaler.scale_[:, None] * found * scaler.scale_
        return scaled
    by.fit(X)
    if not hasattr(by, "covariance_"):
        raise InputError(f"{type(by).__name__} does not have a covariance_ attribute")
    covariance: ArrayLike = by.covariance_
    return covariance


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Analysis):
    """Linear discriminant analysis: a normal distribution per class, with one covariance for all classes.

    A drop-in for scikit-learn's class of the same name, from one pass over the rows. It also learns in batches, merges,
    forgets, leaves rows out and takes sample weights; a `covariance_estimator` and `shrinkage="auto"` need the rows
    themselves, and work with `fit` only.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd" drops directions without variance; "lsqr" has no `transform`; "eigen" needs a covariance of full rank.
        "lsqr" and "eigen" support shrinkage.
    shrinkage : float, "auto" or None, default=None
        Weight of a multiple of the identity in the covariance of each class; "auto" is the weight of Ledoit and Wolf.
    priors : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Prior over the classes. An array fixes the probabilities; a number is the pseudo-count of every class, a
        Dirichlet holds one per class; "uniform" gives every class the same probability. "counted", also if not given,
        uses the class frequencies of the rows.
    n_components : int, default=None
        Number of coordinates that `transform` returns: at most the number of columns, and of classes minus one. If not
        given, the largest possible number.
    store_covariance : bool, default=False
        Whether `covariance_` is available with "svd", too.
    tol : float, default=1e-4
        Standard deviation, relative to those of the columns, below which "svd" drops a direction.
    covariance_estimator : object, default=None
        Estimator with `fit` and `covariance_`, which estimates the covariance of each class.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shape (n_classes, n_features) and (n_classes,)
        Weights and offsets of joint log-probabilities; for two classes, those of the log-odds of the second, of shape
        (1, n_features) and (1,).
    covariance_ : ndarray of shape (n_features, n_features)
        Covariance within classes.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each coordinate of the variance between classes.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    priors_ : ndarray of shape (n_classes,)
        Probability of each class.
    scalings_ : ndarray of shape (n_features, rank)
        Axes of the discriminant coordinates.
    xbar_ : ndarray of shape (n_features,)
        Mean of the class means, weighted by the class prior.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
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

    _parameter_constraints: ClassVar[Constraints] = {
        "solver": [StrOptions({"svd", "lsqr", "eigen"})],
        "shrinkage": SHRINKAGE,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "priors": [*CLASS_PRIOR, None],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
        "temper": TEMPER,
    }
    _no_estimator = "covariance estimator is not supported with svd solver. Try another solver"  # as scikit-learn says

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Shrinkage = None,
        priors: ClassPriorLike | None = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: EstimatesCovariance | None = None,
        temper: Tempering | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.temper = temper

    def _likelihood(self, views: Views) -> LinearAnalysis:
        prior = None if self.priors is None else self._class_prior()
        return LinearAnalysis(
            solver=self.solver, shrinkage=self._fixed_shrinkage, tol=self.tol, given=self._given, share=prior
        )

    def _settle(self, rows: int) -> None:
        if rows == len(self.classes_):
            raise InputError("The number of samples", "be more than the number of classes").but(f"got n_samples={rows}")
        if self.n_components is not None and self.n_components > self._max_components:
            raise InputError("n_components cannot be larger than min(n_features, n_classes - 1).")
        if isinstance(self._class_prior().given, np.ndarray) and not np.isclose(np.asarray(self.priors).sum(), 1.0):
            tell("The priors do not sum to 1. Renormalizing")
        _ = self._block.scorer

    def _solution(self) -> Planes:
        return self._settled_as(LinearAnalysis).solve(self._block.t)

    def transform(self, X: DataLike) -> Array:
        """Return discriminant coordinates: directions that separate the classes, in units of the spread within classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            The first coordinate separates the classes best.
        """
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        found, rows = self._solution(), validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        away = rows - found.centre if self.solver == "svd" else rows
        return np.asarray(away @ found.scalings, rows.dtype)[:, : self._n_features_out]

    @property
    def coef_(self) -> Array:
        """Weights of joint log-probabilities, or of the log-odds of two classes."""
        return self._cast(self._planes()[0])

    @property
    def intercept_(self) -> Array:
        """Offsets of joint log-probabilities, or of the log-odds of two classes."""
        return self._cast(self._planes()[1])

    @property
    def covariance_(self) -> Array:
        """Covariance within classes."""
        if self.solver == "svd" and not self.store_covariance:
            raise AttributeError("The covariance is stored only with store_covariance=True, or with another solver.")
        return self._cast(self._solution().covariance)

    @property
    def explained_variance_ratio_(self) -> Array:
        """Share of each coordinate of the variance between classes."""
        return self._cast(self._solution().ratio[: self._n_features_out])

    @property
    def scalings_(self) -> Array:
        """Axes of the discriminant coordinates."""
        return self._cast(self._solution().scalings)

    @property
    def xbar_(self) -> Array:
        """Mean of the class means, weighted by the class prior."""
        return self._cast(self._solution().centre)

    @property
    def _max_components(self) -> int:
        return min(len(self.classes_) - 1, self.n_features_in_)

    @property
    def _n_features_out(self) -> int:
        return self._max_components if self.n_components is None else int(self.n_components)

    def _planes(self) -> tuple[Array, Array]:
        found, prior = self._solution(), self._predictor.log_prior
        centre = found.centre if self.solver == "svd" else np.zeros(self.n_features_in_)  # as in scikit-learn
        away = (found.mean - centre) @ found.root
        weights = away @ found.root.T
        offsets = prior - 0.5 * np.square(away).sum(axis=1) - weights @ centre
        if len(prior) == 2:
            return weights[1:] - weights[:1], offsets[1:] - offsets[:1]
        return weights, offsets


class QuadraticDiscriminantAnalysis(_Analysis):
    """Quadratic discriminant analysis: a normal distribution per class, each with its own covariance.

    A drop-in for scikit-learn's class of the same name, from one pass over the rows. It also learns in batches, merges,
    forgets, leaves rows out and takes sample weights; a `covariance_estimator` and `shrinkage="auto"` need the rows
    themselves, and work with `fit` only. With few rows, `GaussianDiscriminant` needs no regularization.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "eigen" supports shrinkage; otherwise both give the same results.
    shrinkage : float, "auto" or None, default=None
        Weight of a multiple of the identity in the covariance of each class; "auto" is the weight of Ledoit and Wolf.
    priors : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Prior over the classes. An array fixes the probabilities; a number is the pseudo-count of every class, a
        Dirichlet holds one per class; "uniform" gives every class the same probability. "counted", also if not given,
        uses the class frequencies of the rows.
    reg_param : float, default=0.0
        Weight of the identity in the covariance of each class; used by "svd" only.
    store_covariance : bool, default=False
        Whether `covariance_` is available.
    tol : float, default=1e-4
        Standard deviation below which a direction does not count toward the rank of a covariance.
    covariance_estimator : object, default=None
        Estimator with `fit` and `covariance_`, which estimates the covariance of each class.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

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
        The labels, sorted.
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

    _parameter_constraints: ClassVar[Constraints] = {
        "solver": [StrOptions({"svd", "eigen"})],
        "shrinkage": SHRINKAGE,
        "priors": [*CLASS_PRIOR, None],
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
        shrinkage: Shrinkage = None,
        priors: ClassPriorLike | None = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: EstimatesCovariance | None = None,
        temper: Tempering | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.temper = temper

    def _likelihood(self, views: Views) -> QuadraticAnalysis:
        given = None if self._given is None else self._given[:-1]
        ridge = self.reg_param if self.solver == "svd" else 0.0
        return QuadraticAnalysis(
            solver=self.solver, shrinkage=self._fixed_shrinkage, tol=self.tol, given=given, ridge=ridge
        )

    def _likelihoods(self, model: Model, views: Views) -> Mapping[Name, Likelihood]:
        return {"X": replace(self._likelihood(views), labels=tuple(model.classes.tolist()))}

    def _settle(self, rows: int) -> None:
        _ = self._block.scorer

    def _solution(self) -> Quadrics:
        return self._settled_as(QuadraticAnalysis).solve(self._block.t)

    @property
    def covariance_(self) -> list[Array]:
        """Covariance of each class."""
        if not self.store_covariance:
            raise AttributeError("Covariances are stored only with store_covariance=True.")
        return [self._cast(one) for one in self._solution().covariance]

    @property
    def rotations_(self) -> list[Array]:
        """Axes of each covariance."""
        return [self._cast(one) for one in self._solution().rotations]

    @property
    def scalings_(self) -> list[Array]:
        """Variances along the axes."""
        return [self._cast(one) for one in self._solution().scalings]
