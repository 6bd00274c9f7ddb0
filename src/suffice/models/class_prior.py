"""The class prior: as counted, uniform, given, or a belief that the rows inform (NB-10)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from suffice.errors import InputError, NoUniqueMode
from suffice.later import digamma, xlogy
from suffice.models.scoring.beliefs import dirichlet_density, log_gammas, trigamma
from suffice.models.scoring.cells import Cells, log
from suffice.posterior import Dirichlet
from suffice.typing import Array

__all__ = ["ClassPrior"]


@dataclass(frozen=True, eq=False)
class ClassPrior:
    """How classes are distributed before a row is seen: "counted", "uniform", probabilities, a number, or a Dirichlet.

    A number is the pseudo-count of each class, however many there are. Of rows n_c and pseudo-counts α_c, the estimate
    "mean" makes (n_c + α_c) / (n + Σα), and so does "predictive"; "map" makes (n_c + α_c − 1) / (n + Σα − C) of C
    classes, and "mle" n_c / n.
    """

    given: Any = "counted"
    estimate: str = "mean"
    flat: bool = False  # whether it plays no part, unless there is only one class
    parameter: str = "class_prior"  # what users know it by

    def alpha(self, classes: int) -> Array | None:
        """Return the pseudo-counts of a belief; None where there is none."""
        if isinstance(self.given, Dirichlet):
            if self.given.alpha.shape != (classes,):
                raise InputError(
                    f"The '{self.parameter}' parameter must be a Dirichlet of {classes} categories, one per class. Got "
                    f"one of shape {self.given.alpha.shape} instead."
                )
            return self.given.alpha
        return np.full(classes, float(self.given)) if isinstance(self.given, Real) else None

    def log(self, counts: Array) -> Array:
        """Return ln p(c) by rows of each class, on the last axis."""
        classes = counts.shape[-1]
        alpha = self.alpha(classes)
        if alpha is None and not isinstance(self.given, str) and len(self.given) != classes:
            raise InputError("Number of priors must match number of classes.")
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
        """Return ln of the estimate of a belief: its mode, or its mean; raise if that of all rows has no mode."""
        if self.estimate == "map" and after.shape[-1] > 1:
            if after.ndim == 1 and ((after < 1).any() or (after == 1).all()):
                raise NoUniqueMode(
                    f"The estimate 'map' needs a unique mode of the class prior; the '{self.parameter}' parameter "
                    "leaves none. Use estimate='mean', or larger pseudo-counts."
                )
            after = np.maximum(after - 1.0, 0.0)  # less than that only where rows are left out
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
        """Return ln p(π) of the class prior that is plugged in, which is the mode of that density; 0 without a belief.

        The mean of a Dirichlet is the mode of one whose pseudo-counts are larger by one.
        """
        alpha = self.alpha(len(log_prior))
        if alpha is None or self.estimate == "mle":
            return 0.0
        return dirichlet_density(alpha - (self.estimate == "map"), Cells(log_prior[None]))

    def posterior(self, counts: Array) -> Dirichlet:
        """Return what is believed of the shares of classes; a counted prior is believed uniform before."""
        after = self._uncertain(counts)
        if self.flat and len(counts) > 1:
            raise InputError("A model of complements does not look at the shares of classes: they have no posterior.")
        if after is None:
            raise InputError(f"Shares of classes that are given have no posterior; {self.parameter} is {self.given!r}.")
        return Dirichlet(after)

    def moments(self, counts: Array) -> tuple[Array, Array]:
        """Return mean and variance of ln p(c); a counted prior is believed uniform before, one given is certain."""
        after = self._uncertain(counts)
        if after is None:
            return self.log(counts), np.zeros(len(counts))
        return np.asarray(digamma(after)), trigamma(after)

    def draws(self, counts: Array, rng: np.random.Generator, size: int) -> Array:
        """Return draws of ln p(c), up to a constant: size × classes."""
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
