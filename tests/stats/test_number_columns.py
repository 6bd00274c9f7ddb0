"""Columns of numbers counted side by side: each has the statistic that it would have alone."""

import numpy as np
import pytest

from suffice.stats import DiagonalMoments, ValueCounts
from suffice.stats.grid import coarser, on_grid
from suffice.stats.number_columns import ColumnCounts, each_feature
from suffice.typing import Array, Integers


def some_columns(rows: int, columns: int, classes: int) -> tuple[Array, Integers]:
    rng = np.random.default_rng(rows + columns)
    x = rng.normal(size=(columns, rows))
    x[0] = np.round(x[0], 1)
    x[1] = 1e-310 * np.round(10 * x[1])  # numbers without a leading bit
    x[2] = np.exp(30 * x[2])
    x[3] = -7.5
    return on_grid(x), rng.integers(0, classes, rows)


@pytest.mark.parametrize(("rows", "columns", "classes"), [(1, 4, 1), (4, 9, 2), (300, 6, 40), (900, 5, 3)])
def test_each_column_has_its_own_counts(rows: int, columns: int, classes: int) -> None:
    x, codes = some_columns(rows, columns, classes)
    found = ColumnCounts.of(x, codes, classes)
    alone = [ValueCounts.of(one, codes, n_classes=classes) for one in x]
    assert found.each == alone
    assert ColumnCounts.side_by_side(alone).each == alone
    assert found.totals.tolist() == np.concatenate([t.totals for t in alone]).tolist()
    some = np.arange(columns) % 2 == 0
    assert found.take(some).each == alone[::2]
    for t in found.each:
        assert not any(array.flags.writeable for array in t.arrays().values())


@pytest.mark.parametrize("bits", [11, 5, 0])
def test_coarser_grids(bits: int) -> None:
    x, codes = some_columns(600, 6, 3)
    found = ColumnCounts.of(x, codes, 3)
    own = np.array([bits, 12, bits, 3, bits, bits])
    expected = [coarser(t, b) for t, b in zip(found.each, own.tolist(), strict=True)]
    assert found.on(own).each == expected
    assert found.cells_on(own).tolist() == [len(t.count) for t in expected]


def test_labels_are_checked() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        ColumnCounts.of(np.zeros((2, 3)), np.array([0, 1, 2]), 2)
    with pytest.raises(ValueError, match="do not fit"):
        ColumnCounts.of(np.zeros((2, 3)), np.array([0, 1]), 2)


def test_moments_of_each_feature() -> None:
    x, codes = some_columns(50, 5, 3)
    x[1:3] = 1e8 + x[[0, 4]]
    found = each_feature(DiagonalMoments.of(x.T, codes, n_classes=4))
    assert found == [DiagonalMoments.of(one[:, None], codes, n_classes=4) for one in x]
    assert (found[0] + found[0]).shape == (4, 1)
