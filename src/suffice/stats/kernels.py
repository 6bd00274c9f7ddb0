"""The only door to the compiled kernels that count."""

from typing import Any, Literal

import numpy as np

from suffice import _native
from suffice.parallel import thread_count
from suffice.stats.inputs import CODE, Allowed, Groups, Rows
from suffice.typing import Array, Integers

__all__ = ["categories", "full_moments", "table", "weights"]

FIELDS = {"sums": 1, "poisson_sums": 2, "largest": 1, "moments": 5}

ROWS_AT_ONCE = 65536
"""Rows copied at a time where a kernel needs them dense and in order."""


def table(
    kernel: Literal["sums", "poisson_sums", "largest", "moments"],
    rows: Rows,
    groups: Groups,
    allowed: Allowed,
) -> tuple[Array, ...]:
    """The kernel's fields, each of shape classes × row."""
    matrix = rows.matrix
    out = np.zeros((_lines(groups), matrix.shape[1], FIELDS[kernel]))
    run: Any = getattr(_native, kernel)
    data = (matrix.data, *_indices(matrix), len(rows), matrix.format == "csc") if rows.is_sparse else (matrix,)
    if not run(out, *data, *_groups(groups), _rule(allowed), thread_count()):
        rows.complain(allowed)
    return _fields(out, groups.axes + rows.shape)


def categories(rows: Rows, groups: Groups, sizes: Integers) -> Array:
    """Counts of each category of each column, side by side: classes × Σ sizes."""
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    out = np.zeros((_lines(groups), int(offsets[-1]), 1))
    native = (out, rows.matrix, offsets, *_groups(groups), _rule(CODE), thread_count())
    if not _native.category_sums(*native):
        rows.complain(CODE)
    return _fields(out, (*groups.axes, int(offsets[-1])))[0]


def weights(groups: Groups, rank: int) -> Array:
    """The weight of each class's rows, with `rank` axes of length one to stand for the row."""
    ones = Rows(np.broadcast_to(np.uint8(1), (groups.rows, 1)), (1,), "data")
    (total,) = table("sums", ones, groups, Allowed(0, 1, True, "ones"))
    return total.reshape(groups.axes + (1,) * rank)


def full_moments(rows: Rows, groups: Groups, allowed: Allowed) -> tuple[Array, Array, Array, Array, Array]:
    """Weight, mean (two parts) and scatter matrix (two parts) of each class, of at most ROWS_AT_ONCE rows."""
    d = rows.matrix.shape[1]
    dense = rows.matrix.toarray() if rows.is_sparse else rows.matrix
    data = np.ascontiguousarray(dense, np.float64)
    n, mean, scatter = (np.zeros((_lines(groups), *shape)) for shape in ((1, 1), (d, 2), (d, d, 2)))
    if not _native.full_moments(n, mean, scatter, data, *_groups(groups), _rule(allowed), thread_count()):
        rows.complain(allowed)
    (weight,) = _fields(n, (*groups.axes, 1))
    return weight, *_fields(mean, (*groups.axes, d)), *_fields(scatter, (*groups.axes, d, d))  # type: ignore[return-value]


def _lines(groups: Groups) -> int:
    return 1 if groups.classes is None else groups.classes


def _groups(groups: Groups) -> tuple[Integers, Array, Array]:
    return groups.code, groups.share, groups.weight


def _rule(allowed: Allowed) -> _native.Rule:
    return _native.Rule(allowed.least, allowed.most, allowed.whole)


def _indices(matrix: Any) -> tuple[Any, Any]:
    kind = np.int64 if np.int64 in (matrix.indices.dtype, matrix.indptr.dtype) else np.int32
    return matrix.indices.astype(kind, copy=False), matrix.indptr.astype(kind, copy=False)


def _fields(out: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    parts = tuple(np.ascontiguousarray(out[..., k]).reshape(shape) for k in range(out.shape[-1]))
    for part in parts:
        part.setflags(write=False)
    return parts
