"""What users get wrong, and the one sentence that tells them."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import sparse

import suffice as sf

COUNTS: Any = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 2.0, 0.0], [1.0, 1.0, 1.0]])
LABELS = np.array([0, 1, 0, 1])
MODELS = [
    sf.BernoulliNB,
    sf.CategoricalNB,
    sf.ComplementNB,
    sf.DirichletMultinomialNB,
    sf.GaussianNB,
    sf.MultinomialNB,
    sf.PoissonNB,
]


def spoiled(value: float, layout: Any = np.asarray) -> Any:
    X = COUNTS.copy()
    X[2, 1] = value
    return layout(X)


@pytest.mark.parametrize("model", MODELS)
def test_a_missing_value_names_the_model_that_takes_it(model: Any) -> None:
    fitted = model().fit(COUNTS, LABELS)
    for call in (fitted.predict, fitted.predict_proba, lambda X: model().fit(X, LABELS)):
        with pytest.raises(ValueError, match=r"Input X contains NaN\. .* NaiveBayes accepts missing values"):
            call(spoiled(np.nan))
        with pytest.raises(ValueError, match="infinity"):
            call(spoiled(np.inf))
    np.testing.assert_array_equal(fitted.class_count_, [2, 2])


@pytest.mark.parametrize(
    "model", [sf.BernoulliNB, sf.ComplementNB, sf.DirichletMultinomialNB, sf.MultinomialNB, sf.PoissonNB]
)
def test_the_same_for_sparse_rows(model: Any) -> None:
    with pytest.raises(ValueError, match="NaiveBayes accepts missing values"):
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
    assert [list(values) for values in model.categories_ or ()] == [["blue", "red"], ["L", "S"]]
    assert model.predict(frame).tolist() == [0, 1, 0]
    assert model.predict(frame.assign(colour="green")).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "labels", [np.array([-100, 100, 0, 0], np.int8), np.array([2**63, 2**63 + 1, 2**63, 2**63], np.uint64)]
)
def test_labels_at_the_ends_of_their_type(labels: Any) -> None:
    model = sf.GaussianNB().fit(COUNTS, labels)
    np.testing.assert_array_equal(model.classes_, np.unique(labels))
    assert set(model.predict(COUNTS)) <= set(labels.tolist())


@pytest.mark.parametrize("model", [sf.BernoulliNB, sf.ComplementNB, sf.MultinomialNB, sf.PoissonNB])
def test_alpha_changed_after_the_fit_changes_nothing(model: Any) -> None:
    alpha = np.ones(3)
    fitted, expected = model(alpha=alpha).fit(COUNTS, LABELS), model(alpha=np.ones(3)).fit(COUNTS, LABELS)
    alpha[:] = 1000
    np.testing.assert_array_equal(fitted.predict_proba(COUNTS), expected.predict_proba(COUNTS))
    for bad in ([1, np.nan, 1], [[1, 1, 1]] * 3):
        with pytest.raises(ValueError, match="'alpha' parameter"):
            model(alpha=bad).fit(COUNTS, LABELS)


def test_a_threshold_that_float32_cannot_hold() -> None:
    X = np.array([[0.1, 0.3], [0.2, 0.1], [0.5, 0.1], [0.1, 0.1]], np.float32)
    for rows in (X, sparse.csr_matrix(X)):
        np.testing.assert_array_equal(
            sf.BernoulliNB(binarize=0.1).fit(rows, LABELS).feature_count_, np.array([[1.0, 1.0], [1.0, 0.0]])
        )


def test_codes_that_came_as_objects() -> None:
    X = np.array([[1, 0], [0, 2], [1, 1], [0, 0]])
    model = sf.CategoricalNB().fit(X.astype(object), LABELS)
    assert model.n_categories_.tolist() == [2, 3]
    assert model.predict(X.astype(object)).tolist() == model.predict(X).tolist()


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
