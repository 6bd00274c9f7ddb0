"""Scores that are linear in the data: ln p(x | c) = Σ_j x_j·w_cj + b_c, dense or sparse, and never NaN."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.models.kernels import scores
from suffice.typing import Array

__all__ = ["Linear"]


@dataclass(frozen=True)
class Linear:
    """Weights per class and feature, and an offset per class. A weight of −∞ forbids its feature."""

    weight: Array
    offset: Array

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        by_feature, forbidden = self._by_feature
        if forbidden is None:
            return scores(X, by_feature, self.offset)
        hits = scores((X != 0).astype(np.uint8), forbidden, np.zeros(len(self.offset)))
        # 0·(−∞) is 0 here: a word that does not occur forbids nothing
        return np.where(hits > 0, -np.inf, scores(X, by_feature, self.offset))

    @cached_property
    def _by_feature(self) -> tuple[Array, Array | None]:
        """Weights, features first, with zeros for the forbidden ones; and which those are, if any."""
        forbidden = np.isneginf(self.weight)
        weight = np.ascontiguousarray(np.where(forbidden, 0.0, self.weight).T)
        return weight, np.ascontiguousarray(forbidden.T, np.float64) if forbidden.any() else None
