"""What `partial_fit` promises: counts of one fit, however rows are cut; what rows chose is stale until renewed."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import LABELS, EstimatorCase, every_kind_of_rows, every_kind_without_weights, mixed, texts
from laws.inside import chosen, statistics
from laws.test_estimators import rows

CUTS = [[60], [37], [1, 2, 30, 110], list(range(20, 150, 20))]


def in_batches(model: Any, X: Any, y: Any, cuts: list[int]) -> Any:
    for part in np.split(np.arange(len(y)), cuts):
        model.partial_fit(rows(X, part), y[part], classes=LABELS)
    return model


@every_kind_of_rows
def test_batches_are_one_fit_once_refreshed(case: EstimatorCase) -> None:
    for cuts in CUTS:
        X, y = case.data(2, 150)
        model = clone(case.model).set_params(temper="loo")
        cuts = [cut for cut in cuts if case.lone or cut >= 20]  # some cannot choose anything by a single row
        once, batches = clone(model).fit(X, y), in_batches(clone(model), X, y, cuts)
        assert batches.stale_
        np.testing.assert_allclose(batches.class_count_, once.class_count_)
        batches.refresh(X, y)
        assert not batches.stale_
        np.testing.assert_allclose(batches.predict_log_proba(X), once.predict_log_proba(X), atol=1e-7)


@every_kind_without_weights
def test_where_nothing_is_chosen_batches_are_one_fit_at_once(case: EstimatorCase) -> None:
    X, y = case.data(3, 150)
    once = clone(case.model).fit(X, y)
    batches = in_batches(clone(case.model), X, y, CUTS[2])
    assert not chosen(batches)
    assert not batches.stale_
    np.testing.assert_allclose(batches.predict_log_proba(X), once.predict_log_proba(X), atol=1e-7)


@every_kind_of_rows
def test_the_docstring_promises_no_more(case: EstimatorCase) -> None:
    promise = " ".join(str(type(case.model).partial_fit.__doc__).split())
    assert "that of one fit" in promise
    assert "``stale_``" in promise
    assert "``refresh``" in promise
    assert "gives the same model" not in promise


@pytest.mark.parametrize(
    ("model", "make"), [(sf.TextClassifier(), texts), (sf.NaiveBayes(), mixed)], ids=["texts", "table"]
)
def test_at_the_defaults_batches_are_one_fit_only_once_refreshed(model: Any, make: Any) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 400)
    X, y = make(rng, 400, codes), LABELS[codes]
    once, batches = clone(model).fit(X, y), in_batches(clone(model), X, y, [130, 300])
    assert batches.stale_
    assert np.abs(batches.predict_proba(X) - once.predict_proba(X)).max() > 1e-3  # so nobody may promise more
    assert statistics(batches) == statistics(once) or isinstance(model, sf.NaiveBayes)
    batches.refresh(X, y)
    np.testing.assert_allclose(batches.predict_proba(X), once.predict_proba(X), atol=1e-7)
