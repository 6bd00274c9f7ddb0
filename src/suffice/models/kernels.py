"""The only door of the models to the compiled kernels: scores of rows by weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice import _native
from suffice.parallel import thread_count
from suffice.stats.inputs import REAL, Rows
from suffice.stats.kernels import entries
from suffice.typing import Array, Integers

__all__ = ["category_scores", "normal_scores", "scores"]


def scores(X: Any, weight: Array, offset: Array) -> Array:
    """offset + X · weight, rows × classes; `weight` is features × classes."""
    rows = Rows.read(X, "X")
    out = np.empty((len(rows), weight.shape[1]))
    out[:] = offset
    matrix = rows.matrix.tocsr() if rows.is_sparse else rows.matrix
    data = entries(matrix) if rows.is_sparse else (matrix,)
    run: Any = _native.scores
    if not run(out, weight, *data, _native.Rule(REAL.least, REAL.most), thread_count()):
        rows.complain(REAL)
    return out


def normal_scores(X: Any, mean: Array, precision: Array, offset: Array) -> Array:
    """offset − Σ_j precision·(x − mean)², rows × classes; `mean` and `precision` are features × classes."""
    rows = Rows.read(X, "X")
    out = np.empty((len(rows), mean.shape[1]))
    out[:] = offset
    rule = _native.Rule(REAL.least, REAL.most)
    if not _native.normal_scores(out, mean, precision, rows.matrix, rule, thread_count()):
        rows.complain(REAL)
    return out


def category_scores(codes: Integers, weight: Array, sizes: Integers) -> Array:
    """Σ over columns of the weights of each code, rows × classes; `weight` is Σ sizes × classes."""
    out = np.zeros((len(codes), weight.shape[1]))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rule = _native.Rule(0, 2.0**53, True)
    if not _native.category_scores(out, weight, codes, offsets, rule, thread_count()):
        raise ValueError("Codes must be below the number of categories of their column.")
    return out
