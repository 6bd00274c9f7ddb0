"""What is wrong with a table, in one sentence that names the column."""

import datetime
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import suffice as sf
from estimators.plain import NaiveBayes
from refusals import refused
from suffice.errors import DataError, InputError, LabelError, SufficeError
from suffice.store import to_bytes

X: dict[str, Any] = {"age": [1.5, 2.0, 3.0, 4.5], "zip": ["N1 9GU", "E8", "E8", "E8"]}
Y = ["u", "v", "u", "v"]
DATES = [datetime.date(2020, 1, day) for day in range(1, 31)]
IDENTIFIERS = [f"user{i}" for i in range(30)]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({}, r"must have rows"),
        (pd.DataFrame(X).iloc[:0], r"must have rows; got 0 sample\(s\) \(shape=\(0, 2\)\)"),
        (pl.LazyFrame({"age": []}), "must have rows"),
        (np.zeros((0, 3)), "must have rows"),
        (pd.DataFrame(index=range(4)), "must have columns to learn from"),
        (X | {"tags": [["a"]] * 4}, "Column 'tags' .* got a list in row 0.*columns={'tags': 'drop'}"),
        (X | {"tags": [1, 2, object(), 3]}, "Column 'tags' .* got an object in row 2"),
        (X | {"tags": [{"a": 1}] * 4}, "Column 'tags' .* got a dict in row 0"),
        (X | {"size": [1.0, 2.5, np.inf, 3.0]}, "Column 'size' must hold finite numbers; got inf in row 2"),
        (X | {"size": [1.0, -np.inf, 2.5, 3.0]}, "Column 'size' must hold finite numbers; got -inf in row 1"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), "columns of distinct names; got 'a' twice"),
        ("age", "must be a table"),
        (None, "must be a table"),
    ],
)
def test_tables(rows: Any, said: str) -> None:
    model = NaiveBayes()
    with pytest.raises(SufficeError, match=said):
        model.fit(rows, Y)
    assert not hasattr(model, "classes_")


def test_a_column_that_is_dropped_may_hold_anything() -> None:
    assert NaiveBayes({"tags": "drop"}).fit(X | {"tags": [["a"]] * 4}, Y).columns_["tags"].word == "drop"


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["u", None, "u", None], "first in row 1: every row needs a label.*SemiSupervised"),
        ([None] * 4, "first in row 0: every row needs a label"),
        ([1.0, np.nan, 2.0, 1.0], "first in row 1: every row needs a label"),
        (pd.array([1, None, 2, 1], dtype="Int64"), "first in row 1: every row needs a label"),
        (pd.Series([1, None, 2, None], dtype="Int64"), "label in every row; 2 of 4 lack one.*SemiSupervised"),
        (["u", "v"], "one label per row, 4; got 2"),
        (None, "requires y to be passed.* the name of their column"),
        (DATES[:4], "must hold labels; got dates"),
        ([1.0, np.inf, 2.0, 1.0], "The target must hold labels; got infinity"),
        ("agee", "The target 'agee' must be a column of the table. Did you mean 'age'?"),
        ([1.5, 2.5, 3.5, 0.5], "Unknown label type: continuous"),
    ],
)
def test_targets(y: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        NaiveBayes().fit(X, y)


def test_targets_by_name() -> None:
    with pytest.raises(LabelError, match="The target 'label' must have a label in every row; 1 of 4"):
        NaiveBayes().fit(X | {"label": ["u", None, "v", "u"]}, "label")
    with pytest.raises(TypeError, match="once: as 'y', or as the name of a column, 'target'"):
        NaiveBayes().fit(X, Y, target="age")
    names: Any = ["age"]
    with pytest.raises(InputError, match="must be a column of the table"):
        NaiveBayes().fit(X, target=names)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"zip": "gaussian"}, "Column 'zip' is declared gaussian but holds text, e.g. 'N1 9GU'"),
        ({"zip": "histogram"}, "Column 'zip' is declared histogram but holds text, e.g. 'N1 9GU'"),
        ({"zip": "bernoulli"}, "Column 'zip' is declared bernoulli but holds text"),
        ({"age": "text"}, "Column 'age' is declared text but holds numbers, e.g. 1.5"),
        ({"age": "poisson"}, r"Column 'age' is poisson and must hold counts 0, 1, 2, …; got 1\.5"),
        ({"less": "poisson"}, "Column 'less' is poisson .*; got -1"),
        ({"many": "poisson"}, "Column 'many' cannot be counted as poisson: .* must stay below"),
        ({"sort": "text"}, "Column 'sort' is declared text but holds categories, e.g. 1"),
        ({"less": "bernoulli"}, "Column 'less' is bernoulli and must hold 0 and 1; got -1"),
        ({"huge": "gaussian"}, r"Column 'huge' is gaussian and must hold numbers of at most 2\*\*500; got 1e\+200"),
        ({"agee": "gaussian"}, "'columns' parameter names 'agee', which is not a column. Did you mean 'age'?"),
        ({"age": "gausian"}, "map 'age' to one of .*got 'gausian'. Did you mean 'gaussian'?"),
        ({"age": 3}, "map 'age' to one of .*got 3"),
        ("gaussian", "The 'columns' parameter of NaiveBayes must be"),
    ],
)
def test_declared_kinds(columns: Any, said: str) -> None:
    table = X | {"less": [0, 1, 1, -1], "huge": [1e200, 1.0, 2.0, 3.0], "many": [10**15 * 8] * 4}
    table["sort"] = pd.Series([1, 2, 1, 2], dtype="category")
    with pytest.raises(ValueError, match=said):
        NaiveBayes(columns).fit(table, Y)


