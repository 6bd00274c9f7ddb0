"""Documents that are transformed before they are scored (Rennie et al. 2003)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.models.scoring.linear import Linear
from suffice.models.scoring.rows import Rows
from suffice.models.views import AS_IT_IS, Temper, tempered
from suffice.typing import Array

__all__ = ["Transform", "TransformedScorer"]

DENSE = 2**25
"""Tables of words × classes up to this size are faster dense, where many documents are multiplied with them."""


@dataclass(frozen=True, eq=False)
class Transform:
    """What is done to a document before it is counted: ln(1+x), times ln(N/df), to length one."""

    sublinear_tf: bool
    idf: Array | None
    normalize: bool

    def __call__(self, X: Any) -> Any:
        """Return documents × words, transformed document by document."""
        X = X.copy()
        if self.sublinear_tf:
            np.log1p(X.data, out=X.data)  # NB-8
        if self.idf is not None:
            X.data *= self.idf[X.indices]  # NB-8
        if self.normalize:
            rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            length = np.sqrt(np.bincount(rows, X.data**2, X.shape[0]))
            X.data /= np.where(length > 0, length, 1.0)[rows]  # NB-8
        return X

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transform):
            return NotImplemented
        mine, theirs = (self.sublinear_tf, self.normalize), (other.sublinear_tf, other.normalize)
        one = self.idf is None or other.idf is None
        return mine == theirs and (self.idf is other.idf if one else np.array_equal(self.idf, other.idf))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((self.sublinear_tf, self.normalize, None if self.idf is None else self.idf.tobytes()))


@dataclass(frozen=True, eq=False)
class TransformedScorer:
    """Linear scores of documents that are transformed first."""

    linear: Linear
    transform: Transform
    temper: Temper = AS_IT_IS

    @property
    def t(self) -> Any:
        """The statistic that has the features."""
        return self.linear.t

    def tempered(self, temper: Temper) -> TransformedScorer:
        """Return the same with scores raised to the power of each row."""
        return replace(self, temper=temper)

    def powers(self, rows: Rows) -> Any:
        """Return what the likelihood of each row is raised to: a number for all, or one for each."""
        return self.temper.of(rows.lengths(self) if self.temper.length else None)  # type: ignore[arg-type]

    def counted(self, x: Array) -> Array:
        """Return what x occurrences count for in the length of a row."""
        return self.linear.counted(x)

    def scores(self, rows: Rows) -> Array:
        """Return what the transformed documents score, rows × classes."""
        X, by = self.transform(rows.entries(self.t)), self.linear
        above, unmet = by.weights.above.T.tocsr(), by.weights.unmet
        met = X @ above.toarray() if above.shape[0] * above.shape[1] <= DENSE else (X @ above).toarray()
        n, base = np.asarray(X.sum(axis=1)), np.zeros(X.shape[1]) if by.base is None else by.base
        scale = 1.0 if by.scale is None else by.scale
        out = np.asarray(by.offset + scale * ((X @ base)[:, None] + n * unmet + met))
        return out if self.temper == AS_IT_IS else tempered(out, self.powers(rows))
