"""Scores that are linear in the data: ln p(x | c) = Σ_j x_j·w_cj + b_c, dense or sparse, and never NaN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.models.scoring.kernels import by_feature, scores
from suffice.stats.inputs import Rows
from suffice.typing import Array, Integers

__all__ = ["Forbidding", "Linear", "linear"]


def linear(weight: Array, offset: Array) -> Linear | Forbidding:
    """The scorer of weights per class and feature, and an offset per class. A weight of −∞ forbids its feature."""
    forbidden = np.isneginf(weight)
    if not forbidden.any():
        return Linear(by_feature(weight), offset)
    allowed = Linear(by_feature(np.where(forbidden, 0.0, weight)), offset)
    return Forbidding(allowed, Linear(by_feature(forbidden.astype(np.float64)), np.zeros(len(offset))))


@dataclass(frozen=True)
class Linear:
    """Finite weights, features first, and an offset per class."""

    weight: Array
    offset: Array

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        rows = Rows.read(X, "X")
        out: Array = scores(np.empty((len(rows), len(self.offset))), rows, self.weight, self.offset)
        return out

    def best(self, X: Any, log_prior: Array) -> Integers:
        """The class of the largest joint, row by row; −1 where no class is possible."""
        rows = Rows.read(X, "X")
        out: Integers = scores(np.empty(len(rows), np.int64), rows, self.weight, self.offset + log_prior)
        return out


@dataclass(frozen=True)
class Forbidding:
    """Linear scores, but −∞ where a feature occurs that the class forbids."""

    allowed: Linear
    forbidden: Linear

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        rows = Rows.read(X, "X")
        present = rows if rows.above is not None else Rows.read((rows.matrix != 0).astype(np.uint8), "X")
        # 0·(−∞) is 0 here: a word that does not occur forbids nothing
        return np.where(self.forbidden.scores(present) > 0, -np.inf, self.allowed.scores(rows))
