"""Priors of normals, and priors that say little.

Empirical Bayes finds the NormalInverseGamma that makes columns of numbers most probable (SX-4).

Each column has its own m and its own scale v = b/a; κ and a are shared by all columns, which are few numbers for many
classes and columns. The unit of a column does not matter. One after the other is moved uphill: m by the weighted mean
that never descends (the evidence is a Student-t in m), ln v, ln κ and ln a by Newton's steps, halved where they would
descend. b = a·v turns with a, so that the four hardly depend on each other.

Priors that say little are in the unit of a column of which only its numbers are known, and of clusters that are sought.

A prior that is learned while rows look for their clusters agrees with whatever these are: where all are alike, it says
that all are alike, and they stay so. So clusters are sought with one that comes from all rows together.

WP-1  vectors    NIW(x̄, κ = 0.01, ν = d + 2, Λ = S / k^(2/d)), S the covariance of all rows (Fraley and Raftery 2007)
WP-2  numbers    NIG(x̄, κ = 0.01, a = 3/2, b = s²/2 / k^(2/d)), the same of each of d columns alone
WP-3  counts     Gamma(1, 1/x̄): one event       flags, categories, words: a pseudo-count of 1, or all of them one row

k clusters that fill the space of all rows have each a k-th of its volume: hence k^(2/d).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from suffice.posterior import Gamma, NormalInverseGamma, NormalInverseWishart
from suffice.posterior.special import digamma_rise, log_rising, trigamma_fall
from suffice.stats import DiagonalMoments, FullMoments, PoissonSums, RateCounts
from suffice.typing import Array, Booleans

__all__ = [
    "SHAPE", "Normals", "belief_about_normals", "largest_variance", "rate_of_all", "single", "units", "vague_normal",
    "weak_count", "weak_normals", "weak_vectors",
]  # fmt: skip


KAPPA, SHAPE = 0.01, 1.5
"""What class means, and their variance, are worth before any row: next to nothing, and one row."""

ROUNDS, CLOSE, ROUNDING = 400, 1e-9, 1e-14
BOUNDS_KAPPA, BOUNDS_SHAPE, BOUNDS_SCALE = (1e-6, 1e6), (0.05, 1e6), (1e-9, 1e9)
"""Bounds: of κ, of a, and of v relative to the variance within classes. Without them a maximum need not exist."""


@dataclass(frozen=True)
class Normals:
    """Moments in each column's own unit, classes × columns, and the hyper-parameters so far."""

    n: Array
    mean: Array
    scatter: Array
    m: Array
    v: Array
    kappa: float
    a: float

    def heights(self) -> Array:
        """Return NG-3 of each column, all classes together."""
        a, b, growth = self.a, self.a * self.v, self._growth()
        scales = -a * np.log1p(growth / b) - self.n / 2 * np.log(b + growth)
        means = np.log1p(self.n / self.kappa) / 2
        each = log_rising(a, self.n / 2) + scales - means - self.n / 2 * np.log(2 * np.pi)
        return np.asarray(each.sum(axis=0))

    def climb_once(self) -> Normals:
        """Return the result of one round over all hyper-parameters."""
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
        """Return the first and second derivatives by ln v."""
        part = self.a * self.v / (self.a * self.v + self._growth())
        weight = self.a + self.n / 2
        return (self.a - weight * part).sum(axis=0), -(weight * part * (1 - part)).sum(axis=0)  # SX-4

    def _derivatives_by_kappa(self) -> tuple[Array, Array]:
        """Return the first and second derivatives by ln κ."""
        kappa, n, after = self.kappa, self.n, self.kappa + self.n
        away = (self.mean - self.m) ** 2 * kappa * (n / after) ** 2
        precision = self._precision()
        first = n / after / 2 - precision * away / 2  # SX-4
        turn = precision**2 / (self.a + n / 2) * away**2 / 4
        second = -n * kappa / after**2 / 2 - precision * away * (n - kappa) / after / 2 + turn
        return first.sum(), second.sum()

    def _derivatives_by_a(self) -> tuple[Array, Array]:
        """Return the first and second derivatives by ln a, with v fixed."""
        a, n, v, growth = self.a, self.n, self.v, self._growth()
        after, b = a + n / 2, a * v + growth
        first = digamma_rise(a, n / 2) - np.log1p(growth / (a * v)) + 1 - after * v / b  # SX-4
        second = -trigamma_fall(a, n / 2) + 1 / a - 2 * v / b + after * (v / b) ** 2
        return (a * first).sum(), (a * a * second + a * first).sum()

    def _moved(
        self, name: str, first: Array, second: Array, ends: tuple[float, float], by_column: bool = False
    ) -> Normals:
        """Move one number (or one per column) by Newton's step in its logarithm, halved while evidence falls."""
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
    """Return the belief of highest evidence: m and b of each column, κ and a of all together."""
    middle, spread = units(t)
    some = t.scatter.sum(axis=0) > 0
    if not some.any():
        return NormalInverseGamma(middle, KAPPA, SHAPE, (SHAPE - 1) * spread)
    unit = np.sqrt(spread)
    found = settled(_start(t, middle, unit, some))
    m, v = np.zeros(len(unit)), np.ones(len(unit))  # a column that is constant in each class has no say
    m[some], v[some] = found.m, found.v
    return NormalInverseGamma(middle + m * unit, float(found.kappa), float(found.a), found.a * v * spread)


