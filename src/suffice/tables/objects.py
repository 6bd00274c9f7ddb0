"""Convert Python objects, one per row, to a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.later import pa
from suffice.tables.arrow import of_arrow
from suffice.tables.column import Column, Name, gaps, unusable
from suffice.tables.scalars import decoded, is_missing, numbers, sort_of
from suffice.typing import Booleans

__all__ = ["of_objects"]

_SIMPLE = ("null", "bool", "int64", "uint64", "double", "string", "large_string")


def of_objects(name: Name, values: Sequence[Any] | NDArray[Any]) -> Column:
    """Convert Python objects to a column; Arrow tries first, being fast, and if it fails every value is examined."""
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _one_by_one(name, values)
    if str(array.type) in _SIMPLE or pa.types.is_temporal(array.type) or pa.types.is_decimal(array.type):
        return of_arrow(name, array)
    return _one_by_one(name, values)


def _one_by_one(name: Name, values: Sequence[Any] | NDArray[Any]) -> Column:
    present = np.array([not is_missing(value) for value in values], np.bool_)
    found = [value for value, there in zip(values, present, strict=True) if there]
    sorts = {sort_of(value) for value in found}
    missing = gaps(~present)
    if not sorts:
        return Column(name, "nothing", None, missing, rows=len(present))
    if sorts == {"date"}:
        return Column(name, "date", None, missing, rows=len(present))
    if sorts == {"bool"}:
        return Column(name, "bool", _spread(np.array(found, np.bool_), present), missing)
    if sorts <= {"bool", "integer", "real"}:
        array = numbers(found)
        return Column(name, "real" if array.dtype == np.float64 else "integer", _spread(array, present), missing)
    if "other" in sorts or "date" in sorts:
        _complain(name, values, "other" if "other" in sorts else "date")
    return Column(name, "string", _words(name, values, present), missing)


def _spread(found: NDArray[Any], present: Booleans) -> NDArray[Any]:
    """Return the values at their rows, with NaN or 0 in the gaps."""
    array = np.full(len(present), np.nan if found.dtype == np.float64 else 0, found.dtype)
    array[present] = found
    return array


def _words(name: Name, values: Any, present: Booleans) -> Any:
    try:
        words = [decoded(value) if there else None for value, there in zip(values, present, strict=True)]
    except UnicodeDecodeError:
        _complain(name, values, "bytes")
    return pa.array(words, pa.large_string())


def _complain(name: Name, values: Any, sort: str) -> None:
    for row, value in enumerate(values):
        if sort_of(value) == sort and not is_missing(value):
            if sort == "bytes" and _is_text(value):
                continue
            raise unusable(name, _in_words(value, sort), row)


def _in_words(value: Any, sort: str) -> str:
    if sort == "date":
        return f"{type(value).__name__} among other values"
    words = {bytes: "byte string that is not UTF-8", complex: "complex number", np.ndarray: "array"}
    return words.get(type(value), type(value).__name__)


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
