"""What is believed of the scores of documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import digamma

from suffice.errors import KindError
from suffice.models.evidence import NO_EVIDENCE
from suffice.models.text_model import TextModel
from suffice.models.uncertainty import Belief, Flags, Moments, Words, must_be_known, trigamma
from suffice.typing import Array

__all__ = ["Presence", "TextBelief", "text_belief"]


@dataclass(frozen=True)
class Presence:
    """Beta beliefs about which words a document has, from sparse counts of documents."""

    documents: Any  # classes × words
    n: Array
    alpha: float

    def moments(self, X: Any) -> Moments:
        """As of flags: what the words that are asked for say, and that all others are absent."""
        X, asked = _asked(X)
        flags = self._flags(asked)
        mean, variance = flags.moments(X)
        more = self._absent - np.stack([part.sum(axis=1) for part in _off(flags.a, flags.b)])
        return mean + more[0], variance + np.maximum(more[1], 0.0)

    def draws(self, X: Any, rng: np.random.Generator, size: int) -> Array:
        """The same under drawn θ; the sum over the many words that are absent everywhere is drawn as a normal."""
        X, asked = _asked(X)
        flags = self._flags(asked)
        mean, variance = self._absent - np.stack([part.sum(axis=1) for part in _off(flags.a, flags.b)])
        rest = rng.normal(mean, np.sqrt(np.maximum(variance, 0.0)), (size, len(self.n)))
        return flags.draws(X, rng, size) + rest[:, None]

    def _flags(self, asked: Any) -> Flags:
        ones = self._by_word[:, asked].toarray()
        return Flags(ones + self.alpha, np.maximum(self.n[:, None] - ones, 0.0) + self.alpha)

    @cached_property
    def _by_word(self) -> Any:
        return self.documents.tocsc()

    @cached_property
    def _absent(self) -> Array:
        """Mean and variance of Σ ln(1−θ) over all words, by class."""
        must_be_known(np.asarray(self.alpha))
        table, line = self.documents, np.repeat(np.arange(len(self.n)), np.diff(self.documents.indptr))
        met = _off(table.data + self.alpha, np.maximum(self.n[line] - table.data, 0.0) + self.alpha)
        never = _off(np.full(len(self.n), self.alpha), self.n + self.alpha)
        many = table.shape[1] - np.diff(table.indptr)
        parts = [np.bincount(line, m, len(self.n)) + many * v for m, v in zip(met, never, strict=True)]
        return np.stack(parts)


@dataclass(frozen=True)
class TextBelief:
    """Documents as text."""

    belief: Belief
    model: TextModel

    def moments(self, batch: Any) -> Moments:
        """Documents × classes."""
        return self.belief.moments(self._matrix(batch))

    def draws(self, batch: Any, rng: np.random.Generator, size: int) -> Array:
        """Draws × documents × classes."""
        return self.belief.draws(self._matrix(batch), rng, size)

    def _matrix(self, batch: Any) -> Any:
        found = self.model.lexicon.matrix(batch, self.model.counts.width).astype(np.float64)
        if self.model.once:
            found.data[:] = 1.0
        return self.model.told(found)


def text_belief(model: TextModel) -> TextBelief:
    """What is believed of the scores of documents."""
    if model.kind == "multinomial":
        return TextBelief(Words(model.table, model.alpha, model.counts.width, model.weights), model)
    if model.kind == "bernoulli":
        return TextBelief(Presence(model.counts.documents, model.counts.n, model.alpha), model)
    why = NO_EVIDENCE["complement" if model.kind == "complement" else "urns"]
    raise KindError(f"TextClassifier with model={model.kind!r} has no intervals: {why}.")


def _asked(X: Any) -> tuple[Any, Any]:
    """Documents by the words they have, and which words these are."""
    X = sparse.csc_matrix(X)
    asked = np.flatnonzero(np.diff(X.indptr))
    return X[:, asked].tocsr(), asked


def _off(a: Array, b: Array) -> Moments:
    """Mean and variance of ln(1−θ)."""
    return digamma(b) - digamma(a + b), trigamma(b) - trigamma(a + b)
