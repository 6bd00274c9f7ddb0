"""Tabulate the lower case and the kind of all code points, as the running interpreter knows them.

The compiled tokenizer agrees with `re` and `str.lower` because its table comes from them. A few letters have a
lower case that depends on their neighbours (the Greek sigma) or has several letters (İ): Python lowers the documents
that hold one.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from suffice.typing import Words32

__all__ = ["special_letters", "table"]

COUNT = 0x110000
WORD, SPACE = 1 << 21, 1 << 22
SIGMA = 0x3A3
BLOCK = 4096


@cache
def table(lowercase: bool) -> Words32:
    """Return for each code point its lower case, and flags for word characters and spaces."""
    points = np.arange(COUNT, dtype=np.uint32)
    kinds = _kinds(points)
    lowered = _lowered(points)[0] if lowercase else points
    out = lowered | kinds[lowered]
    out.setflags(write=False)
    return out


@cache
def special_letters() -> tuple[bytes, ...]:
    """Return the UTF-8 of the letters that only `str.lower` can lower."""
    found = _lowered(np.arange(COUNT, dtype=np.uint32))[1]
    return tuple(chr(point).encode() for point in found)


def _kinds(points: Words32) -> Words32:
    text = _text(points)
    kinds = np.zeros(COUNT, np.uint32)
    for pattern, flag in ((r"\w+", WORD), (r"\s+", SPACE)):
        for match in re.finditer(pattern, text):
            kinds[match.start() : match.end()] |= np.uint32(flag)
    return kinds


def _lowered(points: Words32) -> tuple[Words32, list[int]]:
    """Return each code point in lower case (unchanged if that is several letters), and the special ones."""
    out, special = points.copy(), [SIGMA]
    for start in range(0, COUNT, BLOCK):
        block = _text(points[start : start + BLOCK])
        lower = block.lower()
        if len(lower) == len(block):
            out[start : start + BLOCK] = _points(lower)
            continue
        for point, letter in enumerate(block, start):
            lower = letter.lower()
            if len(lower) == 1:
                out[point] = ord(lower)
            else:
                special.append(point)
    out[SIGMA] = ord(chr(SIGMA).lower())
    return out, special


def _text(points: Words32) -> str:
    return points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _points(text: str) -> Words32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)
