"""scikit-learn's reading of rows, behind a look at those that it would convert unseen."""

from __future__ import annotations

from typing import Any

from scipy.sparse import issparse
from sklearn.utils import validation

from suffice.sparse import sound

__all__ = ["validate_data"]


def validate_data(estimator: Any, X: Any, *args: Any, **options: Any) -> Any:
    """As scikit-learn's, for matrices that are what they say."""
    return validation.validate_data(estimator, sound(X, "X") if issparse(X) else X, *args, **options)
