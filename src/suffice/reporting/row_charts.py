"""Charts of judged rows as Vega-Lite specifications: how sure predictions are, and accuracy by training rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.plots.altair import altair
from suffice.reporting.charts import ACCENT, SIDE, data_of, spec_of
from suffice.reporting.judged_rows import JudgedRows

__all__ = ["confidences", "learning"]

STEPS = 20


def confidences(judged: JudgedRows, unit: str) -> dict[str, Any]:
    """Plot a histogram of the probability of the predicted class, correct rows below wrong ones."""
    alt, edges = altair(), np.linspace(0, 1, STEPS + 1)
    lines = [
        {"from": round(a, 2), "to": round(b, 2), "rows": int(n), "kind": kind, "place": int(kind == "wrong")}
        for kind, which in (("correct", judged.right), ("wrong", ~judged.right))
        for a, b, n in zip(edges, edges[1:], np.histogram(np.minimum(judged.sure[which], 1.0), edges)[0], strict=False)
        if n
    ]
    scale = alt.Scale(domain=[0, 1])
    title = "probability of the predicted class"
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
