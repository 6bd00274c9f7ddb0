"""Gaussian discriminants as users meet them: beside scikit-learn's, and with what cannot be."""

from typing import Any, Literal

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
import sklearn.discriminant_analysis as peers
from sklearn.covariance import OAS

import suffice as sf
from estimators.plain import with_todays_peers
from laws.inside import chosen
from suffice.errors import DataError, InputError, LabelError, PriorError, SingularCovariance
from suffice.models.scoring.results import Estimate


def data(seed: int = 0, rows: int = 90, columns: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b", "c"])[np.arange(rows) % 3]
    turn = rng.normal(size=(3, columns, columns))
    return np.einsum("ij,ijk->ik", rng.normal(size=(rows, columns)), turn[np.arange(rows) % 3]) + (y == "b")[:, None], y


LINEAR = [
    {"solver": solver, "shrinkage": shrinkage, "priors": priors}
    for solver in ("svd", "lsqr", "eigen")
    for shrinkage in ((None,) if solver == "svd" else (None, 0.3, "auto"))
    for priors in (None, [0.2, 0.3, 0.5])
]


@with_todays_peers
@pytest.mark.parametrize("options", LINEAR, ids=str)
def test_linear_analysis_has_scikit_learns_numbers(options: Any) -> None:
    X, y = data()
    ours = sf.LinearDiscriminantAnalysis(store_covariance=True, **options).fit(X, y)
    theirs = peers.LinearDiscriminantAnalysis(store_covariance=True, **options).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-7, atol=1e-9)
    names = ["coef_", "intercept_", "covariance_", "means_", "priors_"]
    names += [] if options["solver"] == "lsqr" else ["explained_variance_ratio_"]
    for name in names:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-9, err_msg=name)
    if options["solver"] != "lsqr":
        np.testing.assert_allclose(abs(ours.transform(X)), abs(theirs.transform(X)), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        ours.decision_function(X) - ours.decision_function(X)[:, :1],
        theirs.decision_function(X) - theirs.decision_function(X)[:, :1],
        rtol=1e-7,
        atol=1e-9,
    )


@with_todays_peers
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reg_param": 0.2},
        {"priors": [0.2, 0.3, 0.5]},
        {"solver": "eigen", "shrinkage": 0.3},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": OAS()},
    ],
    ids=str,
)
def test_quadratic_analysis_has_scikit_learns_numbers(options: Any) -> None:
    X, y = data(1)
    ours = sf.QuadraticDiscriminantAnalysis(store_covariance=True, **options).fit(X, y)
    theirs = peers.QuadraticDiscriminantAnalysis(store_covariance=True, **options).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-7, atol=1e-9)
    for name in ("means_", "priors_", "scalings_", "covariance_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-9, err_msg=name)


@with_todays_peers
def test_plain_estimates_are_those_of_scikit_learn() -> None:
    X, y = data(2)
    quadratic = sf.GaussianDiscriminant("full", "mle", temper=None).fit(X, y)
    np.testing.assert_allclose(
        quadratic.predict_proba(X), peers.QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X), atol=1e-10
    )
    linear = sf.GaussianDiscriminant("shared", "mle", temper=None).fit(X, y)
    theirs = peers.LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(linear.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    scores = X @ linear.coef_.T + linear.intercept_
    np.testing.assert_allclose(scores - scores[:, :1], (s := linear.decision_function(X)) - s[:, :1], atol=1e-9)
    naive = sf.GaussianDiscriminant("diagonal", "mle", temper=None).fit(X, y)
    np.testing.assert_allclose(
        naive.predict_proba(X), sf.GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X), atol=1e-12
    )


@pytest.mark.parametrize("classes", ["ab", "abc"])
@pytest.mark.parametrize("prior", ["counted", "uniform"])
def test_planes_are_those_of_scikit_learn_and_of_the_formula(classes: str, prior: Any) -> None:
    """Where covariances are shared the log-odds are linear: Σ⁻¹(μ₁ − μ₀), and an offset of means and class prior."""
    X, y = data(2)
    known = np.isin(y, list(classes)) & ((y != "b") | (np.arange(90) % 2 == 0))
    X, y = X[known], y[known]
    k = len(classes)
    model = sf.GaussianDiscriminant("shared", "mle", class_prior=prior, temper=None).fit(X, y)
    given = None if prior == "counted" else np.full(k, 1 / k)
    theirs = peers.LinearDiscriminantAnalysis(solver="lsqr", priors=given).fit(X, y)
    mean = np.stack([X[y == c].mean(axis=0) for c in classes])
    share = np.array([(y == c).mean() for c in classes]) if given is None else given
    within = sum((X[y == c] - X[y == c].mean(axis=0)).T @ (X[y == c] - X[y == c].mean(axis=0)) for c in classes) / len(
        X
    )
    weights = np.linalg.solve(within, mean.T).T
    offsets = np.log(share) - 0.5 * (weights * mean).sum(axis=1)
    if k == 2:
        weights, offsets = weights[1:] - weights[:1], offsets[1:] - offsets[:1]
    np.testing.assert_allclose(model.coef_, weights, rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, offsets, rtol=1e-8)
    if given is None:  # scikit-learn weighs the covariances of classes by their priors
        np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-8)
        np.testing.assert_allclose(model.intercept_, theirs.intercept_, rtol=1e-8)
    assert model.coef_.shape == theirs.coef_.shape
    assert model.intercept_.shape == theirs.intercept_.shape


