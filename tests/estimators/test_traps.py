"""Faults that others have, each a test by its name."""

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.naive_bayes

import suffice as sf
from suffice.models import ImpossibleSampleWarning


def test_epsilon_per_batch() -> None:
    rng = np.random.default_rng(0)
    X, y = np.concatenate([rng.normal(0, 1e-4, (50, 2)), rng.normal(5, 100, (50, 2))]), np.tile([0, 1], 50)
    whole, parts = sf.GaussianNB(var_smoothing=0.1).fit(X, y), sf.GaussianNB(var_smoothing=0.1)
    for rows in (slice(0, 50), slice(50, 100)):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1])
    np.testing.assert_allclose(parts.var_, whole.var_, rtol=1e-12)
    assert parts.epsilon_ == pytest.approx(whole.epsilon_, rel=1e-12)


def test_epsilon_of_rows_without_weight() -> None:
    rng = np.random.default_rng(1)
    X, y, weights = rng.normal(0, 1, (40, 2)), np.tile([0, 1], 20), rng.integers(0, 4, 40)
    X[weights == 0] *= 1000  # scikit-learn takes the floor from these too, though they weigh nothing
    plain, theirs = (kind(var_smoothing=0.1).fit(X, y) for kind in (sf.GaussianNB, sklearn.naive_bayes.GaussianNB))
    assert plain.epsilon_ == pytest.approx(theirs.epsilon_, rel=1e-12)
    weighed = sf.GaussianNB(var_smoothing=0.1).fit(X, y, weights)
    repeated = sf.GaussianNB(var_smoothing=0.1).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighed.epsilon_ == pytest.approx(repeated.epsilon_, rel=1e-12)
    assert theirs.fit(X, y, weights).epsilon_ > 1000 * theirs.fit(X[weights > 0], y[weights > 0]).epsilon_
    mean = np.average(X, axis=0, weights=weights)
    assert weighed.epsilon_ == pytest.approx(0.1 * np.average((X - mean) ** 2, axis=0, weights=weights).max(), rel=1e-9)


def test_all_constant_X() -> None:
    constant = sf.GaussianNB().fit(np.ones((4, 2)), [0, 0, 1, 1])
    np.testing.assert_allclose(constant.predict_proba([[1.0, 1.0]]), [[0.5, 0.5]])
    with pytest.warns(ImpossibleSampleWarning):
        np.testing.assert_allclose(constant.predict_proba([[1.0, 7.0]]), [[0.5, 0.5]])
    for model in (sf.BernoulliNB(), sf.CategoricalNB(), sf.MultinomialNB(), sf.ComplementNB(), sf.PoissonNB()):
        assert np.isfinite(model.fit(np.ones((4, 2)), [0, 0, 1, 1]).predict_log_proba(np.ones((1, 2)))).all()


@pytest.mark.parametrize("alpha", [0.0, 1e-20])
@pytest.mark.parametrize("model", [sf.BernoulliNB, sf.CategoricalNB, sf.MultinomialNB, sf.ComplementNB, sf.PoissonNB])
def test_alpha_0_and_1e_20(model: Any, alpha: float) -> None:
    X, y = np.array([[1, 0, 2], [1, 1, 0], [0, 3, 1]]), [0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImpossibleSampleWarning)
        probabilities = (
            model(alpha=alpha, estimate="mean").fit(X, y) if model is sf.PoissonNB else model(alpha=alpha).fit(X, y)
        )
        p = probabilities.predict_proba(np.array([[1, 0, 2], [0, 1, 1], [1, 1, 0], [0, 0, 0]]))
    assert not np.isnan(p).any()
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_rare_features_keep_their_complement_at_tiny_alpha() -> None:
    """ln(1−θ) from the count of zeros, not from 1 − exp(ln θ)."""
    X = np.ones((3, 1))
    model = sf.BernoulliNB(alpha=1e-20).fit(X, [0, 0, 1])
    off = model.predict_joint_log_proba([[0]])[0]
    np.testing.assert_allclose(off, np.log([2 / 3, 1 / 3]) + np.log(1e-20 / np.array([2.0, 1.0])), rtol=1e-12)


