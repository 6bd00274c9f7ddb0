"""Assign roles to the columns of an Arrow table: labels, and features as texts, a table or a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from suffice.engines.guesses import guess_target, guess_text, is_string
from suffice.errors import DataError, InputError, KindError, LabelError
from suffice.estimators.shell.answering import Answers
from suffice.later import pa, pc, sparse
from suffice.readers.table_columns import closest
from suffice.stats.bottom_k import one_array
from suffice.tables.parsing import is_number
from suffice.telling import counted
from suffice.typing import Booleans

__all__ = ["Roles", "kind_of_rows", "roles", "roles_for", "roles_of"]

VECTOR = {"type", "size", "indices", "values"}
"""Fields of a Spark vector: type 0 is sparse, 1 dense."""


@dataclass(frozen=True)
class Roles:
    """The columns of labels and features, and how the features are read."""

    kind: Literal["text", "table", "matrix", "vector"]
    target: str  # "" if there is none
    columns: tuple[str, ...]
    classes: Any = None  # of a fitted model: labels are converted to their type
    lenient: bool = False  # whether a column of texts may hold numbers, as in a file

    @property
    def names(self) -> list[str]:
        """All columns that are read, in an order that does not depend on the order in the data."""
        return [*sorted(self.columns), *([self.target] if self.target else [])]

    @property
    def text(self) -> str | None:
        """The column of texts, if there is one."""
        return self.columns[0] if self.kind == "text" else None

    def features(self, table: Any) -> Any:
        """Return the features as the classifier takes them for X."""
        if self.kind == "text":
            return _texts(table[self.columns[0]], self.lenient)
        if self.kind == "vector":
            return _vectors(one_array(table[self.columns[0]]), self.columns[0])
        return table.select([name for name in self.columns if name in table.column_names])

    def labels(self, table: Any) -> Any:
        """Return the labels as an array; the caller handles missing labels."""
        column = one_array(table[self.target])
        if self.classes is not None:
            column = one_array(_as_known(column, self.classes))
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        return np.array(coded.dictionary.to_pylist())[coded.indices.to_numpy(zero_copy_only=False)]

    def y(self, table: Any) -> Any:
        """Return the labels as the classifier takes them; with a table, strings stay an Arrow array."""
        column = one_array(table[self.target])
        return (
            column if self.kind == "table" and self.classes is None and is_string(column.type) else self.labels(table)
        )

    def has_label(self, table: Any) -> Booleans:
        """Return which rows have a label."""
        column = one_array(table[self.target])
        if not column.null_count and not pa.types.is_floating(column.type):
            return np.ones(len(column), bool)
        valid = pc.is_valid(column)
        if pa.types.is_floating(column.type):
            valid = pc.and_(valid, pc.invert(pc.fill_null(pc.is_nan(column), True)))
        return np.asarray(valid.to_numpy(zero_copy_only=False))

    def labelled(self, table: Any, files: Any) -> Any:
        """Return the labelled rows of a file; unlabelled rows are skipped, or raise InputError."""
        if self.target not in table.column_names:
            raise InputError(f"Every file must have the column of labels {self.target!r}; at least one lacks it.")
        there = self.has_label(table)
        lacking = int((~there).sum())
        if not lacking:
            return table
        if files.errors == "raise":
            raise InputError(
                f"The column {self.target!r} must hold a label in every row; {_lack(lacking)} one. errors='skip' leaves"
                " such rows out."
            )
        files.skip(lacking, f"no label in {self.target!r}", read=True)
        return table.filter(pa.array(there))

    def sampled(self, table: Any) -> Booleans:
        """Return which rows may choose hyperparameters."""
        return np.ones(table.num_rows, bool)

    def meant(self, classes: Any) -> Any:
        """Return the labels that the classes stand for."""
        return classes

    def unlabelled(self) -> Roles:
        """Return the roles with all rows treated as unlabelled, if labels are optional."""
        return self


def kind_of_rows(model: Any) -> str:
    """Return what a classifier reads: "text", "table" or "matrix"; "" for any other object."""
    return model._kind_of_rows if isinstance(model, Answers) else ""


def roles_of(estimator: Any, columns: Any, target: Any, features: Any = None, argument: str = "features") -> Roles:
    """Return the roles of columns: as given, else guessed from names and types, and from contents if there are any."""
    names = columns.schema.names if isinstance(columns, pa.Table) else columns.names
    target = guess_target(names) if target is None else _known("target", target, names)
    given = [features] if isinstance(features, str) else features
    chosen = [name for name in names if name != target] if given is None else list(given)
    for name in chosen:
        _known(argument, name, names)
    if not chosen:
        raise InputError(f"The rows must have a column to learn from besides the labels {target!r}; they have none.")
    if target in chosen:
        raise InputError(
            f"The argument '{argument}' must name columns other than the column of labels {target!r}; got {chosen!r}."
        )
    if kind_of_rows(estimator) == "text":
        among = (
            columns.select(chosen) if isinstance(columns, pa.Table) else pa.schema([columns.field(n) for n in chosen])
        )
        text = chosen[0] if given is not None and len(chosen) == 1 else guess_text(among, argument=argument)
        return Roles("text", target, (text,))
    if kind_of_rows(estimator) == "table":
        return Roles("table", target, tuple(chosen))
    if not kind_of_rows(estimator):
        raise KindError(
            f"The argument 'estimator' must be a classifier of suffice that is fitted by counting; got a "
            f"{type(estimator).__name__}."
        )
    nested = len(chosen) == 1 and pa.types.is_nested(columns.field(chosen[0]).type)
    return Roles("vector" if nested else "matrix", target, tuple(chosen))


def roles_for(model: Any, columns: Any, features: Any = None) -> Roles:
    """Return the roles of the features of a fitted model: as given, else by the column names it was fitted with."""
    names = columns.schema.names if isinstance(columns, pa.Table) else columns.names
    known = [getattr(model, "text_column_", None), *getattr(model, "columns_", getattr(model, "feature_names_in_", []))]
    there = [name for name in known if name in names]
    target = getattr(model, "target_", "")
    if features is None and not there:
        features = [name for name in names if name != target]
    return roles_of(model, _with_nothing(columns), "", features or there)


def roles(table: Any, model: Any, target: str | None, text: str | None, labelled: bool = True) -> Roles:
    """Return the roles of the columns of a file for a model, fitted or not, given the first rows."""
    classes = getattr(model, "classes_", None)
    if classes is not None:
        _check_columns(model, table.column_names, target if labelled else None, text)
    if text is not None:
        _known("text", text, table.column_names)
        text = text if kind_of_rows(model) == "text" else None
    if labelled:
        found = roles_of(model, table, target, text, "text")
    else:
        names = [name for name in table.column_names if name != getattr(model, "target_", None)] or table.column_names
        is_table = kind_of_rows(model) == "table"
        found = roles_of(model, _with_nothing(table), "", names, "text") if is_table else roles_for(model, table, text)
    return Roles(found.kind, found.target, found.columns, classes, lenient=True)


def _with_nothing(columns: Any) -> Any:
    """Return the columns with an empty one added, to stand for the target."""
    if isinstance(columns, pa.Table):
        return columns.append_column("", pa.nulls(columns.num_rows))
    return pa.schema([*columns, pa.field("", pa.null())])


def _check_columns(model: Any, names: list[str], target: str | None, text: str | None) -> None:
    """Raise InputError if a column that a fitted model was fitted to is not in a file."""
    for name, own, holds in ((target, "target_", "labels"), (text, "text_column_", "texts")):
        if name is not None and name not in names and name == getattr(model, own, None):
            found = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
            raise InputError(f"The file must have the model's column of {holds}, {name!r}; its columns are {found}.")


def _lack(rows: int) -> str:
    """Return the number of rows that lack something, with the verb.

    >>> _lack(1), _lack(1200)
    ('1 row lacks', '1,200 rows lack')
    """
    return f"{counted(rows, 'row')} {'lacks' if rows == 1 else 'lack'}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{', '.join(map(repr, names[:5]))}{more}"


def _known(what: str, name: Any, names: Sequence[str]) -> str:
    if name not in names:
        hint = closest(name, names) or f" The columns are {_some(names)}."
        raise InputError(f"The argument '{what}' must name a column of the data; got {name!r}.{hint}")
    return str(name)


def _as_known(labels: Any, classes: Any) -> Any:
    """Return labels in the type of a model's classes: delimited text holds strings where other files hold numbers."""
    words, named = is_string(labels.type), np.asarray(classes).dtype.kind in "OUS"
    if named == words:
        return labels
    if named:
        integral = pa.types.is_floating(labels.type) and pc.all(pc.equal(pc.round(labels), labels)).as_py()
        return (labels.cast(pa.int64()) if integral else labels).cast(pa.string())
    known = {str(label): label for label in np.asarray(classes).tolist()}
    values = []
    for word in labels.unique().to_pylist():
        if word not in known and not is_number(word):
            raise LabelError(f"The column of labels must hold numbers, like the model's classes; got {word!r}.")
        values.append(known[word] if word in known else float(word))
    return pa.array(values).take(pc.index_in(labels, labels.unique()))