def test_scores_are_linear_in_the_row() -> None:
    each_temper: Any = ["loo", 0.3, None]
    for temper in each_temper:
        for classes in ["ab", "abc"]:
            estimates: list[Estimate] = ["mle", "map", "mean"]
            for estimate in estimates:
                X, y = data(2)
                known = np.isin(y, list(classes))
                model = sf.GaussianDiscriminant("shared", estimate, temper=temper).fit(X[known], y[known])
                scores, logs = X @ model.coef_.T + model.intercept_, model.predict_log_proba(X)
                odds = logs[:, 1:] - logs[:, :1]
                np.testing.assert_allclose(
                    scores if len(classes) == 2 else scores[:, 1:] - scores[:, :1], odds, atol=1e-9
                )


@pytest.mark.parametrize(
    ("covariance", "estimate"), [("full", "mle"), ("full", "predictive"), ("diagonal", "mle"), ("shared", "predictive")]
)
def test_curves_have_no_planes(covariance: Any, estimate: Estimate) -> None:
    model = sf.GaussianDiscriminant(covariance, estimate)
    assert not hasattr(model, "coef_")  # not fitted
    model.fit(*data(2))
    for name in ("coef_", "intercept_"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=f"linear only with .* got covariance='{covariance}'"):
            getattr(model, name)


@pytest.mark.parametrize("covariance", ["full", "shared", "diagonal"])
@pytest.mark.parametrize("estimate", ["mle", "predictive"])
def test_coordinates_tell_classes_apart(covariance: Literal["full", "shared", "diagonal"], estimate: Estimate) -> None:
    X, y = data(3, 300)
    model = sf.GaussianDiscriminant(covariance, estimate).fit(X, y)
    Z = model.transform(X)
    assert Z.shape == (300, 2)
    assert model.get_feature_names_out().tolist() == ["gaussiandiscriminant0", "gaussiandiscriminant1"]
    if covariance == "shared":
        within = sum((y == c).mean() * np.cov(Z[y == c].T, bias=True) for c in "abc")
        np.testing.assert_allclose(within, np.eye(2), atol=1e-6 if estimate == "mle" else 0.1)
        theirs = peers.LinearDiscriminantAnalysis().fit(X, y)
        np.testing.assert_allclose(
            model.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-9 if estimate == "mle" else 0.01
        )
    assert sf.GaussianDiscriminant("shared", n_components=1).fit(X, y).transform(X).shape == (300, 1)
    with pytest.raises(InputError, match="n_components cannot be larger"):
        sf.GaussianDiscriminant("shared", n_components=3).fit(X, y).transform(X)


@pytest.mark.parametrize("kind", [sf.LinearDiscriminantAnalysis, sf.QuadraticDiscriminantAnalysis])
def test_shrinking_by_rows_is_for_fit_alone(kind: Any) -> None:
    X, y = data(4)
    model = kind(solver="eigen", shrinkage="auto").fit(X, y)
    changes: list[Any] = [
        lambda: model.partial_fit(X, y),
        lambda: model.forget(X[:3], y[:3]),
        lambda: model + model,
        lambda: model.leave_one_out(X, y),
        lambda: kind(solver="eigen", shrinkage="auto").fit(X, y, np.ones(90)),
    ]
    for change in changes:
        with pytest.raises(InputError, match="shrinkage='auto'"):
            change()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prior": sf.NormalInverseGamma(0, 1, 1, 1)}, PriorError, "must be a NormalInverseWishart of 4 columns"),
        ({"covariance": "diagonal", "prior": sf.NormalInverseWishart([0], 1, 1, [[1]])}, PriorError, "InverseGamma"),
        ({"prior": sf.NormalInverseWishart([0, 0], 1, 2, np.eye(2))}, PriorError, "of 4 columns"),
        (
            {"covariance": "shared", "prior": sf.NormalInverseWishart(np.zeros((3, 4)), 0, 5, np.eye(4))},
            PriorError,
            "a single prior if all classes share",
        ),
        ({"class_prior": [0.5, 0.5]}, ValueError, "Number of priors"),
        ({"class_prior": [0.5, 0.6, 0.2]}, ValueError, "sum to 1"),
        (
            {"class_prior": sf.Dirichlet([1, 1])},
            ValueError,
            "'class_prior' parameter must be a Dirichlet of 3 categories, one per class",
        ),
        ({"covariance": "round"}, ValueError, "'covariance' parameter"),
        ({"prior": 3}, ValueError, "'prior' parameter"),
    ],
)
def test_what_cannot_be(options: Any, error: Any, message: str) -> None:
    X, y = data(5)
    with pytest.raises(error, match=message):
        sf.GaussianDiscriminant(**options).fit(X, y)


