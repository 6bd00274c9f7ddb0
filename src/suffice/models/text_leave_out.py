"""The same for texts: documents as sparse rows, words of a class as sparse as they are counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.models import leave_out
from suffice.models.removal import Entries, Removal
from suffice.stats.words import WordCounts
from suffice.typing import Array, Integers

__all__ = ["bernoulli", "complement", "multinomial"]


def multinomial(table: Any, alpha: float, documents: Any, told: Any, removal: Removal, whole: bool) -> Array:
    """Scores of the documents that ask, each by the class it asks, without what goes from it.

    `told` are the same documents with what each word counts for.
    """
    entries, gone = removal.of_entries(Entries.of(documents))
    own = leave_out.at(table, removal.code[entries.row], entries.feature)
    total = np.asarray(table.sum(axis=1)).ravel()[removal.code]
    drawn = removal.sums(np.asarray(documents.sum(axis=1)).ravel())
    counted = entries if told is documents else replace(entries, value=removal.entries(Entries.of(told)).value)
    return leave_out.multinomial(own, total, alpha, counted, gone, drawn, whole)


def bernoulli(counts: WordCounts, alpha: float, documents: Any, codes: Integers, weights: Array) -> Array:
    """Scores of documents, each by its own class without it."""
    entries = Entries.of(documents, 0.0)
    return leave_out.bernoulli(counts.documents, counts.n, alpha, alpha, entries, codes, weights)


def complement(
    table: Any, alpha: float, norm: bool, documents: Any, codes: Integers, weights: Array, scores: Array
) -> Array:
    """Scores of documents, each by complements that have not seen it."""
    everywhere = np.asarray(table.sum(axis=0)).ravel() + alpha

    def others(c: int) -> Array:
        return np.asarray(everywhere - np.asarray(table[c].todense()).ravel())

    return leave_out.complement(others, scores, Entries.of(documents), codes, weights, norm)
