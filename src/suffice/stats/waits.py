"""Sum and count waiting times by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.errors import DataError, ShapeError
from suffice.stats import counting_kernels
from suffice.stats.base import ROUNDING, check_weight, difference, sealed
from suffice.stats.counts import Counts
from suffice.stats.inputs import COUNT, Groups, RowMatrix
from suffice.stats.pairs import Pair
from suffice.typing import Array

__all__ = ["WaitingTimes"]


@dataclass(frozen=True, eq=False, repr=False)
class WaitingTimes(Counts):
    """Σx of waiting times, as a (hi, lo) pair, and n: sufficient for a rate.

    >>> WaitingTimes.of([1.5, 0.5, 4.0])
    WaitingTimes(total=6., n=3.)
    """

    total: Array
    n: Array
    total_lo: Array

    @classmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self:
        total, lost = counting_kernels.table("real_sums", rows, groups, COUNT)
        return cls(total, counting_kernels.weights(groups, len(rows.shape)), lost)

    def _check(self) -> None:
        super()._check()
        check_weight("WaitingTimes", self.n, self.total)
        if self.total.shape != self.total_lo.shape:
            raise ShapeError("The two parts of 'total' of WaitingTimes must have the same shape.")
        if ((self.n == 0) & (self.total > 0)).any():
            raise DataError("'total' of WaitingTimes must be 0 where there are no rows.")

    def _plus(self, other: Self) -> Self:
        times = self._times + other._times
        return type(self)(*(sealed(np.asarray(part)) for part in (times.hi, self.n + other.n, times.lo)))

    def _minus(self, other: Self) -> Self:
        n, times = difference(self.n, other.n), self._times - other._times
        slight = (np.abs(times.hi) <= ROUNDING * np.maximum(self.total, other.total)) & (times.hi < 0) | (n == 0)
        if (np.abs(times.hi) > ROUNDING * self.total)[np.broadcast_to(n == 0, times.hi.shape)].any():
            raise DataError("all rows would be removed, but those given have another total of waiting times.")
        hi, lo = (sealed(np.where(slight, 0.0, part)) for part in (times.hi, times.lo))
        return type(self)(hi, n, lo)

    @property
    def _times(self) -> Pair:
        return Pair(self.total, self.total_lo)
