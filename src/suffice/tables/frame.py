"""Present a table of any library, an array or a sparse matrix as columns that are read at first use.

Answers go back as a dataframe of the user's library, with columns in the types they were read in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import DataError, KindError, ShapeError
from suffice.later import issparse, nw, pa
from suffice.sparse import sound
from suffice.tables.column import Column, Name, mask, one
from suffice.tables.series import is_series, of_numpy, of_series
from suffice.typing import Booleans, Integers

_SHOWN = 5  # names that an error lists


class Table:
    """Columns by name; each is converted at first use, so an unused one costs nothing and cannot fail.

    >>> table = Table.read({"age": [31, None], "city": ["Rome", "Oslo"]})
    >>> table.names, len(table), table["age"].n_missing
    (['age', 'city'], 2, 1)
    """

    def __init__(
        self,
        names: Sequence[Name],
        rows: int,
        fetch: Callable[[Name], Column],
        named: bool = True,
        backend: str | None = None,
    ) -> None:
        self.names, self.named, self.backend = list(names), named, backend
        self._rows, self._fetch = rows, fetch
        self._known, self._columns = frozenset(self.names), dict[Name, Column]()

    @classmethod
    def read(cls, frame: Any, name: str = "X") -> Table:
        """Read a dataframe, an Arrow table, a dict of columns, a 2-D array, a list of rows or a sparse matrix."""
        frame = nw.to_native(frame, pass_through=True)
        if isinstance(frame, Table):
            return frame
        if issparse(frame):  # asked first: before scipy 1.15, a matrix of keys is a dict
            return _of_sparse(sound(frame, name), name)
        if isinstance(frame, dict):
            return _of_dict(frame, name)
        if isinstance(frame, np.ndarray):
            return _of_array(frame, name)
        if isinstance(frame, list | tuple):
            return _of_lists(frame, name)
        if hasattr(frame, "__array__") and not hasattr(frame, "columns") and not is_series(frame):
            return _of_array(np.asarray(frame), name)  # tensors and the like
        return _of_frame(frame, name)

    def __len__(self) -> int:
        return self._rows

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __getitem__(self, name: Name) -> Column:
        if name not in self._columns:
            self._must_have([name])
            self._columns[name] = self._fetch(name)
        return self._columns[name]

    def part(self, block: slice) -> Table:
        """Return a range of the rows, without copying values; a column is converted once for all parts."""
        rows = len(range(len(self))[block])
        return Table(self.names, rows, lambda name: self[name].part(block), self.named, self.backend)

    def take(self, keep: Booleans) -> Table:
        """Return the rows where `keep` is True."""
        keep = mask(keep, len(self))
        rows = int(keep.sum())
        return Table(self.names, rows, lambda name: self[name].take(keep), self.named, self.backend)

    def only(self, names: Iterable[Name]) -> Table:
        """Return a subset of the columns, in the order of `names`."""
        names = list(names)
        self._must_have(names)
        return Table(names, len(self), self.__getitem__, self.named, self.backend)

    def without(self, names: Iterable[Name]) -> Table:
        """Return all columns except the given ones."""
        dropped = list(names)
        self._must_have(dropped)
        return self.only(name for name in self.names if name not in set(dropped))

    def renamed(self, names: Sequence[Name]) -> Table:
        """Return the columns in their order, under other names."""
        if list(names) == self.names:
            return self
        old = dict(zip(names, self.names, strict=True))
        return Table(names, len(self), lambda name: replace(self[old[name]], name=name), self.named, self.backend)

    def _must_have(self, names: Sequence[Name]) -> None:
        for name in names:
            if name not in self._known:
                shown = ", ".join(map(repr, self.names[:_SHOWN])) + (", …" if self.width > _SHOWN else "")
                raise DataError(f"The table has no column {name!r}; its columns are {shown or 'none'}.")


def _names(labels: Iterable[Any], name: str) -> list[Name]:
    """Return distinct names: strings and whole numbers unchanged, everything else converted to strings."""
    names: list[Name] = []
    for label in labels:
        integral = isinstance(label, int | np.integer) and not isinstance(label, bool)
        names.append(int(label) if integral else str(label))
    twice = next((label for label, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise DataError(name, "have columns of distinct names").but(f"got {twice!r} twice")
    return names


def _of_frame(frame: Any, name: str) -> Table:
    frame, backend = _eager(frame, name)
    names = _names(frame.column_names if backend == "pyarrow" else frame.columns, name)
    places = {label: place for place, label in enumerate(names)}
    read: dict[str | None, Callable[[int], Any]] = {
        "pandas": lambda place: frame.iloc[:, place],
        "polars": lambda place: frame.to_series(place),
        "pyarrow": lambda place: frame.column(place),
        None: lambda place: frame[:, place].to_native(),
    }
    column = read[backend]
    return Table(names, frame.shape[0], lambda label: of_series(label, column(places[label])), True, backend)


def _eager(frame: Any, name: str) -> tuple[Any, str | None]:
    """Return a dataframe in memory and its library; for other libraries, a narwhals dataframe and None."""
    known = nw.dependencies
    if known.is_pandas_dataframe(frame):
        return frame, "pandas"
    if known.is_polars_dataframe(frame) or known.is_polars_lazyframe(frame):
        return (frame.collect() if known.is_polars_lazyframe(frame) else frame), "polars"
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return frame, "pyarrow"
    given = nw.from_native(frame, pass_through=True)
    if isinstance(given, nw.LazyFrame):
        return _eager(given.collect().to_native(), name)
    if isinstance(given, nw.DataFrame):
        return given, None
    if hasattr(frame, "__arrow_c_stream__") and not is_series(frame):
        with suppress(pa.ArrowException, TypeError, ValueError):
            return pa.table(frame), "pyarrow"
    raise _not_a_table(frame, name)


def _not_a_table(got: Any, name: str) -> KindError:
    hint = ""
    if nw.dependencies.is_pandas_series(got) or nw.dependencies.is_polars_series(got):
        hint = f" (as one column, {name}.to_frame(); as one row of a table, table.iloc[[i]] or table[[i]])"
    return KindError(name, "be a table, such as a DataFrame, an Arrow table, a dict of columns or a 2-D array").but(
        f"got {one(type(got).__name__)}{hint}"
    )


def _of_dict(columns: dict[Any, Any], name: str) -> Table:
    names = _names(columns, name)
    natives = (nw.to_native(source, pass_through=True) for source in columns.values())
    sources: dict[Name, Any] = dict(zip(names, natives, strict=True))
    for label, source in sources.items():
        if not isinstance(source, np.ndarray | list | tuple | range) and not is_series(source):
            raise KindError(name, f"hold a list, an array or a Series under {label!r}").but(
                f"got {one(type(source).__name__)}"
            )
        if isinstance(source, np.ndarray) and source.ndim != 1:
            raise ShapeError(name, f"hold one value per row under {label!r}").but(f"got shape {source.shape}")
    sizes = {label: len(source) for label, source in sources.items()}
    for label, size in sizes.items():
        if size != sizes[names[0]]:
            raise ShapeError(name, "hold columns of equal length").but(
                f"got {names[0]!r} of {sizes[names[0]]} and {label!r} of {size}"
            )
    return Table(names, sizes[names[0]] if names else 0, lambda label: of_series(label, sources[label]))


def _one_row_each(name: str, got: str) -> ShapeError:
    return ShapeError(name, "hold one row per example, such as a 2-D array").but(
        f"got {got} (Reshape your data: reshape(1, -1) makes it one row, reshape(-1, 1) one column)"
    )


def _of_array(array: Any, name: str) -> Table:
    if array.ndim == 1:
        raise _one_row_each(name, f"one dimension of {len(array)} values")
    if array.ndim != 2:
        raise ShapeError(name, "have rows and columns").but(f"got an array of shape {array.shape}")
    array = np.asarray(array) if isinstance(array, np.matrix) else array
    return Table(range(array.shape[1]), len(array), lambda place: of_numpy(place, array[:, place]), False)


def _of_lists(rows: Sequence[Any], name: str) -> Table:
    for place, row in enumerate(rows):
        if isinstance(row, dict | str | bytes) or not hasattr(row, "__len__"):
            if isinstance(row, dict):
                raise KindError(name, "be a dict of columns rather than a list of dicts").but(
                    "pandas.DataFrame(rows) makes a table of such a list"
                )
            raise _one_row_each(name, f"a list of {type(row).__name__}")
        if len(row) != len(rows[0]):
            raise ShapeError(name, "hold rows of equal length").but(
                f"got {len(rows[0])} values in row 0 and {len(row)} in row {place}"
            )
    width = len(rows[0]) if rows else 0
    return Table(range(width), len(rows), lambda place: of_series(place, [row[place] for row in rows]), False)


def _of_sparse(matrix: Any, name: str) -> Table:
    if matrix.ndim != 2:
        raise _one_row_each(name, f"a sparse array of shape {matrix.shape}")
    by_column: list[Any] = []

    def column(place: Any) -> Column:
        if not by_column:
            by_column.append(matrix.tocsc())
        return of_numpy(place, by_column[0][:, [place]].toarray().ravel())

    return Table(range(matrix.shape[1]), matrix.shape[0], column, False)


_BACKENDS = ("pandas", "polars", "pyarrow")  # in order of preference; the last is always there


def frame_of(columns: dict[str, Any], backend: str | None = None) -> Any:
    """Return a dataframe of the backend, by default the first that can be imported: pandas, polars, pyarrow.

    >>> frame_of({"word": ["a", "b"], "times": [3, 1]}, "pyarrow").column_names
    ['word', 'times']
    """
    if backend not in (None, *_BACKENDS):
        raise KindError("backend", "be 'pandas', 'polars', 'pyarrow' or None", got=backend)
    for package in () if backend else _BACKENDS:
        with suppress(ImportError):
            import_module(package)
            backend = package
            break
    chosen: Any = backend
    return nw.from_dict(columns, backend=chosen).to_native()


def as_counted(values: NDArray[Any], counted: Any) -> NDArray[Any]:
    """Return numbers as integers where all those that were counted are whole; anything else as it is.

    >>> as_counted(np.array([1.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    array([1, 3])
    """
    if not isinstance(counted, np.ndarray) or counted.dtype.kind != "f" or values.dtype.kind != "f":
        return values
    return values.astype(np.int64) if ((np.abs(counted) < 2.0**53) & (counted % 1 == 0)).all() else values


def by_value(codes: Integers, categories: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the categories that codes stand for, column by column."""
    both = zip(map(np.asarray, categories), codes.T, strict=True)
    return [as_counted(known[column], known) for known, column in both]


def side_by_side(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return columns as one array: of objects, where they are not all numbers or all words."""
    if len({"number" if column.dtype.kind in "iuf" else column.dtype.kind for column in columns}) == 1:
        return np.column_stack(columns)
    return np.column_stack([column.astype(object) for column in columns])
