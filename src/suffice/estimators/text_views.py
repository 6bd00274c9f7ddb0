"""What a classifier of texts chooses by its documents: pseudo-count, temper, and weights of words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from suffice.estimators.views import SCORES, Views, is_loo
from suffice.estimators.weights import WordWeights
from suffice.models.removal import group_codes
from suffice.models.sample import some_rows
from suffice.models.text_model import TextModel
from suffice.models.weights import Fitted, fit_weights
from suffice.models.word_weights import Documents, WordRows, choose
from suffice.stats.words import read_weights
from suffice.telling import tell
from suffice.typing import Array, Integers

__all__ = ["EFFORTS", "Kept", "TextViews", "kept"]

EFFORTS = {"fast": 2000, "balanced": 8000, "best": 16000}
"""Documents that pseudo-count, temper and ridge are chosen by."""

FEW = 50
"""Fewer documents than this choose a temper and no more: there is too little to judge by."""

WEIGHED = 200
"""Fewer documents than this cannot tell which words repeat each other: they have no evidence weights."""

ENTRIES = 2**23
"""Different words of texts that weights are fitted on, at most, unless the effort is to be the best."""

BYTES = 40
"""Memory that a word of a document takes while weights are fitted."""


class Kept(Iterator[Any]):
    """Texts that pass by, of which some are kept."""

    def __init__(self, texts: Iterator[Any], which: Integers) -> None:
        self._texts, self.which = texts, which
        self._wanted, self._at, self.texts = set(which.tolist()), 0, list[Any]()

    def __next__(self) -> Any:
        text = next(self._texts)
        if self._at in self._wanted:
            self.texts.append(text)
        self._at += 1
        return text


def kept(X: Any, y: Any, effort: str, groups: Any) -> Any:
    """Texts as they are; of a stream, so many are kept as something can be chosen by."""
    if not isinstance(X, Iterator):
        return X
    group = None if groups is None else group_codes(groups, len(y))
    return Kept(X, some_rows(len(y), EFFORTS[effort], group))


class TextViews(Views):
    """Views of texts."""

    classes_: Any
    alpha: Any
    weights: Any
    ridge: float | None
    effort: str
    memory_limit: int
    verbose: bool

    def _fit_views(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        owner: Any = self
        streamed = isinstance(X, Kept)
        if streamed:
            y, sample_weight, groups = (
                None if part is None else np.asarray(part)[X.which] for part in (y, sample_weight, groups)
            )
            X = X.texts
        self._drop_views()
        weigh = is_loo(self.weights) and self.effort != "fast" and len(self.classes_) > 1 and len(y) >= WEIGHED
        free = self.alpha is None or weigh
        if len(y) < FEW or not free or not owner._can_leave_out() or not owner._text_model().weighable:
            super()._fit_views(X, y, sample_weight, groups)
            return
        if weigh and streamed:
            tell(
                "The argument 'X' is an iterator, read once: words have no evidence weights. Give a list for them, or "
                "effort='fast' if none are wanted.",
            )
        if is_loo(self.alpha):
            super()._fit_views(X, y, sample_weight, groups)
        self._choose(self._labelled(X, y, sample_weight, groups), weigh and not streamed)

    def _choose(self, given: tuple[Any, Integers, Array, Integers | None], weigh: bool) -> None:
        owner: Any = self
        model: TextModel = owner._view("model", owner._text_model)
        _, codes, _, group = given
        everything = self._documents(model, given, self._most(model, len(codes), group)) if weigh else None
        rows = len(codes) if everything is None else len(everything.codes)
        most = min(EFFORTS[self.effort], SCORES // len(self.classes_))
        few = some_rows(rows, max(most, FEW), group if everything is None else everything.group)
        some = self._documents(model, given, few) if everything is None else everything.some(few)
        alpha = None if self.alpha is None else model.alpha
        known = None if is_loo(self.temper) and "temper" not in self._chosen else self.temper_
        choice = choose(model, some, alpha, known, self.ridge, weigh)
        if self.alpha is None:
            self._chosen = {**self._chosen, "alpha": choice.alpha}
        if is_loo(self.temper):
            self._chosen = {**self._chosen, "temper": choice.temper}
        if everything is not None:
            every = WordRows.of(replace(model, alpha=choice.alpha), everything, choice.temper)
            found = fit_weights(every, choice.start.ridge, choice.start, tell=self._tell(every))
            self._chosen = {**self._chosen, "weights": self._named(found, model)}
        owner._made = {}

    def _labelled(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Any, Integers, Array, Any]:
        owner: Any = self
        codes = owner._codes_of(y)
        weights = read_weights(sample_weight, len(codes))
        group = None if groups is None else group_codes(groups, len(codes))
        return X, codes, np.ones(len(codes)) if weights is None else weights, group

    def _documents(self, model: TextModel, given: tuple[Any, Integers, Array, Any], which: Integers) -> Documents:
        """Some of the documents, as they were learned."""
        owner: Any = self
        X, codes, weights, group = given
        matrix = model.documents(X if len(which) == len(codes) else owner._take_rows(X, which))
        owner._check_length(matrix, which)
        part = None if group is None else np.unique(group[which], return_inverse=True)[1]
        return Documents(matrix, codes[which], weights[which], part, owner._prior_of)

    def _most(self, model: TextModel, rows: int, group: Integers | None) -> Integers:
        """So many documents as memory allows."""
        entries = max(float(model.counts.document_frequency.sum()) / max(float(model.counts.n.sum()), 1e-300), 1.0)
        most = self.memory_limit / BYTES if self.effort == "best" else min(self.memory_limit / BYTES, ENTRIES)
        return some_rows(rows, max(FEW, int(most / entries)), group)

    def _named(self, found: Fitted, model: TextModel) -> WordWeights:
        classes = dict(zip(self.classes_.tolist(), found.classes.tolist(), strict=True))
        return WordWeights(classes, found.ridge, found.features, model.counts.words)

    def _tell(self, rows: WordRows) -> Any:
        """Says each step, if that is wanted."""
        if not self.verbose:
            return lambda step, value: None
        total = float(rows.weights.sum())

        def tell(step: int, value: float) -> None:
            print(f"[TextClassifier] weights, step {step}: {value / total:.5f} a row", file=sys.stderr)

        return tell
