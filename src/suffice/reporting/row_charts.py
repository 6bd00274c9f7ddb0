"""Make the charts of judged rows as Vega-Lite specifications: calibration, confidence and the learning curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.plots.altair import altair, cut
from suffice.reporting.charts import ACCENT, MUTED, SIDE, data_of, spec_of
from suffice.reporting.judged_rows import JudgedRows

__all__ = ["confidences", "learning", "reliability"]

STEPS = 20


def reliability(judged: JudgedRows) -> dict[str, Any]:
    """Plot the share of a class, or accuracy, against its probability, with the interval of each bin and the diagonal.

    The class is the second of two; of more classes, it is the predicted one.
    """
    alt, bins = altair(), judged.bins
    name = None if judged.scored is None else cut(judged.classes[judged.scored], 30)
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("confidence:Q", scale=scale, title=None, axis=alt.Axis(format="%", tickCount=5))
    title = "accuracy" if name is None else f"share of {name}"
    y = alt.Y("share:Q", scale=scale, title=title, axis=alt.Axis(format="%", tickCount=5, minExtent=SIDE))
    tooltip = [
        alt.Tooltip("confidence:Q", format=".1%", title="probability"),
        alt.Tooltip("share:Q", format=".1%", title="right" if name is None else "share"),
        alt.Tooltip("low:Q", format=".1%", title="at least"), alt.Tooltip("high:Q", format=".1%", title="at most"),
        alt.Tooltip("rows:Q", format=",", title="rows"),
    ]  # fmt: skip
    ends = [{"confidence": 0, "share": 0}, {"confidence": 1, "share": 1}]
    honest = alt.Chart(data_of(ends)).mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y)
    base = alt.Chart(data_of(list(bins))).encode(x=x, tooltip=tooltip)
    span = base.mark_rule(color=ACCENT, strokeWidth=4, opacity=0.3, strokeCap="round").encode(y="low:Q", y2="high:Q")
    size = alt.Size("rows:Q", scale=alt.Scale(domain=[0, max(b["rows"] for b in bins)], range=[30, 420]), legend=None)
    dots = base.mark_circle(color=ACCENT, opacity=0.9).encode(y=y, size=size)
    return spec_of(alt.layer(honest, span, base.mark_line(color=ACCENT, strokeWidth=1).encode(y=y), dots), 340)


def confidences(judged: JudgedRows, unit: str) -> dict[str, Any]:
    """Plot a histogram of the probability that is calibrated, correctly predicted rows below wrong ones."""
    alt, edges, scores = altair(), np.linspace(0, 1, STEPS + 1), judged.scores
    lines = [
        {"from": round(a, 2), "to": round(b, 2), "rows": int(n), "kind": kind, "place": int(kind == "wrong")}
        for kind, which in (("correct", judged.correct), ("wrong", ~judged.correct))
        for a, b, n in zip(edges, edges[1:], np.histogram(scores[which], edges)[0], strict=False)
        if n
    ]
    scale = alt.Scale(domain=[0, 1])
    title = f"probability of {cut(judged.scored_name, 30)}"
    x = alt.X(
        "from:Q", bin="binned", scale=scale, title=title, axis=alt.Axis(format="%", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    )
    y = alt.Y("rows:Q", stack="zero", title=unit, axis=alt.Axis(format="~s", tickCount=3, minExtent=SIDE))
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=["correct", "wrong"], range=[ACCENT, "var(--wrong)"]), legend=None
    )
    tooltip = [
        alt.Tooltip("kind:N", title=f"{unit} that are"), alt.Tooltip("rows:Q", format=",", title=unit),
        alt.Tooltip("from:Q", format=".0%", title="from"), alt.Tooltip("to:Q", format=".0%", title="to"),
    ]  # fmt: skip
    order = alt.Order("place:Q")
    bars = alt.Chart(data_of(lines)).mark_bar(binSpacing=1)
    return spec_of(bars.encode(x=x, x2="to:Q", y=y, color=colour, order=order, tooltip=tooltip), 90)


def learning(curve: list[dict[str, float]], unit: str) -> dict[str, Any]:
    """Plot accuracy by the number of rows learned, with its interval."""
    alt = altair()
    x = alt.X("rows:Q", scale=alt.Scale(type="log", nice=False), title=f"{unit} learned")
    x.axis = alt.Axis(values=[point["rows"] for point in curve], format=",", grid=False, labelOverlap="greedy")
    low = max(0.0, min(point["low"] for point in curve) - 0.02)
    scale = alt.Scale(domain=[low, min(1.0, max(point["high"] for point in curve) + 0.02)], nice=True)
    y = alt.Y("share:Q", scale=scale, title="accuracy on rows not learned", axis=alt.Axis(format="%", tickCount=5))
    tooltip = [
        alt.Tooltip("rows:Q", format=",", title="learned"), alt.Tooltip("share:Q", format=".1%", title="right"),
        alt.Tooltip("low:Q", format=".1%", title="at least"), alt.Tooltip("high:Q", format=".1%", title="at most"),
    ]  # fmt: skip
    base = alt.Chart(data_of(list(curve))).encode(x=x, tooltip=tooltip)
    band = base.mark_area(color=ACCENT, opacity=0.15).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q")
    line = base.mark_line(color=ACCENT, strokeWidth=2, point={"color": ACCENT, "size": 50, "filled": True})
    return spec_of(alt.layer(band, line.encode(y=y)), 280)
