"""The number game: a rule about the numbers from 1 to 100, guessed from numbers that follow it.

Rules (CL-4) are what a person would think of; intervals (CL-5) say that numbers near an example follow the rule too.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal

import numpy as np

from suffice.concepts.hypothesis_space import read_space
from suffice.concepts.learner import ConceptLearner, Sampling
from suffice.errors import InputError, KeywordError
from suffice.typing import Array, Booleans

__all__ = ["RULES", "NumberGame"]

NUMBERS = range(1, 101)
FAVOURED, ODD_BALL = 5.0, 0.01
SHAPE, SCALE = 2, 10.0
"""Of the Erlang density that weighs an interval by its size."""


def _powers(base: int) -> set[int]:
    return {base**k for k in range(1, 7) if base**k <= NUMBERS[-1]}


def _multiples(of: int) -> Callable[[int], bool]:
    return lambda n: n % of == 0


def _ending(digit: int) -> Callable[[int], bool]:
    return lambda n: n % 10 == digit


RULES: dict[str, Any] = {
    "even": lambda n: n % 2 == 0,
    "odd": lambda n: n % 2 == 1,
    "squares": {n * n for n in range(1, 11)},
    **{f"multiples of {k}": _multiples(k) for k in range(3, 11)},
    **{f"ending in {k}": _ending(k) for k in range(1, 10)},
    **{f"powers of {k}": _powers(k) for k in range(2, 11)},
    "all": set(NUMBERS),
    "powers of 2 and 37": _powers(2) | {37},
    "powers of 2 but 32": _powers(2) - {32},
}
WEIGHTS = {"even": FAVOURED, "odd": FAVOURED, "powers of 2 and 37": ODD_BALL, "powers of 2 but 32": ODD_BALL}


class NumberGame(ConceptLearner):
    """A belief about which numbers from 1 to 100 are meant, learned from examples of them.

    Parameters
    ----------
    prior : {"rules", "intervals"}, default="rules"
        32 rules, among them even and odd with five times the weight of the others and two odd-balls with a hundredth
        of it; or these together with all 5,050 intervals.
    weight : float, default=2/3
        With intervals: how probable it is that the concept is a rule.
    sampling : {"strong", "weak"}, default="strong"
        Whether numbers are drawn from the concept, or drawn anyhow and found to belong to it.
    noise : float, default=0.0
        How probable it is that an example is wrong.

    Examples
    --------
    >>> import suffice as sf
    >>> game = sf.NumberGame().observe([16, 8, 2, 64])
    >>> game.map_
    ['powers of 2']
    >>> game.membership([4, 32, 37, 10]).round(3)
    array([1.   , 0.98 , 0.005, 0.001])

    >>> near = sf.NumberGame(prior="intervals").observe([16, 23, 19, 20])
    >>> near.map_
    ['16 to 23']
    >>> near.membership([18, 30, 90]).round(2)
    array([1.  , 0.14, 0.  ])
    """

    def __init__(
        self,
        prior: Literal["rules", "intervals"] = "rules",
        weight: float | None = None,
        *,
        sampling: Sampling = "strong",
        noise: float = 0.0,
    ) -> None:
        if prior not in ("rules", "intervals"):
            raise InputError(f"The argument 'prior' of NumberGame must be 'rules' or 'intervals'; got {prior!r}.")
        rules = np.array([WEIGHTS.get(name, 1.0) for name in RULES])  # CL-4
        space = read_space(RULES, NUMBERS)
        weights = rules / rules.sum()
        if prior == "intervals":
            names, rows = _intervals()
            matrix = np.concatenate([space.bits.columns(np.arange(len(NUMBERS))), rows])
            space = read_space(matrix, NUMBERS, [*RULES, *names])
            weights = _mixture(weights, rows, 2 / 3 if weight is None else weight)
        elif weight is not None:
            raise KeywordError("The argument 'weight' of NumberGame belongs to prior='intervals'; got it with 'rules'.")
        self._start(space, weights, sampling, noise)


def _intervals() -> tuple[list[str], Booleans]:
    """Return all [l, u], as rows of numbers that lie in them."""
    low, high = (end + 1 for end in np.triu_indices(len(NUMBERS)))
    ends = zip(low.tolist(), high.tolist(), strict=True)
    names = [f"{lower} to {upper}" if lower < upper else f"only {lower}" for lower, upper in ends]
    numbers = np.array(NUMBERS)
    return names, (numbers >= low[:, None]) & (numbers <= high[:, None])


def _mixture(rules: Array, intervals: Booleans, weight: float) -> Array:
    from scipy import stats

    share: Any = weight
    if not (isinstance(share, Real) and 0 <= float(share) <= 1):
        raise InputError(f"The argument 'weight' of NumberGame must be a number from 0 to 1; got {weight!r}.")
    erlang = stats.gamma.pdf(intervals.sum(axis=1), SHAPE, scale=SCALE)
    return np.concatenate([weight * rules, (1 - weight) * erlang / erlang.sum()])  # CL-5
