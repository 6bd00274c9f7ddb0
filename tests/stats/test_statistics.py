"""What single statistics promise beyond the laws."""

import copy
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln

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


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:The spread of 1 feature")  # by 1e-12 of what took part, which is far more
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


@pytest.mark.filterwarnings("ignore:The spread of")  # of 1 beside 1e8
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
    for factor in (1e-149, 1e-6, 1e6, 1e149):
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
        ClassCounts.of_labels([0], [2.0**54])
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
    assert (TokenCounts(1e12 + 0.75) - TokenCounts(1e12)).counts == 0.75, "a small remainder may be real"
    with pytest.raises(errors.SubtractionError):
        TokenCounts(0.3) - TokenCounts(0.301)


def test_impossible_states_cannot_be_made() -> None:
    with pytest.raises(errors.DataError, match="exceed"):
        BinaryCounts(3.0, 2.0)
    with pytest.raises(errors.DataError, match="negative"):
        TokenCounts([-1.0])
    with pytest.raises(errors.DataError, match="NaN"):
        TokenCounts([np.nan])
    with pytest.raises(errors.DataError, match="where there are no rows"):
        PoissonSums(3.0, 0.0, 0.0, 0.0)
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


def test_a_class_without_rows_has_no_variance() -> None:
    assert np.isnan(DiagonalMoments.of([1.0, 2.0], [0, 2]).variance[1])
    assert np.isnan(FullMoments.of([[1.0, 2.0]], [1]).covariance[0]).all()


def test_nothing_of_the_callers_is_changed_or_shared() -> None:
    ones, n = np.array([1.0, 2.0]), np.array([3.0])
    t = BinaryCounts(ones, n)
    ones[0] = 99
    assert t.ones[0] == 1
    assert ones.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        t.ones[0] = 5


def test_sparse_moments_with_real_weights_see_no_rows_that_are_not_there() -> None:
    X = 1e8 + np.random.default_rng(0).standard_normal((200_000, 1))
    weights = np.full(len(X), 0.1)
    dense = DiagonalMoments.of(X, weights=weights)
    for layout in (sparse.csr_matrix, sparse.csc_matrix):
        np.testing.assert_allclose(DiagonalMoments.of(layout(X), weights=weights).scatter, dense.scatter, rtol=1e-12)
    few = np.array([[1e8], [0.0]])
    lopsided = DiagonalMoments.of(sparse.csr_matrix(few), weights=[1e13, 1])
    np.testing.assert_allclose(lopsided.scatter, DiagonalMoments.of(few, weights=[1e13, 1]).scatter, rtol=1e-12)


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.15, 0.6, 0.7, 1.3])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_feature_that_is_always_on_is_never_off_whatever_the_weights(weight: float, order: Any) -> None:
    t = BinaryCounts.of(np.ones((300_000, 2), np.uint8, order=order), weights=np.full(300_000, weight))
    assert t.n == pytest.approx(300_000 * weight, rel=1e-15)
    np.testing.assert_array_equal(t.zeros, 0)


@pytest.mark.parametrize("kind", [BinaryCounts, TokenCounts, PoissonSums, DiagonalMoments, FullMoments])
def test_removing_weighted_batches_one_by_one_leaves_nothing(kind: Any) -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        batches = [kind.of(rng.integers(0, 2, (2, 2)), weights=rng.choice([0.1, 0.2, 0.3, 0.7], 2)) for _ in range(6)]
        total = sum(batches)
        for i in rng.permutation(6):
            total = total - batches[i]
        assert not any(array.any() for array in total.arrays().values())


