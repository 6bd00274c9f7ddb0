"""`suffice inspect` and `suffice explain`: show what a model holds, and the log-odds of a prediction."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from suffice.cli.classifiers import classifier_to_answer
from suffice.cli.column_lines import cut, describe_columns, lines_of_columns
from suffice.cli.file_options import open_files
from suffice.cli.light import without_pandas
from suffice.cli.outputs import WIDTH, say
from suffice.cli.spooling import spooled
from suffice.engines.roles import kind_of_rows, roles
from suffice.errors import FileError, InputError, LabelError, SufficeError
from suffice.later import pa
from suffice.store.models import describe, load_to_answer
from suffice.tables.row_files import Files
from suffice.telling import counted

__all__ = ["explain", "inspect"]

MANY, CLASSES, COLUMNS = 50, 6, 40
"""The most classes with a line, the most with a line for each column, and the most columns shown."""


@without_pandas()
def explain(
    path: Path, row: str, number: int, target: str | None, against: str | None, top: int, errors: str, as_json: bool
) -> None:
    """Print what each feature of one text or row adds to the log-odds."""
    model = classifier_to_answer(path)
    if row == "-" or (os.path.exists(row) and not os.path.isdir(row)):  # a text may be too long for a name
        with spooled([Path(row)], model=model) as files:
            one = _row(files, model, number, errors)
    elif kind_of_rows(model) == "text":
        one = row
    else:
        raise FileError(f"The file {row!r} does not exist. This model reads tables: name a file, and its row by --row.")
    explanation = model.explain(one, *(_label(model, name) for name in (target, against)))
    two = {"target": str(explanation.target), "against": str(explanation.against)}
    say(as_json, {**explanation.to_dict(), **two, "note": explanation.note}, explanation.lines(top))


@without_pandas()
def inspect(path: Path, top: int, as_json: bool) -> None:
    """Print what a model file holds: its target, classes, columns or words, and the features that favour each class."""
    model, header = load_to_answer(path), describe(path)
    facts: dict[str, Any] = {
        "estimator": header.estimator,
        "library": header.library_version,
        "format": header.format_version,
        "bytes": header.size,
        "target": getattr(model, "target_", None) or getattr(getattr(model, "_reader", None), "target", None),
        "stale": bool(getattr(model, "stale_", False)),
    }
    shown = [f"suffice {header.library_version}, format {header.format_version}, {header.size:,} bytes"]
    journal = getattr(model, "journal_", None)
    if journal is not None:
        facts["journal"] = len(journal)
        shown.append(f"journal of {counted(len(journal), 'different row')}: 'suffice forget' refuses all others")
    if facts["stale"]:
        shown.append("The hyperparameters are older than the counts: 'suffice refresh' chooses them again.")
    if hasattr(model, "class_count_"):
        facts |= _classes(model, top)
        shown += ["", *_lines_of_classes(facts)]
    if hasattr(model, "observe"):
        facts |= _learned(model)
        shown += ["", *_lines_of_learner(model)]
    if kind_of_rows(model) == "text":
        facts["text"] = getattr(model, "text_column_", None)
        facts["buckets" if model._reader.hash_bits else "words"] = model._model.blocks["text"].t.width
    if kind_of_rows(model) == "table":
        facts["columns"] = describe_columns(model)
        few = dict(list(facts["columns"].items())[:COLUMNS])
        shown += ["", *lines_of_columns(model, few, _largest(facts), WIDTH)]
        rest = len(facts["columns"]) - len(few)
        shown += [f"and {counted(rest, 'more column')}; --json lists all"] if rest else []
    say(as_json, facts, "\n".join([_headline(facts), *shown]))


def _headline(facts: dict[str, Any]) -> str:
    """Return the kind of model, its size, and which column it predicts."""
    parts = [facts["estimator"]]
    if "rows" in facts:
        parts[0] += f" of {counted(round(sum(facts['rows'].values())), 'row')}"
        parts.append(counted(len(facts["rows"]), "class", "classes"))
    if "examples" in facts:
        parts[0] += f" after {counted(facts['examples'], 'example')}"
        parts += [counted(facts["hypotheses"], "hypothesis", "hypotheses")] if "hypotheses" in facts else []
    sizes = {name: facts[f"{name}s"] for name in ("column", "word", "bucket", "item", "feature") if f"{name}s" in facts}
    parts += [counted(many if isinstance(many, int) else len(many), name) for name, many in sizes.items()]
    source = f" from {facts['text']!r}" if facts.get("text") else ""
    goal = f"; predicts {facts['target']!r}{source}" if facts["target"] is not None else ""
    return ", ".join(parts) + goal


def _classes(model: Any, top: int) -> dict[str, Any]:
    """Return the rows of each class, and the features that favour each of the first fifty."""
    rows = dict(zip([str(c) for c in model.classes_], model.class_count_.tolist(), strict=True))
    best: dict[str, list[str]] = {}
    for label in model.classes_[:50]:
        with suppress(SufficeError):
            best[str(label)] = [_called(model, row) for row in model.top_features(label, top)]
    return {"rows": rows, "top": best}


def _learned(model: Any) -> dict[str, Any]:
    """Return the examples and the posterior of a concept learner."""
    if not hasattr(model, "posterior_"):
        sides = model.tightest_.tolist() if model.n_ else []
        return {"examples": model.n_, "features": len(sides), "tightest": sides}
    best = [{"hypothesis": str(name), "posterior": share} for name, share in model.posterior_.top()]
    sizes = {"hypotheses": len(model.hypotheses), "items": len(model.domain)}
    return {"examples": len(model.observed_), **sizes, "best": best}


def _lines_of_learner(model: Any) -> list[str]:
    if hasattr(model, "posterior_"):
        return [cut(line, WIDTH) for line in repr(model.posterior_).splitlines()]
    sides = enumerate(model.tightest_.tolist() if model.n_ else [])
    return [f"feature {at}: examples from {low:g} to {high:g}" for at, (low, high) in sides]


def _called(model: Any, row: Any) -> str:
    """Return a feature that favours a class, with the values that do."""
    if kind_of_rows(model) != "table" or not row.value:
        return str(row.feature)
    value = re.sub(r", power .*$", "", row.value)
    where, _, average = value.partition(": ")
    return f"{row.feature} {where}" if average else f"{row.feature}={value}"


def _lines_of_classes(facts: dict[str, Any]) -> list[str]:
    rows, total = facts["rows"], sum(facts["rows"].values()) or 1.0
    names, counts = max(5, *map(len, rows)), max(4, *(len(f"{n:,.0f}") for n in rows.values()))
    lines = [f"{'class':<{names}}  {'rows':>{counts}}   share  features that favour it most"]
    for name in list(rows)[:MANY]:
        speaks = ", ".join(facts["top"].get(name, []))
        lines.append(
            cut(f"{name:<{names}}  {rows[name]:>{counts},.0f}  {100 * rows[name] / total:4.1f} %  {speaks}", WIDTH)
        )
    return (
        [*lines, f"and {counted(len(rows) - MANY, 'more class', 'more classes')}; --json lists all"]
        if len(rows) > MANY
        else lines
    )


def _largest(facts: dict[str, Any]) -> list[str]:
    """Return the largest classes, which have a line for each column."""
    order = sorted(facts["rows"], key=lambda name: -facts["rows"][name])[:CLASSES]
    return [name for name in facts["rows"] if name in order]


def _row(files: list[Path], model: Any, number: int, errors: str) -> Any:
    """Return one row of the files, as the model reads it."""
    table = _rows(open_files(files, errors, model, look=True, labelled=False), number)
    columns = roles(table, model, None, getattr(model, "text_column_", None), labelled=False)
    found = columns.features(table)
    return found[number - 1].as_py() if columns.text else {n: found[n][number - 1].as_py() for n in found.column_names}


def _rows(files: Files, number: int) -> Any:
    """Return the rows of the files up to the given one."""
    if number < 1:
        raise InputError(f"The option '--row' must be 1 or more; got {number}.")
    parts, rows = [], 0
    for table in files:
        parts.append(table)
        rows += table.num_rows
        if rows >= number:
            return pa.concat_tables(parts, promote_options="permissive")
    raise InputError(f"The option '--row' must name a row of the file, which has {counted(rows, 'row')}; got {number}.")


def _label(model: Any, name: str | None) -> Any:
    """Return the class of a given name."""
    if name is None:
        return None
    for label in model.classes_.tolist():
        if str(label) == name:
            return label
    known = ", ".join(map(str, model.classes_[:8])) + (", …" if len(model.classes_) > 8 else "")
    raise LabelError(f"The model has no class {name!r}; its classes are {known}.")
