"""Make a corpus from the prose in the docstrings of the installed libraries."""

import ast
import re
import sys
import sysconfig
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from importlib.metadata import distributions
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from suffice.datasets.corpus import Corpus
from suffice.datasets.prose import fingerprint, paragraphs
from suffice.errors import InputError

CORE = ("python", "numpy", "scipy", "scikit-learn", "narwhals")
"""Libraries that are read first, since every installation has most of them."""

NOT_READ = frozenset(
    [
        *("test", "tests", "testing", "_testing", "conftest", "benchmarks", "examples", "turtledemo", "idlelib"),
        *("_vendor", "vendor", "vendored", "third_party", "externals", "_external", "ensurepip", "typeshed"),
        *("array_api_compat", "array_api_extra", "lib2to3", "antigravity", "this", "__main__"),
    ]
)
"""Parts of the names of modules that hold tests, demonstrations, or copies of other libraries."""

SLACK = 1.2
"""The factor by which more paragraphs are read than wanted, since some are in two libraries."""

LARGEST = 0.1
"""The largest share of a label that one module may have, so that it can be held out."""


class Library(NamedTuple):
    """A library, named by its distribution; the standard library is `python`."""

    name: str
    modules: dict[str, PurePath]
    """The source file of each module, relative to the root of the library."""
    locate: Callable[[PurePath], Any]


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

    The standard library (`python`), numpy, scipy, scikit-learn and narwhals come first, then the libraries with the
    most modules, until `n_labels` libraries have `at_least` paragraphs each. A label has at most `per_label`
    paragraphs. Groups are modules, so `split` holds out whole modules. No paragraph occurs twice, and paragraphs that
    two libraries share are left out. The same installation gives the same corpus; `libraries` names the libraries to
    read instead. Reading takes some seconds: `progress`, if given, is called with the name of each library before it is
    read.

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
            raise InputError(f"docstrings.{name}", "be at least 1", got=value)
    gathered: list[list[Paragraph]] = []
    for library in installed(libraries):
        if libraries is None and len(gathered) == n_labels:
            break
        if progress is not None:
            progress(library.name)
        paragraphs_of = gather(library, per_label)
        if libraries is not None or len(paragraphs_of) >= min(at_least, per_label):
            gathered.append(paragraphs_of)
    copies = Counter(paragraph.key for each in gathered for paragraph in each)
    chosen: list[Paragraph] = []
    for each in gathered:
        unique = by_hash(p for p in each if copies[p.key] == 1)[:per_label]
        chosen += sorted(unique, key=lambda p: (p.group, p.key))
    return Corpus([p.text for p in chosen], [p.label for p in chosen], [p.group for p in chosen])


def installed(names: Iterable[str] | None = None) -> list[Library]:
    """Return the libraries of some names, or all: those of `CORE` first, then those with the most modules.

    Raises InputError for a name that is not installed, or has no source.
    """
    known = {"python": Library("python", *standard_library())}
    wanted = None if names is None else [canonical(name) for name in ([names] if isinstance(names, str) else names)]
    for distribution in distributions():
        name = canonical(distribution.metadata["Name"] or "suffice")
        if name != "suffice" and (wanted is None or name in wanted):
            known[name] = Library(name, modules(distribution.files or ()), distribution.locate_file)
    if wanted is None:
        order = {name: at for at, name in enumerate(CORE)}
        return sorted(known.values(), key=lambda one: (order.get(one.name, len(CORE)), -len(one.modules), one.name))
    absent = [name for name in wanted if name not in known or not known[name].modules]
    if absent:
        raise InputError(
            "docstrings.libraries",
            "name installed distributions other than suffice, such as 'scikit-learn', or 'python'",
        ).but(f"got {min(absent)!r}, which has no modules to read")
    return [known[name] for name in dict.fromkeys(wanted)]


def canonical(name: str) -> str:
    """Return the name of a distribution as the package index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def standard_library() -> tuple[dict[str, PurePath], Callable[[PurePath], Path]]:
    """Return the modules of the standard library, and where their files are."""
    root = Path(sysconfig.get_path("stdlib"))
    files = [path for name in sys.stdlib_module_names for path in (root / f"{name}.py", *(root / name).rglob("*.py"))]
    return modules(path.relative_to(root) for path in files if path.is_file()), root.joinpath


def modules(files: Iterable[PurePath]) -> dict[str, PurePath]:
    """Return the Python source files that are read by the names of their modules."""
    return {name: file for file in files if (name := module_name(file))}


def module_name(file: PurePath) -> str:
    """Return a.b for `a/b.py` and a for `a/__init__.py`, and "" for files that are not read."""
    parts = [part for part in file.with_suffix("").parts if part != "__init__"]
    readable = file.suffix == ".py" and all(
        part.isidentifier() and part not in NOT_READ and not part.startswith("test_") for part in parts
    )
    return ".".join(parts) if readable else ""


def gather(library: Library, per_label: int) -> list[Paragraph]:
    """Return distinct paragraphs of a library, from modules in the order of their hashes, until there are enough."""
    gathered: dict[str, Paragraph] = {}
    for module in sorted(sorted(library.modules), key=scrambled):
        texts = read(Path(str(library.locate(library.modules[module]))))
        every = (text for docstring in texts for text in paragraphs(docstring))
        room = LARGEST * per_label
        for paragraph in by_hash(Paragraph(text, library.name, module, fingerprint(text)) for text in every):
            if room > 0 and paragraph.key not in gathered:
                gathered[paragraph.key] = paragraph
                room -= 1
        if len(gathered) >= SLACK * per_label:
            break
    return list(gathered.values())


def read(path: Path) -> list[str]:
    """Return the docstrings in a source file, in order; none if it cannot be read."""
    try:
        source = path.read_bytes()
        if b'"""' not in source and b"'''" not in source:
            return []  # skip parsing, which takes most of the time
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escape sequences in other libraries
            return list(docstrings_in(ast.parse(source)))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []


def docstrings_in(parent: Any) -> Iterator[str]:
    """Yield the docstrings of a module, its classes and functions without those nested in functions.

    numpy and scipy add docstrings to compiled functions by calls of `add_newdoc`.
    """
    if isinstance(parent, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield ast.get_docstring(parent, clean=False) or ""
    elif isinstance(parent, ast.Expr) and isinstance(parent.value, ast.Call):
        call = parent.value
        if isinstance(call.func, ast.Name) and call.func.id.startswith("add_newdoc"):
            nodes = [node for each in call.args for node in (each.elts if isinstance(each, ast.Tuple) else [each])]
            yield from (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    if isinstance(parent, ast.Module | ast.ClassDef | ast.If | ast.Try | ast.With | ast.For):
        for child in (*parent.body, *getattr(parent, "orelse", ())):
            yield from docstrings_in(child)


def by_hash(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Return the paragraphs in an order that is independent of their positions."""
    return sorted(paragraphs, key=lambda paragraph: scrambled(paragraph.key))


def scrambled(text: str) -> bytes:
    """Return a hash of a text as a sort key, which is the same on every machine."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
