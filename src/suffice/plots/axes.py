"""Choose the axes of pictures of beliefs: the range of the quantity, the points of the curves, and the height."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suffice.plots.curves import Curved, bounded, density, mode_of
from suffice.posterior import Pareto
from suffice.posterior.beta import BetaBelief
from suffice.posterior.densities import InverseGamma, StudentT
from suffice.posterior.gamma import GammaBelief
from suffice.typing import Array

__all__ = ["Ends", "points", "span", "top"]

Ends = tuple[float, float]

POINTS = 151
NARROW = 0.1
"""Beliefs about a probability that lie within so little are hard to see between 0 and 1."""
VAGUE = 8
"""A belief this many times wider than another one would leave it too little of the axis."""
PEAK = 12
"""An axis extends at most so many standard deviations, of a normal with the curvature of the peak, to each side."""
TALL = 10
"""A picture is at most so many times as high as the belief that it is about."""


def span(beliefs: Sequence[Curved], about: Curved | None = None) -> Ends:
    """Return the ends of the axis, at which the vague ones among several beliefs are cut.

    Parameters
    ----------
    beliefs : list
        The beliefs to draw.
    about : belief, default=None
        The belief that must be seen; by default the narrowest, and all that lie apart from it.
    """
    starts, ends = zip(*(_limits(belief) for belief in beliefs if not _vague(belief, beliefs, about)), strict=True)
    low, high = min(starts), max(ends)
    if isinstance(beliefs[0], BetaBelief):
        if not 0 < high - low <= NARROW:
            return 0.0, 1.0
        high = 1.0 if 1 - high < 0.2 * (1 - low) else high
    return (0.0 if 0 <= low < 0.2 * high else low), high


def points(beliefs: Sequence[Curved], ends: Ends) -> Array:
    """Return the points of the curves: evenly spaced, denser where a belief is narrow, with modes and jumps."""
    low, high = ends
    steps = (np.arange(POINTS) + 0.5) / POINTS
    parts = [low + (high - low) * steps]
    if not isinstance(beliefs[0], BetaBelief):  # whose density may be infinite at both ends
        parts.append(np.array([end for end in ends if end != 0]))
    if any(isinstance(belief, GammaBelief) and not bounded(belief) for belief in beliefs):
        parts.append((high - low) * np.array([1e-4, 1e-3]))  # at 0, the curve leaves the picture
    for belief in beliefs:
        start, end = _bulk(belief)
        if 0 < end - start < (high - low) / 4:
            parts.append(2 * start - end + 3 * (end - start) * steps)  # on both sides too, where the curve ends
        mode = mode_of(belief)
        if mode is not None and bounded(belief):
            parts.append(np.array([np.nextafter(mode, -np.inf), mode] if isinstance(belief, Pareto) else [mode]))
    x = np.unique(np.concatenate(parts))
    return np.asarray(x[(x >= low) & (x <= high)])


def top(beliefs: Sequence[Curved], x: Array, ends: Ends, about: Curved | None = None) -> float:
    """Return the height of the highest peak, unless it hides the belief that the picture is about.

    Curves that are infinite at an end are cut, and so are vague beliefs that have a spike there.
    """
    tallest = max(_height(belief, x, ends, _vague(belief, beliefs, about)) for belief in beliefs)
    main = about or _narrowest(beliefs)
    return min(tallest, TALL * _height(main, x, ends)) if bounded(main) else tallest


def _height(belief: Curved, x: Array, ends: Ends, vague: bool = False) -> float:
    """Return the peak of a curve; if it is infinite or vague, at most four times its height away from the ends."""
    curve = density(belief, x)
    tallest, edge = float(curve[np.isfinite(curve)].max()), 0.05 * (ends[1] - ends[0])
    inner = float(curve[(x >= ends[0] + edge) & (x <= ends[1] - edge)].max())
    cut = inner > 0 and (vague or not bounded(belief))
    return (min(tallest, 4 * inner) if cut else tallest) or 1.0


def _vague(belief: Curved, beliefs: Sequence[Curved], about: Curved | None) -> bool:
    """Return whether a belief is too wide to choose the axis.

    If the picture is about no belief, only the beliefs that cover the narrowest one are too wide: they are seen there.
    """
    main = about or _narrowest(beliefs)
    if isinstance(belief, BetaBelief) or _width(belief) <= VAGUE * _width(main):  # an axis from 0 to 1
        return False
    (start, end), (low, high) = _tails(belief), _tails(main)
    return about is not None or (start < high and low < end)


def _narrowest(beliefs: Sequence[Curved]) -> Curved:
    return min(beliefs, key=_width)


def _width(belief: Curved) -> float:
    """Return the distance of the tails; for an upper end from 0, where its axis starts."""
    low, high = _tails(belief)
    return high if isinstance(belief, Pareto) else high - low


def _tails(belief: Curved) -> Ends:
    """Return the ends that measure how vague a belief is, with the mode between them; infinite ones are allowed."""
    if isinstance(belief, Pareto):
        return float(belief.b), _quantile(belief, 0.9)
    if isinstance(belief, StudentT):
        away = _quantile(belief, 0.95) - float(belief.location)
        return float(belief.location) - away, float(belief.location) + away
    if isinstance(belief, InverseGamma):
        return min(_quantile(belief, 0.05), _peak(belief)[0]), _quantile(belief, 0.95)
    low, high = _quantile(belief, 0.0005), _quantile(belief, 0.999)
    if isinstance(belief, BetaBelief):
        return low, high
    return min(low, float(belief.mode)), high if bounded(belief) else max(high, 1 / float(belief.rate))


def _limits(belief: Curved) -> Ends:
    """Return the ends of the axis on which one belief is seen best; heavy tails are cut."""
    if isinstance(belief, Pareto):
        return 0.0, min(_quantile(belief, 0.95), 6 * float(belief.b))
    if isinstance(belief, StudentT):
        mode, spread = _peak(belief)
        away = min(_quantile(belief, 0.999) - mode, PEAK * spread)
        return mode - away, mode + away
    if isinstance(belief, InverseGamma):
        mode, spread = _peak(belief)
        high = max(_quantile(belief, 0.95), mode + PEAK / 2 * spread)
        return min(_quantile(belief, 0.0005), mode), min(_quantile(belief, 0.999), high, mode + 2 * PEAK * spread)
    if isinstance(belief, BetaBelief) or bounded(belief):
        return _quantile(belief, 0.0005), _quantile(belief, 0.999)
    return 0.0, max(_quantile(belief, 0.99), 0.2 / float(belief.rate))


def _bulk(belief: Curved) -> Ends:
    """Return the ends between which a curve bends most."""
    low, high = _limits(belief)
    if isinstance(belief, Pareto):
        return float(belief.b), high
    if isinstance(belief, StudentT | InverseGamma):
        mode, spread = _peak(belief)
        return max(low, mode - 2 * spread), min(high, mode + 2 * spread)
    return low, high


def _peak(belief: StudentT | InverseGamma) -> Ends:
    """Return the mode, and the standard deviation of a normal with the same curvature there."""
    if isinstance(belief, StudentT):
        return float(belief.location), float(belief.scale * np.sqrt(belief.df / (belief.df + 1)))
    mode = float(belief.scale / (belief.shape + 1))
    return mode, mode / float(np.sqrt(belief.shape + 1))


def _quantile(belief: Curved, chance: float) -> float:
    """Return a quantile, which may be infinite."""
    return float(np.nan_to_num(float(belief.quantile(chance)), nan=np.inf, posinf=np.inf))
