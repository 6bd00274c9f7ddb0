"""EM where rows are elsewhere: labels of which some are missing, and what a part does in one step.

A step is one pass. The model as it is goes to every part; the part reads its rows, says what they come to by it, and
counts those without labels by their shares. So one look at the rows judges a model and makes the next one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from suffice.engines.answers import Held
from suffice.engines.parts import UNCOUNTABLE, Job, Part, first_failed, model_of, no_beliefs, packed
from suffice.engines.shapes import Shape, one_array
from suffice.engines.sources import Source
from suffice.engines.walk import Task, uncountable
from suffice.errors import LabelError
from suffice.estimators.em import joint_of
from suffice.estimators.unlabelled import is_missing, partly_labelled
from suffice.models.em import entropy, share_out
from suffice.store import to_bytes
from suffice.typing import Integers

__all__ = ["NOTHING", "Marked", "Step", "classes_of"]

NONE = "null"
"""The mark of a label that is missing."""

AT_ONCE = 2**15
"""Rows that are read and counted together."""

EXACT = 2**53

NOTHING = Held(b"")


@dataclass(frozen=True)
class Marked(Shape):
    """Columns of which that of labels may have gaps. A label is its JSON: so all are of one kind, in any part."""

    unlabelled: bool = False  # whether rows without a label are worth keeping too

    def labels(self, table: Any) -> Any:
        """The mark of each row."""
        if not self.target:
            return np.full(table.num_rows, NONE)
        column = one_array(table[self.target])
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        marks = np.array([*map(_mark, coded.dictionary.to_pylist()), NONE])
        return marks[coded.indices.cast(pa.int64()).fill_null(len(marks) - 1).to_numpy()]

    def labelled(self, table: Any) -> Any:
        """All rows will do."""
        return np.ones(table.num_rows, bool)

    def keepable(self, table: Any) -> Any:
        """The rows that something may be chosen by."""
        return table if self.unlabelled else table.filter(pa.array(self.labels(table) != NONE))

    def whole(self) -> Shape:
        """The same, where that is all of them: labels say nothing then."""
        return replace(self, target="", unlabelled=True)


def _mark(label: Any) -> str:
    if is_missing(label):
        return NONE
    if isinstance(label, float) and label.is_integer() and abs(label) < EXACT:
        label = int(label)
    if not isinstance(label, str | bool | int | float):
        raise LabelError(f"The target must hold words, numbers or truth values; got a {type(label).__name__}.")
    return json.dumps(label.rstrip("\0") if isinstance(label, str) else label)  # as numpy has words


def classes_of(marks: Any) -> tuple[Any, Integers]:
    """The classes, sorted, and the place of each mark among them; −1 for that of a missing label."""
    labels = [json.loads(mark) for mark in marks.tolist()]
    classes, codes = partly_labelled(labels * 2, 2 * len(labels))  # labels that all differ look like measurements
    if len(classes) < sum(mark != NONE for mark in marks.tolist()):
        raise LabelError("The target must hold labels that stay different as numbers of one type; some are too large.")
    return classes, codes[: len(labels)]


@dataclass(frozen=True)
class Step(Job):
    """One step of EM in one part: expected counts of rows without labels, and what rows come to."""

    held: Held  # the model as it is
    shape: Marked
    places: dict[str, int]  # of marks among the classes
    share: float  # what a row without a label counts for
    sift: Task | None = None  # by which rows that cannot be counted are found, where there are any

    def count(self, sources: Iterable[Source], partition: int) -> Part:
        """Sums of ln p(x, y) of labelled rows, and of ln p(x) and of the shares' entropy of the others."""
        try:
            return self._counted(sources)
        except UNCOUNTABLE as error:  # it would fail again
            told = f"The argument 'data' must hold rows that can be scored; partition {partition} cannot: {error}"
            return Part(failed=told, where=partition)

    def _counted(self, sources: Iterable[Source]) -> Part:
        model, total, sums = self.held.model(), None, np.zeros(3)
        for table in _together(self._readable(sources)):
            marks = self.shape.labels(table)
            free = marks == NONE
            if not free.all():
                sums[0] += self._of_labelled(model, table.filter(pa.array(~free)), marks[~free])
            if free.any() and self.share:
                more, found = self._of_others(model, table.filter(pa.array(free)))
                total = _added(total, more)
                sums[1:] += found
        return Part(_packed(_plain(model, total)), sums=tuple(sums.tolist()))

    def _readable(self, sources: Iterable[Source]) -> Iterator[Any]:
        for source in sources:
            good = source
            if self.sift is not None and len(source):
                good = source.without(uncountable(self.sift, source))
            for at in range(0, len(good), AT_ONCE):
                some = good if len(good) <= AT_ONCE else good.part(at, min(at + AT_ONCE, len(good)))
                yield some.table(self.shape.names)

    def _of_labelled(self, model: Any, table: Any, marks: Any) -> float:
        codes = np.array([self.places[mark] for mark in marks.tolist()])
        joint = joint_of(model, model._known_rows(self.shape.rows(table)))
        return float(joint[np.arange(len(codes)), codes].sum())

    def _of_others(self, model: Any, table: Any) -> tuple[dict[str, Any], Any]:
        rows = model._shared_rows(self.shape.rows(table))
        shares, logs = share_out(joint_of(model, rows), model._log_prior())
        weights = np.full(len(logs), self.share)
        return model._count_shares(rows, shares, weights), np.array([weights @ logs, entropy(shares, weights)])

    def merge(self, parts: Iterable[Part], travels: bool = True) -> Part:
        """Expected counts and sums, added."""
        failed, total, sums, model = Part(), None, np.zeros(3), None
        for part in parts:
            failed = first_failed(failed, part)
            if part.statistics:
                model = model_of(part)
                total = _added(total, model._get_statistics())
            sums += part.sums if part.sums else 0.0
        if failed.failed:
            return failed
        found = _plain(model, total)
        return Part(_packed(found) if travels else found, sums=tuple(sums.tolist()))

    def merging(self) -> Job:
        """The same without the model, which has done its part."""
        return replace(self, held=NOTHING)


def _together(tables: Iterable[Any]) -> Iterator[Any]:
    """Tables of some thousand rows, of smaller ones."""
    waiting: list[Any] = []
    for table in tables:
        waiting.append(table)
        if sum(one.num_rows for one in waiting) >= AT_ONCE:
            yield pa.concat_tables(waiting, promote_options="permissive")
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting, promote_options="permissive")


def _added(total: dict[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    return more if total is None else {name: total[name] + more[name] for name in more}


def _plain(model: Any, statistics: dict[str, Any] | None) -> Any:
    """Statistics as a model that only counts; None if there are none."""
    if statistics is None:
        return None
    plain = copy(model).set_params(**no_beliefs(model))
    plain._take_statistics(model.classes_, statistics)
    return plain


def _packed(model: Any) -> bytes:
    return b"" if model is None else packed(to_bytes(model))
