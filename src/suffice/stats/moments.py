"""Keep weight, mean and scatter about the mean, with about 32 digits.

Σx² − (Σx)²/n would lose every digit of a spread of 1 around a mean of 1e8. Here means and scatters are merged by the
distance of the means, as hi + lo pairs of float64 (`Pair`), so that a + b − b gives a back.

    n' = n₁ + n₂      δ = x̄₂ − x̄₁      x̄' = x̄₁ + δ·n₂/n'      S' = S₁ + S₂ + δδᵀ·n₁n₂/n'
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, ShapeError
from suffice.stats import counting_kernels
from suffice.stats.base import ROUNDING, Pair, Statistic, check_weight, difference, sealed
from suffice.stats.inputs import REAL, Groups, RowMatrix
from suffice.stats.redrawn import DrawsRows, Redrawn, by_class, on_a_sphere
from suffice.telling import counted, tell
from suffice.typing import Array, Booleans

EPS = float(np.finfo(np.float64).eps)

SMALL, HUGE = 1e-5, 2.0**20
"""Share of a mean up to which a spread within rounding is taken for none; distance of removed values from which a mean
of zero does not say that all values are zeros."""

LARGEST, LEAST = 2.0**500, 2.0**-500
"""Largest size of a number, and least distance of numbers, whose squares keep all digits."""

PAIRED = 2.0**-50
"""Rounding error of a sum of pairs, relative to that of a count."""

STEP = 16
"""Binary digits in an order of magnitude, to which `without_trace` rounds a peak up."""


@dataclass(frozen=True, eq=False, repr=False)
class Moments(Statistic):
    """The algebra of centred moments; `n` broadcasts against `mean`.

    `peak` is the largest scatter of each feature that was counted at once. Rounding errors are relative to it, since
    sums and differences keep twice the digits. So it tells them from impossible results; it serves nothing else.
    """

    mean: Array
    n: Array
    scatter: Array
    mean_lo: Array
    scatter_lo: Array
    peak: Array

    _last_digits: ClassVar[float]
    """Share of the peak that counting makes uncertain, however many rows are counted."""

    def scaled(self, factor: float) -> Self:
        """Return the statistic with all row weights multiplied by `factor`; cells that underflow become empty."""
        n = np.asarray(self.n * factor)
        means, scatters = self._means.where(n > 0, _nothing(self.mean)), self._scatters
        scatter = Pair(scatters.hi * factor, scatters.lo * factor).where(self._spread(n > 0), _nothing(self.scatter))
        peak = np.where(n > 0, self.peak * factor, 0.0)
        arrays = (means.hi, n, scatter.hi, means.lo, scatter.lo, peak)
        return type(self)(*(sealed(np.array(array, np.float64)) for array in arrays))

    def without_trace(self) -> Self:
        """Return the statistic without traces of removed rows: `peak` is rounded up to an order of magnitude.

        Rounding errors stay relative to the peak as long as there are rows, so it cannot be dropped altogether.
        """
        with np.errstate(divide="ignore"):
            digits = STEP * np.ceil(np.log2(self.peak) / STEP)
        known = np.isfinite(digits) & (digits < np.finfo(np.float64).maxexp)
        peak = np.where(known, np.exp2(np.where(known, digits, 0.0)), self.peak)
        return type(self).from_arrays({**self.arrays(), "peak": sealed(peak)})

    @abstractmethod
    def _outer(self, delta: Pair) -> Pair:
        """Return δδᵀ, or its diagonal."""

    @abstractmethod
    def _spread(self, per_row: Any) -> NDArray[Any]:
        """Reshape a number per class, or per class and feature, to broadcast against the scatter."""

    @abstractmethod
    def _diagonal(self, scatter: Array) -> Array:
        """Return the scatter of each feature alone."""

    def _sizes(self) -> Array:
        return self._diagonal(self.scatter)

    @abstractmethod
    def _scatter_shape(self) -> tuple[int, ...]: ...

    def _check(self) -> None:
        name = type(self).__name__
        if not self.mean.shape == self.mean_lo.shape == self.peak.shape or self.scatter.shape != self.scatter_lo.shape:
            raise ShapeError(f"The parts of mean, scatter and peak of {name} must have the same shape.")
        if self.scatter.shape != self._scatter_shape():
            raise ShapeError(f"{name}.scatter", f"have shape {self._scatter_shape()}").but(f"got {self.scatter.shape}")
        check_weight(name, self.n, self.mean)
        if not all(np.isfinite(array).all() for array in self.arrays().values()):
            raise DataError(name, "stay finite: the values are too large to be squared").advise("Rescale them.")
        if (self._sizes() < 0).any():
            raise DataError(f"{name}.scatter", "not be negative").but(f"got {self._sizes().min()}")
        if ((self.n == 0) & ((self.mean != 0) | (self._sizes() != 0))).any():
            raise DataError(f"'mean' and 'scatter' of {name}", "be 0 where there are no rows")

    def _plus(self, other: Self) -> Self:
        n = np.asarray(self.n + other.n)
        both = (self.n > 0) & (other.n > 0)
        part = Pair.quotient(other.n, np.where(n > 0, n, 1.0))
        delta = (other._means - self._means).where(both, _nothing(self.mean))
        between = self._wide(part * Pair(self.n, np.zeros_like(self.n)))
        scatter = self._scatters + other._scatters + self._outer(delta) * between
        means = (self._means + delta * part).where(self.n > 0, other._means)
        counted_apart = np.minimum(self.peak + other.peak, self._diagonal(scatter.hi))
        return self._make(n, means, scatter, np.maximum(counted_apart, self._peak_with(other, scatter)))

    def _minus(self, other: Self) -> Self:
        n = difference(self.n, other.n)
        if (n < 0).any():
            raise DataError(f"more rows would be removed than were added ({-n.min():g} too many).")
        left, removed = n > 0, other.n > 0
        part = Pair.quotient(other.n, np.where(left, n, 1.0))
        delta = (other._means - self._means).where(removed, _nothing(self.mean))
        self._refuse_leftovers(other, np.asarray(delta.hi), left)
        between = self._wide(part * Pair(self.n, np.zeros_like(self.n)))
        scatter = self._scatters - other._scatters - self._outer(delta) * between
        means = (self._means - delta * part).where(left, _nothing(self.mean))
        scatter = self._repaired(scatter.where(self._spread(left), _nothing(self.scatter)), other)
        peak = np.where(left, self._peak_with(other, self._scatters), 0.0)
        error = self._last_digits * np.maximum(self._least(peak), self._least(other.peak))
        scatter = self._flattened(scatter, left & removed & (np.abs(self._diagonal(scatter.hi)) <= error))
        rest = self._make(n, means, scatter.where(self._spread(removed), self._scatters), peak)
        rest._tell_of_lost_digits(removed & left & (n != 1), error)
        return rest

    def _peak_with(self, other: Self, scatter: Pair) -> Array:
        """Return the peak of both statistics and of their sum, which is exact if rows weigh whole numbers."""
        whole = (self.n == np.floor(self.n)) & (other.n == np.floor(other.n))
        summed = np.where(whole, PAIRED, 1.0) * np.abs(self._diagonal(scatter.hi))
        return np.asarray(np.maximum(np.maximum(self.peak, other.peak), summed))

    @staticmethod
    def _least(peak: Array) -> Array:
        """Return the least that `peak` can stand for: `without_trace` may have rounded it up."""
        with np.errstate(divide="ignore"):
            digits = np.log2(peak) / STEP
        return np.asarray(np.where(digits == np.floor(digits), np.ldexp(peak, -STEP), peak))

    @property
    def _means(self) -> Pair:
        return Pair(self.mean, self.mean_lo)

    @property
    def _scatters(self) -> Pair:
        return Pair(self.scatter, self.scatter_lo)

    def _wide(self, pair: Pair) -> Pair:
        return Pair(self._spread(pair.hi), self._spread(pair.lo))

    def _make(self, n: Array, mean: Pair, scatter: Pair, peak: Array) -> Self:
        arrays = (mean.hi, n, scatter.hi, mean.lo, scatter.lo, peak)
        return type(self)(*(sealed(np.array(array, np.float64)) for array in arrays))

    def _noise(self, other: Self) -> Array:
        """Return the error that rounding may leave in a scatter, from earlier scatters and the values' last bits."""
        bits = self.n * (np.finfo(np.float64).eps * np.maximum(np.abs(self.mean), np.abs(other.mean))) ** 2
        return np.asarray(ROUNDING * np.maximum(self.peak, other.peak) + 16 * bits)

    def _refuse_leftovers(self, other: Self, delta: Array, left: Booleans) -> None:
        """Raise if all rows of a class are removed but have another mean or scatter than those that were counted."""
        noise = self._noise(other)
        apart = delta**2 * self.n > noise
        wider = np.abs(self._sizes() - other._sizes()) > noise
        if (~left & (other.n > 0) & (apart | wider)).any():
            raise DataError("all rows would be removed, but those given have another mean or scatter.")

    def _tell_of_lost_digits(self, changed: Booleans, error: Array) -> None:
        """Warn of scatters of which 12 digits are not certain, because the removed values lay far from the rest.

        A scatter within its error is zero, as that of equal values. It is told unless equal values are likely: another
        spread would be tiny, or the values would be far smaller than those that were removed.
        """
        sizes, mean, far = self._sizes(), np.abs(self.mean), np.sqrt(error / self._last_digits)
        spread = (np.sqrt(error) > SMALL * np.sqrt(self.n) * mean) & ((mean > 64 * EPS * far) | (far > HUGE))
        unknown = changed & (error > ROUNDING * sizes) & ((sizes > error) | spread)
        if unknown.any():
            worst = float(np.max(error[unknown] / np.maximum(sizes[unknown], error[unknown])))
            tell(
                f"The spread of {counted(int(unknown.sum()), 'feature')} (counted by class) may be off by "
                f"{100 * worst:.2g} % after the subtraction, because removed values lay far from the rest.",
                python="Call refresh(X, y) with all remaining rows, which counts them again.",
            )

    def _flattened(self, scatter: Pair, flat: Booleans) -> Pair:
        """Return the scatter with zeros for features without a spread; covariances may be known where it is not."""
        return scatter

    @abstractmethod
    def _repaired(self, scatter: Pair, other: Self) -> Pair:
        """Return the scatter with negative rounding errors set to zero."""


