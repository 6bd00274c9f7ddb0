"""Rows that are kept by what is in them: the same whatever the parts, the order, and how Arrow lays them out."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.clusters import slices
from suffice.stats.bottom_k import COPIES, HASH, BottomK, Kept, picked, rows_of, united
from suffice.stats.content import RowHashes, table_hashes
from suffice.tables import Table

ROWS = 200


def table(seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    words = [
        None if lost else f"w{k}" for k, lost in zip(rng.integers(0, 9, ROWS), rng.random(ROWS) < 0.1, strict=True)
    ]
    texts = [" ".join(f"word{k}" for k in rng.integers(0, 99, 12)) for _ in range(ROWS)]
    return pa.table({"n": rng.normal(size=ROWS).round(1), "w": words, "t": texts})


def row_hashes(rows: Any) -> RowHashes:
    return table_hashes(Table.read(rows), rows.column_names)


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
            one.add(batch, row_hashes(batch))
        kept.append(one.table())
    together = united(kept, most)
    assert content(together) == expected
    assert together[HASH].to_pylist() == sorted(together[HASH].to_pylist())


def test_as_many_rows_are_dropped_on_the_way_as_need_not_stay() -> None:
    kept, whole = BottomK(10), table()
    for start in range(0, ROWS, 5):
        kept.add(whole.slice(start, 5), row_hashes(whole.slice(start, 5)))
        assert sum(part.num_rows for part in kept._tables) <= 25
    assert kept.table()[HASH].to_pylist() == np.sort(row_hashes(whole))[:10].tolist()


def test_no_row_is_kept_where_none_is_wanted() -> None:
    kept = BottomK(0)
    kept.add(table(), row_hashes(table()))
    assert kept.table() is None
    assert united([None, None], 5) is None


@given(cuts=st.lists(st.integers(0, 900), max_size=5), most=st.integers(1, 40), seed=st.integers(0, 3))
def test_copies_of_rows_are_counted_whatever_the_parts(cuts: list[int], most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    repeated = pa.table({"x": rng.integers(0, 30, 900) ** 2 // 30})
    samples = []
    for part in slices(repeated, cuts):
        one = BottomK(most)
        one.add(part, row_hashes(part))
        samples.append(one.table())
    total = united(samples, most)
    values, copies = np.unique(repeated["x"].to_numpy(), return_counts=True)
    order = np.argsort(row_hashes(pa.table({"x": values})))[:most]
    assert total["x"].to_pylist() == values[order].tolist()
    assert total[COPIES].to_pylist() == copies[order].tolist()


def test_rows_that_come_often_are_in_the_sample_as_often() -> None:
    """Two rows, one of them nine times in ten: not only copies of the one that has the smaller hash."""
    kept = BottomK(1000)
    kept.add(pa.table({"x": np.arange(100_000) % 10 == 0}), row_hashes(pa.table({"x": np.arange(100_000) % 10 == 0})))
    sample = rows_of(kept.table(), 1000)
    assert sample.num_rows == 1000
    assert sum(sample["x"].to_pylist()) == pytest.approx(100, abs=4 * np.sqrt(90))
    assert rows_of(kept.table(), 10**6).num_rows == 100_000


def test_one_row_cannot_be_all_of_a_sample_that_left_others_out() -> None:
    many = np.concatenate([np.arange(5000), np.full(50_000, 7)])
    for most in (100, 1000):
        kept = BottomK(most)
        kept.add(pa.table({"x": many}), row_hashes(pa.table({"x": many})))
        assert sum(x == 7 for x in rows_of(kept.table(), most)["x"].to_pylist()) <= most // 100


def numbers_of(hashes: RowHashes, most: int, cuts: list[int]) -> list[int]:
    """Return what an engine would pick: the number of the first row of each hash that it keeps."""
    parts = []
    for start, stop in zip([0, *cuts], [*cuts, len(hashes)], strict=True):
        one = BottomK(most)
        one.add(pa.table({"i": np.arange(start, stop)}), hashes[start:stop])
        parts.append(one.table())
    found: list[int] = rows_of(united(parts, most), most)["i"].to_pylist()
    return found


@given(most=st.integers(1, 400), different=st.sampled_from([5, 60, 2000]), seed=st.integers(0, 5))
def test_rows_in_memory_are_picked_as_engines_pick_them(most: int, different: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    hashes = rng.integers(0, 2**63, different, np.uint64)[rng.integers(0, different, 900)]
    which, group = picked(hashes, most)
    assert group is None
    assert len(set(which.tolist())) == len(which) == min(most, 900)
    assert hashes[which].tolist() == hashes[numbers_of(hashes, most, [100, 100, 555])].tolist()
    stream = Kept(most)
    for start in range(0, 900, 7):
        numbers = np.arange(start, min(start + 7, 900))
        stream.add(numbers.tolist(), hashes[numbers], numbers)
    passed, rows = stream.rows()
    assert passed.tolist() == which.tolist()
    assert hashes[rows].tolist() == hashes[which].tolist()


@given(most=st.integers(1, 100), grouped=st.booleans(), seed=st.integers(0, 5))
def test_the_order_of_rows_changes_nothing(most: int, grouped: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    hashes, weights = rng.integers(0, 40, 90).astype(np.uint64) ** 9, rng.integers(0, 3, 90) / 2
    group = rng.integers(0, 12, 90) if grouped else None
    order = rng.permutation(90)
    one, its = picked(hashes, most, weights, group)
    two, same = picked(hashes[order], most, weights[order], None if group is None else group[order])
    assert (weights[one] > 0).all()
    assert hashes[one].tolist() == hashes[order][two].tolist()
    assert weights[one].tolist() == weights[order][two].tolist()
    if group is not None and its is not None and same is not None:
        assert its.tolist() == same.tolist() == np.unique(its, return_inverse=True)[1].tolist()
        held = np.isin(group, group[one]) & (weights > 0)
        assert sorted(one.tolist()) == np.flatnonzero(held).tolist()  # whole groups
        assert len(one) <= most or len(set(its.tolist())) == 1


def test_very_many_copies_are_drawn_from_without_a_list_of_all() -> None:
    kept = pa.table({"x": [1, 2], HASH: pa.array([3, 4], pa.uint64()), COPIES: [9 * 10**11, 10**11]})
    drawn = rows_of(kept, 1000)["x"].to_pylist()
    assert len(drawn) == 1000
    assert drawn.count(2) == pytest.approx(100, abs=40)
