"""Make a corpus from the prose in the docstrings of the installed libraries."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from suffice.datasets.corpus import Corpus
from suffice.datasets.libraries import Library, canonical, installed
from suffice.datasets.modules import Module
from suffice.datasets.prose import fingerprint, paragraphs
from suffice.errors import InputError

__all__ = ["docstrings"]

SLACK = 1.2
"""The factor by which more paragraphs are read than wanted, since some are in two libraries."""

LARGEST = 0.1
"""The largest share of a label that one module may have, so that it can be held out."""


class Paragraph(NamedTuple):
    """A paragraph with its label, its group and the key that identifies copies."""

    text: str
    label: str
    group: str
    key: str


def docstrings(
    per_label: int = 1500,
    *,
    at_least: int = 300,
    n_labels: int = 10,
    libraries: Iterable[str] | None = None,
    progress: Callable[[str], object] | None = None,
) -> Corpus:
    """Read paragraphs of prose from the docstrings of the libraries installed here, each labelled by its library.

    The standard library (`python`), numpy, scipy, scikit-learn, pyarrow and narwhals come first; others follow by size,
    until `n_labels` libraries have `at_least` paragraphs each. A label has at most `per_label` paragraphs. Groups are
    modules, so `split` holds out whole modules. No paragraph occurs twice, and paragraphs that two libraries share are
    left out. The same installation gives the same corpus; `libraries` names the libraries to read instead. Reading
    takes some seconds: `progress`, if given, is called with the name of each library before it is read.

    >>> import suffice as sf
    >>> corpus = sf.datasets.docstrings(per_label=400, libraries=["numpy", "scipy"])
    >>> corpus.sizes
    {'numpy': 400, 'scipy': 400}
    >>> train, test = corpus.split(test=0.3)
    >>> set(train.groups) & set(test.groups)
    set()
    """
    for name, value in {"per_label": per_label, "at_least": at_least, "n_labels": n_labels}.items():
        if value < 1:
            raise InputError(f"docstrings expects '{name}' to be at least 1; got {value!r}.")
    gathered = (
        gather(library, per_label)
        for library in announced(installed() if libraries is None else named(libraries), progress)
    )
    if libraries is None:
        found = list(islice((each for each in gathered if len(each) >= min(at_least, per_label)), n_labels))
    else:
        found = list(gathered)
    copies = Counter(paragraph.key for each in found for paragraph in each)
    chosen = [p for each in found for p in choose((p for p in each if copies[p.key] == 1), per_label)]
    return Corpus([p.text for p in chosen], [p.label for p in chosen], [p.group for p in chosen])


def named(names: Iterable[str]) -> list[Library]:
    """Return the libraries of the given names; raise InputError for one that is not installed."""
    names = [canonical(name) for name in ([names] if isinstance(names, str) else names)]
    found = list(installed(dict.fromkeys(names)))
    absent = set(names) - {library.name for library in found if library.modules}
    if absent:
        raise InputError(
            "docstrings expects 'libraries' to name installed distributions other than suffice, such as "
            f"'scikit-learn', or 'python'; got {min(absent)!r}, which has no modules to read."
        )
    return found


def announced(libraries: Iterable[Library], progress: Callable[[str], object] | None) -> Iterator[Library]:
    """Yield the libraries, and announce each one first."""
    for library in libraries:
        if progress is not None:
            progress(library.name)
        yield library


def gather(library: Library, per_label: int) -> list[Paragraph]:
    """Return distinct paragraphs of a library, from modules in the order of their hashes, until there are enough."""
    found: dict[str, Paragraph] = {}
    sizes: Counter[str] = Counter()
    for module in sorted(library.modules, key=lambda module: scrambled(module.name)):
        for paragraph in by_hash(read(module, library.name)):
            if paragraph.key not in found and sizes[paragraph.group] < LARGEST * per_label:
                found[paragraph.key] = paragraph
                sizes[paragraph.group] += 1
        if len(found) >= SLACK * per_label:
            break
    return list(found.values())


def read(module: Module, label: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a module."""
    for text, group in module.docstrings():
        for paragraph in paragraphs(text):
            yield Paragraph(paragraph, label, group, fingerprint(paragraph))


def choose(found: Iterable[Paragraph], most: int) -> list[Paragraph]:
    """Return at most `most` paragraphs, chosen by hash, in the order of their modules."""
    return sorted(by_hash(found)[:most], key=lambda paragraph: (paragraph.group, paragraph.key))


def by_hash(found: Iterable[Paragraph]) -> list[Paragraph]:
    """Return the paragraphs in an order that is independent of their positions."""
    return sorted(found, key=lambda paragraph: scrambled(paragraph.key))


def scrambled(text: str) -> bytes:
    """Return a hash of a text as a sort key, which is the same on every machine."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
