"""`suffice`: run the command line, and exit with a documented code."""

from __future__ import annotations

import gc
import sys
import warnings
from typing import Any

import typer

from suffice.cli.commands import app
from suffice.cli.endings import INTERRUPTED, UNHEARD, as_note, end, message_and_code, stopped
from suffice.cli.interrupts import end_by_signals, finish
from suffice.cli.streams import discard, prepare, printing

__all__ = ["app", "main"]


def main() -> None:
    """Run, and exit with a documented code."""
    prepare()
    warnings.showwarning = as_note
    gc.set_threshold(50_000)  # imported objects stay: scanning them again and again takes a tenth of a second
    code: Any = None
    try:
        end_by_signals()
        code = app(standalone_mode=False)
        with printing():
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
        finish()
        end(*message_and_code(error))
    finish()
    if code == INTERRUPTED:
        end(*stopped())
    if code == UNHEARD:
        discard(sys.stdout)
    sys.exit(code)
