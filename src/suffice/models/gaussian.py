"""Event model of real columns: a normal per class and column, or the Student-t that integrates it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from suffice.models.events import Estimate
from suffice.models.kernels import normal_scores
from suffice.posterior import NormalInverseGamma
from suffice.stats import DiagonalMoments
from suffice.typing import Array

__all__ = ["Gaussian", "largest_variance"]

ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class Gaussian:
    """Columns of real numbers; `floor` is added to every plugged-in variance."""

    floor: float
    prior: NormalInverseGamma | None = None
    estimate: Estimate = "mle"

    def parameters(self, t: DiagonalMoments) -> tuple[Array, Array]:
        """Mean and variance of each class and column; both 0, but for the floor, in a class without rows."""
        if self.prior is None or self.estimate == "mle":
            return t.mean, np.nan_to_num(t.variance) + self.floor  # NB-4
        belief = self.prior.update(t)
        mean, variance = belief.mode if self.estimate == "map" else belief.mean
        return np.asarray(mean), np.asarray(variance) + self.floor

    def scorer(self, t: DiagonalMoments) -> Normals | StudentTs:
        """Scores of rows of real numbers."""
        if self.estimate == "predictive" and self.prior is not None:
            t_ = self.prior.update(t).predict()  # NB-4
            return StudentTs(t_.df, t_.location, t_.scale)
        return Normals(*self.parameters(t))


@dataclass(frozen=True)
class Normals:
    """Independent normals, class by class."""

    mean: Array
    variance: Array

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        variance = np.maximum(self.variance, np.finfo(np.float64).tiny)  # a constant: its value or nothing
        offset = -0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)
        precision = np.ascontiguousarray((0.5 / variance).T)
        return normal_scores(X, np.ascontiguousarray(self.mean.T), precision, offset)


@dataclass(frozen=True)
class StudentTs:
    """Independent Student-t's, class by class."""

    df: Array
    location: Array
    scale: Array

    def scores(self, X: Any) -> Array:
        """Rows × classes, a block of rows at a time."""
        out = np.empty((len(X), len(self.df)))
        for at in range(0, len(X), ROWS_AT_ONCE):
            block = np.asarray(X[at : at + ROWS_AT_ONCE], np.float64)
            for c in range(len(self.df)):
                logs = stats.t.logpdf(block, self.df[c], self.location[c], self.scale[c])
                out[at : at + ROWS_AT_ONCE, c] = logs.sum(axis=1)
        return out


def largest_variance(t: DiagonalMoments) -> float:
    """The largest variance of any column over all classes together."""
    parts = [DiagonalMoments(*(array[c] for array in t.arrays().values())) for c in range(len(t.mean))]
    together = sum(parts[1:], start=parts[0])
    return float(np.max(together.scatter / together.n)) if float(together.n[0]) > 0 else 0.0
