"""What is the same for every engine: which passes over the data a fit takes, and what is made of their results."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from suffice.engines.parts import ROWS, Part, Task, counting, finish, kept_rows, model_of, wanted_rows
from suffice.engines.shapes import Shape, shape_of
from suffice.engines.sources import Arrow
from suffice.engines.walk import count
from suffice.errors import DataError, InputError, KindError
from suffice.estimators.mixed import NaiveBayes
from suffice.estimators.text import TextClassifier
from suffice.models.columns import Unknown

__all__ = ["fit_by"]

BY_TYPE: list[tuple[Callable[[Any], bool], str]] = [
    (pa.types.is_boolean, "bernoulli"),
    (pa.types.is_integer, "histogram"),
    (pa.types.is_floating, "histogram"),
    (pa.types.is_string, "categorical"),
    (pa.types.is_large_string, "categorical"),
    (pa.types.is_dictionary, "categorical"),
]
"""Models of columns that no row of the sample had a value of."""


def fit_by(
    run: Callable[[Task], Part], estimator: Any, schema: Any, target: Any, features: Any, errors: str, stacklevel: int
) -> Any:
    """Fit an estimator by an engine that runs a task over all parts and merges what they give."""
    if errors not in ("raise", "skip"):
        raise InputError(f"The argument 'errors' must be 'raise' or 'skip'; got {errors!r}.")
    shape = shape_of(estimator, schema, target, features)
    estimator._validate_params()
    _refuse(estimator)
    plain, keep, skip = counting(estimator), wanted_rows(estimator), errors == "skip"
    if isinstance(estimator, NaiveBayes) and not _all_declared(estimator.columns, shape):
        sample = kept_rows(run(Task(plain, shape, ROWS, skip=True, learn=False)))
        if sample is not None:
            plain.set_params(columns=_settled(plain, shape, sample, stacklevel))
    part = run(Task(plain, shape, keep, skip))
    if part.failed:
        raise DataError(part.failed)
    return finish(estimator, shape, part)


def _refuse(estimator: Any) -> None:
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


def _settled(plain: Any, shape: Shape, sample: Any, stacklevel: int) -> dict[str, Any]:
    """A model for each column, as a sample of rows favours; as its type says, where the sample has no value."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        part = count(Task(plain, shape, 0, skip=True), [Arrow(sample)], 0)
    for warning in told:
        warnings.warn(warning.message, stacklevel=stacklevel + 2)
    if part.failed:
        raise DataError(part.failed)
    found = model_of(part).columns_ if part.statistics else {}
    declared = {} if plain.columns == "auto" else plain.columns
    return {
        name: declared[name] if declared.get(name, "auto") != "auto" else _model(found.get(name), sample, name)
        for name in shape.features
    }


def _model(found: Any, sample: Any, name: str) -> Any:
    if found is not None and not isinstance(found, Unknown):
        return found
    kind = sample.schema.field(name).type
    return next((word for is_one, word in BY_TYPE if is_one(kind)), "drop")
