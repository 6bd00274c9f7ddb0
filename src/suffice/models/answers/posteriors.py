"""Give access to the posteriors of a fitted model's parameters, one for each class and feature."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.models.answers.derived import posterior_of
from suffice.models.model import Block, Model
from suffice.models.scoring.beliefs import squeezed
from suffice.notebook import MOST, card, table
from suffice.posterior.base import Conjugate
from suffice.telling import counted

SHOWN = 6


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Give access to the posteriors of each class's parameters, computed on demand.

    ``posteriors[label, feature]`` is one posterior: a feature is a word, a column of a matrix or a column of a table,
    by name or number. ``posteriors[label]`` is the posterior of all features of a class, ``posteriors.of(feature)``
    that of a feature in every class, and ``posteriors.all`` that of all, classes × features. Columns of tables differ
    in kind, so their posteriors are available one at a time.
    """

    model: Model
    features: Sequence[Any]  # names of the features of the only block, or of columns
    by_column: bool = False  # whether each feature is a column of a table, with a block of its own

    @property
    def classes(self) -> Any:
        """Return the labels, in the order of the first axis."""
        return self.model.classes

    @property
    def all(self) -> Conjugate[Any]:
        """Return the posteriors of every class and feature as one table."""
        block = self._only("all")
        return block.settled.posterior(block.t)

    def of(self, feature: Any) -> Conjugate[Any]:
        """Return the posterior of one feature in every class, as a table with one entry per class."""
        place = self._place(feature)
        if self.by_column:
            block = self.model.blocks[self.features[place]]
            return squeezed(block.settled.posterior(block.t))
        block = self._only(feature)
        return posterior_of(block.settled, block.t, place)

    def __getitem__(self, key: Any) -> Conjugate[Any]:
        """Return the posterior of one class, or of one feature in it."""
        label, feature = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        classes = {one: code for code, one in enumerate(self.model.classes.tolist())}
        if not isinstance(label, Hashable) or label not in classes:
            known = ", ".join(map(repr, [*classes][:SHOWN]))
            raise InputError(f"Posteriors are indexed by a class, or by a class and a feature; got {key!r}.").advise(
                f"Classes: {known}."
            )
        return (self.all if feature is None else self.of(feature))[classes[label]]

    def _only(self, wanted: Any) -> Block:
        """Return the only block; raise InputError if there are several."""
        if self.by_column:
            names = ", ".join(map(repr, [*self.features][:SHOWN]))
            raise InputError(f"A table has a posterior for each column, of different kinds; got {wanted!r}.").advise(
                f"Name a column: {names}."
            )
        return next(iter(self.model.voting.values()))

    def _place(self, feature: Any) -> int:
        """Return the place of a feature, given by name or number."""
        places = {name: place for place, name in enumerate(self.features)}
        if isinstance(feature, Hashable) and not isinstance(feature, bool | float) and feature in places:
            return places[feature]
        if (
            isinstance(feature, int | np.integer)
            and type(feature) is not bool
            and -len(places) <= feature < len(places)
        ):
            return int(feature) % len(places)
        known = ", ".join(map(repr, [*places][:SHOWN]))
        raise InputError("The feature", "be one that was learned", got=feature).advise(f"The first are: {known}.")

    def __repr__(self) -> str:
        classes, features = counted(len(self.model.classes), "class", "classes"), counted(len(self.features), "feature")
        return f"<Posteriors of {classes} × {features}>"

    def _repr_html_(self) -> str:
        return card(self, self._parts)

    def _parts(self) -> Iterator[str]:
        yield table(
            ["class", "rows"], zip(map(str, self.classes), self.model.n.tolist(), strict=True), len(self.classes)
        )
        yield table(["feature"], [(str(name),) for name in self.features[:MOST]], len(self.features))
