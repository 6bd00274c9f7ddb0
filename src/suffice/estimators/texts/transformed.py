"""Documents that are transformed before they are counted (Rennie et al. 2003), which takes the matrix of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.texts.options import cut_of
from suffice.models.scoring.linear import Transform
from suffice.readers.labels import Examples
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis, learn

__all__ = ["refuse_transformed", "transformed_counts", "transforms"]


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
