"""Fit the NormalInverseGamma prior of numeric columns by empirical Bayes (SX-4).

Each column has its own m and its own scale v = b/a. All columns share κ and a: two numbers for many classes and
columns. The unit of a column does not matter. Coordinate ascent moves m by a weighted mean that never lowers the
evidence (a Student-t in m), and ln v, ln κ and ln a by Newton steps, halved where the evidence would fall. Since
b = a·v changes with a, the four hardly depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from suffice.posterior import NormalInverseGamma
from suffice.posterior.special import digamma_rise, log_rising, trigamma_fall
from suffice.stats import DiagonalMoments
from suffice.typing import Array, Booleans

KAPPA, SHAPE = 0.01, 1.5
"""Prior weights: that of class means (κ) is almost none, and that of the variance (a) is one row."""

ROUNDS, CLOSE, ROUNDING = 400, 1e-9, 1e-14
BOUNDS_KAPPA, BOUNDS_SHAPE, BOUNDS_SCALE = (1e-6, 1e6), (0.05, 1e6), (1e-9, 1e9)
"""Bounds of κ, of a, and of v relative to the variance within classes. Without them, a maximum need not exist."""


@dataclass(frozen=True)
class Normals:
    """Moments in each column's own unit, classes × columns, and the current hyperparameters."""

    n: Array
    mean: Array
    scatter: Array
    m: Array
    v: Array
    kappa: float
    a: float

    def heights(self) -> Array:
        """Return NG-3 of each column, summed over classes."""
        a, b, growth = self.a, self.a * self.v, self._growth()
        scales = -a * np.log1p(growth / b) - self.n / 2 * np.log(b + growth)
        means = np.log1p(self.n / self.kappa) / 2
        each = log_rising(a, self.n / 2) + scales - means - self.n / 2 * np.log(2 * np.pi)
        return np.asarray(each.sum(axis=0))

    def climb_once(self) -> Normals:
        """Return the state after one round over all hyperparameters."""
        after = replace(self, m=self._better_m())
        after = after._moved("v", *after._derivatives_by_v(), BOUNDS_SCALE, by_column=True)
        after = after._moved("kappa", *after._derivatives_by_kappa(), BOUNDS_KAPPA)
        return after._moved("a", *after._derivatives_by_a(), BOUNDS_SHAPE)

    def _growth(self) -> Array:
        return np.asarray((self.scatter + self._shared() * (self.mean - self.m) ** 2) / 2)

    def _shared(self) -> Array:
        return np.asarray(self.kappa * self.n / (self.kappa + self.n))

    def _precision(self) -> Array:
        return np.asarray((self.a + self.n / 2) / (self.a * self.v + self._growth()))

    def _better_m(self) -> Array:
        weight = self._precision() * self._shared()
        total = weight.sum(axis=0)
        return np.asarray((weight * self.mean).sum(axis=0) / np.where(total > 0, total, 1.0))  # SX-4

    def _derivatives_by_v(self) -> tuple[Array, Array]:
        """Return the first and second derivatives with respect to ln v."""
        part = self.a * self.v / (self.a * self.v + self._growth())
        weight = self.a + self.n / 2
        return (self.a - weight * part).sum(axis=0), -(weight * part * (1 - part)).sum(axis=0)  # SX-4

    def _derivatives_by_kappa(self) -> tuple[Array, Array]:
        """Return the first and second derivatives with respect to ln κ."""
        kappa, n, after = self.kappa, self.n, self.kappa + self.n
        away = (self.mean - self.m) ** 2 * kappa * (n / after) ** 2
        precision = self._precision()
        first = n / after / 2 - precision * away / 2  # SX-4
        turn = precision**2 / (self.a + n / 2) * away**2 / 4
        second = -n * kappa / after**2 / 2 - precision * away * (n - kappa) / after / 2 + turn
        return first.sum(), second.sum()

    def _derivatives_by_a(self) -> tuple[Array, Array]:
        """Return the first and second derivatives with respect to ln a, with v fixed."""
        a, n, v, growth = self.a, self.n, self.v, self._growth()
        after, b = a + n / 2, a * v + growth
        first = digamma_rise(a, n / 2) - np.log1p(growth / (a * v)) + 1 - after * v / b  # SX-4
        second = -trigamma_fall(a, n / 2) + 1 / a - 2 * v / b + after * (v / b) ** 2
        return (a * first).sum(), (a * a * second + a * first).sum()

    def _moved(
        self, name: str, first: Array, second: Array, ends: tuple[float, float], by_column: bool = False
    ) -> Normals:
        """Return the state after a Newton step in the log of one hyperparameter, halved while the evidence falls."""
        u, before = np.log(getattr(self, name)), self.heights()
        down = second < 0
        step = np.where(down, -first / np.where(down, second, 1.0), np.sign(first))
        step = np.clip(u + np.clip(step, -2.0, 2.0), *np.log(ends)) - u
        for _ in range(40):
            after = replace(self, **{name: np.exp(u + step)})
            change = after.heights() - before
            scale = np.abs(before)
            change, scale = (change, scale) if by_column else (change.sum(), scale.sum())
            lower = change < -ROUNDING * scale
            if not np.any(lower):
                return after
            step = np.where(lower, step / 2, step)
        return self


