"""One row, as people pass it to be explained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from suffice.errors import InputError, KindError
from suffice.tables import frame_of

__all__ = ["one_row_of", "one_text"]


def one_row_of(x: Any, names: Any) -> Any:
    """Return rows with this one only; one by name in the order of the model's names."""
    if hasattr(x, "to_dict") and not hasattr(x, "columns"):  # a row of pandas
        x = x.to_dict()
    if isinstance(x, Mapping) and names is not None:
        missing = [name for name in names if name not in x]
        if missing:
            raise InputError(
                f"The argument 'x' must have a value for each feature of the model; {missing[0]!r} has none."
            )
        return frame_of({name: _column(x[name]) for name in names})
    if isinstance(x, Mapping):
        x = list(x.values())
    if not issparse(x) and not hasattr(x, "columns"):
        x = np.asarray(x)
        if x.dtype.kind == "O" or x.dtype.kind in "US":
            x = np.asarray(x, dtype=object)
    x = x.reshape(1, -1) if getattr(x, "ndim", 2) == 1 else x
    if getattr(x, "ndim", 2) == 2 and x.shape[0] != 1:
        raise InputError(f"The argument 'x' must be one row; got {x.shape[0]:,}.")
    return x


def _column(value: Any) -> list[Any]:
    many = hasattr(value, "__len__") and not isinstance(value, str | bytes)
    if many and len(value) != 1:
        raise InputError(f"The argument 'x' must be one row; got {len(value):,}.")
    return list(value) if many else [value]


def one_text(x: Any) -> Any:
    """Return a text, or the only one of some."""
    if isinstance(x, str | bytes) or not hasattr(x, "__iter__"):
        if x is None or isinstance(x, float | int):
            raise KindError(f"The argument 'x' must be one text; got {x!r}, a {type(x).__name__}.")
        return x
    texts = list(x)
    if len(texts) != 1:
        raise InputError(f"The argument 'x' must be one text; got {len(texts):,}.")
    return texts[0]
