"""Rows, labels and weights as people have them → as the kernels want them, or one clear sentence."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from suffice.errors import DataError, KindError, LabelError, ShapeError
from suffice.typing import Array, Integers, Matrix

__all__ = ["BINARY", "CODE", "COUNT", "EXACT", "POSITIVE", "REAL", "WHOLE", "Allowed", "Groups", "Rows"]

EXACT = 2.0**53 - 1
"""The largest count. One more, and float64 could no longer tell a sum from its neighbour, so it is refused."""

KERNEL_TYPES = {np.dtype(t) for t in (np.float64, np.float32, np.int64, np.int32, np.uint8)}


@dataclass(frozen=True)
class Allowed:
    """The values a statistic can take in."""

    least: float
    most: float
    whole: bool
    words: str

    def accepts(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of the values are allowed."""
        inside = (values >= self.least) & (values <= self.most)
        return inside & (values == np.floor(values)) if self.whole else inside

    def read(self, value: ArrayLike, name: str) -> Array:
        """Numbers that are allowed, as floats."""
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise KindError(f"The argument '{name}' must hold {self.words}; got {value!r}.")
        self.check(array, name)
        return array.astype(np.float64)

    def check(self, values: NDArray[Any], name: str) -> None:
        """Raise DataError naming the first value that is not allowed."""
        bad = np.argwhere(~self.accepts(values))
        if len(bad):
            place = tuple(int(i) for i in bad[0])
            at = f" at {list(place)}" if place else ""
            raise DataError(f"The argument '{name}' must hold {self.words}; got {values[place]}{at}.")


_LARGEST = float(np.finfo(np.float64).max)
COUNT = Allowed(0.0, EXACT, False, "numbers of at least 0 and below 2**53")
WHOLE = Allowed(0.0, EXACT, True, "whole numbers of at least 0 and below 2**53")
CODE = Allowed(0.0, EXACT, True, "category codes 0, 1, 2, … below the number of categories")
BINARY = Allowed(0.0, 1.0, True, "zeros and ones")
POSITIVE = Allowed(5e-324, _LARGEST, False, "positive, finite numbers")
REAL = Allowed(-_LARGEST, _LARGEST, False, "finite numbers")


@dataclass(frozen=True)
class Rows:
    """Data as a matrix, rows first, and the shape a row had."""

    matrix: Any  # a 2-D numpy array, or scipy's CSR or CSC
    shape: tuple[int, ...]
    name: str

    @classmethod
    def read(cls, data: Matrix, name: str = "data") -> "Rows":
        """Accept lists, arrays of any order and stride, and sparse matrices; copy only what kernels cannot read."""
        if sparse.issparse(data):
            matrix = data if data.format in ("csr", "csc") else data.tocsr()
            if not matrix.has_canonical_format:
                matrix = matrix.copy()
                matrix.sum_duplicates()
            if matrix.dtype not in KERNEL_TYPES:
                matrix = matrix.astype(_kernel_type(matrix.dtype, name))
            return cls(matrix, matrix.shape[1:], name)
        array = _numbers(data, name)
        if array.ndim == 0:
            raise ShapeError(f"The argument '{name}' must hold rows, such as a list; got the single value {array}.")
        shape = array.shape[1:]
        matrix = array if array.ndim == 2 else array.reshape(len(array), int(np.prod(shape)))
        return cls(_walkable(matrix), shape, name)

    @property
    def is_sparse(self) -> bool:
        """Whether the matrix is scipy's CSR or CSC."""
        return bool(sparse.issparse(self.matrix))

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def part(self, block: slice) -> "Rows":
        """Some of the rows."""
        return Rows(self.matrix[block], self.shape, self.name)

    def complain(self, allowed: Allowed) -> None:
        """Raise the error that a kernel only noticed: name the first value that is not allowed."""
        if self.is_sparse:
            width = self.matrix.shape[self.matrix.format == "csr"]
            if ((self.matrix.indices < 0) | (self.matrix.indices >= width)).any():
                raise ShapeError(f"The sparse matrix '{self.name}' must not have an index outside its own shape.")
            entries = self.matrix.tocoo()
            bad = np.flatnonzero(~allowed.accepts(entries.data))
            if len(bad):
                value, row, column = (part[bad[0]] for part in (entries.data, entries.row, entries.col))
                raise DataError(
                    f"The argument '{self.name}' must hold {allowed.words}; got {value} at [{row}, {column}]."
                )
        else:
            allowed.check(self.matrix.reshape(len(self), *self.shape), self.name)
        raise DataError(f"The argument '{self.name}' must hold {allowed.words}.")


