"""Compute densities of real numbers by class, and the posterior spread of their scores (SX-5).

Each table column is scored in a unit of its own, a power of two, so rescaling is exact in floating point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.later import digamma, ndtri, stdtrit
from suffice.models.scoring.beliefs import log_gammas, must_be_known, trigamma
from suffice.models.scoring.kernels import by_feature, normal_scores
from suffice.models.scoring.removal import Removal, left
from suffice.posterior.special import log_rising
from suffice.stats import DiagonalMoments, inputs
from suffice.stats.inputs import REAL
from suffice.typing import Array, Integers

if TYPE_CHECKING:
    from suffice.models.scoring.rows import MatrixRows


TINY = np.finfo(np.float64).tiny

FAR = 1e140
"""Upper limit of a squared distance in variances, so that its square does not overflow."""


def in_unit(rows: MatrixRows, unit: float) -> inputs.RowMatrix:
    """Return rows divided by `unit`."""
    here = rows.source
    return here if unit == 1 else replace(here, matrix=np.asarray(here.matrix, np.float64) / unit)


@dataclass(frozen=True, eq=False)
class NormalDensities:
    """Independent normals, classes × features."""

    mean: Array
    variance: Array
    unit: float = 1.0

    def scores(self, rows: MatrixRows) -> Array:
        """Return ln p(x | c), rows × classes."""
        mean, precision, offset = self._tables
        out = np.empty((len(rows), len(offset)))
        return np.asarray(normal_scores(out, in_unit(rows, self.unit), mean, precision, offset))

    def best(self, rows: MatrixRows, log_prior: Array) -> Integers:
        """Return the most probable class of each row; −1 where no class is possible."""
        mean, precision, offset = self._tables
        out = np.empty(len(rows), np.int64)
        return np.asarray(normal_scores(out, in_unit(rows, self.unit), mean, precision, offset + log_prior))

    def logs(self, x: Array) -> Array:
        """Return ln p of each number under the normal at the same place."""
        with np.errstate(over="ignore"):
            return np.asarray(-0.5 * (np.log(2.0 * np.pi * self.positive) + self.squared(x)))

    def quantiles(self, share: Array) -> Array:
        """Return the numbers below which these shares lie."""
        return np.asarray(self.mean + ndtri(share) * np.sqrt(self.positive))

    def squared(self, x: Array) -> Array:
        """Return the squared distance of each number from the mean, in variances."""
        with np.errstate(over="ignore"):
            return np.asarray((x - self.mean) ** 2 / self.positive)

    @cached_property
    def positive(self) -> Array:
        """Return variances floored at the smallest positive float, so a constant feature matches its value alone."""
        return np.maximum(self.variance, TINY)

    @cached_property
    def _tables(self) -> tuple[Array, Array, Array]:
        offset = -0.5 * np.log(2.0 * np.pi * self.positive).sum(axis=1)
        return by_feature(self.mean), by_feature(0.5 / self.positive), offset


@dataclass(frozen=True, eq=False)
class StudentTs:
    """Independent Student-t's, classes × features."""

    df: Array
    location: Array
    scale: Array
    unit: float = 1.0

    def scores(self, rows: MatrixRows) -> Array:
        """Return ln p(x | c), rows × classes."""
        source = in_unit(rows, self.unit)
        REAL.check(source.matrix, source.name, source.first)
        out, top = np.empty((len(rows), len(self.df))), self.top.sum(axis=1)
        for c, (df, location, scale) in enumerate(zip(self.df, self.location, self.scale, strict=True)):
            away = (source.matrix - location) / scale
            away *= away
            np.log1p(np.divide(away, df, out=away), out=away)
            out[:, c] = top[c] - away @ ((df + 1) / 2)
        return out

    def logs(self, x: Array) -> Array:
        """Return ln p of each number under the Student-t at the same place."""
        away = np.log1p(((x - self.location) / self.scale) ** 2 / self.df)
        return np.asarray(self.top - (self.df + 1) / 2 * away)

    def quantiles(self, share: Array) -> Array:
        """Return the numbers below which these shares lie."""
        return np.asarray(self.location + stdtrit(self.df, share) * self.scale)

    @cached_property
    def top(self) -> Array:
        """Return the logarithm of each density at its mode."""
        return np.asarray(log_rising(self.df / 2, 0.5) - np.log(np.pi * self.df) / 2 - np.log(self.scale))


@dataclass(frozen=True, eq=False)
class NormalBelief:
    """Normal-inverse-gamma beliefs about means and variances, classes × features."""

    m: Array
    kappa: Array
    a: Array
    b: Array
    unit: float = 1.0

    def moments(self, rows: MatrixRows) -> tuple[Array, Array]:
        """Return mean and variance of ½ ln τ − ½ τ(x−μ)², with τ ~ Gamma(a, b) and μ | τ ~ Normal(m, 1/(κτ))."""
        must_be_known(self.kappa, self.a, self.b)
        x = self._numbers(rows)
        mean, variance = np.empty((2, len(x), len(self.m)))
        for c, (m, kappa, a, b) in enumerate(zip(self.m, self.kappa, self.a, self.b, strict=True)):
            with np.errstate(over="ignore"):
                far = np.minimum((x - m) ** 2 / b, FAR)
            square = a * far**2 + 4 * far * a / kappa + 2 / kappa**2
            mean[:, c] = (digamma(a) - np.log(2 * np.pi * b) - far * a - 1 / kappa).sum(axis=1) / 2
            variance[:, c] = (trigamma(a) + square - 2 * far).sum(axis=1) / 4  # SX-5
        return mean, variance

    def draws(self, rows: MatrixRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of means and variances, size × rows × classes."""
        must_be_known(self.kappa, self.a, self.b)
        x = self._numbers(rows)
        out = np.empty((size, len(x), len(self.m)))
        for i in range(size):
            log_tau = log_gammas(self.a, rng) - np.log(self.b)
            tau = np.exp(log_tau)
            mu = rng.normal(self.m, 1 / np.sqrt(self.kappa * tau))
            top = (log_tau - np.log(2 * np.pi)).sum(axis=1) / 2
            for c in range(len(self.m)):
                out[i, :, c] = top[c] - ((x - mu[c]) ** 2) @ tau[c] / 2
        return out

    def _numbers(self, rows: MatrixRows) -> Array:
        return rows.numbers if self.unit == 1 else rows.numbers / self.unit


@dataclass(frozen=True, eq=False)
class Downdates:
    """Compute the moments of classes after removing training rows from them."""

    t: DiagonalMoments
    x: Any  # rows × features, in the unit they were counted in
    removed: Removal

    def values(self, pairs: slice) -> Array:
        """Return the rows of the given pairs, pairs × features."""
        rows = self.x[pairs] if self.removed.alone else self.x[self.removed.row[pairs]]
        return np.asarray(rows, np.float64)

    def moments(self, pairs: slice, values: Array) -> DiagonalMoments:
        """Return the moments of each pair's class after the removal, pairs × features."""
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
        n = self.t.n[code]
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
        """Return ln p of rows removed alone, by maximum likelihood, and which classes keep no rows.

        The distance to the class mean determines the distance to the mean without the row.
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
