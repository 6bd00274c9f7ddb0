"""List by name what a file can hold: no other name is looked up, and nothing from a file is imported or run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from suffice import estimators, posterior, stats
from suffice.errors import DataError
from suffice.estimators.shell.parameter_domains import allows
from suffice.models.choices import Choice, Tried
from suffice.models.empirical.covariances import Spread
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.likelihoods.joint import Joint
from suffice.models.likelihoods.vocabulary import Vocabulary
from suffice.models.open_columns import Chosen
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.linear import FittedTransform
from suffice.models.views import ColumnWeights, FeatureWeights, Residual, WordResiduals, WordWeights
from suffice.readers import columns
from suffice.stats.inputs import EXACT
from suffice.stats.word_counts import WordCounts
from suffice.text import Analysis, TermWeighting, Tokens, WordList

__all__ = [
    "ESTIMATORS", "LEARNERS", "RECORDS", "STATISTICS", "estimator", "is_estimator", "is_known", "is_learner",
    "learner", "made", "public_fields", "stored",
]  # fmt: skip


def _by_name(*kinds: type[Any], prefix: str = "") -> dict[str, type[Any]]:
    return {prefix + kind.__name__: kind for kind in kinds}


def _public(module: Any, base: type[Any]) -> list[type[Any]]:
    """Return the public subclasses of a base in a package, so that a new one needs no line here."""
    found = (getattr(module, name) for name in module.__all__)
    return [one for one in found if isinstance(one, type) and issubclass(one, base) and one is not base]


ESTIMATORS: dict[str, type[Any]]
"""Estimators by name; all of them are imported on first use."""

STORED = {
    "NaiveBayes": "shell.table_answers.TableAnswers",
    "TextClassifier": "texts.text_answers.TextAnswers",
}
"""The light forms of models, which predict without importing scikit-learn."""


def __getattr__(name: str) -> Any:
    if name != "ESTIMATORS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _every_estimator()


@cache
def _every_estimator() -> dict[str, type[Any]]:
    return {one.__name__: one for one in _public(estimators, object) if hasattr(one, "_get_param_names")}


def estimator(name: str) -> Any:
    """Return the class of an estimator by its name, or None."""
    if _every_estimator.cache_info().currsize:
        return _every_estimator().get(name)
    found = getattr(estimators, name) if name in estimators.__all__ else None
    return found if hasattr(found, "_get_param_names") else None


def is_known(name: object) -> bool:
    """Return whether a file may hold an estimator of this name."""
    return isinstance(name, str) and (name in STORED or estimator(name) is not None)


def is_estimator(value: object) -> bool:
    """Return whether a value is an estimator of suffice itself."""
    return estimator(type(value).__name__) is type(value)


LEARNERS = ("ConceptLearner", "NumberGame", "Rectangles")
"""Concept learners, which are not estimators."""


def learner(name: object) -> Any:
    """Return the class of a concept learner by its name, or None."""
    return getattr(import_module("suffice.concepts"), str(name)) if name in LEARNERS else None


def is_learner(value: object) -> bool:
    """Return whether a value is a concept learner of suffice itself."""
    return learner(type(value).__name__) is type(value)


def stored(name: str, given: dict[str, Any]) -> Any:
    """Return the light form of a model, or None if it has none or its parameters are not allowed."""
    module, _, kind = STORED.get(name, "").rpartition(".")
    found = getattr(import_module(f"suffice.estimators.{module}"), kind) if module else None
    return found(**given) if found is not None and allows(found.domains, given) else None


STATISTICS: dict[str, type[Any]] = _by_name(*_public(stats, stats.Statistic), stats.Journal, WordCounts)

RECORDS: dict[str, type[Any]] = {
    **_by_name(*_public(posterior, posterior.Conjugate)),
    **_by_name(Analysis, Chosen, ColumnWeights, FeatureWeights, FittedTransform, Residual, Spread, Temper, Vocabulary),
    **_by_name(Choice, Tried, WordList, WordResiduals, WordWeights),
    **_by_name(TermWeighting, Tokens, prefix="text."),
    **_by_name(*columns.FAMILIES, columns.Unknown, Cloud, Joint, prefix="columns."),
}


def public_fields(kind: Any) -> list[Any]:
    """Return the fields of a record that are saved; the others are derived from parameters and statistics."""
    return [field for field in fields(kind) if field.repr]


def made(kind: type[Any], values: dict[str, Any]) -> Any:
    """Make a record from values; raise DataError unless they match the declared types of its fields."""
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]  # a class is hashable, whatever its instances are
    if list(values) != list(hints):
        raise DataError(f"A {kind.__name__}", f"have the fields {list(hints)}").but(f"got {list(values)}")
    for name, hint in hints.items():
        if not _fits(values[name], hint):
            raise DataError(f"{kind.__name__}.{name}", f"be {hint}").but(f"got {str(values[name])[:80]}")
    record = kind(**values)
    if isinstance(record, WordList):
        record.check()
    return record


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in public_fields(kind)}


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of a declared type."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inside)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in inside)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and get_args(inside[1])[0] in (Any, value.dtype)
    if origin is tuple:
        wanted = inside[:1] * len(value) if isinstance(value, tuple) and inside[-1] is Ellipsis else inside
        return isinstance(value, tuple) and len(value) == len(wanted) and all(map(_fits, value, wanted))
    if origin is frozenset:
        return isinstance(value, frozenset) and all(_fits(one, inside[0]) for one in value)
    if origin in (dict, Mapping):
        pairs = value.items() if isinstance(value, dict) else []
        return isinstance(value, dict) and all(_fits(k, inside[0]) and _fits(v, inside[1]) for k, v in pairs)
    return origin not in (Callable, Iterable) and _is_plain(value, hint)


def _is_plain(value: Any, hint: Any) -> bool:
    if hint in (None, NoneType):
        return value is None
    if hint in (float, int):
        if isinstance(value, bool):
            return False
        if isinstance(value, Integral):
            return abs(int(value)) <= EXACT
        return hint is float and isinstance(value, Real)
    return hint is Any or isinstance(value, hint)
