"""Quadratic discriminant analysis, with scikit-learn's parameters, attributes and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import ClassVar

import numpy as np

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
)
from suffice.estimators.shell.stored import State
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.discriminant_analysis import QuadraticAnalysis, Quadrics
from suffice.models.model import Model, Name
from suffice.models.views import Views
from suffice.readers.labels import Examples, Given
from suffice.typing import Array, DataLike, LabelArray, LabelsLike, WeightsLike

__all__ = ["QuadraticDiscriminantAnalysis"]

NO_ESTIMATOR = "covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead."


class QuadraticDiscriminantAnalysis(MatrixClassifier):
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
    _reading: ClassVar[ReadOptions] = {"dtype": [np.float64, np.float32]}
    _schema = (*MatrixClassifier._schema, "_given", "_dtype")
    _given: Array | None
    _dtype: str

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
            solver=self.solver, shrinkage=fixed_shrinkage(self), tol=self.tol, given=given, ridge=ridge
        )

    def _likelihoods(self, model: Model, views: Views) -> Mapping[Name, Likelihood]:
        return {"X": replace(self._likelihood(views), labels=tuple(model.classes.tolist()))}

    def _settle(self, rows: int) -> None:
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

    def _solution(self) -> Quadrics:
        return self._settled_as(QuadraticAnalysis).solve(self._block.t)

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
