"""What is fitted on rows stays in force while counts change, is stale then, and is that of a fresh fit once renewed."""

from copy import copy
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import suffice as sf
from laws import weighed
from laws.estimators import (
    ESTIMATORS,
    EstimatorCase,
    every_kind_of_rows,
    every_kind_without_weights,
    one_of_each_kind,
)
from laws.test_estimators import rows
from suffice.errors import InputError
from suffice.models.scoring.cells import Temper


def tempered(case: EstimatorCase) -> Any:
    return clone(case.model).set_params(temper="loo")


def left_out(model: Any, X: Any, y: Any) -> float:
    """Return the log loss of rows, each left out, with the views in force."""
    return sf.evaluate.leave_one_out(model, X, y, views="fixed").log_loss


def same(a: Any, b: Any, X: Any) -> None:
    assert a.temper_.power == pytest.approx(b.temper_.power, rel=1e-9)
    np.testing.assert_allclose(a.predict_log_proba(X), b.predict_log_proba(X), rtol=0, atol=1e-9)


@every_kind_without_weights  # which come after it
def test_the_power_is_that_of_least_leave_one_out_log_loss(case: EstimatorCase) -> None:
    X, y = case.data(1, 120)
    model = tempered(case).fit(X, y)
    found = left_out(model, X, y)
    assert not model.stale_

    def loss(power: float) -> float:
        given = {"length_exponent": model.temper_.length} if "length_exponent" in case.model.get_params() else {}
        other = clone(case.model).set_params(temper=power, **given).fit(X, y)
        return float(left_out(other, X, y) + (1 - power / typical) ** 2 / 2 / len(y))

    powers = np.ravel(model._predictor.powers(next(model._reader.parts(model._source(X)))))  # a·n^−γ of each row
    typical = float(np.exp(np.log(model.temper_.power / powers[powers > 0]).mean()))
    most = min(1.0, float(np.log(typical / model.temper_.power)))  # it only cools
    best = minimize_scalar(lambda t: loss(model.temper_.power * np.exp(t)), bounds=(-1, most), method="bounded")
    assert loss(model.temper_.power) == pytest.approx(best.fun, abs=1e-6)
    plain = clone(case.model).set_params(temper=None).fit(X, y)
    assert found < left_out(plain, X, y) + 1e-9


@every_kind_of_rows
def test_batches_leave_it_stale_until_it_is_renewed(case: EstimatorCase) -> None:
    X, y = case.data(2, 90)
    first, last = np.arange(50), np.arange(50, 90)
    model = tempered(case).fit(rows(X, first), y[first])
    before = model.temper_
    model.partial_fit(rows(X, last), y[last])
    assert model.stale_
    assert model.temper_ == before
    same(model.refresh(X, y), tempered(case).fit(X, y), X)
    assert not model.stale_


@every_kind_of_rows
def test_merging_takes_that_of_the_larger_model(case: EstimatorCase) -> None:
    X, y = case.data(3, 90)
    few, many = np.arange(30), np.arange(30, 90)
    a, b = (tempered(case).fit(rows(X, part), y[part]) for part in (few, many))
    for both in (a + b, b + a):
        assert both.temper_ == b.temper_
        assert both.stale_
        same(both.refresh(X, y), tempered(case).fit(X, y), X)
    assert not a.stale_


@every_kind_of_rows
def test_a_trace_of_what_is_forgotten_can_be_dropped(case: EstimatorCase) -> None:
    X, y = case.data(4, 90)
    kept, removed = np.arange(60), np.arange(60, 90)
    model = tempered(case).fit(X, y)
    traced = copy(model).forget(rows(X, removed), y[removed])
    assert traced.temper_ == model.temper_
    assert traced.stale_
    clean = copy(model).forget(rows(X, removed), y[removed], drop_views=True)
    given = case.model.get_params().get("length_exponent")  # a parameter; what was learned is dropped
    assert clean.temper_ == Temper(length=given if isinstance(given, float) else 0.0)
    assert not clean.stale_
    never = tempered(case).fit(rows(X, kept), y[kept])
    same(traced.refresh(rows(X, kept), y[kept]), never, X)
    assert copy(model).decay(0.5).stale_


