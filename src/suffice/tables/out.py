"""Return answers as a dataframe of the user's library, and columns in the types they were read in."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import KindError
from suffice.later import nw
from suffice.typing import Integers

__all__ = ["as_counted", "by_value", "frame_of", "side_by_side"]

_BACKENDS = ("pandas", "polars", "pyarrow")  # in order of preference; the last is always there


def frame_of(columns: dict[str, Any], backend: str | None = None) -> Any:
    """Return a dataframe of the backend, by default the first that can be imported: pandas, polars, pyarrow.

    >>> frame_of({"word": ["a", "b"], "times": [3, 1]}, "pyarrow").column_names
    ['word', 'times']
    """
    if backend not in (None, *_BACKENDS):
        raise KindError(f"The argument 'backend' must be 'pandas', 'polars', 'pyarrow' or None; got {backend!r}.")
    chosen: Any = backend or next(filter(_there, _BACKENDS))
    return nw.from_dict(columns, backend=chosen).to_native()


def _there(package: str) -> bool:
    try:
        import_module(package)
    except ImportError:
        return False
    return True


def as_counted(values: NDArray[Any], counted: Any) -> NDArray[Any]:
    """Return numbers as integers where all those that were counted are whole; anything else as it is.

    >>> as_counted(np.array([1.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    array([1, 3])
    """
    if not isinstance(counted, np.ndarray) or counted.dtype.kind != "f" or values.dtype.kind != "f":
        return values
    return values.astype(np.int64) if ((np.abs(counted) < 2.0**53) & (counted % 1 == 0)).all() else values


def by_value(codes: Integers, categories: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the categories that codes stand for, column by column."""
    both = zip(map(np.asarray, categories), codes.T, strict=True)
    return [as_counted(known[column], known) for known, column in both]


def side_by_side(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return columns as one array: of objects, where they are not all numbers or all words."""
    if len({"number" if column.dtype.kind in "iuf" else column.dtype.kind for column in columns}) == 1:
        return np.column_stack(columns)
    return np.column_stack([column.astype(object) for column in columns])
