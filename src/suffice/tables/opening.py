"""Open files of rows: recognize a file by its name or its first bytes, unpack it, and detect the encoding of its text.

The encoding follows from the mark at the start of the bytes, or from what they can be.
"""

from __future__ import annotations

import codecs
import io
import json
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from suffice.errors import FileError, InputError
from suffice.later import pa
from suffice.telling import counted

KINDS = {
    "csv": (".csv", ".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc", ".arrows"),
}
PACKED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
OTHERS = (".xlsx", ".xls", ".ods", ".zip", ".pdf", ".docx", ".pkl", ".npy", ".npz", ".suffice", ".sav", ".dta", ".h5")

HEAD = 2**18
"""Number of bytes that are examined."""
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"))
MARKS_16 = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
OF_HOSTS = ("idna", "punycode")
"""Encodings of Python that are for names of hosts."""


def checked(encoding: str) -> str:
    """Return the name of an encoding; raise InputError unless it is one of texts.

    >>> checked("utf8"), checked("latin-1")
    ('utf-8', 'latin-1')
    """
    try:
        "a".encode(encoding)  # refuses rot13, hex, zlib and others, which convert texts to texts, or bytes to bytes
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError, TypeError):
        name = ""
    if not name or name in OF_HOSTS:
        raise InputError("encoding", "name a text encoding, such as 'utf-8' or 'latin-1'", got=encoding)
    return name if name.startswith("utf-8") else encoding


def encoding_of(head: bytes) -> str:
    """Return the encoding of bytes: by their byte order mark, UTF-8 if they are valid, else Windows-1252 or Latin-1.

    >>> encoding_of("é".encode("utf-16")), encoding_of("é".encode()), encoding_of("é".encode("latin-1"))
    ('utf-16', 'utf-8', 'cp1252')
    """
    for mark, name in (*MARKS, *MARKS_16):
        if head.startswith(mark):
            return name
    pairs = len(head) // 2 or 1
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if zeros.count(0) > 0.7 * pairs and head.count(0) < 1.2 * zeros.count(0):
            return name
    text = head.decode("utf-8", "surrogateescape")  # of which the end may cut off a character
    bad = len(re.findall("[\udc80-\udcff]", text[: len(text) - 3 if len(head) >= HEAD else None]))
    if not bad:
        return "utf-8"
    if len(re.findall(rb"[\xc2-\xf4][\x80-\xbf]", head)) > 10 * bad:
        return "utf-8"  # some rows are damaged
    return "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", head) else "cp1252"


def decoded(head: bytes, encoding: str, complete: bool, path: str) -> str:
    """Decode the first bytes of a text, which may end within a character."""
    decoder = codecs.getincrementaldecoder(encoding)("replace" if encoding.startswith("utf-8") else "strict")
    try:
        return decoder.decode(head, complete)
    except UnicodeError as error:
        raise FileError(f"The file {path!r} cannot be read as {encoding}: {undecodable(error)}.") from error


def undecodable(error: UnicodeError) -> str:
    """Return in words why bytes cannot be decoded."""
    if not isinstance(error, UnicodeDecodeError):
        return str(error)
    return f"{error.reason} ({error.object[error.start : error.end][:4].hex(' ')} in hexadecimal)"


def kind_of_file(path: Path) -> str:
    """Return the kind of a file by its name or its first bytes: "csv", "jsonl", "parquet", "arrow" or "folder".

    >>> kind_of_file(Path("mail.csv.gz")), kind_of_file(Path("flights.parquet"))
    ('csv', 'parquet')
    """
    if path.is_dir():
        return "folder"
    kind = _kind_of_name(path)
    if kind == "other":
        raise _unknown(path)
    if kind:
        return kind
    if str(path) == "-":
        head = sys.stdin.buffer.peek(2**12)  # type: ignore[union-attr]
    else:
        with opened(path) as stream:
            head = stream.read(2**12)
    for magic, kind in ((b"PAR1", "parquet"), (b"ARROW1", "arrow")):
        if head.startswith(magic):
            return kind
    if head.lstrip().startswith(b"{") and _is_object(head):
        return "jsonl"
    if b"\0" in head and not encoding_of(head).startswith("utf-16"):
        raise _unknown(path)
    return "csv"


def _kind_of_name(path: Path) -> str:
    """Return the kind of a file by its name: "other" if it holds no rows, "" if the name does not tell."""
    name = path.name.lower()
    for ending in PACKED:
        name = name.removesuffix(ending)
    known = {**KINDS, "other": OTHERS}
    return next((kind for kind, endings in known.items() if name.endswith(endings)), "")


def _unknown(path: Path) -> FileError:
    known = ", ".join(ending for endings in KINDS.values() for ending in endings)
    packed = ", ".join(PACKED)
    return FileError(path=path, must=f"end in one of {known} (also with {packed}), or be text").but("it is not")


def _is_object(head: bytes) -> bool:
    line = head.lstrip().split(b"\n")[0]
    try:
        return isinstance(json.loads(line), dict)
    except (json.JSONDecodeError, UnicodeError, RecursionError):
        return b"\n" not in head.lstrip() and line.startswith((b'{"', b"{ "))
    except ValueError:  # a whole number of thousands of digits
        return True


