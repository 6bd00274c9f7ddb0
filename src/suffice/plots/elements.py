"""Write the parts that charts share: data, axes, legends, headings and lines, and the checks of arguments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from suffice.errors import KindError
from suffice.plots.altair import alt


def cut(text: Any, most: int) -> str:
    """Return a text on one line, cut to at most `most` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def rows_of(**columns: Iterable[Any]) -> Any:
    """Return columns as inline data of a chart, as plain numbers and strings."""
    lists = [[value.item() if hasattr(value, "item") else value for value in column] for column in columns.values()]
    return alt.InlineData([dict(zip(columns, line, strict=True)) for line in zip(*lists, strict=True)])


def fixed(low: float, high: float) -> Any:
    """Return a scale of an axis with these ends."""
    return alt.Scale(domain=[float(low), float(high)], nice=False)


def labelled(names: Iterable[str]) -> str:
    """Return a label expression that names the places 0, 1, … of an axis.

    The expression splits one string: in a list of literals, Vega would take the word "if" for an operator.
    """
    return f"split({json.dumps(chr(10).join(names) + chr(10))}, '\\n')[datum.value]"


def named_places(names: Iterable[str], limit: int = 260, **more: Any) -> Any:
    """Return a vertical axis that names the places 0, 1, … of the data."""
    axis = {"labelExpr": labelled(names), "labelLimit": limit, "ticks": False, "domain": False}
    return alt.Y("place:O", title=None, axis=alt.Axis(**axis, **more))


def legend(**more: Any) -> Any:
    """Return a legend below the chart, without a title, with names in full."""
    return alt.Legend(**{"title": None, "orient": "bottom", "labelLimit": 400, "symbolStrokeWidth": 2.5, **more})


def heading(title: str, size: int = 12, **more: Any) -> Any:
    """Return the title of one of several panels."""
    return alt.Title(title, fontSize=size, anchor="start", **more)


def lines(
    curves: Mapping[str, tuple[Any, Any]],
    looks: Mapping[str, tuple[str, list[int]]],
    title: str,
    ends: tuple[float, float],
    top: float,
    **more: Any,
) -> Any:
    """Draw densities by name, each in its colour and dash, with a legend if there are several."""
    shown = legend(symbolType="stroke", symbolSize=400) if len(curves) > 1 else None
    data = rows_of(
        x=[at for x, _ in curves.values() for at in x],
        density=[at for _, y in curves.values() for at in y],
        of=[name for name, (x, _) in curves.items() for _ in x],
    )
    colours, dashes = ([looks[name][k] for name in curves] for k in range(2))
    return (
        alt.Chart(data)
        .mark_line(**{"strokeWidth": 2.2, "clip": True, **more})
        .encode(
            x=alt.X("x:Q", title=title, scale=fixed(*ends)),
            y=alt.Y("density:Q", title="density", scale=fixed(0, top)),
            color=alt.Color("of:N", scale=alt.Scale(domain=[*curves], range=colours), legend=shown),
            strokeDash=alt.StrokeDash("of:N", scale=alt.Scale(domain=[*curves], range=dashes), legend=shown),
        )
    )


def whole_number(value: Any, name: str, least: int = 1) -> int:
    """Return an argument as an int; raise KindError unless it is a whole number of at least `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value) < least:
        raise KindError(name, f"be a whole number of at least {least}", got=value)
    return int(value)


def require(given: Any, kind: Any, argument: str, words: str) -> None:
    """Raise KindError unless an argument is of a kind, which the words describe."""
    if not isinstance(given, kind):
        raise KindError(argument, f"be {words}", got_a=given)
