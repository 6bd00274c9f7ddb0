"""Convert one column of any library (numpy, pandas, polars, Arrow, a list) to a Column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.later import nw, pa, pc
from suffice.tables.column import (
    Column,
    Name,
    decoded,
    gaps,
    has_surrogates,
    is_cut,
    is_missing,
    numbers,
    sort_of,
    unusable,
)
from suffice.typing import Booleans

_LONG = 2**31 - 1  # bytes that 32-bit offsets can reach
_HIDDEN_TEXT = ("binary", "large_binary", "binary_view", "fixed_size_binary")

_SIMPLE = ("null", "bool", "int64", "uint64", "double", "string", "large_string")


def category(name: Name, codes: NDArray[Any], labels: Sequence[Any]) -> Column:
    """Return a column of categories: each label once, and codes of −1 for missing values.

    Dictionaries of Arrow may hold a label twice, or a missing one; labels of different types may be spelled alike.
    """
    present = np.array([not is_missing(label) for label in labels], np.bool_)
    known = _labels([label for label, there in zip(labels, present, strict=True) if there])
    places: dict[Any, int] = {}
    for label in known.tolist():
        places.setdefault(label, len(places))
    if len(places) < len(labels):
        place = np.full(len(labels) + 1, -1, np.int64)  # the code −1 takes the last entry
        place[:-1][present] = [places[label] for label in known.tolist()]
        codes = place[codes]
        known = _array(list(places), known.dtype)
    return Column(name, "category", codes, gaps(codes < 0), known)


def _labels(labels: list[Any]) -> NDArray[Any]:
    sorts = {sort_of(label) for label in labels}
    if sorts == {"bool"}:
        return np.array(labels, np.bool_)
    if sorts and sorts <= {"integer", "real"}:
        array = numbers(labels)
        return array.astype(np.float64) if array.dtype == np.uint64 else array
    return _array([decoded(label) for label in labels], np.dtype(object))


def _array(labels: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    array = np.empty(len(labels), dtype)
    array[:] = labels
    return array


def of_arrow(name: Name, array: Any) -> Column:
    """Convert a pyarrow Array or ChunkedArray to a column."""
    array = _plain(_one_chunk(array))
    kind, types = array.type, pa.types
    if types.is_boolean(kind):
        values = array.fill_null(False).to_numpy(zero_copy_only=False)
        return Column(name, "bool", values, _nulls(array))
    if types.is_integer(kind):
        missing = _nulls(array)
        if missing is not None:  # the numbers as they lie in memory, with arbitrary values in gaps
            array = pa.Array.from_buffers(array.type, len(array), [None, array.buffers()[1]], 0, array.offset)
        return Column(name, "integer", array.to_numpy(), missing)
    if types.is_floating(kind) or types.is_decimal(kind):
        array = array.cast(pa.float64()) if types.is_decimal(kind) else array
        values = array.to_numpy(zero_copy_only=False)  # NaN where null
        values = values.astype(np.float64) if values.dtype == np.float16 else values
        return Column(name, "real", values, gaps(np.isnan(values)))
    if types.is_dictionary(kind):
        return category(name, _codes(array), array.dictionary.to_pylist())
    if types.is_string(kind) or types.is_large_string(kind):
        return Column(name, "string", array, _nulls(array))
    if types.is_temporal(kind) or types.is_interval(kind):
        return Column(name, "date", None, _nulls(array), rows=len(array))
    if array.null_count == len(array):
        return Column(name, "nothing", None, gaps(np.ones(len(array), np.bool_)), rows=len(array))
    return _text(name, array)


def _one_chunk(array: Any) -> Any:
    if not isinstance(array, pa.ChunkedArray):
        return array
    if array.num_chunks == 1:
        return array.chunk(0)
    if pa.types.is_dictionary(array.type):
        array = array.unify_dictionaries()
    elif pa.types.is_string(array.type) and array.nbytes > _LONG:
        array = array.cast(pa.large_string())
    return pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)


def _plain(array: Any) -> Any:
    """Return the same values in a type that does not wrap another."""
    if isinstance(array, pa.ExtensionArray) and str(array.storage.type).split("[")[0] not in _HIDDEN_TEXT:
        return _plain(array.storage)
    if pa.types.is_run_end_encoded(array.type):
        return _plain(pc.run_end_decode(array))
    if str(array.type) == "string_view":
        try:
            return array.cast(pa.large_string())
        except pa.ArrowNotImplementedError:  # before pyarrow 18
            return pa.array(array.to_pylist(), pa.large_string())
    return array


def _nulls(array: Any) -> Booleans | None:
    return array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None


def _codes(array: Any) -> Any:
    codes = array.indices
    if not pa.types.is_signed_integer(codes.type):
        codes = codes.cast(pa.int32() if len(array.dictionary) < 2**31 else pa.int64())
    return (codes.fill_null(-1) if codes.null_count else codes).to_numpy()


def _text(name: Name, array: Any) -> Column:
    """Decode bytes as text, or raise an error about the first value."""
    kind = str(array.type)
    if kind.split("[")[0] in _HIDDEN_TEXT:
        try:
            plain = array if "fixed" not in kind else array.cast(pa.binary())
            return of_arrow(name, plain.cast(pa.large_string()))
        except pa.ArrowInvalid:
            kind = "byte string that is not UTF-8"
    row = int(np.argmax(array.is_valid().to_numpy(zero_copy_only=False)))
    known = {"list": "list", "large_list": "list", "fixed_size_list": "list", "struct": "dict", "map": "dict"}
    raise unusable(name, known.get(kind.split("<")[0], kind), row)


def of_objects(name: Name, values: Sequence[Any] | NDArray[Any]) -> Column:
    """Convert Python objects to a column; Arrow tries first, being fast, and if it fails every value is examined."""
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _one_by_one(name, values)
    if str(array.type) in _SIMPLE or pa.types.is_temporal(array.type) or pa.types.is_decimal(array.type):
        return of_arrow(name, array)
    return _one_by_one(name, values)


def _one_by_one(name: Name, values: Sequence[Any] | NDArray[Any]) -> Column:
    present = np.array([not is_missing(value) for value in values], np.bool_)
    found = [value for value, there in zip(values, present, strict=True) if there]
    sorts = {sort_of(value) for value in found}
    missing = gaps(~present)
    if not sorts:
        return Column(name, "nothing", None, missing, rows=len(present))
    if sorts == {"date"}:
        return Column(name, "date", None, missing, rows=len(present))
    if sorts == {"bool"}:
        return Column(name, "bool", _spread(np.array(found, np.bool_), present), missing)
    if sorts <= {"bool", "integer", "real"}:
        array = numbers(found)
        return Column(name, "real" if array.dtype == np.float64 else "integer", _spread(array, present), missing)
    if "other" in sorts or "date" in sorts:
        _complain(name, values, "other" if "other" in sorts else "date")
    return Column(name, "string", _words(name, values, present), missing)


def _spread(found: NDArray[Any], present: Booleans) -> NDArray[Any]:
    """Return the values at their rows, with NaN or 0 in the gaps."""
    array = np.full(len(present), np.nan if found.dtype == np.float64 else 0, found.dtype)
    array[present] = found
    return array


def _words(name: Name, values: Any, present: Booleans) -> Any:
    try:
        words = [decoded(value) if there else None for value, there in zip(values, present, strict=True)]
    except UnicodeDecodeError:
        _complain(name, values, "bytes")
    return pa.array(words, pa.large_string())


def _complain(name: Name, values: Any, sort: str) -> None:
    known = {bytes: "byte string that is not UTF-8", complex: "complex number", np.ndarray: "array"}
    for row, value in enumerate(values):
        if sort_of(value) != sort or is_missing(value):
            continue
        if sort == "bytes" and value.decode("utf-8", "ignore").encode() == value:
            continue
        what = known.get(type(value), type(value).__name__)
        raise unusable(name, f"{type(value).__name__} among other values" if sort == "date" else what, row)


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
    kind = array.dtype.kind
    if isinstance(array, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(array)
        if kind not in "biufmM":  # `of_objects` finds the gaps of words
            words = array.data.astype(object)
            words[mask] = None
            return of_objects(name, words)
        column = of_numpy(name, array.data)
        return replace(column, missing=gaps(mask if column.missing is None else mask | column.missing))
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
