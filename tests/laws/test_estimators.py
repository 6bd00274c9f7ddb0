"""Laws of classifiers, said once, over all of them: what was learned adds, subtracts and fades."""

from copy import copy
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import suffice as sf
from laws.estimators import ESTIMATORS, LABELS, EstimatorCase, every_estimator
from laws.inside import statistics
from suffice.errors import DataError, InputError, KindError, LabelError, SubtractionError
from suffice.estimators.shell.classifier import Classifier
from suffice.store import registry

seeds = pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.thorough) for k in (1, 2))])


def fitted(case: EstimatorCase, X: Any, y: Any, **kwargs: Any) -> Any:
    return clone(case.model).fit(X, y, **kwargs)


def rows(X: Any, which: Any) -> Any:
    """Return a subset of the rows of anything that holds rows."""
    if isinstance(X, dict):
        return {name: [values[i] for i in which] for name, values in X.items()}
    return [X[i] for i in which] if isinstance(X, list) else X[which]


def assert_same(case: EstimatorCase, got: Any, expected: Any, X: Any, exact: bool | None = None) -> None:
    """Check that classes, statistics (to the bit, if they are counts) and predictions are the same."""
    assert np.array_equal(got.classes_, expected.classes_)
    if case.exact if exact is None else exact:
        mine, theirs = statistics(got), statistics(expected)
        assert all(mine[name] == theirs[name] for name in mine)
        assert np.array_equal(got.predict_log_proba(X), expected.predict_log_proba(X))
    np.testing.assert_allclose(got.predict_log_proba(X), expected.predict_log_proba(X), rtol=1e-9, atol=1e-9)


@every_estimator
@seeds
def test_merge_is_a_fit_on_the_union(case: EstimatorCase, seed: int) -> None:
    X, y = case.data(seed, 60)
    first, second = np.arange(0, 25), np.arange(25, 60)
    a, b = (fitted(case, rows(X, part), y[part]) for part in (first, second))
    whole = fitted(case, X, y)
    assert_same(case, a + b, whole, X)
    assert_same(case, b + a, whole, X)
    assert_same(case, sf.merge([a, b]), whole, X)
    again = np.concatenate([np.arange(60), first])
    assert_same(case, sf.merge([a, b, a]), fitted(case, rows(X, again), y[again]), X)
    assert_same(case, sum([a, b]), whole, X)
    assert_same(case, copy(a).merge(b), whole, X)


@every_estimator
@seeds
def test_classes_are_united_by_name(case: EstimatorCase, seed: int) -> None:
    X, y = case.data(seed, 60)
    parts = [np.flatnonzero(np.isin(y, some)) for some in (["a", "c"], ["b"])]
    a, b = (fitted(case, rows(X, part), y[part]) for part in parts)
    assert_same(case, a + b, fitted(case, X, y), X)


@every_estimator
@seeds
def test_what_is_forgotten_was_never_seen(case: EstimatorCase, seed: int) -> None:
    X, y = case.data(seed, 90)
    kept, removed = np.arange(0, 45), np.arange(45, 90)
    model, never = fitted(case, X, y), fitted(case, rows(X, kept), y[kept])
    assert_same(case, model - fitted(case, rows(X, removed), y[removed]), never, X)
    assert_same(case, model.forget(rows(X, removed), y[removed]), never, X)


@every_estimator
def test_a_class_without_rows_is_removed_unless_it_was_declared(case: EstimatorCase) -> None:
    X, y = case.data(5, 60)
    removed = np.flatnonzero(y == "c")
    assert fitted(case, X, y).forget(rows(X, removed), y[removed]).classes_.tolist() == ["a", "b"]
    declared = clone(case.model).partial_fit(X, y, classes=LABELS).forget(rows(X, removed), y[removed])
    assert declared.classes_.tolist() == ["a", "b", "c"]
    assert declared.class_count_[2] == 0


@every_estimator
def test_forgetting_everything_leaves_an_unfitted_model(case: EstimatorCase) -> None:
    X, y = case.data(6, 30)
    model = fitted(case, X, y).forget(X, y)
    assert not hasattr(model, "classes_")
    model.fit(X, y)


@every_estimator
def test_what_was_not_learned_cannot_be_forgotten(case: EstimatorCase) -> None:
    X, y = case.data(7, 30)
    model = fitted(case, X, y)
    before = model.predict_log_proba(X)
    with pytest.raises(SubtractionError):
        model.forget(rows(X, [0, 0, 0, 0] * 20), np.repeat(y[:1], 80))
    with pytest.raises(SubtractionError, match="'z'"):
        model.forget(rows(X, [0]), ["z"])
    assert np.array_equal(model.predict_log_proba(X), before)
    assert_same(case, model, fitted(case, X, y), X)


