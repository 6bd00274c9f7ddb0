"""EM on an engine: the first pass counts what labels say and what rows are like, and each step is one pass more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from suffice.engines.answers import Held
from suffice.engines.em_parts import NOTHING, Marked, Step, classes_of
from suffice.engines.opening import Run, first_pass, refuse
from suffice.engines.parts import ROWS, Part, kept_rows, model_of, wanted_rows
from suffice.engines.shapes import Shape, shape_of
from suffice.engines.sources import Arrow
from suffice.engines.walk import Task, uncountable
from suffice.errors import DataError, LabelError
from suffice.estimators.clusters import tell_of_clusters, without_views
from suffice.estimators.em import Rows, alpha_by_rows, copy_of, prior_of, tell_of_end
from suffice.estimators.mixed import NaiveBayes
from suffice.estimators.mixture import Mixture
from suffice.estimators.semi_supervised import SemiSupervised
from suffice.estimators.text import TextClassifier
from suffice.estimators.unlabelled import read_rows
from suffice.estimators.views import is_loo
from suffice.estimators.shell.whole import changing
from suffice.models.columns import Gaussian, Unknown
from suffice.store import to_bytes
from suffice.tables import Table

__all__ = ["Passes", "fit_clusters", "fit_partly_labelled"]

OF_ROWS = ("transduction_", "labels_", "losses_", "criterion_")
"""What an earlier fit may have left, and this one does not have, or makes anew."""


class Passes:
    """What EM learns from, where rows are elsewhere: judging a model is a pass, and it counts for the next model."""

    def __init__(self, run: Run, model: Any, classes: Any, pinned: Any, step: Step, rows: tuple[float, float]) -> None:
        self.model, self.classes = model, classes
        self._run, self._pinned, self._step = run, pinned, step
        self._labelled, self._free = rows
        self._found = Part()

    def weigh(self, share: float) -> None:
        """Rows without labels count for so much from now on."""
        self._step = replace(self._step, share=share)

    def forget_shares(self) -> None:
        """Back to what the labelled rows alone say."""
        self.model._take_statistics(self.classes, self._pinned)

    def judge(self) -> float:
        """What labelled rows, the prior, and rows without labels come to."""
        prior = prior_of(self.model)  # which refuses, if need be, before any pass
        self._found = self._run(replace(self._step, held=Held(to_bytes(self.model))))
        if self._found.failed:
            raise DataError(self._found.failed)
        labelled, free, _ = self._found.sums
        return prior + labelled + free  # EM-1

    def learn(self) -> None:
        """Labelled rows as they are, and the others as the last pass has counted them."""
        expected = model_of(self._found)._get_statistics()
        if self._pinned is not None:
            expected = {name: self._pinned[name] + expected[name] for name in expected}
        self.model._take_statistics(self.classes, expected)

    def entropy(self) -> float:
        """How unsure the shares are, all rows together."""
        return float(self._found.sums[2])

    @property
    def unlabelled(self) -> float:
        """What rows without labels weigh together."""
        return self._step.share * self._free

    @property
    def weight(self) -> float:
        """What all rows weigh together."""
        return self._labelled + self.unlabelled


def fit_partly_labelled(run: Run, estimator: SemiSupervised, columns: Any, skip: bool) -> Any:
    """A classifier, fitted to rows of which some have labels."""
    estimator._validate_params()
    model = copy_of(estimator.estimator, "SemiSupervised")
    found = shape_of(model, *columns)
    shape = Marked(found.kind, found.target, found.features)
    refuse(model)
    keep = ROWS if is_loo(estimator.unlabelled_weight) else wanted_rows(model)
    task, part = first_pass(run, model, shape, keep, skip, _chosen_by_all)
    counted = _counted(part)
    marks, (classes, place) = counted.classes_.tolist(), _classes(counted, columns[0], shape)
    with changing(estimator) as changed:
        _drop(changed, OF_ROWS)
        changed.classes_ = classes
        labelled = _labelled(model, shape, part, dict(zip(marks, classes[place], strict=True)))
        alpha = None if labelled is None else alpha_by_rows(model, *labelled)
        model._chosen, model.classes_ = {} if alpha is None else {"alpha": alpha}, classes
        step = Step(NOTHING, shape, dict(zip(marks, place.tolist(), strict=True)), 1.0, _sift(task, part))
        course = changed._climb(_passes(run, model, counted, place, step), labelled)
        _know_columns(changed, shape, part, columns[1])
        tell_of_end("SemiSupervised", course, changed.max_iter)
    return estimator


def _passes(run: Run, model: Any, counted: Any, place: Any, step: Step) -> Passes:
    """Where the steps start: what the first pass has counted of labelled rows."""
    pinned, n = model._begin_with(counted, place, model.classes_), counted._class_rows()
    rows = float(n[place >= 0].sum()), float(n[place < 0].sum())
    return Passes(run, model, model.classes_, pinned, step, rows)


def fit_clusters(run: Run, estimator: Mixture, columns: Any, skip: bool) -> Any:
    """A mixture: starts are made by some rows, and the best of them goes on over all."""
    estimator._validate_params()
    model = without_views(copy_of(estimator.estimator, "Mixture"))
    shape = _without_target(model, *columns)
    refuse(model)
    task, part = first_pass(run, model, shape, ROWS, skip, _chosen_by_all)
    counted, sample = _counted(part), kept_rows(part)
    some, n = read_rows(model, shape.rows(sample)), sample.num_rows
    step = Step(NOTHING, shape, {}, 1.0, _sift(task, part))

    def begin(model: Any, classes: Any) -> Rows:
        return Rows(model, classes, None, np.zeros(0, np.int64), np.zeros(0), [(some, np.ones(n))], counted)

    def passes(model: Any, classes: Any) -> Passes:
        return Passes(run, model, classes, None, step, (0.0, float(part.rows)))

    with changing(estimator) as changed:
        _drop(changed, OF_ROWS)
        found = changed._fit(begin, n, None if n == part.rows else passes)
        _drop(changed, ["labels_"])
        _know_columns(changed, shape, part, columns[1])
        tell_of_clusters(found, changed.max_iter)
    return estimator


def _without_target(model: Any, schema: Any, target: Any, features: Any) -> Marked:
    """All columns but the target, if one is named: it says nothing here."""
    if target is None:
        features, target = schema.names if features is None else features, ""
        schema = pa.schema([*schema, pa.field("", pa.null())])
    shape = shape_of(model, schema, target, features)
    return Marked(shape.kind, "", shape.features, unlabelled=True)


def _counted(part: Part) -> Any:
    if not part.statistics:
        raise DataError("The argument 'data' must have rows; there are none.")
    return model_of(part)


def _classes(counted: Any, schema: Any, shape: Shape) -> tuple[Any, Any]:
    """The labels, as numbers with a fraction if their column has such."""
    classes, place = classes_of(counted.classes_)
    if not len(classes):
        raise LabelError(
            f"The target {shape.target!r} must hold a label for some row; all {counted._class_rows().sum():,.0f} are "
            "missing. Use Mixture to find clusters."
        )
    fractions = pa.types.is_floating(schema.field(shape.target).type)
    return (classes.astype(np.float64) if fractions and classes.dtype.kind == "i" else classes), place


def _labelled(model: Any, shape: Marked, part: Part, labels: dict[str, Any]) -> Any:
    """The rows that were kept, their labels and weights; None if there are none."""
    table = kept_rows(part)
    if table is None:
        return None
    y = np.array([labels[mark] for mark in shape.labels(table).tolist()])
    return read_rows(model, shape.rows(table)), y, np.ones(len(y))


def _sift(task: Task, part: Part) -> Task | None:
    """How later passes find the rows that the first one has skipped."""
    return task if part.skipped else None


def _chosen_by_all(plain: Any, shape: Shape, sample: Any) -> Any:
    """Models of columns, by a sample of rows as if they were of one class."""
    source, shape = Arrow(sample), shape.whole()
    good = source.without(uncountable(Task(plain, shape, 0, skip=True), source))
    if not len(good):
        return {}
    found = plain._settled([Table.read(shape.rows(good.table(shape.names)), "X")]).columns
    numbers = [field.name for field in sample.schema if _is_number(field.type)]
    return found | {name: Gaussian() for name in numbers if isinstance(found.get(name), Unknown)}


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _drop(estimator: Any, names: Iterable[str]) -> None:
    for name in names:
        vars(estimator).pop(name, None)


def _know_columns(estimator: Any, shape: Shape, part: Part, target: Any) -> None:
    """Names of columns, for later tables, and how many rows were left out."""
    estimator.skipped_rows_, model = part.skipped, estimator.estimator_
    model.target_ = shape.target or target
    if isinstance(model, TextClassifier):
        model.text_column_ = shape.features[0]
    if isinstance(model, NaiveBayes):
        model._target = model.target_
