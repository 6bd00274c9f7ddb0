"""Search: minimize smooth functions, and compare options on held-out rows, which neither counts nor weights have seen.

Each option has a loss for every held-out row. The simpler option is kept unless another one saves more than noise, by
paired differences: their sum must exceed one nat, and some standard errors. Rows of a group count as one.

`descend` is projected L-BFGS: earlier steps approximate the curvature (Nocedal & Wright, algorithm 7.4). Numbers at
their bound that would leave it stay there for the step. A step that crosses a bound ends at it. Every iteration lowers
the function, and the search ends once it is lowered by little.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from suffice.models.choices import Choice, Tried
from suffice.parallel import in_parallel
from suffice.typing import Array, Booleans, Integers

if TYPE_CHECKING:
    from suffice.models.choosing.weights import Fitted

MEMORY = 8
DECREASE = 1e-4
"""Smallest share of the decrease predicted by the gradient that a step must achieve."""

NOTHING = 1e-3
"""Smallest predicted decrease worth a step, relative to the tolerance: certain predictions cannot improve."""

NOISE, NAT = 0.25, 1.0
"""Smallest difference that counts as more than noise: in standard errors, and in nats over all rows."""

Report = Callable[[int, float], None]
"""Callback for the number of a step and the value after it."""

Pairs = deque[tuple[Array, Array, float]]
"""Steps, the changes of the gradient along them, and the inner products of both."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """Hold the minimum of a function, its value there, and the number of evaluations."""

    x: Array
    value: float
    calls: int


def descend(
    function: Callable[[Array], tuple[float, Array]],
    initial: Array,
    lower: Array,
    tolerance: float = 1e-9,
    most: int = 500,
    report: Report = lambda step, value: None,
    least: float = 0.0,
) -> Minimum:
    """Return the minimum over x ≥ lower of a function that returns its value and gradient.

    The search ends after two successive steps that each lower the value by less than `tolerance`, relative to the value
    or to `least`.
    """
    x = np.maximum(initial, lower)
    value, gradient = function(x)
    pairs: Pairs = deque(maxlen=MEMORY)
    calls, small = 1, 0
    for step in range(1, most + 1):
        direction = _direction(gradient, (x > lower) | (gradient < 0), pairs)
        if not direction.any() or -_dot(gradient, direction) < NOTHING * tolerance * least:
            break
        size = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(direction).max()))
        for _ in range(40):
            next_x = np.maximum(x + size * direction, lower)
            next_value, next_gradient = function(next_x)
            calls += 1
            if next_value <= value + DECREASE * _dot(gradient, next_x - x):
                break
            size /= 2 if np.isfinite(next_value) else 10
        else:
            break
        moved, turned = next_x - x, next_gradient - gradient
        curvature = _dot(moved, turned)
        if curvature > 1e-10 * _dot(turned, turned):
            pairs.append((moved, turned, curvature))
        enough = tolerance * max(abs(next_value) + tolerance, least)
        small = small + 1 if value - next_value <= enough else 0
        x, value, gradient = next_x, next_value, next_gradient
        report(step, value)
        if small == 2:
            break
    return Minimum(x, value, calls)


def _direction(gradient: Array, free: Booleans, pairs: Pairs) -> Array:
    """Return a descent direction; −gradient, with the memory cleared, where the memory leads uphill."""
    direction = _newton(np.where(free, gradient, 0.0), pairs)
    direction[~free] = 0.0
    if _dot(gradient, direction) >= 0:
        pairs.clear()
        direction = np.where(free, -gradient, 0.0)
    return direction


def _newton(gradient: Array, pairs: Pairs) -> Array:
    """Return −(inverse Hessian) · gradient, with the Hessian approximated from recent steps."""
    direction, room = -gradient, np.empty_like(gradient)
    shares = []
    for moved, turned, curvature in reversed(pairs):
        share = _dot(moved, direction) / curvature
        direction -= np.multiply(turned, share, out=room)
        shares.append(share)
    if pairs:
        _, turned, curvature = pairs[-1]
        direction *= curvature / _dot(turned, turned)
    for (moved, turned, curvature), share in zip(pairs, reversed(shares), strict=True):
        direction += np.multiply(moved, share - _dot(turned, direction) / curvature, out=room)
    return direction


def _dot(a: Array, b: Array) -> float:
    """Return Σ a·b, summed in the same order for any number of threads."""
    return float(np.einsum("i,i->", a, b))


def safest(loss: Callable[[float], Array], initial: float, factor: float, lower: float, upper: float) -> float:
    """Return the largest initial·factorᵏ whose loss is not above the lowest by more than noise.

    `loss` returns the losses of held-out rows. The search goes downhill from the initial number until the loss rises.
    From the lowest, it goes on to larger, smoother numbers while the losses hardly differ.
    """
    known: dict[int, Array] = {}

    def at(k: int) -> Array:
        if k not in known:
            known[k] = loss(initial * factor**k)
        return known[k]

    low = 0
    for step in (-1, 1):
        while lower <= initial * factor ** (low + step) <= upper and at(low + step).sum() < at(low).sum():
            low += step
        if low:
            break
    best = low
    while initial * factor ** (low + 1) <= upper:
        more = at(low + 1) - at(best)
        if len(more) and more.sum() > max(NAT, NOISE * np.sqrt(len(more)) * more.std()):
            break
        low += 1
    return float(initial * factor**low)


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
