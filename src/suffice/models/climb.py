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
        step = np.clip(u + _newton(hill, u, ends, FLAT * max(1.0, abs(heights[-1]))), *ends) - u
        for _ in range(HALVINGS):
            height = hill.value(np.exp(u + step))
            if height >= heights[-1] - ROUNDING * abs(heights[-1]):
                break
            step = step / 2
        else:
            break
        u = u + step
        heights.append(height)
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
    return Top(np.exp(u), heights)


def _newton(hill: Hill, u: Array, ends: tuple[Array, Array], flat: float) -> Array:
    """A step in the logarithms; along the slope where the hill does not bend down, and along a wall that is reached."""
    x = np.exp(u)
    first, second = hill.slope(x)
    slope, bend = x * first, np.outer(x, x) * second + np.diag(x * first)
    free = ~(((u <= ends[0]) & (slope < 0)) | ((u >= ends[1]) & (slope > 0)))
    step = np.zeros_like(u)
    if not (np.abs(slope[free]) > flat).any():
        return step
    bend, along = bend[np.ix_(free, free)], slope[free]
    if np.linalg.eigvalsh(bend).max() < 0:
        step[free] = np.linalg.solve(-bend, along)
    else:
        step[free] = np.sign(along) * np.where(along != 0, 1.0, 0.0)
    return step * min(1.0, REACH / max(float(np.abs(step).max()), 1e-300))
