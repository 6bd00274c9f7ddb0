"""Convert one column of any library (numpy, pandas, polars, Arrow, a list) to a Column."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.later import nw, pa
from suffice.tables.arrow import of_arrow
from suffice.tables.categories import category
from suffice.tables.column import Column, Name, gaps, unusable
from suffice.tables.objects import of_objects
from suffice.tables.scalars import has_surrogates, is_cut

__all__ = ["is_series", "of_numpy", "of_series"]


def is_series(thing: Any) -> bool:
    """Return whether an object is a column of a dataframe library."""
    if isinstance(thing, pa.Array | pa.ChunkedArray) or nw.dependencies.is_pandas_index(thing):
        return True
    return bool(nw.dependencies.is_into_series(thing))


def of_series(name: Name, series: Any) -> Column:
    """Convert any one-dimensional object to a column."""
    if isinstance(series, np.ndarray):
        return of_numpy(name, series)
    if isinstance(series, pa.Array | pa.ChunkedArray):
        return of_arrow(name, series)
    if nw.dependencies.is_pandas_index(series):
        series = series.to_series()
    if nw.dependencies.is_pandas_series(series):
        return _of_pandas(name, series)
    if not is_series(series):
        return of_objects(name, series)
    given = nw.from_native(series, series_only=True)
    if given.dtype == nw.Object:  # polars would give Arrow the addresses of the objects
        return of_objects(name, given.to_list())
    return of_arrow(name, given.alias("").to_arrow())  # Arrow's names must not hold NUL


def of_numpy(name: Name, array: NDArray[Any]) -> Column:
    """Convert a one-dimensional numpy array to a column."""
    if isinstance(array, np.ma.MaskedArray):
        return _of_masked(name, array)
    kind = array.dtype.kind
    if kind in "biufUS" and not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if kind == "b":
        return Column(name, "bool", array)
    if kind in "iu":
        return Column(name, "integer", array)
    if kind == "f":
        values = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
        return Column(name, "real", values, gaps(np.isnan(values)))
    if kind in "mM":
        return Column(name, "date", None, gaps(np.isnat(array)), rows=len(array))
    if kind == "S" or (kind == "U" and (is_cut(array) or has_surrogates(array))):
        return of_objects(name, array.tolist())
    if kind == "U":
        return of_arrow(name, pa.array(np.ascontiguousarray(array)))
    if kind in "cV" and len(array):
        raise unusable(name, "complex number" if kind == "c" else "record", 0)
    return of_objects(name, array.astype(object, copy=False))


def _of_masked(name: Name, array: Any) -> Column:
    mask = np.ma.getmaskarray(array)
    if array.dtype.kind not in "biufmM":  # `of_objects` finds the gaps of words
        return of_objects(name, np.where(mask, None, array.data.astype(object)))
    column = of_numpy(name, array.data)
    return replace(column, missing=gaps(mask if column.missing is None else mask | column.missing))


def _of_pandas(name: Name, series: Any) -> Column:
    if isinstance(series.dtype, np.dtype):
        return of_numpy(name, series.to_numpy())
    kind = type(series.dtype).__name__
    if kind == "CategoricalDtype":
        return category(name, series.array.codes, series.dtype.categories.tolist())
    if kind in ("DatetimeTZDtype", "PeriodDtype"):
        return Column(name, "date", None, gaps(series.isna().to_numpy()), rows=len(series))
    if hasattr(series.array, "__arrow_array__") and kind != "IntervalDtype":
        return of_arrow(name, pa.array(series.array, from_pandas=True))
    return of_numpy(name, np.asarray(series))
