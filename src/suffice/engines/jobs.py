"""The work that every part of the rows does: count its rows, keep a sample of them, and add up the counts of parts.

Results are sent in the form of a model file, compressed, and never as a pickle. Rows that cannot be counted are
found by bisection. They are reported by partition and row, or skipped. A failure is returned as data rather than
raised: an engine retries a failed task, and this one would fail again.
"""

from __future__ import annotations

import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from suffice.engines.roles import Roles, lack
from suffice.engines.row_sources import Source
from suffice.errors import DataError, InputError, SufficeError
from suffice.estimators.shell.merging import counter_of, merge
from suffice.later import ipc, pa
from suffice.models.model import Model
from suffice.readers.labels import Examples
from suffice.stats.bottom_k import BottomK, rows_of, united
from suffice.stats.content import table_hashes, with_labels
from suffice.store.statistics import statistics_from_bytes, statistics_to_bytes
from suffice.tables import Table

FAN_IN = 8
"""Models that are merged at once, and so are in memory, at each level of the tree."""

AT_ONCE = 2**15
"""Rows that a later pass reads and counts at a time."""

UNCOUNTABLE = (ValueError, TypeError, OverflowError)
"""The exceptions that estimators and Arrow raise for values they cannot take."""

CODEC = pa.Codec("zstd", 1)

Statistics = dict[Any, Any]
"""Statistics of class counts, and of blocks by name."""


@dataclass(frozen=True)
class PartResult:
    """The result of a part of the rows."""

    statistics: Any = None  # a model of all rows by the name "model", or statistics by other names
    kept: Any = None  # an Arrow table of sampled rows, with their hashes and multiplicities
    rows: int = 0
    skipped: int = 0
    failed: str = ""  # the error of the first row that could not be counted, as text
    where: int = -1  # the partition of that row
    sums: tuple[float, ...] = ()  # numbers that add up over parts

    def packed(self) -> bytes:
        """Return the result as it is sent: compressed, since most counts are small numbers in wide fields."""
        sink = pa.BufferOutputStream()
        if self.kept is not None:
            with ipc.new_stream(sink, self.kept.schema) as writer:
                writer.write_table(self.kept)
        kept = None if self.kept is None else np.frombuffer(sink.getvalue(), np.uint8)
        data = statistics_to_bytes({**vars(self), "kept": kept})
        return len(data).to_bytes(8, "little") + bytes(CODEC.compress(data, asbytes=True))

    @classmethod
    def unpacked(cls, sent: bytes) -> PartResult:
        """Return the result that `packed` was called on."""
        data = CODEC.decompress(memoryview(sent)[8:], int.from_bytes(sent[:8], "little"), asbytes=True)
        part = cls(**statistics_from_bytes(data))
        kept = None if part.kept is None else ipc.open_stream(part.kept.tobytes()).read_all()
        return replace(part, kept=kept)

    def sample(self, most: int) -> Any:
        """Return at most `most` of the kept rows, in the order of their hashes; None if there are none."""
        return rows_of(self.kept, most) if most and self.kept is not None else None


def told(error: Exception) -> str:
    """Return the fields of an error as text that travels."""
    return json.dumps(error, default=lambda one: vars(one) if isinstance(one, SufficeError) else {"what": str(one)})


def failure(text: str) -> DataError:
    """Return the error that `told` has made text of."""

    def error_of(fields: dict[str, Any]) -> DataError:
        error = DataError()
        vars(error).update(fields, cause=error_of(fields["cause"]) if fields.get("cause") else None)
        return error.advise()

    return error_of(json.loads(text))


class Job(ABC):
    """The work that every part does, and the merging of the results."""

    roles: Roles

    @abstractmethod
    def count(self, sources: Iterable[Source], partition: int) -> PartResult:
        """Return the result of one part."""

    @abstractmethod
    def merge(self, parts: Iterable[PartResult]) -> PartResult:
        """Return several results as one; the operation is associative."""

    def merging(self) -> Job:
        """Return the job with only what merging needs."""
        return self


