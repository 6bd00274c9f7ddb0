"""Count joint columns in all rows by one more pass, after a sample has chosen them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.engines.counted_parts import CountRows
from suffice.engines.later_parts import LaterPass, Statistics, added, statistics_of
from suffice.engines.part_results import Job, PartResult
from suffice.engines.passes import Engine
from suffice.errors import DataError
from suffice.estimators.shell.joint_sets import CountSets
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name, Together
from suffice.readers.joint_columns import counted_together
from suffice.readers.labels import Examples
from suffice.stats import ClassCounts
from suffice.tables import Table
from suffice.typing import LabelArray

__all__ = ["counting_sets"]


@dataclass(frozen=True, kw_only=True)
class CountTogether(LaterPass):
    """The job of counting joint columns."""

    classes: LabelArray
    laws: Mapping[Name, Likelihood]

    def of_tables(self, tables: Iterable[Any]) -> tuple[Statistics | None, tuple[float, ...]]:
        """Return the counts of joint values."""
        total = None
        for table in tables:
            seen, codes = np.unique(self.roles.labels(table), return_inverse=True)
            source = Table.read(self.roles.features(table), "X")
            labels = Examples(source, seen, codes).among(self.classes).labels
            rows = ClassCounts.of_labels(labels.y, n_classes=labels.n_classes)
            blocks = counted_together(source, labels, self.laws)
            total = added(total, statistics_of(Model(self.classes, rows, blocks)))
        return total, ()

    def merging(self) -> Job:
        """Return the job with only what merging needs."""
        return replace(self, laws={}, sift=None)


def counting_sets(engine: Engine, task: CountRows, part: PartResult, model: Model) -> CountSets:
    """Return a function that counts joint columns in all rows that the first pass has counted."""

    def count(laws: Mapping[Name, Likelihood]) -> dict[Name, Block]:
        sift, roles = (task, task.roles) if part.skipped else (None, _only(task, laws))
        names: dict[str, Any] = {"argument": engine.argument, "place": engine.place}
        found = engine.run(CountTogether(roles=roles, sift=sift, classes=model.classes, laws=laws, **names))
        if found.failed:
            raise DataError(found.failed)
        if not found.statistics or found.statistics["rows"] != model.rows:
            raise DataError(
                f"The argument '{engine.argument}' must hold the same rows in every pass; they changed before joint "
                "columns were counted. Use joint=None to read them once."
            )
        blocks = found.statistics["blocks"]
        return {name: Block(law, blocks[name]) for name, law in laws.items() if name in blocks}

    return count


def _only(task: CountRows, laws: Mapping[Name, Likelihood]) -> Any:
    """Return the roles of the columns in these sets."""
    wanted = {column for name in laws if isinstance(name, Together) for column in name.columns}
    return replace(task.roles, columns=tuple(name for name in task.roles.columns if name in wanted))
