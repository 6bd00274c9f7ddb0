"""Bins of a real column, chosen by evidence from counts on the fine grid.

Values are cut into bins; class c falls into bin b with probability θ_cb, and within a bin all classes are alike:

    θ_c ~ Dirichlet(A·share), where a bin's share is its part of all rows      p(x | c) = θ_cb · q(x | b)
    HB-1  posterior mean     θ_cb = (N_cb + A·share_b) / (N_c + A)
    HB-2  evidence of cuts   Σ_c ln DirichletMultinomial(N_c ; A·share) − Σ_b N_b ln share_b − cuts · ln G
    HB-3  as a density       HB-2 + ln DirichletMultinomial(N ; A·width) − Σ_b N_b ln width_b − cuts · ln G

The second term of HB-2 is the evidence of classes that do not differ, so it is a Bayes factor; each of the places for
a cut (there are G − 1) has prior odds 1 : G. What is best over all sets of cuts is found exactly, by dynamic
programming. Only the order of values matters, never their unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from suffice import _native
from suffice.posterior.special import log_rising
from suffice.stats import ValueCounts
from suffice.typing import Array, Booleans, Integers

__all__ = ["Bins", "chosen_bins", "given_bins", "log_density", "widths"]

PLACES = 128
NUMBERS = 2**20


@dataclass(frozen=True)
class Bins:
    """Edges between bins, and how many rows of each class are in each."""

    edges: Array
    counts: Array  # classes × bins
    log_evidence: float  # HB-2: above zero if the classes differ

    def place(self, values: Array) -> Integers:
        """Return the bin of each value that lies on the grid."""
        return np.searchsorted(self.edges, values, side="right")

    def names(self) -> list[str]:
        """Return a name for each bin."""
        ends = [f"{edge:.6g}" for edge in self.edges]
        if not ends:
            return ["any"]
        middle = [f"{low} to {high}" for low, high in pairwise(ends)]
        return [f"below {ends[0]}", *middle, f"{ends[-1]} or more"]


def chosen_bins(t: ValueCounts, strength: float) -> Bins:
    """Return the bins of highest evidence."""
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
    """Return ln p of all values of all classes as a density: of the best histogram with bins of any width.

    This is what HB-3 adds to HB-2; its bins are others, and may be many, since they are shared by all classes.
    """
    totals = t.totals
    start = candidates(totals, PLACES)
    wide, n = np.add.reduceat(widths(t.values), start), np.add.reduceat(totals, start)
    _, evidence = best_cuts(n[None], wide / wide.max(), strength)  # HB-3
    scale = totals.sum() * (np.log(wide.max()) + np.log((wide / wide.max()).sum()))
    return float(evidence + np.log(len(start)) - log_rising(strength, totals.sum()) - scale)


def widths(values: Array) -> Array:
    """Return the length of the line that is nearest to each value; at the ends as much again on the other side."""
    between = _between(values)
    ends = np.concatenate([[2 * values[0] - between[0]], between, [2 * values[-1] - between[-1]]])
    return np.diff(ends)


def candidates(totals: Array, most: int) -> Integers:
    """Return where bins may start: frequent values stand alone, the others in groups of about as many rows."""
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
    """Return where the pieces of places in a row begin that have the highest evidence, and the evidence.

    `counts` are classes × places, `size` is what each place has of the prior. Sums are those of each piece:
    differences of running sums would lose narrow ones beside wide ones.
    """
    cuts = np.zeros(len(size), np.int64)
    counts, size = (np.ascontiguousarray(part, np.float64) for part in (counts, size))
    pieces, evidence = _native.best_cuts(counts, size, strength, float(np.log(len(size))), cuts)
    return cuts[:pieces], evidence


def _most(classes: int) -> int:
    """Return how many places to try: fewer for many classes, so that the table of all bins stays small."""
    return int(np.clip(np.sqrt(NUMBERS / classes), 16, PLACES))


def _between(values: Array) -> Array:
    return values[:-1] + (values[1:] / 2 - values[:-1] / 2)
