"""Mark the mean and the mode of a belief by vertical lines with labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.plots.altair import GREY, altair, rows_of
from suffice.plots.axes import Ends
from suffice.plots.curves import Curved, mode_of

__all__ = ["marks"]

LETTER, GAP, LINE = 6.5, 4, 14
"""Pixels: the width of a letter, the distance of a label from its line, and the height of a line of text."""


def marks(now: Curved, ends: Ends, tall: float, width: int) -> list[Any]:
    """Draw vertical lines at the mean and the mode, with labels at the top that overlap neither axis nor each other.

    On the axis of a density with a heavy tail, the mean may lie beyond the right end: it has a label with an arrow.
    """
    alt = altair()
    mode, mean = mode_of(now), float(now.mean)
    found = {"mean": mean, **({} if mode is None or mode == mean else {"mode": mode})}
    words = {name: f"{name} {at:.3g}{' →' if at > ends[1] else ''}" for name, at in found.items() if np.isfinite(at)}
    at = {name: min(found[name], ends[1]) for name in words}
    layers = []
    for name, look in _looks(words, at, ends, width).items():
        base = alt.Chart(rows_of(x=[at[name]], density=[tall], name=[words[name]])).encode(x="x:Q")
        if found[name] <= ends[1]:
            layers.append(base.mark_rule(color=GREY, strokeDash=[1, 0] if name == "mean" else [4, 3]))
        text = base.mark_text(color=GREY, baseline="top", **look)
        layers.append(text.encode(y="density:Q", text="name:N"))
    return layers


def _looks(words: dict[str, str], at: dict[str, float], ends: Ends, width: int) -> dict[str, dict[str, Any]]:
    """Return the alignment of each label, on the side of its line that is away from the other line.

    Without enough room there, the label is on the other side, and past the other line if it would cross it: then one
    line lower.
    """
    names = sorted(words, key=lambda name: at[name])
    place = {name: width * (at[name] - ends[0]) / (ends[1] - ends[0]) for name in names}
    found = {}
    for name, other in zip(names, reversed(names), strict=True):
        long = GAP + LETTER * len(words[name])
        left = name == names[0] != names[-1]
        fits = long <= (place[name] if left else width - place[name])
        crosses = not fits and name != other and abs(place[other] - place[name]) < long
        side = -1 if left == fits else 1
        dx = side * GAP + (place[other] - place[name] if crosses else 0)
        found[name] = {"align": "right" if side < 0 else "left", "dx": dx, "dy": LINE if crosses else 0}
    return found
