"""Read labels (columns of any library, lists, arrays), complete or with gaps, and pair them with rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Protocol, Self, TypeAlias

import numpy as np

from suffice.errors import LabelError
from suffice.models.answers.parts import Wording
from suffice.models.model import Model, Name, narrowest
from suffice.models.scoring.rows import Labels, Rows
from suffice.stats.bottom_k import picked
from suffice.stats.content import RowHashes, with_labels
from suffice.stats.row_order import Values, group_ranks, row_keys
from suffice.tables import Column, Table
from suffice.tables.column import has_surrogates, is_encodable
from suffice.tables.series import is_series
from suffice.text import unwrapped
from suffice.typing import Array, Booleans, DataLike, Integers, LabelArray

__all__ = [
    "Coded", "Examples", "Given", "LabelChecks", "RowReader", "check_kinds_of_labels", "classes_and_codes",
    "column_classes", "is_gap", "is_missing", "label_column", "labelled", "partly_labelled", "same_values",
]  # fmt: skip


Given: TypeAlias = DataLike | Table
"""Data as a user passes them, or a table that was read already."""


class RowReader(Protocol):
    """Reads a source (a matrix, texts or a table that the classifier has checked) into the rows of each block."""

    @property
    def by_block(self) -> bool:
        """Whether each feature is a block, as each column of a table is."""

    @property
    def backend(self) -> str | None:
        """Library of the dataframes that are returned; None for any that is installed."""

    @property
    def feature_names(self) -> LabelArray | None:
        """The names of features; None if the counts hold them, or there are none."""

    @property
    def categories(self) -> list[LabelArray] | None:
        """The categories of each feature; None if features have none."""

    def of(self, model: Model, /) -> Self:
        """Return the reader for further rows of a model."""

    def features(self, model: Model, /) -> Sequence[Name]:
        """Return the names of features in the order of the counts; their positions if they have no names."""

    def source(self, X: Any, /) -> Any:
        """Return what a user passes in the form that this reader reads."""

    def one(self, x: Any, /) -> Any:
        """Return rows that hold only this one, in the form of `predict`."""

    def wording(self, model: Model, source: Any, read: Any, /) -> Wording:
        """Return the names and values of one row, for explanations; `read` is `source` in the form of the reader."""

    def rows(self, source: Any, /) -> Mapping[Name, Rows]:
        """Return the rows of each block."""

    def parts(self, source: Any, /) -> Iterator[Mapping[Name, Rows]]:
        """Yield the rows of each block in batches."""

    def take(self, source: Any, which: Integers, /) -> Any:
        """Return a source with a subset of the rows."""

    def size(self, source: Any, /) -> int:
        """Return the number of rows."""

    def hashes(self, source: Any, /) -> RowHashes:
        """Return a hash of the content of each row."""

    def values(self, source: Any, /) -> list[Values]:
        """Return the values that decide the order of the rows."""

    def row_bytes(self, source: Any, /) -> Iterable[bytes]:
        """Return each row as bytes, which are equal for equal rows."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows of any kind with their classes, class codes and weights."""

    source: Any  # a matrix, texts, or a table
    classes: LabelArray  # sorted and distinct
    codes: Integers
    weights: Array | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y(self) -> LabelArray:
        """Label of each row."""
        return np.asarray(self.classes[self.codes])

    @property
    def labels(self) -> Labels:
        """Codes, weights and number of classes."""
        return Labels(self.codes, self.weights, len(self.classes))

    def among(self, classes: LabelArray) -> Examples:
        """Return the same rows with codes relative to other classes, which must include theirs."""
        place = np.searchsorted(classes, self.classes)
        return replace(self, classes=classes, codes=np.asarray(place[self.codes], np.int64))

    def take(self, which: Integers, reader: RowReader) -> Examples:
        """Return a subset of the rows."""
        weights = None if self.weights is None else self.weights[which]
        return replace(self, source=reader.take(self.source, which), codes=self.codes[which], weights=weights)

    def hashes(self, reader: RowReader) -> RowHashes:
        """Return a hash of the content of each row with its label."""
        return with_labels(reader.hashes(self.source), self.classes, self.codes)

    def picked(self, reader: RowReader, most: int, group: Integers | None) -> tuple[Examples, Integers, Any]:
        """Return rows picked by hash, the order to deal them in, and groups in that order."""
        which, group = picked(self.hashes(reader), most, self.weights, group)
        few = self if len(which) == len(self) else self.take(np.sort(which), reader)
        keys, _ = row_keys(reader.values(few.source), few.codes)
        if group is not None:
            group = group[np.argsort(which)]
            group = group_ranks(keys, group)[group]
        weights = np.zeros(len(few)) if few.weights is None else few.weights
        order = np.lexsort((weights, keys) if group is None else (weights, keys, group))
        return few, order, None if group is None else group[order]

    @property
    def counted(self) -> float:
        """Total weight of the rows."""
        return float(len(self.codes) if self.weights is None else self.weights.sum())


