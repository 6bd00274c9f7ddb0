"""Which column of a file is the label, which the text, and which the model learns from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from suffice.errors import InputError
from suffice.estimators.kinds import closest
from suffice.estimators.text import TextClassifier

__all__ = ["LABELS", "TEXTS", "Roles", "guess_target", "guess_text", "is_text", "roles"]

LABELS = ("label", "labels", "target", "class", "category", "y", "species", "outcome", "spam")
TEXTS = ("text", "texts", "message", "body", "content", "document", "comment", "review", "title")


@dataclass(frozen=True)
class Roles:
    """Names of the columns: of labels, of texts (None for a table), and of the others."""

    target: str | None
    text: str | None

    def features(self, table: Any) -> Any:
        """What the model learns from."""
        if self.text is not None:
            column = table[self.text]
            column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
            column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
            return pc.fill_null(column if pa.types.is_string(column.type) else column.cast(pa.string()), "")
        return table.drop_columns([self.target]) if self.target in table.column_names else table

    def labels(self, table: Any) -> Any:
        """Labels as an array."""
        return np.asarray(table[self.target].to_numpy(zero_copy_only=False)) if self.text else table[self.target]

    def labelled(self, table: Any, files: Any) -> Any:
        """Rows that have a label; others are malformed."""
        if self.target not in table.column_names:
            raise InputError(f"The target {self.target!r} must be a column of every file; it is not.")
        column = table[self.target]
        if not column.null_count:
            return table
        if files.errors == "raise":
            raise InputError(
                f"The target {self.target!r} must have a label in every row; {column.null_count:,} lack one. "
                "errors='skip' leaves such rows out."
            )
        files.skipped += column.null_count
        return table.filter(pc.is_valid(column))


def roles(table: Any, estimator: Any, target: str | None, text: str | None, labelled: bool = True) -> Roles:
    """As given, or as names and contents say."""
    names = table.column_names
    for what, name in (("target", target), ("text", text)):
        if name is not None and name not in names:
            raise InputError(
                f"The argument '{what}' must name a column of the file; got {name!r}.{closest(name, names)}"
            )
    if labelled and target is None:
        target = guess_target(names)
    if not isinstance(estimator, TextClassifier):
        return Roles(target, None)
    return Roles(target, text if text is not None else guess_text(table, target))


def guess_target(names: list[str]) -> str:
    """The column whose name says that it holds labels."""
    found = [name for name in names if name.strip().lower() in LABELS]
    if len(found) != 1:
        raise InputError(
            f"The argument 'target' must name the column of labels, one of {', '.join(map(repr, names[:8]))}; got "
            f"none, and {_how_many(found)} is called {', '.join(LABELS)}."
        )
    return found[0]


def _how_many(found: list[str]) -> str:
    return "more than one of them" if found else "none of them"


def guess_text(table: Any, target: str | None) -> str:
    """The column of texts: by its name, or the only one of words."""
    others = [name for name in table.column_names if name != target]
    named = [name for name in others if name.strip().lower() in TEXTS]
    worded = [name for name in others if is_text(table[name])] if len(named) != 1 else named
    if len(worded) != 1:
        worded = worded or [name for name in others if pa.types.is_string(table[name].type)]
    if len(worded) != 1:
        raise InputError(
            f"The argument 'text' must name the column of texts, one of {', '.join(map(repr, others[:8]))}; got none, "
            f"and {_how_many(worded)} holds texts."
        )
    return str(worded[0])


def is_text(column: Any) -> bool:
    """Whether a column holds prose: strings of several words, mostly different."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    some = column.slice(0, 1000).drop_null()
    if not len(some):
        return False
    words = pc.mean(pc.count_substring(some, " ")).as_py() or 0.0
    return bool(words >= 2 and pc.count_distinct(some).as_py() > 0.5 * len(some))
