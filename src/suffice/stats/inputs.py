"""Convert rows, labels and weights to the arrays that kernels read, or raise an error about the argument."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suffice.errors import DataError, InputError, KindError, LabelError, ShapeError
from suffice.later import issparse
from suffice.sparse import sound
from suffice.telling import counted
from suffice.typing import Array, Integers, Matrix, Rng

EXACT = 2.0**53 - 1
"""Largest count allowed: above it, float64 no longer distinguishes neighbouring whole numbers."""

MANY = 1_000_000
"""More classes or categories than this, and more than two per row, are an error unless their number is passed."""

KERNEL_TYPES = {np.dtype(t) for t in (np.float64, np.float32, np.int64, np.int32, np.uint8)}


@dataclass(frozen=True)
class Allowed:
    """The values that a statistic accepts, and how errors describe them."""

    least: float
    most: float
    whole_numbers: bool
    words: str

    def accepts(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which of the values are allowed."""
        with np.errstate(over="ignore"):  # bounds may be beyond float32
            inside = (values >= self.least) & (values <= self.most)
        return inside & (values == np.floor(values)) if self.whole_numbers else inside

    def read(self, value: ArrayLike, name: str) -> Array:
        """Return the numbers as floats; raise unless they are allowed."""
        array = as_numbers(value, name, self.words)
        self.check(array, name)
        return array.astype(np.float64)

    def check(self, values: NDArray[Any], name: str, first_row: int = 0) -> None:
        """Raise DataError naming the first value that is not allowed."""
        bad = np.argwhere(~self.accepts(values))
        if len(bad):
            place = tuple(int(i) for i in bad[0])
            self.refuse(values[place], (place[0] + first_row, *place[1:]) if place else (), name)

    def refuse(self, value: Any, place: tuple[int, ...], name: str) -> None:
        """Raise a DataError that names one value and its place."""
        at = f" at {list(place)}" if place else ""
        raise DataError(name, f"hold {self.words}").but(f"got {value}{at}")


_LARGEST = float(np.finfo(np.float64).max)
COUNT = Allowed(0.0, EXACT, False, "numbers of at least 0 and below 2**53")
WHOLE = Allowed(0.0, EXACT, True, "whole numbers of at least 0 and below 2**53")
BINARY = Allowed(0.0, 1.0, True, "zeros and ones")
CODE = Allowed(0.0, EXACT, True, "category codes 0, 1, 2, …")
POSITIVE = Allowed(5e-324, _LARGEST, False, "positive, finite numbers")
REAL = Allowed(-_LARGEST, _LARGEST, False, "finite numbers")


