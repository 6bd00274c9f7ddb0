"""Files → batches of rows, however large they are: CSV, TSV, JSON lines, Parquet, Arrow, and folders of texts.

Words of CSV are numbers where all of the first batch are; a later row that is none is malformed. Rows that cannot be
read are refused with their file and line, or skipped and counted.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from suffice.errors import DataError, FileError, InputError, PathError

__all__ = ["Files", "kind_of_file"]

KINDS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc", ".arrows"),
}
PACKED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
BLOCK, ROWS = 2**22, 2**16
"""Bytes, or rows, of a batch."""

NULLS = ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "#N/A"]


@dataclass
class Files:
    """Files of rows, read batch after batch.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "cities.csv"
    >>> _ = path.write_text("city,age\\nOslo,31\\nRome,?\\n")
    >>> next(iter(Files([path]))).to_pydict()
    {'city': ['Oslo', 'Rome'], 'age': [31, None]}
    """

    paths: list[Path]
    errors: str = "raise"
    columns: list[str] | None = None
    skipped: int = 0
    read: int = 0  # bytes of files, as far as they have been read
    types: dict[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)  # of the columns of the first file, known also where it has no rows
    _share: float = 0.0  # of the file at hand

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
        """Bytes of all files."""
        return sum(file.stat().st_size for path in self.paths for file in _inside(path))

    def __iter__(self) -> Iterator[Any]:
        """Batches as Arrow tables."""
        before = 0
        for path in self.paths:
            size = sum(file.stat().st_size for file in _inside(path))
            for table in self._batches(path):
                self.read = before + round(size * min(self._share, 1.0))
                if table.num_rows:
                    yield table
            before += size
            self.read, self._share = before, 0.0

    def _batches(self, path: Path) -> Iterator[Any]:
        kind = kind_of_file(path)
        readers: dict[str, Callable[[Path], Iterator[Any]]] = {
            "csv": lambda path: self._csv(path, ","),
            "tsv": lambda path: self._csv(path, "\t"),
            "jsonl": self._jsonl,
            "parquet": self._parquet,
            "arrow": self._arrow,
            "folder": self._folder,
        }
        try:
            yield from readers[kind](path)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OSError) as error:
            why = str(error).splitlines()[0].rstrip(".")
            raise FileError(f"The file {str(path)!r} cannot be read as {kind}: {why}.") from error

    # --- CSV and TSV

    def _csv(self, path: Path, delimiter: str) -> Iterator[Any]:
        bad: list[Any] = []

        def malformed(row: Any) -> str:
            bad.append(row)
            return "skip" if self.errors == "skip" else "error"

        with _opened(path) as stream:
            header, behind = _header(stream, delimiter, path)
            size = max(path.stat().st_size if path.suffix not in PACKED and str(path) != "-" else 1, 1)
            wanted = [name for name in header if self.columns is None or name in self.columns]
            self.names = self.names or wanted
            read = arrow_csv.ReadOptions(block_size=BLOCK, column_names=header, use_threads=self.errors == "skip")
            # a row's number is known only where one thread parses
            parse = arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=malformed)
            convert = arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=NULLS,
                strings_can_be_null=True,
                include_columns=wanted,
            )
            line = 2
            try:
                with arrow_csv.open_csv(pa.PythonFile(behind, "r"), read, parse, convert) as reader:
                    for batch in reader:
                        self._share = behind.passed / size if size > 1 else 0.0
                        yield self._typed(pa.table(batch), path, line)
                        line += batch.num_rows
            except pa.ArrowInvalid as error:
                if "Empty CSV" in str(error):
                    return
                if bad and self.errors == "raise":
                    raise _malformed(path, bad[0]) from error
                raise
        self.skipped += len(bad)

    def _typed(self, table: Any, path: Path, line: int) -> Any:
        """Numbers where the first batch has numbers."""
        keep: Any = None
        columns = {}
        for name in table.column_names:
            column = table[name]
            kind = self.types.setdefault(name, _kind(column))
            if kind == pa.string():
                columns[name] = column
                continue
            columns[name], good = _cast(column, kind)
            if good is not None:
                if self.errors == "raise":
                    at = int(np.flatnonzero(~good)[0])
                    raise FileError(
                        f"The file {str(path)!r} has {column[at].as_py()!r} in column {name!r} near line {line + at}, "
                        "where the rows before have numbers; errors='skip' leaves such rows out."
                    )
                keep = good if keep is None else keep & good
        found = pa.table(columns) if columns else table
        if keep is not None:
            self.skipped += int((~keep).sum())
            found = found.filter(pa.array(keep))
        return found

    # --- JSON lines

    def _jsonl(self, path: Path) -> Iterator[Any]:
        line = 1
        with _opened(path) as stream:
            rest = b""
            while chunk := stream.read(BLOCK):
                cut = chunk.rfind(b"\n") + 1
                block, rest = (rest + chunk[:cut], chunk[cut:]) if cut else (b"", rest + chunk)
                if block:
                    yield self._objects(block, path, line)
                    line += block.count(b"\n")
            if rest.strip():
                yield self._objects(rest, path, line)

    def _objects(self, block: bytes, path: Path, first: int) -> Any:
        rows = []
        for number, text in enumerate(block.split(b"\n"), first):
            if not text.strip():
                continue
            try:
                row = json.loads(text)
                if not isinstance(row, dict):
                    raise ValueError("no object")
                rows.append({key: row[key] for key in row if self.columns is None or key in self.columns})
            except ValueError as error:
                if self.errors == "raise":
                    raise FileError(
                        f"The file {str(path)!r} has no JSON object in line {number}; errors='skip' leaves it out."
                    ) from error
                self.skipped += 1
        names = list(dict.fromkeys(name for row in rows for name in row))
        return pa.table({name: _array([row.get(name) for row in rows], name) for name in names})

    # --- binary files

    def _parquet(self, path: Path) -> Iterator[Any]:
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=2**20) as file:
            names = file.schema_arrow.names
            wanted = names if self.columns is None else [name for name in names if name in self.columns]
            self.names = self.names or wanted
            rows = 0
            for batch in file.iter_batches(batch_size=ROWS, columns=wanted):
                rows += batch.num_rows
                self._share = rows / max(file.metadata.num_rows, 1)
                yield pa.table(batch)

    def _arrow(self, path: Path) -> Iterator[Any]:
        with pa.memory_map(str(path)) as source:
            try:
                reader = ipc.open_file(source)
                parts: Iterable[Any] = (reader.get_batch(k) for k in range(reader.num_record_batches))
            except pa.ArrowInvalid:
                source.seek(0)
                reader = parts = ipc.open_stream(source)
            self.names = self.names or list(reader.schema.names)
            for batch in parts:
                table = pa.table(batch)
                names = [name for name in table.column_names if self.columns is None or name in self.columns]
                yield table.select(names)

    def _folder(self, path: Path) -> Iterator[Any]:
        """Texts of a folder of folders: the folder's name is the label."""
        texts: list[str] = []
        labels: list[str] = []
        size = 0
        for file in _inside(path):
            try:
                text = file.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                text = file.read_bytes().decode("latin-1")
            texts.append(text)
            labels.append(file.relative_to(path).parts[0])
            size += len(text)
            if size > BLOCK:
                yield pa.table({"text": texts, "label": labels})
                texts, labels, size = [], [], 0
        if not labels and not size:
            raise FileError(f"The folder {str(path)!r} must hold folders of text files; it holds none.")
        yield pa.table({"text": texts, "label": labels})


