"""What is drawn from a model is distributed as the model says; what it says of rows are densities."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import suffice as sf
from laws.registry import FAMILIES, FamilyCase
from suffice.errors import InputError, KindError, LabelError

MANY = 4000
LABELS = np.array(["a", "b", "b"])


def far(drawn: Any, expected: Any, spread: Any) -> Any:
    """Return how many standard errors the mean of drawn rows is from what is expected."""
    return np.abs(np.mean(drawn, axis=0) - expected) / (np.asarray(spread) / np.sqrt(len(drawn)))


@pytest.mark.parametrize("case", FAMILIES, ids=str)
def test_outcomes_by_drawn_parameters_are_those_of_the_predictive(case: FamilyCase) -> None:
    belief, rng = case.typical, np.random.default_rng(3)
    outcomes = np.asarray(type(belief).simulate(belief.sample(MANY, rng), rng), np.float64)
    predicted = np.asarray(belief.predict().sample(MANY, rng), np.float64)
    for mine, theirs in zip(outcomes.reshape(MANY, -1).T, predicted.reshape(MANY, -1).T, strict=True):
        assert stats.ks_2samp(mine, theirs).pvalue > 1e-3


def rows(rng: np.random.Generator, kind: str, codes: Any) -> Any:
    shift = codes[:, None]
    if kind == "numbers":
        return rng.normal(size=(len(codes), 2)) * (1 + shift) + 3 * shift
    if kind == "waits":
        return rng.exponential(1 + 2.0 * shift, (len(codes), 2))
    if kind == "flags":
        return (rng.random((len(codes), 3)) < 0.2 + 0.5 * shift).astype(int)
    return rng.poisson(1 + 3 * shift, (len(codes), 3))


MODELS: list[tuple[Any, str]] = [
    (sf.GaussianNB(), "numbers"),
    (sf.GaussianNB(prior=sf.NormalInverseGamma(0, 1, 2, 2), estimate="predictive"), "numbers"),
    (sf.GaussianDiscriminant("full", "predictive"), "numbers"),
    (sf.GaussianDiscriminant("shared", "predictive"), "numbers"),
    (sf.GaussianDiscriminant("full", "map"), "numbers"),
    (sf.GaussianDiscriminant("diagonal", "predictive"), "numbers"),
    (sf.LinearDiscriminantAnalysis(), "numbers"),
    (sf.QuadraticDiscriminantAnalysis(), "numbers"),
    (sf.ExponentialNB(), "waits"),
    (sf.ExponentialNB(estimate="predictive"), "waits"),
    (sf.BernoulliNB(), "flags"),
    (sf.MultinomialNB(), "counts"),
    (sf.MultinomialNB(estimate="predictive"), "counts"),
    (sf.DirichletMultinomialNB(), "counts"),
    (sf.PoissonNB(), "counts"),
    (sf.PoissonNB(estimate="predictive"), "counts"),
    (sf.CategoricalNB(), "counts"),
    (sf.NaiveBayes(), "numbers"),
    (sf.NaiveBayes(), "counts"),
]
every_model = pytest.mark.parametrize(("model", "kind"), MODELS, ids=[f"{m!r} {k}"[:60] for m, k in MODELS])


def fitted(model: Any, kind: str) -> tuple[Any, Any, Any]:
    codes = np.arange(90) % 3 > 0
    X = rows(np.random.default_rng(1), kind, codes.astype(int))
    y = np.where(codes, "b", "a")
    return model.fit(X, y), X, y


def dense(X: Any) -> Any:
    if isinstance(X, dict):
        return np.column_stack([np.asarray(part, np.float64) for part in X.values()])
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, np.float64)


@every_model
def test_drawn_rows_are_as_probable_as_the_model_says(model: Any, kind: str) -> None:
    """Under the model, E[e^(ln q(x) − ln p(x))] = 1 for every density q: here that of a class, beside its rows."""
    model, X, _ = fitted(model, kind)
    length = {"length": int(X[0].sum())} if kind == "counts" and "ultinomial" in type(model).__name__ else {}
    drawn, labels = model.sample(MANY, rng=5, **length)
    logs = model.score_samples(drawn)
    assert np.isfinite(logs).all()
    shares = np.exp(model.class_log_prior_)
    assert stats.binomtest(int((labels == "a").sum()), MANY, float(shares[0])).pvalue > 1e-3
    plain = type(model)(
        **{
            **model.get_params(),
            **{name: None for name in ("temper", "feature_powers", "joint") if name in model.get_params()},
        }
    )
    proba = plain.fit(X, np.where(np.arange(90) % 3 > 0, "b", "a")).predict_proba(drawn)
    assert (far(proba, shares, proba.std(axis=0)) < 4).all()  # E over x of p(c | x) is p(c)


@every_model
def test_drawn_rows_of_a_class_have_the_moments_of_its_rows(model: Any, kind: str) -> None:
    model, X, y = fitted(model, kind)
    length = (
        {"length": X[y == "b"].sum(axis=1).mean().round().astype(int)} if "ultinomial" in type(model).__name__ else {}
    )
    drawn, labels = model.sample(MANY, "b", rng=7, **length)
    assert (labels == "b").all()
    values, mine = dense(drawn), X[y == "b"]
    error = np.sqrt(mine.var(axis=0) / len(mine) + values.var(axis=0) / MANY)
    assert (np.abs(values.mean(axis=0) - mine.mean(axis=0)) < 6 * error + 0.15 * mine.std(axis=0)).all()


def test_the_same_seed_draws_the_same_rows() -> None:
    cases: Any = ["estimate", "each", "once"]
    for parameters in cases:
        model, _, _ = fitted(sf.NaiveBayes(), "numbers")
        first, second = (model.sample(20, parameters=parameters, rng=3) for _ in range(2))
        np.testing.assert_array_equal(dense(first[0]), dense(second[0]))
        assert (first[1] == second[1]).all()


def test_parameters_drawn_once_are_one_for_all_rows() -> None:
    """The mean of many rows varies from draw to draw as the posterior of the mean does, and not as one row's."""
    X = np.array([[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]])
    model = sf.GaussianNB(prior=sf.NormalInverseGamma(3, 1, 3, 3), estimate="predictive").fit(X, list("aaabbb"))
    posterior: Any = model.posterior_["a", 0]
    means = [model.sample(400, "a", parameters="once", rng=k)[0].mean() for k in range(300)]
    expected = posterior.b / posterior.a * posterior.a / (posterior.a - 1) / posterior.kappa  # variance of the mean
    assert 0.6 < np.var(means) / expected < 1.6
    each = [model.sample(400, "a", parameters="each", rng=k)[0].mean() for k in range(100)]
    assert np.var(each) < 0.1 * expected


