"""Texts that can be read only once, and their labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import LabelError
from suffice.models.choosing.judge import some_rows
from suffice.models.scoring.removal import group_codes
from suffice.readers.labels import labelled
from suffice.typing import Integers

__all__ = ["KeptTexts", "labels_of_texts"]


class KeptTexts(Iterator[Any]):
    """Texts that pass by, of which some are kept to choose by."""

    def __init__(self, texts: Iterator[Any], which: Integers) -> None:
        self._texts, self.which = texts, which
        self._wanted, self._at, self.texts = set(which.tolist()), 0, list[Any]()

    @classmethod
    def of(cls, texts: Iterator[Any], rows: int, most: int, groups: Any) -> KeptTexts:
        """Keep at most so many of the texts, or whole groups of them."""
        group = None if groups is None else group_codes(groups, rows)
        return cls(texts, some_rows(rows, most, group))

    def __next__(self) -> Any:
        text = next(self._texts)
        if self._at in self._wanted:
            self.texts.append(text)
        self._at += 1
        return text


def labels_of_texts(y: Any) -> NDArray[Any]:
    """Return one label per text, as an array."""
    labels = np.asarray(labelled(y))
    if labels.ndim != 1:
        raise LabelError(f"The argument 'y' must hold one label per text; got shape {labels.shape}.")
    return labels
