"""Convert the parameters in files of earlier versions to the current ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from suffice.errors import DataError
from suffice.estimators.shell.whole import MOVED, PARAMETERS
from suffice.store import registry
from suffice.text import TermWeighting, Tokens

__all__ = ["current"]


def current(given: dict[str, Any], estimator: str) -> dict[str, Any]:
    """Return parameters by their current names, with their current meaning."""
    given = _with_values(MEANINGS[estimator](given) if estimator in MEANINGS else given, estimator)
    renamed = PARAMETERS.get(estimator, {})
    twice = [old for old, new in renamed.items() if {old, new} <= set(given)]
    if twice:
        raise DataError(f"a parameter must be given once; got {twice[0]!r} and {renamed[twice[0]]!r}")
    return _with_length_exponent({renamed.get(name, name): value for name, value in given.items()}, estimator)


def _with_values(given: dict[str, Any], estimator: str) -> dict[str, Any]:
    """Return parameters with those that are now part of a value moved into it."""
    moved = MOVED.get(estimator, {})
    parts: dict[str, dict[str, Any]] = {name: {} for name in VALUES}
    for name in moved.keys() & given.keys():
        parts[moved[name]][name] = given[name]
    twice = [name for name, part in parts.items() if part and name in given]
    if twice:
        raise DataError(f"a parameter must be given once; got {twice[0]!r} and {min(parts[twice[0]])!r}")
    rest = {name: value for name, value in given.items() if name not in moved}
    made = {name: VALUES[name](**part) for name, part in parts.items() if part}
    return rest | {name: None if value == VALUES[name]() else value for name, value in made.items()}


VALUES: dict[str, type[Any]] = {"tokens": Tokens, "term_weighting": TermWeighting}
"""The values that parameters have moved into."""


def _with_length_exponent(given: dict[str, Any], estimator: str) -> dict[str, Any]:
    """Return parameters with one number as temper, which was a pair with the length exponent in earlier files."""
    temper = given.get("temper")
    if not isinstance(temper, tuple) or len(temper) != 2 or "length_exponent" in given:
        return given
    power, exponent = temper
    if "length_exponent" in registry.LATER.get(estimator, set()):
        return {**given, "temper": power, "length_exponent": exponent}
    if exponent != 0:
        raise DataError(f"the temper of {estimator} must be one number, since only documents have lengths")
    return {**given, "temper": power}


def _of_fit_prior(given: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with `fit_prior` replaced by the class prior it stood for."""
    if "fit_prior" not in given:
        return given
    if type(given["fit_prior"]) is not bool:
        raise DataError(f"'fit_prior' must be true or false; got {str(given['fit_prior'])[:80]!r}")
    prior = given.get("class_prior")
    if prior is None:
        prior = "counted" if given["fit_prior"] else "uniform"
    elif isinstance(prior, list | tuple | np.ndarray):  # earlier versions normalized any numbers
        prior = (np.asarray(prior, np.float64) / np.sum(prior)).tolist()
    return {name: value for name, value in given.items() if name != "fit_prior"} | {"class_prior": prior}


def _of_priors(given: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with "counted" for missing `priors`."""
    return given | {"priors": "counted"} if given.get("priors", "") is None else given


MEANINGS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "DirichletMultinomialNB": _of_fit_prior,
    "GaussianDiscriminant": _of_priors,
    "NaiveBayes": lambda given: {"joint": None, **_of_fit_prior(given)},  # earlier versions had no joint columns
    "PoissonNB": _of_fit_prior,
    "TextClassifier": _of_fit_prior,
}
"""Conversions of parameters whose meaning changed; `estimators.shell.whole` has the changed names."""
