"""Beliefs about the words of classes, and what follows of the scores of rows (SX-5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import digamma

from suffice.models.scoring.beliefs import log_gammas, must_be_known, trigamma
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.linear import Linear
from suffice.models.scoring.rows import Rows
from suffice.typing import Array

__all__ = ["WordBelief"]


@dataclass(frozen=True, eq=False)
class WordBelief:
    """Dirichlet beliefs about words, one for each class; only the words that rows have are looked at."""

    counts: Cells
    alpha: Array  # a number, or one for each word
    scorer: Linear

    def moments(self, rows: Rows) -> tuple[Array, Array]:
        """Return mean and variance of Σ w_j x_j ln θ_j."""
        X, _, alpha, total = self._looked_at(rows)
        n = np.asarray(X.sum(axis=1)).ravel()[:, None]
        mean = X @ digamma(alpha).T - n * digamma(total)
        squares = X.multiply(X)
        return mean, np.maximum(squares @ trigamma(alpha).T - n**2 * trigamma(total), 0.0)  # SX-5

    def draws(self, rows: Rows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under drawn θ; words that no row has are drawn as one."""
        X, all_words, alpha, total = self._looked_at(rows)
        rest = np.maximum(total - alpha.sum(axis=1), 0.0)
        n, out = np.asarray(X.sum(axis=1)).ravel()[:, None], []
        for _ in range(size):
            logs = log_gammas(alpha, rng)
            every = np.logaddexp.reduce(logs, axis=1)
            if not all_words:
                every = np.logaddexp(every, log_gammas(rest, rng))
            out.append(X @ logs.T - np.where(n > 0, n * every, 0.0))
        return np.stack(out)

    def _looked_at(self, rows: Rows) -> tuple[Any, bool, Array, Array]:
        """Return rows by the words they have, whether these are all, their α by class, and α of all words together."""
        x, by = rows.entries(self.scorer.t), self.scorer
        X = sparse.csr_matrix((by.counted(x.data), x.indices, x.indptr), x.shape).tocsc()
        there = np.flatnonzero(np.diff(X.indptr))
        if by.feature_weights is not None:
            powers = np.repeat(by.feature_weights, np.diff(X.indptr))
            X = sparse.csc_matrix((X.data * powers, X.indices, X.indptr), X.shape)
        prior = np.broadcast_to(self.alpha, (self.counts.width,))
        alpha, total = self.counts.columns(there) + prior[there], self.counts.sum() + prior.sum()
        must_be_known(alpha, total)
        return X[:, there].tocsr(), len(there) == self.counts.width, alpha, total
