"""Which likelihood a column gets: by what it holds, and where that leaves a choice, by evidence.

Likelihoods of numbers are compared as densities, so that the unit does not matter: a value stands for the stretch of
the line that is nearest to it. Of a category, or a count, that is the stretch over which the probability is spread; a
normal gets the variance within the stretches on top, so that it cannot be narrower than what the data can tell.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from suffice.models.empirical.bins import widths
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.gaussian import LARGEST, Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.likelihoods.silent import Drop, Unknown
from suffice.models.likelihoods.text_column import Text
from suffice.models.open_columns import Numbers, OpenBlock
from suffice.models.scoring.rows import Labels
from suffice.stats import DiagonalMoments, PoissonSums, ValueCounts
from suffice.stats.grid import on_grid
from suffice.stats.inputs import EXACT
from suffice.tables import Column

__all__ = ["choose"]

FEW, OFTEN = 10, 5
"""Whole numbers are categories where there are so few of them, each seen so often on average."""

COARSE = 2.0**-8
"""Less spread than this, relative to the numbers themselves, leaves the grid less than 16 steps of it."""

PLAIN: dict[str, Likelihood] = {
    "bool": Bernoulli(),
    "category": Categorical(),
    "text": Text(),
    "date": Drop(),
    "identifier": Drop(),
    "nothing": Unknown(),
}


def choose(column: Column, kind: str, labels: Labels) -> OpenBlock:
    """Return a column of some kind, counted by the likelihood that it favours.

    >>> from suffice.tables import Table
    >>> column = Table.read({"flag": [True, False, True]})["flag"]
    >>> block = choose(column, "bool", Labels(np.array([0, 0, 1]), None, 2))
    >>> block.likelihood, block.statistic.ones.ravel()
    (Bernoulli(), array([1., 1.]))
    """
    if kind in PLAIN:
        return OpenBlock.of_column(PLAIN[kind], column, labels)
    bins = OpenBlock.of_column(Histogram(), column, labels)
    best = _of_numbers(column, kind, bins, labels)
    return best.with_numbers(Numbers.of(column, labels, (bins.statistic, best.statistic)))


def _of_numbers(column: Column, kind: str, bins: OpenBlock, labels: Labels) -> OpenBlock:
    grid = bins.statistic
    largest = np.abs(grid.values).max()
    if largest > LARGEST:
        return bins
    integers = kind == "integer" and largest < EXACT
    values = _categories(column, grid, labels) if integers else None
    if values is not None and _few(values.statistic):
        return values
    if _too_coarse(column, grid, labels):
        return OpenBlock.of_column(Gaussian(), column, labels)
    if len(grid.values) == 1:
        return bins
    found: list[tuple[Likelihood | OpenBlock, float]] = [(bins, _evidence(bins)), (Gaussian(), _of_normal(grid))]
    if values is not None:
        found += [(values, _evidence(values) - _spread(values.statistic)), *_of_events(values.statistic)]
    best = max(found, key=lambda pair: pair[1])[0]
    return best if isinstance(best, OpenBlock) else OpenBlock.of_column(best, column, labels)


def _categories(column: Column, grid: ValueCounts, labels: Labels) -> OpenBlock:
    """Return whole numbers counted as categories: by the grid, if that tells all of them apart."""
    values = column.values if column.missing is None else column.values[~column.missing]
    exact = bool((on_grid(values) == values).all())
    return OpenBlock(Categorical(), grid) if exact else OpenBlock.of_column(Categorical(), column, labels)


def _few(values: ValueCounts) -> bool:
    return bool(len(values.values) <= FEW and values.count.sum() >= OFTEN * len(values.values))


def _too_coarse(column: Column, grid: ValueCounts, labels: Labels) -> bool:
    """Return whether numbers lie so close together, far from zero, that the grid cannot tell them apart."""
    typical = np.abs(grid.values).max()
    if grid.values[-1] - grid.values[0] > 16 * COARSE * typical:
        return False
    together = Labels(np.zeros(len(labels), np.int64), labels.weights, 1)
    t = OpenBlock.of_column(Gaussian(), column, together).statistic
    return bool(0 < t.scatter[0, 0] < t.n[0, 0] * (COARSE * typical) ** 2)


def _evidence(block: OpenBlock) -> float:
    """Return ln p of the values of a block, all classes together."""
    return float(np.sum(block.settled.log_evidence(block.t).sum()))


def _of_normal(grid: ValueCounts) -> float:
    """Return the evidence of a normal, which may not be narrower than the stretches that values stand for."""
    stretch = widths(grid.values)[grid.place] ** 2 / 12
    t = DiagonalMoments.of(grid.values[grid.place][:, None], grid.line, grid.count, n_classes=len(grid.n))
    scatter = t.scatter + np.bincount(grid.line, grid.count * stretch, len(grid.n))[:, None]
    return _evidence(OpenBlock(Gaussian(), replace(t, scatter=scatter, peak=np.maximum(t.peak, scatter))))


def _of_events(values: ValueCounts) -> list[tuple[Likelihood, float]]:
    """Return the evidence of counts of events, where nothing is negative."""
    if values.values[0] < 0 or values.values @ values.totals >= EXACT:
        return []
    each = values.values[values.place][:, None]
    events = PoissonSums.of(each, values.line, values.count, n_classes=len(values.n))
    return [(Poisson(), _evidence(OpenBlock(Poisson(), events)))]


def _spread(values: ValueCounts) -> float:
    """Return Σ ln of the stretch that each row's category is spread over: when it is new, that is the line of all."""
    if len(values.values) < 2:
        return 0.0
    near = np.log(widths(values.values))
    anywhere = np.log(widths(values.values).sum())
    return float(np.maximum(values.totals - 1, 0) @ near + len(near) * anywhere)
