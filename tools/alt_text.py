"""Words for pictures of the gallery: what a chart shows, from its own titles and from how a page says to read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

__all__ = ["alt_text", "reading"]

READING = re.compile(r"\*\*How to read it\.\*\*\s+(?P<sentence>.+?[.?!:])(?=\s+[A-Z*$`(]|\s*$)", re.DOTALL)
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
PLAIN = str.maketrans("[]", "()", "*`$\\<>")
"""What would be Markdown or HTML again is left out of the words of a picture."""
MOST = 8
"""Names of a legend that are read out."""


def alt_text(chart: dict[str, Any], heading: str, sentence: str = "") -> str:
    """Return what a picture shows: the heading above it, its title, axes, names in colour, and one sentence."""
    titles = list(dict.fromkeys(_text(part["title"]) for part in _parts(chart) if part.get("title") and _drawn(part)))
    x, y = _axis(chart, "x"), _axis(chart, "y")
    axes = f"{y} against {x}" if x and y else x or y
    names = next((found for found in map(_names, _parts(chart)) if found), [])
    legend = f"in colour {', '.join(names)}" if 1 < len(names) <= MOST else ""
    shown = "; ".join(filter(None, [*titles, axes, legend]))
    words = f"{heading}: {shown}. {sentence}".strip().translate(PLAIN)
    return " ".join(words.split())


def reading(prose: str) -> str:
    """Return the first sentence of how to read a picture, without links."""
    paragraph = next((part for part in prose.split("\n\n") if "**How to read it.**" in part), "")
    found = READING.search(paragraph)
    if found is None:
        return ""
    return LINK.sub(r"\1", found["sentence"])


def _parts(chart: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a specification, without its rows."""
    if isinstance(chart, list):
        yield from chain.from_iterable(map(_parts, chart))
    if isinstance(chart, dict):
        yield chart
        yield from chain.from_iterable(_parts(part) for name, part in chart.items() if name not in ("data", "datasets"))


def _drawn(part: dict[str, Any]) -> bool:
    """Return whether a part is a picture, and not an axis or a legend, which have titles too."""
    return bool(part.keys() & {"mark", "layer", "hconcat", "vconcat", "concat", "spec"})


def _text(title: Any) -> str:
    text = title["text"] if isinstance(title, dict) else title
    return " ".join(text) if isinstance(text, list) else str(text)


def _axis(chart: dict[str, Any], channel: str) -> str:
    """Return the title of an axis, or else the name of its column."""
    found = [part["encoding"].get(channel, {}) for part in _parts(chart) if isinstance(part.get("encoding"), dict)]
    given = [_text(title) for each in found if (title := each.get("title") or (each.get("axis") or {}).get("title"))]
    named = [each["field"] for each in found if "field" in each and "title" not in each]
    return next((name for name in [*given, *named] if len(name) > 1), "")


def _names(part: dict[str, Any]) -> list[str]:
    scale = part.get("scale")
    domain = scale.get("domain") if isinstance(scale, dict) else None
    return [name for name in domain if isinstance(name, str)] if isinstance(domain, list) else []
