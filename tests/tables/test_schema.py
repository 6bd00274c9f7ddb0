"""What a column is for a model; and dataframes on the way out."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusals import refused
from suffice.errors import DataError, KindError, ShapeError
from suffice.tables import Column, Table, frame_of, holds, kind_of, refuse
from suffice.tables import frame as out_module

TEXTS = ["it was a dark night", "no one was there at all", "what a day that was", "she came home late"]


def read(values: Any) -> Column:
    return Table.read({"zip": values})["zip"]


def test_kinds() -> None:
    cases: Any = [
        ([True, None], "bool", "True and False"),
        ([1, 2], "integer", "whole numbers"),
        ([1.0, None, -3.0], "integer", "whole numbers"),
        ([1.0, 2.5], "real", "numbers"),
        ([1.0, float("inf")], "real", "numbers"),
        ([1.0, 2.0**53], "real", "numbers"),
        ([2.0**53 - 1], "integer", "whole numbers"),
        (pd.Series([1, 2], dtype="category"), "category", "categories"),
        (["a", "b", "a"], "category", "text"),
        ([f"id {i}" for i in range(20)], "identifier", "text"),
        ([f"id {i}" for i in range(19)], "category", "text"),
        ([f"id {i}" for i in range(20)] + ["id 3"], "category", "text"),
        (TEXTS, "text", "text"),
        (TEXTS * 2, "category", "text"),
        ([*TEXTS, "", "  "], "text", "text"),
        (["a b", " c  d "] * 1, "category", "text"),
        ([None, float("nan")], "nothing", "nothing"),
        (np.array([np.nan]), "nothing", "nothing"),
        (pa.array([None], pa.string()), "nothing", "nothing"),
        (pl.Series([None], dtype=pl.Boolean), "nothing", "nothing"),
        (np.array(["2020"], "M8[D]"), "date", "dates"),
    ]
    for values, kind, words in cases:
        column = read(values)
        assert kind_of(column) == kind
        assert holds(column) == words


def test_long_columns_are_judged_by_a_sample() -> None:
    many = [f"number {i} of many" for i in range(30_000)]
    assert kind_of(read(many)) == "text"
    short = [f"id{i}" for i in range(30_000)]
    assert kind_of(read(short)) == "identifier"
    assert kind_of(read([None, *short])) == "identifier"
    assert kind_of(read([*short, "id1"])) == "category"
    assert kind_of(read(["a", "b"] * 15_000)) == "category"


def test_rows_of_no_weight_do_not_count() -> None:
    assert kind_of(read([1.0, 2.5]), np.array([1.0, 0.0])) == "integer"
    assert kind_of(read([1.0, None]), np.array([0.0, 1.0])) == "nothing"
    assert kind_of(read(TEXTS * 2), np.array([1.0] * 4 + [0.0] * 4)) == "text"
    assert kind_of(read([None, *TEXTS]), np.ones(5)) == "text"


CELLS = st.none() | st.sampled_from([*TEXTS, "a", "b", "c d"]) | st.integers(0, 40).map(str)


@given(
    st.one_of(
        st.lists(st.tuples(CELLS, st.integers(0, 3)), min_size=1, max_size=60),
        st.lists(st.tuples(st.none() | st.sampled_from([0.5, 1.0, 2.0]), st.integers(0, 2)), min_size=1),
        st.lists(st.tuples(st.integers(0, 99).map(str), st.integers(0, 1)), min_size=20, unique_by=lambda row: row[0]),
    )
)
def test_a_weight_is_a_number_of_rows(rows: list[tuple[Any, int]]) -> None:
    values = [value for value, _ in rows]
    weights = np.array([weight for _, weight in rows], np.float64)
    repeated = [value for value, weight in rows for _ in range(weight)]
    assert kind_of(read(values), weights) == kind_of(read(repeated))


@given(st.lists(st.none() | st.floats(-1e6, 1e6, width=32) | st.integers(-9, 9), min_size=1))
def test_holes_do_not_change_the_kind(values: list[Any]) -> None:
    floats = pd.Series(values, dtype="float64")
    assert (
        kind_of(read(floats))
        == kind_of(read(values))
        == kind_of(read(pl.Series(values, strict=False, dtype=pl.Float64)))
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            [None, "N1 9GU"],
            "Column 'zip' is declared gaussian but holds text, e.g. 'N1 9GU'. Convert the column, e.g. with "
            "pd.to_numeric().",
        ),
        ([True], "Column 'zip' is declared gaussian but holds True and False, e.g. True."),
        ([1.5], "Column 'zip' is declared gaussian but holds numbers, e.g. 1.5."),
        (pd.Series(["x"], dtype="category"), "Column 'zip' is declared gaussian but holds categories, e.g. 'x'."),
        (np.array(["2020"], "M8[D]"), "Column 'zip' is declared gaussian but holds dates."),
        ([None], "Column 'zip' is declared gaussian but holds nothing."),
    ],
)
def test_a_declaration_that_cannot_be(values: Any, words: str) -> None:
    with pytest.raises(DataError) as error:
        refuse(read(values), "gaussian")
    assert str(error.value) == words


def test_columns_answer_for_themselves() -> None:
    assert read([1.0, float("inf")]).infinite()
    assert not read([1.0, None]).infinite()
    assert not read([1, 2]).infinite()
    category = read(["b", "a", None, "b"]).coded()
    assert category.coded() is category
    assert category.values.tolist() == [0, 1, -1, 0]
    assert category.labels.tolist() == ["b", "a"]
    assert category.labels.dtype == object
    with pytest.raises(KindError, match="Column 'zip' must hold words to be coded; got integer"):
        read([1]).coded()
    with pytest.raises(ShapeError, match="True or False for each of 1 row"):
        read([1]).take(np.array([0]))


@pytest.mark.parametrize(
    ("backend", "kind"),
    [(None, pd.DataFrame), ("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)],
)
def test_dataframes_on_the_way_out(backend: str | None, kind: type) -> None:
    frame = frame_of({"word": ["a", "b"], "times": np.array([3, 1]), "o": np.array(["x", None], object)}, backend)
    assert isinstance(frame, kind)
    table = Table.read(frame)
    assert (table.names, table["times"].values.tolist()) == (["word", "times", "o"], [3, 1])
    assert table["o"].n_missing == 1


def test_without_pandas_answers_are_of_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> Any:
        if package == "pandas":
            raise ImportError(package)

    monkeypatch.setattr(out_module, "import_module", missing)
    assert isinstance(frame_of({"a": [1]}), pl.DataFrame)


def test_an_unknown_backend() -> None:
    with refused(KindError, "backend", must="be 'pandas', 'polars', 'pyarrow' or None", got="'modin'"):
        frame_of({"a": [1]}, "modin")
