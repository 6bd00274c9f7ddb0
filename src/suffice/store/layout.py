"""Convert named arrays to bytes and back, in the layout of safetensors, so that other readers see the same numbers.

    8 bytes   length of the header, little-endian
    header    JSON: {"__metadata__": {text: text}, name: {"dtype": …, "shape": […], "data_offsets": [begin, end]}, …}
    data      the arrays without gaps, those with the widest numbers first, so that all are aligned

The header is padded with spaces to a multiple of 8 bytes. It holds its own SHA-256, computed with 64 zeros in the place
of the digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import ModelFileError

__all__ = ["LARGEST_HEADER", "Layout", "Tensor", "little", "refuse", "written"]

LARGEST_HEADER = 2**25
"""The most bytes of a header; words and numbers are tensors, so headers are small."""

DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_META, _OWN = "__metadata__", "header_sha256"
_ZEROS = "0" * 64


def refuse(path: Any, expected: str, came: str) -> ModelFileError:
    """Return the error for an invalid model file."""
    return ModelFileError(f"The model file {str(path)!r}", expected).but(f"got {came}")


@dataclass(frozen=True)
class Tensor:
    """The position, type and shape of an array in the data."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int

    def read(self, data: memoryview) -> NDArray[Any]:
        """Return the array as a read-only view of the data."""
        dtype = np.dtype(DTYPES[self.dtype])
        if self.begin == self.end:
            empty = np.empty(self.shape, dtype)
            empty.setflags(write=False)
            return empty
        return np.frombuffer(data[self.begin : self.end], dtype).reshape(self.shape)


@dataclass(frozen=True)
class Layout:
    """The parsed header of a file."""

    metadata: dict[str, str]
    tensors: dict[str, Tensor]
    start: int  # offset of the data in the file

    @classmethod
    def parse(cls, path: Any, header: bytes, size: int) -> Layout:
        """Parse the header of a file of `size` bytes; raise ModelFileError unless it is consistent."""
        start = 8 + len(header)
        found = _json(path, header)
        metadata = found.pop(_META, None)
        if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
            raise refuse(path, f"have a header with strings in {_META!r}", "something else")
        own = metadata.get(_OWN, "")
        if len(own) != 64 or header.count(own.encode()) != 1:
            raise refuse(path, f"have the checksum of its header in {_OWN!r}", repr(own)[:80])
        if hashlib.sha256(header.replace(own.encode(), _ZEROS.encode())).hexdigest() != own:
            raise refuse(path, "have a header that matches its checksum", "other bytes: the file is damaged")
        tensors = {name: _tensor(path, name, entry, size - start) for name, entry in found.items()}
        _must_follow(path, tensors, size - start)
        return cls(metadata, tensors, start)


def little(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array in the form that is written: little-endian, in C order."""
    return np.asarray(array, array.dtype.newbyteorder("<"), order="C")


def written(arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> tuple[bytes, list[NDArray[Any]]]:
    """Return the length and header of `little` arrays, and the arrays in the order of the file."""
    order = sorted(arrays, key=lambda name: -arrays[name].dtype.itemsize)
    header: dict[str, Any] = {_META: {**metadata, _OWN: _ZEROS}}
    ordered, at = [], 0
    for name in order:
        array = arrays[name]
        entry = {"dtype": _NAMES[array.dtype.str], "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        header[name] = entry
        at += array.nbytes
        ordered.append(array)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    own = hashlib.sha256(text).hexdigest()
    place = f'"{_OWN}":"{_ZEROS}"'.encode()
    text = text.replace(place, f'"{_OWN}":"{own}"'.encode(), 1)
    return len(text).to_bytes(8, "little") + text, ordered


def _json(path: Any, header: bytes) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a duplicate name")
        return dict(pairs)

    try:
        found = json.loads(header, object_pairs_hook=once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise refuse(path, "have a header of JSON", f"{str(error)[:80]}") from None
    if not isinstance(found, dict):
        raise refuse(path, "have a header that is a JSON object", f"a {type(found).__name__}")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name}, which is not JSON")


def _whole(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _tensor(path: Any, name: str, entry: Any, data: int) -> Tensor:
    """Return the tensor of a header entry; raise ModelFileError unless it describes an array within the data."""
    what = f"tensor {name[:80]!r}"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise refuse(path, f"give dtype, shape and data_offsets of its {what}", repr(entry)[:80])
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise refuse(path, f"have numbers of a known type in its {what}", repr(dtype)[:80])
    if not isinstance(shape, list) or len(shape) > 8 or not all(_whole(n, data + 8) for n in shape):
        raise refuse(path, f"have a shape that fits the data in its {what}", repr(shape)[:80])
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(_whole(n, data) for n in offsets):
        raise refuse(path, f"have its {what} within {data:,} bytes of data", repr(offsets)[:80])
    begin, end = offsets
    if end - begin != prod(shape) * np.dtype(DTYPES[dtype]).itemsize:
        raise refuse(path, f"have as many bytes as the shape {shape} takes in its {what}", f"{end - begin:,}")
    return Tensor(dtype, tuple(shape), begin, end)


def _must_follow(path: Any, tensors: dict[str, Tensor], data: int) -> None:
    """Raise ModelFileError unless the tensors cover the data, without gaps and without overlap."""
    at = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)):
        if tensor.begin != at:
            raise refuse(path, f"have its tensor {name[:80]!r} begin at byte {at:,} of the data", f"{tensor.begin:,}")
        at = tensor.end
    if at != data:
        raise refuse(path, f"hold {at:,} bytes of data", f"{data:,}: it is cut off, or longer than it says")