NOTHING = ("NoneType", "NAType", "NaTType", "MaskedConstant")
"""Types of missing labels, besides NaN."""

KINDS = {str: "words", bool: "truth values", int: "numbers", float: "numbers"}

Coded = tuple[LabelArray, Integers]
"""Sorted classes, and the index of each row's class in them."""


@dataclass(frozen=True)
class LabelChecks:
    """Checks of labels: that they have one dimension, which may convert them, and that they are classes."""

    one_dimension: Callable[[Any], Any]
    are_classes: Callable[[Any], None]


def classes_and_codes(y: Any, checks: LabelChecks) -> Coded:
    """Return the classes of an array of labels, and the code of each row."""
    if y.dtype.kind in "iuf" and y.ndim == 1 and len(y):
        least, most = y.min().item(), y.max().item()
        near = most - least < max(1024, len(y)) and -(2**62) < least <= most < 2**62  # false for NaN
        if near and (y.dtype.kind != "f" or (y == np.floor(y)).all()):  # no need to sort
            shifted = y.astype(np.int64, copy=False) - int(least)
            seen = np.bincount(shifted, minlength=1) > 0
            places = np.cumsum(seen) - 1
            return (np.flatnonzero(seen) + int(least)).astype(y.dtype), places[shifted]
    if y.dtype.kind != "U" or y.ndim != 1:
        checks.are_classes(y)
    classes, codes = np.unique(y, return_inverse=True)
    return narrowest(classes), codes


def column_classes(column: Column, checks: LabelChecks) -> Coded:
    """Return the classes of a column of labels, and the code of each row; raise LabelError if a row has no label."""
    what = "The target" if column.name == "y" else f"The target {column.name!r}"
    if column.n_missing or column.storage == "nothing":
        without = column.n_missing or len(column)
        lacks = f"{without:,} of {len(column):,} {'lacks' if without == 1 else 'lack'} one"
        raise LabelError(what, "have a label in every row").but(
            lacks, python="Leave such rows out, or use SemiSupervised, which learns from them."
        )
    if column.storage == "date":
        raise LabelError(what, "hold labels").but("got dates")
    if column.infinite():
        raise LabelError(what, "hold labels").but("got infinity")
    if column.storage not in ("string", "category"):
        checks.are_classes(column.values)
        return classes_and_codes(column.values, checks)
    coded = column.coded()
    used = np.bincount(coded.values, minlength=len(coded.labels)) > 0
    names = coded.labels[used]
    must_be_sound(names)
    names = names.astype(str) if names.dtype.kind == "O" else names
    order = np.argsort(names)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return names[order], rank[(np.cumsum(used) - 1)[coded.values]]


