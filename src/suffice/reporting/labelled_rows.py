"""Read the rows of a report, in any form that a classifier takes, select some, and code the values of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, KindError, LabelError
from suffice.estimators.comparing.validation import rows_at
from suffice.estimators.shell.classifier import Classifier
from suffice.models.choosing.judge import some_rows
from suffice.readers.one_block import TextReader
from suffice.tables import Column, Table
from suffice.telling import counted
from suffice.typing import Integers


@dataclass(frozen=True)
class LabelledRows:
    """Rows and their labels, in the given order."""

    rows: Any  # a list of texts, a Table, or an array, as scikit-learn takes it
    labels: NDArray[Any]
    numbers: Integers  # of the rows, as they were given
    unknown: tuple[Any, ...] = ()  # labels that the model never learned
    dropped: int = 0  # rows that had them
    target: str | None = None  # name of what the labels are of, if it is known

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def texts(self) -> bool:
        """Whether rows are documents."""
        return isinstance(self.rows, list)

    @property
    def unit(self) -> str:
        """The word for one row: text or row."""
        return "text" if self.texts else "row"

    def take(self, which: Integers) -> LabelledRows:
        """Return the rows at the given positions, which must be increasing."""
        return replace(self, rows=rows_at(self.rows, which), labels=self.labels[which], numbers=self.numbers[which])

    def sample(self, most: int) -> LabelledRows:
        """Return at most so many rows, picked by a hash of their position."""
        return self if len(self) <= most else self.take(some_rows(len(self), most))

    def one(self, i: int) -> Any:
        """Return one row, as `explain` takes it."""
        return self.rows[i] if self.texts else rows_at(self.rows, np.array([i]))

    @cached_property
    def table(self) -> Table:
        """The rows as columns."""
        return Table.read(self.rows, "X")

    @cached_property
    def codes(self) -> Integers:
        """The labels as codes."""
        return np.asarray(np.unique(self.labels, return_inverse=True)[1])

    def coded(self, name: Any) -> CodedColumn:
        """Return a column as codes, computed once."""
        known: dict[Any, CodedColumn] = vars(self).setdefault("_coded", {})
        if name not in known:
            known[name] = coded(self.table[name])
        return known[name]


@dataclass(frozen=True)
class CodedColumn:
    """A column as codes of its distinct values, which have an order."""

    column: Column
    places: Integers  # the code of each row, −1 where there is no value
    first: Integers  # the first row of each value
    count: Integers  # the rows of each value

    def __len__(self) -> int:
        return len(self.first)

    @property
    def numeric(self) -> bool:
        """Whether values are numbers."""
        return self.column.storage in ("integer", "real")

    def name(self, code: int) -> str:
        """Return a value as text."""
        value: Any = self.column.values[self.first[code]]
        if self.column.storage == "category" and self.column.labels is not None:
            return str(self.column.labels[value])
        return str(value.as_py() if hasattr(value, "as_py") else value)


def coded(column: Column) -> CodedColumn:
    """Return a column as codes; dates, and columns without values, have none."""
    places, there = np.full(len(column), -1), np.flatnonzero(column.present)
    if column.values is None or not len(there):
        return CodedColumn(column, places, places[:0], places[:0])
    values = (column.coded() if column.storage == "string" else column).values
    _, first, places[there], count = np.unique(
        np.asarray(values)[there], return_index=True, return_inverse=True, return_counts=True
    )
    return CodedColumn(column, places, there[first], count)


def read(model: Any, X: Any, y: Any, target: str | None = None) -> LabelledRows:
    """Read rows and labels of any kind that the model takes, without those whose label it never learned."""
    if not isinstance(model, Classifier):
        raise KindError("report.model", "be a fitted classifier of suffice").but(
            f"got {type(model).__module__.split('.')[0]}'s {type(model).__name__}"
        )
    if not hasattr(model, "classes_"):
        raise KindError("report.model", "be fitted").advise(python="Call fit first.")
    rows, labels = _both(model, X, y)
    size = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    if size != len(labels):
        raise LabelError("y", f"hold one label for each of {counted(size, 'row')}").but(f"got {len(labels):,}")
    known = np.isin(labels, model.classes_)
    if not known.any():
        classes, found = (", ".join(map(repr, of[:3].tolist())) for of in (model.classes_, np.unique(labels)))
        raise DataError("The rows", f"have labels that the model knows, such as {classes}").but(f"they have {found}")
    given = LabelledRows(rows, labels, np.arange(size), target=target or target_name(model, y))
    if known.all():
        return given
    strangers = tuple(np.unique(labels[~known]).tolist())
    return replace(given.take(np.flatnonzero(known)), unknown=strangers, dropped=int((~known).sum()))


def target_name(model: Any, y: Any) -> str | None:
    """Return the name of the target: of the column or Series `y`, or else the one the model was fitted with."""
    names = (y if isinstance(y, str | int) else getattr(y, "name", None), getattr(model, "target_", None))
    for name in (*names, getattr(model._reader, "target", None)):
        if isinstance(name, int | np.integer) and not isinstance(name, bool):
            return f"column {name}"
        if isinstance(name, str) and name:
            return name
    return None


def _both(model: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    X, y = model._known_columns(X, y)
    if isinstance(model._reader, TextReader):
        if isinstance(X, str | bytes):
            raise KindError("report.X", "be a list of texts").but("got one text")
        X = X.to_pylist() if hasattr(X, "to_pylist") else list(X)
    elif isinstance(X, list | tuple):
        X = np.asarray(X)
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise LabelError("report.y", "hold one label per row").but(f"got shape {labels.shape}")
    return X, labels
