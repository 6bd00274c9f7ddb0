"""Keep verbs that only predict fast: without this, importing pandas would take most of their time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Any

__all__ = ["without_pandas"]


class NoPandas(MetaPathFinder):
    """Make an import of pandas fail as if pandas were not installed."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Raise ModuleNotFoundError for pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")


@contextmanager
def without_pandas() -> Iterator[None]:
    """Keep Arrow from importing an installed pandas, which it does to check whether values are pandas objects."""
    finder = NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
