"""Choose the likelihood of a column: by its values, and where these allow several, by evidence.

Likelihoods of numbers are compared as densities, so the unit does not matter: a value stands for the interval nearest
to it. The probability of a category or a count is spread over that interval. A normal gets the variance within
intervals added, so it cannot be narrower than the data resolve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from suffice.models.empirical.bins import bins_of_columns, densities_of_columns, widths
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

FEW, OFTEN = 10, 5
"""Whole numbers are categories if they have at most FEW distinct values, each seen OFTEN times on average."""

COARSE = 2.0**-8
"""Spread relative to the numbers themselves, below which the grid has fewer than 16 steps over it."""

ROWS, NUMBERS = 2**13, 2**21
"""Largest number of rows for which columns are counted together, and of numbers held at once."""

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
    """Return a column of the given kind, counted by its best likelihood.

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
    """Return whole numbers counted as categories; on the grid if it distinguishes them all."""
    values = column.values if column.missing is None else column.values[~column.missing]
    exact = bool((on_grid(values) == values).all())
    return OpenBlock(Categorical(), grid) if exact else OpenBlock.of_column(Categorical(), column, labels)


def _few(values: ValueCounts) -> bool:
    return bool(len(values.values) <= FEW and values.count.sum() >= OFTEN * len(values.values))


def _too_coarse(column: Column, grid: ValueCounts, labels: Labels) -> bool:
    """Return whether numbers are so close together, relative to their size, that the grid cannot distinguish them."""
    typical = np.abs(grid.values).max()
    if grid.values[-1] - grid.values[0] > 16 * COARSE * typical:
        return False
    together = Labels(np.zeros(len(labels), np.int64), labels.weights, 1)
    t = OpenBlock.of_column(Gaussian(), column, together).statistic
    return bool(0 < t.scatter[0, 0] < t.n[0, 0] * (COARSE * typical) ** 2)


def _evidence(block: OpenBlock) -> float:
    """Return the log evidence of a block's values, summed over classes."""
    return float(np.sum(block.settled.log_evidence(block.t).sum()))


def _of_normal(grid: ValueCounts) -> float:
    """Return the log evidence of a normal that cannot be narrower than the intervals of values."""
    t = DiagonalMoments.of(grid.values[grid.place][:, None], grid.line, grid.count, n_classes=len(grid.n))
    return float(_of_normals(ColumnCounts.side_by_side([grid]), t)[0])


def _of_events(values: ValueCounts) -> list[tuple[Likelihood, float]]:
    """Return the log evidence of event counts; empty if values are negative or too large."""
    if values.values[0] < 0 or (values.values * values.totals).sum() >= EXACT:
        return []
    each = values.values[values.place][:, None]
    events = PoissonSums.of(each, values.line, values.count, n_classes=len(values.n))
    return [(Poisson(), _evidence(OpenBlock(Poisson(), events)))]


def _spread(values: ValueCounts) -> float:
    """Return Σ ln of the interval that each row's category is spread over: that of all values when it is new."""
    if len(values.values) < 2:
        return 0.0
    near = np.log(widths(values.values))
    anywhere = np.log(widths(values.values).sum())
    return float((np.maximum(values.totals - 1, 0) * near).sum() + len(near) * anywhere)


# many columns of real numbers at once ---------------------------------------------------------------------------------


def choose_numbers(columns: Sequence[Column], labels: Labels) -> dict[str | int, OpenBlock]:
    """Return plain real columns, counted by their best likelihoods; other columns are left out.

    Plain columns have no missing values, weights or shares, and their numbers are neither whole, huge nor all equal.
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
    """Return the log evidence of normals that cannot be narrower than the intervals of values."""
    stretch, columns = widths(grid.values, grid.first) ** 2 / 12, len(grid)
    at = grid.line * columns + grid.column[grid.place]
    more = np.bincount(at, grid.count * stretch[grid.place], t.mean.size).reshape(t.mean.shape)
    t = replace(t, scatter=t.scatter + more, peak=np.maximum(t.peak, t.scatter + more))
    middle, spread = units(t)
    vague = NormalInverseGamma(middle, KAPPA, SHAPE, (SHAPE - 1) * spread)
    found: Array = np.asarray(vague.log_evidence(t)).sum(axis=0)
    return found


def _kept(counts: ColumnCounts) -> list[tuple[ValueCounts | None, int]]:
    """Return the counts to keep of each column, coarsened if they are too many (None if not), and the grid's bits."""
    bits, size = np.full(len(counts), BITS), np.diff(counts.cells)
    while ((size > CELLS) & (bits > 0)).any():
        less = np.ceil(np.log2(np.maximum(size / CELLS, 1))).astype(np.int64)  # dropping a bit keeps at least half
        bits = np.where(size > CELLS, np.maximum(0, bits - less), bits)
        size = counts.cells_on(bits)
    coarse = bits < BITS
    if not coarse.any():
        return [(None, BITS)] * len(counts)
    each = iter(counts.take(coarse).on(bits[coarse]).each)
    return [(next(each) if one else None, own) for one, own in zip(coarse.tolist(), bits.tolist(), strict=True)]
