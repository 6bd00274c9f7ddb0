"""Formulas become MathML, which browsers draw themselves: no script and no font has to be fetched.

MkDocs calls ``on_page_content`` for each page, with what pymdownx.arithmatex has found between dollars.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

__all__ = ["formula", "on_page_content"]

FOUND = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL
)
UPRIGHT = re.compile(r'(?:<mi mathvariant="normal">\w</mi>){2,}')
TILDE = "<mi>&#x0007E;</mi>"
FUNCTION = re.compile(r"(?P<before></m(?:i|n|sub|frac)>)?<mi>(?P<name>ln|log|exp)</mi>(?P<after>(?!<mo|</mrow>))?")
ROOM = '<mspace width="0.17em" />'


def formula(latex: str, block: bool) -> str:
    """Return one formula, with names in one piece and room around ∼ and ln."""
    drawn = convert(latex.strip(), display="block" if block else "inline").replace(TILDE, "<mo>&#x0223C;</mo>")
    drawn = UPRIGHT.sub(lambda m: f"<mi>{re.sub('<[^>]*>', '', m[0])}</mi>", drawn)
    return FUNCTION.sub(_roomy, drawn)


def _roomy(found: re.Match[str]) -> str:
    before = found["before"] + ROOM if found["before"] else ""
    return f"{before}<mi>{found['name']}</mi>{'' if found['after'] is None else ROOM}"


def on_page_content(content: str, **_: Any) -> str:
    """Return the page with its formulas drawn."""
    return FOUND.sub(lambda m: formula(html.unescape(m["latex"]), m["open"] == "["), content)
