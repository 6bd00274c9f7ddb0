"""Standard streams, which may be closed, full, or unable to encode every character."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["aside", "discard", "prepare", "printing", "remark", "unwritable"]

_SAID: set[str] = set()


def prepare() -> None:
    """Open the standard streams that are closed, and escape the characters that a stream cannot encode.

    A closed stream leads to the null device, else the next file that is opened would get its number: remarks are
    discarded, while reading standard input and writing standard output fail.
    """
    _SAID.clear()
    for name, mode, how in (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, how), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def remark(line: str) -> None:
    """Print a line on standard error, unless it was printed before."""
    if line in _SAID:
        return
    _SAID.add(line)
    aside(f"suffice: {line}")


def aside(text: str) -> None:
    """Print a text on standard error, or nowhere if that cannot be written."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


@contextmanager
def printing(done: str = "") -> Iterator[None]:
    """Raise FileError if standard output cannot be written; `done` says what was done nevertheless."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from suffice.errors import FileError

        discard(sys.stdout)
        why = (error.strerror or str(error)).lower()
        raise FileError(f"Standard output cannot be written: {why}.{done}") from error


def unwritable() -> bool:
    """Return whether standard output cannot take what is left to print, which is then discarded."""
    try:
        sys.stdout.flush()
    except OSError:
        discard(sys.stdout)
        return True
    return False


def discard(stream: Any) -> None:
    """Let a stream lead to the null device, so that what is left to print does not fail again when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
