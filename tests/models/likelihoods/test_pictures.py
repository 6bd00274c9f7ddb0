"""What families give to pictures: beliefs about features, and how columns are distributed in each class."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import suffice as sf
from suffice.estimators.texts.options import TextModel
from suffice.models.answers.ranking import believed, shown_columns

X = np.array([[2, 0, 1], [1, 1, 0], [3, 2, 0], [0, 1, 4], [1, 0, 3]])
Y = np.array(["a", "a", "a", "b", "b"])


def shown(model: Any, categories: Any = None) -> list[Any]:
    return list(shown_columns(model._predictor, 0.9, None, model._reader.by_block, categories))


def table(**columns: Any) -> dict[str, Any]:
    model = sf.NaiveBayes(columns={name: kind for name, (kind, _) in columns.items()}, temper=None, feature_powers=None)
    model.fit({name: values for name, (_, values) in columns.items()}, ["a", "a", "a", "b", "b"])
    return {one.name: one for one in shown(model)}


def test_beliefs_have_the_parameters_of_the_posterior() -> None:
    every = np.arange(3)
    for model, belief in (
        (sf.BernoulliNB(alpha=0.5), stats.beta([[3.5, 2.5, 1.5], [1.5, 1.5, 2.5]], [[0.5, 1.5, 2.5], [1.5, 1.5, 0.5]])),
        (sf.MultinomialNB(), stats.beta([[7, 4, 2], [2, 2, 8]], [[6, 9, 11], [10, 10, 4]])),
        (sf.PoissonNB(alpha=2.0), stats.gamma([[8, 5, 3], [3, 3, 9]], scale=1 / np.array([[5], [4]]))),
    ):
        found = believed(model.fit(X, Y)._predictor)
        assert found is not None
        np.testing.assert_allclose(found.mean(every), belief.mean())
        for end, theirs in zip(found.ends(every, 0.9), belief.interval(0.9), strict=True):
            np.testing.assert_allclose(end, theirs)
        assert found.most(0, 1) == [0]


def test_columns_and_numbers_are_no_features_of_one_kind() -> None:
    assert believed(sf.GaussianNB().fit(X, Y)._predictor) is None
    assert believed(sf.NaiveBayes().fit({"x": X[:, 0]}, Y)._predictor, None, True) is None


@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "complement", "dirichlet_multinomial"])
def test_features_are_called_by_their_words_or_buckets(model: TextModel) -> None:
    texts, labels = ["tea rum", "gin rye tea", "rum rum"], ["a", "b", "a"]
    words = believed(sf.TextClassifier(model).fit(texts, labels)._predictor)
    assert words is not None
    assert words.names.tolist() == ["gin", "rum", "rye", "tea"]
    assert words.sure == (model != "dirichlet_multinomial")
    buckets = believed(sf.TextClassifier(model, tokens=sf.Tokens(hash_bits=2)).fit(texts, labels)._predictor)
    assert buckets is not None
    assert buckets.names.tolist() == [f"bucket {i}" for i in range(4)]


def test_numbers_and_counts_are_curves() -> None:
    sizes, calls = [1.0, 2.0, 4.0, 7.0, 9.0], [0, 2, 1, 5, 7]
    prior, belief = sf.NormalInverseGamma(3, 1, 2, 4), sf.Gamma(2, 1)
    found = table(size=(sf.columns.Gaussian(prior), sizes), calls=(sf.columns.Poisson(belief), calls))
    size, after = found["size"].classes, prior.update(values=[1.0, 2.0, 4.0])
    assert size.shape == "curve"
    np.testing.assert_allclose(
        size.heights[0], stats.norm.pdf(size.values, after.mean.mean, np.sqrt(after.mean.variance))
    )
    assert size.in_words[0].startswith(f"mean {after.m:.4g} (")
    counts = found["calls"].classes
    assert counts.shape == "counts"
    np.testing.assert_allclose(counts.heights, stats.poisson.pmf(counts.values, [[5 / 4], [14 / 3]]))
    assert counts.heights.sum(axis=1) == pytest.approx(1, abs=1e-3)


def test_values_are_dots_with_intervals() -> None:
    notes = ["tea rum", "tea", "", "gin", "gin"]
    found = table(
        flag=("bernoulli", [True, True, False, False, False]),
        town=("categorical", ["Oslo", "Rome", "Oslo", "Rome", None]),
        age=(sf.columns.Histogram(edges=(10.0,)), [5.0, 6.0, 20.0, 30.0, 40.0]),
        note=("text", notes),
    )
    flag = found["flag"].classes
    assert flag.values.tolist() == ["True", "False"]
    np.testing.assert_allclose(flag.heights, [[3 / 5, 2 / 5], [1 / 4, 3 / 4]])
    np.testing.assert_allclose([end[0, 1] for end in flag.ends or ()], stats.beta(2, 3).interval(0.9))
    town = found["town"].classes
    assert town.values.tolist() == ["Oslo", "Rome", "(other)"]
    np.testing.assert_allclose(town.heights, [[3 / 6, 2 / 6, 1 / 6], [1 / 4, 2 / 4, 1 / 4]])
    assert len(found["age"].classes.values) == 2
    note = found["note"].classes
    assert note.values.tolist() == ["gin", "rum", "tea"]
    assert not note.exclusive
    np.testing.assert_allclose(note.heights, [[1 / 6, 2 / 6, 3 / 6], [3 / 5, 1 / 5, 1 / 5]])


def test_columns_of_a_matrix_have_codes_or_the_categories_they_stand_for() -> None:
    names = np.array([["u", "x"], ["v", "y"], ["u", "x"], ["w", "y"], ["w", "y"]], dtype=object)
    model = sf.CategoricalNB().fit(names, Y)
    first, second = shown(model, model._reader.categories)
    assert first.classes.values.tolist() == ["u", "v", "w"]
    assert shown(model)[1].classes.values.tolist() == [0, 1]
    np.testing.assert_allclose(second.classes.heights, np.exp(model.feature_log_prob_[1]))
    low, high = model.feature_interval(0.9)
    np.testing.assert_allclose(second.classes.ends, [low[1], high[1]])


def test_a_column_without_words_or_with_one_category() -> None:
    found = table(note=("text", ["!"] * 5), town=(sf.columns.Categorical(other=0), ["Oslo"] * 5))
    assert found["note"].classes.heights.shape == (2, 0)
    np.testing.assert_array_equal(found["town"].classes.heights, [[1.0], [1.0]])
