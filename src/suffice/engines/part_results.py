"""The results of parts, in the form that travels: counts as a model file (never pickle), and a sample of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from suffice.engines.roles import Roles
from suffice.engines.row_sources import Source
from suffice.estimators.shell.merging import merge
from suffice.later import ipc, pa
from suffice.stats.bottom_k import rows_of
from suffice.store.statistics import statistics_from_bytes, statistics_to_bytes

__all__ = [
    "UNCOUNTABLE", "Job", "PartResult", "Total", "as_stream", "as_table", "first_failed", "model_of", "packed",
    "packed_model", "sample_of", "unpacked",
]  # fmt: skip

AT_ONCE = 8
"""Models that are merged at once, and so are in memory, at each level of the tree."""

UNCOUNTABLE = (ValueError, TypeError, OverflowError)
"""The exceptions that estimators and Arrow raise for values they cannot take."""


@dataclass(frozen=True)
class PartResult:
    """The result of a part of the rows."""

    statistics: Any = b""  # a compressed model file, empty without rows; a model, once it has arrived
    kept: bytes = b""  # a compressed Arrow stream of the kept rows, with their hashes and multiplicities
    rows: int = 0
    skipped: int = 0
    failed: str = ""  # the error message of the first row that could not be counted
    where: int = -1  # the partition of that row
    sums: tuple[float, ...] = ()  # numbers that add up over parts


class Job(ABC):
    """The work that every part does, and the merging of the results."""

    roles: Roles

    @abstractmethod
    def count(self, sources: Iterable[Source], partition: int, travels: bool = True) -> PartResult:
        """Return the result of one part, packed if it `travels`."""

    @abstractmethod
    def merge(self, parts: Iterable[PartResult], travels: bool = True) -> PartResult:
        """Return several results as one, packed if it `travels`; the operation is associative."""

    def merging(self) -> Job:
        """Return the job with only what merging needs."""
        return self


class Total:
    """A running total of models, merged in a balanced tree, so that each is merged few times."""

    def __init__(self) -> None:
        self._waiting: list[list[Any]] = []

    def add(self, model: Any) -> None:
        """Add a model to the total."""
        for level in self._waiting:
            level.append(model)
            if len(level) < AT_ONCE:
                return
            model = merge(level)
            level.clear()
        self._waiting.append([model])

    def model(self) -> Any:
        """Return the merged model, or None without models."""
        left = [model for level in self._waiting for model in level]
        self._waiting = [[merge(left)]] if left else []
        return self._waiting[0][0] if left else None


def first_failed(a: PartResult, b: PartResult) -> PartResult:
    """Return the result with the earlier failed part, or the first if neither failed."""
    return b if b.failed and (not a.failed or b.where < a.where) else a


def sample_of(part: PartResult, most: int) -> Any:
    """Return at most `most` of the kept rows, in the order of their hashes; None if there are none."""
    table = as_table(part.kept) if most else None
    return None if table is None else rows_of(table, most)


def model_of(part: PartResult) -> Any:
    """Return the counts of a part as a model."""
    found = part.statistics
    return statistics_from_bytes(unpacked(found))["model"] if isinstance(found, bytes) else found


def packed_model(model: Any) -> bytes:
    """Return a model as compressed bytes, empty for None."""
    return b"" if model is None else packed(statistics_to_bytes({"model": model}))


def packed(data: bytes) -> bytes:
    """Return compressed bytes after their length, since most counts are small numbers in wide fields."""
    return len(data).to_bytes(8, "little") + bytes(_CODEC.compress(data, asbytes=True))


def unpacked(data: bytes) -> bytes:
    """Return the bytes that `packed` compressed."""
    return bytes(_CODEC.decompress(memoryview(data)[8:], int.from_bytes(data[:8], "little"), asbytes=True))


_CODEC = pa.Codec("zstd", 1)


def as_stream(table: Any) -> bytes:
    """Return a table as a compressed Arrow stream, empty for None."""
    if table is None:
        return b""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return packed(sink.getvalue().to_pybytes())


def as_table(stream: bytes) -> Any:
    """Return the table of a stream, or None for an empty stream."""
    return ipc.open_stream(unpacked(stream)).read_all() if stream else None
