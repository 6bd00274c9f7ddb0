"""Convert statistics and models to bytes and back, for messages between the parts of a computation.

The layout is that of a model file, without checksums of tensors. Whole numbers are narrowed to one or two bytes each if
few are larger, either themselves or as steps from one to the next: most counts of words are one, and most words of a
class are adjacent.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.store.file_io import Bytes
from suffice.store.layout import DTYPES, written
from suffice.store.values import Reader, Writer

__all__ = ["narrow", "statistics_from_bytes", "statistics_to_bytes", "wide"]

FEW = 64
"""Arrays with fewer numbers are not narrowed."""

RARE = 16
"""At most one number in this many may be too large for the narrow type; these are stored apart, in order."""

LARGE, STEPS = "large", "steps"


def statistics_to_bytes(values: dict[Any, Any]) -> bytes:
    """Return statistics or models, or collections of them, as bytes.

    >>> from suffice.stats import ClassCounts
    >>> data = statistics_to_bytes({"rows": ClassCounts.of_labels([0, 1, 1], n_classes=2)})
    >>> statistics_from_bytes(data)["rows"].counts
    array([1., 2.])
    """
    writer = Writer()
    values_in_json = json.dumps(writer.write(values, "statistics"), separators=(",", ":"))
    tensors, kinds = {}, {}
    for name, array in writer.tensors.items():
        found = narrow(array)
        if found is None:
            tensors[name] = array
            continue
        tensors[name], tensors[f"{LARGE}/{name}"], steps = found
        kinds[name] = [array.dtype.str, *([STEPS] if steps else [])]
    head, arrays = written(tensors, {"statistics": values_in_json, "narrow": json.dumps(kinds)})
    parts: list[Any] = [head, *arrays]
    return b"".join(parts)


def statistics_from_bytes(data: bytes) -> Any:
    """Return the values that `statistics_to_bytes` was given; raise DataError for other bytes."""
    file = NarrowBytes(data)
    reader = Reader(file)
    values = reader.read(json.loads(file.layout.metadata["statistics"]))
    reader.done()
    return values


class NarrowBytes(Bytes):
    """Bytes of statistics, with some arrays narrowed."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        if not {"statistics", "narrow"} <= set(self.layout.metadata):
            raise DataError("bytes of statistics must name their contents; other bytes, such as a model file, do not")
        self._kinds: dict[str, list[str]] = json.loads(self.layout.metadata["narrow"])
        self._large = {name: self.layout.tensors.pop(f"{LARGE}/{name}").read(self._data) for name in self._kinds}

    def array(self, name: str) -> NDArray[Any]:
        """Return an array in its original type."""
        found = super().array(name)
        if name not in self._kinds:
            return found
        dtype, *steps = self._kinds[name]
        return wide(found, self._large[name], dtype, bool(steps))


def narrow(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], bool] | None:
    """Return whole numbers in fewer bytes, the numbers that are too large, and whether the former are steps.

    Return None if narrowing would lose information or save nothing.

    >>> narrow(np.arange(100.0) * 3)[0].dtype
    dtype('uint8')
    """
    if array.ndim != 1 or len(array) < FEW or array.dtype.kind not in "iuf" or array.dtype.itemsize < 4:
        return None
    if not (array.min() >= 0 and array.max() < 2**32):
        return None
    numbers = array.astype(np.uint32)
    if array.dtype.kind == "f" and (np.signbit(array).any() or not np.array_equal(numbers, array)):
        return None
    steps = np.diff(numbers, prepend=np.uint32(0))  # a negative step wraps around 2³²
    for size in (np.uint8, np.uint16):
        most = np.iinfo(size).max
        for values, are_steps in ((numbers, False), (steps, True)):
            large = values >= most
            if np.count_nonzero(large) * RARE <= len(values):
                return np.minimum(values, most).astype(size), values[large], are_steps
    return (numbers, numbers[:0], False) if array.dtype.itemsize > 4 else None


def wide(numbers: NDArray[Any], large: NDArray[Any], dtype: str, steps: bool) -> NDArray[Any]:
    """Return the numbers that `narrow` was given, as a read-only array.

    >>> numbers, large, steps = narrow(np.arange(100.0) * 3)
    >>> wide(numbers, large, "<f8", steps)[-2:]
    array([294., 297.])
    """
    if dtype not in DTYPES.values() or numbers.ndim != 1 or numbers.dtype.kind != "u" or large.dtype != np.uint32:
        raise DataError(f"narrow numbers must be of a known kind; got {dtype[:80]!r}")
    values = numbers
    if len(large):
        values = numbers.astype(np.uint32)
        apart = np.flatnonzero(numbers == np.iinfo(numbers.dtype).max)
        if len(apart) != len(large):
            raise DataError("narrow numbers must have as many that stand apart as positions for them")
        values[apart] = large
    found = (np.cumsum(values, dtype=np.uint32) if steps else values).astype(dtype)
    found.setflags(write=False)
    return found
