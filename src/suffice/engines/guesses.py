"""Guess which column holds the labels, and which holds the texts, from names, types and contents."""

from __future__ import annotations

from typing import Any

from suffice.errors import InputError
from suffice.later import pa, pc

__all__ = ["LABELS", "TEXTS", "guess_target", "guess_text", "is_string", "is_text", "label_among"]

LABELS = ("label", "labels", "target", "class", "category", "y", "species", "outcome", "spam")
TEXTS = ("text", "texts", "message", "body", "content", "document", "comment", "review", "title")


def label_among(names: list[str]) -> str | None:
    """Return the only column whose name says that it holds labels, or None if there is not exactly one."""
    found = _called(names, LABELS)
    return found[0] if len(found) == 1 else None


def guess_target(names: list[str]) -> str:
    """Return the column whose name says that it holds labels; raise InputError unless there is exactly one."""
    found = _called(names, LABELS)
    if len(found) != 1:
        numbered = names == [f"c{k}" for k in range(1, len(names) + 1)]
        hint = (
            " The file was read without column names: header=True takes them from its first line." if numbered else ""
        )
        raise InputError(
            f"The argument 'target' must name the column of labels, one of {_listed(names)}; got none, and "
            f"{_how_many(found)} is called {', '.join(LABELS)}.{hint}"
        )
    return found[0]


def guess_text(columns: Any, target: str | None = None, argument: str = "text") -> str:
    """Return the column of texts of an Arrow table or schema; raise InputError unless there is exactly one.

    It is the column of strings whose name says so, else the only column of prose, else the only column of strings. A
    schema has no contents to find prose in.
    """
    schema, rows = (columns.schema, columns) if isinstance(columns, pa.Table) else (columns, None)
    others = [name for name in schema.names if name != target]
    if rows is None and len(others) == 1:
        return str(others[0])
    strings = [name for name in others if is_string(schema.field(name).type)]
    prose = [name for name in strings if rows is not None and is_text(rows[name])]
    for found in (_called(strings, TEXTS), prose, strings, _called(others, TEXTS)):
        if len(found) == 1:
            return str(found[0])
    raise InputError(
        f"The argument '{argument}' must name the column of texts, one of {_listed(others)}; got none, and "
        f"{_how_many(strings)} holds texts."
    )


def is_text(column: Any) -> bool:
    """Return whether a column holds prose: strings of three words or more on average, most of them distinct."""
    if not is_string(column.type):
        return False
    sample = column.slice(0, 1000).drop_null()
    if not len(sample):
        return False
    words = pc.mean(pc.count_substring(sample, " ")).as_py() or 0.0
    return bool(words >= 2 and pc.count_distinct(sample).as_py() > 0.5 * len(sample))


def is_string(kind: Any) -> bool:
    """Return whether an Arrow type is a string type."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def _called(names: list[str], words: tuple[str, ...]) -> list[str]:
    return [name for name in names if name.strip().lower() in words]


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def _how_many(found: list[str]) -> str:
    return "more than one of them" if found else "none of them"
