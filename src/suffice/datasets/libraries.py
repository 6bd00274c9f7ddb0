"""Find the installed libraries and their modules."""

import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePath
from typing import NamedTuple

from suffice.datasets.modules import Module

__all__ = ["Library", "canonical", "installed"]

CORE = ("python", "numpy", "scipy", "scikit-learn", "pyarrow", "narwhals")
"""Libraries that are read first, since every installation has most of them."""

COMPILED = {
    "pyarrow": [
        *("pyarrow.lib", "pyarrow.compute", "pyarrow._acero", "pyarrow._compute", "pyarrow._csv"),
        *("pyarrow._dataset", "pyarrow._fs", "pyarrow._json", "pyarrow._parquet"),
    ]
}
"""Modules that are imported and inspected, since their docstrings are not in Python files."""

NOT_READ = frozenset(
    [
        *("test", "tests", "testing", "_testing", "conftest", "benchmarks", "examples", "turtledemo", "idlelib"),
        *("_vendor", "vendor", "vendored", "third_party", "externals", "_external", "ensurepip", "typeshed"),
        *("array_api_compat", "array_api_extra", "lib2to3", "antigravity", "this", "__main__"),
    ]
)
"""Parts of the names of modules that hold tests, demonstrations, or copies of other libraries."""

SMALL = 200_000
"""Bytes of source below which a library is skipped, since it has too few paragraphs."""


class Library(NamedTuple):
    """A library, named by its distribution; the standard library is `python`."""

    name: str
    modules: list[Module]


def installed(chosen: Iterable[str] | None = None) -> Iterator[Library]:
    """Yield the chosen libraries, or all: those of `CORE` first, then the others by the size of their source."""
    found = {canonical(name): d for d in distributions() if (name := d.metadata["Name"]) and name != "suffice"}
    if chosen is None:
        sizes = {name: size for name, d in found.items() if (size := source_size(d)) >= SMALL}
        others = sorted(sizes.keys() - set(CORE), key=lambda name: (-sizes[name], name))
        chosen = [*CORE, *others]
    for name in chosen:
        if name == "python":
            yield Library(name, standard_library())
        elif name in found:
            yield Library(name, [*modules(found[name]), *map(Module, COMPILED.get(name, []))])


def canonical(name: str) -> str:
    """Return the name of a distribution as the package index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def source_size(distribution: Distribution) -> int:
    """Return the size of the Python source of a library in bytes, without tests and copies."""
    return sum(file.size or 0 for file in distribution.files or [] if module_name(file))


def modules(distribution: Distribution) -> list[Module]:
    """Return the modules of a library that have Python source."""
    files = {name: file for file in distribution.files or [] if (name := module_name(file))}
    return [Module(name, Path(str(file.locate()))) for name, file in sorted(files.items())]


def standard_library() -> list[Module]:
    """Return the modules of the standard library that have Python source."""
    root = Path(sysconfig.get_path("stdlib"))
    files = [path for name in sys.stdlib_module_names for path in (root / f"{name}.py", *(root / name).rglob("*.py"))]
    found = {name: path for path in files if (name := module_name(path.relative_to(root))) and path.is_file()}
    return [Module(name, path) for name, path in sorted(found.items())]


def module_name(file: PurePath) -> str:
    """Return a.b for `a/b.py` and a for `a/__init__.py`, and "" for files that are not read."""
    parts = [part for part in file.with_suffix("").parts if part != "__init__"]
    readable = file.suffix == ".py" and all(
        part.isidentifier() and part not in NOT_READ and not part.startswith("test_") for part in parts
    )
    return ".".join(parts) if readable else ""
