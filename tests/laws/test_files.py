"""What is saved and loaded is the same model: it says the same, and goes on from where it was."""

from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws import weighed
from laws.estimators import EstimatorCase, every_kind_of_rows
from laws.inside import statistics
from laws.test_estimators import rows
from suffice.store import registry

Again = Callable[[Any], Any]


@pytest.fixture
def again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Again:
    """Save a model and load it."""
    for kind in (weighed.Texts, weighed.Counts, weighed.Columns):
        monkeypatch.setitem(registry.ESTIMATORS, kind.__name__, kind)

    def there_and_back(model: Any) -> Any:
        sf.save(model, tmp_path / "model.suffice")
        return sf.load(tmp_path / "model.suffice")

    return there_and_back


def same(a: Any, b: Any, X: Any) -> None:
    assert type(a) is type(b)
    assert a.classes_.dtype == b.classes_.dtype
    np.testing.assert_array_equal(a.classes_, b.classes_)
    assert repr(a.get_params()) == repr(b.get_params())
    assert statistics(a) == statistics(b)
    assert (a.temper_, a.stale_) == (b.temper_, b.stale_)
    np.testing.assert_array_equal(a.predict_joint_log_proba(X), b.predict_joint_log_proba(X), strict=True)
    np.testing.assert_array_equal(a.predict_log_proba(X), b.predict_log_proba(X), strict=True)
    np.testing.assert_array_equal(a.predict(X), b.predict(X), strict=True)


@every_kind_of_rows
def test_it_is_the_same_model(case: EstimatorCase, again: Again) -> None:
    X, y = case.data(1, 80)
    model = clone(case.model).fit(X, y)
    loaded = again(model)
    same(model, loaded, X)
    same(model, again(loaded), X)
    np.testing.assert_array_equal(model.leave_one_out(X, y), loaded.leave_one_out(X, y), strict=True)
    one = X[0] if not isinstance(X, dict) else {name: column[0] for name, column in X.items()}
    assert repr(model.explain(one)) == repr(loaded.explain(one))


@every_kind_of_rows
def test_it_goes_on_learning_merging_and_forgetting(case: EstimatorCase, again: Again) -> None:
    X, y = case.data(2, 90)
    first, last = np.arange(60), np.arange(60, 90)
    model, other = (clone(case.model).fit(rows(X, part), y[part]) for part in (first, last))
    same(copy(model).partial_fit(rows(X, last), y[last]), again(model).partial_fit(rows(X, last), y[last]), X)
    same(model + other, again(model) + again(other), X)
    same((model + other) - other, again(model + other) - again(other), X)
    removed = rows(X, np.arange(20)), y[:20]
    same(copy(model).forget(*removed), again(model).forget(*removed), X)
    same(copy(model).decay(0.5), again(model).decay(0.5), X)


@every_kind_of_rows
def test_what_was_fitted_on_rows_is_kept_and_can_be_renewed(case: EstimatorCase, again: Again) -> None:
    X, y = case.data(3, 90)
    model = clone(case.model).set_params(temper="loo").fit(rows(X, np.arange(70)), y[:70])
    same(model, again(model), X)
    model.partial_fit(rows(X, np.arange(70, 90)), y[70:])
    assert again(model).stale_
    same(model, again(model), X)
    same(copy(model).refresh(X, y), again(model).refresh(X, y), X)


@every_kind_of_rows
def test_labels_keep_their_type(case: EstimatorCase, again: Again) -> None:
    for labels in (
        np.array([-1, 3, 7], np.int16),
        np.array([1.0, 2.0, 3.0], np.float32),
        np.array(["bb", "ä", "\U0001f600"]),
        np.array(["a", "b", "c"], object),
    ):
        X, y = case.data(4, 40, labels)
        model = clone(case.model).fit(X, y)
        same(model, again(model), X)
