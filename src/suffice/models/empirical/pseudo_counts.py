"""Choose pseudo-counts by empirical Bayes: those that maximize the evidence, from counts of counts (SX-4).

The evidence of flags, categories and words is a sum of terms ± ln z(z+1)…(z+n−1), where each z is a sum of
hyperparameters. Equal terms are computed once, so the cost of a step depends on the number of distinct counts, not on
the number of rows. A maximum need not exist: without variety it tends to 0, without overdispersion to ∞. So
pseudo-counts are kept between 1e-6 and 1e6. Where the evidence does not depend on them, they are 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from suffice.models.scoring.cells import Cells
from suffice.posterior import Beta, Gamma
from suffice.posterior.special import digamma_rise, log_rising, trigamma_fall
from suffice.typing import Array

STEPS, HALVINGS, REACH = 100, 40, 3.0
CLOSE, ROUNDING, FLAT = 1e-10, 1e-14, 1e-13


class Hill(Protocol):
    """Describe a function of positive numbers that is to be maximized."""

    def value(self, x: Array) -> float:
        """Return the value at x."""

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Return the gradient and the Hessian at x."""


@dataclass(frozen=True)
class Maximum:
    """The point where a climb ended, and the heights on the way."""

    x: Array
    heights: list[float]


def climb(hill: Hill, start: Array, low: Any, high: Any) -> Maximum:
    """Return the maximum that Newton steps reach from `start` within bounds; steps that lead down are halved.

    >>> class Round:
    ...     def value(self, x): return float(-(np.log(x[0] / 4) ** 2))
    ...     def derivatives(self, x):
    ...         log = np.log(x / 4)
    ...         return -2 * log / x, (2 * (log - 1) / x**2)[None]
    >>> climb(Round(), np.ones(1), 1e-6, 1e6).x.round(6)
    array([4.])
    """
    ends = np.log(np.broadcast_to(low, start.shape)), np.log(np.broadcast_to(high, start.shape))
    u = np.clip(np.log(start), *ends)
    heights = [hill.value(np.exp(u))]
    for _ in range(STEPS):
        step = _newton(hill, u, ends, FLAT * max(1.0, abs(heights[-1])))
        for _ in range(HALVINGS):
            there = np.clip(u + step, *ends)
            height = hill.value(np.exp(there))
            if height >= heights[-1] - ROUNDING * abs(heights[-1]):
                break
            step = step / 2
        else:
            break
        moved, u = np.abs(there - u).max(initial=0.0), there
        heights.append(height)
        if moved < CLOSE:
            break
    return Maximum(np.exp(u), heights)


def _newton(hill: Hill, u: Array, ends: tuple[Array, Array], flat: float) -> Array:
    """Return the Newton step in the logarithms, projected onto bounds that are reached.

    Each eigenvector of the Hessian is treated separately: a Newton step where its eigenvalue is negative, and otherwise
    an uphill step of at most one. So a ridge that rises without end is followed along its crest.
    """
    x = np.exp(u)
    first, second = hill.derivatives(x)
    gradient, hessian = x * first, np.outer(x, x) * second + np.diag(x * first)
    free = ~(((u <= ends[0]) & (gradient < 0)) | ((u >= ends[1]) & (gradient > 0)))
    step = np.zeros_like(u)
    if not (np.abs(gradient[free]) > flat).any():
        return step
    curves, ways = np.linalg.eigh(hessian[np.ix_(free, free)])
    along = gradient[free] @ ways
    far = np.abs(along) / np.maximum(np.abs(curves), 1e-300)
    step[free] = ways @ (np.sign(along) * np.minimum(far, np.where(curves < 0, REACH, 1.0)))
    return step


SMALLEST, LARGEST = 1e-6, 1e6
MOST_KAPPA = 10.0
"""Upper bound of κ.

Expected counts come from the same rows, so counts are closer to them than Poisson counts would be. Where values are
few, the evidence then favours columns that act alone. Lifts shrunk to nothing are lost, whereas weights can still
shrink lifts that are too large.
"""
GRID = np.array([1.0, *np.logspace(-6, 6, 25)])

Terms = tuple[Any, Any, Any, Any]
"""Coefficients of the hyperparameters in z, the offset of z, n, and the count of the term (negative: divides)."""