# the first pass -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CountRows(Job):
    """The job of counting rows by their labels and keeping a sample of them."""

    estimator: Any
    roles: Roles
    keep: int
    skip: bool
    learn: bool = True  # whether to count rows, or only to keep a sample
    journal: Any = None
    argument: str = "data"  # the argument with the rows, in error messages
    place: str = "partition {}"  # the name of a part, in error messages

    def count(self, sources: Iterable[Source], partition: int) -> PartResult:
        """Return the counts of one part, and its sample of rows."""
        walk = _Walk(self, partition)
        try:
            for source in sources:
                walk.take(source)
        except _FailedError as failed:
            return PartResult(failed=told(failed), where=partition)
        model = None if walk.counter is None else walk.counter.result()
        return PartResult(None if model is None else {"model": model}, walk.kept.table(), walk.rows, walk.skipped)

    def merge(self, parts: Iterable[PartResult]) -> PartResult:
        """Return the sum of the counts, and a sample of the samples."""
        models: list[list[Any]] = []  # by level of a balanced tree, so that each model is merged few times
        rows, skipped, kept, failed = 0, 0, None, PartResult()
        try:
            for part in parts:
                failed = _first_failed(failed, part)
                if part.statistics:
                    _add(models, part.statistics["model"])
                kept = united([kept, part.kept], self.keep)
                rows, skipped = rows + part.rows, skipped + part.skipped
            if failed.failed:
                return replace(failed, statistics=None, kept=None)
            left = [model for level in models for model in level]
            return PartResult({"model": merge(left)} if left else None, kept, rows, skipped)
        except UNCOUNTABLE as error:  # labels of two kinds, for example: a retry would fail again
            return PartResult(failed=told(error), where=0)

    def pair(self, table: Any) -> tuple[Any, Any]:
        """Return the features and labels of rows; raise InputError if a label is missing."""
        lacking = int((~self.roles.has_label(table)).sum())
        if lacking:
            raise InputError(f"The column {self.roles.target!r}", "hold a label in every row").but(
                f"{lack(lacking)} one"
            )
        return self.roles.features(table), self.roles.y(table)

    def can_count(self, source: Source) -> bool:
        """Return whether these rows can be counted on their own."""
        try:
            pair = self.pair(source.table(self.roles.names))
            if self.learn:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    counter_of(self.estimator).add(*pair)
        except UNCOUNTABLE:
            return False
        return True

    def uncountable(self, source: Source, first: bool = False) -> list[int]:
        """Return the positions of rows that cannot be counted even alone, or the first of them, by bisection."""
        if self.can_count(source):
            return []
        if len(source) == 1:
            return [0]
        half = len(source) // 2
        left = self.uncountable(source.part(0, half), first)
        if first and left:
            return left
        return left + [half + row for row in self.uncountable(source.part(half, len(source)), first)]


def _first_failed(a: PartResult, b: PartResult) -> PartResult:
    """Return the result with the earlier failed part, or the first if neither failed."""
    return b if b.failed and (not a.failed or b.where < a.where) else a


def _add(levels: list[list[Any]], model: Any) -> None:
    """Add a model to a tree of models, merging each level that is full into a model of the next one."""
    for level in levels:
        level.append(model)
        if len(level) < FAN_IN:
            return
        model = merge(level)
        level.clear()
    levels.append([model])


class _FailedError(DataError):
    """A row that cannot be counted."""


class _Walk:
    """The state of counting one part, source by source."""

    def __init__(self, job: CountRows, partition: int) -> None:
        self.job, self.partition, self.kept = job, partition, BottomK(job.keep)
        self.counter = counter_of(job.estimator, job.journal) if job.learn else None
        self.rows = self.skipped = self.at = 0

    def take(self, source: Source) -> None:
        """Count the rows of a source, and keep a sample."""
        if not len(source):
            return
        good = source
        try:
            self._count(source)
        except UNCOUNTABLE as error:
            bad = self.job.uncountable(source, first=not self.job.skip)
            if not self.job.skip or not bad:
                self._fail(error, source, bad)
            good = source.without(bad)
            try:
                self._count(good)
            except UNCOUNTABLE as again:
                self._fail(again, source, [])
        self.at, self.rows = self.at + len(source), self.rows + len(good)
        self.skipped += len(source) - len(good)

    def _count(self, source: Source) -> None:
        """Count rows, and keep a sample of them, chosen by hashes of their content."""
        if not len(source):
            return
        roles = self.job.roles
        table = source.table(roles.names)
        X, y = self.job.pair(table)
        if self.counter is not None:
            examples = self.counter.add(X, y)
        else:
            classes, codes = np.unique(roles.labels(table), return_inverse=True)
            examples = Examples(Table.read(X, "X"), classes, codes)
        if not self.job.keep:
            return
        read = examples.source
        rows = table_hashes(read, read.names) if self.counter is None else self.counter.hashes(read)
        hashes = with_labels(rows, roles.meant(examples.classes), examples.codes)
        sampled = roles.sampled(table)
        self.kept.add(table if sampled.all() else table.filter(pa.array(sampled)), hashes[sampled])

    def _fail(self, error: Exception, source: Source, bad: list[int]) -> NoReturn:
        row = self.at + (bad[0] if bad else self._unlike(source))
        failed = _FailedError(self.job.argument, "hold rows that can be counted", row=row, cause=error)
        failed.but(f"row {row} of {self.job.place.format(self.partition)} cannot")
        if bad:
            failed.advise(python="errors='skip' leaves such rows out.", shell="--errors skip leaves such rows out.")
        raise failed

    def _unlike(self, source: Source) -> int:
        """Return the position of the first row that cannot be counted together with those before it."""
        good, bad = 1, len(source)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self.job.can_count(source.part(0, middle)):
                good = middle
            else:
                bad = middle
        return bad - 1


