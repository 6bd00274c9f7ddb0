"""Measure how strongly columns depend on each other and on the label: Cramér's V, corrected for chance.

    φ² = Σ (n_ij − n_i n_j / n)² / (n_i n_j)      φ̃² = max(0, φ² − (r−1)(k−1)/(n−1))
    V = √(φ̃² / min(r̃−1, k̃−1))                    r̃ = r − (r−1)²/(n−1)

(Bergsma 2013). Numbers are binned at deciles; a number that at least a tenth of the rows have, as 0 often is, has a
bin of its own. Rows without a value of either column are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.models.choosing.judge import some_rows
from suffice.reporting.labelled_rows import LabelledRows
from suffice.reporting.pitfalls import places_of
from suffice.tables import Column, kind_of
from suffice.typing import Array, Booleans, Integers

__all__ = ["Associations", "associations", "cramers_v"]

COLUMNS, ROWS, VALUES, BINS = 16, 20_000, 20, 10


@dataclass(frozen=True)
class Associations:
    """Hold Cramér's V of each pair of columns; the first is the label."""

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
    sample = given.take(some_rows(len(given), ROWS))
    table = sample.table()
    coded: dict[str, Integers] = {sample.target or "label": np.unique(sample.labels, return_inverse=True)[1]}
    left_out = []
    for name in table.names:
        codes = _coded(table[name])
        if codes is not None and len(coded) <= COLUMNS:
            coded[str(name)] = codes
        elif codes is None and _too_many(table[name]):
            left_out.append(str(name))
    if len(coded) < 3:
        return None
    codes_of = list(coded.values())
    values = np.eye(len(coded))
    for i, first in enumerate(codes_of):
        for j, second in enumerate(codes_of[:i]):
            values[i, j] = values[j, i] = cramers_v(first, second)
    return Associations([*coded], values, tuple(left_out))


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
    places, distinct = places_of(column), _distinct(column)
    if distinct < 2 or kind_of(column) == "text":
        return None
    if column.storage in ("integer", "real") and distinct > BINS:
        return np.where(column.present, _binned(np.asarray(column.values, float), column.present), -1)
    return None if distinct > VALUES else places


def _distinct(column: Column) -> int:
    places = places_of(column)
    return len(np.unique(places[places >= 0]))


def _too_many(column: Column) -> bool:
    return column.storage != "date" and kind_of(column) != "text" and _distinct(column) > VALUES


def _binned(values: Array, present: Booleans) -> Integers:
    """Return the bin of each number: one for each number that at least a tenth of the rows have, deciles of others."""
    known, count = np.unique(values[present], return_counts=True)
    often = known[count >= count.sum() / BINS]
    apart = np.isin(values, often)
    inner = np.unique(np.nanquantile(values[present & ~apart], np.arange(1, BINS) / BINS))
    return np.where(apart, BINS + np.searchsorted(often, values), np.searchsorted(inner, values, side="right"))
