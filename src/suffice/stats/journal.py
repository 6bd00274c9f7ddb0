"""Record which rows were learned, and with what weight, as hashes that add and subtract like every other statistic.

Sums cannot show whether a given row is part of them. A journal can: for each distinct (row, label) it holds a 128-bit
BLAKE2b hash, made under a key that is not stored, the weight with which it was learned, and how often. A row that was
learned with several weights has an entry for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, InputError, KindError, LabelError, ShapeError, SubtractionError
from suffice.notebook import card
from suffice.stats.base import ROUNDING, ByArrays, sealed
from suffice.stats.inputs import EXACT
from suffice.typing import Array, Integers, JournalKey

Hashes = NDArray[np.uint64]
"""Rows × 2: the first and the last 64 bits of each hash."""

PERSON = b"suffice journal1"


@dataclass(frozen=True, eq=False, repr=False)
class Journal(ByArrays):
    """Number of the rows with each hash and weight, sorted by hash and weight; `check` distinguishes keys.

    >>> import suffice as sf
    >>> monday = sf.BernoulliNB().fit([[0], [1], [1]], ["a", "b", "b"], journal="a secret").journal_
    >>> tuesday = sf.BernoulliNB().fit([[1], [0]], ["a", "b"], journal="a secret").journal_
    >>> monday + tuesday
    Journal(4 distinct rows, total weight 5)
    >>> (monday + tuesday) - tuesday == monday
    True
    """

    first: NDArray[np.uint64]
    second: NDArray[np.uint64]
    weight: Array
    count: NDArray[np.uint64]
    check: NDArray[np.uint64]

    def __post_init__(self) -> None:
        for name, array in self.arrays().items():
            kind = np.float64 if name == "weight" else np.uint64
            if array.dtype != kind or array.ndim != 1:
                raise DataError(f"Journal.{name}", f"be a one-dimensional array of {np.dtype(kind)}")
        if len({len(self.first), len(self.second), len(self.weight), len(self.count)}) > 1 or len(self.check) != 2:
            raise ShapeError(
                "A Journal", "have two numbers, a weight and a count for each hash, and two numbers in 'check'"
            )
        if not ((self.weight > 0) & (self.weight <= EXACT)).all():
            raise DataError("Journal.weight", "be positive and below 2**53")
        if not ((self.count > 0) & (self.count <= EXACT)).all():
            raise DataError("Journal.count", "be positive and below 2**53")
        above = self.weight[1:] > self.weight[:-1]
        for part in (self.second, self.first):
            above = (part[1:] > part[:-1]) | ((part[1:] == part[:-1]) & above)
        if not above.all():
            raise DataError("The hashes and weights of Journal", "be sorted and distinct")

    @classmethod
    def of(cls, hashes: Hashes, weights: Array | None, check: NDArray[np.uint64]) -> Journal:
        """Return the journal of rows with these hashes; rows of weight 0 were not learned and are left out."""
        given = np.ones(len(hashes)) if weights is None else np.asarray(weights, np.float64)
        return cls._sum(hashes, given, np.ones(len(hashes)), check)

    @property
    def total(self) -> float:
        """Total weight of all rows."""
        return float((self.weight * self.count).sum())

    def __len__(self) -> int:
        return len(np.unique(self.hashes, axis=0))

    def __repr__(self) -> str:
        return f"Journal({len(self):,} distinct rows, total weight {self.total:,g})"

    def _repr_html_(self) -> str:
        return card(self, lambda: ())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the journal by name."""
        return {name: getattr(self, name) for name in ("first", "second", "weight", "count", "check")}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Journal:
        """Return a journal from the arrays that `arrays()` returned."""
        expected = ["check", "count", "first", "second", "weight"]
        if sorted(arrays) != expected:
            raise DataError("Journal.arrays", f"hold {expected}").but(f"got {sorted(arrays)}")
        return cls(**arrays)

    @classmethod
    def total_of(cls, parts: Sequence[Journal]) -> Journal:
        """Return the sum of several journals, added in one step."""
        for part in parts[1:]:
            parts[0]._compare(part)
        hashes, weight, count = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("hashes", "weight", "count")
        )
        return cls._sum(hashes, weight, count.astype(np.float64), parts[0].check)

    def __add__(self, other: Journal) -> Journal:
        return Journal.total_of([self, other])

    def __sub__(self, other: Journal) -> Journal:
        self._compare(other)
        counts = np.concatenate([self.count.astype(np.float64), -other.count.astype(np.float64)])
        weights = np.concatenate([self.weight, other.weight])
        return self._sum(np.concatenate([self.hashes, other.hashes]), weights, counts, self.check)

    def scaled(self, factor: float) -> Journal:
        """Return the journal with all row weights multiplied by `factor`; rows whose weight underflows are dropped."""
        return self._sum(self.hashes, self.weight * factor, self.count.astype(np.float64), self.check)

    def copies(self, hashes: Hashes) -> Integers:
        """Return how often rows with each hash were learned, with any weight."""
        together = np.concatenate([self.hashes, hashes])
        group, first = _groups(together, np.zeros(len(together)))
        here, there = group[: len(self.weight)], group[len(self.weight) :]
        return np.asarray(np.bincount(here, self.count, len(first))[there], np.int64)

    def not_learned(self, hashes: Hashes, weights: Array | None = None) -> tuple[int, str] | None:
        """Return the index of the first row that cannot be removed after all rows before it, and why.

        Return None if all rows can be removed. Rows of weight 0 were not learned, and are passed over.
        """
        given = np.ones(len(hashes)) if weights is None else np.asarray(weights, np.float64)
        rows = np.flatnonzero(given)
        together = np.concatenate([self.hashes, hashes[rows]])
        group, first = _groups(together, np.concatenate([self.weight, given[rows]]))
        here, there = group[: len(self.weight)], group[len(self.weight) :]
        have = np.bincount(here, self.count, len(first))[there]
        order = np.argsort(there, kind="stable")
        before = np.empty(len(there), np.int64)
        before[order] = np.arange(len(there)) - np.searchsorted(there[order], there[order])
        over = np.flatnonzero(before >= have)
        if not len(over):
            return None
        row = int(rows[over[0]])
        if often := int(have[over[0]]):
            times = "once" if often == 1 else f"{often:,} times"
            return row, f"it was learned {times} with this label, and comes more often here"
        learned = self.weight[(self.hashes == hashes[row]).all(axis=1)]
        if not len(learned):
            return row, "it was not learned with this label, or was forgotten already"
        weights_of_it = " and ".join(f"{weight:.15g}" for weight in learned[:3])
        return row, f"it was learned with the weight {weights_of_it}; got {given[row]:.15g}"

    @property
    def hashes(self) -> Hashes:
        """Hashes as rows of two numbers."""
        return np.column_stack([self.first, self.second])

    @classmethod
    def _sum(cls, hashes: Hashes, weights: Array, counts: Array, check: NDArray[np.uint64]) -> Journal:
        """Return the journal of rows with these weights, each `counts` times; raise if some are taken but not there."""
        group, place = _groups(hashes, weights)
        total = np.bincount(group, counts, len(place))
        if (total < 0).any():
            raise SubtractionError(
                f"Cannot subtract: {int((total < 0).sum()):,} of the {int((counts < 0).sum()):,} distinct rows are not "
                "in the journal with this weight, or not as often."
            )
        place, total = (part[(total > 0) & (weights[place] > 0)] for part in (place, total))
        first, second = (sealed(np.ascontiguousarray(hashes[place, k])) for k in (0, 1))
        return cls(first, second, sealed(weights[place]), sealed(total.astype(np.uint64)), check)

    def _compare(self, other: Journal) -> None:
        if not isinstance(other, Journal):
            raise KindError(f"A Journal combines only with another Journal; got {type(other).__name__}.")
        if not np.array_equal(self.check, other.check):
            raise DataError("Two journals", "have the same key to be combined").but("got different keys")