@dataclass(frozen=True)
class RowMatrix:
    """Data as a matrix, rows first, and the original shape of a row."""

    matrix: Any  # a 2-D numpy array, or scipy's CSR or CSC
    shape: tuple[int, ...]
    name: str
    first: int = 0  # index of the first row, if these are part of more rows
    above: float | None = None  # read values as flags: whether they are above this threshold, which is not negative
    allowed: Allowed = REAL  # values that a scorer accepts

    @classmethod
    def read(cls, data: Matrix | RowMatrix, name: str = "data") -> RowMatrix:
        """Read lists, arrays of any order and stride, and sparse matrices; copy only what kernels cannot read."""
        if isinstance(data, RowMatrix):
            return data
        if issparse(data) and sound(data, name).ndim == 2:
            return cls(_compressed(data, name), data.shape[1:], name)
        if issparse(data):
            data = data.toarray()
        array = as_numbers(data, name)
        kind = _kernel_type(array.dtype, name)
        array = array.view(np.uint8) if array.dtype == np.bool_ else array.astype(kind, copy=False)
        if array.ndim == 0:
            raise ShapeError(name, "hold rows, such as a list").but(f"got the single value {array}")
        shape = array.shape[1:]
        matrix = array if array.ndim == 2 else array.reshape(len(array), int(np.prod(shape)))
        aligned = matrix.flags.aligned and all(step % matrix.itemsize == 0 for step in matrix.strides)
        return cls(matrix if aligned else matrix.copy(order="C"), shape, name)

    @property
    def is_sparse(self) -> bool:
        """Whether the matrix is scipy's CSR or CSC."""
        return type(self.matrix) is not np.ndarray and bool(issparse(self.matrix))

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def width(self) -> int:
        """Numbers per row; the average number of stored entries if the matrix is sparse."""
        return int(self.matrix.nnz // max(1, len(self)) if self.is_sparse else self.matrix.shape[1])

    def part(self, block: slice) -> RowMatrix:
        """Return a range of the rows."""
        return replace(self, matrix=self.matrix[block], first=self.first + block.start)

    def must_be(self, allowed: Allowed) -> RowMatrix:
        """Return the rows with the values that a scorer shall accept; it refuses all others."""
        return replace(self, allowed=allowed)

    def flags(self, threshold: float) -> RowMatrix:
        """Return the rows, to be read as ones where they are above the threshold and zeros elsewhere."""
        if self.matrix.dtype == np.float32 and not isinstance(threshold, np.generic):
            threshold = float(np.float32(threshold))  # numpy compares float32 arrays with Python numbers in float32
        return replace(self, above=float(threshold))

    def complain(self, allowed: Allowed) -> None:
        """Raise the error for data that a kernel refused, naming the first value that is not allowed."""
        if self.is_sparse:
            for k in np.flatnonzero(~allowed.accepts(self.matrix.data))[:1]:
                line = int(np.searchsorted(self.matrix.indptr, k, side="right")) - 1
                place = (line, int(self.matrix.indices[k]))
                allowed.refuse(self.matrix.data[k], place if self.matrix.format == "csr" else place[::-1], self.name)
        else:
            allowed.check(self.matrix.reshape(len(self), *self.shape), self.name, self.first)
        raise DataError(self.name, f"hold {allowed.words}")


def _compressed(data: Any, name: str) -> Any:
    """Return CSR or CSC of a type that kernels read, without duplicate entries; the caller's matrix is unchanged."""
    kind = _kernel_type(data.dtype, name)
    if data.format not in ("csr", "csc"):
        return data.astype(np.int64 if data.dtype.kind in "biu" else kind).tocsr()  # summing duplicates needs range
    if data.has_canonical_format or data.copy().has_canonical_format:
        return data if data.dtype == kind else data.astype(kind)
    wide = data.astype(np.int64 if data.dtype.kind in "biu" else kind, copy=True)
    wide.sum_duplicates()
    return wide


def as_numbers(value: Any, name: str, words: str = "numbers") -> NDArray[Any]:
    """Return `value` as an array of numbers of its own type; errors use `name` and `words`."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise DataError(name, "hold a value everywhere").but(
            "got a masked array with masked values", "Fill them first."
        )
    try:
        array = np.asarray(value)
    except ValueError:
        raise ShapeError(name, "hold rows of equal length").but("got a ragged list") from None
    if array.dtype.kind == "O" and all(isinstance(item, Real) for item in array.flat):
        array = array.astype(np.float64)  # whole numbers too long for 64 bits, fractions
    if array.dtype.kind not in "biuf":
        shown = repr(value) if array.ndim == 0 else f"an array of {array.dtype}"
        raise KindError(name, f"hold {words}").but(f"got {shown}")
    return array


def _kernel_type(dtype: np.dtype[Any], name: str) -> type[np.generic]:
    if dtype.kind not in "biuf":
        raise KindError(name, "hold numbers").but(f"got an array of {dtype}")
    if dtype in KERNEL_TYPES and dtype.isnative:
        return dtype.type
    if dtype.kind == "f" or dtype == np.uint64:
        return np.float64
    return np.uint8 if dtype.kind == "b" else np.int64


@dataclass(frozen=True)
class Groups:
    """The class of each row, as a code or as responsibilities, and its weight."""

    code: Integers
    share: Array
    weight: Array
    classes: int | None
    rows: int

    @classmethod
    def read(cls, rows: int, labels: Any, weights: Any, n_classes: int | None) -> Groups:
        """Read labels: None, codes 0..C−1, or responsibilities (rows × classes)."""
        code, share = np.empty(0, np.int64), np.empty((0, 0))
        if labels is None:
            if n_classes is not None:
                raise LabelError("The argument 'n_classes' needs labels; got labels=None.")
            return cls(code, share, _read_weights(weights, rows), None, rows)
        count: Any = n_classes
        if count is not None and not (isinstance(count, int | np.integer) and count >= 1):
            raise LabelError("n_classes", "be a whole number of at least 1", got=n_classes)
        try:
            array = as_numbers(labels, "labels", "class codes or responsibilities")
        except KindError as error:
            raise LabelError(
                f"{error} Encode names by one sorted list for all batches: numpy.searchsorted(classes, labels)."
            ) from None
        if array.ndim not in (1, 2) or len(array) != rows or array.shape[1:] == (0,):
            raise LabelError("labels", f"hold one code or one line of responsibilities per row, {rows} in all").but(
                f"got shape {array.shape}"
            )
        if array.ndim == 2:
            share, classes = _read_shares(array, n_classes)
        else:
            code, classes = _read_codes(array, n_classes)
        return cls(code, share, _read_weights(weights, rows), classes, rows)

    def part(self, block: slice) -> Groups:
        """Return the labels and weights of a range of the rows."""
        rows = len(range(self.rows)[block])
        return Groups(self.code[block], self.share[block], self.weight[block], self.classes, rows)

    def members(self) -> Iterator[tuple[Any, Integers, Array | None]]:
        """Yield rows, their classes and weights: all rows at once, or class by class if labels are responsibilities."""
        if not len(self.share):
            code = self.code if len(self.code) else np.zeros(self.rows, np.int64)
            yield slice(None), code, self.weight if len(self.weight) else None
            return
        for c, share in enumerate(self.share.T):
            (members,) = np.nonzero(share)
            weight = share[members] * self.weight[members] if len(self.weight) else share[members]
            yield members, np.full(len(members), c), weight

    @property
    def real(self) -> bool:
        """Whether rows may have fractional weights."""
        return len(self.weight) > 0 or len(self.share) > 0

    @property
    def axes(self) -> tuple[int, ...]:
        """The class axis, if there is one."""
        return () if self.classes is None else (self.classes,)


def _read_codes(array: NDArray[Any], n_classes: int | None) -> tuple[Integers, int]:
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "biu":
        raise LabelError("labels", "hold class codes as integers").but(f"got an array of {array.dtype}")
    least, most = (int(array.min()), int(array.max())) if len(array) else (0, -1)
    if n_classes is None and most > max(MANY, 2 * len(array)):
        raise LabelError("labels", "hold codes 0, 1, 2, …").but(
            f"got {most} among {counted(len(array), 'row')}", python="If there are so many classes, pass n_classes=."
        )
    classes = most + 1 if n_classes is None else int(n_classes)
    if least < 0 or most >= classes:
        worst = least if least < 0 else most
        raise LabelError("labels", f"hold codes from 0 to {classes - 1}").but(f"got {worst}")
    return np.require(array.astype(np.int64, copy=False), requirements=["C", "A"]), classes


def _read_shares(array: NDArray[Any], n_classes: int | None) -> tuple[Array, int]:
    share = np.require(array.astype(np.float64, copy=False), requirements=["C", "A"])
    if array.shape[1] == 1 and array.dtype.kind in "biu":
        raise LabelError("labels", "be a list of codes, or hold responsibilities for every class").but(
            f"got shape {array.shape}", python="Use labels.ravel()."
        )
    outside = ~((share >= 0) & (share <= 1 + 1e-9))
    if outside.any():
        raise LabelError("labels", "hold responsibilities between 0 and 1").but(
            f"got {share[outside][0]}", python="Pass other weights as 'weights'."
        )
    if n_classes is not None and share.shape[1] != n_classes:
        raise LabelError("labels", f"have one column per class, {n_classes} in all").but(f"got {share.shape[1]}")
    return share, int(share.shape[1])


def _read_weights(weights: Any, rows: int) -> Array:
    if weights is None:
        return np.empty(0)
    array = COUNT.read(weights, "weights")
    if array.shape != (rows,):
        raise ShapeError("weights", f"hold one number per row, {rows} in all").but(f"got shape {array.shape}")
    return np.ascontiguousarray(array)


def generator(rng: Rng) -> np.random.Generator:
    """Return the generator itself, or a new one from a seed or from fresh randomness."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(
            "rng", "be a numpy Generator, a seed (a non-negative whole number), or None", got=rng
        ) from None
