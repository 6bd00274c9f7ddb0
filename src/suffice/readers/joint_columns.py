"""Columns of a table that may act together, or do: by the codes of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.models.choosing.joint_choice import Coding
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.joint import JointRows, coded
from suffice.models.model import Block, Model, Name, Together
from suffice.models.scoring.rows import Labels, Rows
from suffice.parallel import in_parallel
from suffice.stats.grid import on_grid
from suffice.tables import Column, Table, numbers
from suffice.typing import Array

__all__ = ["candidates", "counted_together", "edges_of", "joint_rows"]

Edges = tuple[float, ...] | None

BINS, FEW, MANY = 16, 12, 64
"""Bins of a column of numbers; as many different numbers are categories; columns of more categories act alone."""

COARSE = 8
"""Bits of the grid on which bins end: no row's own number shows in them."""


def edges_of(column: Column) -> Edges:
    """Return where bins of a column's numbers end, so that they hold about as many rows each; None for categories."""
    if column.storage not in ("integer", "real"):
        return None
    values = on_grid(numbers(column)[column.present])
    if len(np.unique(values)) <= FEW:
        return None
    ends = np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1], method="inverted_cdf")
    rounded: Array = np.unique(on_grid(ends, COARSE))
    return tuple(rounded[(rounded > values.min()) & (rounded <= values.max())].tolist())


def candidates(table: Table, model: Model) -> tuple[Coding, dict[Name, Edges]]:
    """Return the columns that may act together, by the codes of their values, and where bins of numbers end."""
    names, codes, sizes, edges = list[Name](), list[Any](), list[int](), dict[Name, Edges]()
    for name, block in model.voting.items():
        if isinstance(name, Together) or not block.likelihood.joins or name not in table:
            continue
        cuts = edges_of(table[name])
        code, values = coded(table[name], cuts)
        if 2 <= len(values) <= MANY:
            names.append(name)
            codes.append(code)
            sizes.append(len(values))
            edges[name] = cuts
    shape = (len(table), len(names))
    return Coding(names, np.array(codes, np.int64).reshape(shape[::-1]).T, sizes), edges


def joint_rows(table: Table, likelihoods: Mapping[Name, Likelihood]) -> dict[Name, Rows]:
    """Return the rows of columns that act together; each column is read once."""
    together = {name: one for name, one in likelihoods.items() if isinstance(name, Together)}
    together = {name: one for name, one in together.items() if all(column in table for column in name.columns)}
    wanted = {(column, cuts) for name, one in together.items() for column, cuts in _parts(name, one)}
    read = {key: coded(table[key[0]], key[1]) for key in wanted if table[key[0]].n_missing < len(table)}
    found = dict[Name, Rows]()
    for name, one in together.items():
        parts = [read.get(key) for key in _parts(name, one)]
        known = [part for part in parts if part is not None]
        if len(known) == len(parts):
            codes = np.stack([part[0] for part in known], axis=1)
            found[name] = JointRows(codes, tuple(part[1] for part in known))
    return found


def _parts(name: Together, likelihood: Any) -> list[tuple[Any, Edges]]:
    return list(zip(name.columns, likelihood.edges or (None,) * len(name.columns), strict=True))


def counted_together(table: Table, labels: Labels, likelihoods: Mapping[Name, Likelihood]) -> dict[Name, Block]:
    """Count the columns that act together."""
    together: dict[Name, Likelihood] = {name: one for name, one in likelihoods.items() if isinstance(name, Together)}
    rows = joint_rows(table, together)
    names = [name for name in together if name in rows]
    made = in_parallel(lambda name: Block.of(together[name], rows[name], labels), names)
    return dict(zip(names, made, strict=True))
