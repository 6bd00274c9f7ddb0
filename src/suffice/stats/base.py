"""Define the base class of sufficient statistics: frozen arrays with a zero, addition, subtraction and equality.

Their arithmetic keeps whole numbers exact, and where it matters computes with about 32 significant digits: the error of
a rounded sum or product is itself a float64 (Dekker 1971; Knuth, The Art of Computer Programming 2, 4.2.2), so keeping
it costs a few operations and no new number type.

    zero()                    the identity: adding it changes nothing
    of(data, labels, weights) the statistic of the given rows, one line per class if there are labels
    a + b                     the statistic of the rows of both
    a − b                     the statistic of a's rows without b's; raises if b's rows cannot be part of a's
    arrays(), from_arrays()   conversion to and from named arrays, for files and other machines

A statistic validates its arrays when it is constructed. Nothing changes in place, so a failed operation leaves its
operands unchanged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.errors import DataError, KindError, ShapeError, SubtractionError
from suffice.notebook import MOST, card, line, table
from suffice.signatures import explain_arguments, explained
from suffice.stats.inputs import EXACT, Groups, RowMatrix, as_numbers
from suffice.typing import Array, Booleans, Integers, Matrix

LAST_BITS = 64 * np.finfo(np.float64).eps
"""Rounding error that a few operations may leave, relative to their operands."""

ROUNDING = 1e-12
"""Rounding error that many operations may leave, relative to their operands."""

SPLITTER = 2.0**27 + 1.0

COLUMNS = 8
"""Columns of a matrix that a notebook shows."""


def _closed(array: Any) -> bool:
    """Return whether neither the array nor its base can be written to."""
    if isinstance(array, memoryview):
        return array.readonly
    if not isinstance(array, np.ndarray) or array.flags.writeable:
        return False
    return array.base is None or _closed(array.base)


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Mark an array of our own as read-only and return it, without a copy."""
    array.setflags(write=False)
    return array


class ByArrays(ABC):
    """What named arrays determine: equality, a hash, the start of a sum."""

    @abstractmethod
    def arrays(self) -> dict[str, Any]:
        """Return the arrays by name."""

    def without_trace(self) -> Self:
        """Return the statistic without traces of removed rows; most statistics keep none."""
        return self

    def __radd__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:  # where sum() starts
            return self
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        theirs = other.arrays()
        return all(np.array_equal(mine, theirs[name]) for name, mine in self.arrays().items())

    def __hash__(self) -> int:
        values = (np.asarray(array) for array in self.arrays().values())
        return hash((type(self), *(tuple(a.tolist()) if a.dtype == object else (a + 0).tobytes() for a in values)))


