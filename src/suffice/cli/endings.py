"""How a command ends. Errors are one line on stderr. Exit codes: 0 done, 1 a bug, 2 wrong input, 3 a file that is not
there or cannot be read, 130 interrupted, 141 nobody listens to standard output any more.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import typer

__all__ = ["INTERRUPTED", "STOPPED", "UNHEARD", "as_note", "end", "message_and_code"]

INTERRUPTED, UNHEARD = 130, 141
STOPPED = ("interrupted; nothing was changed", INTERRUPTED)


def message_and_code(error: Exception) -> tuple[str, int]:
    """Return one line, and an exit code."""
    if hasattr(error, "format_message"):  # wrong usage
        return error.format_message(), 2
    if isinstance(error, typer.Abort):
        return STOPPED
    from suffice.errors import FileError, MissingLibrary, PathError, SufficeError

    files: tuple[Any, ...] = (FileError, PathError, OSError)
    line = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, files):
        return line, 3
    if isinstance(error, MissingLibrary | SufficeError | ValueError):
        return line, 2
    return f"a bug, {type(error).__name__}: {line}", 1


def end(line: str, code: int) -> NoReturn:
    """Print the reason, and exit."""
    print(f"suffice: {line}", file=sys.stderr)
    sys.exit(code)


def as_note(message: Any, *rest: Any, **more: Any) -> None:
    """Show a warning as one line."""
    print(f"suffice: note: {' '.join(str(message).split())}", file=sys.stderr)
