"""Columns of numbers of a table, read for families of flags, counts and real values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.tables import Column

__all__ = ["column_name", "numbers"]


def column_name(column: Column) -> str:
    """Return the name of a column as error messages write it."""
    return f"Column {column.name!r}"


def numbers(column: Column) -> NDArray[Any]:
    """Return the values of a column of numbers, with zeros where they are missing; raise DataError for inf and NaN."""
    values: NDArray[Any] = column.values
    if column.values is None:
        return np.zeros(len(column))
    if values.dtype == np.bool_:
        values = values.view(np.uint8)
    if column.missing is not None:
        values = np.where(column.missing, values.dtype.type(0), values)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(
            f"{column_name(column)} must hold finite numbers; got {values[row]} in row {row}. Make it a missing value."
        )
    return values
