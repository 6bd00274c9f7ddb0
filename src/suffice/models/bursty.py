"""Event model of bursty words: an urn for each class, from counts of counts to scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from suffice.models.linear import Forbidding, Linear, linear
from suffice.models.logs import log
from suffice.models.rising import Rising, by_length
from suffice.models.empirical.urn import Documents, Urn, dcm, edcm
from suffice.stats import Bursts
from suffice.stats.inputs import WHOLE, Rows
from suffice.typing import Array

__all__ = ["Polya", "Presence"]


@dataclass(frozen=True)
class Polya:
    """Documents as draws from an urn per class. `prior` is of one-word documents: a number per word, or their average.

    An average is spread over the words as the documents of all classes (and one more) hold them.
    """

    prior: Array
    method: Literal["dcm", "edcm"] = "dcm"
    max_iter: int = 100
    tol: float = 1e-6

    def urns(self, t: Bursts) -> list[Urn]:
        """One for each class."""
        prior = self.pseudo_documents(t)
        urns = []
        for c in range(t.shape[0]):
            words, lengths = t.of_class(c)
            values = words.value.astype(np.float64), words.count, lengths.value.astype(np.float64), lengths.count
            documents = Documents(words.cell, *values, prior)
            urns.append(edcm(documents) if self.method == "edcm" else dcm(documents, self.max_iter, self.tol))
        return urns

    def pseudo_documents(self, t: Bursts) -> Array:
        """How many one-word documents of each word every class has read before its own."""
        if self.prior.ndim:
            return self.prior
        columns = int(t.columns)
        held = np.bincount(t.cell % max(1, columns), t.count, minlength=columns) + 1.0
        return np.asarray(self.prior * held * (columns / held.sum()), np.float64)

    def scorer(self, alpha: Array) -> Rising | Presence:
        """Scores of rows of counts; without n!/Πx! (for "edcm" n!/Πx), which all classes share."""
        if self.method == "edcm":
            return Presence(alpha, alpha.sum(axis=1))
        return Rising(alpha, None, np.zeros(len(alpha)), alpha.sum(axis=1))  # NB-6

    def log_likelihood(self, alpha: Array, X: Any) -> Array:
        """ln p(x | c) of each row and class, with nothing left out."""
        rows = Rows.read(X, "X").must_be(WHOLE)
        scores = self.scorer(alpha).scores(rows)
        entries = sparse.coo_array(rows.matrix)
        orders = (np.log if self.method == "edcm" else lambda x: gammaln(x + 1))(entries.data.astype(np.float64))
        lengths = np.asarray(rows.matrix.sum(axis=1, dtype=np.float64)).ravel()
        shared = gammaln(lengths + 1) - np.bincount(entries.row, orders, minlength=len(rows))
        return np.asarray(scores + shared[:, None])


@dataclass(frozen=True)
class Presence:
    """Which words there are, not how often: Σ over x_w > 0 of ln β_w, less ln s(s+1)…(s+n−1)."""

    beta: Array
    total: Array

    @cached_property
    def _present(self) -> Linear | Forbidding:
        return linear(log(self.beta), np.zeros(len(self.beta)))

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        rows = Rows.read(X, "X")
        out = self._present.scores(rows.flags(0.0))
        out -= by_length(rows, self.total)  # NB-7
        return out
