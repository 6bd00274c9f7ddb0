"""Logarithms of what may be nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.typing import Array

__all__ = ["log", "log_ratio", "raised_to"]


def log(values: Array) -> Array:
    """ln, with ln 0 = −∞."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(values))


def log_ratio(part: Array, whole: Array) -> Array:
    """ln part − ln whole, written over `part`; NaN for nothing of nothing, as a class without rows and prior has."""
    logs = log(whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.log(part, out=part)
        part -= logs
    return part


def raised_to(logs: Array, power: Any) -> Array:
    """ln pʷ: a weight of nought silences even what is impossible."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(power) == 0, 0.0, logs * power)
