"""Checks compare what the model reads, and draw only what they compare, distributed as if all were drawn."""

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import sparse, stats

import suffice as sf
from suffice.errors import InputError
from suffice.models.drawn_rows import alone, asked, draw_rows
from suffice.models.likelihoods.polya import Polya

N = 400
Y = np.arange(N) % 2
MANY = 4000
STATISTICS: dict[str, Any] = {
    "share of zeros": lambda x: np.mean(x == 0),
    "standard deviation": np.std,
    "maximum": np.max,
}


def drawn(model: Any, code: int, features: list[int], parameters: str = "estimate", length: int = 5) -> Any:
    """Return many drawn rows of one class, with the given features only."""
    how = asked(MANY, parameters, length, 1)
    rows = draw_rows(alone(model._predictor), np.full(MANY, code), MANY, how).blocks["X"](np.array(features))
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows)


def fits(found: Any, expected: Any) -> bool:
    """Return whether outcomes come as often as expected, by chi-square; rare ones are one."""
    often = expected >= 5
    observed, wanted = (np.append(each[often], each[~often].sum()) for each in (found, expected))
    some = wanted > 0
    return bool(stats.chisquare(observed[some], wanted[some] * observed.sum() / wanted.sum()).pvalue > 1e-3)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csc_matrix], ids=["dense", "csr", "csc"])
@pytest.mark.parametrize("binarize", [0.0, 0.5, 2.0])
def test_flags_are_compared_with_flags(kind: Any, binarize: float) -> None:
    """Independent numbers above a threshold are Bernoulli, whatever the numbers are."""
    X = np.random.default_rng(0).poisson(1.5, (N, 6)) * 0.75
    found = sf.check(sf.BernoulliNB(binarize=binarize).fit(kind(X), Y), kind(X), Y)
    for line in found.table("pyarrow").to_pylist():
        if line["statistic"] in STATISTICS:
            flags = X[line["class"] == Y, int(line["feature"].removeprefix("column "))] > binarize
            assert line["real"] == pytest.approx(STATISTICS[line["statistic"]](flags))
    outside, total = found.outside
    assert total >= 24
    assert stats.binom.sf(outside - 1, total, 0.05) > 1e-3


