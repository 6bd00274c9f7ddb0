"""Rows drawn given a statistic alone, beside all rows that have it and their probabilities under any parameter."""

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import suffice.stats
from suffice.errors import SufficeError
from suffice.stats import BinaryCounts, CategoryCounts, DiagonalMoments, Extremes, RateCounts, TokenCounts

Rows = tuple[tuple[int, ...], ...]


def all_rows(rows: int, line: Iterable[Any]) -> Iterable[Rows]:
    return product(list(line), repeat=rows)


def given_the_statistic(
    everything: Iterable[Rows], t: Callable[[Rows], Any], wanted: Any, mass: Callable[[Rows], float]
) -> dict[Rows, float]:
    """Return p(rows | statistic, θ) by enumeration: the probability of each, divided by that of all that have it."""
    found = {rows: mass(rows) for rows in everything if np.array_equal(t(rows), wanted)}
    total = sum(found.values())
    return {rows: p / total for rows, p in found.items()}


def as_rows(X: Any) -> Rows:
    return tuple(tuple(int(x) for x in row) for row in (X.toarray() if hasattr(X, "toarray") else X))


def assert_drawn_from(expected: dict[Rows, float], draw: Callable[[np.random.Generator], Any], times: int) -> None:
    rng = np.random.default_rng(0)
    seen = Counter(as_rows(draw(rng)) for _ in range(times))
    assert set(seen) == set(expected)
    counts = [seen[rows] for rows in expected]
    assert stats.chisquare(counts, [times * p for p in expected.values()]).pvalue > 0.01


@pytest.mark.parametrize("theta", [(0.5, 0.5), (0.1, 0.8)])
def test_flags_whatever_the_probabilities_are(theta: tuple[float, float]) -> None:
    def mass(rows: Rows) -> float:
        return float(np.prod(stats.bernoulli.pmf(np.array(rows), theta)))

    everything = all_rows(4, product((0, 1), repeat=2))
    expected = given_the_statistic(everything, lambda rows: np.sum(rows, axis=0), [2, 1], mass)
    assert len(expected) == 24
    np.testing.assert_allclose(list(expected.values()), 1 / 24)
    t = BinaryCounts([2, 1], [4])  # type: ignore[arg-type]
    assert_drawn_from(expected, lambda rng: t.sample_rows(rng)[0], 4_800)


@pytest.mark.parametrize("theta", [(1 / 3, 1 / 3, 1 / 3), (0.1, 0.2, 0.7)])
def test_categories_whatever_the_probabilities_are(theta: tuple[float, ...]) -> None:
    def counted(rows: Rows) -> Any:
        return [np.bincount(column, minlength=3) for column in np.transpose(rows)]

    def mass(rows: Rows) -> float:
        return float(np.prod(np.array(theta)[np.array(rows)]))

    expected = given_the_statistic(all_rows(3, product(range(3), repeat=2)), counted, [[1, 1, 1], [0, 2, 1]], mass)
    assert len(expected) == 18
    np.testing.assert_allclose(list(expected.values()), 1 / 18)
    t = CategoryCounts([1, 1, 1, 0, 2, 1], [3, 3])  # type: ignore[arg-type]
    assert_drawn_from(expected, lambda rng: t.sample_rows(rng)[0], 3_600)


@pytest.mark.parametrize("rate", [(1.0, 1.0), (0.3, 5.0)])
def test_counts_whatever_the_rates_are(rate: tuple[float, float]) -> None:
    def mass(rows: Rows) -> float:
        return float(np.prod(stats.poisson.pmf(np.array(rows), rate)))

    everything = all_rows(3, product(range(4), range(3)))
    expected = given_the_statistic(everything, lambda rows: np.sum(rows, axis=0), [3, 2], mass)
    assert len(expected) == 60
    assert max(expected.values()) == pytest.approx(6 / 27 * 2 / 9)  # 1 + 1 + 1 and 1 + 1 + 0: not uniform
    t = RateCounts([3, 2], [3])  # type: ignore[arg-type]
    assert_drawn_from(expected, lambda rng: t.sample_rows(rng)[0], 20_000)


@pytest.mark.parametrize("theta", [(1 / 3, 1 / 3, 1 / 3), (0.1, 0.2, 0.7)])
@pytest.mark.parametrize("lengths", [(1, 1, 1, 1), (3, 0, 1), (2, 2)])
def test_words_whatever_their_probabilities_are(theta: tuple[float, ...], lengths: tuple[int, ...]) -> None:
    lines = [[x for x in product(range(4), repeat=3) if sum(x) == length] for length in lengths]

    def mass(rows: Rows) -> float:
        return float(np.prod([stats.multinomial.pmf(x, n, theta) for x, n in zip(rows, lengths, strict=True)]))

    expected = given_the_statistic(product(*lines), lambda rows: np.sum(rows, axis=0), [2, 1, 1], mass)
    t = TokenCounts([2, 1, 1])  # type: ignore[arg-type]
    more: Any = {} if lengths == (1, 1, 1, 1) else {"lengths": lengths}
    assert_drawn_from(expected, lambda rng: t.sample_rows(rng, **more)[0], 3_000)


