"""Parse delimited text into Arrow tables, block by block; rows with quotes in odd places are parsed by `split`.

A block ends where a row ends, so every row has its line number, and all lines are accounted for: rows read, malformed
rows and empty lines add up to the lines of the file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from suffice.errors import FileError
from suffice.later import arrow_csv, pa, pc
from suffice.tables.opening import after_line, encoding_of, too_long, undecodable
from suffice.tables.parsing import Reading, is_number, reading_of
from suffice.tables.sniff import LONGEST_QUOTE, Dialect, Row, clean_end, lines_within, split

FEW = 1000
"""Largest number of distinct values of a column for which words are compared with all values seen."""


@dataclass
class Delimited:
    """The rows of one text.

    `wanted` returns what a model has learned a column to be: "number", "word", or "label", whose words stay as they
    are.
    """

    stream: Any
    dialect: Dialect
    wanted: Callable[[str], str]
    missing: tuple[str, ...] | None
    columns: list[str]
    readings: dict[str, Reading]
    fault: Callable[..., None]
    """Function to call with the number of a malformed line, its fault, and a hint; it raises, or counts the line."""
    block: int
    longest: int
    """The most bytes of a row."""
    exact: bool = True
    """Whether the line number of each malformed row is needed."""
    declared: bool = False
    """Whether the user gave the quote character, which is then not doubted."""
    encoded: bool = False
    """Whether the user gave the encoding."""
    odd: int = 0
    empty: int = 0
    passed: int = 0
    _line: int = 1
    _plain: bool = field(default=True)  # all bytes so far are ASCII
    _legacy: bool = field(default=False)  # bytes turned out to be Windows-1252

    def __iter__(self) -> Iterator[Any]:
        """Yield tables of the selected columns."""
        rest, more, size = b"", True, self.block
        skip = self.dialect.above + self.dialect.header + self.dialect.below
        bytes_ = self._utf8()
        while more or rest:
            if len(rest) > self.longest + 1:  # it may end in half of a line end
                self.fault(self._line, *too_long(self.longest))
                self._line += rest.count(self.dialect.newline.encode()) + 1
                rest = after_line(bytes_, self.dialect.newline.encode())
            chunk = next(bytes_, b"") if size <= self.block else b"".join(_blocks(bytes_, size))
            more, data = bool(chunk), rest + chunk
            if skip:
                data, skip = self._below(data, skip, not more)
                if skip or not data:
                    rest, size = data, 2 * max(size, len(data))
                    if not more:
                        return
                    continue
            before = self._legacy
            table, used = self._table(data, not more)
            rest = data[used:] if before == self._legacy else _legacy(data[used:])
            size = self.block if used else 2 * max(size, len(data))
            if table is not None:
                yield table
            if not more and not used:
                return

    def _utf8(self) -> Iterator[bytes]:
        """Yield the bytes of the text as UTF-8, block by block."""
        name = self.dialect.encoding
        if name == "utf-8":
            first = True
            while data := self.stream.read(self.block):
                self.passed += len(data)
                data = data.removeprefix(codecs.BOM_UTF8) if first else data
                yield _legacy(data) if self._legacy else data
                first = False
            return
        decoder, last = codecs.getincrementaldecoder(name)(), False
        while not last:
            data = self.stream.read(self.block)
            self.passed, last = self.passed + len(data), not data
            try:
                text = str(decoder.decode(data, last))
            except UnicodeError as error:
                why = undecodable(error)
                raise FileError(f"The text cannot be read as {name} near line {self._line}: {why}.").advise(
                    "Give its encoding."
                ) from error
            yield text.encode("utf-8", "surrogatepass")

    def _below(self, data: bytes, skip: int, complete: bool) -> tuple[bytes, int]:
        """Return the text below the header, and the number of header rows that are still to come."""
        text = data.decode("utf-8", "surrogateescape")
        lines = self.dialect.above
        at = 0
        for _ in range(lines):
            found = re.compile(r"[^\r\n]*(\r\n|\r|\n|\Z)").match(text, at)
            at = found.end() if found else len(text)
        rows = split(text[at:], self.dialect, complete)
        end = 0
        for _ in range(skip - lines):
            row = next(rows, None)
            if row is None and not complete:
                return data, skip
            end, self._line = (row.end, lines + row.line + 2) if row else (len(text) - at, self._line)
        return text[at + end :].encode("utf-8", "surrogateescape"), 0

    def _table(self, data: bytes, complete: bool) -> tuple[Any, int]:
        """Return the complete rows of some bytes, and the number of bytes that they take."""
        end, clean = clean_end(data, self.dialect, complete)
        if (self.dialect.spaces or self.dialect.runs) and self.dialect.quote.encode() in data and self.dialect.quote:
            clean = False  # a quote may follow spaces
        if clean and not end:
            if len(data) < self.block + LONGEST_QUOTE or self.dialect.quote.encode() not in data:
                return None, 0
            clean = False
        if not clean:
            return self._carefully(data, complete)
        part = data[:end]
        if len(part) > self.longest:
            ends = np.flatnonzero(np.frombuffer(part, np.uint8) == ord(self.dialect.newline[-1]))
            one = int(np.diff(ends, prepend=-1, append=len(part)).max()) - 1
            longer = lines_within(part, self.dialect) if self.dialect.quote else []
            if max(one, *(end - start for start, end in longer), 0) > self.longest:
                return self._carefully(part, True, end)
        lines = part.count(self.dialect.newline.encode()) + (not part.endswith(self.dialect.newline.encode()))
        table = self._quickly(part, lines)
        return table if isinstance(table, tuple) else (table, end)

    def _quickly(self, part: bytes, lines: int) -> Any:
        """Read rows with Arrow, or with `_carefully` if anything is irregular; return None if there are no rows."""
        names, bad = list(self.dialect.names), []

        def malformed(row: Any) -> str:
            bad.append(row)
            return "skip"

        if self.dialect.runs:
            part = re.sub(rb"(?m)^ +| +(?=\r?$)", b"", re.sub(rb" +", b" ", part))
        quote = self.dialect.quote or False
        several = bool(quote) and self.dialect.quote.encode() in part
        given = [*names, "\0trailing"] if self.dialect.trailing else names
        parse = {"delimiter": self.dialect.sep or "\x1f", "quote_char": quote, "newlines_in_values": several}
        parse["escape_char"] = self.dialect.escape or False
        read = {"column_names": given, "block_size": max(len(part) + 1, 2**16)}
        quick = arrow_csv.ReadOptions(**read), arrow_csv.ParseOptions(**parse)
        # Threads of Arrow's own that call Python can outlive the call, so there are none where rows may be malformed.
        slow = (
            arrow_csv.ReadOptions(**read, use_threads=False),
            arrow_csv.ParseOptions(**parse, invalid_row_handler=malformed),
        )
        words = dict.fromkeys(names, pa.string())
        known = {
            name: self.readings[name].type or pa.string() if name in self.readings else pa.string()
            for name in self.columns
        }
        nulls = {word for one in self.readings.values() if one.type is not None for word in one.missing}
        nulls |= {" " + word for word in nulls} if self.dialect.spaces else set()
        way = quick
        while True:
            convert = arrow_csv.ConvertOptions(
                column_types=known,
                null_values=sorted(nulls),
                strings_can_be_null=False,
                include_columns=self.columns,
            )
            bad.clear()
            try:
                table = arrow_csv.read_csv(pa.BufferReader(part), *way, convert)
                numbers = [column for column in table.columns if pa.types.is_floating(column.type)]
                if known is words or not any(pc.any(pc.is_inf(column)).as_py() for column in numbers):
                    break  # Arrow reads infinity
                known = words
            except pa.ArrowInvalid as error:
                if "UTF8" in str(error):
                    return self._carefully(self._readable(part), True, len(part))
                if "Empty CSV" in str(error) or not part.strip():
                    self.empty += lines
                    return None
                if way is quick and "parse error" in str(error):
                    way = slow
                elif known is words:
                    raise
                else:
                    known = words
        bad = [row for row in bad if row.text.strip()]
        if bad and (self.exact or any("\n" in row.text or "\r" in row.text for row in bad)):
            return self._carefully(part, True, len(part))
        for row in bad:
            self.fault(0, *self._width(row.actual_columns))
        self._plain = self._plain and part.isascii()
        self.empty += lines - table.num_rows - len(bad)
        if several and table.num_rows + len(bad) < lines:
            longer = lines_within(part, self.dialect)
            plain = self._swallowed(part, table, longer) if not self.declared else frozenset()
            if plain:
                self.empty -= lines - table.num_rows - len(bad)
                return self._carefully(part, True, len(part), plain)
            self.empty -= sum(part.count(self.dialect.newline.encode(), *row) for row in longer)
        one_by_one = table.num_rows == lines
        found = self._typed(table, range(self._line, self._line + lines) if one_by_one else lambda: self._lines(part))
        self._line += lines
        return found

    def _lines(self, part: bytes) -> list[int]:
        """Return the line number of each row."""
        text = part.decode("utf-8", "replace")
        return [self._line + row.line for row in split(text, self.dialect) if len(row.cells) == self.dialect.width]

    def _width(self, found: int) -> tuple[str, str]:
        """Return a description of a row that has the wrong number of values."""
        whose = "its header has" if self.dialect.header else "most rows have"
        return f"{found} value{'s' * (found != 1)}", f", where {whose} {self.dialect.width}"

    def _readable(self, data: bytes) -> bytes:
        """Convert bytes that are not UTF-8 from Windows-1252 if all before were ASCII; otherwise leave them damaged."""
        if self._plain and not self.encoded and encoding_of(data) != "utf-8":
            self.dialect, self._legacy = replace(self.dialect, encoding="cp1252"), True
            return _legacy(data)
        return data

    def _carefully(
        self, data: bytes, complete: bool, size: int | None = None, plain: frozenset[int] = frozenset()
    ) -> tuple[Any, int]:
        """Read rows one by one."""
        text = data.decode("utf-8", "surrogateescape")
        if plain and not data.isascii():
            plain = frozenset(len(data[:at].decode("utf-8", "surrogateescape")) for at in plain)
        rows: list[Row] = []
        faults: list[tuple[Any, ...]] = []
        lines, used, width = 0, 0, self.dialect.width
        if self.dialect.runs:
            text = re.sub(r"(?m)^ +| +$", "", text)
        for row in split(text, self.dialect, complete, plain):
            self.odd += row.odd
            used, lines = row.end, row.line + 1
            why = None
            if len(row.cells) != width:
                what, where = self._width(len(row.cells))
                half = (cell.lstrip(" ").startswith('"') and cell.count('"') == 1 for cell in row.cells)
                if row.odd > 0 if self.dialect.quote or self.declared else any(half):
                    where += ": a value begins with a quote that is not closed"
                why = what, where
            elif 4 * (row.end - row.start) > self.longest and _size(text[row.start : row.end]) > self.longest:
                why = too_long(self.longest)
            elif any("\udc80" <= letter <= "\udcff" for cell in row.cells if not cell.isascii() for letter in cell):
                why = f"bytes that are not {self.dialect.encoding}", ""
            if why is not None:
                faults.append((self._line + row.line, *why))
            else:
                rows.append(row)
        cells = list(zip(*(row.cells for row in rows), strict=True)) if rows else [()] * width
        place = {name: k for k, name in enumerate(self.dialect.names)}
        table = pa.table({name: pa.array(cells[place[name]], pa.string()) for name in self.columns})
        self._plain = self._plain and data.isascii()
        found = self._typed(table, [self._line + row.line for row in rows], faults)
        self._line += lines if not complete else data.count(self.dialect.newline.encode())
        return found, (size or len(data)) if complete else len(text[:used].encode("utf-8", "surrogateescape"))

    def _typed(
        self,
        table: Any,
        lines: Sequence[int] | Callable[[], Sequence[int]],
        others: Sequence[tuple[Any, ...]] = (),
    ) -> Any:
        """Convert words to the types of their columns; rows where this fails are malformed, in addition to `others`.

        Return None if there are no rows.
        """
        faults = list(others)
        keep = np.ones(table.num_rows, np.bool_)
        columns = {}
        for name in table.column_names if table.num_rows else []:
            words = table[name]
            if words.type != pa.string():
                columns[name] = words
                continue
            reading = self._reading(name, words)
            columns[name], good = reading.read(words)
            if reading.holds == "whole" and columns[name].type == pa.float64():
                self.readings[name] = replace(reading, holds="real")
            if good is not None:
                lines = lines() if callable(lines) else lines
                bad = np.flatnonzero(~good & keep).tolist()
                gaps = self._gaps(table) if bad else []
                for at, word in ((at, words[at].as_py().strip()) for at in bad):
                    others_are = f", where others are {self.readings[name].what}"
                    faults.append((lines[at], f"{word!r} in column {name!r}", others_are, [*gaps, word]))
                keep &= good
        for one in sorted(faults, key=lambda fault: fault[0]):
            self.fault(*one)
        if not table.num_rows:
            return None
        found = pa.table(columns) if columns else table
        return found if keep.all() else found.filter(pa.array(keep))

    def _gaps(self, table: Any) -> list[str]:
        """Return the words of these rows that are read as missing values."""
        found = dict[str, None]()
        for name, words in zip(table.column_names, table.columns, strict=True):
            if words.type == pa.string():
                there = set(words.unique().to_pylist()) - {""}
                found |= dict.fromkeys(word for word in self._reading(name, words).missing if word in there)
        return list(found)

    def _reading(self, name: str, words: Any) -> Reading:
        """Return how to read a column, decided by its first words."""
        if name not in self.readings:
            wanted = self.wanted(name)
            if wanted == "label":
                found = Reading("word", spaces=self.dialect.spaces, missing=("", *(self.missing or ())))
            else:
                found = reading_of(words, self.missing, self.dialect.spaces, self.dialect.decimal, wanted)
            self.readings[name] = found
        return self.readings[name]

    def _swallowed(self, part: bytes, table: Any, longer: list[tuple[int, int]]) -> frozenset[int]:
        """Return the places of quotes that open a value of several lines, each of which is a row by itself."""
        width, sep = self.dialect.width, self.dialect.sep.encode()
        if width < 2:
            return frozenset()
        known: list[Callable[[str], bool] | None] = []
        """Whether a word may be a value of each column; None if that is unknown."""
        for name in self.dialect.names:
            column = table[name] if name in table.column_names else None
            if column is None or column.type != pa.string():
                known.append(None if column is None else is_number)
                continue
            values = column.unique()
            few = len(values) <= min(FEW, len(column) / 5)
            known.append({*values.to_pylist()}.difference({None, ""}).__contains__ if few else None)
        places = []
        for start, end in longer:
            lines = part[start:end].split(self.dialect.newline.encode())
            if all(line.count(sep) == width - 1 for line in lines) and any(known):
                rows = [line.decode("utf-8", "replace").rstrip("\r").split(self.dialect.sep) for line in lines]
                if all(kind(cell) for row in rows for kind, cell in zip(known, row, strict=False) if kind):
                    quote = self.dialect.quote.encode()
                    places.append(start + lines[0].replace(quote * 2, b"  ").rfind(quote))
        return frozenset(places)


def _size(row: str) -> int:
    """Return the number of bytes of a row, without the end of its line."""
    return len(row.rstrip("\r\n").encode("utf-8", "surrogateescape"))


def _legacy(data: bytes) -> bytes:
    """Return bytes of Windows-1252, or of Latin-1, as UTF-8."""
    try:
        return data.decode("cp1252").encode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()


def _blocks(parts: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield parts until they have `size` bytes in all."""
    done = 0
    for part in parts:
        yield part
        done += len(part)
        if done >= size:
            return
