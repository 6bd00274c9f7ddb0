"""Fit by any engine: run the passes over the rows, and build the estimator from their results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from suffice.engines.counted_parts import CountRows
from suffice.engines.em_passes import fit_clusters, fit_partly_labelled
from suffice.engines.part_results import PartResult, model_of, sample_of
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
from suffice.engines.roles import Roles
from suffice.engines.set_passes import counting_sets
from suffice.errors import DataError
from suffice.estimators.em.mixture import Mixture
from suffice.estimators.em.semi_supervised import SemiSupervised
from suffice.estimators.shell.merging import counts_alone, settled, unfitted
from suffice.estimators.texts.token_choice import TOKEN_ROWS, TokenChoice, choose_tokens
from suffice.models.choosing.wanted import ROWS

__all__ = ["fit_by"]


def fit_by(engine: Engine, estimator: Any, request: Request, options: Options) -> Any:
    """Fit an estimator on an engine, and return it."""
    if isinstance(estimator, SemiSupervised):
        return fit_partly_labelled(engine, estimator, request, options)
    if isinstance(estimator, Mixture):
        return fit_clusters(engine, estimator, request, options)
    roles = request.roles(estimator)
    estimator._validate_params()
    refuse(estimator)
    most, look, of_sets = sample_size(estimator), options.look, rows_for_sets(engine, estimator)
    of_tokens = 0 if engine.once or not getattr(estimator, "_chooses", False) else TOKEN_ROWS
    keep = max(most, of_sets, of_tokens, 0 if look is None else ROWS)
    task, part = first_pass(engine, unfitted(estimator), roles, keep, options, chosen_by_class)
    if not part.statistics:
        raise DataError(f"The argument '{engine.argument}' must hold rows with a label; there are none.")
    seen, sample, few = (_rows(roles, sample_of(part, n)) for n in (keep, most, of_sets))
    tokens = _tokens(estimator, _rows(roles, sample_of(part, of_tokens)) if of_tokens else None)
    if tokens is not None and not tokens.usual:
        part = _counted_again(engine, estimator, task, tokens)
    known: dict[str, Any] = {"target_": roles.target, "skipped_rows_": part.skipped + engine.skipped}
    known |= {} if roles.text is None else {"text_column_": roles.text}
    known |= {} if tokens is None or tokens.record is None else {"_earlier_choices": (tokens.record,)}
    show = None if look is None or seen is None else lambda model: look(model, *seen)
    counted = model_of(part)
    sets = None if few is None else (few, counting_sets(engine, task, part, counted._model))
    settled(estimator, counted, part.rows, sample, show, sets, **known)
    return estimator


def _rows(roles: Roles, table: Any) -> tuple[Any, Any] | None:
    return None if table is None else (roles.features(table), roles.labels(table))


def _tokens(estimator: Any, sample: tuple[Any, Any] | None) -> TokenChoice | None:
    """Return the tokens chosen on a sample of texts; None if nothing is chosen or the rows are read only once."""
    if sample is None:
        return None
    reading = unfitted(estimator)
    return choose_tokens(reading, reading._read(*sample, None, True))


def _counted_again(engine: Engine, estimator: Any, task: CountRows, tokens: TokenChoice) -> PartResult:
    """Count all texts again, with the chosen tokens."""
    reading = unfitted(estimator)
    reading._tokens_chosen = tokens.unit, tokens.ngram_range
    part = engine.run(replace(task, estimator=counts_alone(reading)))
    if part.failed:
        raise DataError(part.failed)
    return part