class DiagonalMoments(DrawsRows, Moments):
    """Weight, mean and Σ(x−mean)² of each feature, by class.

    Given mean and scatter of a normal, the deviations of a feature from its mean are a vector of uniformly random
    direction, of the length that the scatter prescribes: so `sample_rows` draws it, equal up to rounding.

    >>> moments = DiagonalMoments.of([1.0, 2.0, 6.0])
    >>> float(moments.n), float(moments.mean), float(moments.scatter)
    (3.0, 3.0, 14.0)
    """

    _last_digits = 4 * EPS

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        _, _, mean, mean_lo, scatter, scatter_lo = counting_kernels.table("moments", rows, groups, REAL)
        _refuse_sizes(rows, mean, scatter)
        return cls(mean, counting_kernels.weights(groups, len(rows.shape)), scatter, mean_lo, scatter_lo, scatter)

    @property
    def variance(self) -> Array:
        """Maximum-likelihood estimate of the variance; NaN where there are no rows."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.scatter / self.n)  # NG-4

    def _draw(self, rng: np.random.Generator) -> Redrawn:
        return by_class(self.n, [self.mean, self.scatter], "DiagonalMoments", partial(on_a_sphere, rng))

    def _outer(self, delta: Pair) -> Pair:
        return delta * delta

    def _spread(self, per_row: Any) -> NDArray[Any]:
        return np.asarray(per_row)

    def _diagonal(self, scatter: Array) -> Array:
        return scatter

    def _flattened(self, scatter: Pair, flat: Booleans) -> Pair:
        return scatter.where(~flat, _nothing(self.scatter))

    def _scatter_shape(self) -> tuple[int, ...]:
        return self.mean.shape

    def _repaired(self, scatter: Pair, other: Self) -> Pair:
        slight = (scatter.hi < 0) & (scatter.hi >= -self._noise(other))
        return Pair(np.where(slight, 0.0, scatter.hi), np.where(slight, 0.0, scatter.lo))


class FullMoments(Moments):
    """Weight, mean vector and scatter matrix, by class.

    >>> FullMoments.of([[0.0, 0.0], [2.0, 4.0]]).covariance
    array([[1., 2.],
           [2., 4.]])
    """

    _last_digits = 8 * EPS

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        if len(rows.shape) != 1:
            raise ShapeError(rows.name, "hold one vector per row").but(f"got rows of shape {rows.shape}")
        total = None
        for at in range(0, max(1, len(rows)), counting_kernels.ROWS_AT_ONCE):
            block = slice(at, at + counting_kernels.ROWS_AT_ONCE)
            arrays = counting_kernels.full_moments(rows.part(block), groups.part(block), REAL)
            _refuse_sizes(rows.part(block), arrays[0], np.diagonal(arrays[2], axis1=-2, axis2=-1))
            part = cls(*arrays, np.diagonal(arrays[2], axis1=-2, axis2=-1))
            total = part if total is None else total + part
        return total if total is not None else cls.zero()

    @property
    def covariance(self) -> Array:
        """Maximum-likelihood estimate of the covariance matrix; NaN where there are no rows."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.scatter / self._spread(self.n))

    def _outer(self, delta: Pair) -> Pair:
        def along(pair: Pair, axis: int) -> Pair:
            return Pair(np.expand_dims(pair.hi, axis), np.expand_dims(pair.lo, axis))

        return along(delta, -1) * along(delta, -2)

    def _spread(self, per_row: Any) -> NDArray[Any]:
        return np.expand_dims(np.asarray(per_row), -1)

    def _diagonal(self, scatter: Array) -> Array:
        return np.asarray(np.diagonal(scatter, axis1=-2, axis2=-1)) if scatter.ndim else scatter

    def _scatter_shape(self) -> tuple[int, ...]:
        return (*self.mean.shape, self.mean.shape[-1]) if self.mean.ndim else ()

    def _check(self) -> None:
        super()._check()
        if self.scatter.ndim and not np.array_equal(self.scatter, np.swapaxes(self.scatter, -1, -2)):
            raise DataError("FullMoments.scatter", "be a symmetric matrix")

    def _repaired(self, scatter: Pair, other: Self) -> Pair:
        sizes, noise = self._diagonal(scatter.hi), self._noise(other)
        if (sizes < -noise).any():
            raise DataError("FullMoments.scatter", "not be negative").but(f"got {sizes.min()}")
        unit = np.sqrt(np.where(noise > 0, noise / ROUNDING, 1.0))  # features of any scale get equal tolerance
        unit = unit[..., :, None] * unit[..., None, :]
        values, vectors = np.linalg.eigh(scatter.hi / unit)
        if (values < -ROUNDING * values.shape[-1]).any():
            raise DataError("the scatter that is left would not be positive semi-definite.")
        nearest = (vectors * np.maximum(values, 0.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2) * unit
        nearest = (nearest + np.swapaxes(nearest, -1, -2)) / 2
        sound = np.asarray((values >= 0).all(axis=-1) & (sizes >= 0).all(axis=-1))[..., None, None]
        return scatter.where(sound, Pair(nearest, np.zeros_like(nearest)))


def _refuse_sizes(rows: RowMatrix, mean: Array, sizes: Array) -> None:
    """Raise DataError for a column whose squares overflow, or vanish although its values differ."""
    spread, middle = sizes.reshape(-1, rows.matrix.shape[1]), np.abs(mean).reshape(-1, rows.matrix.shape[1])
    with np.errstate(invalid="ignore"):
        large = np.asarray(~(np.sqrt(spread) + middle <= LARGEST).all(axis=0))
        small = np.asarray((spread < LEAST**2).all(axis=0))
    if rows.is_sparse and small.any():  # most are columns of zeros
        small &= bool((np.abs(rows.matrix.data[rows.matrix.data != 0]) < LEAST).any())
    for j in np.flatnonzero(large | small) if len(rows) else ():
        column = rows.matrix[:, [j]].toarray().ravel() if rows.is_sparse else rows.matrix[:, j].astype(np.float64)
        place = f"column {j}" if rows.matrix.shape[1] > 1 else "it"
        if large[j] and np.abs(column).max() > LARGEST:
            raise DataError(
                rows.name, "hold numbers of at most 2**500 in size, since larger ones cannot be squared"
            ).but(f"{place} holds {column[np.abs(column).argmax()]:.6g}", "Rescale it.")
        if small[j] and 0 < np.ptp(column) < LEAST:
            raise DataError(
                rows.name,
                "hold numbers that are equal or differ by at least 2**-500, since the squares of smaller "
                "differences vanish",
            ).but(f"{place} varies by {np.ptp(column):.6g}", "Rescale it.")


def _nothing(like: Array) -> Pair:
    return Pair(np.zeros_like(like), np.zeros_like(like))
