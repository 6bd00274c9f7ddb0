"""Truncate numbers to a fixed, fine grid, and find the distinct values of a column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.typing import Array, Integers

BITS = 12
"""Bits of a float64's mantissa that the grid keeps: whole numbers below 8,192 stay distinct."""

CUT = 52 - BITS

SPAN, SPARSE = 2**21, 2**16
"""Range of keys, and number of cells of a table, that are always small enough to be counted rather than sorted."""


def on_grid(values: NDArray[Any], bits: int = BITS) -> Array:
    """Truncate numbers to a mantissa of `bits` bits: a fixed grid, fine everywhere, independent of the data.

    A grid of fewer bits is coarser, and a subset of this one.

    >>> on_grid(np.array([1.0, 8191.0, 1234567.0, -0.1]))
    array([ 1.00000000e+00,  8.19100000e+03,  1.23443200e+06, -9.99908447e-02])
    """
    cut = np.array(values, np.float64).view(np.int64)
    cut &= ~np.int64((1 << (52 - bits)) - 1)
    out: Array = cut.view(np.float64)
    out += 0.0  # no negative zero
    return out


def coarser(counts: Any, bits: int) -> Any:
    """Return value counts (`ValueCounts`) on a grid of `bits` bits; counts of values that become equal are added."""
    values, place = np.unique(on_grid(counts.values, bits), return_inverse=True)
    lines = int(counts.classes)
    return type(counts).of_codes(place[counts.place], values, counts.line, counts.count, n_classes=lines)


def distinct(values: NDArray[Any]) -> tuple[NDArray[Any], Integers]:
    """Return the sorted distinct values, and the index of each row's value in them.

    >>> distinct(np.array([0.5, -2.0, 0.5, 8.0]))
    (array([-2. ,  0.5,  8. ]), array([1, 0, 1, 2]))
    """
    if len(values) and values.dtype.kind in "biu" and values.dtype != np.uint64:
        found = _counted(values.astype(np.int64, copy=False))
        if found is not None:
            return found[0].astype(values.dtype), found[1]
    elif len(values) and values.dtype == np.float64 and not (values.view(np.int64) & np.int64((1 << CUT) - 1)).any():
        # integers that sort like the values, 0 for zero; `least` is the offset from which magnitudes are numbered
        bits = values.view(np.int64) >> CUT
        size = bits & np.int64((1 << (63 - CUT)) - 1)
        least = int(size.min(initial=np.iinfo(np.int64).max, where=size > 0)) - 1 if size.any() else 0
        steps = np.where(size > 0, size - least, 0)
        found = _counted(np.where(bits < 0, -steps, steps) if bits.min() < 0 else steps)
        if found is not None:
            keys, codes = found
            size = np.where(keys == 0, 0, np.abs(keys) + least) << CUT
            return np.copysign(size.view(np.float64), np.where(keys < 0, -1.0, 1.0)), codes
    unique, codes = np.unique(values, return_inverse=True)
    return unique, codes.astype(np.int64, copy=False)


def counted_on_grid(values: Array, bits: int, codes: Integers, classes: int) -> tuple[Array, Integers, Array] | None:
    """Return grid values, classes and the number of rows with both; None if a table of counts would be too large.

    >>> counted_on_grid(np.array([1.2, 1.3, -4.0]), 2, np.array([0, 0, 1]), 2)
    (array([ 1.  ,  1.25, -4.  ]), array([0, 0, 1]), array([1., 1., 1.]))
    """
    if not len(values):
        return None
    signed = values.view(np.int64) >> (52 - bits)
    keys = signed & ((1 << (11 + bits)) - 1)
    least = int(keys.min())
    span = int(keys.max()) - least + 1
    if 2 * span * classes > max(SPARSE, len(values)):
        return None
    keys += np.where(signed < 0, span - least, -least)
    keys *= classes
    keys += codes
    found = np.bincount(keys)
    cells = np.flatnonzero(found)
    key, line = np.divmod(cells, classes)
    size = ((key % span + least) << (52 - bits)).view(np.float64)
    return np.where(key >= span, -size, size) + 0.0, line, found[cells].astype(np.float64)


def _counted(keys: Integers) -> tuple[Integers, Integers] | None:
    """Return the distinct keys and the index of each row's key, by counting; None if their range is too wide."""
    least = int(keys.min())
    span = int(keys.max()) - least + 1
    if span > max(SPAN, 4 * len(keys)):
        return None
    keys, seen, place = keys - least, np.zeros(span, bool), np.empty(span, np.int64)
    seen[keys] = True
    found = np.flatnonzero(seen)
    place[found] = np.arange(len(found))
    return found + least, place[keys]
