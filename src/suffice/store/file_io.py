"""Write files completely or not at all, and read model files by mapping them into memory."""

from __future__ import annotations

import errno
import hashlib
import io
import mmap
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from suffice.errors import KindError, ModelFileError, PathError, writing
from suffice.store.layout import LARGEST_HEADER, Layout, refuse

__all__ = ["MAPPED", "Bytes", "File", "digest", "replace_file", "replaceable", "replacing"]

fcntl: Any = None
with suppress(ImportError):  # Windows, where an open file cannot be removed anyway
    fcntl = import_module("fcntl")

MAPPED = 2**24
"""Bytes above which the data of a file are mapped, and checked only before the model learns more."""

OLD = 60
"""Seconds after which an unfinished file that nobody holds open was left behind, on systems without locks."""

LEFT = re.compile(r"[0-9a-f]{16}\.tmp")
"""The end of the name of an unfinished file."""


def digest(data: Any) -> str:
    """Return the SHA-256 of bytes, or of an array's bytes."""
    return hashlib.sha256(data).hexdigest()


def read_path(path: Any) -> Path:
    """Return a path, with `~` expanded to the user's home."""
    if not isinstance(path, str | os.PathLike):
        raise KindError("path", "be a string or a path object", got_a=path)
    if "\0" in os.fspath(path):
        raise PathError(f"The file name {str(path)!r}", "not hold NUL, which no file system allows")
    return Path(path).expanduser()


def replace_file(path: Path, parts: Iterable[Any]) -> None:
    """Replace a file by bytes and arrays. Whatever happens, the old file or the new one is there, complete."""
    with writing(path), replacing(path) as file:
        for part in parts:
            file.write(part)


@contextmanager
def replacing(path: Path) -> Iterator[Any]:
    """Open a temporary file that replaces the named one on success; write directly to a device or a pipe.

    Temporary files left by processes that died are removed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answers.csv"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"yes")
    >>> path.read_bytes()
    b'yes'
    """
    target = replaceable(path)
    if target is None:
        with open(path, "wb") as file:
            yield file
        return
    _clean(target)
    beside, file = _beside(target)
    try:
        with file:
            yield file
            file.flush()
            with suppress(FileNotFoundError):
                os.chmod(beside, stat.S_IMODE(target.stat().st_mode))
            os.fsync(file.fileno())
            if fcntl is not None:
                os.replace(beside, target)  # while it is locked, so that no process takes it for a leftover
        if fcntl is None:
            os.replace(beside, target)
    except BaseException:
        with suppress(FileNotFoundError):
            beside.unlink()
        raise
    _sync_folder(target.parent)


def replaceable(path: Path) -> Path | None:
    """Return the file that a path leads to, existing or not, or None for a device or a pipe; else raise PathError."""
    with suppress(OSError):
        if not stat.S_ISREG(mode := os.stat(path).st_mode) and not stat.S_ISDIR(mode):
            return None
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.is_dir() or not target.parent.is_dir():
        why = "it is a folder" if target.is_dir() else f"there is no such folder as {str(path.parent)!r}"
        raise PathError(f"The file {str(path)!r} cannot be written: {why}.")
    return target


def _beside(target: Path) -> tuple[Path, Any]:
    """Create a temporary file in the same folder, locked while it is open so that no process removes it."""
    while True:
        beside = target.with_name(f"{_start(target)}{secrets.token_hex(8)}.tmp")
        file = open(beside, "xb")  # noqa: SIM115  # closed by the caller
        if _locked(file) is not False and os.fstat(file.fileno()).st_nlink:
            return beside, file
        file.close()  # another process removed it before it was locked


def _clean(target: Path) -> None:
    """Remove the temporary files that ended processes left beside a file."""
    start = _start(target)
    with suppress(OSError):
        for name in [name for name in os.listdir(target.parent) if name.startswith(start)]:
            if LEFT.fullmatch(name.removeprefix(start)):
                with suppress(OSError):
                    _remove_unless_open(target.with_name(name))


