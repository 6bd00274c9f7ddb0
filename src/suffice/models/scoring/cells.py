"""Tables of classes × features, dense or sparse, so that a formula is written once for both; logarithms and powers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.later import issparse, sparse
from suffice.typing import Array, Integers

__all__ = ["AS_IT_IS", "Cells", "Temper", "log", "powered", "safe_log", "tempered"]


@dataclass(frozen=True, eq=False)
class Cells:
    """A number for each class and feature. In sparse `values`, cells that are not stored hold their class's `unmet`.

    >>> dense, few = Cells(np.array([[2.0, 0.0]])), Cells.of(sparse.csr_matrix([[2.0, 0.0]]))
    >>> [cells.map(np.exp).sum().round(2).tolist() for cells in (dense, few)]
    [[8.39], [8.39]]
    """

    values: Any  # an array, or scipy's CSR
    unmet: Array | None = None  # one number per class; None where `values` is dense

    @classmethod
    def of(cls, counts: Any) -> Cells:
        """Return counts as cells: what a sparse table does not store was never met."""
        return cls(counts, np.zeros(counts.shape[0])) if issparse(counts) else cls(counts)

    @property
    def width(self) -> int:
        """The number of features."""
        return int(self.values.shape[1])

    @property
    def lines(self) -> Integers:
        """The class of each stored cell."""
        return np.repeat(np.arange(self.values.shape[0]), np.diff(self.values.indptr))

    def map(self, formula: Callable[..., Array], *by_class: Array) -> Cells:
        """Apply formula(cell, *numbers of its class) to every cell."""
        if self.unmet is None:
            return Cells(formula(self.values, *(numbers[:, None] for numbers in by_class)))
        lines = self.lines
        data = formula(self.values.data, *(numbers[lines] for numbers in by_class))
        return Cells(self.like(data), formula(self.unmet, *by_class))

    def sum(self) -> Array:
        """Add up the features of each class."""
        if self.unmet is None:
            return np.asarray(self.values.sum(axis=1))
        if not self.unmet.any():
            return np.asarray(self.values.sum(axis=1)).ravel()
        above = np.bincount(self.lines, self.above.data, len(self.unmet))
        return np.asarray(above + self.width * self.unmet)

    def by_feature(self) -> Array:
        """Add up the classes of each feature."""
        if self.unmet is None:
            return np.asarray(self.values.sum(axis=0))
        return np.asarray(np.asarray(self.above.sum(axis=0)).ravel() + self.unmet.sum())

    @cached_property
    def above(self) -> Any:
        """What stored cells hold on top of their class's `unmet`, as CSR."""
        assert self.unmet is not None
        return self.values if not self.unmet.any() else self.like(self.values.data - self.unmet[self.lines])

    def at(self, code: Integers, feature: Integers) -> Array:
        """Return single cells."""
        if self.unmet is None:
            return np.asarray(self.values[code, feature])
        out, line = np.empty(len(code)), np.empty(self.width)
        classes = len(self.unmet)
        order = np.argsort(code.astype(np.uint16) if classes < 2**16 else code, kind="stable")  # of short codes faster
        start = np.concatenate([[0], np.cumsum(np.bincount(code, minlength=classes))])
        for c in np.flatnonzero(np.diff(start)):
            stored, mine = slice(*self.values.indptr[c : c + 2]), order[start[c] : start[c + 1]]
            line[:] = self.unmet[c]
            line[self.values.indices[stored]] = self.values.data[stored]
            out[mine] = line[feature[mine]]
        return out

    def line(self, code: int) -> Array:
        """Return all features of one class."""
        if self.unmet is None:
            return np.asarray(self.values[code])
        stored, out = slice(*self.values.indptr[code : code + 2]), np.full(self.width, self.unmet[code])
        out[self.values.indices[stored]] = self.values.data[stored]
        return out

    def columns(self, feature: Integers) -> Array:
        """Return some features as a dense table of classes × features."""
        if self.unmet is None:
            return np.asarray(self.values[:, feature])
        some, out = self.values[:, feature], np.repeat(self.unmet[:, None], len(feature), axis=1)
        out[np.repeat(np.arange(len(out)), np.diff(some.indptr)), some.indices] = some.data  # `unmet` may be −∞
        return out

    def dense(self) -> Array:
        """Return all of them as an array; of texts it may be large."""
        return self.columns(np.arange(self.width))

    def stored(self) -> Cells:
        """Return the same with sparse values, all of which are stored where they were dense."""
        return self if self.unmet is not None else Cells(sparse.csr_matrix(self.values), np.zeros(len(self.values)))

    def like(self, data: Array) -> Any:
        """Return CSR with other numbers in the stored cells."""
        return sparse.csr_matrix((data, self.values.indices, self.values.indptr), shape=self.values.shape)


def log(values: Any) -> Array:
    """Return ln, with ln 0 = −∞."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(values))


def safe_log(values: Array) -> Array:
    """Return ln, and 0 where there is nothing to take it of."""
    return np.log(np.where(values > 0, values, 1.0))


def powered(logs: Array, power: Any) -> Array:
    """Return ln pʷ: a weight of 0 silences even what is impossible."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(power) == 0, 0.0, logs * power)


@dataclass(frozen=True)
class Temper:
    """A power of the likelihood, and an exponent of the row's length that it is divided by."""

    power: float = 1.0
    length: float = 0.0

    def of(self, lengths: Array | None) -> Any:
        """Return the power of each row; of a row without words, 0."""
        if self.length == 0 or lengths is None:
            return self.power
        known = np.where(lengths > 0, lengths, 1.0)
        return np.where(lengths > 0, self.power * known**-self.length, 0.0)  # SX-7


AS_IT_IS = Temper()


def tempered(scores: Array, powers: Any) -> Array:
    """Multiply scores by powers, in place; what is impossible stays so, unless a row says nothing at all."""
    if np.ndim(powers) == 0 and powers == 1:
        return scores
    each = powers if np.ndim(powers) == 0 else powers[:, None]
    with np.errstate(invalid="ignore"):
        scores *= each
    if np.ndim(powers):
        scores[powers == 0] = 0.0
    return scores
