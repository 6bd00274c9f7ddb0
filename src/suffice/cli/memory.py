"""Recognize that memory ran out, in whatever way a library says so."""

from __future__ import annotations

import errno
import re

__all__ = ["OutOfMemory", "memory_ran_out"]

SAID = re.compile(r"can't start new thread|failed to launch worker thread|failed to map segment|cannot allocate memory")
"""What Python, Arrow and the loader of libraries say, in lower case, where even a thread or a library has no room."""


class OutOfMemory(MemoryError):
    """Memory ran out, with a message for the user."""

    def __init__(self, where: str = "", advice: str = "") -> None:
        super().__init__(f"Memory ran out{where}. Give the command more memory{advice}.")


def memory_ran_out(error: BaseException | None) -> bool:
    """Return whether an error, or its cause, says that memory ran out.

    >>> memory_ran_out(MemoryError()), memory_ran_out(OSError(errno.ENOMEM, "")), memory_ran_out(ValueError())
    (True, True, False)
    """
    while error is not None:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            return True
        if SAID.search(str(error).lower()):
            return True
        error = error.__cause__
    return False
