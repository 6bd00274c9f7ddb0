"""Columns of numbers side by side say of rows what each of them says alone."""

from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.models.choosing.judge import judge
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels
from suffice.models.side_by_side import NumberColumns, counted_side_by_side, held_out_side_by_side
from suffice.posterior import NormalInverseGamma

N = 90


def fitted(columns: Any = "auto", weights: Any = None, **options: Any) -> tuple[Any, Any, Any]:
    """Return a classifier of numbers of all sizes, its rows by block, and their labels."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, N)
    y[y == 2] = 1
    y[0] = 2  # alone in its class
    x = rng.normal(size=(N, 10)) + y[:, None]
    x[:, 0] = np.exp(3 * x[:, 0])
    x[:, 1] += 1e7
    x[:, 2] *= 1e-9
    x[:, 3] = np.where(rng.random(N) < 0.6, 0.5, x[:, 3])
    model = sf.NaiveBayes(columns, joint=None, **options).fit(x, y, sample_weight=weights)
    return model, model._reader.rows(model._source(x)), Labels(np.asarray(y, np.int64), weights, 3)


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, N)])
def test_rows_left_out(weights: Any) -> None:
    model, rows, labels = fitted(weights=weights)
    blocks, removed = model._model.blocks, Removal.of(labels.y, weights)
    assert {type(block.likelihood) for block in blocks.values()} == {Gaussian, Histogram}
    found = held_out_side_by_side(blocks, rows, list(blocks), removed)
    assert set(found) == set(blocks)
    for name, block in blocks.items():
        alone = block.held_out(rows[name], removed).scores()
        np.testing.assert_allclose(found[name].scores(), alone, rtol=1e-12, atol=1e-12)


def test_priors_and_bins_that_are_given() -> None:
    own = Gaussian(NormalInverseGamma(0.0, 2.0, 3.0, 1.5))
    model, rows, labels = fitted({0: Histogram(strength=3.0), 3: Histogram(edges=(0.2, 0.7)), 4: own, 5: own})
    removed = Removal.of(labels.y, None)
    found = held_out_side_by_side(model._model.blocks, rows, [0, 3, 4, 5], removed)
    assert set(found) == {0, 3, 4, 5}
    for name, one in found.items():
        alone = model._model.blocks[name].held_out(rows[name], removed).scores()
        np.testing.assert_allclose(one.scores(), alone, rtol=1e-12, atol=1e-12)


def test_groups_and_missing_values_are_left_to_each_column() -> None:
    model, rows, labels = fitted()
    blocks = model._model.blocks
    assert held_out_side_by_side(blocks, rows, list(blocks), Removal.of(labels.y, None, np.arange(N) // 3)) == {}
    holes = model._reader.rows(model._source(np.where(np.arange(10) == 1, np.nan, np.ones((N, 10)))))
    found = held_out_side_by_side(blocks, holes, [name for name in blocks if name != 1], Removal.of(labels.y, None))
    assert 1 not in found
    whole = judge(model._predictor, rows, labels).held_out
    assert list(whole) == list(blocks)


@pytest.mark.parametrize("feature_powers", ["loo", None])
def test_scores_are_sums_of_those_of_columns(feature_powers: Any) -> None:
    model, rows, _ = fitted(feature_powers=feature_powers)
    predictor = model._predictor
    assert sum(len(group.names) for group in predictor.columns) == 10
    votes = sum(predictor.votes(rows).values())
    np.testing.assert_allclose(predictor.scores(rows), predictor.temper.power * votes, rtol=1e-11, atol=1e-10)


def test_few_rows_at_once() -> None:
    model, rows, _ = fitted()
    every = NumberColumns.among(model._model.blocks, list(rows), 10**9)
    assert [len(group.names) for group in every] == [1] * 10
    out = np.zeros((N, 3))
    for group in every:
        group.add(rows, None, out)
    votes = [block.scorer.scores(rows[name]) for name, block in model._model.blocks.items()]
    np.testing.assert_allclose(out, sum(votes), rtol=1e-11, atol=1e-10)


def test_statistics() -> None:
    model, rows, labels = fitted()
    laws = model._model.likelihoods
    found = counted_side_by_side(laws, rows, labels)
    assert found == {name: block.statistic for name, block in model._model.blocks.items()}
    some = np.arange(N) % 3 > 0
    part = {name: one.take(some) for name, one in rows.items()}
    fewer = counted_side_by_side(laws, part, labels.take(some))
    assert fewer == {name: law.count(part[name], labels.take(some)) for name, law in laws.items()}
    weighed = Labels(labels.y, np.full(N, 0.5), 3)
    assert all(isinstance(laws[name], Gaussian) for name in counted_side_by_side(laws, rows, weighed))
