"""Rows for every kind of model, from fixed seeds, by numpy alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

LABELS = np.array(["a", "b", "c"])
NAMES = np.array(["ant", "bee", "cow", "dog", "eel", "fox"])
SYLLABLES = ["ba", "co", "du", "fé", "gi", "lo", "mu", "na", "ro", "ßa"]
VOCABULARY = [first + second for first in SYLLABLES for second in ("ra", "ti", "no", "sul")]


@dataclass(frozen=True)
class Data:
    """Rows to learn from, with labels, weights and groups; rows to ask about; rows that hold what was never seen."""

    X: Any
    y: Any
    weights: Any
    groups: Any
    asked: Any
    strange: Any


def take(X: Any, which: Any) -> Any:
    """Return some rows of an array, a list or a dict of columns."""
    if isinstance(X, dict):
        return {name: [values[i] for i in which] for name, values in X.items()}
    return [X[i] for i in which] if isinstance(X, list) else X[which]


def flags(rng: np.random.Generator, codes: Any) -> Any:
    return (rng.random((len(codes), 4)) < 0.2 + 0.2 * codes[:, None]).astype(int)


def counts(rng: np.random.Generator, codes: Any) -> Any:
    return rng.poisson(0.5 + codes[:, None] * np.arange(5) / 4, (len(codes), 5))


def category_codes(rng: np.random.Generator, codes: Any) -> Any:
    shape = (len(codes), 3)
    return (rng.integers(0, 3, shape) + codes[:, None] * (rng.random(shape) < 0.5)).astype(int)


def category_names(rng: np.random.Generator, codes: Any) -> Any:
    return NAMES[category_codes(rng, codes)]


def reals(rng: np.random.Generator, codes: Any) -> Any:
    mixing = np.array([[1.0, 0.4, 0.0], [0.0, 1.0, -0.6], [0.0, 0.0, 1.5]])
    return np.array([0.0, 10.0, 1000.0]) + rng.normal(codes[:, None], 1.0, (len(codes), 3)) @ mixing


def texts(rng: np.random.Generator, codes: Any) -> Any:
    """Return texts whose words come in bursts, pairs and a phrase, some of them telling of the class."""
    place = np.arange(len(VOCABULARY))
    out = []
    for code in codes.tolist():
        likely = (1 + 8 * ((place > 4) & (place % 3 == code))) / (3 + place)
        words = rng.choice(len(place), rng.integers(2, 12), p=likely / likely.sum())
        words = np.repeat(words, 1 + (rng.random(len(words)) < 0.2))
        pairs = words[(words % 4 == 1) & (rng.random(len(words)) < 0.8)] + 2
        phrase = place[28:] if rng.random() < (0.3, 0.6, 0.35)[code] else place[:0]
        words = np.concatenate([words, pairs, phrase])
        out.append(" ".join(VOCABULARY[word] for word in words.tolist()).capitalize() + ".")
    return out


def with_holes(rng: np.random.Generator, values: Any) -> list[Any]:
    return [None if gone else value for value, gone in zip(values, rng.random(len(values)) < 0.1, strict=True)]


def mixed(rng: np.random.Generator, codes: Any) -> Any:
    n = len(codes)
    return {
        "flag": with_holes(rng, (rng.random(n) < 0.2 + 0.2 * codes).tolist()),
        "colour": with_holes(rng, NAMES[rng.integers(0, 3, n) + codes].tolist()),
        "size": with_holes(rng, rng.normal(codes, 1.0).tolist()),
        "wait": with_holes(rng, rng.exponential(1.0 + codes).round(3).tolist()),
        "events": with_holes(rng, rng.poisson(1.0 + codes).tolist()),
        "note": with_holes(rng, texts(rng, codes)),
    }


STRANGE: dict[Any, Any] = {
    flags: np.array([[2, 0, -1, 1], [0, 0, 0, 0]]),
    counts: np.array([[0, 0, 0, 0, 0], [40, 0, 3, 0, 90]]),
    category_codes: np.array([[0, 1, 9]]),
    category_names: np.array([["ant", "bee", "yak"], ["yak", "yak", "yak"]]),
    reals: np.array([[1e4, -1e4, 0.0], [0.0, 10.0, 1000.0]]),
    texts: ["", "zzz qqq", "Bara zzz bara, BARA!", "a b c", "ﬁre féra fera féra"],
    mixed: {
        "flag": [None, True, None, False],
        "colour": [None, "yak", "ant", "yak"],
        "size": [None, 1e6, float("nan"), 0.0],
        "wait": [None, -5.0, 1e9, 0.25],
        "events": [None, 1000, 0, None],
        "note": [None, "zzz qqq", "", "bara zzz"],
    },
}


def data_of(rows: Callable[[np.random.Generator, Any], Any], n: int, seed: int = 20) -> Data:
    """Return rows that lean to their class, and rows to ask about."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    codes[:3] = [0, 1, 2]
    X = rows(rng, codes)
    weights, groups = rng.choice([0.5, 1.0, 2.0], n), rng.integers(0, n // 6, n)
    asked = rows(np.random.default_rng(seed + 1), np.arange(9) % 3)
    return Data(X, LABELS[codes], weights, groups, asked, STRANGE[rows])
