"""The lowest point of a smooth function of many numbers, each above its own bound: L-BFGS, projected.

Steps of earlier iterations tell how the function bends (Nocedal & Wright, algorithm 7.4). Numbers that lie at their
bound, and would be driven beyond it, stay there for the step; a step that crosses a bound ends at it. Every iteration
leads down, and the search ends when it no longer leads down by much.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from suffice.typing import Array

__all__ = ["Lowest", "descend"]

MEMORY = 8
ENOUGH = 1e-4
"""Of the decrease that the slope promises, so much has to come."""


@dataclass(frozen=True, eq=False)
class Lowest:
    """Where the function is lowest, how low, and how many times it was asked."""

    x: Array
    value: float
    calls: int


def descend(
    function: Callable[[Array], tuple[float, Array]],
    start: Array,
    least: Array,
    tolerance: float = 1e-9,
    most: int = 500,
    tell: Callable[[int, float], None] = lambda step, value: None,
) -> Lowest:
    """The lowest point of a function that gives its value and slope, with x ≥ least.

    The search ends when two steps in a row bring less than `tolerance` of the value each. `tell` is told each step.
    """
    x = np.maximum(start, least)
    value, slope = function(x)
    steps: deque[tuple[Array, Array, float]] = deque(maxlen=MEMORY)
    calls, small = 1, 0
    for step in range(1, most + 1):
        free = (x > least) | (slope < 0)
        way = _way(np.where(free, slope, 0.0), steps)
        way[~free] = 0.0
        if _dot(slope, way) >= 0:
            steps.clear()
            way = np.where(free, -slope, 0.0)
        if not way.any():
            break
        size = 1.0 if steps else min(1.0, 1.0 / float(np.abs(way).max()))
        for _ in range(40):
            there = np.maximum(x + size * way, least)
            found, its_slope = function(there)
            calls += 1
            if found <= value + ENOUGH * _dot(slope, there - x):
                break
            size /= 2 if np.isfinite(found) else 10
        else:
            break
        moved, turned = there - x, its_slope - slope
        bend = _dot(moved, turned)
        if bend > 1e-10 * _dot(turned, turned):
            steps.append((moved, turned, bend))
        small = small + 1 if value - found <= tolerance * (abs(found) + tolerance) else 0
        x, value, slope = there, found, its_slope
        tell(step, value)
        if small == 2:
            break
    return Lowest(x, value, calls)


def _way(slope: Array, steps: deque[tuple[Array, Array, float]]) -> Array:
    """−(inverse bend) · slope, as far as the last steps tell."""
    way = -slope
    shares = []
    for moved, turned, bend in reversed(steps):
        share = _dot(moved, way) / bend
        way -= share * turned
        shares.append(share)
    if steps:
        _, turned, bend = steps[-1]
        way *= bend / _dot(turned, turned)
    for (moved, turned, bend), share in zip(steps, reversed(shares), strict=True):
        way += (share - _dot(turned, way) / bend) * moved
    return way


def _dot(a: Array, b: Array) -> float:
    """Σ a·b, added up the same way whatever threads there are."""
    return float(np.einsum("i,i->", a, b))