def belief_about_normals(t: DiagonalMoments) -> NormalInverseGamma:
    """Return the prior that maximizes the evidence: m and b of each column, κ and a shared by all columns."""
    middle, spread = units(t)
    some = t.scatter.sum(axis=0) > 0
    if not some.any():
        return NormalInverseGamma(middle, KAPPA, SHAPE, (SHAPE - 1) * spread)
    unit = np.sqrt(spread)
    found = settled(_start(t, middle, unit, some))
    m, v = np.zeros(len(unit)), np.ones(len(unit))  # columns that are constant within classes are left out
    m[some], v[some] = found.m, found.v
    return NormalInverseGamma(middle + m * unit, float(found.kappa), float(found.a), found.a * v * spread)


def settled(state: Normals) -> Normals:
    """Return the state after rounds until convergence, at most ROUNDS."""
    for _ in range(ROUNDS):
        before, state = state, state.climb_once()
        moved = [np.abs(np.log(after / was)).max(initial=0.0) for after, was in _pairs(before, state)]
        if max(*moved, np.abs(state.m - before.m).max(initial=0.0)) < CLOSE:
            break
    return state


def _pairs(before: Normals, after: Normals) -> list[tuple[Array, Array]]:
    return [(np.asarray(getattr(after, name)), np.asarray(getattr(before, name))) for name in ("v", "kappa", "a")]


def _start(t: DiagonalMoments, middle: Array, unit: Array, some: Booleans) -> Normals:
    """Return the starting state: the columns that vary, in their own units."""
    n = np.broadcast_to(t.n, t.mean.shape)
    mean = np.where(n > 0, ((t.mean - middle) + t.mean_lo) / unit, 0.0)
    width = int(some.sum())
    nothing, one = np.zeros(width), np.ones(width)
    return Normals(n[:, some], mean[:, some], (t.scatter / unit**2)[:, some], nothing, one, 0.1, SHAPE)


def units(t: DiagonalMoments) -> tuple[Array, Array]:
    """Return each column's mean, and its variance within classes, floored at what rounding can hide."""
    n = np.broadcast_to(t.n, t.mean.shape)
    total = np.where(n.sum(axis=0) > 0, n.sum(axis=0), 1.0)
    share = n / total
    pivot = t.mean[np.argmax(share, axis=0), np.arange(t.mean.shape[1])]
    middle = pivot + (share * (t.mean - pivot)).sum(axis=0)
    within = t.scatter.sum(axis=0) / total
    total_variance = within + (share * (t.mean - middle) ** 2).sum(axis=0)
    spread = np.maximum(np.maximum(within, 1e-9 * total_variance), (2.0**-40 * np.abs(middle)) ** 2)
    return middle, np.where(spread > 0, spread, 1.0)
