"""Choose the bins of a real column by evidence, from counts on the fine grid.

Values are binned: class c falls into bin b with probability θ_cb, and within a bin all classes share one density:

    θ_c ~ Dirichlet(A·share), where a bin's share is its fraction of all rows      p(x | c) = θ_cb · q(x | b)
    HB-1  posterior mean     θ_cb = (N_cb + A·share_b) / (N_c + A)
    HB-2  evidence of cuts   Σ_c ln DirichletMultinomial(N_c ; A·share) − Σ_b N_b ln share_b − cuts · ln G
    HB-3  as a density       HB-2 + ln DirichletMultinomial(N ; A·width) − Σ_b N_b ln width_b − cuts · ln G
    HB-4  in all classes     (N h(x) + g(x)) / (N + 1): h the histogram of HB-3, g a wide Cauchy (shared_density.py)

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

__all__ = [
    "Bins", "bins_of_columns", "chosen_bins", "cuts_of_columns", "densities_of_columns", "given_bins", "log_density",
    "widths", "widths_of_columns",
]  # fmt: skip

PLACES = 128
NUMBERS = 2**20


@dataclass(frozen=True)
class Bins:
    """Hold the edges between bins, and the number of rows of each class in each bin."""

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
    """Return the bins that maximize the evidence."""
    if len(t.values) < 2:
        return Bins(np.zeros(0), t.n[:, None], 0.0)
    start = candidates(t.totals, _most(len(t.n)))
    counts = np.add.reduceat(t.table, start, axis=1)
    cuts, evidence = best_cuts(counts, counts.sum(axis=0), strength)  # HB-2
    evidence += np.log(len(start)) - float(log_rising(strength, counts.sum(axis=1)).sum())
    first = start[cuts]
    edges = _between(t.values)[first[1:] - 1]
    return Bins(edges, np.add.reduceat(counts, cuts, axis=1), float(evidence))


def given_bins(t: ValueCounts, edges: Array) -> Bins:
    """Return the bins between given edges."""
    place = np.searchsorted(edges, t.values, side="right")
    counts = np.zeros((len(t.n), len(edges) + 1))
    np.add.at(counts, (t.line, place[t.place]), t.count)
    return Bins(edges, counts, 0.0)


def log_density(t: ValueCounts, strength: float = 1.0) -> float:
    """Return ln p of the values of all classes as a density: that of the best histogram with bins of any width.

    This is what HB-3 adds to HB-2. Its bins differ from those of HB-2. They may be many, since all classes share them.
    """
    totals = t.totals
    start = candidates(totals, PLACES)
    wide, n = np.add.reduceat(widths(t.values), start), np.add.reduceat(totals, start)
    _, evidence = best_cuts(n[None], wide / wide.max(), strength)  # HB-3
    scale = totals.sum() * (np.log(wide.max()) + np.log((wide / wide.max()).sum()))
    return float(evidence + np.log(len(start)) - log_rising(strength, totals.sum()) - scale)


def widths(values: Array) -> Array:
    """Return the length of the interval nearest to each value; the intervals at both ends are symmetric."""
    between = _between(values)
    ends = np.concatenate([[2 * values[0] - between[0]], between, [2 * values[-1] - between[-1]]])
    return np.diff(ends)


def candidates(totals: Array, most: int) -> Integers:
    """Return where bins may start: frequent values stand alone, and the others form groups of about equal counts."""
    heavy: Booleans = totals > totals.sum() / most
    for _ in range(4):
        rest, left = totals[~heavy].sum(), max(1, most - int(heavy.sum()))
        heavy |= totals > rest / left
    light = np.where(heavy, 0.0, totals)
    level = np.floor((np.cumsum(light) - light / 2) / max(rest / left, np.finfo(np.float64).tiny))
    fresh = (np.diff(level, prepend=-1) != 0) | heavy
    fresh[1:] |= heavy[:-1]
    fresh[0] = True
    return np.flatnonzero(fresh)


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


# Many columns at once; each gets the result it would get alone ---------------------------------------------------


def bins_of_columns(t: ColumnCounts, strength: float) -> list[Bins]:
    """Return, for each column, the bins that maximize the evidence."""
    start, first = _candidates(t, _most(len(t.n)))
    counts = _counts(t, start)
    begins, evidence = cuts_of_columns(counts, counts.sum(axis=0), first, strength)
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
    """Return `log_density` of each column."""
    start, first = _candidates(t, PLACES)
    wide, n = np.add.reduceat(widths_of_columns(t), start), np.add.reduceat(t.totals, start)
    most, places = np.maximum.reduceat(wide, first[:-1]), np.diff(first)
    size = wide / np.repeat(most, places)
    _, evidence = cuts_of_columns(n[None], size, first, strength)
    rows = float(t.n.sum())
    scale = rows * (np.log(most) + np.log(np.add.reduceat(size, first[:-1])))
    return np.asarray(evidence + np.log(places) - float(log_rising(strength, rows)) - scale)


def widths_of_columns(t: ColumnCounts) -> Array:
    """Return the length of the interval nearest to each value within its column."""
    low, high, last = np.empty(len(t.values)), np.empty(len(t.values)), t.first[1:] - 1
    between = _between(t.values)
    low[1:], high[:-1] = between, between
    low[t.first[:-1]], high[last] = t.values[t.first[:-1]], t.values[last]
    several = np.diff(t.first) > 1
    begin, end = t.first[:-1][several], last[several]
    low[begin] = 2 * t.values[begin] - high[begin]
    high[end] = 2 * t.values[end] - low[end]
    return np.asarray(high - low)


def _counts(t: ColumnCounts, start: Integers) -> Array:
    """Return counts, classes × places, summed from each place's start to the next."""
    place = np.zeros(len(t.values), np.int64)
    place[start] = 1
    at = t.line * len(start) + (np.cumsum(place) - 1)[t.place]
    return np.bincount(at, t.count, len(t.n) * len(start)).reshape(len(t.n), -1).astype(np.float64, copy=False)


def _candidates(t: ColumnCounts, most: int) -> tuple[Integers, Integers]:
    """Return the `candidates` of each column, and the index of each column's first candidate."""
    totals, column, columns = t.totals, t.column, len(t)
    heavy = totals > t.n.sum() / most
    for _ in range(4):
        rest = np.bincount(column, np.where(heavy, 0.0, totals), columns)
        level = rest / np.maximum(1, most - np.bincount(column, heavy, columns))
        heavy |= totals > level[column]
    light = np.where(heavy, 0.0, totals)
    sums = np.cumsum(light)
    sums -= np.repeat(np.append(0.0, sums[t.first[1:-1] - 1]), np.diff(t.first))
    level = np.floor((sums - light / 2) / np.maximum(level, np.finfo(np.float64).tiny)[column])
    fresh = (np.diff(level, prepend=-1) != 0) | heavy
    fresh[1:] |= heavy[:-1]
    fresh[t.first[:-1]] = True
    start = np.flatnonzero(fresh)
    return start, np.searchsorted(start, t.first)
