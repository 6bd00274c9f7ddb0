"""The map and the + of a fit in many places: rows of one part become a model file, and model files add.

    count    rows → Part       counts as a model file (never pickle), some rows by which views are chosen, what failed
    merged   Parts → Part      associative, so that any tree of them gives the same
    finish   Part → estimator  takes the counts; temper, weights and pseudo-count are chosen by the kept rows

Rows that cannot be counted are found by halving, and are told of by partition and row, or left out and counted. They
travel as data and not as exceptions: an engine tries a failed task again, and these would fail again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from suffice.engines.kept import HASH, Kept, shortened
from suffice.engines.shapes import Shape
from suffice.engines.sources import Source
from suffice.errors import DataError, InputError
from suffice.estimators.algebra import all_or_nothing, merge
from suffice.estimators.mixed import NaiveBayes
from suffice.estimators.text import TextClassifier
from suffice.store import from_bytes, to_bytes

__all__ = ["ROWS", "Part", "Task", "count", "counting", "finish", "kept_rows", "merged", "unfitted", "wanted_rows"]

ROWS, FEW = 20_000, 2000
"""Rows that views are chosen by, at most, and with little effort."""

BELIEFS = {
    *("alpha", "force_alpha", "fit_prior", "class_prior", "priors", "prior", "estimate", "var_smoothing", "norm"),
    *("unseen", "temper", "weights", "ridge", "min_df", "max_df", "max_features", "memory_limit", "verbose", "tol"),
}
"""Parameters that counts do not depend on: parts have them as they are by default."""

UNCOUNTABLE = (ValueError, TypeError, OverflowError)
"""What estimators and Arrow say of values that they cannot take."""


@dataclass(frozen=True)
class Part:
    """What was found in some of the rows."""

    statistics: bytes = b""  # a model file; empty if there were no rows
    kept: bytes = b""  # Arrow's stream of the rows that are kept, with their hashes
    rows: int = 0
    skipped: int = 0
    failed: str = ""  # the first row that could not be counted, in words
    where: int = -1  # its partition


@dataclass(frozen=True)
class Task:
    """What every part is to do."""

    estimator: Any
    shape: Shape
    keep: int
    skip: bool
    learn: bool = True  # whether to count, and not only to keep some rows


def counting(estimator: Any) -> Any:
    """An unfitted estimator that counts as this one does, and believes nothing of its own."""
    plain = type(estimator)().get_params(deep=False)
    return unfitted(estimator).set_params(**{name: plain[name] for name in BELIEFS & set(plain)})


def unfitted(estimator: Any) -> Any:
    """Another of the same parameters, which has learned nothing."""
    return type(estimator)(**estimator.get_params(deep=False))


def wanted_rows(estimator: Any) -> int:
    """How many rows something is chosen by; none where all is chosen by counts."""
    chosen = [getattr(estimator, name, None) for name in ("alpha", "temper", "weights")]
    free = isinstance(estimator, TextClassifier) and estimator.alpha is None
    if not free and not any(isinstance(value, str) and value == "loo" for value in chosen):
        return 0
    return FEW if getattr(estimator, "effort", "") == "fast" else ROWS


def count(task: Task, sources: Iterable[Source], partition: int) -> Part:
    """One part's rows, counted."""
    walk = _Walk(task, partition)
    try:
        statistics = walk.sifted(sources) if task.skip or not task.learn else walk.streamed(sources)
    except _FailedError as failed:
        return Part(failed=str(failed), where=partition)
    return Part(statistics, _stream(walk.kept.table()), walk.rows, walk.skipped)


def merged(parts: Iterable[Part], keep: int) -> Part:
    """Several parts as one."""
    try:
        return _sum(parts, keep)
    except UNCOUNTABLE as error:  # labels of two kinds, say: it would fail again
        return Part(failed=str(error), where=0)


def _sum(parts: Iterable[Part], keep: int) -> Part:
    total, rows, skipped, kept = Total(), 0, 0, None
    failed = Part()
    for part in parts:
        if part.failed and (not failed.failed or part.where < failed.where):
            failed = part
        if part.statistics:
            total.add(from_bytes(part.statistics))
        kept = shortened([kept, _table(part.kept)], keep)
        rows, skipped = rows + part.rows, skipped + part.skipped
    if failed.failed:
        return replace(failed, statistics=b"", kept=b"")
    return Part(total.bytes(), _stream(kept), rows, skipped)


