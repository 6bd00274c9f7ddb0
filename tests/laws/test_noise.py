"""Nothing is learned from labels that are noise, and nothing that is printed as held out says so."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import suffice as sf
from laws.estimators import ESTIMATORS, LABELS, EstimatorCase, one_of_each_kind
from laws.noise import MODELS, Cell, above_shares, cells
from laws.test_estimators import fitted

QUICK = [
    ("NaiveBayes", Cell("normals", 30, 10, 2)),
    ("NaiveBayes", Cell("numbers", 100, 12, 5)),
    ("NaiveBayes", Cell("normals", 100, 5, 20)),
    ("NaiveBayes", Cell("categories", 100, 5, 2)),
    ("NaiveBayes", Cell("counts", 30, 5, 5)),
    ("NaiveBayes", Cell("mixed", 100, 5, 2)),
    ("GaussianDiscriminant", Cell("normals", 100, 30, 5)),
    ("GaussianDiscriminant shared", Cell("normals", 30, 30, 2)),
    ("GaussianDiscriminant diagonal", Cell("normals", 30, 5, 2)),
    ("TextClassifier", Cell("texts", 30, 50, 5)),
    ("TextClassifier", Cell("texts", 100, 5, 2)),
    ("TextClassifier bernoulli", Cell("texts", 100, 5, 5)),
    ("TextClassifier urns", Cell("texts", 100, 5, 2)),
    ("BernoulliNB", Cell("flags", 100, 30, 2)),
    ("CategoricalNB evidence", Cell("codes", 100, 5, 5)),
    ("MultinomialNB", Cell("counts", 100, 5, 2)),
    ("GaussianNB evidence", Cell("normals", 100, 30, 2)),
    ("DirichletMultinomialNB", Cell("counts", 100, 5, 2)),
]
WITHOUT_SHARES = ("complement",)  # its scores have no class prior, so it cannot predict the shares
HALF_LABELLED = "SemiSupervised"  # half of the rows have labels, so there are half as many


def check(fits: Iterable[tuple[str, Cell]], seeds: int, held_out: bool) -> None:
    """Assert that losses on fresh rows are close to those of shares, and that held-out losses are not below them."""
    means: dict[bool, list[float]] = {True: [], False: []}
    low = total = 0
    for name, cell in fits:  # rows of the first seed are left out, too
        got = np.array([above_shares(MODELS[name][0](), cell, k, held_out and not k) for k in range(seeds)])
        fresh = float(got[:, 0].mean())
        assert fresh <= 0.1, (name, cell)
        means[cell.n < (200 if HALF_LABELLED in name else 100)].append(fresh)
        low, total = low + int(got[0, 1] < -2 * got[0, 2]), total + 1
    for few, most_in_the_mean in ((False, 0.02), (True, 0.05)):
        assert len(means[few]) < 4 or np.mean(means[few]) <= most_in_the_mean
    assert low <= 1 + 0.05 * total


def test_nothing_is_learned_from_noise() -> None:
    check(QUICK, 2, True)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in MODELS if not any(word in name for word in WITHOUT_SHARES)])
def test_nothing_is_learned_from_much_noise(name: str) -> None:
    every = [cell for kind in MODELS[name][1] for cell in cells(kind) if cell.n <= 100 and 1 < cell.d <= 50]
    check([(name, cell) for cell in every if cell.classes < 20][::4], 8, False)


def below_shares(case: EstimatorCase, seed: int, weighted: bool) -> bool:
    """Return whether the printed loss of rows with noise for labels is below that of the shares by more than noise."""
    rng = np.random.default_rng(seed)
    X, y = case.rows(rng, 80, rng.integers(0, 3, 80)), LABELS[rng.choice(3, 80, p=[0.5, 0.3, 0.2])]
    weights = rng.choice([1.0, 2.0], 80) if weighted else np.ones(80)
    groups = np.arange(80) // 2 if weighted else None
    model: Any = fitted(case, X, y, sample_weight=weights)
    place = np.searchsorted(LABELS, y)
    own = model.leave_one_out(X, y, weights, groups=groups)[np.arange(80), place]
    shares = np.bincount(place, weights, 3) / weights.sum()
    more = weights * (np.log(shares[place]) - np.log(np.maximum(own, 1e-300)))
    more = more if groups is None else np.bincount(groups, more)
    return bool(more.sum() < -2 * np.sqrt(len(more)) * more.std())


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weights and groups"])
@pytest.mark.parametrize("case", one_of_each_kind(ESTIMATORS), ids=str)
def test_what_is_printed_as_held_out_is_not_below_the_shares(case: EstimatorCase, weighted: bool) -> None:
    seeds = 3
    assert sum(below_shares(case, seed, weighted) for seed in range(seeds)) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_a_class_learned_from_one_row_is_not_buried(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 3, 150), 3)
    X = rng.normal(size=(151, 5)) + 0.7 * y[:, None]
    model = sf.NaiveBayes().fit(X, y)
    assert model.choices_
    assert model.predict_proba(X[-1:])[0, 3] > 0.05
