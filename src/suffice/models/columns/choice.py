"""Which model a column gets: by what it holds, and where that leaves a choice, by evidence.

Models of numbers are compared as densities, so that the unit does not matter: a value stands for the stretch of the
line that is nearest to it. Of a category, or a count, that is the stretch its probability is spread over; a normal
gets the variance within the stretches on top, so that it cannot be narrower than what the data can tell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.models.empirical.bins import widths
from suffice.models.columns.base import ColumnModel
from suffice.models.columns.categories import Bernoulli, Categorical
from suffice.models.columns.histogram import Histogram
from suffice.models.columns.real import LARGEST, Gaussian, Poisson
from suffice.models.columns.silent import Drop, Unknown
from suffice.models.columns.words import Text
from suffice.stats import DiagonalMoments, PoissonSums, ValueCounts
from suffice.stats.grid import on_grid
from suffice.stats.inputs import EXACT
from suffice.tables import Column
from suffice.typing import Array, Integers

__all__ = ["choose", "chosen"]

FEW, OFTEN = 10, 5
"""Whole numbers are categories where there are so few of them, each seen so often on average."""

COARSE = 2.0**-8
"""Less spread than this, relative to the numbers themselves, leaves the grid less than 16 steps of it."""

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
    """The model of a column of some kind, and the column's statistic.

    >>> from suffice.tables import Table
    >>> column = Table.read({"flag": [True, False, True]})["flag"]
    >>> model, t = choose(column, "bool", np.array([0, 0, 1]), None, 2)
    >>> model, t.ones.ravel()
    (Bernoulli(), array([1., 1.]))
    """
    return chosen(column, kind, codes, weights, n_classes)[:2]


def chosen(
    column: Column, kind: str, codes: Integers, weights: Array | None, n_classes: int
) -> tuple[ColumnModel, Any, ValueCounts | None]:
    """The same, with the grid that it was chosen by; None of what is not a number."""
    rows = (codes, weights, n_classes)
    if kind in PLAIN:
        return PLAIN[kind], PLAIN[kind].count(column, *rows), None
    grid = Histogram().count(column, *rows)
    return *_of_numbers(column, kind, grid, *rows), grid


def _of_numbers(
    column: Column, kind: str, grid: ValueCounts, codes: Integers, weights: Array | None, n_classes: int
) -> tuple[ColumnModel, Any]:
    rows = (codes, weights, n_classes)
    largest = np.abs(grid.values).max()
    if largest > LARGEST:
        return Histogram(), grid
    whole = kind == "integer" and largest < EXACT
    values = Categorical().count(column, *rows) if whole and not _exact(column) else grid
    if whole and len(values.values) <= FEW and values.count.sum() >= OFTEN * len(values.values):
        return Categorical(), values
    if _too_coarse(column, grid, *rows):
        return Gaussian(), Gaussian().count(column, *rows)
    if len(grid.values) == 1:
        return Histogram(), grid
    found = _smooth(grid) | (_discrete(values) if whole else {})
    best = max(found, key=lambda model: found[model])
    known = {Histogram: grid, Categorical: values}.get(type(best))
    return best, best.count(column, *rows) if known is None else known


def _too_coarse(column: Column, grid: ValueCounts, codes: Integers, weights: Array | None, n_classes: int) -> bool:
    """Whether numbers lie so close together, far from zero, that the grid cannot tell them apart."""
    typical = np.abs(grid.values).max()
    if grid.values[-1] - grid.values[0] > 16 * COARSE * typical:
        return False
    t = Gaussian().count(column, np.zeros_like(codes), weights, 1)
    return bool(0 < t.scatter[0, 0] < t.n[0] * (COARSE * typical) ** 2)


def _exact(column: Column) -> bool:
    """Whether the grid tells all the numbers of a column apart."""
    values = column.values if column.missing is None else column.values[~column.missing]
    return bool((on_grid(values) == values).all())


def _smooth(grid: ValueCounts) -> dict[ColumnModel, float]:
    """The evidence of bins and of a normal, which may not be narrower than the stretches that values stand for."""
    stretch = widths(grid.values)[grid.place] ** 2 / 12
    t = DiagonalMoments.of(grid.values[grid.place][:, None], grid.line, grid.count, n_classes=len(grid.n))
    scatter = t.scatter + np.bincount(grid.line, grid.count * stretch, len(grid.n))[:, None]
    normal = Gaussian().log_evidence(replace(t, scatter=scatter, peak=np.maximum(t.peak, scatter)))
    return {Histogram(): Histogram().log_evidence(grid), Gaussian(): normal}


def _discrete(values: ValueCounts) -> dict[ColumnModel, float]:
    """The evidence of categories, and where nothing is negative, of counts of events."""
    found: dict[ColumnModel, float] = {Categorical(): Categorical().log_evidence(values) - _spread(values)}
    if values.values[0] >= 0 and values.values @ values.totals < EXACT:
        each = values.values[values.place][:, None]
        events = PoissonSums.of(each, values.line, values.count, n_classes=len(values.n))
        found[Poisson()] = Poisson().log_evidence(events)
    return found


def _spread(values: ValueCounts) -> float:
    """Σ ln of the stretch each row's category is spread over: when it is new, that is anywhere on the line."""
    if len(values.values) < 2:
        return 0.0
    near = np.log(widths(values.values))
    anywhere = np.log(widths(values.values).sum())
    return float(np.maximum(values.totals - 1, 0) @ near + len(near) * anywhere)
