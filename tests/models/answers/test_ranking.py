"""Features by what they tell about the class."""

import numpy as np
import pytest
from scipy.stats import entropy

from models.answers.made import counts, of_matrix, of_texts
from suffice.models.answers.ranking import Information, information_of, ranked
from suffice.models.class_prior import ClassPrior


@pytest.mark.parametrize("flat", [False, True])
def test_information_is_entropy_that_the_class_takes_away(flat: bool) -> None:
    X, y = counts()
    predictor = of_matrix(X, y, prior=ClassPrior(flat=flat))
    prior = np.bincount(np.arange(40) % 3) / 40
    theta = np.array([(X[y == c].sum(axis=0) + 1) / (X[y == c].sum() + 5) for c in "abc"])
    both = np.stack([theta, 1 - theta])
    expected = entropy(np.tensordot(both, prior, (1, 0))) - prior @ entropy(both)
    np.testing.assert_allclose(information_of(predictor), expected)
    found = ranked(predictor, list("pqrst"), "bits")
    order = np.argsort(-expected)
    assert [name for name, _ in found] == ["pqrst"[j] for j in order]
    np.testing.assert_allclose(found.values, expected[order] / np.log(2))
    np.testing.assert_array_equal(found.order, order)


def test_words_have_their_names() -> None:
    found = ranked(of_texts())
    assert {name for name, _ in found.top(2)} <= {"at", "cheap", "lunch", "watches"}
    assert repr(found).startswith("Mutual information of 9 features with the class, in nats:\n  ")
    with pytest.raises(ValueError, match="must be 'nats' or 'bits'; got 'bytes'"):
        ranked(of_texts(), unit="bytes")


def test_the_most_informative_come_first() -> None:
    found = Information(np.arange(12), np.arange(12.0))
    assert found.top(2) == [(11, 11.0), (10, 10.0)]
    assert "… and 2 more" in repr(found)
    assert len(found) == 12
    with pytest.raises(ValueError, match="whole number from 0 on"):
        found.top(-1)
    with pytest.raises(ValueError, match="read-only"):
        found.values[0] = 1.0
