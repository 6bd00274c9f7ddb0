"""Measure how strongly columns depend on each other and on the label: Cramér's V, corrected for chance.

    φ² = Σ (n_ij − n_i n_j / n)² / (n_i n_j)      φ̃² = max(0, φ² − (r−1)(k−1)/(n−1))
    V = √(φ̃² / min(r̃−1, k̃−1))                    r̃ = r − (r−1)²/(n−1)

(Bergsma 2013). Numbers are binned at deciles; rows without a value of either column are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.models.choosing.judge import some_rows
from suffice.reporting.labelled_rows import LabelledRows
from suffice.reporting.pitfalls import places_of
from suffice.tables import Column, kind_of
from suffice.typing import Array, Integers

__all__ = ["Associations", "associations", "cramers_v"]

COLUMNS, ROWS, VALUES, BINS = 16, 20_000, 20, 10


@dataclass(frozen=True)
class Associations:
    """Hold Cramér's V of each pair of columns; the first is the label."""

    names: list[str]
    values: Array

    @property
    def lines(self) -> list[tuple[str, list[float]]]:
        """The rows of the table, each with its name."""
        return list(zip(self.names, self.values.tolist(), strict=True))


def associations(model: Any, given: LabelledRows) -> Associations | None:
    """Return the associations of the label and the first columns; None unless rows are a table of columns."""
    if given.texts or not getattr(model._reader, "by_block", False):
        return None
    sample = given.take(some_rows(len(given), ROWS))
    table = sample.table()
    coded: dict[str, Integers] = {sample.target or "label": np.unique(sample.labels, return_inverse=True)[1]}
    for name in table.names:
        codes = _coded(table[name])
        if codes is not None and len(coded) <= COLUMNS:
            coded[str(name)] = codes
    if len(coded) < 3:
        return None
    codes_of = list(coded.values())
    values = np.eye(len(coded))
    for i, first in enumerate(codes_of):
        for j, second in enumerate(codes_of[:i]):
            values[i, j] = values[j, i] = cramers_v(first, second)
    return Associations([*coded], values)


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


def _coded(column: Column) -> Integers | None:
    """Return codes of the values, −1 where there is none; None for texts, dates, and columns of one value."""
    places = places_of(column)
    distinct = len(np.unique(places[places >= 0]))
    if distinct < 2 or kind_of(column) == "text":
        return None
    if column.storage in ("integer", "real") and distinct > BINS:
        values = np.asarray(column.values, float)
        inner = np.unique(np.nanquantile(values[column.present], np.arange(1, BINS) / BINS))
        return np.where(column.present, np.searchsorted(inner, values, side="right"), -1)
    return None if distinct > VALUES else places
