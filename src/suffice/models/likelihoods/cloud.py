"""Columns of numbers as one cloud: a normal vector in each class, in place of what the columns say one by one.

score      Student-t of the class's own mean and covariance, the prior learned by evidence               GD-2
held out   a rank-one downdate, or the moments without the group                                         SX-3

It speaks for rows that have a value in every column, and stands beside the columns: evidence and EM are those of the
columns alone (JC-7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.results import Contributions, Speaks
from suffice.models.scoring.rows import MatrixRows
from suffice.stats import FullMoments
from suffice.stats.inputs import RowMatrix
from suffice.tables import Column, numbers
from suffice.typing import Array

__all__ = ["Cloud"]


@dataclass(frozen=True, eq=False, repr=False)
class Cloud(Discriminant):
    """Several columns of numbers together, with a mean and a covariance of their own in each class."""

    word = "cloud"
    correction: ClassVar[bool] = True
    replaces: ClassVar[bool] = True

    @property
    def chosen_by_rows(self) -> bool:
        """Whether rows chose it, and not the user: always."""
        return True

    def changed_where_known(self, **options: Any) -> Self:
        """Return the likelihood: how it estimates does not depend on how columns do."""
        return self

    def rows(self, *columns: Column) -> MatrixRows:
        """Return columns as vectors; rows that lack a number have none."""
        present = np.ones(len(columns[0]), bool)
        for column in columns:
            present &= column.present
        found = [np.where(present, numbers(column), 0.0) for column in columns]
        matrix = RowMatrix.read(np.column_stack(found).astype(np.float64), "X")
        return MatrixRows(matrix, [column.name for column in columns], None if present.all() else present)

    def contributions(self, t: FullMoments, rows: MatrixRows, weights: Array | None = None) -> Contributions:
        """Explain one row: what its numbers say together."""
        said = f"{int(t.mean.shape[1])} numbers together"
        return Contributions([0], [said], self.scorer(t).scores(rows), self.belief(t).moments(rows))

    def log_evidence(self, t: FullMoments) -> Cells:
        """Return zeros, classes × 1: the columns alone have the evidence."""
        return Cells(np.zeros((len(t.mean), 1)))

    def speaks(self, t: FullMoments, n: Array, code: int, k: int, weights: Array | None = None) -> list[Speaks]:
        """Return nothing: the columns speak one by one."""
        return []
