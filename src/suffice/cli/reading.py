"""Options that every verb has which reads rows from files: how they are written, in one place for all verbs."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from suffice.tables.files import Files

__all__ = ["open_files", "reads_files", "say_what_was_read"]

OPTIONS: dict[str, tuple[Any, Any]] = {
    "sep": (
        Annotated[str | None, typer.Option("--sep", help="What separates values: a character, or tab; else guessed.")],
        None,
    ),
    "quote": (
        Annotated[str | None, typer.Option("--quote", help="What quotes values: a character, or none; else guessed.")],
        None,
    ),
    "header": (
        Annotated[
            bool | None, typer.Option("--header/--no-header", help="Whether the first row has names of columns.")
        ],
        None,
    ),
    "missing": (
        Annotated[list[str] | None, typer.Option("--missing", help="A word for a missing value; may be repeated.")],
        None,
    ),
    "encoding": (
        Annotated[str | None, typer.Option("--encoding", help="Such as utf-8 or latin-1; else guessed.")],
        None,
    ),
    "drop": (Annotated[list[str] | None, typer.Option("--drop", help="A column to leave out; may be repeated.")], None),
    "keep": (
        Annotated[list[str] | None, typer.Option("--keep", help="A column to read, and no others; may be repeated.")],
        None,
    ),
    "quiet": (Annotated[bool, typer.Option("--quiet", "-q", help="Do not say how files were read.")], False),
}
"""Name, type with help, and default of each."""


def reads_files(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb these options; it gets them as one argument, `reading`."""
    signature = inspect.signature(verb, eval_str=True)
    own = [one for name, one in signature.parameters.items() if name != "reading"]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in OPTIONS.items()
    ]

    @functools.wraps(verb)
    def with_options(*args: Any, **given: Any) -> None:
        verb(*args, reading={name: given.pop(name, default) for name, (_, default) in OPTIONS.items()}, **given)

    with_options.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    return with_options


def open_files(
    data: Any, errors: str, reading: dict[str, Any] | None = None, model: Any = None, target: str | None = None
) -> Files:
    """Files, by the options of the command line."""
    from suffice.engines.columns import opened
    from suffice.tables.files import Given

    told = dict(reading or {})
    told.pop("quiet", None)
    missing, drop, keep = told.pop("missing", None), told.pop("drop", None), told.pop("keep", None)
    given = Given(**told, missing=tuple(missing) if missing else None, drop=tuple(drop or ()), keep=tuple(keep or ()))
    return opened(data, errors, given, model, target)


def say_what_was_read(files: Files, reading: dict[str, Any] | None = None) -> None:
    """One line for each file on stderr, at most four; warns of losses."""
    files.tell_loss()
    if reading is None or reading.get("quiet"):
        return
    for one in files.understood[:3]:
        print(f"suffice: read {one}", file=sys.stderr)
    if len(files.understood) > 3:
        rows = sum(one.rows for one in files.understood[3:])
        print(f"suffice: read {len(files.understood) - 3} more files, {rows:,} rows", file=sys.stderr)
