"""Texts that are counted in other ways than all at once: as they pass by, batch after batch, or transformed first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.shell.classifier import check_kinds_of_labels
from suffice.estimators.shell.counted import Counter
from suffice.estimators.texts.options import cut_of
from suffice.models.choosing.judge import some_rows
from suffice.models.model import Block, Model
from suffice.models.scoring.linear import Transform
from suffice.models.scoring.removal import group_codes
from suffice.models.views import Views
from suffice.readers.labels import Examples, labelled
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounter, WordCounts
from suffice.text import Analysis, learn
from suffice.typing import Integers

__all__ = ["KeptTexts", "TextBatchCounter", "labels_of_texts", "refuse_transformed", "transformed_counts", "transforms"]


class KeptTexts(Iterator[Any]):
    """Texts that pass by, of which some are kept to choose by."""

    def __init__(self, texts: Iterator[Any], which: Integers) -> None:
        self._texts, self.which = texts, which
        self._wanted, self._at, self.texts = set(which.tolist()), 0, list[Any]()

    @classmethod
    def of(cls, texts: Iterator[Any], rows: int, most: int, groups: Any) -> KeptTexts:
        """Keep at most so many of the texts, or whole groups of them."""
        group = None if groups is None else group_codes(groups, rows)
        return cls(texts, some_rows(rows, most, group))

    def __next__(self) -> Any:
        text = next(self._texts)
        if self._at in self._wanted:
            self.texts.append(text)
        self._at += 1
        return text


def labels_of_texts(y: Any) -> NDArray[Any]:
    """Return one label per text, as an array."""
    labels = np.asarray(labelled(y))
    if labels.ndim != 1:
        raise LabelError(f"The argument 'y' must hold one label per text; got shape {labels.shape}.")
    return labels


def transforms(estimator: Any) -> bool:
    """Return whether documents are transformed before they are counted."""
    early = estimator.sublinear_tf and estimator.model != "multinomial"
    return bool(early or estimator.use_idf or estimator.normalize)


def refuse_transformed(estimator: Any, what: str = "") -> None:
    """Raise InputError where documents were transformed: what was counted does not add up with others."""
    if transforms(estimator) or estimator._transform is not None:
        raise InputError(
            what
            or "TextClassifier with sublinear_tf, use_idf or normalize cannot be merged, nor forget, decay or leave "
            "out: they act on documents before these are counted."
        )


def transformed_counts(estimator: Any, examples: Examples, analysis: Analysis) -> tuple[WordCounts, Transform]:
    """Count documents that are transformed first; return the transform, too."""
    if estimator.model != "complement" or estimator.hash_bits is not None:
        raise InputError(
            "The parameters 'sublinear_tf', 'use_idf' and 'normalize' of TextClassifier need model='complement' "
            f"and no 'hash_bits'; got model={estimator.model!r}, hash_bits={estimator.hash_bits}."
        )
    words, matrix = learn(examples.source, analysis, "X")
    rows = len(examples)
    if matrix.shape[0] != rows:
        found = f"{matrix.shape[0]:,}"
        raise LabelError(f"The argument 'X' must hold as many texts as labels, {rows:,}; got {found}.")
    if not len(words):
        raise DataError("The argument 'X' must hold words; got texts without any (by default, of two letters or more).")
    if estimator.binary:
        matrix.data[:] = 1
    df = np.bincount(matrix.indices, minlength=len(words)).astype(np.float64)
    total = np.bincount(matrix.indices, matrix.data, len(words)).astype(np.float64)
    keep = cut_of(estimator).kept(df, total, rows)
    words, matrix = words.keep(keep), matrix[:, keep]
    idf = np.log(rows / df[keep]) if estimator.use_idf else None
    transform = Transform(bool(estimator.sublinear_tf), idf, estimator.normalize)
    counts = WordCounts.of_matrix(transform(matrix), words, examples.codes, examples.weights, len(examples.classes))
    return counts, transform


class TextBatchCounter(Counter):
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
