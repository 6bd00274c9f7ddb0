"""What is believed of many features of one kind, words or counts: a Beta or a Gamma for each, in each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from suffice.estimators.bernoulli import BernoulliNB
from suffice.estimators.complement import ComplementNB
from suffice.estimators.dirichlet_multinomial import DirichletMultinomialNB
from suffice.estimators.multinomial import MultinomialNB
from suffice.estimators.poisson import PoissonNB
from suffice.estimators.text import TextClassifier
from suffice.posterior import Beta, Gamma
from suffice.typing import Array, Integers

__all__ = ["Words", "words_of"]


@dataclass(frozen=True)
class Words:
    """Features by name, and two parameters of what is believed of each in each class."""

    names: NDArray[Any]
    counts: Any  # classes × features, sparse or not
    added: Any  # pseudo-counts: a number, one per feature, or classes × features
    total: Array  # of each class, or classes × features: what a Beta's parameters add up to, or a Gamma's rate
    family: Literal["beta", "gamma"]
    what: str  # a feature is one of these
    meaning: str  # its parameter
    sure: bool = True  # whether there is a posterior, and so intervals

    def first(self, which: Any) -> Array:
        """The first parameter of some features, classes × features."""
        some = self.counts[:, which]
        some = some.toarray() if sparse.issparse(some) else np.asarray(some)
        added = np.asarray(self.added, np.float64)
        return np.asarray(some + (added[..., which] if added.ndim else added))

    def whole(self, which: Any) -> Array:
        """What the parameters add up to, or the rate, classes × features."""
        total = self.total[:, None] if self.total.ndim == 1 else self.total[:, which]
        return np.maximum(total, 1e-300)

    def mean(self, which: Any) -> Array:
        """The posterior mean, classes × features."""
        return np.asarray(self.first(which) / self.whole(which))

    def ends(self, which: Any, level: float = 0.95) -> tuple[Array, Array]:
        """Where it lies with that probability."""
        a = np.maximum(self.first(which), 1e-12)
        belief: Any = Beta(a, np.maximum(self.whole(which) - a, 1e-12))
        if self.family == "gamma":
            belief = Gamma(a, np.broadcast_to(self.whole(which), a.shape))
        low, high = belief.interval(level)
        return np.asarray(low), np.asarray(high)

    def most(self, code: int, k: int) -> Integers:
        """The k most probable features of a class."""
        own = self.counts[code]
        own = own.toarray().ravel() if sparse.issparse(own) else np.asarray(own, np.float64)
        added = np.asarray(self.added, np.float64)
        own = own + (added[code] if added.ndim == 2 else added)
        return np.argsort(-own, kind="stable")[:k]


def words_of(model: Any) -> Words | None:
    """The features of a classifier of texts or counts; None for others."""
    if isinstance(model, TextClassifier):
        return _of_texts(model)
    names = np.asarray(getattr(model, "feature_names_in_", np.arange(getattr(model, "n_features_in_", 0))))
    rows = np.asarray(getattr(model, "class_count_", 0.0))[..., None]
    if isinstance(model, BernoulliNB):
        a, b = (np.broadcast_to(part, model.feature_count_.shape) for part in (model._event.a, model._event.b))
        return Words(names, model.feature_count_, a, rows + a + b, "beta", "feature", "how often a feature is on")
    if isinstance(model, PoissonNB):
        shape, rate = (np.broadcast_to(p, model.feature_count_.shape) for p in (model._event.shape, model._event.rate))
        return Words(names, model.feature_count_, shape, rows + rate, "gamma", "count", "rate")
    if isinstance(model, DirichletMultinomialNB):
        urns = np.asarray(model.alpha_)
        return Words(names, urns, 0.0, urns.sum(axis=1), "beta", "word", "share of its words", False)
    if isinstance(model, MultinomialNB | ComplementNB):
        counts, alpha = model.feature_count_, np.asarray(model._event.alpha)
        total = counts.sum(axis=1) + np.broadcast_to(alpha, counts.shape[1]).sum()
        return Words(names, counts, alpha, total, "beta", "word", "share of its words")
    return None


def _of_texts(model: TextClassifier) -> Words:
    told = model._view("model", model._text_model)
    counts = told.counts
    names = np.array([f"bucket {i}" for i in range(counts.width)]) if counts.hash_bits else counts.words.strings
    if model.model == "bernoulli":
        total = counts.n + 2 * told.added
        return Words(names, counts.documents.tocsc(), told.added, total, "beta", "word", "share of texts that have it")
    total = np.asarray(told.table.sum(axis=1)).ravel() + told.added * counts.width
    sure = told.urns is None and told.transform is None and told.added > 0
    return Words(names, told.table.tocsc(), told.added, total, "beta", "word", "share of its words", sure)
