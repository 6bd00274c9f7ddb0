"""Write the outputs of verbs: files, complete or not at all, and lines for people or machines."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import Any

from suffice.cli.interrupts import commit, heed
from suffice.cli.streams import aside, printing, remark
from suffice.errors import InputError
from suffice.store.file_io import replaceable, replacing
from suffice.store.models import pieces
from suffice.tables.opening import matching

__all__ = ["WIDTH", "as_json", "check_output", "note", "save", "say", "write"]

WIDTH = 80
"""Characters of a line, unless names are longer."""


def check_output(output: Path | None, *inputs: Path, option: str = "--output") -> None:
    """Raise if an output cannot be written, or would replace an input."""
    if output is None or str(output) == "-":
        return
    target = replaceable(output)
    for one in (one for given in inputs for one in matching(given)) if target is not None else ():
        if _same(output, one) or _among_texts(target, one):
            raise InputError(
                f"The option '{option}' must not name a file that is read; got {str(output)!r}, which is unchanged."
            )


def _among_texts(target: Path | None, folder: Path) -> bool:
    """Return whether an output file would lie among the texts of an input folder."""
    return target is not None and folder.is_dir() and folder.resolve() in target.parent.parents


def _same(output: Path, one: Path) -> bool:
    """Return whether two paths lead to the same file, including by links."""
    with suppress(OSError):
        if str(one) == "-":
            return os.path.samestat(os.fstat(sys.stdin.fileno()), output.stat())
        if os.path.samefile(output, one):
            return True
    return os.path.realpath(output) == os.path.realpath(one)


def write(*outputs: tuple[Path | None, Iterable[Any]]) -> None:
    """Write bytes to files, all complete before the first replaces an old one; None and - are standard output."""
    with ExitStack() as stack:
        for path, parts in outputs:
            stdout = path is None or str(path) == "-"
            sink = sys.stdout.buffer if stdout else stack.enter_context(replacing(Path(path or "-")))
            for part in parts:
                with printing() if stdout else nullcontext():
                    sink.write(part)
                    if stdout:
                        sink.flush()
        commit()


def save(model: Any, path: Path) -> None:
    """Write a model to a file, as `suffice.save` does."""
    write((path, pieces(model)))


def say(json_wanted: bool, facts: dict[str, Any], *lines: str) -> None:
    """Print the facts as JSON, or the lines for people; on stderr if the output itself is on standard output."""
    heed()
    output = facts.get("model", facts.get("page"))
    said = as_json(facts) if json_wanted else "\n".join(line for line in lines if line)
    if str(output) == "-":
        aside(said)
        return
    again = "; do not repeat the command" if "what" in facts else ""
    with printing(f" The file {output!r} is complete{again}." if output is not None else ""):
        print(said, flush=True)


def note(lines: Iterable[str]) -> None:
    """Print remarks on standard error."""
    for line in lines:
        remark(f"note: {line}")


def as_json(value: Any) -> str:
    """Return standard JSON, with null for numbers that are not finite.

    >>> as_json({"loss": float("inf"), "rows": 3})
    '{"loss": null, "rows": 3}'
    """
    return json.dumps(_plain(value), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return number if math.isfinite(number) else None
