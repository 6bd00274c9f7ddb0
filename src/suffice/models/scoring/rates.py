"""Beliefs about rates of events, and what follows of the scores of rows (SX-5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import digamma, polygamma

from suffice.models.scoring.beliefs import log_gammas, must_be_known, trigamma
from suffice.models.scoring.rows import MatrixRows
from suffice.typing import Array

__all__ = ["RateBelief", "belief_of_rates"]


@dataclass(frozen=True)
class RateBelief:
    """Gamma beliefs about rates of events, classes × features."""

    shape: Array
    rate: Array

    def moments(self, rows: MatrixRows) -> tuple[Array, Array]:
        """Return mean and variance of Σ x ln λ − λ; λ and ln λ have the covariance 1/r."""
        X, s, r = self._known(rows)
        squares = X.multiply(X) if sparse.issparse(X) else X * X
        mean = X @ (digamma(s) - np.log(r)).T - (s / r).sum(axis=1)
        return mean, squares @ trigamma(s).T - X @ (2 / r).T + (s / r**2).sum(axis=1)  # SX-5

    def draws(self, rows: MatrixRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under drawn λ."""
        X, s, r = self._known(rows)
        out = []
        for _ in range(size):
            logs = log_gammas(s, rng) - np.log(r)
            out.append(X @ logs.T - np.exp(logs).sum(axis=1))
        return np.stack(out)

    def _known(self, rows: MatrixRows) -> tuple[Any, Array, Array]:
        must_be_known(self.shape, self.rate)
        return rows.source.matrix.astype(np.float64), self.shape, self.rate


def belief_of_rates(s: Array, r: Array, x: Array) -> tuple[Array, Array]:
    """Return mean and variance of x ln λ − λ for λ ~ Gamma(s, r), features × classes; cov(ln λ, λ) = 1/r."""
    sure = (s > 0) & (r > 0)
    s, r = np.where(sure, s, 1.0), np.where(sure, r, 1.0)
    mean, variance = x * (digamma(s) - np.log(r)) - s / r, x**2 * polygamma(1, s) + s / r**2 - 2 * x / r  # SX-5
    return np.where(sure, mean, np.nan).T, np.where(sure, np.maximum(variance, 0.0), np.nan).T
