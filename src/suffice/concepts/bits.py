"""Store which hypothesis holds which item, one bit each: a byte holds eight hypotheses at one item."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.typing import Array, Booleans, Integers

__all__ = ["Bits", "Bytes"]

Bytes: TypeAlias = NDArray[np.uint8]

DENSE = 2**20
"""Tables of at most this many bits are also kept as numbers, which answer small queries faster."""

EIGHT: Array = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)
"""The bits of each byte, the first hypothesis first."""


class Bits:
    """A packed boolean table of hypotheses × items."""

    def __init__(self, packed: Bytes, rows: int) -> None:
        self.packed, self.rows = packed, rows
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

    @property
    def items(self) -> int:
        """Number of items (columns)."""
        return int(self.packed.shape[1])

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
