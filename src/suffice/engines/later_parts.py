"""The common part of passes after the first: they skip the same rows again, and their statistics add up.

All classes are known by then, so the statistics of a part cover all classes and need no class names.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from suffice.engines.counted_parts import CountRows, uncountable
from suffice.engines.part_results import UNCOUNTABLE, Job, PartResult, first_failed, packed, unpacked
from suffice.engines.roles import Roles
from suffice.engines.row_sources import Source
from suffice.later import pa
from suffice.models.model import Model
from suffice.store.statistics import statistics_from_bytes, statistics_to_bytes

__all__ = ["LaterPass", "Statistics", "added", "statistics_of"]

AT_ONCE = 2**15
"""Rows that are read and counted at a time."""

Statistics = dict[Any, Any]
"""Statistics of class counts, and of blocks by name."""


@dataclass(frozen=True, kw_only=True)
class LaterPass(Job):
    """The job of a later pass over the rows."""

    roles: Roles
    sift: CountRows | None = None  # finds the rows that cannot be counted, if there are any
    argument: str = "data"
    place: str = "partition {}"

    done: ClassVar[str] = "counted"
    """What is done with rows, for error messages."""

    @abstractmethod
    def of_tables(self, tables: Iterable[Any]) -> tuple[Statistics | None, tuple[float, ...]]:
        """Return the statistics of the rows of one part, and sums that add up over parts."""

    def count(self, sources: Iterable[Source], partition: int, travels: bool = True) -> PartResult:
        """Return the result for the rows of one part."""
        try:
            statistics, sums = self.of_tables(_together(self._readable(sources)))
        except UNCOUNTABLE as error:  # a retry would fail again
            place = self.place.format(partition)
            reason = f"The argument '{self.argument}' must hold rows that can be {self.done}; {place} cannot: {error}"
            return PartResult(failed=reason, where=partition)
        return PartResult(_packed(statistics, travels), sums=sums)

    def merge(self, parts: Iterable[PartResult], travels: bool = True) -> PartResult:
        """Return the sum of statistics, and the sums of numbers."""
        failed, total = PartResult(), None
        sums: tuple[float, ...] = ()
        for part in parts:
            failed = first_failed(failed, part)
            if part.statistics:
                total = added(total, statistics_from_bytes(unpacked(part.statistics)))
            if part.sums:
                sums = tuple(a + b for a, b in zip(sums, part.sums, strict=True)) if sums else tuple(part.sums)
        return failed if failed.failed else PartResult(_packed(total, travels), sums=sums)

    def merging(self) -> Job:
        """Return the job with only what merging needs."""
        return replace(self, sift=None)

    def _readable(self, sources: Iterable[Source]) -> Iterator[Any]:
        for source in sources:
            good = source
            if self.sift is not None and len(source):
                good = source.without(uncountable(self.sift, source))
            for at in range(0, len(good), AT_ONCE):
                batch = good if len(good) <= AT_ONCE else good.part(at, min(at + AT_ONCE, len(good)))
                yield batch.table(self.roles.names)


def _together(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield tables of many rows, concatenated from smaller ones."""
    waiting: list[Any] = []
    for table in tables:
        waiting.append(table)
        if sum(one.num_rows for one in waiting) >= AT_ONCE:
            yield pa.concat_tables(waiting, promote_options="permissive")
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting, promote_options="permissive")


def statistics_of(model: Model) -> Statistics:
    """Return the statistics of a model."""
    return {"rows": model.rows, "blocks": {name: block.statistic for name, block in model.blocks.items()}}


def added(total: Statistics | None, more: Statistics) -> Statistics:
    """Return the sum of two collections of statistics; a block in only one of them is kept unchanged."""
    if total is None:
        return more
    both, other = dict(total["blocks"]), more["blocks"]
    for name in other:
        both[name] = both[name] + other[name] if name in both else other[name]
    return {"rows": total["rows"] + more["rows"], "blocks": both}


def _packed(statistics: Statistics | None, travels: bool) -> Any:
    if statistics is None:
        return b""
    return packed(statistics_to_bytes(statistics)) if travels else statistics
