"""Score hypotheses by Bayes' rule: which of them hold which item, how often each was observed, and the posterior.

The table of hypotheses × items has one bit each: a byte holds eight hypotheses at one item.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from suffice.errors import ConflictError, SubtractionError
from suffice.typing import Array, Booleans, Integers

Bytes = NDArray[np.uint8]

DENSE = 2**20
"""Tables of at most this many bits are also kept as numbers, which answer small queries faster."""

EIGHT: Array = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)
"""The bits of each byte, the first hypothesis first."""

TALLIED_AT_ONCE = 2**20

DRAWN, ASKED_IN, ASKED_OUT = 0, 1, 2
"""Kinds of observation: an example of the concept; an item said to belong to it; an item said not to belong."""

TIE = 1e-12


class Bits:
    """A packed boolean table of hypotheses × items."""

    def __init__(self, packed: Bytes, rows: int) -> None:
        self.packed, self.rows, self.items = packed, rows, packed.shape[1]
        self.packed.setflags(write=False)

    @classmethod
    def pack(cls, blocks: Iterable[Booleans], items: int) -> Bits:
        """Pack blocks of rows, one after the other; they are never in memory all at once."""
        buffer, rows = bytearray(), 0
        rest = np.empty((0, items), np.bool_)
        for block in blocks:
            rows += len(block)
            block = np.concatenate([rest, block]) if len(rest) else block
            full = len(block) // 8 * 8
            buffer += np.packbits(block[:full], axis=0).tobytes()
            rest = block[full:]
        buffer += np.packbits(rest, axis=0).tobytes()
        return cls(np.frombuffer(buffer, np.uint8).reshape(-1, items), rows)

    @cached_property
    def sizes(self) -> Integers:
        """Number of items of each hypothesis."""
        of_byte = EIGHT.astype(np.int64)
        sizes = [np.bincount(line, minlength=256) @ of_byte for line in self.packed]
        return np.concatenate(sizes)[: self.rows] if sizes else np.zeros(0, np.int64)

    def columns(self, codes: Integers) -> Booleans:
        """Return whether each hypothesis holds each of the given items."""
        picked = np.ascontiguousarray(self.packed[:, codes])
        return np.unpackbits(picked, axis=0, count=self.rows).view(np.bool_)

    def row(self, hypothesis: int) -> Booleans:
        """Return whether a hypothesis holds each item."""
        return np.asarray(self.packed[hypothesis // 8] >> (7 - hypothesis % 8) & 1, np.bool_)

    def weighted(self, weights: Array) -> Array:
        """Return for each item the total weight of the hypotheses that hold it."""
        if self._numbers is not None:
            # not @: on a busy machine its threads take longer to synchronize than the sum takes
            return np.asarray(np.einsum("h,hi->i", weights, self._numbers))
        padded = np.zeros(8 * len(self.packed))
        padded[: self.rows] = weights
        eights = padded.reshape(-1, 8)
        total, part = np.zeros(self.items), np.empty(self.items)
        for at in np.flatnonzero(eights.any(axis=1)):
            np.take(EIGHT @ eights[at], self.packed[at], out=part, mode="clip")
            total += part
        return total

    @cached_property
    def _numbers(self) -> Array | None:
        if self.rows * self.items > DENSE:
            return None
        return np.unpackbits(self.packed, axis=0, count=self.rows).astype(np.float64)


@dataclass(frozen=True)
class Tallies:
    """Counts of items (drawn, said to be in, said to be out), and of observations that agree with each hypothesis."""

    items: Integers
    inside: Integers
    """Number of examples that each hypothesis holds."""
    agreed: Integers
    """Number of answers that agree with each hypothesis."""

    @classmethod
    def of(cls, bits: Bits, items: Integers) -> Tallies:
        """Return the tallies of known item counts, of each kind of observation."""
        held, step = np.zeros((3, bits.rows), np.int64), max(1, TALLIED_AT_ONCE // bits.rows)
        for kind, counts in enumerate(items):
            codes = np.flatnonzero(counts)
            for batch in (codes[at : at + step] for at in range(0, len(codes), step)):
                held[kind] += bits.columns(batch) @ counts[batch]
        return cls(items, held[DRAWN], held[ASKED_IN] + items[ASKED_OUT].sum() - held[ASKED_OUT])

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


def conflict(bits: Bits, possible: Booleans, tallies: Tallies, domain: tuple[Hashable, ...]) -> ConflictError:
    """Return the error that names a minimal set of observations that no hypothesis explains."""

    def agreeing(code: int, member: bool) -> Bytes:
        column = bits.packed[:, code]
        return np.asarray(column if member else ~column)

    within = (tallies.items[DRAWN] > 0) | (tallies.items[ASKED_IN] > 0)
    facts = [(int(code), True) for code in np.flatnonzero(within)]
    facts += [(int(code), False) for code in np.flatnonzero(tallies.items[ASKED_OUT])]
    alive, core = np.packbits(possible), []
    while alive.any():
        left, last = alive, -1
        while left.any():  # up to the fact that, after those before it, leaves no hypothesis
            last += 1
            left = left & agreeing(*facts[last])
        core.append(facts[last])
        alive, facts = alive & agreeing(*facts[last]), facts[:last]
    named = [repr(domain[code]) + ("" if member else " (not in it)") for code, member in sorted(core)]
    listed = " and ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else f"{named[0]} alone"
    return ConflictError(
        f"No hypothesis explains all observations: none explains {listed}"
        + (", though some explain any fewer of them" if len(named) > 1 else "")
        + ". Set noise above 0 if an example may be wrong.",
        examples=tuple(domain[code] for code, _ in sorted(core)),
    )


def times(count: Integers, log: float) -> Array:
    """Return count · log, with 0 · −∞ = 0."""
    return np.where(count > 0, np.maximum(count, 1) * log, 0.0)


def largest(logs: Array) -> Booleans:
    """Return which values are the largest, within rounding."""
    top = logs.max()
    return np.asarray(logs >= top - TIE * (1 + abs(top)))


class Odds:
    """The prior, and the log-probability of one example or answer: the parts that learning does not change."""

    def __init__(self, bits: Bits, prior: Array, noise: float) -> None:
        self.bits, self.prior = bits, _sealed(prior)
        with np.errstate(divide="ignore"):
            self.log_prior = np.log(prior)
            self.inside = np.log((1 - noise) / bits.sizes + noise / bits.items)  # CL-1
            self.outside = float(np.log(noise / bits.items))
            self.right, self.wrong = float(np.log(1 - noise)), float(np.log(noise))


class Scores:
    """The belief after the tallies."""

    def __init__(self, odds: Odds, seen: Tallies) -> None:
        self.odds, self.seen = odds, seen

    @cached_property
    def log_likelihood(self) -> Array:
        """ln p(D | h), minus infinity where the observations are impossible."""
        t, odds = self.seen, self.odds
        drawn = t.inside * odds.inside + times(t.drawn - t.inside, odds.outside)  # CL-1
        return _sealed(drawn + times(t.agreed, odds.right) + times(t.answered - t.agreed, odds.wrong))

    @cached_property
    def log_joint(self) -> Array:
        """ln p(D, h)."""
        return _sealed(self.odds.log_prior + self.log_likelihood)

    @cached_property
    def log_evidence(self) -> float:
        """ln p(D)."""
        top = self.log_joint.max()
        return float(top + np.log(np.exp(self.log_joint - top).sum()))  # CL-2

    @cached_property
    def posterior(self) -> Array:
        """p(h | D)."""
        posterior = np.exp(self.log_joint - self.log_evidence)  # CL-2
        return _sealed(posterior / posterior.sum())

    @cached_property
    def membership(self) -> Array:
        """Probability that each item belongs to the concept, averaged over all hypotheses."""
        return _sealed(np.minimum(self.odds.bits.weighted(self.posterior), 1.0))  # CL-3

    @cached_property
    def plug_in(self) -> Array:
        """Probability that each item belongs to the concept, by the most probable hypotheses alone."""
        best = largest(self.log_joint)  # CL-2
        return _sealed(np.minimum(self.odds.bits.weighted(best / best.sum()), 1.0))  # CL-3


def _sealed(array: Array) -> Array:
    array.setflags(write=False)
    return array
