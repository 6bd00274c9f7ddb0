"""Which likelihood a column gets when nobody says, and what is kept of it."""

from typing import Any

import numpy as np
import pytest

from suffice.models.answers import derived
from suffice.models.choosing.kinds import choose
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.poisson import Poisson
from suffice.models.likelihoods.silent import Drop, Unknown
from suffice.models.likelihoods.text_column import Text
from suffice.models.open_columns import CELLS, Numbers, OpenBlock
from suffice.models.scoring.rows import Labels
from suffice.stats.grid import BITS
from suffice.tables import Column, Table, kind_of

RNG = np.random.default_rng(0)
N = 2000
Y = RNG.integers(0, 2, N)
BELL = RNG.normal(size=N)
LABELS = Labels(Y, None, 2)


def column(values: Any) -> Column:
    return Table.read({"x": values})["x"]


def chosen(values: Any, labels: Labels = LABELS) -> OpenBlock:
    one = column(values)
    return choose(one, kind_of(one, labels.weights), labels)


@pytest.mark.parametrize(
    ("values", "likelihood"),
    [
        (BELL + 2 * Y, Gaussian()),
        (BELL * (1 + 3 * Y), Gaussian()),
        (1e8 + BELL + 5 * Y, Gaussian()),
        (np.exp(2 * BELL) * (1 + Y), Histogram()),
        (RNG.random(N) + Y / 2, Histogram()),
        (np.where(RNG.random(N) < 0.9, 0.0, BELL), Histogram()),
        (np.full(N, 2.5), Histogram()),
        (np.full(N, 1e300), Histogram()),
        (RNG.integers(1, 6, N), Categorical()),
        (RNG.integers(1, 6, N).astype(float), Categorical()),
        (RNG.choice([1, 7, 1000, 123456], N), Categorical()),
        (RNG.poisson(12 + 5 * Y), Poisson()),
        (RNG.integers(0, 50_000, N), Histogram()),
        (RNG.integers(-20, 20, N) ** 3, Histogram()),
        (RNG.integers(0, 10**15, N), Histogram()),
        (Y == 1, Bernoulli()),
        (RNG.choice(["a", "b", "c"], N), Categorical()),
        ([f"word{i % 900} and some more words {i}" for i in range(N)], Text()),
        ([f"row{i}" for i in range(N)], Drop()),
        (np.datetime64("2024-01-01") + np.arange(N), Drop()),
        ([None] * N, Unknown()),
    ],
    ids=str,
)
def test_by_what_it_holds(values: Any, likelihood: Any) -> None:
    block = chosen(values)
    assert block.likelihood == likelihood
    assert block.statistic == OpenBlock.of_column(likelihood, column(values), LABELS).statistic


@pytest.mark.parametrize("unit", [1e-3, 0.3, 1000, 4096])
def test_the_unit_does_not_choose(unit: float) -> None:
    for values in (BELL + 2 * Y, np.exp(2 * BELL) * (1 + Y), RNG.random(N), 5000 + BELL):
        assert chosen(values).likelihood == chosen(values * unit).likelihood


def test_a_weight_counts_as_so_many_rows() -> None:
    weights = RNG.integers(1, 4, N)
    values = np.exp(BELL)
    often = np.repeat(np.arange(N), weights)
    weighed = chosen(values, Labels(Y, weights.astype(float), 2))
    repeated = chosen(values[often], Labels(Y[often], None, 2))
    assert weighed.likelihood == repeated.likelihood
    assert weighed.statistic == repeated.statistic


def test_missing_values_neither_count_nor_choose() -> None:
    values = np.where(RNG.random(N) < 0.3, np.nan, RNG.poisson(12 + 5 * Y))
    there = ~np.isnan(values)
    some, rest = chosen(values), chosen(values[there], LABELS.take(there))
    assert some.likelihood == rest.likelihood
    assert some.statistic == rest.statistic
    assert some.numbers == rest.numbers


@pytest.mark.parametrize("values", [BELL + Y, RNG.poisson(20, N), RNG.integers(0, 4, N), np.exp(2 * BELL)])
def test_of_numbers_everything_is_kept_that_another_likelihood_needs(values: Any) -> None:
    block = chosen(values)
    assert block.numbers == Numbers.of(column(values), LABELS)
    assert block.numbers is not None
    assert block.numbers.moments == OpenBlock.of_column(Gaussian(), column(values), LABELS).statistic
    assert block.numbers.grid is not None
    assert len(block.numbers.grid.count) <= CELLS
    assert (block.numbers.sums is not None) == (values.dtype.kind == "i")
    assert block.numbers.bits <= BITS


def test_of_words_and_flags_nothing_else_is_kept() -> None:
    assert chosen(Y == 1).numbers is None
    assert chosen(RNG.choice(["a", "b"], N)).numbers is None


def test_bins_that_were_chosen_by_are_not_chosen_again() -> None:
    block = chosen(np.exp(2 * BELL) * (1 + Y))
    assert block.likelihood == Histogram()
    assert "settled" in vars(block)
    assert derived.prior_in_words(block.settled, block.t) == derived.prior_in_words(
        Histogram().settled(block.t), block.t
    )
