"""Define a column of a table: its values as they lie in memory, and which of them are missing.

Single Python values are missing, a number, a word, a date, or unusable in a table.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.errors import KindError, ShapeError
from suffice.later import pa
from suffice.telling import counted
from suffice.typing import Booleans

Sort = Literal["missing", "bool", "integer", "real", "string", "bytes", "date", "other"]

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_SORTS: tuple[tuple[Sort, Any], ...] = (
    ("string", str),
    ("bytes", bytes),
    ("bool", (bool, np.bool_)),
    ("date", _DATES),  # before numbers: numpy's durations are integers too
    ("integer", Integral),
    ("real", (Real, Decimal)),
)


def sort_of(value: Any) -> Sort:
    """Return the sort of a value by its type; only `is_missing` finds NaN."""
    kind: Any = type(value)
    return _sort_of_type(kind)


@lru_cache(maxsize=1024)
def _sort_of_type(kind: type) -> Sort:
    if kind.__name__ in ("NoneType", "NAType", "NaTType"):  # pandas is optional, so its types go by their names
        return "missing"
    if kind.__name__ == "Period":
        return "date"
    return next((sort for sort, kinds in _SORTS if issubclass(kind, kinds)), "other")


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NA or NaT."""
    if isinstance(value, float | np.floating):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return sort_of(value) == "missing"


def decoded(value: Any) -> str:
    """Return a value as a string that UTF-8 can encode."""
    if isinstance(value, bytes):
        return value.decode()
    # Arrow holds UTF-8, which has no room for half a surrogate pair
    return str(value).encode("utf-8", "backslashreplace").decode()


def is_encodable(value: object) -> bool:
    """Return whether a value is no text, or one that UTF-8 can encode: without half of a surrogate pair."""
    try:
        return not isinstance(value, str) or bool(value.encode() or True)
    except UnicodeEncodeError:
        return False


def has_surrogates(array: NDArray[np.str_]) -> bool:
    """Return whether any text of an array has half of a surrogate pair."""
    return bool(((_points(array) >> 11) == 0xD800 >> 11).any())


def is_cut(array: NDArray[np.str_]) -> bool:
    """Return whether any text of an array has NUL inside, where Arrow would cut it off."""
    points = _points(array)
    return bool(((points[:, :-1] == 0) & (points[:, 1:] != 0)).any())


def _points(array: NDArray[np.str_]) -> NDArray[np.uint32]:
    """Return the code points of texts, one line each, padded with zeros."""
    native = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("="), copy=False)
    return native.view(np.uint32).reshape(len(array), array.dtype.itemsize // 4)


def numbers(values: Sequence[Any]) -> NDArray[Any]:
    """Return whole numbers as int64, or as uint64 if only that is wide enough; other numbers as float64."""
    if all(sort_of(value) in ("bool", "integer") for value in values):
        integers = [int(value) for value in values]
        least, most = min(integers, default=0), max(integers, default=0)
        if least >= -(2**63) and most < 2**63:
            return np.array(integers, np.int64)
        if least >= 0 and most < 2**64:
            return np.array(integers, np.uint64)
    floats = np.empty(len(values))
    for at, value in enumerate(values):
        try:
            floats[at] = float(value)
        except OverflowError:  # an int of more than 1024 bits
            floats[at] = float("inf") if value > 0 else float("-inf")
    return floats


Name: TypeAlias = str | int
Storage = Literal["bool", "integer", "real", "string", "category", "date", "nothing"]


@dataclass(frozen=True, eq=False)
class Column:
    """Values of one storage type; those of missing rows are arbitrary."""

    name: Name
    storage: Storage
    values: Any  # a 1-D numpy array; string: an Arrow array of one chunk; category: codes; date and nothing: None
    missing: Booleans | None = None  # which rows have no value; None if every row has one
    labels: Any = None  # category only: the values of the codes, an object array of str or an array of numbers
    rows: int = 0  # the number of rows, needed only if `values` is None

    def __len__(self) -> int:
        return self.rows if self.values is None else len(self.values)

    def part(self, block: slice) -> Column:
        """Return a range of the rows, without copying values."""
        values = None if self.values is None else self.values[block]
        missing = None if self.missing is None else gaps(self.missing[block])
        return replace(self, values=values, missing=missing, rows=len(range(len(self))[block]))

    def take(self, keep: Booleans) -> Column:
        """Return the rows where `keep` is True."""
        keep = mask(keep, len(self))
        if self.storage == "string":
            values = self.values.take(pa.array(np.flatnonzero(keep)))
        else:
            values = None if self.values is None else self.values[keep]
        missing = None if self.missing is None else gaps(self.missing[keep])
        return replace(self, values=values, missing=missing, rows=int(keep.sum()))

    def coded(self) -> Column:
        """Return a column of strings as categories, in order of first appearance; return categories unchanged."""
        if self.storage == "category":
            return self
        if self.storage != "string":
            raise KindError(column=self.name, must="hold words to be coded").but(f"got {self.storage}")
        return self._coded

    @property
    def is_coded(self) -> bool:
        """Whether the strings of the column were coded already."""
        return "_coded" in vars(self)

    @cached_property
    def _coded(self) -> Column:
        known = self.values.dictionary_encode()
        codes = known.indices.fill_null(-1) if self.missing is not None else known.indices
        labels = known.dictionary.to_numpy(zero_copy_only=False).astype(object, copy=False)
        return Column(self.name, "category", codes.to_numpy(), self.missing, labels)

    @property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        return 0 if self.missing is None else int(self.missing.sum())

    @property
    def present(self) -> Booleans:
        """Mask of rows with a value."""
        return np.ones(len(self), np.bool_) if self.missing is None else ~self.missing

    def infinite(self) -> bool:
        """Return whether any number is infinite."""
        return self.storage == "real" and bool(np.isinf(self.values).any())


def mask(keep: Booleans, rows: int) -> Booleans:
    """Return which rows to keep; raise ShapeError unless there is True or False for each row."""
    keep = np.asarray(keep)
    if keep.dtype != np.bool_ or keep.shape != (rows,):
        got = f"{keep.dtype} of shape {keep.shape}"
        raise ShapeError("keep", f"hold True or False for each of {counted(rows, 'row')}").but(f"got {got}")
    return keep


def gaps(missing: Booleans) -> Booleans | None:
    """Return the mask of missing rows, or None if nothing is missing."""
    return missing if missing.any() else None


def one(thing: str) -> str:
    """Return a noun with its article, for errors."""
    return f"{'an' if thing[0].lower() in 'aeio' else 'a'} {thing}"


def unusable(name: Name, got: str, row: int) -> KindError:
    """Return the error for a value that no likelihood of a column can use."""
    return KindError(column=name, row=row, must="hold numbers, words, True/False or dates").but(
        f"got {one(got)} in row {row}",
        python=f"Drop the column with columns={{{name!r}: 'drop'}}, or turn what it holds into columns.",
        shell=f"Drop the column with --drop {name!r}, or turn what it holds into columns.",
    )