def test_log_densities_integrate_to_one() -> None:
    X = np.random.default_rng(0).normal(size=(40, 1)) * 2
    for model in (
        sf.GaussianNB().fit(X, LABELS[np.arange(40) % 3]),
        sf.NaiveBayes(columns={0: "histogram"}).fit(X, LABELS[np.arange(40) % 3]),
        sf.NaiveBayes(columns={0: "gaussian"}).fit(X, LABELS[np.arange(40) % 3]),
        sf.LinearDiscriminantAnalysis().fit(X, LABELS[np.arange(40) % 3]),
    ):
        ends = np.concatenate([[-1e5, -1e3, -100], np.linspace(-15, 15, 400), [100, 1e3, 1e5]])
        points, weights = np.polynomial.legendre.leggauss(12)
        total = 0.0
        for low, high in pairwise(ends):
            x = (low + high) / 2 + (high - low) / 2 * points
            total += float(np.exp(model.score_samples(x[:, None])) @ weights) * (high - low) / 2
        assert total == pytest.approx(1, abs=2e-2)


def test_log_probabilities_sum_to_one() -> None:
    codes = np.arange(60) % 2
    X = rows(np.random.default_rng(2), "flags", codes)
    every = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    assert np.exp(sf.BernoulliNB().fit(X, codes).score_samples(every)).sum() == pytest.approx(1)
    bags = np.array([[a, b, 4 - a - b] for a in range(5) for b in range(5 - a)])
    for model in (sf.MultinomialNB(), sf.MultinomialNB(estimate="predictive"), sf.DirichletMultinomialNB()):
        assert np.exp(model.fit(X + 1, codes).score_samples(bags)).sum() == pytest.approx(1)


def test_a_mixture_is_the_sum_of_its_classes() -> None:
    codes = np.arange(60) % 2
    X = rows(np.random.default_rng(2), "numbers", codes)
    model = sf.GaussianNB().fit(X, codes)
    by_hand = sum(
        np.exp(model.class_log_prior_[c]) * stats.norm.pdf(X, model.theta_[c], np.sqrt(model.var_[c])).prod(axis=1)
        for c in range(2)
    )
    np.testing.assert_allclose(model.score_samples(X), np.log(by_hand), rtol=1e-9)


