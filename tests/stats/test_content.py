"""Numbers that rows are picked by: the same for the same content, whatever holds it."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from suffice.stats.content import combined, hashed, matrix_hashes, table_hashes, with_labels
from suffice.tables import Table
from suffice.text import text_hashes


def of_table(rows: Any) -> list[int]:
    table = Table.read(rows)
    found: list[int] = table_hashes(table, table.names).tolist()
    return found


def test_the_type_and_the_layout_do_not_matter() -> None:
    cases: Any = [
        (pa.array([1, 2, None]), pa.array([1.0, 2.0, np.nan])),
        (pa.array([0.0]), pa.array([-0.0])),
        (pa.array([0.5, 3.25], pa.float32()), pa.array([0.5, 3.25])),
        (pa.array([True, False]), pa.array([1, 0], pa.int8())),
        (pa.array(["x", None, "y"]), pa.array(["x", None, "y"]).dictionary_encode()),
        (pa.array(["x" * 50, None]), pa.array(["x" * 50, None], pa.large_string())),
        (pa.array([None, None], pa.null()), pa.array([None, None], pa.float64())),
        (pa.array(["é", "ö"]), pd.Series(["é", "ö"])),
        (pa.array(["é", "ö"]), pl.Series(["é", "ö"])),
        (pa.array([3, 4]).dictionary_encode(), pl.Series([3.0, 4.0])),
    ]
    for a, b in cases:
        assert of_table({"x": a}) == of_table({"x": b})
        chunked = pa.chunked_array([a.slice(0, 1), a.slice(1)])
        assert of_table({"x": chunked}) == of_table({"x": a})


def test_the_order_of_columns_does_not_matter_their_names_do() -> None:
    one, two = {"x": [1, 2], "y": ["a", "b"]}, {"y": ["a", "b"], "x": [1, 2]}
    assert of_table(one) == of_table(two) == of_table({**one, "z": [None, None]})
    assert not set(of_table({"x": [1], "y": [2]})) & set(of_table({"x": [2], "y": [1]}))


@pytest.mark.parametrize(
    "rows",
    [
        [{"x": "a", "y": "b"}, {"x": "b", "y": "a"}, {"x": "ab", "y": ""}],
        [{"x": 1.0, "y": None}, {"x": None, "y": 1.0}, {"x": 1.0, "y": 1.0}, {"x": 0.0, "y": 1.0}],
        [{"x": 1}, {"x": -1}, {"x": 1 + 2**-40}],
    ],
)
def test_different_rows_differ(rows: list[Any]) -> None:
    assert len(set(of_table(pa.Table.from_pylist(rows)))) == len(rows)


def test_dense_and_sparse_matrices_of_any_type_are_the_same() -> None:
    each_form: Any = [np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array, sparse.coo_array]
    for form in each_form:
        each_kind: Any = [np.float64, np.float32, np.int8, np.uint64]
        for kind in each_kind:
            X = np.random.default_rng(0).poisson(0.5, (40, 7))
            assert matrix_hashes(form(X.astype(kind))).tolist() == matrix_hashes(X).tolist()
            assert len(set(matrix_hashes(X).tolist())) == len({tuple(row) for row in X.tolist()})


def test_entries_that_come_twice_or_are_zero() -> None:
    twice = sparse.csr_matrix(([1.0, 1.0, 0.0], [2, 2, 0], [0, 3]), (1, 3))
    assert matrix_hashes(twice).tolist() == matrix_hashes(np.array([[0, 0, 2]])).tolist()
    assert twice.nnz == 3  # as it was


def test_words_in_a_matrix() -> None:
    X = [["a", "b"], ["b", "a"], ["a", ""]]
    one, two = matrix_hashes(np.array(X)), matrix_hashes(np.array(X, object))
    assert one.tolist() == two.tolist()
    assert len(set(one.tolist())) == 3
    numbers = np.array([[0, 2], [3, -0.0]])
    assert matrix_hashes(numbers.astype(object)).tolist() == matrix_hashes(numbers).tolist()
    assert len(set(matrix_hashes(np.array(X).astype(bytes)).tolist())) == 3
    mixed = np.array([["a", 1], ["a", 1.0], ["a", 2]], object)
    assert np.unique(matrix_hashes(mixed)).size == 2


def test_texts_wherever_they_are() -> None:
    texts = ["one", "zwei", "três", ""]
    for form in (pa.array, pd.Series, pl.Series, np.array, tuple, iter, lambda x: pa.array(x).dictionary_encode()):
        assert text_hashes(form(texts)).tolist() == text_hashes(texts).tolist()
    assert text_hashes([b"one"], bytes.decode).tolist() == text_hashes(["one"]).tolist()
    assert len(text_hashes([])) == 0


def test_labels_by_what_is_written() -> None:
    rows, codes = hashed(np.arange(3)), np.array([0, 1, 0])
    of_numbers = with_labels(rows, np.array([1.0, 2.0]), codes).tolist()
    assert of_numbers == with_labels(rows, np.array([1, 2]), codes).tolist()
    assert of_numbers == with_labels(rows, np.array(["1", "2"]), codes).tolist()
    assert not set(of_numbers) & set(with_labels(rows, np.array([1.5, 2.5]), codes).tolist())


NAMES = ["foo", "bar", "1", ""]


@given(pairs=st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1, max_size=20))
def test_texts_that_are_labels_neither_cancel_nor_trade_places(pairs: list[tuple[str, str]]) -> None:
    texts, labels = zip(*pairs, strict=True)
    classes, codes = np.unique(labels, return_inverse=True)
    assert len(set(with_labels(text_hashes(texts), classes, codes).tolist())) == len(set(pairs))


@example(rows=[("foo", None, None), (None, "bar", None), ("bar", None, None), (None, "foo", None)])
@given(rows=st.lists(st.tuples(*[st.sampled_from([None, *NAMES])] * 3), min_size=1, max_size=20))
def test_values_that_are_names_of_columns_neither_cancel_nor_trade_places(rows: list[tuple[Any, ...]]) -> None:
    columns = dict(zip(NAMES[:3], zip(*rows, strict=True), strict=True))
    table = pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})
    assert len(set(of_table(table))) == len(set(rows))
    coded = pa.table({name: column.dictionary_encode() for name, column in zip(table.column_names, table, strict=True)})
    assert of_table(coded) == of_table(table)


@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=16))
def test_pairs_of_numbers_keep_their_order(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, np.uint64).T
    for one, two in product((first, hashed(first)), (second, hashed(second))):
        assert len(set(combined(one, two).tolist())) == len(set(pairs))


def test_hashes_are_spread_evenly() -> None:
    """χ² of 64 buckets of 20,000 rows: 63 ± 11."""
    for hashes in (
        table_hashes(Table.read({"n": np.arange(20_000), "w": ["x", "y"] * 10_000}), "nw"),
        matrix_hashes(np.stack([np.arange(20_000) % 200, np.arange(20_000) // 200], axis=1)),
    ):
        counts = np.bincount((hashes >> np.uint64(58)).astype(int), minlength=64)
        assert ((counts - 312.5) ** 2 / 312.5).sum() < 63 + 6 * 11.3
