"""Map named categories to their places in a Dirichlet, and trials to codes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from suffice.errors import DataError, InputError, ShapeError
from suffice.typing import Integers

__all__ = ["codes_of", "places_of"]


def _listed(values: Any, name: str) -> list[Any]:
    """Return a list, array, range or column as a list of plain values."""
    try:
        array = np.asarray(values if hasattr(values, "__array__") else list(values), object)
    except (TypeError, ValueError):
        raise ShapeError(f"The argument '{name}' must be a list of categories; got {values!r}.") from None
    if array.ndim != 1:
        raise ShapeError(f"The argument '{name}' must be a list of categories; got an array of shape {array.shape}.")
    return list(array.tolist())


def places_of(categories: Iterable[Hashable], size: int) -> dict[Any, int]:
    """Return the place of each category in `alpha`."""
    listed = _listed(categories, "categories")
    places = {category: place for place, category in enumerate(listed) if isinstance(category, Hashable)}
    if not len(places) == len(listed) == size:
        raise InputError(
            f"The argument 'categories' must list {size} different values, one for each of 'alpha'; got {listed!r}."
        )
    return places


def codes_of(values: Any, places: dict[Any, int]) -> Integers:
    """Return the place of each value's category."""
    listed = _listed(values, "values")
    if not listed:
        raise DataError("The argument 'values' must hold at least one row; got none.")
    for row, value in enumerate(listed):
        if not isinstance(value, Hashable) or value not in places:
            raise DataError(
                f"The argument 'values' must hold only values listed in 'categories'; got {value!r} at [{row}]."
            )
    return np.array([places[value] for value in listed], np.int64)
