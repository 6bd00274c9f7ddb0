"""How the constants behind NaiveBayes(joint="auto") were chosen: by folds of training parts alone, table by table.

Of each table only the part to learn from is read: that of the split it comes with, or four of five stratified parts. It
is judged by five folds of its own. Each line is one constant set otherwise; its log losses are shown as multiples of
those with the constants as they are. Tables are read from the folder SUFFICE_DATA, or ../shared/data beside the clone.

    python benchmarks/joint_defaults.py [table ...]
"""

import importlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from corpora import joined
from joint import FLOOR, NAMES
from judging import judge, parted
from side_by_side import keep, markdown
from sklearn.model_selection import StratifiedKFold

import suffice as sf

CHOOSING = "suffice.models.choosing."

CANDIDATES: dict[str, list[tuple[str, str, Any]]] = {
    "as it is": [],
    "sets must save 1 standard error": [(f"{CHOOSING}option_judge", "SEARCHED", 1.0)],
    "… 1.5 errors": [(f"{CHOOSING}option_judge", "SEARCHED", 1.5)],
    "… 2 errors": [(f"{CHOOSING}option_judge", "SEARCHED", 2.0)],
    "… 3 errors": [(f"{CHOOSING}option_judge", "SEARCHED", 3.0)],
    "200 rows are few judges": [(f"{CHOOSING}option_judge", "FEW_JUDGES", 200)],
    "800 rows are few judges": [(f"{CHOOSING}option_judge", "FEW_JUDGES", 800)],
    "a whole row is unpredicted by all but the floor": [(f"{CHOOSING}option_judge", "UNPREDICTED", 1.0)],
    "a tenth of a row is unpredicted": [(f"{CHOOSING}option_judge", "UNPREDICTED", 0.1)],
    "8 bins of numbers": [("suffice.readers.joint_columns", "BINS", 8)],
    "24 bins of numbers": [("suffice.readers.joint_columns", "BINS", 24)],
    "4,000 rows choose": [("suffice.estimators.shell.joint_sets", "ENOUGH", 4000)],
    "one part judges from 1,000 rows on": [(f"{CHOOSING}table_choice", "FEW", 1000)],
    "the ridge of residuals is looked for from 3 on": [(f"{CHOOSING}table_choice", "RESIDUAL", 3.0)],
}
"""What is set otherwise: module, name and value."""


@contextmanager
def settled(changes: list[tuple[str, str, Any]]) -> Iterator[None]:
    """Set constants inside the ``with`` block."""
    before = [(importlib.import_module(module), name) for module, name, _ in changes]
    values = [getattr(module, name) for module, name in before]
    for (module, name), (_, _, value) in zip(before, changes, strict=True):
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name), value in zip(before, values, strict=True):
            setattr(module, name, value)


def training_part(name: str) -> tuple[Any, Any] | None:
    """Return the rows of a table that may choose, without classes of fewer than five rows."""
    found = joined(name)
    if found is None:
        return None
    X, y, given = found
    labels, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[counts >= 7])
    splits = given or list(StratifiedKFold(5, shuffle=True, random_state=0).split(X[kept], y[kept]))
    rows = np.flatnonzero(kept)[splits[0][0]] if given is None else splits[0][0]
    return X.iloc[rows].reset_index(drop=True), y[rows]


def losses(name: str) -> dict[str, float] | None:
    """Return the log loss of each candidate on a table."""
    found = training_part(name)
    if found is None:
        return None
    X, y = found
    splits = list(StratifiedKFold(5, shuffle=True, random_state=1).split(X, y))
    out = {}
    for candidate, changes in CANDIDATES.items():
        with warnings.catch_warnings(), settled(changes):
            warnings.simplefilter("ignore")
            out[candidate] = judge(sf.NaiveBayes, parted(X, y, splits)).log_loss
        print(f"{name:<12}{candidate:<40}{out[candidate]:.4f}", flush=True)
    return out


def main() -> int:
    names = sys.argv[1:] or NAMES
    found = {name: one for name in names if (one := losses(name)) is not None}
    if not found:
        print("No table is here: SUFFICE_DATA names their folder.")
        return 0
    lines = []
    for candidate in CANDIDATES:
        ratios = [max(one[candidate], FLOOR) / max(one["as it is"], FLOOR) for one in found.values()]
        mean = float(np.exp(np.mean(np.log(ratios))))
        lines.append([candidate, f"{mean:.3f}", *(f"{ratio:.2f}" for ratio in ratios)])
    print(markdown(["", "mean", *found], lines))
    keep("joint_defaults", {"losses": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