def test_a_stream_is_read_once_and_tempered_by_texts_that_were_kept() -> None:
    texts, labels = ["spam eggs", "ham eggs", "spam ham", "ham spam eggs"] * 5, [0, 1, 0, 1, 1, 0, 1, 0, 0, 1] * 2
    stream, whole = sf.TextClassifier().fit(iter(texts), labels), sf.TextClassifier().fit(texts, labels)
    assert stream.temper_ == whole.temper_ != Temper()


def test_few_rows_do_not_make_it_certain() -> None:
    model = sf.NaiveBayes().fit({"x": [0.0, 0.1, 0.2, 9.0, 9.1, 9.2]}, [0, 0, 0, 1, 1, 1])
    assert 0.01 < model.temper_.power < 10


def test_what_is_no_temper() -> None:
    cases: Any = [0, -1, "often", np.nan, (1.0, 2.0, 3.0), (0.5, 1.0), [0.5], ("a", 1)]
    for wrong in cases:
        with pytest.raises((InputError, ValueError), match="temper"):
            sf.BernoulliNB(temper=wrong).fit([[0], [1]], [0, 1]).predict([[0]])


def test_the_class_prior_is_not_tempered() -> None:
    model = sf.BernoulliNB(temper=1e-9).fit([[0], [1], [1]], [0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1]]), [[1 / 3, 2 / 3]], atol=1e-8)


COUNTED = [case for case in ESTIMATORS if "alpha" in case.model.get_params() and not isinstance(case.model.alpha, str)]
COUNTED = [case for case in COUNTED if "urns" not in case.name and "Dirichlet" not in case.name]
COUNTED = [case for case in COUNTED if not isinstance(case.model, weighed.Held)]  # weights are chosen after it


@pytest.mark.parametrize("case", one_of_each_kind(COUNTED), ids=str)
def test_the_pseudo_count_is_that_of_least_leave_one_out_log_loss(case: EstimatorCase) -> None:
    X, y = case.data(7, 120)
    model = clone(case.model).set_params(alpha="loo").fit(X, y)
    assert 1e-5 <= model.alpha_ <= 10
    found = left_out(model, X, y)
    assert found == pytest.approx(fitted_loss(case, X, y, model.alpha_), rel=1e-12)
    for alpha in np.geomspace(1e-4, 9, 12).tolist():
        assert found + prior_of(model.alpha_) <= fitted_loss(case, X, y, alpha) + prior_of(alpha) + 1e-3
    model.partial_fit(rows(X, np.arange(10)), y[:10])
    assert model.stale_
    assert model.alpha_ == clone(case.model).set_params(alpha="loo").fit(X, y).alpha_


def prior_of(alpha: float) -> float:
    """Return what the prior of the pseudo-count adds to the mean loss of 120 rows."""
    return float((np.log(alpha) / 2) ** 2 / 2 / 120)


def fitted_loss(case: EstimatorCase, X: Any, y: Any, alpha: float) -> float:
    other = clone(case.model).set_params(alpha=alpha).fit(X, y)
    return float(left_out(other, X, y))


def test_urns_that_have_seen_a_document_cannot_judge_it() -> None:
    with pytest.raises(InputError, match="whose urns are fitted to all documents"):
        sf.TextClassifier("edcm", alpha="loo").fit(["spam spam eggs", "ham eggs eggs"], [0, 1])


def test_a_row_alone_in_its_class_has_no_say_in_the_pseudo_count() -> None:
    X, y = np.array([[3, 0], [2, 1], [0, 4], [1, 3], [9, 9]]), ["a", "a", "b", "b", "alone"]
    model = sf.MultinomialNB(alpha="loo").fit(X, y)
    for alpha in np.geomspace(1e-5, 10, 30):
        other = sf.MultinomialNB(alpha=alpha).fit(X, y)
        assert left_out(model, X, y) <= left_out(other, X, y) + 1e-3


def test_the_pseudo_count_is_looked_for_in_every_valley() -> None:
    rng = np.random.default_rng(28)
    y = rng.integers(0, 3, 40)
    X = rng.poisson(1 + y[:, None] * np.array([0, 1, 0.5, 2]), (40, 4))
    y[0] = 3
    model = sf.MultinomialNB(alpha="loo").fit(X, y)
    for alpha in (1e-5, 1e-3, 0.1, 1.0, 10.0):
        other = sf.MultinomialNB(alpha=alpha).fit(X, y)
        assert left_out(model, X, y) <= left_out(other, X, y) + 1e-6


