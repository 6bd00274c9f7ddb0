"""Name the types of arrays inside the library, and of what users pass; no behaviour."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Array",
    "ArrayLike",
    "Booleans",
    "DataLike",
    "Dataframe",
    "Floats",
    "GroupsLike",
    "Integers",
    "Interval",
    "JournalKey",
    "Label",
    "LabelArray",
    "LabelsLike",
    "Matrix",
    "MatrixLike",
    "Names",
    "Rng",
    "RowLike",
    "Size",
    "SparseMatrix",
    "TableLike",
    "Text",
    "TextsLike",
    "WeightsLike",
    "Words32",
]  # fmt: skip

Array: TypeAlias = NDArray[np.float64]
"""Floating-point numbers, of any shape."""

Booleans: TypeAlias = NDArray[np.bool_]
"""True or False, of any shape."""

Integers: TypeAlias = NDArray[np.int64]
"""Codes, sizes and offsets: always 64 bits."""

LabelArray: TypeAlias = NDArray[Any]
"""Labels, or classes: words or numbers, as the user has them."""

Floats: TypeAlias = Any
"""A float, or an array of one per member of a batch: the shape of the parameters decides, which no type expresses."""

Interval: TypeAlias = tuple[Floats, Floats]
"""Lower and upper end."""

Matrix: TypeAlias = Any
"""Rows of data: nested lists, a numpy array or a scipy.sparse matrix."""

Rng: TypeAlias = np.random.Generator | int | None
"""A generator, a seed, or None for fresh entropy."""

Size: TypeAlias = int | tuple[int, ...] | None
"""Number of draws, or their shape; None or () for a single one."""

Words32: TypeAlias = NDArray[np.uint32]
"""Code points, with flags."""

# what users pass ------------------------------------------------------------------------------------------------------


class SparseMatrix(Protocol):
    """A matrix of scipy.sparse, of any format."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    @property
    def nnz(self) -> int:
        """Number of stored entries."""

    @property
    def data(self) -> NDArray[Any]:
        """Stored entries."""

    def tocsr(self) -> Any:
        """Return the matrix in CSR format."""


class Dataframe(Protocol):
    """A dataframe of pandas, polars (lazy too) or pyarrow, or any other object with columns by name."""

    @property
    def columns(self) -> Iterable[Any]:
        """The columns, or their names."""

    def __getitem__(self, name: Any, /) -> Any: ...


MatrixLike: TypeAlias = ArrayLike | SparseMatrix | Dataframe
"""Rows of numbers or categories: nested lists, an array, a sparse matrix, a dataframe."""

Text: TypeAlias = str | bytes | Sequence[str]
"""A document, or a list of words for a custom tokenizer."""

TextsLike: TypeAlias = Iterable[Text]
"""Documents: a list, an array, a column or a stream of texts."""

ColumnLike: TypeAlias = ArrayLike | Sequence[object]
"""Values of a column, None where one is missing."""

TableLike: TypeAlias = MatrixLike | Mapping[Any, ColumnLike] | Sequence[Sequence[object]]
"""Columns of any kinds: a dataframe, a dict of columns, lists of rows, an array, a sparse matrix."""

DataLike: TypeAlias = TextsLike | TableLike
"""Rows as the classifier reads them: a matrix, texts, or a table."""

RowLike: TypeAlias = DataLike | Mapping[Any, ColumnLike | None] | Sequence[object]
"""One row, or one text: a list, an array, a dict of values, a row of a dataframe; or data with a single row."""

Names: TypeAlias = Sequence[str] | NDArray[Any]
"""Names of features."""

Label: TypeAlias = str | bytes | float | np.generic
"""The name of a class: a word or a number."""

LabelsLike: TypeAlias = ArrayLike | Sequence[Label | None]
"""A label for each row; or the name of the column of labels, if rows are a table."""

WeightsLike: TypeAlias = ArrayLike | None
"""Weight of each row; None for weights of 1."""

GroupsLike: TypeAlias = ArrayLike | Sequence[Label] | None
"""A name or a number for each row, equal for rows of one group; None if each row is its own group."""

JournalKey: TypeAlias = bool | str | bytes | None
"""Whether to keep a journal of rows, or its key; None to keep the previous setting."""
