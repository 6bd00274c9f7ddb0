"""Models of columns that were chosen, not declared, are views: fits apart add up whatever each has chosen."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.models.open_columns import CELLS, Numbers
from suffice.models.scoring.rows import Labels
from suffice.readers.columns import Bernoulli, Categorical, Gaussian, Histogram, Poisson, Text
from suffice.stats.grid import BITS
from suffice.tables import Table

LABELS = np.array(["no", "yes"])
PLAIN: dict[str, Any] = {"temper": None, "feature_powers": None}


def normal(rng: np.random.Generator, y: Any) -> Any:
    return rng.normal(y, 1.0)


def skewed(rng: np.random.Generator, y: Any) -> Any:
    return np.exp(1.5 * rng.normal(y, 1.0))


def events(rng: np.random.Generator, y: Any) -> Any:
    return rng.poisson(20 + 5 * y)


def grades(rng: np.random.Generator, y: Any) -> Any:
    return rng.integers(0, 4, len(y)) + y


def large(rng: np.random.Generator, y: Any) -> Any:
    return rng.choice([3, 70_001, 900_000, 900_001], len(y))


KINDS = {Gaussian: normal, Histogram: skewed, Poisson: events, Categorical: grades}
PAIRS = [(first, second) for first in KINDS for second in KINDS if first is not second]


def rows(draw: Any, seed: int, n: int) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return {"a": draw(rng, y), "b": rng.normal(y, 2.0)}, LABELS[y]


def together(*parts: tuple[dict[str, Any], Any]) -> tuple[dict[str, Any], Any]:
    return {name: np.concatenate([X[name] for X, _ in parts]) for name in parts[0][0]}, np.concatenate(
        [y for _, y in parts]
    )


def model_of(*parts: tuple[dict[str, Any], Any], **options: Any) -> Any:
    return sf.NaiveBayes(**options).fit(*together(*parts))


def added(mine: Any, theirs: Any) -> Any:
    """Return the sum, without sets of columns that the two chose differently."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The models chose different joint columns")
        return mine + theirs


def kept(model: Any) -> Any:
    """Return what is kept of the column of numbers, whichever likelihood it gets."""
    return model._model.blocks["a"].numbers


def assert_same(got: Any, expected: Any, X: Any, atol: float = 1e-9) -> None:
    assert got.columns_ == expected.columns_
    np.testing.assert_allclose(got.predict_log_proba(X), expected.predict_log_proba(X), rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("first", "second"),
    [*PAIRS[::4], *(pytest.param(*pair, marks=pytest.mark.thorough) for k, pair in enumerate(PAIRS) if k % 4)],
    ids=lambda kind: kind.__name__,
)
@pytest.mark.parametrize("sizes", [(400, 300), pytest.param((300, 400), marks=pytest.mark.thorough)], ids=str)
def test_fits_apart_add_up_and_a_refresh_is_one_fit(first: Any, second: Any, sizes: tuple[int, int]) -> None:
    a, b = rows(KINDS[first], 0, sizes[0]), rows(KINDS[second], 1, sizes[1])
    mine, theirs = model_of(a), model_of(b)
    assert type(mine.columns_["a"]) is first
    assert type(theirs.columns_["a"]) is second
    both = added(mine, theirs)
    assert both.class_count_.sum() == 700
    assert both.statistics_["a"].n.sum() == 700
    assert both.stale_
    X, y = together(a, b)
    whole = model_of(a, b)
    settled = sf.NaiveBayes(columns={name: both.columns_[name] for name in X}, **PLAIN).fit(X, y)
    assert_same(both.set_params(**PLAIN).drop_views(), settled, X)  # the model of all rows with these models of columns
    again = added(mine, theirs).refresh(X, y)
    assert_same(again, whole, X, 1e-6)  # moments add up with rounding, which the search for weights enlarges
    assert not again.stale_


@pytest.mark.thorough
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda kind: kind.__name__)
def test_what_was_added_can_be_taken_away(first: Any, second: Any) -> None:
    a, b = rows(KINDS[first], 0, 400), rows(KINDS[second], 1, 300)
    mine, theirs = model_of(a, **PLAIN), model_of(b, **PLAIN)
    both = mine + theirs
    rest = sf.NaiveBayes(columns=both.columns_, **PLAIN).fit(*a)
    for left in (both - theirs, (mine + theirs).forget(*b)):
        assert_same(left, rest, a[0])
    assert_same((both - theirs).refresh(*a), model_of(a, **PLAIN), a[0])


def test_it_does_not_matter_in_which_order_parts_are_added() -> None:
    parts = [rows(draw, seed, 300) for seed, draw in enumerate((normal, events, grades, skewed))]
    a, b, c, d = (model_of(part, **PLAIN) for part in parts)
    X, y = together(*parts)
    expected = model_of(*parts, **PLAIN)
    for merged in ((a + b) + (c + d), a + (b + (c + d)), d + c + b + a, sf.merge([b, d, a, c])):
        assert merged.class_count_.tolist() == expected.class_count_.tolist()
        assert kept(merged).grid == kept(expected).grid
        assert_same(merged.refresh(X, y), expected, X)


