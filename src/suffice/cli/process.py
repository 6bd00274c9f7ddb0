"""The process of a command: its signals, standard streams, memory, and progress on a terminal.

Ctrl-C, SIGTERM and SIGHUP end a command until its outputs are complete, and are ignored from then on. Outputs replace
the old files at one moment, `commit`. An interruption before it leaves every file as it was, and the command says so.
After it the command finishes. Standard streams may be closed, full, or unable to encode every character.
"""

from __future__ import annotations

import atexit
import errno
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.abc import MetaPathFinder
from typing import Any

from suffice.telling import counted

# signals


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
                atexit.register(signal.signal, number, signal.SIG_IGN)  # else Python would die by them at its end


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


# standard streams

_SAID: set[str] = set()
COPIES: list[Any] = []
"""The files that streams were copied to, whose own names are those of the streams."""


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
        raise FileError(f"Standard output cannot be written: {why}.").advise(done) from error


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


# memory

MEMORY_MESSAGES = re.compile(
    r"can't start new thread|failed to launch worker thread|failed to map segment|cannot allocate memory"
)
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
        if MEMORY_MESSAGES.search(str(error).lower()):
            return True
        error = error.__cause__
    return False


# progress


@contextmanager
def progress(what: str) -> Iterator[Callable[[Any], None]]:
    """Show a progress bar on stderr if it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda progress_so_far: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rows]}"), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, rows="")

        def tell(progress_so_far: Any) -> None:
            turn = getattr(progress_so_far, "turn", 1)
            described = what if turn == 1 else f"{what}, pass {turn}"
            if bar.tasks[task].description != described:
                bar.reset(task, description=described)
            seconds = bar.tasks[task].elapsed or 1e-9
            rows = f"{counted(progress_so_far.rows, 'row')}, {progress_so_far.rows / seconds:,.0f}/s"
            bar.update(task, total=progress_so_far.size or None, completed=progress_so_far.read, rows=rows)

        yield tell


# start-up


class NoPandas(MetaPathFinder):
    """Make an import of pandas fail as if pandas were not installed."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Raise ModuleNotFoundError for pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")


@contextmanager
def without_pandas() -> Iterator[None]:
    """Keep Arrow from importing an installed pandas, which takes most of the time of a verb that only predicts."""
    finder = NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
