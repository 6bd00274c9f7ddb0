"""Columns that act together, beside boosting, forests and logistic regression on the same rows: writes docs/joint.md.

Five stratified folds, or the split that a table comes with; classes of fewer than five rows are left out. Tables are
read from the folder SUFFICE_DATA, or ../shared/data beside the clone; those that are not there are left out. So is
LightGBM where it is not installed. InterpretML's boosting of bins (pip install interpret-core) takes minutes a fit even
of small tables, and runs only with --ebm.

    python benchmarks/joint.py [--ebm] [table ...]
"""

import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from corpora import joined
from judging import CLIP, judge, parted
from side_by_side import ROOT, keep, machine, markdown, put
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from usual import encoded, logistic, readable

import suffice as sf

PAGE = ROOT / "docs" / "joint.md"
NAMES = (
    "adult", "car", "german", "krkp", "magic", "mushroom", "nursery", "pendigits", "penguins", "tictactoe", "titanic",
    "votes",
)  # fmt: skip
FLOOR = 0.005
"""Log losses below this are as good as each other."""

ALONE, JOINT, LOGISTIC, BOOSTING = (
    "NaiveBayes(joint=None)",
    "NaiveBayes()",
    "logistic regression",
    "HistGradientBoosting",
)
FOREST, LIGHT, BINS = "random forest", "LightGBM", "InterpretML EBM"


class Logs:
    """A classifier that gives logarithms, too."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: Any) -> None:
        self.model.fit(X, y)
        self.classes_ = self.model.classes_

    def predict_log_proba(self, X: Any) -> Any:
        """Return ln p of each class."""
        return np.log(np.maximum(self.model.predict_proba(X), CLIP))


def light(known: pd.DataFrame) -> Any:
    from lightgbm import LGBMClassifier

    return Logs(LGBMClassifier(random_state=0, verbose=-1))


def bins(known: pd.DataFrame) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return Logs(ExplainableBoostingClassifier(random_state=0))


METHODS: dict[str, Callable[[pd.DataFrame], Any]] = {
    ALONE: lambda known: sf.NaiveBayes(joint=None),
    JOINT: lambda known: sf.NaiveBayes(),
    LOGISTIC: logistic,
    BOOSTING: lambda known: Logs(HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)),
    FOREST: lambda known: Logs(encoded(known, RandomForestClassifier(random_state=0, n_jobs=-1))),
}
if find_spec("lightgbm"):
    METHODS[LIGHT] = light
if "--ebm" in sys.argv:
    METHODS[BINS] = bins

TABLES = (ALONE, JOINT, LOGISTIC, BOOSTING), (JOINT, FOREST, LIGHT, BINS)
"""The methods of each table of the page."""


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
    words, categories = readable(X), categorical(X)
    figures: dict[str, Any] = {"table": name, "rows": len(y), "columns": X.shape[1], "methods": {}}
    for method, make in METHODS.items():
        rows = {ALONE: X, JOINT: X, LOGISTIC: words, FOREST: words}.get(method, categories)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            judged = judge(partial(make, rows), parted(rows, y, splits), CLIP)
        figures["methods"][method] = {
            "log_loss": judged.log_loss,
            "error": 1 - judged.accuracy,
            "seconds": judged.seconds,
            "answering": judged.answering,
        }
        print(f"{name:<12}{method:<26}{cell(figures['methods'][method])}", flush=True)
    return figures


def cell(figures: dict[str, float]) -> str:
    times = f"{figures['seconds']:.1f} s · {1000 * figures['answering']:.0f} ms"
    return f"{figures['log_loss']:.3f} · {figures['error']:.1%} · {times}"


def ratio(figures: dict[str, Any], method: str) -> float:
    """Return a method's log loss as a multiple of boosting's."""
    own, peer = (max(figures["methods"][name]["log_loss"], FLOOR) for name in (method, BOOSTING))
    return float(own / peer)


def page(rows: list[dict[str, Any]]) -> str:
    """Return the tables of the page; the least log loss of a line, of all methods, stands out."""
    parts = []
    for methods in TABLES:
        known = [method for method in methods if method in METHODS]
        head = ["log loss · errors · seconds to fit · to predict", *known]
        lines = [[f"{one['table']} ({one['rows']:,} × {one['columns']})", *_cells(one, known)] for one in rows]
        means = [float(np.exp(np.mean([np.log(ratio(one, name)) for one in rows]))) for name in known]
        errors = [float(np.mean([one["methods"][name]["error"] for one in rows])) for name in known]
        last = [["log loss relative to HistGradientBoosting", *(f"{one:.2f}" for one in means)]]
        parts.append(markdown(head, [*lines, *last, ["errors on average", *(f"{one:.1%}" for one in errors)]]))
    return f"{chr(10).join([parts[0], '', *parts[1:]])}\n\n{machine()}{_versions()}."


def _cells(one: dict[str, Any], methods: list[str]) -> list[str]:
    least = min(round(figures["log_loss"], 3) for figures in one["methods"].values())
    cells = [cell(one["methods"][method]) for method in methods]
    best = [round(one["methods"][method]["log_loss"], 3) == least for method in methods]
    return [f"**{text[:5]}**{text[5:]}" if mark else text for text, mark in zip(cells, best, strict=True)]


def _versions() -> str:
    named = {LIGHT: "lightgbm", BINS: "interpret-core"}
    return "".join(f", {package} {version(package)}" for method, package in named.items() if method in METHODS)


def main() -> int:
    names = [name for name in sys.argv[1:] if name != "--ebm"] or NAMES
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
