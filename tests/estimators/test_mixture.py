"""Clusters: beside scikit-learn's, how many, what can go wrong, what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from suffice.errors import ImproperPrior, InputError, KindError

DRAWN = {
    f"check_sample_weight_equivalence_on_{kind}_data": "starts are drawn row by row, so a row twice is drawn otherwise"
    for kind in ("dense", "sparse")
}
SHAPED = {
    f"check_estimator_sparse_{kind}": "takes the columns of predict_proba for the classes of y"
    for kind in ("array", "matrix")
}


COINCIDE = "ignore:Mixture found clusters that coincide"


@pytest.mark.filterwarnings(COINCIDE)  # those of rows of positive numbers, all of them flags that are on
def each_check(estimator: Any, check: Any) -> None:
    check(estimator)


def refused(estimator: Any) -> dict[str, str]:
    return DRAWN if isinstance(estimator.estimator, sf.GaussianNB) else SHAPED


CHECKED = [sf.Mixture(sf.GaussianNB()), sf.Mixture(sf.BernoulliNB())]
test_estimator_checks: Any = pytest.mark.thorough(
    parametrize_with_checks(CHECKED, expected_failed_checks=refused)(each_check)
)

RNG = np.random.default_rng(3)
TRUTH = np.repeat([0, 1, 2], 60)
CENTRES = np.array([[0.0, 0.0], [6.0, 1.0], [1.0, 6.0]])
REALS = RNG.normal(CENTRES[TRUTH], [1.0, 1.5])
BELIEF = sf.NormalInverseGamma(2.0, 0.01, 2.0, 2.0)


def test_gaussians_are_those_of_scikit_learn() -> None:
    peer = GaussianMixture(
        3, covariance_type="diag", reg_covar=1e-12, tol=1e-10, max_iter=500, random_state=0, n_init=3
    )
    peer.fit(REALS)
    model = sf.Mixture(sf.GaussianNB(var_smoothing=1e-12), 3, tol=1e-10, max_iter=500, random_state=0).fit(REALS)
    assert model.score(REALS) == pytest.approx(peer.score(REALS), abs=1e-6)
    assert model.bic(REALS) == pytest.approx(peer.bic(REALS), abs=1e-3)
    np.testing.assert_allclose(np.sort(model.score_samples(REALS)), np.sort(peer.score_samples(REALS)), atol=1e-3)
    np.testing.assert_allclose(np.sort(model.weights_), np.sort(peer.weights_), atol=1e-4)
    assert adjusted_rand_score(model.labels_, peer.predict(REALS)) == 1
    assert model.objective_[-1] == pytest.approx(model.score_samples(REALS).sum())


def test_what_a_mixture_says_of_rows_is_its_formula() -> None:
    X = RNG.poisson(np.array([[1, 4], [5, 1], [2, 2]])[TRUTH])
    model = sf.Mixture(sf.PoissonNB(estimate="mean"), 2, random_state=0).fit(X)
    parts = [
        np.log(w) + stats.poisson.logpmf(X, rate).sum(axis=1)
        for w, rate in zip(model.weights_, model.estimator_.rate_, strict=True)
    ]
    expected = np.logaddexp(*parts)
    np.testing.assert_allclose(model.score_samples(X), expected)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(np.stack(parts, axis=1) - expected[:, None]))
    assert model.score(X) == pytest.approx(expected.mean())
    assert model.bic(X) == pytest.approx(-2 * expected.sum() + 5 * np.log(180))
    assert np.array_equal(model.fit_predict(X), model.labels_)


@pytest.mark.parametrize(
    ("model", "X", "parameters"),
    [
        (sf.BernoulliNB(), np.eye(4)[[0, 0, 1, 1, 2, 3]], 4),
        (sf.MultinomialNB(), np.eye(4)[[0, 0, 1, 1, 2, 3]], 3),
        (sf.CategoricalNB(), np.array([[0, 2], [1, 0], [1, 1], [0, 0]]), 3),
        (sf.GaussianNB(), REALS, 4),
        (sf.GaussianDiscriminant("full"), REALS, 5),
        (sf.GaussianDiscriminant("shared"), REALS, 5),
        (sf.TextClassifier("bernoulli"), ["ant bee", "bee cow", "ant cow"], 3),
        (sf.TextClassifier(), ["ant bee", "bee cow", "ant cow"], 2),
        (sf.NaiveBayes({0: "gaussian", 1: "poisson"}), np.abs(REALS).round(), 3),
        (sf.NaiveBayes({0: "categorical", 1: "bernoulli"}), np.array([[0, 1], [1, 0], [2, 1]]), 4),
    ],
    ids=str,
)
def test_parameters_are_counted(model: Any, X: Any, parameters: int) -> None:
    one = sf.Mixture(model, 1).fit(X)
    n = len(X)
    assert one.bic(X) == pytest.approx(parameters * np.log(n) - 2 * one.score_samples(X).sum())


def test_digits_are_found_again() -> None:
    digits = load_digits()
    model = sf.Mixture(sf.BernoulliNB(), 10, n_init=2, tol=1e-3, random_state=0).fit(digits.data > 7)
    purity = sum(np.bincount(digits.target[model.labels_ == k]).max() for k in np.unique(model.labels_)) / 1797
    assert purity > 0.65
    assert np.array_equal(model.predict(sparse.csr_matrix(digits.data > 7)), model.labels_)


def test_texts_fall_into_topics() -> None:
    rng = np.random.default_rng(0)
    topics = np.array([["goal", "match", "keeper", "team"], ["bank", "bond", "share", "rate"]])
    truth = rng.integers(0, 2, 80)
    texts = [" ".join(rng.choice([*topics[k], "the", "a"], 8)) for k in truth]
    for inner in (
        sf.TextClassifier(),
        sf.TextClassifier("bernoulli"),
        sf.TextClassifier(tokens=sf.Tokens(hash_bits=10), alpha=0.01),
    ):
        model = sf.Mixture(inner, 2, random_state=0).fit(texts)
        assert adjusted_rand_score(truth, model.labels_) > 0.9
        assert np.array_equal(model.predict(texts), model.labels_)
        assert np.array_equal(model.estimator_.predict(texts), model.labels_)


def test_tables_with_holes_have_clusters() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    size: Any = rng.normal(6 * truth, 1)
    size[::7] = np.nan
    table = {"size": size, "colour": np.array(["red", "blue"])[np.where(rng.random(200) < 0.9, truth, 1 - truth)]}
    model = sf.Mixture(sf.NaiveBayes(), 2, random_state=0).fit(table)
    assert adjusted_rand_score(truth, model.labels_) > 0.8
    assert np.isfinite(model.score_samples(table)).all()


def test_how_many() -> None:
    believed = sf.GaussianNB(prior=BELIEF, estimate="map")
    for inner in (sf.GaussianNB(), believed):
        model = sf.Mixture(
            inner, "evidence" if inner is believed else "bic", max_components=4, n_init=1, random_state=0
        ).fit(REALS)
        assert model.n_components_ == 3
        assert sorted(model.criterion_) == [1, 2, 3, 4]
        assert len(model.weights_) == 3
        assert adjusted_rand_score(TRUTH, model.labels_) > 0.95
    bic = sf.Mixture(sf.GaussianNB(), "bic", max_components=2, random_state=0).fit(REALS)
    assert bic.criterion_[2] == pytest.approx(bic.bic(REALS))
    with pytest.raises(ImproperPrior, match="proper prior"):
        sf.Mixture(sf.GaussianNB(), "evidence").fit(REALS)
    few = sf.Mixture(sf.BernoulliNB(), "bic", max_components=10, random_state=0).fit([[0, 1], [1, 0]])
    assert max(few.criterion_) == 2


WITH = [sf.GaussianNB(), sf.BernoulliNB(), sf.MultinomialNB(), sf.PoissonNB(), sf.CategoricalNB(), sf.NaiveBayes()]


@pytest.mark.filterwarnings(COINCIDE)
def test_poor_rows_have_a_result() -> None:
    each_X: Any = [
        np.ones((8, 2), int),
        np.zeros((8, 2), int),
        np.array([[1, 0]] * 6 + [[0, 1]]),
        np.array([[1, 0], [0, 1], [1, 1], [0, 0]]),
        np.array([[1, 0], [1, 10**6], [1, 3], [1, 2], [1, 2]]),
        np.array([[2, 3]]),
    ]
    for X in each_X:
        for inner in WITH:
            k = min(4, len(X))
            if isinstance(inner, sf.CategoricalNB):
                X = np.minimum(X, 9)
            model = sf.Mixture(inner, k, random_state=0).fit(X)
            assert model.weights_.sum() == pytest.approx(1)
            shares = model.predict_proba(X)
            assert np.isfinite(shares).all()
            np.testing.assert_allclose(shares.sum(axis=1), 1)
            assert not np.isnan(model.objective_).any()
            assert not np.isnan(model.score_samples(X)).any()


@pytest.mark.filterwarnings(COINCIDE)
def test_a_cluster_without_rows_dies_or_keeps_its_prior() -> None:
    X = np.repeat([[1, 0, 1], [0, 1, 0]], 20, axis=0)
    counted = sf.Mixture(sf.BernoulliNB(alpha=0.01), 4, random_state=0).fit(X)
    assert (counted.weights_ >= 0).all()
    believed = sf.Mixture(sf.BernoulliNB(class_prior=sf.Dirichlet(np.ones(4))), 4, random_state=0).fit(X)
    assert (believed.weights_ > 0).all()


def test_the_best_start_stays() -> None:
    many, one = (sf.Mixture(sf.GaussianNB(), 3, n_init=n, random_state=1).fit(REALS) for n in (6, 1))
    assert many.objective_[-1] >= one.objective_[-1]
    again = sf.Mixture(sf.GaussianNB(), 3, n_init=6, random_state=1).fit(REALS)
    assert np.array_equal(again.labels_, many.labels_)


def test_weights_of_rows() -> None:
    twice = np.concatenate([REALS, REALS[:60]])
    heavy = sf.Mixture(sf.GaussianNB(), 3, tol=1e-9, max_iter=500, random_state=0)
    heavy.fit(REALS, sample_weight=np.where(np.arange(180) < 60, 2.0, 1.0))
    again = sf.Mixture(sf.GaussianNB(), 3, tol=1e-9, max_iter=500, random_state=0).fit(twice)
    np.testing.assert_allclose(np.sort(heavy.weights_), np.sort(again.weights_), atol=1e-5)
    none = sf.Mixture(sf.GaussianNB(), 2, random_state=0).fit(REALS, sample_weight=(TRUTH > 0).astype(float))
    assert len(none.labels_) == 180
    with pytest.raises(InputError, match="weight above 0"):
        none.fit(REALS, sample_weight=np.zeros(180))


@pytest.mark.parametrize(
    ("model", "X", "error", "words"),
    [
        (sf.Mixture(sf.GaussianNB(), 5), REALS[:4], InputError, "must be at most the number of rows, 4; got 5"),
        (sf.Mixture(sf.GaussianNB(), 0), REALS, ValueError, "'n_components' parameter of Mixture"),
        (
            sf.Mixture(sf.GaussianNB()).set_params(n_components="aic"),
            REALS,
            ValueError,
            "'n_components' parameter of Mixture",
        ),
        (sf.Mixture(sf.GaussianNB(var_smoothing=0)), REALS, KindError, "shrink to zero"),
        (sf.Mixture(sf.ComplementNB()), np.abs(REALS), KindError, "no model of its rows"),
        (sf.Mixture(GaussianMixture()), REALS, KindError, "'estimator' parameter of Mixture"),
        (sf.Mixture(sf.MultinomialNB()), -np.abs(REALS), ValueError, "Negative values"),
        (sf.Mixture(sf.GaussianNB()), REALS * np.nan, ValueError, "NaN"),
    ],
)
def test_what_will_not_do(model: Any, X: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        model.fit(X)


def test_it_can_be_saved(tmp_path: Path) -> None:
    model = sf.Mixture(sf.GaussianNB(), "bic", max_components=3, random_state=0).fit(REALS)
    sf.save(model, tmp_path / "clusters.suffice")
    loaded = sf.load(tmp_path / "clusters.suffice")
    assert np.array_equal(loaded.predict(REALS), model.labels_)
    assert loaded.criterion_ == model.criterion_
    assert loaded.objective_ == model.objective_
    assert np.array_equal(loaded.weights_, model.weights_)
    assert (loaded.n_components_, loaded.n_iter_, loaded.converged_) == (3, model.n_iter_, model.converged_)
    sf.save(model.estimator_, tmp_path / "classes.suffice")
    assert np.array_equal(sf.load(tmp_path / "classes.suffice").predict(REALS), model.labels_)


def test_progress_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    sf.Mixture(sf.GaussianNB(), 2, n_init=2, verbose=True, random_state=0).fit(REALS)
    printed = capsys.readouterr().err
    assert "[Mixture] 2 components, start 1, step 0: " in printed
    assert "start 2" in printed