def settled(state: Normals) -> Normals:
    """Repeat rounds until nothing moves."""
    for _ in range(ROUNDS):
        before, state = state, state.climb_once()
        moved = [np.abs(np.log(after / was)).max(initial=0.0) for after, was in _pairs(before, state)]
        if max(*moved, np.abs(state.m - before.m).max(initial=0.0)) < CLOSE:
            break
    return state


def _pairs(before: Normals, after: Normals) -> list[tuple[Array, Array]]:
    return [(np.asarray(getattr(after, name)), np.asarray(getattr(before, name))) for name in ("v", "kappa", "a")]


def _start(t: DiagonalMoments, middle: Array, unit: Array, some: Booleans) -> Normals:
    """Return the columns that vary, in units of their own, to start from."""
    n = np.broadcast_to(t.n, t.mean.shape)
    mean = np.where(n > 0, ((t.mean - middle) + t.mean_lo) / unit, 0.0)
    width = int(some.sum())
    nothing, one = np.zeros(width), np.ones(width)
    return Normals(n[:, some], mean[:, some], (t.scatter / unit**2)[:, some], nothing, one, 0.1, SHAPE)


def units(t: DiagonalMoments) -> tuple[Array, Array]:
    """Return the mean of each column and its variance within classes, which is at least what rounding hides."""
    n = np.broadcast_to(t.n, t.mean.shape)
    total = np.where(n.sum(axis=0) > 0, n.sum(axis=0), 1.0)
    share = n / total
    pivot = t.mean[np.argmax(share, axis=0), np.arange(t.mean.shape[1])]
    middle = pivot + (share * (t.mean - pivot)).sum(axis=0)
    within = t.scatter.sum(axis=0) / total
    total_variance = within + (share * (t.mean - middle) ** 2).sum(axis=0)
    spread = np.maximum(np.maximum(within, 1e-9 * total_variance), (2.0**-40 * np.abs(middle)) ** 2)
    return middle, np.where(spread > 0, spread, 1.0)


def vague_normal(t: DiagonalMoments) -> NormalInverseGamma:
    """Return a belief about the mean of all rows of a column and its variance within classes, in the column's unit."""
    middle, spread = units(t)
    return NormalInverseGamma(float(middle[0]), KAPPA, SHAPE, (SHAPE - 1) * float(spread[0]))


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
    return Gamma(1.0, n * t.total.shape[1] / total if total > 0 else 1.0)  # WP-3


RIDGE = 1e-6
"""Of a column's variance that is its alone, so that columns may be collinear."""


def weak_normals(t: DiagonalMoments, k: int) -> NormalInverseGamma:
    """Return a weak belief about k classes of numbers, from the moments of all rows."""
    middle, spread = units(t)
    return NormalInverseGamma(middle, KAPPA, SHAPE, (SHAPE - 1) * spread / k ** (2 / t.mean.shape[1]))  # WP-2


def weak_vectors(t: FullMoments, k: int) -> NormalInverseWishart:
    """Return a weak belief about k classes of vectors, from the moments of all rows."""
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
    """Return a weak pseudo-count of words: all of them make one row, none is above 1; 1 where modes are plugged in."""
    return 1.0 if estimate == "map" or not words else min(1.0, words / rows / width)  # WP-3
