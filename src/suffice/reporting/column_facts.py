"""Describe the columns of rows: their values, how they depend on each other, and how they differ from those learned.

Dependence is Cramér's V, corrected for chance (Bergsma 2013). Numbers are binned at deciles; a number that at least a
tenth of the rows have, as 0 often is, has a bin of its own. Rows without a value of either column are left out.

    φ² = Σ (n_ij − n_i n_j / n)² / (n_i n_j)      φ̃² = max(0, φ² − (r−1)(k−1)/(n−1))
    V = √(φ̃² / min(r̃−1, k̃−1))                    r̃ = r − (r−1)²/(n−1)

Drift is total variation, from 0 (equal) to 1 (no value in common). Values and bins are compared as they were counted,
by a chi-squared test; columns that are normal or Poisson by their means, by a z-test, where TV is that of two normal
distributions of equal variance. Rows without a value of the column are left out there, and the shares of these rows are
compared by themselves, again by a chi-squared test.

    TV = ½ Σ |p − q|
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.later import gammaincc
from suffice.models.answers.ranking import ShownColumn, shown_columns
from suffice.models.likelihoods.histogram import Histogram
from suffice.reporting.judged_rows import LEVEL, JudgedRows
from suffice.reporting.labelled_rows import CodedColumn, LabelledRows
from suffice.tables import Column, kind_of
from suffice.typing import Array, Integers

BINS, NAMED, FEW = 24, 4, 8
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)

ASSOCIATED, ROWS, VALUES, DECILES = 16, 20_000, 20, 10
"""The most columns, rows and values of a column for associations, and the bins of numbers."""

CHANCE, LEAST = 1e-3, 0.1
"""A column has drifted where chance would do it with less than this probability, and TV is at least this."""

COMPARED = 400
"""The most columns that are compared with those learned."""


@dataclass(frozen=True)
class ColumnSummary:
    """The values of a column in short: bins and quantiles of many numbers, else the most frequent values."""

    distinct: int
    missing: int
    quantiles: list[float] = field(default_factory=list)
    mean: float = float("nan")
    bins: list[float] = field(default_factory=list)  # share of each, of the largest
    ends: tuple[float, float] = (0.0, 0.0)
    frequent: list[tuple[str, float]] = field(default_factory=list)  # values with their share
    others: float = 0.0  # share of all other values


def summarized(known: CodedColumn) -> ColumnSummary:
    """Return the summary of a column."""
    column, missing, distinct = known.column, known.column.n_missing, len(known)
    if not distinct or kind_of(column) == "text":  # dates, or nothing, or texts
        return ColumnSummary(distinct, missing)
    if known.numeric and distinct > FEW:
        values = np.asarray(column.values, float)[column.present]
        finite = values[np.isfinite(values)]
        if not len(finite):
            return ColumnSummary(distinct, missing)
        counts, edges = np.histogram(finite, min(BINS, distinct))
        quantiles, bins = np.quantile(finite, QUANTILES).tolist(), (counts / counts.max()).tolist()
        ends = float(edges[0]), float(edges[-1])
        return ColumnSummary(distinct, missing, quantiles, float(finite.mean()), bins, ends)
    order = np.argsort(-known.count, kind="stable")[:NAMED]
    shares = (known.count[order] / known.count.sum()).tolist()
    frequent = [(known.name(code), share) for code, share in zip(order.tolist(), shares, strict=True)]
    return ColumnSummary(distinct, missing, frequent=frequent, others=max(0.0, 1.0 - sum(shares)))


@dataclass(frozen=True)
class Associations:
    """Cramér's V of each pair of columns; the first is the label."""

    names: list[str]
    values: Array
    left_out: tuple[str, ...] = ()  # columns of words with too many values

    @property
    def lines(self) -> list[tuple[str, list[float]]]:
        """The rows of the table, each with its name."""
        return list(zip(self.names, self.values.tolist(), strict=True))


def associations(model: Any, given: LabelledRows) -> Associations | None:
    """Return the associations of the label and the first columns; None unless rows are a table of columns."""
    if given.texts or not getattr(model._reader, "by_block", False):
        return None
    sample = given.sample(ROWS)
    codes_of: dict[str, Integers] = {sample.target or "label": sample.codes}
    left_out = []
    for name in sample.table.names:
        known = sample.coded(name)
        if len(known) < 2 or kind_of(known.column) == "text":  # dates have no values
            continue
        binned = known.numeric and len(known) > DECILES
        if len(known) > VALUES and not binned:
            left_out.append(str(name))
        elif len(codes_of) <= ASSOCIATED:
            codes_of[str(name)] = _binned(known.column) if binned else known.places
    if len(codes_of) < 3:
        return None
    columns = list(codes_of.values())
    values = np.eye(len(columns))
    for i, first in enumerate(columns):
        for j, second in enumerate(columns[:i]):
            values[i, j] = values[j, i] = cramers_v(first, second)
    return Associations([*codes_of], values, tuple(left_out))


