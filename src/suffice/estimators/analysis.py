"""What linear and quadratic discriminant analysis share: moments of classes, and covariances that need the rows."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.covariance import ledoit_wolf
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, KindError
from suffice.estimators.base import NaiveBayesClassifier
from suffice.estimators.deciding import Deciding
from suffice.estimators.validation import validate_data
from suffice.models import Scorer
from suffice.models.discriminant import Discriminant, SingularCovariance
from suffice.models.logs import log
from suffice.stats import FullMoments, Statistic
from suffice.stats.inputs import Rows
from suffice.typing import Array, Integers

__all__ = ["SHRINKAGE", "DiscriminantAnalysis"]

SHRINKAGE: list[Any] = [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None]


class DiscriminantAnalysis(Deciding, NaiveBayesClassifier):
    """What both share: moments of classes, and covariances that need the rows themselves."""

    _feature_counts = FullMoments
    _schema = (*NaiveBayesClassifier._schema, "_given", "_dtype")
    solver: str
    shrinkage: Any
    priors: Any
    covariance_estimator: Any
    _given: Array | None
    _dtype: str

    @property
    def means_(self) -> Array:
        """Mean of each class."""
        return self._cast(self._solution().mean)

    @property
    def priors_(self) -> Array:
        """Probability of each class."""
        check_is_fitted(self)
        return self._cast(self._shares(self._classes.counts))

    @property
    def class_count_(self) -> Array:
        """Rows of each class, or the sum of their weights."""
        check_is_fitted(self)
        return self._classes.counts.copy()

    @abstractmethod
    def _solution(self) -> Any:
        """What the analysis finds."""

    def _cast(self, array: Array) -> Array:
        return array.astype(self._dtype)

    def _read(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        self._refuse_combinations()
        X, y = validate_data(self, X, y, reset=reset, dtype=[np.float64, np.float32], ensure_min_samples=self._least)
        if reset:
            self._dtype = X.dtype.name
        return X, y

    _least = 1

    def _read_rows(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite=False)

    def _refuse_combinations(self) -> None:
        raw = self.covariance_estimator is not None
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and raw:
            raise ValueError(self._no_estimator)
        if raw and self.shrinkage is not None and self.shrinkage != 0:
            raise ValueError(
                "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."
            )

    _no_estimator: ClassVar[str]

    def _needs_rows(self) -> bool:
        return self.covariance_estimator is not None or self.shrinkage == "auto"

    def _count(self, X: Any, codes: Any, weights: Any, n_classes: int, fresh: bool) -> Statistic:
        if self._needs_rows() and not fresh:
            raise InputError(
                "A covariance_estimator, or shrinkage='auto', needs all rows at once: fit, not partial_fit or forget."
            )
        if fresh:
            self._given = self._from_rows(X, codes, weights, n_classes) if self._needs_rows() else None
        return FullMoments.of(X, codes, weights, n_classes=n_classes, name="X")

    def _from_rows(self, X: Any, codes: Integers, weights: Any, n_classes: int) -> Array:
        if weights is not None:
            raise InputError("A covariance_estimator, or shrinkage='auto', takes no sample_weight.")
        parts = [X[codes == c] for c in range(n_classes)]
        if not all(len(part) for part in parts):
            raise InputError("A covariance_estimator, or shrinkage='auto', needs rows of every class.")
        return np.stack([np.atleast_2d(self._covariance_of(part)) for part in [*parts, X]]).astype(np.float64)

    def _covariance_of(self, X: Any) -> Any:
        if self.covariance_estimator is None:
            scaler = StandardScaler()
            found = ledoit_wolf(scaler.fit_transform(X))[0]
            return scaler.scale_[:, None] * found * scaler.scale_
        self.covariance_estimator.fit(X)
        if not hasattr(self.covariance_estimator, "covariance_"):
            raise ValueError(f"{type(self.covariance_estimator).__name__} does not have a covariance_ attribute")
        return self.covariance_estimator.covariance_

    def _agree(self, other: Any) -> None:
        super()._agree(other)
        if self._needs_rows():
            raise InputError("Models with a covariance_estimator, or shrinkage='auto', cannot be combined.")

    def _without_own(self, rows: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        t: Any = self._features
        if self._is_plain_mle():
            try:
                return Discriminant(self._event.covariance, "mle").leave_out(
                    t, self._classes.counts, rows, codes, weights, scores
                )
            except SingularCovariance:  # of directions that do not vary, or of classes that are gone
                pass
        return self._without_groups(rows, codes, weights, np.arange(len(codes)), scores)

    def _is_plain_mle(self) -> bool:
        """Whether covariances are those of rows, and nothing else."""
        return not self._needs_rows() and not self._fixed_shrinkage()

    def _without_groups(self, rows: Rows, codes: Integers, weights: Array, group: Integers, scores: Array) -> Array:
        if self._needs_rows():
            raise InputError("Rows cannot be left out of a covariance_estimator, or of shrinkage='auto'.")
        return super()._without_groups(rows, codes, weights, group, scores)

    def _restore(self, classes: Any, statistics: dict[str, Any]) -> None:
        shape = (len(classes) + 1, self.n_features_in_, self.n_features_in_)
        given: Any = self._given
        self._refuse_combinations()
        if self._dtype not in ("float32", "float64"):
            raise DataError(f"Numbers must be float32 or float64; got {self._dtype!r}.")
        if given is not None and (not isinstance(given, np.ndarray) or given.shape != shape or given.dtype != "f8"):
            raise DataError(f"Covariances of classes, and of all rows, must be {shape}.")
        super()._restore(classes, statistics)

    def _settle(self, rows: int) -> None:
        self._view("scorer", self._make_scorer)

    def _must_share(self) -> None:
        raise KindError(
            f"{type(self).__name__} cannot learn without labels: its covariances are shrunk and cut as scikit-learn "
            "does it, which is no estimate that EM can climb. Use GaussianDiscriminant."
        )

    def _remake(self) -> None:
        self._shares(self._classes.counts)  # may be refused

    def _shares(self, counts: Array) -> Array:
        if self.priors is None:
            total = counts.sum(axis=-1, keepdims=True)
            return np.asarray(counts / np.where(total > 0, total, 1.0))
        priors = np.array(self._priors_given, np.float64)
        if priors.shape != counts.shape[-1:]:
            raise ValueError("Number of priors must match number of classes.")
        if (priors < 0).any():
            raise ValueError("priors must be non-negative")
        if not np.isfinite(priors).all() or not priors.any():
            raise ValueError(f"priors must be finite numbers, some of them above 0; got {priors.tolist()}.")
        return np.broadcast_to(priors / priors.sum(), counts.shape)

    @property
    def _priors_given(self) -> Any:
        return self._view("priors", lambda: np.array(self.priors, np.float64))

    def _log_prior_of(self, counts: Array) -> Array:
        return log(self._shares(counts))

    def _log_prior(self) -> Array:
        return log(self._shares(self._classes.counts))

    def _fixed_shrinkage(self) -> float:
        return float(self.shrinkage) if isinstance(self.shrinkage, Real) else 0.0

    def _evidence_cells(self) -> tuple[Any, Any, Array | None]:
        _, cells, others = super()._evidence_cells()
        return ["all columns"], cells, others

    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        scorer: Scorer = self._make_event(n).scorer(t)
        return scorer

    @property
    def _event(self) -> Any:
        return self._make_event(self._classes.counts)

    @abstractmethod
    def _make_event(self, n: Array) -> Any:
        """The event model of classes of n rows."""
