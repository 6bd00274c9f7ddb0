"""Categories that were given, not met: what each column of categories can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["declared", "refuse_others"]

TEXT, NUMBER = "U", "biuf"


def declared(categories: Any, n_features: int) -> list[NDArray[Any]]:
    """The values each feature can have, sorted, as arrays of text or of numbers."""
    if len(categories) != n_features:
        raise ValueError(
            f"The 'categories' parameter of CategoricalNB must be a list for each of {n_features} features, such as "
            f"[range(1, 7)]. Got {len(categories)} instead."
        )
    return [_sorted(values, j) for j, values in enumerate(categories)]


def _sorted(values: Any, j: int) -> NDArray[Any]:
    try:
        given = values if hasattr(values, "__array__") else list(values)
        array = np.asarray(given)
        plain = np.asarray(given, object)
    except (TypeError, ValueError):
        array = plain = np.empty((0, 0))
    array = array.astype(np.str_) if array.dtype.kind == "O" and all(isinstance(v, str) for v in array.flat) else array
    mixed = array.dtype.kind == TEXT and not all(isinstance(value, str) for value in plain.flat)
    if array.ndim != 1 or not array.size or mixed or array.dtype.kind not in TEXT + NUMBER:
        raise ValueError(
            "The 'categories' parameter of CategoricalNB must list texts or numbers, one kind per feature. "
            f"Got {values!r} for feature {j} instead."
        )
    once = np.unique(array)
    if len(once) != len(array) or (once != once).any():
        raise ValueError(
            f"The 'categories' parameter of CategoricalNB must list each category once, none missing. Got {values!r} "
            f"for feature {j} instead."
        )
    return once


def refuse_others(known: list[NDArray[Any]], columns: list[NDArray[Any]]) -> None:
    """Raise ValueError naming the first value that is none of its feature's categories."""
    for j, (values, column) in enumerate(zip(known, columns, strict=True)):
        alike = (values.dtype.kind == TEXT) == (column.dtype.kind == TEXT)
        other = ~np.isin(column, values) if alike else np.ones(len(column), bool)
        if other.any():
            row = int(np.argmax(other))
            raise ValueError(
                "CategoricalNB (input X) must hold only the categories that were given; "
                f"got {column[row].item()!r} in row {row}, column {j}."
            )