@dataclass(frozen=True, eq=False, repr=False)
class Statistic(ByArrays):
    """A sufficient statistic: frozen arrays that add and subtract.

    >>> from suffice.stats import BinaryCounts
    >>> monday, tuesday = BinaryCounts.of([1, 0, 1]), BinaryCounts.of([0])
    >>> (monday + tuesday) - tuesday == monday, monday + BinaryCounts.zero() == monday
    (True, True)
    """

    _whole: ClassVar[tuple[str, ...]] = ()
    """Fields that hold integers; all others are float64."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        explain_arguments(cls)

    def __post_init__(self) -> None:
        for field in fields(self):
            kind = np.int64 if field.name in self._whole else np.float64
            name = f"{type(self).__name__}.{field.name}"
            given = as_numbers(getattr(self, field.name), name)
            array = given.astype(kind, copy=not _closed(given))  # a copy if someone else could change it
            object.__setattr__(self, field.name, sealed(array))
        self._check()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(self.arrays().values())

    @classmethod
    def zero(cls) -> Self:
        """Return the statistic of no rows, for any number of classes and features."""
        return cls(*(0.0 for _ in fields(cls)))

    @classmethod
    @explained
    def of(
        cls,
        data: Matrix,
        labels: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
        name: str = "data",
    ) -> Self:
        """Return the statistic of rows of data.

        Parameters
        ----------
        data : array or sparse matrix
            One row per example; a row may be a number, or an array of any shape.
        labels : array, optional
            A class code 0..C−1 per row, or responsibilities (rows × classes). Without labels there is no class axis.
        weights : array, optional
            Weight of each row; 1 by default.
        n_classes : int, optional
            Number of classes; needed if the largest codes may be absent from `labels`.
        name : str
            Name of the data in error messages.
        """
        rows = RowMatrix.read(data, name)
        return cls._gather(rows, Groups.read(len(rows), labels, weights, n_classes))

    @property
    def shape(self) -> tuple[int, ...]:
        """Classes (if there are labels) × the shape of a row."""
        shape: tuple[int, ...] = getattr(self, fields(self)[0].name).shape
        return shape

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the statistic by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """Return a statistic from the arrays that `arrays()` returned."""
        expected = [field.name for field in fields(cls)]
        if sorted(arrays) != sorted(expected):
            raise DataError(f"{cls.__name__}.arrays", f"hold {expected}").but(f"got {sorted(arrays)}")
        return cls(**arrays)

    def with_classes(self, place: Integers, classes: int) -> Self:
        """Return the statistic with its classes renumbered: class c becomes `place[c]`; −1 drops the class."""
        arrays, kept = self.arrays(), place >= 0
        for name in arrays.keys() - self._whole:
            wide = np.zeros((classes, *arrays[name].shape[1:]))
            wide[place[kept]] = arrays[name][kept]
            arrays[name] = sealed(wide)
        return type(self)(**arrays)

    def scaled(self, factor: float) -> Self:
        """Return the statistic with all row weights multiplied by `factor`."""
        arrays = self.arrays()
        for name in arrays.keys() - self._whole:
            arrays[name] = sealed(np.asarray(arrays[name] * factor))
        return type(self)(**arrays)

    def __add__(self, other: Self) -> Self:
        self._compare(other)
        if other._is_identity():
            return self
        return other if self._is_identity() else self._plus(other)

    def __sub__(self, other: Self) -> Self:
        self._compare(other)
        if other._is_identity():
            return self
        try:
            return self._minus(other) if not self._is_identity() else other._nothing()
        except DataError as error:
            raise SubtractionError(
                f"Cannot subtract {type(self).__name__}: its rows are not among those that were added; {error}"
            ) from None

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={np.array2string(array, separator=', ', threshold=8, edgeitems=2)}"
            for name, array in self.arrays().items()
            if not name.endswith("_lo") and name != "peak"  # these serve rounding only
        )
        return f"{type(self).__name__}({inside})"

    def _repr_html_(self) -> str:
        title = f"{type(self).__name__} {' × '.join(map(str, self.shape))}".rstrip()
        return card(self, self._parts, title)

    def _parts(self) -> Iterator[str]:
        """Yield tables of the arrays, without what rounding needs."""
        hidden = {name for name in self.arrays() if name.endswith("_lo") or name in ("peak", "log_factorials")}
        return parts_of_arrays({name: array for name, array in self.arrays().items() if name not in hidden})

    @classmethod
    @abstractmethod
    def _gather(cls, rows: RowMatrix, groups: Groups) -> Self: ...

    @abstractmethod
    def _check(self) -> None:
        """Raise DataError or ShapeError if no rows could give these arrays."""

    @abstractmethod
    def _plus(self, other: Self) -> Self: ...

    @abstractmethod
    def _minus(self, other: Self) -> Self: ...

    def _nothing(self) -> Self:
        """Return the statistic if it holds no rows; anything else cannot be subtracted from zero."""
        if any(array.any() for name, array in self.arrays().items() if name not in self._whole):
            raise DataError("there are no rows to remove.")
        return self

    def _is_identity(self) -> bool:
        return self.shape == () and not any(array.any() for array in self.arrays().values())

    def _compare(self, other: Self) -> None:
        if type(other) is not type(self):
            kind = type(self).__name__
            raise KindError(f"A {kind} combines only with another {kind}; got {type(other).__name__}.")
        if self.shape != other.shape and not (self._is_identity() or other._is_identity()):
            raise ShapeError(f"Two {type(self).__name__}", "have the same classes and features to be combined").but(
                f"got shapes {self.shape} and {other.shape}",
                python="If a batch may lack a class, pass n_classes= for each one.",
            )


def difference(total: NDArray[Any], part: NDArray[Any]) -> NDArray[Any]:
    """Return total − part, with rounding errors of real numbers set to zero; whole numbers are exact and stay.

    The tolerance is wider below zero, where no true remainder can lie, than above, where a small one may be real.
    """
    left = np.asarray(total - part)
    slight = (left <= LAST_BITS * total) & (left >= -ROUNDING * total) & (left != 0)
    if slight.any():
        exact = (total == np.floor(total)) & (part == np.floor(part))
        left = np.where(slight & ~exact, 0.0, left)
    return sealed(left)


def has_rows_of(t: Any, classes: int) -> bool:
    """Return whether `n`, if the statistic has it, is one row count per class, shared by all features."""
    n = getattr(t, "n", None)
    beside = () if fields(t)[0].name == "n" else t.shape[1:]  # axes of the arrays that `n` broadcasts against
    return n is None or bool(n.shape == (classes, *(1 for _ in beside)))


def check_weight(name: str, n: Array, like: Array) -> None:
    """Raise unless `n` is a valid row count: in range, and of a shape that broadcasts to that of `like`."""
    if not ((n >= 0) & (n <= EXACT)).all():
        worst = n.min() if (n < 0).any() else n.max()
        raise DataError(f"{name}.n", "be at least 0 and below 2**53, where float64 counts exactly").but(f"got {worst}")
    if n.ndim > like.ndim or any(a not in (1, b) for a, b in zip(n.shape[::-1], like.shape[::-1], strict=False)):
        raise ShapeError(f"{name}.n", f"broadcast to shape {like.shape}").but(f"got {n.shape}")


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


def parts_of_arrays(arrays: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    """Yield tables of arrays: numbers together, vectors of one length side by side, a table for each matrix."""
    numbers = {name: array.item() for name, array in arrays.items() if array.ndim == 0}
    if numbers:
        yield table(list(numbers), [list(numbers.values())])
    for size in dict.fromkeys(len(array) for array in arrays.values() if array.ndim == 1):
        vectors = {name: array for name, array in arrays.items() if array.shape == (size,)}
        rows = zip(range(size), *(array[:MOST].tolist() for array in vectors.values()), strict=False)
        yield table(["", *vectors], rows, size)
    for name, array in arrays.items():
        if array.ndim == 2:
            width = array.shape[1]
            more = width > COLUMNS
            head = ["", *(f"[{j}]" for j in range(min(width, COLUMNS))), *["…"] * more]
            cells = [(i, *row, *[""] * more) for i, row in enumerate(array[:MOST, :COLUMNS].tolist())]
            yield table(head, cells, len(array), f"{name}, {width:,} columns" if more else name)
        elif array.ndim > 2:
            yield line(f"{name}: an array of shape {' × '.join(map(str, array.shape))}")


def parts_of_words(t: Any) -> Iterator[str]:
    """Yield the most frequent words, with their counts by class."""
    order = np.argpartition(-t.frequency, MOST)[:MOST] if t.width > MOST else np.arange(t.width)
    order = order[np.argsort(-t.frequency[order], kind="stable")]
    classes = min(t.n_classes, COLUMNS)
    counts = np.asarray(t.tokens[:classes][:, order].todense()) if len(order) else np.zeros((classes, 0))
    names = [f"bucket {j}" for j in order.tolist()]
    if not t.hash_bits:  # without making strings of all words
        data, offset = t.words.taken(order)
        names = [data[a:b].tobytes().decode("utf-8", "replace") for a, b in pairwise(offset.tolist())]
    head = ["word", "texts", "times", *(f"in class {c}" for c in range(classes))]
    lines = zip(names, t.document_frequency[order].tolist(), t.frequency[order].tolist(), *counts.tolist(), strict=True)
    yield table(head, lines, t.width)