def test_vector_alpha_when_n_features_equals_n_classes() -> None:
    X, y, alpha = np.array([[3, 0], [0, 2]]), [0, 1], np.array([1.0, 10.0])
    for model in (sf.MultinomialNB, sf.BernoulliNB):
        feature = np.exp(model(alpha=alpha).fit(X, y).feature_log_prob_)
        expected = (
            [[4 / 14, 10 / 14], [1 / 13, 12 / 13]]
            if model is sf.MultinomialNB
            else [[2 / 3, 10 / 21], [1 / 3, 11 / 21]]
        )
        np.testing.assert_allclose(feature, expected)


def test_n_categories_do_not_shrink_after_partial_fit() -> None:
    model = sf.CategoricalNB().partial_fit([[4], [0]], [0, 1], classes=[0, 1])
    model.partial_fit([[1]], [0])
    assert model.n_categories_.tolist() == [5]
    assert model.predict([[4]]) == [0]


def test_0_9_is_not_truncated_to_category_0() -> None:
    X = [[0.0], [0.9], [0.0], [0.9]]
    model = sf.CategoricalNB().fit(X, [0, 1, 0, 1])
    assert model.predict(X).tolist() == [0, 1, 0, 1]
    assert model.categories_ is not None
    assert model.categories_[0].tolist() == [0, 0.9]


def test_a_category_first_seen_at_predict_has_its_mass() -> None:
    model = sf.CategoricalNB(alpha=0.5).fit([[0], [1], [1]], [0, 0, 1])
    joint = model.predict_joint_log_proba([[7]])[0]
    np.testing.assert_allclose(joint, np.log([2 / 3, 1 / 3]) + np.log([0.5 / 3, 0.5 / 2]))


def test_names_as_categories_in_batches_of_any_order() -> None:
    X, y = np.array([["red", "s"], ["blue", "m"], ["green", "s"], ["red", "l"]]), np.array([0, 1, 1, 0])
    whole, parts = sf.CategoricalNB().fit(X, y), sf.CategoricalNB()
    for row in (3, 1, 0, 2):
        parts.partial_fit(X[[row]], y[[row]], classes=[0, 1])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X))
    with pytest.raises(TypeError, match="column 0 holds float, str"):
        sf.CategoricalNB().fit(np.array([["a"], [1]], object), [0, 1])


def test_complement_with_norm_and_one_feature() -> None:
    model = sf.ComplementNB(norm=True).fit([[1], [2], [3]], [0, 1, 1])
    assert np.isfinite(model.feature_log_prob_).all()
    assert np.isfinite(model.predict_proba([[2]])).all()


def test_2_to_the_24_float32_loss() -> None:
    X = np.full((2, 1), 2.0**24, np.float32)
    model = sf.MultinomialNB().fit(X, [0, 0]).partial_fit(np.ones((1, 1), np.float32), [0])
    assert model.feature_count_[0, 0] == 2**25 + 1


def test_classes_missing_from_a_later_batch() -> None:
    model = sf.MultinomialNB().partial_fit([[1, 0], [0, 1]], ["a", "b"], classes=["a", "b", "c"])
    model.partial_fit([[2, 0]], ["a"])
    assert model.class_count_.tolist() == [2, 1, 0]
    assert model.predict([[0, 3]]) == ["b"]


