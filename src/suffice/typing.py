"""Names for the arrays that travel through the library; no behaviour."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Array", "ArrayLike", "Booleans", "Floats", "Integers", "Interval", "Matrix", "Rng", "Size", "Words32"]

Array: TypeAlias = NDArray[np.float64]
"""Floating-point numbers, of any shape."""

Booleans: TypeAlias = NDArray[np.bool_]
"""Yes or no, of any shape."""

Integers: TypeAlias = NDArray[np.int64]
"""Codes, sizes and offsets: always 64 bits."""

Floats: TypeAlias = Any
"""A float, or an array of one per member of a batch: the parameters' shape decides, which no type can tell."""

Interval: TypeAlias = tuple[Floats, Floats]
"""Lower and upper end."""

Matrix: TypeAlias = Any
"""Rows of data: nested lists, a numpy array or a scipy.sparse matrix."""

Rng: TypeAlias = np.random.Generator | int | None
"""A generator, a seed, or None for fresh randomness."""

Size: TypeAlias = int | tuple[int, ...] | None
"""How many draws, as a number or a shape; None or () for a single one."""

Words32: TypeAlias = NDArray[np.uint32]
"""Code points and what is known of them."""
