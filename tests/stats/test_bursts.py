"""Counts of counts against plain counting, and what they refuse."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from suffice.errors import DataError, ShapeError, SubtractionError
from suffice.stats import Bursts


@given(arrays(np.int64, st.tuples(st.integers(0, 12), st.integers(1, 4)), elements=st.integers(0, 3)), st.data())
def test_counted_by_hand(X: Any, data: st.DataObject) -> None:
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X))), np.int64)
    t = Bursts.of(X, y, n_classes=3)
    values = Counter((c * X.shape[1] + j, int(x)) for row, c in zip(X, y, strict=True) for j, x in enumerate(row) if x)
    lengths = Counter((int(c), int(row.sum())) for row, c in zip(X, y, strict=True) if row.any())
    assert list(zip(t.cell, t.value, t.count, strict=True)) == [(*k, n) for k, n in sorted(values.items())]
    assert list(zip(t.cell_of_length, t.length, t.count_of_length, strict=True)) == [
        (*k, n) for k, n in sorted(lengths.items())
    ]
    np.testing.assert_array_equal(t.n, np.bincount(y, minlength=3))
    np.testing.assert_array_equal(t.totals, np.stack([X[y == c].sum(axis=0) for c in range(3)]))
    for c in range(3):
        words, of_length = t.of_class(c)
        alone = Bursts.of(X[y == c])
        np.testing.assert_array_equal(np.stack(words.arrays), np.stack(alone.words.arrays))
        np.testing.assert_array_equal(np.stack(of_length.arrays), np.stack(alone.lengths.arrays))


def test_a_huge_count_is_one_record() -> None:
    t = Bursts.of(sparse.csr_matrix([[10**6, 0], [2**52, 1]]), [0, 0])
    assert t.value.tolist() == [10**6, 2**52, 1]
    assert t + t - t == t
    wide = sparse.csr_matrix(([2**52], ([0], [2**40])), shape=(1, 2**40 + 1))  # too many for one sorting key
    assert (Bursts.of(wide) + Bursts.of(wide)).count.tolist() == [2]


def test_zeros_that_are_stored_count_as_none() -> None:
    X = sparse.csr_matrix(([0, 2], ([0, 0], [0, 1])), shape=(1, 2))
    assert Bursts.of(X) == Bursts.of([[0, 2]])
    assert X.nnz == 2


def test_what_is_refused() -> None:
    for bad, said in (([[0.5]], r"whole numbers .* got 0.5 at \[0, 0\]"), ([[-1]], "got -1"), ([[np.nan]], "got nan")):
        for layout in (np.asarray, sparse.csr_matrix):
            with pytest.raises(DataError, match=said):
                Bursts.of(layout(bad))
    with pytest.raises(ShapeError, match="rows × words; got rows of shape"):
        Bursts.of([1, 2, 3])
    with pytest.raises(DataError, match="below 2"):
        Bursts.of([[2**52, 2**52, 1]])
    broken = sparse.csr_matrix([[1, 2]])
    broken.indices[1] = 7
    with pytest.raises(ShapeError, match="index outside"):
        Bursts.of(broken)


def test_rows_that_were_never_there() -> None:
    """The same values, but together they make no such row."""
    t = Bursts.of([[1, 0], [0, 1]])
    for other in ([[1, 1]], [[2, 0]], [[0, 0]] * 3):
        with pytest.raises(SubtractionError, match="not among"):
            t - Bursts.of(other)


def test_arrays_that_no_rows_give() -> None:
    arrays = Bursts.of([[1, 2], [2, 0]]).arrays()
    for name, value in (
        ("n", 1.0),
        ("columns", 1),
        ("cell", [0, 0, 7]),
        ("value", [2, 1, 2]),
        ("value", [0, 2, 2]),
        ("count", [1.0, 2.0, 1.0]),
        ("count", [1.0, 0.0, 1.0]),
        ("count", [1.0, 1.0]),
        ("length", [2, 4]),
        ("n", [[2.0]]),
    ):
        with pytest.raises((DataError, ShapeError), match="Bursts"):
            Bursts.from_arrays({**arrays, name: np.array(value)})


def test_rows_of_real_weight_are_forgotten_one_by_one() -> None:
    rng = np.random.default_rng(0)
    X, w = rng.poisson(1, (300, 5)), 0.01 + 3 * rng.random(300)
    rows = [Bursts.of(X[[i]], weights=w[[i]]) for i in range(300)]
    t = Bursts.of(X, weights=w)
    for row in rows[:-1]:
        t = t - row
    assert t.n == pytest.approx(w[-1], abs=1e-12 * w.sum())
