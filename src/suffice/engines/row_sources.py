"""A batch of rows as it comes, and as an Arrow table: a dataframe of pandas, records of Python, or Arrow itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.later import issparse, pa
from suffice.sparse import sound

__all__ = ["PAIR", "Arrow", "FileRows", "Frame", "Matrix", "Records", "Source"]

PAIR = ("x", "y")
"""Names of columns that have none: of a pair, or of an array of rows and one of labels."""


class Source(ABC):
    """Rows that can be cut, and read."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, places: Any) -> Source:
        """Return a subset of the rows."""

    @abstractmethod
    def table(self, names: Sequence[str]) -> Any:
        """Return a subset of the columns; raise ValueError or TypeError if a value does not fit its column."""

    def part(self, start: int, stop: int) -> Source:
        """Return rows one after the other."""
        return self.take(np.arange(start, stop))

    def without(self, places: Sequence[int]) -> Source:
        """Return all rows but the given ones."""
        return self.take(np.delete(np.arange(len(self)), places))


@dataclass(frozen=True)
class Arrow(Source):
    """A table of Arrow."""

    rows: Any

    def __len__(self) -> int:
        return int(self.rows.num_rows)

    def take(self, places: Any) -> Source:
        """Return a subset of the rows."""
        return Arrow(self.rows.take(pa.array(places)))

    def table(self, names: Sequence[str]) -> Any:
        """Return a subset of the columns."""
        return self.rows.select(list(names))


@dataclass(frozen=True)
class FileRows(Source):
    """A table of Arrow, one of several files, which may lack columns that others have."""

    rows: Any

    def __len__(self) -> int:
        return int(self.rows.num_rows)

    def take(self, places: Any) -> Source:
        """Return a subset of the rows."""
        return FileRows(self.rows.take(pa.array(places)))

    def table(self, names: Sequence[str]) -> Any:
        """Return those of the columns that there are."""
        return self.rows.select([name for name in names if name in self.rows.column_names])


@dataclass(frozen=True)
class Frame(Source):
    """A dataframe of pandas."""

    rows: Any

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: Any) -> Source:
        """Return a subset of the rows."""
        return Frame(self.rows.iloc[places])

    def table(self, names: Sequence[str]) -> Any:
        """Return a subset of the columns."""
        return pa.Table.from_pandas(self.rows[list(names)], preserve_index=False)


@dataclass(frozen=True)
class Records(Source):
    """Dicts, or pairs of features and a label; columns have the types that all parts agreed on, if any is known."""

    rows: Sequence[Any]
    schema: Any

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: Any) -> Source:
        """Return a subset of the rows."""
        return Records([self.rows[place] for place in places], self.schema)

    def table(self, names: Sequence[str]) -> Any:
        """Return a subset of the columns."""
        records = [_record(row, self.schema) for row in self.rows]
        types = {name: self.schema.field(name).type for name in names}
        return pa.table({name: _typed([row.get(name) for row in records], kind) for name, kind in types.items()})


@dataclass(frozen=True)
class Matrix(Source):
    """Rows of an array, which may be sparse, and labels, if there are any."""

    rows: Any
    labels: Any = None

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def take(self, places: Any) -> Source:
        """Return a subset of the rows."""
        return Matrix(self.rows[places], None if self.labels is None else self.labels[places])

    def table(self, names: Sequence[str]) -> Any:
        """Return a subset of the columns."""
        columns = {PAIR[0]: _as_column(self.rows)}
        if self.labels is not None:
            columns[PAIR[1]] = pa.array(np.asarray(self.labels))
        return pa.table(columns).select(list(names))


def _as_column(X: Any) -> Any:
    """Return a matrix as a column of lists; a sparse one as a column of vectors as Spark writes them."""
    if not hasattr(X, "tocsr"):
        X = np.ascontiguousarray(X)
        return pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])
    X = (sound(X, "data") if issparse(X) else X).tocsr()
    offsets = pa.array(X.indptr.astype(np.int32))
    lists = [pa.ListArray.from_arrays(offsets, pa.array(part)) for part in (X.indices.astype(np.int32), X.data)]
    kinds, sizes = pa.array(np.zeros(X.shape[0], np.int8)), pa.array(np.full(X.shape[0], X.shape[1], np.int32))
    return pa.StructArray.from_arrays([kinds, sizes, *lists], ["type", "size", "indices", "values"])


def _typed(values: list[Any], kind: Any) -> Any:
    """Return a column of a type, or of its own, where none was known."""
    return pa.array(values, None if pa.types.is_null(kind) else kind)


def _record(row: Any, schema: Any) -> dict[str, Any]:
    if isinstance(row, dict):
        return row
    if not isinstance(row, tuple | list) or len(row) != len(schema):
        raise TypeError(f"a record must be a dict or have {len(schema)} values; got a {type(row).__name__}")
    return dict(zip(schema.names, row, strict=True))
