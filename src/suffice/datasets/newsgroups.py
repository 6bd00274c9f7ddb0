"""Read the 20 newsgroups, split by date into training and test messages."""

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from suffice.datasets.corpus import Corpus
from suffice.datasets.paths import AnyPath, check_subset, contents, existing
from suffice.errors import DataError, PathError

__all__ = ["read_20newsgroups"]

MESSAGE = re.compile(r"(?:.*/)?(20news-bydate-(train|test)/([^/]+)/[^/]+)$")
"""The path of a message: part, group and number."""


def read_20newsgroups(path: AnyPath, subset: str = "train", encoding: str = "latin-1") -> Corpus:
    """Read messages of twenty newsgroups with headers, labelled by newsgroup; each message is its own group.

    `path` is 20news-bydate.tar.gz, which is read without unpacking, a folder that holds it, or the folder that holds
    20news-bydate-train and 20news-bydate-test.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "20news-bydate-train" / "sci.space").mkdir(parents=True)
    >>> _ = (folder / "20news-bydate-train" / "sci.space" / "60770").write_text("Subject: orbits")
    >>> read_20newsgroups(folder).labels
    ['sci.space']
    """
    check_subset(subset, "read_20newsgroups")
    place = existing(path, "read_20newsgroups")
    packed = place if place.is_file() else next(iter(sorted(place.glob("20news-bydate*.tar*"))), None)
    found = {}
    for name, data in unfolded(place) if packed is None else unpacked(packed):
        match = MESSAGE.match(name)
        if match and subset in ("all", match[2]):
            found[match[1]] = (data.decode(encoding), match[3])
    if not found:
        came = place.name if place.is_file() else contents(place)
        wanted = "20news-bydate-train and -test" if subset == "all" else f"20news-bydate-{subset}"
        raise PathError(
            f"read_20newsgroups expects {wanted} with a folder per newsgroup in {str(path)!r}; found {came}."
        )
    names = sorted(found)
    return Corpus([found[name][0] for name in names], [found[name][1] for name in names], names)


def unpacked(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and contents of each file in an archive."""
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    yield member.name, content.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError(f"read_20newsgroups expects {file.name} to be a complete tar archive; got {error}.") from None


def unfolded(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and contents of each file under a folder, which may be one of the two parts."""
    for file in folder.rglob("*"):
        name = PurePosixPath(folder.resolve().name, *file.relative_to(folder).parts).as_posix()
        if MESSAGE.match(name) and file.is_file():
            yield name, file.read_bytes()
