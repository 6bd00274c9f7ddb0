"""Evidence weights as a model keeps them: by name, so that they stay in force while words, columns and classes come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.stats.words import WordCounts
from suffice.text import WordList
from suffice.typing import Array

__all__ = ["ColumnWeights", "FeatureWeights", "Weights", "WordWeights"]


@dataclass(frozen=True, eq=False)
class Weights:
    """Terms of classes, and how strongly exponents were held at one."""

    classes: dict[Any, float]
    ridge: float

    def terms(self, labels: Any) -> Array:
        """The term of each class; 0 for one that came later."""
        return np.array([self.classes.get(label, 0.0) for label in labels.tolist()])


@dataclass(frozen=True, eq=False)
class ColumnWeights(Weights):
    """Exponents of columns."""

    columns: dict[Any, float]


@dataclass(frozen=True, eq=False)
class FeatureWeights(Weights):
    """Exponents of features, in their order."""

    features: Array


@dataclass(frozen=True, eq=False)
class WordWeights(FeatureWeights):
    """Exponents of words, or of buckets of words."""

    words: WordList

    def of(self, counts: WordCounts) -> Array:
        """The exponent of each word of a statistic; 1 for one that came later."""
        if counts.hash_bits or self.words is counts.words:
            return self.features
        both, mine, theirs = self.words.union(counts.words)
        every = np.ones(len(both))
        every[mine] = self.features
        return every[theirs]