# later passes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class LaterPass(Job):
    """The job of a later pass, which skips the same rows again; its statistics add up.

    All classes are known by then, so the statistics of a part cover all classes and need no class names.
    """

    roles: Roles
    sift: CountRows | None = None  # finds the rows that cannot be counted, if there are any
    argument: str = "data"
    place: str = "partition {}"

    done: ClassVar[str] = "counted"
    """What is done with rows, for error messages."""

    @classmethod
    def after(cls, task: CountRows, part: PartResult, **options: Any) -> Self:
        """Return the job of a pass over the rows that the first pass has counted."""
        sift = task if part.skipped else None
        return cls(roles=task.roles, sift=sift, argument=task.argument, place=task.place, **options)

    @abstractmethod
    def of_tables(self, tables: Iterable[Any]) -> tuple[Statistics | None, tuple[float, ...]]:
        """Return the statistics of the rows of one part, and sums that add up over parts."""

    def count(self, sources: Iterable[Source], partition: int) -> PartResult:
        """Return the result for the rows of one part."""
        try:
            statistics, sums = self.of_tables(self._tables(sources))
        except UNCOUNTABLE as error:  # a retry would fail again
            failed = DataError(self.argument, f"hold rows that can be {self.done}", cause=error)
            return PartResult(failed=told(failed.but(f"{self.place.format(partition)} cannot")), where=partition)
        return PartResult(statistics, sums=sums)

    def merge(self, parts: Iterable[PartResult]) -> PartResult:
        """Return the sum of statistics, and the sums of numbers."""
        failed, total = PartResult(), None
        sums: tuple[float, ...] = ()
        for part in parts:
            failed = _first_failed(failed, part)
            if part.statistics:
                total = added(total, part.statistics)
            if part.sums:
                sums = tuple(a + b for a, b in zip(sums, part.sums, strict=True)) if sums else tuple(part.sums)
        return failed if failed.failed else PartResult(total, sums=sums)

    def merging(self) -> Job:
        """Return the job with only what merging needs."""
        return replace(self, sift=None)

    def _tables(self, sources: Iterable[Source]) -> Iterator[Any]:
        """Yield tables of about `AT_ONCE` rows, without rows that the first pass skipped."""
        tables: list[Any] = []
        for source in sources:
            good = source
            if self.sift is not None and len(source):
                good = source.without(self.sift.uncountable(source))
            for at in range(0, len(good), AT_ONCE):
                batch = good if len(good) <= AT_ONCE else good.part(at, min(at + AT_ONCE, len(good)))
                tables.append(batch.table(self.roles.names))
                if sum(table.num_rows for table in tables) >= AT_ONCE:
                    yield pa.concat_tables(tables, promote_options="permissive")
                    tables = []
        if tables:
            yield pa.concat_tables(tables, promote_options="permissive")


def statistics_of(model: Model) -> Statistics:
    """Return the statistics of a model."""
    return {"rows": model.rows, "blocks": {name: block.statistic for name, block in model.blocks.items()}}


def added(total: Statistics | None, more: Statistics) -> Statistics:
    """Return the sum of two collections of statistics; a block in only one of them is kept unchanged."""
    if total is None:
        return more
    both, other = dict(total["blocks"]), more["blocks"]
    for name in other:
        both[name] = both[name] + other[name] if name in both else other[name]
    return {"rows": total["rows"] + more["rows"], "blocks": both}