def _remove_unless_open(path: Path) -> None:
    if fcntl is None:
        if time.time() - path.stat().st_mtime > OLD:  # it may be complete, and about to replace the file
            path.unlink()  # fails while it is open
        return
    with open(path, "r+b") as file:
        if _locked(file):
            path.unlink()


def _start(target: Path) -> str:
    """Return the prefix of the names of temporary files for a file, short enough for any file system."""
    return "." + os.fsencode(target.name)[:200].decode(sys.getfilesystemencoding(), "ignore") + "."


def _locked(file: Any) -> bool | None:
    """Lock an open file against other processes; return False if one holds the lock, None without such locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _sync_folder(folder: Path) -> None:
    """Make a renamed file durable, where the system allows."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class File:
    """A model file, with its header checked and its data read or mapped."""

    def __init__(self, path: Any) -> None:
        self.path = read_path(path)
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a pipe must not block
        try:
            handle = os.open(self.path, flags)
        except (FileNotFoundError, NotADirectoryError):
            raise PathError(f"The model file {str(path)!r} does not exist.") from None
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            raise PathError(f"The model file {str(path)!r} does not exist: its name is too long.") from None
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            os.close(handle)
            if stat.S_ISDIR(found.st_mode):
                raise PathError(f"The model file {str(path)!r}", "be a file").but("it is a folder")
            raise refuse(self.path, "be a file", "a device or a pipe")
        with open(handle, "rb") as file:
            self.size = found.st_size
            self.layout = self._header(file)
            self._data = self._read(file, handle)
        self.verified = False

    def _header(self, file: Any) -> Layout:
        first = file.read(8)
        length = int.from_bytes(first, "little")
        if self.size < 10:
            raise refuse(self.path, "begin with the length of its header", f"{self.size} bytes in all")
        if length > LARGEST_HEADER or length > self.size - 8:
            most = min(LARGEST_HEADER, self.size - 8)
            raise ModelFileError(
                f"The file {str(self.path)!r} is not a model file, or is cut off: it must begin with the length of its "
                f"header, at most {most:,} bytes; got {repr(first.decode()) if first.isascii() else f'{length:,}'}."
            )
        header = file.read(length)
        if len(header) != length:
            raise refuse(self.path, f"have {length:,} bytes of header", f"{len(header):,}")
        return Layout.parse(self.path, header, self.size)

    def _read(self, file: Any, handle: int) -> memoryview:
        """Return the data, in memory if they are small, else mapped."""
        size = self.size - self.layout.start
        if size > MAPPED:
            try:
                mapped = memoryview(mmap.mmap(handle, self.size, access=mmap.ACCESS_READ))
            except ValueError:  # truncated since it was opened
                raise refuse(self.path, f"hold {size:,} bytes of data", "less") from None
            return mapped[self.layout.start :]
        data = file.read(size)
        if len(data) != size:
            raise refuse(self.path, f"hold {size:,} bytes of data", f"{len(data):,}")
        return memoryview(data)

    @property
    def mapped(self) -> bool:
        """Whether the data are mapped rather than in memory."""
        return len(self._data) > MAPPED

    def array(self, name: str) -> NDArray[Any]:
        """Return one of the arrays, read-only."""
        return self.layout.tensors[name].read(self._data)

    def verify(self, checksums: dict[str, Any]) -> None:
        """Raise ModelFileError unless each tensor matches its checksum; a verified file is not checked again."""
        for name, tensor in {} if self.verified else self.layout.tensors.items():
            if digest(self._data[tensor.begin : tensor.end]) != checksums.get(name):
                raise refuse(
                    self.path, f"have its tensor {name[:80]!r} match its checksum", "other bytes: it is damaged"
                )
        self.verified = True


class Bytes(File):
    """A complete model file in memory."""

    def __init__(self, data: bytes) -> None:
        if not isinstance(data, bytes):
            raise KindError("data", "be bytes", got_a=data)
        self.path, self.size, self.verified = Path("<bytes>"), len(data), False
        with io.BytesIO(data) as file:
            self.layout = self._header(file)
        self._data = memoryview(data)[self.layout.start :]