@pytest.mark.filterwarnings("ignore:The spread of")  # of 1e-3 beside values of 1e8
@pytest.mark.parametrize("kind", [DiagonalMoments, FullMoments])
def test_every_row_can_be_forgotten_one_by_one(kind: Any) -> None:
    """Learned at once, forgotten singly, down to equal rows, zeros and nothing: rounding is no reason to refuse."""
    rng = np.random.default_rng(7)
    for mean in (0.0, 1e8):
        X = np.concatenate([mean + rng.standard_normal((400, 2)), np.full((3, 2), 1e-3), np.zeros((3, 2))])
        total, rows = kind.of(X), [kind.of(row[None]) for row in X]
        for i in range(len(X)):
            total = total - rows[i]
            left = X[i + 1 :]
            exact = ((left - left.mean(axis=0)) ** 2).sum(axis=0) if len(left) else np.zeros(2)
            sizes = np.diagonal(total.scatter) if kind is FullMoments else total.scatter
            np.testing.assert_allclose(sizes, exact, rtol=0, atol=1e-12 * float(kind.of(X).peak.max()))
        assert not any(array.any() for array in total.arrays().values())


def test_large_counts_leave_no_trace_in_log_factorials() -> None:
    a, b = PoissonSums.of([10**9]), PoissonSums.of([2])
    assert a + b - a == b
    assert (a + b - a - b).log_factorials == 0
    assert PoissonSums.of([2**49]).total == 2**49
    for rows, foreign in (([3, 1], [2, 2]), ([5, 5], [7])):
        with pytest.raises(errors.SubtractionError):
            PoissonSums.of(rows) - PoissonSums.of(foreign)


def test_integers_given_to_a_statistic_are_checked_like_floats() -> None:
    for bad in ([-5, 3], [2**60]):
        with pytest.raises(errors.DataError):
            TokenCounts(bad)
    with pytest.raises(errors.SubtractionError):
        TokenCounts([3]) - TokenCounts([5])
    with pytest.raises(errors.KindError):
        TokenCounts(np.array([1 + 2j]))


def test_wide_and_narrow_integers_do_not_wrap() -> None:
    big = np.array([2**63 + 5], np.uint64)
    assert DiagonalMoments.of(big).mean == 2.0**63
    with pytest.raises(errors.LabelError, match="got 18446744073709551615"):
        TokenCounts.of([1], np.array([2**64 - 1], np.uint64), n_classes=2)
    entries = (np.array([200, 100], np.uint8), np.array([0, 0]), np.array([0, 2]))
    assert TokenCounts.of(sparse.csr_matrix(entries, shape=(1, 1))).counts == 300
    assert TokenCounts.of(sparse.coo_array((entries[0], ([0, 0], [0, 0])), shape=(1, 1))).counts == 300
    assert CategoryCounts.of(np.array([[0, 1], [1, 0]], np.uint8)).sizes.tolist() == [2, 2]


def test_foreign_rows_are_refused_whatever_the_scales_of_the_features() -> None:
    rows = [[0, 0.0], [1e10, 1], [2e10, 0], [3e10, 1]]
    for kind in (FullMoments, DiagonalMoments):
        with pytest.raises(errors.SubtractionError):
            kind.of(rows) - kind.of([[1e10, 40.0]])
        assert (kind.of(rows) - kind.of(rows[:2])).n.tolist() == [2]


def test_impossible_moments_cannot_be_made() -> None:
    zero = np.zeros(())
    for arrays in ((3.0, 0.0, 5.0, 0.0, 0.0, 5.0), (3.0, 1.0, 5.0, np.nan, 0.0, 5.0), (3.0, 1.0, -5.0, 0.0, 0.0, 5.0)):
        with pytest.raises(errors.DataError):
            DiagonalMoments(*arrays)
    with pytest.raises(errors.ShapeError):
        DiagonalMoments(np.zeros(2), zero, np.zeros(3), np.zeros(2), np.zeros(3), np.zeros(2))
    with pytest.raises(errors.ShapeError):
        PoissonSums(np.zeros(2), zero, np.zeros(3), np.zeros(3))
    with pytest.raises(errors.DataError, match="symmetric"):
        FullMoments([0, 0], [3], [[1, 5], [4, 1]], [0, 0], np.zeros((2, 2)), [1, 1])


