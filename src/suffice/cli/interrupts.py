"""Ctrl-C and SIGTERM: until the outputs are complete they end everything, and from then on nothing.

Outputs take the place of what was there at one moment, `commit`. Before it an interruption leaves all as it was, and
says so; after it the command is as good as done, and is let finish.
"""

from __future__ import annotations

import atexit
import signal
from contextlib import suppress
from typing import Any

__all__ = ["Interrupted", "commit", "end_by_signals", "finish", "heed"]


class Interrupted(KeyboardInterrupt):
    """The exception for a signal. After its own one, Python would end by SIGINT, whatever the exit code."""


class _State:
    stopped = False  # to end
    committed = False


def end_by_signals() -> None:
    """Raise KeyboardInterrupt at a signal to end, until `commit`; signals that are ignored stay so."""
    _State.stopped = _State.committed = False
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            with suppress(ValueError):  # not the main thread: signals go elsewhere
                signal.signal(number, _stop)
                atexit.register(signal.signal, number, signal.SIG_IGN)  # Python would end by them while it is torn down


def heed() -> None:
    """Raise KeyboardInterrupt if a signal to end came and its exception was lost, in a callback for example."""
    if _State.stopped and not _State.committed:
        raise Interrupted


def commit() -> None:
    """Let nothing stop what follows."""
    heed()
    finish()


def finish() -> None:
    """Ignore further signals: the command ends anyway."""
    _State.committed = True


def _stop(number: int, frame: Any) -> None:
    if not _State.committed:
        _State.stopped = True
        raise Interrupted