def label_column(y: Any, rows: int, checks: LabelChecks) -> Column:
    """Return labels as a column named "y"; raise LabelError unless there is one for each row."""
    if is_series(y):
        must_be_sound(y)
    given = y if is_series(y) else checks.one_dimension(np.asarray(labelled(y)))
    words: Any = np.asarray(given) if getattr(getattr(given, "dtype", None), "kind", "") in ("O", "U") else np.empty(0)
    broken = has_surrogates(words) if words.dtype.kind == "U" else not all(map(is_encodable, set(words.tolist())))
    if broken:  # Arrow cannot hold them
        names, codes = np.unique(words.astype(object), return_inverse=True)
        column = Column("y", "category", codes, None, names)
    else:
        column = Table.read({"y": given}, "y")["y"]
    if len(column) != rows:
        raise _unequal(rows, len(column))
    return column


def labelled(y: Any) -> Any:
    """Return labels, without what Arrow and pandas wrap them in; raise LabelError if one is missing or unsound."""
    y = unwrapped(y) if isinstance(y, list | tuple) else y
    row = _first_gap(y)
    if row is not None:
        raise LabelError(f"Input y contains NaN or None, first in row {row}: every row needs a label.").advise(
            python="Leave such rows out, or use SemiSupervised, which learns from them."
        )
    must_be_sound(y)
    plain = getattr(getattr(y, "dtype", None), "numpy_dtype", None)  # of a nullable column, which scikit-learn rounds
    return y.to_numpy(dtype=plain) if getattr(plain, "kind", "") in ("b", "i", "u") else y


def must_be_sound(y: Any) -> None:
    """Raise LabelError for labels of several kinds, which numpy makes words, and for words that it would cut."""
    values = np.asarray(y) if hasattr(y, "__array__") and not isinstance(y, list | tuple) else y
    if isinstance(values, np.ndarray):
        values = values.tolist() if values.ndim == 1 and values.dtype.kind in "OT" else []
    types = set(map(type, values)) if isinstance(values, list | tuple) else set()
    if len(types) > 1 and any(map(_may_be_gap, types)):
        values = [value for value in values if not is_gap(value)]
        types = set(map(type, values))
    kinds = {_kind_of_type(kind): kind for kind in types}
    if len(kinds) > 1:
        first = {kind: next(value for value in values if type(value) is kinds[kind]) for kind in sorted(kinds)}
        raise LabelError("Labels", "be of one kind").but(
            f"got {' and '.join((f'{kind} ({value!r})' for kind, value in first.items()))}",
            python="Convert them, such as by [str(label) for label in y].",
        )
    if "words" in kinds:
        cut = [word for word in set(values) if word.endswith("\0")]
        if cut:
            raise LabelError("Labels", "not end in NUL, which numpy drops", got=min(cut)).advise("Rename such classes.")


def _kind_of_type(kind: type) -> str:
    if issubclass(kind, str):
        return "words"
    if issubclass(kind, bool | np.bool_):
        return "truth values"
    return "numbers" if issubclass(kind, Real | np.number) else kind.__name__


def _first_gap(y: Any) -> int | None:
    """Return the first row without a label; a list is searched before numpy turns None and NaN into words."""
    if np.ma.isMaskedArray(y) and np.ma.is_masked(y):
        return int(np.argmax(np.ma.getmaskarray(y).ravel()))
    values = np.asarray(y) if hasattr(y, "__array__") else None
    y = values.tolist() if values is not None and values.ndim == 1 and values.dtype.kind == "O" else y
    if isinstance(y, list | tuple):
        kinds = [kind for kind in set(map(type, y)) if _may_be_gap(kind)]
        return next((row for row, value in enumerate(y) if type(value) in kinds and is_gap(value)), None)
    if values is None or values.ndim != 1 or values.dtype.kind != "f" or not np.isnan(values).any():
        return None
    return int(np.argmax(np.isnan(values)))


def _may_be_gap(kind: type) -> bool:
    return kind.__name__ in NOTHING or issubclass(kind, float | np.floating)


def is_gap(label: Any) -> bool:
    """Return whether a label is None, NaN, NA or NaT."""
    if type(label).__name__ in NOTHING:
        return True
    return isinstance(label, float | np.floating) and bool(np.isnan(label))


