"""Bins chosen by evidence: against every way to cut, against scipy, and on numbers of any size."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import gammaln

from suffice.models.empirical.bins import Bins, best_cuts, candidates, chosen_bins, given_bins, log_density, widths
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.scoring.rows import Labels
from suffice.stats import ValueCounts
from suffice.tables import Table

COUNTS = st.integers(2, 8).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size), min_size=2, max_size=3)
)


def counted(counts: Any) -> ValueCounts:
    """Return values 0, 1, 2, … so many times in each class; those that no class has are left out."""
    table = np.array(counts, np.float64)
    line, place = np.nonzero(table)
    return ValueCounts.of(place.astype(float), line, table[line, place], n_classes=len(table))


def all_cuts(size: int) -> Any:
    for number in range(size):
        for inner in combinations(range(1, size), number):
            yield [0, *inner]


def evidence(counts: Any, cuts: list[int], strength: float) -> float:
    """Return HB-2, by scipy: each class's bins against those of classes that do not differ."""
    groups = counts.shape[1]
    binned = np.add.reduceat(counts, cuts, axis=1)
    total = binned.sum(axis=0)
    share = total / total.sum()
    classes = 0.0
    for n in binned:
        arranged = gammaln(n.sum() + 1) - gammaln(n + 1).sum()  # ways to order the rows
        classes += stats.dirichlet_multinomial.logpmf(n.astype(int), strength * share, int(n.sum())) - arranged
    return float(classes - total @ np.log(share) - (len(cuts) - 1) * np.log(groups))


@given(counts=COUNTS, strength=st.sampled_from([0.5, 1.0, 4.0]))
def test_the_best_of_all_cuts_is_found(counts: Any, strength: float) -> None:
    t = counted(counts)
    assume(len(t.values) > 1)
    bins = chosen_bins(t, strength)
    table = t.table
    best = max(all_cuts(len(t.values)), key=lambda cuts: evidence(table, cuts, strength))
    assert bins.log_evidence == pytest.approx(evidence(table, best, strength), abs=1e-8)
    places = bins.place(t.values)
    found = [0, *(np.flatnonzero(np.diff(places)) + 1).tolist()]
    assert evidence(table, found, strength) == pytest.approx(bins.log_evidence, abs=1e-8)
    np.testing.assert_array_equal(np.add.reduceat(table, found, axis=1), bins.counts)


@given(
    size=st.integers(1, 7),
    seed=st.integers(0, 99),
    largest=st.sampled_from([3, 100, 10_000]),
    strength=st.sampled_from([1e-3, 1.0, 300.0, 1e5]),
    whole=st.booleans(),
)
def test_best_cuts_against_brute_force(size: int, seed: int, largest: int, strength: float, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    counts, places = rng.uniform(0, largest, (3, size)), rng.uniform(0.1, 1, size)
    counts = np.floor(counts) if whole else counts
    cuts, best = best_cuts(counts, places, strength)

    def value(cuts: Any) -> float:
        n, share = (np.add.reduceat(part, cuts, axis=-1) for part in (counts, places / places.sum()))
        a = strength * share
        rising = gammaln(a + n) - gammaln(a)
        return float(rising.sum() - n.sum(axis=0) @ np.log(share) - len(cuts) * np.log(size))

    assert best == pytest.approx(max(value(each) for each in all_cuts(size)), rel=1e-9, abs=1e-6)
    assert value(cuts) == pytest.approx(best, rel=1e-9, abs=1e-6)


def histogram_density(x: Any, t: ValueCounts, cuts: list[int]) -> float:
    """Return ln of the predictive density of values, one after the other, given cuts; each spread over its bin."""
    wide = np.add.reduceat(widths(t.values), cuts)
    share, seen, total = wide / wide.sum(), np.zeros(len(cuts)), 0.0
    for n, value in enumerate(x):
        b = np.searchsorted(t.values[cuts], value, side="right") - 1
        total += np.log((seen[b] + share[b]) / (n + 1) / wide[b])
        seen[b] += 1
    return float(total - (len(cuts) - 1) * np.log(len(t.values)))


@given(
    st.lists(st.sampled_from([-3.0, 0.0, 0.25, 1.0, 2.0, 50.0]), min_size=2, max_size=30).filter(
        lambda x: len(set(x)) > 1
    )
)
def test_the_density_is_that_of_the_values_one_after_the_other(x: list[float]) -> None:
    t = ValueCounts.of(x)
    best = max(histogram_density(x, t, cuts) for cuts in all_cuts(len(t.values)))
    assert log_density(t) == pytest.approx(best, abs=1e-8)


def test_a_density_of_one_more_value_integrates_to_one() -> None:
    """Given bins, the density of histogram_density (the oracle above) is one."""
    x = np.array([0.0, 1.0, 1.0, 3.0, 10.0])
    t, cuts = ValueCounts.of(x), [0, 2]
    ends = np.concatenate([[t.values[0] - 0.5], (t.values[1:] + t.values[:-1]) / 2, [t.values[-1] + 3.5]])
    assert np.diff(ends) == pytest.approx(widths(t.values))
    before = histogram_density(x, t, cuts)
    mass, _ = integrate.quad(
        lambda v: np.exp(histogram_density([*x, max(v, 0.0) if v < 2 else max(v, 3.0)], t, cuts) - before),
        ends[0],
        ends[-1],
        points=[2.0],
    )
    assert mass == pytest.approx(1)


@given(
    totals=st.lists(st.integers(1, 50) | st.integers(1000, 5000), min_size=1, max_size=400), most=st.integers(16, 128)
)
def test_candidates_are_few_and_leave_heavy_values_alone(totals: list[int], most: int) -> None:
    n = np.array(totals, float)
    start, _ = candidates(n, most)
    assert start[0] == 0
    assert (np.diff(start) > 0).all()
    assert len(start) <= 3 * most + 2
    if len(n) <= 16 and n.max() == n.min():
        assert len(start) == len(n)
    ends = np.append(start[1:], len(n))
    for i in np.flatnonzero(n > n.sum() / most):
        assert i in start
        assert i + 1 in ends


REALS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 5e-324, -1e-310, 1e300, -1e300, 0.1]
)


