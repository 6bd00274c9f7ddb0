"""Columns of categories and of flags: a line of ln θ for each, and one for what was never seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.models import categorical, events
from suffice.models.columns.base import (
    ColumnModel,
    Lookup,
    Told,
    by_class,
    by_value,
    column_name,
    must_be,
    numbers,
    present,
    shares,
    without,
)
from suffice.models.empirical.pseudo_counts import beta_of_flags, flag_terms, one_alpha, symmetric_terms
from suffice.models.events import Estimate
from suffice.models.removal import Removal
from suffice.posterior import Beta, Dirichlet
from suffice.stats import BinaryCounts, ValueCounts
from suffice.stats.grid import distinct
from suffice.stats.inputs import BINARY, EXACT, POSITIVE
from suffice.tables import Column, holds
from suffice.typing import Array, Integers

__all__ = ["Bernoulli", "Categorical"]


@dataclass(frozen=True, repr=False)
class Categorical(ColumnModel):
    """Categories by name: a Dirichlet belief over those seen so far and one place for all others.

    Parameters
    ----------
    alpha : float or "evidence", default=1.0
        Pseudo-count of each category in each class; or the one that makes the column most probable.
    other : float, default=None
        Pseudo-count of all categories never seen together, as much as ``alpha`` if not given. 0 if there are no
        others; then one that does turn up does not vote.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"city": sf.columns.Categorical(alpha=0.5)})
    >>> model.fit({"city": ["Oslo", "Oslo", "Rome"]}, ["a", "a", "b"]).predict({"city": ["Rome", "Kyoto"]})
    array(['b', 'a'], dtype='<U1')
    """

    alpha: float | str = 1.0
    other: float | None = None

    word = "categorical"
    statistic = ValueCounts
    storages = frozenset({"bool", "integer", "real", "string", "category"})

    def __post_init__(self) -> None:
        if self.alpha != "evidence":
            POSITIVE.read(self.alpha, "alpha")
        if self.other is not None and self.other != 0:
            POSITIVE.read(self.other, "other")

    def count(self, column: Column, codes: Integers, weights: Array | None, n_classes: int) -> ValueCounts:
        """How often each category was seen."""
        return ValueCounts.of_codes(*categories(column), codes, weights, n_classes=n_classes)

    def scorer(self, t: ValueCounts, estimate: Estimate, strict: bool) -> Lookup:
        """ln θ of each category, of any other, and nothing for none."""
        counts, alpha = self._with_other(t)
        log_theta = categorical.Categorical(alpha, estimate).log_theta(counts)
        if self.other == 0 and not strict:
            log_theta = np.column_stack([log_theta, np.zeros(len(log_theta))])  # what cannot be does not vote
        return Lookup.of(log_theta, partial(_places, t.values, strict), [*map(_shown, t.values), "never seen"])

    def leave_out(self, t: ValueCounts, column: Column, removal: Removal, estimate: Estimate) -> Array:
        """ln θ of each row's category."""
        counts, alpha = self._with_other(t)
        return without(counts, events.added(alpha, estimate), _places(t.values, False, column), removal)

    def table(self, t: ValueCounts, classes: NDArray[Any], level: float) -> Told:
        """A line per category and class."""
        counts, alpha = self._with_other(t)
        names = np.array([*map(_shown, t.values), *["(other)"] * (self.other != 0)], dtype=object)
        return by_value("value", names, classes, n=counts, **shares(counts + alpha, level))

    def prior_in_words(self, t: ValueCounts) -> str:
        """Pseudo-counts and categories."""
        other = "" if self.other == 0 else " and others"
        many = "category" if len(t.values) == 1 else "categories"
        return f"Dirichlet({self.pseudo_count(t):g} each) over {len(t.values):,} {many}{other}"

    def log_evidence(self, t: ValueCounts) -> float:
        """ln p of the categories, all classes together."""
        counts, alpha = self._with_other(t)
        return float(np.sum(Dirichlet(np.broadcast_to(alpha, counts.shape)).log_evidence(counts=counts)))

    def pseudo_count(self, t: ValueCounts) -> float:
        """As given, or of highest evidence."""
        if self.alpha != "evidence":
            return float(self.alpha)
        sizes = len(t.values) + (self.other is None)
        return one_alpha(symmetric_terms(t.count, sizes, t.n, self.other))

    def _with_other(self, t: ValueCounts) -> tuple[Array, Array]:
        """Counts and pseudo-counts, those of all other categories last, if there are others."""
        one = self.pseudo_count(t)
        counts, alpha = t.table, np.full(len(t.values), one)
        if self.other == 0:
            return counts, alpha
        others = one if self.other is None else self.other
        return np.column_stack([counts, np.zeros(len(counts))]), np.append(alpha, others)


