"""EM where rows are elsewhere: labels of which some are missing, and what a part does in one step.

A step is one pass. The model as it is goes to every part; the part reads its rows, says what they come to by it, and
counts those without labels by their shares. So one look at the rows judges a model and makes the next one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from suffice.engines.counted_parts import CountRows, uncountable
from suffice.engines.part_results import UNCOUNTABLE, Job, PartResult, first_failed, packed, unpacked
from suffice.engines.roles import Roles
from suffice.engines.row_sources import Source
from suffice.errors import LabelError
from suffice.estimators.em.reading import Begun, opened_again
from suffice.estimators.shell.parameters import CHECKS
from suffice.models.expectation import expected_counts, log_joint_of_labels
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Labels
from suffice.readers.labels import is_missing, partly_labelled
from suffice.stats.bottom_k import one_array
from suffice.store.statistics import statistics_from_bytes, statistics_to_bytes
from suffice.typing import Array, Booleans, Integers

__all__ = ["ExpectRows", "MarkedRoles", "Statistics", "classes_of"]

NONE = "null"
"""The mark of a label that is missing."""

AT_ONCE = 2**15
"""Rows that are read and counted together."""

EXACT = 2**53

Statistics = dict[Any, Any]
"""Those of classes, and of blocks by name."""


@dataclass(frozen=True)
class MarkedRoles(Roles):
    """Roles of columns where labels may be missing. A label is its JSON, so all are of one kind, in any part."""

    samples_all: bool = False  # whether rows without a label may be kept, too

    def labels(self, table: Any) -> Any:
        """Return the mark of each row."""
        if not self.target:
            return np.full(table.num_rows, NONE)
        column = one_array(table[self.target])
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        marks = np.array([*map(_mark, coded.dictionary.to_pylist()), NONE])
        return marks[coded.indices.cast(pa.int64()).fill_null(len(marks) - 1).to_numpy()]

    def has_label(self, table: Any) -> Booleans:
        """Return that all rows will do."""
        return np.ones(table.num_rows, bool)

    def labelled(self, table: Any, files: Any) -> Any:
        """Return all rows of a file."""
        return table

    def sampled(self, table: Any) -> Booleans:
        """Return which rows something may be chosen by."""
        return super().sampled(table) if self.samples_all else np.asarray(self.labels(table) != NONE)

    def meant(self, classes: Any) -> Any:
        """Return the labels that marks stand for."""
        return np.array([json.loads(mark) for mark in classes.tolist()], object)

    def unlabelled(self) -> Roles:
        """Return the roles of columns where labels say nothing."""
        return replace(self, target="", samples_all=True)


def _mark(label: Any) -> str:
    if is_missing(label):
        return NONE
    if isinstance(label, float) and label.is_integer() and abs(label) < EXACT:
        label = int(label)
    if not isinstance(label, str | bool | int | float):
        raise LabelError(f"The target must hold words, numbers or truth values; got a {type(label).__name__}.")
    return json.dumps(label.rstrip("\0") if isinstance(label, str) else label)  # as numpy has words


def classes_of(marks: Any) -> tuple[Any, Integers]:
    """Return the classes, sorted, and the place of each mark among them; −1 for that of a missing label."""
    labels = [json.loads(mark) for mark in marks.tolist()]
    twice = partly_labelled(labels * 2, 2 * len(labels), CHECKS)  # labels that all differ look like measurements
    classes, codes = twice
    if len(classes) < sum(mark != NONE for mark in marks.tolist()):
        raise LabelError("The target must hold labels that stay different as numbers of one type; some are too large.")
    return classes, codes[: len(labels)]


@dataclass(frozen=True)
class ExpectRows(Job):
    """One step of EM in one part: expected counts of rows without labels, and what rows come to.

    `begun` reads rows. It has the model as it is in the place of the counts of all rows, which nobody needs.
    """

    roles: MarkedRoles
    places: dict[str, int]  # of marks among the classes
    share: float = 1.0  # what a row without a label counts for
    sift: CountRows | None = None  # by which rows that cannot be counted are found, where there are any
    begun: Begun | None = None
    predictor: Predictor | None = None
    argument: str = "data"
    place: str = "partition {}"

    def with_model(self, begun: Begun, predictor: Predictor) -> ExpectRows:
        """Return the job for another model."""
        return replace(self, begun=replace(begun, total=predictor.model), predictor=predictor)

    def count(self, sources: Iterable[Source], partition: int, travels: bool = True) -> PartResult:
        """Return expected counts, and sums: of ln p(x, y) of labelled rows, of ln p(x) and of entropy of the others."""
        try:
            statistics, sums = self._counted(sources)
        except UNCOUNTABLE as error:  # it would fail again
            place = self.place.format(partition)
            reason = f"The argument '{self.argument}' must hold rows that can be scored; {place} cannot: {error}"
            return PartResult(failed=reason, where=partition)
        return PartResult(_packed(statistics, travels), sums=tuple(sums.tolist()))

    def _counted(self, sources: Iterable[Source]) -> tuple[Statistics | None, Array]:
        total, sums = None, np.zeros(3)
        for table in _together(self._readable(sources)):
            marks = self.roles.labels(table)
            free = marks == NONE
            if not free.all():
                sums[0] += self._of_labelled(table.filter(pa.array(~free)), marks[~free])
            if free.any() and self.share:
                more, found = self._of_others(table.filter(pa.array(free)))
                total = _added(total, more)
                sums[1:] += found
        return total, sums

    def _readable(self, sources: Iterable[Source]) -> Iterator[Any]:
        for source in sources:
            good = source
            if self.sift is not None and len(source):
                good = source.without(uncountable(self.sift, source))
            for at in range(0, len(good), AT_ONCE):
                batch = good if len(good) <= AT_ONCE else good.part(at, min(at + AT_ONCE, len(good)))
                yield batch.table(self.roles.names)

    def _rows(self, table: Any) -> Any:
        assert self.begun is not None
        return self.begun.rows(opened_again(self.begun.estimator, self.roles.features(table)))

    def _of_labelled(self, table: Any, marks: Any) -> float:
        assert self.predictor is not None
        codes = np.array([self.places[mark] for mark in marks.tolist()], np.int64)
        labels = Labels(codes, None, len(self.predictor.model.classes))
        return log_joint_of_labels(self.predictor, self._rows(table), labels)

    def _of_others(self, table: Any) -> tuple[Statistics, Array]:
        assert self.predictor is not None
        weights = np.full(table.num_rows, self.share)
        counts, logs, unsure = expected_counts(self.predictor, self._rows(table), weights)
        return _statistics(counts), np.array([logs, unsure])

    def merge(self, parts: Iterable[PartResult], travels: bool = True) -> PartResult:
        """Return expected counts and sums, added."""
        failed, total, sums = PartResult(), None, np.zeros(3)
        for part in parts:
            failed = first_failed(failed, part)
            if part.statistics:
                total = _added(total, statistics_from_bytes(unpacked(part.statistics)))
            sums += part.sums if part.sums else 0.0
        if failed.failed:
            return failed
        return PartResult(_packed(total, travels), sums=tuple(sums.tolist()))

    def merging(self) -> Job:
        """Return the job without the model, which has done its part."""
        return replace(self, begun=None, predictor=None, sift=None)


def _together(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield tables of thousands of rows, made of smaller ones."""
    waiting: list[Any] = []
    for table in tables:
        waiting.append(table)
        if sum(one.num_rows for one in waiting) >= AT_ONCE:
            yield pa.concat_tables(waiting, promote_options="permissive")
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting, promote_options="permissive")


def _statistics(model: Model) -> Statistics:
    return {"rows": model.rows, "blocks": {name: block.statistic for name, block in model.blocks.items()}}


def _added(total: Statistics | None, more: Statistics) -> Statistics:
    """Return both added up; a block that only one of them has stays as it is."""
    if total is None:
        return more
    both, other = dict(total["blocks"]), more["blocks"]
    for name in other:
        both[name] = both[name] + other[name] if name in both else other[name]
    return {"rows": total["rows"] + more["rows"], "blocks": both}


def _packed(statistics: Statistics | None, travels: bool) -> Any:
    if statistics is None:
        return b""
    return packed(statistics_to_bytes(statistics)) if travels else statistics
