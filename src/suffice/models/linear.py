"""Scores that are linear in the data: ln p(x | c) = Σ_j x_j·w_cj + b_c, dense or sparse, and never NaN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.typing import Array

__all__ = ["Linear"]


@dataclass(frozen=True)
class Linear:
    """Weights per class and feature, and an offset per class. A weight of −∞ forbids its feature."""

    weight: Array
    offset: Array

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        forbidden = np.isneginf(self.weight)
        if not forbidden.any():
            return np.asarray(X @ self.weight.T) + self.offset
        scores = np.asarray(X @ np.where(forbidden, 0.0, self.weight).T) + self.offset
        hits = np.asarray((X != 0).astype(np.float64) @ forbidden.T.astype(np.float64))
        return np.where(hits > 0, -np.inf, scores)  # 0·(−∞) is 0 here: a word that does not occur forbids nothing
