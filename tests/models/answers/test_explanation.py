"""Explanations of single rows: their parts, in words, add up to the log-odds."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from models.answers.made import TEXTS, counts, matrix, of_matrix, of_table, of_texts, table, texts
from refusals import refused
from suffice.models.answers.explanation import Explanation, explain, place_of
from suffice.models.answers.parts import Wording, WordsOfText, reading
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper
from suffice.models.views import ColumnWeights, FeatureWeights, Views
from suffice.tables import Table
from suffice.text import Analysis


def of_text(predictor: Predictor, text: Any, *pair: Any, hash_bits: int = 0) -> Explanation:
    return explain(predictor, texts([text], hash_bits), Wording(text=WordsOfText.of(text, Analysis())), *pair)


def of_row(predictor: Predictor, row: Any, *pair: Any) -> Explanation:
    read = Table.read(row, "x")
    readings = {name: reading(predictor.model.blocks[name], read[name]) for name in row}
    return explain(predictor, table(row), Wording(readings=readings), *pair)


def parts(found: Explanation) -> dict[Any, tuple[str, float]]:
    return {f: (v, float(w)) for f, v, w in zip(found.features, found.values, found.contributions, strict=True)}


@pytest.mark.parametrize("temper", [Temper(), Temper(0.4), Temper(0.9, 0.5)])
@pytest.mark.parametrize("prior", [ClassPrior(), ClassPrior([0.2, 0.3, 0.5])])
def test_parts_and_prior_are_the_log_odds(temper: Temper, prior: ClassPrior) -> None:
    X, y = counts()
    weights = FeatureWeights({"a": 0.3, "c": -0.1}, 1.0, np.array([1.0, 0.0, 0.45, 1.5, 1.0]))
    for views in (Views(), Views(weights=weights)):
        predictor = of_matrix(X, y, prior=prior, views=views, temper=temper)
        for row in counts(1, 6)[0]:
            logs = predictor.log_proba(matrix(row[None]))[0]
            found = explain(predictor, matrix(row[None]), Wording(), "a", "c")
            assert found.log_odds == pytest.approx(logs[0] - logs[2], abs=1e-10)
            found = explain(predictor, matrix(row[None]), Wording())
            best, second = np.argsort(-logs)[:2]
            assert (found.target, found.against) == ("abc"[best], "abc"[second])


def test_weights_and_intervals_are_those_of_the_formula() -> None:
    X, y = counts()
    found = explain(of_matrix(X, y), matrix([[2, 0, 0, 1, 0]]), Wording(names=list("pqrst")), "a", "b")
    alpha = {label: X[y == label].sum(axis=0) + 1.0 for label in "ab"}
    assert (list(found.features), list(found.values)) == (["p", "s"], ["2 times", "once"])
    for i, (j, times) in enumerate(((0, 2), (3, 1))):
        logs = [times * np.log(alpha[c][j] / alpha[c].sum()) for c in "ab"]
        assert found.contributions[i] == pytest.approx(logs[0] - logs[1])
        rng = np.random.default_rng(0)
        draws = [times * np.log(rng.dirichlet(alpha[c], 200_000)[:, j]) for c in "ab"]
        assert found.low is not None
        assert found.high is not None
        assert [found.low[i], found.high[i]] == pytest.approx(
            np.quantile(draws[0] - draws[1], [0.025, 0.975]), abs=0.03
        )


def test_feature_weights_are_said() -> None:
    X, y = counts()
    views = Views(weights=FeatureWeights({}, 1.0, np.array([1.0, 0.0, 0.45, 1.5, 1.0])))
    found = explain(of_matrix(X, y, views=views), matrix([[1, 2, 1, 0, 0]]), Wording())
    assert list(found.values) == ["once", "2 times, redundant given other features", "once, power 0.45"]


def test_values_of_codes_come_from_the_reader() -> None:
    X, y = counts()
    found = explain(of_matrix(X, y), matrix([[1, 0, 3, 0, 0]]), Wording(values=["red", "", "blue", "", ""]))
    assert list(found.values) == ["red", "blue"]


def test_words_have_their_names_and_unknown_ones_a_part_together() -> None:
    found = of_text(of_texts(), "cheap cheap lunch, foo bar", "s", "h")
    said = parts(found)
    assert list(said) == ["cheap", "lunch", "(unknown words)"]
    assert said["cheap"][0] == "2 times"
    assert said["cheap"][1] == pytest.approx(2 * np.log((2 + 1) / (7 + 9) * (7 + 9) / (0 + 1)))
    assert said["(unknown words)"] == ("foo, bar", 0.0)
    assert found.note == ""
    assert (
        parts(of_text(of_texts(), b"one two xx yy zz ww vv"))["(unknown words)"][0] == "one, two, xx, yy, zz and 2 more"
    )


def test_a_bucket_is_called_by_the_tokens_in_it() -> None:
    predictor = of_texts(hash_bits=1)
    found = of_text(predictor, "cheap lunch watches noon", hash_bits=1)
    assert len(found.features) <= 2
    assert sorted(" / ".join(found.features).split(" / ")) == ["cheap", "lunch", "noon", "watches"]


def test_a_text_scored_as_one_has_a_length() -> None:
    predictor = of_texts(Multinomial(1.0, "predictive"))
    found = of_text(predictor, "cheap lunch for all", "s", "h")
    assert list(found.features) == ["cheap", "for", "lunch", "(length)", "(unknown words)"]
    logs = predictor.log_proba(texts(["cheap lunch for all"]))[0]
    assert found.log_odds == pytest.approx(logs[1] - logs[0])
    assert found.low is None


@pytest.mark.parametrize("text", ["", "zzz"])
def test_a_text_of_unknown_words_is_what_the_prior_says(text: str) -> None:
    found = of_text(of_texts(temper=Temper(1.0, 0.5)), text)
    assert found.note == "No word of this text was seen in training: the answer is the class prior."
    assert found.log_odds == 0
    assert found.note in repr(found)
    assert found.note in found._repr_html_()


def test_a_row_that_says_nothing_or_cannot_be() -> None:
    same = of_matrix([[1, 1], [1, 1]], ["a", "b"])
    note = "The features of this row do not distinguish the classes: the answer is the class prior."
    assert explain(same, matrix([[1, 0]]), Wording()).note == note
    strict = of_matrix([[1, 0, 0], [1, 0, 0], [0, 1, 0]], ["a", "a", "b"], Multinomial(0.0, "mle"))
    found = explain(strict, matrix([[0, 0, 1]]), Wording())
    assert found.note == "Every class has probability zero for this row: the answer is the class prior."
    assert found.target == "a"
    assert found.log_odds == pytest.approx(np.log(2))
    assert explain(strict, matrix([[1, 0, 0]]), Wording()).log_odds == np.inf
    three = of_matrix(np.eye(3), list("abc"), Multinomial(0.0, "mle"))
    with pytest.raises(ValueError, match="a and b are both impossible for this row"):
        explain(three, matrix([[0, 0, 1]]), Wording(), "a", "b")


def test_columns_of_a_table_are_parts() -> None:
    predictor = of_table()
    row = {"size": [1.25], "note": ["cheap lunch and more than forty letters of text, cut"]}
    found = of_row(predictor, row, "s", "h")
    logs = predictor.log_proba(table(row))[0]
    assert found.log_odds == pytest.approx(logs[1] - logs[0])
    assert list(found.features) == ["size", "note"]
    assert found.values[0] == "1.25"
    assert found.values[1].startswith("cheap lunch and more than forty letters… [")
    assert f"cheap {np.log(3):+.1f}" in found.values[1]
    assert f"lunch {-np.log(3):+.1f}" in found.values[1]
    votes = {name: vote[0] for name, vote in predictor.votes(table(row)).items()}
    np.testing.assert_allclose(found.contributions, [votes[name][1] - votes[name][0] for name in row])


def test_a_missing_value_weighs_nothing() -> None:
    found = of_row(of_table(), {"size": [None], "note": ["cheap"]})
    assert parts(found)["size"] == ("missing", 0.0)
    found = of_row(of_table(), {"size": [None], "note": [None]})
    assert found.note == "No value of this row was seen in training: the answer is the class prior."
    found = of_row(of_table(), {"note": ["zzz"]})
    assert found.note == "No value of this row was seen in training: the answer is the class prior."
    assert list(found.features) == ["note"]


def test_column_weights_are_said() -> None:
    views = Views(weights=ColumnWeights({}, 1.0, {"size": 0.45, "note": 0.0}))
    predictor = of_table(views=views, temper=Temper(0.5))
    row = {"size": [1.25], "note": ["cheap"]}
    found, plain = of_row(predictor, row, "s", "h"), of_row(of_table(), row, "s", "h")
    assert list(found.values) == ["1.25, power 0.45", "cheap, redundant given other columns"]
    np.testing.assert_allclose(found.contributions, plain.contributions * [0.225, 0.0], atol=1e-12)


def test_a_column_of_low_power_that_adds_much_says_its_power() -> None:
    predictor = of_table(views=Views(weights=ColumnWeights({}, 1.0, {"size": 0.03})))
    for size, said in ((1.6, "1.6, redundant given other columns"), (1.2, "1.2, power 0.03: 3% of its log-odds")):
        found = of_row(predictor, {"size": [size]}, "s", "h")
        assert (list(found.values), abs(found.contributions[0]) >= 0.1) == ([said], "power" in said)
    tempered = of_row(replace(predictor, temper=Temper(0.8)), {"size": [1.2]}, "s", "h")
    assert list(tempered.values) == ["1.2, power 0.03: 2.4% of its log-odds"]


def test_values_are_read_as_a_column_has_them() -> None:
    block = of_table().model.blocks["size"]
    for value, words in ((3.0, "3"), (0.5, "0.5"), (None, "missing"), (True, "True")):
        assert reading(block, Table.read({"size": [value]}, "x")["size"]) == words


def test_two_classes_are_compared() -> None:
    X, y = counts()
    row = matrix(X[:1])
    with pytest.raises(ValueError, match="Explaining a prediction needs at least two classes"):
        explain(of_matrix(X, ["a"] * len(X)), row, Wording())
    with refused(ValueError, "target", must="be one of ['a', 'b', 'c']", got="'z'"):
        explain(of_matrix(X, y), row, Wording(), "z")
    with pytest.raises(ValueError, match="must be two classes; got 'a' for both"):
        explain(of_matrix(X, y), row, Wording(), "a", "a")
    assert explain(of_matrix(X, y), row, Wording(), None, "a").target != "a"
    assert place_of(np.array([3, 5]), 5, "class_") == 1


def test_an_explanation_is_shown_and_is_a_table() -> None:
    found = of_text(of_texts(), TEXTS[0], "s", "h")
    assert repr(found).splitlines()[0].startswith("s rather than h: log-odds +")
    assert "s rather than h: log-odds +" in found._repr_html_()
    frame = found.to_frame("polars")
    assert frame.columns == ["feature", "value", "log_odds", "low", "high"]
    assert frame["log_odds"].sum() == pytest.approx(found.log_odds)
    assert [weight for _, _, weight in found.top(2)] == sorted(found.contributions, key=lambda w: -abs(w))[:2]
    with pytest.raises(ValueError, match="whole number from 0 on"):
        found.top(-1)
    wide = explain(of_matrix(np.eye(40), ["a", "b"] * 20), matrix(np.ones((1, 40))), Wording())
    assert "(others)" in repr(wide)
    assert "25 features" in repr(wide)
