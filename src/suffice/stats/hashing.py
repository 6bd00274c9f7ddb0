"""Encode rows as bytes, independently of their container, and hash them under a key.

number      n, and its value as float64: 1, 1.0, True and an Arrow integer are the same
number      i, and its digits, if it is a whole number that float64 cannot represent
text        s, its length, and its UTF-8 bytes
row         of a table: name and value of each column, sorted by name, without missing values;
            of a matrix: the columns of its nonzero numbers, and these numbers; of a text: the text
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import InputError, KindError, LabelError
from suffice.later import issparse, sparse
from suffice.stats.inputs import EXACT
from suffice.stats.journal import Hashes
from suffice.tables import Column, Table
from suffice.typing import JournalKey

__all__ = ["Key", "cell", "matrix_rows", "table_rows", "text_row", "value_rows"]

PERSON = b"suffice journal1"
AT_ONCE = 2**20
"""Numbers of a matrix that are encoded at a time."""


class Key:
    """The key of the hashes: empty, or a secret of its owner. It is not stored with the hashes.

    >>> from suffice.stats.hashing import Key
    >>> bool((Key("a").check == Key("b").check).all()), bool((Key("a").check == Key(b"a").check).all())
    (False, True)
    """

    def __init__(self, secret: JournalKey = None) -> None:
        if secret is not None and (not isinstance(secret, str | bytes) or not secret):
            raise InputError(
                "The argument 'journal' must be True or a key of your own, a non-empty str or bytes; got "
                f"{'an empty key' if isinstance(secret, str | bytes) else f'a {type(secret).__name__}'}."
            )
        key = b"" if secret is None else secret.encode() if isinstance(secret, str) else secret
        key = key if len(key) <= 64 else blake2b(key).digest()
        self._hash = blake2b(digest_size=16, key=key, person=PERSON)

    @property
    def check(self) -> NDArray[np.uint64]:
        """Fingerprint that distinguishes this key from others."""
        found = self._hash.copy()
        found.update(b"check")
        return _numbers([found.digest()]).ravel()

    def hashes(self, rows: Iterable[bytes], labels: Sequence[bytes]) -> Hashes:
        """Return a 128-bit hash of each row with its label, as two numbers."""
        begun: dict[bytes, Any] = {}
        found, every = [], iter(rows)
        for label, row in zip(labels, every, strict=False):
            start = begun.get(label)
            if start is None:
                start = begun[label] = self._hash.copy()
                start.update(b"row" + label)
            one = start.copy()
            one.update(row)
            found.append(one.digest())
        if len(found) != len(labels) or next(every, None) is not None:
            found_rows = "more rows" if len(found) == len(labels) else f"{len(found):,} rows"
            raise LabelError(
                f"The argument 'y' must hold one label per row; got {len(labels):,} labels for {found_rows}."
            )
        return _numbers(found)


def _numbers(digests: list[bytes]) -> Hashes:
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64).reshape(-1, 2)


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
    step = max(1, AT_ONCE // max(1, len(named)))
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
    step = max(1, AT_ONCE // max(1, X.shape[1] if not issparse(X) else X.nnz // max(1, X.shape[0])))
    for at in range(0, X.shape[0], step):
        block = sparse.csr_matrix(X[at : at + step], dtype=np.float64, copy=True)
        block.sum_duplicates()
        block.eliminate_zeros()
        place, value = block.indices.astype("<i8").tobytes(), block.data.astype("<f8").tobytes()
        ends = (8 * block.indptr.astype(np.int64)).tolist()
        for begin, end in pairwise(ends):
            yield place[begin:end] + value[begin:end]
