"""Samples of rows: as many as wanted, groups as one, the same ones every time."""

import numpy as np
import pytest

from suffice.models.choosing.judge import Sample, parts_of, some_rows
from suffice.models.scoring.rows import Labels, MatrixRows
from suffice.stats.inputs import RowMatrix


@pytest.mark.parametrize("most", [1, 7, 100])
def test_so_many_rows_in_rising_order(most: int) -> None:
    found = some_rows(50, most)
    assert len(found) == min(50, most)
    assert (np.diff(found) > 0).all()
    np.testing.assert_array_equal(found, some_rows(50, most))


def test_groups_are_taken_as_one() -> None:
    group = np.arange(60) // 4
    found = some_rows(60, 20, group)
    assert len(found) == 20
    np.testing.assert_array_equal(found, np.flatnonzero(np.isin(group, group[found])))
    part = parts_of(group, group).reshape(-1, 4)
    assert (part == part[:, :1]).all()


def test_a_sample_keeps_rows_labels_and_groups_together() -> None:
    x = np.arange(30.0)[:, None]
    sample = Sample(
        {"X": MatrixRows(RowMatrix.read(x, "X"))}, Labels(np.arange(30) % 3, x[:, 0] + 1, 3), np.arange(30) // 2
    )
    few = sample.at_most(10)
    rows = few.rows["X"]
    assert isinstance(rows, MatrixRows)
    values = rows.numbers[:, 0].astype(int)
    np.testing.assert_array_equal(few.labels.y, values % 3)
    np.testing.assert_array_equal(few.labels.weights, values + 1.0)
    np.testing.assert_array_equal(few.group, np.unique(values // 2, return_inverse=True)[1])
    assert sample.at_most(30) is sample
