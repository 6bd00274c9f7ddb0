"""What the parameters of a model from a file may ask for: a small file must not take all memory when it is asked."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from suffice.errors import DataError
from suffice.stats.inputs import MANY

__all__ = ["check_bounds"]

BUCKET, BUCKET_OF_CLASS = 64, 16
"""Bytes that a bucket of hashed words takes when texts are scored: once, and for each class."""


def check_bounds(model: Any) -> None:
    """Raise DataError if a parameter is beyond what the model has learned, or the machine can hold."""
    given: dict[str, Any] = model.get_params(deep=False)
    for name in ("n_components", "max_components"):
        number, most = given.get(name), getattr(model, "n_features_in_", MANY) if hasattr(model, "classes_") else MANY
        if number is not None and not isinstance(number, str) and not 1 <= number <= most:
            raise DataError(f"'{name}' must be from 1 to {most}; got {number}.")
    if given.get("min_categories") is not None:
        _check_categories(given["min_categories"], model.n_features_in_)
    if given.get("hash_bits") is not None:
        _check_buckets(given["hash_bits"], len(model.classes_))


def _check_categories(least: Any, features: int) -> None:
    wanted = np.asarray(least)
    if wanted.dtype.kind != "i" or wanted.shape not in ((), (features,)) or wanted.max() > MANY:
        raise DataError(f"'min_categories' must be at most {MANY:,}, one or {features} of them.")


def _check_buckets(bits: int, classes: int) -> None:
    needed, there = (BUCKET + BUCKET_OF_CLASS * classes) << bits, _memory()
    if needed > there:
        raise DataError(
            f"'hash_bits' must leave room in memory; {bits} with {classes} classes take {needed / 2**30:,.0f} GB of "
            f"{there / 2**30:,.0f}."
        )


def _memory() -> int:
    """Bytes of memory of this machine; where it does not tell, 64 GB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**36
