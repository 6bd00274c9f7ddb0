"""Laws of EM, said once, over all classifiers: what it climbs, and what labels and weights mean to it."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import suffice as sf
from laws.estimators import (
    BELIEF,
    ESTIMATORS,
    FLAT,
    VECTORS,
    EstimatorCase,
    codes_of_categories,
    counts,
    discriminant,
    flags,
    mixed,
    names_of_categories,
    one_of_each_kind,
    reals,
    texts,
)
from laws.test_estimators import rows
from suffice.errors import KindError
from suffice.estimators.em.base import EMSetup, opened
from suffice.estimators.shell.merging import reading_like
from suffice.models import Model, Predictor
from suffice.models.expectation import log_joint
from suffice.models.scoring.rows import Labels
from suffice.models.views import Views

REFUSED = {
    "ComplementNB": "no model of its rows",
    "TextClassifier complement": "no model of its rows",
    "TextClassifier complement norm": "no model of its rows",
    "TextClassifier urns": "urns",
    "GaussianDiscriminant full, mle": "shrink to zero",
    "LinearDiscriminantAnalysis": "Use GaussianDiscriminant",
    "QuadraticDiscriminantAnalysis": "Use GaussianDiscriminant",
}
WAVERS = {
    "DirichletMultinomialNB": "urns are fitted up to a tolerance",
    "GaussianNB": "a share of the largest variance is added to each",
    "GaussianNB t": "parameters are integrated out",
    "MultinomialNB predictive": "parameters are integrated out",
    "PoissonNB": "parameters are integrated out",
    "ExponentialNB": "parameters are integrated out",
    "NaiveBayes waits": "as NaiveBayes",
    "NaiveBayes": "parameters are integrated out, and bins follow the shares",
    "NaiveBayes mean": "priors of numbers and bins follow the shares",
    "NaiveBayes weighed": "as NaiveBayes",
    "NaiveBayes tempered": "as NaiveBayes",
    "MultinomialNB weighed": "weights that are always there make the scores no densities",
    "TextClassifier predictive": "parameters are integrated out",
    **{
        f"GaussianDiscriminant {name}": "parameters are integrated out"
        for name in ("full", "full, flat", "shared", "diagonal", "full, evidence")
    },
    **{f"{name} evidence": "the prior follows the shares" for name in ("BernoulliNB", "CategoricalNB", "GaussianNB")},
    **{f"{name} evidence": "the prior follows the shares" for name in ("MultinomialNB", "PoissonNB", "NaiveBayes")},
    "TextClassifier evidence": "the prior follows the shares",
}
"""Classifiers whose objective may fall, and why."""

FIXED: dict[str, Any] = {
    "flag": sf.columns.Bernoulli(sf.Beta(2, 3)),
    "colour": sf.columns.Categorical(2.0, other=2.0),
    "size": sf.columns.Gaussian(sf.NormalInverseGamma(0.5, 0.5, 3.0, 2.0)),
    "wait": "drop",
    "events": sf.columns.Poisson(sf.Gamma(2.0, 1.0)),
    "note": sf.columns.Text(1.5),
}
OFF: dict[str, Any] = {"temper": None, "feature_powers": None}
MORE = [
    EstimatorCase("BernoulliNB map", sf.BernoulliNB(alpha=sf.Beta(2, 3), estimate="map"), flags),
    EstimatorCase("CategoricalNB map", sf.CategoricalNB(alpha=2.0, estimate="map"), names_of_categories),
    EstimatorCase("CategoricalNB mle", sf.CategoricalNB(estimate="mle"), codes_of_categories),
    EstimatorCase("MultinomialNB map", sf.MultinomialNB(alpha=[2, 3, 1, 2, 2], estimate="map"), counts),
    EstimatorCase("MultinomialNB believed", sf.MultinomialNB(class_prior=sf.Dirichlet([2, 1, 3])), counts),
    EstimatorCase("PoissonNB map", sf.PoissonNB(alpha=sf.Gamma(2, 3), estimate="map"), counts),
    EstimatorCase("GaussianNB map", sf.GaussianNB(prior=BELIEF, estimate="map", var_smoothing=0), reals),
    EstimatorCase("GaussianNB mean", sf.GaussianNB(prior=BELIEF, estimate="mean", var_smoothing=0), reals),
    discriminant("full, map", "full", "map", prior=VECTORS),
    discriminant("full, map, flat", "full", "map", prior=FLAT),
    discriminant("full, mean", "full", "mean", prior=VECTORS),
    discriminant("shared, map", "shared", "map", prior=VECTORS),
    discriminant("shared, mean", "shared", "mean", prior=VECTORS),
    discriminant("shared, mle", "shared", "mle"),
    discriminant("diagonal, map", "diagonal", "map", prior=BELIEF),
    EstimatorCase("NaiveBayes map, fixed", sf.NaiveBayes(FIXED, estimate="map", **OFF), mixed),
    EstimatorCase("NaiveBayes mean, fixed", sf.NaiveBayes(FIXED, estimate="mean", **OFF), mixed),
    EstimatorCase("TextClassifier map", sf.TextClassifier(alpha=1.5, estimate="map", **OFF), texts),
]
EVERY = [case for case in [*ESTIMATORS, *MORE] if case.name not in REFUSED]
PROMISED = [case for case in EVERY if case.name not in WAVERS]
LABELLED = [case for case in ESTIMATORS if case.name not in REFUSED]
every_one = pytest.mark.parametrize("case", one_of_each_kind(LABELLED), ids=str)


def partly(case: EstimatorCase, seed: int, n: int = 60, known: int = 20) -> tuple[Any, Any]:
    """Return rows, and labels of the first of them."""
    X, y = case.data(seed, n)
    labels = y.astype(object)
    labels[known:] = None
    return X, labels


def climbed(case: EstimatorCase, X: Any, y: Any, *args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return sf.SemiSupervised(clone(case.model), **{"max_iter": 8, "tol": 0.0, **options}).fit(X, y, *args)


def test_who_is_refused_or_may_waver_is_registered() -> None:
    assert {*REFUSED, *WAVERS} <= {case.name for case in ESTIMATORS}


@pytest.mark.parametrize("case", [case for case in ESTIMATORS if case.name in REFUSED], ids=str)
def test_what_is_no_model_of_rows_is_refused(case: EstimatorCase) -> None:
    X, y = partly(case, 0)
    with pytest.raises(KindError, match=REFUSED[case.name]):
        climbed(case, X, y)
    with pytest.raises(KindError, match=REFUSED[case.name]):
        sf.Mixture(clone(case.model)).fit(X)


@pytest.mark.parametrize("case", one_of_each_kind(PROMISED), ids=str)
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_no_step_takes_the_objective_down(case: EstimatorCase, weight: float) -> None:
    X, y = partly(case, 1)
    objective = np.array(climbed(case, X, y, unlabelled_weight=weight).objective_)
    first = 1 if isinstance(case.model, sf.NaiveBayes) else 0  # then tables have met all categories
    steps = np.diff(objective[first:])
    assert len(steps) > 4
    assert (steps >= -1e-9 * np.abs(objective[first + 1 :])).all()
    assert objective[-1] > objective[first]


@pytest.mark.parametrize("case", one_of_each_kind(EVERY), ids=str)
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_the_bound_lies_between_one_objective_and_the_next(case: EstimatorCase, weight: float) -> None:
    X, y = partly(case, 1)
    model = climbed(case, X, y, unlabelled_weight=weight, record_bound=True)
    objective, bound = np.array(model.objective_), np.array(model.bound_)
    assert len(bound) == len(objective) > 5
    assert np.isnan(bound[-1])
    slight = 1e-9 * np.abs(objective[1:])
    assert (bound[:-1] <= objective[1:] + slight).all()
    if case.name not in WAVERS:
        first = 1 if isinstance(case.model, sf.NaiveBayes) else 0
        assert (bound[first:-1] >= objective[first:-1] - slight[first:]).all()
    assert objective.tolist() == climbed(case, X, y, unlabelled_weight=weight).objective_


@every_one
def test_where_all_rows_have_labels_it_is_a_fit(case: EstimatorCase) -> None:
    X, y = case.data(2, 60)
    joint = {"joint": None} if "joint" in case.model.get_params() else {}  # lifts are no densities: EM has none
    model, plain = climbed(case, X, y), clone(case.model).set_params(**joint).fit(X, y)
    assert model.converged_
    assert np.array_equal(model.transduction_, y)
    np.testing.assert_allclose(model.predict_log_proba(X), plain.predict_log_proba(X), rtol=1e-7, atol=1e-7)


@every_one
def test_rows_of_no_weight_were_never_there(case: EstimatorCase) -> None:
    X, y = partly(case, 3)
    none = climbed(case, X, y, np.where(np.arange(60) < 45, 1.0, 0.0), max_iter=2)
    fewer = climbed(case, rows(X, np.arange(45)), y[:45], max_iter=2)
    assert none.objective_ == pytest.approx(fewer.objective_)
    np.testing.assert_allclose(none.predict_log_proba(X), fewer.predict_log_proba(X), rtol=1e-6, atol=1e-6)


@every_one
def test_a_row_of_weight_two_is_a_row_twice(case: EstimatorCase) -> None:
    X, y = partly(case, 4)
    twice = np.concatenate([np.arange(60), np.arange(0, 60, 3)])
    heavy = climbed(case, X, y, np.where(np.arange(60) % 3 == 0, 2.0, 1.0), max_iter=2)
    again = climbed(case, rows(X, twice), y[twice], max_iter=2)
    assert heavy.objective_ == pytest.approx(again.objective_, rel=1e-6)
    np.testing.assert_allclose(heavy.predict_log_proba(X), again.predict_log_proba(X), rtol=1e-5, atol=1e-5)


@every_one
def test_the_order_of_rows_and_how_they_come_change_nothing(case: EstimatorCase) -> None:
    X, y = partly(case, 5)
    order = np.random.default_rng(0).permutation(60)
    one = climbed(case, X, y, max_iter=2)
    other = climbed(case, rows(X, order), y[order], max_iter=2)
    apart = sf.SemiSupervised(clone(case.model), max_iter=2, tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        apart.fit(rows(X, np.arange(20)), y[:20], unlabelled=rows(X, np.arange(20, 60)))
    for model in (other, apart):
        assert model.objective_ == pytest.approx(one.objective_, rel=1e-6)
        np.testing.assert_allclose(model.predict_log_proba(X), one.predict_log_proba(X), rtol=1e-5, atol=1e-5)
    assert np.array_equal(one.transduction_[order], other.transduction_)
    assert np.array_equal(one.transduction_, apart.transduction_)


def setup_of(case: EstimatorCase, X: Any) -> tuple[EMSetup, Any]:
    estimator = clone(case.model)
    source, _ = opened(estimator, X)
    return EMSetup.of(estimator, [source]), source


def setup_of_counts(model: Any, counted: Any) -> EMSetup:
    estimator = clone(model)
    reading_like(estimator, counted)
    return EMSetup.of_counts(estimator, counted._model)


def counted(setup: EMSetup, source: Any, y: Any, classes: Any) -> Model:
    empty = setup.empty(classes, Views())
    return Model.of(classes, empty.likelihoods, setup.rows(source), Labels(y, None, len(classes)))


@every_one
def test_shares_of_one_are_labels(case: EstimatorCase) -> None:
    X, y = case.data(6, 40)
    classes, codes = np.unique(y, return_inverse=True)
    setup, source = setup_of(case, X)
    shares, plain = counted(setup, source, np.eye(3)[codes], classes), counted(setup, source, codes, classes)
    if case.exact:
        assert {name: block.statistic for name, block in shares.blocks.items()} == {
            name: block.statistic for name, block in plain.blocks.items()
        }
    np.testing.assert_allclose(shares.n, clone(case.model).fit(X, y).class_count_)


@every_one
def test_what_rows_are_like_is_learned_from_counts_too(case: EstimatorCase) -> None:
    """Of three classes two are labels, and rows of the third have none: counts of all say the same as the rows."""
    X, y = case.data(6, 40)
    classes, codes = np.unique(y, return_inverse=True)
    setup, source = setup_of(case, X)
    from_counts = setup_of_counts(case.model, clone(case.model).fit(X, y))
    placed = from_counts.placed(classes[:2], np.array([0, 1, -1]), Views())
    of_rows = counted(setup, source, np.eye(3)[codes][:, :2], classes[:2])
    pairs = ((from_counts, placed), (setup, of_rows))
    one, other = (log_joint(Predictor(model, each.prior), each.rows(source)) for each, model in pairs)
    np.testing.assert_allclose(one, other, rtol=1e-9)
    np.testing.assert_allclose(placed.n, of_rows.n)
