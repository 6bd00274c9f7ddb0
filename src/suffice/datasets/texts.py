"""Read collections with one text per line: a label, a tab, and the text."""

from collections.abc import Iterator
from pathlib import Path

from suffice.datasets.corpus import Corpus
from suffice.datasets.paths import AnyPath, check_subset, existing, find, lines
from suffice.errors import DataError

__all__ = ["read_reuters_r8", "read_sms_spam"]

ORANGE_HEAD = 3
"""The number of header lines of an Orange .tab file: names, types and roles."""


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
