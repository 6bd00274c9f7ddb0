"""Show and save charts without a network, and on paper; Altair loads scripts from another machine and keeps colours."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["GREY", "offline"]

GREY = "#80858f"
"""The grey of words and lines, which can be read on white and on black."""

INK, PAPER = "#43474f", "white"
"""What takes the place of grey, and of a clear background, where a picture cannot know the page it will be on."""

PRINTED = ("png", "pdf")


class Offline:
    """A chart that notebooks show as SVG, unless the user has chosen one of Altair's renderers."""

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        chart: Any = self
        renderer = import_module("altair").renderers.active
        drawn = None if renderer != "default" else _drawn(chart.to_dict())
        if drawn is None:
            shown: Any = super() if renderer not in PRINTED else super(Offline, _printed(self))
            return shown._repr_mimebundle_(*args, **kwargs)
        return {"image/svg+xml": drawn}

    def save(self, fp: Any, format: str | None = None, *args: Any, **kwargs: Any) -> None:
        """Save the chart: PNG and PDF on white, SVG on a clear background, HTML with the scripts that it needs."""
        kind = format or Path(str(fp)).suffix.lstrip(".")
        if kind == "html" and _library() is not None:
            kwargs.setdefault("inline", True)
        saved: Any = super() if kind not in PRINTED else super(Offline, _printed(self))
        saved.save(fp, format, *args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _blank, (type(self).__mro__[2],), self.__dict__


def offline(chart: Any) -> Any:
    """Return the chart as a type that is shown offline; charts derived from it (``chart.properties``) are, too."""
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _offline(kind))  # a plain assignment would add to the specification
    return chart


@cache
def _offline(kind: Any) -> Any:
    if issubclass(kind, Offline):
        return kind
    return type(kind.__name__, (Offline, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})


def _blank(kind: Any) -> Any:
    """Return an empty chart, to be filled by copy and pickle."""
    made = _offline(kind)
    return made.__new__(made)


def _drawn(spec: Any) -> str | None:
    """Return the SVG, or None if the library that draws it is not installed."""
    library = _library()
    return None if library is None else str(library.vegalite_to_svg(spec))


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
