"""Scores of rows of a table: each column votes by its own model, and a missing value does not vote."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.models.columns import ColumnScorer
from suffice.parallel import in_parallel, thread_count
from suffice.tables import Table
from suffice.typing import Array

__all__ = ["TableScorer"]

WORTH_A_THREAD = 8192


@dataclass(frozen=True)
class TableScorer:
    """A scorer per column. Columns that a table lacks are missing in every row."""

    columns: dict[str | int, ColumnScorer]
    classes: int

    def scores(self, table: Table) -> Array:
        """Rows × classes."""
        parts = min(thread_count(), 1 + len(table) // WORTH_A_THREAD)
        ends = np.linspace(0, len(table), parts + 1).astype(int).tolist()
        blocks = [slice(*pair) for pair in zip(ends[:-1], ends[1:], strict=True)]
        out = np.zeros((len(table), self.classes))

        def add(block: slice) -> None:
            for vote in self.votes(table.part(block)).values():
                out[block] += vote  # NB-9

        in_parallel(add, blocks)
        return out

    def votes(self, table: Table) -> dict[str | int, Array]:
        """ln p(x_j | c) of each column, rows × classes."""
        return {name: self.columns[name].scores(table[name]) for name in table.names if name in self.columns}
