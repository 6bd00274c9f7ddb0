"""Model numeric columns jointly: one multivariate Student-t per class, which replaces what the columns say alone.

score      Student-t of the class's own mean and covariance, the prior learned by evidence               GD-2
missing    the marginal of this Student-t for the numbers that are present
held out   a rank-one downdate, or the moments without the group                                         SX-3

Only complete rows are counted. Rows with some of the numbers are scored. Evidence and EM use the single columns
(JC-7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.scoring.ellipses import Ellipses, Law, VectorBelief, roots_of
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Contributions
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.stats import FullMoments
from suffice.stats.inputs import RowMatrix
from suffice.tables import Column, numbers
from suffice.typing import Array, Booleans, Integers

SHOWN = 4
"""Largest number of values that an explanation names."""


@dataclass(frozen=True, eq=False)
class CloudRows(MatrixRows):
    """Represent rows of several numbers, some of which may be missing; `present` marks rows that have any."""

    there: Booleans | None = None  # which numbers are present, rows × columns; None if all

    @cached_property
    def complete(self) -> Booleans:
        """Return which rows are complete."""
        return np.ones(len(self), bool) if self.there is None else np.asarray(self.there.all(axis=1))

    def take(self, which: Any) -> Self:
        """Return the given rows."""
        return replace(super().take(which), there=None if self.there is None else self.there[which])

    def part(self, block: slice) -> Self:
        """Return a slice of the rows."""
        return replace(super().part(block), there=None if self.there is None else self.there[block])

    def count(self, kind: type[Any], labels: Labels) -> Any:
        """Return the statistic of the complete rows."""
        if self.there is None:
            return super().count(kind, labels)
        return replace(self, there=None).take(self.complete).count(kind, labels.take(self.complete))

    def patterns(self) -> Iterator[tuple[Integers, Integers, MatrixRows]]:
        """Yield each set of present columns, the places of the rows that have it, and those rows' present numbers."""
        there = np.ones((len(self), self.numbers.shape[1]), bool) if self.there is None else self.there
        found, which, counts = np.unique(there, axis=0, return_inverse=True, return_counts=True)
        order = np.argsort(which.ravel(), kind="stable")
        for columns, end, size in zip(found, np.cumsum(counts).tolist(), counts.tolist(), strict=True):
            rows = order[end - size : end]
            if columns.any():
                matrix = RowMatrix.read(np.ascontiguousarray(self.numbers[rows][:, columns]), "X")
                yield np.flatnonzero(columns), rows, MatrixRows(matrix)


def _by_pattern(
    rows: CloudRows, shape: tuple[int, ...], axis: int, ask: Callable[[Integers, MatrixRows], Any]
) -> Array:
    """Return the results of `ask` for rows grouped by their present columns; zeros for rows without numbers."""
    out = np.zeros(shape)
    for columns, which, some in rows.patterns():
        out[(slice(None),) * axis + (which,)] = ask(columns, some)
    return out


def _marginal(known: Ellipses, scale: Array, columns: Integers) -> tuple[Ellipses, Array]:
    """Return the marginal densities of the given columns, and their part of the scale."""
    part = np.ascontiguousarray(scale[:, columns][:, :, columns])
    root, log_det = roots_of(part, known.kappa > 0)
    law, fewer = Law(known.law.estimate, len(columns)), known.law.d - len(columns)
    return Ellipses(law, known.mean[:, columns], known.kappa, known.nu - fewer, root, log_det), part


@dataclass(frozen=True, eq=False)
class CloudScores:
    """Score vectors with missing numbers by marginals of Student-t's."""

    known: Ellipses
    scale: Array

    def scores(self, rows: CloudRows) -> Array:
        """Return ln p(x | c) of the numbers that are present, rows × classes."""
        if rows.there is None:
            return self.known.scores(rows)
        shape = len(rows), len(self.known.mean)
        return _by_pattern(rows, shape, 0, lambda columns, some: self._of(columns).scores(some))

    def _of(self, columns: Integers) -> Ellipses:
        return self.known if len(columns) == self.known.law.d else _marginal(self.known, self.scale, columns)[0]


@dataclass(frozen=True, eq=False)
class CloudBelief:
    """The posterior of the scores of rows that may lack numbers."""

    whole: VectorBelief

    def _of(self, columns: Integers) -> VectorBelief:
        return VectorBelief(*_marginal(self.whole.known, self.whole.scale, columns))

    def moments(self, rows: CloudRows) -> tuple[Array, Array]:
        """Return mean and variance of each score, rows × classes."""
        shape = 2, len(rows), len(self.whole.known.mean)
        found = _by_pattern(rows, shape, 1, lambda columns, some: np.stack(self._of(columns).moments(some)))
        return found[0], found[1]

    def draws(self, rows: CloudRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under `size` draws of means and covariances, size × rows × classes."""
        shape = size, len(rows), len(self.whole.known.mean)
        return _by_pattern(rows, shape, 1, lambda columns, some: self._of(columns).draws(some, rng, size))


@dataclass(frozen=True, eq=False, repr=False)
class Cloud(Discriminant):
    """Model several numeric columns jointly, with a mean and a covariance of their own in each class.

    `gain` is the reduction of log loss per held-out row.
    """

    gain: float | None = None

    word = "multivariate normal"
    correction: ClassVar[bool] = True

    def rows(self, *columns: Column | None) -> CloudRows:
        """Return columns as vectors; all numbers of an absent column are missing."""
        (length,) = {len(column) for column in columns if column is not None}
        there, found = np.zeros((length, len(columns)), bool), np.zeros((length, len(columns)))
        for k, column in enumerate(columns):
            if column is not None and column.n_missing < length:
                there[:, k] = column.present
                found[:, k] = np.where(column.present, numbers(column), 0.0)
        some = np.asarray(np.any(there, axis=1), np.bool_)
        matrix = RowMatrix.read(found, "X")
        return CloudRows(matrix, (), None if some.all() else some, None if there.all() else there)

    def scorer(self, t: FullMoments) -> CloudScores:  # type: ignore[override]
        """Return the scorer of rows, complete or not."""
        return CloudScores(super().scorer(t), self._after(t)[3])

    def held_out(self, t: FullMoments, rows: CloudRows, removed: Removal) -> DenseHeldOut:  # type: ignore[override]
        """Return held-out scores of training rows; incomplete rows were not counted, so they need no removal."""
        left = removed.among(rows.complete)
        found = super().held_out(t, rows, left)
        lacking = np.flatnonzero(~rows.complete)
        if len(lacking) and left.alone:
            found.table[lacking] = self.scorer(t).scores(rows.take(lacking))
        return found

    def belief(self, t: FullMoments, weights: Array | None = None) -> CloudBelief:  # type: ignore[override]
        """Return the posterior distribution of scores."""
        return CloudBelief(super().belief(t))

    def contributions(self, t: FullMoments, rows: CloudRows, weights: Array | None = None) -> Contributions:  # type: ignore[override]
        """Return the joint contribution of the row's numbers."""
        there = np.ones(rows.numbers.shape[1], bool) if rows.there is None else rows.there[0]
        both = zip(rows.numbers[0].tolist(), there.tolist(), strict=True)
        values = [f"{value:.6g}" if here else "missing" for value, here in both]
        more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
        said = f"{', '.join(values[:SHOWN])}{more}"
        return Contributions([0], [said], self.scorer(t).scores(rows), self.belief(t).moments(rows))