@dataclass(frozen=True, repr=False)
class Bernoulli(ColumnModel):
    """True or False: a Beta belief about how often it is True.

    Parameters
    ----------
    prior : Beta or "evidence", default=Beta(1, 1)
        The belief before any row is seen; or the one that makes the column most probable.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NaiveBayes(columns={"paid": sf.columns.Bernoulli(prior=sf.Beta(2, 2))}, temper=None)
    >>> model.fit({"paid": [True, True, False, None]}, ["a", "a", "b", "b"]).predict_proba({"paid": [True]}).round(3)
    array([[0.625, 0.375]])
    """

    prior: Beta | str = field(default_factory=lambda: Beta(1, 1))

    word = "bernoulli"
    statistic = BinaryCounts
    storages = frozenset({"bool", "integer", "real"})

    def __post_init__(self) -> None:
        must_be(self.prior, Beta, "Bernoulli")

    def count(self, column: Column, codes: Integers, weights: Array | None, n_classes: int) -> BinaryCounts:
        """How often it is True."""
        values, codes, weights = present(column, codes, weights)
        self._check(column, values)
        return BinaryCounts.of(values[:, None], codes, weights, n_classes=n_classes)

    def scorer(self, t: BinaryCounts, estimate: Estimate, strict: bool) -> Lookup:
        """ln(1−θ) and ln θ."""
        prior = self.belief(t)
        on, off = events.Bernoulli(np.asarray(prior.a), np.asarray(prior.b), estimate).log_theta(t)
        return Lookup.of(np.column_stack([off, on]), self._places)

    def leave_out(self, t: BinaryCounts, column: Column, removal: Removal, estimate: Estimate) -> Array:
        """ln θ or ln(1−θ)."""
        belief = self.belief(t)
        prior = events.added(np.array([belief.b, belief.a], np.float64), estimate)
        return without(np.column_stack([t.zeros, t.ones]), prior, self._places(column), removal)

    def table(self, t: BinaryCounts, classes: NDArray[Any], level: float) -> Told:
        """A line per class."""
        belief = self.belief(t).update(t)
        low, high = belief.interval(level)
        return by_class(classes, n=np.broadcast_to(t.n, t.ones.shape), probability=belief.mean, low=low, high=high)

    def prior_in_words(self, t: BinaryCounts) -> str:
        """The Beta."""
        return repr(self.prior) if self.prior != "evidence" else "Beta({0.a:.4g}, {0.b:.4g})".format(self.belief(t))

    def belief(self, t: BinaryCounts) -> Beta:
        """The prior as given, or the one of highest evidence."""
        if isinstance(self.prior, Beta):
            return self.prior
        return beta_of_flags(flag_terms(t.ones, t.zeros, np.broadcast_to(t.n, t.ones.shape)))

    def _places(self, column: Column) -> Integers:
        values = numbers(column)
        self._check(column, values)
        codes = values.astype(np.int64)
        return codes if column.missing is None else np.where(column.missing, -1, codes)

    def _check(self, column: Column, values: NDArray[Any]) -> None:
        wrong = ~BINARY.accepts(values)
        if wrong.any():
            raise DataError(f"{column_name(column)} is {self.word} and must hold 0 and 1; got {values[wrong][0]}.")


def categories(column: Column) -> tuple[Integers, NDArray[Any]]:
    """A code for each row, −1 where it is missing, and the values the codes stand for: words, or numbers."""
    if column.storage in ("string", "category"):
        coded = column.coded()
        labels = coded.labels
        return coded.values, labels if labels.dtype.kind == "O" else labels.astype(np.float64)
    values = numbers(column)
    if values.dtype.kind in "iu" and len(values):
        worst = max(int(values.min()), int(values.max()), key=abs)
        if abs(worst) > EXACT:
            raise DataError(
                f"{column_name(column)} must hold numbers below 2**53 to be told apart; got {worst}. Make them text."
            )
    found, codes = distinct(values if values.dtype.kind in "iu" else values.astype(np.float64) + 0.0)
    if column.missing is not None:
        codes = np.where(column.missing, -1, codes)
    return codes, found.astype(np.float64)


def _places(known: NDArray[Any], strict: bool, column: Column) -> Integers:
    """The place of each row's category among those known, the one after them for others, −1 where it is missing."""
    codes, labels = categories(column)
    if not len(labels):
        return np.asarray(codes, np.int64)
    words = labels.dtype.kind == "O"
    if len(known) and words != (known.dtype.kind == "O"):
        was = "numbers" if words else "words"
        raise DataError(f"{column_name(column)} was learned as {was}; got {holds(column)}.")
    place = np.searchsorted(known, labels)
    seen = place < len(known)
    seen[seen] = known[place[seen]] == labels[seen]
    place = np.where(seen, place, len(known))
    if strict and not seen.all():
        _refuse_unseen(column, codes, labels, seen)
    return np.append(place, -1)[codes]


def _refuse_unseen(column: Column, codes: Integers, labels: NDArray[Any], seen: NDArray[np.bool_]) -> None:
    used = np.zeros(len(labels), bool)
    used[codes[codes >= 0]] = True
    for i in np.flatnonzero(used & ~seen)[:1]:
        row = int(np.flatnonzero(codes == i)[0])
        raise DataError(
            f"{column_name(column)} must hold categories seen in training; got {_shown(labels[i])!r} in row {row}. "
            "With unseen='prior' it gets the probability of a new one."
        )


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else str(float(value)).removesuffix(".0")
