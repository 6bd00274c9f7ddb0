"""Parameters and columns of any size give probabilities, or an error that names them: never NaN, never nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

import suffice as sf
from laws.estimators import ESTIMATORS as CASES
from laws.estimators import EstimatorCase, one_of_each_kind
from suffice.errors import DataError, SufficeError
from suffice.stats import DiagonalMoments, FullMoments

N = 40
SIZES = [5e-324, 1e-308, 1e-100, 1e100, 2.0**500, 1e200, 1e308, np.inf, np.nan]

BELIEFS: dict[str, list[Callable[[float], dict[str, Any]]]] = {
    "BernoulliNB": [lambda v: {"alpha": sf.Beta(v, v)}, lambda v: {"alpha": sf.Beta(v, 1)}],
    "CategoricalNB": [lambda v: {"alpha": sf.Dirichlet([v] * 6)}],
    "MultinomialNB": [lambda v: {"alpha": [v] * 5}, lambda v: {"class_prior": sf.Dirichlet([v, 1, 1])}],
    "PoissonNB": [lambda v: {"alpha": sf.Gamma(v, v)}, lambda v: {"alpha": sf.Gamma(1, v)}],
    "ExponentialNB": [lambda v: {"alpha": sf.WaitingRate(v, v)}],
    "GaussianNB": [
        lambda v: {"prior": sf.NormalInverseGamma(0, v, v, v), "estimate": "predictive"},
        lambda v: {"prior": sf.NormalInverseGamma(v, 1, 2, 2), "estimate": "mean"},
    ],
    "GaussianDiscriminant": [lambda v: {"prior": sf.NormalInverseWishart([v, 0, 0], 1, 5, np.eye(3))}],
    "NaiveBayes": [
        lambda v: {"columns": {"colour": sf.columns.Categorical(alpha=v)}},
        lambda v: {"columns": {"size": sf.columns.Gaussian(prior=sf.NormalInverseGamma(0, v, 2, v))}},
    ],
    "TextClassifier": [lambda v: {"model": "bernoulli", "alpha": sf.Beta(v, v)}],
}


@pytest.mark.filterwarnings("ignore")  # of divisions within; what comes out is what counts
@pytest.mark.parametrize("case", one_of_each_kind(CASES), ids=str)
def test_parameters_of_any_size_give_probabilities_or_are_refused_by_name(case: EstimatorCase) -> None:
    X, y = case.data(0, N)
    plain = type(case.model)
    known = [name for name, value in plain().get_params().items() if not isinstance(value, bool)]
    makes = [lambda v, name=name: {name: v} for name in known] + BELIEFS.get(plain.__name__, [])
    for make in makes:
        for size in SIZES:
            try:
                model = clone(case.model).set_params(**make(size)).fit(X, y)
                logs = model.predict_log_proba(X)
            except (SufficeError, InvalidParameterError, NotImplementedError):  # the last of scikit-learn's solvers
                continue
            np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, err_msg=f"{make(size)}")
            assert np.exp(model.class_log_prior_).sum() == pytest.approx(1.0)


def test_what_overflows_is_refused_by_name() -> None:
    X, y = [[1, 0], [0, 2]], [0, 1]
    cases: list[tuple[str, Any]] = [("alpha", 1e308), ("class_prior", 1e308), ("temper", 1e200), ("alpha", [1, 1e200])]
    for name, value in cases:
        with pytest.raises(ValueError, match=f"'{name}' parameter of MultinomialNB must hold numbers of at most 2"):
            sf.MultinomialNB(**{name: value}).fit(X, y)
    with pytest.raises(ValueError, match="'length_exponent' parameter of TextClassifier must be"):
        sf.TextClassifier(length_exponent=1e100).fit(["ab", "cd"], y)


SCALED: list[Any] = [
    sf.GaussianNB(), sf.GaussianDiscriminant(), sf.GaussianDiscriminant("shared"), sf.GaussianDiscriminant("diagonal"),
    sf.LinearDiscriminantAnalysis(), sf.QuadraticDiscriminantAnalysis(), sf.NaiveBayes(joint=None),
    sf.NaiveBayes({"a": "gaussian", "b": "gaussian"}), sf.NaiveBayes({"a": "histogram", "b": "histogram"}),
]  # fmt: skip


@pytest.mark.parametrize("model", SCALED, ids=repr)
def test_columns_of_any_scale_are_learned_or_refused_by_name(model: Any) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + 3 * y[:, None]
    named = isinstance(model, sf.NaiveBayes)

    def rows(power: int) -> Any:
        scaled = X * 2.0**power
        return {"a": scaled[:, 0], "b": scaled[:, 1]} if named else scaled

    expected, learned = clone(model).fit(rows(0), y).predict(rows(0)), 0
    for power in (-1060, -1000, -560, -510, -480, -300, 300, 480, 495, 510, 530, 1000):
        try:
            found = clone(model).fit(rows(power), y).predict(rows(power))
        except DataError as error:
            message = str(error)
        else:
            assert (found == expected).mean() >= 0.95
            learned += 1
            continue
        assert abs(power) > 490
        assert ("'a'" if named else "column 0") in message
    assert learned >= 4


def test_constants_are_no_small_columns() -> None:
    X = np.column_stack([np.zeros(6), np.full(6, 1e-200), [1e-200, 0, 5, 2, 3, 4]])
    for kind in (DiagonalMoments, FullMoments):
        for matrix in (X, sparse.csr_matrix(X)):
            assert (np.asarray(kind.of(matrix).mean) >= 0).all()
            assert kind.of(matrix[:0], [], n_classes=2).n.sum() == 0
            with pytest.raises(DataError, match=r"'data' must hold .* column 1 varies by 1e-200\. Rescale it"):
                kind.of(matrix[:2][:, [0, 2]])
