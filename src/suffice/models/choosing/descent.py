"""Minimize a smooth function of many numbers with lower bounds, and noisy losses along a grid.

`descend` is projected L-BFGS: earlier steps approximate the curvature (Nocedal & Wright, algorithm 7.4). Numbers at
their bound that would leave it stay there for the step. A step that crosses a bound ends at it. Every iteration lowers
the function, and the search ends once it is lowered by little.
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
"""Smallest share of the decrease predicted by the gradient that a step must achieve."""

NOTHING = 1e-3
"""Smallest predicted decrease worth a step, relative to the tolerance: certain predictions cannot improve."""

NOISE, NAT = 0.25, 1.0
"""Smallest difference that counts as more than noise: in standard errors, and in nats over all rows."""

Report = Callable[[int, float], None]
"""Callback for the number of a step and the value after it."""

Pairs = deque[tuple[Array, Array, float]]
"""Steps, the changes of the gradient along them, and the inner products of both."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """Hold the minimum of a function, its value there, and the number of evaluations."""

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
    """Return the minimum over x ≥ lower of a function that returns its value and gradient.

    The search ends after two successive steps that each lower the value by less than `tolerance`, relative to the value
    or to `least`.
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
    """Return a descent direction; −gradient, with the memory cleared, where the memory leads uphill."""
    direction = _newton(np.where(free, gradient, 0.0), pairs)
    direction[~free] = 0.0
    if _dot(gradient, direction) >= 0:
        pairs.clear()
        direction = np.where(free, -gradient, 0.0)
    return direction


def _newton(gradient: Array, pairs: Pairs) -> Array:
    """Return −(inverse Hessian) · gradient, with the Hessian approximated from recent steps."""
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
    """Return Σ a·b, summed in the same order for any number of threads."""
    return float(np.einsum("i,i->", a, b))


def safest(loss: Callable[[float], Array], initial: float, factor: float, lower: float, upper: float) -> float:
    """Return the largest initial·factorᵏ whose loss is not above the lowest by more than noise.

    `loss` returns the losses of held-out rows. The search goes downhill from the initial number until the loss rises.
    From the lowest, it goes on to larger, smoother numbers while the losses hardly differ.
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
