"""Read files of any size in batches of rows: delimited text, JSON lines, Parquet, Arrow, and folders.

The dialect of a text is sniffed (`sniff`), unless it is given. Rows that cannot be read raise an error with their file
and line, or are skipped and counted; no row is dropped silently.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from suffice.errors import FileError, InputError, PathError
from suffice.later import ipc, pa, pc, pq
from suffice.tables.delimited import Delimited
from suffice.tables.jsonlines import JsonLines
from suffice.tables.opening import (
    HEAD,
    PACKED,
    Behind,
    encoding_of,
    head_of,
    inside,
    kind_of_file,
    matching,
    opened,
    partitions,
    rows_in,
    seekable,
    too_long,
    undecodable,
    unfollowed,
)
from suffice.tables.parsing import Reading
from suffice.tables.sniff import Dialect, Given, columns_kept, sniff
from suffice.telling import counted, listed, tell

__all__ = ["Files", "Given"]

BLOCK, ROWS = 2**22, 2**16
"""Bytes, or rows, in a batch."""
LARGER, MOST_BYTES = 4, 2**25
"""Factor by which batches of Parquet grow after the first one, and the number of bytes that limits it."""
KINDS = {"word": "text", "number": "numeric"}
"""What columns are called where they are counted."""
LOUD = 0.01
"""Share of skipped rows above which a warning is given."""
_KINDS = {"jsonl": "JSON lines", "parquet": "Parquet", "arrow": "Arrow", "csv": "delimited text"}


@dataclass
class Understood:
    """The format and contents that were found in one file."""

    path: Path
    what: str
    dialect: Dialect | None = None
    rows: int = 0
    skipped: int = 0
    target: str | None = None
    guessed: bool = False  # the target, from its name
    holds: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        many = Counter(KINDS.get(kind, kind) for name, kind in self.holds.items() if name != self.target)
        kinds = ", ".join(counted(count, f"{kind} column") for kind, count in many.items())
        facts = [
            str(self.dialect or _KINDS.get(self.what, self.what)),
            counted(self.rows, "row") + (f" and {self.skipped:,} skipped" if self.skipped else ""),
            f"target {self.target!r}{', guessed' * self.guessed}" if self.target is not None else "",
            kinds,
            f"missing: {', '.join(map(repr, self.dialect.marks)) or 'none seen'}" if self.dialect else "",
            *self.notes,
        ]
        name = "standard input" if str(self.path) == "-" else self.path.name
        return f"{name}: " + "; ".join(fact for fact in facts if fact)


@dataclass
class Files:
    """Files of rows, read batch by batch.

    `label` returns the name of the column of labels, whose words stay as they are. `wanted` maps other columns to what
    a model has learned them to be: "number" or "word".

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "cities.csv"
    >>> _ = path.write_text("city;age\\nOslo;31\\nRome;?\\n")
    >>> files = Files([path])
    >>> next(iter(files)).to_pydict()
    {'city': ['Oslo', 'Rome'], 'age': [31, None]}
    >>> print(files.understood[0])
    cities.csv: semicolon-separated, utf-8, header; 2 rows; 1 text column, 1 numeric column; missing: '?'
    """

    paths: list[Path]
    errors: str = "raise"
    given: Given = field(default_factory=Given)
    label: Callable[[list[str]], str | None] = lambda names: None
    wanted: dict[str, str] = field(default_factory=dict)
    expected: tuple[str, ...] = ()  # names that a header should have
    labelled: bool = True  # whether rows without a label are of no use
    needed: tuple[str, ...] | None = None  # columns of every file; if empty, those of the first one
    skipped: int = 0
    rows: int = 0
    read: int = 0  # bytes read so far
    understood: list[Understood] = field(default_factory=list)
    readings: dict[str, Reading] = field(default_factory=dict)
    fault: str = ""  # of the first row that was skipped
    names: list[str] = field(default_factory=list)  # columns of the first file, known even if it has no rows
    folders: dict[Path, dict[str, Any]] = field(default_factory=dict)  # columns that the folders of a file add
    remarks: dict[Path, list[str]] = field(default_factory=dict)  # on what else was found beside a file
    _share: float = 0.0  # share of the current file that was read
    _warned: bool = False
    _hint: tuple[str, str] | None = None  # how to read the first row that was skipped
    _whose: str = "the model has learned"  # the needed columns

    def __post_init__(self) -> None:
        if self.errors not in ("raise", "skip"):
            raise InputError("errors", "be 'raise' or 'skip'", got=self.errors)
        given = [Path(path) for path in self.paths]
        if not given:
            raise InputError("paths", "name at least one file").but("got none")
        self.paths = []
        for path in given:
            found = matching(path)
            if not found:
                raise PathError(f"No file matches {str(path)!r}.")
            if str(path) != "-" and not found[0].exists():
                raise PathError(f"The file {str(path)!r} does not exist.")
            for one in found:
                files, remarks = rows_in(one) if one.is_dir() else ([], [])
                self.remarks |= dict.fromkeys(files[:1], remarks)
                self.paths += files or [one]  # a folder without files of rows holds texts
        self.folders = self.folders or partitions(
            [path for path in self.paths if not path.is_dir()],
            lambda name: self.label([name]) == name or self.wanted.get(name) == "word",
            {*self.wanted, *self.expected} if self.paths == given and len(given) == 1 else None,
        )

    @property
    def size(self) -> int:
        """Size of all files in bytes."""
        return sum(file.stat().st_size for path in self.paths for file in inside(path)[0])

    def __iter__(self) -> Iterator[Any]:
        """Yield batches as Arrow tables."""
        before = 0
        for path in self.paths:
            size = sum(file.stat().st_size for file in inside(path)[0])
            for table in self._complete(path):
                self.read = before + round(size * min(self._share, 1.0))
                understood_file = self.understood[-1]
                if table.num_rows:
                    if not understood_file.rows:
                        understood_file.target = self.label(table.column_names)
                        understood_file.guessed = self.label([]) is None
                        understood_file.holds = {name: self._holds(table, name) for name in table.column_names}
                    understood_file.rows += table.num_rows
                    self.rows += table.num_rows
                    yield table
            before += size
            self.read, self._share = before, 0.0

    def _complete(self, path: Path) -> Iterator[Any]:
        """Yield the batches of a file; raise InputError if it lacks columns that are needed.

        Rows of JSON lines need not have the same columns, so that only all of them show what is lacking.
        """
        found, text = dict[str, None](), False
        for read in self._batches(path):
            table = self._with_folders(path, read)
            found |= dict.fromkeys(table.column_names)
            text = self.understood[-1].what == "jsonl"
            if not text:
                self._check_needed(path, found)
            yield table
        if text:
            self._check_needed(path, found)

    def _check_needed(self, path: Path, found: dict[str, None]) -> None:
        if self.needed is None:
            return
        if not self.needed:
            self.needed, self._whose = tuple(found), "the first file has"
        lacking = [name for name in self.needed if name not in found]
        if lacking:
            shown = listed(map(repr, lacking))
            raise InputError(path=path, must=f"have every column that {self._whose}").but(f"it lacks {shown}")

    def skip(self, rows: int, why: str, read: bool = False) -> None:
        """Count rows as skipped; `read` tells whether they were counted as read before."""
        self.skipped, self.rows = self.skipped + rows, self.rows - rows * read
        self.fault = self.fault or why
        if self.understood:
            self.understood[-1].skipped += rows
            self.understood[-1].rows -= rows * read

    def tell_loss(self) -> None:
        """Warn if more than one row in a hundred was skipped."""
        if not self._warned and self.skipped > LOUD * (self.rows + self.skipped):
            self._warned = True
            share = self.skipped / (self.rows + self.skipped)
            rows = f"{self.skipped:,} of {self.rows + self.skipped:,} rows ({share:.1%})"
            python, shell = self._hint or ("", "")
            tell(f"{rows} were skipped; the first has {self.fault}.", python=python, shell=shell)

    def _holds(self, table: Any, name: str) -> str:
        kind, types = table.schema.field(name).type, pa.types
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
            return "number"
        if types.is_boolean(kind) or types.is_temporal(kind):
            return "flag" if types.is_boolean(kind) else "date"
        return "text" if name in self.readings and self.readings[name].holds == "text" else "word"

    def _batches(self, path: Path) -> Iterator[Any]:
        kind = kind_of_file(path)
        readers: dict[str, Callable[[Path], Iterator[Any]]] = {
            "csv": self._csv,
            "jsonl": self._jsonl,
            "parquet": self._parquet,
            "arrow": self._arrow,
            "folder": self._folder,
        }
        self.understood.append(Understood(path, kind, notes=list(self.remarks.get(path, ()))))
        try:
            yield from readers[kind](path)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OSError, UnicodeError) as error:
            why, what = str(error).splitlines()[0].rstrip("."), _KINDS.get(kind, kind)
            if isinstance(error, UnicodeError):
                why, what = undecodable(error), self.given.encoding or what
            raise FileError(f"The file {str(path)!r} cannot be read as {what}: {why}.") from error

    def _target(self, names: list[str]) -> str | None:
        """Return the column of labels; raise InputError if it is dropped where it is needed."""
        target = self.label(names)
        if self.labelled and target in self.given.drop:
            raise InputError("drop", "name columns other than the column of labels", got=target)
        return target

    def _is_wanted(self, name: str, target: str | None) -> bool:
        return name not in self.given.drop and (name == target or not self.given.keep or name in self.given.keep)

    def _with_folders(self, path: Path, table: Any) -> Any:
        """Return a table with the columns that the names of the file's folders add; those of the file come first."""
        more = {name: one for name, one in self.folders.get(path, {}).items() if name not in table.column_names}
        target = self.label([*table.column_names, *more])
        for name, value in more.items():
            if self._is_wanted(name, target):
                table = table.append_column(name, pa.repeat(value[0], table.num_rows))
        return table

    def _columns(self, path: Path, names: Sequence[str]) -> tuple[str | None, list[str]]:
        """Return the column of labels, and the columns to read from a file with these names."""
        every = tuple(dict.fromkeys((*names, *self.folders.get(path, {}))))
        target = self._target(list(every))
        return target, [name for name in columns_kept(every, self.given, target) if name in names]

    def _malformed(self, path: Path) -> Callable[[int, str, str], None]:
        """Return the function that raises for a malformed row, or skips it."""

        def fault(line: int, what: str, more: str = "", missing: Sequence[str] = ()) -> None:
            where = f" in line {line}" if line else ""
            usual = ", in place of the usual words (?, NA, …)" if self.given.missing is None else ""
            reads = f"reads it as a missing value{usual}; " if missing else ""
            python = f"missing={missing} {reads}" if missing else ""
            shell = "".join(f"--missing {word!r} " for word in missing) + reads
            if self.errors == "raise":
                raise FileError(f"The file {str(path)!r} has {what}{where}{more}.", path=path).advise(
                    python=f"{python}errors='skip' leaves such rows out.",
                    shell=f"{shell}--errors skip leaves such rows out.",
                )
            self._hint = self._hint or (f"{python[:-2]}." if python else "", f"{shell[:-2]}." if shell else "")
            self.skip(1, f"{what}{where} of {path.name!r}{more}")

        return fault

    def _csv(self, path: Path) -> Iterator[Any]:
        with opened(path) as stream:
            given, understood_file = self.given, self.understood[-1]
            head = head_of(stream, given.longest_row)
            if len(head) > given.longest_row and not re.search(rb"[\r\n]", head):
                what, why = too_long(given.longest_row, "first line")
                raise FileError(f"The file {str(path)!r} has {what}{why}.")
            expected = (*self.wanted, *self.expected, *given.keep, *given.drop)
            understood_file.dialect = sniff(head, given, str(path), len(head) < HEAD, expected)
            target, columns = self._columns(path, understood_file.dialect.names)
            self.names = self.names or columns
            rows = Delimited(
                Behind(head, stream),
                understood_file.dialect,
                lambda name: "label" if name == target else self.wanted.get(name, ""),
                given.missing,
                columns,
                self.readings,
                self._malformed(path),
                BLOCK,
                given.longest_row,
                exact=self.errors == "raise",
                declared=given.quote is not None,
                encoded=given.encoding is not None,
            )
            size = path.stat().st_size if path.suffix not in PACKED and str(path) != "-" else 0
            for table in rows:
                self._share = rows.passed / size if size else 0.0
                yield table
            understood_file.dialect = rows.dialect
            if rows.empty:
                understood_file.notes.append(f"{counted(rows.empty, 'empty line')} left out")
            if rows.odd and rows.dialect.quote:
                understood_file.notes.append(f"{counted(rows.odd, 'quote')} in odd places taken as plain characters")

    def _jsonl(self, path: Path) -> Iterator[Any]:
        given, target = self.given, self._target([])
        with opened(path) as stream:
            head = head_of(stream, given.longest_row)
            encoding, text = given.encoding or encoding_of(head), Behind(head, stream)
            utf8: Any = text if encoding.startswith("utf-8") else codecs.EncodedFile(text, "utf-8", encoding)
            yield from JsonLines(
                utf8,
                lambda name: self._is_wanted(name, target),
                self._malformed(path),
                BLOCK,
                given.longest_row,
                given.missing or (),
            )

    # --- binary files

    def _refuse_long(self, path: Path, parquet: Any, wanted: list[str]) -> None:
        """Raise FileError, before values are read, if the sizes of their columns prove that one is too long."""
        most = self.given.longest_row
        for k in range(parquet.num_row_groups):
            group = parquet.row_group(k)
            for column in map(group.column, range(parquet.num_columns)):
                allowed = 4 * (most + 128) * (column.num_values + 1)  # headers of pages repeat values
                name = column.path_in_schema
                strings = name in wanted and column.physical_type == "BYTE_ARRAY"
                if strings and column.total_uncompressed_size > allowed:
                    what, why = too_long(most, "value")
                    raise FileError(f"The file {str(path)!r} has {what} in column {name!r}{why}.")

    def _short(self, path: Path, table: Any, before: int) -> Any:
        """Return the rows whose values are short enough; the table begins `before` rows into the file."""
        most = self.given.longest_row
        for name in table.column_names:
            column = table[name]
            strings = ("string", "large_string", "binary", "large_binary")  # whose lengths Arrow can tell
            if column.nbytes <= most or not any(getattr(pa.types, f"is_{name}")(column.type) for name in strings):
                continue
            long = pc.fill_null(pc.greater(pc.binary_length(column), most), False)
            for row in np.flatnonzero(long.to_numpy()).tolist():
                what, why = too_long(most, "value")
                self._malformed(path)(0, f"{what} in column {name!r}, row {before + row + 1:,}", why)
            table = table.filter(pc.invert(long))
        return table

    def _parquet(self, path: Path) -> Iterator[Any]:
        with pq.ParquetFile(seekable(path), pre_buffer=False, buffer_size=2**20) as file:
            _, wanted = self._columns(path, file.schema_arrow.names)
            self.names = self.names or wanted
            rows = 0
            self._refuse_long(path, file.metadata, wanted)
            groups = (file.metadata.row_group(k) for k in range(file.metadata.num_row_groups))
            size = sum(int(group.total_byte_size) for group in groups)
            each = max(8, 8 * int(file.metadata.num_columns), size // max(int(file.metadata.num_rows), 1))
            together = max(ROWS, min(LARGER * ROWS, MOST_BYTES // each))  # by the size of a row in the file
            for batch in file.iter_batches(batch_size=together, columns=wanted):
                table, first = self._short(path, pa.table(batch), rows), ROWS if not rows else batch.num_rows
                for part in (table.slice(0, first), table.slice(first)):
                    rows += part.num_rows
                    self._share = rows / max(file.metadata.num_rows, 1)
                    yield part

    def _arrow(self, path: Path) -> Iterator[Any]:
        with pa.memory_map(str(path)) if str(path) != "-" else seekable(path) as source:
            try:
                reader = ipc.open_file(source)
                parts: Iterable[Any] = (reader.get_batch(k) for k in range(reader.num_record_batches))
            except pa.ArrowInvalid:
                source.seek(0)
                reader = parts = ipc.open_stream(source)
            self.names = self.names or list(reader.schema.names)
            rows = 0
            for batch in parts:
                table = self._short(path, pa.table(batch), rows)
                rows += batch.num_rows
                yield table.select(self._columns(path, table.column_names)[1])

    def _folder(self, path: Path) -> Iterator[Any]:
        """Yield the texts in a folder of folders; the name of the inner folder is the label."""
        texts: list[str] = []
        labels: list[str] = []
        size = 0
        found, outside = inside(path)
        if outside:
            self.understood[-1].notes.append(unfollowed(outside))
        for file in found:
            if file.stat().st_size > self.given.longest_row:
                what, why = too_long(self.given.longest_row, "text")
                self._malformed(file)(0, what, why)
                continue
            data = file.read_bytes()
            text = data.decode(self.given.encoding or encoding_of(data), "replace")
            texts.append(text)
            labels.append(file.relative_to(path).parts[0])
            size += len(text)
            if size > BLOCK:
                yield pa.table({"text": texts, "label": labels})
                texts, labels, size = [], [], 0
        if not found:
            raise FileError(
                f"The folder {str(path)!r}", "hold files of rows, such as .parquet or .csv, or folders of text files"
            ).but(f"it holds neither{f' ({unfollowed(outside)})' if outside else ''}")
        yield pa.table({"text": pa.array(texts, pa.string()), "label": pa.array(labels, pa.string())})
