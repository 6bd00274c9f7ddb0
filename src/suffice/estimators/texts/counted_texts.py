"""Texts counted batch after batch into one table of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.estimators.shell.classifier import check_kinds_of_labels
from suffice.estimators.shell.counted import Counter
from suffice.models.model import Block, Model
from suffice.models.views import Views
from suffice.readers.labels import Examples
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounter

__all__ = ["TextCounter"]


class TextCounter(Counter):
    """Texts of a classifier, counted batch after batch; the words of all batches are in one table from the start."""

    _words: WordCounter

    def __init__(self, estimator: Any, journal: Any = None) -> None:
        super().__init__(estimator, journal)
        self._known: dict[Any, int] = {}  # the code of each label, in the order in which they turned up
        self._classes = np.empty(0)

    def _count(self, examples: Examples) -> None:
        reader = self._model._reader
        if self.rows:
            check_kinds_of_labels(self._classes, examples.classes)
        else:
            self._classes, self._words = (
                examples.classes,
                WordCounter(reader.analysis, 1, reader.hash_bits, reader.bursts),
            )
        batches = list(reader.analysis.batches(examples.source, "X"))  # all of them can be read, or none is counted
        for label in examples.classes.tolist():
            self._known.setdefault(label, len(self._known))
        self._words.grow(len(self._known))
        codes = np.array([self._known[label] for label in examples.classes.tolist()], np.int64)[examples.codes]
        at = 0
        for batch in batches:
            self._words.add_batch(batch, codes[at : at + len(batch)], None)
            at += len(batch)

    def result(self) -> Any:
        """Return a classifier that has learned all texts so far, without views; None if there were none."""
        if not self.rows:
            return None
        labels = np.array(list(self._known))
        classes = np.unique(labels)
        counts = self._words.result().with_classes(np.searchsorted(classes, labels), len(classes))
        block = Block(self._model._likelihoods(None, Views())["text"], counts)
        self._model._put(Model(classes, ClassCounts(counts.n), {"text": block}), Views(), stale=False)
        return self._model
