"""Linear discriminant analysis, with scikit-learn's parameters, attributes and results."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from suffice.errors import InputError
from suffice.estimators.discriminants.coordinates import (
    AT_ONCE,
    NOT_COMBINED,
    SHRINKAGE,
    EstimatesCovariance,
    Shrinkage,
    check_combination,
    check_given,
    covariances_of_rows,
    decisions,
    fixed_shrinkage,
    given_priors,
    needs_rows,
    refuse_parts,
)
from suffice.estimators.shell.classifier import Classifier
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
from suffice.models.likelihoods.discriminant_analysis import LinearAnalysis, Planes
from suffice.models.model import Model
from suffice.models.views import Views
from suffice.readers.labels import Examples, Given
from suffice.telling import tell
from suffice.typing import Array, DataLike, LabelArray, LabelsLike, WeightsLike

__all__ = ["LinearDiscriminantAnalysis"]

NO_ESTIMATOR = (
    "covariance estimator is not supported with svd solver. Try another solver"  # the message of scikit-learn
)


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MatrixClassifier):
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
    _reading: ClassVar[ReadOptions] = {"dtype": [np.float64, np.float32]}
    _schema = (*MatrixClassifier._schema, "_given", "_dtype")
    _given: Array | None
    _dtype: str

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
        prior = None if self.priors is None else given_priors(self.priors)
        return LinearAnalysis(
            solver=self.solver, shrinkage=fixed_shrinkage(self), tol=self.tol, given=self._given, share=prior
        )

    def _settle(self, rows: int) -> None:
        if rows == len(self.classes_):
            raise InputError(f"The number of samples must be more than the number of classes; got n_samples={rows}.")
        if self.n_components is not None and self.n_components > self._max_components:
            raise InputError("n_components cannot be larger than min(n_features, n_classes - 1).")
        if isinstance(self._class_prior().given, np.ndarray) and not np.isclose(np.asarray(self.priors).sum(), 1.0):
            tell("The priors do not sum to 1. Renormalizing")
        _ = self._block.scorer

    def _read(self, X: Given, y: LabelsLike, sample_weight: WeightsLike, first: bool) -> Examples:
        check_combination(self, NO_ESTIMATOR)
        examples = super()._read(X, y, sample_weight, first)
        if first:
            self._dtype, self._given = examples.source.dtype.name, covariances_of_rows(self, examples)
        return examples

    def _needs_all_rows(self) -> str:
        return "a covariance_estimator, or shrinkage='auto'," if needs_rows(self) else ""

    def _count(self, examples: Examples) -> Model:
        if self.__sklearn_is_fitted__():
            refuse_parts(self, AT_ONCE)
        return super()._count(examples)

    def _class_prior(self) -> ClassPrior:
        return given_priors(self.priors)

    def _agree(self, other: Classifier) -> None:
        super()._agree(other)
        refuse_parts(self, NOT_COMBINED)

    def _check_statistics(self, classes: LabelArray, statistics: State, likelihood: Likelihood) -> None:
        check_combination(self, NO_ESTIMATOR)
        check_given(self._given, self._dtype, len(classes), self.n_features_in_)
        super()._check_statistics(classes, statistics, likelihood)

    def _cast(self, array: Array) -> Array:
        return array.astype(self._dtype)

    def _solution(self) -> Planes:
        return self._settled_as(LinearAnalysis).solve(self._block.t)

    def _evidence_names(self) -> list[str]:
        return ["all columns"]

    def decision_function(self, X: DataLike) -> Array:
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
        return decisions(self.predict_joint_log_proba(X))

    @property
    def means_(self) -> Array:
        """Mean of each class."""
        return self._cast(self._solution().mean)

    @property
    def priors_(self) -> Array:
        """Probability of each class."""
        return self._cast(np.exp(self._class_prior().log(self._model.n)))

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
