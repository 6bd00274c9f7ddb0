"""A page of the gallery is a Python file. This runs it and makes Markdown and pictures of it.

It is made of cells, as Jupyter (with jupytext) and editors open them as a notebook; the first begins with the title::

    # %% [markdown]      prose: the comments that follow
    # %%                 code: shown with what it prints; a chart that is its last value is a picture
    # %% drawing         the same, but the code is folded away

``python docs/gallery/coin.py`` runs the same file and only prints. ``python tools/gallery.py coin`` shows the Markdown
of the page and writes its pictures to build/gallery. Prose may ask for a widget (``tools/touch.py``).
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import altair
import vl_convert
from alt_text import alt_text, reading
from touch import filled, scripts

from suffice.plots.altair import GREY, THEME

__all__ = ["GALLERY", "INK", "Cell", "Shown", "cells", "notebook", "page", "readable", "run", "wrapped"]

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "docs" / "gallery"
LOOK = {**THEME, "legend": {**THEME["legend"], "orient": "bottom", "labelLimit": 400}}
"""Pictures that a page draws itself look like those of ``suffice.plots``, on light and on dark pages."""
INK = {"light": "#5a5f6a", "dark": "#b5bac4"}
WIDE = 90
"""Characters of a line that fit on a page."""
NARROW, LEAST = 350, 0.7
"""Pixels that a phone has for a picture, and how small one may be shown so that its words can be read."""
MARK = re.compile(r"^# %% ?(?P<kind>.*)\n", re.MULTILINE)
WIDGET = re.compile(r"^<div class=\"touch\".*</div>$\n?", re.MULTILINE)
NEIGHBOUR = re.compile(r"\[([^]]+)\]\((?!https?://)[^)]+\)")
KINDS = {"[markdown]": "prose", "": "code", "drawing": "drawing"}

NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True)
class Cell:
    """A piece of a page: prose, code or a drawing, and the number of the line before it."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Shown:
    """A cell that has been run: what it printed, and its chart if it ended in one."""

    cell: Cell
    printed: str = ""
    chart: Any = None


def cells(source: str) -> list[Cell]:
    """Return each cell."""
    marks, found = list(MARK.finditer(source)), list[Cell]()
    for mark, after in zip(marks, [*(m.start() for m in marks[1:]), len(source)], strict=True):
        text = source[mark.end() : after]
        if mark["kind"] not in KINDS:
            raise ValueError(f"A cell must begin with one of {[f'# %% {k}'.strip() for k in KINDS]}; got {mark[0]!r}.")
        kind = KINDS[mark["kind"]]
        if kind == "prose":
            text = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
        found.append(Cell(kind, text.strip("\n"), source.count("\n", 0, mark.end())))
    return found


def run(path: Path, smaller: Mapping[str, object] = NOTHING) -> Iterator[Shown]:
    """Yield each cell with its output, all in one namespace, as Python would run the file.

    `smaller` has values for names that a page assigns at the top level, such as a number of rows: tests need fewer.
    """
    names: dict[str, Any] = {"__name__": f"gallery_{path.stem}", "__file__": str(path)}
    with altair.renderers.enable("default"):  # a page may choose another, for itself
        for cell in cells(path.read_text(encoding="utf-8")):
            if cell.kind == "prose":
                yield Shown(replace(cell, text=filled(cell.text, names)))
            else:
                yield _run(cell, path, names, smaller)


def _run(cell: Cell, path: Path, names: dict[str, Any], smaller: Mapping[str, object]) -> Shown:
    body = [each for line in ast.parse("\n" * cell.line + cell.text).body for each in _with(line, smaller)]
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), str(path), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(path), "eval"), names)
    return Shown(cell, printed.getvalue().rstrip(), value if isinstance(value, altair.TopLevelMixin) else None)


