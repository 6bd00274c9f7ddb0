"""Compare options on held-out rows, which neither counts nor weights have seen.

Each option has a loss for every held-out row. The simpler option is kept unless another one saves more than noise, by
paired differences: their sum must exceed one nat, and some standard errors. Rows of a group count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from suffice.models.choices import Choice, Tried
from suffice.models.choosing.descent import NAT, NOISE
from suffice.models.choosing.feature_weights import Fitted
from suffice.parallel import in_parallel
from suffice.typing import Array, Integers

__all__ = ["NAT", "Axis", "Judge", "choose_floor", "downhill"]

SEARCHED, FEW_JUDGES = 2.5, 400
"""Standard errors that the best of many options must gain with up to this many held-out rows; fewer with more."""

UNPREDICTED = 0.3
"""Weight of a pseudo-row that only the floor predicts, relative to the held-out rows."""


class OutsideRows(Protocol):
    """Describe one part of the rows that is held out, and a fit of the others to score it with."""

    @property
    def group(self) -> Integers:
        """Return the number of each held-out row's group."""

    @property
    def weights(self) -> Array:
        """Return the weight of each held-out row."""

    def fit(self, option: Any, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return the weights of an option, and −w ln p of the own class of each held-out row."""


T = TypeVar("T", bound=OutsideRows)


class Judge(Generic[T]):
    """Compare options on held-out rows, all at once or part by part, and record the losses."""

    def __init__(self, trials: Sequence[T]) -> None:
        self.trials = trials
        self.record: list[Choice] = []
        self._losses: dict[Any, Array] = {}
        self._fits: dict[Any, list[Fitted]] = {}

    @cached_property
    def group(self) -> Integers:
        """Return the number of each row's group."""
        found, count = [], 0
        for trial in self.trials:
            found.append(trial.group + count)
            count += 1 + int(trial.group.max(initial=0))
        return np.concatenate(found)

    @cached_property
    def weights(self) -> Array:
        """Return the weight of each held-out row."""
        return np.concatenate([trial.weights for trial in self.trials])

    @property
    def nat(self) -> float:
        """Return one nat per row, in units of the mean row weight."""
        return NAT * float(self.weights[self.weights > 0].mean()) if (self.weights > 0).any() else NAT

    def pays(self, before: Array, after: Array, errors: float | None = None) -> bool:
        """Return whether losses of rows or groups fall by more than noise."""
        saved, errors = self._saved(before, after), NOISE if errors is None else errors
        return len(saved) > 0 and bool(saved.sum() > max(self.nat, errors * np.sqrt(len(saved)) * saved.std()))

    def may_pay(self, before: Array) -> bool:
        """Return whether losses are large enough to fall by more than a nat."""
        return bool(before.sum() > self.nat)

    def found_to_pay(self, before: Array, after: Array) -> bool:
        """Return whether losses fall by more than noise for the best of many options, some of which gain by chance."""
        judges = max(1, len(np.unique(self.group)))
        return self.pays(before, after, max(NOISE, SEARCHED * min(1.0, FEW_JUDGES / judges)))

    def _saved(self, before: Array, after: Array) -> Array:
        return np.asarray(np.bincount(self.group, before - after)[np.unique(self.group)])

    def fits(self, option: Any) -> list[Fitted]:
        """Return the weights of an option in each trial."""
        if option not in self._fits:
            near = self.near(option, [*self._fits])
            first: Sequence[Fitted | None] = [None] * len(self.trials) if near is None else self._fits[near]
            pairs = zip(self.trials, first, strict=True)
            found = in_parallel(lambda pair: pair[0].fit(option, pair[1]), pairs)
            self._fits[option] = [fit for fit, _ in found]
            self._losses[option] = np.concatenate([each for _, each in found])
        return self._fits[option]

    @property
    def tried(self) -> list[Any]:
        """Return all options with known losses."""
        return [*self._losses]

    def near(self, option: Any, known: Sequence[Any]) -> Any:
        """Return the option whose weights are a good starting point; None if there is none."""
        return None

    def loss(self, option: Any) -> Array:
        """Return −w ln p of the own class of each held-out row."""
        if option not in self._losses:
            self.fits(option)
        return self._losses[option]

    def mean(self, losses: Array) -> float:
        """Return the mean loss, weighted by the held-out rows."""
        return float(losses.sum() / self.weights.sum())

    def note(self, name: str, chosen: str, losses: Mapping[str, Array]) -> None:
        """Record a choice: all options tried, their mean losses, and their differences from the chosen one."""
        taken, tried, total = losses[chosen], [], self.weights.sum()
        if not total > 0:  # no held-out rows
            return
        for what, each in losses.items():
            more = -self._saved(each, taken)
            error = float(np.sqrt(len(more)) * more.std() / total) if len(more) else 0.0
            tried.append(Tried(what, self.mean(each), float(-more.sum() / total), error))
        self.record.append(Choice(name, chosen, tuple(tried), len(np.unique(self.group))))

    def note_floor(self, floor: float | None, losses: Array, shares: Array) -> None:
        """Record the choice of the floor, given losses without it and the share of each row's class."""
        if floor is None:
            return
        counts = np.maximum(self.weights, 1e-300)
        floored = -self.weights * np.log((1 - floor) * np.exp(-losses / counts) + floor * shares)
        name = f"{100 * floor:.2g}% of labels"
        self.note("label noise", name, {"none": losses, name: floored})


@dataclass(frozen=True)
class Axis:
    """Describe a number to search over: the factor between candidates, its bounds, and which direction is freer."""

    name: str
    factor: float
    lower: float
    upper: float
    more_is_freer: bool = False
    whole: bool = False

    def moved(self, option: Any, way: float) -> Any:
        """Return the option with the number multiplied by `way`; None beyond the bounds."""
        value = float(f"{getattr(option, self.name) * way:.12g}")  # so that moving back gives the same number
        if not self.lower <= value <= self.upper * (1 + 1e-9):
            return None
        return replace(option, **{self.name: round(value) if self.whole else min(value, self.upper)})


def downhill(option: Any, loss: Callable[[Any], Array], axes: Sequence[Axis], nat: float = NAT) -> Any:
    """Return the option of lowest loss found by changing one number at a time, for as long as that helps.

    A freer option must save a nat over all rows; of equally good options, the simpler one is kept.
    """
    for axis in axes:
        for way in (1 / axis.factor, axis.factor):
            start, freer = option, (way > 1) == axis.more_is_freer
            while True:
                other = axis.moved(option, way)
                if other is None or (freer and not loss(option).sum() > nat):  # losses cannot fall below zero
                    break
                if loss(option).sum() - loss(other).sum() <= (nat if freer else 0.0):
                    break
                option = other
            if option != start:
                break
    return option


def choose_floor(losses: Array, weights: Array, shares: Array) -> float | None:
    """Return the share ε of possibly wrong labels in p ← (1 − ε) p + ε π; None if no row is held out.

    ε minimizes the loss of the rows plus a third of a row that only the floor predicts. So n rows that are all
    predicted well imply only that ε is not much above 1/n.
    """
    counts = weights > 0
    if not counts.any():
        return None
    chance, shares = np.exp(-losses[counts] / weights[counts]), shares[counts]
    weights = weights[counts] / weights[counts].mean()
    low, high = 1e-9, 0.5
    for _ in range(60):  # the slope increases with ε
        middle = np.sqrt(low * high)
        each = weights * (shares - chance) / ((1 - middle) * chance + middle * shares)
        slope = -float(each.sum()) - UNPREDICTED / middle
        low, high = (middle, high) if slope < 0 else (low, middle)
    return float(np.sqrt(low * high))
