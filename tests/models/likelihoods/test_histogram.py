"""Bins: against counts by hand, numpy's histograms, and counts without the rows that are held out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import gammaln

from refusals import refused
from suffice.errors import DataError, NoUniqueMode
from suffice.models.answers import derived
from suffice.models.empirical.bins import chosen_bins, log_density
from suffice.models.likelihoods.base import check
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.model import Block
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels
from suffice.stats import ValueCounts
from suffice.tables import Table

N, C = 60, 2
RNG = np.random.default_rng(4)
Y = np.arange(N) % C
NUMBERS = np.round(RNG.normal(0, 1, N) + 3 * Y, 1)
MISSING = RNG.random(N) < 0.2
VALUES = [None if lost else float(x) for x, lost in zip(NUMBERS, MISSING, strict=True)]
WEIGHTS = RNG.integers(1, 4, N) * 0.5
EDGES = (-0.05, 1.05, 2.95)


def column_of(values: Any) -> Any:
    return Table.read({"x": values})["x"]


def block_of(h: Histogram, weights: Any = None) -> Block:
    return Block.of(h, h.rows(column_of(VALUES)), Labels(Y, weights, C))


def counts_of(edges: Any, keep: Any, weights: Any = None) -> Any:
    ends = [-np.inf, *edges, np.inf]
    w = np.ones(N) if weights is None else weights
    return np.array([np.histogram(NUMBERS[keep & (c == Y)], ends, weights=w[keep & (c == Y)])[0] for c in range(C)])


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("edges", [None, EDGES])
@pytest.mark.parametrize(("estimate", "added"), [("mean", 2.0), ("predictive", 2.0), ("mle", 0.0)])
def test_numbers_are_scored_and_held_out_by_their_bins(weights: Any, edges: Any, estimate: Any, added: float) -> None:
    h = Histogram(strength=2.0, edges=edges, estimate=estimate)
    block, rows = block_of(h, weights), h.rows(column_of(VALUES))
    cut = chosen_bins(block.t, 2.0).edges if edges is None else np.array(edges)
    counts = counts_of(cut, ~MISSING, weights)
    share = counts.sum(axis=0) / counts.sum()
    theta = (counts + added * share) / (counts.sum(axis=1, keepdims=True) + added)
    place = np.searchsorted(cut, NUMBERS, side="right")
    with np.errstate(divide="ignore"):
        expected = np.where(MISSING[:, None], 0.0, np.log(theta[:, place].T))
    assert_allclose(block.scorer.scores(rows), expected, rtol=1e-9)
    for group in (None, np.arange(N) % 9):
        scores = block.held_out(rows, Removal.of(Y, weights, group)).scores()
        for i in np.flatnonzero(~MISSING):
            rest = np.arange(N) != i if group is None else group != group[i]
            left = counts_of(cut, ~MISSING & rest, weights)
            some = (left[:, place[i]] + added * share[place[i]]) / (left.sum(axis=1) + added)
            assert_allclose(np.exp(scores[i]), some, rtol=1e-9)  # bins and shares stay those of all rows
        assert_array_equal(scores[MISSING], 0.0)
    measure = np.asarray(block.settled.log_measure(block.t, rows))
    assert_allclose(measure, np.where(MISSING, 0.0, -np.log(share[place])), rtol=1e-9)


def test_bins_are_chosen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    block = block_of(Histogram())
    settled: Any = block.settled

    def refuse(*_: Any) -> Any:
        raise AssertionError("Bins are chosen again.")

    monkeypatch.setattr("suffice.models.likelihoods.histogram.chosen_bins", refuse)
    rows = settled.rows(column_of(VALUES))
    settled.scorer(block.t), settled.held_out(block.t, rows, Removal.of(Y, None)), settled.belief(block.t)
    (
        derived.parameter_table(settled, block.t, np.arange(C), 0.9),
        settled.log_evidence(block.t),
        derived.n_parameters(settled, block.t)[0],
    )
    assert settled == block.likelihood


def test_evidence_is_that_of_bins_and_of_the_density() -> None:
    for edges in (None, EDGES):
        h = Histogram(edges=edges)
        block = block_of(h)
        bins = chosen_bins(block.t, 1.0)
        counts = counts_of(bins.edges if edges is None else edges, ~MISSING)
        share, n = counts.sum(axis=0) / counts.sum(), counts.sum(axis=1)
        alpha = counts + share
        dirichlet = (gammaln(alpha) - gammaln(share)).sum(axis=1) - gammaln(n + 1)
        each = dirichlet - counts @ np.log(share)
        extra = bins.log_evidence - each.sum() if edges is None else 0.0
        expected = each + n / n.sum() * (log_density(block.t) + extra)
        assert_allclose(block.settled.log_evidence(block.t).values[:, 0], expected, rtol=1e-9)
    one = ValueCounts.of([2.0, 2.0], labels=[0, 1])
    assert_array_equal(Histogram().settled(one).log_evidence(one).values, 0.0)


def test_what_bins_answer() -> None:
    h = Histogram(edges=EDGES)
    block = block_of(h)
    s, counts = block.settled, counts_of(EDGES, ~MISSING)
    share = counts.sum(axis=0) / counts.sum()
    alpha = counts + share
    assert derived.n_parameters(s, block.t)[0] == 3
    theta = alpha / alpha.sum(axis=1, keepdims=True)
    density = sum(stats.dirichlet(share + 1).logpdf(line) for line in theta)
    assert_allclose(derived.log_prior_density(s, block.t), density, rtol=1e-9)
    table = derived.parameter_table(h, block.t, np.array(["a", "b"]), 0.9)
    assert_allclose(table["probability"], theta.T.ravel())
    assert table["value"][0] == "below -0.05"
    low, high = stats.beta(alpha, alpha.sum(axis=1, keepdims=True) - alpha).interval(0.9)
    assert_allclose([table["low"], table["high"]], [low.T.ravel(), high.T.ravel()])
    assert_allclose(derived.parameter_intervals(s, block.t, 0.9), [low, high])
    assert derived.prior_in_words(h, block.t) == "Dirichlet(1 in total) over 4 bins"
    row = h.rows(column_of([2.0]))
    assert h.reading(block.t, column_of([2.0])) == "1.05 to 2.95"
    said = s.contributions(block.t, row)
    assert (said.features, said.values) == (["x"], ["1.05 to 2.95"])
    assert_allclose(said.logs, np.log(theta[:, [2]].T))
    assert_allclose(said.belief, s.belief(block.t).moments(row))  # type: ignore[arg-type]
    brought = theta[1] * np.log(theta[1] / theta[0])
    best = derived.top_features(s, block.t, np.ones(C), 1, 1)[0]
    names = ("below -0.05", "-0.05 to 1.05", "1.05 to 2.95", "2.95 or more")
    assert best.value == names[brought.argmax()]
    assert best.weight == pytest.approx(brought.max())


def test_a_grid_serves_coarser_ones() -> None:
    block = block_of(Histogram())
    coarse = Histogram(bits=3)
    assert coarse.served(block) == block_of(coarse).t
    assert Histogram().served(block_of(coarse)) is None
    whole = Block.of(
        Categorical(), Categorical().rows(column_of([1, 2, 2, 5])), Labels(np.array([0, 0, 1, 1]), None, 2)
    )
    assert Histogram().served(whole) == whole.t
    words = Block.of(Categorical(), Categorical().rows(column_of(["a", "b"])), Labels(np.array([0, 1]), None, 2))
    assert Histogram().served(words) is None


def test_what_is_wrong_is_named() -> None:
    block = block_of(Histogram())
    with pytest.raises(NoUniqueMode, match="a histogram's prior of less than one row per bin"):
        Histogram(estimate="map").settled(block.t)
    with refused(DataError, "Histogram.edges", must="rise"):
        Histogram(edges=(2.0, 1.0))
    with refused(DataError, "Histogram.bits", must="be a whole number from 0 to 12", got="13"):
        Histogram(bits=13)
    with pytest.raises(DataError, match="Column 'x' must hold finite numbers; got inf in row 1"):
        Histogram().rows(column_of([1.0, np.inf]))
    with pytest.raises(DataError, match="Column 'x' is declared histogram but holds"):
        check(Histogram(), column_of(["a"]))
    assert repr(Histogram()) == "Histogram()"
    assert repr(Histogram(edges=(1, 2))) == "Histogram(edges=(1.0, 2.0))"
