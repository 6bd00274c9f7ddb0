"""Every type a column can have, and what becomes of it."""

import datetime
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.errors import KindError
from suffice.tables import Column, Table
from tables.test_frame import plain

DAY = datetime.date(2020, 1, 1)
NAN = float("nan")


def read(values: Any) -> Column:
    return Table.read({"tags": values})["tags"]


def test_objects() -> None:
    for form in ["list", "object array", "pandas"]:
        each_values: Any = [
            (["a", None, NAN, pd.NA, pd.NaT], "string", ["a", None, None, None, None]),
            ([True, None], "bool", [True, None]),
            ([np.bool_(True), False], "bool", [True, False]),
            ([1, None, NAN], "integer", [1, None, None]),
            ([True, 2], "integer", [1, 2]),
            ([2**63, None], "integer", [2**63, None]),
            ([2**70, 1], "real", [2.0**70, 1.0]),
            ([10**400], "real", [float("inf")]),
            ([2**60, 1.5], "real", [2.0**60, 1.5]),
            ([1, 2.5, pd.NA], "real", [1.0, 2.5, None]),
            ([Decimal("1.5"), Decimal("NaN")], "real", [1.5, None]),
            ([Fraction(1, 4), 2], "real", [0.25, 2.0]),
            ([b"x", None, "y"], "string", ["x", None, "y"]),
            ([1, "a", True, 2.5, NAN], "string", ["1", "a", "True", "2.5", None]),
            (["\ud800", "b"], "string", ["\\ud800", "b"]),
            ([np.float32(1), np.int8(3)], "real", [1.0, 3.0]),
        ]
        for values, storage, expected in each_values:
            array = np.empty(len(values), object)
            array[:] = values
            column = read({"list": values, "object array": array, "pandas": pd.Series(array, dtype=object)}[form])
            assert (column.storage, plain(column)) == (storage, expected)
            assert (column.missing is None) == (None not in expected)


def test_dates() -> None:
    cases: Any = [
        ([DAY, None], "date"),
        ([datetime.time(1), pd.NaT], "date"),
        ([datetime.timedelta(1), None], "date"),
        ([pd.Timestamp("2020"), np.datetime64("NaT")], "date"),
        ([np.timedelta64(1, "D"), None], "date"),
        ([pd.Period("2020"), None], "date"),
        (np.array(["2020", "NaT"], "M8[D]"), "date"),
        (pd.Series(pd.to_datetime(["2020", None])), "date"),
        (pd.Series(pd.to_datetime(["2020", None]).tz_localize("UTC")), "date"),
        (pd.Series(pd.PeriodIndex(["2020", None], freq="D")), "date"),
        (pl.Series([DAY, None]), "date"),
        (pl.Series([datetime.timedelta(1), None]), "date"),
        (pa.array([datetime.time(1), None]), "date"),
    ]
    for values, storage in cases:
        column = read(values)
        assert (column.storage, column.values, len(column)) == (storage, None, 2)
        assert column.missing is not None
        assert column.missing.tolist() == [False, True]
        assert len(column.part(slice(0, 1))) == 1
        assert column.part(slice(0, 1)).missing is None
        assert column.take(np.array([False, True])).n_missing == 1


def test_nothing() -> None:
    cases: Any = [
        [None, NAN],
        [pd.NaT, None],
        [pd.NA] * 2,
        pl.Series([None] * 2),
        pa.nulls(2),
        pa.array([None] * 2, pa.list_(pa.int8())),
    ]
    for values in cases:
        column = read(values)
        assert (column.storage, column.values, len(column), column.n_missing) == ("nothing", None, 2, 2)


def test_numbers() -> None:
    cases: Any = [
        (np.array([1, np.nan], np.float16), "real", np.float64, [1.0, None]),
        (np.array([1, np.nan], np.longdouble), "real", np.float64, [1.0, None]),
        (np.array([1, np.nan], np.float32), "real", np.float32, [1.0, None]),
        (np.array([1.5, 2], ">f8"), "real", np.float64, [1.5, 2.0]),
        (np.array([1, 2], ">i4"), "integer", np.int32, [1, 2]),
        (np.array([1, 2**64 - 1], np.uint64), "integer", np.uint64, [1, 2**64 - 1]),
        (np.ma.masked_array([1, 2], [False, True]), "integer", np.int64, [1, None]),
        (pa.array([np.float16(1), None], pa.float16()), "real", np.float64, [1.0, None]),
        (pa.array([Decimal("1.5"), None]), "real", np.float64, [1.5, None]),
        (pl.Series([Decimal("1.5"), None]), "real", np.float64, [1.5, None]),
        (pa.RunEndEncodedArray.from_arrays([2, 3], pa.array([1, None])), "integer", np.int64, [1, 1, None]),
        (pd.Series(pd.arrays.SparseArray([0.0, np.nan])), "real", np.float64, [0.0, None]),
        (pd.Index([1, 2]), "integer", np.int64, [1, 2]),
        (range(3), "integer", np.int64, [0, 1, 2]),
        (pl.Series([1, None], dtype=pl.UInt8), "integer", np.uint8, [1, None]),
    ]
    for values, storage, dtype, expected in cases:
        column = read(values)
        assert (column.storage, column.values.dtype, plain(column)) == (storage, dtype, expected)
        assert column.values.dtype.isnative


