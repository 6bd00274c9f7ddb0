"""Evidence weights as a model keeps them: by name, so that they stay in force while words, columns and classes come."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any, Self

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

    def cut(self, labels: Any, held: Any) -> Self:
        """The same without what the counts no longer hold: terms of other classes, exponents of other names."""
        left = set(labels.tolist())
        return replace(self, classes={label: term for label, term in self.classes.items() if label in left})


@dataclass(frozen=True, eq=False)
class ColumnWeights(Weights):
    """Exponents of columns."""

    columns: dict[Any, float]

    def cut(self, labels: Any, held: Container[Any]) -> Self:
        """The same for the columns that are held."""
        columns = {name: power for name, power in self.columns.items() if name in held}
        return replace(super().cut(labels, held), columns=columns)


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

    def cut(self, labels: Any, held: WordCounts) -> Self:
        """The same for the words that are counted still; buckets have no names."""
        rest = super().cut(labels, held)
        if held.hash_bits or self.words is held.words:
            return rest
        _, mine, theirs = self.words.union(held.words)
        left = np.isin(mine, theirs)
        words = held.words if left.sum() == len(held.words) else self.words.keep(left)
        return replace(rest, features=self.features[left], words=words)
