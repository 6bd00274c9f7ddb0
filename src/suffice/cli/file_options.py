"""The options of all verbs that read files, and the line on stderr that says how each file was read.

The options hold for the whole verb: every part of it opens files by `open_files`. When the verb has succeeded, one line
for each file goes to stderr.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli.memory import OutOfMemory, memory_ran_out
from suffice.cli.streams import remark
from suffice.errors import InputError
from suffice.telling import counted

if TYPE_CHECKING:
    from suffice.tables.row_files import Files

__all__ = ["described_as", "no_rows", "open_files", "reading_by", "reads_files"]

OPTIONS: dict[str, tuple[Any, str, str | None, str]] = {
    "sep": (str | None, "--sep", "CHARACTER", "What separates values: a character, or tab; by default, guessed."),
    "quote": (str | None, "--quote", "CHARACTER", "What quotes values: a character, or none; by default, guessed."),
    "header": (
        bool | None, "--header/--no-header", None, "Whether the first line holds the column names; by default, guessed."
    ),
    "missing": (
        list[str] | None, "--missing", "WORD",
        "A word that stands for a missing value; replaces the usual words (?, NA, …): repeat the option for each word "
        "needed.",
    ),
    "encoding": (str | None, "--encoding", "NAME", "Such as utf-8 or latin-1; by default, guessed."),
    "drop": (list[str] | None, "--drop", "COLUMN", "A column to leave out; may be repeated."),
    "keep": (list[str] | None, "--keep", "COLUMN", "Read only this column and the labels; may be repeated."),
    "longest_row": (
        int | None, "--longest-row", "BYTES", "The most bytes of a row, or of a text in a folder; by default, 64 MiB."
    ),
    "strict": (
        bool | None, "--strict", None, "Raise an error where a column is missing from a file, instead of a note."
    ),
    "quiet": (bool | None, "--quiet", None, "Do not print how files were read."),
}  # fmt: skip
"""Type, name, placeholder and help of each option."""


@dataclass
class _Verb:
    """The options of the current verb, and the files it has opened."""

    options: dict[str, Any] = field(default_factory=dict)
    opened: list[Files] = field(default_factory=list)
    described: dict[Path, str] = field(default_factory=dict)
    """What a file is, where its own form does not say it."""


_VERB: ContextVar[_Verb | None] = ContextVar("verb", default=None)


def reads_files(verb: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading files to a verb."""
    signature = inspect.signature(verb, eval_str=True)
    more = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[kind, typer.Option(flag, metavar=metavar, help=text)],
        )
        for name, (kind, flag, metavar, text) in OPTIONS.items()
    ]

    @functools.wraps(verb)
    def with_options(*args: Any, **given: Any) -> None:
        with reading_by(**{name: given.pop(name, None) for name in OPTIONS}):
            verb(*args, **given)

    parameters = [*signature.parameters.values(), *more]
    vars(with_options)["__signature__"] = signature.replace(parameters=parameters)
    return with_options


def no_rows(data: list[Path]) -> InputError:
    """Return the error for files without rows."""
    return InputError(f"The files must hold rows; found none in {', '.join(repr(str(path)) for path in data)}.")


@contextmanager
def reading_by(**options: Any) -> Iterator[None]:
    """Read files by these options, and print at the end how they were read."""
    verb = _Verb(options)
    before = _VERB.set(verb)
    try:
        yield
    except Exception as error:
        if not memory_ran_out(error) or not verb.opened:
            raise
        error.__traceback__ = None  # its frames hold the rows
        read = counted(verb.opened[-1].rows, "row")
        raise OutOfMemory(
            f" after {read} of the files", ", or give it fewer rows, or fewer columns with --drop or --keep"
        ) from None
    finally:
        _VERB.reset(before)
    for files in verb.opened:
        files.tell_loss()
    understood = [one for files in verb.opened for one in files.understood]
    if options.get("quiet"):
        return
    for one in understood[:3]:
        one.what = verb.described.get(one.path, one.what)
        remark(f"read {one}")
    if len(understood) > 3:
        rows = sum(one.rows for one in understood[3:])
        remark(f"read {counted(len(understood) - 3, 'more file')}, {counted(rows, 'row')}")


def described_as(path: Path, what: str) -> None:
    """Say of a file of the current verb what it is."""
    if verb := _VERB.get():
        verb.described[path] = what


def open_files(
    data: Any,
    errors: str,
    model: Any = None,
    target: str | None = None,
    look: bool = False,
    labelled: bool = True,
) -> Files:
    """Open files by the options of the current verb; with `look`, print nothing about how they were read."""
    from suffice.engines.files import given_of, opened

    verb = _VERB.get() or _Verb()
    options: dict[str, Any] = {name: verb.options.get(name) for name in ("sep", "quote", "header", "encoding")}
    options |= {"missing": verb.options.get("missing") or None}
    if verb.options.get("longest_row") is not None:
        options["longest_row"] = verb.options["longest_row"]
    options |= {name: verb.options.get(name) or () for name in ("drop", "keep")}
    files = opened(data, errors, given_of(**options), model, target, labelled, bool(verb.options.get("strict")))
    if not look:
        verb.opened.append(files)
    return files