def test_copies_are_closed_too() -> None:
    t = TokenCounts([1.0, 2.0])
    for same in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t)):
        assert same == t
        assert not same.counts.flags.writeable
    base = np.ones(3)
    view = base.view()
    view.flags.writeable = False
    held = TokenCounts(view)
    base[0] = -99
    assert held.counts[0] == 1


def test_values_too_large_to_be_squared_do_not_meet_empty_classes() -> None:
    a, b = DiagonalMoments.of([1e150, 1.0], [0, 1]), DiagonalMoments.of([1.0], [1], n_classes=2)
    assert (a + b).mean.tolist() == [1e150, 1]
    assert (a + b - b).mean.tolist() == [1e150, 1]
    assert DiagonalMoments.of(sparse.csr_matrix([[1e150]])).mean == 1e150


def test_only_nothing_can_be_taken_from_nothing() -> None:
    empty = CategoryCounts.of(np.zeros((0, 2)), sizes=[2, 2])
    assert CategoryCounts.zero() - empty == empty
    with pytest.raises(errors.SubtractionError, match="no rows"):
        CategoryCounts.zero() - CategoryCounts.of([[1, 0]])
    with pytest.raises(errors.SubtractionError, match="no rows"):
        Extremes.zero() - Extremes.of([1.0])


def test_the_row_of_a_bad_value_is_its_own_number() -> None:
    X = np.zeros((70_001, 1))
    X[70_000] = np.nan
    with pytest.raises(errors.DataError, match=r"got nan at \[70000, 0\]"):
        FullMoments.of(X)
    mixed = sparse.csr_matrix(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    mixed.indptr = mixed.indptr.astype(np.int64)
    with pytest.raises(errors.DataError, match=r"got -1.0 at \[1, 0\]"):
        TokenCounts.of(mixed)


def test_sparse_matrices_of_any_make() -> None:
    data, index = np.arange(20.0), np.zeros(20, np.int32)
    index[::2] = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    strided = sparse.csr_matrix((data[::2], index[::2], [0, 3, 6, 9, 10]), shape=(4, 3))
    assert TokenCounts.of(strided).counts.tolist() == strided.toarray().sum(axis=0).tolist()
    assert TokenCounts.of(sparse.coo_array(np.array([0.0, 3.0, 1.0]))).counts == 4


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
        (lambda: DiagonalMoments.of([1e300, -1e300]), errors.DataError, "cannot be squared"),
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
        (lambda: TokenCounts.of([1, 2], ["a", "b"]), errors.LabelError, "Encode names by one sorted list"),
        (lambda: TokenCounts.of([1, 2], [0.0, 1.0]), errors.LabelError, "integers"),
        (lambda: TokenCounts.of([1, 2], [[0.5, -0.5]] * 2), errors.LabelError, "between 0 and 1; got -0.5"),
        (lambda: TokenCounts.of([1, 2], [[0], [1]]), errors.LabelError, "ravel"),
        (lambda: TokenCounts.of([1, 2], [[0, 2], [1, 0]]), errors.LabelError, "between 0 and 1; got 2"),
        (lambda: TokenCounts.of([1], label=[0]), errors.KeywordError, "Did you mean 'labels'?"),
        (lambda: ClassCounts.of([1]), errors.LabelError, "needs labels"),
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
        (lambda: CategoryCounts.of([[10**12]]), errors.DataError, "pass sizes="),
        (lambda: CategoryCounts.of([[10**12]], sizes=[10**13]), errors.ShapeError, "without large gaps"),
        (lambda: CategoryCounts.of([[1e300]]), errors.DataError, "category codes"),
        (lambda: CategoryCounts.of([[1]], sizes=[-1]), errors.DataError, "'sizes'"),
        (lambda: CategoryCounts.of([[1]], sizes=[1.9]), errors.DataError, "'sizes'"),
        (lambda: TokenCounts.of([1], [10**9]), errors.LabelError, "pass n_classes="),
        (lambda: TokenCounts.of([1], [0], n_classes=10**12), errors.ShapeError, "without large gaps"),
        (lambda: TokenCounts.of([1], [0], n_classes=2.7), errors.LabelError, "'n_classes'"),
        (lambda: TokenCounts.of([1, 2], [[0], [0, 1]]), errors.ShapeError, "'labels'.*ragged"),
        (lambda: TokenCounts.of([1], np.empty((1, 0))), errors.LabelError, r"shape \(1, 0\)"),
        (lambda: TokenCounts.of([1, 2], np.ma.array([0, 1], mask=[False, True])), errors.DataError, "'labels'.*masked"),
        (lambda: TokenCounts.of([1, 2], weights=np.ma.array([1, 2], mask=[False, True])), errors.DataError, "masked"),
    ],
)
def test_bad_input_gets_one_clear_sentence(call: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, errors.SufficeError)
    assert isinstance(caught.value, ValueError | TypeError)
    assert str(caught.value).endswith((".", "?"))


