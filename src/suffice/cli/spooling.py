"""Copy standard input, pipes and devices to files, since verbs read rows twice."""

from __future__ import annotations

import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from suffice.cli.outputs import check_output
from suffice.cli.plain_texts import texts_of_lines
from suffice.errors import FileError, InputError

__all__ = ["spooled"]

STDIN = "standard input"
"""The name of the copy of standard input, by which messages call it."""


@contextmanager
def spooled(data: list[Path], output: Path | None = None, *others: Path, model: Any = None) -> Iterator[list[Path]]:
    """Return the files to read, with streams copied to files; raise InputError if the output is one of them.

    If the model reads texts, the lines of standard input may be plain texts.
    """
    check_output(output, *data, *others)
    streams = [path for path in data if _can_be_read_once(path)]
    twice = next((path for path in streams if streams.count(path) > 1), None)
    if twice is not None:
        raise InputError(
            f"The files must name each stream once, since it can be read only once; got {str(twice)!r} twice."
        )
    if not streams:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="suffice-") as folder:
        copies = {path: _copy(path, Path(folder, str(k)), model) for k, path in enumerate(streams)}
        yield [copies.get(path, path) for path in data]


def _can_be_read_once(path: Path) -> bool:
    """Return whether a path leads to standard input, a pipe or a device."""
    if path == Path("-"):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:  # the reader says what is wrong with it
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _copy(path: Path, folder: Path, model: Any) -> Path:
    """Copy a stream into a new folder."""
    folder.mkdir()
    copy = folder / (STDIN if path == Path("-") else path.name)
    try:
        with copy.open("wb") as file:
            if path == Path("-"):
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                with path.open("rb") as stream:
                    shutil.copyfileobj(stream, file)
    except OSError as error:
        what = STDIN.capitalize() if path == Path("-") else f"The file {str(path)!r}"
        raise FileError(f"{what} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    if path == Path("-"):
        texts_of_lines(copy, model)
    return copy
