"""Where tests find a browser, and how they start it: it resolves no names, so nothing can come from a network."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

__all__ = ["BROWSER", "launched", "needs_browser"]

PLACES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = os.environ.get("SUFFICE_BROWSER") or next((found for name in PLACES if (found := shutil.which(name))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason=f"no browser found; looked for {', '.join(PLACES)}")


@contextmanager
def launched() -> Iterator[Any]:
    """Start the browser, and close it in the end."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as made:
        one = made.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", "--host-resolver-rules=MAP * 0.0.0.0"]
        )
        yield one
        one.close()
