"""Counts of parts of a table add up to those of all rows, and are taken away again."""

import operator
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

from readers.data import CLASSES, DRAWS, all_rows, counted, drawn, log_proba
from suffice.errors import DataError, InputError, ShapeError
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.likelihoods.silent import Drop, Unknown
from suffice.models.likelihoods.text_column import Text
from suffice.models.open_columns import Chosen, Numbers, OpenBlock
from suffice.models.scoring.rows import Labels
from suffice.readers.table import TableReader
from suffice.readers.table_columns import BY_WORD, check_block, rechosen
from suffice.stats import ClassCounts
from suffice.tables import Table


@pytest.mark.parametrize("kind", DRAWS)
def test_batches_add_up_to_one_count(kind: Any) -> None:
    table, labels = drawn(kind, 0, 400)
    model = counted(table, labels)
    assert type(model.blocks["a"].likelihood) is kind
    pieces = [np.arange(400) % 4 == k for k in range(4)]
    reader, total = TableReader().started(table).of(model), model
    for keep in pieces:
        total += reader.count(table.take(keep), labels.take(keep), model, CLASSES)
    twice = model + model
    assert total.likelihoods == twice.likelihoods
    for name, block in twice.voting.items():
        np.testing.assert_allclose(total.blocks[name].statistic.n, block.statistic.n)
    np.testing.assert_allclose(log_proba(total, table), log_proba(twice, table), atol=1e-9)
    assert total.blocks["b"].numbers.grid == twice.blocks["b"].numbers.grid  # type: ignore[attr-defined]


PAIRS = [(first, second) for first in list(DRAWS)[:4] for second in list(DRAWS)[:4] if first is not second]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda kind: kind.__name__)
def test_columns_that_are_modelled_in_two_ways_add_up(first: Any, second: Any) -> None:
    a, b = drawn(first, 0, 400), drawn(second, 1, 300)
    mine, theirs = counted(*a), counted(*b)
    both = mine + theirs
    found = both.blocks["a"]
    expected = counted(*all_rows(a, b), columns={"a": found.likelihood, "b": both.blocks["b"].likelihood})
    assert found.statistic.n.sum() == 700
    np.testing.assert_allclose(log_proba(both, a[0]), log_proba(expected, a[0]), atol=1e-9)
    rest = both - theirs
    fresh = counted(*a, columns={"a": found.likelihood, "b": both.blocks["b"].likelihood})
    np.testing.assert_allclose(log_proba(rest, a[0]), log_proba(fresh, a[0]), atol=1e-9)
    chosen = rechosen(both, counted(*all_rows(a, b)))
    assert chosen.likelihoods == counted(*all_rows(a, b)).likelihoods
    assert rechosen(both, mine) is both  # other rows


def test_the_order_does_not_matter() -> None:
    parts = [drawn(kind, seed, 300) for seed, kind in enumerate((Gaussian, Poisson, Categorical, Histogram))]
    models = [counted(*part) for part in parts]
    expected = counted(*all_rows(*parts))
    for order in (models, models[::-1]):
        total = reduce(operator.add, order)
        assert total.n.tolist() == expected.n.tolist()
        assert total.blocks["a"].numbers.grid == expected.blocks["a"].numbers.grid  # type: ignore[attr-defined]


@pytest.mark.parametrize("silent", [Drop, Unknown])
def test_a_silent_column_gives_way(silent: Any) -> None:
    known, other = counted(*drawn(Categorical, 0, 100)), counted(*drawn(silent, 1, 400))
    for both in (known + other, other + known):
        assert both.blocks["a"].statistic == known.blocks["a"].statistic
        assert both.n.sum() == 500
    assert (known - other.scaled(1e-9)).blocks["a"].statistic == known.blocks["a"].statistic
    assert (counted(*drawn(Drop, 0, 50)) + counted(*drawn(Unknown, 1, 50))).likelihoods["a"] == Drop()


def test_a_column_without_a_row_left_is_unknown_again() -> None:
    table, labels = Table.read({"a": [1.5, 2.5, None], "b": [1, 2, 3]}), Labels(np.array([0, 1, 1]), None, 2)
    model = counted(table, labels)
    keep = np.array([True, True, False])
    rest = model - TableReader().of(model).count(table.take(keep), labels.take(keep), model, CLASSES)
    assert rest.likelihoods["a"] == Unknown()
    assert rest.blocks["a"].statistic == ClassCounts(np.zeros(1))
    assert rest.classes.tolist() == ["yes"]


def test_what_serves_neither_is_refused() -> None:
    a, b = counted(*drawn(Gaussian, 0, 100)), counted(*drawn(Text, 1, 100))
    with pytest.raises(InputError, match=r"Column 'a' is Gaussian\(\) in one model and Text\(\) in the other"):
        _ = a + b
    with pytest.raises(InputError, match=r"columns=\{'a': 'gaussian'\}"):
        _ = a - b
    words = counted(Table.read({"a": ["x", "y"] * 9, "b": [1.0] * 18}), Labels(np.array([0, 1] * 9), None, 2))
    with pytest.raises(
        DataError, match="Column 'a' cannot be counted as categorical: two ValueCounts must both count words"
    ):
        _ = counted(*drawn(Categorical, 0, 100)) + words