def _groups(hashes: Hashes, weights: Array) -> tuple[Integers, Integers]:
    """Return the group of each row, of one hash and one weight up to rounding, and the first row of each, in order."""
    order = np.lexsort((weights, hashes[:, 1], hashes[:, 0]))
    ordered, heavy = hashes[order], weights[order]
    new = np.ones(len(ordered), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1) | (heavy[1:] > heavy[:-1] * (1 + ROUNDING))
    group = np.empty(len(ordered), np.int64)
    group[order] = np.cumsum(new) - 1
    return group, order[new]


class Key:
    """The key of the hashes: empty, or a secret of its owner. It is not stored with the hashes.

    >>> from suffice.stats.journal import Key
    >>> bool((Key("a").check == Key("b").check).all()), bool((Key("a").check == Key(b"a").check).all())
    (False, True)
    """

    def __init__(self, secret: JournalKey = None) -> None:
        if secret is not None and (not isinstance(secret, str | bytes) or not secret):
            raise InputError("journal", "be True or a key of your own, a non-empty str or bytes").but(
                f"got {'an empty key' if isinstance(secret, str | bytes) else f'a {type(secret).__name__}'}"
            )
        key = b"" if secret is None else secret.encode() if isinstance(secret, str) else secret
        key = key if len(key) <= 64 else blake2b(key).digest()
        self._hash = blake2b(digest_size=16, key=key, person=PERSON)

    @property
    def check(self) -> NDArray[np.uint64]:
        """Fingerprint that distinguishes this key from others."""
        found = self._hash.copy()
        found.update(b"check")
        return _numbers([found.digest()]).ravel()

    def hashes(self, rows: Iterable[bytes], labels: Sequence[bytes]) -> Hashes:
        """Return a 128-bit hash of each row with its label, as two numbers."""
        begun: dict[bytes, Any] = {}
        found, every = [], iter(rows)
        for label, row in zip(labels, every, strict=False):
            if label not in begun:
                begun[label] = self._hash.copy()
                begun[label].update(b"row" + label)
            one = begun[label].copy()
            one.update(row)
            found.append(one.digest())
        if len(found) != len(labels) or next(every, None) is not None:
            found_rows = "more rows" if len(found) == len(labels) else f"{len(found):,} rows"
            raise LabelError("y", "hold one label per row").but(f"got {len(labels):,} labels for {found_rows}")
        return _numbers(found)


def _numbers(digests: list[bytes]) -> Hashes:
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64).reshape(-1, 2)
