"""Assign roles to the columns of an Arrow table: labels, and features as texts, a table or a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from suffice.errors import DataError, InputError, KindError, LabelError
from suffice.estimators.shell.answering import Answers
from suffice.later import pa, pc, sparse
from suffice.readers.table_columns import closest
from suffice.stats.bottom_k import one_array
from suffice.tables.parsing import is_number
from suffice.telling import counted
from suffice.typing import Booleans

LABELS = ("label", "labels", "target", "class", "category", "y", "species", "outcome", "spam")
TEXTS = ("text", "texts", "message", "body", "content", "document", "comment", "review", "title")

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
            raise InputError("Every file", f"have the column of labels {self.target!r}").but("at least one lacks it")
        there = self.has_label(table)
        lacking = int((~there).sum())
        if not lacking:
            return table
        if files.errors == "raise":
            raise InputError(f"The column {self.target!r}", "hold a label in every row").but(
                f"{lack(lacking)} one",
                python="errors='skip' leaves such rows out.",
                shell="--errors skip leaves such rows out.",
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
    """Return the roles of columns: as given, else guessed from names and types, and from contents if there are any.

    The target False stands for rows without labels.
    """
    names = columns.schema.names if isinstance(columns, pa.Table) else columns.names
    if target is not False:
        target = guess_target(names) if target is None else _known("target", target, names)
    given = [features] if isinstance(features, str) else features
    chosen = [name for name in names if name != target] if given is None else list(given)
    for name in chosen:
        _known(argument, name, names)
    if not chosen:
        raise InputError("The rows", f"have a column to learn from besides the labels {target or ''!r}").but(
            "they have none"
        )
    if target is not False and target in chosen:
        raise InputError(argument, f"name columns other than the column of labels {target!r}", got=chosen)
    if kind_of_rows(estimator) == "text":
        among = (
            columns.select(chosen) if isinstance(columns, pa.Table) else pa.schema([columns.field(n) for n in chosen])
        )
        text = chosen[0] if given is not None and len(chosen) == 1 else guess_text(among, argument=argument)
        return Roles("text", target or "", (text,))
    if kind_of_rows(estimator) == "table":
        return Roles("table", target or "", tuple(chosen))
    if not kind_of_rows(estimator):
        raise KindError("estimator", "be a classifier of suffice that is fitted by counting", got_a=estimator)
    nested = len(chosen) == 1 and pa.types.is_nested(columns.field(chosen[0]).type)
    return Roles("vector" if nested else "matrix", target or "", tuple(chosen))


def roles_for(model: Any, columns: Any, features: Any = None) -> Roles:
    """Return the roles of the features of a fitted model: as given, else by the column names it was fitted with."""
    names = columns.schema.names if isinstance(columns, pa.Table) else columns.names
    known = [getattr(model, "text_column_", None), *getattr(model, "columns_", getattr(model, "feature_names_in_", []))]
    there = [name for name in known if name in names]
    target = getattr(model, "target_", "")
    if features is None and not there:
        features = [name for name in names if name != target]
    return roles_of(model, columns, False, features or there)


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
        found = roles_of(model, table, False, names, "text") if is_table else roles_for(model, table, text)
    return Roles(found.kind, found.target, found.columns, classes, lenient=True)


def _check_columns(model: Any, names: list[str], target: str | None, text: str | None) -> None:
    """Raise InputError if a column that a fitted model was fitted to is not in a file."""
    for name, own, holds in ((target, "target_", "labels"), (text, "text_column_", "texts")):
        if name is not None and name not in names and name == getattr(model, own, None):
            raise InputError("The file", f"have the model's column of {holds}, {name!r}").but(
                f"its columns are {_listed(names)}"
            )


def lack(rows: int) -> str:
    """Return the number of rows that lack something, with the verb.

    >>> lack(1), lack(1200)
    ('1 row lacks', '1,200 rows lack')
    """
    return f"{counted(rows, 'row')} {'lacks' if rows == 1 else 'lack'}"


def _known(what: str, name: Any, names: Sequence[str]) -> str:
    if name not in names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        hint = closest(name, names) or f" The columns are {', '.join(map(repr, names[:5]))}{more}."
        raise InputError(what, "name a column of the data", got=name).advise(hint)
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
            raise LabelError("The column of labels", "hold numbers, like the model's classes", got=word)
        values.append(known[word] if word in known else float(word))
    return pa.array(values).take(pc.index_in(labels, labels.unique()))


def _texts(column: Any, lenient: bool) -> Any:
    array = one_array(column)
    if pa.types.is_null(array.type) or (lenient and not is_string(array.type)):
        array = array.cast(pa.string())
    if not is_string(array.type):
        raise KindError("The column of texts", "hold strings").but(f"got the type {array.type}")
    array = array if pa.types.is_string(array.type) else array.cast(pa.large_string())
    return pc.fill_null(array, "")


def _vectors(array: Any, name: str) -> Any:
    """Return a column of lists of equal length, or of Spark vectors, as a matrix, which may be sparse."""
    if array.null_count:
        raise DataError(column=name, must="hold a vector in every row").but(f"{array.null_count:,} missing")
    if pa.types.is_struct(array.type):
        return _of_spark(array, name)
    lengths = np.unique(pc.list_value_length(array).to_numpy(zero_copy_only=False))
    if len(lengths) != 1:
        raise DataError(column=name, must="hold vectors of equal length").but(f"got lengths {lengths[:5].tolist()}")
    values = array.flatten()
    if values.null_count:
        raise DataError(column=name, must="hold vectors without missing numbers").but(f"{values.null_count:,} missing")
    return values.to_numpy(zero_copy_only=False).reshape(len(array), -1)


def _of_spark(array: Any, name: str) -> Any:
    fields = {field.name for field in array.type}
    if fields != VECTOR:
        raise KindError(column=name, must="hold vectors").but(f"got a struct of {sorted(fields)}")
    kind = array.field("type").to_numpy(zero_copy_only=False)
    if (kind == 1).all():
        return _vectors(array.field("values"), name)
    sizes = np.unique(pc.fill_null(array.field("size"), -1).to_numpy(zero_copy_only=False))
    if len(sizes) != 1 or sizes[0] < 0:
        raise DataError(column=name, must="hold vectors of equal length, all sparse or all dense").but(
            f"got sizes {sizes[:5]}"
        )
    indices, values = array.field("indices"), array.field("values")
    ends = np.cumsum(pc.list_value_length(indices).to_numpy(zero_copy_only=False))
    parts = (part.flatten().to_numpy(zero_copy_only=False) for part in (values, indices))
    return sparse.csr_matrix((*parts, np.append(0, ends)), shape=(len(array), int(sizes[0])))


# guesses from names, types and contents -------------------------------------------------------------------------------


def label_among(names: list[str]) -> str | None:
    """Return the only column whose name says that it holds labels, or None if there is not exactly one."""
    found = _called(names, LABELS)
    return found[0] if len(found) == 1 else None


def guess_target(names: list[str]) -> str:
    """Return the column whose name says that it holds labels; raise InputError unless there is exactly one."""
    found = _called(names, LABELS)
    if len(found) != 1:
        numbered = names == [f"c{k}" for k in range(1, len(names) + 1)]
        got = f"got none, and {_how_many(found)} is called {', '.join(LABELS)}"
        error = InputError("target", f"name the column of labels, one of {_listed(names)}").but(got)
        if numbered:
            takes = "takes them from its first line."
            error.advise(
                "The file was read without column names.", python=f"header=True {takes}", shell=f"--header {takes}"
            )
        raise error
    return found[0]


def guess_text(columns: Any, target: str | None = None, argument: str = "text") -> str:
    """Return the column of texts of an Arrow table or schema; raise InputError unless there is exactly one.

    It is the column of strings whose name says so, else the only column of prose, else the only column of strings. A
    schema has no contents to find prose in.
    """
    schema, rows = (columns.schema, columns) if isinstance(columns, pa.Table) else (columns, None)
    others = [name for name in schema.names if name != target]
    if rows is None and len(others) == 1:
        return str(others[0])
    strings = [name for name in others if is_string(schema.field(name).type)]
    prose = [name for name in strings if rows is not None and is_text(rows[name])]
    for found in (_called(strings, TEXTS), prose, strings, _called(others, TEXTS)):
        if len(found) == 1:
            return str(found[0])
    raise InputError(argument, f"name the column of texts, one of {_listed(others)}").but(
        f"got none, and {_how_many(strings)} holds texts"
    )


def is_text(column: Any) -> bool:
    """Return whether a column holds prose: strings of three words or more on average, most of them distinct."""
    if not is_string(column.type):
        return False
    sample = column.slice(0, 1000).drop_null()
    if not len(sample):
        return False
    words = pc.mean(pc.count_substring(sample, " ")).as_py() or 0.0
    return bool(words >= 2 and pc.count_distinct(sample).as_py() > 0.5 * len(sample))


def is_string(kind: Any) -> bool:
    """Return whether an Arrow type is a string type."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def _called(names: list[str], words: tuple[str, ...]) -> list[str]:
    return [name for name in names if name.strip().lower() in words]


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def _how_many(found: list[str]) -> str:
    return "more than one of them" if found else "none of them"