class Total:
    """Models one after the other, those of about as many parts merged with each other: none is merged too often."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Any]] = []

    def add(self, model: Any) -> None:
        """One more."""
        parts = 1
        while self._waiting and self._waiting[-1][0] <= parts:
            more, before = self._waiting.pop()
            parts, model = parts + more, merge([before, model])
        self._waiting.append((parts, model))

    def bytes(self) -> bytes:
        """All of them as one model file; nothing if there were none."""
        while len(self._waiting) > 1:
            (more, last), (parts, model) = self._waiting.pop(), self._waiting.pop()
            self._waiting.append((parts + more, merge([model, last])))
        return to_bytes(self._waiting[0][1]) if self._waiting else b""


def finish(estimator: Any, shape: Shape, part: Part) -> Any:
    """The estimator, fitted to all that was counted."""
    if not part.statistics:
        raise DataError("The argument 'data' must have rows with a label; there are none.")
    counted, table = from_bytes(part.statistics), _table(part.kept)
    with all_or_nothing(estimator):
        estimator._know_nothing()
        estimator._set_state(counted._get_state())
        estimator.target_, estimator.skipped_rows_ = shape.target, part.skipped
        if isinstance(estimator, TextClassifier):
            estimator.text_column_ = shape.features[0]
        if isinstance(estimator, NaiveBayes):
            estimator._target = shape.target  # a column that later tables may have, and predictions ignore
        if table is not None and wanted_rows(estimator):
            X, y = estimator._rows_and_labels(shape.rows(table), shape.labels(table))
            estimator._fit_views(X, y, None)
    return estimator


def kept_rows(part: Part) -> Any:
    """The rows that were kept, in the order of their hashes; None if there are none."""
    table = _table(part.kept)
    return None if table is None else table.drop_columns([HASH])


class _FailedError(Exception):
    """A row that cannot be counted."""


class _Walk:
    """Through the rows of one part."""

    def __init__(self, task: Task, partition: int) -> None:
        self.task, self.partition, self.kept = task, partition, Kept(task.keep)
        self.rows = self.skipped = self.at = 0
        self.now: Source | None = None

    def streamed(self, sources: Iterable[Source]) -> bytes:
        """All rows into one counter."""
        model = unfitted(self.task.estimator)
        try:
            model._fit_parts(self._pairs(sources))
        except UNCOUNTABLE as error:
            if self.now is None and not self.rows:
                return b""
            self._tell(error)
        return to_bytes(model)

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
        return total.bytes()

    def _countable(self, source: Source) -> tuple[Source, Any]:
        """The rows that can be counted, kept and counted."""
        try:
            model = _counted(self.task, source) if len(source) else None
        except UNCOUNTABLE:
            source = source.without(_uncountable(self.task, source))
            model = _counted(self.task, source) if len(source) else None
        if len(source):
            self.kept.add(source.table(self.task.shape.names))
        return source, model

    def _pairs(self, sources: Iterable[Source]) -> Iterator[tuple[Any, Any]]:
        for source in sources:
            if not len(source):
                continue
            self.now = source
            yield _pair(self.task.shape, table := source.table(self.task.shape.names))
            self.kept.add(table)
            self.at, self.rows, self.now = self.at + len(source), self.rows + len(source), None

    def _tell(self, error: Exception) -> None:
        place, hint = f"partition {self.partition}", ""
        if self.now is not None:
            bad = _uncountable(self.task, self.now, first=True)
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


def _uncountable(task: Task, source: Source, first: bool = False) -> list[int]:
    """Places of rows that cannot be counted even alone, found by halving; or of the first of them."""
    try:
        _counted(task, source)
        return []
    except UNCOUNTABLE:
        if len(source) == 1:
            return [0]
    half = len(source) // 2
    left = _uncountable(task, source.part(0, half), first)
    if first and left:
        return left
    return left + [half + place for place in _uncountable(task, source.part(half, len(source)), first)]


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


def _stream(table: Any) -> bytes:
    if table is None:
        return b""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _table(stream: bytes) -> Any:
    return pa.ipc.open_stream(stream).read_all() if stream else None
