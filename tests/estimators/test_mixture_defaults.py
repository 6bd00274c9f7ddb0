"""Clusters by default, and where a prior is learned: they are found, distinguished, and counted."""

import warnings
from typing import Any, Literal

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import suffice as sf
from suffice.models.empirical.normals import belief_about_normals

RNG = np.random.default_rng(11)
TRUTH = np.repeat([0, 1, 2], 50)
BLOBS = RNG.normal(5 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[TRUTH], 0.6)
BLOCKS = (RNG.random((150, 12)) < np.where(np.arange(12)[None] // 4 == TRUTH[:, None], 0.9, 0.1)).astype(int)
TEXTS = [" ".join(f"w{j}" for j in np.flatnonzero(row)) or "none" for row in BLOCKS]
TABLE = {"x": BLOBS[:, 0], "y": BLOBS[:, 1], "events": RNG.poisson(1 + 4 * TRUTH), "flag": TRUTH == 1}
COLUMNS = {
    "x": sf.columns.Gaussian("evidence"),
    "y": sf.columns.Gaussian("evidence"),
    "events": sf.columns.Poisson("evidence"),
    "flag": sf.columns.Bernoulli("evidence"),
}
LEARNED = [
    (sf.GaussianDiscriminant("diagonal"), BLOBS),
    (sf.GaussianDiscriminant("full"), BLOBS),
    (sf.GaussianDiscriminant("full", prior="evidence"), BLOBS),
    (sf.GaussianDiscriminant("shared"), BLOBS),
    (sf.GaussianNB(prior="evidence", estimate="mean"), BLOBS),
    (sf.GaussianNB(prior="evidence", estimate="predictive"), BLOBS),
    (sf.BernoulliNB(alpha="evidence"), BLOCKS),
    (sf.CategoricalNB(alpha="evidence"), BLOCKS),
    (sf.MultinomialNB(alpha="evidence"), BLOCKS),
    (sf.PoissonNB(alpha="evidence"), BLOCKS),
    (sf.TextClassifier(alpha="evidence"), TEXTS),
    (sf.TextClassifier("bernoulli", alpha="evidence"), TEXTS),
    (sf.NaiveBayes(COLUMNS), TABLE),
    (sf.NaiveBayes({"text": sf.columns.Text("evidence")}), {"text": TEXTS}),
]
every_learned = pytest.mark.parametrize(
    ("inner", "X"), LEARNED, ids=lambda part: str(part) if hasattr(part, "fit") else ""
)


@pytest.mark.thorough
@every_learned
def test_a_prior_that_is_learned_does_not_unite_clusters(inner: Any, X: Any) -> None:
    model = sf.Mixture(inner, 3, random_state=0).fit(X)
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.9
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.converged_
    assert len(model.stages_) == 3
    assert model.stages_[-1] == model.n_iter_ - 1


@pytest.mark.parametrize(("covariance", "least"), [("diagonal", 0.73), ("full", 0.88)])
@pytest.mark.parametrize("seed", range(3))
def test_iris_by_default(covariance: Literal["full", "shared", "diagonal"], least: float, seed: int) -> None:
    X, y = load_iris(return_X_y=True)
    found = sf.Mixture(sf.GaussianDiscriminant(covariance), 3, random_state=seed).fit_predict(X)
    assert adjusted_rand_score(y, found) > least


@pytest.mark.parametrize("criterion", ["bic", "evidence"])
@pytest.mark.parametrize("covariance", ["diagonal", "full"])
def test_how_many_by_default(
    covariance: Literal["full", "shared", "diagonal"], criterion: Literal["bic", "evidence"]
) -> None:
    inner = sf.GaussianDiscriminant(covariance)
    model = sf.Mixture(inner, criterion, max_components=4, n_init=1, random_state=0).fit(BLOBS)
    assert model.n_components_ == 3


def test_evidence_counts_clusters_of_many_columns() -> None:
    """Four clusters far apart, with more free numbers in one covariance than rows in a cluster."""
    truth = np.repeat(np.arange(4), 30)
    X = np.random.default_rng(2).normal(np.random.default_rng(1).normal(0, 4, (4, 10))[truth], 1.0)
    model = sf.Mixture(sf.GaussianDiscriminant(), "evidence", max_components=5, n_init=2, random_state=1).fit(X)
    assert model.n_components_ == 4
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.estimator_.prior == "loo"


def test_in_the_end_the_prior_is_that_of_the_clusters() -> None:
    inner = sf.Mixture(sf.GaussianDiscriminant("diagonal"), 3, random_state=0).fit(BLOBS).estimator_
    assert inner.prior == "loo"
    assert inner.prior_ == belief_about_normals(inner._statistic)
    table = sf.Mixture(sf.NaiveBayes(COLUMNS), 3, random_state=0).fit(TABLE).estimator_
    assert table.columns_ == COLUMNS


CLIMBING = [
    (sf.GaussianNB(prior="evidence", estimate="map", var_smoothing=0), BLOBS),
    (sf.GaussianDiscriminant("diagonal", "map"), BLOBS),
    (sf.GaussianDiscriminant("full", "map"), BLOBS),
    (sf.BernoulliNB(alpha="evidence"), BLOCKS),
    (sf.MultinomialNB(alpha="evidence"), BLOCKS),
    (sf.TextClassifier(alpha="evidence"), TEXTS),
]


@pytest.mark.parametrize(("inner", "X"), CLIMBING, ids=lambda part: str(part) if hasattr(part, "fit") else "")
def test_no_step_of_a_stage_takes_the_objective_down(inner: Any, X: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = sf.Mixture(inner, 3, n_init=1, tol=0.0, max_iter=6, random_state=1).fit(X)
    objective = np.array(model.objective_)
    stages = np.split(objective, model.stages_[1:])
    assert [len(stage) > 1 for stage in stages] == [True, True, False]
    for stage in stages:
        assert (np.diff(stage) >= -1e-9 * np.abs(stage[1:])).all()


def test_units_of_columns_do_not_matter() -> None:
    X = BLOBS * [1e-6, 1e6] + [3.0, -1e6]
    one, other = (sf.Mixture(sf.GaussianDiscriminant(), 3, n_init=1, random_state=0).fit(rows) for rows in (BLOBS, X))
    assert np.array_equal(one.labels_, other.labels_)


def test_columns_may_be_collinear_or_constant() -> None:
    X = np.column_stack([BLOBS, BLOBS.sum(axis=1), np.full(150, 7.0)])
    for covariance in ("full", "diagonal"):
        model = sf.Mixture(sf.GaussianDiscriminant(covariance), 3, random_state=0).fit(X)
        assert adjusted_rand_score(TRUTH, model.labels_) > 0.9


def test_clusters_that_coincide_are_warned_of() -> None:
    X = np.repeat([[1, 0, 1, 1]], 20, axis=0)
    with pytest.warns(ConvergenceWarning, match="clusters that coincide .*fewer components"):
        sf.Mixture(sf.BernoulliNB(class_prior=[0.5, 0.5]), 2, random_state=0).fit(X)
    tight = sf.NormalInverseGamma(BLOBS.mean(axis=0), 1e6, 1e6, 1e6 * BLOBS.var(axis=0))
    with pytest.warns(ConvergenceWarning, match=r"coincide \(0 and 1"):
        sf.Mixture(sf.GaussianNB(prior=tight, estimate="mean"), 3, random_state=0).fit(BLOBS)


def test_the_start_of_highest_evidence_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two starts: one is lost in one cluster of all, the other is the truth; whichever comes first."""
    good, bad = np.eye(3)[TRUTH], np.full((150, 3), 1 / 3)
    for order in ([good, bad], [bad, good]):
        starts = iter(order)
        monkeypatch.setattr("suffice.estimators.em.search.first_shares", lambda *_, starts=starts: next(starts))
        model = sf.Mixture(sf.GaussianDiscriminant("diagonal"), 3, n_init=2, random_state=0).fit(BLOBS)
        assert adjusted_rand_score(TRUTH, model.labels_) > 0.9