def kind_of_file(path: Path) -> str:
    """What a file is, by its name: "csv", "tsv", "jsonl", "parquet", "arrow" or "folder"; standard input is CSV."""
    if str(path) == "-":
        return "csv"
    if path.is_dir():
        return "folder"
    name = path.name.lower()
    for ending in PACKED:
        name = name.removesuffix(ending)
    for kind, endings in KINDS.items():
        if name.endswith(endings):
            return kind
    known = ", ".join(ending for endings in KINDS.values() for ending in endings)
    raise FileError(f"The file {str(path)!r} must end in one of {known}, or these with .gz, .zst or .bz2; it does not.")


def _inside(path: Path) -> list[Path]:
    """The file, or the texts of a folder of folders."""
    if str(path) == "-":
        return []
    if not path.is_dir():
        return [path]
    return sorted(
        file for folder in sorted(path.iterdir()) if folder.is_dir() for file in folder.rglob("*") if file.is_file()
    )


def _opened(path: Path) -> Any:
    """The bytes of a file, unpacked."""
    if str(path) == "-":
        return pa.PythonFile(sys.stdin.buffer, "r")
    packed = PACKED.get(path.suffix.lower())
    return pa.input_stream(str(path), compression=packed)


def _header(stream: Any, delimiter: str, path: Path) -> tuple[list[str], _Behind]:
    """The names of the columns, and the stream behind them."""
    first = stream.read(2**16)
    end = _line_end(first)
    while end < 0 and (more := stream.read(2**16)):
        first += more
        end = _line_end(first)
    text = (first if end < 0 else first[:end]).decode("utf-8-sig", "replace")
    names = next(csv.reader([text], delimiter=delimiter), [])
    if not names or not any(name.strip() for name in names):
        raise FileError(f"The file {str(path)!r} must start with a line of column names; it does not.")
    if len(set(names)) < len(names):
        raise DataError(f"The file {str(path)!r} must have columns of different names; got {names}.")
    return names, _Behind(b"" if end < 0 else first[end + 1 :], stream)


