"""Choose the bins of a real column by evidence, from counts on the fine grid.

Values are binned: class c falls into bin b with probability θ_cb, and within a bin all classes share one density:

    θ_c ~ Dirichlet(A·share), where a bin's share is its fraction of all rows      p(x | c) = θ_cb · q(x | b)
    HB-1  posterior mean     θ_cb = (N_cb + A·share_b) / (N_c + A)
    HB-2  evidence of cuts   Σ_c ln DirichletMultinomial(N_c ; A·share) − Σ_b N_b ln share_b − cuts · ln G
    HB-3  as a density       HB-2 + ln DirichletMultinomial(N ; A·width) − Σ_b N_b ln width_b − cuts · ln G
    HB-4  in all classes     (N h(x) + g(x)) / (N + 1): h the histogram of HB-3, g a wide Cauchy (shared_density)

The second term of HB-2 is the evidence if classes do not differ, so HB-2 is a log Bayes factor. Each of the G − 1
possible cuts has prior odds 1 : G. Dynamic programming finds the best set of cuts exactly. Only the order of values
matters, not their unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from suffice import _native
from suffice.parallel import thread_count
from suffice.posterior.special import log_rising
from suffice.stats import ValueCounts
from suffice.stats.number_columns import ColumnCounts
from suffice.typing import Array, Booleans, Integers

PLACES = 128
NUMBERS = 2**20


@dataclass(frozen=True)
class Bins:
    """The edges between bins, and the number of rows of each class in each bin."""

    edges: Array
    counts: Array  # classes × bins
    log_evidence: float  # HB-2: above zero if the classes differ

    def place(self, values: Array) -> Integers:
        """Return the bin of each value."""
        return np.searchsorted(self.edges, values, side="right")

    def drawn(self, t: ValueCounts, place: Integers, rng: np.random.Generator) -> Array:
        """Return a value drawn from each given bin, in proportion to its total count; an edge if the bin is empty."""
        ends = np.append(0.0, np.cumsum(t.totals))
        first = np.concatenate([[0], np.searchsorted(t.values, self.edges), [len(t.values)]])
        low, high = ends[first[place]], ends[first[place + 1]]
        at = np.searchsorted(ends, low + rng.random(len(place)) * (high - low), side="right") - 1
        values = t.values[np.clip(at, 0, len(t.values) - 1)]
        nearest = self.edges[np.clip(place, 0, len(self.edges) - 1)] if len(self.edges) else values
        return np.where(high > low, values, nearest)

    def names(self) -> list[str]:
        """Return the display name of each bin."""
        ends = [f"{edge:.6g}" for edge in self.edges]
        if not ends:
            return ["any"]
        middle = [f"{low} to {high}" for low, high in pairwise(ends)]
        return [f"below {ends[0]}", *middle, f"{ends[-1]} or more"]


def chosen_bins(t: ValueCounts, strength: float) -> Bins:
    """Return the bins of one column that maximize the evidence."""
    if len(t.values) < 2:
        return Bins(np.zeros(0), t.n[:, None], 0.0)
    return bins_of_columns(ColumnCounts.side_by_side([t]), strength)[0]


def given_bins(t: ValueCounts, edges: Array) -> Bins:
    """Return the bins between given edges."""
    place = np.searchsorted(edges, t.values, side="right")
    counts = np.zeros((len(t.n), len(edges) + 1))
    np.add.at(counts, (t.line, place[t.place]), t.count)
    return Bins(edges, counts, 0.0)


def log_density(t: ValueCounts, strength: float = 1.0) -> float:
    """Return `densities_of_columns` of one column."""
    return float(densities_of_columns(ColumnCounts.side_by_side([t]), strength)[0])


def widths(values: Array, first: Integers | None = None) -> Array:
    """Return the length of the interval nearest to each value within its column; at both ends they are symmetric.

    Column j has the values from `first[j]` up to `first[j + 1]`; without `first`, there is one column.
    """
    first = np.array([0, len(values)]) if first is None else first
    low, high, last = np.empty(len(values)), np.empty(len(values)), first[1:] - 1
    between = _between(values)
    low[1:], high[:-1] = between, between
    low[first[:-1]], high[last] = values[first[:-1]], values[last]
    several = np.diff(first) > 1
    begin, end = first[:-1][several], last[several]
    low[begin] = 2 * values[begin] - high[begin]
    high[end] = 2 * values[end] - low[end]
    return np.asarray(high - low)


def candidates(totals: Array, most: int, first: Integers | None = None) -> tuple[Integers, Integers]:
    """Return where bins may start, and the index of each column's first start.

    Frequent values stand alone, and the others form groups of about equal counts.
    """
    first = np.array([0, len(totals)]) if first is None else first
    sizes, begin = np.diff(first), first[:-1]
    level = np.add.reduceat(totals, begin) / most
    heavy = totals > np.repeat(level, sizes)
    for _ in range(4):
        light = np.where(heavy, 0.0, totals)
        rest = np.add.reduceat(light, begin)
        level = rest / np.maximum(1, most - np.add.reduceat(heavy, begin, dtype=np.int64))
        heavy |= totals > np.repeat(level, sizes)
    light = np.where(heavy, 0.0, totals)
    sums = np.cumsum(light)
    sums -= np.repeat(np.append(0.0, sums[first[1:-1] - 1]), sizes)
    level = np.floor((sums - light / 2) / np.repeat(np.maximum(level, np.finfo(np.float64).tiny), sizes))
    fresh = (np.diff(level, prepend=-1) != 0) | heavy
    fresh[1:] |= heavy[:-1]
    fresh[begin] = True
    start = np.flatnonzero(fresh)
    return start, np.searchsorted(start, first)


def best_cuts(counts: Array, size: Array, strength: float) -> tuple[Integers, float]:
    """Return where the pieces of the partition with the highest evidence begin, and the evidence.

    `counts` are classes × places; `size` is the prior's share of each place. Each piece is summed on its own:
    differences of running sums would lose narrow pieces next to wide ones.
    """
    begins, evidence = cuts_of_columns(counts, size, np.array([0, len(size)]), strength)
    return np.flatnonzero(begins), float(evidence[0])


def cuts_of_columns(counts: Array, size: Array, start: Integers, strength: float) -> tuple[Booleans, Array]:
    """Return which places begin a piece, and the evidence of each column; `start` holds each column's first place."""
    begins, evidence = np.zeros(len(size), np.uint8), np.zeros(len(start) - 1)
    counts, size = (np.ascontiguousarray(part, np.float64) for part in (counts, size))
    _native.best_cuts(counts, size, start.astype(np.int64), strength, begins, evidence, thread_count())
    return begins.view(np.bool_), evidence