def _numbers(data: ArrayLike, name: str) -> NDArray[Any]:
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise DataError(f"The argument '{name}' must hold a value everywhere; got a masked array with gaps.")
    try:
        array = np.asarray(data)
    except ValueError:
        raise ShapeError(f"The argument '{name}' must hold rows of equal length; got a ragged list.") from None
    if array.size == 0 and array.dtype.kind == "O":
        array = array.astype(np.float64)
    if array.dtype in KERNEL_TYPES and array.dtype.isnative:
        return array
    return array.view(np.uint8) if array.dtype == np.bool_ else array.astype(_kernel_type(array.dtype, name))


def _kernel_type(dtype: np.dtype[Any], name: str) -> type[np.generic]:
    if dtype.kind in "biu":
        return np.uint8 if dtype.kind == "b" else np.int64
    if dtype.kind == "f":
        return np.float64
    raise KindError(f"The argument '{name}' must hold numbers; got an array of {dtype}.")


def _walkable(matrix: NDArray[Any]) -> NDArray[Any]:
    aligned = matrix.flags.aligned and all(step % matrix.itemsize == 0 for step in matrix.strides)
    return matrix if aligned else np.ascontiguousarray(matrix)


@dataclass(frozen=True)
class Groups:
    """Which class each row belongs to, wholly (codes) or in shares, and what it weighs."""

    code: Integers
    share: Array
    weight: Array
    classes: int | None
    rows: int

    @classmethod
    def read(cls, rows: int, labels: Any, weights: Any, n_classes: int | None) -> "Groups":
        """Labels are None, codes 0..C−1, or responsibilities (rows × classes)."""
        code, share = np.empty(0, np.int64), np.empty((0, 0))
        if labels is None:
            if n_classes is not None:
                raise LabelError("The argument 'n_classes' needs labels; got labels=None.")
            return cls(code, share, _read_weights(weights, rows), None, rows)
        array = np.asarray(labels)
        if array.ndim not in (1, 2) or len(array) != rows:
            raise LabelError(
                f"The argument 'labels' must hold one code or one line of responsibilities per row, "
                f"{rows} in all; got shape {array.shape}."
            )
        if array.ndim == 2:
            share, classes = _read_shares(array, n_classes)
        else:
            code, classes = _read_codes(array, n_classes)
        return cls(code, share, _read_weights(weights, rows), classes, rows)

    def part(self, block: slice) -> "Groups":
        """The labels and weights of some of the rows."""
        rows = len(range(self.rows)[block])
        return Groups(self.code[block], self.share[block], self.weight[block], self.classes, rows)

    @property
    def axes(self) -> tuple[int, ...]:
        """The class axis, if there is one."""
        return () if self.classes is None else (self.classes,)


def _read_codes(array: NDArray[Any], n_classes: int | None) -> tuple[Integers, int]:
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "biu":
        raise LabelError(
            f"The argument 'labels' must hold class codes as integers; got an array of {array.dtype}. "
            "Encode names first, for example with numpy.unique(labels, return_inverse=True)."
        )
    code = np.ascontiguousarray(array, np.int64)
    least, most = (int(code.min()), int(code.max())) if len(code) else (0, -1)
    classes = most + 1 if n_classes is None else int(n_classes)
    if least < 0 or most >= classes:
        worst = least if least < 0 else most
        raise LabelError(f"The argument 'labels' must hold codes from 0 to {classes - 1}; got {worst}.")
    return code, classes


def _read_shares(array: NDArray[Any], n_classes: int | None) -> tuple[Array, int]:
    if array.dtype.kind not in "biuf":
        raise LabelError(f"The argument 'labels' must hold numbers as responsibilities; got {array.dtype}.")
    share = np.ascontiguousarray(array, np.float64)
    if not (np.isfinite(share) & (share >= 0)).all():
        raise LabelError("The argument 'labels' must hold finite, non-negative responsibilities.")
    if n_classes is not None and share.shape[1] != n_classes:
        raise LabelError(
            f"The argument 'labels' must have one column per class, {n_classes} in all; got {share.shape[1]}."
        )
    return share, int(share.shape[1])


def _read_weights(weights: Any, rows: int) -> Array:
    if weights is None:
        return np.empty(0)
    array = COUNT.read(weights, "weights")
    if array.shape != (rows,):
        raise ShapeError(f"The argument 'weights' must hold one number per row, {rows} in all; got {array.shape}.")
    return np.ascontiguousarray(array)
