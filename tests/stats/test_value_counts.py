"""How often each value was seen, by class: against a plain count of pairs, in both of its ways to count."""

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import DataError, ShapeError, SubtractionError
from suffice.stats import ValueCounts, grid, value_counts
from suffice.stats.grid import counted_on_grid, on_grid

NUMBERS = st.lists(st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 5e-324, 1.0, 2.0]), min_size=1, max_size=30)
WORDS = st.lists(st.sampled_from(["", "a", "b", "é", "zz"]), min_size=1, max_size=30)


def pairs(t: ValueCounts) -> dict[Any, float]:
    return {(int(c), t.values[p]): float(n) for c, p, n in zip(t.line, t.place, t.count, strict=True)}


@given(x=NUMBERS, seed=st.integers(0, 9))
def test_numbers_are_counted(x: list[float], seed: int) -> None:
    y = np.random.default_rng(seed).integers(0, 3, len(x))
    t = ValueCounts.of(x, y, n_classes=3)
    assert pairs(t) == Counter(zip(y.tolist(), [v + 0.0 for v in x], strict=True))
    assert t.values.tolist() == sorted(set(x))
    np.testing.assert_array_equal(t.n, np.bincount(y, minlength=3))
    np.testing.assert_array_equal(t.totals, t.table.sum(axis=0))


@given(x=NUMBERS, bits=st.integers(0, 12), seed=st.integers(0, 9))
def test_numbers_are_counted_on_a_grid(x: list[float], bits: int, seed: int) -> None:
    y = np.random.default_rng(seed).integers(0, 3, len(x))
    expected = Counter(zip(on_grid(np.array(x), bits).tolist(), y.tolist(), strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "SPARSE", 2**26)
        found = counted_on_grid(np.array(x), bits, y, 3)
    assert found is not None
    values, line, count = found
    total: Counter[Any] = Counter()
    for value, c, n in zip(values.tolist(), line.tolist(), count.tolist(), strict=True):
        assert value != 0 or not np.signbit(value)
        total[value, c] += n
    assert total == expected


def words(x: list[str], y: Any, weights: Any = None) -> ValueCounts:
    names = sorted(set(x), reverse=True)
    return ValueCounts.of_codes([names.index(v) for v in x], np.array(names, object), y, weights, n_classes=3)


@given(x=WORDS, seed=st.integers(0, 9), weighted=st.booleans())
def test_words_are_counted_in_both_ways(x: list[str], seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y, w = rng.integers(0, 3, len(x)), rng.integers(0, 4, len(x))
    expected: Counter[Any] = Counter()
    for pair, weight in zip(zip(y.tolist(), x, strict=True), w.tolist() if weighted else [1] * len(x), strict=True):
        expected[pair] += weight
    small = words(x, y, w if weighted else None)
    assert pairs(small) == {pair: n for pair, n in expected.items() if n}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_counts, "LARGEST_TABLE", 0)
        assert words(x, y, w if weighted else None) == small


@given(x=WORDS, cut=st.integers(0, 30), seed=st.integers(0, 9))
def test_parts_add_up_and_go_away_again(x: list[str], cut: int, seed: int) -> None:
    y = np.random.default_rng(seed).integers(0, 3, len(x))
    a, b, whole = words(x[:cut], y[:cut]), words(x[cut:], y[cut:]), words(x, y)
    assert a + b == whole == b + a
    assert whole - b == a
    assert whole + ValueCounts.zero() == whole
    assert pickle.loads(pickle.dumps(whole)) == whole
    assert hash(a + b) == hash(whole)


def test_a_row_without_a_value_does_not_count() -> None:
    t = ValueCounts.of_codes([0, -1, 1, -1], ["a", "b", "unused"], [0, 0, 1, 1], n_classes=2)
    assert t.values.tolist() == ["a", "b"]
    np.testing.assert_array_equal(t.n, [1, 1])


def test_more_classes() -> None:
    t = ValueCounts.of([3.0, 1.0, 3.0], [0, 1, 1], n_classes=2)
    wide = t.with_classes(np.array([2, 0]), 4)
    np.testing.assert_array_equal(wide.table, [[1, 1], [0, 0], [0, 1], [0, 0]])
    assert wide == ValueCounts.of([3.0, 1.0, 3.0], [2, 0, 0], n_classes=4)


def test_what_cannot_be() -> None:
    a = ValueCounts.of([1.0, 2.0], [0, 1])
    with pytest.raises(DataError, match="two ValueCounts must both count words or both count numbers"):
        a + ValueCounts.of_codes([0], ["a"], [0], n_classes=2)
    with pytest.raises(ValueError, match=r"more rows with the value 3\.0 would be removed than were added"):
        a - ValueCounts.of([3.0], [0], n_classes=2)
    with pytest.raises(ShapeError, match="shape"):
        a + words(["a"], [0])  # two classes and three
    with pytest.raises(ShapeError, match="must hold one value per row"):
        ValueCounts.of([[1.0, 2.0]], [0])
    with pytest.raises(DataError, match="nan"):
        ValueCounts.of([np.nan], [0])
    with pytest.raises(DataError, match="sorted, distinct"):
        ValueCounts([2.0, 1.0], np.array([0, 0]), np.array([0, 1]), np.ones(2), np.asarray(1))


def test_arrays_of_a_file_are_checked() -> None:
    good = dict(ValueCounts.of(np.array([1.0, 2.0, 2.0]), [0, 1, 1]).arrays())
    assert ValueCounts.from_arrays(good).classes == 2
    for name, value, error, words in (
        ("classes", np.array([2]), ShapeError, "one whole number"),
        ("classes", np.array(-1), ShapeError, "one whole number"),
        ("values", np.array([1.0, 2.0, 3.0]), ShapeError, "those that 'place' refers to"),
        ("values", np.array([[1.0, 2.0]]), ShapeError, "those that 'place' refers to"),
        ("values", np.array([2.0, 1.0]), DataError, "must be sorted"),
        ("values", np.array([1.0, np.nan]), DataError, "distinct and not NaN"),
    ):
        with pytest.raises(error, match=words):
            ValueCounts.from_arrays({**good, name: value})


def test_nothing_can_be_taken_from_nothing() -> None:
    none, some = ValueCounts.zero(), ValueCounts.of(np.array([1.0, 2.0]), [0, 1])
    assert some - none == some
    with pytest.raises(SubtractionError, match="no rows to remove"):
        none - some
