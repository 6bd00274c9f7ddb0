"""Weight, mean and scatter about the mean, kept centred, with about 32 digits.

Σx² − (Σx)²/n would lose every digit of a spread of 1 around a mean of 1e8. Here means and scatters are merged by
their distance instead, as hi + lo pairs of float64 (`pairs.py`), so that a + b − b gives a back.

    n' = n₁ + n₂      δ = x̄₂ − x̄₁      x̄' = x̄₁ + δ·n₂/n'      S' = S₁ + S₂ + δδᵀ·n₁n₂/n'
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, ShapeError
from suffice.stats import kernels
from suffice.stats.base import ROUNDING, Statistic, check_weight, difference, sealed
from suffice.stats.inputs import REAL, Groups, Rows
from suffice.stats.pairs import Pair
from suffice.typing import Array, Booleans

__all__ = ["DiagonalMoments", "FullMoments"]


@dataclass(frozen=True, eq=False, repr=False)
class Moments(Statistic):
    """The algebra of centred moments; `n` broadcasts against `mean`."""

    mean: Array
    n: Array
    scatter: Array
    mean_lo: Array
    scatter_lo: Array

    @abstractmethod
    def _outer(self, delta: Pair) -> Pair:
        """δδᵀ, or its diagonal."""

    @abstractmethod
    def _spread(self, per_row: Any) -> NDArray[Any]:
        """A number per class, or per class and feature, shaped to broadcast against the scatter."""

    @abstractmethod
    def _sizes(self) -> Array:
        """The diagonal of the scatter."""

    def _check(self) -> None:
        check_weight(type(self).__name__, self.n, self.mean)
        if not (np.isfinite(self.mean).all() and np.isfinite(self.scatter).all()):
            raise DataError(f"{type(self).__name__} must stay finite: the values are too large to be squared.")
        if (self._sizes() < 0).any():
            raise DataError(f"'scatter' of {type(self).__name__} must not be negative; got {self._sizes().min()}.")

    def _plus(self, other: Self) -> Self:
        n = np.asarray(self.n + other.n)
        part = Pair.quotient(other.n, np.where(n > 0, n, 1.0))
        delta = other._means - self._means
        between = self._wide(part * Pair(self.n, np.zeros_like(self.n)))
        scatter = self._scatters + other._scatters + self._outer(delta) * between
        return self._make(n, self._means + delta * part, scatter)

    def _minus(self, other: Self) -> Self:
        n = difference(self.n, other.n)
        self._refuse_negative(n)
        left, gone = n > 0, other.n > 0
        part = Pair.quotient(other.n, np.where(left, n, 1.0))
        delta = other._means - self._means
        between = self._wide(part * Pair(self.n, np.zeros_like(self.n)))
        scatter = self._scatters - other._scatters - self._outer(delta) * between
        nothing = Pair(np.zeros_like(self.mean), np.zeros_like(self.mean))
        none = Pair(np.zeros_like(self.scatter), np.zeros_like(self.scatter))
        self._refuse_leftovers(other, np.asarray(delta.hi), left)
        means = (self._means - delta * part).where(left, nothing).where(gone, self._means)
        scatter = scatter.where(self._spread(left), none).where(self._spread(gone), self._scatters)
        return self._make(n, means, self._repaired(scatter, other))

    @property
    def _means(self) -> Pair:
        return Pair(self.mean, self.mean_lo)

    @property
    def _scatters(self) -> Pair:
        return Pair(self.scatter, self.scatter_lo)

    def _wide(self, pair: Pair) -> Pair:
        return Pair(self._spread(pair.hi), self._spread(pair.lo))

    def _make(self, n: Array, mean: Pair, scatter: Pair) -> Self:
        arrays = (mean.hi, n, scatter.hi, mean.lo, scatter.lo)
        return type(self)(*(sealed(np.array(array, np.float64)) for array in arrays))

    def _refuse_negative(self, n: Array) -> None:
        if (n < 0).any():
            raise DataError(f"more rows would go than there are ({-n.min():g} too many).")

    def _noise(self, other: Self) -> Array:
        """What rounding may leave in a scatter: of the scatters that took part, and of the values' own last bits."""
        bits = self.n * (np.finfo(np.float64).eps * np.maximum(np.abs(self.mean), np.abs(other.mean))) ** 2
        return np.asarray(ROUNDING * (self._sizes() + other._sizes()) + 16 * bits)

    def _refuse_leftovers(self, other: Self, delta: Array, left: Booleans) -> None:
        """Where all rows go, they must be the rows that are there."""
        noise = self._noise(other)
        apart = delta**2 * self.n > noise
        wider = np.abs(self._sizes() - other._sizes()) > noise
        if (~left & (other.n > 0) & (apart | wider)).any():
            raise DataError("all rows would go, but those to go have another mean or scatter.")

    @abstractmethod
    def _repaired(self, scatter: Pair, other: Self) -> Pair:
        """The scatter with negatives within rounding set to zero; raises beyond that."""


