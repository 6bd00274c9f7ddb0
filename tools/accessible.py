"""Name what the theme leaves without a name, for screen readers and search engines; MkDocs calls ``on_…``."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["on_page_markdown", "on_post_page"]

SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'
"""The dialog of the search, as the theme writes it."""

PROSE = re.compile(r"^(?!```)[A-Za-z*`\[](?:.+\n?)+", re.MULTILINE)
"""A paragraph: neither a heading nor a table, a list, a directive or markup."""

LIMIT = 160
"""Characters of a description that search engines show."""


def described(markdown: str) -> str:
    """Return the first paragraph of a page without markup, cut after a word."""
    found = PROSE.search(markdown)
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[0] if found else "")
    words = re.sub(r'[*`"<>&]', "", " ".join(plain.split()))
    return words if len(words) <= LIMIT else words[: LIMIT - 1].rsplit(" ", 1)[0] + "…"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Describe the page by its first paragraph, unless it describes itself."""
    if words := described(markdown):
        page.meta.setdefault("description", words)
    return markdown


def on_post_page(output: str, **_: Any) -> str:
    """Return the page with a name for its search."""
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"')
