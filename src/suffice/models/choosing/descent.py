"""Minima: of a smooth function of many numbers with lower bounds, and of noisy losses along a grid.

`descend` is projected L-BFGS. Steps of earlier iterations tell the curvature (Nocedal & Wright, algorithm 7.4). Numbers
that lie at their bound, and would be driven beyond it, stay there for the step; a step that crosses a bound ends at it.
Every iteration leads down, and the search ends when it no longer leads down by much.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from suffice.typing import Array, Booleans

__all__ = ["NAT", "NOISE", "Minimum", "Report", "descend", "safest"]

MEMORY = 8
DECREASE = 1e-4
"""Share of the decrease that the gradient promises which a step must bring."""

NOTHING = 1e-3
"""Share of what is small that no step need be taken for: where rows are predicted for sure, none leads down."""

NOISE, NAT = 0.25, 1.0
"""What a difference must be above to be none of noise: standard errors of it, and nats of all rows."""

Report = Callable[[int, float], None]
"""Takes the number of a step, and the value after it."""

Pairs = deque[tuple[Array, Array, float]]
"""Steps, the changes of the gradient along them, and the products of both."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where a function is lowest, its value there, and how many times it was evaluated."""

    x: Array
    value: float
    calls: int


def descend(
    function: Callable[[Array], tuple[float, Array]],
    initial: Array,
    lower: Array,
    tolerance: float = 1e-9,
    most: int = 500,
    report: Report = lambda step, value: None,
    least: float = 0.0,
) -> Minimum:
    """Return the minimum, with x ≥ lower, of a function that returns value and gradient.

    The search ends when two steps in a row bring less than `tolerance` of the value each, or of `least`.
    """
    x = np.maximum(initial, lower)
    value, gradient = function(x)
    pairs: Pairs = deque(maxlen=MEMORY)
    calls, small = 1, 0
    for step in range(1, most + 1):
        direction = _direction(gradient, (x > lower) | (gradient < 0), pairs)
        if not direction.any() or -_dot(gradient, direction) < NOTHING * tolerance * least:
            break
        size = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(direction).max()))
        for _ in range(40):
            next_x = np.maximum(x + size * direction, lower)
            next_value, next_gradient = function(next_x)
            calls += 1
            if next_value <= value + DECREASE * _dot(gradient, next_x - x):
                break
            size /= 2 if np.isfinite(next_value) else 10
        else:
            break
        moved, turned = next_x - x, next_gradient - gradient
        curvature = _dot(moved, turned)
        if curvature > 1e-10 * _dot(turned, turned):
            pairs.append((moved, turned, curvature))
        enough = tolerance * max(abs(next_value) + tolerance, least)
        small = small + 1 if value - next_value <= enough else 0
        x, value, gradient = next_x, next_value, next_gradient
        report(step, value)
        if small == 2:
            break
    return Minimum(x, value, calls)


def _direction(gradient: Array, free: Booleans, pairs: Pairs) -> Array:
    """Return where to go from here; −gradient, with an empty memory, where the memory leads uphill."""
    direction = _newton(np.where(free, gradient, 0.0), pairs)
    direction[~free] = 0.0
    if _dot(gradient, direction) >= 0:
        pairs.clear()
        direction = np.where(free, -gradient, 0.0)
    return direction


def _newton(gradient: Array, pairs: Pairs) -> Array:
    """Return −(inverse hessian) · gradient, as far as the last steps tell."""
    direction, room = -gradient, np.empty_like(gradient)
    shares = []
    for moved, turned, curvature in reversed(pairs):
        share = _dot(moved, direction) / curvature
        direction -= np.multiply(turned, share, out=room)
        shares.append(share)
    if pairs:
        _, turned, curvature = pairs[-1]
        direction *= curvature / _dot(turned, turned)
    for (moved, turned, curvature), share in zip(pairs, reversed(shares), strict=True):
        direction += np.multiply(moved, share - _dot(turned, direction) / curvature, out=room)
    return direction


def _dot(a: Array, b: Array) -> float:
    """Return Σ a·b, added up in one order whatever threads there are."""
    return float(np.einsum("i,i->", a, b))


def safest(loss: Callable[[float], Array], initial: float, factor: float, lower: float, upper: float) -> float:
    """Return the largest of the numbers initial·factorᵏ whose loss is as low as the lowest, but for noise.

    `loss` returns the losses of held-out rows. From the initial number it is followed downhill until it rises; then,
    from the lowest, to larger numbers, which are smoother, while rows do not tell the difference.
    """
    known: dict[int, Array] = {}

    def at(k: int) -> Array:
        if k not in known:
            known[k] = loss(initial * factor**k)
        return known[k]

    low = 0
    for step in (-1, 1):
        while lower <= initial * factor ** (low + step) <= upper and at(low + step).sum() < at(low).sum():
            low += step
        if low:
            break
    best = low
    while initial * factor ** (low + 1) <= upper:
        more = at(low + 1) - at(best)
        if len(more) and more.sum() > max(NAT, NOISE * np.sqrt(len(more)) * more.std()):
            break
        low += 1
    return float(initial * factor**low)
