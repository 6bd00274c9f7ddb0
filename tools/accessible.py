"""What the theme leaves without a name gets one, for those who hear the pages. MkDocs calls ``on_post_page``."""

from __future__ import annotations

from typing import Any

__all__ = ["on_post_page"]

SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'


def on_post_page(output: str, **_: Any) -> str:
    """Return the page with a name for its search."""
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"')
