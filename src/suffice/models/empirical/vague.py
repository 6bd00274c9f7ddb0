"""Beliefs about numbers that need no choice: what is taken where nothing is known but the numbers themselves."""

from __future__ import annotations

import numpy as np

from suffice.posterior import Gamma, NormalInverseGamma
from suffice.stats import DiagonalMoments, PoissonSums, RateCounts

__all__ = ["SHAPE", "largest_variance", "rate_of_all", "single", "vague_normal"]

KAPPA, SHAPE = 0.01, 1.5
"""What a column's class means, and their variance, are worth before any row: next to nothing, and one row."""


def vague_normal(t: DiagonalMoments) -> NormalInverseGamma:
    """Return a belief about the mean of all rows of a column and its variance within classes, in the column's unit."""
    n, mean = float(t.n.sum()), t.mean[:, 0]
    if n == 0:
        return NormalInverseGamma(0.0, KAPPA, SHAPE, SHAPE - 1)
    share = t.n[:, 0] / n
    pivot = mean[np.argmax(share)]
    middle = float(pivot + share @ (mean - pivot))
    within = float(t.scatter.sum()) / n
    total = within + float(share @ (mean - middle) ** 2)
    spread = max(within, 1e-9 * total, (2.0**-40 * abs(middle)) ** 2) or 1.0
    return NormalInverseGamma(middle, KAPPA, SHAPE, (SHAPE - 1) * spread)


def single(belief: NormalInverseGamma) -> NormalInverseGamma:
    """Return a table of one belief as that belief."""
    return NormalInverseGamma(*(float(np.ravel(value)[0]) for value in belief._values()))


def largest_variance(t: DiagonalMoments) -> float:
    """Return the largest variance of any feature over all classes together."""
    parts = [DiagonalMoments(*(array[c] for array in t.arrays().values())) for c in range(len(t.mean))]
    together = sum(parts[1:], start=parts[0])
    return float(np.max(together.scatter / together.n)) if float(together.n[0]) > 0 else 0.0


def rate_of_all(t: PoissonSums | RateCounts) -> Gamma:
    """Return one event at the mean rate of all classes and features."""
    total, n = float(t.total.sum()), float(t.n.sum())
    return Gamma(1.0, n * t.total.shape[1] / total if total > 0 else 1.0)
