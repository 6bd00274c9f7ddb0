"""What keeps verbs that only answer light: of a second, most would be spent on libraries that they do not use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Any

__all__ = ["without_pandas"]


class NoPandas(MetaPathFinder):
    """Makes an import of pandas fail as if it were not installed."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Raise ModuleNotFoundError for pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")


@contextmanager
def without_pandas() -> Iterator[None]:
    """Keep Arrow from importing pandas, which it does, where that is installed, to see whether values are of it."""
    finder = NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
