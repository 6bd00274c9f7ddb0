"""Gaussian discriminants against scipy, brute force and finite differences."""

from typing import Any, Literal

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone

import suffice as sf
from suffice.errors import ImproperPrior, PriorError, SingularCovariance
from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.scoring.results import Estimate
from suffice.stats import FullMoments

COVARIANCES = ("full", "shared")


def data(seed: int = 0, rows: int = 40, columns: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 3
    shapes = rng.normal(size=(3, columns, columns))
    return np.einsum("ij,ijk->ik", rng.normal(size=(rows, columns)), shapes[y]) + 0.5 * y[:, None], y


def student(X: Any, df: float, location: Any, scale: Any) -> Any:
    return stats.multivariate_t(location, scale, df).logpdf(X)


def test_bayesian_qda_is_the_student_t_of_the_paper() -> None:
    X, y = data()
    q, B, d = 5.0, np.diag([1.0, 2.0, 3.0]), 3
    model = sf.GaussianDiscriminant(
        prior=sf.NormalInverseWishart(np.zeros(3), 0, q, B), class_prior="counted", temper=None
    ).fit(X, y)
    expected = np.empty((40, 3))
    for c in range(3):
        Z = X[y == c]
        n, S = len(Z), (len(Z) - 1) * np.cov(Z.T)
        df = n + q - d + 1
        expected[:, c] = student(X, df, Z.mean(axis=0), (n + 1) / n * (S + B) / df) + np.log(n / 40)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-10)


def test_bayesian_lda_is_the_student_t_of_the_paper() -> None:
    X, y = data()
    q, B, d = 5.0, np.diag([1.0, 2.0, 3.0]), 3
    model = sf.GaussianDiscriminant(
        "shared", prior=sf.NormalInverseWishart(np.zeros(3), 0, q, B), class_prior="counted", temper=None
    )
    model.fit(X, y)
    pooled = sum((np.sum(y == c) - 1) * np.cov(X[y == c].T) for c in range(3))
    df = 40 + q - 3 - d + 2
    for c in range(3):
        n = np.sum(y == c)
        expected = student(X, df, X[y == c].mean(axis=0), (n + 1) / n * (pooled + B) / df) + np.log(n / 40)
        np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, c], expected, rtol=1e-10)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("kappa", [0.0, 0.7])
def test_plugged_in_is_the_normal_of_the_joint_mode(
    covariance: Literal["full", "shared", "diagonal"], kappa: float
) -> None:
    X, y = data()
    prior = sf.NormalInverseWishart([0.1, 0.2, 0.3], kappa, 5.0, np.diag([1.0, 2.0, 3.0]))
    model = sf.GaussianDiscriminant(covariance, "map", prior=prior, temper=None).fit(X, y)
    mean, covariances = model.means_, np.broadcast_to(model.covariance_, (3, 3, 3))

    def height(mean: Any, covariance: Any) -> float:
        """Return ln p of rows and parameters; μ_c | Σ is normal, Σ inverse-Wishart (κ = 0: with its measure)."""
        total = 0.0
        for c in range(3):
            total += stats.multivariate_normal(mean[c], covariance[c]).logpdf(X[y == c]).sum()
            if kappa:
                total += stats.multivariate_normal([0.1, 0.2, 0.3], covariance[c] / kappa).logpdf(mean[c])
            elif covariance_is_own or c == 0:
                total -= np.linalg.slogdet(covariance[c])[1] / 2
            if covariance_is_own or c == 0:
                total += stats.invwishart(5.0, np.diag([1.0, 2.0, 3.0])).logpdf(covariance[c])
        return total

    covariance_is_own = covariance == "full"
    top, rng = height(mean, covariances), np.random.default_rng(0)
    for _ in range(30):
        moved = mean + 0.02 * rng.normal(size=mean.shape)
        turn = np.eye(3) + 0.02 * rng.normal(size=(3, 3) if not covariance_is_own else (3, 3, 3))
        assert height(moved, covariances) < top
        assert height(mean, turn @ covariances @ np.swapaxes(turn, -1, -2)) < top


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_the_evidence_is_that_of_row_after_row(covariance: Literal["full", "shared", "diagonal"]) -> None:
    X, y = data(1, 21)
    for kappa in (0.0, 0.5):
        prior = sf.NormalInverseWishart(np.zeros(3), kappa, 4.0, np.eye(3))
        given: dict[str, Any] = {"prior": prior, "temper": None, "class_prior": np.full(3, 1 / 3)}
        grown = sf.GaussianDiscriminant(covariance, **given).partial_fit(X[:3], y[:3], classes=[0, 1, 2])
        total = grown.log_evidence_
        for i in range(3, 21):
            total += grown.predict_joint_log_proba(X[i : i + 1])[0, y[i]]
            grown.partial_fit(X[i : i + 1], y[i : i + 1])
        assert grown.log_evidence_ == pytest.approx(total, rel=1e-10)
        if kappa == 0:  # given the first row of each, there is nothing to predict
            assert sf.GaussianDiscriminant(covariance, **given).fit(X[:3], y[:3]).evidence().by_class.sum() == 0


