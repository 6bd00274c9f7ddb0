"""The work of Spark executors: count a partition, merge counts, and predict batches of rows."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from suffice.engines.answers import Answering
from suffice.engines.jobs import Job, PartResult
from suffice.engines.passes import Engine
from suffice.engines.row_sources import Arrow
from suffice.later import pa

FAN_IN = 8
"""The factor by which the number of merging tasks shrinks at each level of the tree."""

FEW = 4
"""The most cores whose merged results the driver merges directly, without a tree."""

ANSWERS = ("prediction", "probability", "probabilities")
PARTS = "place int, part binary"


class SparkEngine(Engine):
    """The engine over the partitions of a Spark DataFrame."""

    def __init__(self, data: DataFrame) -> None:
        self.data = data

    def run(self, job: Job) -> PartResult:
        """Run a job on each partition, and merge the results in a tree."""
        lighter = job.merging()

        def counting(batches: Iterable[Any]) -> Iterator[Any]:
            place = _place()
            _spare_modules()
            sources = (Arrow(pa.Table.from_batches([batch])) for batch in batches)
            yield _row(job.count(sources, place), place)

        def merging(batches: Iterable[Any]) -> Iterator[Any]:
            _spare_modules()
            sent = (value.as_py() for batch in batches for value in batch.column("part"))
            yield _row(lighter.merge(map(PartResult.unpacked, sent)), _place())

        parts = self.data.select(*job.roles.names).mapInArrow(counting, PARTS)
        for width in _widths(self.data.sparkSession):
            parts = parts.repartition(width, "place").mapInArrow(merging, PARTS)
        return job.merge(PartResult.unpacked(bytes(row["part"])) for row in parts.collect())


def _widths(session: SparkSession) -> list[int]:
    """Return the number of merging tasks at each level: one per core first, then fewer, down to one."""
    widths = [session.sparkContext.defaultParallelism]
    while widths[0] > FEW and widths[-1] > 1:
        widths.append(-(-widths[-1] // FAN_IN))
    return widths


@cache
def _spare_modules() -> None:
    """Exclude loaded modules from garbage collection, once per process: Spark collects after every task."""
    gc.collect()
    gc.freeze()


def _place() -> int:
    context = TaskContext.get()
    return -1 if context is None else context.partitionId()


def _row(part: PartResult, place: int) -> Any:
    return pa.RecordBatch.from_arrays([pa.array([place], pa.int32()), pa.array([part.packed()])], ["place", "part"])


def answers_of(answering: Answering) -> Any:
    """Return a function that predicts batches of features, and counts rows for error messages."""

    def answer(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        place, at = _place(), 0
        _spare_modules()
        for batch in batches:
            table = pa.Table.from_arrays(batch.flatten(), [field.name for field in batch.type])
            labels, best, every = answering.answer(Arrow(table), place, at)
            at += len(batch)
            yield pa.StructArray.from_arrays([pa.array(labels), pa.array(best), _lists(every)], list(ANSWERS))

    return answer


def _lists(rows: Any) -> Any:
    """Return a matrix as a column of lists, with null for a row with NaN."""
    missing = np.isnan(rows).any(axis=1)
    ends = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(rows.ravel()), mask=pa.array(missing))