def test_dates_are_not_numbers() -> None:
    with pytest.raises(DataError, match="Column 'day' is declared gaussian but holds dates"):
        NaiveBayes({"day": "gaussian"}).fit({"day": DATES}, Y * 7 + Y[:2])


@pytest.mark.parametrize("weights", [[np.nan, 1, 1, 1], [-1, 1, 1, 1], [np.inf, 1, 1, 1], [1, 1], [0] * 4, ["a"] * 4])
def test_weights(weights: Any) -> None:
    with pytest.raises(SufficeError, match="The argument 'sample_weight'"):
        NaiveBayes().fit(X, Y, weights)


@pytest.mark.parametrize(
    ("kind", "learned", "asked", "said"),
    [
        ("gaussian", [1.5, 2.0], ["x"], "Column 'c' was learned as gaussian but holds text, e.g. 'x'"),
        ("histogram", [1.5, 2.0], DATES[:1], "Column 'c' was learned as histogram but holds dates"),
        ("bernoulli", [True, False], ["x"], "Column 'c' was learned as bernoulli but holds text"),
        ("bernoulli", [True, False], [2], "Column 'c' is bernoulli and must hold 0 and 1; got 2"),
        ("poisson", [3, 1], [-1], "Column 'c' is poisson and must hold counts of at least 0; got -1"),
        ("text", ["a cat", "a dog"], [2], "Column 'c' was learned as text but holds whole numbers, e.g. 2"),
        ("categorical", ["a", "b"], [2], "Column 'c' was learned as words; got whole numbers"),
        ("categorical", [1, 2], ["a"], "Column 'c' was learned as numbers; got text"),
        ("gaussian", [1.5, 2.0], [np.inf], "Column 'c' must hold finite numbers; got inf in row 0"),
    ],
)
def test_what_was_learned_as_something_else(kind: str, learned: Any, asked: Any, said: str) -> None:
    model = NaiveBayes({"c": kind}).fit({"c": learned}, ["u", "v"])
    with pytest.raises(DataError, match=said):
        model.predict({"c": asked})
    with pytest.raises(DataError, match=said):
        model.explain({"c": asked[0]})
    with pytest.raises(DataError, match=said):
        model.leave_one_out({"c": asked}, ["u"])
    with pytest.raises(DataError, match=r"Column 'c' (was learned as|cannot be counted as|is|must hold)"):
        model.partial_fit({"c": asked}, ["u"])


NUMBERS: dict[str, Any] = {"pclass": [1, 2, 3] * 40, "sex": ["f", "f", "m", "m"] * 30}


@pytest.mark.parametrize("cuts", ["numbers", "bins"])
@pytest.mark.parametrize("asked", ["first", None])
def test_text_in_a_joint_column_of_numbers(cuts: str, asked: str | None) -> None:
    numbers = NUMBERS["pclass"] if cuts == "numbers" else list(np.linspace(0.1, 9.7, 120))
    labels = [int((number > 2) != (sex == "f")) for number, sex in zip(numbers, NUMBERS["sex"], strict=True)]
    model = NaiveBayes(joint=[("pclass", "sex")]).fit(NUMBERS | {"pclass": numbers}, labels)
    row = {"pclass": [asked], "sex": ["m"]}
    if asked is None:
        assert len(model.predict(row)) == 1
        return
    advice = r"'pclass' was learned as \w+(;| but) .*text.* Convert the column, e.g. with pd.to_numeric\(\)\.$"
    with pytest.raises(DataError, match=advice):
        model.predict(row)
    with pytest.raises(DataError, match=advice):
        model.explain({"pclass": asked, "sex": "m"})


def test_no_column_that_is_known() -> None:
    model = NaiveBayes().fit(X, Y)
    with pytest.raises(DataError, match=r"must have columns that the model knows \('age', 'zip'\); got \['size'\]"):
        model.predict({"size": [1]})
    with pytest.raises(ValueError, match="X has 3 features, but NaiveBayes is expecting 2 features"):
        model.predict(np.zeros((1, 3)))


def test_rows_are_counted_from_the_first_of_the_table() -> None:
    model = NaiveBayes().fit(X, Y)
    with pytest.raises(DataError, match="got inf in row 40000"):
        model.predict({"age": [1.0] * 40_000 + [np.inf], "zip": ["E8"] * 40_001})