@given(values=st.lists(REALS, min_size=1, max_size=60), seed=st.integers(0, 5), short=st.booleans())
def test_values_are_looked_up_in_the_bin_they_were_counted_in(values: list[float], seed: int, short: bool) -> None:
    x = np.array(values)
    if short:
        x = np.clip(x, -3e38, 3e38).astype(np.float32)
    y = np.random.default_rng(seed).integers(0, 2, len(x))
    column = Table.read({"x": x})["x"]
    model = Histogram()
    t = model.count(model.rows(column), Labels(y, None, 2))
    bins = model.bins(t)
    scorer: Any = model.scorer(t)
    places = scorer.place(model.rows(column))
    np.testing.assert_array_equal(
        bins.counts, np.array([np.bincount(places[y == c], minlength=bins.counts.shape[1]) for c in range(2)])
    )
    order = np.argsort(x, kind="stable")
    assert (np.diff(places[order]) >= 0).all()
    assert len(bins.names()) == bins.counts.shape[1]


@given(x=st.lists(st.floats(-1e9, 1e9), min_size=4, max_size=60), split=st.integers(1, 59))
def test_bins_are_a_view_of_what_was_added_up(x: list[float], split: int) -> None:
    y = np.arange(len(x)) % 2
    model, column = Histogram(), Table.read({"x": np.array(x)})["x"]
    parts, labels = (slice(0, split), slice(split, None)), Labels(y, None, 2)
    halves = [model.count(model.rows(column.part(part)), labels.take(part)) for part in parts]
    merged, whole = model.bins(halves[0] + halves[1]), model.bins(model.count(model.rows(column), labels))
    np.testing.assert_array_equal(merged.edges, whole.edges)
    np.testing.assert_array_equal(merged.counts, whole.counts)


def test_only_the_order_matters() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    x = rng.normal(size=300) + 2 * y
    ranks = np.argsort(np.argsort(x)).astype(float)
    bins = [chosen_bins(ValueCounts.of(values, y), 1.0) for values in (x, np.exp(x), ranks)]
    for other in bins[1:]:
        np.testing.assert_array_equal(bins[0].counts, other.counts)
    assert len(bins[0].edges) >= 1
    assert bins[0].log_evidence > 50


def test_noise_gets_one_bin_and_difference_more() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=2000), rng.integers(0, 2, 2000)
    assert len(chosen_bins(ValueCounts.of(x, y), 1.0).edges) == 0
    ring = np.where(y == 1, rng.choice([-1, 1], 2000) * 3 + 0.1 * x, x)  # the same mean, another shape
    assert len(chosen_bins(ValueCounts.of(ring, y), 1.0).edges) >= 2


def test_given_edges_are_kept_and_named() -> None:
    t = ValueCounts.of([-1.0, 0.0, 1.0, 1.0, 5.0], [0, 1, 0, 1, 1])
    bins = given_bins(t, np.array([0.0, 1.0]))
    np.testing.assert_array_equal(bins.counts, [[1, 0, 1], [0, 1, 2]])
    assert bins.names() == ["below 0", "0 to 1", "1 or more"]
    assert Bins(np.zeros(0), np.ones((2, 1)), 0.0).names() == ["any"]
