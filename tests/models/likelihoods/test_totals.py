"""What likelihoods share whose statistic is a number of rows and their sum, on waiting times, beside scipy."""

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import suffice as sf
from refusals import refused
from suffice.errors import DataError, KindError, ShapeError
from suffice.models.answers import derived
from suffice.models.likelihoods.exponential import Exponential
from suffice.models.likelihoods.totals import TotalBelief, Totals
from suffice.models.scoring.rows import MatrixRows
from suffice.stats import WaitingTimes
from suffice.stats.inputs import RowMatrix
from suffice.tables import Table

T = WaitingTimes.of(np.array([[1.0, 3.0], [2.0, 0.5], [4.0, 9.0], [6.0, 7.0]]), [0, 0, 1, 1])
LAW = Exponential(sf.WaitingRate(2.0, 1.5))
X = np.array([[0.5, 2.0], [3.0, 8.0], [0.0, 1.0]])


def rows(x: Any) -> MatrixRows:
    return MatrixRows(RowMatrix.read(x, "X"))


def posterior(c: int, j: int) -> Any:
    return stats.gamma(2.0 + 2.0, scale=1 / (1.5 + T.total[c, j]))


def test_the_predictive_is_that_of_the_family() -> None:
    for c in range(2):
        expected = stats.lomax.logpdf(X, 4.0, scale=1.5 + T.total[c])
        np.testing.assert_allclose(Totals.logs(LAW, T.n[c], T.total[c][None], X), expected, rtol=1e-12)
        np.testing.assert_allclose(LAW.scorer(T).scores(rows(X))[:, c], expected.sum(axis=1), rtol=1e-12)


def test_scores_spread_as_their_parameters_do() -> None:
    """Mean and variance of ln λ − λx by quadrature, and by draws within five standard errors."""
    belief, n = TotalBelief(LAW, T), 20_000
    mean, variance = belief.moments(rows(X))
    drawn = belief.draws(rows(X), np.random.default_rng(0), n)
    assert drawn.shape == (n, 3, 2)
    for i, x in enumerate(X):
        for c in range(2):
            each = [posterior(c, j).expect(lambda rate, x=x, j=j: np.log(rate) - rate * x[j]) for j in range(2)]
            squares = [
                posterior(c, j).expect(lambda rate, x=x, j=j: (np.log(rate) - rate * x[j] - each[j]) ** 2)  # noqa: B023
                for j in range(2)
            ]
            assert mean[i, c] == pytest.approx(sum(each), rel=1e-7)
            assert variance[i, c] == pytest.approx(sum(squares), rel=1e-6)
    np.testing.assert_array_less(np.abs(drawn.mean(axis=0) - mean), 5 * np.sqrt(variance / n))
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.1)


def test_what_speaks_for_a_class_is_a_divergence() -> None:
    """∫ p ln p/q of the class's waits and of waits with the mean of the others, by quadrature."""
    law = Exponential(sf.WaitingRate(2.0, 1.5), "mean")
    rate = np.asarray(law.plug_in(T))
    for said in derived.top_features(law, T, T.n, 0, 2):
        own, others = stats.expon(scale=1 / rate[0, said.feature]), stats.expon(scale=1 / rate[1, said.feature])
        found, _ = integrate.quad(
            lambda x, p=own, q=others: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), 0, 200, epsabs=1e-12, limit=400
        )
        assert said.weight == pytest.approx(found, rel=1e-7)


def test_priors_and_values_that_do_not_fit_are_refused() -> None:
    with refused(KindError, "Exponential.prior", must="be a WaitingRate", got="'evidence'"):
        Exponential(prior="evidence")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="must be a single belief"):
        Exponential(sf.WaitingRate([1.0, 2.0], 1.0))
    column = Table.read({"wait": [1.0, -2.0, -3.0]})["wait"]
    with pytest.raises(DataError, match=r"Column 'wait' is exponential and must hold times of at least 0 .* got -3\.0"):
        LAW.rows(column)
