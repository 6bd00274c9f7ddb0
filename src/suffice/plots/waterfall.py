"""Plot an explanation as a waterfall, from the prior log-odds feature by feature to the posterior log-odds."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import InputError, KindError
from suffice.models.answers.explanation import Explanation
from suffice.plots.altair import AGAINST, FOR, GREY, TOTAL, altair, cut, dressed

__all__ = ["steps", "waterfall"]

NAME, VALUE = 28, 38


def waterfall(explanation: Explanation, most: int = 14, width: int = 420) -> Any:
    """Plot what each feature adds to the log-odds as bars, each starting where the last one ended, and their sum.

    Parameters
    ----------
    explanation : Explanation
        The result of ``explain`` of a classifier.
    most : int, default=14
        The number of features, those that add most, that have a bar of their own; the others share one.
    width : int, default=420
        Width of the bars in pixels.

    Returns
    -------
    chart : altair.LayerChart
        The chart, with a clear background for light and dark pages (white in PNG and PDF). Save it with
        ``chart.save("why.svg")``.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.BernoulliNB().fit([[1, 0], [0, 1]], ["a", "b"])
    >>> type(sf.plots.waterfall(model.explain([1, 1], target="a", against="b"))).__name__
    'HConcatChart'
    """
    given: Any = explanation
    if not isinstance(given, Explanation):
        raise KindError(
            f"The argument 'explanation' of waterfall must be a result of explain; got a {type(given).__name__}."
        )
    if not np.isfinite([given.log_odds, *given.contributions]).all():
        raise InputError(
            "A waterfall needs finite log-odds, but one of the two classes is impossible for this row. Explain the row "
            "against another class, or fit the model with a larger alpha."
        )
    return _chart(steps(given, most), given, width)


def steps(explanation: Explanation, most: int) -> list[dict[str, Any]]:
    """Return the data of each bar: its name, kind, start and end."""
    top = explanation.top(len(explanation.features))
    shown, rest = (top, []) if len(top) <= most + 1 else (top[:most], top[most:])
    steps: list[tuple[Any, Any, float]] = [("prior", "", explanation.prior), *shown]
    if rest:
        steps.append((f"{len(rest)} others", "", sum(weight for _, _, weight in rest)))
    rows: list[dict[str, Any]] = []
    at = 0.0
    for name, value, weight in steps:
        rows.append(_row(len(rows), name, value, at, at + weight, "for" if weight >= 0 else "against"))
        at += weight
    rows[0]["kind"] = "prior"
    total = explanation.log_odds
    return [*rows, _row(len(rows), "log-odds", _odds(total, explanation), 0.0, total, "total")]


def _row(place: int, name: Any, value: Any, start: float, end: float, kind: str) -> dict[str, Any]:
    step = f"{end - start:+.2f}".replace("-", "−")
    label = {"place": place, "name": cut(name, NAME), "value": cut(value, VALUE), "label": step}
    tooltip = {"feature": str(name), "in words": str(value), "log_odds": round(end - start, 6)}
    return {
        **label,
        **tooltip,
        "start": start,
        "end": end,
        "right": max(start, end),
        "left": min(start, end),
        "kind": kind,
    }


def _odds(total: float, explanation: Explanation) -> str:
    """Return the odds in words, for the more probable of the two classes."""
    many = np.exp(min(abs(total), 700.0))
    times = f"{float(f'{many:.3g}'):,.6g}" if many < 1e5 else "over 100,000"
    label = explanation.target if total >= 0 else explanation.against
    return f"{times} : 1 for {label}"


def _chart(rows: list[dict[str, Any]], explanation: Explanation, width: int) -> Any:
    alt = altair()
    base = alt.Chart(alt.Data(values=rows))
    y = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.25))
    ends = [row[side] for row in rows for side in ("start", "end")]
    low, high = min(ends), max(ends)
    room = 0.16 * (high - low or 1.0)
    scale = alt.Scale(domain=[low - room * (low < 0), high + room], nice=False)
    title = f"log-odds of {cut(explanation.target, 24)} against {cut(explanation.against, 24)}"
    axis = alt.Axis(title=title, tickCount=7, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+~g')")
    x = alt.X("start:Q", scale=scale, axis=axis)
    kinds = {"for": FOR, "against": AGAINST, "prior": GREY, "total": TOTAL}
    colour = alt.Color("kind:N", legend=None, scale=alt.Scale(domain=[*kinds], range=[*kinds.values()]))
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("feature", "in words")] + [
        alt.Tooltip("log_odds:Q", format="+.3f", title="log-odds")
    ]
    bars = base.mark_bar(cornerRadius=1, minBandSize=2).encode(y=y, x=x, x2="end:Q", color=colour, tooltip=tooltip)
    links = _links(alt, rows, y, scale)
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=GREY, opacity=0.9).encode(x="zero:Q")
    figures = base.mark_text(align="left", dx=4, color=GREY).encode(
        y=y, x=alt.X("right:Q", scale=scale), text="label:N"
    )
    layers = alt.layer(zero, links, bars, figures).properties(width=width, height=alt.Step(21))
    names = [_names(alt, rows, y, "name"), _names(alt, rows, y, "value")]
    title = f"{cut(explanation.target, 30)} rather than {cut(explanation.against, 30)}"
    return dressed(alt.hconcat(*names, layers, spacing=10), title)


def _links(alt: Any, rows: list[dict[str, Any]], y: Any, scale: Any) -> Any:
    """Draw thin lines from the end of each bar to the start of the next."""
    pairs = [{"at": row["end"], "place": row["place"], "next": row["place"] + 1} for row in rows[:-1]]
    x = alt.X("at:Q", scale=scale)
    line = alt.Chart(alt.Data(values=pairs)).mark_rule(color=GREY, opacity=0.6)
    return line.encode(x=x, y=alt.Y("place:O", axis=None), y2="next:O")


def _names(alt: Any, rows: list[dict[str, Any]], y: Any, field: str) -> Any:
    """Draw a column of words beside the bars, as wide as its longest word."""
    weight, letter = ("bold", 7.2) if field == "name" else ("normal", 6.4)
    width = 4 + letter * max(len(row[field]) for row in rows)
    text = alt.Chart(alt.Data(values=rows)).mark_text(align="left", color=GREY, fontWeight=weight, baseline="middle")
    return text.encode(y=y, x=alt.value(0), text=f"{field}:N").properties(width=width, height=alt.Step(21))
