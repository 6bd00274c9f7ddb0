"""Build the site: `make docs`. Pages come from docs/, the gallery is run, and MkDocs makes HTML of it all.

What is written in the repository links to files of the repository. On the site a file may have another place: pages of
the gallery are made by running them, and source files that a page links to become pages of their own. So all pages are
staged in build/pages first, with their links led anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gallery import GALLERY, ROOT, page, readable
from gallery_pages import side_by_side
from reference import PAGES, directives

__all__ = ["build", "place", "relink", "stage"]

DOCS = ROOT / "docs"
BESIDE = [ROOT / name for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")]
LINK = re.compile(r"\]\((?!https?://|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
FENCED = re.compile(r"^( *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
DOCTEST = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)
CARD = re.compile(r"^- \[(?P<title>[^]]+)\]\((?P<name>\w+)\.py\): (?P<text>.+)$", re.MULTILINE)


def place(path: Path) -> Path:
    """Return where a file of the repository is on the site."""
    if path == ROOT / "README.md":
        return Path("index.md")
    inside = path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT)
    if path.suffix != ".py":
        return inside
    return (inside if path.is_relative_to(GALLERY) else Path("source") / inside).with_suffix(".md")


def relink(text: str, path: Path) -> str:
    """Return the text of a file of the repository, with its links as they are on the site."""

    def lead(link: re.Match[str]) -> str:
        where = os.path.relpath(place(_target(path, link)), place(path).parent)
        return f"]({Path(where).as_posix()}{link['anchor'] or ''})"

    parts = FENCED.split(DOCTEST.sub("```pycon\n", text))
    return "".join(part if part.lstrip().startswith("```") else LINK.sub(lead, part) for part in parts)


def _target(path: Path, link: re.Match[str]) -> Path:
    return Path(os.path.normpath(path.parent / link["path"]))


def sources(pages: Iterable[Path]) -> list[Path]:
    """Return source files that pages link to."""
    found = {_target(path, link) for path in pages for link in LINK.finditer(path.read_text(encoding="utf-8"))}
    return sorted(path for path in found if path.suffix == ".py" and not path.is_relative_to(GALLERY))


def cards(text: str) -> str:
    """Return each entry of a list of gallery pages, with the first picture of its page."""
    picture = r'[![\g<title>](\g<name>_1.svg)](\g<name>.py){ tabindex="-1" aria-hidden="true" }'
    title = r"**[\g<title>](\g<name>.py)**"  # read out and reached by keys once: the picture leads to the same page
    return CARD.sub(rf"-   {picture}\n\n    {title}\n\n    \g<text>\n", text)


def one_by_one(paths: Iterable[Path], folder: Path) -> Iterator[str]:
    """Yield the text of each page of the gallery, and draw its pictures."""
    return (page(path, folder) for path in paths)


def stage(folder: Path, make: Callable[[Iterable[Path], Path], Iterable[str]] = one_by_one) -> None:
    """Put all pages into a folder; `make` yields the texts of pages of the gallery and draws their pictures."""

    def write(path: Path, text: str) -> None:
        target = folder / place(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    shutil.rmtree(folder, ignore_errors=True)
    pages = [*sorted(DOCS.rglob("*.md")), *BESIDE]
    for path in pages:
        text = path.read_text(encoding="utf-8")
        write(path, relink(directives(text) if path.is_relative_to(PAGES) else cards(text), path))
    for path in sources(pages):
        code = f"```{{.python linenums=1}}\n{path.read_text(encoding='utf-8')}```"
        write(path, f"---\nsearch:\n  exclude: true\n---\n\n# {path.relative_to(ROOT).as_posix()}\n\n{code}\n")
    for path in sorted(DOCS.rglob("*.svg")):
        write(path, readable(path.read_text(encoding="utf-8")))
    for path in sorted(path for kind in ("css", "js", "woff2") for path in DOCS.rglob(f"*.{kind}")):
        (folder / place(path)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / place(path))
    gallery = sorted(GALLERY.glob("*.py"))
    for path, text in zip(gallery, make(gallery, folder / "gallery"), strict=True):
        write(path, relink(text, path))


def build(pages: Path, site: Path) -> int:
    """Build the site of staged pages; return not 0 if a link is broken or a page is not in the navigation."""
    settings = {"SUFFICE_PAGES": str(pages), "SUFFICE_SITE": str(site), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(ROOT / "mkdocs.yml")]
    done = subprocess.run(
        command, check=False, env={**os.environ, **settings}, stderr=subprocess.PIPE, encoding="utf-8"
    )
    print("".join(line for line in done.stderr.splitlines(True) if not line.startswith("INFO")), end="")
    return done.returncode


if __name__ == "__main__":
    print("==> running the gallery", flush=True)
    stage(ROOT / "build" / "pages", side_by_side)
    print("==> building the site (mkdocs)", flush=True)
    sys.exit(build(ROOT / "build" / "pages", ROOT / "build" / "site"))
