"""Logarithms of what may be zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.typing import Array

__all__ = ["log", "powered", "safe_log"]


def log(values: Any) -> Array:
    """Return ln, with ln 0 = −∞."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(values))


def safe_log(values: Array) -> Array:
    """Return ln, and 0 where there is nothing to take it of."""
    return np.log(np.where(values > 0, values, 1.0))


def powered(logs: Array, power: Any) -> Array:
    """Return ln pʷ: a weight of 0 silences even what is impossible."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(power) == 0, 0.0, logs * power)
