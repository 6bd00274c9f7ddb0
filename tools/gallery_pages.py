"""Make pages of the gallery side by side; a page is reused while nothing that it is made of changes."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import distributions
from multiprocessing import get_context
from pathlib import Path

from gallery import ROOT, page

__all__ = ["digest", "reused", "side_by_side"]

KEPT = ROOT / "build" / "kept"
TOOLS = ("gallery", "touch", "alt_text")
"""What makes a page, beside the library itself and what is installed."""
LONGEST = "dimensions"
"""The page that takes longest starts first: the others are made beside it."""


def side_by_side(paths: Iterable[Path], folder: Path, kept: Path = KEPT) -> Iterator[str]:
    """Yield the text of each page in the order given, and print its name; there is a process for each core."""
    paths, common = list(paths), digest(sources(), installed())
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read by the new processes, which share the cores already
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        first = sorted(paths, key=lambda path: path.stem != LONGEST)
        made = {path: pool.submit(reused, path, kept / f"{path.stem}-{digest([path], common)}") for path in first}
        try:
            for path in paths:
                found = made[path].result()
                shutil.copytree(found, folder, ignore=shutil.ignore_patterns("*.md"), dirs_exist_ok=True)
                print(f"    {path.stem}", flush=True)
                yield (found / f"{path.stem}.md").read_text(encoding="utf-8")
        finally:
            pool.shutdown(cancel_futures=True)


def reused(path: Path, folder: Path) -> Path:
    """Return a folder with a page and its pictures, made unless they are there; those made before it are removed."""
    text = folder / f"{path.stem}.md"
    if not text.exists():
        for old in folder.parent.glob(f"{path.stem}-*"):
            shutil.rmtree(old)
        made = page(path, folder)
        text.write_text(made, encoding="utf-8")  # last: a page that was interrupted is made again
    return folder


def sources() -> list[Path]:
    """Return files that every page is made of: the library, as it is compiled here, and tools."""
    library = (path for path in (ROOT / "src" / "suffice").rglob("*") if path.suffix in {".py", ".so", ".pyd"})
    return sorted([*library, *(ROOT / "tools" / f"{name}.py" for name in TOOLS)])


def installed() -> str:
    """Return names and versions of all installed packages."""
    return "\n".join(sorted(f"{each.name} {each.version}" for each in distributions()))


def digest(files: Iterable[Path], more: str = "") -> str:
    """Return a short name for the contents of files and a text."""
    found = hashlib.sha256(more.encode())
    for path in files:
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]
