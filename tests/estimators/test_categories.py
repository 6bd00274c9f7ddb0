"""Categories that are given: what is counted, refused, kept, merged and forgotten."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from sklearn import naive_bayes as peers
from sklearn.base import clone
from sklearn.preprocessing import OrdinalEncoder

import suffice as sf

FACES: list[Any] = [[1, "red"], [3, "red"], [3, "blue"], [5, "red"]]
Y = ["fair", "loaded", "loaded", "fair"]
GIVEN: list[Any] = [range(1, 7), ["red", "green", "blue"]]


def objects(rows: list[Any]) -> Any:
    return np.array(rows, object)


X = objects(FACES)


def model() -> Any:
    return sf.CategoricalNB(categories=GIVEN)


def test_every_category_that_is_given_counts_seen_or_not() -> None:
    fitted = model().fit(X, Y)
    assert fitted.n_categories_.tolist() == [6, 3]
    assert fitted.category_count_[0].tolist() == [[1, 0, 0, 0, 1, 0], [0, 0, 2, 0, 0, 0]]
    assert [values.tolist() for values in fitted.categories_] == [[1, 2, 3, 4, 5, 6], ["blue", "green", "red"]]


def test_it_equals_scikit_learn_behind_its_encoder() -> None:
    encoder = OrdinalEncoder(categories=[list(values) for values in GIVEN]).fit(X)
    theirs = peers.CategoricalNB(min_categories=[6, 3]).fit(encoder.transform(X).astype(int), Y)
    new = np.array([[2, "green"], [6, "blue"], [3, "red"]], object)
    expected = theirs.predict_proba(encoder.transform(new).astype(int))
    np.testing.assert_allclose(model().fit(X, Y).predict_proba(new), expected, rtol=1e-12)


def test_without_them_codes_count_from_zero_as_in_scikit_learn() -> None:
    faces = np.array([[1], [6], [6]])
    ours, theirs = sf.CategoricalNB().fit(faces, Y[:3]), peers.CategoricalNB().fit(faces, Y[:3])
    assert ours.n_categories_.tolist() == theirs.n_categories_.tolist() == [7]


def test_parts_merge_and_are_forgotten() -> None:
    whole = model().fit(X, Y)
    parts = model().fit(X[:2], Y[:2]) + model().fit(X[2:], Y[2:])
    batches = model().partial_fit(X[:2], Y[:2], classes=["fair", "loaded"]).partial_fit(X[2:], Y[2:])
    one_more = [6, "green"]
    forgetful = model().fit(objects([*FACES, one_more]), [*Y, "fair"]).forget(objects([one_more]), ["fair"])
    for other in (parts, batches, forgetful):
        assert [counts.tolist() for counts in other.category_count_] == [
            counts.tolist() for counts in whole.category_count_
        ]
        assert other.n_categories_.tolist() == [6, 3]


def test_they_are_kept_in_files_and_copies(tmp_path: Path) -> None:
    fitted = model().fit(X, Y)
    sf.save(fitted, tmp_path / "dice.suffice")
    loaded = sf.load(tmp_path / "dice.suffice")
    np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    again = clone(loaded).fit(X, Y)
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize(
    ("rows", "categories", "words"),
    [
        ([[1], [7]], [range(1, 7)], "only the values in 'categories'; got 7 in row 1, column 0"),
        ([["a"], ["b"]], [[1, 2]], "got 'a' in row 0, column 0"),
        ([[1], [2]], [range(1, 7), range(2)], "for each of 1 features.*; got 2"),
        ([[1], [2]], [[1, "a"]], r"texts or numbers.*; got \[1, 'a'\] for feature 0"),
        ([[1], [2]], [[]], r"texts or numbers.*; got \[\] for feature 0"),
        ([[1], [2]], [7], "texts or numbers.*; got 7 for feature 0"),
        ([[1], [2]], [[1, 1, 2]], "distinct categories"),
        ([[1.0], [2.0]], [[1.0, np.nan, 2.0]], "none of them missing"),
    ],
)
def test_what_cannot_be_is_refused(rows: Any, categories: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        sf.CategoricalNB(categories=categories).fit(rows, ["a", "b"])


def test_a_batch_with_an_unknown_category_changes_nothing() -> None:
    fitted = model().fit(X, Y)
    before = fitted.predict_proba(X)
    with pytest.raises(ValueError, match=r"got 9\.0 in row 0"):
        fitted.partial_fit(np.array([[9, "red"]], object), ["fair"])
    np.testing.assert_array_equal(fitted.predict_proba(X), before)
    assert np.isfinite(fitted.predict_proba(np.array([[9, "red"]], object))).all()


def test_both_ways_to_say_it_are_refused() -> None:
    with pytest.raises(ValueError, match="one of 'categories' and 'min_categories'"):
        sf.CategoricalNB(categories=GIVEN, min_categories=6).fit(X, Y)


def test_flags_stand_beside_pandas_categories() -> None:
    flags, words = [True, False, True, False], ["u", "v", "v", "u"]
    frame = pd.DataFrame({"flag": flags, "word": pd.Categorical(words)})
    plain = pd.DataFrame({"flag": flags, "word": pd.Series(words, dtype=object)})
    model, other = (sf.CategoricalNB().fit(given, [0, 1, 0, 1]) for given in (frame, plain))
    assert model.predict_proba(frame).tolist() == other.predict_proba(plain).tolist()
    assert model.categories_ is not None
    assert model.categories_[1].tolist() == ["u", "v"]