class DiagonalMoments(Moments):
    """Weight, mean and Σ(x−mean)² of each feature, by class.

    >>> moments = DiagonalMoments.of([1.0, 2.0, 6.0])
    >>> float(moments.n), float(moments.mean), float(moments.scatter)
    (3.0, 3.0, 14.0)
    """

    @classmethod
    def _gather(cls, rows: Rows, groups: Groups) -> Self:
        n, mean, mean_lo, scatter, scatter_lo = kernels.table("moments", rows, groups, REAL)
        total = kernels.weights(groups, len(rows.shape))
        if not rows.is_sparse:
            return cls(mean, total, scatter, mean_lo, scatter_lo)
        absent = np.where(total - n > ROUNDING * total, total - n, 0.0)
        zeros = cls(*(np.zeros_like(mean) if k != 1 else absent for k in range(5)))
        seen = cls(mean, n, scatter, mean_lo, scatter_lo) + zeros
        return cls(seen.mean, total, seen.scatter, seen.mean_lo, seen.scatter_lo)

    @property
    def variance(self) -> Array:
        """Maximum-likelihood estimate of the variance."""
        return np.asarray(self.scatter / self.n)  # NG-4

    def _outer(self, delta: Pair) -> Pair:
        return delta * delta

    def _spread(self, per_row: Any) -> NDArray[Any]:
        return np.asarray(per_row)

    def _sizes(self) -> Array:
        return self.scatter

    def _repaired(self, scatter: Pair, other: Self) -> Pair:
        slight = (scatter.hi < 0) & (scatter.hi >= -self._noise(other))
        return Pair(np.where(slight, 0.0, scatter.hi), np.where(slight, 0.0, scatter.lo))


class FullMoments(Moments):
    """Weight, mean vector and scatter matrix, by class.

    >>> FullMoments.of([[0.0, 0.0], [2.0, 4.0]]).covariance
    array([[1., 2.],
           [2., 4.]])
    """

    @classmethod
    def _gather(cls, rows: Rows, groups: Groups) -> Self:
        if len(rows.shape) != 1:
            raise ShapeError(f"The argument '{rows.name}' must hold one vector per row; got rows of {rows.shape}.")
        total = None
        for at in range(0, max(1, len(rows)), kernels.ROWS_AT_ONCE):
            block = slice(at, at + kernels.ROWS_AT_ONCE)
            n, mean, mean_lo, scatter, scatter_lo = kernels.full_moments(rows.part(block), groups.part(block), REAL)
            part = cls(mean, n, scatter, mean_lo, scatter_lo)
            total = part if total is None else total + part
        return total if total is not None else cls.zero()

    @property
    def covariance(self) -> Array:
        """Maximum-likelihood estimate of the covariance matrix."""
        return np.asarray(self.scatter / self._spread(self.n))

    def _outer(self, delta: Pair) -> Pair:
        def along(pair: Pair, axis: int) -> Pair:
            return Pair(np.expand_dims(pair.hi, axis), np.expand_dims(pair.lo, axis))

        return along(delta, -1) * along(delta, -2)

    def _spread(self, per_row: Any) -> NDArray[Any]:
        return np.expand_dims(np.asarray(per_row), -1)

    def _sizes(self) -> Array:
        return np.asarray(np.diagonal(self.scatter, axis1=-2, axis2=-1)) if self.scatter.ndim else self.scatter

    def _repaired(self, scatter: Pair, other: Self) -> Pair:
        sizes = np.asarray(np.diagonal(scatter.hi, axis1=-2, axis2=-1))
        if (np.linalg.eigvalsh(scatter.hi).min(axis=-1, initial=0.0) < -self._noise(other).sum(axis=-1)).any():
            raise DataError("the scatter that is left would not be positive semi-definite.")
        gone = (sizes < 0)[..., :, None] | (sizes < 0)[..., None, :]
        return Pair(np.where(gone, 0.0, scatter.hi), np.where(gone, 0.0, scatter.lo))
