"""Beliefs of fitted classifiers: those of the family, learned from the rows of each class by hand."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from sklearn.exceptions import NotFittedError

import suffice as sf
from suffice.errors import ImproperPrior, InputError, KindError, PriorError

RNG = np.random.default_rng(0)
COUNTS, FLAGS, REALS = RNG.integers(0, 5, (30, 3)), RNG.integers(0, 2, (30, 3)), RNG.normal(2, 1, (30, 3))
Y = np.array(["a", "b"])[np.arange(30) % 2]
FLAT = sf.NormalInverseGamma(0, 0.1, 1, 1)
VECTORS = sf.NormalInverseWishart(np.zeros(3), 1, 4, np.eye(3))

CASES: dict[str, tuple[Any, Any, Any]] = {
    "bernoulli": (sf.BernoulliNB(), FLAGS, lambda x, j: sf.Beta(1, 1).update(values=x[:, j])),
    "multinomial": (
        sf.MultinomialNB(),
        COUNTS,
        lambda x, j: sf.Beta(1 + x[:, j].sum(), 2 + x.sum() - x[:, j].sum()),
    ),
    "poisson": (sf.PoissonNB(alpha=sf.Gamma(2, 1)), COUNTS, lambda x, j: sf.Gamma(2, 1).update(values=x[:, j])),
    "exponential": (
        sf.ExponentialNB(alpha=sf.WaitingRate(2, 1)),
        np.abs(REALS),
        lambda x, j: sf.WaitingRate(2, 1).update(values=x[:, j]),
    ),
    "gaussian": (sf.GaussianNB(prior=FLAT), REALS, lambda x, j: FLAT.update(values=x[:, j])),
    "categorical": (
        sf.CategoricalNB(),
        COUNTS,
        lambda x, j: sf.Dirichlet(np.ones(5)).update(counts=np.bincount(x[:, j], minlength=5)),
    ),
    "discriminant": (
        sf.GaussianDiscriminant("full", prior=VECTORS),
        REALS,
        lambda x, j: sf.NormalInverseWishart([0], 1, 2, [[1]]).update(values=x[:, [j]]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_posterior_is_that_of_the_rows_of_its_class(name: str) -> None:
    model, X, expected = CASES[name]
    model.fit(X, Y)
    for label in ("a", "b"):
        for j in range(3):
            got, by_hand = model.posterior_[label, j], expected(X[label == Y], j)
            assert type(got) is type(by_hand)
            for mine, theirs in zip(got._values(), by_hand._values(), strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    assert model.posterior_.of(1).batch_shape == (2,)


def test_all_classes_and_features_are_one_table() -> None:
    model = sf.BernoulliNB().fit(FLAGS, Y)
    every = model.posterior_.all
    assert every.batch_shape == (2, 3)
    assert every[1, 2] == model.posterior_["b", 2]
    assert model.posterior_["b"] == every[1]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), every.mean)


def test_words_and_columns_go_by_name() -> None:
    texts = ["free pills free", "lunch at noon", "free watches", "are you at lunch"]
    model = sf.TextClassifier(alpha=1.0).fit(texts, ["spam", "ham", "spam", "ham"])
    width = len(model.words_)
    assert model.posterior_["spam", "free"] == sf.Beta(1 + 3, width + 5 - 4)
    frame = {"height": REALS[:, 0], "colour": np.array(["red", "blue", "green"])[RNG.integers(0, 3, 30)], "y": Y}
    table = sf.NaiveBayes(columns={"height": "gaussian"}, joint=None).fit(frame, "y")
    assert isinstance(table.posterior_["a", "height"], sf.NormalInverseGamma)
    colours: Any = table.posterior_.of("colour")
    assert colours.batch_shape == (2,)
    np.testing.assert_allclose(colours.alpha.sum(), 30 + 2 * 4)  # three colours, and one that is not known
    data = sf.GaussianDiscriminant(prior=VECTORS).fit(REALS, Y)
    assert data.posterior_["a"] == data.posterior_.all[0]


def test_shares_of_classes_have_a_posterior() -> None:
    assert sf.MultinomialNB().fit(COUNTS[:29], Y[:29]).class_posterior_ == sf.Dirichlet([16, 15])
    believed = sf.GaussianDiscriminant(class_prior=sf.Dirichlet([2, 3])).fit(REALS, Y)
    assert believed.class_posterior_ == sf.Dirichlet([17, 18])
    given = sf.MultinomialNB(class_prior=[0.5, 0.5]).fit(COUNTS, Y)
    with pytest.raises(InputError, match="Given shares of classes have no posterior"):
        _ = given.class_posterior_
    assert not hasattr(given, "class_posterior_")


def test_a_word_or_a_column_may_be_called_as_anything() -> None:
    texts = sf.TextClassifier(alpha=1.0).fit(["text word", "text text"], ["s", "h"])
    assert texts.posterior_["s", "text"] == sf.Beta(2, 2)
    only = sf.TextClassifier(alpha=1.0).fit(["text", "text text"], ["s", "h"])
    with pytest.raises(PriorError, match="only word"):
        _ = only.posterior_["s", "text"]
    frame = pd.DataFrame({"X": [1, 2, 3], "y": [0, 1, 0]})
    model = sf.MultinomialNB().fit(frame, [0, 1, 1])
    assert model.posterior_[0, "X"] == model.posterior_[0, 0]
    assert model.posterior_[1].batch_shape == ()


def test_keys_that_are_none_are_refused() -> None:
    model = sf.BernoulliNB().fit(FLAGS, Y)
    table = sf.NaiveBayes(joint=None).fit({"x": REALS[:, 0], "z": REALS[:, 1], "y": Y}, "y")
    assert table.posterior_["a", 0] == table.posterior_["a", "x"]
    for found in (model.posterior_, table.posterior_):
        for wrong in (("a", [1]), ("a", True), ("a", 1.0), np.array(["a", "b"]), ("a", "none")):
            with pytest.raises(InputError):
                _ = found[wrong]
    for unfitted in (sf.BernoulliNB(), sf.NaiveBayes()):
        with pytest.raises(NotFittedError):
            _ = unfitted.class_posterior_
    with pytest.raises(InputError, match="does not use the shares of classes"):
        _ = sf.ComplementNB().fit(COUNTS, Y).class_posterior_


def test_what_has_no_posterior_says_so() -> None:
    model = sf.BernoulliNB().fit(FLAGS, Y)
    with pytest.raises(InputError, match="Classes: 'a', 'b'"):
        _ = model.posterior_["c"]
    with pytest.raises(InputError, match="must be one that was learned; got 7"):
        _ = model.posterior_["a", 7]
    with pytest.raises(ImproperPrior, match="Use a NormalInverseGamma"):
        _ = sf.GaussianNB().fit(REALS, Y).posterior_["a", 0]
    with pytest.raises(KindError, match="no posterior"):
        _ = sf.DirichletMultinomialNB().fit(COUNTS, Y).posterior_["a", 0]
    table = sf.NaiveBayes(joint=None).fit({"x": REALS[:, 0], "z": REALS[:, 1], "y": Y}, "y")
    with pytest.raises(InputError, match="a posterior for each column"):
        _ = table.posterior_.all


def test_a_picture_of_one_word() -> None:
    texts = ["free pills free", "lunch at noon", "free watches", "are you at lunch"]
    model = sf.TextClassifier().fit(texts, ["spam", "ham", "spam", "ham"])
    assert sf.plots.belief(model.posterior_["spam", "free"]).title.text == repr(model.posterior_["spam", "free"])


@pytest.mark.parametrize("point", [0.5, 0.2])
def test_a_belief_against_a_point(point: float) -> None:
    data: Any = {"heads": 3, "tails": 17}
    likelihood = 3 * np.log(point) + 17 * np.log1p(-point)
    expected = sf.Beta(2, 1).log_evidence(**data) - likelihood
    assert sf.bayes_factor(sf.Beta(2, 1), point, **data) == pytest.approx(expected)
    assert sf.bayes_factor(point, sf.Beta(2, 1), **data) == pytest.approx(-expected)


def test_a_point_where_the_prior_is_zero_or_infinite() -> None:
    found: list[tuple[Any, Any, Any, float]] = [
        (sf.Beta(2, 2), 0.0, {"heads": 0, "tails": 3}, float(sf.Beta(2, 2).log_evidence(heads=0, tails=3))),
        (sf.Beta(0.5, 0.5), 1.0, {"heads": 2}, float(sf.Beta(0.5, 0.5).log_evidence(heads=2))),
        (sf.Beta(2, 2), 0.0, {"heads": 1, "tails": 3}, np.inf),
        (sf.Gamma(2, 1), 0.0, {"values": [0, 0]}, float(sf.Gamma(2, 1).log_evidence(values=[0, 0]))),
        (sf.Pareto(5, 2), 3.0, {"values": [1, 2]}, float(sf.Pareto(5, 2).log_evidence(values=[1, 2])) + 2 * np.log(3)),
        (sf.Pareto(5, 2), 3.0, {"values": [1, 4]}, np.inf),
    ]
    for belief, point, data, expected in found:
        assert sf.bayes_factor(belief, point, **data) == pytest.approx(expected)
    with pytest.raises(InputError, match=r"The parameter of Beta cannot have the value 1\.5"):
        sf.bayes_factor(sf.Beta(1, 1), 1.5, heads=1, tails=2)


def test_two_beliefs_about_the_same_data() -> None:
    a, b, counts = sf.Gamma(2, 1), sf.Gamma(20, 10), [3, 0, 4]
    expected = a.log_evidence(values=counts) - b.log_evidence(values=counts)
    assert sf.bayes_factor(a, b, values=counts) == pytest.approx(expected)
    table = sf.bayes_factor(sf.Beta([1, 2], 1), sf.Beta(5, 5), heads=3, tails=1)
    assert table.shape == (2,)
    refused: list[tuple[Any, str]] = [
        (lambda: sf.bayes_factor(a, sf.Beta(1, 1), values=counts), "of one family"),
        (lambda: sf.bayes_factor(a, b), "given as for update"),
        (lambda: sf.bayes_factor(sf.BernoulliNB(), sf.BernoulliNB(), heads=3), "compared on the rows they learned"),
    ]
    for wrong, message in refused:
        with pytest.raises(InputError, match=message):
            wrong()


def test_members_of_a_table_of_beliefs() -> None:
    table = sf.Dirichlet(RNG.random((2, 3, 4)) + 1)
    np.testing.assert_array_equal(table[1, 2].alpha, table.alpha[1, 2])
    assert table[:, 0].batch_shape == (2,)
    wide = sf.NormalInverseWishart(np.zeros((2, 3)), [1, 2], 5, np.eye(3))
    assert wide[1].kappa == 2
    with pytest.raises(InputError, match="has no members"):
        _ = sf.Beta(1, 1)[0]
    with pytest.raises(InputError, match="has no member"):
        _ = sf.Beta([1, 2], 1)[5]
    listed: Any = sf.Beta([1, 2], 1)
    with pytest.raises(TypeError):
        list(listed)


def test_few_labels_and_none_have_posteriors_by_shares() -> None:
    """Of flags: a Beta(1, 1) with the sums of each class's shares, and of the flags of each row by them."""
    partly = sf.SemiSupervised(sf.BernoulliNB(), unlabelled_weight=1.0, tol=0, max_iter=400).fit(
        FLAGS, np.where(np.arange(30) < 12, Y.astype(object), np.array(None))
    )
    shares = np.where(np.arange(30)[:, None] < 12, Y[:, None] == partly.classes_, partly.predict_proba(FLAGS))
    belief: Any = partly.posterior_["b", 1]
    assert belief.a == pytest.approx(1 + shares[:, 1] @ FLAGS[:, 1], rel=1e-3)
    assert belief.a + belief.b == pytest.approx(2 + shares[:, 1].sum(), rel=1e-3)
    np.testing.assert_allclose(partly.class_posterior_.alpha, 1 + shares.sum(axis=0), rtol=1e-3)
    theta, prior = np.exp(partly.estimator_.feature_log_prob_), np.exp(partly.estimator_.class_log_prior_)
    by_hand = np.prod(np.where(FLAGS[:, None], theta, 1 - theta), axis=2) @ prior
    np.testing.assert_allclose(partly.score_samples(FLAGS), np.log(by_hand))
    mixture = sf.Mixture(sf.BernoulliNB(), 2, random_state=0).fit(FLAGS)
    assert mixture.posterior_[0, 1] == mixture.estimator_.posterior_[0, 1]
    assert mixture.class_posterior_.alpha.sum() == pytest.approx(32)


def test_what_is_not_fitted_has_no_posterior() -> None:
    for model in (sf.Mixture(sf.BernoulliNB()), sf.SemiSupervised(sf.BernoulliNB()), sf.BernoulliNB()):
        for name in ("posterior_", "class_posterior_", "bound_"):
            assert not hasattr(model, name)
    assert not hasattr(sf.SemiSupervised(sf.ComplementNB()), "score_samples")
