"""Statistics ↔ bytes, without an estimator around them: what parts of a computation send to each other."""

from __future__ import annotations

import json
from typing import Any

from suffice.store.file_io import Bytes
from suffice.store.layout import written
from suffice.store.values import Reader, Writer

__all__ = ["statistics_from_bytes", "statistics_to_bytes"]


def statistics_to_bytes(values: dict[Any, Any]) -> bytes:
    """Return statistics, or collections of them, as bytes.

    >>> from suffice.stats import ClassCounts
    >>> data = statistics_to_bytes({"rows": ClassCounts.of_labels([0, 1, 1], n_classes=2)})
    >>> statistics_from_bytes(data)["rows"].counts
    array([1., 2.])
    """
    writer = Writer()
    values_in_json = json.dumps(writer.write(values, "statistics"), separators=(",", ":"))
    head, arrays = written(writer.tensors, {"statistics": values_in_json})
    parts: list[Any] = [head, *arrays]
    return b"".join(parts)


def statistics_from_bytes(data: bytes) -> Any:
    """Return what `statistics_to_bytes` was given; raise DataError if these are other bytes."""
    file = Bytes(data)
    reader = Reader(file)
    values = reader.read(json.loads(file.layout.metadata["statistics"]))
    reader.done()
    return values
