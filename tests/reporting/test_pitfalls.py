"""Columns that tell the label, name rows or say nothing, and rows that come twice, are reported; others are not."""

from typing import Any

import numpy as np
import pytest

import suffice as sf
from datasets.shared import real
from suffice.estimators.shell.folds import fold_numbers
from suffice.reporting.facts import gather
from suffice.reporting.labelled_rows import LabelledRows
from suffice.reporting.pitfalls import column_alerts, double_alerts
from suffice.tables import Table

ROWS = 200


def given(columns: dict[str, Any], labels: Any) -> LabelledRows:
    return LabelledRows(Table.read(columns), np.asarray(labels), np.arange(len(labels)))


def of_columns(rows: LabelledRows) -> list[str]:
    return [str(alert) for alert in column_alerts(rows)]


def of_doubles(rows: LabelledRows, part: Any, judged: Any = None) -> list[str]:
    return [str(alert) for alert in double_alerts(rows, part, judged)]


def made(seed: int = 0) -> tuple[dict[str, Any], Any]:
    """Return columns that are as they should be."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    columns = {
        "size": rng.normal(y, 1.0),
        "wage": rng.integers(20_000, 90_000, ROWS),  # all different, most likely, and yet no name
        "colour": np.array(["red", "blue", "green"])[(rng.random(ROWS) * 2 + y * 0.9).astype(int)],
        "note": [" ".join(rng.choice(["tea", "rum", "gin", "rye", "ale", "cola", "milk"], 6)) for _ in range(ROWS)],
        "flag": rng.random(ROWS) < 0.3 + 0.4 * y,
        "holes": [
            None if gap else int(v) for gap, v in zip(rng.random(ROWS) < 0.3, rng.integers(0, 4, ROWS), strict=True)
        ],
    }
    return columns, np.array(["no", "yes"])[y]


def test_ordinary_columns_are_not_reported() -> None:
    assert of_columns(given(*made())) == []
    assert of_doubles(given(*made()), np.arange(ROWS) % 5) == []


def test_one_class_is_determined_by_no_column() -> None:
    columns, labels = made()
    assert of_columns(given(columns, np.full(len(labels), "yes"))) == []


@pytest.mark.parametrize(
    "leak",
    [
        lambda y: np.where(y == "yes", "alive", "dead"),
        lambda y: y == "yes",
        lambda y: np.where(y == "yes", 1, 0),
        lambda y: np.where(y == "yes", 0.9, 0.1) + np.random.default_rng(1).uniform(-0.05, 0.05, ROWS),  # a score
        lambda y: [None if one == "yes" else f"in {k % 7} days" for k, one in enumerate(y)],  # a date that only one has
        lambda y: np.char.add(y, (np.arange(ROWS) % 10).astype(str)),  # a person, always of one class
    ],
    ids=["words", "flags", "codes", "score", "gaps", "persons"],
)
def test_a_column_that_tells_the_label(leak: Any) -> None:
    columns, y = made()
    (line,) = of_columns(given({**columns, "leak": leak(y)}, y))
    assert line.startswith("Column 'leak' alone determines the label of every row")


def test_a_column_that_nearly_tells_it() -> None:
    columns, y = made()
    most = np.where(y == "yes", "alive", "dead")
    most[3] = "dead" if most[3] == "alive" else "alive"
    (line,) = of_columns(given({**columns, "leak": most}, y))
    assert "'leak' alone determines the label of nearly every row" in line
    most[:6] = "lost"  # three of a hundred are none of a copy
    assert of_columns(given({**columns, "leak": most}, np.where(np.arange(ROWS) < 6, ["no", "yes"] * 100, y))) == []


def test_a_rare_class_is_not_leaked_by_what_is_frequent() -> None:
    y = np.array(["sound"] * 198 + ["ill"] * 2)
    assert of_columns(given({"site": ["a"] * 100 + ["b"] * 100}, y)) == []


@pytest.mark.parametrize(
    "names",
    [
        [f"P{k}" for k in range(ROWS)],
        [f"P{k // 2 if k < 8 else k}" for k in range(ROWS)],
        np.arange(ROWS) + 1000,
        np.random.default_rng(0).permutation(ROWS),
        np.cumsum(np.random.default_rng(0).integers(1, 900, ROWS)),
    ],
    ids=["words", "nearly", "running", "shuffled", "rising"],
)
def test_names_of_rows(names: Any) -> None:
    columns, y = made()
    (line,) = of_columns(given({**columns, "id": names}, y))
    assert line.startswith("Column 'id' has a different value in nearly every row")


def test_columns_of_one_value() -> None:
    columns, y = made()
    lines = of_columns(given({**columns, "a": [1] * ROWS, "b": [None] * ROWS, "c": ["x", None] * (ROWS // 2)}, y))
    assert lines == ["Columns 'a', 'b', 'c' have only one value. Leave them out: they carry no information."]
    assert of_columns(given({"a": [1] * 10}, ["x", "y"] * 5)) == []  # too few rows to tell


def test_rows_that_come_twice() -> None:
    columns, y = made()
    twice = {name: [*list(values), *list(values)[:10]] for name, values in columns.items()}
    labels, part = np.concatenate([y, y[:10]]), np.repeat([0, 1], [ROWS, 10])
    (line,) = of_doubles(given(twice, labels), part)
    assert line.startswith("20 of 210 rows (9.5 %) have an exact duplicate in another part of the split")
    (line,) = of_doubles(given(twice, labels), part, part == 1)
    assert line.startswith("10 of 10 rows (100.0 %)")
    assert of_doubles(given(twice, labels), np.zeros(210, int)) == []
    other = np.concatenate([y, np.where(y[:10] == "yes", "no", "yes")])
    assert of_doubles(given(twice, other), part) == []
    few = {"a": np.arange(400) % 2, "b": np.arange(400) % 3}  # there are only six rows that there can be
    assert of_doubles(given(few, np.arange(400) % 2), np.arange(400) % 5) == []


def test_the_report_warns() -> None:
    columns, y = made()
    model = sf.NaiveBayes(columns={"note": "drop"}).fit({**columns, "copy": y, "one": [0] * ROWS}, y)
    found = gather(model, {**columns, "copy": y, "one": [0] * ROWS}, y, None, None).data.alerts
    assert any("'copy' alone determines the label of every row" in one.found for one in found)
    assert any("'one' has only one value" in one.found for one in found)
    texts, labels = ["tea milk", "rum cola"] * 30, ["a", "b"] * 30
    found = gather(sf.TextClassifier().fit(texts, labels), texts, labels, None, None).data.alerts
    assert any("60 of 60 texts (100.0 %) have an exact duplicate" in one.found for one in found)


SILENT = {
    "adult": [],
    "car": [],
    "ionosphere": ["Column 'x2' has only one value. Leave it out: it carries no information."],
    "mushroom": ["Column 'veil-type' has only one value. Leave it out: it carries no information."],
    "penguins": [],
    "sonar": [],
    "votes": [],
    "vowel": [],
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.thorough) if n == "adult" else n for n in SILENT])
def test_well_known_tables_are_quiet(name: str) -> None:
    table = sf.datasets.read_table(name, real(name))
    rows = given(table.X, table.y)
    assert of_columns(rows) == SILENT[name]
    assert of_doubles(rows, fold_numbers(np.unique(table.y, return_inverse=True)[1], None, 5)) == []


def test_titanic_has_the_label_twice() -> None:
    table = sf.datasets.read_table("titanic", real("titanic"))
    (line,) = of_columns(given(table.X, table.y))
    assert line.startswith("Column 'alive' alone determines the label of every row")
