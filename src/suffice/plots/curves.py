"""Beliefs about one number as curves, for the pictures of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from suffice.errors import InputError, KindError
from suffice.posterior import Beta, Gamma
from suffice.typing import Array

__all__ = ["Curved", "curved", "density", "domain", "likelihood", "mode_of", "reach", "spelled"]

POINTS = 151
Curved = Beta | Gamma


def curved(belief: Any, name: str, function: str) -> Curved:
    """Return the belief; raise unless it is about one number and has a curve."""
    if not isinstance(belief, Beta | Gamma):
        raise KindError(
            f"The argument '{name}' of {function} must be a Beta or a Gamma; got a {type(belief).__name__}."
        )
    if belief.batch_shape:
        raise InputError(
            f"The argument '{name}' of {function} must be one belief; got a table of shape {belief.batch_shape}."
        )
    return belief


def spelled(belief: Curved) -> str:
    """Return what the curve is about."""
    return "probability of heads" if isinstance(belief, Beta) else "rate"


def domain(x: Array, belief: Curved) -> list[float]:
    """Return where the axis begins and ends."""
    return [0.0, 1.0] if isinstance(belief, Beta) else [0.0 if x[0] < 0.2 * x[-1] else float(x[0]), float(x[-1])]


def density(belief: Curved, x: Array) -> Array:
    """Return the height of the curve."""
    if isinstance(belief, Beta):
        return np.asarray(stats.beta.pdf(x, belief.a, belief.b))
    return np.asarray(stats.gamma.pdf(x, belief.shape, scale=1 / belief.rate))


def reach(*beliefs: Curved) -> Array:
    """Return points along which to draw the curves; the ends, where they may be infinite, are left out."""
    if isinstance(beliefs[0], Beta):
        return (np.arange(POINTS) + 0.5) / POINTS
    gammas = [belief for belief in beliefs if isinstance(belief, Gamma)]
    ends = [stats.gamma.ppf([0.0005, 0.999], belief.shape, scale=1 / belief.rate) for belief in gammas]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    return np.asarray(np.linspace(0 if low < 0.2 * high else low, high, POINTS + 1)[1:])


def likelihood(prior: Curved, posterior: Curved, x: Array) -> Array | None:
    """Return the likelihood that turned one into the other, scaled to an area of one; None if there were no data."""
    before, after = np.array(prior._values(), float), np.array(posterior._values(), float)
    first, second = after - before
    if type(prior) is not type(posterior) or min(first, second) < 0:
        raise InputError(f"The argument 'prior' must be what the posterior came from; got {prior!r} for {posterior!r}.")
    if first == second == 0:
        return None
    if isinstance(posterior, Beta):
        return np.asarray(stats.beta.pdf(x, first + 1, second + 1))
    return np.asarray(stats.gamma.pdf(x, first + 1, scale=1 / second)) if second else None


def mode_of(belief: Curved) -> float | None:
    """Return the mode, if there is just one."""
    return float(belief.mode) if belief.modes() == "point" else None
