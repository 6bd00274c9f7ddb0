"""Compute the curves of beliefs about one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.posterior import Beta, Dirichlet, Gamma, NormalInverseGamma, NormalInverseWishart, Pareto, WaitingRate
from suffice.posterior.beta import BetaBelief
from suffice.posterior.densities import InverseGamma, StudentT
from suffice.posterior.gamma import GammaBelief
from suffice.typing import Array

__all__ = ["Curved", "bounded", "curved", "density", "drawn", "likelihood", "mode_of", "of_one_number", "spelled"]

Curved = BetaBelief[Any] | GammaBelief[Any] | Pareto | StudentT | InverseGamma

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


def density(belief: Curved, x: Array) -> Array:
    """Return the density at each point."""
    return np.asarray(belief.pdf(x))


def bounded(belief: Curved) -> bool:
    """Return whether the density is finite everywhere."""
    if isinstance(belief, BetaBelief):
        return min(float(belief.a), float(belief.b)) >= 1
    return not isinstance(belief, GammaBelief) or float(belief.shape) >= 1


def drawn(belief: Curved, x: Array) -> tuple[Array, Array]:
    """Return the points at which the density is finite, and the density there."""
    curve = density(belief, x)
    return x[np.isfinite(curve)], curve[np.isfinite(curve)]


def likelihood(prior: Curved, posterior: Curved) -> Beta | Gamma | None:
    """Return the likelihood between prior and posterior, scaled to area one, or None if it cannot be drawn."""
    if type(prior) is not type(posterior):
        raise InputError(f"The argument 'prior' must be the prior of the posterior {posterior!r}; got {prior!r}.")
    if not isinstance(posterior, BetaBelief | GammaBelief) or not isinstance(prior, BetaBelief | GammaBelief):
        return None
    before, after = np.array(prior._values(), float), np.array(posterior._values(), float)
    first, second = after - before
    if min(first, second) < 0:
        raise InputError(f"The argument 'prior' must be the prior of the posterior {posterior!r}; got {prior!r}.")
    if first == second == 0:
        return None
    if isinstance(posterior, BetaBelief):
        return Beta(first + 1, second + 1)
    return Gamma(first + 1, second) if second else None


def mode_of(belief: Curved) -> float | None:
    """Return the mode if it is unique, else None."""
    if isinstance(belief, StudentT):
        return float(belief.location)
    if isinstance(belief, InverseGamma):
        return float(belief.scale / (belief.shape + 1))
    return float(belief.mode) if belief.modes() == "point" else None
