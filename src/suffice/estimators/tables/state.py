"""What a file keeps of a classifier of tables, and what people see of one: as text, and for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from suffice.errors import DataError, ShapeError
from suffice.estimators.shell.stored import (
    OF_FILES,
    State,
    check_labels,
    check_schema,
    checked_journal,
    read_views,
    written_views,
)
from suffice.models.model import Model
from suffice.models.open_columns import Numbers, OpenBlock
from suffice.models.views import ColumnWeights
from suffice.readers.table import TableReader, columns_of
from suffice.readers.table_columns import check_block
from suffice.stats import ClassCounts
from suffice.telling import counted

__all__ = ["as_html", "as_text", "restored", "state_of"]

SCHEMA = ("_declared", "n_features_in_", "feature_names_in_", "_backend", "_named", "_target", "columns_")


def state_of(estimator: Any) -> State:
    """Return what a file keeps beside the parameters."""
    model, reader = estimator._model, estimator._reader
    known = {**vars(estimator), "_declared": model.declared, "columns_": columns_of(model)}
    known |= {"_backend": reader.backend, "_named": reader.named, "_target": reader.target}
    kept = {name: block.numbers.parts for name, block in model.blocks.items() if block.numbers is not None}
    statistics = {"rows": model.rows, "columns": dict(estimator.statistics_), "open": kept}
    journal = {} if estimator._journal is None else {"journal": estimator._journal}
    return {
        "classes": model.classes,
        "schema": {name: known[name] for name in (*SCHEMA, *OF_FILES) if name in known},
        "statistics": statistics | journal,
        "views": written_views(estimator._predictor.views, estimator._stale),
    }


def restored(estimator: Any, state: State) -> None:
    """Make an estimator what a file says; raise if that is none of its class."""
    classes, schema, statistics = state["classes"], dict(state["schema"]), dict(state["statistics"])
    check_labels(classes)
    check_schema(schema, SCHEMA)
    views, stale = read_views(state["views"], ColumnWeights)
    estimator._journal = checked_journal(statistics)
    named, backend = schema["_named"], schema["_backend"]
    if backend not in (None, "pandas", "polars", "pyarrow") or type(named) is not bool:
        raise DataError(f"The table must come from a known library; got {backend!r}.")
    model = _model(classes, schema, statistics)
    options = {"columns": estimator.columns, "estimate": estimator.estimate, "strict": estimator.unseen == "error"}
    estimator._reader = TableReader(**options, named=named, backend=backend, target=schema["_target"]).of(model)
    vars(estimator).update({name: schema[name] for name in ("feature_names_in_", *OF_FILES) if name in schema})
    estimator._put(model, views, stale)


def _model(classes: Any, schema: State, statistics: State) -> Model:
    columns, counted = schema["columns_"], statistics["columns"]
    kept = {name: Numbers.of_parts(parts) for name, parts in statistics.get("open", {}).items()}
    if not isinstance(columns, dict) or not isinstance(counted, dict) or list(columns) != list(counted):
        raise DataError("A table must have columns with names, a model and a statistic each.")
    if set(kept) - set(columns):
        raise DataError("Statistics must belong to columns of the table.")
    rows = statistics["rows"]
    if type(rows) is not ClassCounts or rows.shape != (len(classes),):
        raise ShapeError(f"A table must have rows of {len(classes)} classes.")
    blocks = {name: OpenBlock(likelihood, counted[name], kept.get(name)) for name, likelihood in columns.items()}
    for name, block in blocks.items():
        check_block(name, block, len(classes))
    return Model(classes, rows, blocks, schema["_declared"])


MOST = 60
HEAD = ("column", "kind", "rows", "prior")


def as_text(estimator: Any, name: str) -> str:
    """Return classes, and a line per column."""
    lines = [HEAD, *_lines(estimator)]
    width = [max(len(line[k]) for line in lines) for k in range(3)]
    shown = [f"  {a:{width[0]}}  {b:{width[1]}}  {c:>{width[2]}}  {d}".rstrip() for a, b, c, d in lines]
    return "\n".join([name, f"  {_rows(estimator)}", *shown])


def as_html(estimator: Any, name: str) -> str:
    """Return classes, and a line per column, as a table."""
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


def _rows(estimator: Any) -> str:
    counts = estimator.class_count_
    each = [f"{label} {n:,.15g}" for label, n in zip(estimator.classes_, counts, strict=True)]
    more = f", and {len(each) - 10} more" if len(each) > 10 else ""
    sizes = f"{counted(counts.sum(), 'row')} of {counted(len(each), 'class', 'classes')}"
    return f"{sizes}: {', '.join(each[:10])}{more}"


def _lines(estimator: Any) -> list[tuple[str, str, str, str]]:
    """Return column, kind, rows that have a value, and prior; the middle of a long list is left out."""
    names = list(estimator.columns_)
    shown = names if len(names) <= MOST else [*names[: MOST // 2], None, *names[-(MOST // 2) :]]
    gap = ("…", f"{len(names) - len(shown) + 1} more", "", "")
    return [gap if name is None else _line(estimator, name) for name in shown]


def _line(estimator: Any, name: Any) -> tuple[str, str, str, str]:
    block = estimator._model.blocks[name]
    rows = float(np.sum(block.statistic.n)) if hasattr(block.statistic, "n") else 0.0
    return str(name), block.likelihood.word, f"{rows:,.15g}", block.likelihood.prior_in_words(block.t)
