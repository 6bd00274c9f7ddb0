"""Moments of classes without a training row or its group, a line for each pair of a row and a class (SX-3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.models.scoring.reals import TINY
from suffice.models.scoring.removal import Removal, left
from suffice.stats import DiagonalMoments
from suffice.typing import Array

__all__ = ["Downdates"]


@dataclass(frozen=True, eq=False)
class Downdates:
    """Moments of classes, the training rows, and what is removed for each pair."""

    t: DiagonalMoments
    x: Any  # rows × features, as they were counted
    removed: Removal

    def values(self, pairs: slice) -> Array:
        """Return the row of some of the pairs."""
        rows = self.x[pairs] if self.removed.alone else self.x[self.removed.row[pairs]]
        return np.asarray(rows, np.float64)

    def moments(self, pairs: slice, values: Array) -> DiagonalMoments:
        """Return the moments of the class of some pairs without what is removed, pairs × features."""
        if self.removed.alone:
            return self._without(pairs, values, np.zeros(1))
        part, parts = self.removed.part[pairs], self._parts
        return self._without(pairs, parts.mean[part], parts.scatter[part])

    @cached_property
    def _parts(self) -> DiagonalMoments:
        members = self.removed.members.tocoo()
        x = np.asarray(self.x[members.col], np.float64)
        return DiagonalMoments.of(x, members.row, members.data, n_classes=members.shape[0])

    def _without(self, pairs: slice, mean: Array, scatter: Array) -> DiagonalMoments:
        code, weight = self.removed.code[pairs], self.removed.weight[pairs, None]
        n = np.broadcast_to(self.t.n, self.t.mean.shape)[code]
        rest = left(n, weight)
        away = (mean - self.t.mean[code]) - self.t.mean_lo[code]
        some = rest > 0
        share = np.divide(weight, rest, out=np.zeros_like(rest), where=some)
        less = self.t.scatter[code] - scatter - away**2 * (share * n)  # SX-3
        less = np.where(some, np.maximum(less, 0.0), 0.0)
        middle = np.where(some, self.t.mean[code] - away * share, 0.0)
        nothing = np.zeros_like(middle)
        return DiagonalMoments(middle, rest, less, nothing, nothing, less)

    def plain_logs(self, pairs: slice, values: Array, floor: float) -> tuple[Array, Array]:
        """Return ln p of rows removed alone, by maximum likelihood in few steps, and which classes keep no rows.

        The distance to the class as it is tells the distance to the class without the row.
        """
        code, weight = self.removed.code[pairs], self.removed.weight[pairs, None]
        n = np.broadcast_to(self.t.n, self.t.mean.shape)[code, :1]
        rest = left(n, weight)
        some = np.where(rest > 0, rest, 1.0)
        away = (values - self.t.mean[code]) - self.t.mean_lo[code]
        np.square(away, out=away)
        variance = self.t.scatter[code] / some - away * (weight * n / some**2)  # SX-3
        np.maximum(variance, 0.0, out=variance)
        variance += floor
        np.maximum(variance, TINY, out=variance)
        away *= np.square(n / some)
        away /= variance
        away += np.log(variance, out=variance)
        return -0.5 * (away.sum(axis=1) + values.shape[1] * np.log(2.0 * np.pi)), rest[:, 0] == 0