def test_columns_are_settled_at_the_first_fit() -> None:
    model = NaiveBayes().partial_fit(X, Y)
    was = model.columns_["age"]
    model.set_params(columns={"age": "auto"}).partial_fit(X, Y)
    model.set_params(columns={"age": was}).partial_fit(X, Y)
    with pytest.raises(InputError, match=r"Column 'age' was fixed as Histogram\(\) at the first fit; got Poisson\(\)"):
        model.set_params(columns={"age": "poisson"}).partial_fit(X, Y)
    assert model.class_count_.sum() == 12
    assert model.set_params(columns={"age": "gaussian"}).fit(X, Y).columns_["age"].word == "gaussian"


def test_a_mode_that_is_not_there_is_refused_at_once() -> None:
    model = NaiveBayes(estimate="map")
    with pytest.raises(ValueError, match="'map' needs a unique mode, which a histogram's prior"):
        model.fit({"age": [1.5, 2.0, 3.0, 4.5]}, Y)
    assert not hasattr(model, "classes_")
    assert model.fit({"flag": [True, False] * 2}, Y).predict({"flag": [True]}).tolist() == ["u"]


def test_labels_stay_of_a_kind() -> None:
    model = NaiveBayes().partial_fit(X, Y)
    with pytest.raises(LabelError, match="The target must hold labels of the same kind as before, such as 'u'; got 0"):
        model.partial_fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="Number of priors must match number of classes"):
        NaiveBayes(class_prior=[0.5, 0.3, 0.2]).fit(X, Y)


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    ("name", "column", "said"),
    [
        ("day", DATES, "Column 'day' of dates left out: .*weekday.*columns={'day': 'drop'} silences this"),
        ("id", IDENTIFIERS, "Column 'id' left out: every row has a different value"),
    ],
)
def test_what_is_left_out_is_warned_of_at_the_users_line(call: str, name: str, column: Any, said: str) -> None:
    table, y = {"age": np.arange(30) + 0.5, name: column}, ["u", "v"] * 15
    with pytest.warns(UserWarning, match=said) as caught:
        model = getattr(NaiveBayes(), call)(table, y)
    assert [w.filename for w in caught] == [__file__]
    assert model.columns_[name].word == "drop"
    model.predict(table)
    model.partial_fit(table, y)  # warned of once
    getattr(NaiveBayes({name: "drop"}), call)(table, y)
    late = NaiveBayes().partial_fit(table | {name: [None] * 30}, y)
    with pytest.warns(UserWarning, match=said) as caught:
        late.partial_fit(table, y)
    assert [w.filename for w in caught] == [__file__]


def test_what_a_row_lacks_is_warned_of_there_too() -> None:
    model = NaiveBayes().fit(X, Y)
    with pytest.warns(UserWarning, match="missing from the table, treated as missing in every row: 'zip'") as caught:
        model.explain({"age": 2.0})
    assert [w.filename for w in caught] == [__file__]


def test_an_identifier_may_be_kept() -> None:
    kept = NaiveBayes({"id": "categorical"}).fit({"id": IDENTIFIERS}, ["u", "v"] * 15)
    assert kept.predict({"id": IDENTIFIERS[:2]}).tolist() == ["u", "v"]


def test_priors_of_columns_are_checked() -> None:
    for wrong in ({"alpha": 0}, {"alpha": -1}, {"alpha": np.nan}, {"other": -1}):
        with pytest.raises(SufficeError, match=f"The argument '{next(iter(wrong))}'"):
            sf.columns.Categorical(**wrong)
    with refused(SufficeError, "Histogram.edges", must="rise"):
        sf.columns.Histogram(edges=(2.0, 1.0))
    with pytest.raises(SufficeError, match="The argument 'floor'"):
        sf.columns.Gaussian(floor=-1)


@pytest.mark.parametrize("columns", ["auto", {"k": "categorical"}])
@pytest.mark.parametrize("words", [["a", "b"] * 30, pd.Categorical(["a", "b"] * 30), [None, "b"] * 30], ids=str)
def test_words_in_a_column_of_numbers_are_refused_by_every_verb(columns: Any, words: Any) -> None:
    X, y = pd.DataFrame({"k": np.arange(60) % 4, "z": np.arange(60) % 7 / 3}), np.arange(60) % 2
    model, other = sf.NaiveBayes(columns=columns).fit(X, y), X.assign(k=words)
    before = to_bytes(model)
    for verb in (model.partial_fit, model.forget, lambda rows, labels: model.predict(rows)):
        with pytest.raises(DataError, match=r"Column 'k' was learned as numbers; got (text|words|categories)"):
            verb(other, y)
    assert to_bytes(model) == before
    words_first = sf.NaiveBayes(columns={"k": "categorical"}).fit(other, y)
    with pytest.raises(DataError, match="Column 'k' was learned as words; got whole numbers"):
        words_first.partial_fit(X, y)
