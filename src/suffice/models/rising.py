"""Scores of counts whose parameters are integrated out.

Σ over x_j > 0 of ln [s_cj (s_cj + 1) … (s_cj + x_j − 1)] + x_j·w_cj, plus an offset per class

Most words of a document come once. So the first factor is looked up where x_j > 0, as flags are, and log-gammas are
left to entries that are repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from suffice.models.linear import Forbidding, Linear, linear
from suffice.posterior.special import log_rising
from suffice.stats.inputs import COUNT, REAL, Rows
from suffice.typing import Array

__all__ = ["Rising", "by_length"]


@dataclass(frozen=True)
class Rising:
    """A shape (and a slope, if any) per class and feature, an offset per class, and for documents the shapes' total."""

    shape: Array
    slope: Array | None
    offset: Array
    total: Array | None

    def scores(self, X: Any) -> Array:
        """Rows × classes; only what is not zero is looked at."""
        rows = Rows.read(X, "X")
        allowed = COUNT if rows.allowed is REAL else rows.allowed
        if not allowed.accepts(rows.matrix.data if rows.is_sparse else rows.matrix).all():
            rows.complain(allowed)
        with np.errstate(invalid="ignore"):  # a class without words and prior has nothing to say
            out = self._first.scores(rows.flags(0.0)) + self._repeated(rows)
            if self.slope is not None:
                out += linear(self.slope, np.zeros(len(self.slope))).scores(rows)
            if self.total is not None:
                out -= by_length(rows, self.total)
        return np.where(np.isnan(out), -np.inf, out)

    @cached_property
    def _first(self) -> Linear | Forbidding:
        with np.errstate(divide="ignore"):
            return linear(np.log(self.shape), self.offset)

    def _repeated(self, rows: Rows) -> Array:
        """All factors but the first."""
        entries = sparse.coo_array(rows.matrix)
        more = (entries.data != 1) & (entries.data != 0)
        row, column, x = entries.row[more], entries.col[more], entries.data[more] - 1.0
        out = np.empty((len(rows), len(self.shape)))
        for c, shape in enumerate(self.shape):
            out[:, c] = np.bincount(row, log_rising(shape[column] + 1, x), minlength=len(rows))
        return out


def by_length(rows: Rows, total: Array) -> Array:
    """ln s(s+1)…(s+n−1) of each row's length n and each class's s: rows × classes."""
    lengths = np.asarray(rows.matrix.sum(axis=1, dtype=np.float64)).ravel()
    distinct, place = np.unique(lengths, return_inverse=True)
    return np.asarray(log_rising(total, distinct[:, None])[place])
