"""Show a classifier of tables as text and HTML: its classes, and a line per column."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from suffice.models.model import Name
from suffice.telling import counted

if TYPE_CHECKING:
    from suffice.estimators.shell.table_classifier import TableClassifier

__all__ = ["as_html", "as_text"]

MOST = 60
HEAD = ("column", "kind", "rows", "prior")


def as_text(estimator: TableClassifier, name: str) -> str:
    """Return the classes, and a line per column, as text."""
    lines = [HEAD, *_lines(estimator)]
    width = [max(len(line[k]) for line in lines) for k in range(3)]
    shown = [f"  {a:{width[0]}}  {b:{width[1]}}  {c:>{width[2]}}  {d}".rstrip() for a, b, c, d in lines]
    return "\n".join([name, f"  {_rows(estimator)}", *shown])


def as_html(estimator: TableClassifier, name: str) -> str:
    """Return the classes, and a line per column, as an HTML table."""
    if not estimator.__sklearn_is_fitted__():
        return f"<pre>{escape(name)}</pre>"
    head = "".join(f"<th style='text-align:left'>{word}</th>" for word in HEAD)
    body = "".join(f"<tr>{_cells(line)}</tr>" for line in _lines(estimator))
    caption = f"<b>{escape(name)}</b><br>{escape(_rows(estimator))}"
    return f"<table><caption style='text-align:left'>{caption}</caption><tr>{head}</tr>{body}</table>"


def _cells(line: tuple[str, ...]) -> str:
    sides = ("left", "left", "right", "left")
    pairs = zip(sides, line, strict=True)
    return "".join(f"<td style='text-align:{side}'>{escape(cell)}</td>" for side, cell in pairs)


def _rows(estimator: TableClassifier) -> str:
    counts = estimator.class_count_
    each = [f"{label} {n:,.15g}" for label, n in zip(estimator.classes_, counts, strict=True)]
    more = f", and {len(each) - 10} more" if len(each) > 10 else ""
    sizes = f"{counted(counts.sum(), 'row')} of {counted(len(each), 'class', 'classes')}"
    return f"{sizes}: {', '.join(each[:10])}{more}"


def _lines(estimator: TableClassifier) -> list[tuple[str, str, str, str]]:
    """Return name, kind, number of rows and prior of each column; the middle of a long list is left out."""
    names = list(estimator._model.blocks)
    shown = names if len(names) <= MOST else [*names[: MOST // 2], None, *names[-(MOST // 2) :]]
    gap = ("…", f"{len(names) - len(shown) + 1} more", "", "")
    return [gap if name is None else _line(estimator, name) for name in shown]


def _line(estimator: TableClassifier, name: Name) -> tuple[str, str, str, str]:
    block = estimator._model.blocks[name]
    rows = float(np.sum(block.statistic.n)) if hasattr(block.statistic, "n") else 0.0
    return str(name), block.likelihood.word, f"{rows:,.15g}", block.likelihood.prior_in_words(block.t)
