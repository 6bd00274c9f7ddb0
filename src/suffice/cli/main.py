"""`suffice`: run the command line, and end with one line on stderr for an error and a documented exit code.

Exit codes: 0 done, 1 a bug, 2 wrong input, 3 a file or a stream that cannot be read or written, 4 memory ran out; 129,
130 or 143 ended by SIGHUP, SIGINT or SIGTERM; 141 the reader of standard output has left.
"""

from __future__ import annotations

import gc
import sys
import warnings
from typing import Any, NoReturn

import typer

from suffice.cli import process
from suffice.cli.verbs import app

INTERRUPTED, UNHEARD = 130, 141
STOPPED = "interrupted; nothing was changed"

OPTIONS = (
    "target", "text", "against", "sep", "quote", "header", "encoding", "missing", "drop", "keep", "errors", "effort",
    "method", "folds", "certificate", "kind", "journal", "longest_row",
)  # fmt: skip
"""Arguments of the library that are options of the same name."""

SUBJECTS = {"X": "The file", "y": "The column of labels", "X and y": "The file", "paths": "The files"}
"""What other arguments are on the command line."""


def main() -> None:
    """Run, and exit with a documented code."""
    process.prepare()
    warnings.showwarning = as_note
    gc.set_threshold(50_000)  # imported objects stay: scanning them again and again takes a tenth of a second
    code: Any = None
    try:
        process.end_by_signals()
        code = app(standalone_mode=False)
        with process.printing():
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = UNHEARD
    except SystemExit as left:
        code = UNHEARD if isinstance(left.__context__, BrokenPipeError) else left.code
    except typer.Exit as done:
        code = done.exit_code
    except Exception as error:
        process.finish()
        end(*message_and_code(error))
    process.finish()
    if code == INTERRUPTED:
        end(STOPPED, 128 + process.signalled())
    if code == UNHEARD:
        process.discard(sys.stdout)
    sys.exit(code)


def message_and_code(error: Exception) -> tuple[str, int]:
    """Return one line and an exit code for an error."""
    if hasattr(error, "format_message"):  # wrong arguments
        message = " ".join(error.format_message().replace("Value error, ", "").split()).rstrip(".")
        context = getattr(error, "ctx", None)
        verb = f" {context.info_name}" if context is not None and context.parent is not None else ""
        return f"{message}. See 'suffice{verb} --help'.", 2
    if isinstance(error, typer.Abort):
        return STOPPED, 128 + process.signalled()
    from suffice.errors import FileError, MissingLibrary, PathError, SufficeError, WriteError

    if process.memory_ran_out(error):
        return str(error if isinstance(error, process.OutOfMemory) else process.OutOfMemory()), 4
    line = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and not isinstance(error, SufficeError):
        what = f"The file {str(error.filename)!r} cannot be opened"
        if error.filename is None:
            what = "Standard output cannot be written" if process.unwritable() else "A file cannot be read or written"
        return f"{what}: {(error.strerror or line).lower()}.", 3
    if isinstance(error, MissingLibrary | SufficeError | ValueError):
        return for_the_shell(error), 3 if isinstance(error, FileError | PathError | WriteError) else 2
    return f"internal error, {type(error).__name__}: {line}. Please report it with the command that you typed.", 1


def for_the_shell(message: Exception | str) -> str:
    """Return an error or a warning of the library in the words of the command line.

    >>> from suffice.errors import InputError
    >>> for_the_shell(InputError("target", "name a column", got="x").advise(python="Call fit(X, y) with another."))
    "The option '--target' must name a column; got 'x'."
    """
    from suffice.errors import SufficeError

    if isinstance(message, SufficeError):
        options = [f"'--{name.replace('_', '-')}'" for name in message.names if name in OPTIONS]
        subject = SUBJECTS.get(message.what, "")
        if options:
            subject = f"The option{'s' * (len(options) > 1)} {' and '.join(options)}"
        came = message.came.replace("got an array of object", "got text")
        if came.startswith("got [") and came.endswith("]"):
            came = f"got {came[5:-1] or 'none'}"
        if message.row is not None:  # people count the rows of files from 1
            came = came.replace(f"row {message.row} of the files", f"row {message.row + 1:,} of the files")
        cause = for_the_shell(message.cause) if message.cause else ""
        line = f"{message.sentence(subject, came, cause)} {message.fix} {message.shell_fix}"
        key = "The option '--journal' must be the key"  # which the command line reads from a file
        line = line.replace(key, "The option '--journal-key' must name the file with the key")
        line = line.replace("the argument 'longest_row'", "the option '--longest-row'")
    else:
        line = getattr(message, "shell", str(message))
        text = line.removeprefix("could not convert string to float: ")  # numpy says so
        line = line if text == line else f"The file must hold only numbers; got {text}."
    for copy in process.COPIES:
        line = line.replace(repr(str(copy)), repr(copy.name))
    line = line.replace("The file 'standard input'", "Standard input").replace("'standard input'", "standard input")
    return " ".join(line.split())


def end(line: str, code: int) -> NoReturn:
    """Print the reason, and exit."""
    process.unwritable()
    process.remark(line)
    sys.exit(code)


def as_note(message: Any, *rest: Any, **more: Any) -> None:
    """Print a warning as one line on stderr."""
    process.remark(f"note: {for_the_shell(message)}")
