"""Summarize the values of each column, whatever their labels: counts, quantiles, the most frequent values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.reporting.pitfalls import places_of
from suffice.tables import Column, kind_of
from suffice.typing import Array

__all__ = ["ColumnSummary", "summarized", "value_of"]

BINS, NAMED, FEW = 24, 4, 8
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class ColumnSummary:
    """Hold the values of a column in short: bins and quantiles of many numbers, else the most frequent values."""

    distinct: int
    missing: int
    quantiles: list[float] = field(default_factory=list)
    mean: float = float("nan")
    bins: list[float] = field(default_factory=list)  # share of each, of the largest
    ends: tuple[float, float] = (0.0, 0.0)
    frequent: list[tuple[str, float]] = field(default_factory=list)  # values with their share
    others: float = 0.0  # share of all other values


def summarized(column: Column) -> ColumnSummary:
    """Return the summary of a column."""
    missing = column.n_missing
    if column.values is None:  # dates, or nothing
        return ColumnSummary(0, missing)
    places = places_of(column)
    present = places[places >= 0]
    distinct = len(np.unique(present))
    if not distinct:
        return ColumnSummary(0, missing)
    if column.storage in ("integer", "real") and distinct > FEW:
        return _of_numbers(np.asarray(column.values, float)[column.present], distinct, missing)
    if kind_of(column) == "text":
        return ColumnSummary(distinct, missing)
    known, counts = np.unique(present, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:NAMED]
    shares = (counts[order] / len(present)).tolist()
    names = [value_of(column, int(np.flatnonzero(places == known[i])[0])) for i in order]
    return ColumnSummary(
        distinct, missing, frequent=list(zip(names, shares, strict=True)), others=max(0.0, 1.0 - sum(shares))
    )


def _of_numbers(values: Array, distinct: int, missing: int) -> ColumnSummary:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return ColumnSummary(distinct, missing)
    quantiles = np.quantile(finite, QUANTILES).tolist()
    counts, edges = np.histogram(finite, min(BINS, distinct))
    bins = (counts / counts.max()).tolist()
    ends = (float(edges[0]), float(edges[-1]))
    return ColumnSummary(distinct, missing, quantiles, float(finite.mean()), bins, ends)


def value_of(column: Column, row: int) -> str:
    """Return the value of a row as text."""
    value: Any = column.values[row]
    if column.storage == "category" and column.labels is not None:
        return str(column.labels[value])
    return str(value.as_py() if hasattr(value, "as_py") else value)
