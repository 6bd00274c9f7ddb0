"""What EM climbs, against scipy and sums over all labels; and when it stops."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln, logsumexp, xlogy
from sklearn.exceptions import ConvergenceWarning

import suffice as sf
from suffice.models.em import alike, climb, entropy, share_out
from suffice.models.em_objective import log_prior_density

RNG = np.random.default_rng(7)
LABELS = np.array([0, 1] * 4 + [-1] * 12)
COUNTS = RNG.poisson(np.where(np.arange(20)[:, None] % 2, [3, 1, 1], [1, 1, 3]))
FLAGS = COUNTS > 1
CODES = np.minimum(COUNTS, 2)
REALS = RNG.normal(COUNTS, 0.5)
WEIGHTS = RNG.integers(1, 4, 20).astype(float)
SHARE = 0.4
BELIEF = sf.NormalInverseGamma(1.0, 0.5, 3.0, 2.0)

Density = Any


def bernoulli(model: Any) -> tuple[Any, float]:
    theta = np.exp(model.feature_log_prob_)
    logs = np.stack([stats.bernoulli.logpmf(FLAGS, p).sum(axis=1) for p in theta], axis=1)
    return logs, float(stats.beta.logpdf(theta, 1 + 1, 1 + 1).sum())


def bernoulli_mode(model: Any) -> tuple[Any, float]:
    theta = np.exp(model.feature_log_prob_)
    logs = np.stack([stats.bernoulli.logpmf(FLAGS, p).sum(axis=1) for p in theta], axis=1)
    return logs, float(stats.beta.logpdf(theta, 2, 3).sum())


def categorical(model: Any) -> tuple[Any, float]:
    theta = [np.exp(part) for part in model.feature_log_prob_]
    logs = sum(np.log(part[:, CODES[:, j]]).T for j, part in enumerate(theta))
    return logs, sum(float(stats.dirichlet.logpdf(line, np.full(len(line), 3.0))) for part in theta for line in part)


def multinomial(model: Any) -> tuple[Any, float]:
    theta, lengths = np.exp(model.feature_log_prob_), COUNTS.sum(axis=1)
    logs = np.stack([stats.multinomial.logpmf(COUNTS, lengths, line) for line in theta], axis=1)
    return logs, sum(float(stats.dirichlet.logpdf(line, [1.5, 2.5, 3.0])) for line in theta)


def poisson(model: Any) -> tuple[Any, float]:
    logs = np.stack([stats.poisson.logpmf(COUNTS, line).sum(axis=1) for line in model.rate_], axis=1)
    return logs, float(stats.gamma.logpdf(model.rate_, 2.0 + 1, scale=1 / 3.0).sum())


def normal(model: Any) -> tuple[Any, float]:
    pairs = list(zip(model.theta_, np.sqrt(model.var_), strict=True))
    logs = np.stack([stats.norm.logpdf(REALS, mean, sd).sum(axis=1) for mean, sd in pairs], axis=1)
    of_means = stats.norm.logpdf(model.theta_, 1.0, np.sqrt(model.var_ / 0.5)).sum()
    return logs, float(of_means + stats.invgamma.logpdf(model.var_, 3.0, scale=2.0).sum())


def predictive(model: Any) -> tuple[Any, float]:
    alpha, lengths = model.feature_count_ + 1.0, COUNTS.sum(axis=1)
    logs = [
        stats.dirichlet_multinomial(line, int(n)).logpmf(row)
        for row, n in zip(COUNTS, lengths, strict=True)
        for line in alpha
    ]
    return np.reshape(logs, (20, 2)), 0.0


CASES = [
    (sf.BernoulliNB(), FLAGS, bernoulli),
    (sf.BernoulliNB(estimate="predictive"), FLAGS, bernoulli),
    (sf.BernoulliNB(alpha=sf.Beta(2, 3), estimate="map"), FLAGS, bernoulli_mode),
    (sf.CategoricalNB(alpha=2.0), CODES, categorical),
    (sf.CategoricalNB(alpha=3.0, estimate="map"), CODES, categorical),
    (sf.MultinomialNB(alpha=[0.5, 1.5, 2.0]), COUNTS, multinomial),
    (sf.MultinomialNB(alpha=[1.5, 2.5, 3.0], estimate="map"), COUNTS, multinomial),
    (sf.MultinomialNB(estimate="predictive"), COUNTS, predictive),
    (sf.PoissonNB(alpha=sf.Gamma(2, 3), estimate="mean"), COUNTS, poisson),
    (sf.PoissonNB(alpha=sf.Gamma(3, 3), estimate="map"), COUNTS, poisson),
    (sf.GaussianNB(prior=BELIEF, estimate="map", var_smoothing=0), REALS, normal),
]


@pytest.mark.parametrize(("model", "X", "oracle"), CASES, ids=lambda part: str(part) if hasattr(part, "fit") else "")
def test_the_objective_is_what_scipy_says(model: Any, X: Any, oracle: Any) -> None:
    fitted = sf.SemiSupervised(model, unlabelled_weight=SHARE, tol=1e-3).fit(X, LABELS, WEIGHTS)
    logs, prior = oracle(fitted.estimator_)
    counts = fitted.estimator_.class_count_
    joint = logs + np.log(counts / counts.sum())
    known = LABELS >= 0
    expected = WEIGHTS[known] @ joint[known, LABELS[known]] + SHARE * WEIGHTS[~known] @ logsumexp(joint[~known], axis=1)
    assert fitted.objective_[-1] == pytest.approx(expected + prior)


def test_a_belief_about_classes_counts() -> None:
    plain = sf.MultinomialNB(class_prior=[0.3, 0.7])
    belief = sf.SemiSupervised(sf.MultinomialNB(class_prior=sf.Dirichlet([2, 3]))).fit(COUNTS, LABELS)
    pi = np.exp(belief.estimator_.class_log_prior_)
    given = sf.SemiSupervised(sf.MultinomialNB(class_prior=pi), max_iter=300).fit(COUNTS, LABELS)
    assert belief.objective_[-1] - given.objective_[-1] == pytest.approx(stats.dirichlet.logpdf(pi, [3, 4]), abs=1e-2)
    assert sf.SemiSupervised(plain).fit(COUNTS, LABELS).estimator_.class_log_prior_[0] == pytest.approx(np.log(0.3))


TEXTS = ["ant ant bee", "cow cow", "bee ant", "cow dog cow", "ant", "dog dog cow", "bee cow", "ant dog"]
TEXT_LABELS = ["x", "y", "x", "y", None, None, None, None]


@pytest.mark.parametrize("binary", [False, True])
def test_the_objective_of_words_in_their_order(binary: bool) -> None:
    model = sf.TextClassifier(alpha=0.7, temper=None, weights=None, binary=binary)
    fitted = sf.SemiSupervised(model).fit(TEXTS, TEXT_LABELS)
    inner, words = fitted.estimator_, ["ant", "bee", "cow", "dog"]
    table = np.array([[text.split().count(word) for word in words] for text in TEXTS])
    table = np.minimum(table, 1) if binary else table
    counts = (inner.counts_.documents if binary else inner.counts_.tokens).toarray() + 0.7
    theta = counts / counts.sum(axis=1, keepdims=True)
    joint = table @ np.log(theta).T + inner.class_log_prior_
    expected = joint[[0, 1, 2, 3], [0, 1, 0, 1]].sum() + logsumexp(joint[4:], axis=1).sum()
    expected += sum(stats.dirichlet.logpdf(line, np.full(4, 1.7)) for line in theta)
    assert fitted.objective_[-1] == pytest.approx(expected)


def test_the_objective_of_words_that_are_there_or_not() -> None:
    fitted = sf.SemiSupervised(sf.TextClassifier("bernoulli", alpha=0.7, temper=None)).fit(TEXTS, TEXT_LABELS)
    inner, words = fitted.estimator_, ["ant", "bee", "cow", "dog"]
    table = np.array([[word in text.split() for word in words] for text in TEXTS])
    theta = (inner.counts_.documents.toarray() + 0.7) / (inner.class_count_[:, None] + 1.4)
    joint = np.stack([stats.bernoulli.logpmf(table, p).sum(axis=1) for p in theta], axis=1) + inner.class_log_prior_
    expected = joint[[0, 1, 2, 3], [0, 1, 0, 1]].sum() + logsumexp(joint[4:], axis=1).sum()
    assert fitted.objective_[-1] == pytest.approx(expected + stats.beta.logpdf(theta, 1.7, 1.7).sum())


def test_the_objective_of_a_table_is_that_of_its_columns() -> None:
    columns = {
        "flag": sf.columns.Bernoulli(sf.Beta(2, 3)),
        "code": sf.columns.Categorical(2.0, other=0),
        "size": sf.columns.Gaussian(BELIEF),
        "events": sf.columns.Poisson(sf.Gamma(2, 3)),
    }
    table = {"flag": FLAGS[:, 0], "code": CODES[:, 1], "size": REALS[:, 2], "events": COUNTS[:, 0]}
    off: dict[str, Any] = {"estimate": "map", "temper": None, "weights": None}
    fitted = sf.SemiSupervised(sf.NaiveBayes(columns, **off), max_iter=3, tol=1e3).fit(table, LABELS)
    inner = fitted.estimator_
    t: Any = inner.statistics_
    on = ((t["flag"].ones + 1) / (t["flag"].n + 3))[:, 0]
    theta = t["code"].table + 1
    theta = theta / theta.sum(axis=1, keepdims=True)
    rate = ((t["events"].total + 1) / (t["events"].n + 3))[:, 0]
    belief = BELIEF.update(t["size"])
    mean, variance = (np.asarray(part)[:, 0] for part in belief.mode)
    logs = stats.bernoulli.logpmf(table["flag"][:, None], on) + np.log(theta[:, table["code"]]).T
    logs += stats.norm.logpdf(table["size"][:, None], mean, np.sqrt(variance))
    joint = logs + stats.poisson.logpmf(table["events"][:, None], rate) + inner.class_log_prior_
    known = LABELS >= 0
    expected = joint[known, LABELS[known]].sum() + logsumexp(joint[~known], axis=1).sum()
    expected += stats.beta.logpdf(on, 2, 3).sum() + stats.gamma.logpdf(rate, 2, scale=1 / 3).sum()
    expected += sum(stats.dirichlet.logpdf(line, np.full(len(line), 2.0)) for line in theta)
    expected += (
        stats.norm.logpdf(mean, 1.0, np.sqrt(variance / 0.5)).sum() + stats.invgamma.logpdf(variance, 3, scale=2).sum()
    )
    assert fitted.objective_[-1] == pytest.approx(expected)


@pytest.mark.parametrize("covariance", ["full", "shared"])
def test_the_objective_of_vectors(covariance: Any) -> None:
    """Up to a constant, so of two models the difference."""
    belief = sf.NormalInverseWishart([1.0, 1.0, 1.0], 0.5, 6.0, 2.0 * np.eye(3))
    told, expected = [], []
    for some in (LABELS, np.where(np.arange(20) < 14, np.arange(20) % 2, -1)):
        model = sf.GaussianDiscriminant(covariance, "map", prior=belief)
        fitted = sf.SemiSupervised(model, tol=1e-3).fit(REALS, some)
        inner = fitted.estimator_
        spreads = np.broadcast_to(inner.covariance_, (2, 3, 3))
        pairs = list(zip(inner.means_, spreads, strict=True))
        logs = np.stack([stats.multivariate_normal(*pair).logpdf(REALS) for pair in pairs], axis=1)
        joint, known = logs + np.log(inner.class_prior_), some >= 0
        total = joint[known, some[known]].sum() + logsumexp(joint[~known], axis=1).sum()
        total += sum(stats.multivariate_normal(np.ones(3), spread / 0.5).logpdf(mean) for mean, spread in pairs)
        each = spreads if covariance == "full" else spreads[:1]
        total += sum(stats.invwishart(6.0, 2.0 * np.eye(3)).logpdf(spread) for spread in each)
        told.append(fitted.objective_[-1])
        expected.append(total)
    assert told[0] - told[1] == pytest.approx(expected[0] - expected[1])


def test_the_objective_of_urns() -> None:
    model = sf.DirichletMultinomialNB(alpha=0.5).fit(COUNTS, np.arange(20) % 2)
    prior = log_prior_density(model._event, model._features, model.class_count_)
    before = model._event.pseudo_documents(model._features)
    assert prior == pytest.approx(xlogy(before, model.alpha_ / model.alpha_.sum(axis=1, keepdims=True)).sum())
    climbed = sf.SemiSupervised(sf.DirichletMultinomialNB(alpha=0.5)).fit(COUNTS, LABELS)
    lengths = COUNTS.sum(axis=1)
    pairs = [(row, int(n)) for row, n in zip(COUNTS, lengths, strict=True)]
    inner = climbed.estimator_
    logs = [[stats.dirichlet_multinomial(line, n).logpmf(row) for line in inner.alpha_] for row, n in pairs]
    joint, known = np.array(logs) + inner.class_log_prior_, LABELS >= 0
    expected = joint[known, LABELS[known]].sum() + logsumexp(joint[~known], axis=1).sum()
    rest = log_prior_density(inner._event, inner._features, inner.class_count_)
    assert climbed.objective_[-1] == pytest.approx(expected + rest)


class Coins:
    """Two coins, thrown five times each time by lot: EM by hand."""

    def __init__(self, heads: Any) -> None:
        self.heads, self.theta, self.unlabelled = heads, np.array([0.6, 0.5]), float(len(heads))

    def learn(self) -> None:
        self.theta = (self.shares.T @ self.heads) / (10 * self.shares.sum(axis=0))

    def judge(self) -> float:
        half = np.full(2, np.log(0.5))
        joint = stats.binom.logpmf(self.heads[:, None], 10, self.theta) + half
        self.shares, logs = share_out(joint, half)
        return float(logs.sum())


def test_the_two_coins_of_do_and_batzoglou() -> None:
    """Nature Biotechnology 26, 897 (2008): from 0.60 and 0.50 to 0.71 and 0.58 in one step, and to 0.80 and 0.52."""
    coins = Coins(np.array([5.0, 9.0, 8.0, 4.0, 7.0]))
    climb(coins, 1, 0.0)
    assert coins.theta.round(2).tolist() == [0.71, 0.58]
    course = climb(coins, 50, 1e-9)
    assert coins.theta.round(2).tolist() == [0.80, 0.52]
    assert course.converged
    assert course.n_iter == len(course.objective) - 1


def test_shares_and_entropy() -> None:
    joint = np.log(np.array([[0.2, 0.2], [0.1, 0.3], [0.0001, 0.0]]) + 1e-320)
    shares, logs = share_out(joint.copy(), np.log([0.5, 0.5]))
    assert shares.round(9).tolist() == [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]]
    assert logs == pytest.approx(np.log([0.4, 0.4, 0.0001]))
    expected = np.log(2) + 2 * stats.entropy([0.25, 0.75])
    assert entropy(shares, np.array([1.0, 2.0, 5.0])) == pytest.approx(expected)


def test_what_is_impossible_for_good_stops() -> None:
    class Never(Coins):
        def judge(self) -> float:
            self.shares, logs = share_out(np.full((5, 2), -np.inf), np.log([0.5, 0.5]))
            return float(logs.sum())

    never = Never(np.ones(5))
    course = climb(never, 50, 0.0)
    assert course.converged
    assert len(course.objective) == 3
    assert np.isfinite(never.shares).all()


def test_evidence_of_clusters_is_close_to_the_sum_over_all_labels() -> None:
    X = np.array([[1, 1, 1, 0, 0, 0]] * 4 + [[0, 0, 0, 1, 1, 1]] * 4)

    def of_labels(z: Any) -> float:
        total = 0.0
        for c in (0, 1):
            on, n = X[z == c].sum(axis=0), (z == c).sum()
            total += (gammaln(1 + on) + gammaln(1 + n - on) - gammaln(2 + n)).sum() + gammaln(1 + n)
        return float(total - gammaln(2 + len(z)))

    exact = logsumexp([of_labels(np.array(z)) for z in product((0, 1), repeat=8)])
    found = sf.Mixture(sf.BernoulliNB(), "evidence", max_components=3, random_state=0).fit(X)
    assert found.criterion_[2] == pytest.approx(exact, abs=0.5)
    alone = (gammaln(5) + gammaln(5) - gammaln(10)) * 6
    assert found.criterion_[1] == pytest.approx(alone)
    assert found.n_components_ == 2


def test_too_few_steps_are_told_of() -> None:
    with pytest.warns(ConvergenceWarning, match="max_iter=1 steps"):
        model = sf.SemiSupervised(sf.MultinomialNB(), max_iter=1, tol=0.0).fit(COUNTS, LABELS)
    assert not model.converged_
    assert len(model.objective_) == model.n_iter_ == 2


def test_classes_that_rows_do_not_tell_apart() -> None:
    shares = np.array([[0.2, 0.4, 0.4, 0.0], [0.6, 0.2, 0.2, 0.0], [0.2, 0.4, 0.4, 0.0]])
    assert alike(shares, np.ones(3)) == [(1, 2)]
    assert alike(shares, np.array([1.0, 0.0, 1.0])) == [(0, 1), (0, 2), (1, 2)]
    assert alike(np.eye(3), np.ones(3)) == []
