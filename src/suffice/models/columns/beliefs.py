"""What is believed of the scores of single columns, and of a table of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Any

import numpy as np
from scipy import sparse

from suffice.models import texts
from suffice.models.columns import categories, histogram
from suffice.models.columns.base import ColumnModel, numbers
from suffice.models.columns.categories import Bernoulli, Categorical
from suffice.models.columns.histogram import Histogram
from suffice.models.columns.real import Gaussian, Poisson
from suffice.models.columns.words import Text, _texts
from suffice.models.uncertainty import Belief, Categories, Moments, Rates, Reals, Words
from suffice.stats import BinaryCounts, DiagonalMoments, PoissonSums, ValueCounts
from suffice.stats.words import WordCounts
from suffice.tables import Column, Table
from suffice.typing import Array

__all__ = ["ColumnBelief", "TableBelief", "column_belief"]


@dataclass(frozen=True)
class ColumnBelief:
    """A belief about one column, silent where a value is missing."""

    belief: Belief
    read: Callable[[Column], Any]

    def moments(self, column: Column) -> Moments:
        """Rows × classes."""
        mean, variance = self.belief.moments(self.read(column))
        there = column.present[:, None]
        return np.where(there, mean, 0.0), np.where(there, variance, 0.0)

    def draws(self, column: Column, rng: np.random.Generator, size: int) -> Array:
        """Draws × rows × classes."""
        return np.where(column.present[:, None], self.belief.draws(self.read(column), rng, size), 0.0)


@dataclass(frozen=True)
class TableBelief:
    """Beliefs about columns, which are independent. Columns that a table lacks are missing in every row."""

    columns: Mapping[Any, ColumnBelief]
    models: Mapping[Any, ColumnModel]
    classes: int
    weights: Mapping[Any, float]  # of columns; one where there is none

    def moments(self, table: Table) -> Moments:
        """Rows × classes."""
        mean, variance = np.zeros((2, len(table), self.classes))
        for name in self._there(table):
            first, second = self.columns[name].moments(table[name])
            weight = self.weights.get(name, 1.0)
            mean, variance = mean + weight * first, variance + weight**2 * second
        return mean, variance

    def draws(self, table: Table, rng: np.random.Generator, size: int) -> Array:
        """Draws × rows × classes."""
        total = np.zeros((size, len(table), self.classes))
        for name in self._there(table):
            total += self.weights.get(name, 1.0) * self.columns[name].draws(table[name], rng, size)
        return total

    def _there(self, table: Table) -> list[Any]:
        names = [name for name in self.columns if name in table and table[name].n_missing < len(table)]
        for name in names:
            self.models[name].read(table[name], "was learned as")
        return names


@singledispatch
def column_belief(model: ColumnModel, t: Any, strict: bool) -> ColumnBelief | None:
    """What is believed of a column's scores; None if it does not vote."""
    return None


@column_belief.register
def _(model: Bernoulli, t: BinaryCounts, strict: bool) -> ColumnBelief:
    belief = model.belief(t).update(t)
    return ColumnBelief(Categories([np.column_stack([belief.b, belief.a])]), lambda column: _one(model._places(column)))


@column_belief.register
def _(model: Categorical, t: ValueCounts, strict: bool) -> ColumnBelief:
    counts, alpha = model._with_other(t)
    last = counts.shape[1]

    def places(column: Column) -> Any:
        place = categories._places(t.values, strict, column)
        return _one(np.where(place < last, place, -1))  # what cannot be does not vote

    return ColumnBelief(Categories([counts + alpha]), places)


@column_belief.register
def _(model: Histogram, t: ValueCounts, strict: bool) -> ColumnBelief:
    bins = model.bins(t)
    alpha = bins.counts + model.strength * histogram._share(bins)
    return ColumnBelief(Categories([alpha]), lambda column: _one(histogram._places(bins, model.bits, column)))


@column_belief.register
def _(model: Gaussian, t: DiagonalMoments, strict: bool) -> ColumnBelief:
    event, rest, unit = model._in_own_unit(t, "predictive")
    prior: Any = event.prior
    parts = (np.broadcast_to(part, rest.mean.shape) for part in prior.update(rest)._values())
    return ColumnBelief(Reals(*parts), partial(_checked, model, unit))


@column_belief.register
def _(model: Poisson, t: PoissonSums, strict: bool) -> ColumnBelief:
    belief = model.belief(t).update(t)
    return ColumnBelief(Rates(np.asarray(belief.shape), np.asarray(belief.rate)), partial(_checked, model, 1.0))


@column_belief.register
def _(model: Text, t: WordCounts, strict: bool) -> ColumnBelief | None:
    if not t.width:
        return None
    analysis = model.analysis
    lexicon = texts.Lexicon.of(t, analysis)

    def matrix(column: Column) -> Any:
        return sparse.vstack([lexicon.matrix(b, t.width) for b in analysis.batches(_texts(column).fill_null(""))])

    return ColumnBelief(Words(t.tokens, model.pseudo_count(t), t.width), matrix)


def _one(places: Any) -> Any:
    return places[:, None]


def _checked(model: Any, unit: float, column: Column) -> Array:
    values = numbers(column)
    model._check(column, values)
    return np.asarray(values[:, None] / unit)
