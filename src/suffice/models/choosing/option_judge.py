"""The judge: rows that neither counts nor weights have seen, and what they say of all that is put to them.

Whatever is chosen by rows is an option, and each option has a loss for each row that judges. What is simpler is taken
unless something else saves more than noise, by the differences of the same rows: their sum must be above a nat, and
above some standard errors of it. Rows that belong together judge as one.
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
"""Standard errors that the best of many must gain where so many rows judge, or fewer; with more rows, fewer errors."""

UNPREDICTED = 0.3
"""What a row weighs that nothing but the floor predicts, beside those that judge it."""


class OutsideRows(Protocol):
    """One part of the rows, taken out of the counts, and a fit of the others to judge."""

    @property
    def group(self) -> Integers:
        """A number for each row that judges; the same for rows that belong together."""

    @property
    def weights(self) -> Array:
        """What each row that judges counts for."""

    def fit(self, option: Any, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return the weights of an option, and −w ln p of the own class of each row that judges."""


T = TypeVar("T", bound=OutsideRows)


class Judge(Generic[T]):
    """Rows outside the counts, all at once or part by part, and the losses of what was tried on them."""

    def __init__(self, trials: Sequence[T]) -> None:
        self.trials = trials
        self.record: list[Choice] = []
        self._losses: dict[Any, Array] = {}
        self._fits: dict[Any, list[Fitted]] = {}

    @cached_property
    def group(self) -> Integers:
        """A number for each row's group."""
        found, count = [], 0
        for trial in self.trials:
            found.append(trial.group + count)
            count += 1 + int(trial.group.max(initial=0))
        return np.concatenate(found)

    @cached_property
    def weights(self) -> Array:
        """What each row that judges counts for."""
        return np.concatenate([trial.weights for trial in self.trials])

    @property
    def nat(self) -> float:
        """A nat of one row, whatever rows weigh."""
        return NAT * float(self.weights[self.weights > 0].mean()) if (self.weights > 0).any() else NAT

    def pays(self, before: Array, after: Array, errors: float | None = None) -> bool:
        """Return whether losses of rows, or of groups of them, are lower by more than noise."""
        saved, errors = self._saved(before, after), NOISE if errors is None else errors
        return len(saved) > 0 and bool(saved.sum() > max(self.nat, errors * np.sqrt(len(saved)) * saved.std()))

    def may_pay(self, before: Array) -> bool:
        """Return whether losses are large enough to be lowered by more than a nat, as whatever pays must."""
        return bool(before.sum() > self.nat)

    def found_to_pay(self, before: Array, after: Array) -> bool:
        """Return the same of the best of many: by luck one of them pays a little."""
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
        """All options whose losses are known."""
        return [*self._losses]

    def near(self, option: Any, known: Sequence[Any]) -> Any:
        """Return the option whose weights are a place to start from; None if none is."""
        return None

    def loss(self, option: Any) -> Array:
        """Return −w ln p of the own class of each row that judges."""
        if option not in self._losses:
            self.fits(option)
        return self._losses[option]

    def mean(self, losses: Array) -> float:
        """Return the mean of losses, by the weights of the rows that judge."""
        return float(losses.sum() / self.weights.sum())

    def note(self, name: str, chosen: str, losses: Mapping[str, Array]) -> None:
        """Write down a choice: all that was tried, with the loss of a row, and how it differs from what was chosen."""
        taken, tried, total = losses[chosen], [], self.weights.sum()
        if not total > 0:  # nobody judged
            return
        for what, each in losses.items():
            more = -self._saved(each, taken)
            error = float(np.sqrt(len(more)) * more.std() / total) if len(more) else 0.0
            tried.append(Tried(what, self.mean(each), float(-more.sum() / total), error))
        self.record.append(Choice(name, chosen, tuple(tried), len(np.unique(self.group))))

    def note_floor(self, floor: float | None, losses: Array, shares: Array) -> None:
        """Write down the floor beside none, by losses without it, and how frequent the class of each row is."""
        if floor is None:
            return
        counts = np.maximum(self.weights, 1e-300)
        floored = -self.weights * np.log((1 - floor) * np.exp(-losses / counts) + floor * shares)
        name = f"{floor:.2g}"
        self.note("floor", name, {"none": losses, name: floored})


@dataclass(frozen=True)
class Axis:
    """A number of an option that is looked for: the factor to the next, its bounds, and which way is freer."""

    name: str
    factor: float
    lower: float
    upper: float
    more_is_freer: bool = False
    whole: bool = False

    def moved(self, option: Any, way: float) -> Any:
        """Return the option with the number multiplied; None beyond the bounds."""
        value = float(f"{getattr(option, self.name) * way:.12g}")  # so that there and back is the same number
        if not self.lower <= value <= self.upper * (1 + 1e-9):
            return None
        return replace(option, **{self.name: round(value) if self.whole else min(value, self.upper)})


def downhill(option: Any, loss: Callable[[Any], Array], axes: Sequence[Axis], nat: float = NAT) -> Any:
    """Return the option of least loss that is found by changing one number after the other, as long as that helps.

    What is less held, or more, must save a nat of all rows: of what is as good, the simpler is taken.
    """
    for axis in axes:
        for way in (1 / axis.factor, axis.factor):
            start, freer = option, (way > 1) == axis.more_is_freer
            while True:
                other = axis.moved(option, way)
                if other is None or (freer and not loss(option).sum() > nat):  # no loss is below zero
                    break
                if loss(option).sum() - loss(other).sum() <= (nat if freer else 0.0):
                    break
                option = other
            if option != start:
                break
    return option


def choose_floor(losses: Array, weights: Array, shares: Array) -> float | None:
    """Return the share ε of labels that may be wrong: p ← (1 − ε) p + ε π; None if no row judges.

    It is the one by which rows are predicted best, and beside them a third of one that nothing but the floor predicts:
    so many rows, all predicted well, say only that ε is not much above one in so many.
    """
    counts = weights > 0
    if not counts.any():
        return None
    chance, shares = np.exp(-losses[counts] / weights[counts]), shares[counts]
    weights = weights[counts] / weights[counts].mean()
    low, high = 1e-9, 0.5
    for _ in range(60):  # the slope rises with ε
        middle = np.sqrt(low * high)
        each = weights * (shares - chance) / ((1 - middle) * chance + middle * shares)
        slope = -float(each.sum()) - UNPREDICTED / middle
        low, high = (middle, high) if slope < 0 else (low, middle)
    return float(np.sqrt(low * high))
