"""Some of many training rows, picked by a hash of their number: always the same, and no pattern in data meets it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.models.model import Name
from suffice.models.scoring.rows import Labels, Rows, hashed
from suffice.typing import Booleans, Integers

__all__ = ["Sample", "hashed", "one_in", "some_rows"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Training rows of each block, their labels, and a code for each row's group if rows belong together."""

    rows: Mapping[Name, Rows]
    labels: Labels
    group: Integers | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, which: Any) -> Sample:
        """Return some of the rows; groups are numbered anew."""
        group = None if self.group is None else np.unique(self.group[which], return_inverse=True)[1]
        return Sample({name: part.take(which) for name, part in self.rows.items()}, self.labels.take(which), group)

    def at_most(self, most: int) -> Sample:
        """Return all rows if these are not too many, otherwise so many of them."""
        return self if len(self) <= most else self.take(some_rows(len(self), most, self.group))


def some_rows(rows: int, most: int, group: Integers | None = None) -> Integers:
    """Return the numbers of at most so many rows, in rising order; groups are taken or left as one."""
    if rows <= most:
        return np.arange(rows)
    if group is None:
        return np.sort(np.argsort(hashed(np.arange(rows)), kind="stable")[:most])
    order = np.argsort(hashed(np.arange(int(group.max()) + 1)), kind="stable")
    sizes = np.bincount(group)[order]
    kept = order[: max(1, int(np.searchsorted(np.cumsum(sizes), most, side="right")))]
    return np.flatnonzero(np.isin(group, kept))


def one_in(share: int, rows: int, group: Integers | None = None) -> Booleans:
    """Return flags of about one of `share` rows, or groups."""
    numbers = np.arange(rows) if group is None else group
    return np.asarray(hashed(numbers) % np.uint64(share) == 0)
