"""One naive Bayes for any table: its numbers are those of scipy and scikit-learn, column by column."""

from typing import Any

import numpy as np
import polars as pl
import pytest
import sklearn.naive_bayes as peers
from scipy import stats

import suffice as sf
from estimators.mixed import KINDS, every_kind, labels, model, rows_of, values_of
from estimators.plain import NaiveBayes, TextClassifier
from suffice.models.scoring.results import Estimate
from suffice.readers.columns import Bernoulli, Categorical, Gaussian, Histogram, Poisson


def close(got: Any, expected: Any, atol: float = 1e-9) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=atol)


def scores(model: Any, table: Any) -> Any:
    return model.predict_joint_log_proba(table) - model.class_log_prior_


def test_gaussian_columns_are_gaussian_nb() -> None:
    y = labels()
    X = np.random.default_rng(0).normal(size=(60, 3)) * [1, 50, 0.1] + y[:, None]
    theirs = peers.GaussianNB().fit(X, y)
    ours = NaiveBayes(dict.fromkeys(range(3), Gaussian(floor=theirs.epsilon_)), estimate="mle").fit(X, y)
    close(ours.predict_log_proba(X), theirs.predict_log_proba(X))


@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_categorical_columns_without_others_are_categorical_nb(alpha: float) -> None:
    y = labels()
    X = np.random.default_rng(0).integers(0, 4, (60, 3))
    theirs = peers.CategoricalNB(alpha=alpha).fit(X, y)
    declared = dict.fromkeys("abc", Categorical(alpha=alpha, other=0))
    ours = NaiveBayes(declared).fit({name: X[:, j] for j, name in enumerate("abc")}, y)
    close(ours.predict_log_proba({name: X[:, j] for j, name in enumerate("abc")}), theirs.predict_log_proba(X))
    words = np.array(["red", "green", "blue", "black"])[X]
    named = NaiveBayes(declared).fit({name: words[:, j] for j, name in enumerate("abc")}, y)
    close(named.predict_log_proba({name: words[:, j] for j, name in enumerate("abc")}), theirs.predict_log_proba(X))


def test_flags_are_bernoulli_nb() -> None:
    y = labels()
    X = np.random.default_rng(0).random((60, 3)) < 0.2 + 0.2 * y[:, None]
    theirs = peers.BernoulliNB(alpha=1).fit(X, y)
    close(NaiveBayes().fit(X, y).predict_log_proba(X), theirs.predict_log_proba(X))
    prior = NaiveBayes({0: Bernoulli(sf.Beta(2, 5))}).fit(X[:, :1], y)
    on = np.array([(X[y == c, 0].sum() + 2) / ((y == c).sum() + 7) for c in range(3)])
    close(scores(prior, [[1.0], [0.0]]), np.log([on, 1 - on]))


@pytest.mark.parametrize("prior", [None, sf.Gamma(2, 0.5)])
def test_counts_are_negative_binomial(prior: Any) -> None:
    y = labels()
    x = np.array(values_of("poisson", y))
    shape, rate = (prior.shape, prior.rate) if prior else (1.0, 1 / x.mean())
    got = scores(NaiveBayes({"x": Poisson(prior)}).fit({"x": x}, y), {"x": np.arange(30)})
    n, total = np.bincount(y) + rate, np.bincount(y, x) + shape
    expected = stats.nbinom.logpmf(np.arange(30)[:, None], total, n / (n + 1))
    close(got - got[:, :1], expected - expected[:, :1])  # a score may leave out what all classes share


def student(x: Any, data: Any, prior: Any) -> Any:
    """Return the predictive of a normal with a normal-inverse-gamma belief, by the textbook."""
    m, kappa, a, b = prior
    n, mean = len(data), data.mean()
    k = kappa + n
    b = b + ((data - mean) ** 2).sum() / 2 + kappa * n * (mean - m) ** 2 / (2 * k)
    a = a + n / 2
    return stats.t.logpdf(x, 2 * a, (kappa * m + n * mean) / k, np.sqrt(b * (k + 1) / (a * k)))