@pytest.mark.parametrize(
    "model",
    [
        sf.BernoulliNB,
        sf.MultinomialNB,
        sf.ComplementNB,
        sf.CategoricalNB,
        sf.DirichletMultinomialNB,
        sf.PoissonNB,
    ],
)
def test_a_single_row_a_single_class_a_class_never_seen(model: Any) -> None:
    assert model().fit([[1, 0]], ["only"]).predict_proba([[3, 1]]).tolist() == [[1.0]]
    unseen = model().partial_fit([[1, 0], [0, 1]], [0, 1], classes=[0, 1, 2])
    assert not np.isnan(unseen.predict_proba([[1, 0]])).any()
    estimated = "estimate" in model().get_params()
    for estimate in ("mle", "mean", "predictive") if estimated else ():
        bare = model(alpha=0, estimate=estimate, class_prior="counted").partial_fit(
            [[1, 0], [0, 1]], [0, 1], classes=[0, 1, 2]
        )
        p = bare.predict_proba([[1, 0], [0, 1]])
        assert not np.isnan(p).any()
        assert (p[:, 2] == 0).all()
        level = model(alpha=0, estimate=estimate, class_prior="uniform")
        level.partial_fit([[1, 0], [0, 1]], [0, 1], classes=[0, 1, 2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ImpossibleSampleWarning)
            assert not np.isnan(level.predict_proba([[1, 0], [0, 1], [3, 3]])).any()


def test_mean_1e8() -> None:
    rng = np.random.default_rng(1)
    X, y = 1e8 + rng.standard_normal((2000, 2)), rng.integers(0, 2, 2000)
    X[y == 1] += 2
    model = sf.GaussianNB(var_smoothing=0).fit(X, y)
    exact = np.stack([(X - 1e8)[y == c].var(axis=0) for c in (0, 1)])
    np.testing.assert_allclose(model.var_, exact, rtol=1e-10)
    assert model.score(X, y) > 0.9


def test_5000_features_and_documents_of_a_million_words() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 400, (20, 5000)), np.tile([0, 1], 10)
    for model in (
        sf.MultinomialNB(),
        sf.MultinomialNB(estimate="predictive"),
        sf.PoissonNB(),
        sf.BernoulliNB(),
        sf.DirichletMultinomialNB(),
    ):
        logs = model.fit(X, y).predict_log_proba(X)
        assert np.isfinite(logs).all()
        assert not np.isnan(model.predict_proba(X)).any()


def test_an_impossible_sample_says_so_and_gets_the_class_prior() -> None:
    model = sf.MultinomialNB(estimate="mle").fit([[1, 0, 0], [0, 1, 0], [0, 1, 0]], [0, 1, 1])
    with pytest.warns(ImpossibleSampleWarning, match="1 of 2 rows"):
        p = model.predict_proba([[0, 0, 1], [1, 0, 0]])
    np.testing.assert_allclose(p, np.array([[1 / 3, 2 / 3], [1.0, 0.0]]))
    assert np.isneginf(model.predict_joint_log_proba([[0, 0, 1]])).all()
    always = sf.BernoulliNB(estimate="mle").fit([[1, 0], [1, 1], [0, 1]], [0, 0, 1])
    assert always.predict_joint_log_proba([[0, 1]])[0, 0] == -np.inf


def test_negative_values_are_refused_at_predict_too() -> None:
    for model in (sf.MultinomialNB(), sf.ComplementNB(), sf.DirichletMultinomialNB(), sf.PoissonNB()):
        with pytest.raises(ValueError, match="Negative values"):
            model.fit([[1, 2], [3, 4]], [0, 1]).predict([[1, -1]])


def test_a_failed_call_leaves_the_model_as_it_was() -> None:
    model = sf.MultinomialNB().fit([[1, 2], [3, 4]], [0, 1])
    before = model.predict_log_proba([[1, 1]])
    for bad in ([[1, -2]], [[1, np.nan]], [[1, 2, 3]]):
        with pytest.raises(ValueError, match=r"Negative|NaN|features"):
            model.partial_fit(bad, [0])
    for bad in ([[1, -2]], [[1, np.nan]]):
        with pytest.raises(ValueError, match=r"Negative|NaN"):
            model.fit(bad, [0])
    np.testing.assert_array_equal(model.predict_log_proba([[1, 1]]), before)


def test_a_warning_points_at_the_line_that_called() -> None:
    rows, text = sf.MultinomialNB(estimate="mle"), sf.TextClassifier(estimate="mle")
    rows.fit([[1, 0, 0], [0, 1, 0]], [0, 1])
    text.fit(["tea milk", "rum ale"], [0, 1])
    for ask in (lambda: rows.predict([[1, 1, 0]]), lambda: text.predict_proba(["tea rum"])):
        with pytest.warns(sf.models.ImpossibleSampleWarning) as caught:
            ask()
        assert caught[0].filename == __file__
