"""Everything of scikit-learn that is private or may move, in one place, so that a release of theirs breaks one file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from scipy.sparse import issparse
from sklearn.base import _fit_context
from sklearn.utils import validation
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, column_or_1d

from suffice.readers.labels import LabelChecks
from suffice.sparse import sound

__all__ = [
    "CHECKS", "HasMethods", "Interval", "StrOptions", "checked_weights", "fit_context", "fit_nested", "num_samples",
    "validate_data",
]  # fmt: skip

CHECKS = LabelChecks(lambda y: column_or_1d(y, warn=True), check_classification_targets)
"""What scikit-learn's users expect of labels."""

F = TypeVar("F", bound=Callable[..., Any])


def fit_context(method: F) -> F:
    """Check the parameters of an estimator before it learns."""
    wrapped: F = _fit_context(prefer_skip_nested_validation=True)(method)
    return wrapped


def fit_nested(method: F) -> F:
    """Check the parameters of an estimator, and of those inside, before it learns."""
    wrapped: F = _fit_context(prefer_skip_nested_validation=False)(method)
    return wrapped


def validate_data(estimator: Any, X: Any, *args: Any, **options: Any) -> Any:
    """Read rows as scikit-learn does, after a look at sparse matrices that it would convert unseen."""
    return validation.validate_data(estimator, sound(X, "X") if issparse(X) else X, *args, **options)


def checked_weights(sample_weight: Any, X: Any, dtype: Any = None) -> Any:
    """Return what each row counts for, as scikit-learn reads it."""
    return _check_sample_weight(sample_weight, X, dtype=dtype)


def num_samples(X: Any) -> int:
    """Return the number of rows of whatever scikit-learn knows."""
    return int(_num_samples(X))