def _malformed(path: Path, row: Any) -> FileError:
    where = f" in line {row.number + 1}" if row.number is not None else ""  # rows are numbered from below the header
    return FileError(
        f"The file {str(path)!r} has {row.actual_columns} values{where}, where its header has {row.expected_columns}; "
        "errors='skip' leaves such rows out."
    )


def _line_end(data: bytes) -> int:
    """Where the first line ends, outside quotes."""
    quoted = False
    for at, byte in enumerate(data):
        if byte == 34:
            quoted = not quoted
        elif byte == 10 and not quoted:
            return at
    return -1


class _Behind:
    """A stream whose first bytes have been read already."""

    def __init__(self, start: bytes, stream: Any) -> None:
        self._start, self._stream, self.closed, self.passed = start, stream, False, 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        if self._start:
            data, self._start = (self._start, b"") if size < 0 else (self._start[:size], self._start[size:])
        else:
            data = self._stream.read(size)
        self.passed += len(data)
        return data

    def close(self) -> None:
        """Nothing more."""
        self.closed = True


def _kind(column: Any) -> Any:
    """What the words of a column are: whole numbers, numbers, flags or words."""
    if column.null_count == len(column):
        return pa.string()
    for kind in (pa.int64(), pa.float64(), pa.bool_()):
        try:
            column.cast(kind)
        except pa.ArrowInvalid:
            continue
        return kind
    return pa.string()


def _cast(column: Any, kind: Any) -> tuple[Any, Any]:
    """The column as numbers; and which rows are, if not all."""
    for wider in (kind, pa.float64()):
        try:
            return column.cast(wider), None
        except pa.ArrowInvalid:
            continue
    values, good = [], np.ones(len(column), bool)
    for i, value in enumerate(column.to_pylist()):
        try:
            values.append(None if value is None else float(value))
        except ValueError:
            values.append(None)
            good[i] = False
    return pa.array(values, pa.float64()), good


def _array(values: list[Any], name: str) -> Any:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        if all(isinstance(value, int | float | None) for value in values):
            return pa.array([None if value is None else float(value) for value in values])
        return pc.cast(pa.array([None if value is None else str(value) for value in values]), pa.string())
