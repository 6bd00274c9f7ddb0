"""Compute the curves of beliefs about one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.posterior import Beta, Dirichlet, Gamma, NormalInverseGamma, NormalInverseWishart, Pareto, WaitingRate
from suffice.posterior.densities import InverseGamma, StudentT
from suffice.typing import Array

__all__ = ["Curved", "curved", "density", "domain", "likelihood", "mode_of", "of_one_number", "reach", "spelled"]

POINTS = 151
NARROW = 0.1
"""Beliefs about a probability that lie within so little are hard to see between 0 and 1."""
Curved = Beta | Gamma | WaitingRate | Pareto | StudentT | InverseGamma

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
        raise KindError(
            f"The argument '{name}' of {function} must be {', '.join(names[:-1])} or {names[-1]}; "
            f"got a {type(belief).__name__}.{INSTEAD.get(type(belief), '')}"
        )
    table = belief.batch if isinstance(belief, StudentT | InverseGamma) else belief.batch_shape
    if table:
        raise InputError(f"The argument '{name}' of {function} must be one belief; got a table of shape {table}.")
    if not getattr(belief, "proper", True):
        raise ImproperPrior(f"The argument '{name}' of {function} must integrate to one; got {belief!r}.")
    return belief


def spelled(belief: Curved) -> str:
    """Return the name of the quantity that a belief is about."""
    return ABOUT[type(belief)]


def domain(x: Array, belief: Curved) -> list[float]:
    """Return the ends of the axis."""
    if isinstance(belief, Beta) and x[-1] - x[0] > NARROW:
        return [0.0, 1.0]
    return [0.0 if 0 <= x[0] < 0.2 * x[-1] else float(x[0]), float(x[-1])]


def density(belief: Curved, x: Array) -> Array:
    """Return the density at each point."""
    return np.asarray(belief.pdf(x))


def reach(*beliefs: Curved) -> Array:
    """Return the points at which to draw the curves, without the ends, where densities may be infinite."""
    highest = 0.95 if isinstance(beliefs[0], Pareto | InverseGamma) else 0.999  # these have long tails
    ends = [(float(belief.quantile(0.0005)), float(belief.quantile(highest))) for belief in beliefs]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    if isinstance(beliefs[0], Beta):
        return _of_shares(low, high, [end for end in ends if 0 < end[1] - end[0] <= NARROW])
    if isinstance(beliefs[0], Pareto):
        low = 0.0
    return np.asarray(np.linspace(0 if 0 <= low < 0.2 * high else low, high, POINTS + 1)[1:])


def _of_shares(low: float, high: float, narrow: list[tuple[float, float]]) -> Array:
    """Return points between 0 and 1, dense at narrow beliefs; where all of these are near, points about them alone."""
    steps = (np.arange(POINTS) + 0.5) / POINTS
    if 0 < high - low <= NARROW:
        low = 0.0 if low < 0.2 * high else low
        return np.asarray(low + (high - low) * steps)
    wider = [(max(0.0, 2 * start - end), min(1.0, 2 * end - start)) for start, end in narrow]  # where curves end
    return np.unique([steps, *(start + (end - start) * steps for start, end in wider)])


def likelihood(prior: Curved, posterior: Curved, x: Array) -> Array | None:
    """Return the likelihood between prior and posterior, scaled to area one, or None if it cannot be drawn."""
    if type(prior) is not type(posterior):
        raise InputError(f"The argument 'prior' must be the prior of the posterior {posterior!r}; got {prior!r}.")
    if not isinstance(posterior, Beta | Gamma | WaitingRate) or not isinstance(prior, Beta | Gamma | WaitingRate):
        return None
    before, after = np.array(prior._values(), float), np.array(posterior._values(), float)
    first, second = after - before
    if min(first, second) < 0:
        raise InputError(f"The argument 'prior' must be the prior of the posterior {posterior!r}; got {prior!r}.")
    if first == second == 0:
        return None
    if isinstance(posterior, Beta):
        return np.asarray(Beta(first + 1, second + 1).pdf(x))
    return np.asarray(Gamma(first + 1, second).pdf(x)) if second else None


def mode_of(belief: Curved) -> float | None:
    """Return the mode if it is unique, else None."""
    if isinstance(belief, StudentT):
        return float(belief.location)
    if isinstance(belief, InverseGamma):
        return float(belief.scale / (belief.shape + 1))
    return float(belief.mode) if belief.modes() == "point" else None
