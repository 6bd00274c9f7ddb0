"""A cross-fit equals refitting without each fold: counts by subtraction, and all that is chosen, chosen without it."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import LABELS, EstimatorCase, every_kind_of_rows, every_kind_without_weights
from laws.inside import chosen
from laws.test_estimators import rows
from refusals import refused
from suffice.errors import InputError, KindError, LabelError, SubtractionError
from suffice.estimators.shell.folds import fold_numbers
from suffice.evaluate import crossfit, leave_one_out
from suffice.models.choosing.judge import with_settled_of

ROWS = 90


def choosing(case: EstimatorCase) -> Any:
    """Return the classifier, with all chosen by rows that it can choose by rows."""
    return clone(case.model).set_params(temper="loo")


def refitted(model: Any, X: Any, y: Any, fold: Any, weights: Any = None, groups: Any = None) -> Any:
    """Return every row's probabilities by a model that was fitted without the row's fold."""
    out = np.zeros((len(y), len(LABELS)))
    for k in np.unique(fold):
        kept, removed = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        more: dict[str, Any] = {} if weights is None else {"sample_weight": weights[kept]}
        more |= {} if groups is None else {"groups": groups[kept]}
        rest = clone(model).fit(rows(X, kept), y[kept], **more)
        out[np.ix_(removed, np.searchsorted(LABELS, rest.classes_))] = rest.predict_proba(rows(X, removed))
    return out


@every_kind_of_rows
def test_it_is_refitting_without_the_fold(case: EstimatorCase) -> None:
    X, y = case.data(1, ROWS)
    model = choosing(case).fit(X, y)
    before = dict(vars(model))
    found = crossfit(model, X, y)
    assert {k: v for k, v in vars(model).items() if k != "_made"} == {k: v for k, v in before.items() if k != "_made"}
    assert sorted(set(found.fold)) == [0, 1, 2, 3, 4]
    expected = refitted(model, X, y, found.fold)
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-9)
    own = expected[np.arange(ROWS), np.searchsorted(LABELS, y)]
    assert found.log_loss == pytest.approx(-np.log(own).mean(), rel=1e-7)
    assert found.accuracy == (LABELS[expected.argmax(axis=1)] == y).mean()


@every_kind_of_rows
def test_weights_and_groups_go_with_the_rows(case: EstimatorCase) -> None:
    X, y = case.data(2, ROWS)
    weights, groups = np.random.default_rng(0).choice([0.5, 1.0, 2.0], ROWS), np.arange(ROWS) // 6
    model = choosing(case).fit(X, y, sample_weight=weights, groups=groups)
    found = crossfit(model, X, y, weights, groups=groups, folds=2)
    assert all(len(set(found.fold[groups == g])) == 1 for g in range(15))
    expected = refitted(model, X, y, found.fold, weights, groups)
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-7)
    own = np.log(expected[np.arange(ROWS), np.searchsorted(LABELS, y)])
    assert found.log_loss == pytest.approx(-(weights @ own) / weights.sum(), rel=1e-6)


SETTLES = ("NaiveBayes", "evidence", "urns", "Dirichlet")
"""Classifiers whose priors, bins or urns the rest settles, too."""


@every_kind_of_rows
def test_leave_one_out_takes_views_that_have_not_seen_the_row(case: EstimatorCase) -> None:
    X, y = case.data(3, ROWS)
    model = choosing(case).fit(X, y)
    got = model.leave_one_out(X, y)
    fold = crossfit(model, X, y).fold
    for k in range(5):
        kept, removed = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        rest, judge = clone(model).fit(rows(X, kept), y[kept]), copy(model)
        if any(word in case.name for word in SETTLES):
            removed = removed[::4]
            expected = np.vstack([settled_by(rest, X, y, np.flatnonzero(fold == k), i) for i in removed])
        else:
            judge._put(model._model, rest._predictor.views, stale=False)
            expected = judge.leave_one_out(rows(X, removed), y[removed], views="fixed")
        np.testing.assert_allclose(got[removed], expected, atol=1e-9)


def settled_by(rest: Any, X: Any, y: Any, fold: Any, i: Any) -> Any:
    """Return the probabilities of row i by counts of all other rows, and by all that rows outside the fold chose."""
    others = fold[fold != i]
    every = copy(rest).partial_fit(rows(X, others), y[others])._predictor
    own = rest._predictor.model.blocks
    blocks = {name: with_settled_of(block, own[name]) for name, block in every.model.blocks.items()}
    predictor = replace(every, model=replace(every.model, blocks=blocks))
    vars(predictor).update(together=None, columns=[])  # made from counts, not from what was settled
    return np.exp(predictor.log_proba(rest._reader.rows(rest._source(rows(X, [i])))))


@every_kind_without_weights
def test_where_nothing_is_chosen_both_ways_are_one(case: EstimatorCase, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = case.data(4, 60)
    model = clone(case.model).fit(X, y)
    assert not chosen(model)
    monkeypatch.setattr("suffice.estimators.shell.folds.rests", None)  # no folds are made: it costs no more
    default = model.leave_one_out(X, y)
    assert leave_one_out(model, X, y).log_loss > 0
    np.testing.assert_allclose(default, model.leave_one_out(X, y, views="fixed"), atol=1e-9)
    np.testing.assert_allclose(default, model.leave_one_out(X, y, views="crossfit"), atol=1e-9)


def test_it_foretells_the_loss_of_new_rows_where_fixed_views_flatter() -> None:
    rng = np.random.default_rng(0)
    frequency = np.exp(0.5 * rng.normal(size=(2, 4000))) / np.arange(1, 4001)
    frequency /= frequency.sum(axis=1, keepdims=True)

    def made(n: int) -> tuple[list[str], Any]:
        labels = (rng.random(n) < 0.15).astype(int)
        return [" ".join(f"w{i}" for i in rng.choice(4000, 8, p=frequency[c])) for c in labels], labels

    (texts, labels), (new, truth) = made(1000), made(4000)
    model = sf.TextClassifier(alpha=0.3, ridge=0.3).fit(texts, labels)  # so that weights are far from one
    loss = sf.evaluate.log_loss(model.predict_log_proba(new), truth, model.classes_)
    assert leave_one_out(model, texts, labels, views="fixed").log_loss < 0.75 * loss
    assert leave_one_out(model, texts, labels).log_loss == pytest.approx(loss, rel=0.03)
    assert crossfit(model, texts, labels).log_loss == pytest.approx(loss, rel=0.03)


def test_kinds_of_columns_are_chosen_without_the_fold() -> None:
    """One far value makes the whole column a histogram; the fold that has it is judged by a normal."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    x = rng.normal(y, 1.0).round(3)
    x[17] = 20.0
    model = sf.NaiveBayes(temper=None, feature_powers=None).fit({"x": x}, y)
    found = crossfit(model, {"x": x}, y)
    outside = found.fold != found.fold[17]
    rest = sf.NaiveBayes(temper=None, feature_powers=None).fit({"x": x[outside]}, y[outside])
    assert rest.columns_["x"] != model.columns_["x"]
    np.testing.assert_allclose(found.probabilities[~outside], rest.predict_proba({"x": x[~outside]}), atol=1e-9)


