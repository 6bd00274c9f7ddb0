"""Some of many rows, picked by a hash of their number: always the same, and no pattern in the data can meet them."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.typing import Booleans, Integers

__all__ = ["hashed", "one_in", "some_rows"]


def hashed(numbers: Any) -> Any:
    """A 64-bit number for each (splitmix64), evenly spread.

    >>> [f"{x:016x}" for x in hashed([0, 1]).tolist()]
    ['e220a8397b1dcdaf', '6e789e6aa1b965f4']
    """
    with np.errstate(over="ignore"):
        z = (np.asarray(numbers, np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def some_rows(rows: int, most: int, group: Integers | None = None) -> Integers:
    """So many of the rows at most, in rising order; of rows in groups, whole groups."""
    if rows <= most:
        return np.arange(rows)
    if group is None:
        return np.sort(np.argsort(hashed(np.arange(rows)), kind="stable")[:most])
    order = np.argsort(hashed(np.arange(int(group.max()) + 1)), kind="stable")
    sizes = np.bincount(group)[order]
    kept = order[: max(1, int(np.searchsorted(np.cumsum(sizes), most, side="right")))]
    return np.flatnonzero(np.isin(group, kept))


def one_in(share: int, rows: int, group: Integers | None = None) -> Booleans:
    """About one of `share` rows, or groups."""
    numbers = np.arange(rows) if group is None else group
    return np.asarray(hashed(numbers) % np.uint64(share) == 0)
