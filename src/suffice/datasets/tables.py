"""Read well-known tables into columns."""

import csv
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.datasets.formats import FORMATS, Format
from suffice.datasets.paths import AnyPath, check_subset, existing, find, lines
from suffice.errors import DataError, InputError
from suffice.notebook import card, table
from suffice.telling import counted

__all__ = ["LabelledTable", "read_table"]

FIRST = 5
"""Rows that a notebook shows."""


@dataclass(frozen=True, repr=False, eq=False)
class LabelledTable:
    """A table as columns by name, one of which is the target.

    A column of numbers is int64, or float64 with NaN for missing values; a column of True and False is bool; any other
    column is an array of str objects with None for missing values.

    >>> kinds = np.array(["a", "b"], dtype=object)
    >>> table = LabelledTable({"size": np.array([1.5, np.nan]), "kind": kinds}, target="kind")
    >>> table.X
    {'size': array([1.5, nan])}
    """

    columns: dict[str, NDArray[Any]]
    target: str

    @property
    def X(self) -> dict[str, NDArray[Any]]:
        """All columns but the target."""
        return {name: column for name, column in self.columns.items() if name != self.target}

    @property
    def y(self) -> NDArray[Any]:
        """The target."""
        return self.columns[self.target]

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        size = f"{counted(len(self), 'row')}, {counted(len(self.columns), 'column')}"
        return f"LabelledTable({size}, target {self.target!r})"

    def _repr_html_(self) -> str:
        rows = zip(*(map(str, column[:FIRST].tolist()) for column in self.columns.values()), strict=True)
        return card(self, lambda: [table(list(self.columns), rows, len(self), most=FIRST)])


def read_table(name: str, path: AnyPath, subset: str = "all") -> LabelledTable:
    """Read a well-known table: adult, car, ionosphere, mushroom, penguins, sonar, titanic, votes or vowel.

    `path` is the file as distributed, or its folder; files may be packed by gzip. Adult and vowel have a training and a
    test part, which `subset` chooses; for adult, `path` must then be the folder.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "car.data"
    >>> _ = file.write_text("vhigh,vhigh,2,2,small,low,unacc\\nlow,low,5more,more,big,high,vgood\\n")
    >>> table = read_table("car", file)
    >>> table
    LabelledTable(2 rows, 7 columns, target 'class')
    >>> table.X["doors"], table.y
    (array(['2', '5more'], dtype=object), array(['unacc', 'vgood'], dtype=object))
    """
    known = format_of(name)
    check_subset(subset, "read_table")
    if subset != "all" and not known.parts:
        raise InputError(f"read_table expects subset='all' for {name!r}, which has no parts; got {subset!r}.")
    header: list[str] = []
    rows: list[list[str]] = []
    for file in files(name, known, path, subset):
        header, found = cells(file, known)
        rows += found
    columns = {column: list(values) for column, values in zip(header, zip(*rows, strict=True), strict=True)}
    return LabelledTable({c: array(v, known) for c, v in chosen(columns, known, subset).items()}, known.target)


def format_of(name: str) -> Format:
    """Return the format of a table by its name; raise InputError for an unknown name."""
    if name not in FORMATS:
        guess = get_close_matches(name, FORMATS, 1)
        hint = f" Did you mean {guess[0]!r}?" if guess else ""
        raise InputError(f"read_table expects 'name' to be one of {', '.join(FORMATS)}; got {name!r}.{hint}")
    return FORMATS[name]


def files(name: str, known: Format, path: AnyPath, subset: str) -> list[Path]:
    """Return the files of a part of a table."""
    place = existing(path, "read_table")
    if place.is_file():
        if subset != "all" and not known.split:
            wanted = " and ".join(known.files.values())
            raise InputError(f"read_table takes subset={subset!r} of {name!r} from a folder with {wanted}; got a file.")
        return [place]
    parts = [part for part in known.files if part == "all" or subset in ("all", part)]
    return [find(place, [known.files[part]], "read_table") for part in parts]


def cells(file: Path, known: Format) -> tuple[list[str], list[list[str]]]:
    """Return the column names and the rows, without remarks (`|1x3 Cross validator`) and blank lines."""
    content = [line for line in lines(file, "read_table") if line.strip() and not line.startswith("|")]
    rows = list(csv.reader(content, skipinitialspace=True))
    header = known.names.split() or (rows.pop(0) if rows else [])
    if known.target not in header:
        raise DataError(f"read_table expects a column {known.target!r} in the header of {file.name}; got {header[:5]}.")
    if not rows:
        raise DataError(f"read_table expects rows in {file.name}; got none.")
    for i, row in enumerate(rows, 1):
        if len(row) != len(header):
            raise DataError(
                f"read_table expects {len(header)} values in each row of {file.name}; row {i} has {len(row)}."
            )
    return header, rows


def chosen(columns: dict[str, list[str]], known: Format, subset: str) -> dict[str, list[str]]:
    """Return the columns with the rows of a part, without the full stop after labels in the test part of Adult."""
    columns[known.target] = [value.removesuffix(".") for value in columns[known.target]]
    if not known.split:
        return columns
    part = [("train", "test")[flag == "1"] for flag in columns.pop(known.split)]
    kept = [i for i, name in enumerate(part) if subset in ("all", name)]
    return {name: [values[i] for i in kept] for name, values in columns.items()}


def array(values: list[str], known: Format) -> NDArray[Any]:
    """Return a column in the narrowest type: booleans, integers, floats, or strings."""
    absent = np.array([value == known.missing for value in values])
    text = np.array([None if missing else value for value, missing in zip(values, absent, strict=True)], dtype=object)
    if known.categories:
        return text
    if set(values) <= {"True", "False"}:
        return np.array([value == "True" for value in values])
    try:
        numbers = np.array([np.nan if missing else float(value) for value, missing in zip(values, absent, strict=True)])
        integral = not absent.any() and all(value.lstrip("-").isdigit() for value in values)
    except ValueError:
        return text
    return numbers.astype(np.int64) if integral else numbers
