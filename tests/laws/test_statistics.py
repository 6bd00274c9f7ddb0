"""Laws of sufficient statistics, said once, over all of them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import suffice as sf
from laws.registry import CLASSES, STATISTICS, StatisticCase
from suffice.errors import SubtractionError, SufficeError
from suffice.stats import CategoryCounts, ValueCounts

ROUNDING = 1e-12
every_statistic = pytest.mark.parametrize("case", STATISTICS, ids=str)
redrawable = pytest.mark.parametrize("case", [case for case in STATISTICS if case.redraws], ids=str)
subtractable = pytest.mark.parametrize("case", [case for case in STATISTICS if case.subtracts], ids=str)


def assert_same(case: StatisticCase, got: Any, expected: Any, *took_part: Any, exact: bool | None = None) -> None:
    """Check equality to the bit, or to 1e-12 of the largest number that took part (and the data's last bit squared)."""
    if case.exact if exact is None else exact:
        assert got == expected
        return
    for name in (name for name in got.arrays() if not name.endswith("_lo") and name != "peak"):
        if got.arrays()[name].dtype == object:  # names
            np.testing.assert_array_equal(got.arrays()[name], expected.arrays()[name])
            continue
        largest = max(float(np.abs(s.arrays()[name]).max(initial=0)) for s in (got, expected, *took_part))
        last_bit = float(np.max(getattr(got, "n", 0), initial=0)) * (1e8 * 2.0**-52) ** 2 if name == "scatter" else 0
        theirs = expected.arrays()[name]
        np.testing.assert_allclose(got.arrays()[name], theirs, rtol=0, atol=ROUNDING * largest + 16 * last_bit)


@st.composite
def labelled(draw: st.DrawFn, case: StatisticCase, max_rows: int = 30) -> tuple[Any, Any]:
    n = draw(st.integers(0, max_rows))
    labels = draw(st.lists(st.integers(0, CLASSES - 1), min_size=n, max_size=n))
    return draw(case.rows(n)), np.array(labels, np.int64)


@every_statistic
@given(data=st.data())
def test_any_split_of_the_rows_equals_the_whole(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    cut = data.draw(st.integers(0, len(y)))
    a, b = case.of(X[:cut], y[:cut]), case.of(X[cut:], y[cut:])
    assert_same(case, a + b, case.of(X, y), a, b)


@every_statistic
@given(data=st.data())
def test_addition_is_commutative_and_associative(case: StatisticCase, data: st.DataObject) -> None:
    a, b, c = (case.of(*data.draw(labelled(case, 12))) for _ in range(3))
    assert_same(case, a + b, b + a, a, b)
    assert_same(case, (a + b) + c, a + (b + c), a, b, c)


@every_statistic
@given(data=st.data())
def test_zero_is_neutral(case: StatisticCase, data: st.DataObject) -> None:
    a = case.of(*data.draw(labelled(case)))
    zero = case.kind.zero()
    no_rows = case.of(np.empty((0, 3)), np.empty(0, np.int64))
    assert a + zero == zero + a == a - zero == sum([a]) == a
    assert a + no_rows == no_rows + a == a
    assert zero + zero == zero


@subtractable
@pytest.mark.filterwarnings("ignore:The spread of")  # of eights beside 1e8
@given(data=st.data())
def test_adding_then_subtracting_changes_nothing(case: StatisticCase, data: st.DataObject) -> None:
    a, b = (case.of(*data.draw(labelled(case))) for _ in range(2))
    assert_same(case, a + b - b, a, a, b, a + b)


@subtractable
@pytest.mark.filterwarnings("ignore:The spread of")  # of eights beside 1e8
@given(data=st.data())
def test_real_weights_add_and_subtract_within_rounding(case: StatisticCase, data: st.DataObject) -> None:
    weight = st.one_of(st.just(0.0), st.floats(0.01, 3))  # a weight that rounding swallows cannot come back
    parts = []
    for _ in range(2):
        X, y = data.draw(labelled(case))
        parts.append(case.of(X, y, data.draw(st.lists(weight, min_size=len(y), max_size=len(y)))))
    a, b = parts
    assert_same(case, a + b - b, a, a, b, a + b, exact=False)


@subtractable
@given(data=st.data())
def test_subtracting_what_was_never_added_raises_and_changes_nothing(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    a, more = case.of(X, y), case.of(np.concatenate([X, np.ones((1, 3))]), np.concatenate([y, [0]]))
    before = {name: array.copy() for name, array in a.arrays().items()}
    with pytest.raises(SubtractionError):
        a - more
    assert all(np.array_equal(array, before[name]) for name, array in a.arrays().items())


@every_statistic
@given(data=st.data())
def test_an_integer_weight_equals_repetition(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    times = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(y), max_size=len(y))), np.int64)
    repeated = case.of(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_same(case, case.of(X, y, times), repeated)


@every_statistic
@given(data=st.data())
def test_hard_labels_equal_their_responsibilities(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    assert_same(case, case.of(X, np.eye(CLASSES)[y]), case.of(X, y))


@every_statistic
@given(data=st.data())
def test_responsibilities_split_a_row(case: StatisticCase, data: st.DataObject) -> None:
    """A row shared by two classes counts as two rows, one in each, of those weights."""
    X, y = data.draw(labelled(case))
    share = np.array(data.draw(st.lists(st.sampled_from([0.25, 0.5, 0.75]), min_size=len(y), max_size=len(y))))
    other = (y + 1) % CLASSES
    soft = np.zeros((len(y), CLASSES))
    soft[np.arange(len(y)), y] = share
    soft[np.arange(len(y)), other] = 1 - share
    twice = case.of(np.concatenate([X, X]), np.concatenate([y, other]), np.concatenate([share, 1 - share]))
    assert_same(case, case.of(X, soft), twice, exact=False)


@every_statistic
@given(data=st.data())
def test_order_and_layout_of_the_rows_change_nothing(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    expected = case.of(X, y)
    spaced = np.zeros((2 * len(X), 2 * X.shape[1]))[::2, ::2]
    spaced[:] = X
    for same in (np.asfortranarray(X), spaced, X[::-1][::-1], X.tolist() or X):
        assert_same(case, case.of(same, y), expected)
    order = data.draw(st.permutations(range(len(y))))
    assert_same(case, case.of(X[order], y[order]), expected)


@every_statistic
@given(data=st.data())
def test_sparse_equals_dense(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    if not case.sparse:
        with pytest.raises(SufficeError, match="sparse"):
            case.of(sparse.csr_matrix(X), y)
        return
    expected = case.of(X, y)
    wide = sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for same in (sparse.csr_matrix(X), sparse.csc_matrix(X), sparse.coo_array(X), wide):
        assert_same(case, case.of(same, y), expected)


@every_statistic
@given(data=st.data())
def test_the_type_of_the_numbers_changes_nothing(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    types = [np.float32, np.int64, np.int32, np.int16, np.uint8] if case.kind is not sf.stats.Extremes else [np.float32]
    for kind in types:
        same = X.astype(kind) if kind == np.float32 else np.abs(X % 2).astype(kind)
        assert_same(case, case.of(same, y), case.of(same.astype(np.float64), y))


@every_statistic
@given(data=st.data())
def test_arrays_go_out_and_in(case: StatisticCase, data: st.DataObject) -> None:
    a = case.of(*data.draw(labelled(case)))
    again = case.kind.from_arrays(a.arrays())
    assert again == a
    assert hash(again) == hash(a)
    assert not any(array.flags.writeable for array in a.arrays().values())


@every_statistic
@pytest.mark.parametrize(
    "layout", ["C", *(pytest.param(one, marks=pytest.mark.thorough) for one in ("F", "csr", "csc", "soft"))]
)
def test_the_number_of_threads_changes_nothing(case: StatisticCase, layout: str) -> None:
    """Real weights, so that any change in the order of additions would show in the last bit."""
    if layout.startswith("cs") and not case.sparse:
        return
    rng = np.random.default_rng(0)
    rows = 400_000 if layout != "soft" else 60_000
    columns = 6 if case.kind is sf.stats.FullMoments else 3  # enough work to be worth a thread
    X = np.floor(rng.random((rows, columns)) * 2) if case.kind is not sf.stats.Extremes else rng.random((rows, 3)) + 1
    y: Any = rng.integers(0, CLASSES, rows) if layout != "soft" else rng.dirichlet(np.ones(CLASSES), rows)
    weights = rng.random(rows)
    convert = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sparse.csr_matrix, "csc": sparse.csc_matrix}
    data = convert.get(layout, np.ascontiguousarray)(X)
    results = []
    for n in (1, 3, 7):
        with sf.threads(n):
            results.append(case.of(data, y, weights))
    assert all(result == results[0] for result in results)


@every_statistic
@given(data=st.data())
def test_scaled_rows_are_rows_of_another_weight(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    got = case.of(X, y).scaled(0.5)
    assert_same(case, got, case.of(X, y, np.full(len(y), 0.5)), exact=False)


@every_statistic
@given(data=st.data())
def test_classes_can_change_places_and_go(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    place = np.array([3, -1, 0])
    kept = place[y] >= 0
    got = case.of(X, y).with_classes(place, 4)
    if case.kind is CategoryCounts:
        expected: Any = CategoryCounts.of(X[kept], place[y][kept], n_classes=4, sizes=[4] * X.shape[1])
    else:
        expected = case.kind.of(X[kept][:, 0] if case.kind is ValueCounts else X[kept], place[y][kept], n_classes=4)
    assert got == expected


@every_statistic
@given(data=st.data())
def test_what_fades_below_any_number_is_removed(case: StatisticCase, data: st.DataObject) -> None:
    X, y = data.draw(labelled(case))
    faded = case.of(X, y)
    for _ in range(12):
        faded = faded.scaled(2.0**-100)
    assert_same(case, case.of(X, y) + faded, case.of(X, y))


@redrawable
@given(data=st.data())
def test_rows_drawn_anew_have_the_same_statistic(case: StatisticCase, data: st.DataObject) -> None:
    t = case.of(*data.draw(labelled(case)))
    X, y = t.sample_rows(data.draw(st.integers(0, 2**32)))
    again = case.of(X, y)
    if case.exact:
        assert again == t
        return
    rounding = 2.0**-52 * np.abs(X).max(axis=0, initial=0)
    assert np.array_equal(again.n, t.n)
    np.testing.assert_allclose(again.mean, t.mean, rtol=0, atol=4 * rounding.max())
    far = 8 * rounding * np.sqrt(t.n * t.scatter) + 8 * t.n * rounding**2  # Σ 2|x − mean|·rounding, by Cauchy–Schwarz
    assert (np.abs(again.scatter - t.scatter) <= far + ROUNDING * t.scatter).all()


@redrawable
@given(data=st.data())
def test_rows_drawn_anew_without_classes(case: StatisticCase, data: st.DataObject) -> None:
    X = data.draw(case.rows(data.draw(st.integers(0, 12))))
    more: dict[str, Any] = {"sizes": [4] * X.shape[1]} if case.kind is CategoryCounts else {}
    t: Any = case.kind.of(X, **more)
    drawn, labels = t.sample_rows(0)
    assert labels is None
    assert drawn.shape[1] == X.shape[1]
    again = case.kind.of(drawn, **more)
    if case.exact:
        assert again == t
    else:
        assert np.array_equal(again.arrays()["n"], t.n)


@redrawable
def test_rows_that_counted_for_a_fraction_cannot_be_drawn(case: StatisticCase) -> None:
    t = case.of(np.ones((2, 3)), [0, 1], [1, 0.5])
    with pytest.raises(SufficeError, match=r"must hold whole numbers for rows to be drawn; got 0\.5"):
        t.sample_rows(0)


def test_every_statistic_that_can_draw_rows_is_under_the_law() -> None:
    assert [case for case in STATISTICS if hasattr(case.kind, "sample_rows") != case.redraws] == []
