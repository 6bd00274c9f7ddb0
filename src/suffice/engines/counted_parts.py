"""The map and the + of a fit in many places: rows of one part become counts, and counts add.

Rows that cannot be counted are found by halving, and named by partition and row, or left out and counted as such. They
travel as data and not as exceptions: an engine tries a failed task again, and these would fail again.
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
from suffice.estimators.shell.counted import counter_of
from suffice.later import pa
from suffice.readers.labels import Examples
from suffice.stats.bottom_k import BottomK, united
from suffice.stats.content import table_hashes, with_labels
from suffice.tables import Table

__all__ = ["CountRows", "uncountable"]


@dataclass(frozen=True)
class CountRows(Job):
    """The job of counting rows by their labels and keeping a sample of them."""

    estimator: Any
    roles: Roles
    keep: int
    skip: bool
    learn: bool = True  # whether to count, and not only to keep some rows
    journal: Any = None
    argument: str = "data"  # what users call the rows
    place: str = "partition {}"  # and a part of them

    def count(self, sources: Iterable[Source], partition: int, travels: bool = True) -> PartResult:
        """Return one part's rows, counted."""
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
        """Return counts added, and fewer rows kept."""
        try:
            return self._sum(parts, travels)
        except UNCOUNTABLE as error:  # labels of two kinds, say: it would fail again
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
        """Return features and labels of rows; raise InputError if a label is missing."""
        lacking = int((~self.roles.has_label(table)).sum())
        if lacking:
            raise InputError(f"The target {self.roles.target!r} must have a label in every row; {lacking:,} lack one.")
        return self.roles.features(table), self.roles.y(table)

    def try_alone(self, source: Source) -> None:
        """Raise unless these rows can be counted without any others."""
        pair = self.pair(source.table(self.roles.names))
        if self.learn:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                counter_of(self.estimator).add(*pair)


class _FailedError(Exception):
    """A row that cannot be counted."""


class _Walk:
    """The rows of one part, taken source by source."""

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
        """Count rows, and return them as a table, and as they were read; None if there are none."""
        if not len(source):
            return None
        table = source.table(self.job.roles.names)
        X, y = self.job.pair(table)
        if self.counter is not None:
            return table, self.counter.add(X, y)
        classes, codes = np.unique(self.job.roles.labels(table), return_inverse=True)
        return table, Examples(Table.read(X, "X"), classes, codes)

    def _keep(self, table: Any, examples: Examples) -> None:
        """Keep rows by their content, as it is read."""
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
    """Return the places of rows that cannot be counted even alone, found by halving; or of the first of them."""
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
    """Return the first row that cannot be counted together with those before it."""
    good, bad = 1, len(source)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            job.try_alone(source.part(0, middle))
            good = middle
        except UNCOUNTABLE:
            bad = middle
    return bad - 1
