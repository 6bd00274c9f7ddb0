"""The same table is the same columns, whoever brings it."""

from typing import Any

import narwhals
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from refusals import refused
from suffice.errors import DataError, KindError, ShapeError
from suffice.tables import Column, Table, kind_of
from tables.zoo import GROUPS, NAMES, REAL, TRUTH, WHOLE, WORDS, ZOO


def plain(column: Column) -> list[Any]:
    """Return values as Python has them, None where missing."""
    if column.storage == "string":
        values = column.values.to_pylist()
    elif column.storage == "category":
        values = [column.labels[code] if code >= 0 else None for code in column.values]
    else:
        values = column.values.tolist()
    return [value if there else None for value, there in zip(values, column.present, strict=True)]


@pytest.mark.parametrize("animal", ZOO)
def test_the_zoo(animal: str) -> None:
    table = Table.read(ZOO[animal]())
    assert table.names == NAMES
    assert (len(table), table.width, table.named) == (5, 5, True)
    home = animal.split()[0]
    assert table.backend == {"arrow": "pyarrow", "record": "pyarrow", "dict": None}.get(home, home)
    for name, values in zip(NAMES, (REAL, WHOLE, TRUTH, WORDS, GROUPS), strict=True):
        column = table[name]
        assert plain(column) == values
        assert column.missing is not None
        assert column.missing.tolist() == [value is None for value in values]
        assert column.n_missing == 1
    assert [kind_of(table[name]) for name in NAMES] == ["real", "integer", "bool", "category", "category"]
    assert table["groups"].labels.dtype == object


@pytest.mark.parametrize("animal", ZOO)
def test_parts_and_choices_are_those_of_the_whole(animal: str) -> None:
    table = Table.read(ZOO[animal]())
    keep = np.array([True, False, True, True, False])
    for name in NAMES:
        values = plain(table[name])
        assert plain(table.part(slice(1, 4))[name]) == values[1:4]
        assert plain(table.take(keep)[name]) == [value for value, k in zip(values, keep, strict=True) if k]
        assert plain(table.part(slice(1, 9)).take(keep[1:]).part(slice(0, 1))[name]) == values[2:3]
    assert len(table.part(slice(3, 9))) == 2
    assert len(table.take(keep)) == 3
    assert table.part(slice(3, 5))["real"].missing is None


def test_numbers_are_not_copied() -> None:
    array = np.arange(12.0).reshape(4, 3)
    assert np.shares_memory(Table.read(array)[1].values, array)
    frame = pd.DataFrame(array.copy())
    assert np.shares_memory(Table.read(frame)[2].values, frame[2].to_numpy())
    series = pl.Series([1.5, 2.5])
    assert np.shares_memory(Table.read({"a": series})["a"].values, series.to_numpy())
    arrow = pa.array([1.5, 2.5, 3.5])[1:]
    assert np.shares_memory(Table.read(pa.table({"a": arrow}))["a"].values, arrow.to_numpy())
    holes = pa.array([1, None, 3])
    data = np.frombuffer(holes.buffers()[1], np.int64)
    assert np.shares_memory(Table.read({"a": holes})["a"].part(slice(1, 3)).values, data)


def test_a_column_is_read_at_first_use_and_once() -> None:
    table = Table.read(pl.DataFrame({"fine": [1.0], "bad": [[1]]}))
    assert table["fine"] is table["fine"]
    assert "bad" in table
    assert table.without(["bad"]).names == ["fine"]
    assert table.only(["bad", "fine"]).names == ["bad", "fine"]
    assert table.only(["fine"])["fine"] is table["fine"]
    with pytest.raises(KindError, match=r"Column 'bad' must hold numbers.*got a list in row 0.*'bad': 'drop'"):
        table["bad"]


def test_a_table_is_a_table() -> None:
    table = Table.read({"a": [1]})
    assert Table.read(table) is table


def test_arrays_and_matrices_have_numbered_columns() -> None:
    objects = np.array([[1, "a"], [None, "b"]], dtype=object)
    for given in (objects, objects.tolist(), [tuple(row) for row in objects]):
        table = Table.read(given)
        assert (table.names, table.named, table.backend) == ([0, 1], False, None)
        assert plain(table[0]) == [1, None]
        assert plain(table[1]) == ["a", "b"]
    assert Table.read(np.eye(2, dtype=bool))[0].storage == "bool"
    masked = np.ma.masked_array(np.eye(2), np.eye(2, dtype=bool))
    assert plain(Table.read(masked)[0]) == [None, 0.0]
    assert plain(Table.read([np.ones(2), np.zeros(2)])[0]) == [1.0, 0.0]


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_matrices(form: Any) -> None:
    table = Table.read(form(np.array([[0.0, 2.0], [0.0, np.nan]])))
    assert (table.names, table.named, len(table)) == ([0, 1], False, 2)
    assert plain(table[0]) == [0.0, 0.0]
    assert plain(table[1]) == [2.0, None]


def test_a_sparse_place_stored_twice_is_a_sum() -> None:
    assert plain(Table.read(sparse.coo_array(([1, 2], ([0, 0], [0, 0])), shape=(2, 1)))[0]) == [3, 0]


