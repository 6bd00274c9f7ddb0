"""Show charts in notebooks without a network; Altair's default renderer loads scripts from another machine."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["offline"]


class Offline:
    """A chart that notebooks show as SVG, unless the user has chosen one of Altair's renderers."""

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        chart: Any = self
        drawn = None if import_module("altair").renderers.active != "default" else _drawn(chart.to_dict())
        if drawn is None:
            return super()._repr_mimebundle_(*args, **kwargs)  # type: ignore[misc]
        return {"image/svg+xml": drawn}

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
    try:
        library = import_module("vl_convert")
    except ImportError:
        return None
    return str(library.vegalite_to_svg(spec))
