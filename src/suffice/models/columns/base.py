"""What every model of one column does: count it, score it, weigh its evidence, show what it knows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, KindError, ShapeError
from suffice.models.events import Estimate
from suffice.models.leave_out import cells, left
from suffice.models.removal import Removal
from suffice.posterior import Dirichlet
from suffice.posterior.base import tails
from suffice.tables import Column, refuse
from suffice.typing import Array, Integers

__all__ = ["ColumnModel", "ColumnScorer", "Lookup", "Told", "column_name", "numbers"]

Told = dict[str, Any]
"""A table to show: names of its columns, and their values."""


class ColumnScorer(Protocol):
    """What is left of a column's statistic to score values with.

    >>> import numpy as np
    >>> from suffice.tables import Table
    >>> column = Table.read({"size": [1.0, None]})["size"]
    >>> from suffice.models.columns import Gaussian
    >>> t = Gaussian().count(column, np.array([0, 0]), None, 2)
    >>> Gaussian().scorer(t, "predictive", False).scores(column).shape
    (2, 2)
    """

    def scores(self, column: Column) -> Array:
        """ln p(x | c), rows × classes; zeros where the value is missing: it does not vote."""


class ColumnModel(ABC):
    """How the values of one column come about in each class, and what is believed before they are seen.

    >>> import suffice as sf
    >>> isinstance(sf.columns.Gaussian(), sf.columns.ColumnModel), sf.columns.Gaussian.word
    (True, 'gaussian')
    """

    word: ClassVar[str]
    """What `columns={...}` calls it."""

    storages: ClassVar[frozenset[str]]
    """Kinds of columns it can read."""

    statistic: ClassVar[type[Any]]
    """What it counts."""

    def read(self, column: Column, how: str = "is declared") -> None:
        """Raise DataError if the column holds what this model cannot count."""
        if column.storage not in {*self.storages, "nothing"}:
            refuse(column, self.word, how)

    @abstractmethod
    def count(self, column: Column, codes: Integers, weights: Array | None, n_classes: int) -> Any:
        """The statistic of a column, by class; missing values do not count."""

    @abstractmethod
    def scorer(self, t: Any, estimate: Estimate, strict: bool) -> ColumnScorer:
        """What scores new values; where it is strict, a value never seen is an error."""

    @abstractmethod
    def leave_out(self, t: Any, column: Column, removal: Removal, estimate: Estimate) -> Array:
        """Scores of the rows that ask, each by the class it asks, without what goes from it."""

    @abstractmethod
    def table(self, t: Any, classes: NDArray[Any], level: float) -> Told:
        """What is known of each class: posterior means and intervals."""

    @abstractmethod
    def prior_in_words(self, t: Any) -> str:
        """The prior, for people."""

    def __repr__(self) -> str:
        plain = type(self)()
        given = {name: value for name, value in vars(self).items() if value != vars(plain)[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"


@dataclass(frozen=True)
class Lookup:
    """Scores that are lines of a table; the last line, of zeros, is that of a missing value.

    >>> table = Lookup.of(np.log([[0.5, 0.5], [0.9, 0.1]]), lambda column: np.array([0, 1, -1]))
    >>> np.exp(table.scores(None)).round(1)
    array([[0.5, 0.9],
           [0.5, 0.1],
           [1. , 1. ]])
    """

    table: Array
    place: Any  # Column → line of each row, −1 where it is missing
    names: Any = None  # line → how a reader calls it

    @classmethod
    def of(cls, log_theta: Array, place: Any, names: Any = None) -> Lookup:
        """From ln θ, classes × lines."""
        return cls(np.vstack([log_theta.T, np.zeros(len(log_theta))]), place, names)

    def scores(self, column: Column) -> Array:
        """Rows × classes."""
        scores: Array = self.table.take(self.place(column), axis=0)
        return scores


def must_be(prior: Any, family: type, model: str) -> None:
    """Raise KindError unless a prior is of its family, "evidence", or not given."""
    if isinstance(prior, str) and prior == "evidence":
        return
    if prior is not None and not isinstance(prior, family):
        raise KindError(f"The argument 'prior' of {model} must be a {family.__name__}; got {prior!r}.")
    shape = getattr(prior, "batch_shape", ())
    if shape != ():
        raise ShapeError(f"The argument 'prior' of {model} must be a single belief; got a table of {shape}.")


def column_name(column: Column) -> str:
    """How messages call it."""
    return f"Column {column.name!r}"


def numbers(column: Column) -> NDArray[Any]:
    """The values of a column of numbers, finite ones; zeros stand where they are missing."""
    values: NDArray[Any] = column.values
    if column.values is None:
        return np.zeros(len(column))
    if values.dtype == np.bool_:
        values = values.view(np.uint8)
    if column.missing is not None:
        values = np.where(column.missing, values.dtype.type(0), values)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(
            f"{column_name(column)} must hold finite numbers; got {values[row]} in row {row}. Make it a missing value."
        )
    return values


def present(column: Column, codes: Integers, weights: Array | None) -> tuple[NDArray[Any], Integers, Array | None]:
    """Values, classes and weights of the rows that have a value."""
    values = numbers(column)
    if column.missing is None:
        return values, codes, weights
    keep = ~column.missing
    return values[keep], codes[keep], None if weights is None else weights[keep]


def without(counts: Array, prior: Array, place: Integers, removal: Removal) -> Array:
    """ln θ of the place of each row that asks, by the class it asks; `counts` is classes × places."""
    there = place >= 0
    asked, code = place[removal.rows], removal.code
    total = removal.total(there)
    gone = np.where(asked < 0, 0.0, removal.alike(place))
    rest, n = left(counts[code, asked], gone), left(counts.sum(axis=1)[code], total)
    return np.where(asked < 0, 0.0, cells(rest, n, prior[asked], prior.sum()))


def silent(scores: Array, column: Column) -> Array:
    """Scores, with zeros where the value is missing."""
    if column.missing is not None:
        scores[column.missing] = 0.0
    return scores


def by_class(classes: NDArray[Any], **columns: Any) -> Told:
    """A table with a line per class."""
    return {"class": classes, **{name: np.asarray(values).ravel() for name, values in columns.items()}}


def shares(alpha: Array, level: float) -> dict[str, Array]:
    """Means and intervals of Dirichlets, a line each; one category alone is certain."""
    tails(level)  # must be a probability, whatever the table
    if alpha.shape[1] < 2:
        return dict.fromkeys(("probability", "low", "high"), np.ones_like(alpha))
    belief = Dirichlet(alpha)
    low, high = belief.interval(level)
    return {"probability": np.asarray(belief.mean), "low": np.asarray(low), "high": np.asarray(high)}


def by_value(what: str, values: NDArray[Any], classes: NDArray[Any], **columns: Any) -> Told:
    """A table with a line per value and class, from arrays of classes × values."""
    told: Told = {what: np.repeat(values, len(classes)), "class": np.tile(classes, len(values))}
    return told | {name: np.asarray(table).T.ravel() for name, table in columns.items()}
