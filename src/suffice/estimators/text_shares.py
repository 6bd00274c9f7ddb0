"""Texts that belong to classes in shares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from scipy import sparse

from suffice.errors import KindError
from suffice.estimators.shares import Sharing
from suffice.estimators.words import analysis_of, keeps_all, kept_words
from suffice.models.em_objective import text_parameters, text_prior_density
from suffice.models.evidence import NO_EVIDENCE
from suffice.models.text_model import TextModel
from suffice.models.texts import Lexicon
from suffice.models.empirical.weak import weak_count
from suffice.stats.word_shares import WordMatrix, no_documents
from suffice.stats.words import WordCounter, WordCounts
from suffice.text import look_up
from suffice.typing import Array, Integers

__all__ = ["TextShares"]


class TextShares(Sharing):
    """The same for texts. A document is its words in their order, each as often as it comes."""

    model: str
    hash_bits: int | None
    counts_: WordCounts

    def _must_share(self) -> None:
        if self.model not in ("multinomial", "bernoulli"):
            urns = "its urns would have to be fitted at every step"
            raise KindError(
                "TextClassifier must have model='multinomial' or 'bernoulli' to learn without labels; got "
                f"{self.model!r}: {NO_EVIDENCE['complement'] if self.model == 'complement' else urns}."
            )

    def _begin(self, parts: list[Any], classes: Any) -> list[WordMatrix]:
        counter = WordCounter(analysis_of(self), 1, self.hash_bits or 0)
        for part in parts:
            counter.add(part, None, None, "X")
        self._cut(counter.result(), len(classes))
        return [self._known_rows(part) for part in parts]

    def _begin_with(self, counted: Any, place: Integers, classes: Any) -> dict[str, Any]:
        counts = self._cut(counted.counts_, len(classes))
        return {"counts": self.counts_ + counts.with_classes(place, len(classes))}

    def _cut(self, counts: WordCounts, n_classes: int) -> WordCounts:
        """The words that stay, by all texts, once and for all."""
        owner: Any = self
        owner._analysis, owner._transform, owner._declared, owner._stale = analysis_of(self), None, None, False
        if not self.hash_bits and not keeps_all(self):
            counts = counts.keep(kept_words(self, counts.document_frequency, counts.frequency, counts.n.sum()))
        owner.set_params(min_df=1, max_df=1.0, max_features=None)
        self.counts_ = no_documents(counts, n_classes)
        return counts

    def _known_rows(self, X: Any) -> WordMatrix:
        return WordMatrix(self._matrix(self.counts_, X), self.counts_.words, self.hash_bits or 0)

    def _matrix(self, counts: WordCounts, part: Any) -> Any:
        owner: Any = self
        if not self.hash_bits:
            return look_up(part, owner._analysis, counts.words, "X")
        lexicon = Lexicon.of(counts, owner._analysis)
        batches = owner._analysis.batches(part, "X")
        return sparse.vstack([lexicon.matrix(batch, counts.width) for batch in batches], "csr")

    def _count_shares(self, rows: WordMatrix, shares: Array, weights: Array) -> dict[str, Any]:
        return {"counts": rows.counts(shares * weights[:, None])}

    def _scores_of(self, rows: WordMatrix) -> Array:
        model = self._plain()
        return model.scores(rows.flags if model.once else rows.matrix)

    def _weak_priors(self, whole: dict[str, Any], k: int) -> dict[str, Any]:
        owner, counts = cast(Any, self), whole["counts"]
        if self.model == "bernoulli":
            return super()._weak_priors(whole, k)
        alpha = weak_count(float(counts.frequency.sum()), float(counts.n.sum()), counts.width, owner.estimate)
        return dict.fromkeys(self._own_priors(), alpha)

    def _plain(self) -> TextModel:
        """The model, words as often as they come."""
        owner: Any = self
        model: TextModel = owner._view("model", owner._text_model)
        return replace(model, damped=False, weights=None)

    def _prior_density(self) -> float:
        return text_prior_density(self._plain())

    def _free_parameters(self) -> int:
        model = self._plain()
        return model.counts.n_classes * text_parameters(model)
