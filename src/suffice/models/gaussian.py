"""Event model of real columns: a normal per class and column, or the Student-t that integrates it out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.models.events import Estimate
from suffice.models.kernels import by_feature, normal_scores
from suffice.posterior import NormalInverseGamma
from suffice.posterior.special import log_rising
from suffice.stats import DiagonalMoments
from suffice.stats.inputs import REAL, Rows
from suffice.typing import Array, Integers

__all__ = ["Gaussian", "largest_variance"]


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
        rows = Rows.read(X, "X")
        mean, precision, offset = self._tables
        out: Array = normal_scores(np.empty((len(rows), len(offset))), rows, mean, precision, offset)
        return out

    def best(self, X: Any, log_prior: Array) -> Integers:
        """The class of the largest joint, row by row; −1 where no class is possible."""
        rows = Rows.read(X, "X")
        mean, precision, offset = self._tables
        out: Integers = normal_scores(np.empty(len(rows), np.int64), rows, mean, precision, offset + log_prior)
        return out

    @cached_property
    def _tables(self) -> tuple[Array, Array, Array]:
        variance = np.maximum(self.variance, np.finfo(np.float64).tiny)  # a constant: its value or nothing
        offset = -0.5 * np.log(2.0 * np.pi * variance).sum(axis=1)
        return by_feature(self.mean), by_feature(0.5 / variance), offset


@dataclass(frozen=True)
class StudentTs:
    """Independent Student-t's, class by class."""

    df: Array
    location: Array
    scale: Array

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        rows = Rows.read(X, "X")
        REAL.check(rows.matrix, rows.name, rows.first)
        out = np.empty((len(rows), len(self.df)))
        for c, (df, location, scale) in enumerate(zip(self.df, self.location, self.scale, strict=True)):
            away = (rows.matrix - location) / scale
            away *= away
            np.log1p(np.divide(away, df, out=away), out=away)
            out[:, c] = self._offset[c] - away @ ((df + 1) / 2)
        return out

    @cached_property
    def _offset(self) -> Array:
        """ln of each density at its top."""
        top = log_rising(self.df / 2, 0.5) - np.log(np.pi * self.df) / 2 - np.log(self.scale)
        return np.asarray(top.sum(axis=1))


def largest_variance(t: DiagonalMoments) -> float:
    """The largest variance of any column over all classes together."""
    parts = [DiagonalMoments(*(array[c] for array in t.arrays().values())) for c in range(len(t.mean))]
    together = sum(parts[1:], start=parts[0])
    return float(np.max(together.scatter / together.n)) if float(together.n[0]) > 0 else 0.0
