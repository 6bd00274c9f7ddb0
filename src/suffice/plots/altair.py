"""Draw with Altair, which is optional: the style of all charts, and how they are shown offline and printed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from suffice.errors import MissingLibrary

FOR, AGAINST, TOTAL = "#2a9d74", "#d1603d", "#5b7db1"
"""Colours with contrast on white and on black."""

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7a5aa6")
"""Colours that colour-blind people can distinguish (the first six: Okabe and Ito)."""

GREY = "#80858f"
"""The grey of words and lines, which can be read on white and on black."""

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
"""The look that all charts share: clear background, grey words and lines, for light and dark pages. Charts saved as PNG
or PDF are put on white."""


class _Altair:
    """Import Altair when it is first used; raise MissingLibrary if it is not installed."""

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(import_module("altair"), name)
        except ImportError as error:
            raise MissingLibrary("Pictures need Altair.").advise(
                "Install it with: pip install 'suffice[report]' (or, in a clone, '.[report]')."
            ) from error


alt: Any = _Altair()


def dressed(chart: Any, title: str | None = None, subtitle: str | None = None) -> Any:
    """Return a chart in the common style, which is shown offline, as are charts derived from it."""
    if title is not None:
        chart = chart.properties(title=alt.Title(title, subtitle=subtitle) if subtitle else alt.Title(title))
    made = chart.configure(**THEME)
    object.__setattr__(made, "__class__", _offline(made.__class__))  # a plain assignment would add to the specification
    return made


INK, PAPER = "#43474f", "white"
"""What takes the place of grey, and of a clear background, where a picture cannot know the page it will be on."""

PRINTED = ("png", "pdf")


class Offline:
    """A chart that notebooks show as SVG, unless the user has chosen one of Altair's renderers."""

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        chart: Any = self
        renderer, library = alt.renderers.active, _library()
        if renderer == "default" and library is not None:
            return {"image/svg+xml": str(library.vegalite_to_svg(chart.to_dict()))}
        shown: Any = super() if renderer not in PRINTED else super(Offline, _printed(self))
        return shown._repr_mimebundle_(*args, **kwargs)

    def save(self, fp: Any, format: str | None = None, *args: Any, **kwargs: Any) -> None:
        """Save the chart: PNG and PDF on white, SVG on a clear background, HTML with the scripts that it needs."""
        kind = format or Path(str(fp)).suffix.lstrip(".")
        if kind == "html" and _library() is not None:
            kwargs.setdefault("inline", True)
        saved: Any = super() if kind not in PRINTED else super(Offline, _printed(self))
        saved.save(fp, format, *args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _blank, (type(self).__mro__[2],), self.__dict__


@cache
def _offline(kind: Any) -> Any:
    """Return the type of charts of a kind that are shown offline."""
    if issubclass(kind, Offline):
        return kind
    return type(kind.__name__, (Offline, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})


def _blank(kind: Any) -> Any:
    """Return an empty chart, to be filled by copy and pickle."""
    made = _offline(kind)
    return made.__new__(made)


def _library() -> Any:
    """Return the library that draws, or None if it is not installed."""
    try:
        return import_module("vl_convert")
    except ImportError:
        return None


def _printed(chart: Any) -> Any:
    """Return the chart with dark words on white."""
    made, plain = chart.copy(), chart.to_dict
    object.__setattr__(made, "to_dict", lambda *args, **kwargs: _inked(plain(*args, **kwargs)))
    return made


def _inked(spec: Any) -> Any:
    """Return a specification with ink in place of grey, and paper in place of a clear background."""
    if isinstance(spec, dict):
        return {
            name: PAPER if (name, part) == ("background", "transparent") else _inked(part)
            for name, part in spec.items()
        }
    if isinstance(spec, list):  # of colours, one is the grey of a mark
        return [_inked(part) if isinstance(part, dict | list) else part for part in spec]
    return INK if isinstance(spec, str) and spec == GREY else spec