def test_a_model_that_is_not_fitted_is_fitted_first() -> None:
    X, y = np.random.default_rng(0).poisson(2, (60, 4)), np.arange(60) % 3
    model = sf.MultinomialNB(temper="loo")
    found = crossfit(model, X, y)
    assert not hasattr(model, "classes_")
    assert np.array_equal(found.probabilities, crossfit(model.fit(X, y), X, y).probabilities)


def test_a_journal_needs_no_key() -> None:
    texts, labels = ["tea milk", "rum cola", "tea tea", "rum rum cola"] * 20, np.array(["a", "b"] * 40)
    model = sf.TextClassifier().fit(texts, labels, journal=b"a key")
    plain = sf.TextClassifier().fit(texts, labels)
    assert np.array_equal(crossfit(model, texts, labels).probabilities, crossfit(plain, texts, labels).probabilities)
    assert np.array_equal(model.leave_one_out(texts, labels), plain.leave_one_out(texts, labels))


def test_a_transform_that_cannot_be_taken_apart_is_fitted_again() -> None:
    texts, labels = ["tea milk", "rum cola", "tea tea", "rum rum cola"] * 10, np.array(["a", "b"] * 20)
    model = sf.TextClassifier("complement", term_weighting=sf.TermWeighting(use_idf=True)).fit(texts, labels)
    found = crossfit(model, texts, labels)
    rest = clone(model).fit([t for t, k in zip(texts, found.fold, strict=True) if k], labels[found.fold > 0])
    mine = [t for t, k in zip(texts, found.fold, strict=True) if not k]
    np.testing.assert_allclose(found.probabilities[found.fold == 0], rest.predict_proba(mine), atol=1e-12)


