"""Rows with their labels, as a classifier learns them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.models.scoring.rows import Labels
from suffice.typing import Array, Integers

__all__ = ["Examples"]


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows of any kind, the classes they are of, a code for each, and what each weighs."""

    source: Any  # a matrix, texts, or a table
    classes: NDArray[Any]  # sorted, each once
    codes: Integers
    weights: Array | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y(self) -> NDArray[Any]:
        """The label of each row."""
        return np.asarray(self.classes[self.codes])

    @property
    def labels(self) -> Labels:
        """Codes and weights."""
        return Labels(self.codes, self.weights, len(self.classes))

    def among(self, classes: NDArray[Any]) -> Examples:
        """Return the same rows with codes among other classes, which hold theirs."""
        place = np.searchsorted(classes, self.classes)
        return replace(self, classes=classes, codes=np.asarray(place[self.codes], np.int64))

    def take(self, which: Integers, reader: Any) -> Examples:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[which]
        return replace(self, source=reader.take(self.source, which), codes=self.codes[which], weights=weights)

    @property
    def counted(self) -> float:
        """What all rows weigh."""
        return float(len(self.codes) if self.weights is None else self.weights.sum())
