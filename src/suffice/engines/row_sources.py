"""Batches of rows in their own form, and as Arrow tables: pandas, Python records, arrays, or Arrow itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.later import issparse, pa
from suffice.sparse import sound

PAIR = ("x", "y")
"""Names for the two columns of a pair, or of an array of rows and its labels."""


class Source(ABC):
    """A batch of rows that can be subset and read."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, places: Any) -> Source:
        """Return a subset of the rows."""

    @abstractmethod
    def table(self, names: Sequence[str]) -> Any:
        """Return a subset of the columns; raise ValueError or TypeError if a value does not fit its column."""

    def part(self, start: int, stop: int) -> Source:
        """Return a range of rows."""
        return self.take(np.arange(start, stop))

    def without(self, places: Sequence[int]) -> Source:
        """Return all rows but the given ones."""
        return self.take(np.delete(np.arange(len(self)), places))


@dataclass(frozen=True)
class Arrow(Source):
    """An Arrow table; one from a file may lack columns of other files."""

    rows: Any
    of_file: bool = False

    def __len__(self) -> int:
        return int(self.rows.num_rows)

    def take(self, places: Any) -> Source:
        """Return a subset of the rows."""
        return Arrow(self.rows.take(pa.array(places)), self.of_file)

    def table(self, names: Sequence[str]) -> Any:
        """Return a subset of the columns."""
        return self.rows.select([name for name in names if not self.of_file or name in self.rows.column_names])


@dataclass(frozen=True)
class Frame(Source):
    """A pandas DataFrame."""

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
    """Dicts, or pairs of features and a label, with the column types that all parts share, where known."""

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
        columns = {}
        for name in names:
            kind = self.schema.field(name).type  # null if it is to be inferred
            values = [row.get(name) for row in records]
            columns[name] = pa.array(values, None if pa.types.is_null(kind) else kind)
        return pa.table(columns)


@dataclass(frozen=True)
class Matrix(Source):
    """The rows of an array, which may be sparse, with their labels, if any."""

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
    """Return a dense matrix as a column of lists, and a sparse one as a column of Spark vectors."""
    if not hasattr(X, "tocsr"):
        X = np.ascontiguousarray(X)
        return pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])
    X = (sound(X, "data") if issparse(X) else X).tocsr()
    offsets = pa.array(X.indptr.astype(np.int32))
    lists = [pa.ListArray.from_arrays(offsets, pa.array(part)) for part in (X.indices.astype(np.int32), X.data)]
    kinds, sizes = pa.array(np.zeros(X.shape[0], np.int8)), pa.array(np.full(X.shape[0], X.shape[1], np.int32))
    return pa.StructArray.from_arrays([kinds, sizes, *lists], ["type", "size", "indices", "values"])


def _record(row: Any, schema: Any) -> dict[str, Any]:
    if isinstance(row, dict):
        return row
    if not isinstance(row, tuple | list) or len(row) != len(schema):
        raise TypeError(f"a record must be a dict or have {len(schema)} values; got a {type(row).__name__}")
    return dict(zip(schema.names, row, strict=True))
