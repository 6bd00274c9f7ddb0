"""What pages and pictures show of a model: beliefs about features of one kind, or distributions of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.models.answers.features import names_of
from suffice.models.predictor import Predictor
from suffice.models.scoring.results import ClassDistributions, FeatureBelief

__all__ = ["ShownColumn", "believed", "shown_columns"]


@dataclass(frozen=True)
class ShownColumn:
    """A column by name, what people call its family, its weight, and how it is distributed in each class."""

    name: Any
    kind: str
    weight: float
    classes: ClassDistributions


def believed(predictor: Predictor, names: Any = None, by_block: bool = False) -> FeatureBelief | None:
    """Return what is believed of features of one kind, by name; None where each is a column, or there is no belief."""
    if by_block:
        return None
    (block,) = predictor.model.voting.values()
    found = block.settled.believed(block.t)
    if found is None:
        return None
    called = names_of(block.t, found.counts.width) if names is None else names
    if getattr(block.t, "hash_bits", 0):
        called = [f"bucket {i}" for i in range(found.counts.width)]
    return replace(found, names=np.asarray(called))


def shown_columns(
    predictor: Predictor,
    level: float,
    names: Sequence[Any] | None = None,
    by_block: bool = False,
    categories: Sequence[Any] | None = None,
) -> Iterator[ShownColumn]:
    """Return how the columns of a table, or of a matrix, are distributed; none where that cannot be drawn.

    Columns of the only block are called by `names`, and the values of codes by `categories`.
    """
    weights = predictor.views.weights
    for name, block in predictor.model.voting.items():
        power = 1.0 if weights is None else weights.of_block(name)
        for j, one in enumerate(block.settled.distributions(block.t, level)):
            known = one if categories is None else replace(one, values=np.asarray(categories[j]))
            called = name if by_block else j if names is None else names[j]
            yield ShownColumn(called, block.likelihood.word, power, known)
