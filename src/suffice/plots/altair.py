"""The door to Altair, which is not always installed, and what all pictures share."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from suffice.errors import MissingLibrary

__all__ = ["AGAINST", "FOR", "GREY", "TOTAL", "altair", "cut"]

FOR, AGAINST, GREY, TOTAL = "#2a9d74", "#d1603d", "#80858f", "#5b7db1"
"""Colours that stand out from white and from black."""


def altair() -> Any:
    """The module, or an error that says how to get it."""
    try:
        return import_module("altair")
    except ImportError as error:
        raise MissingLibrary("Pictures need Altair; install it with: pip install suffice[report]") from error


def cut(text: Any, most: int) -> str:
    """A text of so many letters at most."""
    told = " ".join(str(text).split())
    return told if len(told) <= most else told[: most - 1].rstrip() + "…"