def cramers_v(first: Integers, second: Integers) -> float:
    """Return Cramér's V of two columns of codes, corrected for chance; a negative code is a missing value."""
    both = (first >= 0) & (second >= 0)
    if both.sum() < 2:
        return float("nan")
    (a, i), (b, j) = (np.unique(one[both], return_inverse=True) for one in (first, second))
    n, r, k = int(both.sum()), len(a), len(b)
    if min(r, k) < 2:
        return float("nan")
    count = np.bincount(i * k + j, minlength=r * k).reshape(r, k)
    expected = count.sum(axis=1, keepdims=True) * count.sum(axis=0) / n
    phi = float(((count - expected) ** 2 / expected).sum()) / n
    left = max(0.0, phi - (r - 1) * (k - 1) / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
    return float(min(1.0, np.sqrt(left / least))) if least > 0 else float("nan")


def _binned(column: Column) -> Integers:
    """Return the bin of each number: one for each number that at least a tenth of the rows have, deciles of others."""
    values, present = np.asarray(column.values, float), column.present
    known, count = np.unique(values[present], return_counts=True)
    often = known[count >= count.sum() / DECILES]
    apart = np.isin(values, often)
    inner = np.unique(np.nanquantile(values[present & ~apart], np.arange(1, DECILES) / DECILES))
    bins = np.where(apart, DECILES + np.searchsorted(often, values), np.searchsorted(inner, values, side="right"))
    return np.where(present, bins, -1)


@dataclass(frozen=True)
class Drift:
    """How far a column of new rows is from the training rows: TV, and the probability of chance."""

    name: str
    distance: float
    chance: float
    missing: tuple[float, float] | None = None  # shares of training rows and new rows, if these are what differs


def drifts(model: Any, given: LabelledRows, judged: JudgedRows) -> list[Drift]:
    """Return the columns of new rows that differ from the training rows, the farthest first."""
    if judged.learned or given.texts or not getattr(model._reader, "by_block", False):
        return []
    known = model._reader.feature_names, True, model._reader.categories
    columns = [one for one in shown_columns(model._predictor, LEVEL, *known) if one.classes.exclusive][:COMPARED]
    found = [drift for shown in columns if shown.name in given.table for drift in _drifts(model, shown, given)]
    found = [one for one in found if one.chance < CHANCE and one.distance >= LEAST]
    return sorted(found, key=lambda one: -one.distance)


def differing(before: Array, here: Array) -> tuple[float, float]:
    """Return TV of two tables of counts, and the probability of at least that chi-squared by chance."""
    both = np.stack([before, here])[:, (before + here) > 0]
    expected = both.sum(axis=1, keepdims=True) * both.sum(axis=0) / both.sum()
    statistic, free = float(((both - expected) ** 2 / expected).sum()), both.shape[1] - 1
    shares = both / both.sum(axis=1, keepdims=True)
    distance = 0.5 * float(np.abs(shares[0] - shares[1]).sum())
    return distance, float(gammaincc(free / 2, statistic / 2)) if free else 1.0


def _drifts(model: Any, shown: ShownColumn, given: LabelledRows) -> list[Drift]:
    """Return how far the values of a column are apart, and the shares of missing values."""
    known, name = given.coded(shown.name), str(shown.name)
    column, found = known.column, list[Drift]()
    counted = np.asarray(model._model.blocks[shown.name].t.n, float)
    learned = counted.reshape(len(counted), -1)[:, 0]  # training rows of each class that have a value
    every, n = float(np.sum(model.class_count_)), float(learned.sum())
    here = np.array([len(column) - column.n_missing, column.n_missing], float)
    if len(known) and n:
        before = learned / n @ shown.classes.heights
        if shown.classes.shape != "dots":
            values = np.asarray(column.values, float)[column.present]
            found.append(Drift(name, *_of_means(np.asarray(shown.classes.values, float), before, values, n)))
        else:
            rows = _rows_by_value(model, shown, known)
            padded = np.append(before * n, np.zeros(len(rows) - len(before)))
            found.append(Drift(name, *differing(padded, rows)))
    there = np.array([n, max(0.0, every - n)])
    if there.sum() and here.sum():
        found.append(Drift(name, *differing(there, here), (float(there[1] / there.sum()), float(here[1] / here.sum()))))
    return found


def _of_means(x: Array, density: Array, values: Array, rows: float) -> tuple[float, float]:
    density = density / density.sum()
    mean = float(density @ x)
    sd = float(np.sqrt(density @ (x - mean) ** 2))
    error = max(float(values.std()), sd * 1e-9) * np.sqrt(1 / rows + 1 / len(values))
    apart = abs(float(values.mean()) - mean)
    normal = gammaincc(0.5, np.square([apart / error / np.sqrt(2), apart / sd / np.sqrt(8)]))  # erfc
    return float(1 - normal[1]), float(normal[0])


def _rows_by_value(model: Any, shown: ShownColumn, known: CodedColumn) -> Array:
    """Return rows by value, in the order of what is shown; one more for values that were never learned."""
    block, size = model._model.blocks[shown.name], len(shown.classes.values)
    if isinstance(block.settled, Histogram):
        values = np.asarray(known.column.values, float)[known.column.present]
        places = np.searchsorted(block.settled.bins(block.t).edges, values, side="right")
        return np.bincount(places, minlength=size).astype(float)
    place_of = {_plain(name): place for place, name in enumerate(shown.classes.values)}
    here = np.zeros(size + 1)
    for code, n in enumerate(known.count.tolist()):
        here[place_of.get(_plain(known.name(code)), place_of.get("(other)", size))] += n
    return here


def _plain(value: Any) -> str:
    """Return a value as text, numbers written alike whatever their type."""
    try:
        return f"{float(value):.9g}"
    except ValueError:
        return str(value)
