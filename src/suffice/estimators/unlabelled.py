"""Rows of any kind, and labels of which some are missing."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, column_or_1d

from suffice.errors import InputError, LabelError
from suffice.estimators.shared import classes_and_codes, is_gap
from suffice.estimators.table_counts import TableCounts
from suffice.estimators.text_counts import TextCounts
from suffice.sparse import sound
from suffice.tables import Column, Table
from suffice.tables.series import is_series
from suffice.typing import Booleans, Integers

__all__ = ["is_missing", "partly_labelled", "read_rows", "rows_and_labels", "size", "some"]

KINDS = {str: "words", bool: "truth values", int: "numbers", float: "numbers"}


def read_rows(model: Any, X: Any) -> Any:
    """Rows as they can be taken apart: tables of a classifier of tables, texts that are no stream."""
    if isinstance(model, TableCounts):
        return Table.read(X, "X")
    if issparse(X):
        return sound(X, "X")
    return list(X) if isinstance(model, TextCounts) and isinstance(X, Iterator) else X


def rows_and_labels(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Rows without their labels, and the labels, which may be a column of the table."""
    if y is None:
        raise InputError(
            "SemiSupervised requires y to be passed, but the target y is None. Use Mixture without labels."
        )
    rows = read_rows(model, X)
    if not isinstance(rows, Table):
        return rows, y
    if isinstance(y, str):
        return rows.without([y]), X[y]
    return (rows.without([y.name]) if _is_its_column(y, rows) else rows), y


def _is_its_column(y: Any, table: Table) -> bool:
    """Whether the labels were taken from the table: a model must not learn from them."""
    if not is_series(y) or getattr(y, "name", None) not in table:
        return False
    return _same(table[y.name], Table.read({"y": y}, "y")["y"])


def _same(a: Column, b: Column) -> bool:
    if a.storage != b.storage or len(a) != len(b) or not np.array_equal(a.present, b.present):
        return False
    if a.storage == "string":
        return bool(a.values.equals(b.values))
    there = a.present
    return a.values is None or (np.array_equal(a.values[there], b.values[there]) and np.array_equal(a.labels, b.labels))


def size(X: Any) -> int:
    """How many rows there are."""
    return len(X) if isinstance(X, Table) else int(_num_samples(X))


def some(X: Any, keep: Booleans) -> Any:
    """The rows that are kept."""
    if isinstance(X, Table):
        return X.take(keep)
    if keep.all():
        return X
    if type(X).__module__.startswith("pyarrow"):
        return X.take(np.flatnonzero(keep))
    return _safe_indexing(X.tocsr() if hasattr(X, "tocsr") else X, np.flatnonzero(keep))


def partly_labelled(y: Any, rows: int) -> tuple[Any, Integers]:
    """The classes, sorted, and the place of each row's among them; −1 for a row labelled −1, None, NaN or NA."""
    labels = _as_array(y)
    if rows != len(labels):
        raise LabelError(
            f"The argument 'y' must hold one label per row, {rows:,}; got {len(labels):,}. Found input variables with "
            "inconsistent numbers of samples."
        )
    missing = np.array([is_missing(label) for label in labels], bool) if labels.dtype.kind == "O" else _gaps(labels)
    known = labels[~missing]
    if known.dtype.kind == "O":
        known = _of_one_kind(known)
    if known.dtype.kind == "f" and np.isinf(known).any():
        raise LabelError("The argument 'y' must hold labels; got infinity.")
    check_classification_targets(known)
    codes = np.full(len(labels), -1, np.int64)
    if not len(known):
        return known, codes
    classes, codes[~missing] = classes_and_codes(known)
    if len(classes) < 2 and missing.any():
        raise LabelError(
            f"The argument 'y' must name at least two classes where labels are missing; got {classes.tolist()} alone. "
            "A label of −1 is a missing one: if it is a class of yours, give it another name."
        )
    return classes, codes


def _as_array(y: Any) -> Any:
    """Labels as they are; lists as objects, so that None and NaN do not turn into words."""
    for way in ("to_pylist", "to_list"):
        if hasattr(y, way):
            y = getattr(y, way)()
            break
    if isinstance(y, list | tuple) and not any(isinstance(label, list | tuple | np.ndarray) for label in y):
        labels = np.empty(len(y), object)
        labels[:] = y
        return labels
    return column_or_1d(np.asarray(y), warn=True)


def _gaps(labels: Any) -> Any:
    if labels.dtype.kind == "f":
        return np.isnan(labels) | (labels == -1)
    return labels == -1 if labels.dtype.kind == "i" else np.zeros(len(labels), bool)


def is_missing(label: Any) -> bool:
    """Whether a label is −1, None, NaN or NA."""
    if isinstance(label, bool | np.bool_):
        return False
    return is_gap(label) or (isinstance(label, Real) and label == -1)


def _of_one_kind(labels: Any) -> Any:
    """Labels that came as objects, as an array of words or of numbers."""
    found = {_kind(label) for label in labels}
    if len({KINDS.get(kind, kind.__name__) for kind in found}) > 1:
        kinds = sorted(KINDS.get(kind, kind.__name__) for kind in found)
        raise LabelError(
            "The argument 'y' must hold labels of one kind, besides −1, None and NaN for rows without; got "
            f"{' and '.join(kinds)}."
        )
    kind = float if found == {int, float} else next(iter(found), object)
    if kind is int and max(labels) > np.iinfo(np.int64).max:
        return np.array(labels.tolist(), np.uint64)
    return labels.astype(kind) if kind in KINDS else labels


def _kind(label: Any) -> type:
    if isinstance(label, bool | np.bool_):
        return bool
    return int if isinstance(label, Integral) else float if isinstance(label, Real) else type(label)
