"""Scores of counts whose parameters are integrated out.

Σ over x_j > 0 of ln [s_cj (s_cj + 1) … (s_cj + x_j − 1)] + x_j·w_cj, plus an offset per class
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from suffice.posterior.special import log_rising
from suffice.stats.inputs import COUNT, Rows
from suffice.typing import Array

__all__ = ["Rising"]


@dataclass(frozen=True)
class Rising:
    """A shape and a slope per class and feature, an offset per class, and for documents the shapes' total."""

    shape: Array
    slope: Array
    offset: Array
    total: Array | None

    def scores(self, X: Any) -> Array:
        """Rows × classes; only what is not zero is looked at."""
        rows = Rows.read(X, "X")
        COUNT.check(rows.matrix.data if rows.is_sparse else rows.matrix, rows.name, rows.first)
        entries = sparse.csr_matrix(rows.matrix)
        lengths = np.asarray(entries.sum(axis=1), np.float64).ravel()
        out = np.empty((entries.shape[0], len(self.shape)))
        row = np.repeat(np.arange(entries.shape[0]), np.diff(entries.indptr))
        x = entries.data.astype(np.float64)
        for c, shape in enumerate(self.shape):
            slope = np.broadcast_to(self.slope[c], shape.shape)[entries.indices]
            terms = log_rising(shape[entries.indices], x) + x * slope
            out[:, c] = np.bincount(row, terms, minlength=len(out)) + self.offset[c]
            if self.total is not None:
                with np.errstate(invalid="ignore"):  # a class without words and prior has nothing to say
                    out[:, c] -= log_rising(self.total[c], lengths)
        return np.where(np.isnan(out), -np.inf, out)
