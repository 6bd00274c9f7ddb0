"""What single statistics promise beyond the laws."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import suffice.stats
from suffice import errors

kinds: Any = suffice.stats  # what these tests do wrong, a type checker would see
BinaryCounts, CategoryCounts, ClassCounts = kinds.BinaryCounts, kinds.CategoryCounts, kinds.ClassCounts
DiagonalMoments, FullMoments, Extremes = kinds.DiagonalMoments, kinds.FullMoments, kinds.Extremes
PoissonSums, TokenCounts = kinds.PoissonSums, kinds.TokenCounts


def test_mean_1e8_with_sd_1_through_fit_merge_and_subtract() -> None:
    rng = np.random.default_rng(1)
    X = 1e8 + rng.standard_normal((20_000, 2))
    exact = (X - 1e8).var(axis=0)
    for kind in (DiagonalMoments, FullMoments):
        whole, a, b = kind.of(X), kind.of(X[:12_000]), kind.of(X[12_000:])
        size = np.diagonal if kind is FullMoments else np.asarray
        for t in (whole, a + b, a + b - b + b, b + a):
            np.testing.assert_allclose(size(t.scatter) / 20_000, exact, rtol=1e-12)
            np.testing.assert_allclose(t.mean - 1e8, (X - 1e8).mean(axis=0), atol=1e-7)
        np.testing.assert_allclose((a + b - b).scatter, a.scatter, rtol=1e-12)
        np.testing.assert_allclose((a + b - a).scatter, b.scatter, rtol=1e-12)


def test_forgetting_ten_thousand_batches_one_by_one() -> None:
    """Errors do not pile up: a long history leaves no trace."""
    rng = np.random.default_rng(2)
    keep = DiagonalMoments.of(1e8 + rng.standard_normal(50))
    batches = [DiagonalMoments.of(1e8 + 100 * rng.standard_normal(3)) for _ in range(2_000)]
    total = sum(batches, start=keep)
    for batch in batches:
        total = total - batch
    largest = sum(batches, start=keep).scatter
    assert abs(total.scatter - keep.scatter) <= 1e-12 * largest
    assert total.n == 50


def test_an_outlier_as_first_row_costs_no_digits() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([[-1e8], 1e8 + rng.standard_normal(100_000)])
    t = DiagonalMoments.of(values) - DiagonalMoments.of(values[:1])
    left = np.sum((values[1:] - values[1:].mean()) ** 2)
    assert abs(t.scatter - left) <= 1e-12 * DiagonalMoments.of(values).scatter
    assert DiagonalMoments.of(values).scatter == pytest.approx(
        float(np.var(values.astype(np.longdouble))) * len(values)
    )


def test_moments_scale_with_the_data() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((500, 3)) + 3
    for factor in (1e-150, 1e-6, 1e6, 1e150):
        a, b = DiagonalMoments.of(X[:200] * factor), DiagonalMoments.of(X[200:] * factor)
        np.testing.assert_allclose((a + b - b).variance, X[:200].var(axis=0) * factor * factor, rtol=1e-11)


def test_counts_beyond_2_to_the_53_are_refused_not_rounded() -> None:
    limit = 2**53
    at_the_edge = BinaryCounts(float(limit - 2), float(limit - 1))
    with pytest.raises(errors.DataError, match=r"2\*\*53"):
        at_the_edge + BinaryCounts(1.0, 1.0)
    with pytest.raises(errors.DataError, match=r"2\*\*53"):
        TokenCounts.of(np.array([limit + 1]))
    with pytest.raises(errors.DataError, match=r"2\*\*53"):
        TokenCounts.of(np.array([limit - 1, 1, 1, 1, 1]))
    with pytest.raises(errors.DataError, match=r"2\*\*53"):
        ClassCounts.of([0], [2.0**54])
    assert TokenCounts.of(np.array([limit - 2, 1])).counts == limit - 1


def test_a_maximum_is_not_subtracted() -> None:
    a, b = Extremes.of([5.0, 9.0]), Extremes.of([3.0])
    assert (a + b) - b == a
    with pytest.raises(errors.SubtractionError, match="second"):
        (a + b) - a
    with pytest.raises(errors.SubtractionError):
        a - Extremes.of([1.0, 2.0])
    assert a - Extremes.zero() == a
    assert Extremes.of([7.0, 100.0], weights=[1, 0]).largest == 7


def test_integers_are_subtracted_without_mercy_reals_within_rounding() -> None:
    with pytest.raises(errors.SubtractionError):
        TokenCounts(1e15) - TokenCounts(1e15 + 1)
    tenths = TokenCounts(0.1) + TokenCounts(0.2)
    assert (TokenCounts(0.3) - tenths).counts == 0, "0.3 − (0.1 + 0.2) is below zero only by rounding"
    with pytest.raises(errors.SubtractionError):
        TokenCounts(0.3) - TokenCounts(0.301)


def test_impossible_states_cannot_be_made() -> None:
    with pytest.raises(errors.DataError, match="exceed"):
        BinaryCounts(3.0, 2.0)
    with pytest.raises(errors.DataError, match="negative"):
        TokenCounts([-1.0])
    with pytest.raises(errors.DataError, match="NaN"):
        TokenCounts([np.nan])
    with pytest.raises(errors.DataError, match="no rows"):
        PoissonSums(3.0, 0.0, 0.0)
    with pytest.raises(errors.SubtractionError, match="too many"):
        DiagonalMoments.of([1.0]) - DiagonalMoments.of([1.0, 1.0])
    with pytest.raises(errors.SubtractionError, match="another mean"):
        DiagonalMoments.of([1.0]) - DiagonalMoments.of([2.0])
    with pytest.raises(errors.SubtractionError, match="negative"):
        DiagonalMoments.of([1.0, 1.1, 1.2]) - DiagonalMoments.of([1.0, 5.0])
    with pytest.raises(errors.SubtractionError, match="semi-definite"):
        FullMoments.of([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]) - FullMoments.of([[1.0, 1.2], [2.0, 1.9]])


def test_categories_once_known_stay_known() -> None:
    few, many = CategoryCounts.of([[0, 1]], sizes=[1, 2]), CategoryCounts.of([[2, 0]], sizes=[3, 1])
    both = few + many
    assert both.sizes.tolist() == [3, 2]
    assert both.column(0).tolist() == [1, 0, 1]
    assert both.column(1).tolist() == [1, 1]
    assert (both - many).column(0).tolist() == [1, 0, 0]
    by_class = CategoryCounts.of([[0], [1], [1]], [0, 1, 1])
    assert by_class.column(0).tolist() == [[1, 0], [0, 2]]


def test_a_class_missing_from_a_later_batch_is_still_there() -> None:
    first = BinaryCounts.of([[1], [0], [1]], [0, 1, 2])
    later = BinaryCounts.of([[1]], [0], n_classes=3)
    assert (first + later).n[:, 0].tolist() == [2, 1, 1]


def test_nothing_of_the_callers_is_changed_or_shared() -> None:
    ones, n = np.array([1.0, 2.0]), np.array([3.0])
    t = BinaryCounts(ones, n)
    ones[0] = 99
    assert t.ones[0] == 1
    assert ones.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        t.ones[0] = 5


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: BinaryCounts.of([[0, 2]]), errors.DataError, r"'data' must hold zeros and ones; got 2 at \[0, 1\]"),
        (lambda: BinaryCounts.of([[np.nan]]), errors.DataError, "zeros and ones; got nan"),
        (lambda: TokenCounts.of([[0.0, -1.0]]), errors.DataError, r"got -1.0 at \[0, 1\]"),
        (lambda: TokenCounts.of(sparse.csr_matrix([[0.0, -1.0]])), errors.DataError, r"got -1.0 at \[0, 1\]"),
        (lambda: TokenCounts.of(sparse.csc_matrix([[0.0], [np.inf]])), errors.DataError, r"got inf at \[1, 0\]"),
        (lambda: PoissonSums.of([0.5]), errors.DataError, "whole numbers"),
        (lambda: DiagonalMoments.of([[1.0, np.inf]]), errors.DataError, "finite numbers; got inf"),
        (lambda: FullMoments.of([[1.0, np.nan]]), errors.DataError, "finite numbers; got nan"),
        (lambda: DiagonalMoments.of([1e300, -1e300]), errors.DataError, "too large"),
        (lambda: Extremes.of([0.0]), errors.DataError, "positive"),
        (lambda: CategoryCounts.of([[-1]]), errors.DataError, "category codes"),
        (lambda: CategoryCounts.of([[0.5]]), errors.DataError, "category codes"),
        (lambda: CategoryCounts.of([[3]], sizes=[3]), errors.DataError, "category codes"),
        (lambda: CategoryCounts.of([[1]], sizes=[1, 2]), errors.ShapeError, "one number per column"),
        (lambda: CategoryCounts.of(sparse.csr_matrix([[1]])), errors.KindError, "dense"),
        (lambda: FullMoments.of([1.0, 2.0]), errors.ShapeError, "one vector per row"),
        (lambda: TokenCounts.of(5), errors.ShapeError, "single value"),
        (lambda: TokenCounts.of([["a"]]), errors.KindError, "must hold numbers"),
        (lambda: TokenCounts.of([[1, 2], [3]]), errors.ShapeError, "ragged"),
        (lambda: TokenCounts.of(np.ma.masked_array([1, 2], [False, True])), errors.DataError, "masked"),
        (lambda: TokenCounts.of([1, 2], [0]), errors.LabelError, "2 in all"),
        (lambda: TokenCounts.of([1, 2], [0, 3], n_classes=3), errors.LabelError, "from 0 to 2; got 3"),
        (lambda: TokenCounts.of([1, 2], [0, -1]), errors.LabelError, "got -1"),
        (lambda: TokenCounts.of([1, 2], ["a", "b"]), errors.LabelError, "integers"),
        (lambda: TokenCounts.of([1, 2], [0.0, 1.0]), errors.LabelError, "integers"),
        (lambda: TokenCounts.of([1, 2], [[0.5, -0.5]] * 2), errors.LabelError, "non-negative"),
        (lambda: TokenCounts.of([1, 2], [[0.5, 0.5]] * 2, n_classes=3), errors.LabelError, "3 in all"),
        (lambda: TokenCounts.of([1], n_classes=3), errors.LabelError, "needs labels"),
        (lambda: TokenCounts.of([1, 2], weights=[1]), errors.ShapeError, "one number per row"),
        (lambda: TokenCounts.of([1, 2], weights=[1, -1]), errors.DataError, "'weights'"),
        (lambda: TokenCounts.of([1, 2], weights=["a", "b"]), errors.KindError, "'weights'"),
        (lambda: TokenCounts([1.0, 2.0]) + TokenCounts([1.0]), errors.ShapeError, "same classes"),
        (lambda: TokenCounts([1.0]) + 5, errors.KindError, "combines only"),
        (lambda: TokenCounts([1.0]) - ClassCounts([1.0]), errors.KindError, "got ClassCounts"),
        (lambda: TokenCounts.from_arrays({"count": [1]}), errors.DataError, "must hold"),
        (lambda: BinaryCounts([1.0, 2.0], [1.0, 2.0, 3.0]), errors.ShapeError, "broadcast"),
    ],
)
def test_bad_input_gets_one_clear_sentence(call: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, errors.SufficeError)
    assert isinstance(caught.value, ValueError | TypeError)
    assert str(caught.value).endswith(".")


def test_a_sparse_matrix_that_lies_about_its_shape_is_refused() -> None:
    liar = sparse.csr_matrix(np.ones((2, 2)))
    liar.indices = np.array([0, 1, 0, 7], np.int32)
    with pytest.raises(errors.ShapeError, match="index outside"):
        TokenCounts.of(liar)
