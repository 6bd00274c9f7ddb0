"""Run EM on an engine: the first pass counts labelled and unlabelled rows, and each step is one more pass.

The current model goes to every part. The part reads its rows, computes their log-likelihood, and counts unlabelled rows
by their posterior class probabilities. So one pass evaluates a model and makes the next one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from suffice.engines.jobs import CountRows, Job, LaterPass, PartResult, Statistics, added, statistics_of
from suffice.engines.passes import Engine, Options, Request, first_pass, refuse, sample_size
from suffice.engines.roles import Roles
from suffice.engines.row_sources import Arrow
from suffice.errors import DataError, InputError, LabelError
from suffice.estimators.em.base import EMSetup, checked_copy, opened_again, without_views
from suffice.estimators.em.mixture import Mixture
from suffice.estimators.em.search import tell_of_clusters, tell_of_end
from suffice.estimators.em.semi_supervised import SemiSupervised
from suffice.estimators.shell.atomic import changing
from suffice.estimators.shell.merging import reading_like
from suffice.estimators.shell.parameters import CHECKS, is_loo
from suffice.later import pa
from suffice.models.choosing.chooser import ROWS
from suffice.models.expectation import EMRows, Expectation, SharedRows, Weighed
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.silent import Unknown
from suffice.models.model import Block, Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Labels
from suffice.models.views import Views
from suffice.readers.labels import Examples, is_missing, partly_labelled
from suffice.readers.table import TableReader
from suffice.stats.bottom_k import one_array
from suffice.tables import Table
from suffice.typing import Array, Booleans, Integers, LabelArray

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

    def unlabelled(self) -> MarkedRoles:
        """Return the roles with all rows treated as unlabelled."""
        return replace(self, target="", samples_all=True)


def _mark(label: Any) -> str:
    if is_missing(label):
        return NONE
    if isinstance(label, float) and label.is_integer() and abs(label) < EXACT:
        label = int(label)
    if not isinstance(label, str | bool | int | float):
        raise LabelError("The column of labels", "hold words, numbers or True/False", got_a=label)
    return json.dumps(label.rstrip("\0") if isinstance(label, str) else label)  # NumPy strips trailing nulls, too


def classes_of(marks: Any) -> tuple[Any, Integers]:
    """Return the sorted classes, and the code of each mark, −1 for a missing label."""
    labels = [json.loads(mark) for mark in marks.tolist()]
    classes, codes = partly_labelled(labels * 2, 2 * len(labels), CHECKS)  # if all differ, they look like measurements
    if len(classes) < sum(mark != NONE for mark in marks.tolist()):
        raise LabelError("The column of labels", "hold labels that stay distinct as numbers of one type").but(
            "some are too large"
        )
    return classes, codes[: len(labels)]


@dataclass(frozen=True, kw_only=True)
class ExpectRows(LaterPass):
    """The job of one EM step: the sums of the E step, and expected counts of unlabelled rows.

    `setup` reads rows. The current model takes the place of its counts of all rows, which are not needed.
    """

    roles: MarkedRoles
    places: dict[str, int]  # the class code of each mark
    share: float = 1.0  # the weight of an unlabelled row
    setup: EMSetup | None = None
    predictor: Predictor | None = None
    previous: Predictor | None = None  # of the previous step, for the lower bound; None without a bound

    done: ClassVar[str] = "scored"

    def of_tables(self, tables: Iterable[Any]) -> tuple[Statistics | None, tuple[float, ...]]:
        """Return the expected counts, and the four sums of an expectation."""
        total, sums = None, np.zeros(4)
        assert self.predictor is not None
        for table in tables:
            rows = self._rows(table)
            part = rows.scan(self.predictor, None if self.previous is None else rows.scan(self.previous))
            for counts in part.count():
                total = added(total, statistics_of(counts))
            sums += part.labelled, part.unlabelled, part.entropy(), part.below
        return total, tuple(sums.tolist())

    def _rows(self, table: Any) -> SharedRows:
        """Return the rows of a table in the form that EM uses in memory."""
        setup, marks = self.setup, self.roles.labels(table)
        assert setup is not None
        free = marks == NONE

        def read(which: Booleans) -> Any:
            return setup.rows(opened_again(setup.estimator, self.roles.features(table.filter(pa.array(which)))))

        known: tuple[Any, Labels] | None = None
        parts: tuple[Weighed, ...] = ()
        if not free.all():
            codes = np.array([self.places[mark] for mark in marks[~free].tolist()], np.int64)
            known = read(~free), Labels(codes, None, len(setup.total.classes))
        if free.any() and self.share:
            parts = ((read(free), np.ones(int(free.sum()))),)
        return SharedRows(prior=setup.prior, base=setup.total, share=self.share, free=parts, known=known)

    def merging(self) -> Job:
        """Return the job without the model, which merging does not need."""
        return replace(self, setup=None, predictor=None, previous=None, sift=None)


@dataclass(frozen=True, eq=False, kw_only=True)
class EngineRows(EMRows):
    """Rows that EM reads by passes of an engine."""

    engine: Engine
    setup: EMSetup
    job: ExpectRows
    free: float  # the total weight of unlabelled rows, before `share`

    @property
    def unlabelled(self) -> float:
        """Total weight of unlabelled rows."""
        return self.share * self.free

    def scan(self, predictor: Predictor, previous: Expectation | None = None) -> Expectation:
        """Return the sums of the E step over the rows by one pass, which also counts them for the M step."""
        setup, before = replace(self.setup, total=predictor.model), None if previous is None else previous.predictor
        job = replace(self.job, share=self.share, setup=setup, predictor=predictor, previous=before)
        part = self.engine.result(job)
        labelled, unlabelled, unsure, below = part.sums
        counts, base = list[Model](), self.base
        if part.statistics:
            statistics = part.statistics["blocks"]
            blocks = {name: Block(base.blocks[name].likelihood, statistic) for name, statistic in statistics.items()}
            counts = [Model(base.classes, part.statistics["rows"], blocks)]
        below = np.nan if previous is None else below
        return Expectation(predictor, labelled, unlabelled, below, lambda: counts, lambda: unsure)


def fit_partly_labelled(engine: Engine, estimator: SemiSupervised, request: Request, options: Options) -> Any:
    """Fit a SemiSupervised classifier to partly labelled rows, and return it."""
    model = _checked(estimator, options)
    roles = MarkedRoles(**vars(request.roles(model)))
    keep = max(sample_size(model), ROWS if is_loo(estimator.unlabelled_weight) else 0)
    setup, task, part, (marks, n) = _counted(engine, model, roles, keep, options)
    classes, codes = classes_of(marks)
    if not len(classes):
        raise LabelError(f"The column {roles.target!r}", "hold a label for at least one row").but(
            f"all {n.sum():,.0f} are missing", python="Use Mixture to find clusters."
        )
    if classes.dtype.kind == "i" and pa.types.is_floating(request.schema.field(roles.target).type):
        classes = classes.astype(np.float64)
    places, sample, labelled = dict(zip(marks.tolist(), codes.tolist(), strict=True)), part.sample(keep), None
    if sample is not None:
        of_sample = np.array([places[mark] for mark in roles.labels(sample).tolist()], np.int64)
        labelled = Examples(opened_again(model, roles.features(sample)), classes, of_sample)
    base, job = setup.placed(classes, codes, Views()), ExpectRows.after(task, part, places=places)
    rows = EngineRows(prior=setup.prior, base=base, engine=engine, setup=setup, job=job, free=float(n[codes < 0].sum()))
    with changing(estimator) as changed:
        changed.__dict__.pop("transduction_", None)  # of an earlier fit in memory
        changed._fit(setup, rows, labelled)
        _know_columns(changed, roles, part.skipped + engine.skipped, roles.target)
        tell_of_end("SemiSupervised", changed.converged_, changed.max_iter)
    return estimator


def fit_clusters(engine: Engine, estimator: Mixture, request: Request, options: Options) -> Any:
    """Fit a Mixture and return it: starts are fitted to a sample of rows, and the best continues on all rows."""
    model, target = without_views(_checked(estimator, options)), request.target
    if target is None:
        features = request.schema.names if request.features is None else request.features
        request = replace(request, target=False, features=features)
    roles = MarkedRoles(**vars(request.roles(model))).unlabelled()
    setup, task, part, _ = _counted(engine, model, roles, ROWS, options)
    sample, job = part.sample(ROWS), ExpectRows.after(task, part, places={})
    local = [(setup.rows(opened_again(model, roles.features(sample))), np.ones(sample.num_rows))]

    def everywhere(classes: LabelArray) -> EngineRows:
        base = setup.empty(classes, Views())
        return EngineRows(prior=setup.prior, base=base, engine=engine, setup=setup, job=job, free=float(part.rows))

    with changing(estimator) as changed:
        changed.__dict__.pop("labels_", None)  # of an earlier fit in memory
        clusters = changed._fit(setup, local, None if sample.num_rows == part.rows else everywhere)
        _know_columns(changed, roles, part.skipped + engine.skipped, target)
        tell_of_clusters(clusters, changed.max_iter)
    return estimator


def _checked(estimator: Any, options: Options) -> Any:
    """Return an unfitted copy of the classifier that EM fits, after checking the parameters."""
    estimator._validate_params()
    owner = type(estimator).__name__
    if options.journal not in (None, False):
        raise InputError("journal", f"be None for {owner}, since unlabelled rows cannot be forgotten").but(
            "got another"
        )
    return checked_copy(estimator.estimator, owner)


def _counted(
    engine: Engine, model: Any, roles: MarkedRoles, keep: int, options: Options
) -> tuple[EMSetup, CountRows, PartResult, tuple[Any, Array]]:
    """Return the setup, the job and result of the first pass, and the marks of labels with their numbers of rows."""
    refuse(model)
    task, part = first_pass(engine, model, roles, keep, options, _chosen_by_all)
    if not part.statistics:
        raise DataError(engine.argument, "hold rows").but("there are none")
    counted = part.statistics["model"]
    reading_like(model, counted)
    return EMSetup.of_counts(model, counted._model), task, part, (counted.classes_, counted.class_count_)


def _chosen_by_all(plain: Any, roles: Roles, sample: Any) -> Any:
    """Return the likelihoods of columns, chosen on a sample of rows as if all were of one class."""
    source, roles = Arrow(sample), roles.unlabelled()
    good = source.without(CountRows(plain, roles, 0, skip=True).uncountable(source))
    if not len(good):
        return {}
    table = Table.read(roles.features(good.table(roles.names)), "X")
    plain._read(table, np.zeros(len(table), np.int64), None, True)
    likelihoods, types = plain._reader.settled_by_all([table]).likelihoods, pa.types
    numbers = [one.name for one in sample.schema if types.is_integer(one.type) or types.is_floating(one.type)]
    unknown = [name for name in numbers if isinstance(likelihoods.get(name), Unknown)]
    return likelihoods | dict.fromkeys(unknown, Gaussian())


def _know_columns(estimator: Any, roles: Roles, skipped: int, target: Any) -> None:
    """Set the names of columns, for later tables, and the number of skipped rows."""
    estimator.skipped_rows_, model = skipped, estimator.estimator_
    model.target_ = target
    if roles.text is not None:
        model.text_column_ = roles.text
    if isinstance(model._reader, TableReader):
        model._reader = replace(model._reader, target=target)
