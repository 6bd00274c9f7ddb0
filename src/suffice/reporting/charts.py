"""Make the charts of a report as Vega-Lite specifications. Colours are CSS variables that the page defines.

Each class has one colour in all charts, with a value for light pages and one for dark pages.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from suffice.models.answers.explanation import Explanation
from suffice.models.likelihoods.pictures import FeatureBelief
from suffice.plots import lift_map
from suffice.plots.altair import alt
from suffice.plots.elements import cut, fixed
from suffice.plots.features import ends_of, steps, steps_drawn, word_lines
from suffice.reporting.column_views import ColumnView, JointView
from suffice.reporting.judged_rows import LEVEL, JudgedRows
from suffice.typing import Integers

LIGHT = ("#1f7a6d", "#c2532f", "#4b5fb8", "#a67c00", "#9c3f78", "#2d7fb0", "#5f7f24", "#8a5a3c", "#6a4fa3", "#5f6b76")
DARK = ("#4fc3ae", "#f08a63", "#93a4f4", "#dcb13c", "#e58cbf", "#6fbfee", "#a6c961", "#cf9c79", "#b49bea", "#a9b4bf")
GOLDEN = 137.508
INK, MUTED, LINE, ACCENT = "var(--ink)", "var(--muted)", "var(--line)", "var(--accent)"
SIDE = 42
"""Width of the labels of an axis, in pixels, so that two charts stand exactly one above the other."""

FONT = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
STEPS = 20
NAME, LONG = 22, 30
WRITTEN = 8
LETTER, GAP = 7, 8
ACROSS = 210
"""The least width of the cells of a heat map, and of a letter and a gap under it, in pixels: on a phone."""

TURNED = 20
"""The least width of a cell whose label is written aslant; those of narrower ones are upright."""

WEIGHT = 44
"""Width of the number beside a bar of a waterfall, in pixels."""

BOUNDS = ("low:Q", "at least", ".1%"), ("high:Q", "at most", ".1%")
"""The ends of an interval, where the mouse is."""

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


def colour_of(code: int) -> str:
    """Return the CSS variable of the colour of a class."""
    return f"var(--k{code})"


def style_of(classes: int) -> tuple[str, str]:
    """Return the CSS declarations of the colours, for light and dark pages."""

    def declared(known: tuple[str, ...], light: int) -> str:
        more = [f"hsl({c * GOLDEN % 360:.0f} {45 + 10 * (c % 3)}% {light}%)" for c in range(len(known), classes)]
        return "".join(f"--k{c}:{value};" for c, value in enumerate([*known, *more][:classes]))

    return declared(LIGHT, 38), declared(DARK, 68)


def spec_of(chart: Any, height: Any) -> dict[str, Any]:
    """Return the specification of a chart that is as wide as its place."""
    spec: dict[str, Any] = chart.properties(width="container", height=height).to_dict()
    spec.pop("config", None)
    return {**spec, "autosize": {"type": "fit-x", "contains": "padding"}}


def _chart(lines: list[dict[str, Any]]) -> Any:
    return alt.Chart(alt.Data(values=lines))


def _tips(*fields: tuple[str, str, str]) -> list[Any]:
    """Return what is shown where the mouse is: fields with their titles, and formats of numbers."""
    return [alt.Tooltip(name, title=title, **({"format": form} if form else {})) for name, title, form in fields]


def _words_axis(**more: Any) -> Any:
    return alt.Axis(**{"domain": False, "ticks": False, "labelColor": INK, "labelPadding": 8, **more})


def _of_classes(codes: dict[str, int], fill: bool = False) -> Any:
    """Return the colours of classes, without a legend."""
    scale = alt.Scale(domain=[*codes], range=[*map(colour_of, codes.values())])
    return (alt.Fill if fill else alt.Color)("class:N", scale=scale, legend=None)


def accuracy(judged: JudgedRows) -> dict[str, Any]:
    """Plot the accuracy of each class with its interval, and the overall accuracy as a rule."""
    lines = judged.class_lines
    low = max(0.0, min(line["low"] for line in lines) - 0.02)
    scale, axis = fixed(min(low, 0.9), 1.0), alt.Axis(format="~%", tickCount=5, title="recall")
    shown = [{name: value for name, value in line.items() if name != "precision"} for line in lines]
    base = _chart(shown).encode(
        y=alt.Y("class:N", sort=None, title=None, axis=_words_axis()),
        color=_of_classes({line["class"]: line["code"] for line in lines}),
        tooltip=_tips(("class:N", "class", ""), ("share:Q", "right", ".1%"), *BOUNDS, ("rows:Q", "rows", ",")),
    )
    x = {name: alt.X(f"{name}:Q", scale=scale, axis=axis) for name in ("share", "low", "all")}
    span = base.mark_rule(strokeWidth=5, opacity=0.35, strokeCap="round").encode(x=x["low"], x2="high:Q")
    dots = base.mark_circle(size=90, opacity=1).encode(x=x["share"])
    every = _chart([{"all": judged.accuracy}]).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x=x["all"])
    return spec_of(alt.layer(every, span, dots), 26 * len(lines))


def spikes(words: FeatureBelief, which: Integers, pair: tuple[int, int], names: list[str]) -> list[dict[str, Any]]:
    """Plot the probabilities of words as spikes, one chart for each of two classes, on the same scales."""
    tables = [word_lines(words, c, which, LEVEL) for c in pair]
    top = max(line["mean"] for lines in tables for line in lines) * 1.08
    fields = [("word:N", "word", ""), ("mean:Q", "posterior mean", "")]
    fields += [("low:Q", "at least (95 %)", ""), ("high:Q", "at most", "")] if words.sure else []
    specs = []
    for c, lines in zip(pair, tables, strict=True):
        labels: dict[int, str] = {}  # of the highest spikes, as many as do not overlap
        for i in np.argsort([-line["mean"] for line in lines], kind="stable").tolist():
            if len(labels) < 8 and all(abs(i - other) >= len(lines) * 0.075 for other in labels):
                labels[i] = cut(lines[i]["word"], 14)
        rows = [{**line, "place": i, "label": labels.get(i, "")} for i, line in enumerate(lines)]
        axis = alt.Axis(
            tickCount=4, format="~g", title=f"{cut(names[c], NAME)}: {words.meaning}", titleAlign="left", titleAngle=0,
            titleAnchor="start", titleX=2, titleY=-12, titleColor=colour_of(c), titleFontWeight="bold",
        )  # fmt: skip
        y = alt.Y("mean:Q", scale=fixed(0, top), axis=axis)
        base = _chart(rows).encode(x=alt.X("place:Q", scale=fixed(-2, len(lines) + 1), axis=None))
        spike = base.mark_bar(color=colour_of(c), size=2).encode(y=y)
        label = base.mark_text(dy=-6, fontSize=11, color=INK).encode(y=y, text="label:N")
        touch = base.mark_bar(opacity=0, size=9).encode(y=alt.datum(top), tooltip=_tips(*fields))
        specs.append(spec_of(alt.layer(spike, label, touch), 150))
    return specs


def posterior(codes: dict[str, int], meaning: str) -> dict[str, Any]:
    """Plot the posterior of the word that the reader chooses on the page."""
    axis = alt.Axis(tickCount=5, format="~g", labelBound=True)
    x = alt.X("x:Q", title=meaning, scale=alt.Scale(zero=False, nice=False), axis=axis)
    return _curves(alt.Chart(alt.NamedData(name="curve")).encode(x=x), codes, 0.18, 150)


def _curves(base: Any, codes: dict[str, int], opacity: float, height: int) -> dict[str, Any]:
    """Draw a curve for each class, and the area below it."""
    y = alt.Y("density:Q", stack=None, axis=None)
    area = base.mark_area(opacity=opacity).encode(y=y, fill=_of_classes(codes, True))
    line = base.mark_line(strokeWidth=2).encode(y=alt.Y("density:Q", axis=None), color=_of_classes(codes))
    return spec_of(alt.layer(area, line), height)


def by_column(view: ColumnView, codes: dict[str, int]) -> dict[str, Any]:
    """Plot the distribution of a column in each class: curves for numbers, dots with intervals for values."""
    codes = {name: codes[name] for name in dict.fromkeys(line["class"] for line in view.lines)}
    if view.shape == "dots":
        form, values = ".2~%", len(view.lines) // max(1, len(codes))
        ends = ("low:Q", "at least (95 %)", form), ("high:Q", "at most", form)
        base = _chart(view.lines).encode(
            y=alt.Y("value:N", sort=None, title=None, axis=_words_axis(labelLimit=120, labelPadding=10, grid=True)),
            color=_of_classes(codes),
            tooltip=_tips(("value:N", "value", ""), ("class:N", "class", ""), ("share:Q", "probability", form), *ends),
        )
        span = base.mark_rule(strokeWidth=4, opacity=0.3, strokeCap="round")
        axis = alt.Axis(format="~%", tickCount=4, grid=False)
        x = alt.X("share:Q", title=None, axis=axis, scale=alt.Scale(domainMin=0))
        dots = base.mark_circle(size=60, opacity=1).encode(x=x)
        return spec_of(alt.layer(span.encode(x=alt.X("low:Q", title=None), x2="high:Q"), dots), 22 * values)
    wide = max((abs(line["x"]) for line in view.lines), default=0.0) >= 1e4
    axis = alt.Axis(title=None, tickCount=5, grid=False, **({"format": "~s"} if wide else {}))
    x = alt.X("x:Q", scale=alt.Scale(zero=False, nice=False), axis=axis)
    base = _chart(view.lines).encode(x=x, tooltip=_tips(("class:N", "class", ""), ("tooltip:N", " ", "")))
    if view.shape == "curve":
        return _curves(base, codes, 0.14, 130)
    line = base.mark_line(point={"filled": True, "size": 24}, strokeWidth=1.5)
    return spec_of(line.encode(y=alt.Y("density:Q", axis=None, stack=None), color=_of_classes(codes)), 130)


def together(view: JointView, classes: list[int]) -> list[dict[str, Any]]:
    """Plot the lift of joint values of two columns over independence, one chart per class on the same colour scale."""
    lifts, names = view.table()
    tables = lift_map.tables_of(lifts, LEVEL)[:, classes]
    # The ends of a bin have many digits.
    down, across = (
        tuple(re.sub(r"\d+\.\d{2,}", lambda x: f"{float(x[0]):.4g}", value) for value in part) for part in lifts.values
    )
    reach, step = lift_map.reach_of(tables), ACROSS / len(across)
    turned: dict[str, Any] = {"angle": -90, "labelOverlap": "greedy", "labelFontSize": 11}  # none overlaps on a phone
    if max(map(len, across)) * LETTER + GAP <= step:
        turned = {"angle": 0}
    elif step >= TURNED:
        turned = {"angle": -40}
    axes = (
        lift_map.axis_of("y", down, names[0], labelLimit=124),
        lift_map.axis_of("x", across, names[1], labelLimit=90, **turned),
    )
    inks, colour, written = (INK, "white", "var(--on-more)"), lift_map.colour_of(reach), len(across) <= WRITTEN
    height = (26 if len(down) <= 12 else 19) * len(down)
    return [
        spec_of(lift_map.heat_map(one, (down, across), names, reach, axes, colour, written, inks), height)
        for one in tables.swapaxes(0, 1)
    ]


def informative(ranked: list[dict[str, Any]], colours: bool) -> dict[str, Any]:
    """Plot the information of each feature as a bar."""
    lines = [{**line, "name": cut(line["feature"], NAME), "place": i} for i, line in enumerate(ranked)]
    colour: Any = alt.value(ACCENT)
    if colours:
        codes = sorted({line["code"] for line in lines})
        colour = alt.Color("code:N", scale=alt.Scale(domain=codes, range=[*map(colour_of, codes)]), legend=None)
    x = alt.X("bits:Q", title="bits about the class", axis=alt.Axis(tickCount=5, format="~g"))
    y = alt.Y("feature:N", sort=None, title=None, axis=_words_axis(labelExpr="datum.label", labelPadding=6))
    tips = _tips(("feature:N", "feature", ""), ("bits:Q", "bits", ".3~g"), ("tooltip:N", " ", ""))
    bars = _chart(lines).mark_bar(cornerRadiusEnd=2, height=9)
    return spec_of(bars.encode(x=x, y=y, color=colour, tooltip=tips), 19 * len(lines))


def waterfall(why: Explanation, codes: tuple[int, int], values: bool, most: int = 12) -> dict[str, Any]:
    """Plot the steps from the prior log-odds to the posterior log-odds, in the colours of the two classes."""
    rows = steps(why, most)
    for row in rows:  # with a name that is different from all others, as the axis needs
        own = str(row["value"]).split(", ")[0] if values and row["kind"] in ("for", "against") else ""
        name = f"{row['name']}: {own}" if own else row["name"]
        row["axis"] = f"{row['place']:03d}|{cut(name, LONG)}"
        row["side"] = "prior" if row["kind"] == "prior" else "for" if row["end"] >= row["start"] else "against"
    axis, padding = _words_axis(labelExpr="slice(datum.label, 4)"), alt.Scale(paddingInner=0.3)
    y = alt.Y("axis:N", sort=None, title=None, axis=axis, scale=padding)
    low, high = ends_of(rows)
    ends = [low - 0.05 * (high - low or 1.0), high]
    scale = alt.Scale(domain=ends, nice=False, range=[0, alt.ExprRef(f"width - {WEIGHT}")])
    sides = alt.Scale(domain=["for", "against", "prior"], range=[*map(colour_of, codes), MUTED])
    colour = alt.Color("side:N", legend=None, scale=sides)
    title = f"← {cut(why.against, 18)} · log-odds · {cut(why.target, 18)} →"
    opacity = alt.condition("datum.kind == 'total'", alt.value(1.0), alt.value(0.72))
    layers = steps_drawn(rows, y, scale, title, 5, colour, MUTED, 11, opacity=opacity)
    return spec_of(alt.layer(*layers), 22 * len(rows))


def reliability(judged: JudgedRows) -> dict[str, Any]:
    """Plot the share of a class, or accuracy, against its probability, with the interval of each bin and the diagonal.

    The class is the second of two; of more classes, it is the predicted one.
    """
    bins = judged.bins
    name = None if judged.scored is None else cut(judged.classes[judged.scored], 30)
    right = "right" if name is None else "share"
    scale, axis = alt.Scale(domain=[0, 1]), {"format": "%", "tickCount": 5}
    x = alt.X("confidence:Q", scale=scale, title=None, axis=alt.Axis(**axis))
    title = "accuracy" if name is None else f"share of {name}"
    y = alt.Y("share:Q", scale=scale, title=title, axis=alt.Axis(**axis, minExtent=SIDE))
    tips = _tips(("confidence:Q", "probability", ".1%"), ("share:Q", right, ".1%"), *BOUNDS, ("rows:Q", "rows", ","))
    ends = [{"confidence": 0, "share": 0}, {"confidence": 1, "share": 1}]
    diagonal = _chart(ends).mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y)
    base = _chart(list(bins)).encode(x=x, tooltip=tips)
    span = base.mark_rule(color=ACCENT, strokeWidth=4, opacity=0.3, strokeCap="round").encode(y="low:Q", y2="high:Q")
    size = alt.Size("rows:Q", scale=alt.Scale(domain=[0, max(b["rows"] for b in bins)], range=[30, 420]), legend=None)
    dots = base.mark_circle(color=ACCENT, opacity=0.9).encode(y=y, size=size)
    return spec_of(alt.layer(diagonal, span, base.mark_line(color=ACCENT, strokeWidth=1).encode(y=y), dots), 340)


def confidences(judged: JudgedRows, unit: str) -> dict[str, Any]:
    """Plot a histogram of the probability that is calibrated, correctly predicted rows below wrong ones."""
    edges, scores = np.linspace(0, 1, STEPS + 1), judged.scores
    lines = [
        {"from": round(a, 2), "to": round(b, 2), "rows": int(n), "kind": kind, "place": int(kind == "wrong")}
        for kind, which in (("correct", judged.correct), ("wrong", ~judged.correct))
        for a, b, n in zip(edges, edges[1:], np.histogram(scores[which], edges)[0], strict=False)
        if n
    ]
    axis = alt.Axis(format="%", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    title = f"probability of {cut(judged.scored_name, 30)}"
    kinds = alt.Scale(domain=["correct", "wrong"], range=[ACCENT, "var(--wrong)"])
    x = alt.X("from:Q", bin="binned", scale=alt.Scale(domain=[0, 1]), title=title, axis=axis)
    y = alt.Y("rows:Q", stack="zero", title=unit, axis=alt.Axis(format="~s", tickCount=3, minExtent=SIDE))
    fields = ("kind:N", f"{unit} that are", ""), ("rows:Q", unit, ","), ("from:Q", "from", ".0%"), ("to:Q", "to", ".0%")
    bars = _chart(lines).mark_bar(binSpacing=1).encode(x=x, x2="to:Q", y=y, order=alt.Order("place:Q"))
    colour = alt.Color("kind:N", scale=kinds, legend=None)
    return spec_of(bars.encode(color=colour, tooltip=_tips(*fields)), 90)


def learning(curve: list[dict[str, float]], unit: str) -> dict[str, Any]:
    """Plot accuracy by the number of rows learned, with its interval."""
    axis = alt.Axis(values=[point["rows"] for point in curve], format=",", grid=False, labelOverlap="greedy")
    x = alt.X("rows:Q", scale=alt.Scale(type="log", nice=False), title=f"{unit} learned", axis=axis)
    low = max(0.0, min(point["low"] for point in curve) - 0.02)
    scale = alt.Scale(domain=[low, min(1.0, max(point["high"] for point in curve) + 0.02)], nice=True)
    y = alt.Y("share:Q", scale=scale, title="accuracy on rows not learned", axis=alt.Axis(format="%", tickCount=5))
    tips = _tips(("rows:Q", "learned", ","), ("share:Q", "right", ".1%"), *BOUNDS)
    base = _chart(list(curve)).encode(x=x, tooltip=tips)
    band = base.mark_area(color=ACCENT, opacity=0.15).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q")
    line = base.mark_line(color=ACCENT, strokeWidth=2, point={"color": ACCENT, "size": 50, "filled": True})
    return spec_of(alt.layer(band, line.encode(y=y)), 280)
