"""Counts of events: scipy's Poisson and negative binomial, refits without a row, and columns with gaps."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.special import gammaln, logsumexp

from refusals import refused
from suffice.errors import DataError, ImproperPrior, KindError, NoUniqueMode, ShapeError
from suffice.models.answers import derived
from suffice.models.likelihoods.base import check
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.model import Block
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.posterior import Gamma
from suffice.stats import PoissonSums, RateCounts
from suffice.stats.inputs import RowMatrix
from suffice.tables import Table

RNG = np.random.default_rng(1)
X = RNG.poisson(RNG.gamma(1, 1, 5), (30, 5)).astype(float)
X[3] = 0
CODES = RNG.integers(0, 3, 30)
WEIGHTS = RNG.integers(1, 4, 30) * 0.5
GROUP = RNG.integers(0, 8, 30)
ESTIMATES = ["mle", "map", "mean", "predictive"]
FACTORIALS = gammaln(X + 1).sum(axis=1)


def matrix(data: Any) -> MatrixRows:
    return MatrixRows(RowMatrix.read(data, "X"))


def counted(alpha: Any, estimate: Any = "predictive", weights: Any = None) -> tuple[Poisson, RateCounts]:
    model = Poisson(shape=alpha, rate=alpha, estimate=estimate, factorials=False)
    t: Any = model.count(matrix(X), Labels(CODES, weights, 4))
    return model.settled(t), t


def expected(x: Any, total: Any, n: Any, alpha: Any, estimate: str) -> Any:
    """Return ln p(x | c) by scipy, without what does not depend on the parameters."""
    if estimate == "predictive":
        shape, rate = total + alpha, np.asarray(n + alpha) + 0 * total
        return stats.nbinom.logpmf(x, shape, rate / (1 + rate)).sum(axis=-1)
    more = {"mle": (0.0, 0.0), "map": (alpha - 1, alpha), "mean": (alpha, alpha)}[estimate]
    rates = np.maximum(total + more[0], 0) / (n + more[1])
    return stats.poisson.logpmf(x, rates).sum(axis=-1)


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("data", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
def test_scores(data: Any, estimate: Any) -> None:
    for alpha in (1.3, np.linspace(0.2, 2, 5)):
        model, t = counted(alpha, estimate, WEIGHTS)
        scores = model.scorer(t).scores(matrix(data)) - FACTORIALS[:, None]
        wanted = [expected(X, t.counts[c], t.n[c], alpha, estimate) for c in range(3)]
        np.testing.assert_allclose(scores[:, :3], np.transpose(wanted), rtol=1e-10)
        assert np.isfinite(scores[:, 3]).all() or estimate == "map", "a class without rows has the prior, or 1 for all"


def test_a_statistic_counts_rows_and_events() -> None:
    t = RateCounts.of(X, CODES, WEIGHTS)
    np.testing.assert_array_equal(t.n[:, 0], np.bincount(CODES, WEIGHTS))
    np.testing.assert_allclose(t.counts, [(X * WEIGHTS[:, None])[c == CODES].sum(axis=0) for c in range(3)])
    with pytest.raises(DataError, match="must be 0 where there are no rows"):
        RateCounts(np.ones((1, 1)), np.zeros((1, 1)))


def test_without_pseudo_counts() -> None:
    for estimate in ("mle", "mean", "predictive"):
        model, t = counted(0.0, estimate)
        scores = model.scorer(t).scores(matrix(X))
        never = t.counts[:3] == 0
        impossible = (X[:, None] > 0) & never
        assert np.array_equal(np.isneginf(scores[:, :3]), impossible.any(axis=2))
        assert np.isnan(model.estimated(t.n, t.total, np.nan)[3]).all()
        assert (np.isneginf(scores[:, 3]) if estimate == "predictive" else scores[:, 3] == -5).all()
    with pytest.raises(NoUniqueMode, match="needs alpha above 0 where a class has no count"):
        counted(0.0, "map")


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("group", [None, GROUP], ids=["alone", "groups"])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_held_out_rows_are_scored_by_a_refit(estimate: Any, group: Any, weights: Any) -> None:
    for alpha in (1.3, np.linspace(0.2, 2, 5)):
        model, t = counted(alpha, estimate, weights)
        held = model.held_out(t, matrix(X), Removal.of(CODES, weights, group))
        scores = held.scores()
        assert held.lengths() is None
        for i in range(len(X)):
            away = np.arange(30) == i if group is None else group == group[i]
            lost = RateCounts.of(X[away], CODES[away], None if weights is None else weights[away], n_classes=4)
            np.testing.assert_allclose(scores[i], model.scorer(t - lost).scores(matrix(X[i : i + 1]))[0], rtol=1e-9)


def test_the_last_row_of_a_class_leaves_nothing_known() -> None:
    codes = np.where(np.arange(30) == 7, 1, 0)
    for estimate, alone in (("mle", -5.0), ("predictive", -np.inf)):
        model = Poisson(shape=0.0, rate=0.0, estimate=estimate, factorials=False)  # type: ignore[arg-type]
        t = model.count(matrix(X), Labels(codes, None, 2))
        assert model.held_out(t, matrix(X), Removal.of(codes, None)).scores()[7, 1] == alone


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_row_is_the_sum_of_its_counts(estimate: Any) -> None:
    model, t = counted(1.3, estimate)
    for data in (X, sparse.csr_matrix(X)):
        rows = matrix(data[5:6])
        said = model.contributions(t, rows)
        np.testing.assert_allclose(said.logs.sum(axis=0), model.scorer(t).scores(rows)[0])
        assert (said.belief is not None) == (estimate == "mean")
    here = np.flatnonzero(X[5]).tolist()
    assert said.features == [*here, "(zeros)"]
    assert said.values == [f"{X[5, j]:g}" for j in here] + [f"{5 - len(here)}"]


def test_beliefs_are_those_of_drawn_rates() -> None:
    model, t = counted(1.3, "mean")
    belief, rows = model.belief(t), matrix(X[:4])
    mean, variance = belief.moments(rows)
    drawn = belief.draws(rows, np.random.default_rng(0), 4000)
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.15)
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.15)
    parts: Any = model.contributions(t, matrix(X[:1])).belief
    np.testing.assert_allclose([part.sum(axis=0) for part in parts], [mean[0], variance[0]])
    shape, rate = t.counts + 1.3, np.broadcast_to(t.n + 1.3, t.counts.shape)
    low, high = derived.parameter_intervals(model, t, 0.9)
    np.testing.assert_allclose(stats.gamma.cdf([low, high], shape, scale=1 / rate), [0.05 + 0 * low, 0.95 + 0 * low])
    assert model.posterior(t, np.array([1, 2])) == Gamma(shape[:, 1:3], rate[:, 1:3])
    bare, t = counted(0.0)
    with pytest.raises(ImproperPrior, match="An interval needs a proper posterior"):
        derived.parameter_intervals(bare, t, 0.9)


def test_the_evidence_is_the_product_of_predictions() -> None:
    model, t = counted(1.3)
    shape, rate, total = np.full((4, 5), 1.3), np.full((4, 1), 1.3), np.zeros((4, 5))
    for x, c in zip(X, CODES, strict=True):
        total[c] += stats.nbinom.logpmf(x, shape[c], rate[c] / (1 + rate[c]))
        shape[c] += x
        rate[c] += 1
    found = model.log_evidence(t).values.sum() + np.sum(model.log_measure(t, matrix(X)))
    assert found == pytest.approx(total.sum())
    sums = Poisson(Gamma(1.3, 1.3)).log_evidence(PoissonSums.of(X, CODES, n_classes=4))
    np.testing.assert_allclose(sums.values, total)
    bare, t = counted(0.0)
    with pytest.raises(ImproperPrior, match="got alpha=0"):
        bare.log_evidence(t)


def test_information_and_what_speaks() -> None:
    prior, grid = np.array([0.2, 0.5, 0.3, 0.0]), np.arange(400)[:, None]
    for estimate in ("mean", "predictive"):
        model, t = counted(1.3, estimate)
        shape, rate = t.counts[:3] + 1.3, t.n[:3] + 1.3
        for j, found in enumerate(derived.information(model, t, prior)):
            logs = stats.nbinom.logpmf(grid, shape[:, j], rate[:, 0] / (1 + rate[:, 0]))
            logs = logs if estimate == "predictive" else stats.poisson.logpmf(grid, shape[:, j] / rate[:, 0])
            mixture = logsumexp(logs, axis=1, b=prior[:3])
            gain = prior[:3] * np.where(np.exp(logs) > 0, np.exp(logs) * (logs - mixture[:, None]), 0.0)
            assert found == pytest.approx(gain.sum(), rel=1e-6)
    rates = model.estimated(t.n, t.total, np.nan)
    others = (t.n[1:3, 0] @ rates[1:3]) / t.n[1:3].sum()
    brought = rates[0] * np.log(rates[0] / others) - rates[0] + others
    best = int(np.argmax(np.where(rates[0] > others, brought, 0)))
    first = derived.top_features(model, t, t.n[:, 0], 0, 3)[0]
    assert (first.feature, first.value) == (best, f"{rates[0, best]:.4g} on average")
    assert first.weight == pytest.approx(brought[best])


def test_the_density_of_plugged_in_rates() -> None:
    for estimate, alpha in (("mean", 1.3), ("map", 2.3)):  # each is the mode of a Gamma of shape 2.3
        model, t = counted(alpha, estimate)
        density = stats.gamma.logpdf(model.estimated(t.n, t.total, np.nan), 2.3, scale=1 / alpha)
        assert derived.log_prior_density(model, t) == pytest.approx(density.sum())
    assert derived.log_prior_density(counted(1.3, "mle")[0], t) == 0
    assert derived.n_parameters(model, t)[0] == 5


def test_priors_that_depend_on_the_rows() -> None:
    t = PoissonSums.of(X[:, :1], CODES, n_classes=3)
    about: Any = Poisson().settled(t).prior
    assert (about.shape, about.rate) == (1.0, pytest.approx(30 / X[:, 0].sum()))
    assert Poisson("evidence").learns_prior
    assert not Poisson().learns_prior
    found: Any = Poisson("evidence").settled(t)
    height = found.log_evidence(t).values.sum()
    for shape in (0.5, 0.9, 1.1, 2.0):
        other = Gamma(found.prior.shape * shape, found.prior.rate)
        assert Poisson(other).log_evidence(t).values.sum() <= height + 1e-9
    rates = RateCounts.of(X, np.zeros(30, int))
    weak: Any = Poisson("evidence", factorials=False).weak(rates, 30.0, 3).prior
    assert (weak.shape, weak.rate) == (1.0, pytest.approx(1 / X.mean()))
    assert Poisson().smoothed(0.5) == Poisson(shape=0.5, rate=0.5)


def test_columns_have_gaps() -> None:
    values = [3, 0, None, 5, 2, 2, None, 0, 1]
    codes = np.array([0, 0, 0, 1, 1, 1, 1, 0, 1])
    there = np.array([value is not None for value in values])
    x = np.array([value or 0 for value in values], float)
    model = Poisson(Gamma(2, 1))
    rows = model.rows(Table.read({"calls": values})["calls"])
    block = Block.of(model, rows, Labels(codes, None, 2))
    assert block.statistic == PoissonSums.of(x[there, None], codes[there])
    wanted = np.transpose([stats.nbinom.logpmf(x, 2 + t, r / (1 + r)) for t, r in ((3, 4), (10, 5))])
    scores = block.scorer.scores(rows) - gammaln(x + 1)[:, None]
    np.testing.assert_allclose(scores[there], wanted[there])
    held = block.held_out(rows, Removal.of(codes, None)).scores()
    np.testing.assert_allclose(held[0, 0], stats.nbinom.logpmf(3, 2, 3 / 4) + gammaln(4))
    table = derived.parameter_table(model, block.t, np.array(["a", "b"]), 0.9)
    assert table["n"].tolist() == [3, 4]
    assert table["rate"].tolist() == [5 / 4, 12 / 5]
    assert derived.prior_in_words(model, block.t) == "Gamma(2, 1)"
    assert repr(model) == "Poisson(prior=Gamma(shape=2, rate=1))"


def test_errors_name_the_column() -> None:
    model, labels = Poisson(), Labels(np.array([0, 1]), None, 2)
    with pytest.raises(DataError, match=r"Column 'c' is poisson and must hold counts 0, 1, 2, …; got 1\.5"):
        model.count(model.rows(Table.read({"c": [1.5, 2.0]})["c"]), labels)
    with pytest.raises(DataError, match="Column 'c' is poisson and must hold counts of at least 0; got -1"):
        model.rows(Table.read({"c": [-1, 2]})["c"])
    with pytest.raises(DataError, match="poisson"):
        check(model, Table.read({"c": ["a", "b"]})["c"])
    with refused(KindError, "Poisson.prior", must="be a Gamma", got="3"):
        Poisson(3)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="single belief"):
        Poisson(Gamma([1.0, 2.0], 1.0))
