"""Columns of every kind, for the tests of NaiveBayes. A kind that is not here fails test_mixed_laws."""

from collections.abc import Callable
from typing import Any

import numpy as np

import suffice as sf
from estimators.plain import NaiveBayes

WORDS = ["cat", "dog", "mat", "sat", "ran", "far", "the"]


def _flags(rng: Any, y: Any) -> list[Any]:
    return list((rng.random(len(y)) < 0.2 + 0.3 * y).tolist())


def _words(rng: Any, y: Any) -> list[Any]:
    return [str(word) for word in rng.choice(WORDS, len(y))]


def _reals(rng: Any, y: Any) -> list[Any]:
    return list((rng.normal(size=len(y)) * (1 + y) + y).tolist())


def _counts(rng: Any, y: Any) -> list[Any]:
    return list(rng.poisson(3 + 4 * y).tolist())


def _waits(rng: Any, y: Any) -> list[Any]:
    return list(rng.exponential(1 + 4 * y).tolist())


def _texts(rng: Any, y: Any) -> list[Any]:
    return [" ".join(rng.choice(WORDS[label:], 4)) for label in y]


KINDS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "bernoulli": _flags,
    "categorical": _words,
    "exponential": _waits,
    "gaussian": _reals,
    "histogram": _reals,
    "poisson": _counts,
    "text": _texts,
}


def values_of(kind: str, y: Any, seed: int = 0) -> list[Any]:
    """Return a column that such a model may have, informative about the classes 0, 1, 2."""
    return KINDS[kind](np.random.default_rng(seed), np.asarray(y))


def labels(rows: int = 60, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, 3, rows)


def every_kind(rows: int = 60, seed: int = 0) -> tuple[dict[str, list[Any]], Any]:
    """Return a table with a column of each kind, called after it."""
    y = labels(rows, seed + 1)
    return {kind: values_of(kind, y, seed) for kind in KINDS}, y


def model(**options: Any) -> sf.NaiveBayes:
    """Return a model with each column of `every_kind` declared."""
    return NaiveBayes(columns={kind: kind for kind in KINDS}, **options)


def rows_of(table: dict[str, Any], rows: Any) -> dict[str, list[Any]]:
    return {name: [column[i] for i in rows] for name, column in table.items()}