@pytest.mark.parametrize("model", [sf.BernoulliNB(), sf.PoissonNB(), sf.MultinomialNB(), sf.DirichletMultinomialNB()])
def test_a_check_of_many_features_draws_few(model: Any) -> None:
    """A dense table of all features would take 80 MB."""
    rng = np.random.default_rng(0)
    at = rng.integers(0, [N, 25_000], (50 * N, 2)).T
    X = sparse.csr_array((rng.poisson(3, 50 * N), tuple(at)), (N, 25_000))
    model.fit(X, Y)
    tracemalloc.start()
    found = sf.check(model, X, Y, draws=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e7
    assert found.drawn.shape == (3, 6, 2, 40)


@pytest.mark.parametrize("thin", [True, False])
def test_the_features_that_vary_most_are_compared(thin: bool) -> None:
    X = np.random.default_rng(0).poisson(np.linspace(0.5, 4, 60)[::-1], (N, 60))
    model = sf.PoissonNB().fit(sparse.csr_matrix(X) if thin else X, Y)
    found = sf.check(model, sparse.csr_matrix(X) if thin else X, Y, features=7, draws=2)
    assert found.features == [f"column {j}" for j in np.sort(np.argsort(-X.std(axis=0))[:7])]
    expected = np.stack([X[c == Y][:, [int(name[7:]) for name in found.features]].std(axis=0) for c in (0, 1)])
    np.testing.assert_allclose(found.real[1], expected)


def counts() -> Any:
    return np.random.default_rng(2).poisson([[2, 1, 0.5, 1]], (N, 4)) + Y[:, None] * [0, 1, 0, 2]


BAGS = np.array([bag for bag in np.ndindex(6, 6, 6, 6) if sum(bag) == 5])


def merged(pmf: Any, features: list[int]) -> Any:
    """Return the probabilities of counts of some words, summed over those of all others."""
    table = np.zeros((6,) * len(features))
    np.add.at(table, tuple(BAGS[:, features].T), pmf)
    return table


@pytest.mark.parametrize("features", [[1], [0, 2], [0, 1, 3], [0, 1, 2, 3]])
@pytest.mark.parametrize("kind", ["plugged in", "each", "urn"])
def test_some_words_are_drawn_as_if_all_were(kind: str, features: list[int]) -> None:
    """Against scipy's probabilities of all words, summed over the words that are not drawn."""
    X = counts()
    alpha = X[Y == 1].sum(axis=0) + 1.0
    if kind == "urn":
        model: Any = sf.DirichletMultinomialNB().fit(X, Y)
        alpha = model.alpha_[1]
    else:
        model = sf.MultinomialNB(alpha=1.0).fit(X // 8, Y)  # few words, so that each θ differs from the mean
        alpha = (X // 8)[Y == 1].sum(axis=0) + 1.0
    pmf = (
        stats.multinomial.pmf(BAGS, 5, alpha / alpha.sum())
        if kind == "plugged in"
        else np.array([stats.dirichlet_multinomial.pmf(bag, alpha, 5) for bag in BAGS])
    )
    rows = drawn(model, 1, features, "each" if kind == "each" else "estimate")
    found = np.zeros((6,) * len(features))
    np.add.at(found, tuple(rows.T), 1)
    expected = merged(pmf, features) * MANY
    assert (found[expected == 0] == 0).all()
    assert fits(found.ravel(), expected.ravel())


def test_words_beside_tiny_pseudo_counts_are_drawn() -> None:
    """What other words have is 0 to rounding beside the counts, and still positive."""
    X = np.array([[7, 0, 0], [5, 0, 0], [6, 0, 0], [4, 1, 3]])
    model = sf.MultinomialNB(alpha=1e-20).fit(X, [0, 0, 1, 1])
    assert (drawn(model, 0, [0], "once") == 5).all()
    rows, _ = model.sample(3, 0, length=5, parameters="once", rng=0)
    np.testing.assert_array_equal(rows.toarray(), [[5, 0, 0]] * 3)


def test_some_features_are_drawn_as_the_model_says() -> None:
    """Features that are asked for come in that order, each with its own parameters."""
    rng, features = np.random.default_rng(3), [3, 1]
    X = rng.normal(size=(N, 4)) * [1, 2, 3, 4] + [0, 5, 10, 20]
    mean, spread = X[Y == 1].mean(axis=0)[features], X[Y == 1].std(axis=0)[features]
    for model in (sf.GaussianNB(), sf.LinearDiscriminantAnalysis(), sf.GaussianDiscriminant("full")):
        rows = drawn(model.fit(X, Y), 1, features)
        assert rows.shape == (MANY, 2)
        np.testing.assert_allclose(rows.mean(axis=0), mean, atol=0.3)
        np.testing.assert_allclose(rows.std(axis=0), spread, rtol=0.1)
    K = counts()
    rates = (K[Y == 1].mean(axis=0))[features]
    found = drawn(sf.PoissonNB(estimate="mle").fit(K, Y), 1, features)
    for rate, column in zip(rates, found.T, strict=True):
        assert abs(column.mean() - rate) < 4 * np.sqrt(rate / MANY)
    F = K > 1
    for rows in (drawn(sf.BernoulliNB().fit(F, Y), 1, features), drawn(sf.CategoricalNB().fit(F * 1, Y), 1, features)):
        for j, column in zip(features, rows.T, strict=True):
            share = (F[Y == 1, j].sum() + 1) / ((Y == 1).sum() + 2)
            assert stats.binomtest(int(column.sum()), MANY, float(share)).pvalue > 1e-3
    W = rng.exponential([1, 2, 3, 4], (N, 4))
    found = drawn(sf.ExponentialNB(estimate="mle").fit(W, Y), 1, features)
    for j, column in zip(features, found.T, strict=True):
        assert stats.kstest(column, stats.expon(scale=W[Y == 1, j].mean()).cdf).pvalue > 1e-3


def test_rates_of_some_features_are_drawn_from_their_posteriors() -> None:
    """Rows of a rate each are negative binomial: a Gamma's shape of events and one, over its rate."""
    K = np.random.default_rng(4).poisson([3, 1, 2], (12, 3))
    model: Any = sf.PoissonNB(alpha=sf.Gamma(2, 1)).fit(K, np.arange(12) % 2)
    for j, column in zip((2, 1), drawn(model, 1, [2, 1], "each").T, strict=True):
        a, b = 2 + K[1::2, j].sum(), 1 + 6
        cells = np.arange(25)
        found = np.bincount(column.astype(int), minlength=25)[:25]
        assert fits(found, stats.nbinom.pmf(cells, a, b / (b + 1)) * MANY)


def test_a_column_without_values_is_like_one_that_is_absent() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=N), "b": rng.choice(["x", "y"], N), "c": rng.poisson(3, N)})
    model = sf.NaiveBayes(joint=None).fit(frame, Y)
    for name in frame.columns:
        some = sf.check(model, frame.assign(**{name: None}), Y, draws=5)
        with pytest.warns(UserWarning, match="Columns missing"):
            absent = sf.check(model, frame.drop(columns=name), Y, draws=5)
        assert some.features == absent.features == [one for one in frame.columns if one != name]
        np.testing.assert_array_equal(some.real, absent.real)
        np.testing.assert_array_equal(some.drawn, absent.drawn)
    with pytest.raises(InputError, match="must have a feature to compare; got only columns without a value"):
        sf.check(model, frame.assign(a=None, b=None, c=None), Y)


