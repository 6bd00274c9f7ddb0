"""What likelihoods return: scorers, rows held out, beliefs about scores, what the parts of a row say, and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, pdtrik, xlogy

from suffice.models.scoring.cells import Cells
from suffice.posterior import Beta, Gamma
from suffice.typing import Array, Booleans, Integers

__all__ = [
    "Belief", "ClassDistributions", "Contributions", "Estimate", "FeatureBelief", "HeldOut", "Moments", "Scorer",
    "Speaks", "curves_of_counts", "curves_of_numbers", "dots", "times_in_words",
]  # fmt: skip


Moments = tuple[Array, Array]
"""Mean and variance."""


class Scorer(Protocol):
    """What is left of a statistic to score rows with. It may also have `best`, `tempered` and `weighted`, as Linear."""

    def scores(self, rows: Any) -> Array:
        """Return ln p(x | c), rows × classes, up to a constant that all classes of a row share."""


class HeldOut(Protocol):
    """What classes without a training row, or its group, say of it."""

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return ln p(x | c), rows × classes, not tempered."""

    def lengths(self) -> Array | None:
        """Return how many features each row has, as often as they count; None where rows are no documents."""


class Belief(Protocol):
    """What is believed of the scores of rows, by the posterior of the parameters (SX-5)."""

    def moments(self, rows: Any) -> Moments:
        """Return mean and variance of each score, rows × classes."""

    def draws(self, rows: Any, rng: np.random.Generator, size: int) -> Array:
        """Return scores under parameters drawn from the posterior, size × rows × classes."""


class Speaks(NamedTuple):
    """A feature that speaks for a class: its place or name, its value in words, and the evidence that it brings."""

    feature: Any
    value: str
    weight: float


@dataclass(frozen=True)
class Contributions:
    """What the parts of one row add to its score: names or places, values in words, and ln p(x_j | c), parts × classes.

    What all classes share is left out, as it is from scores. The sum over the parts is the score of the row.
    """

    features: list[Any]
    values: list[str]
    logs: Array
    belief: Moments | None = None  # of the same; NaN where it is not known
    inner: Mapping[int, Contributions] = field(default_factory=dict)  # what parts are made of, such as words of a text
    unknown: str = ""  # what was never learned, if nothing in the row was: "word of this text", "value of this row"

    def and_one(self, feature: Any, value: str, logs: Array) -> Contributions:
        """Return the same with a part more, of which nothing else is known."""
        unknown = np.full((1, len(logs)), np.nan)
        belief = self.belief and (np.vstack([self.belief[0], unknown]), np.vstack([self.belief[1], unknown]))
        together = np.vstack([self.logs, logs[None]])
        features, values = [*self.features, feature], [*self.values, value]
        return replace(self, features=features, values=values, logs=together, belief=belief)

    def gathered(self, apart: Booleans, name: str, value: str) -> Contributions:
        """Return the same with all parts that do not stand apart in one."""
        if apart.all():
            return self
        kept = np.flatnonzero(apart).tolist()
        tables = [np.vstack([table[apart], table[~apart].sum(axis=0)]) for table in (self.logs, *(self.belief or ()))]
        belief = (tables[1], tables[2]) if self.belief else None
        features, values = [*(self.features[i] for i in kept), name], [*(self.values[i] for i in kept), value]
        return Contributions(features, values, tables[0], belief)


FINE = 801
"""Points of a curve."""


