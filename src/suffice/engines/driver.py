"""Fit by any engine: run the passes over the rows, and build the estimator from their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.engines.em import fit_clusters, fit_partly_labelled
from suffice.engines.jobs import CountRows, Job, LaterPass, PartResult, Statistics, added, statistics_of
from suffice.engines.passes import (
    Engine,
    Options,
    Request,
    chosen_by_class,
    first_pass,
    refuse,
    rows_for_sets,
    sample_size,
)
from suffice.errors import DataError
from suffice.estimators.em.mixture import Mixture
from suffice.estimators.em.semi_supervised import SemiSupervised
from suffice.estimators.shell.joint_sets import CountSets
from suffice.estimators.shell.merging import counts_alone, settled, unfitted
from suffice.estimators.texts.token_choice import TOKEN_ROWS, choose_tokens
from suffice.models.choosing.chooser import ROWS
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name, Together
from suffice.readers.joint_columns import counted_together
from suffice.readers.labels import Examples
from suffice.stats import ClassCounts
from suffice.tables import Table
from suffice.typing import LabelArray


def fit_by(engine: Engine, estimator: Any, request: Request, options: Options) -> Any:
    """Fit an estimator on an engine, and return it."""
    if isinstance(estimator, SemiSupervised):
        return fit_partly_labelled(engine, estimator, request, options)
    if isinstance(estimator, Mixture):
        return fit_clusters(engine, estimator, request, options)
    roles = request.roles(estimator)
    estimator._validate_params()
    refuse(estimator)
    of_views, look, of_sets = sample_size(estimator), options.look, rows_for_sets(engine, estimator)
    of_tokens = 0 if engine.once or not getattr(estimator, "_chooses", False) else TOKEN_ROWS
    keep = max(of_views, of_sets, of_tokens, 0 if look is None else ROWS)
    task, part = first_pass(engine, unfitted(estimator), roles, keep, options, chosen_by_class)
    if not part.statistics:
        raise DataError(engine.argument, "hold rows with a label").but("there are none")

    def sample(most: int) -> tuple[Any, Any] | None:
        table = part.sample(most)
        return None if table is None else (roles.features(table), roles.labels(table))

    shown, chooses, joined, texts = (sample(most) for most in (keep if look else 0, of_views, of_sets, of_tokens))
    known: dict[str, Any] = {"target_": roles.target} | ({} if roles.text is None else {"text_column_": roles.text})
    if texts is not None:
        reading = unfitted(estimator)
        tokens = choose_tokens(reading, reading._read(*texts, None, True))
        known |= {} if tokens is None or tokens.record is None else {"_earlier_choices": (tokens.record,)}
        if tokens is not None and not tokens.usual:  # count all texts again
            reading = unfitted(estimator)
            reading._tokens_chosen = tokens.unit, tokens.ngram_range
            part = engine.result(replace(task, estimator=counts_alone(reading)))
    known["skipped_rows_"] = part.skipped + engine.skipped
    model = part.statistics["model"]
    show = None if look is None or shown is None else lambda classifier: look(classifier, *shown)
    sets = None if joined is None else (joined, counting_sets(engine, task, part, model._model))
    settled(estimator, model, part.rows, chooses, show, sets, **known)
    return estimator


@dataclass(frozen=True, kw_only=True)
class CountTogether(LaterPass):
    """The job of counting joint columns."""

    classes: LabelArray
    laws: Mapping[Name, Likelihood]

    def of_tables(self, tables: Iterable[Any]) -> tuple[Statistics | None, tuple[float, ...]]:
        """Return the counts of joint values."""
        total = None
        for table in tables:
            seen, codes = np.unique(self.roles.labels(table), return_inverse=True)
            source = Table.read(self.roles.features(table), "X")
            labels = Examples(source, seen, codes).among(self.classes).labels
            rows = ClassCounts.of_labels(labels.y, n_classes=labels.n_classes)
            blocks = counted_together(source, labels, self.laws)
            total = added(total, statistics_of(Model(self.classes, rows, blocks)))
        return total, ()

    def merging(self) -> Job:
        """Return the job with only what merging needs."""
        return replace(self, laws={}, sift=None)


def counting_sets(engine: Engine, task: CountRows, part: PartResult, model: Model) -> CountSets:
    """Return a function that counts joint columns in all rows that the first pass has counted."""

    def count(laws: Mapping[Name, Likelihood]) -> dict[Name, Block]:
        joined = {column for name in laws if isinstance(name, Together) for column in name.columns}
        narrow = replace(task.roles, columns=tuple(name for name in task.roles.columns if name in joined))
        first = task if part.skipped else replace(task, roles=narrow)
        total = engine.result(CountTogether.after(first, part, classes=model.classes, laws=laws))
        if not total.statistics or total.statistics["rows"] != model.rows:
            raise DataError(engine.argument, "hold the same rows in every pass").but(
                "they changed before joint columns were counted", python="Use joint=None to read them once."
            )
        blocks = total.statistics["blocks"]
        return {name: Block(law, blocks[name]) for name, law in laws.items() if name in blocks}

    return count
