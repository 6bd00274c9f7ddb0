"""From what the user gives to rows that the model knows: tables, labels and weights."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from suffice.errors import DataError, InputError, KeywordError, LabelError, ShapeError
from suffice.estimators.kinds import closest
from suffice.estimators.shared import classes_and_codes, labelled
from suffice.stats.words import read_weights
from suffice.tables import Column, Table
from suffice.tables.series import is_series
from suffice.telling import tell
from suffice.typing import Array, Integers

__all__ = ["aligned", "one_row", "read", "weighed"]

Labels = tuple[Any, Integers]


def read(estimator: Any, X: Any, y: Any, target: Any) -> tuple[Table, Any, Labels]:
    """Columns to learn from, the name of the target if it is one of them, and classes with a code per row."""
    table = Table.read(X, "X")
    if target is not None and y is not None:
        raise KeywordError("Labels must be given once: as 'y', or as the name of a column, 'target'; got both.")
    if isinstance(y, str):
        y, target = None, y
    if target is None and y is None:
        raise InputError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. Give labels, or the name "
            "of their column."
        )
    if not len(table):
        raise DataError(f"The argument 'X' must have rows; got 0 sample(s) (shape=(0, {table.width})).")
    if target is not None:
        target = target if isinstance(target, str | int) else str(target)  # as tables name columns
        if target not in table:
            raise InputError(f"The target {target!r} must be a column of the table.{closest(target, table.names)}")
        return table.without([target]), target, _classes(table[target])
    labels = Table.read({"y": y if is_series(y) else column_or_1d(np.asarray(labelled(y)), warn=True)}, "y")
    if len(labels) != len(table):
        raise LabelError(
            f"The argument 'y' must hold one label per row, {len(table):,}; got {len(labels):,}. Found input variables "
            "with inconsistent numbers of samples."
        )
    name = _its_column(y, table, labels["y"])
    return (table if name is None else table.without([name])), name, _classes(labels["y"])


def _its_column(y: Any, table: Table, labels: Column) -> Any:
    """The column of the table that the labels were taken from, if they were: a model must not learn from it."""
    name = getattr(y, "name", None)
    if name is None or name not in table:
        return None
    column = table[name]
    if column.storage != labels.storage:
        return None
    if column.storage == "string":
        return name if column.values.equals(labels.values) else None
    same = np.array_equal(column.values, labels.values) and np.array_equal(column.labels, labels.labels)
    return name if same else None


def _classes(column: Column) -> Labels:
    """The classes, sorted, and the place of each row's among them."""
    what = "The target" if column.name == "y" else f"The target {column.name!r}"
    if column.n_missing or column.storage == "nothing":
        gone = column.n_missing or len(column)
        lacks = f"{gone:,} of {len(column):,} {'lacks' if gone == 1 else 'lack'} one"
        raise LabelError(
            f"{what} must have a label in every row; {lacks}. Leave such rows out; SemiSupervised learns from them, "
            "too."
        )
    if column.storage == "date":
        raise LabelError(f"{what} must hold labels; got dates.")
    if column.infinite():
        raise LabelError(f"{what} must hold labels; got infinity.")
    if column.storage not in ("string", "category"):
        check_classification_targets(column.values)
        return classes_and_codes(column.values)
    coded = column.coded()
    used = np.bincount(coded.values, minlength=len(coded.labels)) > 0
    names = coded.labels[used]
    names = names.astype(str) if names.dtype.kind == "O" else names
    order = np.argsort(names)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return names[order], rank[(np.cumsum(used) - 1)[coded.values]]


def weighed(table: Table, codes: Integers, sample_weight: Any) -> tuple[Table, Integers, Array | None]:
    """The rows that weigh something."""
    if isinstance(sample_weight, Real):
        sample_weight = np.full(len(codes), float(sample_weight))
    weights = read_weights(sample_weight, len(codes))
    if weights is None:
        return table, codes, None
    if not weights.any():
        raise DataError("The argument 'sample_weight' must leave some row a weight above 0; got zeros alone.")
    keep = weights > 0
    return (table, codes, weights) if keep.all() else (table.take(keep), codes[keep], weights[keep])


def aligned(estimator: Any, table: Table) -> Table:
    """The columns that the model knows, whatever their order; told of are those it lacks and those it does not know."""
    known = list(estimator.columns_)
    if not table.named or not estimator._named:
        return _by_place(estimator, table, known)
    lacking = [name for name in known if name not in table]
    if len(lacking) == len(known):
        shown = ", ".join(repr(name) for name in known[:5])
        raise DataError(f"The argument 'X' must have columns that the model knows ({shown}); got {table.names[:5]}.")
    extra = [name for name in table.names if name not in estimator.columns_ and name != estimator._target]
    if extra:
        tell(f"Columns ignored, unknown to the model: {_listed(extra)}.")
    if lacking:
        tell(f"Columns missing from the table, and so in every row: {_listed(lacking)}.")
    return table.only(name for name in known if name in table)


def _by_place(estimator: Any, table: Table, known: list[Any]) -> Table:
    """An array has no names: its columns are known by their place."""
    name = type(estimator).__name__
    if table.named and set(known) <= set(table.names):
        return table.only(known)
    if len(table.names) != len(known):
        raise ShapeError(f"X has {len(table.names)} features, but {name} is expecting {len(known)} features as input.")
    if table.named:
        tell(f"X has feature names, but {name} was fitted without feature names")
    elif estimator._named:
        tell(f"X does not have valid feature names, but {name} was fitted with feature names")
    return table.renamed(known)


def _listed(names: list[Any]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def one_row(row: Any) -> Table:
    """One row, as a dict of values, a Series, a list or a table of one row."""
    if isinstance(row, np.ndarray | list | tuple) and np.ndim(row) == 1:
        row = np.asarray(row, dtype=object)[None]
    elif hasattr(row, "to_dict") and not hasattr(row, "columns"):  # a row of pandas
        row = row.to_dict()
    if isinstance(row, dict):
        row = {name: value if _is_column(value) else [value] for name, value in row.items()}
    table = Table.read(row, "x")
    if len(table) != 1:
        raise InputError(f"The argument 'x' must be one row; got {len(table)}.")
    return table


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)
