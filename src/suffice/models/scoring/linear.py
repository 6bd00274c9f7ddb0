"""Score rows linearly: ln p(x | c) = offset_c + scale_c · Σ_j w_j x_j (weight_cj + base_j).

A weight of −∞ rules the class out for rows that have the feature. A feature that a class requires rules the class out
for rows that lack it. Neither yields NaN: here, 0 · (−∞) is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice import _native
from suffice.later import sparse
from suffice.models.scoring.cells import AS_IT_IS, Cells, Temper, powered, tempered
from suffice.models.scoring.kernels import by_feature
from suffice.models.scoring.removal import Entries, Removal
from suffice.models.scoring.rows import Rows
from suffice.models.scoring.text_rows import DENSE, RankedLexicon
from suffice.typing import Array, Integers

Times = _native.Times
AS_OFTEN, ONCE, DAMPED = Times.as_often, Times.once, Times.damped
"""How x occurrences of a feature are counted: as x, as one, or as 1 + ln x."""


def times_counted(times: Times, x: Array) -> Array:
    """Return the effective count of x occurrences of a feature."""
    if times is ONCE:
        return np.ones_like(x)
    return 1 + np.log(x) if times is DAMPED else x


@dataclass(frozen=True, eq=False)
class Linear:
    """Score rows by a weight per class and feature, and an offset per class."""

    weights: Cells
    offset: Array
    t: Any = None  # the statistic whose features rows are matched to by name
    times: Times = AS_OFTEN
    base: Array | None = None  # added to all cells of a feature, stored or not
    scale: Array | None = None  # one per class; None means 1
    feature_weights: Array | None = None  # w
    residuals: Any = None  # added to the weighted features, features × classes as CSR
    documents: bool = True  # whether the temper depends on the length of rows
    required: Cells | None = None  # 1 where every row of the class has the feature, else 0
    temper: Temper = AS_IT_IS

    def weighted(self, feature_weights: Array | None, residuals: Any = None) -> Linear:
        """Return the scorer with each feature's evidence raised to its own power, and with residuals added."""
        if feature_weights is None and residuals is None:
            return self
        return replace(self, feature_weights=feature_weights, residuals=residuals)

    def tempered(self, temper: Temper) -> Linear:
        """Return the scorer with each row's likelihood raised to a power."""
        return replace(self, temper=temper)

    def scores(self, rows: Rows) -> Array:
        """Return ln p(x | c), rows × classes."""
        out = rows.scored(self._finite)
        if not rows.tempers:
            tempered(out, self.powers(rows))
        if self._forbidden is not None:
            out[rows.flags().scored(self._forbidden) > 0.5] = -np.inf
        if self._lacking is not None:
            out[rows.flags().scored(self._lacking) < -0.5] = -np.inf
        return out

    def best(self, rows: Rows, log_prior: Array) -> Integers | None:
        """Return the most probable class of each row if rows can find it without storing all scores, otherwise None."""
        if self._forbidden is not None or self._lacking is not None:
            return None
        if rows.tempers or self.temper == AS_IT_IS:
            return rows.best(self, log_prior)
        return None if self.temper.length and self.documents else rows.best(self, log_prior / self.temper.power)

    def powers(self, rows: Rows) -> Any:
        """Return the power of the likelihood: one number for all rows, or one per row."""
        return self.temper.of(rows.lengths(self) if self.temper.length and self.documents else None)

    def counted(self, x: Array) -> Array:
        """Return the effective count of x occurrences."""
        return times_counted(self.times, x)

    def counts_of(self, x: Any) -> Any:
        """Return the effective counts of rows given as CSR."""
        return sparse.csr_matrix((self.counted(x.data).astype(np.float64), x.indices, x.indptr), x.shape)

    def columns(self, feature: Integers) -> Array:
        """Return the weights of the given features, classes × features, with all terms applied."""
        table = self.weights.columns(feature)
        table = table if self.base is None else table + self.base[feature]
        table = table if self.scale is None else table * self.scale[:, None]
        table = table if self.feature_weights is None else powered(table, self.feature_weights[feature])
        return table if self.residuals is None else table + self.residuals[feature].toarray().T

    @cached_property
    def _finite(self) -> Linear:
        """Return the scorer with −∞ replaced by 0."""
        if self._forbidden is None:
            return self
        return replace(self, weights=self.weights.map(lambda w: np.where(np.isneginf(w), 0.0, w)))

    @cached_property
    def _forbidden(self) -> Linear | None:
        """Return a scorer that counts the features of a row that rule out each class; None if no weight is −∞."""
        stored = self.weights.values if self.weights.unmet is None else self.weights.values.data
        unmet = np.zeros(0) if self.weights.unmet is None else self.weights.unmet
        if not np.isneginf(stored).any() and not np.isneginf(unmet).any():
            return None
        flags = self.weights.map(lambda w: np.asarray(np.isneginf(w), np.float64))
        heard = self.feature_weights
        silent = None if heard is None else (heard > 0).astype(np.float64)
        return Linear(flags, np.zeros(len(self.offset)), self.t, ONCE, feature_weights=silent)

    @cached_property
    def _lacking(self) -> Linear | None:
        """Return a scorer of how many required features a row has, minus the number that the class requires."""
        if self.required is None:
            return None
        return Linear(self.required, -self.required.sum(), self.t, ONCE)

    @cached_property
    def by_feature(self) -> Array:
        """Return the weights in the layout of the matrix kernels."""
        plain = self.weights.unmet is None and self.feature_weights is None and self.residuals is None
        if plain and self.base is None and self.scale is None:
            return by_feature(self.weights.values)
        return by_feature(self.columns(np.arange(self.weights.width)))

    @cached_property
    def of_texts(self) -> tuple[Any, Any]:
        """Return the lexicon and the sparse weights in the layout of the text kernels."""
        lexicon, width, classes = RankedLexicon.of(self.t), self.weights.width, len(self.offset)
        weights = self.weights.stored()
        by_word = weights.above.T.tocsr()[lexicon.order]
        mass = (np.ones(width) if self.feature_weights is None else self.feature_weights)[lexicon.order]
        base = np.zeros(width) if self.base is None else self.base[lexicon.order] * mass
        values = by_word.data * np.repeat(mass, np.diff(by_word.indptr))
        if self.residuals is not None:  # text scorers have no scale per class
            by_word = sparse.csr_matrix((values, by_word.indices, by_word.indptr), by_word.shape)
            by_word = (by_word + self.residuals[lexicon.order]).tocsr()
            values = by_word.data
        start, code = by_word.indptr.astype(np.int64), by_word.indices.astype(np.int32)
        scale = np.ones(classes) if self.scale is None else self.scale
        assert weights.unmet is not None  # weights of words are sparse
        terms = (base, mass, weights.unmet, scale, np.asarray(self.offset, np.float64), self.times, lexicon.native)
        return lexicon.native, _native.TextWeights(start, code, values, *terms)

    def __getstate__(self) -> dict[str, Any]:
        cached = ("by_feature", "of_texts", "_finite", "_forbidden", "_lacking")
        return {name: value for name, value in vars(self).copy().items() if name not in cached}


