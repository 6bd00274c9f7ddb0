"""Normals of vectors: scores, rows held out, evidence and beliefs, against scipy, scikit-learn and fitting again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from estimators.plain import with_todays_peers
from suffice.errors import ImproperPrior, InputError, PriorError, SingularCovariance
from suffice.models.answers import derived
from suffice.models.class_prior import ClassPrior
from suffice.models.empirical.covariances import Spread
from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.likelihoods.discriminant_analysis import LinearAnalysis, QuadraticAnalysis
from suffice.models.scoring.ellipses import roots_of
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.posterior import NormalInverseGamma, NormalInverseWishart
from suffice.stats import FullMoments
from suffice.stats.inputs import RowMatrix
from suffice.typing import Array

RNG = np.random.default_rng(5)
N, D, CLASSES = 36, 3, 3
CODES = np.arange(N) % CLASSES
WEIGHTS = RNG.integers(1, 3, N).astype(float)
GROUPS = RNG.integers(0, 8, N)
MIX = np.array([[1.0, 0.4, 0.0], [0.0, 10.0, 1.0], [0.0, 0.0, 0.1]])
X = RNG.normal(size=(N, D)) @ MIX + [5.0, -3.0, 100.0] + CODES[:, None] * [1.0, 4.0, 0.1]
NEW = RNG.normal(size=(5, D)) @ MIX + [5.0, -3.0, 100.0]
PRIOR = NormalInverseWishart([5.0, -3.0, 100.0], 0.5, 5.0, np.diag([1.0, 100.0, 0.05]))
FLAT = NormalInverseWishart(np.zeros(D), 0.0, 5.0, np.diag([1.0, 100.0, 0.05]))
ESTIMATES: Any = ["mle", "map", "mean", "predictive"]
KINDS: Any = ["full", "shared"]


def matrix(x: Array) -> MatrixRows:
    return MatrixRows(RowMatrix.read(x, "X"))


def counted(likelihood: Discriminant, kept: Any = slice(None), codes: Any = CODES, x: Array = X) -> FullMoments:
    t: FullMoments = likelihood.count(matrix(x[kept]), Labels(codes[kept], WEIGHTS[kept], CLASSES))
    return t


def by_hand(covariance: str, estimate: str, prior: NormalInverseWishart, new: Array, kept: Any = slice(None)) -> Array:
    """Return log-densities of rows by scipy."""
    x, codes, weights = X[kept], CODES[kept], WEIGHTS[kept]
    n = np.array([weights[codes == c].sum() for c in range(CLASSES)])
    means = np.array([np.average(x[codes == c], axis=0, weights=weights[codes == c]) for c in range(CLASSES)])
    scatters = [np.cov(x[codes == c].T, aweights=weights[codes == c], ddof=0) * n[c] for c in range(CLASSES)]
    kappa, nu, m, scale = float(prior.kappa), float(prior.nu), prior.m, prior.scale
    if estimate == "mle":
        kappa, nu, m, scale = 0.0, 0.0, 0 * prior.m, 0 * prior.scale
    outer = [kappa * n[c] / (kappa + n[c]) * np.outer(means[c] - m, means[c] - m) for c in range(CLASSES)]
    flat = estimate != "mle" and kappa == 0
    out = np.empty((len(new), CLASSES))
    for c in range(CLASSES):
        mean, k = (kappa * m + n[c] * means[c]) / (kappa + n[c]), kappa + n[c]
        some = range(CLASSES) if covariance == "shared" else [c]
        after = scale + sum(scatters[i] + outer[i] for i in some)
        df = nu + sum(n[i] for i in some) - (CLASSES - 1 if flat and covariance == "shared" else 0)
        if estimate == "predictive":
            free = df - D + 1
            law: Any = stats.multivariate_t(mean, after * (k + 1) / k / free, free)
        else:
            modes = CLASSES if covariance == "shared" else 1
            divisor = {"mle": df, "map": df + D + 1 + modes, "mean": df - D - 1}[estimate]
            law = stats.multivariate_normal(mean, after / divisor)
        out[:, c] = law.logpdf(new)
    return out


@pytest.mark.parametrize("prior", [PRIOR, FLAT])
@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("covariance", KINDS)
def test_scores_are_those_of_scipy(covariance: Any, estimate: Any, prior: Any) -> None:
    likelihood = Discriminant(covariance, estimate, prior)
    t = counted(likelihood)
    likelihood = likelihood.settled(t)
    expected = by_hand(covariance, estimate, prior, NEW)
    assert_allclose(likelihood.scorer(t).scores(matrix(NEW)), expected, rtol=1e-9)
    explained = likelihood.contributions(t, matrix(NEW[:1]))
    assert_allclose(explained.logs.sum(axis=0), expected[0], rtol=1e-9)
    assert explained.features == [0, 1, 2, "(peak density)"]


@pytest.mark.parametrize("prior", [PRIOR, FLAT])
@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("covariance", KINDS)
def test_rows_are_held_out_as_if_never_counted(covariance: Any, estimate: Any, prior: Any) -> None:
    likelihood = Discriminant(covariance, estimate, prior)
    t = counted(likelihood)
    likelihood = likelihood.settled(t)
    alone = likelihood.held_out(t, matrix(X), Removal.of(CODES, WEIGHTS)).scores()
    grouped = likelihood.held_out(t, matrix(X), Removal.of(CODES, WEIGHTS, GROUPS)).scores()
    for i in range(0, N, 5):
        row = X[i : i + 1]
        assert_allclose(alone[i], by_hand(covariance, estimate, prior, row, np.arange(N) != i)[0], rtol=1e-7)
        assert_allclose(grouped[i], by_hand(covariance, estimate, prior, row, GROUPS[i] != GROUPS)[0], rtol=1e-7)


@pytest.mark.parametrize("prior", [PRIOR, FLAT])
@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
@pytest.mark.parametrize("covariance", KINDS)
def test_a_class_may_lose_its_only_row(covariance: Any, estimate: Any, prior: Any) -> None:
    codes = np.where(np.arange(N) == 7, 2, np.arange(N) % 2)
    likelihood = Discriminant(covariance, estimate, prior)
    t = counted(likelihood, codes=codes)
    alone = likelihood.held_out(t, matrix(X), Removal.of(codes, WEIGHTS)).scores()
    for i in (7, 8):
        rest = counted(likelihood, np.arange(N) != i, codes)
        assert_allclose(alone[i], likelihood.scorer(rest).scores(matrix(X[i : i + 1]))[0], rtol=1e-7)


@pytest.mark.parametrize("covariance", KINDS)
def test_the_evidence_is_the_product_of_predictions(covariance: Any) -> None:
    likelihood = Discriminant(covariance, "predictive", PRIOR)
    total = 0.0
    for i in range(N):
        seen = np.arange(N) < i
        rest = likelihood.count(matrix(X[seen]), Labels(CODES[seen], None, CLASSES)) if i else _nothing()
        total += float(likelihood.scorer(rest).scores(matrix(X[i : i + 1]))[0, CODES[i]])
    t = likelihood.count(matrix(X), Labels(CODES, None, CLASSES))
    cells = likelihood.log_evidence(t)
    assert cells.values.shape == (CLASSES, 1)
    assert_allclose(cells.sum().sum(), total, rtol=1e-9)


def _nothing() -> FullMoments:
    return FullMoments.of(X[:1], np.zeros(1, int), n_classes=1).with_classes(np.array([-1]), CLASSES)


@pytest.mark.parametrize("covariance", KINDS)
def test_beliefs_and_intervals_are_those_of_draws(covariance: Any) -> None:
    likelihood = Discriminant(covariance, "predictive", PRIOR)
    t = counted(likelihood)
    belief = likelihood.belief(t)
    mean, variance = belief.moments(matrix(NEW))
    draws = belief.draws(matrix(NEW), np.random.default_rng(0), 1500)
    assert_allclose(draws.mean(axis=0), mean, atol=5 * np.sqrt(variance.max() / 1500))
    assert_allclose(draws.var(axis=0), variance, rtol=0.25)
    together = belief.covariances(matrix(NEW))
    if covariance == "full":
        assert together is None
    else:
        assert together is not None
        assert_allclose(np.einsum("naa->na", together), variance)
        drawn = np.cov(draws[:, 0].T)
        assert_allclose(together[0], drawn, atol=0.25 * variance[0].max())
    low, high = derived.parameter_intervals(likelihood, t, 0.9)
    ends = likelihood.posterior(t).interval(0.9).mean
    assert_allclose([low, high], ends)
    some = likelihood.posterior(t, np.array([0, 2]))
    assert_allclose(some.interval(0.9).mean, [low[:, [0, 2]], high[:, [0, 2]]])


def test_too_few_rows_have_no_belief() -> None:
    likelihood = Discriminant("full", "mle", None)
    few = np.arange(N) < 3
    with pytest.raises((ImproperPrior, SingularCovariance)):
        likelihood.belief(counted(likelihood, few))
    with pytest.raises(ImproperPrior, match=r"evidence.*prior=None"):
        likelihood.log_evidence(counted(likelihood))


@pytest.mark.parametrize("covariance", KINDS)
def test_a_learned_prior_is_made_definite(covariance: Any) -> None:
    likelihood = Discriminant(covariance)
    t = counted(likelihood)
    settled = likelihood.settled(t)
    assert isinstance(settled.prior, NormalInverseWishart)
    assert settled.settled(t) == settled
    assert Discriminant(covariance, prior="loo").settled(t).prior == settled.prior
    spread = Spread("pooled", 3.0, 0.5)
    assert Discriminant(covariance, prior=spread).settled(t).prior == spread.prior(t)
    assert Discriminant(covariance, "mle").settled(t).prior is None
    assert likelihood.learns_prior
    assert not settled.learns_prior


@pytest.mark.parametrize("covariance", KINDS)
def test_em_asks_for_priors_and_parameters(covariance: Any) -> None:
    likelihood = Discriminant(covariance, "map")
    t = counted(likelihood)
    one = likelihood.count(matrix(X), Labels(np.zeros(N, int), None, 1))
    weak = likelihood.weak(one, N, 2)
    assert isinstance(weak.prior, NormalInverseWishart)
    assert_allclose(weak.prior.scale, np.cov(X.T, ddof=0) / 2 ** (2 / 3), rtol=1e-4)
    judging = likelihood.judging(t, weak)
    assert isinstance(judging.prior, NormalInverseWishart)
    assert judging.prior.batch_shape == ()
    assert judging.prior.kappa == weak.prior.kappa > 0
    coarse = likelihood.coarse(one, 2)
    assert (coarse is None) == (covariance == "shared")
    free = derived.n_parameters(likelihood, t)[0] * CLASSES + derived.n_parameters(likelihood, t)[1]
    assert free == (CLASSES * 9 if covariance == "full" else CLASSES * 3 + 6)
    assert_array_equal(likelihood.points(matrix(X)), X)
    assert not likelihood.lacks("shares")
    assert ("covariance='full'" in Discriminant(covariance, "mle").lacks("shares")) == (covariance == "full")


@pytest.mark.parametrize("estimate", ["map", "mean"])
@pytest.mark.parametrize("covariance", KINDS)
def test_what_is_plugged_in_is_the_mode_of_rows_and_prior(covariance: Any, estimate: Any) -> None:
    likelihood = Discriminant(covariance, estimate, PRIOR)
    t = counted(likelihood)
    base = likelihood.scorer(t).scores(matrix(X))
    height = (WEIGHTS * base[np.arange(N), CODES]).sum() + derived.log_prior_density(likelihood, t)
    for factor in (0.98, 1.02):  # moments of which other covariances are plugged in
        other = FullMoments.from_arrays({**t.arrays(), "scatter": t.scatter * factor, "peak": t.peak * factor})
        scores = likelihood.scorer(other).scores(matrix(X))
        moved = (WEIGHTS * scores[np.arange(N), CODES]).sum() + likelihood.log_prior_density(other)
        assert moved < height


def test_what_speaks_for_a_class_is_its_columns() -> None:
    likelihood = Discriminant("shared", "mle", None)
    t = counted(likelihood)
    found = derived.top_features(likelihood, t, t.n[:, 0], 2, 5)
    assert {one.feature for one in found} <= {0, 1, 2}
    assert all(one.value.startswith(("high: ", "low: ")) for one in found)
    assert_allclose(likelihood.covariances(t)[1][0], t.scatter.sum(axis=0) / t.n.sum())


def test_what_a_discriminant_refuses() -> None:
    t = counted(Discriminant())
    few = counted(Discriminant(), np.arange(N) < 3)
    with pytest.raises(PriorError, match="Use estimate='predictive'"):
        Discriminant("full", "mean", NormalInverseWishart(FLAT.m, 0.0, 2.5, FLAT.scale)).scorer(few)
    with pytest.raises(PriorError, match="NormalInverseWishart of 3 columns"):
        Discriminant(prior=NormalInverseWishart([0.0], 1.0, 2.0, [[1.0]])).settled(t)
    with pytest.raises(PriorError, match="NormalInverseWishart of 3 columns"):
        Discriminant(prior=NormalInverseGamma(0.0, 1.0, 2.0, 1.0)).settled(t)  # type: ignore[arg-type]
    batch = NormalInverseWishart(np.zeros((CLASSES, D)), 1.0, 5.0, np.eye(D))
    with pytest.raises(PriorError, match="a single prior if all classes share"):
        Discriminant("shared", prior=batch).settled(t)
    assert Discriminant("full", prior=batch).settled(t).scorer(t).scores(matrix(NEW)).shape == (5, CLASSES)
    constant = np.column_stack([X[:, :2], np.ones(N)])
    with pytest.raises(SingularCovariance, match=r"class 0 is singular: column 2 does not vary.*'predictive'"):
        Discriminant("full", "mle", None).scorer(counted(Discriminant(), x=constant))
    with pytest.raises(SingularCovariance, match="shared by all classes is singular: columns are collinear"):
        roots_of(np.ones((1, 2, 2)))


@with_todays_peers
@pytest.mark.parametrize(
    ("solver", "shrinkage", "share"),
    [("svd", 0.0, None), ("svd", 0.0, [0.2, 0.3, 0.5]), ("lsqr", 0.3, None), ("eigen", 0.0, [0.2, 0.3, 0.5])],
)
def test_linear_analysis_is_that_of_scikit_learn(solver: Any, shrinkage: float, share: Any) -> None:
    likelihood = LinearAnalysis(
        solver=solver, shrinkage=shrinkage, share=None if share is None else ClassPrior(np.array(share))
    )

    def theirs(kept: Any, new: Array) -> Any:
        model = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage or None, priors=share)
        model.fit(X[kept], CODES[kept])
        return model.predict_log_proba(new) - np.log(model.priors_)

    _agrees(likelihood, theirs)


@with_todays_peers
@pytest.mark.parametrize("ridge", [0.0, 0.2])
def test_quadratic_analysis_is_that_of_scikit_learn(ridge: float) -> None:
    def theirs(kept: Any, new: Array) -> Any:
        model = QuadraticDiscriminantAnalysis(reg_param=ridge).fit(X[kept], CODES[kept])
        return model.predict_log_proba(new) - np.log(model.priors_)

    _agrees(QuadraticAnalysis(ridge=ridge), theirs)


def _agrees(likelihood: Any, theirs: Any) -> None:
    t = likelihood.count(matrix(X), Labels(CODES, None, CLASSES))
    scores = likelihood.scorer(t).scores(matrix(NEW))
    expected = theirs(slice(None), NEW)
    assert_allclose(scores - scores[:, :1], expected - expected[:, :1], rtol=1e-6, atol=1e-8)
    alone = likelihood.held_out(t, matrix(X), Removal.of(CODES, None)).scores()
    grouped = likelihood.held_out(t, matrix(X), Removal.of(CODES, None, GROUPS)).scores()
    for i in range(0, N, 7):
        for found, kept in ((alone, np.arange(N) != i), (grouped, GROUPS[i] != GROUPS)):
            expected = theirs(kept, X[i : i + 1])[0]
            assert_allclose(found[i] - found[i, 0], expected - expected[0], rtol=1e-6, atol=1e-8)


def test_what_an_analysis_refuses() -> None:
    t = counted(LinearAnalysis())
    with pytest.raises(InputError, match="cannot be left out with a covariance_estimator"):
        LinearAnalysis(given=np.ones((4, D, D))).held_out(t, matrix(X), Removal.of(CODES, WEIGHTS))
    for likelihood in (LinearAnalysis(), QuadraticAnalysis()):
        assert "DiscriminantAnalysis cannot learn without labels" in likelihood.lacks("shares")
    few = FullMoments.of(X[:4], np.array([0, 1, 2, 0]), n_classes=CLASSES)
    for kind in (np.linalg.LinAlgError, SingularCovariance):
        with pytest.raises(kind, match="class a is not full rank"):
            QuadraticAnalysis(labels=("a", "b", "c")).scorer(few)
    with pytest.raises(InputError, match="only 1 sample in class 1"):
        QuadraticAnalysis(solver="eigen", shrinkage=0.5).scorer(few)


def test_directions_that_do_not_vary_are_left_out_again_for_each_row() -> None:
    x = np.column_stack([X[:, :2], X[:, 0] * 2])
    likelihood = LinearAnalysis()
    t = likelihood.count(matrix(x), Labels(CODES, None, CLASSES))
    alone = likelihood.held_out(t, matrix(x), Removal.of(CODES, None)).scores()
    kept = np.arange(N) != 4
    rest = likelihood.count(matrix(x[kept]), Labels(CODES[kept], None, CLASSES))
    assert_allclose(alone[4], likelihood.scorer(rest).scores(matrix(x[4:5]))[0], rtol=1e-9)
