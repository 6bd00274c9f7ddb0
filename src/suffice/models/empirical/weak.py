"""Provide weak priors: in the unit of a column, for vague beliefs, and for clusters that are yet to be found.

A prior learned while rows look for their clusters confirms any assignment: if all clusters are alike, it states that
they are, and they stay alike. So clusters are sought with a prior that comes from all rows together.

WP-1  vectors    NIW(x̄, κ = 0.01, ν = d + 2, Λ = S / k^(2/d)), S the covariance of all rows (Fraley and Raftery 2007)
WP-2  numbers    NIG(x̄, κ = 0.01, a = 3/2, b = s²/2 / k^(2/d)), the same of each of d columns alone
WP-3  counts     Gamma(1, 1/x̄): one event       flags, categories, words: a pseudo-count of 1, or all of them one row

If k clusters fill the space of all rows, each has a k-th of its volume: hence k^(2/d).
"""

from __future__ import annotations

import numpy as np

from suffice.models.empirical.normals import KAPPA, SHAPE, units
from suffice.posterior import Gamma, NormalInverseGamma, NormalInverseWishart
from suffice.stats import DiagonalMoments, FullMoments, PoissonSums, RateCounts


def vague_normal(t: DiagonalMoments) -> NormalInverseGamma:
    """Return a weak prior in the column's unit, about the mean of all rows and the variance within classes."""
    middle, spread = units(t)
    return NormalInverseGamma(float(middle[0]), KAPPA, SHAPE, (SHAPE - 1) * float(spread[0]))


def single(belief: NormalInverseGamma) -> NormalInverseGamma:
    """Return the only belief of a table as a single belief."""
    return NormalInverseGamma(*(float(np.ravel(value)[0]) for value in belief._values()))


def largest_variance(t: DiagonalMoments) -> float:
    """Return the largest variance of any feature over all classes pooled."""
    parts = [DiagonalMoments(*(array[c] for array in t.arrays().values())) for c in range(len(t.mean))]
    together = sum(parts[1:], start=parts[0])
    return float(np.max(together.scatter / together.n)) if float(together.n[0]) > 0 else 0.0


def rate_of_all(t: PoissonSums | RateCounts) -> Gamma:
    """Return a prior of one event at the mean rate of all classes and features."""
    total, n = float(t.total.sum()), float(t.n.sum())
    return Gamma(1.0, n * t.total.shape[1] / total if total > 0 else 1.0)  # WP-3


RIDGE = 1e-6
"""Share of each column's variance that is independent of the others, so that columns may be collinear."""


def weak_normals(t: DiagonalMoments, k: int) -> NormalInverseGamma:
    """Return a weak prior of k classes of numbers, from the moments of all rows."""
    middle, spread = units(t)
    return NormalInverseGamma(middle, KAPPA, SHAPE, (SHAPE - 1) * spread / k ** (2 / t.mean.shape[1]))  # WP-2


def weak_vectors(t: FullMoments, k: int) -> NormalInverseWishart:
    """Return a weak prior of k classes of vectors, from the moments of all rows."""
    d = t.mean.shape[1]
    diagonal = np.diagonal(t.scatter, axis1=-2, axis2=-1)
    low = np.diagonal(t.scatter_lo, axis1=-2, axis2=-1)
    middle, spread = units(DiagonalMoments(t.mean, t.n, diagonal, t.mean_lo, low, t.peak))
    unit = np.sqrt(spread)
    alike = t.scatter.sum(axis=0) / max(float(t.n.sum()), 1e-300) / unit[:, None] / unit
    alike = (1 - RIDGE) * alike + RIDGE * np.eye(d)
    np.fill_diagonal(alike, 1.0)
    return NormalInverseWishart(middle, KAPPA, d + 2, alike * unit[:, None] * unit / k ** (2 / d))  # WP-1


def weak_count(words: float, rows: float, width: int, estimate: str) -> float:
    """Return a weak pseudo-count of words: together worth one row, each at most 1; 1 for estimate="map"."""
    return 1.0 if estimate == "map" or not words else min(1.0, words / rows / width)  # WP-3
