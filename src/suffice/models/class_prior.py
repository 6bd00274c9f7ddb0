"""Define the class prior: as counted, uniform, given, or a Dirichlet that the rows update (NB-10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from suffice.errors import InputError, NoUniqueMode
from suffice.later import digamma, xlogy
from suffice.models.scoring.beliefs import dirichlet_density, log_gammas, trigamma
from suffice.models.scoring.cells import Cells, log
from suffice.posterior import Dirichlet
from suffice.typing import Array, Integers

__all__ = ["ClassPrior"]


@dataclass(frozen=True, eq=False)
class ClassPrior:
    """Define the distribution of classes: "counted", "uniform", probabilities, a number, or a Dirichlet.

    A number is the pseudo-count of each class. With rows n_c and pseudo-counts α_c, the estimates "mean" and
    "predictive" give (n_c + α_c) / (n + Σα). For C classes, "map" gives (n_c + α_c − 1) / (n + Σα − C), and "mle" gives
    n_c / n.
    """

    given: Any = "counted"
    estimate: str = "mean"
    flat: bool = False  # whether it is ignored, unless there is only one class
    parameter: str = "class_prior"  # name of the user's parameter

    def alpha(self, classes: int) -> Array | None:
        """Return the pseudo-counts; None if the prior has none."""
        if isinstance(self.given, Dirichlet):
            if self.given.alpha.shape != (classes,):
                raise InputError(
                    f"The '{self.parameter}' parameter", f"be a Dirichlet of {classes} categories, one per class"
                ).but(f"got one of shape {self.given.alpha.shape}")
            return self.given.alpha
        return np.full(classes, float(self.given)) if isinstance(self.given, Real) else None

    def renumbered(self, order: Integers) -> ClassPrior:
        """Return the prior of classes in another order."""
        if isinstance(self.given, Dirichlet):
            return replace(self, given=Dirichlet(self.given.alpha[order]))
        return self if isinstance(self.given, str | Real) else replace(self, given=np.asarray(self.given)[order])

    def log(self, counts: Array) -> Array:
        """Return ln p(c) given the rows of each class, on the last axis."""
        classes = counts.shape[-1]
        alpha = self.alpha(classes)
        if alpha is None and not isinstance(self.given, str) and len(self.given) != classes:
            raise InputError("Number of priors", "match number of classes")
        if self.flat and classes > 1:
            return np.zeros(classes)
        if alpha is not None and self.estimate != "mle":
            return self._believed(counts + alpha)
        if isinstance(self.given, str) and self.given == "uniform":
            return np.full(classes, -np.log(classes))
        if alpha is not None or isinstance(self.given, str):
            total = counts.sum(axis=-1, keepdims=True)
            return log(counts) - np.log(np.where(total > 0, total, 1.0))
        return log(np.asarray(self.given, np.float64))

    def _believed(self, after: Array) -> Array:
        """Return ln of the posterior mode or mean; raise NoUniqueMode if the posterior of all rows has no mode."""
        if self.estimate == "map" and after.shape[-1] > 1:
            if after.ndim == 1 and ((after < 1).any() or (after == 1).all()):
                raise NoUniqueMode(
                    f"The estimate 'map' needs a unique mode of the class prior; the '{self.parameter}' parameter "
                    "leaves none."
                ).advise(python="Use estimate='mean', or larger pseudo-counts.")
            after = np.maximum(after - 1.0, 0.0)  # negative only where rows are left out
        total = after.sum(axis=-1, keepdims=True)
        return log(after / np.where(total > 0, total, 1.0))

    def log_evidence(self, counts: Array) -> tuple[float, bool]:
        """Return ln p of the labels, and whether it integrates the class prior out."""
        alpha = self.alpha(len(counts))
        if alpha is not None:
            return (float(Dirichlet(alpha).log_evidence(counts=counts)) if len(counts) > 1 else 0.0), True
        given = np.exp(ClassPrior(self.given, self.estimate).log(counts))
        return float(xlogy(counts, given).sum()), False  # NB-11

    def log_density(self, log_prior: Array) -> float:
        """Return ln p(π) of the plug-in class prior, under the density that has it as its mode; 0 without
        pseudo-counts.

        The mean of a Dirichlet is the mode of the Dirichlet with all pseudo-counts larger by one.
        """
        alpha = self.alpha(len(log_prior))
        if alpha is None or self.estimate == "mle":
            return 0.0
        return dirichlet_density(alpha - (self.estimate == "map"), Cells(log_prior[None]))

    def posterior(self, counts: Array) -> Dirichlet:
        """Return the posterior of class shares; for "counted", with a uniform prior."""
        after = self._uncertain(counts)
        if self.flat and len(counts) > 1:
            raise InputError("A complement model does not use the shares of classes, so they have no posterior.")
        if after is None:
            raise InputError(f"Given shares of classes have no posterior; got {self.parameter}={self.given!r}.").advise(
                "Use a Dirichlet or a pseudo-count."
            )
        return Dirichlet(after)

    def moments(self, counts: Array) -> tuple[Array, Array]:
        """Return mean and variance of ln p(c); "counted" has a uniform prior, and given shares are certain."""
        after = self._uncertain(counts)
        if after is None:
            return self.log(counts), np.zeros(len(counts))
        return np.asarray(digamma(after)), trigamma(after)

    def draws(self, counts: Array, rng: np.random.Generator, size: int) -> Array:
        """Return draws of ln p(c) up to a constant, size × classes."""
        after = self._uncertain(counts)
        if after is None:
            return np.broadcast_to(self.log(counts), (size, len(counts)))
        return log_gammas(np.broadcast_to(after, (size, len(after))), rng)

    def _uncertain(self, counts: Array) -> Array | None:
        if self.flat and len(counts) > 1:
            return None
        alpha = self.alpha(len(counts))
        if alpha is not None:
            return np.asarray(alpha + counts)
        counted = isinstance(self.given, str) and self.given == "counted"
        return np.asarray(1.0 + counts) if counted else None