def test_rows_that_are_all_alone_choose_no_pseudo_count() -> None:
    assert sf.MultinomialNB(alpha="loo").fit([[1, 0], [0, 1]], ["a", "b"]).alpha_ == 1.0


DOCUMENTS = [sf.MultinomialNB(), sf.ComplementNB(), sf.DirichletMultinomialNB(), sf.TextClassifier()]


@pytest.mark.parametrize("kind", DOCUMENTS, ids=lambda kind: type(kind).__name__)
def test_a_temper_is_one_number_and_the_length_another(kind: Any) -> None:
    X, y = (["tea", "rum"] if isinstance(kind, sf.TextClassifier) else [[1, 0], [0, 1]]), ["a", "b"]
    with pytest.raises(ValueError, match="'temper' parameter"):
        clone(kind).set_params(temper=(0.7, 0.4)).fit(X, y)
    model = clone(kind).set_params(temper=0.7, length_exponent=0.4).fit(X, y)
    assert model.temper_ == Temper(0.7, 0.4)
    assert model.set_params(length_exponent="loo").temper_ == Temper(0.7, 0.4)  # until the next fit
    assert model.fit(X, y).temper_ == Temper(0.7, 0.0)
    assert model.set_params(temper=None, length_exponent=None).fit(X, y).temper_ == Temper()
    assert model.set_params(length_exponent=0.5).fit(X, y).temper_ == Temper(1.0, 0.5)


def test_what_is_no_exponent_of_length() -> None:
    cases: Any = [np.nan, np.inf, "often", (1.0, 0.5)]
    for wrong in cases:
        X, y = [[1, 0], [0, 1]], ["a", "b"]
        with pytest.raises((InputError, ValueError), match="length_exponent"):
            sf.MultinomialNB(length_exponent=wrong).fit(X, y)


@pytest.mark.parametrize("exponent", [0.0, 0.3, 1.0])
def test_the_power_suits_an_exponent_that_is_given(exponent: float) -> None:
    case = next(case for case in ESTIMATORS if case.name == "MultinomialNB")
    X, y = case.data(5, 150)
    model = sf.MultinomialNB(temper="loo", length_exponent=exponent).fit(X, y)
    assert model.temper_.length == exponent
    none = sf.MultinomialNB(temper="loo", length_exponent=None).fit(X, y)
    assert (model.temper_ == none.temper_) == (exponent == 0)
    free = sf.MultinomialNB(temper="loo").fit(X, y)
    again = sf.MultinomialNB(temper="loo", length_exponent=free.temper_.length).fit(X, y)
    assert again.temper_.power == pytest.approx(free.temper_.power, rel=1e-6)


def test_groups_are_left_out_whole_also_where_some_rows_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(rng.integers(0, 2, 400), 3)  # each row three times over
    X = np.repeat(rng.integers(0, 2, (400, 8)) | y[::3, None] * (rng.random((400, 8)) < 0.1), 3, axis=0)
    groups = np.repeat(np.arange(400), 3)
    model = sf.BernoulliNB(alpha=0.1, temper="loo").fit(X, y)
    monkeypatch.setattr("suffice.models.choosing.chooser.ROWS", 900)
    few = model.refresh(X, y, groups=groups).temper_.power
    monkeypatch.setattr("suffice.models.choosing.chooser.ROWS", 1200)
    all_rows = model.refresh(X, y, groups=groups).temper_.power
    alone = model.refresh(X, y).temper_.power
    assert abs(few - all_rows) < abs(few - alone)


def test_a_larger_stream_does_not_drop_the_temper_of_the_other() -> None:
    texts, labels = ["red apple", "red pear", "blue sky", "blue sea"] * 3, ["a", "a", "b", "b"] * 3
    stream, fitted = sf.TextClassifier().fit(iter(texts * 2), labels * 2), sf.TextClassifier().fit(texts, labels)
    for both in (stream + fitted, fitted + stream):
        assert both.temper_ == fitted.temper_
        assert both.stale_


def test_what_is_not_fitted_is_not_stale_either() -> None:
    with pytest.raises(NotFittedError):
        _ = sf.TextClassifier().stale_
