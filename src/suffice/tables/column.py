"""Define a column of a table: its values as they lie in memory, and which of them are missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from suffice.errors import KindError, ShapeError
from suffice.telling import counted
from suffice.typing import Booleans

__all__ = ["Column", "Name", "Storage", "gaps", "one", "unusable"]

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
        keep = np.asarray(keep)
        if keep.dtype != np.bool_ or keep.shape != (len(self),):
            got = f"{keep.dtype} of shape {keep.shape}"
            raise ShapeError(
                f"The argument 'keep' must hold True or False for each of {counted(len(self), 'row')}; got {got}."
            )
        if self.storage == "string":
            values = self.values.take(_arrow_places(keep))
        else:
            values = None if self.values is None else self.values[keep]
        missing = None if self.missing is None else gaps(self.missing[keep])
        return replace(self, values=values, missing=missing, rows=int(keep.sum()))

    def coded(self) -> Column:
        """Return a column of strings as categories, in order of first appearance; return categories unchanged."""
        if self.storage == "category":
            return self
        if self.storage != "string":
            raise KindError(f"Column {self.name!r} must hold words to be coded; got {self.storage}.")
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


def gaps(missing: Booleans) -> Booleans | None:
    """Return the mask of missing rows, or None if nothing is missing."""
    return missing if missing.any() else None


def one(thing: str) -> str:
    """Return a noun with its article, for errors."""
    return f"{'an' if thing[0].lower() in 'aeio' else 'a'} {thing}"


def unusable(name: Name, got: str, row: int) -> KindError:
    """Return the error for a value that no likelihood of a column can use."""
    return KindError(
        f"Column {name!r} must hold numbers, words, True/False or dates; got {one(got)} in row {row} "
        f"(drop the column with columns={{{name!r}: 'drop'}}, or turn what it holds into columns)."
    )


def _arrow_places(keep: Booleans) -> Any:
    import pyarrow as pa

    return pa.array(np.flatnonzero(keep))
