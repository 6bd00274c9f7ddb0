"""Define the interface of distributions of future data: of countable outcomes (Mass) or real ones (Density)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.errors import ShapeError
from suffice.notebook import card
from suffice.posterior.base import plain, tails
from suffice.posterior.belief_cards import parts_of_predictive, title_of
from suffice.posterior.special import chances, points
from suffice.stats.inputs import as_numbers
from suffice.typing import Array, Floats, Interval, Rng, Size


class Predictive(ABC):
    """The interface of predictive distributions. Outcomes lie along leading axes, a batch along the last ones."""

    batch: tuple[int, ...]
    """Shape of the table of distributions; () for a single one."""
    event: tuple[int, ...] = ()
    """Shape of one outcome: () for a number, (d,) for a vector."""

    def log(self, x: ArrayLike) -> Floats:
        """Return the log-probability, or log-density, of outcomes x."""
        points = as_numbers(x, "x").astype(np.float64)
        vectors = points.shape[points.ndim - len(self.event) :]
        try:
            np.broadcast_shapes(points.shape[: points.ndim - len(self.event)], self.batch)
            fits = points.ndim >= len(self.event) and vectors == self.event
        except ValueError:
            fits = False
        if not fits:
            raise ShapeError(
                "x", f"hold outcomes of shape {self.event} that broadcast against a table of shape {self.batch}"
            ).but(f"got shape {points.shape}", python="Put several outcomes on a leading axis: x[:, None].")
        with np.errstate(all="ignore"):
            return plain(self._log(points))

    @abstractmethod
    def _log(self, x: Array) -> Array: ...

    def cdf(self, x: ArrayLike) -> Floats:
        """Return the probability of outcomes of at most x; for vectors, coordinate by coordinate."""
        with np.errstate(all="ignore"):
            return plain(self._cdf(points(x, (*self.batch, *self.event))))

    @abstractmethod
    def _cdf(self, x: Array) -> Array: ...

    def quantile(self, p: ArrayLike) -> Floats:
        """Return the smallest outcome x with cdf(x) ≥ p; for vectors, coordinate by coordinate."""
        with np.errstate(all="ignore"):
            return plain(self._quantile(chances(p, (*self.batch, *self.event))))

    @abstractmethod
    def _quantile(self, p: Array) -> Array: ...

    def interval(self, level: float = 0.95) -> Interval:
        """Return bounds that contain the outcome with probability `level`, or slightly more if outcomes are counts."""
        lower, upper = tails(level)
        return self.quantile(lower), self.quantile(upper)

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """Expected value."""

    @property
    @abstractmethod
    def var(self) -> Floats:
        """Variance."""

    @abstractmethod
    def sample(self, size: Size = (), rng: Rng = None) -> Any:
        """Draw an array of outcomes, of shape `size` followed by the shapes of the batch and of one outcome."""

    def _repr_html_(self) -> str:
        return card(self, lambda: parts_of_predictive(self), title_of(self, self.batch))


class Mass(Predictive):
    """A predictive over countable outcomes."""

    def logpmf(self, x: ArrayLike) -> Floats:
        """Return the log-probability of x."""
        return self.log(x)

    def pmf(self, x: ArrayLike) -> Floats:
        """Return the probability of x."""
        return plain(np.exp(self.log(x)))


class Density(Predictive):
    """A predictive over real outcomes."""

    def logpdf(self, x: ArrayLike) -> Floats:
        """Return the log-density at x."""
        return self.log(x)

    def pdf(self, x: ArrayLike) -> Floats:
        """Return the density at x."""
        return plain(np.exp(self.log(x)))
