"""Make the charts of a report as Vega-Lite specifications. Colours are CSS variables that the page defines."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from suffice.models.answers.explanation import Explanation
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.plots.altair import altair, cut
from suffice.plots.lift_map import axis_of, colours_of, heat_map, reach_of, tables_of
from suffice.plots.waterfall import steps
from suffice.reporting.colours import colour_of
from suffice.reporting.column_views import ColumnView
from suffice.reporting.joint_views import JointView
from suffice.reporting.judged_rows import LEVEL, JudgedRows

__all__ = [
    "CONFIG", "accuracy", "by_column", "data_of", "informative", "posterior", "spec_of", "spikes",
    "together", "waterfall",
]  # fmt: skip

INK, MUTED, LINE, ACCENT = "var(--ink)", "var(--muted)", "var(--line)", "var(--accent)"
SIDE = 42
"""Width of the labels of an axis, in pixels, so that two charts stand exactly one above the other."""

FONT = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
SPIKES = 300
NAME, LONG = 22, 30
WRITTEN = 8
LETTER, GAP = 7, 8
ACROSS = 210
"""The least width of the cells of a heat map, and of a letter and a gap under it, in pixels: on a phone."""

TURNED = 20
"""The least width of a cell whose label is written aslant; those of narrower ones are upright."""

WEIGHT = 44
"""Width of the number beside a bar of a waterfall, in pixels."""


CONFIG: dict[str, Any] = {
    "background": "transparent",
    "aria": False,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED, "titleColor": MUTED, "gridColor": LINE, "domainColor": LINE, "tickColor": LINE,
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 190, "titlePadding": 8,
    },
    "legend": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "symbolType": "circle", "orient": "top"},
    "text": {"color": INK, "fontSize": 12},
}  # fmt: skip


def spec_of(chart: Any, height: Any) -> dict[str, Any]:
    """Return the specification of a chart that is as wide as its place."""
    spec: dict[str, Any] = chart.properties(width="container", height=height).to_dict()
    spec.pop("config", None)
    return {**spec, "autosize": {"type": "fit-x", "contains": "padding"}}


def data_of(lines: list[dict[str, Any]]) -> Any:
    """Return lines as the data of a chart."""
    return altair().Data(values=lines)


def _classes(names: list[str], codes: list[int], fill: bool = False) -> Any:
    alt = altair()
    scale = alt.Scale(domain=names, range=[colour_of(code) for code in codes])
    return (alt.Fill if fill else alt.Color)("class:N", scale=scale, legend=None)


def accuracy(judged: JudgedRows) -> dict[str, Any]:
    """Plot the accuracy of each class with its interval, and the overall accuracy as a rule."""
    alt, lines = altair(), judged.class_lines
    colour = _classes([line["class"] for line in lines], [line["code"] for line in lines])
    low = max(0.0, min(line["low"] for line in lines) - 0.02)
    scale = alt.Scale(domain=[min(low, 0.9), 1.0], nice=False, zero=False)
    axis = alt.Axis(format="~%", tickCount=5, title="recall")
    x = alt.X("share:Q", scale=scale, axis=axis)
    y = alt.Y(
        "class:N", sort=None, title=None, axis=alt.Axis(domain=False, ticks=False, labelColor=INK, labelPadding=8)
    )
    shown = [{name: value for name, value in line.items() if name != "precision"} for line in lines]
    tooltip = [
        alt.Tooltip("class:N", title="class"), alt.Tooltip("share:Q", format=".1%", title="right"),
        alt.Tooltip("low:Q", format=".1%", title="at least"), alt.Tooltip("high:Q", format=".1%", title="at most"),
        alt.Tooltip("rows:Q", format=",", title="rows"),
    ]  # fmt: skip
    base = alt.Chart(data_of(shown)).encode(y=y, color=colour, tooltip=tooltip)
    span = base.mark_rule(strokeWidth=5, opacity=0.35, strokeCap="round").encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    dots = base.mark_circle(size=90, opacity=1).encode(x=x)
    every = alt.Chart(data_of([{"all": judged.accuracy}])).mark_rule(color=MUTED, strokeDash=[3, 3])
    return spec_of(alt.layer(every.encode(x=alt.X("all:Q", scale=scale, axis=axis)), span, dots), 26 * len(lines))


def shown_words(words: FeatureBelief, pair: tuple[int, int]) -> Any:
    """Return the words that are most probable in either of two classes, in the order of the vocabulary."""
    best = np.union1d(words.most(pair[0], SPIKES), words.most(pair[1], SPIKES))
    mean = words.mean(best)[list(pair)].max(axis=0)
    return np.sort(best[np.argsort(-mean, kind="stable")[:SPIKES]])


def spikes(words: FeatureBelief, pair: tuple[int, int], names: list[str]) -> list[dict[str, Any]]:
    """Plot the probabilities of words as spikes, one chart for each of two classes, on the same scales."""
    alt, which = altair(), shown_words(words, pair)
    mean = words.mean(which)
    low, high = words.ends(which) if words.sure else (None, None)
    top = float(mean[list(pair)].max()) * 1.08
    specs = []
    for c in pair:
        named = _apart(mean[c])
        lines = []
        for i, j in enumerate(which.tolist()):
            line = {"place": i, "word": str(words.names[j]), "theta": _short(mean[c, i])}
            if low is not None and high is not None:
                line |= {"low": _short(low[c, i]), "high": _short(high[c, i])}
            lines.append({**line, "label": cut(words.names[j], 14) if i in named else ""})
        specs.append(_spikes(alt, lines, colour_of(c), top, f"{cut(names[c], NAME)}: {words.meaning}", low is not None))
    return specs


def _apart(heights: Any) -> set[int]:
    """Return the highest spikes whose names do not overlap."""
    found: list[int] = []
    for i in np.argsort(-heights, kind="stable").tolist():
        if len(found) < 8 and all(abs(i - other) >= len(heights) * 0.075 for other in found):
            found.append(i)
    return set(found)


def _spikes(alt: Any, lines: list[dict[str, Any]], colour: str, top: float, title: str, sure: bool) -> dict[str, Any]:
    x = alt.X("place:Q", scale=alt.Scale(domain=[-2, len(lines) + 1], nice=False), axis=None)
    axis = alt.Axis(
        tickCount=4, format="~g", title=title, titleAlign="left", titleAngle=0, titleAnchor="start", titleX=2,
        titleY=-12, titleColor=colour, titleFontWeight="bold",
    )  # fmt: skip
    y = alt.Y("theta:Q", scale=alt.Scale(domain=[0, top], nice=False), axis=axis)
    tooltip = [alt.Tooltip("word:N", title="word"), alt.Tooltip("theta:Q", title="posterior mean")]
    if sure:
        tooltip += [alt.Tooltip("low:Q", title="at least (95 %)"), alt.Tooltip("high:Q", title="at most")]
    base = alt.Chart(data_of(lines)).encode(x=x)
    spike = base.mark_bar(color=colour, size=2).encode(y=y)
    touch = base.mark_bar(opacity=0, size=9).encode(y=alt.datum(top), tooltip=tooltip)
    label = base.mark_text(dy=-6, fontSize=11, color=INK).encode(y=y, text="label:N")
    return spec_of(alt.layer(spike, label, touch), 150)


def posterior(names: list[str], pair: tuple[int, int], meaning: str) -> dict[str, Any]:
    """Plot the posterior of the word that the reader chooses on the page."""
    alt = altair()
    colour = _classes([names[c] for c in pair], list(pair))
    axis = alt.Axis(tickCount=5, format="~g", labelBound=True)
    base = alt.Chart(alt.NamedData(name="curve")).encode(
        x=alt.X("x:Q", title=meaning, scale=alt.Scale(zero=False, nice=False), axis=axis),
        y=alt.Y("density:Q", axis=None),
    )
    fill = _classes([names[c] for c in pair], list(pair), True)
    area = base.mark_area(opacity=0.18).encode(y=alt.Y("density:Q", stack=None, axis=None), fill=fill)
    return spec_of(alt.layer(area, base.mark_line(strokeWidth=2).encode(color=colour)), 150)


def by_column(view: ColumnView, codes: dict[str, int]) -> dict[str, Any]:
    """Plot the distribution of a column in each class: curves for numbers, dots with intervals for values."""
    alt = altair()
    names = list(dict.fromkeys(line["class"] for line in view.lines))
    colour = _classes(names, [codes[name] for name in names])
    base = alt.Chart(data_of(view.lines))
    if view.shape == "dots":
        return _dots(alt, base.encode(color=colour), len(view.lines) // max(1, len(names)))
    axis = alt.Axis(title=None, tickCount=5, grid=False, **({"format": "~s"} if _wide(view) else {}))
    x = alt.X("x:Q", scale=alt.Scale(zero=False, nice=False), axis=axis)
    y = alt.Y("density:Q", axis=None, stack=None)
    tooltip = [alt.Tooltip("class:N", title="class"), alt.Tooltip("tooltip:N", title=" ")]
    fill = _classes(names, [codes[name] for name in names], True)
    if view.shape == "counts":
        line = base.mark_line(point={"filled": True, "size": 24}, strokeWidth=1.5)
        return spec_of(line.encode(x=x, y=y, color=colour, tooltip=tooltip), 130)
    area = base.mark_area(opacity=0.14).encode(x=x, y=y, fill=fill, tooltip=tooltip)
    line = base.mark_line(strokeWidth=2).encode(x=x, y=alt.Y("density:Q", axis=None), color=colour, tooltip=tooltip)
    return spec_of(alt.layer(area, line), 130)


def together(view: JointView, classes: list[int]) -> list[dict[str, Any]]:
    """Plot the lift of joint values of two columns over independence, one chart per class on the same colour scale."""
    alt, (found, names) = altair(), view.table()
    tables = tables_of(found, LEVEL)[:, classes]
    reach, values = reach_of(tables), tuple(tuple(map(_brief, named)) for named in found.values)
    colour = alt.Color("power:Q", scale=colours_of(alt, reach), legend=None)
    axes = (
        axis_of("y", values[0], names[0], labelLimit=124),
        axis_of("x", values[1], names[1], labelLimit=90, **_turned(values[1])),
    )
    written = len(found.values[1]) <= WRITTEN
    cells = [
        heat_map(one, values, names, reach, axes, colour, written, (INK, "white", "var(--on-more)"))
        for one in tables.swapaxes(0, 1)
    ]
    return [spec_of(one, (26 if len(found.values[0]) <= 12 else 19) * len(found.values[0])) for one in cells]


def _turned(names: tuple[str, ...]) -> dict[str, Any]:
    """Return the angle of the labels of cells on a phone, so that none overlaps another."""
    step = ACROSS / len(names)
    if max(map(len, names)) * LETTER + GAP <= step:
        return {"angle": 0}
    return {"angle": -40} if step >= TURNED else {"angle": -90, "labelOverlap": "greedy", "labelFontSize": 11}


def _wide(view: ColumnView) -> bool:
    return max((abs(line["x"]) for line in view.lines), default=0.0) >= 1e4


def _dots(alt: Any, base: Any, values: int) -> dict[str, Any]:
    axis = alt.Axis(domain=False, ticks=False, labelColor=INK, labelLimit=120, labelPadding=10, grid=True)
    y = alt.Y("value:N", sort=None, title=None, axis=axis)
    x = alt.X("share:Q", title=None, axis=alt.Axis(format="~%", tickCount=4, grid=False), scale=alt.Scale(domainMin=0))
    tooltip = [
        alt.Tooltip("value:N", title="value"), alt.Tooltip("class:N", title="class"),
        alt.Tooltip("share:Q", format=".2~%", title="probability"),
        alt.Tooltip("low:Q", format=".2~%", title="at least (95 %)"),
        alt.Tooltip("high:Q", format=".2~%", title="at most"),
    ]  # fmt: skip
    base = base.encode(y=y, tooltip=tooltip)
    span = base.mark_rule(strokeWidth=4, opacity=0.3, strokeCap="round").encode(
        x=alt.X("low:Q", title=None), x2="high:Q"
    )
    return spec_of(alt.layer(span, base.mark_circle(size=60, opacity=1).encode(x=x)), 22 * values)


def informative(ranked: list[dict[str, Any]], colours: bool) -> dict[str, Any]:
    """Plot the information of each feature as a bar."""
    alt = altair()
    lines = [{**line, "name": cut(line["feature"], NAME), "place": i} for i, line in enumerate(ranked)]
    axis = alt.Axis(domain=False, ticks=False, labelColor=INK, labelExpr="datum.label", labelPadding=6)
    y = alt.Y("feature:N", sort=None, title=None, axis=axis)
    x = alt.X("bits:Q", title="bits about the class", axis=alt.Axis(tickCount=5, format="~g"))
    tooltip = [
        alt.Tooltip("feature:N", title="feature"), alt.Tooltip("bits:Q", format=".3~g", title="bits"),
        alt.Tooltip("tooltip:N", title=" "),
    ]  # fmt: skip
    colour: Any = alt.value(ACCENT)
    if colours:
        codes = sorted({line["code"] for line in lines})
        scale = alt.Scale(domain=codes, range=[colour_of(code) for code in codes])
        colour = alt.Color("code:N", scale=scale, legend=None)
    bars = (
        alt.Chart(data_of(lines)).mark_bar(cornerRadiusEnd=2, height=9).encode(x=x, y=y, color=colour, tooltip=tooltip)
    )
    return spec_of(bars, 19 * len(lines))


def waterfall(why: Explanation, codes: tuple[int, int], values: bool, most: int = 12) -> dict[str, Any]:
    """Plot the steps from the prior log-odds to the posterior log-odds, in the colours of the two classes."""
    alt, rows = altair(), steps(why, most)
    for row in rows:
        own = str(row["value"]).split(", ")[0] if values and row["kind"] in ("for", "against") else ""
        name = f"{row['name']}: {own}" if own else row["name"]
        row["axis"] = f"{row['place']:03d}|{cut(name, LONG)}"
        row["side"] = "prior" if row["kind"] == "prior" else "for" if row["end"] >= row["start"] else "against"
    y = alt.Y("axis:N", sort=None, title=None)
    y.axis = alt.Axis(labelExpr="slice(datum.label, 4)", domain=False, ticks=False, labelColor=INK, labelPadding=8)
    y.scale = alt.Scale(paddingInner=0.3)
    ends = [row[side] for row in rows for side in ("start", "end")]
    low, high = min(ends), max(ends)
    room = 0.05 * (high - low or 1.0)
    scale = alt.Scale(domain=[low - room, high], nice=False, range=[0, alt.ExprRef(f"width - {WEIGHT}")])
    x = alt.X("start:Q", scale=scale)
    title = f"← {cut(why.against, 18)} · log-odds · {cut(why.target, 18)} →"
    x.axis = alt.Axis(title=title, tickCount=5, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+~g')")
    scale = alt.Scale(domain=["for", "against", "prior"], range=[*map(colour_of, codes), MUTED])
    colour = alt.Color("side:N", legend=None, scale=scale)
    opacity = alt.condition("datum.kind == 'total'", alt.value(1.0), alt.value(0.72))
    tooltip = [
        alt.Tooltip("feature:N"), alt.Tooltip("in words:N"), alt.Tooltip("log_odds:Q", format="+.3f", title="log-odds"),
    ]  # fmt: skip
    base = alt.Chart(data_of(rows)).encode(y=y)
    bars = base.mark_bar(cornerRadius=1).encode(x=x, x2="end:Q", color=colour, opacity=opacity, tooltip=tooltip)
    zero = alt.Chart(data_of([{"zero": 0}])).mark_rule(color=MUTED).encode(x="zero:Q")
    labels = base.mark_text(align="left", dx=5, fontSize=11, color=MUTED).encode(x=alt.X("right:Q"), text="label:N")
    return spec_of(alt.layer(zero, bars, labels), 22 * len(rows))


def _brief(value: str) -> str:
    """Return a value with its numbers at four digits: the ends of a bin have many."""
    return re.sub(r"\d+\.\d{2,}", lambda found: f"{float(found[0]):.4g}", value)


def _short(x: Any) -> float:
    return float(f"{float(x):.4g}")
