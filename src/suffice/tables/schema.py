"""Determine the kind of a column for models: the same data are of the same kind in every library."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError
from suffice.later import pa, pc
from suffice.tables.column import Column
from suffice.typing import Array, Booleans

Kind = Literal["bool", "category", "integer", "real", "text", "date", "identifier", "nothing"]

EXACT = 2.0**53  # beyond this every float is whole, so that wholeness says nothing
WORDS = 3.0  # least average number of words of a text
IDENTIFIERS = 20.0  # fewer distinct words may well be categories
SAMPLE = 50_000  # rows by which texts are distinguished from categories
_BLOCK = 2**16


def kind_of(column: Column, weights: Array | None = None) -> Kind:
    """Return the kind of the values; a row of weight k counts as k rows, and one of weight 0 as none.

    >>> from suffice.tables import Table
    >>> table = Table.read({"holes": [1.0, None, 3.0], "size": [1.5, 2.0, 3.0], "colour": ["red", "blue", "red"]})
    >>> [kind_of(table[name]) for name in table.names]
    ['integer', 'real', 'category']
    """
    present = column.present if weights is None else column.present & (np.asarray(weights) > 0)
    if not present.any():
        return "nothing"
    if column.storage == "real":
        return "integer" if _whole(column.values, present) else "real"
    if column.storage == "integer" and column.values.dtype.itemsize == 8 and not _whole(column.values, present):
        return "real"
    if column.storage == "string":
        return _kind_of_words(column, present, weights)
    return column.storage


def _whole(values: NDArray[Any], present: Booleans) -> bool:
    """Return whether all present values are whole numbers; stop at the first block with another one."""
    for start in range(0, len(values), _BLOCK):
        x = values[start : start + _BLOCK][present[start : start + _BLOCK]]
        if not ((x < EXACT) & (x > -EXACT) & (x == np.floor(x))).all():
            return False
    return True


def _kind_of_words(column: Column, present: Booleans, weights: Array | None) -> Kind:
    places = np.flatnonzero(present)
    if weights is None and len(places) > SAMPLE:  # in a sample, weight 2 would not equal two rows
        sample = places[np.arange(SAMPLE) * len(places) // SAMPLE]
        times = _times(_subset(column, sample), None)
        if _is_text(column, sample, times, None):
            return "text"
        once = times.max() < 2 and len(column.values.dictionary_encode().dictionary) == len(places)
        return "identifier" if once else "category"
    weight = None if weights is None else np.asarray(weights, np.float64)[places]
    times = _times(column if weights is None else _subset(column, places), weight)
    if _is_text(column, places, times, weight):
        return "text"
    return "identifier" if times.max() < 2 and times.sum() >= IDENTIFIERS else "category"


def _subset(column: Column, places: Any) -> Column:
    return Column(column.name, "string", column.values.take(pa.array(places)))


def _times(column: Column, weight: Array | None) -> Array:
    """Return how often each distinct value occurs."""
    coded = column.coded()
    keep = slice(None) if coded.missing is None else ~coded.missing
    return np.bincount(coded.values[keep], weight, len(coded.labels)).astype(np.float64)


def _is_text(column: Column, places: Any, times: Array, weight: Array | None) -> bool:
    """Return whether values have several words on average, and more than half of the rows are distinct."""
    if len(times) <= times.sum() / 2:
        return False
    words = 0.0
    for start in range(0, len(places), _BLOCK):  # in blocks, as the words need more room than the texts
        block = slice(start, start + _BLOCK)
        texts = pc.utf8_trim_whitespace(column.values.take(pa.array(places[block])))
        number = pc.list_value_length(pc.utf8_split_whitespace(texts)).to_numpy(zero_copy_only=False)
        number = number - (pc.binary_length(texts).to_numpy(zero_copy_only=False) == 0)  # '' is split into one ''
        words += float(number.sum() if weight is None else number @ weight[block])
    return words >= WORDS * float(times.sum())


_HOLDS = {
    "bool": "True and False",
    "category": "categories",
    "integer": "whole numbers",
    "real": "numbers",
    "text": "text",
    "identifier": "text",
    "date": "dates",
    "nothing": "nothing",
}


CONVERT = " Convert the column, e.g. with pd.to_numeric()."
"""Hint of errors for a column of text where numbers were learned or declared."""

_NOT_NUMBERS = ("bernoulli", "categorical", "text")


def holds(column: Column) -> str:
    """Return a description of what the column holds."""
    if column.storage == "string" and column.present.any():
        return "text"
    return _HOLDS[kind_of(column)]


def refuse(column: Column, declared: str, how: str = "is declared") -> None:
    """Raise DataError for a column whose values cannot be what it was declared, or learned, to be."""
    rows = np.flatnonzero(column.present)
    example = ""
    if column.values is not None and len(rows):
        value = column.values[int(rows[0])]
        if column.storage == "string":
            value = value.as_py()
        elif column.storage == "category":
            value = column.labels[value]
        example = f", e.g. {value.item() if isinstance(value, np.generic) else value!r}"
    hint = CONVERT if column.storage == "string" and declared not in _NOT_NUMBERS else ""
    said = f"Column {column.name!r} {how} {declared} but holds {holds(column)}{example}."
    raise DataError(said, column=column.name).advise(python=hint)


def numbers(column: Column) -> NDArray[Any]:
    """Return the values of a column of numbers, with zeros where they are missing; raise DataError for inf and NaN."""
    values: NDArray[Any] = column.values
    if column.values is None:
        return np.zeros(len(column))
    if values.dtype == np.bool_:
        values = values.view(np.uint8)
    if column.missing is not None:
        values = np.where(column.missing, values.dtype.type(0), values)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        error = DataError(column=column.name, row=row, must="hold finite numbers")
        raise error.but(f"got {values[row]} in row {row}", "Make it a missing value.")
    return values
