"""A unigram language model: words drawn from a vocabulary with one slot for all words that are not in it.

The slots are the vocabulary in its own order and, last, that of the unknown words. The belief about their probabilities
is a Dirichlet, so that the next word is k with probability (α_k + N_k) / (α₀ + N).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.posterior import Dirichlet
from suffice.text import WordList
from suffice.typing import Array, Integers

__all__ = ["Vocabulary", "log_probability"]


@dataclass(frozen=True)
class Vocabulary:
    """Known words, sorted, and the slot of each."""

    words: WordList
    slot: Integers

    def __post_init__(self) -> None:
        if not np.array_equal(np.sort(self.slot), np.arange(len(self.words))):
            raise DataError(f"The slots of a vocabulary must be those of {len(self.words):,} words, each once.")

    @classmethod
    def of(cls, words: list[str]) -> Vocabulary:
        """Words in the order of their slots, each once."""
        known = WordList.of(words)
        place = {word: i for i, word in enumerate(words)}
        return cls(known, np.array([place[word] for word in known.strings.tolist()], np.int64))

    @property
    def strings(self) -> NDArray[np.object_]:
        """The words in the order of their slots."""
        return self.words.strings[np.argsort(self.slot)]

    @property
    def size(self) -> int:
        """Number of slots."""
        return len(self.words) + 1

    def slots(self, found: WordList) -> Integers:
        """The slot of each of these words."""
        both, ours, theirs = self.words.union(found)
        slot = np.full(len(both), len(self.words))
        slot[ours] = self.slot
        return np.asarray(slot[theirs])

    def counts(self, found: WordList, times: Array) -> Array:
        """How often each slot was met, if these words were met so many times."""
        counts: Any = np.bincount(self.slots(found), times, self.size)
        return np.asarray(counts, np.float64)


def log_probability(belief: Dirichlet, slots: Integers, X: Any) -> Array:
    """Σ of ln p of each word in each row of X (documents × words that have these slots)."""
    log_p = belief.predict().log(slots)  # DM-8
    return np.asarray(X @ log_p)
