"""What speaks for a class, and which rows hold anything that was learned."""

import numpy as np
import pytest

from models.answers.made import counts, matrix, of_matrix, of_table, of_texts, predictor_of, table, texts
from suffice.models.answers.parts import Top, TopFeatures, known, names_of, speaking
from suffice.models.likelihoods.codes import CodeRows, Codes
from suffice.models.views import ColumnWeights, FeatureWeights, Views
from suffice.stats.inputs import RowMatrix as Source


def test_words_that_speak_bring_most_evidence() -> None:
    X, y = counts()
    theta = np.array([(X[y == c].sum(axis=0) + 1) / (X[y == c].sum() + 5) for c in "abc"])
    rows = np.bincount(np.arange(40) % 3)
    others = rows[1:] @ theta[1:] / rows[1:].sum()
    brought = theta[0] * np.log(theta[0] / others)
    found = speaking(of_matrix(X, y), 0, 2, list("pqrst"))
    order = [int(j) for j in np.argsort(-brought)[:2] if brought[j] > 0]
    assert [row.feature for row in found] == ["pqrst"[j] for j in order]
    np.testing.assert_allclose([row.log_odds for row in found], brought[order])
    assert [row.feature for row in speaking(of_matrix(X, y), 0, 2)] == order


def test_feature_weights_multiply_and_are_said() -> None:
    X, y = counts()
    plain = speaking(of_matrix(X, y), 0, 1)[0]
    powers = np.ones(5)
    powers[plain.feature] = 0.45
    views = Views(weights=FeatureWeights({}, 1.0, powers))
    row = next(row for row in speaking(of_matrix(X, y, views=views), 0, 5) if row.feature == plain.feature)
    assert row.value == "power 0.45"
    assert row.log_odds == pytest.approx(0.45 * plain.log_odds)


def test_codes_are_called_by_their_categories() -> None:
    codes = {"X": CodeRows(Source.read([[0, 1], [0, 0], [1, 0]], "X"))}
    predictor = predictor_of({"X": Codes()}, codes, ["a", "a", "b"])
    found = speaking(predictor, 1, 1, ["colour", "size"], categories=[["blue", "red"], ["small", "large"]])
    assert found[0][:2] == ("colour", "red")


def test_texts_and_tables_speak_by_word_and_column() -> None:
    found = speaking(of_texts(), 1, 2)
    assert {row.feature for row in found} == {"cheap", "watches"}
    views = Views(weights=ColumnWeights({}, 1.0, {"note": 0.5}))
    rows = speaking(of_table(views=views), 1, 20, by_block=True)
    assert {row.feature for row in rows} == {"size", "note"}
    assert any(row.value == "cheap, power 0.50" for row in rows)
    assert any(row.value.startswith("low: 1.2") for row in rows)
    weights = [row.log_odds for row in rows]
    assert weights == sorted(weights, reverse=True)
    assert len(speaking(of_table(), 1, 1, by_block=True)) == 1


def test_one_class_has_nothing_to_speak_for() -> None:
    X, _ = counts()
    found = speaking(of_matrix(X, ["a"] * 40), 0, 3)
    assert repr(found) == "Log-odds of a, relative to the average of the other classes:\n  none"
    assert found == []


def test_rows_are_shown() -> None:
    found = TopFeatures("a", [Top("word", "", 0.5), Top("x", "on", 0.25)])
    head = "Log-odds of a, relative to the average of the other classes:"
    assert repr(found) == f"{head}\n    0.5000  word\n    0.2500  x     on"
    assert found[:1] == [Top("word", "", 0.5)]
    assert found == [*found]
    assert len({found, TopFeatures("b", [*found])}) == 1


def test_rows_of_unknown_words_and_missing_values_are_not_known() -> None:
    model = of_texts().model
    some = texts(["cheap", "zzz", "", "you"])
    np.testing.assert_array_equal(known(model, some), [True, False, False, True])
    np.testing.assert_array_equal(known(model, some, 2), [False, False, False, True])
    mixed = table({"size": [None, 1.0, None], "note": ["zzz", "zzz", "noon"]})
    np.testing.assert_array_equal(known(of_table().model, mixed), [False, True, True])
    np.testing.assert_array_equal(known(of_table().model, table({"note": [None, None]})), [False, False])
    X, y = counts()
    assert known(of_matrix(X, y).model, matrix(X * 0)).all()


def test_features_have_the_names_of_their_statistic() -> None:
    assert names_of(of_texts().model.blocks["text"].t, 9)[0] == "are"
    assert names_of(of_texts(hash_bits=2).model.blocks["text"].t, 4).tolist() == [0, 1, 2, 3]
