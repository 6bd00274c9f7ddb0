"""Count, for each class and threshold, the rows that are flagged and those of them that belong to the class.

`sketch` lays out the small pictures of these counts that need no script: paths and bars in the coordinates of an SVG.
`page.js` draws the same pictures again when the reader moves the threshold; a test compares both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.reporting.judged_rows import JudgedRows, share
from suffice.typing import Array, Integers

TAIL = (1e-4, 1e-3, 2e-3, 5e-3)
GRID: Array = np.concatenate([TAIL, np.arange(1, 100) / 100, 1 - np.array(TAIL[::-1])])
"""The thresholds of the slider: one in a hundred, and more of them near 0 and 1."""

SHOWN = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""The thresholds of the table."""

CLASSES = 24

LEFT, WIDTH = 44.0, 300.0
TOP, HEIGHT = 12.0, 200.0  # of the precision-recall curve
MIDDLE, HALF = 62.0, 50.0  # of the histogram: rows of the class above, others below
COST_TOP, COST_HEIGHT = 140.0, 72.0
STEP = 0.05


@dataclass(frozen=True)
class Ranked:
    """How well the probability of a class ranks its rows above the others."""

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
        counts = {"found": found, "false": flagged - found, "missed": self.rows - found}
        counts["passed"] = self.others - counts["false"]
        shares = {"precision": share(found, flagged), "recall": share(found, self.rows)}
        return {"threshold": threshold, "flagged": flagged / (self.rows + self.others), **counts, **shares}

    def lines(self) -> list[dict[str, Any]]:
        """Return a line for each threshold of the table."""
        return [self.line(threshold) for threshold in SHOWN]


@dataclass(frozen=True)
class Thresholds:
    """The counts of each class, and the class that is shown first."""

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
    """Return the counts of a class, the area under its ROC curve, ties counted half, and its average precision."""
    scores, own = judged.probabilities[:, code], judged.codes == code
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.diff(scores[order], append=-np.inf))  # of rows with equal scores
    found, flagged = np.cumsum(own[order])[last], last + 1.0
    rows, others = int(own.sum()), int((~own).sum())
    recall, false = np.diff(found / rows, prepend=0.0), np.diff((flagged - found) / others, prepend=0.0)
    area = float((false * (found / rows - recall / 2)).sum()), float((recall * found / flagged).sum())
    counts = [np.asarray((one[:, None] >= GRID).sum(axis=0)) for one in (scores, scores[own])]
    return Ranked(code, str(judged.classes[code]), rows, others, counts[0], counts[1], *area)


def sketch(one: Ranked, threshold: float = 0.5) -> dict[str, Any]:
    """Return the pictures of one class: precision against recall, its probabilities, and the cost by threshold.

    The curve has a point for each threshold that flags a row, and the base is the precision of a guess. Bars, one in
    twenty, are shares of the rows of the class above, of the others below. The cost is that of wrong rows where both
    mistakes cost the same. The mark stands at a threshold.

    >>> one = Ranked(1, "yes", 2, 2, np.full(107, 2), np.full(107, 1), 0.5, 0.5)
    >>> sketch(one)["curve"][:18]
    'M194,112L194,112L1'
    """
    flagging = one.flagged > 0
    recall, precision = one.found[flagging] / one.rows, one.found[flagging] / one.flagged[flagging]
    places = [int(np.abs(GRID - STEP * k).argmin()) for k in range(1, 20)]
    own = -np.diff([one.rows, *one.found[places], 0]) / one.rows
    rest = -np.diff([one.others, *(one.flagged - one.found)[places], 0]) / one.others
    most, wrong = max(own.max(), rest.max()), one.flagged - 2 * one.found + one.rows
    now = one.line(threshold)
    height = TOP + HEIGHT * (1 - now["precision"]["share"])
    return {
        "curve": _path(LEFT + WIDTH * recall, TOP + HEIGHT * (1 - precision)),
        "base": _round(TOP + HEIGHT * (1 - one.rows / (one.rows + one.others))),
        "bars": [
            {"x": _round(LEFT + WIDTH * STEP * k), "up": _round(HALF * a / most), "down": _round(HALF * b / most)}
            for k, (a, b) in enumerate(zip(own, rest, strict=True))
        ],
        "cost": _path(LEFT + WIDTH * GRID, COST_TOP + COST_HEIGHT * (1 - wrong / max(1, wrong.max()))),
        "mark": {
            "x": _round(LEFT + WIDTH * threshold), "recall": _round(LEFT + WIDTH * now["recall"]["share"]),
            "y": _round(height) if height == height else -99.0,
        },
    }  # fmt: skip


def _path(x: Array, y: Array) -> str:
    return "M" + "L".join(f"{_round(a):g},{_round(b):g}" for a, b in zip(x, y, strict=True))


def _round(value: Any) -> float:
    return float(np.floor(10 * value + 0.5) / 10)  # as JavaScript's Math.round does