def _with(line: ast.stmt, smaller: Mapping[str, object]) -> list[ast.stmt]:
    """Return a statement, followed by assignments of smaller values to the names that it assigns."""
    given = [name.id for name in ast.walk(line) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
    after = [f"{name} = {smaller[name]!r}" for name in given if name in smaller and isinstance(line, ast.Assign)]
    return [line, *ast.parse("\n".join(after)).body]


def page(path: Path, folder: Path, smaller: Mapping[str, object] = NOTHING) -> str:
    """Return the Markdown of a page; its pictures are written to a folder, as NAME_1.svg and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    parts, pictures, heading = [], 0, ""
    all_shown = list(run(path, smaller))
    for at, shown in enumerate(all_shown):
        if shown.cell.kind == "prose":
            heading = (re.findall(r"^#+ (.+)$", shown.cell.text, re.MULTILINE) or [heading])[-1]
            parts.append(shown.cell.text)
            continue
        parts.append(_code(shown.cell))
        if shown.printed:
            parts.append(f"```{{.text .printed}}\n{wrapped(shown.printed)}\n```")
        if shown.chart is not None:
            pictures += 1
            words = next((after.cell.text for after in all_shown[at:] if after.cell.kind == "prose"), "")
            parts.append(_picture(shown.chart, folder / f"{path.stem}_{pictures}.svg", heading, reading(words)))
    (folder / f"{path.stem}.ipynb").write_text(notebook(path), encoding="utf-8")
    end = (
        f"This page is `docs/gallery/{path.name}`: `python docs/gallery/{path.name}` runs it. "
        f'<a href="{path.stem}.ipynb" download>Download it as a notebook</a>.'
    )
    parts.append(f'<p class="made-by" markdown>{end}</p>')
    return "\n\n".join([*parts, *scripts(parts), ""])


def _picture(chart: Any, file: Path, heading: str, sentence: str) -> str:
    """Draw a chart, and return the Markdown that shows it and says what it shows."""
    spec = chart.to_dict()
    drawn = vl_convert.vegalite_to_svg(spec, config=LOOK)
    file.write_text(readable(drawn), encoding="utf-8")
    return f"![{alt_text(spec, heading, sentence)}]({file.name}){_width(drawn)}"


def wrapped(printed: str) -> str:
    """Return printed text with long sentences wrapped to the width of a page; rows of tables stay, and scroll."""
    lines = printed.split("\n")
    return "\n".join(line if "  " in line else textwrap.fill(line, WIDE) for line in lines)


def notebook(path: Path) -> str:
    """Return a page as a Jupyter notebook, not run: prose and code, without widgets and links to other pages."""
    made = []
    for number, cell in enumerate(cells(path.read_text(encoding="utf-8"))):
        prose = cell.kind == "prose"
        text = NEIGHBOUR.sub(r"\1", WIDGET.sub("", cell.text)) if prose else cell.text
        more: dict[str, object] = {} if prose else {"execution_count": None, "outputs": []}
        made.append(
            {
                "id": f"cell{number}",
                "cell_type": "markdown" if prose else "code",
                "metadata": {},
                "source": text,
                **more,
            }
        )
    python = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": python, "cells": made}, ensure_ascii=False, indent=1
    )


def readable(svg: str) -> str:
    """Return a picture with its grey words darker on a light page, and lighter on a dark one.

    No grey stands out from both. Browsers tell a picture which colours its page has.
    """
    words = f'text[fill="{GREY}"]'
    dark = f"@media (prefers-color-scheme: dark) {{ {words} {{ fill: {INK['dark']} }} }}"
    style = f"<style>{words} {{ fill: {INK['light']} }} {dark}</style>"
    return re.sub(r"<svg[^>]*>", lambda head: head[0] + style, svg, count=1)


def _width(svg: str) -> str:
    """Return how wide a wide picture must be at least: phones scroll it rather than make it too small to read."""
    found = re.search(r'<svg[^>]* width="([0-9.]+)', svg)
    least = round(LEAST * float(found[1])) if found else 0
    return f'{{ .wide style="--least: {least}px" }}' if least > NARROW else ""


def _code(cell: Cell) -> str:
    block = f"```python\n{cell.text}\n```"
    return block if cell.kind == "code" else '??? note "how it is drawn"\n\n' + textwrap.indent(block, "    ")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(textwrap.dedent(__doc__))
    print(page(GALLERY / f"{sys.argv[1]}.py", ROOT / "build" / "gallery"))
