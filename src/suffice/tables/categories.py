"""Convert codes and their labels, from any storage, to columns of categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.tables.column import Column, Name, gaps
from suffice.tables.scalars import decoded, is_missing, numbers, sort_of

__all__ = ["category"]


def category(name: Name, codes: NDArray[Any], labels: Sequence[Any]) -> Column:
    """Return a column of categories: each label once, and codes of −1 for missing values.

    Dictionaries of Arrow may hold a label twice, or a missing one; labels of different types may be spelled alike.
    """
    present = np.array([not is_missing(label) for label in labels], np.bool_)
    known = _labels([label for label, there in zip(labels, present, strict=True) if there])
    places: dict[Any, int] = {}
    for label in known.tolist():
        places.setdefault(label, len(places))
    if len(places) < len(labels):
        place = np.full(len(labels) + 1, -1, np.int64)  # the code −1 takes the last entry
        place[:-1][present] = [places[label] for label in known.tolist()]
        codes = place[codes]
        known = _array(list(places), known.dtype)
    return Column(name, "category", codes, gaps(codes < 0), known)


def _labels(labels: list[Any]) -> NDArray[Any]:
    sorts = {sort_of(label) for label in labels}
    if sorts == {"bool"}:
        return np.array(labels, np.bool_)
    if sorts and sorts <= {"integer", "real"}:
        array = numbers(labels)
        return array.astype(np.float64) if array.dtype == np.uint64 else array
    return _array([decoded(label) for label in labels], np.dtype(object))


def _array(labels: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    array = np.empty(len(labels), dtype)
    array[:] = labels
    return array
