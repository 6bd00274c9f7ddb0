"""Bayes' rule, against scipy; blocks of rows; rows that no class can have made."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import log_softmax

from suffice.models import predictor as bayes
from suffice.models.class_prior import ClassPrior
from suffice.models.model import Model
from suffice.models.predictor import ImpossibleSampleWarning, Predictor
from suffice.models.scoring.rows import MatrixRows
from suffice.stats import ClassCounts
from suffice.stats.inputs import RowMatrix


class Known:
    """A scorer that knows the scores of its rows: row i has the number i."""

    def __init__(self, scores: Any) -> None:
        self.known = scores

    def scores(self, rows: Any) -> Any:
        return self.known[rows.source.matrix[:, 0]].copy()


def predictor_of(scores: Any, prior: Any) -> Predictor:
    classes = scores.shape[1]
    likelihood: Any = SimpleNamespace(silent=False)
    block: Any = SimpleNamespace(likelihood=likelihood, scorer=Known(scores), t=None)
    model = Model(np.arange(classes), ClassCounts(np.ones(classes)), {"X": block})
    return Predictor(model, ClassPrior(flat=True) if prior is None else ClassPrior(prior))


def rows(n: int) -> dict[Any, Any]:
    return {"X": MatrixRows(RowMatrix.read(np.arange(n)[:, None], "X"))}


@given(arrays(np.float64, st.tuples(st.integers(1, 10), st.integers(1, 5)), elements=st.floats(-1e6, 1e6)))
def test_bayes_rule_is_a_softmax(scores: Any) -> None:
    predictor = predictor_of(scores, None)
    np.testing.assert_allclose(predictor.log_proba(rows(len(scores))), log_softmax(scores, axis=1), atol=1e-9)
    assert (predictor.best(rows(len(scores))) == scores.argmax(axis=1)).all()


def test_the_class_prior_is_added() -> None:
    scores, prior = np.random.default_rng(1).normal(size=(20, 3)), np.array([0.2, 0.3, 0.5])
    predictor = predictor_of(scores, prior)
    np.testing.assert_allclose(predictor.joint(rows(20)), scores + np.log(prior))
    np.testing.assert_allclose(predictor.log_proba(rows(20)), log_softmax(scores + np.log(prior), axis=1))
    never = predictor_of(scores, np.array([0.0, 0.5, 0.5]))
    assert np.isneginf(never.joint(rows(20))[:, 0]).all()


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).normal(size=(100, 3))
    predictor = predictor_of(scores, np.array([0.2, 0.3, 0.5]))
    at_once = predictor.log_proba(rows(100)), predictor.best(rows(100))
    monkeypatch.setattr(bayes, "NUMBERS_AT_ONCE", 21)
    np.testing.assert_array_equal(predictor.log_proba(rows(100)), at_once[0])
    np.testing.assert_array_equal(predictor.best(rows(100)), at_once[1])


def test_rows_that_no_class_can_have_made() -> None:
    scores = np.array([[-np.inf, -np.inf], [-np.inf, -3.0]])
    predictor = predictor_of(scores, np.array([0.2, 0.8]))
    with pytest.warns(ImpossibleSampleWarning, match="1 of 2 rows"):
        got = predictor.log_proba(rows(2))
    np.testing.assert_allclose(np.exp(got), np.array([[0.2, 0.8], [0.0, 1.0]]))
    with pytest.warns(ImpossibleSampleWarning, match="1 of 2 rows"):
        assert predictor.best(rows(2)).tolist() == [1, 1]
