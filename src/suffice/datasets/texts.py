"""Read well-known collections of texts: 20 newsgroups, SMS spam, Reuters, and the Declaration of Human Rights."""

import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from suffice.datasets.corpus import Corpus
from suffice.datasets.paths import AnyPath, check_subset, contents, existing, find, lines
from suffice.errors import DataError, InputError, PathError

MESSAGE = re.compile(r"(?:.*/)?(20news-bydate-(train|test)/([^/]+)/[^/]+)$")
"""The path of a message: part, group and number."""

ORANGE_HEAD = 3
"""The number of header lines of an Orange .tab file: names, types and roles."""

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
    for name, data in of_tar(packed) if packed else of_folder(place):
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


def of_tar(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and contents of each file in an archive."""
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    yield member.name, content.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError(f"read_20newsgroups expects {file.name} to be a complete tar archive; got {error}.") from None


def of_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and contents of each message under a folder, which may be one of the two parts."""
    for file in folder.rglob("*"):
        name = PurePosixPath(folder.resolve().name, *file.relative_to(folder).parts).as_posix()
        if MESSAGE.match(name) and file.is_file():
            yield name, file.read_bytes()


def read_sms_spam(path: AnyPath) -> Corpus:
    """Read the SMS Spam Collection: messages labelled `ham` or `spam`; each message is its own group.

    `path` is the file SMSSpamCollection, or its folder.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "SMSSpamCollection"
    >>> _ = file.write_text("ham\\tOk lar... Joking\\nspam\\tFree entry to win\\n")
    >>> read_sms_spam(file).labels
    ['ham', 'spam']
    """
    file = find(path, ["SMSSpamCollection", "SMSSpamCollection.txt"], "read_sms_spam")
    rows = list(tabbed(file, lines(file, "read_sms_spam"), "read_sms_spam"))
    strange = [label for label, _ in rows if label not in ("ham", "spam")]
    if strange:
        raise DataError(f"read_sms_spam expects lines that begin with 'ham' or 'spam'; got {strange[0]!r}.")
    return corpus({file.stem: rows})


def read_reuters_r8(path: AnyPath, subset: str = "train") -> Corpus:
    """Read the eight largest single-label topics of Reuters-21578, with their official split, one group per story.

    `path` is a folder with a training and a test file (r8-train-all-terms.txt, or Orange's reuters-r8-train.tab, packed
    by gzip or not), or a single file, which is read completely.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "r8-train-all-terms.txt"
    >>> _ = file.write_text("earn\\tnet profit rose\\ncrude\\toil prices fell\\n")
    >>> read_reuters_r8(file).labels
    ['earn', 'crude']
    """
    check_subset(subset, "read_reuters_r8")
    place = existing(path, "read_reuters_r8")
    parts = [""] if place.is_file() else ["train", "test"] if subset == "all" else [subset]
    found = {}
    for part in parts:
        names = [f"reuters-r8-{part}.tab", f"r8-{part}-all-terms.txt", f"r8-{part}.txt"]
        file = find(place, names, "read_reuters_r8")
        content = lines(file, "read_reuters_r8")
        head = ORANGE_HEAD if content and content[0].casefold() == "category\ttext" else 0
        found[part or file.stem] = list(tabbed(file, content[head:], "read_reuters_r8"))
    return corpus(found)


def tabbed(file: Path, content: list[str], reader: str) -> Iterator[tuple[str, str]]:
    """Yield the label and text of each line that is not blank."""
    for i, line in enumerate(content, 1):
        label, tab, text = line.partition("\t")
        if tab:
            yield label, text
        elif line.strip():
            raise DataError(
                f"{reader} expects 'label<tab>text' on each line of {file.name}; line {i} is {line[:40]!r}."
            )


def corpus(parts: dict[str, list[tuple[str, str]]]) -> Corpus:
    """Return the corpus of all parts; each text is a group, named by its part and line."""
    rows = [(text, label, f"{part}:{i}") for part, found in parts.items() for i, (label, text) in enumerate(found, 1)]
    return Corpus([text for text, _, _ in rows], [label for _, label, _ in rows], [group for _, _, group in rows])


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
        raise InputError("read_udhr.unit", "be 'text' or 'line'", got=unit)
    place = existing(path, "read_udhr")
    packed = (
        place if place.is_file() else next((f for n in ("udhr2.zip", "udhr.zip") if (f := place / n).is_file()), None)
    )
    if packed is None:
        files = [(f.name, f.read_bytes()) for f in place.iterdir() if f.is_file() and language(f.name)]
    else:
        files = list(of_zip(packed))
    texts = {
        label: text for name, data in sorted(files) if (label := language(name)) and (text := decoded(label, data))
    }
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


def of_zip(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and contents of each file in an archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield info.filename, archive.read(info)
    except zipfile.BadZipFile as error:
        raise DataError(f"read_udhr expects {file.name} to be a zip archive; got {error}.") from None
