"""Call the compiled kernels that count rows of matrices and columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from suffice import _native
from suffice.errors import ShapeError
from suffice.parallel import thread_count
from suffice.stats.inputs import CODE, Allowed, Groups, RowMatrix
from suffice.typing import Array, Integers

FIELDS = {"sums": 1, "real_sums": 2, "poisson_sums": 4, "largest": 1, "moments": 6}
"""Numbers per cell of each kernel's table; all kernels but `sums` and `largest` store (hi, lo) pairs."""

FLAGGED = {"sums": "flag_sums", "real_sums": "real_flag_sums"}
"""Kernels that count a value as 1 if it is above a threshold, and as 0 otherwise."""

ROWS_AT_ONCE = 65536
"""Rows copied at a time where a kernel needs them dense and contiguous."""

LARGEST_TABLE = 2**32


def sums(rows: RowMatrix, groups: Groups, allowed: Allowed) -> Array:
    """Return Σ w·x of each class and column: exact for whole numbers, in double-double arithmetic for real weights."""
    return table("real_sums" if groups.real else "sums", rows, groups, allowed)[0]


def table(
    kernel: Literal["sums", "real_sums", "poisson_sums", "largest", "moments"],
    rows: RowMatrix,
    groups: Groups,
    allowed: Allowed,
) -> tuple[Array, ...]:
    """Run a kernel and return its fields, each of shape classes × row shape."""
    matrix = rows.matrix
    out = _zeros(_lines(groups), matrix.shape[1], FIELDS[kernel])
    run: Any = getattr(_native, kernel if rows.above is None else FLAGGED[kernel])
    data = (*entries(matrix), len(rows), matrix.format == "csc") if rows.is_sparse else (matrix,)
    above = () if rows.above is None else (rows.above,)
    if not run(out, *data, *above, *_groups(groups), _rule(allowed), thread_count()):
        rows.complain(allowed)
    if rows.is_sparse and kernel == "moments":
        _native.absent_moments(out, _class_weights(groups)[:, 0], thread_count())
    return _fields(out, groups.axes + rows.shape)


def categories(rows: RowMatrix, groups: Groups, sizes: Integers) -> Array:
    """Return the counts of each column's categories, columns side by side: classes × Σ sizes."""
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    out = _zeros(_lines(groups), int(sizes.sum(dtype=np.float64)), 2 if groups.real else 1)
    if not _native.category_sums(out, rows.matrix, offsets, *_groups(groups), _rule(CODE), thread_count()):
        for j, size in enumerate(sizes):
            allowed = Allowed(0, int(size) - 1, True, f"category codes from 0 to {size - 1}")
            allowed.check(rows.matrix[:, j], rows.name if len(sizes) == 1 else f"{rows.name}[:, {j}]")
    return _fields(out, (*groups.axes, int(offsets[-1])))[0]


def value_counts(columns: Array, codes: Integers, classes: int) -> tuple[Array, Integers, Integers, Array, Integers]:
    """Return the distinct values of each column, and the class, place and count of each of its cells.

    `columns` holds numbers on the grid, columns × rows. Each result has a line per column, of which only the beginning
    is filled; the last result says how many values and how many cells each column has.
    """
    values, count = np.empty(columns.shape), np.empty(columns.shape)
    line, place = np.empty(columns.shape, np.int64), np.empty(columns.shape, np.int64)
    found = np.zeros((len(columns), 2), np.int64)
    _native.value_counts(columns, codes, classes, values, line, place, count, found, thread_count())
    return values, line, place, count, found


def weights(groups: Groups, rank: int) -> Array:
    """Return the total weight of each class's rows, with `rank` trailing axes of length one."""
    if groups.real:
        total = _class_weights(groups)[..., 0]
    elif groups.classes is None:
        total = np.array(float(groups.rows))
    else:
        total = np.bincount(groups.code, minlength=groups.classes).astype(np.float64)
    total = total.reshape(groups.axes + (1,) * rank)
    total.setflags(write=False)
    return total


def full_moments(rows: RowMatrix, groups: Groups, allowed: Allowed) -> tuple[Array, Array, Array, Array, Array]:
    """Return mean, weight and scatter matrix of each class, then the low parts of mean and scatter."""
    d = rows.matrix.shape[1]
    dense = rows.matrix.toarray() if rows.is_sparse else rows.matrix
    data = np.ascontiguousarray(dense, np.float64)
    n, mean, scatter = (_zeros(_lines(groups), *shape) for shape in ((1, 1), (d, 2), (d, d, 2)))
    if not _native.full_moments(n, mean, scatter, data, *_groups(groups), _rule(allowed), thread_count()):
        rows.complain(allowed)
    (weight,) = _fields(n, (*groups.axes, 1))
    mean_hi, mean_lo = _fields(mean, (*groups.axes, d))
    scatter_hi, scatter_lo = _fields(scatter, (*groups.axes, d, d))
    return mean_hi, weight, scatter_hi, mean_lo, scatter_lo


def _class_weights(groups: Groups) -> Array:
    """Return the weight of each class as a pair: classes × 1 × 2."""
    ones = np.broadcast_to(np.uint8(1), (groups.rows, 1))
    out = np.zeros((_lines(groups), 1, 2))
    _native.real_sums(out, ones, *_groups(groups), _native.Rule(0, 1, True), thread_count())
    return out


def _zeros(lines: int, *shape: int) -> Array:
    if lines * float(np.prod(shape, dtype=np.float64)) > LARGEST_TABLE:
        raise ShapeError("The table of statistics", "have at most 2**32 numbers").but(
            f"{lines:,} classes × {shape[0]:,} columns have more",
            "Class labels and category codes must be 0, 1, 2, … without large gaps.",
        )
    return np.zeros((lines, *shape))


def _lines(groups: Groups) -> int:
    return 1 if groups.classes is None else groups.classes


def _groups(groups: Groups) -> tuple[Integers, Array, Array]:
    return groups.code, groups.share, groups.weight


def _rule(allowed: Allowed) -> _native.Rule:
    return _native.Rule(allowed.least, allowed.most, allowed.whole_numbers)


def entries(matrix: Any) -> tuple[Any, Any, Any]:
    """Return values, indices and row starts, contiguous, with one index type; if it is int64, values are float64."""
    wide = np.int64 in (matrix.indices.dtype, matrix.indptr.dtype)
    kind, values = np.int64 if wide else np.int32, matrix.data.astype(np.float64, copy=False) if wide else matrix.data
    parts = (values, matrix.indices.astype(kind, copy=False), matrix.indptr.astype(kind, copy=False))
    value, index, start = (np.require(part, requirements=["C", "A"]) for part in parts)
    return value, index, start


def _fields(out: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Return the fields of a table's cells, read-only; a single field is not copied."""
    parts = [np.ascontiguousarray(out[..., k]) for k in range(out.shape[-1])]
    out.setflags(write=False)
    for part in parts:
        part.setflags(write=False)
    return tuple(part.reshape(shape) for part in parts)