def _texts(column: Any, lenient: bool) -> Any:
    array = one_array(column)
    if pa.types.is_null(array.type) or (lenient and not is_string(array.type)):
        array = array.cast(pa.string())
    if not is_string(array.type):
        raise KindError(f"The column of texts must hold strings; got the type {array.type}.")
    array = array if pa.types.is_string(array.type) else array.cast(pa.large_string())
    return pc.fill_null(array, "")


def _vectors(array: Any, name: str) -> Any:
    """Return a column of lists of equal length, or of Spark vectors, as a matrix, which may be sparse."""
    if array.null_count:
        raise DataError(f"Column {name!r} must hold a vector in every row; {array.null_count:,} missing.")
    if pa.types.is_struct(array.type):
        return _of_spark(array, name)
    lengths = np.unique(pc.list_value_length(array).to_numpy(zero_copy_only=False))
    if len(lengths) != 1:
        raise DataError(f"Column {name!r} must hold vectors of equal length; got lengths {lengths[:5].tolist()}.")
    values = array.flatten()
    if values.null_count:
        raise DataError(f"Column {name!r} must hold vectors without missing numbers; {values.null_count:,} missing.")
    return values.to_numpy(zero_copy_only=False).reshape(len(array), -1)


def _of_spark(array: Any, name: str) -> Any:
    fields = {field.name for field in array.type}
    if fields != VECTOR:
        raise KindError(f"Column {name!r} must hold vectors; got a struct of {sorted(fields)}.")
    kind = array.field("type").to_numpy(zero_copy_only=False)
    if (kind == 1).all():
        return _vectors(array.field("values"), name)
    sizes = np.unique(pc.fill_null(array.field("size"), -1).to_numpy(zero_copy_only=False))
    if len(sizes) != 1 or sizes[0] < 0:
        raise DataError(
            f"Column {name!r} must hold vectors of equal length, all sparse or all dense; got sizes {sizes[:5]}."
        )
    indices, values = array.field("indices"), array.field("values")
    ends = np.cumsum(pc.list_value_length(indices).to_numpy(zero_copy_only=False))
    parts = (part.flatten().to_numpy(zero_copy_only=False) for part in (values, indices))
    return sparse.csr_matrix((*parts, np.append(0, ends)), shape=(len(array), int(sizes[0])))
