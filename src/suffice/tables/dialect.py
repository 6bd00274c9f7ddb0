"""Describe how a text of rows is written (its dialect), and split it into rows and cells by these rules.

The rules are those of RFC 4180, read leniently: a quote that opens a value must be closed before a separator or the end
of the line; a quote that is not is an ordinary character. Arrow splits the rows of files; this code splits their first
rows, and rows where quotes stand in odd places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

__all__ = ["LINE_END", "NAMES_OF_SEPARATORS", "Dialect", "Row", "clean_end", "lines_within", "split"]

NAMES_OF_SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe", " ": "space", "": "nothing"}
LINE_END = re.compile(r"\r\n|\r|\n")
LONGEST_QUOTE = 2**20
"""Characters after which a quote that is not closed is an ordinary character."""


@dataclass(frozen=True)
class Dialect:
    """The way in which the rows of a text are written.

    >>> print(Dialect(sep=";", names=("a", "b"), decimal=","))
    semicolon-separated, utf-8, header, decimal comma
    """

    sep: str = ","
    quote: str = '"'
    escape: str = ""
    header: bool = True
    encoding: str = "utf-8"
    names: tuple[str, ...] = ()
    spaces: bool = False
    """Whether values are padded with spaces, which do not belong to them."""
    runs: bool = False
    """Whether consecutive separators count as one."""
    decimal: str = "."
    newline: str = "\n"
    above: int = 0
    """Number of lines above the header, or above the first row, that are not rows."""
    below: int = 0
    """Number of lines below the header that are not rows."""
    trailing: bool = False
    """Whether rows end in a separator that the header lacks."""
    marks: tuple[str, ...] = ()
    """Values of the first rows that mean a missing value."""

    def __str__(self) -> str:
        quoting = {'"': "", "": "quotes are plain characters"}.get(self.quote, f"quoted by {self.quote}")
        facts = [
            "one column" if not self.sep else f"{NAMES_OF_SEPARATORS.get(self.sep, repr(self.sep))}-separated",
            self.encoding,
            "header" if self.header else "no header",
            f"{self.above} lines above it left out".replace("1 lines", "1 line") if self.above else "",
            f"{self.below} lines below it left out" if self.below else "",
            quoting,
            "backslash escapes" if self.escape else "",
            "spaces around values stripped" if self.spaces else "",
            "decimal comma" if self.decimal == "," else "",
        ]
        return ", ".join(fact for fact in facts if fact)

    @property
    def width(self) -> int:
        """Number of values in a row."""
        return len(self.names) + self.trailing

    @cached_property
    def cell(self) -> re.Pattern[str]:
        """Pattern of a value, quoted or not, and of its end."""
        sep = re.escape(self.sep) + ("+" if self.runs else "")
        ends = rf"{sep}|\r\n|\r|\n|\Z" if self.sep else r"\r\n|\r|\n|\Z"
        plain = rf"([^{re.escape(self.sep)}\r\n]*+)({ends})"
        if not self.quote:
            return re.compile("(?:(?!)()|)" + plain)
        q, pad = re.escape(self.quote), "[ ]*+" if self.spaces and self.sep != " " else ""
        inner = rf"[^{q}]*+(?:{q}{q}[^{q}]*+)*+"
        if self.escape:
            inner = rf"[^{q}\\]*+(?:(?:\\.|{q}{q})[^{q}\\]*+)*+"
        return re.compile(rf"(?:{pad}{q}({inner}){q}{pad}(?={ends})|){plain}", re.DOTALL)


class Row(NamedTuple):
    """A row: its cells, its first line (from 0), where it starts and ends, and its numbers of quoted and odd values."""

    cells: list[str]
    line: int
    start: int
    end: int
    quoted: int
    odd: int
    """Number of values that start with a quote but are not quoted."""


def split(text: str, dialect: Dialect, complete: bool = True, plain: Set[int] = frozenset()) -> Iterator[Row]:
    """Yield the rows of a text; if it continues elsewhere (`complete=False`), only those that are complete.

    Quotes at the places `plain` are ordinary characters. Blank lines are not rows.
    """
    quote, pattern, bare = dialect.quote, dialect.cell, replace(dialect, quote="").cell
    cells: list[str] = []
    at = start = line = first = quoted = odd = 0
    while at < len(text) or cells:
        found = (bare if at in plain else pattern).match(text, at)
        inside, value, end = found.group(1, 2, 3) if found is not None else (None, "", "")
        if inside is not None:
            quoted += 1
            line += len(LINE_END.findall(inside)) if "\n" in inside or "\r" in inside else 0
            value = inside.replace(quote * 2, quote)
            value = re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) if dialect.escape else value
        elif quote and value.lstrip(" ").startswith(quote):
            odd += 1
            if not complete and at not in plain and len(text) - at < LONGEST_QUOTE and _open(text, at, dialect):
                return  # the rest of the text may close it
        cells.append(value)
        at = found.end() if found is not None else len(text)
        if end and end[0] not in "\r\n":
            continue
        if not end and not complete:
            return
        if len(cells) > 1 or cells[0].strip():
            yield Row(cells, first, start, at, quoted, odd)
        line += 1
        cells, start, first, quoted, odd = [], at, line, 0, 0
        if not end:
            return


def _open(text: str, at: int, dialect: Dialect) -> bool:
    """Return whether a value that starts with a quote lacks a quote that could close it."""
    start = text.index(dialect.quote, at) + 1
    rest = text.find(dialect.quote, start)
    while rest >= 0 and text[rest : rest + 2] == dialect.quote * 2:
        rest = text.find(dialect.quote, rest + 2)
    return rest < 0 or rest + 1 >= len(text)


def clean_end(data: bytes, dialect: Dialect, complete: bool) -> tuple[int, bool]:
    """Return where the last complete row ends, and whether all quotes up to there open, close or are doubled."""
    newline = dialect.newline.encode()
    if not dialect.quote or dialect.quote.encode() not in data:
        return (len(data) if complete else data.rfind(newline) + 1), True
    masked = re.sub(rb"\\.", b"  ", data, flags=re.DOTALL) if dialect.escape else data
    bytes_ = np.frombuffer(masked, np.uint8)
    at = np.flatnonzero(bytes_ == ord(dialect.quote))
    before = np.where(at > 0, bytes_[at - 1], 10)
    after = np.where(at < len(bytes_) - 1, bytes_[np.minimum(at + 1, len(bytes_) - 1)], 10)
    quote, edges = ord(dialect.quote), np.zeros(256, np.bool_)
    edges[[10, 13, quote, *dialect.sep.encode()]] = True
    good = np.where(np.arange(len(at)) % 2 == 0, edges[before], edges[after])
    if complete:
        return len(data), bool(good.all()) and len(at) % 2 == 0
    end, rank = data.rfind(newline) + 1, len(at)
    while end > 0:
        rank = int(np.searchsorted(at, end))
        if rank % 2 == 0:
            break
        end = masked.rfind(newline, 0, int(at[rank - 1])) + 1
    return end, bool((good[:rank] if end else good).all())


def lines_within(data: bytes, dialect: Dialect) -> list[tuple[int, int]]:
    """Return the starts and ends of rows that span several lines, given that all quotes are well placed."""
    bytes_ = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(bytes_ == ord(dialect.quote))
    ends = np.flatnonzero(bytes_ == ord(dialect.newline[-1]))
    inside = np.searchsorted(quotes, ends) % 2 == 1
    outer = np.concatenate([[-1], ends[~inside], [len(data)]])
    rows = np.unique(np.searchsorted(outer, ends[inside]))
    return [(int(outer[k - 1]) + 1, int(outer[k])) for k in rows]
