"""Compute with about 32 significant digits, on unevaluated sums of two float64 (double-double).

The error of a rounded sum or product is itself a float64 (Dekker 1971; Knuth, The Art of Computer Programming 2,
4.2.2), so keeping it costs a few operations and no new number type.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.typing import Array, Booleans

__all__ = ["Pair"]

SPLITTER = 2.0**27 + 1.0


@dataclass(frozen=True)
class Pair:
    """An unevaluated sum hi + lo, where lo is what rounding to hi lost.

    >>> third = Pair.quotient(np.float64(1), np.float64(3))
    >>> bool(third.hi + third.lo == third.hi), bool(third.lo != 0)
    (True, True)
    """

    hi: Array
    lo: Array

    @classmethod
    def quotient(cls, a: Array, b: Array) -> Pair:
        """Return a / b."""
        q = np.asarray(a / b)
        p = _two_product(q, b)
        return _quick_two_sum(q, ((a - p.hi) - p.lo) / b)

    def __add__(self, other: Pair) -> Pair:
        s, t = _two_sum(self.hi, other.hi), _two_sum(self.lo, other.lo)
        s = _quick_two_sum(s.hi, s.lo + t.hi)
        return _quick_two_sum(s.hi, s.lo + t.lo)

    def __neg__(self) -> Pair:
        return Pair(-self.hi, -self.lo)

    def __sub__(self, other: Pair) -> Pair:
        return self + -other

    def __mul__(self, other: Pair) -> Pair:
        p = _two_product(self.hi, other.hi)
        return _quick_two_sum(p.hi, p.lo + (self.hi * other.lo + self.lo * other.hi))

    def where(self, condition: Booleans, otherwise: Pair) -> Pair:
        """Return this pair where the condition holds, the other one elsewhere."""
        return Pair(np.where(condition, self.hi, otherwise.hi), np.where(condition, self.lo, otherwise.lo))


def _two_sum(a: Array, b: Array) -> Pair:
    s = np.asarray(a + b)
    bb = s - a
    return Pair(s, (a - (s - bb)) + (b - bb))


def _quick_two_sum(a: Array, b: Array) -> Pair:
    s = np.asarray(a + b)
    return Pair(s, b - (s - a))


def _halves(a: Array) -> tuple[Array, Array]:
    c = SPLITTER * a
    hi = c - (c - a)
    return hi, a - hi


def _two_product(a: Array, b: Array) -> Pair:
    p = np.asarray(a * b)
    (ah, al), (bh, bl) = _halves(a), _halves(b)
    return Pair(p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
