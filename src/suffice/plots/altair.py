"""Import Altair, which is optional, and share the style of all pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from suffice.errors import KindError, MissingLibrary
from suffice.plots.offline import GREY, offline

__all__ = [
    "AGAINST",
    "FOR",
    "GREY",
    "PALETTE",
    "THEME",
    "TOTAL",
    "altair",
    "cut",
    "dressed",
    "labelled",
    "legend",
    "rows_of",
    "whole_number",
]

FOR, AGAINST, TOTAL = "#2a9d74", "#d1603d", "#5b7db1"
"""Colours with contrast on white and on black."""

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7a5aa6")
"""Colours that colour-blind people can distinguish (the first six: Okabe and Ito)."""

_INK: dict[str, Any] = {"labelColor": GREY, "titleColor": GREY, "titleFontWeight": "normal", "labelFontSize": 12}
_LINES = {"domainColor": GREY, "tickColor": GREY, "gridColor": GREY, "gridOpacity": 0.18}
_HEADING = {"color": GREY, "subtitleColor": GREY, "fontSize": 14, "subtitleFontSize": 12}
THEME: dict[str, Any] = {
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {**_INK, **_LINES, "titleFontSize": 13},
    "title": {**_HEADING, "anchor": "start"},
    "legend": {**_INK, "titleFontSize": 12},
    "header": {**_INK, "titleFontSize": 13},
    "text": {"fontSize": 12},
}
"""The look that all pictures share: clear background, grey words and lines, for light and dark pages. `offline.py`
puts them on white where a picture is saved as PNG or PDF."""


def altair() -> Any:
    """Return the module; raise MissingLibrary if it is not installed."""
    try:
        return import_module("altair")
    except ImportError as error:
        raise MissingLibrary(
            "Pictures need Altair. Install it with: pip install 'suffice[report]' (or, in a clone, '.[report]')."
        ) from error


def cut(text: Any, most: int) -> str:
    """Return a text on one line, cut to at most `most` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def rows_of(**columns: Iterable[Any]) -> Any:
    """Return columns as inline data of a chart, as plain numbers and strings."""
    lists = [[value.item() if hasattr(value, "item") else value for value in column] for column in columns.values()]
    lines = [dict(zip(columns, line, strict=True)) for line in zip(*lists, strict=True)]
    return altair().InlineData(lines)


def labelled(names: Iterable[str]) -> str:
    """Return a label expression that names the positions 0, 1, … of an axis.

    The expression splits one string: in a list of literals, Vega would take the word "if" for an operator.
    """
    return f"split({json.dumps(chr(10).join(names) + chr(10))}, '\\n')[datum.value]"


def legend(alt: Any, **more: Any) -> Any:
    """Return a legend below the picture, without a title, with names in full."""
    return alt.Legend(**{"title": None, "orient": "bottom", "labelLimit": 400, "symbolStrokeWidth": 2.5, **more})


def dressed(chart: Any, title: str | None = None, subtitle: str | None = None) -> Any:
    """Return a chart in the common style, shown in a notebook without a network."""
    alt = altair()
    if title is not None:
        chart = chart.properties(title=alt.Title(title, subtitle=subtitle) if subtitle else alt.Title(title))
    made = chart.configure(**THEME)
    return offline(made)


def whole_number(value: Any, name: str, least: int = 1) -> int:
    """Return an argument as an int; raise KindError unless it is a whole number of at least `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value) < least:
        raise KindError(f"The argument '{name}' must be a whole number of at least {least}; got {value!r}.")
    return int(value)