def test_a_sparse_matrix_that_lies_about_its_shape_is_refused() -> None:
    liar = sparse.csr_matrix(np.ones((2, 2)))
    liar.indices = np.array([0, 1, 0, 7], np.int32)
    with pytest.raises(errors.ShapeError, match="index outside"):
        TokenCounts.of(liar)
    liar = sparse.csr_matrix(np.ones((2, 2)))
    liar.indptr = np.array([0, 9, 4], np.int32)
    with pytest.raises(errors.ShapeError, match="indptr"):
        TokenCounts.of(liar)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: CategoryCounts([1.0, 2.0], [3]), errors.ShapeError, "must have 3 columns, the sum of 'sizes'; got 2"),
        (lambda: CategoryCounts([1.0], [[1]]), errors.ShapeError, "one whole number per column"),
        (lambda: CategoryCounts([1.0], [2, -1]), errors.ShapeError, "one whole number per column"),
        (lambda: CategoryCounts([-1.0], [1]), errors.DataError, "negative or NaN; got -1"),
        (lambda: BinaryCounts([1.0, -1.0], [2.0]), errors.DataError, "negative or NaN; got -1"),
        (lambda: PoissonSums(-1.0, 1.0, 0.0, 0.0), errors.DataError, "negative or NaN; got -1"),
        (lambda: BinaryCounts([1.0, 3.0], [2.0]), errors.DataError, "got 3.0 of 2.0"),
        (lambda: BinaryCounts([[1.0, 1.0], [0.0, 3.0]], [[1.0], [2.0]]), errors.DataError, "got 3.0 of 2.0"),
        (lambda: BinaryCounts([1.0, 3.0], [3.0, 2.0]), errors.DataError, "got 3.0 of 2.0"),
        (lambda: BinaryCounts(2.00001, 2.0), errors.DataError, "exceed"),
        (
            lambda: PoissonSums(0.0, 2.0, 1.0, 0.0),
            errors.DataError,
            "0 where there are no rows, and 'log_factorials' where 'total' is 0",
        ),
        (lambda: PoissonSums([0.0, 3.0], [0.0], [0.0, 0.0], [0.0, 0.0]), errors.DataError, "0 where there are no rows"),
        (lambda: PoissonSums(5.0, 2.0, float(np.log(2 * 6)) - 1e-6, 0.0), errors.DataError, "got less"),
        (lambda: PoissonSums(2.0, 0.5, 0.5 * float(np.log(24)) - 1e-6, 0.0), errors.DataError, "got less"),
        (lambda: PoissonSums([0.0, 5.0], 2.0, [0.0, 0.0], [0.0, 0.0]), errors.DataError, "got less"),
        (lambda: DiagonalMoments(0.0, 0.0, 5.0, 0.0, 0.0, 5.0), errors.DataError, "0 where there are no rows"),
        (lambda: DiagonalMoments(3.0, 0.0, 0.0, 0.0, 0.0, 0.0), errors.DataError, "0 where there are no rows"),
        (lambda: DiagonalMoments([0, 0], 2, [1, -1], [0, 0], [0, 0], [1, 1]), errors.DataError, "negative; got -1.0"),
        (lambda: DiagonalMoments([0, np.inf], 2, [1, 1], [0, 0], [0, 0], [1, 1]), errors.DataError, "finite"),
        (lambda: DiagonalMoments([0, 0], 2, [1, 1], [0, 0], 0, [1, 1]), errors.ShapeError, "same shape"),
        (lambda: DiagonalMoments([0, 0], 2, [1, 1], 0, [0, 0], [1, 1]), errors.ShapeError, "same shape"),
        (lambda: DiagonalMoments([0, 0], 2, [1, 1], [0, 0], [0, 0], 1), errors.ShapeError, "same shape"),
        (lambda: DiagonalMoments([0, 0], 2, 1, [0, 0], 0, [1, 1]), errors.ShapeError, r"must have shape \(2,\)"),
        (lambda: FullMoments([0, 0], 2, [1, 1], [0, 0], [0, 0], [1, 1]), errors.ShapeError, r"shape \(2, 2\)"),
        (lambda: FullMoments([0, 0], [1, 1, 1], np.eye(2), [0, 0], np.eye(2), [1, 1]), errors.ShapeError, "broadcast"),
        (
            lambda: FullMoments([0, 0], 2, np.diag([1, -1]), [0, 0], np.zeros((2, 2)), [1, 1]),
            errors.DataError,
            "negative",
        ),
    ],
)
def test_arrays_that_no_rows_have_are_refused(make: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_arrays_at_the_limit_of_what_rows_have_are_taken() -> None:
    assert BinaryCounts([3.0, 1.0], [3.0, 2.0]).zeros.tolist() == [0, 1]
    assert BinaryCounts(2.0 * (1 + 1e-13), 2.0).zeros == 0
    assert BinaryCounts(np.zeros((2, 0)), [[1.0], [2.0]]).zeros.shape == (2, 0)
    for rows in ([2, 3], [0, 1, 1], [4], [7, 7, 8, 8]):
        least = PoissonSums.of(rows)
        assert float(least.log_factorials) == pytest.approx(gammaln(np.add(rows, 1)).sum())
    assert PoissonSums(2.5, 1.0, float(np.log(2) + 0.5 * np.log(3)), 0.0).total == 2.5, "a weight of a half twice"
    assert TokenCounts(float(2**53 - 1)).counts == 2**53 - 1


def test_columns_of_no_categories_and_of_as_many_as_rows_may_show() -> None:
    nothing = CategoryCounts.of(np.zeros((0, 2)))
    assert nothing.sizes.tolist() == [0, 0]
    assert nothing.shape == (2,)
    assert CategoryCounts.zero().shape == ()
    some = CategoryCounts.of([[1, 0]])
    assert nothing + some == some
    assert (some - some).column(0).tolist() == [0, 0]
    assert CategoryCounts.of([[999_999]]).sizes.tolist() == [1_000_000]
    with pytest.raises(errors.DataError, match="got 1000000 among 1 row"):
        CategoryCounts.of([[1_000_000]])
    assert CategoryCounts.of([[0, 1], [2, 0]], [1, 0]).shape == (2, 2)


def test_scaled_moments_keep_means_and_lose_what_has_no_weight() -> None:
    rng = np.random.default_rng(8)
    X, y = 1e8 + rng.standard_normal((50, 2)), np.repeat([0, 2], 25)
    for kind in (DiagonalMoments, FullMoments):
        whole, third = kind.of(X, y), kind.of(X, y).scaled(1 / 3)
        np.testing.assert_array_equal(third.mean, whole.mean)
        np.testing.assert_array_equal(third.mean_lo, whole.mean_lo)
        np.testing.assert_allclose(third.scatter, kind.of(X, y, np.full(50, 1 / 3)).scatter, rtol=1e-12)
        np.testing.assert_allclose(third.peak, whole.peak / 3, rtol=1e-15)
        assert third.n[1, 0] == 0
        removed = whole.scaled(0.0)
        assert not any(array.any() for array in removed.arrays().values())
        np.testing.assert_allclose((third + third + third).scatter, whole.scatter, rtol=1e-12)


def test_moments_of_many_blocks_of_rows_are_those_of_all_rows() -> None:
    rng = np.random.default_rng(9)
    X, y = rng.normal([3, -5], 1, (70_000, 2)), rng.integers(0, 2, 70_000)
    weights = rng.integers(1, 3, 70_000)
    t = FullMoments.of(X, y, weights)
    for c in range(2):
        rows, times = X[y == c], weights[y == c]
        assert t.n[c, 0] == times.sum()
        np.testing.assert_allclose(t.mean[c], np.average(rows, axis=0, weights=times), rtol=1e-12)
        np.testing.assert_allclose(t.covariance[c], np.cov(rows.T, fweights=times, ddof=0), rtol=1e-11)
    assert FullMoments.of(np.zeros((0, 2))).n.tolist() == [0]


@pytest.mark.parametrize("kind", [DiagonalMoments, FullMoments])
def test_rows_that_differ_beyond_rounding_are_not_the_rows_that_are_there(kind: Any) -> None:
    rows = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    t = kind.of(rows)
    for other in (rows * [1.0001, 1], rows * [1, 1.0001], rows + 1e-3, rows - 1e-3):
        with pytest.raises(errors.SubtractionError, match="another mean or scatter"):
            t - kind.of(other)
    assert not (t - kind.of(rows[::-1])).scatter.any()
    by_class, one = kind.of(rows, [0, 0, 1]), kind.of(rows[:2], [0, 0], n_classes=2)
    left = by_class - one
    assert left.n[:, 0].tolist() == [0, 1]
    assert left.mean.tolist() == [[0, 0], [4, 40]]
    with pytest.raises(errors.SubtractionError, match="another mean or scatter"):
        by_class - kind.of(rows[:2] + 0.01, [0, 0], n_classes=2)
    with pytest.raises(errors.SubtractionError, match="1 too many"):
        by_class - kind.of(rows, [0, 1, 1])


def test_correlations_that_cannot_be_left_are_refused_whatever_the_units() -> None:
    line = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]])
    for units in ([1, 1], [1e-6, 1e6], [1e9, 1e9]):
        total = FullMoments.of(line * units)
        with pytest.raises(errors.SubtractionError, match="semi-definite"):
            total - FullMoments.of(np.array([[2.0, 2.001], [3.0, 2.999]]) * units)
        left = total - FullMoments.of(line[1:3] * units)
        expected = np.outer(units, units) * 4.5
        np.testing.assert_allclose(left.scatter, expected, rtol=1e-9)
        assert np.array_equal(left.scatter, left.scatter.T)


