"""Find and read the files that a reader expects, or raise an error that says what is missing."""

import gzip
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from suffice.errors import DataError, InputError, PathError
from suffice.telling import listed

AnyPath: TypeAlias = str | PathLike[str]
"""A path as a string or an object."""

SUBSETS = ("train", "test", "all")


def existing(path: AnyPath, reader: str) -> Path:
    """Return the path; raise PathError if it does not exist."""
    found = Path(path).expanduser()
    if not found.exists():
        raise PathError(f"{reader}.path", "be a file or folder that exists", got=str(path))
    return found


def find(path: AnyPath, names: Sequence[str], reader: str) -> Path:
    """Return the path of a file, or in a folder the first file of the given names, packed by gzip or not."""
    place = existing(path, reader)
    if place.is_file():
        return place
    for name in names:
        for candidate in (place / name, place / f"{name}.gz"):
            if candidate.is_file():
                return candidate
    raise PathError(f"{reader} expects {' or '.join(names)} in the folder {str(path)!r}; found {contents(place)}.")


def contents(folder: Path) -> str:
    """Return the first file names of a folder, for an error message."""
    return listed(sorted(entry.name for entry in folder.iterdir())) or "nothing"


def lines(file: Path, reader: str, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text file, unpacked if its name ends in .gz; only a line feed ends a line."""
    try:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        text = data.decode(encoding)
    except (EOFError, OSError) as error:
        raise DataError(f"{reader} cannot unpack {file.name}: {error}; expected a file packed by gzip.") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{reader} expects {file.name} to be text in {encoding}; {error.reason} at byte {error.start}."
        ) from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def check_subset(subset: str, reader: str) -> None:
    """Raise InputError unless the subset is 'train', 'test' or 'all'."""
    if subset not in SUBSETS:
        raise InputError(f"{reader}.subset", "be 'train', 'test' or 'all'", got=subset)
