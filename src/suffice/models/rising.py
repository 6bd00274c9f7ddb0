"""Scores of counts whose parameters are integrated out.

Σ over x_j > 0 of ln [s_cj (s_cj + 1) … (s_cj + x_j − 1)] + x_j·w_cj, plus an offset per class

Most words of a document come once, and take one logarithm from a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.models.scoring.kernels import by_feature, rising_scores
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
        if rows.allowed is REAL:
            rows = rows.must_be(COUNT)
        out: Array = rising_scores(np.empty((len(rows), len(self.offset))), rows, *self._tables, self.offset)
        with np.errstate(invalid="ignore"):  # a class without words and prior has nothing to say
            if self._sloped is not None:
                out += self._sloped.scores(rows)
            if self.total is not None:
                out -= by_length(rows, self.total)
        return np.where(np.isnan(out), -np.inf, out)

    @cached_property
    def _sloped(self) -> Linear | Forbidding | None:
        return None if self.slope is None else linear(self.slope, np.zeros(len(self.slope)))

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        shape = by_feature(self.shape)
        with np.errstate(divide="ignore"):
            return shape, np.log(shape)


def by_length(rows: Rows, total: Array) -> Array:
    """ln s(s+1)…(s+n−1) of each row's length n and each class's s: rows × classes."""
    lengths = np.asarray(rows.matrix.sum(axis=1, dtype=np.float64)).ravel()
    distinct, place = np.unique(lengths, return_inverse=True)
    return np.asarray(log_rising(total, distinct[:, None])[place])
