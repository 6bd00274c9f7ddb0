"""Which model a column gets: by what it holds, and where that leaves a choice, by evidence.

Models of numbers are compared as densities, so that the unit does not matter: a value stands for the stretch of the
line that is nearest to it. Of a category, or a count, that is the stretch its probability is spread over; a normal
gets the variance within the stretches on top, so that it cannot be narrower than what the data can tell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.models.bins import widths
from suffice.models.columns.base import ColumnModel
from suffice.models.columns.categories import Bernoulli, Categorical
from suffice.models.columns.histogram import Histogram
from suffice.models.columns.real import Gaussian, Poisson
from suffice.models.columns.silent import Drop, Unknown
from suffice.models.columns.words import Text
from suffice.stats import DiagonalMoments, ValueCounts
from suffice.stats.values import on_grid
from suffice.tables import Column
from suffice.typing import Array, Integers

__all__ = ["choose"]

FEW, OFTEN = 10, 5
"""Whole numbers are categories where there are so few of them, each seen so often on average."""

PLAIN: dict[str, ColumnModel] = {
    "bool": Bernoulli(),
    "category": Categorical(),
    "text": Text(),
    "date": Drop(),
    "identifier": Drop(),
    "nothing": Unknown(),
}


def choose(
    column: Column, kind: str, codes: Integers, weights: Array | None, n_classes: int
) -> tuple[ColumnModel, Any]:
    """The model of a column of some kind, and the column's statistic."""
    rows = (codes, weights, n_classes)
    if kind in PLAIN:
        return PLAIN[kind], PLAIN[kind].count(column, *rows)
    grid = Histogram().count(column, *rows)
    if kind == "integer":
        values = grid if _exact(column) else Categorical().count(column, *rows)
        if len(values.values) <= FEW and values.count.sum() >= OFTEN * len(values.values):
            return Categorical(), values
    elif len(grid.values) == 1:
        return Histogram(), grid
    found: list[tuple[float, ColumnModel, Any]] = [(Histogram().log_evidence(grid), Histogram(), grid)]
    moments = Gaussian().count(column, *rows)
    found.append((Gaussian().log_evidence(_no_narrower(moments, grid)), Gaussian(), moments))
    if kind == "integer":
        found += _discrete(column, values, rows)
    best = max(found, key=lambda one: one[0])
    return best[1], best[2]


def _exact(column: Column) -> bool:
    """Whether the grid tells all the numbers of a column apart."""
    values = column.values if column.missing is None else column.values[~column.missing]
    return bool((on_grid(values) == values).all())


def _discrete(column: Column, values: ValueCounts, rows: Any) -> list[tuple[float, ColumnModel, Any]]:
    """Categories, and where nothing is negative, counts of events."""
    evidence = Categorical().log_evidence(values) - _spread(values)
    found: list[tuple[float, ColumnModel, Any]] = [(evidence, Categorical(), values)]
    if values.values[0] >= 0:
        events = Poisson().count(column, *rows)
        found.append((Poisson().log_evidence(events), Poisson(), events))
    return found


def _spread(values: ValueCounts) -> float:
    """Σ ln of the stretch each row's category is spread over: when it is new, that is anywhere on the line."""
    if len(values.values) < 2:
        return 0.0
    near = np.log(widths(values.values))
    anywhere = np.log(widths(values.values).sum())
    return float(np.maximum(values.totals - 1, 0) @ near + len(near) * anywhere)


def _no_narrower(moments: DiagonalMoments, grid: ValueCounts) -> DiagonalMoments:
    """Moments of values that are anywhere on the stretch nearest to them."""
    extra = np.bincount(grid.line, grid.count * widths(grid.values)[grid.place] ** 2 / 12, len(grid.n))
    scatter = moments.scatter + extra[:, None]
    return replace(moments, scatter=scatter, peak=np.maximum(moments.peak, scatter))
