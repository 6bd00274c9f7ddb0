"""Read the X windows documents: the presence of 600 words in 1,800 posts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import io, sparse

from suffice.datasets.paths import AnyPath, check_subset, find
from suffice.errors import DataError
from suffice.notebook import card, table
from suffice.telling import counted

__all__ = ["Bags", "read_xwindows"]

FILE = "XwindowsDocData.mat"
KEYS = ("xtrain", "ytrain", "xtest", "ytest", "vocab")
LABELS = np.array(["X windows", "MS windows"], dtype=object)


@dataclass(frozen=True, repr=False, eq=False)
class Bags:
    """Documents as bags of words: a sparse matrix with a label per row and a word per column.

    >>> Bags(sparse.csr_array([[1, 0], [1, 1]]), np.array(["a", "b"]), ["tea", "rum"])
    Bags(2 documents, 2 words, 2 labels)
    """

    X: Any
    y: NDArray[Any]
    words: list[str]

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        sizes = (len(self), "document"), (len(self.words), "word"), (len(set(self.y)), "label")
        return f"Bags({', '.join(counted(*one) for one in sizes)})"

    def _repr_html_(self) -> str:
        labels, rows = np.unique(self.y, return_counts=True)
        return card(self, lambda: [table(["label", "documents"], [*zip(map(str, labels), rows.tolist(), strict=True)])])


def read_xwindows(path: AnyPath, subset: str = "train") -> Bags:
    """Read posts labelled `X windows` or `MS windows`, as 0/1 for 600 words (Murphy's XwindowsDocData.mat).

    `path` is the file, or its folder.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "XwindowsDocData.mat"
    >>> words = np.array([["motif"], ["dos"]], dtype=object)
    >>> X = sparse.csc_array([[1.0, 0.0]])
    >>> io.savemat(path, {"xtrain": X, "ytrain": [[1]], "xtest": X, "ytest": [[2]], "vocab": words})
    >>> read_xwindows(path, "all").y
    array(['X windows', 'MS windows'], dtype=object)
    """
    check_subset(subset, "read_xwindows")
    file = find(path, [FILE], "read_xwindows")
    try:
        data = io.loadmat(file)
    except Exception as error:  # scipy raises many types for other files
        raise DataError(f"read_xwindows expects {file.name} to be a MATLAB file; got {error}.") from None
    absent = [key for key in KEYS if key not in data]
    if absent:
        raise DataError(f"read_xwindows expects {', '.join(KEYS)} in {file.name}; {absent[0]} is missing.")
    parts = ["train", "test"] if subset == "all" else [subset]
    X = sparse.vstack([sparse.csr_array(data[f"x{part}"]) for part in parts], format="csr")
    y = np.concatenate([data[f"y{part}"].ravel() for part in parts]).astype(np.int64)
    return Bags(X, LABELS[y - 1], [str(np.ravel(word)[0]) for word in data["vocab"].ravel()])
