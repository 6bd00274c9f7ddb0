"""Copy standard input to a file, since some verbs read rows twice."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from suffice.cli.outputs import check_output
from suffice.cli.plain_texts import texts_of_lines

__all__ = ["spooled"]


@contextmanager
def spooled(data: list[Path], output: Path | None = None, *others: Path, model: Any = None) -> Iterator[list[Path]]:
    """Return the files to read, with standard input copied to a file; raise InputError if the output is one of them.

    If the model reads texts, the lines of standard input may be plain texts.
    """
    check_output(output, *data, *others)
    if Path("-") not in data:
        yield data
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stdin"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        path = texts_of_lines(path, model)
        yield [path if one == Path("-") else one for one in data]
