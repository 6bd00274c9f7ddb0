"""Compute what a chart of beliefs about one number shows: the curves, and the axes on which they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.posterior import Beta, Dirichlet, Gamma, NormalInverseGamma, NormalInverseWishart, Pareto, WaitingRate
from suffice.posterior.beta import BetaBelief
from suffice.posterior.densities import InverseGamma, StudentT
from suffice.posterior.gamma import GammaBelief
from suffice.typing import Array

Ends = tuple[float, float]

ABOUT: dict[type[Any], str] = {
    Beta: "probability", Gamma: "rate", WaitingRate: "rate", Pareto: "upper end", StudentT: "mean",
    InverseGamma: "variance",
}  # fmt: skip
"""The name of the quantity that each family is about."""

INSTEAD: dict[type[Any], str] = {
    Dirichlet: " Take one category of its marginal(), which is a Beta; plots.simplex and plots.draws show all.",
    NormalInverseWishart: " Take the belief about one coordinate.",
}
"""What to do about a belief that has no curve."""

POINTS = 151
NARROW = 0.1
"""Beliefs about a probability that lie within so little are hard to see between 0 and 1."""
VAGUE = 8
"""A belief this many times wider than another one would leave it too little of the axis."""
PEAK = 12
"""An axis extends at most so many standard deviations, of a normal with the curvature of the peak, to each side."""
TALL = 10
"""A chart is at most so many times as high as the belief that it is about."""


def of_one_number(belief: Any) -> Any:
    """Return a belief about vectors of length one as that about the number they hold; any other as it is."""
    if not isinstance(belief, NormalInverseWishart) or belief.m.shape != (1,):
        return belief
    return NormalInverseGamma(belief.m[0], belief.kappa, np.asarray(belief.nu) / 2, belief.scale[0, 0] / 2)


def curved(belief: Any, name: str, function: str, kinds: tuple[type[Any], ...] = (*ABOUT,)) -> Any:
    """Return the belief; raise unless it is a proper belief about one number."""
    if not isinstance(belief, kinds):
        public = [kind.__name__ for kind in kinds if kind not in (StudentT, InverseGamma)]
        more = [] if len(public) == len(kinds) else ["NormalInverseGamma"]
        names = [f"a {name}" for name in (*public, *more)]
        raise KindError(f"{function}.{name}", f"be {', '.join(names[:-1])} or {names[-1]}", got_a=belief).advise(
            INSTEAD.get(type(belief), "")
        )
    table = belief.batch if isinstance(belief, StudentT | InverseGamma) else belief.batch_shape
    if table:
        raise InputError(f"{function}.{name}", "be one belief").but(f"got a table of shape {table}")
    if not getattr(belief, "proper", True):
        raise ImproperPrior(f"{function}.{name}", "integrate to one", got=belief)
    return belief


def likelihood(prior: Any, posterior: Any) -> Beta | Gamma | None:
    """Return the likelihood between prior and posterior, scaled to area one, or None if it cannot be drawn."""
    wrong = InputError("prior", f"be the prior of the posterior {posterior!r}", got=prior)
    if type(prior) is not type(posterior):
        raise wrong
    if not isinstance(posterior, BetaBelief | GammaBelief):
        return None
    first, second = np.array(posterior._values(), float) - np.array(prior._values(), float)
    if min(first, second) < 0:
        raise wrong
    if first == second == 0:
        return None
    if isinstance(posterior, BetaBelief):
        return Beta(first + 1, second + 1)
    return Gamma(first + 1, second) if second else None


@dataclass(frozen=True)
class Curve:
    """The density of a belief about one number, and the stretches of the axis that a chart of it chooses from."""

    belief: Any
    limits: Ends  # where it is seen best; heavy tails are cut
    bulk: Ends  # where it bends most
    tails: Ends  # which measure how vague it is, with the mode between them; infinite ones are allowed
    mode: float | None  # if it is unique
    bounded: bool = True  # whether the density is finite everywhere

    @classmethod
    def of(cls, belief: Any) -> Curve:
        """Return the curve of a proper belief about one number."""

        def quantile(share: float) -> float:
            return float(np.nan_to_num(float(belief.quantile(share)), nan=np.inf, posinf=np.inf))

        if isinstance(belief, StudentT):
            mode, spread = float(belief.location), float(belief.scale * np.sqrt(belief.df / (belief.df + 1)))
            away, tail = min(quantile(0.999) - mode, PEAK * spread), quantile(0.95) - mode
            bulk = mode - min(away, 2 * spread), mode + min(away, 2 * spread)
            return cls(belief, (mode - away, mode + away), bulk, (mode - tail, mode + tail), mode)
        if isinstance(belief, InverseGamma):
            mode = float(belief.scale / (belief.shape + 1))
            spread = mode / float(np.sqrt(belief.shape + 1))  # of a normal with the same curvature there
            high = min(quantile(0.999), max(quantile(0.95), mode + PEAK / 2 * spread), mode + 2 * PEAK * spread)
            low = min(quantile(0.0005), mode)
            bulk = max(low, mode - 2 * spread), min(high, mode + 2 * spread)
            return cls(belief, (low, high), bulk, (min(quantile(0.05), mode), quantile(0.95)), mode)
        unique = float(belief.mode) if belief.modes() == "point" else None
        if isinstance(belief, Pareto):
            start, high = float(belief.b), min(quantile(0.95), 6 * float(belief.b))
            return cls(belief, (0.0, high), (start, high), (start, quantile(0.9)), unique)
        low, high = quantile(0.0005), quantile(0.999)
        if isinstance(belief, BetaBelief):
            return cls(
                belief, (low, high), (low, high), (low, high), unique, min(float(belief.a), float(belief.b)) >= 1
            )
        lowest = min(low, float(belief.mode))
        if float(belief.shape) >= 1:
            return cls(belief, (low, high), (low, high), (lowest, high), unique)
        limits = 0.0, max(quantile(0.99), 0.2 / float(belief.rate))
        return cls(belief, limits, limits, (lowest, max(high, 1 / float(belief.rate))), unique, False)

    @property
    def about(self) -> str:
        """The name of the quantity."""
        return ABOUT[type(self.belief)]

    @property
    def width(self) -> float:
        """The distance of the tails; for an upper end from 0, where its axis starts."""
        return self.tails[1] - (0.0 if isinstance(self.belief, Pareto) else self.tails[0])

    def density(self, x: Array) -> Array:
        """Return the density at each point."""
        return np.asarray(self.belief.pdf(x))

    def drawn(self, x: Array) -> tuple[Array, Array]:
        """Return the points at which the density is finite, and the density there."""
        heights = self.density(x)
        return x[np.isfinite(heights)], heights[np.isfinite(heights)]

    def vague(self, about: Curve | None, narrowest: Curve) -> bool:
        """Return whether a belief is too wide to choose the axis.

        If the chart is about no belief, only those that cover the narrowest one are too wide: they are seen there.
        """
        main = about or narrowest
        if isinstance(self.belief, BetaBelief) or self.width <= VAGUE * main.width:  # an axis from 0 to 1
            return False
        return about is not None or (self.tails[0] < main.tails[1] and main.tails[0] < self.tails[1])

    def peak(self, x: Array, ends: Ends, vague: bool = False) -> float:
        """Return the height of the peak; if infinite or vague, at most four times the height away from the ends."""
        places, heights = self.drawn(x)
        edge = 0.05 * (ends[1] - ends[0])
        tallest, inner = heights.max(), heights[(places >= ends[0] + edge) & (places <= ends[1] - edge)].max()
        return float(min(tallest, 4 * inner) if inner > 0 and (vague or not self.bounded) else tallest) or 1.0


@dataclass(frozen=True)
class CurveAxes:
    """The axes of a chart of curves: the ends of the horizontal one, the points of the curves, and the height.

    The chart is about one of the curves, which must be seen; by default about the narrowest, and all that lie apart
    from it. Vague ones are cut.
    """

    ends: Ends
    x: Array
    top: float

    @classmethod
    def of(cls, curves: Sequence[Curve], about: Curve | None = None, highest: Curve | None = None) -> CurveAxes:
        """Return the axes for some curves; no vague curve hides the one that the height must suit."""
        narrowest, highest = min(curves, key=lambda one: one.width), highest or about
        limits = [one.limits for one in curves if not one.vague(about, narrowest)]
        low, high = min(start for start, _ in limits), max(end for _, end in limits)
        if isinstance(curves[0].belief, BetaBelief):
            low, high = (low, high) if 0 < high - low <= NARROW else (0.0, 1.0)
            high = 1.0 if 1 - high < 0.2 * (1 - low) else high
        ends = (0.0 if 0 <= low < 0.2 * high else low), high
        x, main = _points(curves, ends), highest or narrowest
        # Curves that are infinite at an end are cut, and so are vague beliefs that have a spike there.
        top = max(one.peak(x, ends, one.vague(highest, narrowest)) for one in curves)
        return cls(ends, x, min(top, TALL * main.peak(x, ends)) if main.bounded else top)


def _points(curves: Sequence[Curve], ends: Ends) -> Array:
    """Return the points of the curves: evenly spaced, denser where a belief is narrow, with modes and jumps."""
    low, high = ends
    steps = (np.arange(POINTS) + 0.5) / POINTS
    parts = [low + (high - low) * steps]
    if not isinstance(curves[0].belief, BetaBelief):  # whose density may be infinite at both ends
        parts.append(np.array([end for end in ends if end != 0]))
    if any(isinstance(one.belief, GammaBelief) and not one.bounded for one in curves):
        parts.append((high - low) * np.array([1e-4, 1e-3]))  # at 0, the curve leaves the chart
    for one in curves:
        start, end = one.bulk
        if 0 < end - start < (high - low) / 4:
            parts.append(2 * start - end + 3 * (end - start) * steps)  # on both sides too, where the curve ends
        if one.mode is not None and one.bounded:
            jump = [np.nextafter(one.mode, -np.inf)] if isinstance(one.belief, Pareto) else []
            parts.append(np.array([*jump, one.mode]))
    x = np.unique(np.concatenate(parts))
    return np.asarray(x[(x >= low) & (x <= high)])