def inside(path: Path) -> tuple[list[Path], int]:
    """Return the file, or the texts in a folder of folders, and the number of links out of it (not followed)."""
    if str(path) == "-":
        return [], 0
    if not path.is_dir():
        return [path], 0
    root, outside = path.resolve(), 0
    found = []
    for folder in sorted(path.iterdir()):
        if folder.is_symlink() and not folder.resolve().is_relative_to(root):
            outside += 1
        elif folder.is_dir():
            for file in folder.rglob("*"):
                if not file.resolve().is_relative_to(root):
                    outside += file.is_symlink()
                elif file.is_file():
                    found.append(file)
    return sorted(found), outside


def matching(path: Path) -> list[Path]:
    """Return the files and folders that match a pattern, sorted, or the path itself if it is none."""
    if not has_magic(str(path)) or path.exists():
        return [path]
    return sorted(Path(name) for name in glob(str(path), recursive=True))


def rows_in(folder: Path) -> tuple[list[Path], list[str]]:
    """Return the files of rows in a folder and its folders, and remarks on what is not read.

    Return no files if an inner folder holds any other file: a text. Names that begin with . or _ do not count.
    """
    below, outside = inside(folder)
    root = folder.resolve()
    top = [file for file in folder.iterdir() if file.is_file() and file.resolve().is_relative_to(root)]
    hidden = (".", "_")
    every = [f for f in (*top, *below) if not any(part.startswith(hidden) for part in f.relative_to(folder).parts)]
    rows = sorted(file for file in every if _kind_of_name(file) in KINDS)
    others = [file.parent == folder for file in every if _kind_of_name(file) not in KINDS]
    if not all(others):
        return [], []
    remarks = [unfollowed(outside)] if outside else []
    return rows, [*remarks, f"{counted(len(others), 'other file')} in {str(folder)!r} not read"] if others else remarks


def unfollowed(links: int) -> str:
    """Return the remark on links out of a folder."""
    return f"{counted(links, 'link')} out of the folder not followed"


NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def partitions(
    files: Sequence[Path], holds_words: Callable[[str], bool], among: Collection[str] | None = None
) -> dict[Path, dict[str, Any]]:
    """Return the columns that folders named like "year=2024" add to each file, each as an array of one value.

    A column holds numbers if all its values are numbers, unless `holds_words` of its name. Other columns than those
    `among` the given names are left out, if these are given.
    """
    found: dict[str, dict[Path, str | None]] = {}
    for file in files:
        for part in file.parts[:-1]:
            name, sign, value = part.partition("=")
            if sign and (among is None or unquote(name) in among):
                found.setdefault(unquote(name), {})[file] = None if value == NO_VALUE else unquote(value)
    columns: dict[Path, dict[str, Any]] = {file: {} for file in files}
    for name, mine in found.items():
        values = pa.array(mine.values(), pa.string())
        given = [value for value in mine.values() if value is not None]
        if not holds_words(name) and all(map(NUMBER.fullmatch, given)):
            values = values.cast(pa.float64() if any("." in value for value in given) else pa.int64())
        for k, file in enumerate(mine):
            columns[file][name] = values.slice(k, 1)
    return columns


def opened(path: Path) -> Any:
    """Open a file, unpacking it if it is compressed."""
    if str(path) == "-":
        return pa.PythonFile(sys.stdin.buffer, "r")
    packed = PACKED.get(path.suffix.lower())
    return pa.input_stream(str(path), compression=packed)


def seekable(path: Path) -> Any:
    """Return a source that can be read at any position."""
    return pa.BufferReader(sys.stdin.buffer.read()) if str(path) == "-" else path


def head_of(stream: Any, most: int) -> bytes:
    """Return the first bytes: 256 kB, or more if the first two lines are longer, up to `most` bytes and some."""
    parts, size, lines, held = [], HEAD, 0, 0
    while lines < 2 and held <= most and (data := stream.read(size)):
        parts.append(data)
        lines += data.count(b"\n") + data.count(b"\r")
        held += len(data)
        size = min(2 * size, max(most - held, 0) + HEAD)
    return b"".join(parts)


def after_line(blocks: Iterator[bytes], newline: bytes) -> bytes:
    """Return what follows the current line, or nothing at the end of the text."""
    for data in blocks:
        _, ended, rest = data.partition(newline)
        if ended:
            return rest
    return b""


def too_long(most: int, what: str = "row") -> tuple[str, str]:
    """Return a description of a row, or of another part of a file, that is too long, and a hint."""
    return f"a {what} of more than {most:,} bytes", ", the most that the argument 'longest_row' allows"


class Behind(io.RawIOBase):
    """A stream whose first bytes have been read already."""

    def __init__(self, start: bytes, stream: Any) -> None:
        self._start, self._stream = start, stream

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        if self._start:
            data, self._start = (self._start, b"") if size < 0 else (self._start[:size], self._start[size:])
            return data
        return bytes(self._stream.read(size))