def test_numbers_lie_on_a_circle_and_on_a_sphere_all_directions_alike() -> None:
    rng = np.random.default_rng(0)
    three, four = (DiagonalMoments.of([1.0, 2.0, 6.0, 9.0][:n]) for n in (3, 4))
    away = np.array([three.sample_rows(rng)[0] for _ in range(2_000)]) - 3
    angle = np.arctan2(away @ [1, 1, -2] / np.sqrt(6), away @ [1, -1, 0] / np.sqrt(2))
    assert stats.kstest(angle, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 0.01
    height = np.array([four.sample_rows(rng)[0] for _ in range(2_000)]) @ [1, -1, 0, 0] / np.sqrt(2)
    radius = float(np.sqrt(four.scatter))  # on a sphere in three dimensions, any coordinate is uniform (Archimedes)
    assert stats.kstest(height, stats.uniform(-radius, 2 * radius).cdf).pvalue > 0.01


def test_numbers_below_the_largest_are_uniform_and_any_row_may_hold_it() -> None:
    rng, t = np.random.default_rng(0), Extremes.of([31.0, 100.0, 7.0])
    drawn = np.array([t.sample_rows(rng)[0] for _ in range(3_000)])
    assert (drawn.max(axis=1) == 100).all()
    assert stats.chisquare(np.bincount(drawn.argmax(axis=1), minlength=3)).pvalue > 0.01
    assert stats.kstest(drawn[drawn < 100], stats.uniform(0, 100).cdf).pvalue > 0.01


def test_rows_and_labels_of_any_shape() -> None:
    heads = BinaryCounts.of([1, 0, 1])
    X, labels = heads.sample_rows(0)
    assert (X.shape, labels) == ((3,), None)
    assert BinaryCounts.of(X) == heads
    by_class = BinaryCounts.of([1, 0, 1], [0, 0, 2])
    X, labels = by_class.sample_rows(0)
    assert labels is not None
    assert (X.shape, labels.tolist()) == ((3,), [0, 0, 2])
    assert BinaryCounts.of(X, labels) == by_class
    pixels = BinaryCounts.of(np.ones((5, 2, 3)))
    X, labels = pixels.sample_rows(0)
    assert (X.shape, labels) == ((5, 2, 3), None)
    assert BinaryCounts.zero().sample_rows(0)[0].shape == (0,)
    assert CategoryCounts.zero().sample_rows(0)[0].shape == (0, 0)


def test_words_of_each_class_are_dealt_to_its_rows() -> None:
    t = TokenCounts.of([[5, 0, 2], [0, 4, 0], [1, 1, 1]], [0, 1, 1])
    X, labels = t.sample_rows(3, lengths=[4, 6, 3, 1], labels=[1, 0, 1, 0])
    assert labels is not None
    assert (X.sum(axis=1).tolist(), labels.tolist()) == ([4, 6, 3, 1], [1, 0, 1, 0])
    assert TokenCounts.of(X, labels) == t


def test_the_seed_decides() -> None:
    t = BinaryCounts.of(np.eye(9))
    assert np.array_equal(t.sample_rows(1)[0], t.sample_rows(np.random.default_rng(1))[0])
    assert not np.array_equal(t.sample_rows(1)[0], t.sample_rows(2)[0])


kinds: Any = suffice.stats
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: kinds.BinaryCounts.of([[1.0]]).sample_rows("x"), "'rng' must be a numpy Generator, a seed"),
    (
        lambda: kinds.BinaryCounts([[1, 2]], [[2, 3]]).sample_rows(0),
        "'n' parameter of BinaryCounts must be the same for all",
    ),
    (lambda: kinds.BinaryCounts(0.5, 2).sample_rows(0), "'ones' parameter of BinaryCounts must hold whole numbers"),
    (lambda: kinds.CategoryCounts([1, 2, 1], [2, 1]).sample_rows(0), "must count the same number of rows .*; got 3, 1"),
    (
        lambda: kinds.TokenCounts(3).sample_rows(0),
        r"'counts' parameter of TokenCounts must have one axis.* got shape \(\)",
    ),
    (lambda: kinds.TokenCounts([3]).sample_rows(0, lengths=[2]), "'lengths' must add up to the 3 tokens; got 2"),
    (lambda: kinds.TokenCounts([[3], [1]]).sample_rows(0, lengths=[4]), "'lengths' needs 'labels', the class of each"),
    (lambda: kinds.TokenCounts([[3], [1]]).sample_rows(0, lengths=[4], labels=[0]), "3 tokens of class 0; got 4"),
    (lambda: kinds.TokenCounts([3]).sample_rows(0, lengths=[3], labels=[1]), "'labels' must hold a code from 0 to 0"),
    (lambda: kinds.TokenCounts([3]).sample_rows(0, lengths=[1.5, 1.5]), "'lengths' must hold whole numbers"),
    (lambda: kinds.TokenCounts([3]).sample_rows(0, labels=[0, 0, 0]), "'labels' needs 'lengths'"),
    (
        lambda: kinds.DiagonalMoments(1, 1, 4, 0, 0, 4).sample_rows(0),
        "'scatter' parameter of DiagonalMoments must be 0",
    ),
]


@pytest.mark.parametrize(("draw", "words"), REFUSED)
def test_what_cannot_be_drawn_says_why(draw: Callable[[], Any], words: str) -> None:
    with pytest.raises(SufficeError, match=words):
        draw()
