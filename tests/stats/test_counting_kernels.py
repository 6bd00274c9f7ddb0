"""The native kernels against plain numpy, over every layout, number type and kind of label."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

import suffice as sf
from stats import reference
from suffice.stats import BinaryCounts, CategoryCounts, DiagonalMoments, Extremes, FullMoments, PoissonSums, TokenCounts

CLASSES, COLUMNS = 3, 4
TYPES = [np.float64, np.float32, np.int64, np.int32, np.bool_, np.uint8, np.int16, ">f8"]


def strided(X: Any) -> Any:
    room = np.zeros((2 * X.shape[0], 3 * X.shape[1]), X.dtype)[::2, ::3]
    room[:] = X
    return room


def wide(matrix: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": strided,
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "transposed": lambda X: np.ascontiguousarray(X.T).T,
    "misaligned": lambda X: np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(X.dtype).reshape(X.shape),
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "csr, int64": lambda X: wide(sparse.csr_matrix(X)),
    "csc, int64": lambda X: wide(sparse.csc_matrix(X)),
}
SPARSE = ("csr", "csc", "coo", "csr, int64", "csc, int64")
DENSE = [name for name in LAYOUTS if name not in SPARSE]


@st.composite
def problems(draw: st.DrawFn, highest: int, lowest: int = 0, layouts: Any = tuple(LAYOUTS)) -> tuple[Any, ...]:
    n = draw(st.integers(0, 40))
    kind = np.dtype(draw(st.sampled_from(TYPES)))
    top = min(highest, 1) if kind == np.bool_ else highest
    X = draw(arrays(np.int64, (n, COLUMNS), elements=st.integers(lowest, max(top, lowest)))).astype(kind)
    layout = draw(st.sampled_from(list(layouts)))
    if layout in SPARSE and not kind.isnative:
        X = X.astype(np.float64)
    soft = draw(st.booleans())
    labels = draw(
        arrays(np.float64, (n, CLASSES), elements=st.sampled_from([0, 0.25, 0.5, 1]))
        if soft
        else arrays(np.int64, n, elements=st.integers(0, CLASSES - 1))
    )
    weights = draw(st.one_of(st.none(), arrays(np.float64, n, elements=st.sampled_from([0, 0.5, 1, 3]))))
    return X.astype(np.float64), LAYOUTS[layout](X), labels, weights, reference.shares(labels, weights, n, CLASSES)


def same(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(got, np.asarray(expected, np.float64), rtol=1e-13, atol=1e-13)


@given(problems(1))
def test_binary_counts(problem: Any) -> None:
    X, data, labels, weights, share = problem
    t = BinaryCounts.of(data, labels, weights, n_classes=CLASSES)
    same(t.ones, reference.sums(X, share))
    same(t.n[:, 0], share.sum(axis=0))


@given(problems(9))
def test_token_counts(problem: Any) -> None:
    X, data, labels, weights, share = problem
    same(TokenCounts.of(data, labels, weights, n_classes=CLASSES).counts, reference.sums(X, share))


@given(problems(100))
def test_poisson_sums(problem: Any) -> None:
    X, data, labels, weights, share = problem
    t = PoissonSums.of(data, labels, weights, n_classes=CLASSES)
    same(t.total, reference.sums(X, share))
    same(t.log_factorials, reference.log_factorials(X, share))


@given(problems(2, layouts=DENSE))
def test_category_counts(problem: Any) -> None:
    X, data, labels, weights, share = problem
    sizes = [3, 5, 3, 4]
    t = CategoryCounts.of(data, labels, weights, n_classes=CLASSES, sizes=sizes)
    same(t.counts, reference.categories(X, share, sizes))


@given(problems(100, lowest=1, layouts=DENSE))
def test_extremes(problem: Any) -> None:
    X, data, labels, weights, share = problem
    t = Extremes.of(data, labels, weights, n_classes=CLASSES)
    same(t.largest, reference.largest(X, share))


@given(problems(100))
def test_moments(problem: Any) -> None:
    X, data, labels, weights, share = problem
    n, mean, scatter = reference.moments(X, share)
    for kind in (DiagonalMoments, FullMoments):
        t = kind.of(data, labels, weights, n_classes=CLASSES)
        same(t.n[:, 0], n)
        same(t.mean, mean)
        expected = scatter if kind is FullMoments else np.diagonal(scatter, axis1=1, axis2=2)
        np.testing.assert_allclose(t.scatter, np.asarray(expected, np.float64), rtol=1e-12, atol=1e-10)


@pytest.mark.thorough
@pytest.mark.parametrize("layout", [*DENSE, "csr", "csc"])
def test_more_rows_than_one_piece_and_one_stretch(layout: str) -> None:
    """1.2 million rows: several stretches of sorted rows, many pieces, many blocks of columns."""
    rng = np.random.default_rng(5)
    rows = 1_200_000
    X = rng.integers(0, 3, (rows, 2)).astype(np.int32)
    y = np.sort(rng.integers(0, CLASSES, rows))
    data = LAYOUTS[layout](X)
    expected = np.stack([X[y == c].sum(axis=0) for c in range(CLASSES)])
    assert np.array_equal(TokenCounts.of(data, y).counts, expected)
    full = np.stack([exact_covariance(X[y == c]) for c in range(CLASSES)])
    diagonal = np.diagonal(full, axis1=1, axis2=2)
    np.testing.assert_allclose(DiagonalMoments.of(data, y).variance, diagonal, rtol=1e-13)
    np.testing.assert_allclose(FullMoments.of(data, y).covariance, full, rtol=1e-13, atol=1e-15)


def exact_covariance(X: Any) -> Any:
    """Compute the covariance in whole numbers, which Python never rounds."""
    n, sums, products = len(X), X.sum(axis=0, dtype=np.int64), X.T.astype(np.int64) @ X.astype(np.int64)
    return np.array(
        [
            [(n * int(p) - int(s) * int(t)) / n**2 for p, t in zip(row, sums, strict=True)]
            for row, s in zip(products, sums, strict=True)
        ]
    )


def test_rows_of_any_shape_keep_it() -> None:
    X = np.arange(24.0).reshape(2, 3, 4)
    assert TokenCounts.of(X).counts.shape == (3, 4)
    assert TokenCounts.of(X, [0, 1]).counts.shape == (2, 3, 4)
    assert TokenCounts.of([1.0, 2.0]).counts.shape == ()
    assert TokenCounts.of([1.0, 2.0], [0, 1]).counts.tolist() == [1, 2]
    assert np.array_equal(TokenCounts.of(X).counts, X.sum(axis=0))


def test_duplicate_entries_of_a_sparse_matrix_are_one_value() -> None:
    doubled = sparse.csr_matrix((np.ones(2), np.zeros(2, np.int32), np.array([0, 2], np.int32)), shape=(1, 1))
    assert PoissonSums.of(doubled).log_factorials == pytest.approx(np.log(2))
    assert doubled.nnz == 2, "the caller's matrix is left as it was"


def test_float32_input_counts_beyond_2_to_the_24() -> None:
    ones = np.ones((2**24 + 5, 1), np.float32)
    assert float(BinaryCounts.of(ones).ones[0]) == 2**24 + 5


def test_kernels_release_the_interpreter() -> None:
    """Another thread of Python gets to run while a kernel counts."""
    import threading
    import time

    X, stop, ticks = np.ones((3_000_000, 8)), threading.Event(), [0]

    def tick() -> None:
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.0005)

    worker = threading.Thread(target=tick)
    with sf.threads(1):
        DiagonalMoments.of(X[:10])
        worker.start()
        before = ticks[0]
        for _ in range(5):
            DiagonalMoments.of(X)
        during = ticks[0] - before
    stop.set()
    worker.join()
    assert during >= 50, "held, the interpreter would let the other thread run only between the five calls"
