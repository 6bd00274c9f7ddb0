"""Play the number game: guess a rule about the numbers from 1 to 100 from numbers that follow it.

Rules (CL-4) are those that people think of; intervals (CL-5) say that numbers near an example follow the rule too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isqrt
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from suffice.concepts.hypothesis_space import read_prior, read_space
from suffice.concepts.learner import ConceptLearner, Sampling
from suffice.errors import InputError, KeywordError
from suffice.typing import Array, Booleans

NUMBERS = range(1, 101)
FAVOURED, ODD_BALL = 5.0, 0.01
SCALE = 10.0
"""Scale of the Erlang density of shape 2 that weighs an interval by its size."""

MOST = 2000
"""Largest number of numbers to form intervals of: n numbers have n(n + 1)/2 intervals."""


def is_prime(n: int) -> bool:
    """Return whether a number is prime, a rule that is not one of the usual ones.

    >>> sum(is_prime(n) for n in range(20))
    8
    """
    return n > 1 and all(n % k for k in range(2, isqrt(n) + 1))


def usual_rules(numbers: Sequence[int] = NUMBERS) -> dict[str, Any]:
    """Return those of the 32 rules of the number game that hold for any of the given numbers.

    >>> rules = usual_rules(range(1, 31))
    >>> sorted(rules["powers of 3"])
    [3, 9, 27]
    >>> len(rules), len(usual_rules(range(1, 6)))
    (32, 18)
    """
    rules: dict[str, Any] = {
        "even": lambda n: n % 2 == 0,
        "odd": lambda n: n % 2 == 1,
        "squares": {n for n in numbers if n > 0 and isqrt(n) ** 2 == n},
        **{f"multiples of {k}": lambda n, k=k: n % k == 0 for k in range(3, 11)},
        **{f"ending in {k}": lambda n, k=k: n % 10 == k for k in range(1, 10)},
        **{f"powers of {k}": _powers(k, numbers) for k in range(2, 11)},
        "all": set(numbers),
        "powers of 2 and 37": _powers(2, numbers) | {37} & set(numbers),
        "powers of 2 but 32": _powers(2, numbers) - {32},
    }
    return {name: rule for name, rule in rules.items() if (any(map(rule, numbers)) if callable(rule) else rule)}


def _powers(base: int, numbers: Sequence[int]) -> set[int]:
    found, power = set(), base
    while power <= max(numbers, default=0):
        found.add(power)
        power *= base
    return found & set(numbers)


WEIGHTS = {"even": FAVOURED, "odd": FAVOURED, "powers of 2 and 37": ODD_BALL, "powers of 2 but 32": ODD_BALL}


class NumberGame(ConceptLearner):
    """A belief about which numbers are meant, from 1 to 100 or others, learned from examples of them.

    Parameters
    ----------
    prior : {"rules", "intervals"}, default="rules"
        32 rules: even and odd have five times the weight of an ordinary rule, two oddballs ("powers of 2 and 37",
        "powers of 2 but 32") a hundredth of it. Or these rules and all intervals: 5,050 for the numbers from 1 to 100.
    weight : float, default=None
        With intervals: the prior probability that the concept is a rule; 2/3 if not given.
    scale : float, default=None
        With intervals: the size at which a single interval is most probable a priori (an Erlang density of shape 2); 10
        if not given.
    rules : dict, default=None
        Your own rules by name: sets of numbers, or functions that return whether a number follows the rule. A pair of
        a rule and a number gives the rule that weight. Other rules weigh 1, or what the default rule of that name
        weighs. The default is ``suffice.concepts.usual_rules(numbers)``: the 32 rules, without those that none of the
        numbers follows.
    numbers : sequence of int, default=range(1, 101)
        Numbers that the game is about.
    sampling : {"strong", "weak"}, default="strong"
        Whether numbers are drawn from the concept, or drawn independently and found to belong to it.
    noise : float, default=0.0
        Probability that an example is wrong, below 1. Above 0, one outlier does not rule out every hypothesis.

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

    Rules and numbers of your own:

    >>> from suffice.concepts import is_prime, usual_rules
    >>> numbers = range(1, 201)
    >>> game = sf.NumberGame(rules={**usual_rules(numbers), "primes": is_prime}, numbers=numbers)
    >>> game.observe([2, 13, 101]).map_
    ['primes']
    """

    def __init__(
        self,
        prior: Literal["rules", "intervals"] = "rules",
        weight: float | None = None,
        *,
        scale: float | None = None,
        rules: Mapping[str, Any] | None = None,
        numbers: Sequence[int] = NUMBERS,
        sampling: Sampling = "strong",
        noise: float = 0.0,
    ) -> None:
        if prior not in ("rules", "intervals"):
            raise InputError("NumberGame.prior", "be 'rules' or 'intervals'", got=prior)
        given: Any = numbers
        listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
        whole = all(isinstance(n, Integral) and not isinstance(n, bool) for n in listed)
        if not listed or not whole or len(set(listed)) < len(listed):
            raise InputError("NumberGame.numbers", "list distinct whole numbers", got=numbers)
        domain = sorted(int(n) for n in listed)
        given = usual_rules(domain) if rules is None else rules
        if not isinstance(given, Mapping) or not given:
            raise InputError("NumberGame.rules", "be a dict of rules by name", got=rules)
        weighed = {name: _weighed(name, rule) for name, rule in given.items()}
        space = read_space({name: rule for name, (rule, _) in weighed.items()}, domain)
        weights = read_prior({name: weight for name, (_, weight) in weighed.items()}, space.names)  # CL-4
        if prior == "intervals":
            names, rows = _intervals(domain)
            twice = [name for name in given if name in names]
            if twice:
                raise InputError(
                    "NumberGame.rules", "not name a rule as an interval is named with prior='intervals'", got=twice[0]
                )
            matrix = np.concatenate([space.bits.columns(np.arange(len(domain))), rows])
            space = read_space(matrix, domain, [*given, *names])
            share, size = 2 / 3 if weight is None else weight, SCALE if scale is None else scale
            weights = _mixture(weights, rows, share, size)
        elif (weight, scale) != (None, None):
            name = "weight" if scale is None else "scale"
            raise KeywordError(f"The argument {name!r} of NumberGame needs prior='intervals'; got it with 'rules'.")
        self._believe(space, read_prior(weights, space.names), sampling, noise)


def _weighed(name: object, given: Any) -> tuple[Any, float]:
    """Return a rule and its weight; raise unless it is a rule, or a pair of a rule and a weight."""
    rule, weight = given if isinstance(given, tuple) and len(given) == 2 else (given, WEIGHTS.get(str(name), 1.0))
    numbers = isinstance(rule, Iterable) and not isinstance(rule, str | tuple)
    if not (callable(rule) or numbers) or not (isinstance(weight, Real) and 0 <= float(weight) < np.inf):
        raise InputError(
            "NumberGame.rules",
            "give a set of numbers or a function for each rule, or a pair of one of these and a weight from 0 on",
        ).but(f"got {given!r} for {name!r}")
    return rule, float(weight)


def _intervals(domain: list[int]) -> tuple[list[str], Booleans]:
    """Return the names of all intervals [l, u], and rows of whether each number lies in them."""
    if len(domain) > MOST:
        raise InputError("numbers", f"hold at most {MOST:,} numbers with prior='intervals'").but(f"got {len(domain):,}")
    numbers = np.array(domain)
    low, high = (numbers[end] for end in np.triu_indices(len(domain)))
    ends = zip(low.tolist(), high.tolist(), strict=True)
    names = [f"{lower} to {upper}" if lower < upper else f"only {lower}" for lower, upper in ends]
    return names, (numbers >= low[:, None]) & (numbers <= high[:, None])


def _mixture(rules: Array, intervals: Booleans, weight: float, scale: float) -> Array:
    share: Any = weight
    if not (isinstance(share, Real) and 0 <= float(share) <= 1):
        raise InputError("NumberGame.weight", "be a number from 0 to 1", got=weight)
    size: Any = scale
    if not (isinstance(size, Real) and 0 < float(size) < np.inf):
        raise InputError("NumberGame.scale", "be a number above 0", got=scale)
    sizes = intervals.sum(axis=1)
    with np.errstate(over="ignore"):
        erlang = sizes * np.exp((sizes.min() - sizes) / size)  # up to a factor that keeps one above zero
    return np.concatenate([weight * rules, (1 - weight) * erlang / erlang.sum()])  # CL-5
