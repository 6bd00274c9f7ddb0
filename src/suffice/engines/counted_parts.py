"""Count the rows of each part, and add up the counts: the map and reduce steps of a distributed fit.

Rows that cannot be counted are found by bisection. They are reported by partition and row, or skipped. A failure is
returned as data rather than raised: an engine retries a failed task, and this one would fail again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from suffice.engines.part_results import (
    UNCOUNTABLE,
    Job,
    PartResult,
    Total,
    as_stream,
    as_table,
    first_failed,
    model_of,
    packed_model,
)
from suffice.engines.roles import Roles
from suffice.engines.row_sources import Source
from suffice.errors import InputError
from suffice.estimators.shell.merging import counter_of
from suffice.later import pa
from suffice.readers.labels import Examples
from suffice.stats.bottom_k import BottomK, united
from suffice.stats.content import table_hashes, with_labels
from suffice.tables import Table
from suffice.telling import counted

__all__ = ["CountRows", "uncountable"]


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

    def count(self, sources: Iterable[Source], partition: int, travels: bool = True) -> PartResult:
        """Return the counts of one part, and its sample of rows."""
        walk = _Walk(self, partition)
        try:
            for source in sources:
                walk.take(source)
        except _FailedError as failed:
            return PartResult(failed=str(failed), where=partition)
        model = None if walk.counter is None else walk.counter.result()
        found = packed_model(model) if travels else model
        return PartResult(found, as_stream(walk.kept.table()), walk.rows, walk.skipped)

    def merge(self, parts: Iterable[PartResult], travels: bool = True) -> PartResult:
        """Return the sum of the counts, and a sample of the samples."""
        try:
            return self._sum(parts, travels)
        except UNCOUNTABLE as error:  # labels of two kinds, for example: a retry would fail again
            return PartResult(failed=str(error), where=0)

    def _sum(self, parts: Iterable[PartResult], travels: bool) -> PartResult:
        total, rows, skipped, kept, failed = Total(), 0, 0, None, PartResult()
        for part in parts:
            failed = first_failed(failed, part)
            if part.statistics:
                total.add(model_of(part))
            kept = united([kept, as_table(part.kept)], self.keep)
            rows, skipped = rows + part.rows, skipped + part.skipped
        if failed.failed:
            return replace(failed, statistics=b"", kept=b"")
        model = total.model()
        return PartResult(packed_model(model) if travels else model, as_stream(kept), rows, skipped)

    def pair(self, table: Any) -> tuple[Any, Any]:
        """Return the features and labels of rows; raise InputError if a label is missing."""
        lacking = int((~self.roles.has_label(table)).sum())
        if lacking:
            lack = f"{counted(lacking, 'row')} {'lacks' if lacking == 1 else 'lack'} one"
            raise InputError(f"The column {self.roles.target!r} must hold a label in every row; {lack}.")
        return self.roles.features(table), self.roles.y(table)

    def try_alone(self, source: Source) -> None:
        """Raise unless these rows can be counted on their own."""
        pair = self.pair(source.table(self.roles.names))
        if self.learn:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                counter_of(self.estimator).add(*pair)


class _FailedError(Exception):
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
            counted = self._counted(source)
        except UNCOUNTABLE as error:
            bad = uncountable(self.job, source, first=not self.job.skip)
            if not self.job.skip or not bad:
                self._fail(error, source, bad)
            good = source.without(bad)
            try:
                counted = self._counted(good)
            except UNCOUNTABLE as again:
                self._fail(again, source, [])
        if counted is not None and self.job.keep:
            self._keep(*counted)
        self.at, self.rows = self.at + len(source), self.rows + len(good)
        self.skipped += len(source) - len(good)

    def _counted(self, source: Source) -> tuple[Any, Examples] | None:
        """Count rows, and return them as a table and as examples; None if there are none."""
        if not len(source):
            return None
        table = source.table(self.job.roles.names)
        X, y = self.job.pair(table)
        if self.counter is not None:
            return table, self.counter.add(X, y)
        classes, codes = np.unique(self.job.roles.labels(table), return_inverse=True)
        return table, Examples(Table.read(X, "X"), classes, codes)

    def _keep(self, table: Any, examples: Examples) -> None:
        """Keep a sample of rows, chosen by hashes of their content."""
        source, roles = examples.source, self.job.roles
        rows = table_hashes(source, source.names) if self.counter is None else self.counter.hashes(source)
        hashes = with_labels(rows, roles.meant(examples.classes), examples.codes)
        some = roles.sampled(table)
        self.kept.add(table if some.all() else table.filter(pa.array(some)), hashes[some])

    def _fail(self, error: Exception, source: Source, bad: list[int]) -> NoReturn:
        hint = " errors='skip' leaves such rows out." if bad else ""
        row = bad[0] if bad else _unlike(self.job, source)
        place = f"row {self.at + row} of {self.job.place.format(self.partition)}"
        reason = " ".join(str(error).split())
        raise _FailedError(
            f"The argument '{self.job.argument}' must hold rows that can be counted; {place} cannot: {reason}{hint}"
        )


def uncountable(job: CountRows, source: Source, first: bool = False) -> list[int]:
    """Return the positions of rows that cannot be counted even alone, or the first of them, by bisection."""
    try:
        job.try_alone(source)
        return []
    except UNCOUNTABLE:
        if len(source) == 1:
            return [0]
    half = len(source) // 2
    left = uncountable(job, source.part(0, half), first)
    if first and left:
        return left
    return left + [half + place for place in uncountable(job, source.part(half, len(source)), first)]


def _unlike(job: CountRows, source: Source) -> int:
    """Return the position of the first row that cannot be counted together with those before it."""
    good, bad = 1, len(source)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            job.try_alone(source.part(0, middle))
            good = middle
        except UNCOUNTABLE:
            bad = middle
    return bad - 1
