"""Read the Universal Declaration of Human Rights in hundreds of languages."""

import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from suffice.datasets.corpus import Corpus
from suffice.datasets.paths import AnyPath, contents, existing
from suffice.errors import DataError, InputError, PathError

__all__ = ["read_udhr"]

ENCODINGS = {
    "Arabic": "cp1256",
    "Baltic": "iso8859-4",
    "Cyrillic": "iso8859-5",
    "EUC": "euc-jp",
    "GB2312": "gb2312",
    "Greek": "iso8859-7",
    "Hebrew": "iso8859-8",
    "JIS": "iso2022-jp",
    "Latin1": "latin-1",
    "Latin2": "iso8859-2",
    "SJIS": "shift-jis",
    "Turkish": "iso8859-9",
    "UTF8": "utf-8",
}
"""Encodings by their names in the older collection, as in `Afrikaans-Latin1`."""


def read_udhr(path: AnyPath, unit: str = "text") -> Corpus:
    """Read one text in many languages, labelled by file name: `eng`, or `English-Latin1` in older collections.

    `path` is udhr2.zip, udhr.zip, or a folder of the texts or of one of these archives. With unit="line", each line
    that is not blank is a text and a group of its own, which gives a corpus for language identification. Texts in an
    encoding that Python does not have are left out.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "eng.txt").write_text("All human beings are born free.\\nEveryone has the right to life.\\n")
    >>> read_udhr(folder, unit="line").labels
    ['eng', 'eng']
    """
    if unit not in ("text", "line"):
        raise InputError(f"read_udhr expects 'unit' to be 'text' or 'line'; got {unit!r}.")
    place = existing(path, "read_udhr")
    packed = (
        place if place.is_file() else next((f for n in ("udhr2.zip", "udhr.zip") if (f := place / n).is_file()), None)
    )
    files = sorted(unfolded(place) if packed is None else unpacked(packed))
    texts = {label: text for name, data in files if (label := language(name)) and (text := decoded(label, data))}
    if not texts:
        came = place.name if place.is_file() else contents(place)
        raise PathError(f"read_udhr expects texts named by language, such as eng.txt, in {str(path)!r}; found {came}.")
    if unit == "text":
        return Corpus(list(texts.values()), list(texts), list(texts))
    rows = [(line.strip(), label) for label, text in texts.items() for line in text.splitlines() if line.strip()]
    return Corpus([r[0] for r in rows], [r[1] for r in rows], [f"{r[1]}:{i}" for i, r in enumerate(rows, 1)])


def language(name: str) -> str:
    """Return the label in the name of a file, or "" for other files."""
    file = PurePosixPath(name).name
    modern = file.endswith(".txt") and not file.removesuffix(".txt").isupper()  # README.txt is not a language
    legacy = "." not in file and file.rpartition("-")[2] in ENCODINGS
    return file.removesuffix(".txt") if modern or legacy else ""


def decoded(label: str, data: bytes) -> str:
    """Return the text decoded by the encoding in its label, or by UTF-8; "" if that fails."""
    try:
        return data.decode(ENCODINGS.get(label.rpartition("-")[2], "utf-8")).removeprefix("\ufeff")
    except UnicodeDecodeError:
        return ""


def unpacked(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and contents of each file in an archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield info.filename, archive.read(info)
    except zipfile.BadZipFile as error:
        raise DataError(f"read_udhr expects {file.name} to be a zip archive; got {error}.") from None


def unfolded(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and contents of each text in a folder."""
    for file in folder.iterdir():
        if file.is_file() and language(file.name):
            yield file.name, file.read_bytes()
