"""Decide by expected loss (SX-10), given the cost of deciding for one class when another is true."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.errors import InputError
from suffice.typing import Array, Integers, LabelArray


def least_loss(probabilities: Array, costs: Array, abstain: float | None = None) -> Integers:
    """Return the class with the lowest expected loss for each row; −1 where it exceeds the cost of abstaining.

    loss(ĉ) = Σ_c p(c | x) L(c, ĉ)
    """
    loss = probabilities @ costs  # SX-10
    best = np.asarray(loss.argmin(axis=1), np.int64)
    if abstain is None:
        return best
    return np.where(loss[np.arange(len(loss)), best] > abstain, -1, best)


Costs: TypeAlias = ArrayLike | Mapping[tuple[Any, Any], float] | Mapping[Any, Mapping[Any, float]]
"""Costs of decisions: a matrix, or a number for each pair of true and decided class."""


def cost_matrix(costs: Costs | None, classes: Any) -> Array:
    """Return L(true, decided) from a matrix, {(true, decided): cost} or {true: {decided: cost}}; by default 0 and 1."""
    if costs is None:
        return _zero_one(len(classes))
    if isinstance(costs, Mapping):
        return _from_pairs(_pairs(costs), classes)
    table = np.asarray(costs)
    if table.dtype.kind not in "biuf" or table.shape != (len(classes), len(classes)):
        raise InputError(
            "costs",
            f"be a matrix of {len(classes)} × {len(classes)} numbers, a row per true class and a column per "
            "decision, or a dict",
        ).but(f"got an array of {table.dtype} of shape {table.shape}")
    table = table.astype(np.float64)
    if not (np.isfinite(table) & (table >= 0)).all():
        wrong = table[~(np.isfinite(table) & (table >= 0))][0]
        raise InputError("costs", "hold finite numbers of at least 0").but(f"got {wrong:g}")
    return table


def price(abstain: Any) -> float | None:
    """Return the cost of abstaining, or None; raise InputError for anything else."""
    if abstain is None:
        return None
    if not isinstance(abstain, Real) or not 0 <= float(abstain) < np.inf:
        raise InputError("abstain", "be a cost of at least 0", got=abstain)
    return float(abstain)


def _zero_one(n: int) -> Array:
    return 1.0 - np.eye(n)


def _pairs(costs: Mapping[Any, Any]) -> dict[Any, Any]:
    pairs: dict[Any, Any] = {}
    for true, cost in costs.items():
        if isinstance(cost, Mapping):
            pairs |= {(true, decided): value for decided, value in cost.items()}
        elif isinstance(true, tuple) and len(true) == 2:
            pairs[true] = cost
        else:
            raise InputError("costs", "be a matrix, {(true, decided): cost} or {true: {decided: cost}}").but(
                f"got the entry {true!r}: {cost!r}"
            )
    return pairs


def _from_pairs(pairs: dict[Any, Any], classes: Any) -> Array:
    table, place = _zero_one(len(classes)), {label: i for i, label in enumerate(classes.tolist())}
    for (true, decided), cost in pairs.items():
        for label in (true, decided):
            if label not in place:
                raise InputError("costs", f"name classes, such as {classes[0]!s}", got=label)
        if not isinstance(cost, Real) or not 0 <= float(cost) < np.inf:
            raise InputError("costs", "hold finite numbers of at least 0").but(
                f"got {cost!r} for {true!r} taken for {decided!r}"
            )
        table[place[true], place[decided]] = float(cost)
    return table


def or_abstained(codes: Integers, classes: LabelArray, label: object) -> NDArray[np.object_]:
    """Return the class of each code, and `label` where the code is −1, for no decision."""
    out = np.array([*classes.tolist(), None], dtype=object)[codes]
    out[codes < 0] = label
    return out
