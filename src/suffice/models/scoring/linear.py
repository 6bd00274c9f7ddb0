"""Scores that are linear in the rows: ln p(x | c) = offset_c + scale_c · Σ_j w_j x_j (weight_cj + base_j).

A weight of −∞ forbids the class to rows that have the feature; a feature that the class requires forbids it to rows
that lack it. Neither makes a NaN: 0 · (−∞) is 0 here.
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

__all__ = [
    "AS_OFTEN",
    "DAMPED",
    "ONCE",
    "DenseHeldOut",
    "FittedTransform",
    "Linear",
    "LinearHeldOut",
    "Times",
    "TransformedScorer",
    "times_counted",
]  # fmt: skip


Times = _native.Times
AS_OFTEN, ONCE, DAMPED = Times.as_often, Times.once, Times.damped
"""What x occurrences of a feature count for: x, one, or 1 + ln x."""


def times_counted(times: Times, x: Array) -> Array:
    """Return what x occurrences of a feature count for."""
    if times is ONCE:
        return np.ones_like(x)
    return 1 + np.log(x) if times is DAMPED else x


@dataclass(frozen=True, eq=False)
class Linear:
    """Weights by class and feature, and an offset by class."""

    weights: Cells
    offset: Array
    t: Any = None  # the statistic that has the features, where rows are looked up among them by name
    times: Times = AS_OFTEN
    base: Array | None = None  # on top of all cells of a feature, stored or not
    scale: Array | None = None  # of each class; one if not given
    feature_weights: Array | None = None  # w
    residuals: Any = None  # on top of what weighed features say, features × classes as CSR
    documents: bool = True  # whether rows have lengths by which they are tempered
    required: Cells | None = None  # 1 where a class has the feature in all of its rows, otherwise 0
    temper: Temper = AS_IT_IS

    def weighted(self, feature_weights: Array | None, residuals: Any = None) -> Linear:
        """Return the scorer with each feature's evidence raised to a power of its own, and what is added to that."""
        if feature_weights is None and residuals is None:
            return self
        return replace(self, feature_weights=feature_weights, residuals=residuals)

    def tempered(self, temper: Temper) -> Linear:
        """Return the scorer with scores raised to the power of each row."""
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
        """Return the class of the largest joint of each row, if rows can tell without writing all scores down."""
        if self._forbidden is not None or self._lacking is not None:
            return None
        if rows.tempers or self.temper == AS_IT_IS:
            return rows.best(self, log_prior)
        return None if self.temper.length and self.documents else rows.best(self, log_prior / self.temper.power)

    def powers(self, rows: Rows) -> Any:
        """Return what the likelihood of each row is raised to: a number for all, or one for each."""
        return self.temper.of(rows.lengths(self) if self.temper.length and self.documents else None)

    def counted(self, x: Array) -> Array:
        """Return what x occurrences count for."""
        return times_counted(self.times, x)

    def counts_of(self, x: Any) -> Any:
        """Return what the entries of rows, CSR, count for."""
        return sparse.csr_matrix((self.counted(x.data).astype(np.float64), x.indices, x.indptr), x.shape)

    def columns(self, feature: Integers) -> Array:
        """Return what single features weigh, classes × features."""
        table = self.weights.columns(feature)
        table = table if self.base is None else table + self.base[feature]
        table = table if self.scale is None else table * self.scale[:, None]
        table = table if self.feature_weights is None else powered(table, self.feature_weights[feature])
        return table if self.residuals is None else table + self.residuals[feature].toarray().T

    @cached_property
    def _finite(self) -> Linear:
        """The scorer with zeros for −∞."""
        if self._forbidden is None:
            return self
        return replace(self, weights=self.weights.map(lambda w: np.where(np.isneginf(w), 0.0, w)))

    @cached_property
    def _forbidden(self) -> Linear | None:
        """How many features of a row its classes forbid."""
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
        """Features of a row that its classes require, less the number that they do."""
        if self.required is None:
            return None
        return Linear(self.required, -self.required.sum(), self.t, ONCE)

    @cached_property
    def by_feature(self) -> Array:
        """The weights as the kernels for matrices read them."""
        plain = self.weights.unmet is None and self.feature_weights is None and self.residuals is None
        if plain and self.base is None and self.scale is None:
            return by_feature(self.weights.values)
        return by_feature(self.columns(np.arange(self.weights.width)))

    @cached_property
    def of_texts(self) -> tuple[Any, Any]:
        """The weights as the kernels for texts read them: a lexicon, and weights that are sparse in word and class."""
        lexicon, width, classes = RankedLexicon.of(self.t), self.weights.width, len(self.offset)
        weights = self.weights.stored()
        by_word = weights.above.T.tocsr()[lexicon.order]
        mass = (np.ones(width) if self.feature_weights is None else self.feature_weights)[lexicon.order]
        base = np.zeros(width) if self.base is None else self.base[lexicon.order] * mass
        values = by_word.data * np.repeat(mass, np.diff(by_word.indptr))
        if self.residuals is not None:  # words have no scale
            by_word = sparse.csr_matrix((values, by_word.indices, by_word.indptr), by_word.shape)
            by_word = (by_word + self.residuals[lexicon.order]).tocsr()
            values = by_word.data
        start, code = by_word.indptr.astype(np.int64), by_word.indices.astype(np.int32)
        scale = np.ones(classes) if self.scale is None else self.scale
        assert weights.unmet is not None  # words are sparse
        terms = (base, mass, weights.unmet, scale, np.asarray(self.offset, np.float64), self.times, lexicon.native)
        return lexicon.native, _native.TextWeights(start, code, values, *terms)

    def __getstate__(self) -> dict[str, Any]:
        cached = ("by_feature", "of_texts", "_finite", "_forbidden", "_lacking")
        return {name: value for name, value in vars(self).copy().items() if name not in cached}


@dataclass(frozen=True, eq=False)
class LinearHeldOut:
    """Linear scores of training rows, but for the classes that lose something: there, by entry and by pair."""

    scorer: Linear
    rows: Rows
    removed: Removal
    entries: Entries  # of the row of each pair
    weights: Array  # what each entry's feature weighs in the pair's class without what is removed
    offset: Array  # of each pair

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return rows × classes, not tempered."""
        weighing = feature_weights if feature_weights is not None else self.scorer.feature_weights
        scores = self.scorer.weighted(feature_weights).tempered(AS_IT_IS).scores(self.rows)
        x = self.scorer.counted(self.entries.value)
        x = x if weighing is None else x * weighing[self.entries.feature]
        terms = powered(self.weights, x)
        scores[self.removed.row, self.removed.code] = self.offset + self.entries.sums(terms)  # SX-3
        return scores

    def lengths(self) -> Array:
        """Return how many features each row has, as often as they count."""
        return self.rows.lengths(self.scorer)


@dataclass(frozen=True, eq=False)
class DenseHeldOut:
    """Scores of training rows where features have no weights of their own."""

    table: Array
    length: Array | None = None

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return rows × classes, not tempered."""
        return self.table.copy()

    def lengths(self) -> Array | None:
        """Return how many features each row has; None where rows are no documents."""
        return self.length


@dataclass(frozen=True, eq=False)
class FittedTransform:
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
        if not isinstance(other, FittedTransform):
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
    transform: FittedTransform
    temper: Temper = AS_IT_IS

    @property
    def t(self) -> Any:
        """The statistic that has the features."""
        return self.linear.t

    def tempered(self, temper: Temper) -> TransformedScorer:
        """Return the scorer with scores raised to the power of each row."""
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
