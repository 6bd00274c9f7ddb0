"""Classify single Python values: missing, a number, a word, a date, or unusable in a table."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sort", "decoded", "has_surrogates", "is_cut", "is_encodable", "is_missing", "numbers", "sort_of"]

Sort = Literal["missing", "bool", "integer", "real", "string", "bytes", "date", "other"]

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_SORTS: tuple[tuple[Sort, Any], ...] = (
    ("string", str),
    ("bytes", bytes),
    ("bool", (bool, np.bool_)),
    ("date", _DATES),  # before numbers: numpy's durations are integers too
    ("integer", Integral),
    ("real", (Real, Decimal)),
)


def sort_of(value: Any) -> Sort:
    """Return the sort of a value by its type; only `is_missing` finds NaN."""
    kind: Any = type(value)
    return _sort_of_type(kind)


@lru_cache(maxsize=1024)
def _sort_of_type(kind: type) -> Sort:
    if kind.__name__ in ("NoneType", "NAType", "NaTType"):  # pandas is optional, so its types go by their names
        return "missing"
    if kind.__name__ == "Period":
        return "date"
    return next((sort for sort, kinds in _SORTS if issubclass(kind, kinds)), "other")


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NA or NaT."""
    if isinstance(value, float | np.floating):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return sort_of(value) == "missing"


def decoded(value: Any) -> str:
    """Return a value as a string that UTF-8 can encode."""
    if isinstance(value, bytes):
        return value.decode()
    # Arrow holds UTF-8, which has no room for half a surrogate pair
    return str(value).encode("utf-8", "backslashreplace").decode()


def is_encodable(value: object) -> bool:
    """Return whether a value is no text, or one that UTF-8 can encode: without half of a surrogate pair."""
    try:
        return not isinstance(value, str) or bool(value.encode() or True)
    except UnicodeEncodeError:
        return False


def has_surrogates(array: NDArray[np.str_]) -> bool:
    """Return whether any text of an array has half of a surrogate pair."""
    return bool(((_points(array) >> 11) == 0xD800 >> 11).any())


def is_cut(array: NDArray[np.str_]) -> bool:
    """Return whether any text of an array has NUL inside, where Arrow would cut it off."""
    points = _points(array)
    return bool(((points[:, :-1] == 0) & (points[:, 1:] != 0)).any())


def _points(array: NDArray[np.str_]) -> NDArray[np.uint32]:
    """Return the code points of texts, one line each, padded with zeros."""
    native = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("="), copy=False)
    return native.view(np.uint32).reshape(len(array), array.dtype.itemsize // 4)


def numbers(values: Sequence[Any]) -> NDArray[Any]:
    """Return whole numbers as int64, or as uint64 if only that is wide enough; other numbers as float64."""
    if all(sort_of(value) in ("bool", "integer") for value in values):
        integers = [int(value) for value in values]
        least, most = min(integers, default=0), max(integers, default=0)
        if least >= -(2**63) and most < 2**63:
            return np.array(integers, np.int64)
        if least >= 0 and most < 2**64:
            return np.array(integers, np.uint64)
    return np.array([_float(value) for value in values], np.float64)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an int of more than 1024 bits
        return float("inf") if value > 0 else float("-inf")
