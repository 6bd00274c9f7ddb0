"""`suffice inspect` and `suffice explain`: what a model holds, and why it says what it says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa

import suffice as sf
from suffice.cli.outputs import say
from suffice.engines.columns import roles
from suffice.errors import FileError, InputError, LabelError
from suffice.store import describe
from suffice.tables.files import Files
from suffice.telling import counted

__all__ = ["explain", "inspect"]


def explain(path: Path, row: str, number: int, target: str | None, against: str | None, as_json: bool) -> None:
    """The weights of evidence of one text or row."""
    model = sf.load(path)
    if os.path.isfile(row):  # a text may be too long for a name
        table = _rows(Files([Path(row)]), number)
        its = roles(table, model, None, getattr(model, "text_column_", None), labelled=False)
        found = its.features(table)
        one: Any = (
            found[number - 1].as_py() if its.text else {n: found[n][number - 1].as_py() for n in found.column_names}
        )
    elif isinstance(model, sf.TextClassifier):
        one = row
    else:
        raise FileError(f"The file {row!r} does not exist; a table's model explains a row of a file.")
    told = model.explain(one, *(_label(model, name) for name in (target, against)))
    two = {"target": str(told.target), "against": str(told.against)}
    say(as_json, {**told.to_dict(), **two, "note": told.note}, repr(told))


def inspect(path: Path, top: int, as_json: bool) -> None:
    """What a model file says of itself, and what speaks for each class."""
    model, told = sf.load(path), describe(path)
    rows = dict(zip([str(c) for c in model.classes_], model.class_count_.tolist(), strict=True))
    best = {str(label): [row.feature for row in model.top_features(label, top)] for label in model.classes_[:50]}
    versions = {"library": told.library_version, "format": told.format_version}
    facts = {"estimator": told.estimator, **versions, "bytes": told.size, "rows": rows, "top": best}
    width = max(len(name) for name in rows)
    lines = [
        f"  {name:<{width}}  {count:>12,.0f}  {', '.join(map(str, best.get(name, [])))}" for name, count in rows.items()
    ]
    what = f"suffice {told.library_version}, format {told.format_version}, {told.size:,} bytes"
    shown = [f"{told.estimator} of {counted(round(sum(rows.values())), 'row')} ({what})"]
    if getattr(model, "stale_", False):
        shown.append("what was chosen by rows is older than the counts")
    say(as_json, facts, *shown, *lines)


def _rows(files: Files, number: int) -> Any:
    """The rows of a file up to this one."""
    if number < 1:
        raise InputError(f"The option '--row' must be 1 or more; got {number}.")
    parts, rows = [], 0
    for table in files:
        parts.append(table)
        rows += table.num_rows
        if rows >= number:
            return pa.concat_tables(parts, promote_options="permissive")
    raise InputError(f"The option '--row' must be a row of the file, which has {rows:,}; got {number}.")


def _label(model: Any, name: str | None) -> Any:
    """A class by the name that the command line has for it."""
    if name is None:
        return None
    for label in model.classes_.tolist():
        if str(label) == name:
            return label
    known = ", ".join(map(str, model.classes_[:8]))
    raise LabelError(f"The class {name!r} must be one of the model's: {known}.")