@dataclass(frozen=True)
class Rises:
    """A sum Σ times · ln z(z+1)…(z+n−1), with z = lines·x + offset."""

    lines: Array
    offset: Array
    n: Array
    times: Array

    @classmethod
    def of(cls, *parts: Terms) -> Rises:
        """Return the sum of the given terms, with equal terms merged."""
        tables = []
        for line, offset, n, times in parts:
            if np.ndim(line) == 1 and np.ndim(offset) == 0:  # fewer terms from here on
                n, times = _tally(n, times)
            n, offset, times = np.broadcast_arrays(np.ravel(n), offset, times)
            line = np.broadcast_to(np.atleast_1d(np.asarray(line, np.float64)), (len(n), np.shape(line)[-1]))
            tables.append(np.column_stack([line, offset, n, times])[n > 0])
        every = np.concatenate(tables)
        keys, place = np.unique(every[:, :-1], axis=0, return_inverse=True)
        times = np.bincount(np.ravel(place), every[:, -1], len(keys)).astype(np.float64)
        return cls(keys[:, :-2], keys[:, -2], keys[:, -1], times)

    def value(self, x: Array) -> float:
        """Return the log evidence."""
        return float(self.times @ log_rising(self._z(x), self.n))  # SX-4

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Return the gradient and the Hessian of the log evidence."""
        z = self._z(x)
        first = (self.times * digamma_rise(z, self.n)) @ self.lines  # SX-4
        second = -(self.lines.T * (self.times * trigamma_fall(z, self.n))) @ self.lines  # SX-4
        return first, second

    def _z(self, x: Array) -> Array:
        return np.asarray(self.lines @ x + self.offset)


def _tally(n: Any, times: Any) -> tuple[Array, Array]:
    """Return the distinct numbers, and how often each occurs."""
    numbers, often = np.broadcast_arrays(np.ravel(n), times)
    integers = numbers.astype(np.int64)
    if numbers.max(initial=0.0) < max(2**16, len(numbers)) and (integers == numbers).all():
        seen, sums = np.bincount(integers), np.bincount(integers, often)
        return np.flatnonzero(seen).astype(np.float64), sums[seen > 0].astype(np.float64)
    values, place = np.unique(numbers, return_inverse=True)
    return values, np.bincount(place, often, len(values)).astype(np.float64)


def symmetric_terms(counts: Array, sizes: Any, totals: Array, other: float | None = None) -> Rises:
    """Return the evidence of a symmetric α shared by all dice.

    Each die has counts of categories, a number of categories (zeros included) and a total. With `other`, each die has
    one more category, whose pseudo-count is `other`.
    """
    sizes, totals = np.broadcast_arrays(sizes, totals)
    below = (sizes.reshape(-1, 1), other or 0.0, totals.ravel(), -1.0)
    return Rises.of(([1.0], 0.0, counts, 1.0), below)


def one_alpha(hill: Hill) -> float:
    """Return the pseudo-count that maximizes the evidence."""
    return float(climb_from_grid(hill).x[0])


def alpha_of_cells(counts: Cells) -> float:
    """Return the pseudo-count that maximizes the evidence of a table of classes × words."""
    met = counts.values if counts.unmet is None else counts.values.data
    return one_alpha(symmetric_terms(met, counts.width, counts.sum()))


def alpha_of_presence(documents: Any, n: Array) -> float:
    """Return the α of Beta(α, α) that maximizes the evidence; `documents` counts each class's documents with a word."""
    met = np.diff(documents.indptr)
    zeros = np.maximum(np.repeat(n, met) - documents.data, 0.0)
    never, width = documents.shape[1] - met, documents.shape[1]
    below = ([2.0], 0.0, n, -float(width))
    return one_alpha(
        Rises.of(*(([1.0], 0.0, *one) for one in ((documents.data, 1.0), (zeros, 1.0), (n, never))), below)
    )


def climb_from_grid(hill: Hill) -> Maximum:
    """Return the maximum reached from the best point of a grid, since there may be several maxima."""
    heights = np.array([hill.value(np.array([alpha])) for alpha in GRID])
    level = heights >= heights.max() - 1e-12 * max(1.0, abs(heights.max()))  # prefer 1 where the evidence is flat
    return climb(hill, GRID[level][:1], SMALLEST, LARGEST)


def flag_terms(ones: Array, zeros: Array, n: Array, times: Any = 1.0) -> Rises:
    """Return the evidence of one Beta shared by all flags, from counts of on and off."""
    on, off = ([1.0, 0.0], 0.0, ones, times), ([0.0, 1.0], 0.0, zeros, times)
    return Rises.of(on, off, ([1.0, 1.0], 0.0, n, np.negative(times)))


