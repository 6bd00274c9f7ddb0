"""Print through how many functions and files a call walks: what somebody reads who wants to know how it is done.

    python tools/walk.py

Calls are counted on one thread, after everything was imported and called once. Comprehensions are part of the function
that they stand in. A file changes where a function of the library is called that stands in another file than the one
called before it.
"""

from __future__ import annotations

import csv
import io
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import suffice as sf

SOURCE = Path(sf.__file__).parent
FOLDERS = ("models", "readers", "estimators")
INNER = {"<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


class Walk:
    """Functions and files in the order in which they were first entered."""

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str], None] = {}
        self.files: dict[str, None] = {}
        self.changes = 0
        self.last = ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call."""
        code = frame.f_code
        if event != "call" or code.co_name in INNER or not code.co_filename.startswith(f"{SOURCE}/"):
            return
        file = code.co_filename.removeprefix(f"{SOURCE}/")
        self.functions[file, code.co_qualname] = None
        self.files[file] = None
        self.changes += file != self.last
        self.last = file

    def show(self, title: str) -> None:
        """Print how many there were, and the files of the folders that matter."""
        print(
            f"{title}: {len(self.functions)} functions in {len(self.files)} files, which change {self.changes:,} times"
        )
        for folder in FOLDERS:
            inside = [file.removeprefix(f"{folder}/") for file in self.files if file.startswith(f"{folder}/")]
            print(f"  {folder}/ {len(inside)}{': ' if inside else ''}{', '.join(inside)}")


def traced(call: Callable[[], Any]) -> Walk:
    """Return the walk of a call, which was made once before."""
    walk = Walk()
    with sf.threads(1):  # columns are otherwise counted on several
        call()
        sys.setprofile(walk)
        try:
            call()
        finally:
            sys.setprofile(None)
    return walk


def table(n: int = 150) -> tuple[dict[str, list[Any]], list[str]]:
    """Return three columns, a number, a category and a flag, with labels."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, n)
    columns: dict[str, list[Any]] = {
        "size": rng.normal(codes, 1.0).tolist(),
        "town": np.array(["Oslo", "Rome", "Lima"])[(rng.integers(0, 2, n) + codes)].tolist(),
        "late": (rng.random(n) < 0.3 + 0.4 * codes).tolist(),
    }
    return columns, np.array(["no", "yes"])[codes].tolist()


def texts(n: int = 2000) -> tuple[list[str], list[str]]:
    """Return enough texts, with labels, for everything to be chosen."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, n)
    words = np.array(["cheap", "pills", "watch", "now", "lunch", "noon", "meeting", "you"])
    chosen = [words[(rng.integers(0, 5, 6) + 3 * code)] for code in codes]
    return [" ".join(line) for line in chosen], np.array(["spam", "ham"])[codes].tolist()


def fit_file(folder: Path) -> None:
    """Run `suffice fit a.csv` in this process."""
    from suffice.cli.verbs import app

    columns, labels = table()
    with (folder / "a.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*columns, "label"])
        lines.writerows(zip(*columns.values(), labels, strict=True))
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        app(["fit", str(folder / "a.csv"), "-o", str(folder / "a.suffice")], standalone_mode=False)


def main() -> None:
    """Print the walks."""
    columns, labels = table()
    row = {name: values[:1] for name, values in columns.items()}
    fitted = sf.NaiveBayes().fit(columns, labels)
    traced(lambda: sf.NaiveBayes().fit(columns, labels)).show("NaiveBayes.fit")
    traced(lambda: fitted.explain(row)).show("NaiveBayes.explain")
    traced(lambda: sf.TextClassifier().fit(*texts())).show("TextClassifier.fit")
    with tempfile.TemporaryDirectory() as folder:
        traced(lambda: fit_file(Path(folder))).show("suffice fit a.csv")


if __name__ == "__main__":
    main()
