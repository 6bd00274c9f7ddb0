"""The first looks at the data: which models columns get, by a sample; then all rows, counted."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from suffice.engines.parts import ROWS, Job, Part, counting, kept_rows, model_of
from suffice.engines.shapes import Shape
from suffice.engines.sources import Arrow
from suffice.engines.walk import Task, count
from suffice.errors import DataError, InputError, KindError
from suffice.estimators.mixed import NaiveBayes
from suffice.estimators.text import TextClassifier
from suffice.models.columns import Unknown
from suffice.models.columns.open import Chosen
from suffice.telling import tell

__all__ = ["Run", "chosen_by_class", "first_pass", "refuse"]

Run = Callable[[Job], Part]
"""What an engine does: a job over all parts, which become one."""

BY_TYPE: list[tuple[Callable[[Any], bool], str]] = [
    (pa.types.is_boolean, "bernoulli"),
    (pa.types.is_integer, "histogram"),
    (pa.types.is_floating, "histogram"),
    (pa.types.is_string, "categorical"),
    (pa.types.is_large_string, "categorical"),
    (pa.types.is_dictionary, "categorical"),
]
"""Models of columns that no row of the sample had a value of."""


def first_pass(
    run: Run,
    estimator: Any,
    shape: Shape,
    keep: int,
    skip: bool,
    choose: Callable[[Any, Shape, Any], Any],
) -> tuple[Task, Part]:
    """What was done in the pass that counts all rows, and what it found; before it, if need be, one for a sample."""
    plain = counting(estimator)
    if isinstance(estimator, NaiveBayes) and not _all_declared(estimator.columns, shape):
        sample = kept_rows(run(Task(plain, shape.whole(), ROWS, skip=True, learn=False)))
        if sample is not None:
            plain.set_params(columns=_settled(plain, shape, sample, choose))
    task = Task(plain, shape, keep, skip)
    part = run(task)
    if part.failed:
        raise DataError(part.failed)
    return task, part


def refuse(estimator: Any) -> None:
    """Raise for what cannot be counted in parts, or not be written to a model file."""
    name = type(estimator).__name__
    if isinstance(estimator, TextClassifier) and estimator._transforms:
        raise InputError(f"{name} with sublinear_tf, use_idf or normalize needs all texts in memory.")
    for parameter, value in estimator.get_params(deep=False).items():
        if callable(value) and not isinstance(value, type):
            raise KindError(
                f"The '{parameter}' parameter of {name} must be a value that a model file can keep, so that counts can "
                f"travel; got the function {getattr(value, '__name__', value)!r}."
            )


def _all_declared(columns: Any, shape: Shape) -> bool:
    return isinstance(columns, dict) and all(columns.get(name, "auto") != "auto" for name in shape.features)


def _settled(plain: Any, shape: Shape, sample: Any, choose: Any) -> dict[str, Any]:
    """A model for each column, as a sample of rows favours; as its type says, where the sample has no value."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = choose(plain, shape, sample)
    for warning in told:
        tell(warning.message)
    declared = {} if plain.columns == "auto" else plain.columns
    return {
        name: declared[name] if declared.get(name, "auto") != "auto" else _model(found.get(name), sample, name)
        for name in shape.features
    }


def chosen_by_class(plain: Any, shape: Shape, sample: Any) -> Any:
    """Models of columns, by a sample of rows that have labels."""
    part = count(Task(plain, shape, 0, skip=True), [Arrow(sample)], 0)
    if part.failed:
        raise DataError(part.failed)
    return model_of(part).columns_ if part.statistics else {}


def _model(found: Any, sample: Any, name: str) -> Any:
    if found is not None and not isinstance(found, Unknown):
        return Chosen(found)
    kind = sample.schema.field(name).type
    return next((word for is_one, word in BY_TYPE if is_one(kind)), "drop")
