"""Read the content of each row: hashed to 64 bits, by which rows are sampled and ordered, and as bytes for journals.

Both are independent of the container of the rows, such as the type of an array. The bytes of two rows are equal only if
the rows are; a journal hashes them under a key (`journal.py`):

number      n, and its value as float64: 1, 1.0, True and an Arrow integer are the same
number      i, and its digits, if it is a whole number that float64 cannot represent
text        s, its length, and its UTF-8 bytes
row         of a table: name and value of each column, sorted by name, without missing values;
            of a matrix: the columns of its nonzero numbers, and these numbers; of a text: the text

The hash depends neither on the container of the rows nor on their order, nor on the order of a table's columns:

number      the bits of its float64: 1, 1.0, True and an Arrow integer are the same, and so are 0 and −0
text        a hash of its UTF-8 bytes
row         of a matrix: Σ combined(column, number) over nonzero numbers, so that dense and sparse are the same;
            of a table: Σ combined(column's name, value) over present values; of a text: the text's hash
label       a text, or a number as it is written: 1, 1.0 and "1" are the same
example     combined(label, row)
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import KindError
from suffice.later import issparse, sparse
from suffice.parallel import in_parallel
from suffice.stats.inputs import EXACT
from suffice.tables import Column, Table
from suffice.text import text_hashes
from suffice.typing import Integers

RowHashes = NDArray[np.uint64]

NUMBERS = ("bool", "integer", "real")
"""Storages of columns that hold numbers."""

AT_ONCE = 2**15
"""Numbers hashed at a time, few enough to stay in the cache."""

ENCODED_AT_ONCE = 2**20
"""Numbers of a matrix that are encoded at a time."""


def hashed(numbers: Any) -> Any:
    """Return a 64-bit hash of each number, evenly spread (splitmix64).

    >>> [f"{x:016x}" for x in hashed([0, 1]).tolist()]
    ['e220a8397b1dcdaf', '6e789e6aa1b965f4']
    """
    z = np.array(numbers, np.uint64, order="C")
    _spread(z.reshape(-1))
    return z


def _spread(z: RowHashes) -> None:
    """Hash numbers in place."""
    room = np.empty(min(AT_ONCE, len(z)), np.uint64)
    with np.errstate(over="ignore"):
        for at in range(0, len(z), AT_ONCE):
            part = z[at : at + AT_ONCE]
            shifted = room[: len(part)]
            part += np.uint64(1)
            part *= np.uint64(0x9E3779B97F4A7C15)
            part ^= np.right_shift(part, np.uint64(30), out=shifted)
            part *= np.uint64(0xBF58476D1CE4E5B9)
            part ^= np.right_shift(part, np.uint64(27), out=shifted)
            part *= np.uint64(0x94D049BB133111EB)
            part ^= np.right_shift(part, np.uint64(31), out=shifted)


def combined(first: Any, second: Any) -> RowHashes:
    """Return a hash of each pair of 64-bit numbers, in which order and equality matter: 1, 2 is not 2, 1, nor 3, 3.

    >>> len(set(combined([1, 2, 2, 3], np.array([2, 1, 2, 3], np.uint64)).tolist()))
    4
    """
    with np.errstate(over="ignore"):  # three times: the hashes of two numbers trade places in a plain sum
        pairs = np.add(3 * hashed(first), second, order="C")
    _spread(pairs.reshape(-1))
    return np.asarray(pairs)


def with_labels(rows: RowHashes, classes: NDArray[Any], codes: Integers) -> RowHashes:
    """Return the hash of each row combined with its label.

    >>> rows, codes = np.zeros(2, np.uint64), np.array([0, 1])
    >>> a, b = (with_labels(rows, np.array(classes), codes) for classes in ([1, 2], ["1", "x"]))
    >>> (a == b).tolist()
    [True, False]
    """
    labels = (int(label) if isinstance(label, float) and label.is_integer() else label for label in classes.tolist())
    return combined(text_hashes([str(label) for label in labels])[codes], rows)


def matrix_hashes(X: Any) -> RowHashes:
    """Return the hash of each row of a sparse matrix, or of an array of numbers or words.

    >>> from scipy import sparse
    >>> X = np.array([[0.0, 2.0], [3.0, 0.0]])
    >>> (matrix_hashes(X) == matrix_hashes(sparse.csr_matrix(X.astype(np.int8)))).tolist()
    [True, True]
    """
    if not issparse(X):
        return _of_dense(np.asarray(X))
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    values = np.asarray(X.data, np.float64)
    each = combined(X.indices, values.view(np.uint64))
    each[values == 0] = 0
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(each, dtype=np.uint64)])
    return np.asarray(np.diff(sums[X.indptr]))


def _of_dense(X: NDArray[Any]) -> RowHashes:
    places = np.arange(X.shape[1])
    total, step = np.empty(len(X), np.uint64), max(1, AT_ONCE // max(1, X.shape[1]))
    for at in range(0, len(X), step):
        part = X[at : at + step]
        if part.dtype.kind in "biuf":
            values = _bits(np.ascontiguousarray(part))
        else:
            every = part.ravel().tolist()
            words = np.array([not isinstance(value, Real) for value in every], bool)
            values = _bits(np.array([0.0 if word else float(value) for value, word in zip(every, words, strict=True)]))
            values[words] = text_hashes([value for value, word in zip(every, words, strict=True) if word])
            values = values.reshape(part.shape)
        each = combined(places, values)
        each *= values != 0
        total[at : at + step] = each.sum(axis=1, dtype=np.uint64)
    return total


def table_hashes(table: Table, names: Iterable[Any]) -> RowHashes:
    """Return the hash of each row over the named columns of a table, skipping columns that are absent or unreadable.

    >>> a, b = Table.read({"n": [1, 2], "w": ["x", None]}), Table.read({"w": ["x", None], "n": [1.0, 2.0]})
    >>> (table_hashes(a, "nw") == table_hashes(b, "nw")).tolist()
    [True, True]
    """
    there: list[Column] = []
    for name in names:
        if name in table:
            with suppress(KindError):
                there.append(table[name])
    total, step = np.zeros(len(table), np.uint64), max(1, AT_ONCE // max(1, len(table)))
    plain = [column for column in there if step > 1 and column.storage in NUMBERS and column.missing is None]
    parts: list[list[Column]] = [plain[at : at + step] for at in range(0, len(plain), step)]
    parts += [[column] for column in there if step == 1 or column.storage not in NUMBERS or column.missing is not None]
    for each in in_parallel(lambda part: _of_column(part[0]) if len(part) == 1 else _of_numbers(part), parts):
        if each is not None:
            total += each
    return total


def _of_numbers(columns: Sequence[Column]) -> RowHashes:
    """Return the sum of the hashes of numeric columns without missing values."""
    each = np.stack([_bits(column.values) for column in columns])
    each = combined(text_hashes([str(column.name) for column in columns])[:, None], each)
    return np.asarray(each.sum(axis=0, dtype=np.uint64))


def _of_column(column: Column) -> RowHashes | None:
    own = text_hashes([str(column.name)])
    if column.is_coded or column.storage == "category":  # each category is hashed once
        coded, labels = column.coded(), column.coded().labels
        each = _bits(labels) if labels.dtype.kind in "biuf" else text_hashes([str(label) for label in labels.tolist()])
        return np.asarray(np.append(combined(own, each), np.uint64(0))[coded.values])
    if column.storage in ("nothing", "date"):
        return None
    each = combined(own, text_hashes(column.values) if column.storage == "string" else _bits(column.values))
    if column.missing is not None:
        each[column.missing] = 0
    return each


def _bits(numbers: NDArray[Any]) -> RowHashes:
    return (np.asarray(numbers, np.float64) + 0.0).view(np.uint64)  # −0 is 0


def cell(value: Any) -> bytes:
    """Encode a value so that no encoding is a prefix of another."""
    if isinstance(value, str):
        text = value.encode("utf-8", "surrogatepass")
        return b"s" + len(text).to_bytes(8, "little") + text
    if isinstance(value, bool | np.bool_):
        value = int(value)
    if isinstance(value, Integral) and (abs(int(value)) > 2**1000 or int(float(value)) != int(value)):
        digits = str(int(value)).encode()
        return b"i" + len(digits).to_bytes(8, "little") + digits
    if isinstance(value, Real):
        return b"n" + struct.pack("<d", float(value) + 0.0)
    if isinstance(value, bytes):
        return b"b" + len(value).to_bytes(8, "little") + value
    raise KindError(f"A journal takes rows and labels of text and numbers; got a {type(value).__name__}.")


def text_row(text: Any) -> bytes:
    """Encode a document: a text, or a list of texts for a user's own tokenizer."""
    if hasattr(text, "as_py"):  # a scalar of Arrow
        text = text.as_py()
    if isinstance(text, str):
        return b"t" + text.encode("utf-8", "surrogatepass")
    if isinstance(text, list | tuple):
        return b"l" + b"".join(map(cell, text))
    return b"v" + cell(text)