@pytest.mark.parametrize("prior", [None, (1.0, 2.0, 3.0, 4.0)])
def test_real_columns_are_student_t(prior: Any) -> None:
    y = labels()
    x = np.array(values_of("gaussian", y))
    given = None if prior is None else sf.NormalInverseGamma(*prior)
    within = sum(((x[y == c] - x[y == c].mean()) ** 2).sum() for c in range(3)) / len(x)
    belief = prior or (x.mean(), 0.01, 1.5, 0.5 * within)
    grid = np.linspace(-9, 9, 41)
    got = scores(NaiveBayes({"x": Gaussian(given)}).fit({"x": x}, y), {"x": grid})
    expected = np.column_stack([student(grid, x[y == c], belief) for c in range(3)])
    unit = (expected - got)[:, :1]  # of the numbers, which all classes share
    assert np.ptp(unit) < 1e-12
    close(got + unit, expected)


def test_bins_are_dirichlet_categorical() -> None:
    y = labels()
    x = np.array(values_of("histogram", y))
    edges = (-1.0, 0.5, 2.0)
    counts = np.array([np.bincount(np.digitize(x[y == c], edges), minlength=4) for c in range(3)])
    share = counts.sum(axis=0) / counts.sum()
    theta = (counts + 2 * share) / (counts.sum(axis=1, keepdims=True) + 2)
    got = scores(NaiveBayes({"x": Histogram(strength=2, edges=edges)}).fit({"x": x}, y), {"x": x})
    close(got, np.log(theta).T[np.digitize(x, edges)])


@pytest.mark.parametrize("estimate", ["mean", "predictive", "mle"])
def test_a_text_column_alone_is_a_text_classifier(estimate: Estimate) -> None:
    y = labels()
    texts = [text + " mat" for text in values_of("text", y)]
    ours = NaiveBayes({"t": "text"}, estimate=estimate).fit({"t": texts}, y)
    theirs = TextClassifier(estimate=estimate).fit(texts, y)
    seen = [texts[0], "mat mat the", "mat unheard of", ""]
    close(ours.predict_log_proba({"t": seen}), theirs.predict_log_proba(seen))


def test_the_words_of_a_text_column_are_multinomial_nb() -> None:
    from sklearn.feature_extraction.text import CountVectorizer

    y = labels()
    texts = values_of("text", y)
    counter = CountVectorizer()
    theirs = peers.MultinomialNB().fit(counter.fit_transform(texts), y)
    ours = NaiveBayes({"t": "text"}, estimate="mean").fit({"t": texts}, y)
    close(ours.predict_log_proba({"t": texts}), theirs.predict_log_proba(counter.transform(texts)))


