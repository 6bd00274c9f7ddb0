"""Count observations by item and by hypothesis; the counts add and subtract."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from suffice.concepts.bits import Bits, Bytes
from suffice.errors import ConflictError, SubtractionError
from suffice.typing import Booleans, Integers

__all__ = ["ASKED_IN", "ASKED_OUT", "DRAWN", "Tallies", "conflict"]

CELLS_AT_ONCE = 2**20
DRAWN, ASKED_IN, ASKED_OUT = 0, 1, 2
"""Kinds of observation: an example of the concept; an item said to belong to it; an item said not to belong."""


@dataclass(frozen=True)
class Tallies:
    """Counts of items (drawn, said to be in, said to be out), and of observations that agree with each hypothesis."""

    items: Integers
    inside: Integers
    """Number of examples that each hypothesis holds."""
    agreed: Integers
    """Number of answers that agree with each hypothesis."""

    @classmethod
    def zero(cls, bits: Bits) -> Tallies:
        """Return the tallies of no observations."""
        nothing = np.zeros(bits.rows, np.int64)
        return cls(np.zeros((3, bits.items), np.int64), nothing, nothing)

    @classmethod
    def of(cls, bits: Bits, kind: int, codes: Integers) -> Tallies:
        """Count items; a repeated item counts again."""
        items = np.zeros((3, bits.items), np.int64)
        items[kind] = np.bincount(codes, minlength=bits.items)
        return cls.counted(bits, items)

    @classmethod
    def counted(cls, bits: Bits, items: Integers) -> Tallies:
        """Return the tallies of known item counts."""
        inside, asked_in, asked_out = (_held(bits, np.flatnonzero(counts), counts) for counts in items)
        return cls(items, inside, asked_in + items[ASKED_OUT].sum() - asked_out)

    def __add__(self, other: Tallies) -> Tallies:
        return Tallies(self.items + other.items, self.inside + other.inside, self.agreed + other.agreed)

    def __sub__(self, other: Tallies) -> Tallies:
        if (self.items < other.items).any():
            raise SubtractionError(
                "Only observed items can be forgotten; got one that was not observed, or not as often."
            )
        return Tallies(self.items - other.items, self.inside - other.inside, self.agreed - other.agreed)

    @property
    def drawn(self) -> int:
        """Number of examples."""
        return int(self.items[DRAWN].sum())

    @property
    def answered(self) -> int:
        """Number of answers."""
        return int(self.items[1:].sum())

    @property
    def consistent(self) -> Booleans:
        """Mask of the hypotheses that hold all examples and agree with all answers."""
        return np.asarray((self.inside == self.drawn) & (self.agreed == self.answered))


def _held(bits: Bits, codes: Integers, counts: Integers) -> Integers:
    """Return how many of the counted items each hypothesis holds, in batches of items."""
    held, step = np.zeros(bits.rows, np.int64), max(1, CELLS_AT_ONCE // bits.rows)
    for at in range(0, len(codes), step):
        batch = codes[at : at + step]
        held += bits.columns(batch) @ counts[batch]
    return held


def conflict(bits: Bits, possible: Booleans, tallies: Tallies, domain: tuple[Hashable, ...]) -> ConflictError:
    """Return the error that names a minimal set of observations that no hypothesis explains."""
    facts = list(_facts(tallies))
    alive = np.packbits(possible)
    core: list[tuple[int, bool]] = []
    while alive.any():
        last = _breaks(bits, alive, facts)
        core.append(facts[last])
        alive, facts = alive & _agreeing(bits, *facts[last]), facts[:last]
    named = [repr(domain[code]) + ("" if member else " (not in it)") for code, member in sorted(core)]
    listed = " and ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else f"{named[0]} alone"
    return ConflictError(
        f"No hypothesis explains all observations: none explains {listed}"
        + (", though some explain any fewer of them" if len(named) > 1 else "")
        + ". Set noise above 0 if an example may be wrong.",
        tuple(domain[code] for code, _ in sorted(core)),
    )


def _breaks(bits: Bits, alive: Bytes, facts: list[tuple[int, bool]]) -> int:
    """Return the index of the fact that, after those before it, leaves no hypothesis."""
    last = 0
    for at, fact in enumerate(facts):
        alive, last = alive & _agreeing(bits, *fact), at
        if not alive.any():
            break
    return last


def _facts(tallies: Tallies) -> Iterator[tuple[int, bool]]:
    """Yield each distinct observation: an item, and whether it is in the concept."""
    within = (tallies.items[DRAWN] > 0) | (tallies.items[ASKED_IN] > 0)
    yield from ((int(code), True) for code in np.flatnonzero(within))
    yield from ((int(code), False) for code in np.flatnonzero(tallies.items[ASKED_OUT]))


def _agreeing(bits: Bits, code: int, member: bool) -> Bytes:
    column = bits.packed[:, code]
    return np.asarray(column if member else ~column)
