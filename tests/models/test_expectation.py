"""Steps of EM over frozen models: against scipy's formulas, and part by part."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp, softmax

from suffice.models.class_prior import ClassPrior
from suffice.models.expectation import (
    SharedRows,
    bic,
    climb,
    coinciding,
    emptied,
    entropy,
    evidence_of_clusters,
    log_joint,
    n_parameters,
    share_out,
)
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.posterior import Dirichlet, Gamma
from suffice.stats.inputs import COUNT
from suffice.stats.inputs import RowMatrix as Source

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 2, 60)
X = RNG.poisson(np.where(CODES[:, None], [4, 1, 2], [1, 4, 2]))
WEIGHTS = RNG.integers(1, 4, 60).astype(float)
RATES = Poisson(None, "mean", 1.0, 1.0, factorials=False)
CLASSES = np.array(["a", "b"])


def rows(x: Any) -> dict[str | int, Any]:
    return {"X": MatrixRows(Source.read(x, "X").must_be(COUNT))}


def model_of(x: Any, y: Any, weights: Any = None, likelihood: Any = RATES) -> Model:
    return Model.of(CLASSES, {"X": likelihood}, rows(x), Labels(y, weights, 2))


def shared(known: int, share: float = 1.0) -> SharedRows:
    """Return rows of which the first have labels; the others come in two parts."""
    empty = emptied(model_of(X, CODES), CLASSES)
    middle = (known + len(X)) // 2
    free = tuple((rows(X[part]), WEIGHTS[part]) for part in (slice(known, middle), slice(middle, None)))
    labelled = (rows(X[:known]), Labels(CODES[:known], WEIGHTS[:known], 2)) if known else None
    return SharedRows.of(empty, ClassPrior(), free, labelled, share)


def test_shares_are_those_of_scipy() -> None:
    joint = RNG.normal(-5, 3, (20, 4))
    shares, logs = share_out(joint.copy(), np.full(4, -np.log(4)))
    np.testing.assert_allclose(shares, softmax(joint, axis=1), rtol=1e-12)
    np.testing.assert_allclose(logs, logsumexp(joint, axis=1), rtol=1e-12)
    weights = RNG.random(20)
    assert entropy(shares, weights) == pytest.approx(weights @ stats.entropy(shares, axis=1))
    assert entropy(np.eye(3), np.ones(3)) == 0


def test_rows_that_no_class_can_have_made_get_the_class_prior() -> None:
    shares, logs = share_out(np.full((1, 2), -np.inf), np.log([0.25, 0.75]))
    np.testing.assert_allclose(shares, [[0.25, 0.75]])
    assert np.isneginf(logs).all()


def test_joint_densities_have_what_scores_leave_out() -> None:
    model = model_of(X, CODES, WEIGHTS)
    n = np.bincount(CODES, WEIGHTS)
    rates = (1 + (np.eye(2)[CODES] * WEIGHTS[:, None]).T @ X) / (1 + n[:, None])
    expected = [np.log(n[c] / n.sum()) + stats.poisson.logpmf(X, rates[c]).sum(axis=1) for c in (0, 1)]
    np.testing.assert_allclose(log_joint(Predictor(model), rows(X)), np.stack(expected, axis=1), rtol=1e-10)
    assert n_parameters(model) == 2 * 3 + 1
    assert bic(model, -10.0, 60.0) == pytest.approx(7 * np.log(60) + 20)


def test_the_objective_is_its_formula_and_no_step_takes_it_down() -> None:
    source = shared(10, 0.5)
    model = source.base
    joint = log_joint(Predictor(model), rows(X))
    rates = np.asarray(RATES.plug_in(model.blocks["X"].t))
    density = stats.gamma.logpdf(rates, 2, scale=1.0).sum()
    labelled = WEIGHTS[:10] @ joint[np.arange(10), CODES[:10]]
    expected = labelled + 0.5 * WEIGHTS[10:] @ logsumexp(joint[10:], axis=1) + density
    assert source.expect(model).objective == pytest.approx(expected, rel=1e-12)
    found = climb(source, model, 100, 0.0)
    assert (np.diff(found.history.objective) >= -1e-9).all()
    assert found.history.converged
    assert found.expectation.objective == found.history.objective[-1]
    assert source.weight == pytest.approx(WEIGHTS[:10].sum() + 0.5 * WEIGHTS[10:].sum())


def test_without_rows_that_lack_a_label_there_is_no_step() -> None:
    source = shared(10, 0.0)
    found = climb(source, source.base, 100, 0.0)
    assert found.history.converged
    assert len(found.history.objective) == 1
    assert found.model.blocks["X"].t == model_of(X[:10], CODES[:10], WEIGHTS[:10]).blocks["X"].t


def test_a_step_over_parts_is_a_step_over_all_rows() -> None:
    source = shared(10)
    model = source.base
    parts = [replace(source, free=(part,)).expect(model) for part in source.free]
    step, all_at_once = source.expect(model), model
    for part in parts:
        all_at_once = all_at_once + part.count()[0]
    learned = source.learned(step.count(), {})
    assert step.entropy() == pytest.approx(sum(part.entropy() for part in parts))
    np.testing.assert_allclose(learned.blocks["X"].t.total, all_at_once.blocks["X"].t.total, rtol=1e-12)
    np.testing.assert_allclose(learned.n, all_at_once.n, rtol=1e-12)


def test_shares_of_one_are_labels() -> None:
    source = shared(0)
    found = source.learned(source.counts(np.eye(2)[CODES]), {"X": RATES})
    plain = model_of(X, CODES, WEIGHTS)
    assert found.blocks["X"].t == plain.blocks["X"].t
    assert source.as_one_class().blocks["X"].t.total.tolist() == [(WEIGHTS @ X).tolist()]


def test_evidence_of_sure_clusters_is_that_of_labels() -> None:
    prior = Poisson(Gamma(1.0, 1.0), "mean", factorials=False)
    predictor = Predictor(model_of(X, CODES, likelihood=prior), ClassPrior())
    block = predictor.model.blocks["X"]
    labels = Dirichlet(np.ones(2)).log_evidence(counts=predictor.model.n)
    expected = block.settled.log_evidence(block.t).sum().sum() + float(labels) + np.log(2)
    assert evidence_of_clusters(predictor, 0.0) == pytest.approx(expected)
    assert evidence_of_clusters(predictor, 3.0) == pytest.approx(expected + 3)
    given = replace(predictor, prior=ClassPrior([0.5, 0.5]))
    assert evidence_of_clusters(given, 0.0) == pytest.approx(expected - float(labels) - 60 * np.log(2))


def test_clusters_that_rows_do_not_tell_apart() -> None:
    sure = np.eye(3)[RNG.integers(0, 3, 50)]
    assert coinciding(sure, np.ones(50)) == []
    both = np.column_stack([sure[:, :2], sure[:, 2:] / 2, sure[:, 2:] / 2])
    assert coinciding(both, np.ones(50)) == [(2, 3)]


def test_points_are_rows_of_numbers() -> None:
    numbers = X.astype(float)
    model = Model.of(CLASSES, {"X": Gaussian(column=False)}, rows(numbers), Labels(CODES, None, 2))
    source = SharedRows.of(emptied(model, CLASSES), ClassPrior(), ((rows(numbers), np.ones(60)),))
    points = source.points()
    assert points is not None
    assert np.array_equal(points, numbers)
    assert shared(10).points() is None


def test_models_of_steps_travel() -> None:
    source = shared(10)
    model = source.learned(source.expect(source.base).count(), {})
    again = pickle.loads(pickle.dumps(model))
    assert again.blocks["X"].t == model.blocks["X"].t
    assert again.likelihoods == model.likelihoods
