"""Compute with beliefs: products of counts and logs, ties, entropy, draws."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from suffice.typing import Array, Booleans, Integers

__all__ = ["entropy", "largest", "picked", "times"]

TIE = 1e-12


def times(count: Integers, log: float) -> Array:
    """Return count · log, with 0 · −∞ = 0."""
    return np.where(count > 0, np.maximum(count, 1) * log, 0.0)


def largest(logs: Array) -> Booleans:
    """Return which values are the largest, within rounding."""
    top = logs.max()
    return np.asarray(logs >= top - TIE * (1 + abs(top)))


def entropy(p: Array) -> Array:
    """Return the entropy, in nats, of a yes that has probability p."""
    inner = np.clip(p, np.finfo(np.float64).tiny, 1 - np.finfo(np.float64).epsneg)
    return np.where((p > 0) & (p < 1), -inner * np.log(inner) - (1 - inner) * np.log1p(-inner), 0.0)


def picked(names: tuple[Hashable, ...], places: Any) -> Any:
    """Return the names at the given places: a single name, or an array of names."""
    if np.ndim(places) == 0:
        return names[int(places)]
    out = np.empty(np.shape(places), object)
    for at in np.ndindex(out.shape):
        out[at] = names[int(places[at])]
    return out
