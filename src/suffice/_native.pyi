from enum import Enum
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from suffice.typing import Array, Integers, Words32

class Rule:
    """What a value must be: least <= x <= most, and a whole number if `whole`."""

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

def rising_scores(out: Array, offset: Array, shape: Array, logs: Array, *args: Any) -> bool: ...
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
def distances(
    out: Array,
    middle: Array,
    axes: Array,
    turned: Array,
    data: NDArray[Any],
    rule: Rule,
    threads: int,
) -> bool: ...
def column_loss(
    votes: Array | NDArray[np.float32],
    prior: Array,
    code: Integers,
    weight: Array,
    features: Array,
    terms: Array,
    gradient: Array,
    gradient_of_terms: Array,
    bend: Array,
    each: Array,
    share: Array,
    threads: int,
) -> float: ...
def row_loss(
    votes: Array | NDArray[np.float32],
    which: Integers,
    prior: Array,
    code: Integers,
    weight: Array,
    features: Array,
    terms: Array,
    gradient: Array,
    gradient_of_terms: Array,
    bend: Array,
    each: Array,
    share: Array,
    threads: int,
) -> float: ...
def joint_gains(
    out: Array,
    codes: NDArray[np.int32],
    sizes: Integers,
    label: Integers,
    given: Array,
    order: Integers,
    start: Integers,
    sets: Integers,
    weight: Array,
    share: Array,
    kappa: float,
    ridge: float,
    power: float,
    threads: int,
) -> None: ...
def joint_tables(
    out: Array,
    codes: NDArray[np.int32],
    sizes: Integers,
    label: Integers,
    weight: Array,
    sets: Integers,
    classes: int,
    threads: int,
) -> None: ...
def joint_lifts(
    out: NDArray[np.float32],
    out_other: NDArray[np.float32],
    codes: NDArray[np.int32],
    others: NDArray[np.int32],
    sizes: Integers,
    label: Integers,
    given: Array,
    order: Integers,
    start: Integers,
    sets: Integers,
    tables: Array,
    kappa: Array,
    power: float,
    threads: int,
) -> None: ...
def add_joint_lines(
    out: Array, codes: NDArray[np.int32], sizes: Integers, sets: Integers, lines: Array, threads: int
) -> None: ...

class Residuals:
    """Rows that residuals of values are fitted on."""

    def __init__(
        self,
        scores: Array,
        offset: Array,
        values: NDArray[np.int32],
        first: Integers,
        code: Integers,
        weight: Array,
    ) -> None: ...
    def loss(
        self, scale: float, terms: Array, delta: Array, ridge: float, gradient: Array, each: Array, threads: int
    ) -> float: ...

def ascend(
    start: Integers,
    word: NDArray[np.int32],
    value: NDArray[np.float32],
    base: Array,
    code: Integers,
    weight: Array,
    ridge: float,
    delta: NDArray[np.float32],
    q: NDArray[np.float32],
    enough: float,
    most: int,
) -> int: ...

class Texts:
    """Documents somewhere in memory."""

    bad: int
    size: int
    @staticmethod
    def of_list(documents: list[Any], patterns: list[bytes]) -> Texts: ...
    @staticmethod
    def of_arrow(data: NDArray[Any], offset: NDArray[Any], patterns: list[bytes], threads: int) -> Texts: ...
    def part(self, begin: int, end: int) -> Texts: ...
    def hashes(self) -> NDArray[np.uint64]: ...
    def __len__(self) -> int: ...

class Analysis:
    """How documents become tokens."""

    def __init__(self, table: Words32, unit: str, shortest: int, longest: int, stop_words: Texts) -> None: ...

class TextCounter:
    """Counts of words by class."""

    def __init__(self, classes: int, hash_bits: int, bursts: bool) -> None: ...
    def grow(self, classes: int) -> None: ...
    def add(
        self, texts: Texts, starts: Integers, analysis: Analysis, code: Integers, weight: Array, threads: int
    ) -> None: ...
    def result(self, threads: int) -> dict[str, NDArray[Any]]: ...

def add_counts(
    parts: list[tuple[NDArray[Any], ...]], classes: int, width: int, threads: int
) -> tuple[Integers, NDArray[np.int32], Array, Array]: ...

class Lexicon:
    """Words known from a fit."""

    def __init__(self, bytes: NDArray[Any], offset: Integers, hash_bits: int) -> None: ...

class Times(Enum):
    """What a word that occurs x times counts for: x, one, or 1 + ln x."""

    as_often = 0
    once = 1
    damped = 2

class TextWeights:
    """Weights of words, sparse in the classes."""

    def __init__(
        self,
        start: Integers,
        klass: NDArray[Any],
        value: Array,
        base: Array,
        mass: Array,
        slope: Array,
        scale: Array,
        offset: Array,
        times: Times,
        lexicon: Lexicon,
    ) -> None: ...

class EvidenceRows:
    """Rows to be predicted by classes that have not seen them, as counted."""

    def __init__(
        self,
        start: Integers,
        word: NDArray[np.int32],
        count: Array,
        code: Integers,
        line: Integers,
        klass: NDArray[np.int32],
        met: Array,
        total: Array,
        held: Integers,
        held_class: NDArray[np.int32],
        held_at: Integers,
        held_amount: Array,
        held_total: Array,
        held_prior: Array,
        threads: int,
    ) -> None: ...
    @property
    def learned(self) -> bool: ...

class Evidence:
    """Rows to be predicted by classes that have not seen them, by one pseudo-count."""

    def __init__(self, rows: EvidenceRows, alpha: Array, sum_of_alpha: float, threads: int) -> None: ...
    def scores(self, weights: Array, which: Integers, out: Array, threads: int) -> None: ...
    def loss(
        self,
        weights: Array,
        prior: Array,
        of_rows: Array,
        power: Array,
        gradient: Array,
        terms: Array,
        hessian_diagonal: Array,
        each: Array,
        threads: int,
    ) -> float: ...

def merge_words(
    a: NDArray[Any], a_offset: Integers, b: NDArray[Any], b_offset: Integers
) -> tuple[NDArray[Any], Integers, Integers, Integers]: ...
def words_in_order(bytes: NDArray[Any], offset: Integers) -> bool: ...
def look_up(
    texts: Texts, starts: Integers, analysis: Analysis, lexicon: Lexicon, threads: int
) -> tuple[Array, Integers, Integers]: ...
def learn(
    texts: Texts, starts: Integers, analysis: Analysis, threads: int
) -> tuple[tuple[Array, Integers, Integers], NDArray[Any], Integers]: ...
def text_scores(
    out: NDArray[Any],
    prior: Array,
    power: float,
    length: float,
    texts: Texts,
    starts: Integers,
    analysis: Analysis,
    lexicon: Lexicon,
    weights: TextWeights,
    threads: int,
) -> None: ...
def best_cuts(
    counts: Array,
    size: Array,
    start: Integers,
    strength: float,
    begins: NDArray[np.uint8],
    evidence: Array,
    threads: int,
) -> None: ...
def value_counts(
    columns: Array,
    code: Integers,
    classes: int,
    values: Array,
    line: Integers,
    place: Integers,
    count: Array,
    found: Integers,
    threads: int,
) -> None: ...
