"""Which likelihood a column gets: by what it holds, and where that leaves a choice, by evidence.

Likelihoods of numbers are compared as densities, so that the unit does not matter: a value stands for the stretch of
the line that is nearest to it. Of a category, or a count, that is the stretch over which the probability is spread; a
normal gets the variance within the stretches on top, so that it cannot be narrower than what the data can tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from suffice.models.empirical.bins import bins_of_columns, densities_of_columns, widths, widths_of_columns
from suffice.models.empirical.normals import KAPPA, SHAPE, units
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.gaussian import LARGEST, Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.likelihoods.silent import Drop, Unknown
from suffice.models.likelihoods.text_column import Text
from suffice.models.open_columns import CELLS, Numbers, OpenBlock
from suffice.models.scoring.rows import Labels
from suffice.posterior import NormalInverseGamma
from suffice.stats import DiagonalMoments, PoissonSums, ValueCounts
from suffice.stats.grid import BITS, on_grid
from suffice.stats.inputs import EXACT
from suffice.stats.number_columns import ColumnCounts, each_feature
from suffice.tables import Column
from suffice.typing import Array, Booleans

__all__ = ["choose", "choose_numbers"]

FEW, OFTEN = 10, 5
"""Whole numbers are categories where there are so few of them, each seen so often on average."""

COARSE = 2.0**-8
"""Less spread than this, relative to the numbers themselves, leaves the grid less than 16 steps of it."""

ROWS, NUMBERS = 2**13, 2**21
"""Rows up to which columns are counted together, since each alone takes little; and numbers that are held at once."""

NORMAL, BINS = Gaussian(), Histogram()

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
    if values.values[0] < 0 or (values.values * values.totals).sum() >= EXACT:
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
    return float((np.maximum(values.totals - 1, 0) * near).sum() + len(near) * anywhere)


# columns of real numbers, many of them at once ------------------------------------------------------------------------


def choose_numbers(columns: Sequence[Column], labels: Labels) -> dict[str | int, OpenBlock]:
    """Return columns of plain real numbers, counted by the likelihoods that they favour; the others are left out.

    Plain are numbers of rows that have all of them, weigh one each, and are neither whole nor huge nor all alike.
    """
    if labels.weights is not None or labels.shares or not 0 < len(labels) <= ROWS:
        return {}
    plain = [one for one in columns if one.storage == "real" and one.missing is None and one.values.dtype == np.float64]
    step = max(1, NUMBERS // len(labels))
    found = dict[str | int, OpenBlock]()
    for at in range(0, len(plain), step):
        found |= _chosen(plain[at : at + step], labels)
    return found


def _chosen(columns: Sequence[Column], labels: Labels) -> Mapping[str | int, OpenBlock]:
    x = np.stack([column.values for column in columns])
    some = _tellable(x)
    if not some.any():
        return {}
    names = [column.name for column, one in zip(columns, some.tolist(), strict=True) if one]
    x = x if some.all() else x[some]
    grid = on_grid(x)
    counts, moments = ColumnCounts.of(grid, labels.y, labels.n_classes), _moments(x, labels)
    bins = bins_of_columns(counts, BINS.strength)
    by_bins = np.array([one.log_evidence for one in bins]) + densities_of_columns(counts)
    normal = (_of_normals(counts, _moments(grid, labels)) > by_bins).tolist()
    numbers = zip(each_feature(moments), counts.each, _kept(counts), strict=True)
    found = dict[str | int, OpenBlock]()
    for name, is_normal, one, (own, values, (kept, bits)) in zip(names, normal, bins, numbers, strict=True):
        beside = Numbers(own, None, values if kept is None else kept, bits, False)
        found[name] = OpenBlock(NORMAL, own, beside) if is_normal else OpenBlock(BINS, values, beside)
        if not is_normal:
            found[name].__dict__["settled"] = BINS.with_bins(one)
    return found


def _tellable(x: Array) -> Booleans:
    """Return which columns have numbers that are not all whole, not huge, and far enough apart for the grid."""
    with np.errstate(invalid="ignore"):
        largest = np.abs(x).max(axis=1)
        small = (largest <= min(LARGEST, EXACT)) & (largest < EXACT)
        whole = (x == np.floor(x)).all(axis=1)
        ends = on_grid(np.stack([x.min(axis=1), x.max(axis=1)]))
        apart = ends[1] - ends[0] > 16 * COARSE * np.abs(ends).max(axis=0)
    return np.asarray(small & ~whole & apart)


def _moments(x: Array, labels: Labels) -> DiagonalMoments:
    return DiagonalMoments.of(x.T, labels.y, n_classes=labels.n_classes)


def _of_normals(grid: ColumnCounts, t: DiagonalMoments) -> Array:
    """Return the evidence of normals, which may not be narrower than the stretches that values stand for."""
    stretch, columns = widths_of_columns(grid) ** 2 / 12, len(grid)
    at = grid.line * columns + grid.column[grid.place]
    more = np.bincount(at, grid.count * stretch[grid.place], t.mean.size).reshape(t.mean.shape)
    t = replace(t, scatter=t.scatter + more, peak=np.maximum(t.peak, t.scatter + more))
    middle, spread = units(t)
    vague = NormalInverseGamma(middle, KAPPA, SHAPE, (SHAPE - 1) * spread)
    found: Array = np.asarray(vague.log_evidence(t)).sum(axis=0)
    return found


def _kept(counts: ColumnCounts) -> list[tuple[ValueCounts | None, int]]:
    """Return what is kept of the values of each column on a coarser grid, if there are too many, and its bits."""
    bits, size = np.full(len(counts), BITS), np.diff(counts.cells)
    while ((size > CELLS) & (bits > 0)).any():
        less = np.ceil(np.log2(np.maximum(size / CELLS, 1))).astype(np.int64)  # a bit less leaves at least half
        bits = np.where(size > CELLS, np.maximum(0, bits - less), bits)
        size = counts.cells_on(bits)
    coarse = bits < BITS
    if not coarse.any():
        return [(None, BITS)] * len(counts)
    each = iter(counts.take(coarse).on(bits[coarse]).each)
    return [(next(each) if one else None, own) for one, own in zip(coarse.tolist(), bits.tolist(), strict=True)]