def beta_of_flags(hill: Rises) -> Beta:
    """Return the Beta that maximizes the evidence."""
    alike = Rises(hill.lines.sum(axis=1, keepdims=True), hill.offset, hill.n, hill.times)
    start = np.repeat(climb_from_grid(alike).x, 2)
    return Beta(*climb(hill, start, SMALLEST, LARGEST).x.tolist())


@dataclass(frozen=True)
class Rates:
    """GP-3 of many counts T over n rows, as a function of the shape and the rate of one Gamma."""

    shapes: Rises
    total: Array
    n: Array
    times: Array

    def value(self, x: Array) -> float:
        """Return the log evidence, without Σ ln x!."""
        s, r = x
        rates = -s * np.log1p(self.n / r) - self.total * np.log(r + self.n)
        return float(self.shapes.value(x[:1]) + self.times @ rates)  # SX-4

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Return the gradient and the Hessian of the log evidence."""
        s, r = x
        after = r + self.n
        (by_shape,), ((by_shape_twice,),) = self.shapes.derivatives(x[:1])
        both = float(self.times @ (self.n / (r * after)))
        by_rate = float(self.times @ (s * self.n / (r * after) - self.total / after))
        by_rate_twice = float(self.times @ ((s + self.total) / after**2 - s / r**2))
        down = float(self.times @ np.log1p(self.n / r))
        return np.array([by_shape - down, by_rate]), np.array([[by_shape_twice, both], [both, by_rate_twice]])


def rate_terms(total: Array, n: Array) -> Rates:
    """Return the evidence of one Gamma shared by all rates, from counts by class and feature, and rows per class."""
    pairs = np.column_stack([total.ravel(), np.broadcast_to(n, total.shape).ravel()])
    keys, times = np.unique(pairs[pairs[:, 1] > 0], axis=0, return_counts=True)
    counts = times.astype(np.float64)
    return Rates(Rises.of(([1.0], 0.0, keys[:, 0], counts)), keys[:, 0], keys[:, 1], counts)


def gamma_of_counts(hill: Rates) -> Gamma:
    """Return the Gamma that maximizes the evidence, within bounds of its shape and rate."""
    rows, total = float(hill.times @ hill.n), float(hill.times @ hill.total)
    if not rows:
        return Gamma(1.0, 1.0)
    mean = total / rows if total else 1 / (rows + 1)
    starts = [np.array([shape, shape / mean]) for shape in (1.0, 0.01, 100.0)]
    start = max(starts, key=hill.value)
    return Gamma(*climb(hill, start, [SMALLEST, SMALLEST**2], [LARGEST, LARGEST**2]).x.tolist())


@dataclass(frozen=True)
class LiftEvidence:
    """JC-3 of cells as a function of κ: n ~ Poisson(λE), λ ~ Gamma(κ, κ), against columns that act alone."""

    count: Array
    expected: Array
    shapes: Rises  # ln κ(κ+1)…(κ+n−1), equal counts together

    @classmethod
    def of(cls, count: Array, expected: Array) -> LiftEvidence:
        """Return the evidence of the cells of a pair with a positive expected count, including cells without rows."""
        some = expected > 0
        return cls(count[some], expected[some], Rises.of(([1.0], 0.0, count[some], 1.0)))

    def value(self, x: Array) -> float:
        """Return the log Bayes factor against columns that act alone."""
        kappa, n = float(x[0]), self.count
        rates = self.expected.sum() - (kappa + n) @ np.log1p(self.expected / kappa) - n.sum() * np.log(kappa)
        return float(self.shapes.value(x) + rates)  # JC-3

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Return the gradient and the Hessian of the log evidence."""
        kappa, after, more = float(x[0]), float(x[0]) + self.expected, self.expected - self.count
        first, second = self.shapes.derivatives(x)
        once = (more / after).sum() - np.log1p(self.expected / kappa).sum()
        return first + once, second + (self.expected / (kappa * after) - more / after**2).sum()


def kappa_of_lifts(count: Array, expected: Array) -> float:
    """Return the κ that maximizes the evidence of a pair's cells, at most MOST_KAPPA; 1 where there are none."""
    return min(one_alpha(LiftEvidence.of(count, expected)), MOST_KAPPA)
