"""A model of texts: counts of words by class, and what is made of them: scores, and scores of documents left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from suffice.models import text_leave_out, texts
from suffice.models.bayes import Scorer
from suffice.models.events import Estimate
from suffice.models.removal import removals
from suffice.models.texts import Times
from suffice.models.urns import Urns, predictive_urns
from suffice.stats.words import WordCounts
from suffice.text import Analysis
from suffice.typing import Array, Integers

__all__ = ["TextModel"]


@dataclass(frozen=True, eq=False)
class TextModel:
    """How classes make documents, and what is known of their words."""

    kind: str
    counts: WordCounts
    analysis: Analysis
    alpha: float
    estimate: Estimate = "mean"
    binary: bool = False
    norm: bool = False
    urns: Urns | None = None
    transform: texts.Transform | None = None
    damped: bool = False  # whether a word that comes x times counts 1 + ln x when a document is scored
    weights: Array | None = None  # evidence weights of words

    @cached_property
    def lexicon(self) -> texts.Lexicon:
        """The words, as documents are looked up in them."""
        return texts.Lexicon.of(self.counts, self.analysis)

    @property
    def table(self) -> Any:
        """What the model takes for counts of words: classes × words."""
        return self.counts.documents if self.binary and self.transform is None else self.counts.tokens

    @property
    def added(self) -> float:
        """What is added to a count."""
        return texts.pseudo_count(self.alpha, self.estimate)

    @property
    def whole(self) -> bool:
        """Whether documents are scored as a whole, their words' probabilities integrated out."""
        return self.kind == "multinomial" and self.estimate == "predictive"

    @cached_property
    def scorer(self) -> Scorer:
        """What scores documents."""
        if self.urns is not None:
            return self.urns.scorer(self.lexicon)
        if self.whole:
            return predictive_urns(self.counts, self.added).scorer(self.lexicon)
        if self.kind == "complement":
            weights = texts.complement(self.counts, self.table, self.added, self.norm, self.times)
            if self.transform is not None:
                return texts.TransformedScorer(self.lexicon, self.transform, weights)
            return weights.scorer(self.lexicon)
        if self.kind == "bernoulli":
            return texts.bernoulli_scorer(self.counts, self.added, self.lexicon)
        return texts.multinomial_scorer(self.counts, self.table, self.added, self.lexicon, self.times, self.weights)

    def lengths(self, batch: Any) -> Array:
        """Words of each document that the model knows, as often as they count."""
        ones = sparse.csr_matrix(np.ones((self.counts.width, 1)))
        zero, one = np.zeros(1), np.ones(1)
        weights = texts.WordWeights(ones, np.zeros(self.counts.width), zero, one, zero, self.times)
        return np.asarray(weights.scorer(self.lexicon).scores(batch)[:, 0].round(9))

    @property
    def times(self) -> Times:
        """What a word that comes x times counts for."""
        return Times.once if self.once else Times.damped if self.damped else Times.as_often

    def told(self, documents: Any) -> Any:
        """Documents × words as often as words count when a document is scored."""
        if not self.damped or self.once:
            return documents
        return sparse.csr_matrix((1 + np.log(documents.data), documents.indices, documents.indptr), documents.shape)

    def weighed(self, documents: Any) -> Any:
        """The same times the words' evidence weights."""
        told = self.told(documents)
        if self.weights is None:
            return told
        return sparse.csr_matrix((told.data * self.weights[told.indices], told.indices, told.indptr), told.shape)

    @property
    def weighable(self) -> bool:
        """Whether words can have evidence weights: each has a say of its own, also in a class that has lost it."""
        return self.kind == "multinomial" and not self.whole and self.added > 0

    @property
    def once(self) -> bool:
        """Whether a word counts once per document."""
        return self.binary or self.kind == "bernoulli"

    def documents(self, X: Any) -> Any:
        """Documents × words, as the model counts them."""
        found = [self.lexicon.matrix(batch, self.counts.width) for batch in self.analysis.batches(X, "X")]
        if not found:
            return sparse.csr_matrix((0, self.counts.width))
        documents = sparse.vstack(found, format="csr") if len(found) > 1 else found[0]
        if self.once:
            documents.data[:] = 1.0
        return documents

    def scores(self, documents: Any) -> Array:
        """Scores of documents × words."""
        documents = self.told(documents)
        if self.urns is not None or self.whole:
            urns = self.urns if self.urns is not None else predictive_urns(self.counts, self.added)
            return urns.scorer(self.lexicon).of_matrix(documents)
        if self.kind == "complement":
            return texts.complement(self.counts, self.table, self.added, self.norm, self.times).scores(documents)
        if self.kind == "bernoulli":
            return texts.bernoulli_scores(self.counts, self.added, documents)
        return texts.multinomial_scores(self.counts, self.table, self.added, documents, self.weights)

    def leave_out(self, documents: Any, codes: Integers, weights: Array, group: Integers | None) -> Array:
        """Scores of documents × words, each document by classes without it, or without its group."""
        scores = self.scores(documents)
        if self.urns is not None:
            return scores  # the urns are as they are
        if self.kind == "multinomial":
            told = self.weighed(documents)
            for removal in removals(codes, weights, group, self.counts.n_classes):
                own = text_leave_out.multinomial(self.table, self.added, documents, told, removal, self.whole)
                scores[removal.rows, removal.code] = own
            return scores
        if group is not None:
            return self._without_groups(documents, codes, weights, group, scores)
        if self.kind == "complement":
            return text_leave_out.complement(self.table, self.added, self.norm, documents, codes, weights, scores)
        own = text_leave_out.bernoulli(self.counts, self.added, documents, codes, weights)
        scores[np.arange(len(codes)), codes] = own
        return scores

    def _without_groups(self, documents: Any, codes: Integers, weights: Array, group: Integers, scores: Array) -> Array:
        """Group by group: the counts without the group's, and what they say of the group."""
        for members in np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1]):
            left = self.counts.less(documents[members], codes[members], weights[members])
            scores[members] = replace(self, counts=left).scores(documents[members])
        return scores