@pytest.mark.parametrize("kind", [DiagonalMoments, FullMoments])
def test_rows_that_weigh_less_than_one_add_and_subtract_like_others(kind: Any) -> None:
    X, w = np.array([[4.0, 1.0], [5.0, 0.0], [9.0, 2.0]]), np.array([0.1, 0.25, 0.15])
    parts = [kind.of(X[i : i + 1], weights=w[i : i + 1]) for i in range(3)]
    mean = np.average(X, axis=0, weights=w)
    scatter = (w[:, None] * (X - mean)).T @ (X - mean)
    whole = sum(parts)
    np.testing.assert_allclose(whole.mean, mean, rtol=1e-14)
    np.testing.assert_allclose(whole.scatter, scatter if kind is FullMoments else np.diagonal(scatter), rtol=1e-13)
    two = whole - parts[0]
    np.testing.assert_allclose(two.mean, (parts[1] + parts[2]).mean, rtol=1e-13)
    np.testing.assert_allclose(two.scatter, (parts[1] + parts[2]).scatter, atol=1e-13)


@pytest.mark.filterwarnings("ignore:The spread of")
def test_the_peak_is_the_largest_scatter_that_was_counted_at_once() -> None:
    near, more = np.array([1.0, 2.0, 4.0]), DiagonalMoments.of([3.0, 5.0])
    t, far = DiagonalMoments.of(near), DiagonalMoments.of([1000.0])
    peak = float(DiagonalMoments.of([*near, 1000.0]).scatter)
    past = DiagonalMoments.of([*near, 1000.0]) - far
    assert past.scatter == pytest.approx(float(t.scatter), rel=1e-9)
    assert (t + far - far).scatter == pytest.approx(float(t.scatter), rel=1e-15)
    assert (t + far - far).peak == pytest.approx(float(t.scatter))
    for later in (past, past + more, more + past, past - DiagonalMoments.of([4.0])):
        assert later.peak == pytest.approx(peak)
    assert (t - t).peak == 0


