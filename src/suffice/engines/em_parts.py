"""Run a step of EM on one part of the rows, with labels of which some are missing.

A step is one pass. The current model goes to every part; the part reads its rows, computes their log-likelihood, and
counts unlabelled rows by their posterior class probabilities. So one pass evaluates a model and makes the next one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from suffice.engines.later_parts import LaterPass, Statistics, added, statistics_of
from suffice.engines.part_results import Job
from suffice.engines.roles import Roles
from suffice.errors import LabelError
from suffice.estimators.em.reading import Begun, opened_again
from suffice.estimators.shell.parameters import CHECKS
from suffice.later import pa
from suffice.models.expectation import expected_counts, log_joint, log_joint_of_labels, lower_bound, shares_of
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Labels
from suffice.readers.labels import is_missing, partly_labelled
from suffice.stats.bottom_k import one_array
from suffice.typing import Array, Booleans, Integers

__all__ = ["ExpectRows", "MarkedRoles", "classes_of"]

NONE = "null"
"""The mark of a missing label."""

EXACT = 2**53


@dataclass(frozen=True)
class MarkedRoles(Roles):
    """The roles of columns with optional labels. Each label is marked by its JSON, so that all parts agree on types."""

    samples_all: bool = False  # whether the sample may hold unlabelled rows

    def labels(self, table: Any) -> Any:
        """Return the mark of the label of each row."""
        if not self.target:
            return np.full(table.num_rows, NONE)
        column = one_array(table[self.target])
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        marks = np.array([*map(_mark, coded.dictionary.to_pylist()), NONE])
        return marks[coded.indices.cast(pa.int64()).fill_null(len(marks) - 1).to_numpy()]

    def y(self, table: Any) -> Any:
        """Return the mark of the label of each row."""
        return self.labels(table)

    def has_label(self, table: Any) -> Booleans:
        """Return True for every row, since labels are optional."""
        return np.ones(table.num_rows, bool)

    def labelled(self, table: Any, files: Any) -> Any:
        """Return all rows of a file."""
        return table

    def sampled(self, table: Any) -> Booleans:
        """Return which rows may choose hyperparameters."""
        return super().sampled(table) if self.samples_all else np.asarray(self.labels(table) != NONE)

    def meant(self, classes: Any) -> Any:
        """Return the labels of the marks."""
        return np.array([json.loads(mark) for mark in classes.tolist()], object)

    def unlabelled(self) -> Roles:
        """Return the roles with all rows treated as unlabelled."""
        return replace(self, target="", samples_all=True)


def _mark(label: Any) -> str:
    if is_missing(label):
        return NONE
    if isinstance(label, float) and label.is_integer() and abs(label) < EXACT:
        label = int(label)
    if not isinstance(label, str | bool | int | float):
        raise LabelError(f"The column of labels must hold words, numbers or True/False; got a {type(label).__name__}.")
    return json.dumps(label.rstrip("\0") if isinstance(label, str) else label)  # NumPy strips trailing nulls, too


def classes_of(marks: Any) -> tuple[Any, Integers]:
    """Return the sorted classes, and the code of each mark, −1 for a missing label."""
    labels = [json.loads(mark) for mark in marks.tolist()]
    twice = partly_labelled(labels * 2, 2 * len(labels), CHECKS)  # labels that all differ look like measurements
    classes, codes = twice
    if len(classes) < sum(mark != NONE for mark in marks.tolist()):
        raise LabelError(
            "The column of labels must hold labels that stay distinct as numbers of one type; some are too large."
        )
    return classes, codes[: len(labels)]


@dataclass(frozen=True, kw_only=True)
class ExpectRows(LaterPass):
    """The job of one EM step: expected counts of unlabelled rows, and the terms of the objective.

    `begun` reads rows. The current model takes the place of its counts of all rows, which are not needed.
    """

    roles: MarkedRoles
    places: dict[str, int]  # the class code of each mark
    share: float = 1.0  # the weight of an unlabelled row
    begun: Begun | None = None
    predictor: Predictor | None = None
    before: Predictor | None = None  # of the previous step, for the lower bound; None without a bound

    done: ClassVar[str] = "scored"

    def with_model(self, begun: Begun, predictor: Predictor, before: Predictor | None = None) -> ExpectRows:
        """Return the job for another model, with the previous one for the lower bound."""
        return replace(self, begun=replace(begun, total=predictor.model), predictor=predictor, before=before)

    def of_tables(self, tables: Iterable[Any]) -> tuple[Statistics | None, tuple[float, ...]]:
        """Return the expected counts and four sums.

        The sums are ln p(x, y) of labelled rows, and of unlabelled rows ln p(x), the entropy, and the lower bound of
        ln p(x).
        """
        total, sums = None, np.zeros(4)
        for table in tables:
            marks = self.roles.labels(table)
            free = marks == NONE
            if not free.all():
                sums[0] += self._of_labelled(table.filter(pa.array(~free)), marks[~free])
            if free.any() and self.share:
                more, found = self._of_others(table.filter(pa.array(free)))
                total = added(total, more)
                sums[1:] += found
        return total, tuple(sums.tolist())

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
        rows, below = self._rows(table), 0.0
        counts, logs, unsure = expected_counts(self.predictor, rows, weights)
        if self.before is not None:
            below = lower_bound(log_joint(self.predictor, rows), shares_of(self.before, rows)[0], weights)
        return statistics_of(counts), np.array([logs, unsure, below])

    def merging(self) -> Job:
        """Return the job without the model, which merging does not need."""
        return replace(self, begun=None, predictor=None, before=None, sift=None)
