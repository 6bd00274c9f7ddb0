"""Lay out the small pictures of a report that need no script: paths and bars in the coordinates of an SVG.

`page.js` draws the same pictures again when the reader moves the threshold; a test compares both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.reporting.thresholds import GRID, Ranked
from suffice.typing import Array

__all__ = ["Sketch"]

LEFT, WIDTH = 44.0, 300.0
TOP, HEIGHT = 12.0, 200.0  # of the precision-recall curve
MIDDLE, HALF = 62.0, 50.0  # of the histogram: rows of the class above, others below
COST_TOP, COST_HEIGHT = 140.0, 72.0
STEP = 0.05


class Sketch:
    """Lay out the pictures of one class: precision against recall, its probabilities, and the cost by threshold.

    >>> import numpy as np
    >>> one = Ranked(1, "yes", 2, 2, np.full(107, 2), np.full(107, 1), 0.5, 0.5)
    >>> Sketch(one).curve[:18]
    'M194,112L194,112L1'
    """

    def __init__(self, ranked: Ranked) -> None:
        self.ranked = ranked

    @property
    def curve(self) -> str:
        """Precision against recall, a point for each threshold that flags a row."""
        one = self.ranked
        some = one.flagged > 0
        recall, precision = one.found[some] / one.rows, one.found[some] / one.flagged[some]
        return _path(_x(recall), TOP + HEIGHT * (1 - precision))

    @property
    def base(self) -> float:
        """Height of the share of the class: the precision of a guess."""
        return _round(TOP + HEIGHT * (1 - self.ranked.rows / (self.ranked.rows + self.ranked.others)))

    @property
    def bars(self) -> list[dict[str, float]]:
        """Bars of probabilities, one in twenty: shares of the rows of the class above, of the others below."""
        one = self.ranked
        places = [int(np.abs(GRID - STEP * k).argmin()) for k in range(1, 20)]
        found = np.array([one.rows, *one.found[places], 0])
        false = np.array([one.others, *(one.flagged - one.found)[places], 0])
        own, rest = -np.diff(found) / one.rows, -np.diff(false) / one.others
        most = max(own.max(), rest.max())
        return [
            {"x": _round(LEFT + WIDTH * STEP * k), "up": _round(HALF * a / most), "down": _round(HALF * b / most)}
            for k, (a, b) in enumerate(zip(own, rest, strict=True))
        ]

    @property
    def cost(self) -> str:
        """Wrong rows by threshold, which is the cost where both mistakes cost the same."""
        one = self.ranked
        wrong = one.flagged - 2 * one.found + one.rows
        return _path(_x(GRID), COST_TOP + COST_HEIGHT * (1 - wrong / max(1, wrong.max())))

    def at(self, threshold: float) -> dict[str, Any]:
        """Return where the marks of a threshold stand."""
        line = self.ranked.line(threshold)
        precision = line["precision"]["share"]
        y = TOP + HEIGHT * (1 - precision) if precision == precision else -99.0
        return {"x": _round(LEFT + WIDTH * threshold), "recall": _round(_x(line["recall"]["share"])), "y": _round(y)}


def _x(share: Any) -> Any:
    return LEFT + WIDTH * share


def _path(x: Array, y: Array) -> str:
    points = [f"{_round(a):g},{_round(b):g}" for a, b in zip(x, y, strict=True)]
    return "M" + "L".join(points)


def _round(value: Any) -> float:
    return float(np.floor(10 * value + 0.5) / 10)  # as JavaScript's Math.round does
