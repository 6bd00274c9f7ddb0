"""What a model says of rows: the class, its probability, and those of all classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from uuid import uuid4

import numpy as np

from suffice.engines.parts import UNCOUNTABLE
from suffice.engines.shapes import Shape
from suffice.engines.sources import Source
from suffice.errors import DataError
from suffice.store import from_bytes

__all__ = ["Asked", "Held", "classifier_of"]


@dataclass(frozen=True)
class Held:
    """A model file's bytes, or what holds these as its `value`; known by a name, since there may be many of them."""

    data: Any = field(compare=False, repr=False)
    name: str = field(default_factory=lambda: uuid4().hex)

    def model(self) -> Any:
        """Made once in each process."""
        return _loaded(self)


@lru_cache(maxsize=4)
def _loaded(held: Held) -> Any:
    return from_bytes(getattr(held.data, "value", held.data))


def classifier_of(model: Any) -> Any:
    """The classifier itself, of what has fitted one by EM."""
    return getattr(model, "estimator_", model)


class Asked:
    """A model, and what to do with rows."""

    def __init__(self, held: Held, shape: Shape, skip: bool) -> None:
        self.held, self.shape, self.skip = held, shape, skip

    def answer(self, source: Source, partition: int, start: int = 0) -> tuple[list[Any], Any, Any]:
        """Labels, their probabilities, and those of all classes; of a row that is skipped None and NaN."""
        model = self.held.model()
        bad: list[int] = []
        try:
            probabilities = self._probabilities(source)
        except UNCOUNTABLE as error:
            bad = list(self._unreadable(source))
            if not bad or not self.skip:
                self._tell(error, bad, partition, start)
            probabilities = np.full((len(source), len(model.classes_)), np.nan)
            good = np.delete(np.arange(len(source)), bad)
            if len(good):
                probabilities[good] = self._probabilities(source.take(good))
        codes = np.nan_to_num(probabilities).argmax(axis=1)
        labels = model.classes_[codes].tolist()
        for row in bad:
            labels[row] = None
        return labels, probabilities[np.arange(len(codes)), codes], probabilities

    def _probabilities(self, source: Source) -> Any:
        model = self.held.model()
        if not len(source):
            return np.empty((0, len(model.classes_)))
        rows = self.shape.rows(source.table(list(self.shape.features)))
        nameless = self.shape.kind == "matrix" and not hasattr(model, "feature_names_in_")
        return model.predict_proba(np.asarray(rows) if nameless else rows)

    def _unreadable(self, source: Source, start: int = 0) -> Iterator[int]:
        """Places of rows that cannot be read even alone, found by halving."""
        try:
            self._probabilities(source)
            return
        except UNCOUNTABLE:
            if len(source) == 1:
                yield start
                return
        half = len(source) // 2
        yield from self._unreadable(source.part(0, half), start)
        yield from self._unreadable(source.part(half, len(source)), start + half)

    def _tell(self, error: Exception, bad: list[int], partition: int, start: int) -> None:
        row = f"row {start + bad[0]} of partition {partition}" if bad else f"partition {partition}"
        raise DataError(f"The argument 'data' must hold rows that the model can read; {row} cannot: {error}") from None
