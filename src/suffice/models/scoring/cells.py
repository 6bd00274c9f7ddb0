"""Define `Cells`, a table of classes × features that may be sparse, and operations on logarithms and powers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.later import issparse, sparse
from suffice.typing import Array, Integers


@dataclass(frozen=True, eq=False)
class Cells:
    """Store a number for each class and feature. Cells that sparse `values` do not store hold their class's `unmet`.

    >>> dense, few = Cells(np.array([[2.0, 0.0]])), Cells.of(sparse.csr_matrix([[2.0, 0.0]]))
    >>> [cells.map(np.exp).sum().round(2).tolist() for cells in (dense, few)]
    [[8.39], [8.39]]
    """

    values: Any  # an array, or scipy's CSR
    unmet: Array | None = None  # one number per class; None where `values` is dense

    @classmethod
    def of(cls, counts: Any) -> Cells:
        """Return counts as cells. Cells that a sparse table does not store hold 0."""
        return cls(counts, np.zeros(counts.shape[0])) if issparse(counts) else cls(counts)

    @property
    def width(self) -> int:
        """Return the number of features."""
        return int(self.values.shape[1])

    @property
    def lines(self) -> Integers:
        """Return the class of each stored cell."""
        return np.repeat(np.arange(self.values.shape[0]), np.diff(self.values.indptr))

    def map(self, formula: Callable[..., Array], *by_class: Array) -> Cells:
        """Apply formula(cell, *numbers of its class) to every cell and return the result as cells."""
        if self.unmet is None:
            return Cells(formula(self.values, *(numbers[:, None] for numbers in by_class)))
        lines = self.lines
        data = formula(self.values.data, *(numbers[lines] for numbers in by_class))
        return Cells(self.like(data), formula(self.unmet, *by_class))

    def sum(self) -> Array:
        """Return the sum over features of each class."""
        if self.unmet is None:
            return np.asarray(self.values.sum(axis=1))
        if not self.unmet.any():
            return np.asarray(self.values.sum(axis=1)).ravel()
        above = np.bincount(self.lines, self.above.data, len(self.unmet))
        return np.asarray(above + self.width * self.unmet)

    def by_feature(self) -> Array:
        """Return the sum over classes of each feature."""
        if self.unmet is None:
            return np.asarray(self.values.sum(axis=0))
        return np.asarray(np.asarray(self.above.sum(axis=0)).ravel() + self.unmet.sum())

    @cached_property
    def above(self) -> Any:
        """Return, as CSR, the excess of stored cells over their class's `unmet`."""
        assert self.unmet is not None
        return self.values if not self.unmet.any() else self.like(self.values.data - self.unmet[self.lines])

    def at(self, code: Integers, feature: Integers) -> Array:
        """Return the cells at pairs of class and feature."""
        if self.unmet is None:
            return np.asarray(self.values[code, feature])
        out, line = np.empty(len(code)), np.empty(self.width)
        classes = len(self.unmet)
        order = np.argsort(code.astype(np.uint16) if classes < 2**16 else code, kind="stable")  # faster for short codes
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
        """Return the given features as a dense table of classes × features."""
        if self.unmet is None:
            return np.asarray(self.values[:, feature])
        some, out = self.values[:, feature], np.repeat(self.unmet[:, None], len(feature), axis=1)
        out[np.repeat(np.arange(len(out)), np.diff(some.indptr)), some.indices] = some.data  # `unmet` may be −∞
        return out

    def dense(self) -> Array:
        """Return all cells as a dense array, which may be large for texts."""
        return self.columns(np.arange(self.width))

    def stored(self) -> Cells:
        """Return the cells with sparse values. Cells that were dense are all stored, or are 0."""
        return self if self.unmet is not None else Cells(sparse.csr_matrix(self.values), np.zeros(len(self.values)))

    def like(self, data: Array) -> Any:
        """Return CSR with the same stored cells and other numbers in them."""
        return sparse.csr_matrix((data, self.values.indices, self.values.indptr), shape=self.values.shape)


def log(values: Any) -> Array:
    """Return ln of values, with ln 0 = −∞."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(values))


def safe_log(values: Array) -> Array:
    """Return ln of positive values, and 0 elsewhere."""
    return np.log(np.where(values > 0, values, 1.0))


def powered(logs: Array, power: Any) -> Array:
    """Return ln pʷ. A power of 0 gives 0 even for ln p = −∞."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(power) == 0, 0.0, logs * power)


@dataclass(frozen=True, repr=False)
class Temper:
    """A power of the likelihood, the exponent of the row's length that divides it, and a power of the class prior.

    >>> Temper(0.5)
    Temper(power=0.5, length=0.0)
    """

    power: float = 1.0
    length: float = 0.0
    prior: float = 1.0

    def __repr__(self) -> str:
        prior = "" if self.prior == 1 else f", prior={self.prior!r}"
        return f"Temper(power={self.power!r}, length={self.length!r}{prior})"

    def of(self, lengths: Array | None) -> Any:
        """Return the power for all rows, or one per row if it depends on the length; rows of length 0 get 0."""
        if self.length == 0 or lengths is None:
            return self.power
        known = np.where(lengths > 0, lengths, 1.0)
        return np.where(lengths > 0, self.power * known**-self.length, 0.0)  # SX-7


AS_IT_IS = Temper()


def tempered(scores: Array, powers: Any) -> Array:
    """Multiply scores by powers in place and return them. −∞ stays −∞, except in rows whose own power is 0."""
    if np.ndim(powers) == 0 and powers == 1:
        return scores
    each = powers if np.ndim(powers) == 0 else powers[:, None]
    with np.errstate(invalid="ignore"):
        scores *= each
    if np.ndim(powers):
        scores[powers == 0] = 0.0
    return scores
