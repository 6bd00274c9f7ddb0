"""Decisions by expected loss, against loops over classes."""

from typing import Any

import numpy as np
import pytest

import suffice as sf
from refusals import refused
from suffice.models.answers.decisions import cost_matrix, least_loss, price

CLASSES = np.array(["a", "b", "c"])


def test_the_least_expected_loss_is_found() -> None:
    rng = np.random.default_rng(0)
    p, costs = rng.dirichlet(np.ones(3), 50), rng.random((3, 3)) * (1 - np.eye(3))
    for row, code in zip(p, least_loss(p, costs), strict=True):
        losses = [sum(row[c] * costs[c, d] for c in range(3)) for d in range(3)]
        assert code == int(np.argmin(losses))
    kept = least_loss(p, costs, 0.2)
    assert 0 < (kept < 0).sum() < 50
    for row, code in zip(p, kept, strict=True):
        assert (code < 0) == (min(row @ costs) > 0.2)


@pytest.mark.parametrize("costs", [{("a", "b"): 5}, {"a": {"b": 5}}, [[0, 5, 1], [1, 0, 1], [1, 1, 0]]])
def test_costs_are_written_in_three_ways(costs: Any) -> None:
    np.testing.assert_array_equal(cost_matrix(costs, CLASSES), [[0, 5, 1], [1, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(cost_matrix(None, CLASSES), 1 - np.eye(3))


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ([[0, 1], [1, 0]], r"matrix of 3 × 3 numbers.*got an array of int64 of shape \(2, 2\)"),
        ("abc", "matrix of 3 × 3 numbers"),
        ([[0, -1, 0]] * 3, "at least 0; got -1"),
        ([[0, np.nan, 0]] * 3, "at least 0; got nan"),
        ({("a", "z"): 1}, "must name classes, such as a; got 'z'"),
        ({("a", "b"): -1}, "at least 0; got -1 for 'a' taken for 'b'"),
        ({"a": 3}, "got the entry 'a': 3"),
    ],
)
def test_costs_that_cannot_be_are_refused(costs: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        cost_matrix(costs, CLASSES)


def test_abstaining_has_a_price() -> None:
    assert price(None) is None
    assert price(2) == 2.0
    for wrong in (-1, "x", np.inf):
        with refused(ValueError, "abstain", must="be a cost of at least 0"):
            price(wrong)


def test_abstaining_has_a_label() -> None:
    model = sf.BernoulliNB().fit([[0], [0], [1], [1], [1]], [7, 7, 8, 8, 7])
    assert model.decide([[0], [1]], abstain=0.3).tolist() == [7, None]
    assert model.decide([[0], [1]], abstain=0.3, abstain_label=-1).tolist() == [7, -1]
    assert model.decide([[0], [1]]).dtype == model.classes_.dtype
    wrong: Any
    for wrong in (-1, "x", np.inf):
        with refused(ValueError, "abstain", must="be a cost of at least 0"):
            model.decide([[0]], abstain=wrong)