def table_rows(table: Table, names: Iterable[Any]) -> Iterator[bytes]:
    """Encode the rows over the named columns of a table; a column that the table lacks is missing in every row."""
    named = sorted((cell(name), name) for name in names if name in table)
    step = max(1, ENCODED_AT_ONCE // max(1, len(named)))
    columns = [(start, table[name]) for start, name in named]
    for at in range(0, len(table), step):
        block = slice(at, min(at + step, len(table)))
        parts = [_cells(start, column.part(block)) for start, column in columns]
        yield from map(b"".join, zip(*parts, strict=True)) if parts else [b""] * (block.stop - at)


def _cells(name: bytes, column: Column) -> list[bytes]:
    """Encode a column's name and value in each row; missing values give no bytes."""
    if column.storage in ("nothing", "date"):
        return [b""] * len(column)
    if column.storage in ("string", "category"):
        coded = column.coded()
        known = [name + cell(label) for label in coded.labels.tolist()]
        known.append(b"")
        codes = coded.values if coded.missing is None else np.where(coded.missing, -1, coded.values)
        return [known[code] for code in codes.tolist()]
    values = np.asarray(column.values)
    missing = np.zeros(len(values), bool) if column.missing is None else column.missing
    if values.dtype.kind in "iu" and len(values) and max(abs(int(values.min())), abs(int(values.max()))) > EXACT:
        found = [name + cell(value) for value in values.tolist()]
    else:
        data, start = (values.astype("<f8") + 0.0).tobytes(), name + b"n"
        found = [start + data[at : at + 8] for at in range(0, len(data), 8)]
        missing = missing | (values != values)
    for row in np.flatnonzero(missing).tolist():
        found[row] = b""
    return found


def value_rows(X: NDArray[Any]) -> Iterator[bytes]:
    """Encode the rows of an array of words, or of words and numbers."""
    known: dict[Any, bytes] = {}
    for row in X.tolist():
        parts = []
        for value in row:
            pair = type(value), value
            if pair not in known:
                known[pair] = cell(value)
            parts.append(known[pair])
        yield b"".join(parts)


def matrix_rows(X: Any) -> Iterator[bytes]:
    """Encode the rows of a matrix of numbers, dense or sparse: explicit and implicit zeros are the same."""
    X = X.tocsr() if issparse(X) else X
    step = max(1, ENCODED_AT_ONCE // max(1, X.shape[1] if not issparse(X) else X.nnz // max(1, X.shape[0])))
    for at in range(0, X.shape[0], step):
        block = sparse.csr_matrix(X[at : at + step], dtype=np.float64, copy=True)
        block.sum_duplicates()
        block.eliminate_zeros()
        place, value = block.indices.astype("<i8").tobytes(), block.data.astype("<f8").tobytes()
        ends = (8 * block.indptr.astype(np.int64)).tolist()
        for begin, end in pairwise(ends):
            yield place[begin:end] + value[begin:end]
