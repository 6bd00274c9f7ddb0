"""Describe families for plots: beliefs about many features of one kind, or distributions of single columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from suffice.later import gammaln, pdtrik, xlogy
from suffice.models.scoring.cells import Cells
from suffice.posterior import Beta, Gamma
from suffice.typing import Array, Integers

FINE = 801
"""Number of points of a curve."""


@dataclass(frozen=True)
class FeatureBelief:
    """A Beta or Gamma for each class and feature, by its two parameters."""

    counts: Cells
    added: Any  # pseudo-counts: a number, one per feature, or classes × features
    total: Array  # per class, or classes × features: sum of a Beta's parameters, or a Gamma's rate
    family: Literal["beta", "gamma"]
    what: str  # word for a feature
    meaning: str  # meaning of its parameter
    sure: bool = True  # whether there is a posterior, and so intervals
    names: Any = None  # of the features

    def first(self, which: Any) -> Array:
        """Return the first parameter of the given features, classes × features."""
        added = np.asarray(self.added, np.float64)
        return np.asarray(self.counts.columns(np.asarray(which)) + (added[..., which] if added.ndim else added))

    def totals(self, which: Any) -> Array:
        """Return the sum of parameters of the given features, or the rate, classes × features."""
        total = self.total[:, None] if self.total.ndim == 1 else self.total[:, which]
        return np.maximum(total, 1e-300)

    def mean(self, which: Any) -> Array:
        """Return the posterior mean of the given features, classes × features."""
        return np.asarray(self.first(which) / self.totals(which))

    def ends(self, which: Any, level: float = 0.95) -> tuple[Array, Array]:
        """Return credible bounds of the given features' parameters, with probability `level`."""
        a = np.maximum(self.first(which), 1e-12)
        belief: Any = Beta(a, np.maximum(self.totals(which) - a, 1e-12))
        if self.family == "gamma":
            belief = Gamma(a, np.broadcast_to(self.totals(which), a.shape))
        low, high = belief.interval(level)
        return np.asarray(low), np.asarray(high)

    def most(self, code: int, k: int) -> Integers:
        """Return the k features with the largest first parameter in a class."""
        added = np.asarray(self.added, np.float64)
        own = self.counts.line(code) + (added[code] if added.ndim == 2 else added)
        return np.argsort(-own, kind="stable")[:k]


@dataclass(frozen=True)
class JointLifts:
    """How often values of columns occur jointly in each class, and how often they would if columns acted alone."""

    values: tuple[tuple[str, ...], ...]  # the values of each column, in words
    count: Array  # classes × values of each column
    expected: Array
    kappa: float

    def belief(self) -> Gamma:
        """Return the posterior of the lifts, classes × values of each column."""
        return Gamma(self.count + self.kappa, self.expected + self.kappa)  # its mean is e^ℓ, JC-2

    def ordered(self, columns: tuple[int, ...]) -> JointLifts:
        """Return the lifts with columns in the given order."""
        axes = (0, *(k + 1 for k in columns))
        count, expected = self.count.transpose(axes), self.expected.transpose(axes)
        return JointLifts(tuple(self.values[k] for k in columns), count, expected, self.kappa)

    def united(self, most: int) -> JointLifts:
        """Return the lifts with at most `most` values per column; the rarest ones are merged."""
        values, count, expected = list(self.values), self.count, self.expected
        for k, names in enumerate(values):
            if len(names) <= most:
                continue
            rows = count.sum(axis=tuple(axis for axis in range(count.ndim) if axis != k + 1))
            rare = np.sort(np.argsort(-rows, kind="stable")[most - 1 :])
            kept = np.setdiff1d(np.arange(len(names)), rare)
            values[k] = (*(names[at] for at in kept), f"{len(rare):,} others")
            count, expected = (
                np.concatenate([one.take(kept, k + 1), one.take(rare, k + 1).sum(axis=k + 1, keepdims=True)], k + 1)
                for one in (count, expected)
            )
        return JointLifts(tuple(values), count, expected, self.kappa)


@dataclass(frozen=True)
class ClassDistributions:
    """Describe the distribution of one column in each class: a curve over numbers or counts, or dots with intervals."""

    shape: Literal["curve", "counts", "dots"]
    values: NDArray[Any]  # places on the axis, or names
    heights: Array  # classes × values: densities, or probabilities
    ends: tuple[Array, Array] | None = None  # intervals of the heights of dots
    in_words: tuple[str, ...] = ()  # description of each class's curve
    exclusive: bool = True  # whether a row has exactly one of the values


def curves_of_numbers(mean: Array, sd: Array, ends: tuple[Array, Array], n: Array) -> ClassDistributions:
    """Return the normal curve of each class, over the range of classes with rows."""
    some = np.flatnonzero(n > 0) if (n > 0).any() else np.zeros(1, np.int64)
    low, high = float((mean - 4 * sd)[some].min()), float((mean + 4 * sd)[some].max())
    x = np.linspace(low, high if high > low else low + 1.0, FINE)
    words = [f"mean {m:.4g} ({a:.4g} to {b:.4g}), sd {s:.3g}" for m, s, a, b in zip(mean, sd, *ends, strict=True)]
    z, sd = (x - mean[:, None]) / sd[:, None], sd[:, None]
    return ClassDistributions("curve", x, np.exp(-(z**2) / 2) / (sd * np.sqrt(2 * np.pi)), in_words=tuple(words))


def curves_of_counts(rate: Array, ends: tuple[Array, Array]) -> ClassDistributions:
    """Return the Poisson distribution of each class, up to its 99.99 % point for the largest rate."""
    x, r = np.arange(int(np.ceil(pdtrik(0.9999, rate.max()))) + 2), rate[:, None]
    words = [f"rate {mean:.4g} ({low:.4g} to {high:.4g})" for mean, low, high in zip(rate, *ends, strict=True)]
    return ClassDistributions("counts", x, np.exp(xlogy(x, r) - gammaln(x + 1) - r), in_words=tuple(words))


def dots(values: Any, found: dict[str, Array], exclusive: bool = True) -> ClassDistributions:
    """Return probabilities of values with their bounds, from tables of classes × values."""
    ends = found["low"], found["high"]
    return ClassDistributions("dots", np.asarray(values), found["probability"], ends, exclusive=exclusive)
