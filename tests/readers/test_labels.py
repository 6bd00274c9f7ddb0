"""Labels as people have them become classes and codes; those that are missing are found."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

from suffice.errors import LabelError
from suffice.readers.labels import (
    LabelChecks,
    classes_and_codes,
    column_classes,
    is_gap,
    is_missing,
    labelled,
    partly_labelled,
    same_values,
)
from suffice.tables import Table

CHECKS = LabelChecks(np.ravel, lambda y: None)


@pytest.mark.parametrize(
    "y", [[3, 1, 3], [True, False, True], ["b", "a", "b"], [0.5, 2.0, 0.5], [-5, 10**12, -5], np.array([2, 1, 2], "u1")]
)
def test_classes_are_sorted_and_codes_are_their_places(y: Any) -> None:
    y = np.asarray(y)
    expected = np.unique(y, return_inverse=True)
    for classes, codes in (classes_and_codes(y, CHECKS), column_classes(Table.read({"y": y})["y"], CHECKS)):
        assert classes.tolist() == expected[0].tolist()
        assert codes.tolist() == expected[1].tolist()


def test_only_categories_that_are_used_are_classes() -> None:
    column = Table.read(pd.DataFrame({"y": pd.Categorical(["u", "v", "u"], categories=["v", "w", "u"])}))["y"]
    classes, codes = column_classes(column, CHECKS)
    assert (classes.tolist(), codes.tolist()) == (["u", "v"], [0, 1, 0])


def test_checks_see_what_is_no_plain_label() -> None:
    seen: list[Any] = []
    checks = LabelChecks(np.ravel, seen.append)
    classes_and_codes(np.array(["a", "b"]), checks)
    assert not seen
    classes_and_codes(np.array([0.5, 1.5]), checks)
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", None, "b", None], "The target must have a label in every row; 2 of 4 lack one"),
        ([1.0, np.nan], "1 of 2 lacks one"),
        ([np.inf, 1.0], "must hold labels; got infinity"),
        (np.array(["2024-01-01", "2024-01-02"], "M8[D]"), "must hold labels; got dates"),
        ([None, None], "2 of 2 lack one"),
    ],
)
def test_every_row_needs_a_label(values: Any, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        column_classes(Table.read({"y": values})["y"], CHECKS)


@pytest.mark.parametrize(
    "y", [["a", None], [1.0, float("nan")], np.array([1.0, np.nan]), np.array(["a", pd.NA], object)]
)
def test_a_gap_in_a_list_is_found_before_it_turns_into_a_word(y: Any) -> None:
    with pytest.raises(LabelError, match="first in row 1"):
        labelled(y)
    assert labelled(["a", "b"]) == ["a", "b"]


def test_what_is_missing() -> None:
    assert all(is_gap(label) for label in (None, float("nan"), np.float32("nan"), pd.NA, pd.NaT))
    assert not any(is_gap(label) for label in (0, -1, "", "nan", False))
    assert is_missing(-1)
    assert is_missing(-1.0)
    assert not is_missing(False)
    assert not is_missing("-1")


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([1, -1, 0], [0, 1], [1, -1, 0]),
        (["a", None, "b"], ["a", "b"], [0, -1, 1]),
        (np.array([2.0, np.nan, 5.0]), [2.0, 5.0], [0, -1, 1]),
        (pd.Series(["u", pd.NA, "v"]), ["u", "v"], [0, -1, 1]),
        ([None, None, -1], [], [-1, -1, -1]),
    ],
)
def test_labels_of_which_some_are_missing(y: Any, classes: Any, codes: Any) -> None:
    found = partly_labelled(y, 3, CHECKS)
    assert (found[0].tolist(), found[1].tolist()) == (classes, codes)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 2], "one label per row, 3; got 2"),
        (["a", 1, None], "labels of one kind, and −1, None or NaN for rows without a label; got numbers and words"),
        (["a", None, "a"], "at least two classes if labels are missing"),
        ([np.inf, None, 1.0], "got infinity"),
    ],
)
def test_labels_that_are_refused(y: Any, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        partly_labelled(y, 3, CHECKS)


def test_a_column_is_the_same_if_values_and_gaps_are() -> None:
    table = Table.read(
        {"a": [1.0, None], "b": [1.0, None], "c": [1.0, 2.0], "d": ["x", None], "e": ["x", None], "f": [1, 2]}
    )
    assert same_values(table["a"], table["b"])
    assert same_values(table["d"], table["e"])
    assert not same_values(table["a"], table["c"])
    assert not same_values(table["c"], table["f"])
