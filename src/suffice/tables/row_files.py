"""Read files of any size in batches of rows: delimited text, JSON lines, Parquet, Arrow, and folders of texts.

The dialect of a text is sniffed (`sniff`), unless it is given. Rows that cannot be read raise an error with their file
and line, or are skipped and counted; no row is dropped silently.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suffice.errors import FileError, InputError, PathError
from suffice.later import ipc, pa, pq
from suffice.tables.delimited import Delimited
from suffice.tables.dialect import Dialect
from suffice.tables.encoding import HEAD, encoding_of
from suffice.tables.jsonlines import JsonLines
from suffice.tables.opening import PACKED, Behind, head_of, inside, kind_of_file, opened, seekable
from suffice.tables.parsing import Reading
from suffice.tables.sniff import Given, columns_kept, sniff
from suffice.telling import counted, tell

__all__ = ["Files", "Given"]

BLOCK, ROWS = 2**22, 2**16
"""Bytes, or rows, in a batch."""
LARGER, MOST_BYTES = 4, 2**25
"""Factor by which batches of Parquet grow after the first one, and the number of bytes that limits it."""
KINDS = {"word": "text", "number": "numeric"}
"""What columns are called where they are counted."""
LOUD = 0.01
"""Share of skipped rows above which a warning is given."""


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
            str(self.dialect or self.what),
            counted(self.rows, "row") + (f" and {self.skipped:,} skipped" if self.skipped else ""),
            f"target {self.target!r}{', guessed' * self.guessed}" if self.target is not None else "",
            kinds,
            f"missing: {', '.join(map(repr, self.dialect.marks)) or 'none seen'}" if self.dialect else "",
            *self.notes,
        ]
        return (
            f"{'standard input' if self.path.name in ('-', 'stdin', 'stdin.jsonl') else self.path.name}: "
            + "; ".join(fact for fact in facts if fact)
        )


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
    skipped: int = 0
    rows: int = 0
    read: int = 0  # bytes read so far
    understood: list[Understood] = field(default_factory=list)
    readings: dict[str, Reading] = field(default_factory=dict)
    fault: str = ""  # of the first row that was skipped
    names: list[str] = field(default_factory=list)  # columns of the first file, known even if it has no rows
    _share: float = 0.0  # share of the current file that was read
    _warned: bool = False

    def __post_init__(self) -> None:
        if self.errors not in ("raise", "skip"):
            raise InputError(f"The argument 'errors' must be 'raise' or 'skip'; got {self.errors!r}.")
        self.paths = [Path(path) for path in self.paths]
        if not self.paths:
            raise InputError("The argument 'paths' must name at least one file; got none.")
        for path in self.paths:
            if str(path) != "-" and not path.exists():
                raise PathError(f"The file {str(path)!r} does not exist.")

    @property
    def size(self) -> int:
        """Size of all files in bytes."""
        return sum(file.stat().st_size for path in self.paths for file in inside(path)[0])

    def __iter__(self) -> Iterator[Any]:
        """Yield batches as Arrow tables."""
        before = 0
        for path in self.paths:
            size = sum(file.stat().st_size for file in inside(path)[0])
            for table in self._batches(path):
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

    def skip(self, rows: int, why: str, read: bool = False) -> None:
        """Count rows as skipped; `read` tells whether they were counted as read before."""
        self.skipped, self.rows = self.skipped + rows, self.rows - rows * read
        self.fault = self.fault or why
        if self.understood:
            understood_file = self.understood[-1]
            understood_file.skipped, understood_file.rows = (
                understood_file.skipped + rows,
                understood_file.rows - rows * read,
            )

    def tell_loss(self) -> None:
        """Warn if more than one row in a hundred was skipped."""
        if not self._warned and self.skipped > LOUD * (self.rows + self.skipped):
            self._warned = True
            share = self.skipped / (self.rows + self.skipped)
            rows = f"{self.skipped:,} of {self.rows + self.skipped:,} rows ({share:.1%})"
            tell(f"{rows} were skipped; the first has {self.fault}.")

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
        self.understood.append(Understood(path, kind))
        try:
            yield from readers[kind](path)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OSError, UnicodeError) as error:
            why = str(error).splitlines()[0].rstrip(".")
            raise FileError(f"The file {str(path)!r} cannot be read as {kind}: {why}.") from error

    def _malformed(self, path: Path) -> Callable[[int, str, str], None]:
        """Return the function that raises for a malformed row, or skips it."""

        def fault(line: int, what: str, more: str = "") -> None:
            where = f" in line {line}" if line else ""
            if self.errors == "raise":
                raise FileError(f"The file {str(path)!r} has {what}{where}{more}; errors='skip' leaves such rows out.")
            self.skip(1, f"{what}{where} of {path.name!r}{more}")

        return fault

    def _csv(self, path: Path) -> Iterator[Any]:
        with opened(path) as stream:
            head = head_of(stream)
            given, understood_file = self.given, self.understood[-1]
            expected = (*self.wanted, *self.expected, *given.keep, *given.drop)
            understood_file.dialect = sniff(head, given, str(path), len(head) < HEAD, expected)
            target = self.label(list(understood_file.dialect.names))
            columns = columns_kept(understood_file.dialect.names, given, target)
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
        given, target = self.given, self.label([])

        def wanted(name: str) -> bool:
            return name == target or (name not in given.drop and (not given.keep or name in given.keep))

        with opened(path) as stream:
            head = head_of(stream)
            encoding, text = given.encoding or encoding_of(head), Behind(head, stream)
            utf8: Any = text if encoding.startswith("utf-8") else codecs.EncodedFile(text, "utf-8", encoding)
            yield from JsonLines(utf8, wanted, self._malformed(path), BLOCK, given.missing or ())

    # --- binary files

    def _parquet(self, path: Path) -> Iterator[Any]:
        with pq.ParquetFile(seekable(path), pre_buffer=False, buffer_size=2**20) as file:
            names = tuple(file.schema_arrow.names)
            wanted = columns_kept(names, self.given, self.label(list(names)))
            self.names = self.names or wanted
            rows = 0
            for batch in file.iter_batches(batch_size=_rows_at_once(file.metadata), columns=wanted):
                table, first = pa.table(batch), ROWS if not rows else batch.num_rows
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
            for batch in parts:
                table = pa.table(batch)
                names = tuple(table.column_names)
                yield table.select(columns_kept(names, self.given, self.label(list(names))))

    def _folder(self, path: Path) -> Iterator[Any]:
        """Yield the texts in a folder of folders; the name of the inner folder is the label."""
        texts: list[str] = []
        labels: list[str] = []
        size = 0
        found, outside = inside(path)
        if outside:
            self.understood[-1].notes.append(f"{counted(outside, 'link')} out of the folder not followed")
        for file in found:
            data = file.read_bytes()
            text = data.decode(self.given.encoding or encoding_of(data), "replace")
            texts.append(text)
            labels.append(file.relative_to(path).parts[0])
            size += len(text)
            if size > BLOCK:
                yield pa.table({"text": texts, "label": labels})
                texts, labels, size = [], [], 0
        if not found:
            raise FileError(f"The folder {str(path)!r} must hold folders of text files; it holds none.")
        yield pa.table({"text": pa.array(texts, pa.string()), "label": pa.array(labels, pa.string())})


def _rows_at_once(parquet: Any) -> int:
    """Return the number of rows to read together, by the size of a row in the file."""
    groups = (parquet.row_group(k) for k in range(parquet.num_row_groups))
    size = sum(int(group.total_byte_size) for group in groups)
    each = max(8, 8 * int(parquet.num_columns), size // max(int(parquet.num_rows), 1))
    return max(ROWS, min(LARGER * ROWS, MOST_BYTES // each))
