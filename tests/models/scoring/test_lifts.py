"""Lifts of learned rows, each left out with its group, and what sets would gain: by counting again for every row."""

from typing import Any

import numpy as np
import pytest

from suffice.errors import SubtractionError
from suffice.models.scoring.lifts import LearnedCodes, left_of
from suffice.models.scoring.removal import Removal
from suffice.parallel import threads

SIZES, KAPPA, RIDGE, POWER = (3, 2, 4, 3), 0.7, 0.4, 0.9
SETS = [(0, 1), (2, 3), (0, 1, 2), (1, 3), (0, 2, 3)]


def some_codes(n: int, seed: int, missing: bool) -> Any:
    """Return codes, columns × rows, the last column like the first where it is not missing."""
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, size, n) for size in SIZES], np.int32)
    codes[3] = np.where(rng.random(n) < 0.7, codes[0], codes[3])
    if missing:
        codes[rng.random(codes.shape) < 0.1] = -1
    return codes


def learned(weighed: bool, grouped: bool, missing: bool, n: int = 60) -> tuple[LearnedCodes, Any]:
    rng = np.random.default_rng(5)
    labels, given = rng.integers(0, 3, n), rng.uniform(0.2, 3, n) if weighed else np.ones(n)
    labels[0] = 3  # alone in its class
    group = rng.integers(0, 9, n) if grouped else None
    sizes = np.array(SIZES, np.int64)
    return LearnedCodes.of(some_codes(n, 1, missing), sizes, labels, given, group), group


def by_hand(rows: LearnedCodes, columns: tuple[int, ...], value: Any, kept: Any) -> list[float]:
    """Return the lift of a joint value in each class, by the rows that are kept."""
    if (value[list(columns)] < 0).any():
        return [0.0] * 4
    whole = kept & (rows.codes[list(columns)] >= 0).all(axis=0)

    def n(c: int, *which: int) -> float:
        same = [rows.codes[j] == value[j] for j in which]
        return float(rows.given[np.logical_and.reduce([whole, rows.labels == c, *same])].sum())

    found = []
    for c in range(4):
        single = [n(c, j) for j in columns]
        if len(columns) == 2:
            expected: Any = single[0] * single[1] / n(c) if n(c) else 0.0
        else:
            a, b, d = columns
            pairs = [n(c, a, b), n(c, a, d), n(c, b, d)]
            expected = min(np.prod(pairs) * n(c) / np.prod(single) if min(single) else 0.0, *pairs)
        found.append(float(np.log((n(c, *columns) + KAPPA) / (expected + KAPPA))))
    return found


def all_by_hand(rows: LearnedCodes, group: Any) -> Any:
    """Return lifts of learned rows without each or its group, sets × rows × classes."""
    numbers = np.arange(len(rows.labels))
    kept = [numbers != i if group is None else group != group[i] for i in numbers]
    return np.array([[by_hand(rows, one, rows.codes[:, i], kept[i]) for i in numbers] for one in SETS])


def lifts(rows: LearnedCodes, sets: Any, others: Any, kappa: Any = KAPPA, tables: Any = None) -> tuple[Any, Any]:
    """Return lifts of learned rows, each left out, and of others, which the kernel writes in single precision."""
    mine, theirs = (np.full((len(sets), 3, part.shape[1]), np.nan, np.float32) for part in (rows.codes, others))
    rows.lifts(sets, others, kappa, POWER, mine, theirs, tables)
    return mine, theirs


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_lifts_and_gains_are_those_of_rows_counted_again(weighed: bool, grouped: bool, missing: bool) -> None:
    rows, group = learned(weighed, grouped, missing)
    want, others = POWER * all_by_hand(rows, group), some_codes(25, 2, missing)
    mine, theirs = lifts(rows, SETS, others)
    np.testing.assert_allclose(mine, (want[..., 1:] - want[..., :1]).transpose(0, 2, 1), atol=1e-6)
    every = np.ones(60, bool)
    new = POWER * np.array([[by_hand(rows, one, value, every) for value in others.T] for one in SETS])
    np.testing.assert_allclose(theirs, (new[..., 1:] - new[..., :1]).transpose(0, 2, 1), atol=1e-6)

    rng = np.random.default_rng(7)
    share, weights = rng.dirichlet(np.ones(4), 60), rng.uniform(0, 2, 60)
    mean = (share * want).sum(axis=2)
    slope = (weights * (want[:, np.arange(60), rows.labels] - mean)).sum(axis=1)
    bend = (weights * ((share * want**2).sum(axis=2) - mean**2)).sum(axis=1)
    gains = np.where(slope > 0, slope**2 / (2 * (bend + RIDGE)), 0.0)
    assert (gains > 0).any()
    np.testing.assert_allclose(rows.gains(SETS, weights, share.T.copy(), KAPPA, RIDGE, POWER), gains, atol=1e-9)


