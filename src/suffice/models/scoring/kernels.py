"""The only door of the models to the compiled kernels: scores of rows by weights.

`out` is rows × classes for the scores themselves, or one whole number per row for the best class (−1 where none is
possible). `offset` has a number per class. Tables of weights have a line per feature, as `by_feature` makes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice import _native
from suffice.parallel import thread_count
from suffice.stats.counting_kernels import entries
from suffice.stats.inputs import CODE, RowMatrix
from suffice.typing import Array, Integers

__all__ = ["by_feature", "category_scores", "distances", "normal_scores", "product", "rising_scores", "scores"]


def by_feature(table: Array) -> Array:
    """Return a table of classes × features with features first; classes of zeros make up two or a multiple of four."""
    classes, features = table.shape
    out = np.zeros((features, 2 if classes <= 2 else -(-classes // 4) * 4))
    out[:, :classes] = table.T
    return out


def scores(out: Any, rows: RowMatrix, weight: Array, offset: Array) -> Any:
    """Return offset + rows · weight."""
    matrix = rows.matrix.tocsr() if rows.is_sparse else rows.matrix
    data = entries(matrix) if rows.is_sparse else (matrix,)
    run: Any = _native.scores if rows.above is None else _native.flag_scores
    above = () if rows.above is None else (rows.above,)
    if not run(out, offset, weight, *data, *above, _rule(rows), thread_count()):
        rows.complain(rows.allowed)
    return out


def product(x: Any, table: Array) -> Array:
    """Return rows × classes, of a CSR matrix of rows × features and a table of classes × features."""
    out, offset = np.empty((x.shape[0], len(table))), np.zeros(len(table))
    _native.scores(out, offset, by_feature(table), *entries(x), _native.Rule(-np.inf, np.inf), thread_count())
    return out


def rising_scores(out: Any, rows: RowMatrix, shape: Array, logs: Array, offset: Array) -> Any:
    """Return offset + Σ_j ln shape(shape+1)…(shape+x−1); `logs` are the logarithms of the shapes."""
    matrix = rows.matrix.tocsr() if rows.is_sparse else rows.matrix
    data = entries(matrix) if rows.is_sparse else (matrix,)
    if not _native.rising_scores(out, offset, shape, logs, *data, _rule(rows), thread_count()):
        rows.complain(rows.allowed)
    return out


def normal_scores(out: Any, rows: RowMatrix, mean: Array, precision: Array, offset: Array) -> Any:
    """Return offset − Σ_j precision·(x − mean)²."""
    if not _native.normal_scores(out, offset, mean, precision, rows.matrix, _rule(rows), thread_count()):
        rows.complain(rows.allowed)
    return out


def distances(rows: RowMatrix, middle: Array, axes: Array, turned: Array) -> Array:
    """Return |(x − middle)·axesᵀ|² of each row and class; to the middles `turned` where classes share axes.

    `axes` are bodies × rank × columns; zeros at their end cost nothing.
    """
    data = rows.matrix.toarray() if rows.is_sparse else rows.matrix
    data = data if data.dtype in (np.float64, np.float32) else data.astype(np.float64)
    out = np.empty((len(rows), len(turned) or len(axes)))
    middle, axes, turned = (np.ascontiguousarray(part, np.float64) for part in (middle, axes, turned))
    if not _native.distances(out, middle, axes, turned, data, _rule(rows), thread_count()):
        rows.complain(rows.allowed)
    return out


def category_scores(out: Any, rows: RowMatrix, weight: Array, first: Integers, offset: Array) -> Any:
    """Return offset + Σ over columns of the weight of its code; `first` is each column's first line, then their number.

    A code beyond those of its column has the column's last line.
    """
    if not _native.category_scores(out, offset, weight, rows.matrix, first, _rule(rows), thread_count()):
        rows.complain(CODE)
    return out


def _rule(rows: RowMatrix) -> _native.Rule:
    return _native.Rule(rows.allowed.least, rows.allowed.most, rows.allowed.whole_numbers)
