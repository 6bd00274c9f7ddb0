"""Which column of a file is the label, which the text, and which the model learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from suffice.errors import InputError, KindError, LabelError
from suffice.estimators.kinds import closest
from suffice.estimators.text import TextClassifier
from suffice.models.columns import Categorical, Drop
from suffice.tables.files import Files, Given
from suffice.tables.words import is_number

__all__ = ["LABELS", "TEXTS", "Roles", "given_of", "guess_target", "guess_text", "is_text", "opened", "roles"]

LABELS = ("label", "labels", "target", "class", "category", "y", "species", "outcome", "spam")
TEXTS = ("text", "texts", "message", "body", "content", "document", "comment", "review", "title")


@dataclass(frozen=True)
class Roles:
    """Names of the columns: of labels, of texts (None for a table), and of the others."""

    target: str | None
    text: str | None
    classes: Any = None
    """Those of the model that is to learn or to judge these rows, if it has some."""

    def features(self, table: Any) -> Any:
        """What the model learns from."""
        if self.text is not None:
            column = table[self.text]
            column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
            column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
            return pc.fill_null(column if pa.types.is_string(column.type) else column.cast(pa.string()), "")
        return table.drop_columns([self.target]) if self.target in table.column_names else table

    def labels(self, table: Any) -> Any:
        """Labels as an array; as the model writes them, where a file writes them as words and the model does not."""
        column = table[self.target] if self.classes is None else _as_known(table[self.target], self.classes)
        return np.asarray(column.to_numpy(zero_copy_only=False)) if self.text else column

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
        files.skip(column.null_count, f"no label in {self.target!r}", read=True)
        return table.filter(pc.is_valid(column))


def given_of(
    sep: str | None,
    quote: str | None,
    header: bool | None,
    missing: Sequence[str] | None,
    encoding: str | None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> Given:
    """What a user says of files, checked."""
    for name, words in (("missing", missing), ("drop", drop), ("keep", keep)):
        if isinstance(words, str):
            raise KindError(f"The argument '{name}' must be a list of strings; got the string {words!r}.")
    return Given(sep, quote, header, encoding, None if missing is None else tuple(missing), tuple(drop), tuple(keep))


def opened(paths: Any, errors: str, given: Given | None = None, model: Any = None, target: str | None = None) -> Files:
    """Files, read as what a fitted model has learned from; labels of texts as they stand there."""
    known = target or getattr(model, "target_", None)

    def label(names: list[str]) -> str | None:
        if known is not None:
            return known
        found = [name for name in names if name.strip().lower() in LABELS]
        return found[0] if len(found) == 1 else None

    listed = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    expected = tuple(name for name in (known, getattr(model, "text_column_", None)) if name is not None)
    return Files(listed, errors, given or Given(), label, _learned(model), expected)


def _learned(model: Any) -> dict[str, str]:
    """Which columns a model has learned as numbers, and which as words."""
    found = {}
    for name, column in getattr(model, "columns_", {}).items():
        values = np.asarray(getattr(model.statistics_[name], "values", np.zeros(0)))
        if "string" not in column.storages or (
            isinstance(column, Categorical) and len(values) and values.dtype.kind != "O"
        ):
            found[str(name)] = "number"
        elif not isinstance(column, Drop):
            found[str(name)] = "word"
    return found


def _as_known(labels: Any, classes: Any) -> Any:
    """Labels in the type of a model's classes: what a text has as words, other files may have as numbers."""
    words = pa.types.is_string(labels.type) or pa.types.is_large_string(labels.type)
    named = np.asarray(classes).dtype.kind in "OUS"
    if named == words:
        return labels
    if named:
        whole = pa.types.is_floating(labels.type) and pc.all(pc.equal(pc.round(labels), labels)).as_py()
        return (labels.cast(pa.int64()) if whole else labels).cast(pa.string())
    known = {str(label): label for label in np.asarray(classes).tolist()}
    values = []
    for word in labels.unique().to_pylist():
        if word not in known and not is_number(word):
            raise LabelError(f"The target must hold numbers, like the model's classes; got {word!r}.")
        values.append(known[word] if word in known else float(word))
    return pa.array(values).take(pc.index_in(labels, labels.unique()))


def roles(
    table: Any, estimator: Any, target: str | None, text: str | None, labelled: bool = True, fresh: bool = False
) -> Roles:
    """As given, or as names and contents say; `fresh` if the estimator is about to forget its classes."""
    names = table.column_names
    for what, name in (("target", target), ("text", text)):
        if name is not None and name not in names:
            raise InputError(
                f"The argument '{what}' must name a column of the file; got {name!r}.{closest(name, names)}"
            )
    if labelled and target is None:
        target = guess_target(names)
    classes = None if fresh else getattr(estimator, "classes_", None)
    if not isinstance(estimator, TextClassifier):
        return Roles(target, None, classes)
    return Roles(target, text if text is not None else guess_text(table, target), classes)


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