def test_folds_spread_classes_and_keep_groups_whole() -> None:
    codes = np.repeat([0, 1, 2], [100, 33, 2])
    fold = fold_numbers(codes, None, 5)
    counts = np.array([np.bincount(codes[fold == k], minlength=3) for k in range(5)])
    assert (counts.max(axis=0) - counts.min(axis=0) <= 1).all()
    assert counts.sum(axis=1).tolist() == [27] * 5
    assert np.array_equal(fold, fold_numbers(codes, None, 5))
    rng = np.random.default_rng(0)
    codes, group = rng.integers(0, 3, 400), rng.integers(0, 60, 400)
    fold = fold_numbers(codes, group, 4)
    assert all(len(set(fold[group == g])) == 1 for g in range(60))
    counts = np.array([np.bincount(codes[fold == k], minlength=3) for k in range(4)])
    assert (counts > 20).all()
    assert set(fold_numbers(np.zeros(3, int), None, 5)) == {0, 1, 2}


def test_a_class_of_one_row_is_left_out_and_counted() -> None:
    X, y = np.eye(3)[[0, 1] * 10 + [2]], np.array([*("ab" * 10), "c"])
    found = crossfit(sf.BernoulliNB(), X, y)
    assert found.n_singletons == 1
    assert found.alone.tolist() == [False] * 20 + [True]
    assert np.isfinite(found.log_loss)
    assert found.probabilities[20, 2] == 0
    declared = sf.BernoulliNB().partial_fit(X, y, classes=["a", "b", "c", "d"])
    assert crossfit(declared, X, y).log_loss == pytest.approx(found.log_loss)


def test_a_single_row_has_nobody_to_judge_it() -> None:
    found = crossfit(sf.BernoulliNB(), [[1, 0]], ["a"])
    assert found.n_singletons == 1
    assert np.isnan(found.log_loss)
    assert np.isnan(found.accuracy)


def test_rows_of_any_kind_can_be_taken_apart() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.poisson(2, (60, 3)), rng.integers(0, 2, 60)
    want = crossfit(sf.MultinomialNB(temper="loo"), X, y).probabilities
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(60)[::-1])
    np.testing.assert_allclose(crossfit(sf.MultinomialNB(temper="loo"), frame, y).probabilities, want, atol=1e-12)
    np.testing.assert_allclose(crossfit(sf.MultinomialNB(temper="loo"), X.tolist(), y).probabilities, want, atol=1e-12)
    texts = [" ".join("abc"[j] * 2 for j in np.repeat(np.arange(3), row)) or "dd" for row in X]
    model = sf.TextClassifier().fit(texts, y)
    stream = crossfit(model, iter(texts), y).probabilities
    np.testing.assert_allclose(stream, crossfit(model, pd.Series(texts), y).probabilities, atol=1e-12)
    named = {**frame.to_dict("list"), "y": y}
    tables = sf.NaiveBayes().fit(named, "y")
    np.testing.assert_allclose(
        crossfit(tables, named, "y").probabilities, crossfit(tables, frame, y).probabilities, atol=1e-12
    )


def test_what_cannot_be_judged_is_refused() -> None:
    X, y = [[1, 0], [0, 1]] * 30, ["a", "b"] * 30
    model = sf.BernoulliNB(temper="loo").fit(X, y)
    with pytest.raises(SubtractionError, match="learned"):
        crossfit(model, X * 2, y * 2)
    with pytest.raises(SubtractionError, match="not among"):
        crossfit(model, [[1, 1]] * 60, y)
    with pytest.raises(LabelError, match="'z'"):
        crossfit(model, X, ["z"] * 60)
    with pytest.raises(LabelError, match="at least one"):
        crossfit(model, np.zeros((0, 2)), [])
    with refused(InputError, "folds", must="be a whole number of at least 2", got="1"):
        crossfit(model, X, y, folds=1)
    with pytest.raises(InputError, match=r"most of them.*got 20 of 60.*views='fixed'"):
        crossfit(model, X[:20], y[:20])
    with pytest.raises(InputError, match="most of them"):
        model.leave_one_out(X[:20], y[:20])
    assert model.leave_one_out(X[:20], y[:20], views="fixed").shape == (20, 2)
    assert crossfit(model, X[:50], y[:50]).probabilities.shape == (50, 2)
    with pytest.raises(KindError, match=r"must be a classifier of suffice, .* got SemiSupervised.*cross_val_predict"):
        crossfit(sf.SemiSupervised(sf.BernoulliNB()), X, y)
    with refused(InputError, "views", must="be 'crossfit' or 'fixed'", got="'none'"):
        model.leave_one_out(X, y, views="none")
