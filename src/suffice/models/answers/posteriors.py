"""What is believed of the parameters of a fitted model: one belief for each class and feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.models.model import Block, Model
from suffice.models.scoring.beliefs import squeezed
from suffice.posterior.base import Conjugate

__all__ = ["Posteriors"]

SHOWN = 6


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Beliefs about the parameters of each class, found when they are asked for.

    ``posteriors[label, feature]`` is one belief: a feature is a word, a column of a matrix or a column of a table, by
    its name or number. ``posteriors[label]`` is the belief about all features of a class, ``posteriors.of(feature)``
    that about a feature in every class, and ``posteriors.all`` both, classes × features; columns of tables differ in
    kind, so of these there is one at a time.
    """

    model: Model
    features: Sequence[Any]  # names of the features of the only block, or of columns

    @property
    def classes(self) -> Any:
        """The labels, in the order of the first axis."""
        return self.model.classes

    @property
    def all(self) -> Conjugate[Any]:
        """What is believed of every class and feature, as one table of beliefs."""
        block = self._only("all")
        return block.settled.posterior(block.t)

    def of(self, feature: Any) -> Conjugate[Any]:
        """Return what is believed of one feature in every class: a table of one belief for each."""
        if self._is_table and feature in self.model.voting:
            block = self.model.voting[feature]
            return squeezed(block.settled.posterior(block.t))
        block = self._only(feature)
        return block.settled.feature_posterior(block.t, self._place(feature))

    def __getitem__(self, key: Any) -> Conjugate[Any]:
        """Return the belief about one class, or about one feature of it."""
        if isinstance(key, tuple) and len(key) == 2 and self._code(key[0]) is not None:
            return self.of(key[1])[self._code(key[0])]
        code = self._code(key)
        if code is None:
            known = ", ".join(map(repr, self.model.classes.tolist()[:SHOWN]))
            raise InputError(f"A posterior is that of a class, and of a feature of it; got {key!r}. Classes: {known}.")
        return self.all[code]

    def _code(self, label: Any) -> int | None:
        found = [code for code, one in enumerate(self.model.classes.tolist()) if one == label]
        return found[0] if found else None

    def _only(self, wanted: Any) -> Block:
        """Return the only block; raise where there are several, or it has no such feature."""
        if self._is_table:
            names = ", ".join(map(repr, [*self.features][:SHOWN]))
            raise InputError(f"A table has a posterior for each column, of its kind; got {wanted!r}. Columns: {names}.")
        return next(iter(self.model.voting.values()))

    @property
    def _is_table(self) -> bool:
        """Whether each column is a block of its own."""
        return set(self.features) <= set(self.model.blocks) and len(self.features) > 0

    def _place(self, feature: Any) -> int:
        places = {name: place for place, name in enumerate(self.features)}
        if feature in places:
            return places[feature]
        if isinstance(feature, int | np.integer) and -len(places) <= feature < len(places):
            return int(feature) % len(places)
        known = ", ".join(map(repr, [*places][:SHOWN]))
        raise InputError(f"A feature must be one that was learned; got {feature!r}. The first are: {known}.")

    def __repr__(self) -> str:
        return f"<Posteriors of {len(self.model.classes)} classes × {len(self.features):,} features>"