def test_texts_are_drawn_as_bags_of_known_words() -> None:
    texts, y = ["cheap pills cheap", "lunch at noon", "cheap watches"] * 5, ["spam", "ham", "spam"] * 5
    for model in (sf.TextClassifier().fit(texts, y), sf.TextClassifier("bernoulli").fit(texts, y)):
        bags, labels = model.sample(30, "spam", rng=0)
        assert len(bags) == len(labels) == 30
        words = {word for bag in bags for word in bag}
        assert words <= {"cheap", "pills", "watches", "lunch", "at", "noon"}
    bags, _ = sf.TextClassifier().fit(texts, y).sample(label=["ham", "spam"], length=[7, 0], rng=0)
    assert [sum(bag.values()) for bag in bags] == [7, 0]


WORDS = ["tea", "milk", "rum"]
SPOKEN = ["tea tea milk", "milk tea and a wolf", "rum"]
BEHIND = sf.LanguageModel(WORDS).fit(["tea and tea and milk"])
LANGUAGES: list[Any] = [
    sf.LanguageModel(WORDS),
    sf.LanguageModel(WORDS, alpha=[0.3, 2.0, 0.5, 1.0]),
    sf.LanguageModel(WORDS, background=BEHIND, strength=3),
    sf.LanguageModel(WORDS, background=BEHIND, smoothing="jelinek_mercer", strength=0.4),
]
every_language = pytest.mark.parametrize("model", LANGUAGES, ids=repr)


def counted(bags: Any, model: Any) -> Any:
    return np.array([[bag.get(word, 0) for word in model.words_] for bag in bags])


def fits(found: Any, expected: Any) -> bool:
    """Return whether outcomes come as often as expected, by chi-square; rare ones are one."""
    often = expected >= 5
    both = [np.append(each[often], each[~often].sum()) for each in (found, expected)]
    observed, wanted = (each if expected[~often].sum() >= 5 else each[:-1] for each in both)
    return bool(stats.chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue > 1e-3)


@every_language
def test_words_of_a_language_model_are_drawn_as_it_says(model: Any) -> None:
    model.fit(SPOKEN)
    drawn = counted(model.sample(MANY, length=4, rng=1), model)
    assert (drawn.sum(axis=1) == 4).all()
    p = np.array([*model.probabilities().values()])
    every = np.array([bag for bag in np.ndindex(5, 5, 5, 5) if sum(bag) == 4])
    pmf = stats.multinomial.pmf(every, 4, p / p.sum())
    assert fits(np.array([(drawn == bag).all(axis=1).sum() for bag in every]), MANY * pmf)


@every_language
def test_words_by_drawn_probabilities_are_those_of_the_posterior(model: Any) -> None:
    """A Dirichlet-multinomial; a mixture has its mean and its spread, shrunk by the share of the texts."""
    model.fit(SPOKEN)
    drawn = counted(model.sample(MANY, length=6, parameters="each", rng=2), model)
    alpha = model.posterior_.alpha
    if model.smoothing == "dirichlet":
        every = np.array([bag for bag in np.ndindex(7, 7, 7, 7) if sum(bag) == 6])
        pmf = np.array([stats.dirichlet_multinomial.pmf(bag, alpha, 6) for bag in every])
        assert fits(np.array([(drawn == bag).all(axis=1).sum() for bag in every]), MANY * pmf)
        return
    thetas = np.random.default_rng(3).dirichlet(alpha, MANY) * 0.6 + 0.4 * model.background_
    expected = np.random.default_rng(4).multinomial(6, thetas)
    for mine, theirs in zip(drawn.T, expected.T, strict=True):
        assert stats.ks_2samp(mine, theirs).pvalue > 1e-3


def test_probabilities_of_words_that_are_drawn_once() -> None:
    """The share of a word in many texts varies as its Beta does, and lengths are about those that were learned."""
    model = LANGUAGES[0].fit(SPOKEN)
    beta = stats.beta(model.posterior_.alpha[0], model.posterior_.alpha[1:].sum())
    bags = [counted(model.sample(40, length=100, parameters="once", rng=k), model).sum(axis=0) for k in range(300)]
    assert stats.kstest([bag[0] / bag.sum() for bag in bags], beta.cdf).pvalue > 1e-3
    lengths = counted(model.sample(MANY, rng=5), model).sum(axis=1)
    mean = model.counts_.sum() / 3
    found = np.bincount(lengths, minlength=40)
    assert fits(found, MANY * stats.poisson.pmf(np.arange(len(found)), mean))


