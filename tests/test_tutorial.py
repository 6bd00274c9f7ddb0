"""The newcomer's path: docs/first_table.md with Adult instead of penguins; and what newcomers stumble over."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from palmerpenguins import load_penguins

import suffice as sf
from datasets.shared import real
from suffice.errors import DataError

PENGUINS = load_penguins()


@pytest.fixture(scope="module")
def model() -> Any:
    return sf.NaiveBayes().fit(PENGUINS, "species")


def test_a_batch_without_a_single_value_in_a_column_is_a_batch_of_gaps(model: Any) -> None:
    for column in ["island", "bill_length_mm", "year"]:
        each_nothing: Any = [np.nan, None, pd.NA, pd.NaT, pd.Series([None] * 5, dtype="str")]
        for nothing in each_nothing:
            rows = PENGUINS.head(5)
            with pytest.warns(UserWarning, match="missing from the table"):
                expected = model.predict_log_proba(rows.drop(columns=column))
            np.testing.assert_array_equal(model.predict_log_proba(rows.assign(**{column: nothing})), expected)


def test_a_penguin_without_a_sex_is_explained(model: Any) -> None:
    explanation = model.explain(PENGUINS.iloc[3])
    assert dict(zip(explanation.features, explanation.values, strict=True))["sex"] == "missing"
    logs = dict(zip(model.classes_, model.predict_log_proba(PENGUINS.iloc[3:4])[0], strict=True))
    assert explanation.log_odds == pytest.approx(logs[explanation.target] - logs[explanation.against])


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("bill_length_mm", "long", "Column 'bill_length_mm' was learned as gaussian but holds text"),
        (
            "bill_length_mm",
            pd.Categorical(["39.1", "40"]),
            "'bill_length_mm' was learned as gaussian but holds categories",
        ),
        ("bill_length_mm", pd.Timestamp("2007-11-11"), "'bill_length_mm' was learned as gaussian but holds dates"),
        ("year", pd.Timestamp("2007-11-11"), "'year' was learned as categorical but holds dates"),
        ("sex", pd.Timestamp("2007-11-11"), "'sex' was learned as categorical but holds dates"),
        ("sex", 1, "'sex' was learned as words; got whole numbers"),
    ],
)
def test_what_a_column_was_not_learned_as_is_refused(model: Any, column: str, values: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        model.predict(PENGUINS.head(2).assign(**{column: values}))


def test_texts_may_be_missing_but_not_numbers() -> None:
    notes = [f"the {word} note of number {i}" for i, word in enumerate(["red", "blue"] * 4)]
    table = pd.DataFrame({"note": notes, "late": [True, False] * 4, "y": [0, 1] * 4})
    text = sf.NaiveBayes(columns={"note": "text"}).fit(table, "y")
    assert text.predict(table.assign(note=np.nan)).tolist() == table["y"].tolist()
    with pytest.raises(DataError, match="Column 'note' was learned as text but holds whole numbers"):
        text.predict(table.assign(note=3))
    with pytest.raises(DataError, match="Column 'late' was learned as bernoulli but holds text"):
        text.predict(table.assign(late="yes"))


def test_a_few_years_are_categories(model: Any) -> None:
    assert isinstance(model.columns_["year"], sf.columns.Categorical)
    far = PENGUINS.assign(year=2**60 + 2**20 * PENGUINS["year"])
    assert isinstance(sf.NaiveBayes().fit(far, "species").columns_["year"], sf.columns.Gaussian)


def test_warnings_point_to_the_line_of_the_user() -> None:
    model = sf.NaiveBayes().fit(PENGUINS, "species")
    dated = PENGUINS.assign(when=pd.Timestamp("2007-11-11"))
    calls: list[Any] = [
        lambda: sf.NaiveBayes().fit(dated, "species"),
        lambda: sf.NaiveBayes().partial_fit(dated, "species"),
        lambda: model.explain({"island": "Dream"}),
        lambda: model.predict(dated),
        lambda: model.partial_fit(dated, "species"),
    ]
    for call in calls:
        with pytest.warns(UserWarning, match="Column") as caught:
            call()
        assert (caught[0].filename, caught[0].lineno) == (__file__, call.__code__.co_firstlineno)


@pytest.mark.thorough
def test_adult_without_a_line_of_preprocessing() -> None:
    folder = real("adult")
    train, test = (pd.DataFrame(sf.datasets.read_table("adult", folder, part).columns) for part in ("train", "test"))
    assert (len(train), len(test)) == (32_561, 16_281)
    model = sf.NaiveBayes().fit(train, "income")
    assert 1 - model.score(test, test["income"]) < 0.168
    kinds = {name: column.word for name, column in model.columns_.items()}
    assert kinds["workclass"] == "categorical"
    assert kinds["capital-gain"] == "histogram"
    probabilities = model.predict_proba(test)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    shown = model.explain(test.iloc[0])
    np.testing.assert_allclose(abs(shown.log_odds), abs(np.log(probabilities[0, 0] / probabilities[0, 1])))
    table = model.table("education")
    assert list(table.columns) == ["value", "class", "n", "probability", "low", "high"]
    assert table["n"].sum() == 32_561
    same = sf.NaiveBayes().fit(pl.from_pandas(train).lazy(), target="income")
    np.testing.assert_array_equal(same.predict_proba(pl.from_pandas(test)), probabilities)
    halves = sf.NaiveBayes().partial_fit(train[:16_000], "income").partial_fit(train[16_000:], "income")
    assert halves.class_count_.tolist() == model.class_count_.tolist()
    assert halves.statistics_["age"] == model.statistics_["age"]
