"""Numbers of rows, hashed: which row is picked depends on nothing but its number, and no pattern in data meets it."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["hashed"]


def hashed(numbers: Any) -> Any:
    """Return a 64-bit number for each, evenly spread (splitmix64).

    >>> [f"{x:016x}" for x in hashed([0, 1]).tolist()]
    ['e220a8397b1dcdaf', '6e789e6aa1b965f4']
    """
    with np.errstate(over="ignore"):
        z = (np.asarray(numbers, np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
