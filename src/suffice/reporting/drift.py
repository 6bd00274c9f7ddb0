"""Compare the columns of new rows with what a model has counted of the training rows.

    TV = ½ Σ |p − q|      total variation, from 0 (equal) to 1 (no value in common)

Values and bins are compared as they were counted, by a chi-squared test; columns that are normal or Poisson by their
means, by a z-test, where TV is that of two normal distributions of equal variance. Rows without a value of the column
are left out there, and the shares of these rows are compared by themselves, again by a chi-squared test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.later import gammaincc
from suffice.models.answers.ranking import ShownColumn, shown_columns
from suffice.models.likelihoods.histogram import Histogram
from suffice.reporting.column_summaries import value_of
from suffice.reporting.judged_rows import LEVEL, JudgedRows
from suffice.reporting.labelled_rows import LabelledRows
from suffice.reporting.pitfalls import places_of
from suffice.tables import Column
from suffice.typing import Array

__all__ = ["Drift", "differing", "drifts"]

CHANCE, LEAST = 1e-3, 0.1
"""A column has drifted where chance would do it with less than this probability, and TV is at least this."""

COLUMNS = 400


@dataclass(frozen=True)
class Drift:
    """Hold how far a column of new rows is from the training rows: TV, and the probability of chance."""

    name: str
    distance: float
    chance: float
    missing: tuple[float, float] | None = None  # shares of training rows and new rows, if these are what differs


def drifts(model: Any, given: LabelledRows, judged: JudgedRows) -> list[Drift]:
    """Return the columns of new rows that differ from the training rows, the farthest first."""
    if judged.learned or given.texts or not getattr(model._reader, "by_block", False):
        return []
    table, known = given.table(), (model._reader.feature_names, True, model._reader.categories)
    columns = [one for one in shown_columns(model._predictor, LEVEL, *known) if one.classes.exclusive][:COLUMNS]
    pairs = [(one, table[one.name]) for one in columns if one.name in table]
    found = [drift for one, column in pairs for drift in (_drift(model, one, column), _missing(model, one, column))]
    some = [one for one in found if one is not None and one.chance < CHANCE and one.distance >= LEAST]
    return sorted(some, key=lambda one: -one.distance)


def differing(before: Array, here: Array) -> tuple[float, float]:
    """Return TV of two tables of counts, and the probability of at least that chi-squared by chance."""
    both = np.stack([before, here])[:, (before + here) > 0]
    expected = both.sum(axis=1, keepdims=True) * both.sum(axis=0) / both.sum()
    statistic, free = float(((both - expected) ** 2 / expected).sum()), both.shape[1] - 1
    shares = both / both.sum(axis=1, keepdims=True)
    distance = 0.5 * float(np.abs(shares[0] - shares[1]).sum())
    return distance, float(gammaincc(free / 2, statistic / 2)) if free else 1.0


def _learned(model: Any, shown: ShownColumn) -> Array:
    """Return the number of training rows of each class that have a value of the column."""
    counted = np.asarray(model._model.blocks[shown.name].t.n, float)
    return counted.reshape(len(counted), -1)[:, 0]


def _missing(model: Any, shown: ShownColumn, column: Column) -> Drift | None:
    """Return how far the shares of missing values are apart."""
    every, learned = float(np.sum(model.class_count_)), float(_learned(model, shown).sum())
    before, here = np.array([learned, max(0.0, every - learned)]), len(column) - column.n_missing
    now = np.array([here, column.n_missing], float)
    if not before.sum() or not now.sum():
        return None
    distance, chance = differing(before, now)
    return Drift(str(shown.name), distance, chance, (float(before[1] / before.sum()), float(now[1] / now.sum())))


def _drift(model: Any, shown: ShownColumn, column: Column) -> Drift | None:
    present, rows = column.present, _learned(model, shown)
    n = float(rows.sum())
    if column.values is None or not present.any() or not n:
        return None
    before = rows / n @ shown.classes.heights
    if shown.classes.shape != "dots":
        values = np.asarray(column.values, float)[present]
        distance, chance = _of_means(np.asarray(shown.classes.values, float), before, values, n)
    else:
        here = _counted(model, shown, column)
        padded = np.append(before * n, np.zeros(len(here) - len(before)))
        distance, chance = differing(padded, here)
    return Drift(str(shown.name), distance, chance)


def _of_means(x: Array, density: Array, values: Array, rows: float) -> tuple[float, float]:
    density = density / density.sum()
    mean = float(density @ x)
    sd = float(np.sqrt(density @ (x - mean) ** 2))
    error = max(float(values.std()), sd * 1e-9) * np.sqrt(1 / rows + 1 / len(values))
    apart = abs(float(values.mean()) - mean)
    normal = gammaincc(0.5, np.square([apart / error / np.sqrt(2), apart / sd / np.sqrt(8)]))  # erfc
    return float(1 - normal[1]), float(normal[0])


def _counted(model: Any, shown: ShownColumn, column: Column) -> Array:
    """Return rows by value, in the order of what is shown; one more for values that were never learned."""
    block, size = model._model.blocks[shown.name], len(shown.classes.values)
    if isinstance(block.settled, Histogram):
        values = np.asarray(column.values, float)[column.present]
        places = np.searchsorted(block.settled.bins(block.t).edges, values, side="right")
        return np.bincount(places, minlength=size).astype(float)
    known = {_plain(name): place for place, name in enumerate(shown.classes.values)}
    places = np.flatnonzero(column.present)
    _, first, count = np.unique(places_of(column)[places], return_index=True, return_counts=True)
    here = np.zeros(size + 1)
    for row, n in zip(places[first].tolist(), count.tolist(), strict=True):
        here[known.get(_plain(value_of(column, row)), known.get("(other)", size))] += n
    return here


def _plain(value: Any) -> str:
    """Return a value as text, numbers written alike whatever their type."""
    try:
        return f"{float(value):.9g}"
    except ValueError:
        return str(value)
