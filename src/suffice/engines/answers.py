"""Predict batches of rows: the class, its probability, and the probabilities of all classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from uuid import uuid4

import numpy as np

from suffice.engines.files import probabilities_of
from suffice.engines.jobs import UNCOUNTABLE
from suffice.engines.roles import Roles
from suffice.engines.row_sources import Source
from suffice.errors import DataError, InputError
from suffice.store import from_bytes


def must_be_free(names: Sequence[str], columns: Sequence[str]) -> None:
    """Raise InputError if the rows have a column by the name of a column of predictions."""
    taken = [name for name in names if name in columns]
    if taken:
        raise InputError("data", f"have no column {taken[0]!r}, the name of a column of predictions").advise(
            "Rename it."
        )


@dataclass(frozen=True)
class Held:
    """The bytes of a model file, or an object that holds them as its `value`; compared and cached by name."""

    data: Any = field(compare=False, repr=False)
    name: str = field(default_factory=lambda: uuid4().hex)

    def model(self) -> Any:
        """Return the model, which each process loads once."""
        return _loaded(self)


@lru_cache(maxsize=4)
def _loaded(held: Held) -> Any:
    return from_bytes(getattr(held.data, "value", held.data))


@dataclass(frozen=True)
class Answering:
    """A model, and the roles of the columns in rows that it classifies."""

    held: Held
    roles: Roles
    skip: bool

    def answer(self, source: Source, partition: int, start: int = 0) -> tuple[list[Any], Any, Any]:
        """Return labels, their probabilities and those of all classes; None and NaN for a skipped row."""
        model = self.held.model()
        bad: list[int] = []
        try:
            probabilities = self._probabilities(source)
        except UNCOUNTABLE as error:
            bad = list(self._unreadable(source))
            if not bad or not self.skip:
                self._fail(error, bad, partition, start)
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
        return probabilities_of(model, self.roles, source.table(list(self.roles.columns)))

    def _unreadable(self, source: Source, start: int = 0) -> Iterator[int]:
        """Yield the positions of rows that cannot be read even alone, found by bisection."""
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

    def _fail(self, error: Exception, bad: list[int], partition: int, start: int) -> None:
        row = f"row {start + bad[0]} of partition {partition}" if bad else f"partition {partition}"
        raise DataError("data", "hold rows that the model can read", cause=error).but(f"{row} cannot") from None