@pytest.mark.parametrize("count", [3, 10**6 + 3, 10**9 + 7, 10**12 + 1])
def test_equal_counts_have_the_least_log_factorials_there_are(count: int) -> None:
    for rows in (1, 7, 1001):
        assert PoissonSums.of(np.full(rows, count)).total == rows * count
        uneven = PoissonSums.of(np.append(np.full(rows, count), count + 1))
        assert uneven - PoissonSums.of([count + 1]) == PoissonSums.of(np.full(rows, count))


def test_weighted_counts_leave_no_trace_in_log_factorials() -> None:
    """Removed one by one, down to rows of zeros and ones, which have none, and to nothing."""
    rng = np.random.default_rng(10)
    for _ in range(30):
        weights = rng.choice([0.1, 0.2, 0.3, 0.7], 8)
        counts = np.array([0, 1, 1, *rng.integers(2, 9, 5)])
        total = PoissonSums.of(counts, weights=weights)
        for i in rng.permutation(np.arange(3, 8)):
            total = total - PoissonSums.of(counts[i : i + 1], weights=weights[i : i + 1])
        assert 0 <= total.log_factorials <= 1e-12
        assert total.total == pytest.approx(weights[1:3].sum())
        for i in range(3):
            total = total - PoissonSums.of(counts[i : i + 1], weights=weights[i : i + 1])
        assert not any(array.any() for array in total.arrays().values())


