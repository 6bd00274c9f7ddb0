"""Columns that act together, beside gradient boosting and logistic regression on the same rows: writes docs/joint.md.

Five stratified folds, or the split that a table comes with; classes of fewer than five rows are left out. Tables are
read from the folder SUFFICE_DATA, or ../shared/data beside the clone; those that are not there are left out.

    python benchmarks/joint.py [table ...]
"""

import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from corpora import joined
from judging import CLIP, judge, parted
from side_by_side import ROOT, keep, machine, markdown, put
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold
from usual import logistic, readable

import suffice as sf

PAGE = ROOT / "docs" / "joint.md"
NAMES = (
    "adult", "car", "german", "krkp", "magic", "mushroom", "nursery", "pendigits", "penguins", "tictactoe", "titanic",
    "votes",
)  # fmt: skip
FLOOR = 0.005
"""Log losses below this are as good as each other."""

ALONE, JOINT, BOOSTING = "NaiveBayes()", 'NaiveBayes(joint="auto")', "HistGradientBoosting"


class Boosting(HistGradientBoostingClassifier):  # type: ignore[misc]
    """Gradient boosting that gives logarithms, too."""

    def predict_log_proba(self, X: Any) -> Any:
        """Return ln p of each class."""
        return np.log(np.maximum(self.predict_proba(X), CLIP))


METHODS: dict[str, Callable[[pd.DataFrame], Any]] = {
    ALONE: lambda known: sf.NaiveBayes(),
    JOINT: lambda known: sf.NaiveBayes(joint="auto"),
    "logistic regression": logistic,
    BOOSTING: lambda known: Boosting(categorical_features="from_dtype", random_state=0),
}


def categorical(frame: pd.DataFrame) -> pd.DataFrame:
    """Return words as categories, as boosting reads them."""
    words = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    return frame.assign(**{name: frame[name].astype("category") for name in words})


def compare(name: str) -> dict[str, Any] | None:
    """Return log loss, error and seconds of each method over all test rows of a table."""
    found = joined(name)
    if found is None:
        return None
    X, y, given = found
    labels, counts = np.unique(y, return_counts=True)
    kept = np.flatnonzero(np.isin(y, labels[counts >= 5]))
    X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    splits = given or list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    words = readable(X)
    figures: dict[str, Any] = {"table": name, "rows": len(y), "columns": X.shape[1], "methods": {}}
    for method, make in METHODS.items():
        rows = {ALONE: X, JOINT: X, BOOSTING: categorical(X)}.get(method, words)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            judged = judge(partial(make, rows), parted(rows, y, splits), CLIP)
        figures["methods"][method] = {
            "log_loss": judged.log_loss,
            "error": 1 - judged.accuracy,
            "seconds": judged.seconds,
        }
    shown = "".join(
        f"{m['log_loss']:>9.4f}{m['error']:>8.2%}{m['seconds']:>7.1f}s" for m in figures["methods"].values()
    )
    print(f"{name:<12}{shown}", flush=True)
    return figures


def ratio(figures: dict[str, Any], method: str) -> float:
    """Return a method's log loss as a multiple of boosting's."""
    own, peer = (max(figures["methods"][name]["log_loss"], FLOOR) for name in (method, BOOSTING))
    return float(own / peer)


def page(rows: list[dict[str, Any]]) -> str:
    """Return the table of the page, and what it comes to."""
    lines = [
        [f"{one['table']} ({one['rows']:,} × {one['columns']})"]
        + [f"{m['log_loss']:.3f} · {m['error']:.1%}" for m in one["methods"].values()]
        + [f"{one['methods'][name]['seconds']:.1f}" for name in (JOINT, BOOSTING)]
        for one in rows
    ]
    means = {name: float(np.exp(np.mean([np.log(ratio(one, name)) for one in rows]))) for name in METHODS}
    mean = ["log loss, of boosting's", *(f"{value:.2f}" for value in means.values()), "", ""]
    head = ["log loss · errors", *METHODS, "joint, s", "boosting, s"]
    return f"{markdown(head, [*lines, mean])}\n\n{machine()}."


def main() -> int:
    names = sys.argv[1:] or NAMES
    rows = [one for name in names if (one := compare(name)) is not None]
    if not rows:
        print("No table is here: SUFFICE_DATA names their folder.")
        return 0
    print(page(rows))
    if len(rows) == len(NAMES):
        keep("joint", {"rows": rows})
        put(PAGE, "joint", page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
