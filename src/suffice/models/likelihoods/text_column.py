"""Model columns of free text by their words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.later import pa
from suffice.models.likelihoods.draws import Draw
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.pictures import ClassDistributions, dots
from suffice.models.likelihoods.shared import by_value, shares, top_words
from suffice.models.likelihoods.silent import Zeros
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Belief, Contributions, Estimate, HeldOut, Scorer, TopFeature
from suffice.models.scoring.rows import Labels
from suffice.models.scoring.text_rows import TextRows
from suffice.stats import ValueCounts
from suffice.stats.inputs import POSITIVE
from suffice.stats.word_counts import WordCounts
from suffice.tables import Column
from suffice.telling import counted
from suffice.text import Analysis
from suffice.typing import Array

UNKNOWN = "(unknown words)"
"""Name of the part of an explanation that stands for words never learned."""


@dataclass(frozen=True, eq=False)
class ColumnTexts(TextRows):
    """Represent the texts of a column as Arrow strings, with "" where a text is missing."""

    @classmethod
    def of_strings(cls, strings: Any, analysis: Analysis, name: Any) -> ColumnTexts:
        """Return rows of strings, some of which may be missing."""
        present = strings.is_valid().to_numpy(zero_copy_only=False) if strings.null_count else None
        return cls(strings.fill_null(""), analysis, present, name=f"column {name!r}")

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, which: Any) -> ColumnTexts:
        """Return the given texts, with their words if these were already looked up."""
        places = np.arange(len(self))[which]
        present = None if self.present is None else self.present[places]
        rows = replace(self, texts=self.texts.take(pa.array(places)), present=present)
        rows.__dict__["_looked_up"] = {key: (words, x[places]) for key, (words, x) in self._looked_up.items()}
        return rows

    def part(self, block: slice) -> ColumnTexts:
        """Return a slice of the texts."""
        short = super().part(block)
        if short is self:
            return self
        rows = replace(self, texts=self.texts[block], present=short.present)
        rows.__dict__["batches"] = short.batches
        return rows


@dataclass(frozen=True, eq=False, repr=False)
class Text(Multinomial):
    """Model free text by how often each class uses each word, with the tokens of ``TextClassifier``.

    Parameters
    ----------
    alpha : float or "evidence", default=1.0
        Pseudo-count of each word in each class, or "evidence" to choose the one that maximizes the evidence.
    ngram_range : tuple of int, default=(1, 1)
        Smallest and largest number of consecutive words that form a feature.
    lowercase : bool, default=True
        Whether to ignore case.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"subject": sf.columns.Text(ngram_range=(1, 2))}, feature_powers=None)
    >>> model.fit({"subject": ["cheap pills", "lunch at noon"]}, ["spam", "ham"]).predict({"subject": ["pills"]})
    array(['spam'], dtype='<U4')
    """

    alpha: float | str = 1.0
    estimate: Estimate = field(default="predictive", repr=False, kw_only=True)
    damped: bool = field(default=False, repr=False, kw_only=True)
    binary: bool = field(default=False, repr=False, kw_only=True)
    cut: Cut | None = field(default=None, repr=False, kw_only=True)
    ngram_range: tuple[int, int] = (1, 1)
    lowercase: bool = True

    word = "text"
    statistic = WordCounts  # type: ignore[assignment]
    storages = frozenset({"string", "category"})

    def __post_init__(self) -> None:
        if self.alpha != "evidence":
            POSITIVE.read(self.alpha, "alpha")

    @property
    def analysis(self) -> Analysis:
        """Return the settings that define a token."""
        return Analysis(ngram_range=self.ngram_range, lowercase=self.lowercase)

    def rows(self, column: Column) -> ColumnTexts:
        """Return a column as texts."""
        return ColumnTexts.of_strings(_strings(column), self.analysis, column.name)

    def served(self, block: Any) -> WordCounts | None:
        """Return the word counts of a block, or those of its categories if these are words."""
        t = block.statistic
        if block.likelihood == self or not isinstance(t, ValueCounts) or t.values.dtype.kind != "O":
            found: WordCounts | None = super().served(block)
            return found
        words = pa.array(t.values[t.place].tolist(), pa.large_string())
        return ColumnTexts.of_strings(words, self.analysis, "").count(
            WordCounts, Labels(t.line, t.count, int(t.classes))
        )

    def scorer(self, t: Any) -> Scorer:
        """Return the scorer of texts; zeros if no word was ever seen."""
        return super().scorer(t) if t.width else Zeros(t.n_classes)

    def held_out(self, t: Any, rows: Any, removed: Removal) -> HeldOut:
        """Return scores of training texts by all classes, each without the text or its group."""
        return super().held_out(t, rows, removed) if t.width else DenseHeldOut(np.zeros((len(rows), t.n_classes)))

    def contributions(self, t: Any, rows: Any, weights: Array | None = None) -> Contributions:
        """Return the contribution of the text, and of each of its words within it."""
        shown, logs = str(rows.texts[0].as_py()), self.scorer(t).scores(rows)
        shown = shown if len(shown) <= 40 else shown[:39] + "…"
        unsure = np.full(logs.shape, np.nan)
        return Contributions([0], [shown], logs, (unsure, unsure), {0: self._of_words(t, rows)} if t.width else {})

    def _of_words(self, t: Any, rows: Any) -> Contributions:
        """Return the contribution of each word by name, with unknown words as one part."""
        said, names = super().contributions(t, rows), rows.names(t)
        said = replace(said, features=[j if isinstance(j, str) else str(names[j]) for j in said.features])
        tokens, vocabulary = dict.fromkeys(self.analysis.tokens(rows.texts[0].as_py())), set(names)
        strangers = [token for token in tokens if token not in vocabulary]
        if strangers:
            more = f" and {len(strangers) - 5} more" if len(strangers) > 5 else ""
            said = said.and_one(UNKNOWN, ", ".join(strangers[:5]) + more, np.zeros(t.n_classes))
        return said if len(strangers) < len(tokens) else replace(said, unknown="word of this text")

    def belief(self, t: Any, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores; zeros if no word was ever seen."""
        return super().belief(t, weights) if t.width else Zeros(t.n_classes)

    def log_evidence(self, t: Any) -> Cells:
        """Return ln p of the words of each class, as ordered sequences."""
        return super().log_evidence(t) if t.width else Cells(np.zeros((t.n_classes, 1)))

    def top_features(self, t: Any, n: Array, code: int, k: int, weights: Array | None = None) -> list[TopFeature]:
        """Return the words with the most evidence for the class per text."""
        if not t.width or not t.n[code]:
            return []
        words = top_words(replace(self, estimate="mean").word_shares(t).favouring(t.n, code), t, k, None)
        length = float(t.tokens[code].sum() / t.n[code])
        return [TopFeature(0, str(row.feature), row.weight * length) for row in words]

    def sample(self, t: Any, draw: Draw) -> NDArray[Any]:
        """Return drawn texts: words in arbitrary order, joined by spaces."""
        drawn, words = super().sample(t, draw), t.words.strings
        rows = zip(np.split(drawn.indices, drawn.indptr[1:-1]), np.split(drawn.data, drawn.indptr[1:-1]), strict=True)
        return np.array([" ".join(np.repeat(words[j], times.astype(int))) for j, times in rows], object)

    def table(self, t: Any, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return the count and the probability of each word with its bounds, one line per word and class."""
        counts = t.tokens.toarray()
        return by_value("word", t.words.strings, classes, n=counts, **shares(counts + self.alpha, level))

    def distributions(self, t: Any, level: float) -> list[ClassDistributions]:
        """Return the probability of each word; a text holds many words."""
        found = shares(self.counts(t).dense() + float(self.alpha), level)
        return [dots(t.words.strings, found, exclusive=False)]

    def log_coefficients(self, t: Any, rows: Any) -> Any:
        """Return 0, since the words of a text are ordered."""
        return 0.0

    def prior_in_words(self, t: Any) -> str:
        """Return the pseudo-count and the size of the vocabulary in words."""
        return f"Dirichlet({self.alpha:g} each) over {counted(t.width, 'word')}"


def _strings(column: Column) -> Any:
    """Return the texts of a column as Arrow strings."""
    if column.storage == "category":
        codes, labels = pa.array(column.values, mask=column.missing), pa.array(column.labels, pa.large_string())
        return pa.DictionaryArray.from_arrays(codes, labels).cast(pa.large_string())
    return column.values if column.values is not None else pa.nulls(len(column), pa.large_string())
