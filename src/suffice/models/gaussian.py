"""Event model of real columns: a normal per class and column, or the Student-t that integrates it out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.models import leave_out
from suffice.models.events import Estimate
from suffice.models.scoring.kernels import by_feature, normal_scores
from suffice.parallel import in_parallel
from suffice.posterior import NormalInverseGamma
from suffice.posterior.special import log_rising
from suffice.stats import DiagonalMoments
from suffice.stats.inputs import REAL, Rows
from suffice.typing import Array, Integers

__all__ = ["Gaussian", "largest_variance", "without"]

ROWS_AT_ONCE = 2**14


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

    def leave_out(self, t: DiagonalMoments, n: Array, X: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        """Scores of rows, each by a class that has not seen it."""
        own = np.empty(len(codes))

        def fill(block: slice) -> None:
            values, code, weight = X.matrix[block].astype(np.float64, copy=False), codes[block], weights[block, None]
            if self.prior is None or self.estimate == "mle":
                own[block] = self._plain_densities(t, values, code, weight)
            else:
                own[block] = self.densities(without(t, code, weight, values, np.zeros(1)), values)

        in_parallel(fill, [slice(at, at + ROWS_AT_ONCE) for at in range(0, len(codes), ROWS_AT_ONCE)])
        return leave_out.put(scores, codes, own)

    def _plain_densities(self, t: DiagonalMoments, X: Array, codes: Integers, weight: Array) -> Array:
        """The same by maximum likelihood, in few steps: the distance to the class as it is tells the one without."""
        n = np.broadcast_to(t.n, t.mean.shape)[codes, :1]
        rest = leave_out.left(n, weight)
        some = np.where(rest > 0, rest, 1.0)
        away = (X - t.mean[codes]) - t.mean_lo[codes]
        np.square(away, out=away)
        variance = t.scatter[codes] / some - away * (weight * n / some**2)  # SX-3
        np.maximum(variance, 0.0, out=variance)
        variance += self.floor
        np.maximum(variance, np.finfo(np.float64).tiny, out=variance)
        away *= np.square(n / some)
        away /= variance
        away += np.log(variance, out=variance)
        scores = -0.5 * (away.sum(axis=1) + X.shape[1] * np.log(2.0 * np.pi))
        alone = rest[:, 0] == 0
        if alone.any():
            empty = without(t, codes[alone], weight[alone], X[alone], np.zeros(1))
            scores[alone] = self.densities(empty, X[alone])
        return np.asarray(scores)

    def densities(self, t: DiagonalMoments, X: Array) -> Array:
        """ln p of each row by a class of its own."""
        if self.estimate == "predictive" and self.prior is not None:
            t_ = self.prior.update(t).predict()
            top = log_rising(t_.df / 2, 0.5) - np.log(np.pi * t_.df) / 2 - np.log(t_.scale)
            away = np.log1p(((X - t_.location) / t_.scale) ** 2 / t_.df)
            return np.asarray((top - (t_.df + 1) / 2 * away).sum(axis=1))
        mean, variance = self.parameters(t)
        variance = np.maximum(variance, np.finfo(np.float64).tiny)
        with np.errstate(over="ignore"):  # a constant: its value or nothing
            return np.asarray(-0.5 * (np.log(2.0 * np.pi * variance) + (X - mean) ** 2 / variance).sum(axis=1))


def without(t: DiagonalMoments, codes: Integers, gone: Array, mean: Array, scatter: Array) -> DiagonalMoments:
    """Of each row the class of its code, without `gone` rows of some mean and scatter: moments with a line per row."""
    n = np.broadcast_to(t.n, t.mean.shape)[codes]
    rest = leave_out.left(n, gone)
    away = (mean - t.mean[codes]) - t.mean_lo[codes]
    some = rest > 0
    share = np.divide(gone, rest, out=np.zeros_like(rest), where=some)
    less = t.scatter[codes] - scatter - away**2 * (share * n)  # SX-3
    less = np.where(some, np.maximum(less, 0.0), 0.0)
    middle = np.where(some, t.mean[codes] - away * share, 0.0)
    nothing = np.zeros_like(middle)
    return DiagonalMoments(middle, rest, less, nothing, nothing, less)


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
