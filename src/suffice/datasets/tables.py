"""Read well-known tables into columns, and the X windows documents into bags of words."""

import csv
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import io, sparse

from suffice.datasets.paths import AnyPath, check_subset, existing, find, lines
from suffice.errors import DataError, InputError
from suffice.notebook import card, table
from suffice.telling import counted

FIRST = 5
"""Rows that a notebook shows."""

KEYS = ("xtrain", "ytrain", "xtest", "ytest", "vocab")
LABELS = np.array(["X windows", "MS windows"], dtype=object)


@dataclass(frozen=True)
class Format:
    """The format of a table."""

    files: dict[str, str]
    """The file of each part: `train` and `test`, or `all` for a single file."""
    target: str
    names: str = ""
    """The columns in order; empty if the file has a header."""
    missing: str = "?"
    categories: bool = False
    """Whether all columns are categories, including those that look like numbers."""
    split: str = ""
    """The column that assigns rows to parts, if any: 0 is train, 1 is test."""


def numbered(count: int) -> str:
    """Return the names x1, x2, ..., for columns without names."""
    return " ".join(f"x{i}" for i in range(1, count + 1))


ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
    "capital-loss hours-per-week native-country income"
)

MUSHROOM = (
    "class cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing gill-size gill-color stalk-shape "
    "stalk-root stalk-surface-above-ring stalk-surface-below-ring stalk-color-above-ring stalk-color-below-ring "
    "veil-type veil-color ring-number ring-type spore-print-color population habitat"
)

VOTES = (
    "party handicapped-infants water-project-cost-sharing adoption-of-the-budget-resolution physician-fee-freeze "
    "el-salvador-aid religious-groups-in-schools anti-satellite-test-ban aid-to-nicaraguan-contras mx-missile "
    "immigration synfuels-corporation-cutback education-spending superfund-right-to-sue crime duty-free-exports "
    "export-administration-act-south-africa"
)

FORMATS = {
    "adult": Format({"train": "adult.data", "test": "adult.test"}, "income", ADULT),
    "car": Format({"all": "car.data"}, "class", "buying maint doors persons lug_boot safety class", categories=True),
    "ionosphere": Format({"all": "ionosphere.data"}, "class", numbered(34) + " class"),
    "mushroom": Format({"all": "agaricus-lepiota.data"}, "class", MUSHROOM, categories=True),
    "penguins": Format({"all": "penguins.csv"}, "species", missing="NA"),
    "sonar": Format({"all": "sonar.all-data"}, "class", numbered(60) + " class"),
    "titanic": Format({"all": "titanic.csv"}, "survived", missing=""),
    "votes": Format({"all": "house-votes-84.data"}, "party", VOTES, categories=True),
    "vowel": Format({"all": "vowel-context.data"}, "vowel", f"split speaker sex {numbered(10)} vowel", split="split"),
}


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
    if name not in FORMATS:
        guess = get_close_matches(name, FORMATS, 1)
        hint = f" Did you mean {guess[0]!r}?" if guess else ""
        raise InputError("read_table.name", f"be one of {', '.join(FORMATS)}", got=name).advise(hint)
    known = FORMATS[name]
    check_subset(subset, "read_table")
    if subset != "all" and "train" not in known.files and not known.split:
        raise InputError(f"read_table expects subset='all' for {name!r}, which has no parts; got {subset!r}.")
    place = existing(path, "read_table")
    if place.is_file() and subset != "all" and not known.split:
        wanted = " and ".join(known.files.values())
        raise InputError(f"read_table takes subset={subset!r} of {name!r} from a folder with {wanted}; got a file.")
    parts = [part for part in known.files if part == "all" or subset in ("all", part)]
    files = [place] if place.is_file() else [find(place, [known.files[part]], "read_table") for part in parts]
    header: list[str] = []
    rows: list[list[str]] = []
    for file in files:
        header, more = cells(file, known)
        rows += more
    columns = {column: list(values) for column, values in zip(header, zip(*rows, strict=True), strict=True)}
    columns[known.target] = [value.removesuffix(".") for value in columns[known.target]]  # in the test part of Adult
    if known.split:
        flags = [("train", "test")[flag == "1"] for flag in columns.pop(known.split)]
        kept = [i for i, part in enumerate(flags) if subset in ("all", part)]
        columns = {column: [values[i] for i in kept] for column, values in columns.items()}
    return LabelledTable({column: array(values, known) for column, values in columns.items()}, known.target)


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


@dataclass(frozen=True, repr=False, eq=False)
class Bags:
    """Documents as bags of words: a sparse matrix with a label per row and a word per column.

    >>> Bags(sparse.csr_array([[1, 0], [1, 1]]), np.array(["a", "b"]), ["tea", "rum"])
    Bags(2 documents, 2 words, 2 labels)
    """

    X: Any
    y: NDArray[Any]
    words: list[str]

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        sizes = (len(self), "document"), (len(self.words), "word"), (len(set(self.y)), "label")
        return f"Bags({', '.join(counted(*one) for one in sizes)})"

    def _repr_html_(self) -> str:
        labels, rows = np.unique(self.y, return_counts=True)
        return card(self, lambda: [table(["label", "documents"], [*zip(map(str, labels), rows.tolist(), strict=True)])])


def read_xwindows(path: AnyPath, subset: str = "train") -> Bags:
    """Read posts labelled `X windows` or `MS windows`, as 0/1 for 600 words (Murphy's XwindowsDocData.mat).

    `path` is the file, or its folder.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "XwindowsDocData.mat"
    >>> words = np.array([["motif"], ["dos"]], dtype=object)
    >>> X = sparse.csc_array([[1.0, 0.0]])
    >>> io.savemat(path, {"xtrain": X, "ytrain": [[1]], "xtest": X, "ytest": [[2]], "vocab": words})
    >>> read_xwindows(path, "all").y
    array(['X windows', 'MS windows'], dtype=object)
    """
    check_subset(subset, "read_xwindows")
    file = find(path, ["XwindowsDocData.mat"], "read_xwindows")
    try:
        data = io.loadmat(file)
    except Exception as error:  # scipy raises many types for other files
        raise DataError(f"read_xwindows expects {file.name} to be a MATLAB file; got {error}.") from None
    absent = [key for key in KEYS if key not in data]
    if absent:
        raise DataError(f"read_xwindows expects {', '.join(KEYS)} in {file.name}; {absent[0]} is missing.")
    parts = ["train", "test"] if subset == "all" else [subset]
    X = sparse.vstack([sparse.csr_array(data[f"x{part}"]) for part in parts], format="csr")
    y = np.concatenate([data[f"y{part}"].ravel() for part in parts]).astype(np.int64)
    return Bags(X, LABELS[y - 1], [str(np.ravel(word)[0]) for word in data["vocab"].ravel()])
