"""Arrays and sparse matrices → the rows of one block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from suffice.models.scoring.rows import MatrixRows
from suffice.stats.hashing import matrix_rows, value_rows
from suffice.stats.inputs import REAL, Allowed, Rows
from suffice.typing import Integers

__all__ = ["MatrixReader"]


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

    def read(self, source: Any) -> Rows:
        """Return rows as the kernels read them."""
        rows = source if isinstance(source, Rows) else Rows.read(source, "X")
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
