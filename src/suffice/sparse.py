"""Validate sparse matrices from outside: scipy trusts their indices, and writes where they point."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.errors import ShapeError

__all__ = ["sound"]


def sound(matrix: Any, name: str) -> Any:
    """Return the sparse matrix if every entry lies inside its shape; call this before scipy converts the matrix."""
    if matrix.format in ("csr", "csc", "bsr"):
        _check_lines(matrix, name)
    elif matrix.format == "coo":
        for places, size in zip(matrix.coords, matrix.shape, strict=True):
            if len(places) != len(matrix.data) or not _inside(places, size):
                raise _outside(name)
    elif matrix.format == "dia" and (matrix.data.ndim != 2 or len(matrix.offsets) != len(matrix.data)):
        raise ShapeError(f"The sparse matrix '{name}'", "have one diagonal per offset").but(
            f"got {len(matrix.offsets)}"
        )
    elif matrix.format == "lil":
        for columns in matrix.rows:
            if columns and not 0 <= min(columns) <= max(columns) < matrix.shape[-1]:
                raise _outside(name)
    return matrix


def _check_lines(matrix: Any, name: str) -> None:
    """Check a format that stores entries line by line: rows, columns, or rows of blocks."""
    shape = matrix.shape if len(matrix.shape) == 2 else (1, *matrix.shape)
    if matrix.format == "bsr":
        shape = tuple(size // block for size, block in zip(shape, matrix.data.shape[1:], strict=True))
    lines, width = shape[::-1] if matrix.format == "csc" else shape
    start, entries = matrix.indptr, min(len(matrix.indices), len(matrix.data))
    if len(start) != lines + 1 or start[0] != 0 or (np.diff(start) < 0).any() or start[-1] > entries:
        raise ShapeError(
            f"The sparse matrix '{name}'", "have an indptr that increases from 0 to its number of entries at most"
        )
    if not _inside(matrix.indices[: start[-1]], width):
        raise _outside(name)


def _inside(places: Any, size: int) -> bool:
    """Return whether all places are from 0 to size − 1; read as unsigned, negative ones are huge."""
    return not len(places) or int(places.view(f"u{places.dtype.itemsize}").max()) < size


def _outside(name: str) -> ShapeError:
    return ShapeError(f"The sparse matrix '{name}'", "not have an index outside its own shape")
