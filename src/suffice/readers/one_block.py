"""Arrays, sparse matrices and texts → the rows of one block; or one row, as people pass it to be explained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from suffice.errors import InputError, KindError
from suffice.models.choosing.judge import some_rows
from suffice.models.scoring.removal import group_codes
from suffice.models.scoring.rows import MatrixRows
from suffice.models.scoring.text_rows import TextRows
from suffice.stats.hashing import matrix_rows, text_row, value_rows
from suffice.stats.inputs import REAL, Allowed, RowMatrix
from suffice.tables import frame_of
from suffice.text import Analysis
from suffice.text.documents import each_text
from suffice.typing import GroupsLike, Integers, Text

__all__ = ["KeptTexts", "MatrixReader", "TextReader", "one_row_of", "one_text"]


@dataclass(frozen=True)
class MatrixReader:
    """How a matrix is read: which values are allowed, or above what they stand for flags."""

    allowed: Allowed = REAL
    above: float | None = None
    block: str = "X"

    by_block = False

    def rows(self, source: Any, names: Sequence[Any] = ()) -> dict[str | int, Any]:
        """Return the rows of the block."""
        return {self.block: MatrixRows(self.read(source), names)}

    def read(self, source: Any) -> RowMatrix:
        """Return rows as the kernels read them."""
        rows = source if isinstance(source, RowMatrix) else RowMatrix.read(source, "X")
        if self.above is not None:
            return rows.flags(self.above)
        return rows if self.allowed is REAL else rows.must_be(self.allowed)

    def parts(self, source: Any) -> Iterator[dict[str | int, Any]]:
        """Return all rows, at once."""
        yield self.rows(source)

    def take(self, source: Any, which: Integers) -> Any:
        """Return some of the rows."""
        return (source.tocsr() if issparse(source) else source)[which]

    def size(self, source: Any) -> int:
        """Return the number of rows."""
        return int(source.shape[0])

    def row_bytes(self, source: Any) -> Iterable[bytes]:
        """Return each row as bytes, equal for equal rows."""
        plain = issparse(source) or np.asarray(source).dtype.kind in "biuf"
        return matrix_rows(source) if plain else value_rows(source)


@dataclass(frozen=True)
class TextReader:
    """What a token is, and how words are counted: by name or in buckets, with those that come again or without."""

    analysis: Analysis
    hash_bits: int = 0
    bursts: bool = False
    block: str = "text"

    by_block = False

    def rows(self, source: Any) -> dict[str | int, Any]:
        """Return the rows of the block."""
        if isinstance(source, TextRows):
            return {self.block: source}
        return {self.block: TextRows(source, self.analysis, hash_bits=self.hash_bits, bursts=self.bursts)}

    def parts(self, source: Any) -> Iterator[dict[str | int, Any]]:
        """Return the rows some at a time, so that a stream is never held as a whole."""
        batch = None
        for batch in self.analysis.batches(source, "X"):
            yield {self.block: TextRows.of_batch(batch, self.analysis)}
        if batch is None:
            yield {self.block: TextRows.of_batch(self.analysis.empty(), self.analysis)}

    def take(self, source: Any, which: Integers) -> Any:
        """Return some of the texts."""
        return source.take(which) if hasattr(source, "take") else [source[i] for i in which]

    def size(self, source: Any) -> int:
        """Return the number of texts."""
        return len(source)

    def row_bytes(self, source: Any) -> Iterable[bytes]:
        """Return each text as bytes, equal for equal texts."""
        return (text_row(self.analysis._decoded(text)) for text in each_text(source, "X"))


class KeptTexts(Iterator[Text]):
    """Texts that pass by, of which some are kept to choose by."""

    def __init__(self, texts: Iterator[Text], which: Integers) -> None:
        self._texts, self.which = texts, which
        self._wanted, self._at, self.texts = set(which.tolist()), 0, list[Text]()

    @classmethod
    def of(cls, texts: Iterator[Text], rows: int, most: int, groups: GroupsLike) -> KeptTexts:
        """Keep at most so many of the texts, or whole groups of them."""
        group = None if groups is None else group_codes(groups, rows)
        return cls(texts, some_rows(rows, most, group))

    def __next__(self) -> Text:
        text = next(self._texts)
        if self._at in self._wanted:
            self.texts.append(text)
        self._at += 1
        return text


def one_row_of(x: Any, names: Any) -> Any:
    """Return rows with this one only; one by name in the order of the model's names."""
    if hasattr(x, "to_dict") and not hasattr(x, "columns"):  # a row of pandas
        x = x.to_dict()
    if isinstance(x, Mapping) and names is not None:
        missing = [name for name in names if name not in x]
        if missing:
            raise InputError(
                f"The argument 'x' must have a value for each feature of the model; {missing[0]!r} has none."
            )
        return frame_of({name: _column(x[name]) for name in names})
    if isinstance(x, Mapping):
        x = list(x.values())
    if not issparse(x) and not hasattr(x, "columns"):
        x = np.asarray(x)
        if x.dtype.kind == "O" or x.dtype.kind in "US":
            x = np.asarray(x, dtype=object)
    x = x.reshape(1, -1) if getattr(x, "ndim", 2) == 1 else x
    if getattr(x, "ndim", 2) == 2 and x.shape[0] != 1:
        raise InputError(f"The argument 'x' must be one row; got {x.shape[0]:,}.")
    return x


def _column(value: Any) -> list[Any]:
    many = hasattr(value, "__len__") and not isinstance(value, str | bytes)
    if many and len(value) != 1:
        raise InputError(f"The argument 'x' must be one row; got {len(value):,}.")
    return list(value) if many else [value]


def one_text(x: Any) -> Any:
    """Return a text, or the only one of some."""
    if isinstance(x, str | bytes) or not hasattr(x, "__iter__"):
        if x is None or isinstance(x, float | int):
            raise KindError(f"The argument 'x' must be one text; got {x!r}, a {type(x).__name__}.")
        return x
    texts = list(x)
    if len(texts) != 1:
        raise InputError(f"The argument 'x' must be one text; got {len(texts):,}.")
    return texts[0]
