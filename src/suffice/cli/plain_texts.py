"""Read standard input as texts, one per line: `echo cheap pills | suffice predict mail.suffice -`."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

from suffice.cli.file_options import described_as
from suffice.engines.roles import TEXTS, kind_of_rows

__all__ = ["texts_of_lines"]

NO_TEXT = (b"PAR1", b"ARROW1", b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")
"""First bytes of other formats: Parquet, Arrow, gzip, UTF-16."""
PIECE = 2**20


def texts_of_lines(path: Path, model: Any) -> None:
    """Convert a file of plain texts without a header to JSON lines; leave any other file unchanged."""
    if kind_of_rows(model) != "text" or not _is_plain(path, name := _column(model)):
        return
    table = path.with_name("lines")
    begin, end = json.dumps({name: ""})[:-2], '"}\n'
    with path.open(encoding="utf-8", errors="replace") as lines, table.open("w") as file:
        within = False
        while piece := lines.readline(PIECE):  # a line may be too long to be held
            ended = piece.endswith("\n")
            file.write(("" if within else begin) + json.dumps(piece.removesuffix("\n"))[1:-1] + (end if ended else ""))
            within = not ended
        file.write(end if within else "")
    table.replace(path)
    described_as(path, "lines of text")
    warnings.warn(f"standard input has no column {name!r}, so each of its lines is read as a text.", stacklevel=2)


def _column(model: Any) -> str:
    return getattr(model, "text_column_", None) or "text"


def _is_plain(path: Path, name: str) -> bool:
    """Return whether the first line is a text rather than a header or a JSON object."""
    with path.open("rb") as file:
        first = file.readline(2**20)
    if not first.strip() or b"\0" in first or first.startswith(NO_TEXT):
        return False
    text = first.decode("utf-8-sig", "replace").strip()
    if text.startswith("{") and text.endswith("}"):
        return False
    if re.fullmatch(r"c[0-9]+", name) and "\t" in text:
        return False  # the model was fitted to rows without a header
    names = [one.strip().strip("\"'") for one in re.split(r"[,;\t|]", text)]
    return name not in names and not (len(names) > 1 and {one.lower() for one in names} & set(TEXTS))
