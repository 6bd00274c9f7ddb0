"""Choose the two classes that a page compares word by word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["two_to_show"]


def two_to_show(confusion: NDArray[np.int64]) -> tuple[int, int]:
    """Return the two classes that are confused most, or the two largest if none are confused."""
    k = len(confusion)
    if k < 2:
        return 0, 0
    both = np.triu(confusion + confusion.T, 1)
    if both.any():
        a, b = divmod(int(both.argmax()), k)
        return a, b
    a, b = np.sort(np.argsort(-confusion.sum(axis=1), kind="stable")[:2]).tolist()
    return a, b
