"""What an estimator learns from, of the columns of an Arrow table: texts, a table, or a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from suffice.engines.columns import TEXTS, guess_target
from suffice.errors import DataError, InputError, KindError
from suffice.estimators.algebra import Additive
from suffice.estimators.kinds import closest
from suffice.estimators.mixed import NaiveBayes
from suffice.estimators.text import TextClassifier

__all__ = ["Shape", "one_array", "shape_for", "shape_of"]

VECTOR = {"type", "size", "indices", "values"}
"""Fields of a vector as Spark writes it: type 0 is sparse, 1 dense."""


@dataclass(frozen=True)
class Shape:
    """Names of the columns of labels and of features, and what becomes of the latter."""

    kind: Literal["text", "table", "matrix", "vector"]
    target: str
    features: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All columns that are read, in an order that does not depend on that of the data."""
        return [*sorted(self.features), *([self.target] if self.target else [])]

    def rows(self, table: Any) -> Any:
        """What the estimator takes for X."""
        if self.kind == "text":
            return _texts(table[self.features[0]])
        if self.kind == "vector":
            return _vectors(one_array(table[self.features[0]]), self.features[0])
        return table.select(list(self.features))

    def labels(self, table: Any) -> Any:
        """Labels as an array; a missing one is the caller's affair."""
        coded = one_array(table[self.target])
        coded = coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()
        return np.array(coded.dictionary.to_pylist())[coded.indices.to_numpy(zero_copy_only=False)]

    def labelled(self, table: Any) -> Any:
        """Which rows have a label."""
        column = one_array(table[self.target])
        valid = pc.is_valid(column)
        if pa.types.is_floating(column.type):
            valid = pc.and_(valid, pc.invert(pc.fill_null(pc.is_nan(column), True)))
        return valid.to_numpy(zero_copy_only=False)

    def keepable(self, table: Any) -> Any:
        """The rows that something may be chosen by."""
        return table

    def whole(self) -> Shape:
        """The same, where that is all of them."""
        return self


def shape_of(estimator: Any, schema: Any, target: Any, features: Any) -> Shape:
    """As given, or as the names and the types of columns say."""
    names = schema.names
    target = guess_target(names) if target is None else _known("target", target, names)
    given = [features] if isinstance(features, str) else features
    chosen = [name for name in names if name != target] if given is None else list(given)
    for name in chosen:
        _known("features", name, names)
    if target in chosen or not chosen:
        raise InputError(f"The argument 'features' must name columns other than the target {target!r}; got {chosen!r}.")
    if isinstance(estimator, TextClassifier):
        return Shape("text", target, (_text_column(schema, chosen),))
    if isinstance(estimator, NaiveBayes):
        return Shape("table", target, tuple(chosen))
    if not isinstance(estimator, Additive):
        raise KindError(
            f"The argument 'estimator' must be a classifier whose counts add; got a {type(estimator).__name__}."
        )
    return Shape("vector" if len(chosen) == 1 and _is_vector(schema, chosen[0]) else "matrix", target, tuple(chosen))


def shape_for(model: Any, schema: Any, features: Any) -> Shape:
    """Where a fitted model finds its features: as given, or by the names that it was fitted with."""
    names = schema.names
    known = [getattr(model, "text_column_", None), *getattr(model, "columns_", getattr(model, "feature_names_in_", []))]
    there = [name for name in known if name in names]
    target = getattr(model, "target_", "")
    if features is None and not there:
        features = [name for name in names if name != target]
    return shape_of(model, pa.schema([*schema, pa.field("", pa.null())]), "", features or there)


def one_array(column: Any) -> Any:
    """A column as one array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


def _known(what: str, name: Any, names: Sequence[str]) -> str:
    if name not in names:
        raise InputError(f"The argument '{what}' must name columns of the data; got {name!r}.{closest(name, names)}")
    return str(name)


def _is_vector(schema: Any, name: str) -> bool:
    return bool(pa.types.is_nested(schema.field(name).type))


def _text_column(schema: Any, chosen: list[str]) -> str:
    words = [name for name in chosen if _is_string(schema.field(name).type)] if len(chosen) > 1 else chosen
    named = [name for name in words if name.strip().lower() in TEXTS]
    found = named if len(named) == 1 else words
    if len(found) != 1:
        raise InputError(
            f"The argument 'features' must name the column of texts, one of {', '.join(map(repr, chosen[:8]))}; got "
            "all of them."
        )
    return found[0]


def _is_string(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def _texts(column: Any) -> Any:
    array = one_array(column)
    if pa.types.is_null(array.type):
        array = array.cast(pa.string())
    if not _is_string(array.type):
        raise KindError(f"The column of texts must hold texts; got {array.type}.")
    array = array if pa.types.is_string(array.type) else array.cast(pa.large_string())
    return pc.fill_null(array, "")


def _vectors(array: Any, name: str) -> Any:
    """Rows of numbers: a matrix of lists of equal length, or of vectors, which may be sparse."""
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
