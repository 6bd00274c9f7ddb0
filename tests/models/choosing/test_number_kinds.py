"""Columns of numbers that choose their likelihoods together choose what each would alone."""

import numpy as np
import pytest

from suffice.models.choosing.kinds import choose, choose_numbers
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.scoring.rows import Labels
from suffice.tables import Table, kind_of


@pytest.mark.parametrize(("rows", "classes"), [(4, 2), (150, 5), (1500, 3)])
def test_the_choice_is_that_of_each_column(rows: int, classes: int) -> None:
    rng = np.random.default_rng(rows)
    y = rng.integers(0, classes, rows)
    bell = rng.normal(size=rows)
    columns = {
        "bell": bell + y,
        "wide": bell * (1 + y),
        "far": 10.0 + bell + y,
        "skew": np.exp(3 * bell),
        "two": np.where(rng.random(rows) < 0.5, 5.0, 0.0) + bell / 10,
        "tiny": 1e-12 * (bell - y),
        "often": np.where(rng.random(rows) < 0.7, 0.25, bell),
    }
    table, labels = Table.read(columns), Labels(y, None, classes)
    found = choose_numbers([table[name] for name in columns], labels)
    assert list(found) == list(columns)
    for name, block in found.items():
        alone = choose(table[name], kind_of(table[name]), labels)
        assert block.likelihood == alone.likelihood
        assert block.statistic == alone.statistic
        assert block.numbers == alone.numbers
        if isinstance(alone.settled, Histogram) and isinstance(block.settled, Histogram):
            theirs, bins = alone.settled.bins(alone.t), block.settled.bins(block.t)
            assert bins.edges.tolist() == theirs.edges.tolist()
            assert bins.counts.tolist() == theirs.counts.tolist()
    kinds = {type(block.likelihood) for block in found.values()}
    assert kinds == {Gaussian, Histogram} or rows == 4


def test_other_columns_are_left_to_themselves() -> None:
    rng = np.random.default_rng(1)
    bell = rng.normal(size=60)
    table = Table.read(
        {
            "bell": bell,
            "hole": np.where(bell > 0, bell, np.nan),
            "whole": np.round(5 * bell),
            "constant": np.full(60, 2.5),
            "close": 1e9 + bell,
            "huge": 1e200 * bell,
            "narrow": bell.astype(np.float32),
            "words": np.where(bell > 0, "a", "b"),
        }
    )
    labels = Labels(np.arange(60) % 2, None, 2)
    assert list(choose_numbers([table[name] for name in table.names], labels)) == ["bell"]
    weighed = Labels(labels.y, np.full(60, 2.0), 2)
    assert choose_numbers([table["bell"]], weighed) == {}
    assert choose_numbers([], labels) == {}
