"""Call the compiled kernels that score rows by weights. No other module of `models.scoring` scores matrices natively.

`out` is rows × classes for scores, or one integer per row for the best class (−1 where no class is possible). `offset`
has one number per class. Tables of weights have one line per feature, as `by_feature` returns them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice import _native
from suffice.parallel import thread_count
from suffice.stats.counting_kernels import entries
from suffice.stats.inputs import CODE, RowMatrix
from suffice.typing import Array, Integers


def by_feature(table: Array) -> Array:
    """Return a classes × features table transposed, and padded with zeros to two classes or a multiple of four."""
    classes, features = table.shape
    out = np.zeros((features, 2 if classes <= 2 else -(-classes // 4) * 4))
    out[:, :classes] = table.T
    return out


def scores(out: Any, rows: RowMatrix, weight: Array, offset: Array) -> Any:
    """Write offset + rows · weight, or the best class, into `out` and return it."""
    matrix = rows.matrix.tocsr() if rows.is_sparse else rows.matrix
    data = entries(matrix) if rows.is_sparse else (matrix,)
    run: Any = _native.scores if rows.above is None else _native.flag_scores
    above = () if rows.above is None else (rows.above,)
    if not run(out, offset, weight, *data, *above, _rule(rows), thread_count()):
        rows.complain(rows.allowed)
    return out


def product(x: Any, table: Array) -> Array:
    """Return the product of a CSR matrix, rows × features, and a table of classes × features, as rows × classes."""
    out, offset = np.empty((x.shape[0], len(table))), np.zeros(len(table))
    _native.scores(out, offset, by_feature(table), *entries(x), _native.Rule(-np.inf, np.inf), thread_count())
    return out


def rising_scores(out: Any, rows: RowMatrix, shape: Array, logs: Array, offset: Array) -> Any:
    """Write offset + Σ_j ln shape(shape+1)…(shape+x−1) into `out` and return it; `logs` holds ln shape."""
    matrix = rows.matrix.tocsr() if rows.is_sparse else rows.matrix
    data = entries(matrix) if rows.is_sparse else (matrix,)
    if not _native.rising_scores(out, offset, shape, logs, *data, _rule(rows), thread_count()):
        rows.complain(rows.allowed)
    return out


def normal_scores(out: Any, rows: RowMatrix, mean: Array, precision: Array, offset: Array) -> Any:
    """Write offset − Σ_j precision·(x − mean)² into `out` and return it."""
    if not _native.normal_scores(out, offset, mean, precision, rows.matrix, _rule(rows), thread_count()):
        rows.complain(rows.allowed)
    return out


def distances(rows: RowMatrix, middle: Array, axes: Array, turned: Array) -> Array:
    """Return |(x − middle)·axesᵀ|² for each row and class; with shared axes, the distance to each class's `turned`
    mean.

    `axes` are bodies × rank × columns. Zeros at the end of an axis cost nothing.
    """
    data = rows.matrix.toarray() if rows.is_sparse else rows.matrix
    data = data if data.dtype in (np.float64, np.float32) else data.astype(np.float64)
    out = np.empty((len(rows), len(turned) or len(axes)))
    middle, axes, turned = (np.ascontiguousarray(part, np.float64) for part in (middle, axes, turned))
    if not _native.distances(out, middle, axes, turned, data, _rule(rows), thread_count()):
        rows.complain(rows.allowed)
    return out


def category_scores(out: Any, rows: RowMatrix, weight: Array, first: Integers, offset: Array) -> Any:
    """Write offset + Σ over columns of the weight of the row's code into `out` and return it.

    `first` holds each column's first line in `weight`, and then the number of lines. A code above those of its column
    takes the column's last line.
    """
    if not _native.category_scores(out, offset, weight, rows.matrix, first, _rule(rows), thread_count()):
        rows.complain(CODE)
    return out


def _rule(rows: RowMatrix) -> _native.Rule:
    return _native.Rule(rows.allowed.least, rows.allowed.most, rows.allowed.whole_numbers)