@pytest.mark.parametrize("grouped", [False, True])
def test_rows_are_left_out_of_counts_of_more_rows(grouped: bool) -> None:
    rows, group = learned(True, grouped, True)
    first = np.arange(60) < 40 if group is None else group < 5
    part = None if group is None else np.unique(group[first], return_inverse=True)[1]
    some = LearnedCodes.of(rows.codes[:, first].copy(), rows.sizes, rows.labels[first], rows.given[first], part)
    tables = []
    for columns in SETS:
        table = np.zeros((*(SIZES[j] for j in columns), 4))
        there = (rows.codes[list(columns)] >= 0).all(axis=0)
        np.add.at(table, (*rows.codes[list(columns)][:, there], rows.labels[there]), rows.given[there])
        tables.append(table.ravel())
    nobody, kappa = np.zeros((4, 0), np.int32), np.linspace(0.1, 3.0, len(SETS))
    mine, _ = lifts(some, SETS, nobody, kappa, np.concatenate(tables))
    every, _ = lifts(rows, SETS, nobody, kappa)
    np.testing.assert_allclose(mine, every[..., first], atol=1e-6)


@pytest.mark.parametrize("grouped", [False, True])
def test_threads_do_not_change_a_bit_of_lifts(grouped: bool) -> None:
    rows, _ = learned(True, grouped, True, n=1500)
    share, others = np.random.default_rng(3).dirichlet(np.ones(4), 1500), some_codes(40, 4, True)
    found = []
    for n in (1, 2, 5):
        with threads(n):
            both = lifts(rows, SETS, others)
            gains = rows.gains(SETS, np.ones(1500), share.T.copy(), KAPPA, RIDGE, POWER)
            found.append(b"".join(part.tobytes() for part in (*both, gains)))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("weight", [1.0, 0.3])
@pytest.mark.parametrize("sizes", [(3, 2), (2, 3, 2)])
def test_rows_that_are_alike_are_left_out_as_each_of_them(weight: float, sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    codes, labels = np.stack([rng.integers(-1, size, 90) for size in sizes], axis=1), rng.integers(0, 3, 90)
    labels[0] = 3  # alone in its class
    there = np.asarray((codes >= 0).all(axis=1))
    table = np.zeros((4, *sizes))
    np.add.at(table, (labels[there], *codes[there].T), weight)
    table[1] *= 2  # rows that are not among these
    removed = Removal.of(labels, np.full(90, weight)).among(there)
    found = left_of(table, codes, removed)
    for i in range(90):  # one row alone is never looked up among those that are alike
        one = Removal.of(labels[i : i + 1], removed.members.data[i : i + 1])
        alone = left_of(table, codes[i : i + 1], one)
        assert [found[0][i], found[1][i]] == [alone[0][0], alone[1][0]]


def test_rows_that_were_never_learned_are_not_left_out() -> None:
    with pytest.raises(SubtractionError):
        left_of(np.ones((1, 2, 2)), np.array([[0, 0]] * 4), Removal.of(np.zeros(4, np.int64), np.full(4, 2.0)))


def test_no_sets_and_no_rows_have_no_lifts() -> None:
    rows, _ = learned(False, False, False)
    nothing = np.zeros((4, 0), np.int32)
    assert rows.gains([], np.ones(60), np.ones((4, 60)), 1.0, 1.0, 1.0).shape == (0,)
    mine, theirs = lifts(rows, [(0, 1)], nothing)
    assert mine.shape == (1, 3, 60)
    assert theirs.shape == (1, 3, 0)


@pytest.mark.parametrize("sets", [[(0, 4)], [(0, 1, 4)], [(-1, 1)]])
def test_columns_that_are_none_are_refused(sets: Any) -> None:
    rows, _ = learned(False, False, False)
    with pytest.raises(ValueError, match="do not fit together"):
        rows.gains(sets, np.ones(60), np.ones((4, 60)), 1.0, 1.0, 1.0)