def test_words() -> None:
    cases: Any = [
        (np.array(["a", "bc", "d"])[::2], ["a", "d"]),
        (np.array(["a", "bc"]).astype(">U2"), ["a", "bc"]),
        (np.array([b"a", b"bc"]), ["a", "bc"]),
        (np.ma.masked_array(["a", "b"], [False, True]), ["a", None]),
        (pa.array([b"a", None]), ["a", None]),
        (pa.array([b"ab", None], pa.binary(2)), ["ab", None]),
        (pa.chunked_array([["a"], ["b", None]]), ["a", "b", None]),
        (pa.chunked_array([], pa.string()), []),
        (pa.array(["a", None], pa.string_view()), ["a", None]),
        (pl.Series(["a", None], dtype=pl.Object), ["a", None]),
        (pl.concat([pl.Series(["a"]), pl.Series([None, "b"])], rechunk=False), ["a", None, "b"]),
        (pd.Series(["a", None], dtype=pd.StringDtype("python")), ["a", None]),
    ]
    for values, expected in cases:
        column = read(values)
        assert (column.storage, plain(column)) == ("string", expected)
        assert isinstance(column.values, pa.Array)


def test_categories() -> None:
    cases: Any = [
        (pd.Series([3, 1, None], dtype="category"), [3, 1, None], [1, 3]),
        (pd.Series([True, False], dtype="category"), [True, False], [False, True]),
        (pd.Series([1, "1", "a"], dtype="category"), ["1", "1", "a"], ["1", "a"]),
        (pd.Series([None, None], dtype="category"), [None, None], []),
        (pd.cut(pd.Series([1, 2, 3]), [0, 2, 3]), ["(0, 2]", "(0, 2]", "(2, 3]"], ["(0, 2]", "(2, 3]"]),
        (pa.array([DAY]).dictionary_encode(), ["2020-01-01"], ["2020-01-01"]),
        (pa.DictionaryArray.from_arrays([0, 1, 2, None], ["a", "a", None]), ["a", "a", None, None], ["a"]),
        (pa.DictionaryArray.from_arrays([0, 1], [1.5, NAN]), [1.5, None], [1.5]),
        (pa.DictionaryArray.from_arrays(pa.array([1, None], pa.uint8()), ["a", "b"]), ["b", None], ["a", "b"]),
        (pa.array(["a", "b", None, "b"]).dictionary_encode()[1:], ["b", None, "b"], ["a", "b"]),
    ]
    for values, expected, labels in cases:
        column = read(values)
        assert column.storage == "category"
        assert plain(column) == expected
        assert column.labels.tolist() == labels
        assert column.values.dtype.kind == "i"
        assert (column.values < 0).tolist() == [value is None for value in expected]


class Custom:
    pass


@pytest.mark.parametrize(
    ("values", "got"),
    [
        ([None, "a", [1]], "a list in row 2"),
        ([None, {"a": 1}], "a dict in row 1"),
        ([{1}], "a set in row 0"),
        ([1.5, np.zeros(2)], "an array in row 1"),
        ([1j], "a complex number in row 0"),
        ([Custom()], "a Custom in row 0"),
        ([uuid.UUID(int=0)], "a UUID in row 0"),
        (["a", DAY], "a date among other values in row 1"),
        ([b"a", b"\xff"], "a byte string that is not UTF-8 in row 1"),
        (np.array([1j]), "a complex number in row 0"),
        (np.array([(1, 2)], "i4,i4"), "a record in row 0"),
        (pa.array([None, b"\xff"]), "a byte string that is not UTF-8 in row"),
        (pa.array([None, [1]]), "a list in row 1"),
        (pl.Series([{"a": 1}]), "a dict in row 0"),
        (pl.Series([Custom()], dtype=pl.Object), "a Custom in row 0"),
        (pd.Series([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int64()))), "a list in row 0"),
        (pd.Series(pd.interval_range(0, 2)), "an Interval in row 0"),
    ],
)
def test_what_cannot_be_used(values: Any, got: str) -> None:
    with pytest.raises(
        KindError, match=f"^Column 'tags' must hold numbers, words, True/False or dates; got {got}"
    ) as e:
        read(values)
    assert "columns={'tags': 'drop'}" in e.value.python_fix
    assert "--drop 'tags'" in e.value.shell_fix


CELLS: dict[str, Any] = {
    "bool": st.booleans(),
    "int16": st.integers(-100, 100),
    "float": st.floats(width=32, allow_nan=False),
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    "large_string": st.text("ab", max_size=3),
}


@given(st.data(), st.sampled_from(list(CELLS)), st.booleans())
def test_slices_of_arrow_arrays(data: st.DataObject, kind: str, encode: bool) -> None:
    """Offsets into bits and bytes: from Arrow's slices, then from ours."""
    values = data.draw(st.lists(st.none() | CELLS[kind], max_size=40))
    size = st.integers(0, 40)
    start, stop, first, last = (data.draw(size) for _ in range(4))
    array = pa.array(values, pa.type_for_alias(kind))
    chunks = pa.chunked_array([array.dictionary_encode() if encode else array])[start:stop]
    column = read(chunks).part(slice(first, last))
    expected = values[start:stop][first:last]
    assert plain(column) == expected
    assert (column.missing is None) == (None not in expected)
    keep = np.array([data.draw(st.booleans()) for _ in expected], np.bool_)
    assert plain(column.take(keep)) == [value for value, k in zip(expected, keep, strict=True) if k]
    if column.storage == "string":
        assert plain(column.coded()) == expected
        assert list(column.coded().labels) == list(dict.fromkeys(value for value in expected if value is not None))
