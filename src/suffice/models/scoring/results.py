"""What likelihoods return: scorers, rows held out, beliefs about scores, what the parts of a row say, and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from suffice.typing import Array, Booleans

__all__ = [
    "Belief",
    "Contributions",
    "Estimate",
    "HeldOut",
    "Moments",
    "Scorer",
    "Speaks",
    "lift_in_words",
    "times_in_words",
]


Moments = tuple[Array, Array]
"""Mean and variance."""


class Scorer(Protocol):
    """What is left of a statistic to score rows with. It may also have `best`, `tempered` and `weighted`, as Linear."""

    def scores(self, rows: Any) -> Array:
        """Return ln p(x | c), rows × classes, up to a constant that all classes of a row share."""


class HeldOut(Protocol):
    """What classes without a training row, or its group, say of it."""

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return ln p(x | c), rows × classes, not tempered."""

    def lengths(self) -> Array | None:
        """Return how many features each row has, as often as they count; None where rows are no documents."""


class Belief(Protocol):
    """What is believed of the scores of rows, by the posterior of the parameters (SX-5)."""

    def moments(self, rows: Any) -> Moments:
        """Return mean and variance of each score, rows × classes."""

    def draws(self, rows: Any, rng: np.random.Generator, size: int) -> Array:
        """Return scores under parameters drawn from the posterior, size × rows × classes."""


class Speaks(NamedTuple):
    """A feature that speaks for a class: its place or name, its value in words, and the evidence that it brings."""

    feature: Any
    value: str
    weight: float


@dataclass(frozen=True)
class Contributions:
    """What the parts of one row add to its score: names or places, values in words, and ln p(x_j | c), parts × classes.

    What all classes share is left out, as it is from scores. The sum over the parts is the score of the row.
    """

    features: list[Any]
    values: list[str]
    logs: Array
    belief: Moments | None = None  # of the same; NaN where it is not known
    inner: Mapping[int, Contributions] = field(default_factory=dict)  # what parts are made of, such as words of a text
    lifts: Mapping[int, Array] = field(default_factory=dict)  # of columns together: times as often, class by class
    unknown: str = ""  # what was never learned, if nothing in the row was: "word of this text", "value of this row"

    def and_one(self, feature: Any, value: str, logs: Array) -> Contributions:
        """Return the contributions with one more part, of which nothing else is known."""
        unknown = np.full((1, len(logs)), np.nan)
        belief = self.belief and (np.vstack([self.belief[0], unknown]), np.vstack([self.belief[1], unknown]))
        together = np.vstack([self.logs, logs[None]])
        features, values = [*self.features, feature], [*self.values, value]
        return replace(self, features=features, values=values, logs=together, belief=belief)

    def gathered(self, apart: Booleans, name: str, value: str) -> Contributions:
        """Return the contributions with all parts that do not stand apart united in one."""
        if apart.all():
            return self
        kept = np.flatnonzero(apart).tolist()
        tables = [np.vstack([table[apart], table[~apart].sum(axis=0)]) for table in (self.logs, *(self.belief or ()))]
        belief = (tables[1], tables[2]) if self.belief else None
        features, values = [*(self.features[i] for i in kept), name], [*(self.values[i] for i in kept), value]
        return Contributions(features, values, tables[0], belief)


def lift_in_words(lift: float) -> str:
    """Return how many times as often values come together, in about two digits.

    >>> [lift_in_words(lift) for lift in (1.8423, 1.01, 0.0612, 12.7, 1234.0, 1e-9)]
    ['1.8 times', '1.0 times', '0.061 times', '13 times', '1,234 times', 'under 0.001 times']
    """
    if lift < 0.001:
        return "under 0.001 times"
    digits = ",.0f" if lift >= 9.95 else ".1f" if lift >= 0.995 else ".2g"
    return f"{lift:{digits}} times"


def times_in_words(x: float) -> str:
    """Return how often something came."""
    return "once" if x == 1 else f"{x:.6g} times"


Estimate = Literal["mle", "map", "mean", "predictive"]
