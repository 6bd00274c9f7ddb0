"""Through the rows of one part: each is counted, or told of by partition and row, or left out and counted as such.

Rows that cannot be counted are found by halving. They travel as data and not as exceptions: an engine tries a failed
task again, and these would fail again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from suffice.engines.kept import Kept
from suffice.engines.parts import UNCOUNTABLE, Job, Part, Total, as_stream, merged, packed, unfitted
from suffice.engines.shapes import Shape
from suffice.engines.sources import Source
from suffice.errors import InputError
from suffice.store import to_bytes

__all__ = ["Task", "count", "uncountable"]


@dataclass(frozen=True)
class Task(Job):
    """Count rows by their labels, and keep some of them."""

    estimator: Any
    shape: Shape
    keep: int
    skip: bool
    learn: bool = True  # whether to count, and not only to keep some rows

    def count(self, sources: Iterable[Source], partition: int) -> Part:
        """One part's rows, counted."""
        return count(self, sources, partition)

    def merge(self, parts: Iterable[Part], travels: bool = True) -> Part:
        """Counts added, and fewer rows kept."""
        return merged(parts, self.keep, travels)


def count(task: Task, sources: Iterable[Source], partition: int) -> Part:
    """One part's rows, counted."""
    walk = _Walk(task, partition)
    try:
        statistics = walk.sifted(sources) if task.skip or not task.learn else walk.streamed(sources)
    except _FailedError as failed:
        return Part(failed=str(failed), where=partition)
    return Part(statistics, as_stream(walk.kept.table()), walk.rows, walk.skipped)


class _FailedError(Exception):
    """A row that cannot be counted."""


class _Walk:
    """Through the rows of one part."""

    def __init__(self, task: Task, partition: int) -> None:
        self.task, self.partition, self.kept = task, partition, Kept(task.keep)
        self.rows = self.skipped = self.at = 0
        self.now: Source | None = None
        self.over = False

    def streamed(self, sources: Iterable[Source]) -> bytes:
        """All rows into one counter."""
        model = unfitted(self.task.estimator)
        try:
            model._fit_parts(self._pairs(sources))
        except UNCOUNTABLE as error:
            if self.over and not self.rows:
                return b""
            if self.now is None and not self.over:
                raise  # by what rows come from, not by a row
            self._tell(error)
        return packed(to_bytes(model))

    def sifted(self, sources: Iterable[Source]) -> bytes:
        """A counter for each batch, without the rows that none can count."""
        total = Total()
        for source in sources:
            self.now = source
            try:
                good, model = self._countable(source)
                if model is not None:
                    total.add(model)
            except UNCOUNTABLE as error:
                self._tell(error)
            self.at, self.rows, self.skipped = (
                self.at + len(source),
                self.rows + len(good),
                self.skipped + len(source) - len(good),
            )
        return total.packed()

    def _countable(self, source: Source) -> tuple[Source, Any]:
        """The rows that can be counted, kept and counted."""
        try:
            model = _counted(self.task, source) if len(source) else None
        except UNCOUNTABLE:
            source = source.without(uncountable(self.task, source))
            model = _counted(self.task, source) if len(source) else None
        if len(source):
            self.kept.add(self.task.shape.keepable(source.table(self.task.shape.names)))
        return source, model

    def _pairs(self, sources: Iterable[Source]) -> Iterator[tuple[Any, Any]]:
        for source in sources:
            if not len(source):
                continue
            self.now = source
            yield _pair(self.task.shape, table := source.table(self.task.shape.names))
            self.kept.add(self.task.shape.keepable(table))
            self.at, self.rows, self.now = self.at + len(source), self.rows + len(source), None
        self.over = True

    def _tell(self, error: Exception) -> None:
        place, hint = f"partition {self.partition}", ""
        if self.now is not None:
            bad = uncountable(self.task, self.now, first=True)
            hint = " errors='skip' leaves such rows out." if bad else ""
            row = bad[0] if bad else _unlike(self.task, self.now)
            place = f"row {self.at + row} of {place}"
        told = " ".join(str(error).split())
        raise _FailedError(f"The argument 'data' must hold rows that can be counted; {place} cannot: {told}{hint}")


def _pair(shape: Shape, table: Any) -> tuple[Any, Any]:
    lacking = int((~shape.labelled(table)).sum())
    if lacking:
        raise InputError(f"The target {shape.target!r} must have a label in every row; {lacking:,} lack one.")
    return shape.rows(table), shape.labels(table)


def _counted(task: Task, source: Source) -> Any:
    """A model of these rows; None if they are only to be kept."""
    pair = _pair(task.shape, source.table(task.shape.names))
    model = unfitted(task.estimator) if task.learn else None
    if model is not None:
        model._fit_parts([pair])
    return model


def uncountable(task: Task, source: Source, first: bool = False) -> list[int]:
    """Places of rows that cannot be counted even alone, found by halving; or of the first of them."""
    try:
        _counted(task, source)
        return []
    except UNCOUNTABLE:
        if len(source) == 1:
            return [0]
    half = len(source) // 2
    left = uncountable(task, source.part(0, half), first)
    if first and left:
        return left
    return left + [half + place for place in uncountable(task, source.part(half, len(source)), first)]


def _unlike(task: Task, source: Source) -> int:
    """The first row that cannot be counted together with those before it."""
    good, bad = 1, len(source)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            _counted(task, source.part(0, middle))
            good = middle
        except UNCOUNTABLE:
            bad = middle
    return bad - 1
