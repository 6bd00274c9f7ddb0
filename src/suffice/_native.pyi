from typing import Any, overload

from numpy.typing import NDArray

from suffice.typing import Array, Integers

class Rule:
    """What a value must be: least <= x <= most, and whole if asked."""

    def __init__(self, least: float, most: float, whole: bool = False) -> None: ...

@overload
def sums(
    out: Array, data: NDArray[Any], code: Integers, share: Array, weight: Array, rule: Rule, threads: int
) -> bool: ...
@overload
def sums(
    out: Array,
    value: NDArray[Any],
    index: NDArray[Any],
    start: NDArray[Any],
    rows: int,
    transposed: bool,
    code: Integers,
    share: Array,
    weight: Array,
    rule: Rule,
    threads: int,
) -> bool: ...

real_sums = sums
poisson_sums = sums
moments = sums

def largest(
    out: Array, data: NDArray[Any], code: Integers, share: Array, weight: Array, rule: Rule, threads: int
) -> bool: ...
def category_sums(
    out: Array,
    data: NDArray[Any],
    offset: Integers,
    code: Integers,
    share: Array,
    weight: Array,
    rule: Rule,
    threads: int,
) -> bool: ...
def full_moments(
    n: Array,
    mean: Array,
    scatter: Array,
    data: Array,
    code: Integers,
    share: Array,
    weight: Array,
    rule: Rule,
    threads: int,
) -> bool: ...
def absent_moments(out: Array, class_weight: Array, threads: int) -> None: ...
def flag_sums(out: Array, *args: Any) -> bool: ...

real_flag_sums = flag_sums

# `out` is rows × classes (float64), or one number per row (int64) for the best class.
def scores(out: NDArray[Any], offset: Array, weight: Array, *args: Any) -> bool: ...

flag_scores = scores

def category_scores(
    out: NDArray[Any],
    offset: Array,
    weight: Array,
    data: NDArray[Any],
    first: Integers,
    rule: Rule,
    threads: int,
) -> bool: ...
def normal_scores(
    out: NDArray[Any],
    offset: Array,
    mean: Array,
    precision: Array,
    data: NDArray[Any],
    rule: Rule,
    threads: int,
) -> bool: ...
