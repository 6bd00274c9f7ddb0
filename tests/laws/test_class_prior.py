"""The class prior means the same in every classifier: by fractions, whatever the classifier is."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import suffice as sf
from laws.estimators import ESTIMATORS, EstimatorCase, one_of_each_kind

OWN = (
    sf.DirichletMultinomialNB,
    sf.ExponentialNB,
    sf.GaussianDiscriminant,
    sf.NaiveBayes,
    sf.PoissonNB,
    sf.TextClassifier,
)
CASES = one_of_each_kind(ESTIMATORS)
every = pytest.mark.parametrize("case", CASES, ids=str)


def parameter(model: Any) -> str:
    return "priors" if "priors" in model.get_params() else "class_prior"


def fitted(case: EstimatorCase, given: Any, **more: Any) -> Any:
    X, y = case.data(0, 60)
    return clone(case.model).set_params(**{parameter(case.model): given}, **more).fit(X, y)


def said(model: Any) -> list[float]:
    return [float(p) for p in np.exp(model.class_log_prior_)]


def shares(model: Any, alpha: list[Fraction], less: int = 0) -> list[float]:
    each = [int(n) + a - less for n, a in zip(model.class_count_.tolist(), alpha, strict=True)]
    return [float(one / sum(each)) for one in each]


@every
def test_counted_uniform_and_given(case: EstimatorCase) -> None:
    counted = fitted(case, "counted")
    assert said(counted) == pytest.approx(shares(counted, [Fraction(0)] * 3))
    assert said(fitted(case, "uniform")) == pytest.approx([1 / 3] * 3)
    assert said(fitted(case, [0.2, 0.3, 0.5])) == pytest.approx([0.2, 0.3, 0.5])


@every
def test_a_belief(case: EstimatorCase) -> None:
    estimate = case.model.get_params().get("estimate", "mean")
    for given, alpha in (
        (2, [Fraction(2)] * 3),
        (sf.Dirichlet([3, 1, 0.5]), [Fraction(3), Fraction(1), Fraction(1, 2)]),
    ):
        model = fitted(case, given)
        pseudo = [Fraction(0)] * 3 if estimate == "mle" else alpha
        assert said(model) == pytest.approx(shares(model, pseudo, int(estimate == "map")))


@every
def test_the_default(case: EstimatorCase) -> None:
    model = type(case.model)()
    given = model.get_params()[parameter(model)]
    assert given == (1.0 if isinstance(model, OWN) else None)
    assert ("fit_prior" in model.get_params()) == (
        isinstance(model, sf.BernoulliNB | sf.CategoricalNB | sf.ComplementNB | sf.MultinomialNB)
    )


@pytest.mark.parametrize("make", [sf.MultinomialNB, sf.BernoulliNB, sf.PoissonNB, sf.NaiveBayes, sf.CategoricalNB])
def test_the_mode_of_a_belief(make: Any) -> None:
    X, y = np.random.default_rng(0).integers(0, 2, (32, 3)), np.repeat([0, 1], [20, 12])
    model = make(estimate="map", class_prior=sf.Dirichlet([2, 2])).fit(X, y)
    assert said(model) == pytest.approx([21 / 34, 13 / 34])
    with pytest.raises(ValueError, match="unique mode of the class prior"):
        make(estimate="map", class_prior=0.5).partial_fit(X[:20], y[:20], classes=[0, 1])


@pytest.mark.parametrize("make", OWN)
def test_a_declared_class_without_rows_has_a_probability(make: Any) -> None:
    X: Any = [[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]
    X = ["tea milk", "rum", "tea rum"] if make is sf.TextClassifier else X
    options = {"prior": sf.NormalInverseWishart([0, 0], 1, 3, np.eye(2))} if make is sf.GaussianDiscriminant else {}
    model = make(temper=None, **options).partial_fit(X, ["a", "b", "a"], classes=["a", "b", "c"])
    assert said(model) == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    assert (model.predict_proba(X) > 0).all()


@pytest.mark.parametrize("make", OWN)
def test_what_are_no_probabilities_is_refused(make: Any) -> None:
    cases: Any = [[0.5, 0.6], [1.2, -0.2], [[0.5, 0.5]], [float("nan"), 1.0]]
    for given in cases:
        X: Any = ["tea", "rum"] if make is sf.TextClassifier else [[1.0], [2.0]]
        with pytest.raises(ValueError, match=f"The 'class_prior' parameter of {make.__name__} must hold probabilities"):
            make(class_prior=given).fit(X, ["a", "b"])


def test_what_is_no_class_prior_is_refused() -> None:
    cases: Any = [None, 0, -1.0, "learned"]
    for given in cases:
        with pytest.raises(ValueError, match="The 'class_prior' parameter of PoissonNB must be"):
            sf.PoissonNB(class_prior=given).fit([[1], [2]], ["a", "b"])
