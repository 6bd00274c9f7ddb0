"""Represent rows of two or three columns jointly, by the codes of their values, and name joint values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.later import sparse
from suffice.models.scoring.grouping import MISSING, OTHERS, Cuts, pools, shown_value
from suffice.models.scoring.lifts import flat, places_among
from suffice.models.scoring.linear import Linear
from suffice.models.scoring.rows import Labels, Rows
from suffice.stats.value_counts import JointCounts
from suffice.typing import Array, Booleans, Integers


@dataclass(frozen=True, eq=False)
class JointRows(Rows):
    """Represent rows of two or three columns by the codes of their values."""

    columns: tuple[Integers, ...]  # a code per row; −1 where a value is missing
    values: tuple[NDArray[Any], ...]  # the words of each column's codes

    @cached_property
    def codes(self) -> Integers:
        """Return the codes of all columns, rows × columns."""
        return np.stack(self.columns, axis=1)

    @cached_property
    def present(self) -> Booleans | None:  # type: ignore[override]
        """Return which rows have a value in every column; None if all have."""
        holes = [column < 0 for column in self.columns if int(column.min(initial=0)) < 0]
        return ~np.logical_or.reduce(holes) if holes else None

    def __len__(self) -> int:
        return len(self.columns[0])

    def take(self, which: Any) -> JointRows:
        """Return some of the rows."""
        return JointRows(tuple(column[which] for column in self.columns), self.values)

    def known(self, t: JointCounts, least: int = 1) -> Booleans:
        """Return which rows have a joint value that was learned from at least `least` rows."""
        return np.append(t.totals >= max(least, 1), False)[self.places(t)]

    def count(self, kind: type[Any], labels: Labels) -> JointCounts:
        """Count joint values by class."""
        shared = {"labels": labels.y, "weights": labels.weights, "n_classes": labels.n_classes}
        counted: JointCounts = kind.of_columns(self.codes, self.values, **shared)
        return counted

    def coded(self, cuts: Cuts) -> tuple[Integers, tuple[NDArray[Any], ...]]:
        """Return codes of values, rows × columns, and the words of each column's codes."""
        return self.codes, self.values

    def among(self, t: JointCounts) -> Integers:
        """Return codes by the values of a statistic, rows × columns; −1 for values that it does not have."""
        columns = [
            np.append(places_among(known, mine), -1)[code]
            for known, mine, code in zip(t.axes, self.values, self.columns, strict=True)
        ]
        return np.stack(columns, axis=1)

    def places(self, t: JointCounts) -> Integers:
        """Return the place of each row's joint value in a statistic; −1 where a value is missing or unknown."""
        return flat(self.among(t), t.sizes.tolist())

    def scored(self, by: Linear) -> Array:
        """Return the weights of each row's joint value, rows × classes."""
        return np.asarray(by.offset + self.entries(by.t) @ by.weights.dense().T)

    def entries(self, t: JointCounts) -> Any:
        """Return rows × joint values, with a single one per row whose joint value is known, as CSR."""
        place = self.places(t)
        (row,) = np.nonzero(place >= 0)
        return sparse.csr_matrix((np.ones(len(row)), (row, place[row])), (len(self), int(np.prod(t.sizes))))

    def names(self, t: JointCounts) -> Sequence[Any]:
        """Return the names of joint values."""
        return joint_names(t, ())


def joint_names(t: JointCounts, edges: Sequence[Cuts]) -> list[str]:
    """Return the names of all joint values, in the order of their places."""
    words = [axis_words(axis, cuts) for axis, cuts in zip(t.axes, edges or (None,) * len(t.sizes), strict=True)]
    return [", ".join(parts) for parts in product(*words)]


def axis_words(axis: NDArray[Any], edges: Cuts) -> list[str]:
    """Return the display names of a column's values."""
    if edges is None or pools(edges):
        return [shown_value(value) for value in axis.tolist()]
    names = _bins([float(edge) for edge in edges])
    return [names[int(code)] if code != MISSING else shown_value(code) for code in axis.tolist()]


def _bins(edges: list[float]) -> list[str]:
    """Return the names of bins; in whole numbers where every edge lies halfway between two of them.

    >>> _bins([0.5, 1.5, 4.5]), _bins([0.25, 2.0])
    (['0 or less', '1', '2 to 4', '5 or more'], ['below 0.25', '0.25 to 2', '2 or more'])
    """
    if not edges:
        return ["any"]
    if all(edge % 1 == 0.5 for edge in edges):
        low, high = int(edges[0] - 0.5), int(edges[-1] + 0.5)
        whole = [(int(a + 0.5), int(b - 0.5)) for a, b in pairwise(edges)]
        return [f"{low} or less", *(f"{a}" if a == b else f"{a} to {b}" for a, b in whole), f"{high} or more"]
    ends = [f"{edge:.6g}" for edge in edges]
    return [f"below {ends[0]}", *(f"{a} to {b}" for a, b in pairwise(ends)), f"{ends[-1]} or more"]


def axis_order(axis: NDArray[Any]) -> list[int]:
    """Return the display order of values: by size if all are numbers or bins, otherwise as they are stored."""
    try:
        sizes = [np.inf if value in (MISSING, OTHERS) else float(value) for value in axis.tolist()]
    except ValueError:
        return list(range(len(axis)))
    return sorted(range(len(axis)), key=sizes.__getitem__)