def test_texts_that_a_language_model_draws() -> None:
    model = LANGUAGES[0].fit(SPOKEN)
    for parameters in ("estimate", "each", "once"):
        first, second = (model.sample(5, parameters=parameters, rng=3) for _ in range(2))
        assert first == second
        assert {word for bag in first for word in bag} <= {*WORDS, "unk"}
    assert [sum(bag.values()) for bag in model.sample(3, length=[7, 0, 2], rng=0)] == [7, 0, 2]
    assert (len(model.sample(rng=0)), model.sample(0)) == (1, [])
    for wrong in ({"n": -1}, {"parameters": "some"}, {"n": 2, "length": [1, 2, 3]}, {"rng": "a"}):
        with pytest.raises(InputError, match="The argument"):
            model.sample(**wrong)
    empty = sf.LanguageModel(WORDS).fit([])
    with pytest.raises(InputError, match="'length' of LanguageModel"):
        empty.sample(2)
    assert sum(empty.sample(length=3, rng=0)[0].values()) == 3


def test_tables_are_drawn_as_frames_of_their_library() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"city": ["Oslo", "Rome", None, "Oslo"] * 6, "age": [31.5, 42.0, 18.2, None] * 6})
    model = sf.NaiveBayes().fit(frame, ["a", "b", "b", "a"] * 6)
    drawn, labels = model.sample(8, rng=0)
    assert isinstance(drawn, polars.DataFrame)
    assert drawn.columns == ["city", "age"]
    assert set(drawn["city"]) <= {"Oslo", "Rome"}
    assert model.predict_proba(drawn).shape == (8, 2)
    assert len(labels) == 8


def test_clusters_draw_rows() -> None:
    X = rows(np.random.default_rng(2), "numbers", np.arange(60) % 2)
    model = sf.Mixture(sf.GaussianDiscriminant(), 2, random_state=0).fit(X)
    drawn, labels = model.sample(50, rng=0)
    assert drawn.shape == (50, 2)
    assert set(labels.tolist()) <= {0, 1}


def test_what_cannot_be_drawn_is_refused() -> None:
    model, X, y = fitted(sf.BernoulliNB(), "flags")
    for wrong, error in (
        ({"n": -1}, InputError),
        ({"n": 2.5}, InputError),
        ({"n": -1, "label": "a"}, InputError),
        ({"n": 2.5, "label": "a"}, InputError),
        ({"label": "c"}, LabelError),
        ({"n": 3, "label": ["a", "b"]}, InputError),
        ({"parameters": "some"}, InputError),
        ({"n": 2, "length": [1, 2, 3]}, InputError),
    ):
        with pytest.raises(error, match="The argument"):
            model.sample(**wrong)
    edcm = sf.DirichletMultinomialNB(method="edcm").fit(rows(np.random.default_rng(0), "counts", np.arange(90) % 2), y)
    for no in (sf.ComplementNB().fit(X, y), edcm):
        with pytest.raises(KindError, match="gives rows no probability"):
            no.sample(2)
    with pytest.raises(KindError, match="gives rows no probability"):
        edcm.score_samples(X)
    assert not hasattr(sf.ComplementNB(), "score_samples")


def test_checks_find_columns_that_depend_and_counts_that_vary_too_much() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    right = np.column_stack([x, rng.normal(size=400)])
    y = np.arange(400) % 2
    outside, total = sf.check(sf.GaussianNB().fit(right, y), right, y).outside
    assert outside <= 0.25 * total
    wrong = np.column_stack([x, x + rng.normal(size=400) / 10])
    found = sf.check(sf.GaussianNB().fit(wrong, y), wrong, y).table("pyarrow").to_pylist()
    assert {line["statistic"] for line in found[:4]} == {"dependence"}
    counts = rng.negative_binomial(0.5, 0.1, size=(400, 1))
    found = sf.check(sf.PoissonNB().fit(counts, y), counts, y)
    top = found.table("pyarrow").to_pylist()
    assert {"share of zeros", "standard deviation"} <= {line["statistic"] for line in top if abs(line["surprise"]) > 5}
    assert found.parameters == "once"
    assert found.tail.shape == found.surprise.shape == found.real.shape
    with pytest.raises(KindError, match="'model' of check"):
        sf.check(sf.Beta(1, 1), counts, y)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'draws'"):
        sf.check(sf.PoissonNB().fit(counts, y), counts, y, draws=1)


def test_the_mean_of_a_numeric_integral() -> None:
    """Of one column with two normals, the density that is drawn from is the one that is reported."""
    X = np.array([[0.0], [1.0], [4.0], [6.0]])
    model = sf.GaussianNB().fit(X, ["a", "a", "b", "b"])
    mean, _ = integrate.quad(lambda x: x * np.exp(model.score_samples([[x]])[0]), -20, 30, limit=200)
    drawn, _ = model.sample(MANY, rng=1)
    assert far(drawn, mean, drawn.std()) < 4
