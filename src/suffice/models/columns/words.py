"""Columns of free text: words by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from suffice.models import text_leave_out, texts
from suffice.models.columns.base import ColumnModel, ColumnScorer, Told, by_value, shares
from suffice.models.empirical.pseudo_counts import alpha_of_words
from suffice.models.events import Estimate
from suffice.models.removal import Removal
from suffice.models.urns import predictive_urns
from suffice.stats.inputs import POSITIVE
from suffice.stats.words import WordCounter, WordCounts
from suffice.tables import Column, refuse
from suffice.telling import counted
from suffice.text import Analysis, WordList, look_up
from suffice.typing import Array, Integers

__all__ = ["Text"]


@dataclass(frozen=True)
class Documents:
    """Scores of texts; one that is missing has no words."""

    scorer: Any
    analysis: Analysis
    classes: int

    def scores(self, column: Column) -> Array:
        """Rows × classes."""
        parts = [self.scorer.scores(batch) for batch in self.analysis.batches(_texts(column).fill_null(""))]
        return np.concatenate(parts) if parts else np.zeros((0, self.classes))


@dataclass(frozen=True)
class Wordless:
    """Scores of texts where no word was ever seen: none says anything."""

    classes: int

    def scores(self, column: Column) -> Array:
        """Rows × classes."""
        return np.zeros((len(column), self.classes))


@dataclass(frozen=True, repr=False)
class Text(ColumnModel):
    """Free text: how often each class uses each word, with the tokens of ``TextClassifier``.

    Parameters
    ----------
    alpha : float or "evidence", default=1.0
        Pseudo-count of each word in each class; or the one that makes the words most probable.
    ngram_range : tuple of int, default=(1, 1)
        Words, or runs of so many words.
    lowercase : bool, default=True
        Whether capital letters are the same as small ones.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"subject": sf.columns.Text(ngram_range=(1, 2))}, weights=None)
    >>> model.fit({"subject": ["cheap pills", "lunch at noon"]}, ["spam", "ham"]).predict({"subject": ["pills"]})
    array(['spam'], dtype='<U4')
    """

    alpha: float | str = 1.0
    ngram_range: tuple[int, int] = (1, 1)
    lowercase: bool = True

    word = "text"
    statistic = WordCounts
    storages = frozenset({"string", "category"})

    def __post_init__(self) -> None:
        if self.alpha != "evidence":
            POSITIVE.read(self.alpha, "alpha")

    @property
    def analysis(self) -> Analysis:
        """What a token is."""
        return Analysis(ngram_range=self.ngram_range, lowercase=self.lowercase)

    def read(self, column: Column, how: str = "is declared") -> None:
        """Raise DataError if the column holds other than words."""
        super().read(column, how)
        if column.storage == "category" and column.labels.dtype.kind != "O":
            refuse(column, self.word, how)

    def documents(self, column: Column, words: WordList) -> Any:
        """Rows × words, for what needs the matrix; a missing text has none."""
        return look_up(_texts(column).fill_null(""), self.analysis, words, f"column {column.name!r}")

    def count(self, column: Column, codes: Integers, weights: Array | None, n_classes: int) -> WordCounts:
        """Counts of words."""
        documents = _texts(column)
        if column.missing is not None:
            keep = ~column.missing
            documents, codes = documents.filter(pa.array(keep)), codes[keep]
            weights = None if weights is None else weights[keep]
        counter = WordCounter(self.analysis, n_classes)
        counter.add(documents, codes, weights, f"column {column.name!r}")
        return counter.result()

    def scorer(self, t: WordCounts, estimate: Estimate, strict: bool) -> ColumnScorer:
        """Scores of texts."""
        if not t.width:
            return Wordless(t.n_classes)
        analysis = self.analysis
        lexicon = texts.Lexicon.of(t, analysis)
        alpha = texts.pseudo_count(self.pseudo_count(t), estimate)
        if estimate == "predictive":
            scorer: Any = predictive_urns(t, alpha).scorer(lexicon)
        else:
            scorer = texts.multinomial_scorer(t, t.tokens, alpha, lexicon)
        return Documents(scorer, analysis, t.n_classes)

    def leave_out(self, t: WordCounts, column: Column, removal: Removal, estimate: Estimate) -> Array:
        """Scores of each row's text."""
        if not t.width:
            return np.zeros(len(removal.rows))
        analysis = self.analysis
        lexicon = texts.Lexicon.of(t, analysis)
        parts = [lexicon.matrix(batch, t.width) for batch in analysis.batches(_texts(column).fill_null(""))]
        documents = sparse.vstack(parts, format="csr") if parts else sparse.csr_matrix((0, t.width))
        alpha = texts.pseudo_count(self.pseudo_count(t), estimate)
        return text_leave_out.multinomial(t.tokens, alpha, documents, documents, removal, estimate == "predictive")

    def table(self, t: WordCounts, classes: NDArray[Any], level: float) -> Told:
        """A line per word and class."""
        counts = t.tokens.toarray()
        return by_value("word", t.words.strings, classes, n=counts, **shares(counts + self.pseudo_count(t), level))

    def prior_in_words(self, t: WordCounts) -> str:
        """Pseudo-counts and words."""
        return f"Dirichlet({self.pseudo_count(t):g} each) over {counted(t.width, 'word')}"

    def pseudo_count(self, t: WordCounts) -> float:
        """As given, or of highest evidence."""
        return float(self.alpha) if self.alpha != "evidence" else alpha_of_words(t.tokens)


def _texts(column: Column) -> Any:
    if column.storage == "category":
        return pa.DictionaryArray.from_arrays(
            pa.array(column.values, mask=column.missing), pa.array(column.labels, pa.large_string())
        ).cast(pa.large_string())
    return column.values if column.values is not None else pa.nulls(len(column), pa.large_string())
