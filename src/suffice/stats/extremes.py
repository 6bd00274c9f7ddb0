"""Keep the largest value seen: sufficient for the upper end of a uniform distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from suffice.errors import DataError, KindError
from suffice.stats import counting_kernels
from suffice.stats.base import Statistic, check_weight, difference, sealed
from suffice.stats.inputs import POSITIVE, Groups, RowMatrix, generator
from suffice.stats.redrawn import Redrawn, below, by_class
from suffice.typing import Array, Rng

__all__ = ["Extremes"]


@dataclass(frozen=True, eq=False, repr=False)
class Extremes(Statistic):
    """Number of rows and their largest value (0 while there are none).

    Maxima add, but they do not subtract, because the second largest value is not stored. So `a − b` raises unless
    b's largest value is below a's; then only the number of rows changes.

    >>> Extremes.of([31.0, 100.0, 7.0])
    Extremes(largest=100., n=3.)
    """

    largest: Array
    n: Array

    def scaled(self, factor: float) -> Self:
        """Return the statistic with all row weights multiplied by `factor`; cells that underflow become empty."""
        n = np.asarray(self.n * factor)
        return type(self)(sealed(np.where(n > 0, self.largest, 0.0)), sealed(n))

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        if rows.is_sparse:
            raise KindError(
                f"The argument '{rows.name}' must be dense, because every value must be positive; got a sparse matrix."
            )
        (largest,) = counting_kernels.table("largest", rows, groups, POSITIVE)
        return cls(largest, counting_kernels.weights(groups, len(rows.shape)))

    @property
    def maximum(self) -> Array:
        """Maximum-likelihood estimate of the upper end."""
        return self.largest  # PU-1

    def sample_rows(self, rng: Rng = None) -> Redrawn:
        """Draw rows of positive numbers from their distribution given the largest.

        In each class, a random row has the largest value of a feature, and the others are uniform below it. Under a
        uniform from 0 to an unknown end, that is the distribution of the rows given the largest value.

        Parameters
        ----------
        rng : Generator or int, default=None
            Random generator, or a seed for one.

        Returns
        -------
        rows : ndarray
            As many rows as were counted, class by class.
        labels : ndarray of int, or None
            Class of each row; None if the statistic has no class axis.

        Examples
        --------
        >>> cabs = Extremes.of([31.0, 100.0, 7.0])
        >>> X, _ = cabs.sample_rows(0)
        >>> X.round(1), Extremes.of(X) == cabs
        (array([...]), True)
        """
        return by_class(self.n, [self.largest], "Extremes", partial(below, generator(rng)))

    def _check(self) -> None:
        check_weight("Extremes", self.n, self.largest)
        if not ((self.largest >= 0) & np.isfinite(self.largest) & ((self.largest > 0) == (self.n > 0))).all():
            raise DataError(
                f"'largest' of Extremes must be positive where there are rows, and 0 where there are none; "
                f"got {self.largest} with n = {self.n}."
            )

    def _plus(self, other: Self) -> Self:
        return type(self)(sealed(np.maximum(self.largest, other.largest)), sealed(np.asarray(self.n + other.n)))

    def _minus(self, other: Self) -> Self:
        if ((other.largest >= self.largest) & (other.n > 0)).any():
            raise DataError(
                "the largest value would be removed, and the second largest is not kept; refit without these rows."
            )
        return type(self)(self.largest, difference(self.n, other.n))
