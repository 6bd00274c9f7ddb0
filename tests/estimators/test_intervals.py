"""Intervals hold what they promise: parameters from the prior, rows from the model, and the true probability."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import digamma, expit, logsumexp, ndtri, polygamma

import suffice as sf
from estimators.plain import TextClassifier
from laws.estimators import ESTIMATORS, EstimatorCase, every_kind_of_rows
from laws.test_estimators import fitted
from suffice.errors import ImproperPrior, InputError, KindError
from suffice.estimators.texts.options import TextModel
from suffice.models.answers.intervals import independent_bounds

Rng = np.random.Generator
World = tuple[Any, Any, Any]  # an unfitted model, how rows are drawn given codes, and ln p(x | c) of rows
NIG = sf.NormalInverseGamma(0.0, 0.5, 3.0, 3.0)


def bernoulli(rng: Rng, classes: int) -> World:
    theta = rng.beta(1.5, 1.5, (classes, 5))

    def scores(X: Any) -> Any:
        return X @ np.log(theta).T + (1 - X) @ np.log1p(-theta).T

    return sf.BernoulliNB(alpha=1.5), lambda codes: (rng.random((len(codes), 5)) < theta[codes]).astype(int), scores


def categorical(rng: Rng, classes: int) -> World:
    theta = rng.dirichlet(np.full(3, 1.2), (classes, 4))

    def draw(codes: Any) -> Any:
        return (rng.random((len(codes), 4, 1)) > theta[codes].cumsum(axis=2)[..., :-1]).sum(axis=2)

    def scores(X: Any) -> Any:
        return sum(np.log(theta[:, j, X[:, j]]).T for j in range(4))

    return sf.CategoricalNB(alpha=1.2, min_categories=3), draw, scores


def multinomial(rng: Rng, classes: int) -> World:
    theta = rng.dirichlet(np.full(12, 1.0), classes)

    def draw(codes: Any) -> Any:
        return np.stack([rng.multinomial(6, theta[c]) for c in codes])

    return sf.MultinomialNB(alpha=1.0), draw, lambda X: X @ np.log(theta).T


def poisson(rng: Rng, classes: int) -> World:
    rates = rng.gamma(2.0, 1.0, (classes, 4))
    prior = sf.Gamma(2.0, 1.0)
    return (
        sf.PoissonNB(alpha=prior),
        lambda codes: rng.poisson(rates[codes]),
        lambda X: X @ np.log(rates).T - rates.sum(1),
    )


def normals(rng: Rng, classes: int, width: int) -> tuple[Any, Any]:
    variance = 3.0 / rng.standard_gamma(3.0, (classes, width))
    return rng.normal(0.0, np.sqrt(variance / 0.5)), variance


def log_normal(X: Any, mean: Any, variance: Any) -> Any:
    away = (X[:, None] - mean) ** 2 / variance
    return -0.5 * (np.log(variance) + away).sum(axis=2)


def gaussian(rng: Rng, classes: int) -> World:
    mean, variance = normals(rng, classes, 3)
    model = sf.GaussianNB(estimate="predictive", prior=NIG)
    return (
        model,
        lambda codes: rng.normal(mean[codes], np.sqrt(variance[codes])),
        lambda X: log_normal(X, mean, variance),
    )


def mixed(rng: Rng, classes: int) -> World:
    theta, share = rng.beta(1.0, 1.0, classes), rng.dirichlet(np.ones(3), classes)
    mean, variance = normals(rng, classes, 1)

    def draw(codes: Any) -> Any:
        colour = (rng.random((len(codes), 1)) > share[codes].cumsum(axis=1)[:, :-1]).sum(axis=1)
        size = rng.normal(mean[codes, 0], np.sqrt(variance[codes, 0]))
        size[rng.random(len(codes)) < 0.2] = np.nan
        return {
            "flag": rng.random(len(codes)) < theta[codes],
            "colour": np.array(["r", "g", "b"])[colour],
            "size": size,
        }

    def scores(X: Any) -> Any:
        place = np.array([{"r": 0, "g": 1, "b": 2}[value] for value in X["colour"]])
        flag = np.where(X["flag"][:, None], np.log(theta), np.log1p(-theta))
        size = np.nan_to_num(log_normal(X["size"][:, None], mean, variance))
        return flag + np.log(share[:, place]).T + size

    columns = {
        "flag": sf.columns.Bernoulli(),
        "colour": sf.columns.Categorical(other=0),
        "size": sf.columns.Gaussian(prior=NIG),
    }
    return sf.NaiveBayes(columns=columns, temper=None, feature_powers=None), draw, scores


def text(rng: Rng, classes: int) -> World:
    _, draw, scores = multinomial(rng, classes)
    words = np.array([f"word{chr(97 + j)}" for j in range(12)])

    def texts(codes: Any) -> list[str]:
        return [" ".join(np.repeat(words, row)) for row in draw(codes)]

    def counts(X: Any) -> Any:
        return np.array([[row.split().count(word) for word in words] for row in X])

    return TextClassifier(alpha=1.0, temper=None), texts, lambda X: scores(counts(X))


WORLDS: list[Callable[[Rng, int], World]] = [bernoulli, categorical, multinomial, poisson, gaussian, mixed, text]


def coverage(world: Any, method: str, times: int) -> float:
    """Return how often intervals of 90 % hold the probability that the true parameters give."""
    rng, held, classes = np.random.default_rng(0), [], 3
    for _ in range(times):
        prior = rng.dirichlet(np.ones(classes))
        model, draw, scores = world(rng, classes)
        codes = rng.choice(classes, 60, p=prior)
        model.partial_fit(draw(codes), codes, classes=np.arange(classes))
        X = draw(rng.choice(classes, 8, p=prior))
        joint = scores(X) + np.log(prior)
        truth = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
        low, high = model.predict_interval(X, 0.9, method, 200, rng)
        held.append(((low <= truth) & (truth <= high)).mean())
    return float(np.mean(held))


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "times"), [("delta", 400), ("sample", 150)])
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_nine_of_ten_hold_the_true_probability(world: Any, method: str, times: int) -> None:
    assert 0.87 <= coverage(world, method, times) <= 0.93


@pytest.mark.parametrize(("world", "method"), [(bernoulli, "delta"), (categorical, "sample")])
def test_about_nine_of_ten_hold_the_true_probability(world: Any, method: str) -> None:
    assert 0.85 <= coverage(world, method, 60) <= 0.95


@every_kind_of_rows
def test_both_methods_agree(case: EstimatorCase) -> None:
    X, y = case.data(1, 300)
    model = fitted(case, X, y)
    if any(word in case.name.lower() for word in ("complement", "urns", "dirichletmultinomial")):
        with pytest.raises(KindError, match="no intervals"):
            model.predict_interval(X)
        return
    low, high = model.predict_interval(X)
    assert low.shape == high.shape == (300, 3)
    assert (low >= 0).all()
    assert (low <= high).all()
    assert (high <= 1).all()
    drawn = model.predict_interval(X, method="sample", n_samples=300, random_state=0)
    if "evidence" not in case.name:  # where α is small, what was hardly seen is far from normal
        assert np.mean(np.abs(low - drawn[0])) < 0.03
        assert np.mean(np.abs(high - drawn[1])) < 0.03
    again = model.predict_interval(X, method="sample", n_samples=300, random_state=0)
    np.testing.assert_array_equal(drawn, again)
    narrow = model.predict_interval(X, 0.5)
    assert (narrow[0] >= low).all()
    assert (narrow[1] <= high).all()


@pytest.mark.thorough
def test_moments_are_those_of_the_draws() -> None:
    for case in ESTIMATORS:
        if case.name in ("BernoulliNB", "MultinomialNB", "PoissonNB", "GaussianNB t", "NaiveBayes", "CategoricalNB"):
            X, y = case.data(2, 400)
            model = fitted(case, X, y)
            rows = next(model._reader.parts(model._source(X)))
            for name, block in model._model.voting.items():
                belief, part = block.settled.belief(block.t, None), rows[name].part(slice(0, 5))
                mean, variance = belief.moments(part)
                drawn = belief.draws(part, np.random.default_rng(0), 4000)
                np.testing.assert_allclose(
                    drawn.mean(axis=0), mean, atol=5 * np.sqrt(variance.max() / 4000), err_msg=f"{case} {name}"
                )
                np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.25, err_msg=f"{case} {name}")


def test_texts_are_as_sure_as_their_matrix() -> None:
    X, y = next(case for case in ESTIMATORS if case.name == "TextClassifier").data(3, 60)
    matrix = sf.CountVectorizer().fit_transform(X)
    pairs = [
        (TextClassifier(temper=None), sf.MultinomialNB()),
        (TextClassifier("bernoulli", temper=None), sf.BernoulliNB()),
    ]
    for text, plain in pairs:
        mine, theirs = text.fit(X, y).predict_interval(X[:9]), plain.fit(matrix, y).predict_interval(matrix[:9])
        np.testing.assert_allclose(mine, theirs, atol=1e-12)
        dense = plain.predict_interval(matrix[:9].toarray())
        np.testing.assert_allclose(dense, theirs, atol=1e-12)


def test_a_class_prior_that_is_given_is_certain() -> None:
    X, y = next(case for case in ESTIMATORS if case.name == "BernoulliNB").data(3, 60)
    learned, given, uniform, belief = (
        sf.BernoulliNB(**options).fit(X, y).predict_interval(X)
        for options in ({}, {"class_prior": [1, 0, 0]}, {"fit_prior": False}, {"class_prior": sf.Dirichlet([1, 1, 1])})
    )
    np.testing.assert_array_equal(learned, belief)
    np.testing.assert_array_equal(given[0], np.eye(3)[[0] * 60])
    np.testing.assert_array_equal(given[1], np.eye(3)[[0] * 60])
    assert ((learned[1] - learned[0]) > 0).all()
    assert not np.array_equal(uniform, learned)
    alone = sf.BernoulliNB().fit(X, [1] * 60).predict_interval(X)
    np.testing.assert_array_equal(alone, 1.0)
    sample = sf.BernoulliNB(class_prior=[1, 0, 0]).fit(X, y).predict_interval(X, method="sample", n_samples=50)
    np.testing.assert_array_equal(sample[0], np.eye(3)[[0] * 60])


def test_what_is_refused() -> None:
    X, y = next(case for case in ESTIMATORS if case.name == "BernoulliNB").data(3, 60)
    model = sf.BernoulliNB().fit(X, y)
    with pytest.raises(InputError, match="level"):
        model.predict_interval(X, 1.5)
    with pytest.raises(InputError, match="method"):
        model.predict_interval(X, method="exact")
    with pytest.raises(InputError, match="n_samples"):
        model.predict_interval(X, n_samples=1)
    never = np.column_stack([X, np.zeros(60, int)])
    for plain in (sf.BernoulliNB(alpha=0), sf.MultinomialNB(alpha=0)):
        with pytest.raises(ImproperPrior, match="alpha=0"):
            plain.fit(never, y).predict_interval(np.ones((1, 5)))
        with pytest.raises(ImproperPrior, match="alpha=0"):
            plain.feature_interval()


def test_intervals_of_parameters() -> None:
    cases = {case.name: case for case in ESTIMATORS}
    X, y = cases["BernoulliNB"].data(3, 60)
    low, high = sf.BernoulliNB().fit(X, y).feature_interval(0.8)
    a, n = X[y == "a"].sum(axis=0), (y == "a").sum()
    expected = sf.Beta(1 + a, 1 + n - a).interval(0.8)
    np.testing.assert_allclose([low[0], high[0]], expected)
    X, y = cases["CategoricalNB"].data(3, 60)
    tables = sf.CategoricalNB().fit(X, y).feature_interval()
    assert [table.shape for table in tables[0]] == [(3, 5)] * 3
    X, y = cases["MultinomialNB"].data(3, 60)
    low, high = sf.MultinomialNB().fit(X, y).feature_interval()
    theta = np.exp(sf.MultinomialNB().fit(X, y).feature_log_prob_)
    assert ((low < theta) & (theta < high)).all()
    rates = sf.PoissonNB().fit(X, y)
    low, high = rates.feature_interval()
    assert ((low < rates.rate_) & (rates.rate_ < high)).all()
    X, y = cases["GaussianNB"].data(3, 60)
    for model in (sf.GaussianNB(), sf.GaussianNB(prior="evidence", estimate="mean")):
        low, high = model.fit(X, y).feature_interval()
        assert ((low < model.theta_) & (model.theta_ < high)).all()
    with pytest.raises(KindError, match="no intervals"):
        sf.ComplementNB().fit(np.abs(X), y).feature_interval()


def test_columns_without_any_variance_have_bounds() -> None:
    model = sf.GaussianNB().fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
    low, high = model.predict_interval([[1.0, 1.0], [2.0, 1.0]])
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()


def test_bounds_of_many_classes_are_those_of_each_against_the_others() -> None:
    rng = np.random.default_rng(0)
    mean, variance = rng.normal(0, 5, (50, 7)), np.exp(rng.normal(0, 3, (50, 7)))
    low, high = independent_bounds(mean, variance, 0.9)
    for c in range(7):
        others, rest = np.delete(mean, c, axis=1), logsumexp(np.delete(mean, c, axis=1), axis=1)
        share = np.exp(others - rest[:, None])
        reach = ndtri(0.95) * np.sqrt(variance[:, c] + (share**2 * np.delete(variance, c, axis=1)).sum(axis=1))
        np.testing.assert_allclose(low[:, c], expit(mean[:, c] - rest - reach), rtol=1e-9)
        np.testing.assert_allclose(high[:, c], expit(mean[:, c] - rest + reach), rtol=1e-9)


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_intervals_of_words_are_those_of_the_matrix(model: TextModel) -> None:
    texts, y = ["spam spam eggs", "ham eggs", "spam ham ham", "eggs"], [0, 1, 0, 1]
    ours = TextClassifier(model, temper=None).fit(texts, y)
    X = sf.CountVectorizer().fit_transform(texts)
    same = (sf.MultinomialNB() if model == "multinomial" else sf.BernoulliNB()).fit(X, y)
    for got, expected in zip(ours.feature_interval(0.8), same.feature_interval(0.8), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)
    with pytest.raises(KindError, match="The complement of classes has no intervals"):
        TextClassifier("complement").fit(texts, y).feature_interval()


def test_two_classes_have_normal_log_odds() -> None:
    """Means and variances of log θ by polygamma functions, bounds by the normal of their difference."""
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.8, (30, 5)), np.arange(30) % 2
    row = np.array([2, 0, 0, 1, 0])
    low, high = sf.MultinomialNB(fit_prior=False).fit(X, y).predict_interval(row[None], 0.9)
    alpha = [X[y == c].sum(axis=0) + 1 for c in (0, 1)]
    mean = [row @ (digamma(a) - digamma(a.sum())) for a in alpha]
    variance = [row**2 @ polygamma(1, a) - row.sum() ** 2 * polygamma(1, a.sum()) for a in alpha]
    reach, centre = ndtri(0.95) * np.sqrt(sum(variance)), mean[0] - mean[1]
    np.testing.assert_allclose([low[0, 0], high[0, 0]], expit([centre - reach, centre + reach]))
