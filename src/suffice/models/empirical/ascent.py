"""The top of a smooth hill in a few positive numbers: Newton's steps in their logarithms, and never downwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from suffice.typing import Array

__all__ = ["Hill", "Top", "climb"]

STEPS, HALVINGS, REACH = 100, 40, 3.0
CLOSE, ROUNDING, FLAT = 1e-10, 1e-14, 1e-13


class Hill(Protocol):
    """A function of positive numbers."""

    def value(self, x: Array) -> float:
        """Its height."""

    def slope(self, x: Array) -> tuple[Array, Array]:
        """First and second derivatives."""


@dataclass(frozen=True)
class Top:
    """Where a climb ended, and the heights it passed."""

    x: Array
    heights: list[float]


def climb(hill: Hill, start: Array, low: Any, high: Any) -> Top:
    """From `start` to a top within bounds. A step that would lead down (beyond rounding) is halved until it does not.

    >>> class Round:
    ...     def value(self, x): return float(-(np.log(x[0] / 4) ** 2))
    ...     def slope(self, x):
    ...         log = np.log(x / 4)
    ...         return -2 * log / x, (2 * (log - 1) / x**2)[None]
    >>> climb(Round(), np.ones(1), 1e-6, 1e6).x.round(6)
    array([4.])
    """
    ends = np.log(np.broadcast_to(low, start.shape)), np.log(np.broadcast_to(high, start.shape))
    u = np.clip(np.log(start), *ends)
    heights = [hill.value(np.exp(u))]
    for _ in range(STEPS):
        step = _newton(hill, u, ends, FLAT * max(1.0, abs(heights[-1])))
        for _ in range(HALVINGS):
            there = np.clip(u + step, *ends)
            height = hill.value(np.exp(there))
            if height >= heights[-1] - ROUNDING * abs(heights[-1]):
                break
            step = step / 2
        else:
            break
        moved, u = np.abs(there - u).max(initial=0.0), there
        heights.append(height)
        if moved < CLOSE:
            break
    return Top(np.exp(u), heights)


def _newton(hill: Hill, u: Array, ends: tuple[Array, Array], flat: float) -> Array:
    """A step in the logarithms, and along a wall that is reached.

    Each way in which the hill bends is walked on its own: to the top of it where it bends down, uphill by one at most
    where it does not. A ridge that rises without end is then followed along its crest.
    """
    x = np.exp(u)
    first, second = hill.slope(x)
    slope, bend = x * first, np.outer(x, x) * second + np.diag(x * first)
    free = ~(((u <= ends[0]) & (slope < 0)) | ((u >= ends[1]) & (slope > 0)))
    step = np.zeros_like(u)
    if not (np.abs(slope[free]) > flat).any():
        return step
    curves, ways = np.linalg.eigh(bend[np.ix_(free, free)])
    along = slope[free] @ ways
    far = np.abs(along) / np.maximum(np.abs(curves), 1e-300)
    step[free] = ways @ (np.sign(along) * np.minimum(far, np.where(curves < 0, REACH, 1.0)))
    return step
