"""Score many numeric columns at once, where each alone would take as long.

The formulas are those of `Gaussian`, with vague or given priors integrated out, and of `Histogram`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.models.empirical.bins import Bins, bins_of_columns
from suffice.models.empirical.normals import KAPPA, SHAPE, units
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.places import log_share
from suffice.models.model import Block, Name
from suffice.models.scoring.linear import DenseHeldOut
from suffice.models.scoring.reals import Downdates, StudentTs
from suffice.models.scoring.removal import Removal, left
from suffice.models.scoring.results import HeldOut
from suffice.models.scoring.rows import Labels, MatrixRows, Rows
from suffice.models.views import Weights
from suffice.parallel import in_parallel
from suffice.posterior import NormalInverseGamma
from suffice.stats import DiagonalMoments, ValueCounts
from suffice.stats.base import sealed
from suffice.stats.number_columns import ColumnCounts, each_feature
from suffice.typing import Array, Integers

NUMBERS, SEVERAL = 2**16, 8
"""Largest number of values scored at once; smallest number of columns scored together."""


@dataclass(frozen=True, eq=False)
class NormalColumns:
    """Score columns whose means and variances are integrated out, with priors in each column's own unit."""

    law: Gaussian  # for rows as vectors, in these units
    t: DiagonalMoments
    unit: Array

    @staticmethod
    def can_hold(law: Likelihood) -> bool:
        """Return whether a likelihood can be scored this way."""
        if type(law) is not Gaussian or not law.column or law.floor or law.estimate != "predictive":
            return False
        return law.prior is None or (isinstance(law.prior, NormalInverseGamma) and not np.ndim(law.prior.m))

    @classmethod
    def of(cls, laws: Sequence[Any], statistics: Sequence[DiagonalMoments]) -> NormalColumns:
        """Return the columns with the given likelihoods and moments."""
        parts = {name: sealed(np.hstack([getattr(t, name) for t in statistics])) for name in statistics[0].arrays()}
        if (parts["n"] == parts["n"][:, :1]).all():  # all columns have equally many rows
            parts["n"] = statistics[0].n
        t = DiagonalMoments(**parts)
        prior, unit = _priors(laws, t)
        powers = {"mean": unit, "mean_lo": unit, "n": 1.0}
        own = DiagonalMoments(**{name: part / powers.get(name, unit**2) for name, part in parts.items()})
        m, kappa, a, b = prior
        return cls(Gaussian(NormalInverseGamma(m / unit, kappa, a, b / unit**2), column=False), own, unit)

    @cached_property
    def densities(self) -> StudentTs:
        """Return the Student-t of each class and column."""
        found = self.law.scorer(self.t)
        assert isinstance(found, StudentTs)
        return found

    def scores(self, columns: Array) -> Array:
        """Return ln p(x_j | c), columns × rows × classes, for numbers given as columns × rows."""
        out = np.empty((*columns.shape, len(self.t.mean)))
        for c, (away, top) in enumerate(self._parts(columns)):
            np.subtract(top, away, out=out[..., c])
        return out

    def add(self, columns: Array, powers: Array, out: Array) -> None:
        """Add Σ_j w_j ln p(x_j | c) to scores, rows × classes."""
        for c, (away, top) in enumerate(self._parts(columns)):
            out[:, c] += powers @ top - powers @ away

    def _parts(self, columns: Array) -> Iterator[tuple[Array, Array]]:
        """Yield for each class how far each number's log density is below that at the mode, and the latter."""
        by, x = self.densities, columns / self.unit[:, None]
        tables = (np.broadcast_to(part, self.t.mean.shape) for part in (by.df, by.location, by.scale, by.top))
        for df, location, scale, top in zip(*(part[..., None] for part in tables), strict=True):
            away = (x - location) / scale
            away *= away
            away /= df
            np.log1p(away, out=away)
            away *= (df + 1) / 2
            yield away, top

    def held_out(self, columns: Array, removed: Removal) -> Array:
        """Return ln p(x_j | c) of training rows by classes without the row or its group, columns × rows × classes."""
        out, x = self.scores(columns), (columns / self.unit[:, None]).T
        less, step = Downdates(self.t, x, removed), max(1, NUMBERS // x.shape[1])
        for at in range(0, len(removed.row), step):
            pairs = slice(at, at + step)
            out[:, removed.row[pairs], removed.code[pairs]] = self.law.logs_without(less, pairs).T
        return out


def _priors(laws: Sequence[Any], t: DiagonalMoments) -> tuple[list[Any], Array]:
    """Return m, κ, a and b of each column's prior, vague if not given, with equal ones as one number, and the units."""
    middle, spread = units(t)
    found = [middle, np.full(len(middle), KAPPA), np.full(len(middle), SHAPE), (SHAPE - 1) * spread]
    unit = 2.0 ** (np.frexp(spread)[1] // 2)
    given = [j for j, law in enumerate(laws) if law.prior is not None]
    if given:
        values = np.array([laws[j].prior._values() for j in given]).T
        for part, own in zip(found, values, strict=True):
            part[given] = own
        unit[given] = [laws[j].unit for j in given]
    return [part[0] if (part == part[0]).all() else part for part in found], unit


@dataclass(frozen=True, eq=False)
class BinColumns:
    """Score columns by bins, concatenated over columns."""

    edges: list[Array]
    first: Integers  # first bin of each column
    counts: Array  # bins × classes
    more: Array  # pseudo-count of each bin
    n: Array  # rows of each class, columns × classes
    added: Array  # pseudo-counts in all, one per column

    @staticmethod
    def can_hold(law: Likelihood) -> bool:
        """Return whether a likelihood can be scored this way."""
        return type(law) is Histogram and law.estimate in ("mean", "predictive")

    @classmethod
    def of(cls, laws: Sequence[Histogram], bins: Sequence[Bins]) -> BinColumns:
        """Return the columns with the given likelihoods and bins."""
        counts = np.hstack([one.counts for one in bins]).T
        sizes = np.array([len(one.edges) + 1 for one in bins])
        first = np.append(0, np.cumsum(sizes))[:-1]
        n, totals = np.add.reduceat(counts, first, axis=0), counts.sum(axis=1)
        totals = np.where(totals > 0, totals, 1.0)  # empty bins count as one row
        strength = np.array([law.strength for law in laws])
        more = np.repeat(strength, sizes) * (totals / np.repeat(np.add.reduceat(totals, first), sizes))
        return cls([one.edges for one in bins], first, counts, more, n, np.add.reduceat(more, first))

    @cached_property
    def log_theta(self) -> Array:
        """Return ln θ, bins × classes."""
        sizes = np.diff(np.append(self.first, len(self.counts)))
        return np.asarray(
            np.log((self.counts + self.more[:, None]) / np.repeat(self.n + self.added[:, None], sizes, axis=0))
        )

    def places(self, columns: Array) -> Integers:
        """Return the bin of each number, columns × rows, numbered over all columns."""
        each = zip(self.edges, columns, self.first.tolist(), strict=True)
        return np.stack([np.searchsorted(edges, x, side="right") + first for edges, x, first in each])

    def scores(self, columns: Array) -> Array:
        """Return ln p(x_j | c), columns × rows × classes, for numbers on the grid, columns × rows."""
        return np.asarray(self.log_theta.take(self.places(columns), axis=0))

    def add(self, columns: Array, powers: Array, out: Array) -> None:
        """Add Σ_j w_j ln p(x_j | c) to scores, rows × classes."""
        sizes = np.diff(np.append(self.first, len(self.counts)))
        weighed = self.log_theta * np.repeat(powers, sizes)[:, None]
        for places in self.places(columns):
            out += weighed.take(places, axis=0)

    def held_out(self, columns: Array, removed: Removal) -> Array:
        """Return ln p(x_j | c) of training rows by classes without the row, in unchanged bins; rows have no groups."""
        places = self.places(columns)
        out = np.asarray(self.log_theta.take(places, axis=0))
        if len(removed.row):
            mine, code = places[:, removed.row], removed.code
            rest, n = left(self.counts[mine, code], removed.weight), left(self.n[:, code], removed.weight)
            own = log_share(rest + self.more[mine], n + self.added[:, None], 1)
            out[:, removed.row, code] = own
        return out


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """Hold columns of one kind, by name."""

    names: list[Name]
    law: NormalColumns | BinColumns

    @classmethod
    def among(cls, blocks: Mapping[Name, Block], names: Iterable[Name], rows: int) -> list[NumberColumns]:
        """Return the columns of each kind, in groups for scoring `rows` rows at once."""
        kinds: dict[Any, list[Name]] = {NormalColumns: [], BinColumns: []}
        known = dict[int, Any]()
        for name in names:
            law = blocks[name].likelihood
            if id(law) not in known:
                known[id(law)] = next((kind for kind in kinds if kind.can_hold(law)), None)
            if known[id(law)] is not None:
                kinds[known[id(law)]].append(name)
        settle_bins([blocks[name] for name in kinds[BinColumns]])
        step = max(1, NUMBERS // max(1, rows))
        parts = [(kind, some[at : at + step]) for kind, some in kinds.items() for at in range(0, len(some), step)]
        return in_parallel(lambda part: cls(part[1], _law(part[0], [blocks[name] for name in part[1]])), parts)

    def add(self, rows: Mapping[Name, Rows], weights: Weights | None, out: Array) -> None:
        """Add the weighted evidence of rows to their scores, rows × classes."""
        powers = np.array([1.0 if weights is None else weights.of_block(name) for name in self.names])
        step = max(1, NUMBERS // len(self.names))
        for at in range(0, len(out), step):
            part = slice(at, at + step)
            self.law.add(_numbers(rows, self.names, part), powers, out[part])


def _law(kind: type, blocks: Sequence[Block]) -> NormalColumns | BinColumns:
    if kind is NormalColumns:
        return NormalColumns.of([block.likelihood for block in blocks], [block.t for block in blocks])
    laws: list[Any] = [block.settled for block in blocks]
    return BinColumns.of(laws, [law.bins(block.t) for law, block in zip(laws, blocks, strict=True)])


def _numbers(rows: Mapping[Name, Rows], names: Iterable[Name], part: slice = slice(None)) -> Array:
    """Return the numbers of rows, or of a slice of them, columns × rows."""
    return np.stack([np.asarray(_source(rows[name])[part], np.float64) for name in names])


def _source(rows: Rows) -> Any:
    assert isinstance(rows, MatrixRows)
    return rows.source.matrix[:, 0]


def complete(rows: Rows) -> bool:
    """Return whether rows are numbers of one column without missing values."""
    return isinstance(rows, MatrixRows) and rows.present is None and not rows.source.is_sparse and rows.width == 1


def held_out_side_by_side(
    blocks: Mapping[Name, Block], rows: Mapping[Name, Rows], names: Iterable[Name], removed: Removal
) -> dict[Name, HeldOut]:
    """Return held-out scores of training rows for numeric columns; other columns are left out."""
    if len(removed.row) and not removed.alone:
        return {}
    some = [name for name in names if complete(rows[name])]
    if len(some) < 2:
        return {}
    groups = NumberColumns.among(blocks, some, len(rows[some[0]]))
    found = in_parallel(lambda group: group.law.held_out(_numbers(rows, group.names), removed), groups)
    each = zip(groups, found, strict=True)
    return {name: DenseHeldOut(votes) for group, cube in each for name, votes in zip(group.names, cube, strict=True)}


def counted_side_by_side(
    laws: Mapping[Name, Likelihood], rows: Mapping[Name, Rows], labels: Labels
) -> dict[Name, DiagonalMoments | ValueCounts]:
    """Return the statistics of numeric columns; other columns are left out."""
    if labels.shares or not len(labels):
        return {}
    names = [name for name in laws if name in rows and complete(rows[name])]
    normal = [name for name in names if type(laws[name]) is Gaussian]
    binned = [name for name in names if type(laws[name]) is Histogram and labels.weights is None]
    found = dict[Name, DiagonalMoments | ValueCounts]()
    if normal:
        t = DiagonalMoments.of(_numbers(rows, normal).T, labels.y, labels.weights, n_classes=labels.n_classes)
        found |= zip(normal, each_feature(t), strict=True)
    if binned:
        found |= zip(binned, ColumnCounts.of(_numbers(rows, binned), labels.y, labels.n_classes).each, strict=True)
    return found


def settle_bins(blocks: Sequence[Block]) -> None:
    """Settle blocks that lack bins, together where their classes have equal counts."""
    alike = dict[Any, list[Block]]()
    for block in blocks:
        law = block.likelihood
        if (
            "settled" not in vars(block)
            and isinstance(law, Histogram)
            and law.edges is None
            and len(block.t.values) > 1
        ):
            alike.setdefault((law.strength, block.t.n.tobytes()), []).append(block)
    for (strength, _), some in alike.items():
        for block, bins in zip(
            some, bins_of_columns(ColumnCounts.side_by_side([b.t for b in some]), strength), strict=True
        ):
            law = block.likelihood
            assert isinstance(law, Histogram)
            block.__dict__["settled"] = law.with_bins(bins)
