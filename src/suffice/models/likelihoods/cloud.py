"""Columns of numbers as one cloud: a normal vector in each class, in place of what the columns say one by one.

score      Student-t of the class's own mean and covariance, the prior learned by evidence               GD-2
missing    the same Student-t of the numbers that are there: their part of location and scale
held out   a rank-one downdate, or the moments without the group                                         SX-3

Rows that have all numbers are counted; rows that have some are scored. Evidence and EM are those of the columns alone
(JC-7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.ellipses import Ellipses, Law, VectorBelief, roots_of
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Contributions
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.stats import FullMoments
from suffice.stats.inputs import RowMatrix
from suffice.tables import Column, numbers
from suffice.typing import Array, Booleans, Integers

__all__ = ["Cloud", "CloudRows"]

SHOWN = 4
"""Numbers of a row that an explanation names."""


@dataclass(frozen=True, eq=False)
class CloudRows(MatrixRows):
    """Rows of several numbers, some of which may be missing; `present` are rows that have any."""

    there: Booleans | None = None  # which numbers there are, rows × columns; None if all

    @cached_property
    def complete(self) -> Booleans:
        """Which rows have all numbers."""
        return np.ones(len(self), bool) if self.there is None else np.asarray(self.there.all(axis=1))

    def take(self, which: Any) -> Self:
        """Return some of the rows."""
        return replace(super().take(which), there=None if self.there is None else self.there[which])

    def part(self, block: slice) -> Self:
        """Return a stretch of the rows."""
        return replace(super().part(block), there=None if self.there is None else self.there[block])

    def count(self, kind: type[Any], labels: Labels) -> Any:
        """Return the statistic of the rows that have all numbers."""
        if self.there is None:
            return super().count(kind, labels)
        return replace(self, there=None).take(self.complete).count(kind, labels.take(self.complete))

    def patterns(self) -> Iterator[tuple[Integers, Integers, MatrixRows]]:
        """Yield the columns of numbers that some rows have, and these rows, by number and by those columns."""
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
    """Return what is asked of rows, by the columns that they have; zeros for rows that have none."""
    out = np.zeros(shape)
    for columns, which, some in rows.patterns():
        out[(slice(None),) * axis + (which,)] = ask(columns, some)
    return out


def _marginal(known: Ellipses, scale: Array, columns: Integers) -> tuple[Ellipses, Array]:
    """Return the densities of some of the columns, and their part of the scale."""
    part = np.ascontiguousarray(scale[:, columns][:, :, columns])
    root, log_det = roots_of(part, known.kappa > 0)
    law, fewer = Law(known.law.estimate, len(columns)), known.law.d - len(columns)
    return Ellipses(law, known.mean[:, columns], known.kappa, known.nu - fewer, root, log_det), part


@dataclass(frozen=True, eq=False)
class CloudScores:
    """Student-t's of vectors, and of parts of them."""

    known: Ellipses
    scale: Array

    def scores(self, rows: CloudRows) -> Array:
        """Return ln p(x | c) of the numbers that are there, rows × classes."""
        if rows.there is None:
            return self.known.scores(rows)
        shape = len(rows), len(self.known.mean)
        return _by_pattern(rows, shape, 0, lambda columns, some: self._of(columns).scores(some))

    def _of(self, columns: Integers) -> Ellipses:
        return self.known if len(columns) == self.known.law.d else _marginal(self.known, self.scale, columns)[0]


@dataclass(frozen=True, eq=False)
class CloudBelief:
    """What is believed of the scores of rows that may lack numbers."""

    whole: VectorBelief

    def _of(self, columns: Integers) -> VectorBelief:
        return VectorBelief(*_marginal(self.whole.known, self.whole.scale, columns))

    def moments(self, rows: CloudRows) -> tuple[Array, Array]:
        """Return mean and variance of each score, rows × classes."""
        shape = 2, len(rows), len(self.whole.known.mean)
        found = _by_pattern(rows, shape, 1, lambda columns, some: np.stack(self._of(columns).moments(some)))
        return found[0], found[1]

    def draws(self, rows: CloudRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under drawn means and covariances, size × rows × classes."""
        shape = size, len(rows), len(self.whole.known.mean)
        return _by_pattern(rows, shape, 1, lambda columns, some: self._of(columns).draws(some, rng, size))


@dataclass(frozen=True, eq=False, repr=False)
class Cloud(Discriminant):
    """Several columns of numbers together, with a mean and a covariance of their own in each class.

    `gain` is what they save of the log loss of a row outside the counts.
    """

    gain: float | None = None

    word = "cloud"
    correction: ClassVar[bool] = True
    replaces: ClassVar[bool] = True

    @property
    def chosen_by_rows(self) -> bool:
        """Whether rows chose it, and not the user: always."""
        return True

    def changed_where_known(self, **options: Any) -> Self:
        """Return the likelihood: how it estimates does not depend on how columns do."""
        return self

    def rows(self, *columns: Column | None) -> CloudRows:
        """Return columns as vectors; a column that is not there has no numbers."""
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
        """Return what scores rows, whichever numbers they have."""
        return CloudScores(super().scorer(t), self._after(t)[3])

    def held_out(self, t: FullMoments, rows: CloudRows, removed: Removal) -> DenseHeldOut:  # type: ignore[override]
        """Score training rows, each by classes without it or its group; rows that lack numbers were not counted."""
        left = removed.among(rows.complete)
        found = super().held_out(t, rows, left)
        lacking = np.flatnonzero(~rows.complete)
        if len(lacking) and left.alone:
            found.table[lacking] = self.scorer(t).scores(rows.take(lacking))
        return found

    def belief(self, t: FullMoments, weights: Array | None = None) -> CloudBelief:  # type: ignore[override]
        """Return what is believed of the scores of rows."""
        return CloudBelief(super().belief(t))

    def contributions(self, t: FullMoments, rows: CloudRows, weights: Array | None = None) -> Contributions:  # type: ignore[override]
        """Explain one row: what its numbers say together."""
        there = np.ones(rows.numbers.shape[1], bool) if rows.there is None else rows.there[0]
        both = zip(rows.numbers[0].tolist(), there.tolist(), strict=True)
        values = [f"{value:.6g}" if here else "missing" for value, here in both]
        more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
        said = f"{', '.join(values[:SHOWN])}{more} together"
        return Contributions([0], [said], self.scorer(t).scores(rows), self.belief(t).moments(rows))

    def log_evidence(self, t: FullMoments) -> Cells:
        """Return zeros, classes × 1: the columns alone have the evidence."""
        return Cells(np.zeros((len(t.mean), 1)))