def _most(classes: int) -> int:
    """Return how many places to try: fewer for many classes, to keep the table of bins small."""
    return int(np.clip(np.sqrt(NUMBERS / classes), 16, PLACES))


def _between(values: Array) -> Array:
    return values[:-1] + (values[1:] / 2 - values[:-1] / 2)


def bins_of_columns(t: ColumnCounts, strength: float) -> list[Bins]:
    """Return, for each column, the bins that maximize the evidence."""
    start, first = candidates(t.totals, _most(len(t.n)), t.first)
    counts = _counts(t, start)
    begins, evidence = cuts_of_columns(counts, counts.sum(axis=0), first, strength)  # HB-2
    shared = float(log_rising(strength, t.n).sum())
    evidence += np.where(np.diff(t.first) > 1, np.log(np.diff(first)) - shared, -evidence)
    cuts = np.flatnonzero(begins)
    inside = np.add.reduceat(counts, cuts, axis=1)
    between = np.append(_between(t.values), 0.0)
    edges = between[start[cuts] - 1]  # lower edge of each bin; unused for a column's first bin
    ends = np.searchsorted(cuts, first).tolist()
    each = zip(ends, ends[1:], evidence.tolist(), strict=False)
    return [Bins(edges[a + 1 : b], np.ascontiguousarray(inside[:, a:b]), found) for a, b, found in each]


def densities_of_columns(t: ColumnCounts, strength: float = 1.0) -> Array:
    """Return ln p of the values of all classes as a density: that of the best histogram with bins of any width.

    This is what HB-3 adds to HB-2. Its bins differ from those of HB-2. They may be many, since all classes share them.
    """
    start, first = candidates(t.totals, PLACES, t.first)
    wide, n = np.add.reduceat(widths(t.values, t.first), start), np.add.reduceat(t.totals, start)
    most, places = np.maximum.reduceat(wide, first[:-1]), np.diff(first)
    size = wide / np.repeat(most, places)
    _, evidence = cuts_of_columns(n[None], size, first, strength)  # HB-3
    rows = float(t.n.sum())
    scale = rows * (np.log(most) + np.log(np.add.reduceat(size, first[:-1])))
    return np.asarray(evidence + np.log(places) - float(log_rising(strength, rows)) - scale)


def _counts(t: ColumnCounts, start: Integers) -> Array:
    """Return counts, classes × places, summed from each place's start to the next."""
    place = np.zeros(len(t.values), np.int64)
    place[start] = 1
    at = t.line * len(start) + (np.cumsum(place) - 1)[t.place]
    return np.bincount(at, t.count, len(t.n) * len(start)).reshape(len(t.n), -1).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class SharedDensity:
    """A piecewise constant density, and a Cauchy with the weight of one row."""

    ends: Array  # edges of pieces, one more than pieces
    heights: Array
    rows: float

    def log(self, x: Array) -> Array:
        """Return ln f(x)."""
        if len(self.ends) < 2:
            return np.zeros(len(x))  # a single value has no density
        place = np.searchsorted(self.ends, x, side="right") - 1
        inside = (place >= 0) & (place < len(self.heights))
        pieces = np.where(inside, self.heights[np.clip(place, 0, len(self.heights) - 1)], 0.0)
        half = (self.ends[-1] - self.ends[0]) / 2
        away = (x - (self.ends[0] + half)) / half
        cauchy = 1 / (np.pi * half * (1 + np.square(away)))
        return np.asarray(np.log((self.rows * pieces + cauchy) / (self.rows + 1)))  # HB-4


def shared_density(t: ValueCounts, strength: float = 1.0) -> SharedDensity:
    """Return the density of the values of all classes."""
    if len(t.values) < 2:
        return SharedDensity(np.zeros(0), np.zeros(0), float(t.n.sum()))
    start, _ = candidates(t.totals, PLACES)
    wide, n = np.add.reduceat(widths(t.values), start), np.add.reduceat(t.totals, start)
    cuts, _ = best_cuts(n[None], wide / wide.max(), strength)
    wide, n = np.add.reduceat(wide, cuts), np.add.reduceat(n, cuts)
    masses = (n + strength * wide / wide.sum()) / (n.sum() + strength)
    first = t.values[0] - widths(t.values)[0] / 2
    return SharedDensity(first + np.append(0.0, np.cumsum(wide)), masses / wide, float(n.sum()))
