"""Represent columns that carry no evidence: left out, or without a value so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from suffice.later import sparse
from suffice.models.likelihoods.base import Likelihood
from suffice.models.scoring.linear import DenseHeldOut, Linear
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Moments
from suffice.models.scoring.rows import Labels, Rows
from suffice.stats import ClassCounts
from suffice.tables import Column
from suffice.typing import Array, Booleans


@dataclass(frozen=True, eq=False)
class NoValues(Rows):
    """Represent rows without any value."""

    rows: int

    @property
    def present(self) -> Booleans:  # type: ignore[override]
        """Return which rows have a value: none."""
        return np.zeros(self.rows, bool)

    def __len__(self) -> int:
        return self.rows

    def take(self, which: Any) -> NoValues:
        """Return the given rows."""
        return NoValues(len(np.arange(self.rows)[which]))

    def count(self, kind: type[Any], labels: Labels) -> NoReturn:
        """Raise TypeError, since there is nothing to count."""
        raise TypeError("Rows without a value cannot be counted.")

    def scored(self, by: Linear) -> Array:
        """Return zeros, rows × classes."""
        return np.zeros((self.rows, len(by.offset)))

    def entries(self, t: Any) -> Any:
        """Return a matrix without features."""
        return sparse.csr_matrix((self.rows, 0))

    def names(self, t: Any) -> Sequence[Any]:
        """Return an empty tuple."""
        return ()


@dataclass(frozen=True)
class Zeros:
    """Score every row as zero for every class."""

    classes: int

    def scores(self, rows: Rows) -> Array:
        """Return zeros, rows × classes."""
        return np.zeros((len(rows), self.classes))

    def moments(self, rows: Rows) -> Moments:
        """Return zeros as means and variances."""
        return self.scores(rows), self.scores(rows)

    def draws(self, rows: Rows, rng: np.random.Generator, size: int) -> Array:
        """Return zeros, size × rows × classes."""
        return np.zeros((size, len(rows), self.classes))


class Silent(Likelihood):
    """Define a likelihood that counts nothing and scores zero."""

    statistic = ClassCounts
    silent = True
    storages = frozenset({"bool", "integer", "real", "string", "category", "date"})

    def count(self, rows: Rows, labels: Labels) -> ClassCounts:
        """Return counts of zero rows."""
        return ClassCounts(np.zeros(labels.n_classes))

    def scorer(self, t: ClassCounts) -> Zeros:
        """Return a scorer of zeros."""
        return Zeros(len(t.counts))

    def held_out(self, t: ClassCounts, rows: Rows, removed: Removal) -> DenseHeldOut:
        """Return scores of zero."""
        return DenseHeldOut(np.zeros((len(rows), len(t.counts))))

    def rows(self, column: Column) -> NoValues:
        """Return rows without a value, regardless of the column's values."""
        return NoValues(len(column))


@dataclass(frozen=True, eq=False, repr=False)
class Drop(Silent):
    """Leave a column out.

    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"id": sf.columns.Drop(), "size": "gaussian"})
    >>> model.fit({"id": [1, 2, 3], "size": [1.0, 1.5, 9.0]}, ["a", "a", "b"]).predict({"id": [3], "size": [1.2]})
    array(['a'], dtype='<U1')
    """

    word = "drop"


@dataclass(frozen=True, eq=False, repr=False)
class Unknown(Silent):
    """Stand for a column without a value so far; the first batch with values decides its kind.

    >>> import suffice as sf
    >>> model = sf.NaiveBayes().partial_fit({"x": [None, None], "size": [1.0, 9.0]}, ["a", "b"])
    >>> model.columns_["x"]
    Unknown()
    """

    word = "unknown"
