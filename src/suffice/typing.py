"""Names for the arrays that travel through the library, and for what users pass; no behaviour."""

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
"""Yes or no, of any shape."""

Integers: TypeAlias = NDArray[np.int64]
"""Codes, sizes and offsets: always 64 bits."""

LabelArray: TypeAlias = NDArray[Any]
"""Labels, or classes: words or numbers, whichever the user has."""

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

# what users pass ------------------------------------------------------------------------------------------------------


class SparseMatrix(Protocol):
    """A matrix of scipy.sparse, of any format."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    @property
    def nnz(self) -> int:
        """How many entries are stored."""

    @property
    def data(self) -> NDArray[Any]:
        """The entries."""

    def tocsr(self) -> Any:
        """Return the same row by row."""


class Dataframe(Protocol):
    """A dataframe of pandas, polars (lazy too) or pyarrow, or whatever else has columns by name."""

    @property
    def columns(self) -> Iterable[Any]:
        """The columns, or their names."""

    def __getitem__(self, name: Any, /) -> Any: ...


MatrixLike: TypeAlias = ArrayLike | SparseMatrix | Dataframe
"""Rows of numbers or categories: nested lists, an array, a sparse matrix, a dataframe."""

Text: TypeAlias = str | bytes | Sequence[str]
"""A document; a list of words, if a tokenizer of one's own takes these."""

TextsLike: TypeAlias = Iterable[Text]
"""Documents: a list, an array, a column or a stream of texts."""

ColumnLike: TypeAlias = ArrayLike | Sequence[object]
"""Values of a column, None where one is missing."""

TableLike: TypeAlias = MatrixLike | Mapping[Any, ColumnLike] | Sequence[Sequence[object]]
"""Columns of any kinds: a dataframe, a dict of columns, lists of rows, an array, a sparse matrix."""

DataLike: TypeAlias = TextsLike | TableLike
"""Rows as the classifier at hand reads them: a matrix, texts, or a table."""

RowLike: TypeAlias = DataLike | Mapping[Any, ColumnLike | None] | Sequence[object]
"""One row, or one text: a list, an array, a dict of values, a row of a dataframe; or rows, of which there is one."""

Names: TypeAlias = Sequence[str] | NDArray[Any]
"""What features are called."""

Label: TypeAlias = str | bytes | float | np.generic
"""The name of a class: a word or a number."""

LabelsLike: TypeAlias = ArrayLike | Sequence[Label | None]
"""A label for each row; or the name of the column that has them, where rows are a table."""

WeightsLike: TypeAlias = ArrayLike | None
"""What each row counts for; None for one each."""

GroupsLike: TypeAlias = ArrayLike | Sequence[Label] | None
"""A name or a number for each row, the same for rows that belong together; None if each stands alone."""

JournalKey: TypeAlias = bool | str | bytes | None
"""Whether to keep a journal of rows, or the key that it is kept under; None for what was before."""