@pytest.mark.parametrize("draw", [normal, skewed, events, grades, large], ids=lambda draw: draw.__name__)
def test_what_is_kept_is_that_of_all_rows_however_they_are_cut(draw: Any) -> None:
    X, y = rows(draw, 5, 4000)
    codes, column = np.searchsorted(LABELS, y), Table.read(X, "X")["a"]
    whole = Numbers.of(column, Labels(codes, None, 2))
    pieces = []
    for some in np.array_split(np.arange(4000), 7):
        keep = np.isin(np.arange(4000), some)
        pieces.append(Numbers.of(column.take(keep), Labels(codes[keep], None, 2)))
    for order in (pieces, pieces[::-1]):
        total = sum(order[1:], order[0])
        assert (total.grid, total.bits, total.exact) == (whole.grid, whole.bits, whole.exact)
        assert total.sums is None or total.sums.total.tolist() == whole.sums.total.tolist()  # type: ignore[union-attr]
        assert whole.moments is not None
        np.testing.assert_allclose(total.moments.scatter, whole.moments.scatter, rtol=1e-12)  # type: ignore[union-attr]


def test_what_is_kept_of_a_million_numbers_is_little() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 1_000_000)
    model = sf.NaiveBayes(**PLAIN).fit({"a": rng.normal(y, 1.0)}, y)
    numbers = kept(model)
    assert isinstance(model.columns_["a"], Gaussian)
    assert len(numbers.grid.count) <= CELLS
    assert 2 <= numbers.bits < BITS
    assert numbers.grid.n.sum() == 1_000_000


def test_a_file_keeps_it(tmp_path: Path) -> None:
    a, b = rows(normal, 0, 400), rows(skewed, 1, 300)
    mine, theirs = model_of(a), model_of(b)
    sf.save(mine, tmp_path / "a.suffice")
    sf.save(theirs, tmp_path / "b.suffice")
    both = added(sf.load(tmp_path / "a.suffice"), sf.load(tmp_path / "b.suffice"))
    assert_same(both, added(mine, theirs), a[0], 0.0)
    sf.save(both, tmp_path / "both.suffice")
    assert_same(sf.load(tmp_path / "both.suffice"), both, a[0], 0.0)


def test_batches_and_decay_keep_it() -> None:
    a, b, c = rows(normal, 0, 400), rows(normal, 2, 300), rows(skewed, 1, 900)
    model = model_of(a, **PLAIN).partial_fit(*b)
    assert kept(model).grid == kept(model_of(a, b, **PLAIN)).grid
    assert (model.decay(0.5) + model_of(c, **PLAIN)).statistics_["a"].n.sum() == 350 + 900


@pytest.mark.filterwarnings("ignore:Views are chosen on")  # some of the rows
def test_refresh_chooses_anew_only_where_it_may() -> None:
    a, b = rows(normal, 0, 400), rows(skewed, 1, 3000)
    model = model_of(a, **PLAIN).partial_fit(*b)
    assert isinstance(model.columns_["a"], Gaussian)
    assert isinstance(
        sf.NaiveBayes(**PLAIN).fit(*a).partial_fit(*b).refresh(*b).columns_["a"], Gaussian
    )  # not all rows
    assert isinstance(model.refresh(*together(a, b)).columns_["a"], Histogram)
    declared = sf.NaiveBayes(columns={"a": "gaussian"}, **PLAIN).fit(*a).partial_fit(*b).refresh(*together(a, b))
    assert isinstance(declared.columns_["a"], Gaussian)
    assert kept(declared) is None


def test_columns_of_words_and_flags_add_up_too() -> None:
    y = ["x", "z"] * 30
    prose = [f"the {i} quick brown fox number {i * 7}" for i in range(60)]
    few = ["slow green turtle", "quick brown fox"] * 30
    texts, names = sf.NaiveBayes(**PLAIN).fit({"t": prose}, y), sf.NaiveBayes(**PLAIN).fit({"t": few}, y)
    assert [type(model.columns_["t"]) for model in (texts, names)] == [Text, Categorical]
    for both in (texts + names, names + texts):
        assert both.columns_["t"] == Text()
        assert (
            both.statistics_["t"]
            == sf.NaiveBayes(columns={"t": "text"}, **PLAIN).fit({"t": prose + few}, y * 2).statistics_["t"]
        )
    flags = sf.NaiveBayes(**PLAIN).fit({"f": [True, False] * 30}, y)
    digits = sf.NaiveBayes(**PLAIN).fit({"f": [0, 1, 2] * 20}, y)
    assert [type(model.columns_["f"]) for model in (flags, digits)] == [Bernoulli, Categorical]
    assert (flags + digits).statistics_["f"].totals.tolist() == [50, 50, 20]


def test_columns_that_were_left_out_elsewhere_count_where_they_are_known() -> None:
    y = ["x", "z"] * 30
    names = sf.NaiveBayes(**PLAIN).fit({"t": ["a", "b"] * 30, "n": [1, 2, 3] * 20}, y)
    with pytest.warns(UserWarning, match="left out"):
        dropped = sf.NaiveBayes(**PLAIN).fit({"t": [f"id{i}" for i in range(60)], "n": [1, 2, 3] * 20}, y)
    for both in (names + dropped, dropped + names):
        assert both.statistics_["t"] == names.statistics_["t"]
        assert both.class_count_.sum() == 120
