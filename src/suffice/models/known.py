"""Which rows hold anything that was learned: a text of unknown words, a row of missing values, say nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from suffice.models import columns
from suffice.models.columns.categories import _places
from suffice.models.columns.words import _texts
from suffice.models.tables import TableModel
from suffice.models.texts import Lexicon
from suffice.stats.words import WordCounts
from suffice.tables import Column, Table
from suffice.text import Batch
from suffice.typing import Booleans

__all__ = ["known_rows", "known_texts"]


def known_texts(counts: WordCounts, lexicon: Lexicon, batches: Iterable[Batch], least: int = 1) -> Booleans:
    """Texts that hold a word which was learned from so many texts or more."""
    often = np.asarray(counts.documents.sum(axis=0)).ravel() >= least
    found = [np.zeros(0, bool)]
    for batch in batches:
        X = lexicon.matrix(batch, counts.width)
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        found.append(np.bincount(row, often[X.indices], X.shape[0]) > 0)
    return np.concatenate(found)


def known_rows(model: TableModel, table: Table, least: int = 1) -> Booleans:
    """Rows with a value in some column, which is no category or text unknown to it."""
    known = np.zeros(len(table), bool)
    for name, one in model.columns.items():
        if name in table and not isinstance(one, columns.Drop | columns.Unknown):
            known |= _known(one, model.statistics[name], table[name], least)
    return known


def _known(model: Any, t: Any, column: Column, least: int) -> Booleans:
    if column.n_missing == len(column):
        return np.zeros(len(column), bool)
    if isinstance(model, columns.Categorical):
        often = np.append(t.totals >= least, [False, False])  # of categories never seen, and of a missing one
        return np.asarray(often[_places(t.values, False, column)])
    if isinstance(model, columns.Text):
        texts = model.analysis.batches(_texts(column).fill_null(""))
        return known_texts(t, Lexicon.of(t, model.analysis), texts, least) & column.present
    return np.asarray(column.present)
