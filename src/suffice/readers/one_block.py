"""Arrays, sparse matrices and texts → the rows of one block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from suffice.models.scoring.rows import MatrixRows
from suffice.models.scoring.text_rows import TextRows
from suffice.stats.hashing import matrix_rows, text_row, value_rows
from suffice.stats.inputs import REAL, Allowed, RowMatrix
from suffice.text import Analysis
from suffice.text.documents import each_text
from suffice.typing import Integers

__all__ = ["MatrixReader", "TextReader"]


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
        for batch in self.analysis.batches(source, "X"):
            yield {self.block: TextRows.of_batch(batch, self.analysis)}

    def empty(self) -> dict[str | int, Any]:
        """Return no rows."""
        return {self.block: TextRows.of_batch(self.analysis.empty(), self.analysis)}

    def take(self, source: Any, which: Integers) -> Any:
        """Return some of the texts."""
        return source.take(which) if hasattr(source, "take") else [source[i] for i in which]

    def size(self, source: Any) -> int:
        """Return the number of texts."""
        return len(source)

    def row_bytes(self, source: Any) -> Iterable[bytes]:
        """Return each text as bytes, equal for equal texts."""
        return (text_row(self.analysis._decoded(text)) for text in each_text(source, "X"))
