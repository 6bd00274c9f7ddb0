"""Define what likelihoods return: scorers, held-out rows, posterior spread of scores, and contributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from suffice.typing import Array, Booleans

Moments = tuple[Array, Array]
"""Means and variances."""


class Scorer(Protocol):
    """Score rows. A scorer may also have `best`, `tempered` and `weighted`, as `Linear` has."""

    def scores(self, rows: Any) -> Array:
        """Return ln p(x | c), rows × classes, up to a constant per row that all classes share."""


class HeldOut(Protocol):
    """Score training rows by classes from which the row, or its group, was removed."""

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return untempered ln p(x | c), rows × classes."""

    def lengths(self) -> Array | None:
        """Return the length of each row, the sum of its effective counts; None where rows are not documents."""


class Belief(Protocol):
    """Describe the posterior distribution of scores that parameter uncertainty causes (SX-5)."""

    def moments(self, rows: Any) -> Moments:
        """Return mean and variance of each score, rows × classes."""

    def draws(self, rows: Any, rng: np.random.Generator, size: int) -> Array:
        """Return scores under parameters drawn from the posterior, size × rows × classes."""


class TopFeature(NamedTuple):
    """Describe a feature that favours a class: its place or name, its value in words, and its weight of evidence."""

    feature: Any
    value: str
    weight: float


@dataclass(frozen=True)
class Contributions:
    """What each part of one row adds to its score: name or place, value in words, and ln p(x_j | c), parts ×
    classes.

    Constants that all classes share are left out, as in scores. The parts sum to the row's score.
    """

    features: list[Any]
    values: list[str]
    logs: Array
    belief: Moments | None = None  # mean and variance of `logs`; NaN where unknown
    inner: Mapping[int, Contributions] = field(default_factory=dict)  # parts of a part, such as the words of a text
    lifts: Mapping[int, Array] = field(default_factory=dict)  # lifts of joint columns, one per class
    times: Array | None = None  # how often each part counts ln θ of one share; NaN for what is no single share
    unknown: str = ""  # what is new if nothing in the row was learned: "word of this text", "value of this row"
    powers: Array | None = None  # of each part, included in `logs`; None if all are 1

    def and_one(self, feature: Any, value: str, logs: Array) -> Contributions:
        """Return the contributions with one more part, whose belief is unknown."""
        unknown = np.full((1, len(logs)), np.nan)
        belief = self.belief and (np.vstack([self.belief[0], unknown]), np.vstack([self.belief[1], unknown]))
        together = np.vstack([self.logs, logs[None]])
        features, values = [*self.features, feature], [*self.values, value]
        times = None if self.times is None else np.append(self.times, np.nan)
        powers = None if self.powers is None else np.append(self.powers, 1.0)
        return replace(self, features=features, values=values, logs=together, belief=belief, times=times, powers=powers)

    def gathered(self, apart: Booleans, name: str, value: str) -> Contributions:
        """Return the contributions with all parts outside `apart` summed into one."""
        if apart.all():
            return self
        kept = np.flatnonzero(apart).tolist()
        tables = [np.vstack([table[apart], table[~apart].sum(axis=0)]) for table in (self.logs, *(self.belief or ()))]
        belief = (tables[1], tables[2]) if self.belief else None
        features, values = [*(self.features[i] for i in kept), name], [*(self.values[i] for i in kept), value]
        times = None if self.times is None else np.append(self.times[apart], np.nan)
        return Contributions(features, values, tables[0], belief, times=times)


def lift_in_words(lift: float) -> str:
    """Return a lift in words, with about two digits.

    >>> [lift_in_words(lift) for lift in (1.8423, 1.01, 0.0612, 12.7, 1234.0, 1e-9)]
    ['1.8 times', '1.0 times', '0.061 times', '13 times', '1,234 times', 'under 0.001 times']
    """
    if lift < 0.001:
        return "under 0.001 times"
    digits = ",.0f" if lift >= 9.95 else ".1f" if lift >= 0.995 else ".2g"
    return f"{lift:{digits}} times"


def times_in_words(x: float) -> str:
    """Return a count in words."""
    return "once" if x == 1 else f"{x:.6g} times"


Estimate = Literal["mle", "map", "mean", "predictive"]
