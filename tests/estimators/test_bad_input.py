"""What users get wrong, and the one sentence that tells them."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import sparse

import suffice as sf

COUNTS: Any = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 2.0, 0.0], [1.0, 1.0, 1.0]])
LABELS = np.array([0, 1, 0, 1])
MODELS = [sf.BernoulliNB, sf.CategoricalNB, sf.ComplementNB, sf.GaussianNB, sf.MultinomialNB, sf.PoissonNB]


def spoiled(value: float, layout: Any = np.asarray) -> Any:
    X = COUNTS.copy()
    X[2, 1] = value
    return layout(X)


@pytest.mark.parametrize("model", MODELS)
def test_a_missing_value_names_the_model_that_will_take_it(model: Any) -> None:
    fitted = model().fit(COUNTS, LABELS)
    for call in (fitted.predict, fitted.predict_proba, lambda X: model().fit(X, LABELS)):
        with pytest.raises(ValueError, match=r"Input X contains NaN\. .* NaiveBayes will accept missing values"):
            call(spoiled(np.nan))
        with pytest.raises(ValueError, match="infinity"):
            call(spoiled(np.inf))
    np.testing.assert_array_equal(fitted.class_count_, [2, 2])


@pytest.mark.parametrize("model", [sf.BernoulliNB, sf.ComplementNB, sf.MultinomialNB, sf.PoissonNB])
def test_the_same_for_sparse_rows(model: Any) -> None:
    with pytest.raises(ValueError, match="NaiveBayes will accept missing values"):
        model().fit(spoiled(np.nan, sparse.csr_matrix), LABELS)
    if model is not sf.BernoulliNB:
        with pytest.raises(ValueError, match="Negative values in data passed to"):
            model().fit(COUNTS, LABELS).predict(spoiled(-1, sparse.csr_matrix))


def test_other_columns_are_named() -> None:
    frame = pd.DataFrame(COUNTS, columns=["red", "green", "blue"])
    model = sf.MultinomialNB().fit(frame, LABELS)
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- brown.*missing:\n- blue"):
        model.predict(frame.rename(columns={"blue": "brown"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(COUNTS)


def test_text_where_numbers_are_needed() -> None:
    for model in (sf.GaussianNB(), sf.MultinomialNB(), sf.BernoulliNB(), sf.PoissonNB()):
        with pytest.raises(ValueError, match="numeric"):
            model.fit([["a", "b"], ["c", "d"]], [0, 1])


def test_categories_of_a_frame() -> None:
    frame = pd.DataFrame({"colour": pd.Categorical(["red", "blue", "red"]), "size": ["S", "L", "S"]})
    model = sf.CategoricalNB().fit(frame, [0, 1, 0])
    assert [list(values) for values in model.categories_] == [["blue", "red"], ["L", "S"]]
    assert model.predict(frame).tolist() == [0, 1, 0]
    assert model.predict(frame.assign(colour="green")).tolist() == [0, 1, 0]


@pytest.mark.parametrize("labels", [[3, -2, 3, 7], ["b", "a", "b", "c"], [True, False, True, True], [2**40, 0, 1, 1]])
def test_labels_of_any_kind(labels: Any) -> None:
    y = np.array(labels)
    for kind in [y.dtype] if y.dtype.kind != "i" or y.max() > 100 else [np.int64, np.int8, np.int32]:
        model = sf.MultinomialNB().fit(COUNTS, y.astype(kind))
        classes, counts = np.unique(y.astype(kind), return_counts=True)
        np.testing.assert_array_equal(model.classes_, classes)
        assert model.classes_.dtype == classes.dtype
        np.testing.assert_array_equal(model.class_count_, counts)


def test_labels_that_are_no_classes() -> None:
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        sf.MultinomialNB().fit(COUNTS, [0.1, 0.2, 0.3, 0.4])
