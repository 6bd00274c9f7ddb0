"""Columns that do not vote: left out, or not known yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.models.columns.base import ColumnModel, Lookup, Told
from suffice.models.events import Estimate
from suffice.models.removal import Removal
from suffice.stats import ClassCounts
from suffice.tables import Column
from suffice.typing import Array, Integers

__all__ = ["Drop", "Unknown"]


class Silent(ColumnModel):
    """Counts nothing and says nothing."""

    statistic = ClassCounts
    storages = frozenset({"bool", "integer", "real", "string", "category", "date"})

    def count(self, column: Column, codes: Integers, weights: Array | None, n_classes: int) -> ClassCounts:
        """No rows."""
        return ClassCounts(np.zeros(n_classes))

    def scorer(self, t: ClassCounts, estimate: Estimate, strict: bool) -> Lookup:
        """Zeros."""
        return Lookup.of(np.zeros((len(t.counts), 0)), lambda column: np.full(len(column), -1))

    def leave_out(self, t: ClassCounts, column: Column, removal: Removal, estimate: Estimate) -> Array:
        """Zeros."""
        return np.zeros(len(removal.rows))

    def table(self, t: Any, classes: NDArray[Any], level: float) -> Told:
        """A line per class, without a number."""
        return {"class": classes, "n": np.zeros(len(classes))}

    def prior_in_words(self, t: Any) -> str:
        """Nothing."""
        return ""


@dataclass(frozen=True, repr=False)
class Drop(Silent):
    """A column to leave out.

    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"id": sf.columns.Drop(), "size": "gaussian"})
    >>> model.fit({"id": [1, 2, 3], "size": [1.0, 1.5, 9.0]}, ["a", "a", "b"]).predict({"id": [3], "size": [1.2]})
    array(['a'], dtype='<U1')
    """

    word = "drop"


@dataclass(frozen=True, repr=False)
class Unknown(Silent):
    """A column without a single value so far; what it is will be decided by the first batch that has some.

    >>> import suffice as sf
    >>> model = sf.NaiveBayes().partial_fit({"x": [None, None], "size": [1.0, 9.0]}, ["a", "b"])
    >>> model.columns_["x"]
    Unknown()
    """

    word = "unknown"