def is_missing(label: Any) -> bool:
    """Return whether a label is −1, None, NaN or NA."""
    if isinstance(label, bool | np.bool_):
        return False
    return is_gap(label) or (isinstance(label, Real) and label == -1)


def same_values(a: Column, b: Column) -> bool:
    """Return whether two columns have equal values, and the same rows without a value."""
    if a.storage != b.storage or len(a) != len(b) or not np.array_equal(a.present, b.present):
        return False
    if a.storage == "string":
        return bool(a.values.equals(b.values))
    there = a.present
    return a.values is None or (np.array_equal(a.values[there], b.values[there]) and np.array_equal(a.labels, b.labels))


def partly_labelled(y: Any, rows: int, checks: LabelChecks) -> Coded:
    """Return the classes, and the code of each row; −1 for a row labelled −1, None, NaN or NA."""
    labels = _as_array(y, checks)
    if rows != len(labels):
        raise _unequal(rows, len(labels))
    missing = np.array([is_missing(label) for label in labels], bool) if labels.dtype.kind == "O" else _gaps(labels)
    known = labels[~missing]
    if known.dtype.kind == "O":
        known = _of_one_kind(known)
    must_be_sound(known)
    if known.dtype.kind == "f" and np.isinf(known).any():
        raise LabelError("y", "hold labels").but("got infinity")
    checks.are_classes(known)
    codes = np.full(len(labels), -1, np.int64)
    if not len(known):
        return known, codes
    classes, codes[~missing] = classes_and_codes(known, checks)
    if len(classes) < 2 and missing.any():
        raise LabelError("y", "name at least two classes if labels are missing").but(
            f"got {classes.tolist()} alone",
            "A label of −1 means that there is none: if −1 is a class of yours, give it another name.",
        )
    return classes, codes


def _unequal(rows: int, labels: int) -> LabelError:
    return LabelError("y", f"hold one label per row, {rows:,}").but(
        f"got {labels:,}", "Found input variables with inconsistent numbers of samples."
    )


def _as_array(y: Any, checks: LabelChecks) -> Any:
    """Return labels as an array; lists become objects, so that None and NaN do not turn into words."""
    y = y.tolist() if np.ma.isMaskedArray(y) else y
    for way in ("to_pylist", "to_list"):
        if hasattr(y, way):
            y = getattr(y, way)()
            break
    if isinstance(y, list | tuple) and not any(isinstance(label, list | tuple | np.ndarray) for label in y):
        labels = np.empty(len(y), object)
        labels[:] = y
        return labels
    return checks.one_dimension(np.asarray(y))


def _gaps(labels: Any) -> Booleans:
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels) | (labels == -1))
    return np.asarray(labels == -1) if labels.dtype.kind == "i" else np.zeros(len(labels), bool)


def _of_one_kind(labels: Any) -> Any:
    """Convert labels that came as objects to an array of words or of numbers; raise if they are mixed."""
    found = {_kind(label) for label in labels}
    if len({KINDS.get(kind, kind.__name__) for kind in found}) > 1:
        kinds = sorted(KINDS.get(kind, kind.__name__) for kind in found)
        raise LabelError("y", "hold labels of one kind, and −1, None or NaN for rows without a label").but(
            f"got {' and '.join(kinds)}"
        )
    kind = float if found == {int, float} else next(iter(found), object)
    if kind is int and max(labels) > np.iinfo(np.int64).max:
        return np.array(labels.tolist(), np.uint64)
    return labels.astype(kind) if kind in KINDS else labels


def _kind(label: Any) -> type:
    if isinstance(label, bool | np.bool_):
        return bool
    return int if isinstance(label, Integral) else float if isinstance(label, Real) else type(label)


def check_kinds_of_labels(classes: LabelArray, others: LabelArray) -> None:
    """Raise LabelError if one model has words as labels and the other has numbers."""
    words = ("U", "S", "O", "T")
    if (classes.dtype.kind in words) != (others.dtype.kind in words):
        raise LabelError("Models that are combined", "have labels of one kind").but(
            f"got {classes[0]!r} and {others[0]!r}"
        )
