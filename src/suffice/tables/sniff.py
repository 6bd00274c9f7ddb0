"""Describe how a text of rows is written (its dialect), guess it from the first 256 kB, and split rows by its rules.

Every candidate is tried on the same rows; the one under which most rows have equally many values wins. Options that
are given are not guessed.

The rules are those of RFC 4180, read leniently: a quote that opens a value must be closed before a separator or the end
of the line; a quote that is not is an ordinary character. Arrow splits the rows of files; this code splits their first
rows, and rows where quotes stand in odd places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from suffice.errors import DataError, FileError, InputError
from suffice.later import pa
from suffice.tables.opening import HEAD, checked, decoded, encoding_of
from suffice.tables.parsing import GAPS, MISSING, is_number, reading_of

SAMPLE = 200
"""Number of rows on which separators are tried; everything else is decided by all rows of the head."""
SEPARATORS = (",", "\t", ";", "|", " ")
LONGEST_ROW = 2**26
"""The most bytes of a row, and so of a value, unless the user allows more."""
USUAL = frozenset(
    (
        *("label", "labels", "target", "class", "category", "y", "species", "outcome", "spam", "id", "name", "age"),
        *("text", "texts", "message", "body", "content", "document", "comment", "review", "title", "sex", "date"),
    )
)
"""Words that are often names of columns and rarely values."""
TYPES = frozenset(("c", "d", "s", "t", "i", "string", "continuous", "discrete", "time", "text", "class", "meta"))

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


@dataclass(frozen=True)
class Given:
    """Options given by the user instead of guessed; None means that an option is guessed."""

    sep: str | None = None
    quote: str | None = None
    header: bool | None = None
    encoding: str | None = None
    missing: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    longest_row: int = LONGEST_ROW

    def __post_init__(self) -> None:
        most: Any = self.longest_row
        if not isinstance(most, int) or most < 1:
            raise InputError("longest_row", "be a number of bytes, at least 1", got=most)
        words = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
        if self.sep is not None:
            object.__setattr__(self, "sep", words.get(self.sep, self.sep))
        if self.quote is not None:
            object.__setattr__(self, "quote", {"none": ""}.get(self.quote, self.quote))
        for name, value, least in (("sep", self.sep, 1), ("quote", self.quote, 0)):
            if value is not None and (not least <= len(value) <= 1 or not value.isascii() or value in ("\r", "\n")):
                also = "" if least else ", or 'none'"
                raise InputError(name, f"be one character{also}", got=value)
        if self.encoding is not None:
            object.__setattr__(self, "encoding", checked(self.encoding))


def sniff(head: bytes, given: Given, path: str, complete: bool, expected: tuple[str, ...] = ()) -> Dialect:
    """Guess the dialect of a text from its head; `complete` if that is the whole text, `expected` are column names.

    >>> print(sniff(b"a; b\\n1,5; x\\n2,5; y\\n", Given(), "a.txt", True))
    semicolon-separated, utf-8, header, spaces around values stripped, decimal comma
    """
    encoding = given.encoding or encoding_of(head)
    text = decoded(head, encoding, complete, path)
    newline = "\n" if "\n" in text or "\r" not in text else "\r"
    if not complete:
        text = text[: text.rfind(newline) + 1] or text
    start = Dialect(encoding={"utf-8-sig": "utf-8"}.get(encoding, encoding), newline=newline)
    excel = re.match(r"sep=(.)(?:\r\n|\r|\n)", text)
    if excel:  # a line that Excel writes
        given, text, start = (
            replace(given, sep=given.sep or excel.group(1)),
            text[excel.end() :],
            replace(start, above=1),
        )
    if not text.strip():
        raise FileError(path=path, must="start with a line of column names").but("it is empty")
    best = max(_candidates(text, given, path, start, SAMPLE), key=lambda trial: trial.score)
    if len(best.rows) == SAMPLE and best.dialect.sep:
        best = _candidates(text, replace(given, sep=best.dialect.sep), path, start, len(text))[0]
    elif len(best.rows) == SAMPLE:
        best = _one_column(text, start, given, path, len(text))
    return _completed(best, given, path, expected)


@dataclass(frozen=True)
class _Trial:
    """The first rows under one dialect, and how well it fits."""

    dialect: Dialect
    rows: list[Row]
    score: tuple[float, ...]
    width: int
    agree: float


def _candidates(text: str, given: Given, path: str, start: Dialect, most: int) -> list[_Trial]:
    """Return a trial of each separator, with the quotes that fit it best."""
    trials, usual = [], _usual(path)
    found = [sep for sep in SEPARATORS if sep in text and not (sep == " " and len(text) > HEAD)]  # long lines are prose
    for sep in [given.sep] if given.sep is not None else found or [usual]:
        runs = sep == " " and bool(re.search(r"\S {2,}\S", text[:HEAD]))
        plain = _trial(text, replace(start, sep=sep, quote="", runs=runs), usual, most)
        quotings = [given.quote] if given.quote is not None else ['"', "'"]
        tried = [plain] if given.quote is None or not given.quote else []
        for quote in quotings:
            if quote and quote in text and not (sep == " " and plain.dialect.runs and quote == "'"):
                tried += [_trial(text, one, usual, most) for one in _quoted(text, replace(plain.dialect, quote=quote))]
        trials.append(_better(tried, given) if tried else plain)
    if given.sep is None:
        trials.append(_one_column(text, start, given, path, most))
    return trials


def _usual(path: str) -> str:
    """Return the separator that a file name suggests."""
    return "\t" if re.search(r"\.(tsv|tab)\b", path.lower()) else ","


def _quoted(text: str, dialect: Dialect) -> list[Dialect]:
    """Return the dialect, with spaces if they precede quotes, and a second one with escapes if there are any."""
    sep, quote = re.escape(dialect.sep), re.escape(dialect.quote)
    spaced = replace(dialect, spaces=bool(dialect.sep != " " and re.search(rf"{sep} +{quote}", text)))
    return [spaced, replace(spaced, escape="\\")] if "\\" + dialect.quote in text else [spaced]


def _trial(text: str, dialect: Dialect, usual: str, most: int) -> _Trial:
    """Try a dialect; its score compares rows of equal width (at least two), cleanness, and the usual separator."""
    text = re.sub(r"(?m)^ +| +$", "", text) if dialect.runs else text
    rows = list(islice(split(text, dialect), most))
    widths = Counter(len(row.cells) for row in rows)
    width, many = max(widths.items(), key=lambda item: (item[1], item[0])) if widths else (1, 0)
    first = len(rows[0].cells) if rows else 1
    if first > 1 and widths[first] * 2 >= len(rows):
        width, many = first, widths[first]  # the header decides
    agree = many / max(len(rows), 1)
    if width < 2 or (first == 1 and dialect.sep in ", " and width < 3):
        agree = 0.0
    if dialect.sep == " ":  # text with spaces is prose, unless rows have equal widths and a column of numbers
        even = len(rows) > 1 and agree == 1.0
        if not even or not any(all(is_number(row.cells[j]) for row in rows[1:20]) for j in range(width)):
            agree = 0.0
    others = sum(cell.count(other) for row in rows for cell in row.cells for other in "\t;|" if other != dialect.sep)
    clean = 1.0 - min(1.0, others / max(many * (width - 1), 1))
    prefer = 1.0 if dialect.sep == usual else 0.0 if dialect.sep == " " else 0.5
    prose = 0.6 if dialect.sep == " " else 1.0
    return _Trial(dialect, rows, (round(agree * prose, 2), clean, prefer), width, agree)


def _better(trials: list[_Trial], given: Given) -> _Trial:
    """Choose between trials with and without quotes: quotes count if they are well placed, or if rows need them."""
    best = trials[0]
    for other in trials[1:]:
        quoted, odd = sum(row.quoted for row in other.rows), sum(row.odd for row in other.rows)
        apart = any(
            row.quoted and row.line + 1 < after.line for row, after in zip(other.rows, other.rows[1:], strict=False)
        )
        swallowed = apart and best.agree == 1.0 and not best.dialect.quote and best.width == other.width
        needed = other.agree > best.agree
        names = bool(other.rows) and 1 < len(other.rows[0].cells) == other.rows[0].quoted  # quoted, as a program does
        placed = (quoted > 20 * odd or names) and not swallowed and other.agree >= best.agree
        single = other.dialect.quote == "'" and given.quote is None
        if other.dialect.escape and best.dialect.quote == other.dialect.quote:
            placed = odd < sum(row.odd for row in best.rows) and other.agree >= best.agree  # no escape without a need
        always = len(other.rows) > 2 and all(row.quoted for row in other.rows[1:])
        if needed or (placed and (not single or always)):
            best = other
    return best


def _one_column(text: str, start: Dialect, given: Given, path: str, most: int) -> _Trial:
    """Return the trial of a single column, which wins if rows hardly agree under any separator."""
    found = replace(start, sep="", quote='"' if given.quote is None else given.quote)
    rows = list(islice(split(text, found), most))
    odd, quoted = sum(row.odd for row in rows), sum(row.quoted for row in rows)
    if given.quote is None and odd and quoted <= 20 * odd:
        found = replace(found, quote="")
        rows = list(islice(split(text, found), most))
    least = 0.3 if _usual(path) in LINE_END.split(text, maxsplit=1)[0] else 0.5
    return _Trial(found, rows, (least, 1.0, 1.0), 1, 1.0)


def _completed(best: _Trial, given: Given, path: str, expected: tuple[str, ...]) -> Dialect:
    """Fill in header, names, spaces and decimal comma."""
    rows, width = best.rows, best.width
    above = next((k for k, row in enumerate(rows) if len(row.cells) > 1), 0)  # remarks: rows of one value
    rest = rows[above:]
    if len(rest) < 2 or sum(len(row.cells) == width for row in rest) < 0.95 * len(rest):
        above = 0
    lines, rows = rows[above].line, rows[above:]
    cells = [[cell.strip(" \t") for cell in row.cells] for row in rows]
    trailing = len(cells) > 1 and all(len(row) == len(cells[0]) + 1 and not row[-1] for row in cells[1:])
    named = len(cells) > 1 and not trailing and all(len(row) == len(cells[0]) + 1 for row in cells[1:])
    header = given.header if given.header is not None else trailing or named or _is_header(cells, expected)
    names = tuple(cells[0]) if header else ("",) * max(len(cells[0]), width)
    names = ("row", *names) if named and header else names
    below = 2 if header and _typed_by_orange(cells) else 0
    names = tuple(name or f"c{k}" for k, name in enumerate(names, 1))
    if len(set(names)) < len(names):
        raise DataError(path=path, must="have columns of distinct names").but(f"got {list(names)}")
    body = cells[1 + below :] if header else cells
    raw = [row.cells for row in (rows[1 + below :] if header else rows)]
    spaces = best.dialect.spaces or _padded(raw, best.dialect)
    decimal = "," if best.dialect.sep != "," and _decimal_comma(body) else "."
    quote = best.dialect.quote if given.quote is None else given.quote
    if given.quote is None and not quote and not any(cell[:1] == '"' for row in cells for cell in row):
        quote = '"'
    usual = (*MISSING, *GAPS) if given.missing is None else given.missing
    found = Counter(cell for row in body for cell in row)
    marks = tuple(mark for mark in usual if found[mark])
    return replace(
        best.dialect,
        quote=quote,
        header=header,
        names=names,
        above=best.dialect.above + lines,
        below=below,
        spaces=spaces,
        decimal=decimal,
        trailing=bool(trailing and header),
        marks=marks,
    )


def _is_header(cells: list[list[str]], expected: tuple[str, ...]) -> bool:
    """Return whether the first row holds names: known ones, words above numbers, or words that do not occur below."""
    first, body = cells[0], cells[1:]
    if expected and sum(name in first for name in expected) * 2 >= min(len(expected), len(first)):
        return True
    if not body:
        return True
    columns = [[row[j] for row in body if j < len(row)] for j in range(len(first))]
    votes = 0
    if first == [str(k) for k in range(len(first))] and len(first) > 2 and first not in body:
        return True
    for name, column in islice(zip(first, columns, strict=True), 100):
        holds = reading_of(pa.array(column, pa.string()), None, True, ".").holds
        if name in MISSING[1:] or name in GAPS:
            votes -= 1
        elif holds in ("whole", "real", "flag", "date") and name:
            votes += 2 if reading_of(pa.array([name]), None, True, ".").holds in ("word", "text") else -1
        elif name and holds in ("word", "text"):
            repeated = len(set(column)) < len(column)
            votes -= (name in column) or is_number(name)
            votes += (name.lower() in USUAL and name not in column) or (
                repeated and name not in column and holds != "text"
            )
            votes -= len(name.split()) > 3 and len(name) > 25
    return votes > 0 or (votes == 0 and len(set(first)) == len(first))


def _typed_by_orange(cells: list[list[str]]) -> bool:
    """Return whether two rows below the header give types and roles of columns, as the program Orange writes them."""
    if len(cells) < 4:
        return False
    types, parts = cells[1], cells[2]
    return all(word in TYPES for word in types) and all(not w or w in TYPES for w in parts) and "class" in parts


def _padded(rows: list[list[str]], dialect: Dialect) -> bool:
    """Return whether every value of a column starts, or ends, with a space."""
    if dialect.sep in ("", " ") or len(rows) < 1:
        return False
    for j in range(min(map(len, rows))):
        column = [row[j] for row in rows if row[j]]
        if column and ((j and all(cell[0] == " " for cell in column)) or all(cell[-1] == " " for cell in column)):
            return True
    return False


def _decimal_comma(cells: list[list[str]]) -> bool:
    """Return whether a column has numbers with a comma, and none has them with a point."""
    comma = point = False
    for column in zip(*cells, strict=False):
        known = [cell for cell in column if cell not in MISSING]
        if known and all(re.fullmatch(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?", cell) for cell in known):
            comma |= any("," in cell for cell in known)
        point |= bool(known) and all(re.fullmatch(r"[+-]?\d+\.\d+", cell) for cell in known)
    return comma and not point


def columns_kept(names: tuple[str, ...], given: Given, target: str | None) -> list[str]:
    """Return the names to keep: the target, and those that `keep` and `drop` leave; `drop` may take the target, too.

    >>> columns_kept(("a", "b", "label"), Given(keep=("b",)), "label")
    ['b', 'label']
    """
    for what, listed in (("drop", given.drop), ("keep", given.keep)):
        unknown = [name for name in listed if name not in names]
        if unknown:
            raise InputError(what, "name columns of the file", got=unknown[0])
    return [n for n in names if n not in given.drop and (n == target or not given.keep or n in given.keep)]
