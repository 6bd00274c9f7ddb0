"""Log evidence and its parts, against formulas."""

import numpy as np
import pytest
from scipy.special import gammaln

from models.answers.made import TABLE, TEXTS, counts, matrix, of_matrix, of_table, of_texts
from suffice.models.answers.evidence import coefficient_of, evidence
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.silent import Drop
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.rows import Labels
from suffice.posterior import Dirichlet
from suffice.typing import Array


def of_words(drawn: Array, alpha: float) -> float:
    """Return ln p of words in their order, by gamma functions."""
    total, width = drawn.sum(), len(drawn)
    each = gammaln(drawn + alpha) - gammaln(alpha)
    return float(gammaln(alpha * width) - gammaln(total + alpha * width) + each.sum())


def test_parts_add_up_to_the_evidence_of_each_class() -> None:
    X, y = counts()
    found = evidence(of_matrix(X, y, Multinomial(0.7)), list("pqrst"))
    expected = [of_words(X[y == label].sum(axis=0), 0.7) for label in "abc"]
    np.testing.assert_allclose(found.by_class, expected)
    np.testing.assert_allclose(found.table.sum(axis=0), found.by_feature)
    shares = np.bincount(np.arange(40) % 3) / 40
    assert found.labels == pytest.approx(40 * (shares @ np.log(shares)))
    assert found.total == pytest.approx(found.labels + sum(expected))
    assert list(found.features) == list("pqrst")
    assert (found.belief, "class prior: plugged in" in repr(found)) == (False, True)


def test_a_class_prior_is_integrated_out() -> None:
    X, y = counts()
    found = evidence(of_matrix(X, y, prior=ClassPrior(Dirichlet([1.0, 2.0, 3.0]))))
    expected = Dirichlet([1.0, 2.0, 3.0]).log_evidence(counts=np.bincount(np.arange(40) % 3))
    assert found.labels == pytest.approx(expected)
    assert found.belief
    assert "class prior: integrated out" in repr(found)
    assert list(found.features) == [0, 1, 2, 3, 4]


def test_texts_are_as_their_matrix() -> None:
    found = evidence(of_texts())
    assert list(found.features) == sorted({word.strip(",?") for text in TEXTS for word in text.split()})
    drawn = {"s": [2, 1, 2, 1, 1], "h": [2, 2, 1, 1, 1]}
    expected = [of_words(np.array([*drawn[c], 0, 0, 0, 0]), 1.0) for c in "hs"]
    np.testing.assert_allclose(found.by_class, expected)
    np.testing.assert_allclose(found.table.sum(), sum(expected))
    assert list(evidence(of_texts(hash_bits=2)).features) == [0, 1, 2, 3]


def test_a_table_has_a_number_for_each_column() -> None:
    predictor = of_table()
    found = evidence(predictor, by_block=True)
    assert list(found.features) == list(TABLE)
    blocks = predictor.model.blocks
    for j, name in enumerate(TABLE):
        own = blocks[name].settled.log_evidence(blocks[name].t)
        np.testing.assert_allclose(found.table[:, j], own.sum())
    np.testing.assert_allclose(found.by_feature[1], evidence(of_texts()).by_class.sum())
    silent = Model.of(np.array(["h", "s"]), {"id": Drop()}, {}, Labels(np.array([1, 0, 1, 0]), None, 2))
    assert evidence(Predictor(silent), by_block=True).total == pytest.approx(4 * np.log(0.5))


def test_orders_of_words_are_a_coefficient() -> None:
    X, y = counts()
    predictor, weights = of_matrix(X, y), np.ones(40)
    expected = sum(float(gammaln(row.sum() + 1) - gammaln(row + 1).sum()) for row in X)
    assert coefficient_of(predictor.model, matrix(X), None) == pytest.approx(expected)
    assert coefficient_of(predictor.model, matrix(X), weights) == pytest.approx(expected)
    found = evidence(predictor, coefficient=expected)
    assert found.total == pytest.approx(evidence(predictor).total + expected)
    assert "n!/Πx!" in repr(found)
    with pytest.raises(ValueError, match=r"must hold the 40 rows that the model was fitted on; got 3\.$"):
        coefficient_of(predictor.model, matrix(X[:3]), None)