@pytest.mark.parametrize("covariance", ["full", "shared", "diagonal"])
def test_constant_columns_and_lone_rows(covariance: Literal["full", "shared", "diagonal"]) -> None:
    X, y = data(6)
    X[:, 1] = 7.0
    with pytest.raises(SingularCovariance, match=r"column 1 does not vary.*'predictive'"):
        sf.GaussianDiscriminant(covariance, "mle").fit(X, y)
    y[0] = "lone"
    for prior in ("evidence", "loo"):
        model = sf.GaussianDiscriminant(covariance, prior=prior).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        assert model.predict(X[:1])[0] in model.classes_


def test_all_rows_alike() -> None:
    X, y = np.full((12, 3), 5.0), np.arange(12) % 2
    for covariance in ("full", "shared", "diagonal"):
        model = sf.GaussianDiscriminant(covariance).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.5]])
        assert np.isfinite(model.predict_proba(X + 1)).all()


def test_missing_values_and_labels_point_elsewhere() -> None:
    X, y = data(7)
    gaps = X.copy()
    gaps[3, 1] = np.nan
    with pytest.raises(DataError, match="NaiveBayes accepts missing values"):
        sf.GaussianDiscriminant().fit(gaps, y)
    with pytest.raises(DataError, match="NaN"):
        sf.GaussianDiscriminant().fit(X, y).predict(gaps)
    for gap in (None, np.nan, pd.NA, pd.NaT):
        unlabelled = y.astype(object)
        unlabelled[4] = gap
        with pytest.raises(LabelError, match=r"row 4.*SemiSupervised"):
            sf.GaussianDiscriminant().fit(X, unlabelled)
    with pytest.raises(LabelError, match=r"row 2.*SemiSupervised"):
        sf.GaussianNB().fit(X[:3], [0.0, 1.0, np.nan])


def test_a_failed_fit_leaves_the_model_as_it_was() -> None:
    X, y = data(8)
    model = sf.GaussianDiscriminant(estimate="mle").fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(SingularCovariance):
        model.fit(X[:6], y[:6])
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_batches_may_be_too_small_until_there_are_enough() -> None:
    X, y = data(9)
    model = sf.GaussianDiscriminant(estimate="mle", temper=None)
    model.partial_fit(X[:2], y[:2], classes=["a", "b", "c"])
    with pytest.raises(SingularCovariance, match="class 'a'"):
        model.predict(X)
    model.partial_fit(X[2:], y[2:])
    whole = sf.GaussianDiscriminant(estimate="mle", temper=None).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), atol=1e-10)


def test_a_belief_about_class_probabilities() -> None:
    X, y = data(10)
    model = sf.GaussianDiscriminant(class_prior=sf.Dirichlet([1, 2, 3])).fit(X, y)
    np.testing.assert_allclose(model.class_prior_, (30 + np.array([1, 2, 3])) / 96)
    assert model.evidence().belief


def test_rows_choose_the_prior_and_can_choose_again() -> None:
    X, y = data(11)
    model = sf.GaussianDiscriminant().fit(X[:60], y[:60])
    prior = chosen(model)["prior"]
    model.partial_fit(X[60:], y[60:])
    assert model.stale_
    assert chosen(model)["prior"] == prior
    fresh = sf.GaussianDiscriminant().fit(X, y)
    np.testing.assert_allclose(model.refresh(X, y).predict_proba(X), fresh.predict_proba(X), atol=1e-8)
    dropped = fresh.forget(X[:9], y[:9], drop_views=True)
    never = sf.GaussianDiscriminant(prior="evidence", temper=None).fit(X[9:], y[9:])
    np.testing.assert_allclose(dropped.predict_proba(X), never.predict_proba(X), atol=1e-8)


def test_names_of_columns() -> None:
    X, y = data(12)
    frame = pd.DataFrame(X, columns=list("wxyz"))
    model = sf.GaussianDiscriminant().fit(frame, y)
    explanation = model.explain(frame.iloc[:1])
    assert [*explanation.features[:4]] == list("wxyz")
    assert explanation.features[4] == "(peak density)"
    assert model.top_features("b")[0].feature in "wxyz"
    assert model.predict(frame).shape == (90,)
