"""What classifiers of counts share: pseudo-counts, and a class prior that is learned, given or believed."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from suffice.estimators.base import NaiveBayesClassifier
from suffice.estimators.shared import ESTIMATES, class_log_prior
from suffice.estimators.validation import validate_data
from suffice.posterior import Beta, Dirichlet, Gamma
from suffice.stats import Statistic, TokenCounts
from suffice.stats.inputs import COUNT, Rows
from suffice.telling import tell
from suffice.typing import Array

__all__ = ["EVIDENCE", "LOO", "CountClassifier", "TotalsClassifier"]

SMALLEST_ALPHA = 1e-10
EVIDENCE, LOO = StrOptions({"evidence", "loo"}), StrOptions({"loo"})


class CountClassifier(NaiveBayesClassifier):
    """Classifiers of counts: pseudo-counts `alpha`, and an empirical, uniform, given or Dirichlet class prior."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", Dirichlet, None],
        "force_alpha": ["boolean"],
        "estimate": [ESTIMATES],
    }

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    class_count_: Array
    class_log_prior_: Array

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags

    def _read(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, accept_sparse=["csr", "csc"], reset=reset, ensure_all_finite=False)
        return X, y

    def _read_rows(self, X: Any) -> Any:
        return validate_data(self, X, accept_sparse="csr", reset=False, ensure_all_finite=False)

    @property
    def alpha_(self) -> Any:
        """The prior in use: as given, or of highest evidence."""
        return self._best_prior() if isinstance(self.alpha, str) else self.alpha

    def _best_prior(self) -> Any:
        if self.alpha == "loo":
            return self._chosen.get("alpha", 1.0)
        return self._view("alpha", self._find_prior)

    def _find_prior(self) -> Any:
        """The prior that makes the training rows most probable."""
        raise ValueError(
            f"The 'alpha' parameter of {type(self).__name__} must be a number. Got {self.alpha!r} instead."
        )

    def _check_alpha(self) -> Any:
        if isinstance(self.alpha, str):
            return self._best_prior()
        alpha: Any = self.alpha if isinstance(self.alpha, Real) else np.array(self.alpha)  # it may change under us
        if isinstance(alpha, np.ndarray):
            if alpha.ndim != 1 or not np.isfinite(alpha).all():
                what = f"an array of shape {alpha.shape}" if alpha.ndim != 1 else "NaN or infinity among them"
                raise ValueError(
                    f"The 'alpha' parameter of {type(self).__name__} must be a number, or finite numbers, one per "
                    f"feature ({self.n_features_in_}). Got {what} instead."
                )
            if alpha.shape[0] != self.n_features_in_:
                raise ValueError(
                    "When alpha is an array, it should contains `n_features`. "
                    f"Got {alpha.shape[0]} elements instead of {self.n_features_in_}."
                )
            if alpha.min() < 0:
                raise ValueError("All values in alpha must be greater than 0.")
        if np.min(alpha) < SMALLEST_ALPHA and not self.force_alpha:
            tell(
                f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
            )
            return np.maximum(alpha, SMALLEST_ALPHA)
        return alpha

    def _two_parameters(self, family: type[Beta | Gamma]) -> tuple[Array, Array]:
        """The prior's two parameters: those of an object, or `alpha` for both."""
        given: Any = self.alpha_
        if not isinstance(given, family):
            alpha = np.asarray(self._check_alpha(), np.float64)
            return alpha, alpha
        if given.batch_shape not in ((), (self.n_features_in_,)):
            raise ValueError(
                f"The 'alpha' parameter of {type(self).__name__} must be a {family.__name__}, or one per feature "
                f"({self.n_features_in_}). Got a table of shape {given.batch_shape} instead."
            )
        first, second = (np.asarray(value) for value in given._values())
        return first, second

    def _remake_prior(self) -> None:
        self.class_count_ = self._classes.counts.copy()
        self.class_log_prior_ = class_log_prior(self, self._classes.counts)

    def _log_prior(self) -> Array:
        return self.class_log_prior_ if self._weights is None else self.class_log_prior_ + self._class_terms()

    def _log_prior_of(self, counts: Array) -> Array:
        return np.asarray(class_log_prior(self, counts) + self._class_terms())


class TotalsClassifier(CountClassifier):
    """Classifiers that know a class by the total of each non-negative feature."""

    _feature_counts = TokenCounts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _as_model_sees(self, rows: Rows) -> Rows:
        return rows.must_be(COUNT)

    def _count(self, X: Any, codes: Any, weights: Any, n_classes: int, fresh: bool) -> Statistic:
        return TokenCounts.of(X, codes, weights, n_classes=n_classes, name="X")

    @property
    def feature_count_(self) -> Array:
        """Total count of each feature in each class."""
        counts: Array = self._features.arrays()["counts"]
        return counts
