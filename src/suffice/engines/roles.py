"""What a classifier learns from, of the columns of an Arrow table: labels, and texts, a table, or a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from suffice.engines.guesses import guess_target, guess_text, is_string
from suffice.errors import DataError, InputError, KindError, LabelError
from suffice.estimators.shell.predicting import Predicting
from suffice.later import pa, pc, sparse
from suffice.readers.table_columns import closest
from suffice.stats.bottom_k import one_array
from suffice.tables.parsing import is_number
from suffice.typing import Booleans

__all__ = ["Roles", "kind_of_rows", "roles", "roles_for", "roles_of"]

VECTOR = {"type", "size", "indices", "values"}
"""Fields of a vector as Spark writes it: type 0 is sparse, 1 dense."""


@dataclass(frozen=True)
class Roles:
    """Names of the columns of labels and of features, and what becomes of the latter."""

    kind: Literal["text", "table", "matrix", "vector"]
    target: str  # "" if there is none
    columns: tuple[str, ...]
    classes: Any = None  # of the model that is to learn or to judge these rows: labels are read as it writes them
    lenient: bool = False  # whether texts may be written as numbers, as in a file

    @property
    def names(self) -> list[str]:
        """All columns that are read, in an order that does not depend on that of the data."""
        return [*sorted(self.columns), *([self.target] if self.target else [])]

    @property
    def text(self) -> str | None:
        """The column of texts, if there is one."""
        return self.columns[0] if self.kind == "text" else None

    def features(self, table: Any) -> Any:
        """Return what the classifier takes for X."""
        if self.kind == "text":
            return _texts(table[self.columns[0]], self.lenient)
        if self.kind == "vector":
            return _vectors(one_array(table[self.columns[0]]), self.columns[0])
        return table.select([name for name in self.columns if name in table.column_names])

    def labels(self, table: Any) -> Any:
        """Return labels as an array; a missing one is the caller's affair."""
        column = one_array(table[self.target])
        if self.classes is not None:
            column = one_array(_as_known(column, self.classes))
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        return np.array(coded.dictionary.to_pylist())[coded.indices.to_numpy(zero_copy_only=False)]

    def y(self, table: Any) -> Any:
        """Return labels as the classifier takes them: beside a table, words stay as Arrow has them."""
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
        """Return the rows of a file that have a label; others are malformed."""
        if self.target not in table.column_names:
            raise InputError(f"The target {self.target!r} must be a column of every file; at least one lacks it.")
        there = self.has_label(table)
        lacking = int((~there).sum())
        if not lacking:
            return table
        if files.errors == "raise":
            raise InputError(
                f"The target {self.target!r} must have a label in every row; {lacking:,} lack one. "
                "errors='skip' leaves such rows out."
            )
        files.skip(lacking, f"no label in {self.target!r}", read=True)
        return table.filter(pa.array(there))

    def sampled(self, table: Any) -> Booleans:
        """Return which rows something may be chosen by."""
        return np.ones(table.num_rows, bool)

    def meant(self, classes: Any) -> Any:
        """Return the labels that classes stand for."""
        return classes

    def unlabelled(self) -> Roles:
        """Return the roles of columns where labels say nothing, as far as they may say nothing."""
        return self


def kind_of_rows(model: Any) -> str:
    """Return what a classifier, or the model of a file, reads: "text", "table" or "matrix"; nothing for others."""
    return model._kind_of_rows if isinstance(model, Predicting) else ""


def roles_of(estimator: Any, columns: Any, target: Any, features: Any = None, argument: str = "features") -> Roles:
    """Return roles as given, or as names and types of columns say; contents, too, if `columns` is a table."""
    names = columns.schema.names if isinstance(columns, pa.Table) else columns.names
    target = guess_target(names) if target is None else _known("target", target, names)
    given = [features] if isinstance(features, str) else features
    chosen = [name for name in names if name != target] if given is None else list(given)
    for name in chosen:
        _known(argument, name, names)
    if target in chosen or not chosen:
        raise InputError(
            f"The argument '{argument}' must name columns other than the target {target!r}; got {chosen!r}."
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
            f"The argument 'estimator' must be a classifier whose counts add; got a {type(estimator).__name__}."
        )
    nested = len(chosen) == 1 and pa.types.is_nested(columns.field(chosen[0]).type)
    return Roles("vector" if nested else "matrix", target, tuple(chosen))


def roles_for(model: Any, columns: Any, features: Any = None) -> Roles:
    """Return where a fitted model finds its features: as given, or by the names that it was fitted with."""
    names = columns.schema.names if isinstance(columns, pa.Table) else columns.names
    known = [getattr(model, "text_column_", None), *getattr(model, "columns_", getattr(model, "feature_names_in_", []))]
    there = [name for name in known if name in names]
    target = getattr(model, "target_", "")
    if features is None and not there:
        features = [name for name in names if name != target]
    return roles_of(model, _with_nothing(columns), "", features or there)


def roles(table: Any, model: Any, target: str | None, text: str | None, labelled: bool = True) -> Roles:
    """Return the roles of the columns of a file, given its first rows, for a model that may be fitted."""
    classes = getattr(model, "classes_", None)
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
    """Return columns with one more, which is nobody's target."""
    if isinstance(columns, pa.Table):
        return columns.append_column("", pa.nulls(columns.num_rows))
    return pa.schema([*columns, pa.field("", pa.null())])


def _known(what: str, name: Any, names: Sequence[str]) -> str:
    if name not in names:
        raise InputError(f"The argument '{what}' must name columns of the data; got {name!r}.{closest(name, names)}")
    return str(name)


def _as_known(labels: Any, classes: Any) -> Any:
    """Return labels in the type of a model's classes: what a text has as words, other files may have as numbers."""
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
            raise LabelError(f"The target must hold numbers, like the model's classes; got {word!r}.")
        values.append(known[word] if word in known else float(word))
    return pa.array(values).take(pc.index_in(labels, labels.unique()))


def _texts(column: Any, lenient: bool) -> Any:
    array = one_array(column)
    if pa.types.is_null(array.type) or (lenient and not is_string(array.type)):
        array = array.cast(pa.string())
    if not is_string(array.type):
        raise KindError(f"The column of texts must hold texts; got {array.type}.")
    array = array if pa.types.is_string(array.type) else array.cast(pa.large_string())
    return pc.fill_null(array, "")


def _vectors(array: Any, name: str) -> Any:
    """Return rows of numbers: a matrix of lists of equal length, or of vectors, which may be sparse."""
    if array.null_count:
        raise DataError(f"Column {name!r} must hold a vector in every row; {array.null_count:,} are missing.")
    if pa.types.is_struct(array.type):
        return _of_spark(array, name)
    lengths = np.unique(pc.list_value_length(array).to_numpy(zero_copy_only=False))
    if len(lengths) != 1:
        raise DataError(f"Column {name!r} must hold vectors of one length; got lengths {lengths[:5].tolist()}.")
    values = array.flatten()
    if values.null_count:
        raise DataError(f"Column {name!r} must hold numbers alone; {values.null_count:,} are missing.")
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
        raise DataError(f"Column {name!r} must hold vectors of one length, all sparse or all dense; got {sizes[:5]}.")
    indices, values = array.field("indices"), array.field("values")
    ends = np.cumsum(pc.list_value_length(indices).to_numpy(zero_copy_only=False))
    parts = (part.flatten().to_numpy(zero_copy_only=False) for part in (values, indices))
    return sparse.csr_matrix((*parts, np.append(0, ends)), shape=(len(array), int(sizes[0])))
