"""Run EM on an engine: the first pass counts labelled and unlabelled rows, and each step is one more pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.engines.counted_parts import CountRows, uncountable
from suffice.engines.em_parts import ExpectRows, MarkedRoles, classes_of
from suffice.engines.later_parts import Statistics
from suffice.engines.part_results import PartResult, model_of, sample_of
from suffice.engines.passes import Engine, Options, Request, first_pass, refuse, sample_size
from suffice.engines.roles import Roles
from suffice.engines.row_sources import Arrow
from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.em.mixture import Mixture
from suffice.estimators.em.partly_labelled import alpha_by_labels
from suffice.estimators.em.reading import Begun, checked_copy, opened_again, without_views
from suffice.estimators.em.search import tell_of_clusters, tell_of_end
from suffice.estimators.em.semi_supervised import SemiSupervised
from suffice.estimators.shell.counted import reading_like
from suffice.estimators.shell.parameters import is_loo
from suffice.estimators.shell.whole import changing
from suffice.later import pa
from suffice.models.choosing.wanted import ROWS
from suffice.models.expectation import log_prior_density
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.silent import Unknown
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.views import Views
from suffice.readers.labels import Examples
from suffice.readers.table import TableReader
from suffice.tables import Table
from suffice.typing import Integers

__all__ = ["fit_clusters", "fit_partly_labelled"]

OF_ROWS = ("transduction_", "labels_", "losses_", "criterion_", "bound_")
"""Attributes of an earlier fit that this one lacks, or sets again."""


@dataclass(frozen=True, eq=False)
class PassedExpectation:
    """The expectation of rows under a model, computed in one pass, with the expected counts for the next model."""

    rows: RowsElsewhere
    model: Model
    objective: float
    entropy: float
    expected: Statistics | None
    bound: float

    def learn(self) -> Model:
        """Return the model of labelled rows and of the expected counts of unlabelled rows."""
        base, found = self.rows.base, self.expected
        if found is None:
            return base.with_likelihoods(self.model.likelihoods)
        more = found["blocks"]
        blocks = {
            name: replace(block, statistic=block.statistic + more[name]) if name in more else block
            for name, block in base.blocks.items()
        }
        return replace(base, rows=base.rows + found["rows"], blocks=blocks).with_likelihoods(self.model.likelihoods)

    def then(self, model: Model) -> PassedExpectation:
        """Return the expectation under the next model, with the lower bound from the class probabilities found here."""
        return self.rows.expect(model, self.model)


@dataclass(frozen=True, eq=False)
class RowsElsewhere:
    """Rows that EM reads by passes of an engine."""

    engine: Engine
    begun: Begun
    job: ExpectRows
    base: Model  # the model of labelled rows, which may be none
    labelled: float  # the total weights of labelled and of unlabelled rows
    free: float

    @property
    def unlabelled(self) -> float:
        """Total weight of unlabelled rows."""
        return self.job.share * self.free

    @property
    def weight(self) -> float:
        """Total weight of all rows."""
        return self.labelled + self.unlabelled

    def weighing(self, share: float) -> RowsElsewhere:
        """Return the rows with the weight of unlabelled rows multiplied by a share."""
        return replace(self, job=replace(self.job, share=share))

    def based_on(self, base: Model) -> RowsElsewhere:
        """Return the rows with another model of the labelled ones, such as that of some of them."""
        return replace(self, base=base)

    def expect(self, model: Model, before: Model | None = None) -> PassedExpectation:
        """Return the expectation under a model by one pass, with the lower bound from the model before it."""
        predictor = Predictor(model, self.begun.prior)
        prior = log_prior_density(predictor)  # raises before any pass, if the prior is improper
        earlier = None if before is None else Predictor(before, self.begun.prior)
        found = self.engine.run(self.job.with_model(self.begun, predictor, earlier))
        if found.failed:
            raise DataError(found.failed)
        labelled, free, unsure, below = found.sums
        objective = prior + labelled + free  # EM-1
        bound = np.nan if before is None else prior + labelled + below
        return PassedExpectation(self, model, objective, unsure, found.statistics or None, bound)


def fit_partly_labelled(engine: Engine, estimator: SemiSupervised, request: Request, options: Options) -> Any:
    """Fit a SemiSupervised classifier to partly labelled rows, and return it."""
    model = _checked(estimator, options, "SemiSupervised")
    found = request.roles(model)
    roles = MarkedRoles(found.kind, found.target, found.columns, lenient=found.lenient)
    refuse(model)
    keep = max(sample_size(model), ROWS if is_loo(estimator.unlabelled_weight) else 0)
    task, part = first_pass(engine, model, roles, keep, options, _chosen_by_all)
    counted = _counted(part, engine)
    marks, (classes, place) = counted.classes_.tolist(), _classes(counted, request.schema, roles)
    reading_like(model, counted)
    begun = Begun.of_counts(model, counted._model)
    labels = dict(zip(marks, place.tolist(), strict=True))
    labelled = _labelled(model, roles, sample_of(part, keep), labels, classes)
    first = begun.placed(classes, place, Views())
    views = Views(alpha=alpha_by_labels(model, first, labelled))
    first = first.with_likelihoods(begun.likelihoods(views))
    rows = counted.class_count_
    job = _job(engine, roles, labels, task, part)
    source = RowsElsewhere(engine, begun, job, first, float(rows[place >= 0].sum()), float(rows[place < 0].sum()))
    with changing(estimator) as changed:
        _drop(changed)
        changed._climb(begun, source, first, labelled, views)
        _know_columns(changed, roles, part.skipped + engine.skipped, roles.target)
        tell_of_end("SemiSupervised", changed.converged_, changed.max_iter)
    return estimator


def fit_clusters(engine: Engine, estimator: Mixture, request: Request, options: Options) -> Any:
    """Fit a Mixture and return it: starts are fitted to a sample of rows, and the best continues on all rows."""
    model = without_views(_checked(estimator, options, "Mixture"))
    roles = _without_target(model, request)
    refuse(model)
    task, part = first_pass(engine, model, roles, ROWS, options, _chosen_by_all)
    counted, sample = _counted(part, engine), sample_of(part, ROWS)
    reading_like(model, counted)
    begun = Begun.of_counts(model, counted._model)
    here = begun.rows(opened_again(model, roles.features(sample)))
    job = _job(engine, roles, {}, task, part)

    def everywhere(classes: NDArray[Any]) -> RowsElsewhere:
        return RowsElsewhere(engine, begun, job, begun.empty(classes, Views()), 0.0, float(part.rows))

    with changing(estimator) as changed:
        _drop(changed)
        parts = [(here, np.ones(sample.num_rows))]
        found = changed._fit(begun, parts, None if sample.num_rows == part.rows else everywhere)
        _know_columns(changed, roles, part.skipped + engine.skipped, request.target)
        tell_of_clusters(found, changed.max_iter)
    return estimator


def _checked(estimator: Any, options: Options, owner: str) -> Any:
    """Return an unfitted copy of the classifier that EM fits, after checking the parameters."""
    estimator._validate_params()
    if options.journal not in (None, False):
        raise InputError(
            f"The argument 'journal' must be None for {owner}, since unlabelled rows cannot be forgotten; got another."
        )
    return checked_copy(estimator.estimator, owner)


def _without_target(model: Any, request: Request) -> MarkedRoles:
    """Return the roles of all columns but the target, if one is named, since clusters have no labels."""
    if request.target is None:
        names = request.schema.names
        request = replace(request, columns=_with_no_labels(request.columns), target="")
        request = replace(request, features=names if request.features is None else request.features)
    found = request.roles(model)
    return MarkedRoles(found.kind, "", found.columns, lenient=found.lenient, samples_all=True)


def _with_no_labels(columns: Any) -> Any:
    if isinstance(columns, pa.Table):
        return columns.append_column("", pa.nulls(columns.num_rows))
    return pa.schema([*columns, pa.field("", pa.null())])


def _counted(part: PartResult, engine: Engine) -> Any:
    if not part.statistics:
        raise DataError(f"The argument '{engine.argument}' must hold rows; there are none.")
    return model_of(part)


def _classes(counted: Any, schema: Any, roles: Roles) -> tuple[Any, Integers]:
    """Return the labels, as floats if their column holds floats, and the code of each mark."""
    classes, place = classes_of(counted.classes_)
    if not len(classes):
        raise LabelError(
            f"The column {roles.target!r} must hold a label for at least one row; "
            f"all {counted.class_count_.sum():,.0f} are missing. Use Mixture to find clusters."
        )
    fractions = pa.types.is_floating(schema.field(roles.target).type)
    return (classes.astype(np.float64) if fractions and classes.dtype.kind == "i" else classes), place


def _labelled(model: Any, roles: MarkedRoles, table: Any, places: dict[str, int], classes: Any) -> Examples | None:
    """Return the sampled labelled rows, or None if there are none."""
    if table is None:
        return None
    codes = np.array([places[mark] for mark in roles.labels(table).tolist()], np.int64)
    return Examples(opened_again(model, roles.features(table)), classes, codes)


def _job(engine: Engine, roles: MarkedRoles, places: dict[str, int], task: CountRows, part: PartResult) -> ExpectRows:
    """Return the job of each step, which skips the rows that the first pass has skipped."""
    sift = task if part.skipped else None
    return ExpectRows(roles=roles, places=places, sift=sift, argument=engine.argument, place=engine.place)


def _chosen_by_all(plain: Any, roles: Roles, sample: Any) -> Any:
    """Return the likelihoods of columns, chosen on a sample of rows as if all were of one class."""
    source, roles = Arrow(sample), roles.unlabelled()
    good = source.without(uncountable(CountRows(plain, roles, 0, skip=True), source))
    if not len(good):
        return {}
    table = Table.read(roles.features(good.table(roles.names)), "X")
    plain._read(table, np.zeros(len(table), np.int64), None, True)
    found = plain._reader.settled_by_all([table]).likelihoods
    numbers = [field.name for field in sample.schema if _is_number(field.type)]
    return found | {name: Gaussian() for name in numbers if name in found and isinstance(found[name], Unknown)}


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _drop(estimator: Any) -> None:
    for name in OF_ROWS:
        vars(estimator).pop(name, None)


def _know_columns(estimator: Any, roles: Roles, skipped: int, target: Any) -> None:
    """Set the names of columns, for later tables, and the number of skipped rows."""
    estimator.skipped_rows_, model = skipped, estimator.estimator_
    model.target_ = target
    if roles.text is not None:
        model.text_column_ = roles.text
    if isinstance(model._reader, TableReader):
        model._reader = replace(model._reader, target=target)
