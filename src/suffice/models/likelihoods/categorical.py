"""Model columns of categories by name, one table column at a time.

Each class has a Dirichlet prior (`places`). A category that was never seen has a place of its own in it. Category codes
0, 1, 2, … of a matrix are modelled in `codes`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.models.empirical.pseudo_counts import one_alpha, symmetric_terms
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.draws import Draw, rows_of
from suffice.models.likelihoods.pictures import ClassDistributions, dots
from suffice.models.likelihoods.places import (
    PlaceBelief,
    PlaceScores,
    check_shares,
    evidence_of_shares,
    held_out_places,
    log_density_of_shares,
    log_shares,
    shares_that_speak,
    value_contribution,
)
from suffice.models.likelihoods.shared import added, by_value, shares
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.information import of_categories
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import Belief, Contributions, Estimate, HeldOut, Scorer, Speaks
from suffice.models.scoring.rows import CategoryRows, Labels
from suffice.posterior import Dirichlet
from suffice.stats import BinaryCounts, ValueCounts
from suffice.stats.grid import BITS, distinct
from suffice.stats.inputs import EXACT, POSITIVE
from suffice.tables import Column, holds, numbers
from suffice.tables.schema import CONVERT
from suffice.typing import Array, Booleans, Integers

__all__ = ["Categorical", "NamedCategories", "categories"]

UNSEEN = "never seen"


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
            raise DataError(
                f"Column {column.name!r} must hold numbers below 2**53 to be distinguished; got {worst}. "
                "Convert the column to text."
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
            raise DataError(f"Column {self.name!r} was learned as {was}; got {got}.{hint}")
        return super().places(known)

    def must_be_seen(self, known: NDArray[Any]) -> None:
        """Raise DataError, naming the first, if any category is not in `known`."""
        for row in np.flatnonzero(self.places(known) == len(known))[:1]:
            value = _shown(self.labels[self.codes[row]])
            raise DataError(
                f"Column {self.name!r} must hold categories seen in training; got {value!r} in row {row}. "
                "With unseen='prior' it gets the probability of a new category."
            )


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else str(float(value)).removesuffix(".0")


def _places(known: NDArray[Any], strict: bool, rows: NamedCategories) -> Integers:
    if strict:
        rows.must_be_seen(known)
    return rows.places(known)


def _column_places(known: NDArray[Any], strict: bool, last: int, rows: NamedCategories) -> Integers:
    """Return places as a one-column matrix, with −1 for categories that have no place."""
    place = _places(known, strict, rows)
    return np.where(place < last, place, -1)[:, None]


@dataclass(frozen=True, eq=False, repr=False)
class Categorical(Likelihood):
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

    def count(self, rows: CategoryRows, labels: Labels) -> ValueCounts:
        """Return counts of the rows of each class that have each category."""
        return rows.count(ValueCounts, labels)

    def settled(self, t: ValueCounts) -> Categorical:
        """Return the likelihood with its pseudo-count learned if so chosen; raise NoUniqueMode if "map" has no mode."""
        found = replace(self, alpha=self._best_alpha(t)) if self.learns_prior else self
        if self.estimate == "map":
            check_shares(*found.counts(t))
        return found

    def _best_alpha(self, t: ValueCounts) -> float:
        return one_alpha(symmetric_terms(t.count, len(t.values) + (self.other is None), t.n, self.other))

    def counts(self, t: ValueCounts) -> tuple[Array, Array]:
        """Return counts, classes × categories, and pseudo-counts; unseen categories come last, if allowed."""
        one = float(self.alpha)
        table, alpha = t.table, np.full(len(t.values), one)
        if self.other == 0:
            return table, alpha
        others = one if self.other is None else self.other
        return np.column_stack([table, np.zeros(len(table))]), np.append(alpha, others)

    def log_theta(self, t: ValueCounts) -> Array:
        """Return ln θ, classes × categories."""
        return log_shares(*self.counts(t), self.estimate)

    def scorer(self, t: ValueCounts) -> Scorer:
        """Return the scorer of rows. If unseen categories have no place, they score as missing."""
        return PlaceScores.of(self.log_theta(t), partial(_places, t.values, self.strict))

    def held_out(self, t: ValueCounts, rows: CategoryRows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        counts, alpha = self.counts(t)
        place = rows.places(t.values)
        scores = PlaceScores.of(self.log_theta(t), lambda _: place).scores(rows)
        return held_out_places(scores, counts, added(alpha, self.estimate), place, removed)

    def contributions(self, t: ValueCounts, rows: CategoryRows, weights: Array | None = None) -> Contributions:
        """Return the contribution of the row's category."""
        counts, alpha = self.counts(t)
        logs, place = self.scorer(t).scores(rows), int(rows.places(t.values)[0])
        name = "missing" if place < 0 else [*map(_shown, t.values), UNSEEN][place]
        return value_contribution(rows.name, name, logs, counts + alpha, place, self.estimate)

    def posterior(self, t: ValueCounts, features: Integers | None = None) -> Dirichlet:
        """Return the posterior of each class's category probabilities."""
        counts, alpha = self.counts(t)
        return Dirichlet(counts + alpha)

    def sample(self, t: ValueCounts, draw: Draw) -> NDArray[Any]:
        """Return drawn categories. The probability of unseen ones is shared by the known ones."""
        of = draw.source(self.estimate, lambda: np.exp(self.log_theta(t)), lambda: self.posterior(t))
        known = len(t.values)
        places = rows_of(draw, known, of, lambda theta, part: Dirichlet.simulate(theta[:, :known], part.rng))
        return np.asarray(t.values[places])

    def belief(self, t: ValueCounts, weights: Array | None = None) -> Belief:
        """Return the posterior distribution of scores."""
        counts, alpha = self.counts(t)
        return PlaceBelief([counts + alpha], partial(_column_places, t.values, self.strict, counts.shape[1]))

    def intervals(self, t: ValueCounts, level: float) -> tuple[Array, Array]:
        """Return credible bounds of each θ, classes × categories."""
        counts, alpha = self.counts(t)
        found = shares(counts + alpha, level)
        return found["low"], found["high"]

    def log_evidence(self, t: ValueCounts) -> Cells:
        """Return the log evidence of each class, classes × 1."""
        return Cells(evidence_of_shares(*self.counts(t))[:, None])

    def speaks(self, t: ValueCounts, n: Array, code: int, k: int, weights: Array | None = None) -> list[Speaks]:
        """Return the categories with the most evidence for the class."""
        theta = np.exp(self.log_theta(t)[:, : len(t.values)])
        return shares_that_speak(theta, [*map(_shown, t.values)], t.n, code, k)

    def information(self, t: ValueCounts, prior: Array) -> Array:
        """Return the mutual information of the class and the category."""
        return of_categories([np.exp(self.log_theta(t))], prior)

    def known(self, t: ValueCounts, rows: CategoryRows, least: int = 1) -> Booleans:
        """Return which rows have a category that was learned from at least `least` rows."""
        often = np.append(t.totals >= least, [False, False])  # unseen, and missing
        return np.asarray(often[rows.places(t.values)])

    def log_prior_density(self, t: ValueCounts) -> float:
        """Return ln p of the plug-in probabilities."""
        return log_density_of_shares(*self.counts(t), self.estimate)

    def n_parameters(self, t: ValueCounts) -> int:
        """Return the number of categories minus one."""
        return max(0, int(self.counts(t)[0].shape[1]) - 1)

    @property
    def learns_prior(self) -> bool:
        """Return whether the pseudo-count maximizes the evidence."""
        return isinstance(self.alpha, str)

    def weak(self, t: ValueCounts, rows: float, k: int) -> Categorical:
        """Return the likelihood with a pseudo-count of 1."""
        return replace(self, alpha=1.0)  # by WP-3

    def rows(self, column: Column) -> NamedCategories:
        """Return a column as categories."""
        return NamedCategories(*categories(column), column.name, column)

    def read_as(self, t: ValueCounts) -> Literal["number", "word"]:
        """Return "number" if the categories are numbers."""
        return "number" if len(t.values) and t.values.dtype.kind != "O" else "word"

    def reading(self, t: ValueCounts, column: Column) -> str:
        """Return "never seen" for an unseen category; '' for a known one."""
        return UNSEEN if self.rows(column).places(t.values)[0] == len(t.values) else ""

    def table(self, t: ValueCounts, classes: NDArray[Any], level: float) -> dict[str, Any]:
        """Return the probability of each category with its bounds, one line per category and class."""
        counts, alpha = self.settled(t).counts(t)
        return by_value("value", self._names(t), classes, n=counts, **shares(counts + alpha, level))

    def _names(self, t: ValueCounts) -> NDArray[Any]:
        return np.array([*map(_shown, t.values), *["(other)"] * (self.other != 0)], dtype=object)

    def distributions(self, t: ValueCounts, level: float) -> list[ClassDistributions]:
        """Return the probability of each category, with its bounds."""
        counts, alpha = self.counts(t)
        return [dots(self._names(t), shares(counts + alpha, level))]

    def prior_in_words(self, t: ValueCounts) -> str:
        """Return the Dirichlet prior in words."""
        other = "" if self.other == 0 else " and others"
        many = "category" if len(t.values) == 1 else "categories"
        return f"Dirichlet({self.settled(t).alpha:g} each) over {len(t.values):,} {many}{other}"

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
