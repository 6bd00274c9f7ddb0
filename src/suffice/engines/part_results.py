"""What is found in some of the rows, as it travels: counts as a model file (never pickle), and rows that were kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from suffice.engines.roles import Roles
from suffice.engines.row_sources import Source
from suffice.estimators.shell.counted import merge
from suffice.later import ipc, pa
from suffice.stats.bottom_k import rows_of
from suffice.store.statistics import statistics_from_bytes, statistics_to_bytes

__all__ = [
    "UNCOUNTABLE", "Job", "PartResult", "Total", "as_stream", "as_table", "first_failed", "model_of", "packed",
    "packed_model", "sample_of", "unpacked",
]  # fmt: skip

AT_ONCE = 8
"""Models that are merged at once, which is how many are in memory, for each level of the tree."""

UNCOUNTABLE = (ValueError, TypeError, OverflowError)
"""What estimators and Arrow raise for values that they cannot take."""


@dataclass(frozen=True)
class PartResult:
    """The result of a part of the rows."""

    statistics: Any = b""  # a model file, compressed; empty if there were no rows; where it has arrived, a model
    kept: bytes = b""  # Arrow's stream of the rows that are kept, with their hashes and copies, compressed
    rows: int = 0
    skipped: int = 0
    failed: str = ""  # the first row that could not be counted, in words
    where: int = -1  # its partition
    sums: tuple[float, ...] = ()  # numbers that add


class Job(ABC):
    """The work that every part does, and how their results become one."""

    roles: Roles

    @abstractmethod
    def count(self, sources: Iterable[Source], partition: int, travels: bool = True) -> PartResult:
        """Return what is in the rows of one part, which travels on or has arrived."""

    @abstractmethod
    def merge(self, parts: Iterable[PartResult], travels: bool = True) -> PartResult:
        """Return several results as one, which travels on or has arrived; associative."""

    def merging(self) -> Job:
        """Return what is needed of the job to merge."""
        return self


class Total:
    """A running total of models, merged in a tree of equal parts, so that none is merged too often."""

    def __init__(self) -> None:
        self._waiting: list[list[Any]] = []

    def add(self, model: Any) -> None:
        """Add one more."""
        for level in self._waiting:
            level.append(model)
            if len(level) < AT_ONCE:
                return
            model = merge(level)
            level.clear()
        self._waiting.append([model])

    def model(self) -> Any:
        """Return all of them as one; None if there were none."""
        left = [model for level in self._waiting for model in level]
        self._waiting = [[merge(left)]] if left else []
        return self._waiting[0][0] if left else None


def first_failed(a: PartResult, b: PartResult) -> PartResult:
    """Return the one of two results that is of the first part that could not be counted."""
    return b if b.failed and (not a.failed or b.where < a.where) else a


def sample_of(part: PartResult, most: int) -> Any:
    """Return at most so many of the rows that were kept, in the order of their hashes; None if there are none."""
    table = as_table(part.kept) if most else None
    return None if table is None else rows_of(table, most)


def model_of(part: PartResult) -> Any:
    """Return what a part has counted, as a model."""
    found = part.statistics
    return statistics_from_bytes(unpacked(found))["model"] if isinstance(found, bytes) else found


def packed_model(model: Any) -> bytes:
    """Return a model as a file, compressed; nothing of None."""
    return b"" if model is None else packed(statistics_to_bytes({"model": model}))


def packed(data: bytes) -> bytes:
    """Return bytes compressed, behind their length: most counts are small numbers in wide fields."""
    return len(data).to_bytes(8, "little") + bytes(_CODEC.compress(data, asbytes=True))


def unpacked(data: bytes) -> bytes:
    """Return bytes as they were before they were packed."""
    return bytes(_CODEC.decompress(memoryview(data)[8:], int.from_bytes(data[:8], "little"), asbytes=True))


_CODEC = pa.Codec("zstd", 1)


def as_stream(table: Any) -> bytes:
    """Return Arrow's stream of a table, compressed; nothing of None."""
    if table is None:
        return b""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return packed(sink.getvalue().to_pybytes())


def as_table(stream: bytes) -> Any:
    """Return the table of a stream; None of nothing."""
    return ipc.open_stream(unpacked(stream)).read_all() if stream else None