@pytest.mark.parametrize("estimate", ["mean", "predictive"])
def test_a_table_is_the_sum_of_its_columns(estimate: Estimate) -> None:
    """NB-9."""
    table, y = every_kind()
    whole = model(estimate=estimate).fit(table, y)
    parts = [NaiveBayes({k: k}, estimate=estimate).fit({k: table[k]}, y) for k in KINDS]
    close(scores(whole, table), sum(scores(part, {k: table[k]}) for k, part in zip(KINDS, parts, strict=True)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_value_counts_for_nothing_and_says_nothing(kind: str) -> None:
    table, y = every_kind()
    gaps = np.arange(len(y)) % 3 == 1
    holey = table | {kind: [None if gap else value for value, gap in zip(table[kind], gaps, strict=True)]}
    fitted = model().fit(holey, y)
    kept = NaiveBayes({kind: kind}).fit(rows_of({kind: table[kind]}, np.flatnonzero(~gaps)), y[~gaps])
    for name in KINDS:
        one = kept if name == kind else NaiveBayes({name: name}).fit({name: table[name]}, y)
        assert fitted.statistics_[name] == one.statistics_[name]
    others = {name: column for name, column in table.items() if name != kind}
    rest = NaiveBayes({name: name for name in others}).fit(others, y)
    got = fitted.predict_joint_log_proba(holey)
    np.testing.assert_allclose(got[gaps], rest.predict_joint_log_proba(others)[gaps], rtol=0, atol=1e-13)
    assert (got[~gaps] != rest.predict_joint_log_proba(others)[~gaps]).any()


@pytest.mark.parametrize("kind", KINDS)
def test_values_may_come_in_a_later_batch(kind: str) -> None:
    table, y = every_kind()
    nothing = table | {kind: [None] * len(y)}
    late = model().partial_fit(nothing, y)
    assert late.columns_[kind].word == "unknown"
    others = {name: column for name, column in table.items() if name != kind}
    rest = NaiveBayes({name: name for name in others}).fit(others, y)
    np.testing.assert_array_equal(late.predict_log_proba(table), rest.predict_log_proba(others))
    assert len(late.table(kind)) == 3
    assert late.explain(rows_of(table, [0])).log_odds == rest.explain(rows_of(others, [0])).log_odds
    late.partial_fit(table, y)
    assert late.statistics_[kind] == model().fit(table, y).statistics_[kind]


def test_an_unseen_category_gets_what_the_prior_keeps_for_it() -> None:
    x, y = ["a", "a", "b", "c", "a"], [0, 0, 0, 1, 1]
    got = scores(NaiveBayes({"x": Categorical(alpha=0.5)}).fit({"x": x}, y), {"x": ["z", "a", "c"]})
    n, alpha, k = np.array([3, 2]), 0.5, 3
    close(np.exp(got[0]), alpha / (n + alpha * (k + 1)))
    close(np.exp(got[1]), (np.array([2, 1]) + alpha) / (n + alpha * (k + 1)))
    other = scores(NaiveBayes({"x": Categorical(alpha=0.5, other=3)}).fit({"x": x}, y), {"x": ["z"]})
    close(np.exp(other[0]), 3 / (n + alpha * k + 3))
    none = scores(NaiveBayes({"x": Categorical(other=0)}).fit({"x": x}, y), {"x": ["z"]})
    close(none, 0)


@pytest.mark.parametrize("values", [["a", "b"], [1, 2], [1234567, 1234568]])
def test_an_unseen_category_can_be_an_error(values: list[Any]) -> None:
    strange: Any = "zz" if values[0] == "a" else 1234569
    strict = NaiveBayes({"x": "categorical"}, unseen="error").fit({"x": values * 5}, [0, 1] * 5)
    assert strict.predict({"x": [values[1], None]})[0] == 1
    for before in (1, 30_000):  # rows are scored in parts
        with pytest.raises(ValueError, match=rf"Column 'x' .* got '{strange}' in row {before}\."):
            strict.predict({"x": values[:1] * before + [strange, values[0]]})


def test_a_class_of_which_a_column_knows_nothing_is_as_the_prior_says() -> None:
    for kind in KINDS:
        y = np.array([0] * 8 + [1] * 4)
        column = values_of(kind, [0] * 8) + [None] * 4
        fitted = NaiveBayes({"x": kind}).fit({"x": column}, y)
        assert np.isfinite(fitted.predict_log_proba({"x": column})).all()
        assert len(fitted.table("x"))


def test_two_classes_far_from_zero_are_distinguished() -> None:
    y = labels(400) > 0
    x = 1e8 + 5 * y + np.random.default_rng(0).normal(size=400)
    assert NaiveBayes().fit({"x": x}, y).score({"x": x}, y) > 0.97
    assert NaiveBayes().fit({"x": x.astype(np.int64)}, y).score({"x": x.astype(np.int64)}, y) > 0.95


def test_a_column_of_nothing_may_be_of_any_type() -> None:
    each_nothing: Any = [[None] * 3, np.full(3, np.nan), pl.Series([None] * 3, dtype=pl.String)]
    for nothing in each_nothing:
        for kind in KINDS:
            table, y = every_kind()
            fitted = model().fit(table, y)
            few = rows_of(table, range(3)) | {kind: nothing}
            others = {name: column for name, column in few.items() if name != kind}
            with pytest.warns(UserWarning, match=f"missing from the table, treated as missing in every row: '{kind}'"):
                expected = fitted.predict_log_proba(others)
            np.testing.assert_array_equal(fitted.predict_log_proba(few), expected)
            before = fitted.statistics_[kind]
            assert fitted.partial_fit(few, y[:3]).statistics_[kind] == before
            np.testing.assert_allclose(fitted.forget(few, y[:3]).predict_log_proba(few), expected, rtol=0, atol=1e-9)
            held_out = fitted.leave_one_out(few, y[:3])
            with pytest.warns(UserWarning, match="missing from the table"):
                np.testing.assert_array_equal(held_out, fitted.leave_one_out(others, y[:3]))


def test_a_column_without_a_value_left_is_as_before_its_first() -> None:
    rows, y = {"a": [1.5, 2.5, None], "b": [1, 2, 3]}, [0, 1, 1]
    rest = NaiveBayes().fit(rows, y).forget({"a": [1.5, 2.5], "b": [1, 2]}, [0, 1])
    assert type(rest.columns_["a"]).__name__ == "Unknown"
    assert rest.classes_.tolist() == [1]
    assert rest.partial_fit({"a": ["x", "y"], "b": [1, 2]}, [1, 1]).columns_["a"].word == "categorical"
