"""Choices in docstrings, for the site.

They are written as numpydoc has them, ``{"mle", "map"}, default="map"``, and the reader of docstrings would take the
first for the default. So the braces become words.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["Choices", "spelled"]

BRACES = re.compile(r"(?<= : )\{(?P<choices>[^}\n]+)\}")


def spelled(docstring: str) -> str:
    """Return `x : {1, 2}` as `x : 1 or 2`."""
    return BRACES.sub(lambda m: " or ".join(part.strip() for part in m["choices"].split(",")), docstring)


class Choices(griffe.Extension):
    """The extension that is called for each object that has been read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Spell the choices of its docstring."""
        if obj.docstring:
            obj.docstring.value = spelled(obj.docstring.value)