@dataclass(frozen=True)
class FeatureBelief:
    """A Beta or a Gamma for each class and feature, by two parameters."""

    counts: Cells
    added: Any  # pseudo-counts: a number, one per feature, or classes × features
    total: Array  # of each class, or classes × features: what a Beta's parameters add up to, or a Gamma's rate
    family: Literal["beta", "gamma"]
    what: str  # a feature is one of these
    meaning: str  # its parameter
    sure: bool = True  # whether there is a posterior, and so intervals
    names: Any = None  # of the features

    def first(self, which: Any) -> Array:
        """Return the first parameter of some features, classes × features."""
        added = np.asarray(self.added, np.float64)
        return np.asarray(self.counts.columns(np.asarray(which)) + (added[..., which] if added.ndim else added))

    def totals(self, which: Any) -> Array:
        """Return what the parameters of some features add up to, or the rate, classes × features."""
        total = self.total[:, None] if self.total.ndim == 1 else self.total[:, which]
        return np.maximum(total, 1e-300)

    def mean(self, which: Any) -> Array:
        """Return the posterior mean of some features, classes × features."""
        return np.asarray(self.first(which) / self.totals(which))

    def ends(self, which: Any, level: float = 0.95) -> tuple[Array, Array]:
        """Return bounds of some features' parameters, which hold them with probability `level`."""
        a = np.maximum(self.first(which), 1e-12)
        belief: Any = Beta(a, np.maximum(self.totals(which) - a, 1e-12))
        if self.family == "gamma":
            belief = Gamma(a, np.broadcast_to(self.totals(which), a.shape))
        low, high = belief.interval(level)
        return np.asarray(low), np.asarray(high)

    def most(self, code: int, k: int) -> Integers:
        """Return the k most probable features of a class."""
        added = np.asarray(self.added, np.float64)
        own = self.counts.line(code) + (added[code] if added.ndim == 2 else added)
        return np.argsort(-own, kind="stable")[:k]


@dataclass(frozen=True)
class ClassDistributions:
    """How one column is distributed in each class: a curve over numbers or counts, or dots with intervals."""

    shape: Literal["curve", "counts", "dots"]
    values: NDArray[Any]  # places on the axis, or names
    heights: Array  # classes × values: densities, or probabilities
    ends: tuple[Array, Array] | None = None  # intervals of the heights of dots
    in_words: tuple[str, ...] = ()  # what is believed of each class, of curves
    exclusive: bool = True  # whether a row has one of the values, not several


def curves_of_numbers(mean: Array, sd: Array, ends: tuple[Array, Array], n: Array) -> ClassDistributions:
    """Return normals by class, drawn where classes that have rows lie."""
    some = np.flatnonzero(n > 0) if (n > 0).any() else np.zeros(1, np.int64)
    low, high = float((mean - 4 * sd)[some].min()), float((mean + 4 * sd)[some].max())
    x = np.linspace(low, high if high > low else low + 1.0, FINE)
    words = [f"mean {m:.4g} ({a:.4g} to {b:.4g}), sd {s:.3g}" for m, s, a, b in zip(mean, sd, *ends, strict=True)]
    z, sd = (x - mean[:, None]) / sd[:, None], sd[:, None]
    return ClassDistributions("curve", x, np.exp(-(z**2) / 2) / (sd * np.sqrt(2 * np.pi)), in_words=tuple(words))


def curves_of_counts(rate: Array, ends: tuple[Array, Array]) -> ClassDistributions:
    """Return Poisson distributions by class, up to where the largest is over."""
    x, r = np.arange(int(np.ceil(pdtrik(0.9999, rate.max()))) + 2), rate[:, None]
    words = [f"rate {mean:.4g} ({low:.4g} to {high:.4g})" for mean, low, high in zip(rate, *ends, strict=True)]
    return ClassDistributions("counts", x, np.exp(xlogy(x, r) - gammaln(x + 1) - r), in_words=tuple(words))


def dots(values: Any, found: dict[str, Array], exclusive: bool = True) -> ClassDistributions:
    """Return probabilities of values with their intervals, from tables of classes × values."""
    ends = found["low"], found["high"]
    return ClassDistributions("dots", np.asarray(values), found["probability"], ends, exclusive=exclusive)


def times_in_words(x: float) -> str:
    """Return how often something came."""
    return "once" if x == 1 else f"{x:.6g} times"


Estimate = Literal["mle", "map", "mean", "predictive"]
