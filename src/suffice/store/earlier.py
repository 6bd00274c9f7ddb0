"""Parameters of files that earlier versions have written, as they are now."""

from __future__ import annotations

from typing import Any

from suffice.errors import DataError
from suffice.estimators.shell.renamed import PARAMETERS
from suffice.store import registry

__all__ = ["current"]


def current(given: dict[str, Any], estimator: str) -> dict[str, Any]:
    """Return parameters by the names that they have now."""
    renamed = PARAMETERS.get(estimator, {})
    twice = [old for old, new in renamed.items() if {old, new} <= set(given)]
    if twice:
        raise DataError(f"a parameter must be there once; got {twice[0]!r} and {renamed[twice[0]]!r}")
    return _with_length_exponent({renamed.get(name, name): value for name, value in given.items()}, estimator)


def _with_length_exponent(given: dict[str, Any], estimator: str) -> dict[str, Any]:
    """Return parameters whose temper is one number: it may have been a pair with the exponent of length."""
    temper = given.get("temper")
    if not isinstance(temper, tuple) or len(temper) != 2 or "length_exponent" in given:
        return given
    power, exponent = temper
    if "length_exponent" in registry.LATER.get(estimator, set()):
        return {**given, "temper": power, "length_exponent": exponent}
    if exponent != 0:
        raise DataError(f"the temper of {estimator} must be one number, since only documents have lengths")
    return {**given, "temper": power}
