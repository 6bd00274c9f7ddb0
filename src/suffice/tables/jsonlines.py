"""Parse JSON lines into Arrow tables.

A row that is not an object, or has a value that no column can hold, is malformed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from suffice.later import pa
from suffice.tables.column import is_encodable
from suffice.tables.opening import after_line, too_long

LARGEST, DIGITS = 2**63, 40


@dataclass
class JsonLines:
    """The rows of one text of JSON lines."""

    stream: Any
    wanted: Callable[[str], bool]
    fault: Callable[[int, str, str], None]
    """Function to call with the number of a malformed line, its fault, and a hint; it raises, or counts the line."""
    block: int
    longest: int
    """The most bytes of a line."""
    missing: tuple[str, ...] = ()
    sorts: dict[str, str] = field(default_factory=dict)
    """Content of each column: "number", "flag", "word" or "other"."""

    def __iter__(self) -> Iterator[Any]:
        """Yield tables of the selected columns."""
        line, rest = 1, [b""]
        while chunk := self.stream.read(self.block):
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                rest.append(chunk)
                if sum(map(len, rest)) > self.longest:
                    self.fault(line, *too_long(self.longest, "line"))
                    more = iter(lambda: bytes(self.stream.read(self.block)), b"")
                    line, rest = line + 1, [after_line(more, b"\n")]
                continue
            block, rest = b"".join([*rest, chunk[:cut]]), [chunk[cut:]]
            yield self._table(block, line)
            line += block.count(b"\n")
        yield self._table(b"".join(rest), line)

    def _table(self, block: bytes, first: int) -> Any:
        block = block.removeprefix(b"\xef\xbb\xbf") if first == 1 else block
        lines = [(number, text) for number, text in enumerate(block.split(b"\n"), first) if text.strip()]
        found = [(number, text, _loaded(text) if len(text) <= self.longest else None) for number, text in lines]
        self._decide(row for *_, row in found if row is not None)
        rows = []
        for number, text, row in found:
            why = too_long(self.longest, "line") if len(text) > self.longest else ("no JSON object", "")
            if row is not None:
                why = self._checked(row), ""
            if why[0]:
                self.fault(number, *why)
            elif row is not None:
                rows.append(row)
        names = list(dict.fromkeys(name for row in rows for name in row if self.wanted(name)))
        columns: dict[str, Any] = {}
        for name in names:
            values = [row.get(name) for row in rows]
            if any(isinstance(value, float) for value in values):  # then all numbers are
                columns[name] = pa.array([None if value is None else float(value) for value in values], pa.float64())
            else:
                columns[name] = pa.array(values)
        return pa.table(columns)

    def _decide(self, rows: Iterable[dict[str, Any]]) -> None:
        """Decide the content of new columns: words if one value is a word, else numbers, flags or others."""
        fresh: dict[str, set[str]] = {}
        for row in rows:
            for name, value in row.items():
                if name not in self.sorts and value is not None and self.wanted(name):
                    fresh.setdefault(name, set()).add(_sort(value))
        for name, sorts in fresh.items():
            self.sorts[name] = next(sort for sort in ("word", "number", "flag", "other") if sort in sorts)

    def _checked(self, row: dict[str, Any]) -> str:
        """Return the fault of a row, or an empty string; set its missing values to None."""
        for name, value in row.items():
            if value is None or not self.wanted(name):
                continue
            sort, wanted = _sort(value), self.sorts[name]
            if sort == "word" and not value.isascii() and not is_encodable(value):
                return f"half a character (a surrogate) in {name!r}"
            if sort == "number" and isinstance(value, int) and not -LARGEST <= value < LARGEST:
                return f"a whole number of more than 64 bits in {name!r}"
            if sort == "number" and math.isinf(value):
                return f"infinity in {name!r}"
            if (sort == "number" and math.isnan(value)) or (sort == "word" and value in self.missing):
                row[name] = None
            elif sort != wanted and wanted == "word" and sort != "other":
                row[name] = json.dumps(value)
            elif sort != wanted:
                return f"a {_WORDS[sort]} in {name!r}, where others have a {_WORDS[wanted]}"
            elif sort == "other" and not _plain(value):
                return f"a value that no column can hold in {name!r}"
        return ""


def _loaded(text: bytes, whole: Callable[[str], int] | None = None) -> dict[str, Any] | None:
    """Return the JSON object of a line, or None if there is none; `whole` reads whole numbers."""
    try:
        row = json.loads(text, parse_int=whole)
    except (json.JSONDecodeError, UnicodeError, RecursionError):
        return None
    except ValueError:  # a whole number of thousands of digits, of which the first ones show that it is too large
        return _loaded(text, lambda digits: int(digits[:DIGITS]))
    return row if isinstance(row, dict) else None


def _plain(value: Any) -> bool:
    """Return whether Arrow can hold a list or an object."""
    try:
        pa.array([value])
    except (pa.ArrowException, ValueError, OverflowError, RecursionError, TypeError):
        return False
    return True


_WORDS = {"flag": "flag", "number": "number", "word": "string", "other": "list or object"}


def _sort(value: Any) -> str:
    if isinstance(value, str):
        return "word"
    return "flag" if isinstance(value, bool) else "number" if isinstance(value, int | float) else "other"