def test_one_number_of_rows_may_serve_all_features() -> None:
    assert BinaryCounts(np.array([1.0, 2.0]), np.array(3.0)).zeros.tolist() == [2, 1]
    with pytest.raises(errors.DataError, match=r"got 4\.0 of 3\.0"):
        BinaryCounts(np.array([1.0, 4.0]), np.array(3.0))


@pytest.mark.parametrize("kind", [DiagonalMoments, FullMoments])
def test_a_spread_that_subtraction_loses_is_told(kind: Any) -> None:
    X = np.random.default_rng(0).normal(50, 3, (1000, 2))
    for far, lost in (
        (1e3, False),
        (1e4, True),
        (1e6, True),
        (2e10, True),
        (1.7e12, True),
        (1e17, True),
        (1e19, True),
        (1e100, True),
    ):
        X[0, 1] = far
        total, first, rest = (kind.of(rows) for rows in (X, X[:1], X[1:]))
        with pytest.warns(UserWarning, match="spread of 1 feature") if lost else nullcontext():
            left = total - first
        assert lost or left.mean == pytest.approx(rest.mean, rel=1e-12)
        assert lost or left.scatter == pytest.approx(rest.scatter, rel=1e-12)


def test_nothing_is_told_of_columns_without_a_spread() -> None:
    for value in (0.0, 3.0):
        X = np.full((50, 1), value)
        X[0] = 7.0
        assert (DiagonalMoments.of(X) - DiagonalMoments.of(X[:1])).scatter[0] == pytest.approx(0.0, abs=1e-12)
