"""Count, for each class and threshold, the rows that are flagged and those of them that belong to the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.reporting.judged_rows import JudgedRows, share
from suffice.typing import Array, Booleans, Integers

__all__ = ["GRID", "Ranked", "Thresholds", "thresholds"]

TAIL = (1e-4, 1e-3, 2e-3, 5e-3)
GRID: Array = np.concatenate([TAIL, np.arange(1, 100) / 100, 1 - np.array(TAIL[::-1])])
"""The thresholds of the slider: one in a hundred, and more of them near 0 and 1."""

SHOWN = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""The thresholds of the table."""

CLASSES = 24


@dataclass(frozen=True)
class Ranked:
    """Hold how well the probability of a class ranks its rows above the others."""

    code: int
    name: str
    rows: int  # of the class
    others: int
    flagged: Integers  # rows with at least the probability, for each threshold of the grid
    found: Integers  # and of the class
    auc: float  # area under the ROC curve
    average_precision: float

    def line(self, threshold: float) -> dict[str, Any]:
        """Return the counts and figures at a threshold of the grid."""
        at = int(np.abs(GRID - threshold).argmin())
        flagged, found = int(self.flagged[at]), int(self.found[at])
        return {
            "threshold": threshold,
            "found": found,
            "false": flagged - found,
            "missed": self.rows - found,
            "passed": self.others - (flagged - found),
            "precision": share(found, flagged),
            "recall": share(found, self.rows),
            "flagged": flagged / (self.rows + self.others),
        }

    def lines(self) -> list[dict[str, Any]]:
        """Return a line for each threshold of the table."""
        return [self.line(threshold) for threshold in SHOWN]


@dataclass(frozen=True)
class Thresholds:
    """Hold the counts of each class, and the class that is shown first."""

    classes: list[Ranked]
    first: int  # its place in the list
    all: int  # classes that the model has

    @property
    def data(self) -> dict[str, Any]:
        """Return what the slider needs, in few bytes."""
        lines = [
            {"class": one.name, "code": one.code, "rows": one.rows, "others": one.others}
            | {"flagged": one.flagged.tolist(), "found": one.found.tolist()}
            | {"average_precision": f"{one.average_precision:.3f}"}
            for one in self.classes
        ]
        return {"grid": [float(f"{t:.6g}") for t in GRID], "classes": lines}


def thresholds(judged: JudgedRows) -> Thresholds | None:
    """Return the counts of all thresholds, one class against the rest; None if the rows are of one class.

    The second of two classes comes first, as in scikit-learn, and the rarest of several.
    """
    rows = np.bincount(judged.codes, minlength=len(judged.classes))
    codes = [c for c in np.argsort(-rows, kind="stable")[:CLASSES].tolist() if 0 < rows[c] < len(judged.codes)]
    if not codes:
        return None
    found = [_ranked(judged, c) for c in sorted(codes)]
    rarest = min(range(len(found)), key=lambda place: found[place].rows)
    return Thresholds(found, len(found) - 1 if len(judged.classes) == 2 else rarest, len(judged.classes))


def _ranked(judged: JudgedRows, code: int) -> Ranked:
    scores, own = judged.probabilities[:, code], judged.codes == code
    flagged, found = _at_least(scores), _at_least(scores[own])
    rows = int(own.sum())
    name = str(judged.classes[code])
    auc, average = _ranking(scores, own)
    return Ranked(code, name, rows, len(own) - rows, flagged, found, auc, average)


def _at_least(scores: Array) -> Integers:
    ordered = np.sort(scores)
    return np.asarray(len(ordered) - np.searchsorted(ordered, GRID, side="left"), np.int64)


def _ranking(scores: Array, own: Booleans) -> tuple[float, float]:
    """Return the area under the ROC curve, ties counted half, and the average precision."""
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.diff(scores[order], append=-np.inf))  # of rows with equal scores
    found, flagged = np.cumsum(own[order])[last], last + 1.0
    rows, others = float(own.sum()), float((~own).sum())
    recall, false = np.diff(found / rows, prepend=0.0), np.diff((flagged - found) / others, prepend=0.0)
    auc = float((false * (found / rows - recall / 2)).sum())
    return auc, float((recall * found / flagged).sum())
