"""Open the files that a user names, with the options for reading them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from suffice.engines.guesses import label_among
from suffice.errors import KindError
from suffice.models.open_columns import read_as
from suffice.tables.row_files import Files, Given
from suffice.tables.sniff import LONGEST_ROW

__all__ = ["given_of", "opened"]


def given_of(
    sep: str | None,
    quote: str | None,
    header: bool | None,
    missing: Sequence[str] | None,
    encoding: str | None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    longest_row: int = LONGEST_ROW,
) -> Given:
    """Return the options for reading files; raise KindError for a string in place of a list."""
    for name, words in (("missing", missing), ("drop", drop), ("keep", keep)):
        if isinstance(words, str):
            raise KindError(
                f"The argument '{name}' must be a list of strings; got the string {words!r}. Write [{words!r}]."
            )
    words = None if missing is None else tuple(missing)
    return Given(sep, quote, header, encoding, words, tuple(drop), tuple(keep), longest_row)


def opened(
    paths: Any,
    errors: str,
    given: Given | None = None,
    model: Any = None,
    target: str | None = None,
    labelled: bool = True,
    strict: bool = False,
) -> Files:
    """Return the files, with columns read in the types that a fitted model has learned, and labels as strings.

    With `labelled=False`, rows need no label. With `strict=True`, every file must have the columns that the model has
    learned, or those of the first file.
    """
    known = target or getattr(model, "target_", None)
    listed = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    expected = tuple(name for name in (known, getattr(model, "text_column_", None)) if name is not None)
    label = label_among if known is None else lambda names: known
    needed = _needed(model) if strict else None
    return Files(listed, errors, given or Given(), label, _learned(model), expected, labelled, needed)


def _needed(model: Any) -> tuple[str, ...]:
    """Return the columns from which a model predicts, or none if it is not fitted."""
    text = getattr(model, "text_column_", None)
    columns = getattr(model, "columns_", None)
    if columns is None:
        columns = dict.fromkeys(getattr(model, "feature_names_in_", ()))
    names = [name for name, column in columns.items() if not getattr(column, "silent", False)]
    return tuple(map(str, names if text is None else [text, *names]))


def _learned(model: Any) -> dict[str, str]:
    """Return which columns a model has learned as numbers and which as words, by name."""
    columns = getattr(model, "columns_", {})
    found = {str(name): read_as(column, model.statistics_[name]) for name, column in columns.items()}
    return {name: kind for name, kind in found.items() if kind is not None}
