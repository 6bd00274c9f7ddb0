"""Handle Ctrl-C and SIGTERM: they end a command until its outputs are complete, and are ignored from then on.

Outputs replace the old files at one moment, `commit`. An interruption before it leaves every file as it was, and the
command says so. After it the command finishes.
"""

from __future__ import annotations

import atexit
import signal
from contextlib import suppress
from typing import Any

__all__ = ["Interrupted", "commit", "end_by_signals", "finish", "heed", "signalled"]


class Interrupted(KeyboardInterrupt):
    """A signal came. After a plain KeyboardInterrupt, Python would exit by SIGINT whatever the exit code."""


class _State:
    stopped = 0  # the number of the signal that came
    committed = False


def end_by_signals() -> None:
    """Raise KeyboardInterrupt at SIGINT, SIGTERM and SIGHUP until `commit`; ignored signals stay ignored."""
    _State.stopped, _State.committed = 0, False
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            with suppress(ValueError):  # not the main thread, which receives the signals
                signal.signal(number, _stop)
                atexit.register(
                    signal.signal, number, signal.SIG_IGN
                )  # else Python would die by them while it shuts down


def heed() -> None:
    """Raise KeyboardInterrupt if a signal came and its exception was lost, in a callback for example."""
    if _State.stopped and not _State.committed:
        raise Interrupted


def commit() -> None:
    """Ignore signals from here on; raise KeyboardInterrupt if one came before."""
    heed()
    finish()


def finish() -> None:
    """Ignore further signals, since the command is about to end."""
    _State.committed = True


def signalled() -> int:
    """Return the number of the signal that ended the command: SIGINT unless another came."""
    return _State.stopped or int(signal.SIGINT)


def _stop(number: int, frame: Any) -> None:
    if not _State.committed:
        _State.stopped = number
        raise Interrupted