def test_shared_evidence_of_one_class_is_its_own() -> None:
    X, _ = data(2)
    t = FullMoments.of(X, np.zeros(40, int), n_classes=1)
    for kappa in (0.0, 2.0):
        prior = sf.NormalInverseWishart([1.0, 2.0, 3.0], kappa, 6.0, np.diag([1.0, 2.0, 3.0]))
        shared = Discriminant("shared", prior=prior).log_evidence(t).sum()
        assert shared == pytest.approx(float(prior.log_evidence(values=X)))


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("estimate", ["mle", "map", "mean", "predictive"])
@pytest.mark.parametrize("kappa", [0.0, 0.3])
def test_leaving_out_is_refitting(
    covariance: Literal["full", "shared", "diagonal"], estimate: Estimate, kappa: float
) -> None:
    X, y = data(3, 45)
    w = np.random.default_rng(0).choice([0.5, 1.0, 2.0], 45)
    prior = sf.NormalInverseWishart(np.zeros(3), kappa, 5.0, np.eye(3))

    def model() -> Any:
        return sf.GaussianDiscriminant(covariance, estimate, prior=prior, temper=None)

    left = np.array(
        [
            model().fit(np.delete(X, i, 0), np.delete(y, i), np.delete(w, i)).predict_proba(X[i : i + 1])[0]
            for i in range(45)
        ]
    )
    np.testing.assert_allclose(model().fit(X, y, w).leave_one_out(X, y, w), left, atol=1e-10)


ONE_ROW_WILL_DO = [
    (covariance, estimate)
    for covariance in COVARIANCES
    for estimate in ("mle", "map", "mean", "predictive")
    if (covariance, estimate) != ("full", "mle")
]


@pytest.mark.parametrize(("covariance", "estimate"), ONE_ROW_WILL_DO)
@pytest.mark.parametrize("kappa", [0.0, 0.3])
def test_leaving_out_the_only_row_of_a_class(
    covariance: Literal["full", "shared", "diagonal"], estimate: Estimate, kappa: float
) -> None:
    X, y = data(11, 40)
    y[0] = 3
    prior = sf.NormalInverseWishart(np.zeros(3), kappa, 6.0, np.eye(3))
    model = sf.GaussianDiscriminant(covariance, estimate, prior=prior, temper=None, class_prior=np.full(4, 0.25))
    found = clone(model).fit(X, y).leave_one_out(X[:1], y[:1])
    without = clone(model).partial_fit(X[1:], y[1:], classes=[0, 1, 2, 3])
    np.testing.assert_allclose(found, without.predict_proba(X[:1]), atol=1e-10)


@pytest.mark.parametrize("covariance", ["full", "shared", "diagonal"])
@pytest.mark.parametrize("prior", ["evidence", "loo"])
@pytest.mark.parametrize(
    "estimate", ["predictive", *(pytest.param(one, marks=pytest.mark.thorough) for one in ("mle", "map"))]
)
def test_units_do_not_matter(
    covariance: Literal["full", "shared", "diagonal"], prior: Literal["evidence", "loo"], estimate: Estimate
) -> None:
    X, y = data(4, 60)
    by = np.array([1e-6, 1.0, 1e6])

    def asked(X: Any) -> Any:
        return sf.GaussianDiscriminant(covariance, estimate, prior=prior).fit(X, y).predict_log_proba(X)

    for factor in (1e-6, 1e6, by):
        np.testing.assert_allclose(asked(X * factor), asked(X), rtol=1e-4, atol=1e-6)


def test_a_mean_of_a_hundred_million() -> None:
    X, y = data(5, 60)
    near, far = X.round(3), X.round(3) + 1e8
    for covariance in ("full", "shared", "diagonal"):
        plain, moved = (
            sf.GaussianDiscriminant(covariance, prior="evidence", temper=None).fit(Z, y) for Z in (near, far)
        )
        np.testing.assert_allclose(moved.predict_log_proba(far), plain.predict_log_proba(near), atol=1e-3)
        forgot = moved.forget(far[:20], y[:20])
        never = sf.GaussianDiscriminant(covariance, prior="evidence", temper=None).fit(far[20:], y[20:])
        np.testing.assert_allclose(forgot.predict_log_proba(far), never.predict_log_proba(far), atol=1e-6)


