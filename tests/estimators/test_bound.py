"""The lower bound of EM beside its objective, and starts that are given: by hand, beside scikit-learn's, refused."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

import suffice as sf
from suffice.errors import InputError
from suffice.store import from_bytes, to_bytes

RNG = np.random.default_rng(5)
TRUTH = np.repeat([0, 1], [40, 60])
REALS = RNG.normal(np.array([[0.0, 0.0], [2.5, 1.0]])[TRUTH], [1.0, 1.5])
FLAGS = (RNG.random((100, 6)) < np.where(TRUTH[:, None], 0.75, 0.3)).astype(int)
SHARES = RNG.dirichlet([2.0, 1.0], 100)


def mixture(estimator: Any, **options: Any) -> sf.Mixture:
    return sf.Mixture(estimator, 2, **{"tol": 0.0, "max_iter": 6, "record_bound": True, **options})


def fitted(model: Any, *args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **options)


def by_hand(joint_of: Any, learn: Any, prior_of: Any, steps: int, first: Any) -> tuple[list[float], list[float]]:
    """Return the objective and the bound of EM, each from its definition; the bound by a sum over rows and classes."""
    theta, objective, bound = learn(first), [], []
    for _ in range(steps + 1):
        joint = joint_of(theta)
        objective.append(float(logsumexp(joint, axis=1).sum() + prior_of(theta)))
        q = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        theta = learn(q)
        bound.append(float((q * (joint_of(theta) - np.log(q))).sum() + prior_of(theta)))
    return objective, bound[:-1]


def test_the_bound_of_gaussians_is_its_definition() -> None:
    def learn(q: Any) -> Any:
        n = q.sum(axis=0)
        mean = q.T @ REALS / n[:, None]
        scatter = np.stack([((q[:, c, None] * (REALS - mean[c]) ** 2).sum(axis=0)) for c in (0, 1)])
        return n / n.sum(), mean, scatter / n[:, None]

    def joint(theta: Any) -> Any:
        share, mean, variance = theta
        logs = [stats.norm.logpdf(REALS, mean[c], np.sqrt(variance[c])).sum(axis=1) + np.log(share[c]) for c in (0, 1)]
        return np.stack(logs, axis=1)

    objective, bound = by_hand(joint, learn, lambda _: 0.0, 6, SHARES)
    model = fitted(mixture(sf.GaussianNB(var_smoothing=1e-14)), REALS, init=SHARES)
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-10)
    np.testing.assert_allclose(model.bound_[:-1], bound, rtol=1e-10)
    assert np.isnan(model.bound_[-1])
    assert (np.array(model.bound_[:-1]) > model.objective_[:-1]).all()
    assert (np.array(model.bound_[:-1]) < model.objective_[1:]).all()


def test_the_bound_of_flags_is_its_definition() -> None:
    """Means under Beta(1, 1) are plugged in, which are the mode under Beta(2, 2)."""

    def learn(q: Any) -> Any:
        n = q.sum(axis=0)
        return n / n.sum(), (q.T @ FLAGS + 1) / (n[:, None] + 2)

    def joint(theta: Any) -> Any:
        share, p = theta
        logs = [stats.bernoulli.logpmf(FLAGS, p[c]).sum(axis=1) + np.log(share[c]) for c in (0, 1)]
        return np.stack(logs, axis=1)

    def prior(theta: Any) -> float:
        return float(stats.beta.logpdf(theta[1], 2, 2).sum())

    objective, bound = by_hand(joint, learn, prior, 6, SHARES)
    model = fitted(mixture(sf.BernoulliNB(alpha=1.0)), FLAGS, init=SHARES)
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-10)
    np.testing.assert_allclose(model.bound_[:-1], bound, rtol=1e-10)


def test_the_bound_is_below_the_objective_by_the_divergence_of_shares() -> None:
    """With labels, weights and λ: rows that have a label add nothing to the gap."""
    y, weights = np.where(np.arange(100) % 5, -1, TRUTH), RNG.integers(1, 4, 100).astype(float)
    free = y < 0
    paths = []
    for steps in (1, 2):
        model = sf.SemiSupervised(sf.BernoulliNB(), tol=0.0, max_iter=steps, unlabelled_weight=0.4, record_bound=True)
        paths.append(fitted(model, FLAGS, y, weights))
    before, after = (model.predict_proba(FLAGS[free]) for model in paths)
    gap = 0.4 * weights[free] @ stats.entropy(before, after, axis=1)
    assert paths[1].bound_[1] == pytest.approx(paths[1].objective_[2] - gap, rel=1e-12)
    assert paths[1].bound_[:1] == paths[0].bound_[:1]


def test_recording_changes_nothing_and_is_forgotten() -> None:
    model = fitted(mixture(sf.BernoulliNB(), random_state=0), FLAGS)
    plain = fitted(mixture(sf.BernoulliNB(), random_state=0, record_bound=False), FLAGS)
    assert plain.objective_ == model.objective_
    assert not hasattr(plain, "bound_")
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.bound_, model.bound_)
    assert again.record_bound
    assert not hasattr(fitted(model.set_params(record_bound=False), FLAGS), "bound_")


def test_each_stage_ends_without_a_bound() -> None:
    model = sf.Mixture(sf.GaussianDiscriminant(estimate="map"), 2, random_state=0, record_bound=True).fit(REALS)
    assert len(model.stages_) == 3
    ends = [*(start - 1 for start in model.stages_[1:]), len(model.objective_) - 1]
    assert np.flatnonzero(np.isnan(model.bound_)).tolist() == ends


def test_steps_from_given_shares_are_those_of_scikit_learn() -> None:
    n = SHARES.sum(axis=0)
    means = SHARES.T @ REALS / n[:, None]
    variances = SHARES.T @ REALS**2 / n[:, None] - means**2
    peer = GaussianMixture(
        2,
        covariance_type="diag",
        reg_covar=0.0,
        tol=0.0,
        max_iter=6,
        means_init=means,
        weights_init=n / n.sum(),
        precisions_init=1 / variances,
    )
    fitted(peer, REALS)
    model = fitted(mixture(sf.GaussianNB(var_smoothing=1e-14)), REALS, init=SHARES)
    np.testing.assert_allclose(model.weights_, peer.weights_, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_.theta_, peer.means_, rtol=1e-8)
    np.testing.assert_allclose(model.estimator_.var_, peer.covariances_, rtol=1e-8)


def test_labels_means_and_classifiers_are_starts_too() -> None:
    inner, means = sf.GaussianNB(var_smoothing=1e-14), np.array([[0.0, 0.0], [1.0, 2.0]])
    near = np.square(REALS[:, None] - means).sum(axis=2).argmin(axis=1)
    guess = sf.GaussianNB().fit(REALS[::3], TRUTH[::3])
    pairs = [
        (np.array(["a", "b"])[near], np.eye(2)[near]),
        (near.tolist(), np.eye(2)[near]),
        (means, np.eye(2)[near]),
        (means.tolist(), np.eye(2)[near]),
        (guess, guess.predict_proba(REALS)),
    ]
    for start, shares in pairs:
        one, other = (fitted(mixture(inner), REALS, init=init) for init in (start, shares))
        assert one.objective_ == other.objective_
    assert len({fitted(mixture(inner), REALS, init=start).objective_[0] for start, _ in pairs}) == 2


def test_a_start_of_rows_that_weigh_nothing_is_not_looked_at() -> None:
    weights = np.where(np.arange(100) < 80, 1.0, 0.0)
    shares = np.where(weights[:, None] > 0, SHARES, np.nan)
    shares[80:] = 7.0
    one = fitted(mixture(sf.BernoulliNB()), FLAGS, sample_weight=weights, init=shares)
    other = fitted(mixture(sf.BernoulliNB()), FLAGS[:80], init=SHARES[:80])
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-12)
    assert len(one.labels_) == 100


def test_texts_start_where_they_are_told() -> None:
    texts = ["ant bee", "cow dog", "bee ant ant", "dog cow", "ant", "dog dog"]
    model = sf.Mixture(sf.TextClassifier(), 2).fit(iter(texts), init=[1, 0, 1, 0, 1, 0])
    assert model.labels_.tolist() == [1, 0, 1, 0, 1, 0]
    swapped = sf.Mixture(sf.TextClassifier(), 2).fit(texts, init=[0, 1, 0, 1, 0, 1])
    assert swapped.labels_.tolist() == [0, 1, 0, 1, 0, 1]
    guess = sf.TextClassifier().fit(texts[:2], ["x", "y"])
    assert sf.Mixture(sf.TextClassifier(), 2).fit(iter(texts), init=guess).labels_.tolist() == [0, 1, 0, 1, 0, 1]


HALVES = np.full((100, 2), 0.5)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (HALVES[:99], r"a row for each of the 100 rows .* n_components=2 clusters, .*; got the shape \(99, 2\)"),
        (np.full((100, 3), 1 / 3), r"got the shape \(100, 3\)"),
        (np.zeros((2, 3)), r"got the shape \(2, 3\)"),
        (np.zeros((3, 2)), r"got the shape \(3, 2\)"),
        (np.float64(0.5), r"got the shape \(\)"),
        (HALVES * [3, -1], r"shares from 0 on that add up to one in each row; got \[1.5, -0.5\] in row 0"),
        (HALVES + (np.arange(100) == 7)[:, None], r"add up to one in each row; got \[1.5, 1.5\] in row 7"),
        (np.where(np.arange(100)[:, None] == 3, np.nan, HALVES), "finite numbers"),
        (HALVES.astype(str), "finite numbers"),
        ([[1.0, 2.0], [3.0]], "rows of one length"),
        (HALVES * [2, 0], "every cluster a share of some row; cluster 1 has none"),
        ([[0.0, 0.0], [1e6, 1e6]], "cluster 1 has none"),
        ([0] * 99, "a cluster for each of the 100 rows; got 99"),
        ([0] * 100, "name n_components=2 clusters; got 1 different"),
        (np.arange(100) % 3, "got 3 different"),
        ([-1, 0, 1, 1] * 25, "Use SemiSupervised"),
        (np.array([None, "a", "b", "b"] * 25, object), "Use SemiSupervised"),
        (sf.GaussianNB().fit(REALS, np.arange(100) % 3), r"got the shape \(100, 3\)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_start_that_is_none_is_refused(init: Any, message: str) -> None:
    model = mixture(sf.GaussianNB())
    with pytest.raises(InputError, match=message):
        model.fit(REALS, init=init)
    assert not hasattr(model, "estimator_")


def test_means_are_a_start_of_gaussians_only() -> None:
    counts = np.random.default_rng(0).poisson(3, (30, 2))
    with pytest.raises(InputError, match=r"means for Gaussian classifiers only.*got 2 rows for PoissonNB"):
        sf.Mixture(sf.PoissonNB(), 2).fit(counts, init=[[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(InputError, match=r"or be the mean of each cluster: 2 rows; got the shape \(3, 2\)"):
        sf.Mixture(sf.GaussianNB(), 2).fit(counts, init=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_a_start_needs_a_number_of_clusters() -> None:
    with pytest.raises(InputError, match="a number as n_components; got n_components='bic'"):
        sf.Mixture(sf.GaussianNB(), "bic").fit(REALS, init=SHARES)
    with pytest.raises(InputError, match="means for Gaussian classifiers only"):
        sf.Mixture(sf.BernoulliNB()).fit(FLAGS, init=np.zeros((2, 6)))  # flags are no points: no means