@dataclass(frozen=True, eq=False)
class LinearHeldOut:
    """Score training rows by all classes, with corrected weights for the classes that lose the row or its group."""

    scorer: Linear
    rows: Rows
    removed: Removal
    entries: Entries  # of each pair's row
    weights: Array  # weight of each entry's feature in the pair's class, after the removal
    offset: Array  # one per pair

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return untempered scores, rows × classes."""
        weighing = feature_weights if feature_weights is not None else self.scorer.feature_weights
        scores = self.scorer.weighted(feature_weights).tempered(AS_IT_IS).scores(self.rows)
        x = self.scorer.counted(self.entries.value)
        x = x if weighing is None else x * weighing[self.entries.feature]
        terms = powered(self.weights, x)
        scores[self.removed.row, self.removed.code] = self.offset + self.entries.sums(terms)  # SX-3
        return scores

    def lengths(self) -> Array:
        """Return the length of each row: the sum of its effective counts."""
        return self.rows.lengths(self.scorer)


@dataclass(frozen=True, eq=False)
class DenseHeldOut:
    """Scores of training rows whose features have no weights."""

    table: Array
    length: Array | None = None

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return untempered scores, rows × classes; `feature_weights` has no effect."""
        return self.table.copy()

    def lengths(self) -> Array | None:
        """Return the length of each row; None where rows are not documents."""
        return self.length


@dataclass(frozen=True, eq=False)
class FittedTransform:
    """Transform the counts of documents: ln(1+x), times ln(N/df), scaled to unit length; each step is optional."""

    sublinear_tf: bool
    idf: Array | None
    normalize: bool

    def __call__(self, X: Any) -> Any:
        """Return documents × words with each document transformed."""
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
        if not isinstance(other, FittedTransform):
            return NotImplemented
        mine, theirs = (self.sublinear_tf, self.normalize), (other.sublinear_tf, other.normalize)
        one = self.idf is None or other.idf is None
        return mine == theirs and (self.idf is other.idf if one else np.array_equal(self.idf, other.idf))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((self.sublinear_tf, self.normalize, None if self.idf is None else self.idf.tobytes()))


@dataclass(frozen=True, eq=False)
class TransformedScorer:
    """Score documents linearly after a transform of their counts."""

    linear: Linear
    transform: FittedTransform
    temper: Temper = AS_IT_IS

    @property
    def t(self) -> Any:
        """Return the statistic whose features rows are matched to."""
        return self.linear.t

    def tempered(self, temper: Temper) -> TransformedScorer:
        """Return the scorer with each row's likelihood raised to a power."""
        return replace(self, temper=temper)

    def powers(self, rows: Rows) -> Any:
        """Return the power of the likelihood: one number for all rows, or one per row."""
        return self.temper.of(rows.lengths(self) if self.temper.length else None)  # type: ignore[arg-type]

    def counted(self, x: Array) -> Array:
        """Return the effective count of x occurrences in the length of a row."""
        return self.linear.counted(x)

    def scores(self, rows: Rows) -> Array:
        """Return scores of the transformed documents, rows × classes."""
        X, by = self.transform(rows.entries(self.t)), self.linear
        above, unmet = by.weights.above.T.tocsr(), by.weights.unmet
        met = X @ above.toarray() if above.shape[0] * above.shape[1] <= DENSE else (X @ above).toarray()
        n, base = np.asarray(X.sum(axis=1)), np.zeros(X.shape[1]) if by.base is None else by.base
        scale = 1.0 if by.scale is None else by.scale
        out = np.asarray(by.offset + scale * ((X @ base)[:, None] + n * unmet + met))
        return out if self.temper == AS_IT_IS else tempered(out, self.powers(rows))
