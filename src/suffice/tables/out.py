"""Return answers as a dataframe of the user's library."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from suffice.errors import KindError
from suffice.later import nw

__all__ = ["frame_of"]

_BACKENDS = ("pandas", "polars", "pyarrow")  # in order of preference; the last is always there


def frame_of(columns: dict[str, Any], backend: str | None = None) -> Any:
    """Return a dataframe of the backend, by default the first that can be imported: pandas, polars, pyarrow.

    >>> frame_of({"word": ["a", "b"], "times": [3, 1]}, "pyarrow").column_names
    ['word', 'times']
    """
    if backend not in (None, *_BACKENDS):
        raise KindError(f"The argument 'backend' must be 'pandas', 'polars', 'pyarrow' or None; got {backend!r}.")
    chosen: Any = backend or next(filter(_there, _BACKENDS))
    return nw.from_dict(columns, backend=chosen).to_native()


def _there(package: str) -> bool:
    try:
        import_module(package)
    except ImportError:
        return False
    return True
