"""What is the same for every engine: which passes over the rows a fit takes, and what is made of their results."""

from __future__ import annotations

from typing import Any

from suffice.engines.em_passes import fit_clusters, fit_partly_labelled
from suffice.engines.part_results import model_of, sample_of
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
from suffice.estimators.shell.counted import settled
from suffice.models.choosing.chooser import ROWS

__all__ = ["fit_by"]


def fit_by(engine: Engine, estimator: Any, request: Request, options: Options) -> Any:
    """Fit an estimator by an engine, and return it."""
    if isinstance(estimator, SemiSupervised):
        return fit_partly_labelled(engine, estimator, request, options)
    if isinstance(estimator, Mixture):
        return fit_clusters(engine, estimator, request, options)
    roles = request.roles(estimator)
    estimator._validate_params()
    refuse(estimator)
    most, look, of_sets = sample_size(estimator), options.look, rows_for_sets(engine, estimator)
    keep = max(most, of_sets, 0 if look is None else ROWS)
    task, part = first_pass(engine, estimator, roles, keep, options, chosen_by_class)
    if not part.statistics:
        raise DataError(f"The argument '{engine.argument}' must have rows with a label; there are none.")
    seen, sample, few = (_rows(roles, sample_of(part, n)) for n in (keep, most, of_sets))
    known: dict[str, Any] = {"target_": roles.target, "skipped_rows_": part.skipped + engine.skipped}
    known |= {} if roles.text is None else {"text_column_": roles.text}
    show = None if look is None or seen is None else lambda model: look(model, *seen)
    counted = model_of(part)
    sets = None if few is None else (few, counting_sets(engine, task, part, counted._model))
    settled(estimator, counted, part.rows, sample, show, sets, **known)
    return estimator


def _rows(roles: Roles, table: Any) -> tuple[Any, Any] | None:
    return None if table is None else (roles.features(table), roles.labels(table))
