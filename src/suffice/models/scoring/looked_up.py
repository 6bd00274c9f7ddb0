"""Documents whose words were looked up once, to be counted by shares and scored by one model after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.models.choosing.word_weights import EntryRows
from suffice.models.scoring.rows import Labels, TextRows
from suffice.stats.word_shares import WordMatrix
from suffice.stats.words import WordCounts
from suffice.typing import Booleans

__all__ = ["LookedUpTexts"]


@dataclass(frozen=True, eq=False)
class LookedUpTexts(EntryRows):
    """Documents × words of a statistic. All of its words stay when they are counted, met or not."""

    vocabulary: WordCounts
    present: Booleans | None = None

    @classmethod
    def of(cls, rows: TextRows, vocabulary: WordCounts) -> LookedUpTexts:
        """Look up the words of documents."""
        return cls(rows.entries(vocabulary), vocabulary, rows.present)

    def take(self, which: Any) -> LookedUpTexts:
        """Return some of the documents."""
        present = None if self.present is None else self.present[which]
        return LookedUpTexts(self.matrix[which], self.vocabulary, present)

    def count(self, kind: type[Any], labels: Labels) -> WordCounts:
        """Count words by class."""
        shares = labels.y if labels.shares else np.eye(labels.n_classes)[labels.y]
        return self._words.counts(shares * labels.given[:, None])

    @cached_property
    def _words(self) -> WordMatrix:
        return WordMatrix(self.matrix, self.vocabulary.words, self.vocabulary.hash_bits)

    def names(self, t: WordCounts) -> Any:
        """Return the words; buckets of words by their numbers."""
        return range(t.width) if t.hash_bits else t.words.strings
