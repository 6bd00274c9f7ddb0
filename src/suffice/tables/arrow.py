"""Convert Arrow arrays of any type to columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.later import pa, pc
from suffice.tables.categories import category
from suffice.tables.column import Column, Name, gaps, unusable
from suffice.typing import Booleans

__all__ = ["of_arrow"]

_LONG = 2**31 - 1  # bytes that 32-bit offsets can reach
_HIDDEN_TEXT = ("binary", "large_binary", "binary_view", "fixed_size_binary")


def of_arrow(name: Name, array: Any) -> Column:
    """Convert a pyarrow Array or ChunkedArray to a column."""
    array = _plain(_one_chunk(array))
    kind, types = array.type, pa.types
    if types.is_boolean(kind):
        values = array.fill_null(False).to_numpy(zero_copy_only=False)
        return Column(name, "bool", values, _nulls(array))
    if types.is_integer(kind):
        return Column(name, "integer", _bare(array).to_numpy(), _nulls(array))
    if types.is_floating(kind) or types.is_decimal(kind):
        return _real(name, array)
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


def _bare(array: Any) -> Any:
    """Return the numbers as they lie in memory, with arbitrary values in gaps."""
    if not array.null_count:
        return array
    return pa.Array.from_buffers(array.type, len(array), [None, array.buffers()[1]], 0, array.offset)


def _real(name: Name, array: Any) -> Column:
    if pa.types.is_decimal(array.type):
        array = array.cast(pa.float64())
    values = array.to_numpy(zero_copy_only=False)  # NaN where null
    values = values.astype(np.float64) if values.dtype == np.float16 else values
    return Column(name, "real", values, gaps(np.isnan(values)))


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
