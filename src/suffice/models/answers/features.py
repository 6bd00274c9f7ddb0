"""Which features speak most for a class, and which rows hold anything that was learned.

A value of probability θ_c in the class and θ in the others, these averaged by their rows, brings θ_c·ln(θ_c/θ) to a row
of the class (for words: to each word of it; for a column of text: to all its words). A count of mean λ brings
λ_c·ln(λ_c/λ) − λ_c + λ, a number ½[ln(v/v_c) + (v_c + (m_c − m)²)/v − 1]: Kullback-Leibler divergences, in nats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, overload

import numpy as np

from suffice.models.likelihoods.shared import weight_in_words
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Rows
from suffice.stats.word_counts import WordCounts
from suffice.typing import Booleans

__all__ = ["Top", "TopFeatures", "known", "names_of", "speaking"]


class Top(NamedTuple):
    """A feature, what it is in rows of the class, and the weight it brings."""

    feature: Any
    value: str
    weight: float


class TopFeatures(Sequence[Top]):
    """Features that speak for a class, the weightiest first: rows of feature, value and weight."""

    def __init__(self, label: Any, rows: list[Top]) -> None:
        self.label, self._rows = label, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Top]:
        return iter(self._rows)

    @overload
    def __getitem__(self, at: int) -> Top: ...
    @overload
    def __getitem__(self, at: slice) -> list[Top]: ...
    def __getitem__(self, at: int | slice) -> Top | list[Top]:
        return self._rows[at]

    def __eq__(self, other: object) -> bool:
        return self._rows == (other._rows if isinstance(other, TopFeatures) else other)

    def __hash__(self) -> int:
        return hash(tuple(self._rows))

    def __repr__(self) -> str:
        width = max((len(str(row.feature)) for row in self._rows), default=0)
        lines = [f"  {row.weight:8.4f}  {row.feature!s:{width}}  {row.value}".rstrip() for row in self._rows]
        return "\n".join([f"What speaks for {self.label}:", *(lines or ["  nothing"])])


def speaking(
    predictor: Predictor,
    code: int,
    k: int,
    names: Sequence[Any] | None = None,
    by_block: bool = False,
    categories: Sequence[Any] | None = None,
) -> TopFeatures:
    """Return at most k features that speak for a class, against the average of the others.

    Features of the only block are called by `names`, and the values of codes by `categories`; `by_block`, those of all
    blocks are called by their block.
    """
    label = predictor.model.classes[code]
    if len(predictor.model.classes) < 2:
        return TopFeatures(label, [])
    if by_block:
        return TopFeatures(label, _of_columns(predictor, code, k))
    found = _of_features(predictor, code, k)
    if categories is not None:
        found = [row._replace(value=str(categories[row.feature][int(row.value)])) for row in found]
    if names is not None:
        found = [row._replace(feature=names[row.feature]) if isinstance(row.feature, int) else row for row in found]
    return TopFeatures(label, found)


def _of_features(predictor: Predictor, code: int, k: int) -> list[Top]:
    (block,), weights = predictor.model.voting.values(), predictor.views.weights
    found = block.settled.speaks(block.t, predictor.model.n, code, k, block.powers(weights))
    return [Top(*row) for row in found]


def _of_columns(predictor: Predictor, code: int, k: int) -> list[Top]:
    found, weights = list[Top](), predictor.views.weights
    for name, block in predictor.model.voting.items():
        power = 1.0 if weights is None else weights.of_block(name)
        meant = weight_in_words(power, "columns")
        likelihood: Any = block.settled
        by_means = replace(likelihood, estimate="mean")  # of which none brings infinite evidence
        for row in by_means.speaks(block.t, predictor.model.n, code, k):
            found.append(Top(name, f"{row.value}, {meant}" if meant else row.value, power * row.weight))
    return sorted(found, key=lambda row: -row.weight)[:k]


def known(model: Model, rows: Mapping[Name, Rows], least: int = 1) -> Booleans:
    """Return which rows hold a value, category or word that was learned from so many rows or more."""
    found = np.zeros(len(next(iter(rows.values()), ())), bool)
    for name, block in model.voting.items():
        present = rows[name].present if name in rows else np.zeros(0, bool)
        if present is None:
            found |= block.settled.known(block.t, rows[name], least)
        elif present.any():
            found |= block.settled.known(block.t, rows[name], least) & present
    return found


def names_of(statistic: Any, width: int) -> Any:
    """Return the names of a statistic's features: words, or places where it has no names."""
    named = isinstance(statistic, WordCounts) and not statistic.hash_bits
    return statistic.words.strings if named else np.arange(width)