def test_more_columns_than_rows() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = rng.normal(size=(30, 45)) * np.where(y[:, None] == 1, 3.0, 1.0)
    Z = rng.normal(size=(100, 45)) * np.where(np.arange(100)[:, None] % 2 == 1, 3.0, 1.0)
    for prior in ("loo", "evidence"):
        model = sf.GaussianDiscriminant(prior=prior).fit(X, y)
        assert model.score(Z, np.arange(100) % 2) > 0.95
        assert np.isfinite(model.predict_log_proba(Z)).all()
    with pytest.raises(SingularCovariance, match=r"class 0 is singular.*'predictive'"):
        sf.GaussianDiscriminant(estimate="mle").fit(X, y)
    with pytest.raises(SingularCovariance, match="shared by all classes"):
        sf.GaussianDiscriminant("shared", "mle").fit(X, y)


def test_rows_judge_the_prior_where_the_evidence_errs() -> None:
    """Clouds that lie across the columns, unlike any diagonal prior: the evidence takes them for rounder."""
    rng, wrong = np.random.default_rng(0), np.zeros((6, 2))
    for k in range(6):
        turns = [np.linalg.qr(rng.normal(size=(20, 20)))[0] for _ in range(2)]
        wide = np.linspace(1, 10, 20)

        def drawn(n: int, turns: Any = turns, wide: Any = wide) -> tuple[Any, Any]:
            y = np.arange(n) % 2
            X = rng.normal(size=(n, 20)) * np.where(y[:, None] == 0, wide, wide[::-1])
            return np.where(y[:, None] == 0, X @ turns[0], X @ turns[1]), y

        (X, y), (Z, z) = drawn(60), drawn(400)
        for i, loo in enumerate((True, False)):
            wrong[k, i] = 1 - sf.GaussianDiscriminant(prior="loo" if loo else "evidence").fit(X, y).score(Z, z)
    assert wrong[:, 0].mean() < wrong[:, 1].mean() - 0.03


@pytest.mark.thorough
@pytest.mark.parametrize(("covariance", "method"), [(c, m) for c in COVARIANCES for m in ("delta", "sample")])
def test_intervals_hold_nine_of_ten_draws(covariance: Literal["full", "shared", "diagonal"], method: str) -> None:
    X, y = data(8, 60)
    prior = sf.NormalInverseWishart(np.zeros(3), 0.1, 8.0, 3 * np.eye(3))
    given = np.array([0.3, 0.3, 0.4])
    model = sf.GaussianDiscriminant(covariance, prior=prior, temper=None, class_prior=given).fit(X, y)
    low, high = model.predict_interval(X[:8], method=method, n_samples=4000, random_state=0)
    rng, t = np.random.default_rng(1), FullMoments.of(X, y)
    if covariance == "full":
        drawn: Any = prior.update(t).sample(4000, rng)
        means, covariances = drawn.mean, drawn.covariance
    else:
        after = Discriminant("shared", "predictive", prior).posterior(t)
        one = stats.invwishart(float(after.nu[0]), after.scale[0]).rvs(4000, random_state=rng)
        steps = np.einsum("sij,scj->sci", np.linalg.cholesky(one), rng.normal(size=(4000, 3, 3)))
        means = after.m + steps / np.sqrt(after.kappa)[:, None]
        covariances = np.broadcast_to(one[:, None], (4000, 3, 3, 3))
    away = X[:8, None, None] - means
    distance = np.einsum("nsci,scij,nscj->nsc", away, np.linalg.inv(covariances), away)
    logs = np.log(given) - 0.5 * (distance + np.linalg.slogdet(covariances)[1])
    chances = np.exp(logs - np.logaddexp.reduce(logs, axis=2, keepdims=True))
    inside = ((chances >= low[:, None]) & (chances <= high[:, None])).mean(axis=1)
    unsure = high < 0.999  # where all draws are one, they are inside
    assert unsure.sum() > 12
    np.testing.assert_allclose(inside[unsure], 0.9, atol=0.03 if method == "sample" else 0.08)


def test_what_has_no_interval_says_why() -> None:
    X, y = data(9, 60)
    few = sf.GaussianDiscriminant(estimate="mle").fit(X, y)
    assert few.predict_interval(X[:2])[0].shape == (2, 3)
    low, high = few.feature_interval()
    own = stats.t(19 - 2, few.means_[0, 0], np.sqrt(np.var(X[y == 0][:, 0]) / (20 - 3)))
    assert low[0, 0] == pytest.approx(own.ppf(0.05), rel=1e-6)
    assert (low < high).all()
    with pytest.raises(ImproperPrior, match="prior=None"):
        _ = few.log_evidence_


def test_a_mean_that_is_not_known_is_refused() -> None:
    X, y = data(10, 9)
    prior = sf.NormalInverseWishart(np.zeros(3), 1.0, 2.5, np.eye(3))
    with pytest.raises(PriorError, match=r"nu \+ rows above d \+ 1"):
        sf.GaussianDiscriminant("full", "mean", prior=prior, temper=None).fit(X[:4], y[:4])
    assert np.isinf(sf.GaussianDiscriminant(prior=prior, temper=None).fit(X[:4], y[:4]).covariance_).any()
