"""Choose the words that a model of texts leaves out, and define the vocabulary of a unigram language model.

Counts keep all words; a model uses those that are kept. A language model draws words from a vocabulary with one slot
for all out-of-vocabulary words. Slots follow the order of the vocabulary, with the out-of-vocabulary slot last. The
prior on their probabilities is a Dirichlet, so the next word is k with probability (α_k + N_k) / (α₀ + N).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, InputError
from suffice.stats.word_counts import WordCounts
from suffice.text import WordList
from suffice.typing import Array, Booleans, Integers


@dataclass(frozen=True)
class Cut:
    """Leave out words by document frequency, as numbers or shares, and keep the most frequent of the rest.

    Alternatively, leave out all words but those of a vocabulary, which are all kept, met or not.
    """

    min_df: float = 1
    max_df: float = 1.0
    max_features: int | None = None
    chosen: bool = False  # whether `min_df` was chosen automatically
    words: WordList | None = None  # the vocabulary

    @property
    def keeps_all(self) -> bool:
        """Return whether all words are kept."""
        return self.min_df == 1 and _no_limit(self.max_df) and self.max_features is None and self.words is None

    def of(self, counts: WordCounts) -> WordCounts:
        """Return the counts of the words to keep; hashed words are all kept."""
        if counts.hash_bits:
            return counts
        if self.words is not None:
            return counts.among(self.words)
        if not counts.width:
            raise DataError("X", "hold words").but("got texts without any (by default, of two letters or more)")
        if self.keeps_all:
            return counts
        return counts.keep(self.kept(counts.document_frequency, counts.frequency, float(counts.n.sum())))

    def kept(self, document_frequency: Array, frequency: Array, n: float) -> Booleans:
        """Return which words to keep, given their document frequencies, frequencies and the number of documents."""
        least, most = self._limits(n)
        keep: Booleans = (document_frequency >= least) & (document_frequency <= most)
        if self.max_features is not None and keep.sum() > self.max_features:
            rank = np.argsort(-np.where(keep, frequency, -1.0), kind="stable")
            keep[rank[self.max_features :]] = False
        if not keep.any():
            raise DataError(self._nothing(len(keep)))
        return keep

    def _limits(self, n: float) -> tuple[float, float]:
        limits: tuple[Any, Any] = (self.min_df, self.max_df)
        least, most = (float(limit) if isinstance(limit, Integral) else float(limit) * n for limit in limits)
        if most < least and not _no_limit(self.max_df):
            hint = " It is 2 where texts chose pairs of words or letters: give min_df=1." if self.chosen else ""
            raise InputError("The parameter 'max_df'", "not be below 'min_df'").but(
                f"got max_df={self.max_df} and min_df={self.min_df}, which are {most:g} and {least:g} documents",
                python=hint,
            )
        return least, most

    def _nothing(self, words: int) -> str:
        if self.chosen:
            return (
                f"No word is left: where texts chose pairs of words or letters, a word must be in at least "
                f"{self.min_df} texts, and none of {words:,} is. Give more texts, or min_df=1 to keep all words."
            )
        return (
            f"No word is left: min_df={self.min_df} and max_df={self.max_df} drop all {words:,} of them. Lower "
            "'min_df', or raise 'max_df'."
        )


def _no_limit(max_df: Any) -> bool:
    """Return whether the limit is 1.0, the share of all documents, and not the integer 1."""
    return not isinstance(max_df, Integral) and bool(max_df == 1.0)


@dataclass(frozen=True)
class Vocabulary:
    """The sorted known words as texts have them, the slot of each, and the names shown where these differ."""

    words: WordList
    slot: Integers
    names: NDArray[np.object_] | None = None  # in the order of slots

    def __post_init__(self) -> None:
        if not np.array_equal(np.sort(self.slot), np.arange(len(self.words))):
            raise DataError("The slots of a vocabulary", f"number its {len(self.words):,} words from 0, each once")
        names = self.names
        if names is not None and (
            names.shape != self.slot.shape
            or not all(isinstance(name, str) for name in names)
            or len({*names.tolist()}) < len(names)
        ):
            raise DataError("The names of a vocabulary", f"be {len(self.words):,} strings, each once")

    @classmethod
    def of(cls, words: Sequence[str], names: Sequence[str] | None = None) -> Vocabulary:
        """Return the vocabulary of distinct words, given in the order of their slots."""
        known = WordList.of(words)
        place = {word: i for i, word in enumerate(words)}
        slot = np.array([place[word] for word in known.strings.tolist()], np.int64)
        return cls(known, slot, None if names is None or list(names) == list(words) else np.array(names, object))

    @property
    def strings(self) -> NDArray[np.object_]:
        """Return the names of the words in the order of their slots."""
        return self.words.strings[np.argsort(self.slot)] if self.names is None else self.names

    @property
    def size(self) -> int:
        """Return the number of slots."""
        return len(self.words) + 1

    def slots(self, found: WordList) -> Integers:
        """Return the slot of each given word."""
        both, ours, theirs = self.words.union(found)
        slot = np.full(len(both), len(self.words))
        slot[ours] = self.slot
        return np.asarray(slot[theirs])

    def counts(self, found: WordList, times: Array) -> Array:
        """Return how often each slot was met, where each given word was met `times` times."""
        counts: Any = np.bincount(self.slots(found), times, self.size)
        return np.asarray(counts, np.float64)

    def with_words(self, found: WordList, unknown: str) -> Vocabulary:
        """Return the words of both, sorted; one that is called as the slot for unknown words is none of them."""
        both, ours, _ = self.words.union(found)
        names = both.strings.copy()
        names[ours] = self.strings[self.slot]
        stays = (names != unknown) & (both.strings != unknown)
        words = both.keep(stays)
        renamed = self.names is not None and bool((names[stays] != words.strings).any())
        return Vocabulary(words, np.arange(len(words)), names[stays] if renamed else None)

    def coarsened(self, other: Vocabulary, probabilities: Array) -> Array:
        """Return probabilities of the slots of another vocabulary, as those of these slots; their sum stays.

        Words of the other that are unknown here join the unknown. What is unknown to the other is as probably a word
        that this one knows, any of these alike, as a word unknown to both.
        """
        found: Any = np.bincount(self.slots(other.words), probabilities[other.slot], self.size)
        new = self.slot[other.slots(self.words) == len(other.words)]
        found[-1] += probabilities[-1] / (2 if len(new) else 1)
        found[new] = probabilities[-1] / 2 / max(1, len(new))
        return np.asarray(found, np.float64)
