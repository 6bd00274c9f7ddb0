"""Convert a learner to and from the parts of a file: hypotheses as bits, the prior, and the count of each item.

Rules that were given as functions are stored as the items that they hold. A file may be forged, so all of it is
checked.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from suffice.concepts.bits import Bits
from suffice.concepts.hypothesis_space import Space, checked_space, different
from suffice.concepts.tallies import DRAWN, Tallies
from suffice.errors import DataError
from suffice.typing import Array

__all__ = ["State", "check_parts", "kept", "read_belief", "read_seen", "read_state"]

State = dict[str, Any]
MOST = 2**53 - 1
"""Largest number of observations in a file."""


def kept(space: Space, seen: Tallies) -> State:
    """Return hypotheses and observations as a file stores them."""
    schema = {"hypotheses": _listed(space.names), "domain": _listed(space.domain), "bits": space.bits.packed}
    return {"schema": schema, "statistics": {"observed": seen.items}}


def check_parts(found: Any, names: tuple[str, ...], what: str) -> None:
    """Raise DataError unless a part of a file has these keys."""
    if not isinstance(found, dict) or set(found) != set(names):
        raise DataError(f"{what} must have {list(names)}; got {str(found)[:80]}.")


def read_state(state: State) -> Space:
    """Return the space of hypotheses of a file; raise DataError if it is invalid."""
    check_parts(state, ("schema", "statistics"), "A learner")
    schema = state["schema"]
    check_parts(schema, ("hypotheses", "domain", "bits"), "A space of hypotheses")
    names, items = (_unlisted(schema[name], name) for name in ("hypotheses", "domain"))
    packed, rows = schema["bits"], len(names)
    if not isinstance(packed, np.ndarray) or packed.dtype != np.uint8 or packed.shape != (-(-rows // 8), len(items)):
        raise DataError(f"Bits must be an array for {rows} hypotheses and {len(items)} items.")
    if rows % 8 and (packed[-1] & (255 >> rows % 8)).any():
        raise DataError(f"Bits must be set for {rows} hypotheses only; got some beyond them.")
    return checked_space(Bits(packed, rows), different(items, "domain"), names)


def read_belief(prior: Any, space: Space) -> Array:
    """Return the prior of a file, unchanged to the bit; raise DataError if it is invalid."""
    if not isinstance(prior, np.ndarray) or prior.dtype != np.float64 or prior.shape != (len(space.names),):
        raise DataError(f"A prior must have a probability for each of {len(space.names)} hypotheses.")
    if not (np.isfinite(prior) & (prior >= 0)).all() or abs(prior.sum() - 1) > 1e-9:
        raise DataError("A prior must have probabilities that add up to one.")
    return prior


def read_seen(statistics: Any, space: Space, sampling: str) -> Tallies:
    """Return the observations of a file; raise DataError unless they are counts of the items."""
    check_parts(statistics, ("observed",), "Statistics of a learner")
    items, shape = statistics["observed"], (3, len(space.domain))
    if not isinstance(items, np.ndarray) or items.dtype != np.int64 or items.shape != shape:
        raise DataError(f"Observations must be counts of {shape[1]} items.")
    if (items < 0).any() or items.sum(dtype=np.float64) > MOST or (sampling == "weak" and items[DRAWN].any()):
        raise DataError("Observations must be counts of at least 0; under weak sampling, none may be drawn examples.")
    return Tallies.counted(space.bits, items)


def _listed(values: tuple[Hashable, ...]) -> Any:
    """Return plain numbers as an array, which is shorter, and all else as a list."""
    for kind, dtype in ((int, np.int64), (float, np.float64)):
        if all(type(value) is kind for value in values):
            try:
                return np.array(values, dtype)
            except OverflowError:
                break
    return list(values)


def _unlisted(values: Any, name: str) -> tuple[Hashable, ...]:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype in (np.int64, np.float64):
        return tuple(values.tolist())
    if not isinstance(values, list):
        raise DataError(f"The {name} of a learner must be a list.")
    return tuple(values)
