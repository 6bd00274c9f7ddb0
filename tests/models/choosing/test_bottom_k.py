"""Rows that are kept by what is in them: the same whatever the parts, the order, and how Arrow lays them out."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.clusters import slices
from suffice.models.choosing.bottom_k import COPIES, HASH, BottomK, row_hashes, rows_of, united

ROWS = 200


def table(seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    words = [
        None if lost else f"w{k}" for k, lost in zip(rng.integers(0, 9, ROWS), rng.random(ROWS) < 0.1, strict=True)
    ]
    texts = [" ".join(f"word{k}" for k in rng.integers(0, 99, 12)) for _ in range(ROWS)]
    lists = [rng.integers(0, 3, rng.integers(0, 4)).tolist() for _ in range(ROWS)]
    return pa.table({"n": rng.normal(size=ROWS).round(1), "w": words, "t": texts, "v": lists})


def content(kept: Any) -> list[Any]:
    rows: list[Any] = kept.drop_columns([HASH, COPIES]).to_pylist()
    return rows


@given(cuts=st.lists(st.integers(0, ROWS), max_size=6), most=st.integers(1, 250), seed=st.integers(0, 3))
def test_any_parts_in_any_order_keep_the_same_rows(cuts: list[int], most: int, seed: int) -> None:
    whole, parts = table(), slices(table(), cuts)
    order = np.argsort(row_hashes(whole), kind="stable")[:most]
    expected = whole.take(pa.array(order)).to_pylist()
    kept = []
    for part in np.random.default_rng(seed).permutation(len(parts)):
        one = BottomK(most)
        for batch in slices(parts[part], [parts[part].num_rows // 2]):
            one.add(batch)
        kept.append(one.table())
    together = united(kept, most)
    assert content(together) == expected
    assert together[HASH].to_pylist() == sorted(together[HASH].to_pylist())


def test_as_many_rows_are_dropped_on_the_way_as_need_not_stay() -> None:
    kept, whole = BottomK(10), table()
    for start in range(0, ROWS, 5):
        kept.add(whole.slice(start, 5))
        assert sum(part.num_rows for part in kept._tables) <= 25
    assert kept.table()[HASH].to_pylist() == np.sort(row_hashes(whole))[:10].tolist()


def test_no_row_is_kept_where_none_is_wanted() -> None:
    kept = BottomK(0)
    kept.add(table())
    assert kept.table() is None
    assert united([None, None], 5) is None


@given(cuts=st.lists(st.integers(0, 900), max_size=5), most=st.integers(1, 40), seed=st.integers(0, 3))
def test_copies_of_rows_are_counted_whatever_the_parts(cuts: list[int], most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    repeated = pa.table({"x": rng.integers(0, 30, 900) ** 2 // 30})
    samples = []
    for part in slices(repeated, cuts):
        one = BottomK(most)
        one.add(part)
        samples.append(one.table())
    total = united(samples, most)
    values, copies = np.unique(repeated["x"].to_numpy(), return_counts=True)
    order = np.argsort(row_hashes(pa.table({"x": values})))[:most]
    assert total["x"].to_pylist() == values[order].tolist()
    assert total[COPIES].to_pylist() == copies[order].tolist()


def test_rows_that_come_often_are_in_the_sample_as_often() -> None:
    """Two rows, one of them nine times in ten: not only copies of the one that has the smaller hash."""
    kept = BottomK(1000)
    kept.add(pa.table({"x": np.arange(100_000) % 10 == 0}))
    sample = rows_of(kept.table(), 1000)
    assert sample.num_rows == 1000
    assert sum(sample["x"].to_pylist()) == pytest.approx(100, abs=4 * np.sqrt(90))
    assert rows_of(kept.table(), 10**6).num_rows == 100_000


def test_one_row_cannot_be_all_of_a_sample_that_left_others_out() -> None:
    many = np.concatenate([np.arange(5000), np.full(50_000, 7)])
    for most in (100, 1000):
        kept = BottomK(most)
        kept.add(pa.table({"x": many}))
        assert sum(x == 7 for x in rows_of(kept.table(), most)["x"].to_pylist()) <= most // 100


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (pa.array([1, 2, None]), pa.array([1.0, 2.0, np.nan])),
        (pa.array([0.0]), pa.array([-0.0])),
        (pa.array([True, False]), pa.array([1, 0], pa.int8())),
        (pa.array(["x", None, "y"]), pa.array(["x", None, "y"]).dictionary_encode()),
        (pa.array(["x" * 50, None]), pa.array(["x" * 50, None], pa.large_string())),
        (pa.array([None, None], pa.null()), pa.array([None, None], pa.float64())),
        (pa.array([[1, 2], [], [3]]), pa.array([[1.0, 2.0], [], [3.0]], pa.large_list(pa.float64()))),
        (pa.array([[1, 2], [3, 4]]), pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2))),
    ],
    ids=str,
)
def test_the_type_and_the_layout_do_not_matter(a: Any, b: Any) -> None:
    one, two = (row_hashes(pa.table({"x": column})).tolist() for column in (a, b))
    assert one == two
    chunked = pa.chunked_array([a.slice(0, 1), a.slice(1)])
    assert row_hashes(pa.table({"x": chunked})).tolist() == one


@pytest.mark.parametrize(
    "rows",
    [
        [{"x": "a", "y": "b"}, {"x": "b", "y": "a"}, {"x": "ab", "y": ""}],
        [{"x": 1.0, "y": None}, {"x": None, "y": 1.0}, {"x": 1.0, "y": 1.0}],
        [{"x": [1, 2]}, {"x": [2, 1]}, {"x": [1]}, {"x": []}, {"x": [0]}],
        [{"x": {"p": 1, "q": 2}}, {"x": {"p": 2, "q": 1}}],
    ],
)
def test_different_rows_differ(rows: list[Any]) -> None:
    hashes = row_hashes(pa.Table.from_pylist(rows))
    assert len(set(hashes.tolist())) == len(rows)


def test_hashes_are_spread_evenly() -> None:
    """χ² of 64 buckets of 20,000 rows: 63 ± 11."""
    hashes = row_hashes(pa.table({"n": np.arange(20_000), "w": ["x", "y"] * 10_000}))
    counts = np.bincount((hashes >> np.uint64(58)).astype(int), minlength=64)
    assert ((counts - 312.5) ** 2 / 312.5).sum() < 63 + 6 * 11.3