def test_declared_columns_are_counted_as_declared() -> None:
    table, labels = drawn(Gaussian, 0, 200)
    model = counted(table, labels, columns={"a": "histogram", "b": Gaussian(floor=1.0)})
    assert model.likelihoods == {"a": Histogram(), "b": Gaussian(floor=1.0)}
    assert model.blocks["a"].numbers is None  # type: ignore[attr-defined]
    by_others = counted(table, labels, columns={"a": Chosen(Histogram())})
    assert by_others.blocks["a"].numbers == Numbers.of(table["a"], labels)  # type: ignore[attr-defined]
    empty = Table.read({"a": [None, None]})
    assert counted(empty, Labels(np.array([0, 1]), None, 2), columns={"a": "gaussian"}).likelihoods == {"a": Unknown()}
    changed = replace(TableReader(columns={"a": "poisson"}).started(table))
    with pytest.raises(InputError, match=r"Column 'a' was fixed as Histogram\(\) at the first fit; got Poisson\(\)"):
        changed.count(table, labels, model, CLASSES)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"aa": "gaussian"}, "names 'aa', which is not a column. Did you mean 'a'?"),
        ({"a": "gausian"}, "Did you mean 'gaussian'?"),
        ({"a": Gaussian}, r"Did you mean Gaussian\(\)\?"),
        (
            {"a": 3},
            f"must map 'a' to one of {', '.join(BY_WORD)}, auto",
        ),
    ],
)
def test_declarations_that_mean_nothing(columns: Any, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("?", r"\?").replace(r"\\?", r"\?")):
        counted(*drawn(Gaussian, 0, 20), columns=columns)


def test_the_target_is_no_column_to_declare() -> None:
    table, labels = drawn(Gaussian, 0, 20)
    reader = TableReader(columns={"b": "gaussian"}).started(table.without(["b"]), "b")
    with pytest.raises(InputError, match="names 'b', which is the target"):
        reader.count(table.without(["b"]), labels, None, CLASSES)


@pytest.mark.parametrize(
    ("values", "word", "message"),
    [
        (["x", "y"], "gaussian", "Column 'a' is declared gaussian but holds text, e.g. 'x'"),
        ([0.5, 2.0], "bernoulli", "Column 'a' is bernoulli and must hold 0 and 1; got 0.5"),
        ([0.5, 2.0], "poisson", "Column 'a' is poisson and must hold counts 0, 1, 2, …; got 0.5"),
        ([np.inf, 2.0], "gaussian", "Column 'a' must hold finite numbers; got inf in row 0"),
        ([2**60, 2], "categorical", "Column 'a' must hold numbers below"),
        ([True, False], "text", "Column 'a' is declared text but holds True and False"),
    ],
)
def test_errors_name_the_column(values: Any, word: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        counted(Table.read({"a": values}), Labels(np.array([0, 1]), None, 2), columns={"a": word})


def test_all_rows_as_one_class_have_no_bins() -> None:
    (large, _), (small, _) = drawn(Histogram, 0, 300), drawn(Histogram, 1, 100)
    model = TableReader().started(large).settled_by_all([small, large])
    assert model.likelihoods["a"] == Gaussian()
    both = OpenBlock.of_column(Gaussian(), large["a"], Labels(np.zeros(300, np.int64), None, 1))
    both = both.combined(OpenBlock.of_column(Gaussian(), small["a"], Labels(np.zeros(100, np.int64), None, 1)),
                         operator.add, "a")  # type: ignore[assignment]  # fmt: skip
    assert model.blocks["a"].statistic == both.statistic
    assert model.n.tolist() == [400]
    declared = TableReader(columns={"a": "histogram"}).started(large).settled_by_all([large])
    assert declared.likelihoods["a"] == Histogram()


def test_columns_that_are_dropped_are_warned_of() -> None:
    table = Table.read({"id": [f"i{i}" for i in range(30)], "day": pd.date_range("2024", periods=30), "x": range(30)})
    reader = TableReader().started(table)
    model = reader.count(table, Labels(np.arange(30) % 2, None, 2), None, CLASSES)
    with pytest.warns(UserWarning, match="left out") as found:
        reader.tell_of_dropped(None, model, table)
    said = [str(one.message) for one in found]
    assert said[0].startswith("Column 'day' of dates left out")
    assert said[1].startswith("Column 'id' left out: every row has a different value")
    reader.tell_of_dropped(model, model, table)  # not again
    replace(reader, columns={"id": "drop", "day": "drop"}).tell_of_dropped(None, model, table)


def test_a_file_is_checked() -> None:
    model = counted(*drawn(Gaussian, 0, 50))
    block = model.blocks["a"]
    assert isinstance(block, OpenBlock)
    check_block("a", block, 2)
    with pytest.raises(ShapeError, match="Column 'a' must have counts of 3 classes"):
        check_block("a", block, 3)
    with pytest.raises(DataError, match="Column 'a' must have DiagonalMoments; got ClassCounts"):
        check_block("a", OpenBlock(Gaussian(), ClassCounts(np.zeros(2))), 2)
    assert block.numbers is not None
    assert Numbers.of_parts(block.numbers.parts) == block.numbers
    with pytest.raises(DataError, match="The statistics of a column"):
        Numbers.of_parts({"grid": 1})
    with pytest.raises(DataError, match="must have 0 to 12 bits"):
        replace(block.numbers, bits=99).check("a", 2)
