"""Show sufficient statistics in notebooks: their arrays as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.notebook import MOST, line, table

COLUMNS = 8
"""Columns of a matrix that are shown."""


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
    if not t.hash_bits:  # without making strings of all
        data, offset = t.words.taken(order)
        names = [data[a:b].tobytes().decode("utf-8", "replace") for a, b in pairwise(offset.tolist())]
    head = ["word", "texts", "times", *(f"in class {c}" for c in range(classes))]
    lines = zip(names, t.document_frequency[order].tolist(), t.frequency[order].tolist(), *counts.tolist(), strict=True)
    yield table(head, lines, t.width)
