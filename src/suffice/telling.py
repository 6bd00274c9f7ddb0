"""Warnings that point to the line where the user called, however deep in the library something was found."""

import sys
import warnings

__all__ = ["tell"]

INSIDE = ("suffice", "sklearn", "contextlib")
"""Packages whose lines are not the user's; scikit-learn's because it wraps `fit`, and calls us from pipelines."""


def tell(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line, outwards from here, that is not of this library."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
