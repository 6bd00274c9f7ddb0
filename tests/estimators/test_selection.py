"""SelectInformative in scikit-learn's company."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from refusals import refused

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 3, 200)
X = RNG.poisson(0.5, (200, 12))
X[:, [2, 7, 9]] += np.column_stack([Y == 0, Y == 1, 2 * Y])


def each_check(estimator: Any, check: Any) -> None:
    check(estimator)


test_estimator_checks: Any = parametrize_with_checks([sf.SelectInformative(k=1)])(each_check)


@pytest.mark.parametrize(
    "estimator",
    [None, sf.BernoulliNB(binarize=1.0), sf.CategoricalNB(), sf.ComplementNB(), sf.MultinomialNB(), sf.PoissonNB()],
    ids=str,
)
def test_keeps_what_tells(estimator: Any) -> None:
    keep = sf.SelectInformative(k=3, estimator=estimator).fit(X, Y)
    counter = (sf.BernoulliNB() if estimator is None else clone(estimator)).fit(X, Y)
    expected = np.sort(np.argsort(-sf.mutual_information(counter).by_feature, kind="stable")[:3])
    assert keep.get_support(indices=True).tolist() == expected.tolist()
    np.testing.assert_array_equal(keep.transform(X), X[:, expected])
    assert keep.get_feature_names_out().tolist() == [f"x{j}" for j in expected]
    back = keep.inverse_transform(keep.transform(X))
    np.testing.assert_array_equal(back[:, expected], X[:, expected])
    assert back.sum() == X[:, expected].sum()


def test_the_default_finds_the_planted_columns() -> None:
    assert sf.SelectInformative(k=3).fit(X, Y).get_support(indices=True).tolist() == [2, 7, 9]


def test_sparse_equals_dense_and_stays_sparse() -> None:
    dense = sf.SelectInformative(k=4).fit_transform(X, Y)
    for layout in (sparse.csr_matrix, sparse.csc_array):
        thin = sf.SelectInformative(k=4).fit_transform(layout(X), Y)
        assert sparse.issparse(thin)
        np.testing.assert_array_equal(thin.toarray(), dense)


def test_frames_and_categories_by_name() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"noise": ["u", "v"] * 4, "size": [1.5, 2.5] * 4, "colour": ["red"] * 4 + ["blue"] * 4})
    keep = sf.SelectInformative(k=1, estimator=sf.CategoricalNB()).set_output(transform="pandas")
    assert keep.fit_transform(frame, [0] * 4 + [1] * 4).columns.tolist() == ["colour"]
    assert keep.information_.top(1)[0][0] == "colour"
    assert keep.get_feature_names_out().tolist() == ["colour"]


def test_words_of_a_sparse_bag_by_name(tmp_path: Path) -> None:
    words = [f"word{j}" for j in range(12)]
    keep = sf.SelectInformative(k=3, feature_names=words).fit(sparse.csr_array(X), Y)
    plain = sf.SelectInformative(k=3).fit(sparse.csr_array(X), Y)
    assert keep.get_feature_names_out().tolist() == ["word2", "word7", "word9"]
    assert keep.get_feature_names_out([f"w{j}" for j in range(12)]).tolist() == ["w2", "w7", "w9"]
    assert keep.information_.top(12) == [(words[j], value) for j, value in plain.information_.top(12)]
    assert "in nats:\n  word9 " in repr(keep.information_)
    sf.save(keep, tmp_path / "keep.suffice")
    again = sf.load(tmp_path / "keep.suffice")
    assert again.get_feature_names_out().tolist() == ["word2", "word7", "word9"]
    assert again.information_.top(12) == keep.information_.top(12)
    with refused(ValueError, "feature_names", must="be a list of 12 names, one per column", got="2 names"):
        sf.SelectInformative(k=3, feature_names=["a", "b"]).fit(X, Y)


def test_in_scikit_learns_company() -> None:
    pipeline = make_pipeline(sf.SelectInformative(k=3), sf.MultinomialNB())
    grid = GridSearchCV(pipeline, {"selectinformative__k": [1, 3, 12]}, cv=3).fit(X, Y)
    assert grid.best_params_["selectinformative__k"] in (3, 12)
    weights = np.arange(200) % 3
    weighed = sf.SelectInformative(k=3).fit(X, Y, sample_weight=weights)
    repeated = sf.SelectInformative(k=3).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    np.testing.assert_array_equal(weighed.information_.by_feature, repeated.information_.by_feature)
    vectorized = make_pipeline(sf.CountVectorizer(), sf.SelectInformative(k=1), sf.BernoulliNB())
    vectorized.fit(["tea now", "tea then", "rum now", "rum then"], [0, 0, 1, 1])
    assert vectorized[:-1].get_feature_names_out().tolist() == ["rum"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 0}, "'k' parameter of SelectInformative must be an int in the range [1, inf). Got 0 instead"),
        ({"k": 13}, "'k' parameter of SelectInformative must be at most n_features = 12"),
        ({"k": 2.5}, "must be an int"),
        ({"k": 1, "estimator": sf.GaussianDiscriminant()}, "that scores each feature; got GaussianDiscriminant"),
        ({"k": 1, "estimator": sf.TextClassifier()}, "'estimator' parameter of SelectInformative must be"),
    ],
)
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    keep = sf.SelectInformative(k=2).fit(X, Y)
    before = keep.get_support()
    with pytest.raises((ValueError, TypeError)) as caught:
        clone(keep).set_params(**options).fit(X, Y)
    assert words in str(caught.value)
    with pytest.raises((ValueError, TypeError)):
        keep.set_params(**options).fit(X, Y)
    np.testing.assert_array_equal(keep.set_params(k=2).get_support(), before)
