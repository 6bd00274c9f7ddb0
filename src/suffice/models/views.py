"""What was chosen for a model by its training rows. Nothing of it flows back into a statistic.

    score_c(x) = ln π_c + b_c + s(x) · Σ_j w_j · ln p(x_j | c)      s(x) = a · n(x)^−γ                SX-7, SX-9

Weights are kept by name, so that they stay in force while words, columns and classes come and go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.stats.word_counts import WordCounts
from suffice.text import WordList
from suffice.typing import Array

if TYPE_CHECKING:
    from suffice.models.empirical.covariances import Spread
    from suffice.models.scoring.cells import Temper

__all__ = ["ColumnWeights", "FeatureWeights", "Views", "Weights", "WordWeights"]


@dataclass(frozen=True, eq=False)
class Weights:
    """Terms of classes, and how strongly exponents were held at one."""

    classes: dict[Any, float]
    ridge: float

    def terms(self, labels: Any) -> Array:
        """Return the term of each class; 0 for one that came later."""
        return np.array([self.classes.get(label, 0.0) for label in labels.tolist()])

    def of_block(self, name: Any) -> float:
        """Return the exponent of a block's evidence."""
        return 1.0

    def of_features(self, t: Any) -> Array | None:
        """Return the exponent of each feature of a statistic; None where features have none."""
        return None

    def cut(self, labels: Any, statistics: Mapping[Any, Any]) -> Self:
        """Return the weights without classes and names that the counts no longer hold."""
        left = set(labels.tolist())
        return replace(self, classes={label: term for label, term in self.classes.items() if label in left})


@dataclass(frozen=True, eq=False)
class ColumnWeights(Weights):
    """Exponents of columns."""

    columns: dict[Any, float]

    def of_block(self, name: Any) -> float:
        """Return the exponent of a column; 1 for one that came later, 0 for columns together that did."""
        return self.columns.get(name, 0.0 if hasattr(name, "columns") else 1.0)

    def cut(self, labels: Any, statistics: Mapping[Any, Any]) -> Self:
        """Return the weights of the columns that are there."""
        columns = {name: power for name, power in self.columns.items() if name in statistics}
        return replace(super().cut(labels, statistics), columns=columns)


@dataclass(frozen=True, eq=False)
class FeatureWeights(Weights):
    """Exponents of features, in their order."""

    features: Array

    def of_features(self, t: Any) -> Array | None:
        """Return the exponent of each feature."""
        return self.features


@dataclass(frozen=True, eq=False)
class WordWeights(FeatureWeights):
    """Exponents of words, or of buckets of words."""

    words: WordList

    def of_features(self, t: WordCounts) -> Array | None:
        """Return the exponent of each word of a statistic; 1 for one that came later."""
        if t.hash_bits or self.words is t.words:
            return self.features
        both, mine, theirs = self.words.union(t.words)
        every = np.ones(len(both))
        every[mine] = self.features
        return np.asarray(every[theirs])

    def cut(self, labels: Any, statistics: Mapping[Any, Any]) -> Self:
        """Return the weights of words that are still counted; buckets have no names."""
        (held,) = statistics.values()
        rest = super().cut(labels, statistics)
        if held.hash_bits or self.words is held.words:
            return rest
        _, mine, theirs = self.words.union(held.words)
        left = np.isin(mine, theirs)
        words = held.words if left.sum() == len(held.words) else self.words.keep(left)
        return replace(rest, features=self.features[left], words=words)


@dataclass(frozen=True, eq=False)
class Views:
    """What training rows chose: a pseudo-count, a prior of covariances, a temper, and weights of evidence."""

    alpha: float | None = None
    prior: Spread | None = None
    temper: Temper | None = None
    weights: Weights | None = None

    def __bool__(self) -> bool:
        """Return whether anything was chosen."""
        return any(part is not None for part in vars(self).values())

    def cut(self, labels: Any, statistics: Mapping[Any, Any]) -> Views:
        """Return the views without classes, words and columns that the counts no longer hold."""
        return self if self.weights is None else replace(self, weights=self.weights.cut(labels, statistics))
