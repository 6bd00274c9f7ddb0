"""Model columns of categories by name, one table column at a time.

Each class has a Dirichlet prior (`places`). A category that was never seen has a place of its own in it. Category codes
0, 1, 2, … of a matrix are modelled in `codes`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.models.empirical.pseudo_counts import one_alpha, symmetric_terms
from suffice.models.likelihoods.draws import Draw
from suffice.models.likelihoods.places import UNSEEN, Shares
from suffice.models.scoring.results import Estimate
from suffice.models.scoring.rows import CategoryRows
from suffice.stats import BinaryCounts, ValueCounts
from suffice.stats.grid import BITS, distinct
from suffice.stats.inputs import EXACT, POSITIVE
from suffice.tables import Column, holds, numbers
from suffice.tables.schema import CONVERT
from suffice.typing import Array, Integers


def categories(column: Column) -> tuple[Integers, NDArray[Any]]:
    """Return a code for each row, −1 where missing, and the value of each code: a word or a number."""
    if column.storage in ("string", "category"):
        coded = column.coded()
        labels = coded.labels
        return coded.values, labels if labels.dtype.kind == "O" else labels.astype(np.float64)
    values = numbers(column)
    if values.dtype.kind in "iu" and len(values):
        worst = max(int(values.min()), int(values.max()), key=abs)
        if abs(worst) > EXACT:
            raise DataError(column=column.name, must="hold numbers below 2**53 to be distinguished").but(
                f"got {worst}", "Convert the column to text."
            )
    found, codes = distinct(values if values.dtype.kind in "iu" else values.astype(np.float64) + 0.0)
    if column.missing is not None:
        codes = np.where(column.missing, -1, codes)
    return codes, found.astype(np.float64)


@dataclass(frozen=True, eq=False)
class NamedCategories(CategoryRows):
    """Represent a column of categories, with errors that name the column and the value."""

    column: Column | None = None

    def places(self, known: NDArray[Any]) -> Integers:
        """Return the place of each row's category among `known`; len(known) for unknown ones, −1 where missing."""
        if not len(self.labels):
            return np.asarray(self.codes, np.int64)
        words = self.labels.dtype.kind == "O"
        if len(known) and words != (known.dtype.kind == "O"):
            got = ("words" if words else "numbers") if self.column is None else holds(self.column)
            was = "numbers" if words else "words"
            hint = CONVERT if got in ("words", "text") else ""
            raise DataError(f"Column {self.name!r} was learned as {was}; got {got}.", column=self.name).advise(
                python=hint
            )
        return super().places(known)

    def must_be_seen(self, known: NDArray[Any]) -> None:
        """Raise DataError, naming the first, if any category is not in `known`."""
        for row in np.flatnonzero(self.places(known) == len(known))[:1]:
            value = _shown(self.labels[self.codes[row]])
            raise DataError(column=self.name, must="hold categories seen in training").but(
                f"got {value!r} in row {row}", python="With unseen='prior' it gets the probability of a new category."
            )


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else str(float(value)).removesuffix(".0")


@dataclass(frozen=True, eq=False, repr=False)
class Categorical(Shares):
    """Model categories by name, with a Dirichlet prior over those seen so far and one place for all others.

    Parameters
    ----------
    alpha : float or "evidence", default=1.0
        Pseudo-count of each category in each class, or "evidence" to choose the one that maximizes the evidence.
    other : float, default=None
        Pseudo-count of all unseen categories together; ``alpha`` if not given. With 0 there are no others, and an
        unseen category is treated as missing.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"city": sf.columns.Categorical(alpha=0.5)})
    >>> model.fit({"city": ["Oslo", "Oslo", "Rome"]}, ["a", "a", "b"]).predict({"city": ["Rome", "Kyoto"]})
    array(['b', 'a'], dtype='<U1')
    """

    alpha: float | str = 1.0
    other: float | None = None
    estimate: Estimate = field(default="mean", repr=False)
    strict: bool = field(default=False, repr=False)  # whether an unseen category is an error

    word = "categorical"
    statistic = ValueCounts
    storages = frozenset({"bool", "integer", "real", "string", "category"})

    def __post_init__(self) -> None:
        if self.alpha != "evidence":
            POSITIVE.read(self.alpha, "alpha")
        if self.other is not None and self.other != 0:
            POSITIVE.read(self.other, "other")

    def best_alpha(self, t: ValueCounts) -> float:
        """Return the pseudo-count that maximizes the evidence."""
        return one_alpha(symmetric_terms(t.count, len(t.values) + (self.other is None), t.n, self.other))

    def tables(self, t: ValueCounts) -> list[tuple[Array, Array]]:
        """Return counts, classes × categories, and pseudo-counts; unseen categories come last, if allowed."""
        one = float(self.alpha)
        table, alpha = t.table, np.full(len(t.values), one)
        if self.other == 0:
            return [(table, alpha)]
        others = one if self.other is None else self.other
        return [(np.column_stack([table, np.zeros(len(table))]), np.append(alpha, others))]

    def names(self, t: ValueCounts) -> list[str]:
        """Return the categories."""
        return [*map(_shown, t.values)]

    def places(self, t: ValueCounts, rows: NamedCategories) -> Integers:
        """Return the place of each row's category; if strict, raise DataError for an unseen one."""
        if self.strict:
            rows.must_be_seen(t.values)
        return rows.places(t.values)

    def sample(self, t: ValueCounts, draw: Draw) -> NDArray[Any]:
        """Return drawn categories."""
        return np.asarray(t.values[self.drawn_places(t, draw)])

    def rows(self, column: Column) -> NamedCategories:
        """Return a column as categories."""
        return NamedCategories(*categories(column), column.name, column)

    def reading(self, t: ValueCounts, column: Column) -> str:
        """Return "never seen" for an unseen category; '' for a known one."""
        return UNSEEN if self.rows(column).places(t.values)[0] == len(t.values) else ""

    def prior_in_words(self, t: ValueCounts) -> str:
        """Return the Dirichlet prior in words."""
        other = "" if self.other == 0 else " and others"
        many = "category" if len(t.values) == 1 else "categories"
        return f"Dirichlet({self.alpha:g} each) over {len(t.values):,} {many}{other}"

    def grid_bits(self, t: ValueCounts) -> int | None:
        """Return the grid resolution, in bits, of counted numbers; None for words."""
        return BITS if t.values.dtype.kind == "f" else None

    def served(self, block: Any) -> ValueCounts | None:
        """Return counts of values where another block of the column determines them, including binary counts."""
        t, numbers = block.statistic, getattr(block, "numbers", None)
        if isinstance(t, BinaryCounts):
            counts = np.column_stack([t.zeros, t.ones])
            line, place = np.nonzero(counts)
            return ValueCounts.of_codes(place, np.array([0.0, 1.0]), line, counts[line, place], n_classes=len(counts))
        if block.likelihood == self or numbers is None or not numbers.exact:
            return super().served(block)  # type: ignore[no-any-return]
        own = isinstance(t, ValueCounts) and block.likelihood.grid_bits(t) == BITS
        return t if own else numbers.on(BITS)  # type: ignore[no-any-return]