@every_estimator
def test_decay_is_a_smaller_weight_of_all_rows(case: EstimatorCase) -> None:
    X, y = case.data(8, 40)
    half = fitted(case, X, y, sample_weight=np.full(40, 0.5))
    assert_same(case, fitted(case, X, y).decay(0.5), half, X, exact=False)
    assert_same(case, fitted(case, X, y).decay(1), fitted(case, X, y), X)
    for wrong in (0, -1, 1.5, "half", float("nan")):
        with pytest.raises(InputError, match="factor"):
            fitted(case, X, y).decay(wrong)


@every_estimator
def test_models_that_count_otherwise_do_not_mix(case: EstimatorCase) -> None:
    X, y = case.data(9, 30)
    a = fitted(case, X, y)
    other = {"class_prior": [0.2, 0.3, 0.5]} if "class_prior" in a.get_params() else {"priors": [0.2, 0.3, 0.5]}
    b = clone(case.model).set_params(**other).fit(X, y)
    with pytest.raises(InputError, match=next(iter(other))):
        a + b
    with pytest.raises(KindError, match="another one"):
        a.merge(sf.GaussianNB().fit([[1.0], [2.0]], [0, 1]) if not isinstance(a, sf.GaussianNB) else sf.BernoulliNB())
    numbers = fitted(case, X, np.searchsorted(LABELS, y))
    with pytest.raises(InputError, match="labels"):
        a + numbers
    assert_same(case, a, fitted(case, X, y), X)


def test_every_classifier_is_registered() -> None:
    found, queue = set[type](), [Classifier]
    while queue:
        below = [kind for kind in queue.pop().__subclasses__() if kind.__module__.startswith("suffice.")]
        queue += below
        found |= {kind for kind in below if kind.__name__ in sf.__all__}
    registered = {type(case.model) for case in ESTIMATORS}
    assert found == {kind for kind in registered if kind.__module__.startswith("suffice.")}


@pytest.mark.parametrize("wrong", [[1, 2], 3, [None], [np.ones(2)], "ab"])
def test_only_classifiers_are_merged(wrong: Any) -> None:
    with pytest.raises(KindError, match="list of fitted classifiers"):
        sf.merge(wrong)
    with pytest.raises(NotFittedError):
        sf.merge([sf.BernoulliNB()])


def test_labels_that_would_become_one_are_not_merged() -> None:
    large, small = np.array([2**63 + 1, 2**63 + 2], np.uint64), np.array([1, 2])
    a, b = (sf.GaussianNB().fit([[1.0], [2.0]], labels) for labels in (large, small))
    with pytest.raises(LabelError, match="uint64 labels that float64 cannot tell apart"):
        sf.merge([b, a])
    assert b.class_count_.tolist() == [1, 1]


def test_numbers_are_the_same_parameter_whatever_their_type() -> None:
    one, other = (sf.MultinomialNB(alpha=alpha).fit([[1, 2], [2, 1]], [0, 1]) for alpha in (2, np.float64(2)))
    assert (one + other).class_count_.tolist() == [2, 2]


def test_texts_and_labels_must_be_as_many() -> None:
    texts = ["one two", "two three", "three four"]
    for model in ("multinomial", "bernoulli", "complement", "edcm"):
        text = sf.TextClassifier(model=model, temper=None).fit(texts, ["a", "a", "b"])
        with pytest.raises(LabelError, match="one label per text, 3; got 2"):
            text.leave_one_out(texts, ["a", "a"])
        with pytest.raises(DataError, match="got none"):
            text.forget([], [])
        nobody: Any = [None] * 3
        with pytest.raises(LabelError, match="groups"):
            text.leave_one_out(texts, ["a", "a", "b"], groups=nobody)


def test_one_row_is_a_dict_or_a_series_wherever_explain_takes_it() -> None:
    pd = pytest.importorskip("pandas")
    numbers = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 5, "b": [1.0, 2.0, 1.0, 2.0] * 5})
    table, y = numbers.assign(b=["x", "y"] * 10), np.arange(20) % 2
    fitted: list[tuple[Any, Any, Any]] = [
        (sf.NaiveBayes().fit(table, y), table, table),
        (sf.GaussianNB().fit(numbers, y), numbers, numbers),
        (sf.SemiSupervised(sf.GaussianNB()).fit(numbers, y), numbers, numbers),
        (sf.Mixture(sf.GaussianNB(), random_state=0).fit(numbers), numbers, numbers),
        (sf.GaussianNB().fit(numbers.to_numpy(), y), numbers, numbers.to_numpy()),
    ]
    asked = ["predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "score_samples", "decide"]
    for model, frame, rows in fitted:
        for name in [name for name in asked if hasattr(model, name)]:
            expected = getattr(model, name)(rows[2:3])
            for row in (frame.iloc[2], frame.iloc[2].to_dict()):
                np.testing.assert_array_equal(getattr(model, name)(row), expected)
    with pytest.raises(TypeError, match="got a Series"):
        fitted[0][0].predict(table["a"])


def test_parameters_of_other_libraries_are_refused_with_those_that_are_known() -> None:
    for kind in registry.ESTIMATORS.values():
        with pytest.raises(sf.errors.KeywordError, match=r"takes the arguments .*'class_weight'\. Weigh rows by"):
            kind(class_weight="balanced")
