"""Count words of documents that belong to classes in shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.later import sparse
from suffice.stats.word_counts import WordCounts
from suffice.text import WordList
from suffice.typing import Array, Booleans

__all__ = ["WordMatrix", "no_documents"]


@dataclass(frozen=True, eq=False)
class WordMatrix:
    """A matrix of documents × words, for repeated counting."""

    matrix: Any
    words: WordList
    hash_bits: int = 0

    @cached_property
    def flags(self) -> Any:
        """Matrix of documents × words that is 1 where a word occurs."""
        return sparse.csr_matrix(
            (np.ones(self.matrix.nnz), self.matrix.indices, self.matrix.indptr), shape=self.matrix.shape
        )

    def take(self, keep: Booleans) -> WordMatrix:
        """Return a subset of the documents."""
        return self if keep.all() else WordMatrix(self.matrix[keep], self.words, self.hash_bits)

    def counts(self, shares: Array) -> WordCounts:
        """Count words by weighted shares (documents × classes); the vocabulary stays."""
        tokens, documents = (np.ascontiguousarray((table.T @ shares).T) for table in (self.matrix, self.flags))
        line, word = np.nonzero(documents)
        start = np.searchsorted(line, np.arange(shares.shape[1] + 1))
        tokens, documents = (
            sparse.csr_matrix((table[line, word], word, start), shape=table.shape) for table in (tokens, documents)
        )
        bursts = (np.empty((0, 3), np.int64), np.empty(0), np.empty((0, 2), np.int64), np.empty(0))
        return WordCounts(self.words, shares.sum(axis=0), tokens, documents, *bursts, self.hash_bits)


def no_documents(counts: WordCounts, n_classes: int) -> WordCounts:
    """Return a statistic without documents over the vocabulary of `counts`."""
    nothing = sparse.csr_matrix((0, counts.width))
    return WordMatrix(nothing, counts.words, counts.hash_bits).counts(np.zeros((0, n_classes)))
