"""Estimate the density of a numeric column over all classes, which the bins of a histogram share.

HB-4   f(x) = (N · h(x) + g(x)) / (N + 1),   h the histogram of highest evidence of HB-3 with its Dirichlet mean,
       g a Cauchy about the middle of the values, half of their range wide: no value is impossible
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.models.empirical.bins import PLACES, best_cuts, candidates, widths
from suffice.stats import ValueCounts
from suffice.typing import Array


@dataclass(frozen=True, eq=False)
class SharedDensity:
    """A piecewise constant density, and a Cauchy with the weight of one row."""

    ends: Array  # edges of pieces, one more than pieces
    heights: Array
    rows: float

    def log(self, x: Array) -> Array:
        """Return ln f(x)."""
        if len(self.ends) < 2:
            return np.zeros(len(x))  # a single value has no density
        place = np.searchsorted(self.ends, x, side="right") - 1
        inside = (place >= 0) & (place < len(self.heights))
        pieces = np.where(inside, self.heights[np.clip(place, 0, len(self.heights) - 1)], 0.0)
        half = (self.ends[-1] - self.ends[0]) / 2
        away = (x - (self.ends[0] + half)) / half
        cauchy = 1 / (np.pi * half * (1 + np.square(away)))
        return np.asarray(np.log((self.rows * pieces + cauchy) / (self.rows + 1)))  # HB-4


def shared_density(t: ValueCounts, strength: float = 1.0) -> SharedDensity:
    """Return the density of the values of all classes."""
    if len(t.values) < 2:
        return SharedDensity(np.zeros(0), np.zeros(0), float(t.n.sum()))
    start, _ = candidates(t.totals, PLACES)
    wide, n = np.add.reduceat(widths(t.values), start), np.add.reduceat(t.totals, start)
    cuts, _ = best_cuts(n[None], wide / wide.max(), strength)
    wide, n = np.add.reduceat(wide, cuts), np.add.reduceat(n, cuts)
    masses = (n + strength * wide / wide.sum()) / (n.sum() + strength)
    first = t.values[0] - widths(t.values)[0] / 2
    return SharedDensity(first + np.append(0.0, np.cumsum(wide)), masses / wide, float(n.sum()))
