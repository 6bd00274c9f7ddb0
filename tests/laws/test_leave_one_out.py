"""Leave-one-out equals refitting without the row, or its group, with all that was chosen held fixed."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.base import clone

import suffice as sf
from laws.estimators import BELIEF, ESTIMATORS, KINDS, LABELS, EstimatorCase, every_estimator, mixed, one_of_each_kind
from laws.test_estimators import fitted, rows
from suffice.errors import LabelError, SubtractionError
from suffice.stats.content import hashed
from suffice.stats.grid import on_grid

FIXED = {**KINDS, "size": sf.columns.Gaussian(prior=BELIEF), "events": sf.columns.Poisson(prior=sf.Gamma(1, 1))}
del FIXED["wait"]  # the prior of bins follows the data: it is looked at below
REFITTED = [case for case in ESTIMATORS if "urns" not in case.name and "Dirichlet" not in case.name]
REFITTED = [case for case in REFITTED if "evidence" not in case.name]  # its prior follows the data
REFITTED = [case for case in REFITTED if not isinstance(case.model, sf.NaiveBayes)] + [
    EstimatorCase(
        f"NaiveBayes {estimate}",
        sf.NaiveBayes(columns=FIXED, feature_powers=None, estimate=estimate, temper=0.6),
        lambda rng, n, codes: {name: values for name, values in mixed(rng, n, codes).items() if name != "wait"},
    )
    for estimate in ("predictive", "mean")
]


def brute_force(case: EstimatorCase, X: Any, y: Any, weights: Any, groups: Any) -> Any:
    """Return every row's probabilities by a model that was fitted without the row's group."""
    out = np.zeros((len(y), len(LABELS)))
    for group in np.unique(groups):
        removed, kept = np.flatnonzero(groups == group), np.flatnonzero(groups != group)
        model = clone(case.model).partial_fit(rows(X, kept), y[kept], classes=LABELS, sample_weight=weights[kept])
        out[removed] = model.predict_proba(rows(X, removed))
    return out


@pytest.mark.parametrize("weighted", [pytest.param(False, marks=pytest.mark.thorough), True], ids=["plain", "weighted"])
@pytest.mark.parametrize("case", one_of_each_kind(REFITTED), ids=str)
def test_it_is_refitting_without_the_row(case: EstimatorCase, weighted: bool) -> None:
    X, y = case.data(3, 40)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0], 40) if weighted else np.ones(40)
    model = fitted(case, X, y, sample_weight=weights)
    got = model.leave_one_out(X, y, weights)
    np.testing.assert_allclose(got, brute_force(case, X, y, weights, np.arange(40)), atol=1e-9)
    own = np.log(got[np.arange(40), np.searchsorted(LABELS, y)])
    found = sf.evaluate.leave_one_out(model, X, y, weights)
    np.testing.assert_allclose(found.probabilities, got, rtol=1e-12)
    assert found.log_loss == pytest.approx(-(weights @ own) / weights.sum())
    assert found.accuracy == pytest.approx(weights @ (LABELS[got.argmax(axis=1)] == y) / weights.sum())
    assert found.n_singletons == 0


@pytest.mark.parametrize("case", one_of_each_kind(REFITTED), ids=str)
def test_groups_go_together(case: EstimatorCase) -> None:
    X, y = case.data(4, 150)
    groups = np.random.default_rng(1).integers(0, 9, 150)  # of several classes each
    weights = np.random.default_rng(2).choice([1.0, 3.0], 150)
    got = fitted(case, X, y, sample_weight=weights).leave_one_out(X, y, weights, groups=groups)
    np.testing.assert_allclose(got, brute_force(case, X, y, weights, groups), atol=1e-9)


@every_estimator
def test_a_group_of_one_is_a_row(case: EstimatorCase) -> None:
    X, y = case.data(5, 40)
    model = fitted(case, X, y)
    np.testing.assert_allclose(model.leave_one_out(X, y), model.leave_one_out(X, y, groups=np.arange(40)), atol=1e-12)


def parts(y: Any, of_rows: Any) -> Any:
    """Return the part of each row: rows of a class are dealt by the ranks of their numbers, in the order of a hash."""
    key = np.zeros(len(y), np.uint64)
    for x in np.reshape(of_rows, (len(y), -1)).T:
        key += hashed(np.abs(np.rint(2 * rankdata(x)) - 1 - len(y)).astype(np.int64))
    out = np.empty(len(y), int)
    out[np.lexsort((np.arange(len(y)), key, y))] = np.arange(len(y)) % 5
    return out


def test_bins_are_those_of_the_rows_outside_the_part() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    x = rng.exponential(1.0 + 3 * y)
    model = sf.NaiveBayes(columns={"x": "histogram"}, temper=None, feature_powers=None).fit({"x": x}, y)
    got, part = model.leave_one_out({"x": x}, y), parts(y, on_grid(x))
    for k in range(5):
        rest = clone(model).fit({"x": x[part != k]}, y[part != k])
        column: Any = rest.columns_["x"]
        edges = column.bins(rest.statistics_["x"]).edges
        place = np.searchsorted(edges, x, side="right")
        every = np.zeros((2, len(edges) + 1))
        np.add.at(every, (y, place), 1)
        share = every.sum(axis=0) / 200
        for i in np.flatnonzero(part == k).tolist():
            counts, n = every.copy(), np.bincount(y).astype(float)
            counts[y[i], place[i]] -= 1
            n[y[i]] -= 1
            joint = (n + 1) / (n + 1).sum() * (counts[:, place[i]] + share[place[i]]) / (n + 1)
            assert got[i] == pytest.approx(joint / joint.sum(), abs=1e-12)


def test_urns_are_fitted_without_the_part() -> None:
    case = next(case for case in ESTIMATORS if case.name == "DirichletMultinomialNB")
    X, y = case.data(3, 60)
    model, codes = fitted(case, X, y), np.searchsorted(LABELS, y)
    got, part = model.leave_one_out(X, y), parts(codes, X)
    n = np.bincount(codes) - np.eye(3)[codes] + 1  # of the class prior
    for k in range(5):
        rest, mine = fitted(case, X[part != k], y[part != k]), part == k
        scores = rest.predict_joint_log_proba(X[mine]) - rest.class_log_prior_
        scores += np.log(n[mine] / n[mine].sum(axis=1, keepdims=True))
        expected = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        np.testing.assert_allclose(got[mine], expected, atol=1e-9)


@every_estimator
def test_a_row_alone_in_its_class_is_impossible_and_counted(case: EstimatorCase) -> None:
    X, y = case.data(6, 40, LABELS[:2])
    y = y.astype(object)
    y[7] = "lone"
    if not case.lone and "shared" not in case.name and "Linear" not in case.name:
        with pytest.raises(ValueError, match="lone"):
            fitted(case, X, y.astype(str))
        return
    model = fitted(case, X, y.astype(str))
    got = model.leave_one_out(X, y.astype(str))
    found = sf.evaluate.leave_one_out(model, X, y.astype(str))
    assert found.n_singletons == 1
    assert np.isfinite(found.log_loss)
    assert np.isfinite(got).all()
    np.testing.assert_allclose(got.sum(axis=1), 1.0)
    if "omplement" in case.name:  # it has no class prior
        return
    flat = "Discriminant" in case.name and case.name.endswith(("flat", "evidence"))  # nothing is believed of a mean
    believed = model.get_params().get("class_prior") == 1.0 and model.get_params().get("estimate") != "mle" and not flat
    assert (got[7, model.classes_.tolist().index("lone")] == 0) != believed


@every_estimator
def test_rows_that_were_not_learned_are_refused(case: EstimatorCase) -> None:
    X, y = case.data(7, 30)
    model = fitted(case, X, y)
    with pytest.raises(SubtractionError, match="learned"):
        model.leave_one_out(rows(X, [0] * 60), np.repeat(y[:1], 60))
    with pytest.raises(LabelError, match="'z'"):
        model.leave_one_out(X, ["z"] * 30)
    with pytest.raises(LabelError, match="groups"):
        model.leave_one_out(X, y, groups=[1, 2])


@every_estimator
def test_a_single_row_leaves_nothing_to_say(case: EstimatorCase) -> None:
    X, y = case.data(8, 1)
    model = clone(case.model).set_params(temper="loo")
    if not case.lone:
        with pytest.raises(ValueError, match=r"singular|1 sample|more than the number of classes"):
            model.fit(X, y)
        assert not hasattr(model, "classes_")
        return
    model.fit(X, y)
    assert model.leave_one_out(X, y).tolist() == [[1.0]]
    found = sf.evaluate.leave_one_out(model, X, y)
    assert found.n_singletons == 1
    assert np.isnan(found.log_loss)