def test_names() -> None:
    assert Table.read(pd.DataFrame(np.eye(2))).names == [0, 1]
    assert Table.read(pd.DataFrame(np.eye(3), columns=[1.5, None, True])).names == ["1.5", "None", "True"]
    levels = pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])
    table = Table.read(pd.DataFrame(np.eye(2), columns=levels))
    assert table.names == ["('a', 'b')", "('a', 'c')"]
    assert plain(table["('a', 'c')"]) == [0.0, 1.0]
    assert Table.read({"": [1], " ñ": [2], 3: [3]}).names == ["", " ñ", 3]


@pytest.mark.parametrize("frame", [pd.DataFrame(np.eye(2), columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])])
def test_a_name_given_twice(frame: Any) -> None:
    with refused(DataError, "X", must="have columns of distinct names", got="'a' twice"):
        Table.read(frame)


def test_a_library_that_only_narwhals_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nw.dependencies, "is_polars_dataframe", lambda frame: False)
    table = Table.read(pl.DataFrame({"a": [1, None], "b": ["x", "y"]}))
    assert (table.backend, table.names, len(table)) == (None, ["a", "b"], 2)
    assert (plain(table["a"]), plain(table["b"])) == ([1, None], ["x", "y"])


def test_other_doors() -> None:
    frame = pl.DataFrame({"a": [1, 2]})
    assert Table.read(nw.from_native(frame)).backend == "polars"
    assert Table.read(nw.from_native(frame.lazy())).backend == "polars"
    assert plain(Table.read(pa.table({"a": [1, 2]}).to_reader())["a"]) == [1, 2]

    class Capsule:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pa.table({"a": [1, 2]}).__arrow_c_stream__(requested_schema)

    assert plain(Table.read(Capsule())["a"]) == [1, 2]
    for series in (nw.from_native(frame["a"], series_only=True), narwhals.from_native(frame["a"], series_only=True)):
        assert plain(Table.read({"a": series})["a"]) == [1, 2]

    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.eye(2)

    assert plain(Table.read(Tensor())[0]) == [1.0, 0.0]


def test_a_relation_of_duckdb_is_a_table() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("SELECT * FROM (VALUES (1.5, 'x', true), (NULL, 'y', NULL)) AS t(a, b, c)")
    table = Table.read(relation)
    assert (table.names, len(table)) == (["a", "b", "c"], 2)
    assert [plain(table[name]) for name in table.names] == [[1.5, None], ["x", "y"], [True, None]]


@pytest.mark.parametrize(
    ("frame", "rows", "width"),
    [
        (pd.DataFrame(), 0, 0),
        (pd.DataFrame(index=[1, 2]), 2, 0),
        (pl.DataFrame({"a": []}), 0, 1),
        (pa.table({"a": pa.array([], pa.string())}), 0, 1),
        (pa.table({"a": pa.chunked_array([], pa.dictionary(pa.int32(), pa.string()))}), 0, 1),
        ({}, 0, 0),
        ([], 0, 0),
        (np.empty((0, 3)), 0, 3),
        (np.empty((3, 0)), 3, 0),
    ],
)
def test_empty(frame: Any, rows: int, width: int) -> None:
    table = Table.read(frame)
    assert (len(table), table.width) == (rows, width)
    assert all(len(table[name]) == rows and kind_of(table[name]) == "nothing" for name in table.names)


@pytest.mark.parametrize(
    ("frame", "error", "words"),
    [
        (pd.Series([1]), KindError, r"got a Series \(as one column, rows.to_frame\(\); as one row"),
        (pl.Series([1]), KindError, r"got a Series \(as one column"),
        (pa.array([1]), KindError, "got an Int64Array"),
        (pd.Index([1]), KindError, "got an Index"),
        ("text", KindError, "'rows' must be a table.*got a str"),
        (3, KindError, "got an int"),
        (None, KindError, "got a NoneType"),
        ((i for i in "ab"), KindError, "got a generator"),
        ({1, 2}, KindError, "got a set"),
        ([{"a": 1}], KindError, "dict of columns rather than a list of dicts"),
        (np.ones(3), ShapeError, r"one row per example.*reshape\(1, -1\)"),
        ([1, 2], ShapeError, "one row per example.*got a list of int"),
        (["ab", "cd"], ShapeError, "one row per example.*got a list of str"),
        (sparse.coo_array(np.ones(3)), ShapeError, "one row per example"),
        (np.ones((1, 1, 1)), ShapeError, r"shape \(1, 1, 1\)"),
        ([[1], [1, 2]], ShapeError, "equal length; got 1 values in row 0 and 2 in row 1"),
        ({"a": [1], "b": [1, 2]}, ShapeError, "equal length; got 'a' of 1 and 'b' of 2"),
        ({"a": 3}, KindError, "under 'a'; got an int"),
        ({"a": "abc"}, KindError, "under 'a'; got a str"),
        ({"a": np.eye(2)}, ShapeError, "one value per row under 'a'"),
    ],
)
def test_what_is_not_a_table(frame: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Table.read(frame, "rows")


def test_what_a_table_does_not_have() -> None:
    table = Table.read({name: [1] for name in "abcdefg"})
    with pytest.raises(DataError, match=r"no column 'z'; its columns are 'a', 'b', 'c', 'd', 'e', …\."):
        table["z"]
    with pytest.raises(DataError, match="no column 'y'"):
        table.only(["a", "y"])
    with pytest.raises(DataError, match="no column 'y'"):
        table.without(["y"])
    for keep in ([True, False], [1], [[True]]):
        with pytest.raises(ShapeError, match="True or False for each of 1 row"):
            table.take(np.array(keep))
