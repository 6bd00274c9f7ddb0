"""Rows that are kept by what is in them: the same whatever the parts, the order, and how Arrow lays them out."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.clusters import slices
from suffice.engines.kept import HASH, Kept, row_hashes, shortened

ROWS = 200


def table(seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    words = [
        None if gone else f"w{k}" for k, gone in zip(rng.integers(0, 9, ROWS), rng.random(ROWS) < 0.1, strict=True)
    ]
    texts = [" ".join(f"word{k}" for k in rng.integers(0, 99, 12)) for _ in range(ROWS)]
    lists = [rng.integers(0, 3, rng.integers(0, 4)).tolist() for _ in range(ROWS)]
    return pa.table({"n": rng.normal(size=ROWS).round(1), "w": words, "t": texts, "v": lists})


def content(kept: Any) -> list[Any]:
    rows: list[Any] = kept.drop_columns([HASH]).to_pylist()
    return rows


@given(cuts=st.lists(st.integers(0, ROWS), max_size=6), most=st.integers(1, 250), seed=st.integers(0, 3))
def test_any_parts_in_any_order_keep_the_same_rows(cuts: list[int], most: int, seed: int) -> None:
    whole, parts = table(), slices(table(), cuts)
    order = np.argsort(row_hashes(whole), kind="stable")[:most]
    expected = whole.take(pa.array(order)).to_pylist()
    kept = []
    for part in np.random.default_rng(seed).permutation(len(parts)):
        one = Kept(most)
        for batch in slices(parts[part], [parts[part].num_rows // 2]):
            one.add(batch)
        kept.append(one.table())
    together = shortened(kept, most)
    assert content(together) == expected
    assert together[HASH].to_pylist() == sorted(together[HASH].to_pylist())


def test_as_many_rows_are_dropped_on_the_way_as_need_not_stay() -> None:
    kept, whole = Kept(10), table()
    for start in range(0, ROWS, 5):
        kept.add(whole.slice(start, 5))
        assert sum(part.num_rows for part in kept._tables) <= 25
    assert kept.table()[HASH].to_pylist() == np.sort(row_hashes(whole))[:10].tolist()


def test_no_row_is_kept_where_none_is_wanted() -> None:
    kept = Kept(0)
    kept.add(table())
    assert kept.table() is None
    assert shortened([None, None], 5) is None


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
