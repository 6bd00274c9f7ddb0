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
from suffice.cli.translation import for_the_shell
from suffice.cli.verbs import app

INTERRUPTED, UNHEARD = 130, 141
STOPPED = "interrupted; nothing was changed"


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
        return for_the_shell(line), 3 if isinstance(error, FileError | PathError | WriteError) else 2
    return f"internal error, {type(error).__name__}: {line}. Please report it with the command that you typed.", 1


def end(line: str, code: int) -> NoReturn:
    """Print the reason, and exit."""
    process.unwritable()
    process.remark(line)
    sys.exit(code)


def as_note(message: Any, *rest: Any, **more: Any) -> None:
    """Print a warning as one line on stderr."""
    process.remark(f"note: {for_the_shell(' '.join(str(message).split()))}")
