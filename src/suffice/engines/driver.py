"""What is the same for every engine: which passes over the data a fit takes, and what is made of their results."""

from __future__ import annotations

from typing import Any

from suffice.engines.em import fit_clusters, fit_partly_labelled
from suffice.engines.opening import Run, chosen_by_class, first_pass, refuse
from suffice.engines.parts import finish, wanted_rows
from suffice.engines.shapes import shape_of
from suffice.errors import InputError
from suffice.estimators.mixture import Mixture
from suffice.estimators.semi_supervised import SemiSupervised

__all__ = ["fit_by"]


def fit_by(run: Run, estimator: Any, schema: Any, target: Any, features: Any, errors: str) -> Any:
    """Fit an estimator by an engine that runs a job over all parts and merges what they give."""
    if errors not in ("raise", "skip"):
        raise InputError(f"The argument 'errors' must be 'raise' or 'skip'; got {errors!r}.")
    skip, columns = errors == "skip", (schema, target, features)
    if isinstance(estimator, SemiSupervised):
        return fit_partly_labelled(run, estimator, columns, skip)
    if isinstance(estimator, Mixture):
        return fit_clusters(run, estimator, columns, skip)
    shape = shape_of(estimator, *columns)
    estimator._validate_params()
    refuse(estimator)
    _, part = first_pass(run, estimator, shape, wanted_rows(estimator), skip, chosen_by_class)
    return finish(estimator, shape, part)