def test_features_without_names_are_numbered_alike() -> None:
    X, names = counts(), [f"column {j}" for j in range(4)]
    for model in (
        sf.MultinomialNB(),
        sf.DirichletMultinomialNB(),
        sf.PoissonNB(),
        sf.BernoulliNB(),
        sf.CategoricalNB(),
    ):
        assert sf.check(model.fit(X, Y), X, Y, draws=2).features == names
    named = pd.DataFrame(X, columns=list("abcd"))
    assert sf.check(sf.MultinomialNB().fit(named, Y), named, Y, draws=2).features == list("abcd")
    texts = ["red tea", "black tea with milk"] * 10
    words = sf.check(sf.TextClassifier().fit(texts, Y[:20]), texts, Y[:20], draws=2).features
    assert set(words) == {"red", "tea", "black", "with", "milk"}
    hashed = sf.TextClassifier(tokens=sf.Tokens(hash_bits=3)).fit(texts, Y[:20])
    assert set(sf.check(hashed, texts, Y[:20], draws=2).features) == {f"bucket {j}" for j in range(8)}


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_the_form_of_drawn_rows_is_as_documented(kind: Any) -> None:
    X = kind(counts())
    for model in (sf.MultinomialNB(), sf.DirichletMultinomialNB(), sf.BernoulliNB(), sf.PoissonNB()):
        rows, _ = model.fit(X, Y).sample(5, rng=0)
        assert (sparse.issparse(rows) and rows.format == "csr") == ("Multinomial" in type(model).__name__)
        assert rows.dtype.kind == "i"
        assert model.predict(rows).shape == model.score_samples(rows).shape == (5,)
    table, _ = sf.NaiveBayes(joint=None).fit(X, Y).sample(5, rng=0)
    assert [*table] == [0, 1, 2, 3]


def test_urns_are_not_fitted_again_to_draw_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    model = sf.DirichletMultinomialNB().fit(counts(), Y)
    first = model.score_samples(counts())

    def refuse(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(Polya, "_fit", refuse)
    np.testing.assert_array_equal(model.score_samples(counts()), first)
    assert model.sample(3, rng=0)[0].shape == (3, 4)


def test_a_missing_method_says_why() -> None:
    model = sf.ComplementNB().fit(counts(), Y)
    assert not hasattr(model, "score_samples")
    with pytest.raises(AttributeError, match="'score_samples'") as caught:
        model.score_samples(counts())
    assert "ComplementNB gives rows no probability: a class is described by" in str(caught.value.__cause__)
