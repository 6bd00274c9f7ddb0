"""How the temper of EM with few labels was chosen for tables: labels alone, single counts left out, halves (SX-14).

Rows are drawn from the training parts of tables: of each class the same number with labels, and the others of four
fifths without. A fifth judges; none of its rows is learned. See `few_texts.py --temper` for texts.

    python benchmarks/few_rows.py [--draws 5] [table ...]
"""

import argparse
import sys
import warnings
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from few_texts import HALVES, Found, cell, draw, table
from joint_defaults import settled, training_part
from judging import judge
from side_by_side import keep
from sklearn.model_selection import StratifiedKFold

import suffice as sf

NAMES = "adult", "car", "ionosphere", "mushroom", "penguins", "titanic", "votes", "vowel"
PER_CLASS = 3, 10
MOST = 4000
"""Rows of a table at most."""


class Few:
    """A table classifier of few labels, with the rows that have none or without them, and with changed constants."""

    def __init__(self, inner: Any, free: Any = None, *changes: tuple[str, str, Any]) -> None:
        self.inner, self.free, self.changes = inner, free, [*changes]

    def fit(self, X: Any, y: Any) -> None:
        with settled(self.changes):
            if self.free is None:
                self.model: Any = self.inner.fit(X, y)
            else:
                self.model = sf.SemiSupervised(self.inner).fit(X, y, unlabelled=self.free)
        self.classes_ = self.model.classes_

    def predict_log_proba(self, X: Any) -> Any:
        return self.model.predict_log_proba(X)


def of_table(name: str, draws: int) -> dict[str, Found]:
    """Return what the ways to choose a temper come to."""
    part = training_part(name)
    if part is None:
        return {}
    few = np.random.default_rng(0).permutation(len(part[1]))[:MOST]
    X, y = part[0].iloc[few].reset_index(drop=True), np.asarray(part[1])[few].astype(str)
    labels, counts = np.unique(y, return_counts=True)
    rows = np.flatnonzero(np.isin(y, labels[counts >= 2 * max(PER_CLASS)]))
    learned, judging = next(StratifiedKFold(5, shuffle=True, random_state=0).split(rows, y[rows]))
    learned, judging = rows[learned], rows[judging]
    out: dict[str, Found] = {}
    for per_class in PER_CLASS:
        found: Found = {}
        for seed in range(draws):
            known, free = (learned[at] for at in draw(y[learned], per_class, seed))
            ways = {
                "alone": Few(sf.NaiveBayes()),
                "EM, leaving out": Few(sf.NaiveBayes(), X.iloc[free], (*HALVES, 0)),
                "EM, halves": Few(sf.NaiveBayes(), X.iloc[free]),
            }
            parts = [((X.iloc[known], y[known]), (X.iloc[judging], y[judging]))]
            for way, model in ways.items():
                found.setdefault(way, []).append(judge(partial(copy, model), parts, clip=1e-15))
        out[f"{name}, {per_class} a class"] = found
        print(name, per_class, {way: cell(each) for way, each in found.items()}, flush=True)
    return out


def main() -> int:
    given = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    given.add_argument("--draws", type=int, default=5, help="draws of the rows with labels")
    given.add_argument("names", nargs="*", choices=[[], *NAMES], help="tables; all if none is named")
    asked = given.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Found] = {}
    for name in asked.names or NAMES:
        found |= of_table(name, asked.draws)
    if not found:
        print("No table is here: SUFFICE_DATA names their folder.")
        return 0
    print(table(found))
    kept = {at: {way: [[o.accuracy, o.log_loss] for o in each] for way, each in w.items()} for at, w in found.items()}
    keep("few_rows", kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
