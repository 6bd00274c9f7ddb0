"""What the parameters `temper` and `length_exponent` mean: a power of the likelihood, and how it falls with length.

    temper           a number: the power      "loo": chosen by rows             None: 1
    length_exponent  a number: the exponent   "loo": chosen with the temper,    None: 0
                                              and 0 where that is given

Only classes whose rows are documents have the second one.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.models.scoring.cells import Temper

__all__ = ["check_temper", "given_temper", "length_exponent_of"]


def check_temper(estimator: Any) -> None:
    """Raise InputError if the temper is a pair, which it was while it held the exponent of length, too."""
    given = estimator.temper
    if isinstance(given, tuple | list | np.ndarray):
        name = type(estimator).__name__
        ways = f"The 'temper' parameter of {name} must be one number above 0, 'loo' or None"
        if not hasattr(estimator, "length_exponent"):
            raise InputError(f"{ways} (only documents have a 'length_exponent'); got {given!r}.")
        instead = f": use temper={given[0]!r}, length_exponent={given[1]!r}" if len(given) == 2 else ""
        raise InputError(f"{ways}, and the exponent of length is 'length_exponent'; got temper={given!r}{instead}.")


def given_temper(estimator: Any) -> Temper | None:
    """Return the temper that the parameters give; None if rows are to choose it."""
    check_temper(estimator)
    power, exponent = estimator.temper, length_exponent_of(estimator)
    if isinstance(power, str):
        return None
    power = 1.0 if power is None else power
    if not _is_finite(power) or power <= 0:
        raise InputError(
            f"The 'temper' parameter of {type(estimator).__name__} must be one number above 0, 'loo' or None; got "
            f"{power!r}."
        )
    return Temper(float(power), 0.0 if exponent is None else exponent)


def length_exponent_of(estimator: Any) -> float | None:
    """Return the exponent of a row's length that its power is divided by; None if it is chosen with the temper."""
    given = getattr(estimator, "length_exponent", None)
    if isinstance(given, str):
        return None if isinstance(estimator.temper, str) else 0.0
    if given is not None and not _is_finite(given):
        raise InputError(
            f"The 'length_exponent' parameter of {type(estimator).__name__} must be one finite number, 'loo' or None; "
            f"got {given!r}."
        )
    return 0.0 if given is None else float(given)


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))
