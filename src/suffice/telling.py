"""Warn users at the line of their own call, and put numbers and names of things into words."""

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

INSIDE = ("suffice", "sklearn", "contextlib")
"""Packages whose lines are not the user's; scikit-learn is one because it wraps `fit`, and calls us from pipelines."""


def tell(message: str | Warning, category: type[Warning] = UserWarning, *, python: str = "", shell: str = "") -> None:
    """Warn at the line of the innermost caller outside these packages.

    `python` is advice for callers in Python; on the command line, which finds it in the warning, `shell` replaces it.
    """
    if isinstance(message, str):
        warning = category(f"{message} {python}".strip())
        vars(warning)["shell"] = f"{message} {shell}".strip()
        message = warning
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


@contextmanager
def untold(start: str) -> Iterator[None]:
    """Silence warnings that begin like this, of a step whose result is not the user's."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", start)
        yield


def counted(number: float, one: str, many: str | None = None) -> str:
    """Return a number of things in words; the plural is `many`, or `one` with an s.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{number:,.15g} {one if number == 1 else many or one + 's'}"


def listed(names: Iterable[object], most: int = 5) -> str:
    """Return at most `most` names in words, and how many more there are.

    >>> listed("abc"), listed("abcde", 2)
    ('a, b, c', 'a, b and 3 more')
    """
    every = [str(name) for name in names]
    return ", ".join(every[:most]) + (f" and {len(every) - most:,} more" if len(every) > most else "")
