"""Build sparse matrices of documents × words, for methods that need them."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice import _native
from suffice.later import sparse
from suffice.text.documents import Batch
from suffice.text.tokenization import Analysis
from suffice.text.word_list import WordList

__all__ = ["learn", "look_up", "matrix"]


def learn(texts: Any, analysis: Analysis, name: str = "raw_documents") -> tuple[WordList, Any]:
    """Return the sorted vocabulary of the documents, and the count of each word in each document."""
    words = WordList.of([])
    parts: list[Any] = []
    for batch in analysis.batches(texts, name):
        entries, data, offset = _native.learn(batch.texts, batch.starts, analysis.native, batch.threads)
        found = WordList(data, offset)
        words, ours, theirs = words.union(found)
        parts = [_moved(part, ours) for part in parts]
        parts.append(_moved(_csr(entries, len(batch), len(found)), theirs))
    for part in parts:
        part.resize(part.shape[0], len(words))
    return words, sparse.vstack(parts, format="csr") if parts else sparse.csr_matrix((0, len(words)))


def look_up(texts: Any, analysis: Analysis, words: WordList, name: str = "raw_documents") -> Any:
    """Return the count of each given word in each document."""
    lexicon = _native.Lexicon(words.bytes, words.offset, 0)
    parts = [matrix(batch, analysis, lexicon, len(words)) for batch in analysis.batches(texts, name)]
    return sparse.vstack(parts, format="csr") if parts else sparse.csr_matrix((0, len(words)))


def matrix(batch: Batch, analysis: Analysis, lexicon: _native.Lexicon, width: int) -> Any:
    """Return the count of each word of a prepared vocabulary in each document of a batch."""
    entries = _native.look_up(batch.texts, batch.starts, analysis.native, lexicon, batch.threads)
    return _csr(entries, len(batch), width)


def _csr(entries: Any, rows: int, width: int) -> Any:
    value, index, start = entries
    small = max(width, len(index)) < 2**31
    kind = np.int32 if small else np.int64
    out = sparse.csr_matrix((rows, width))
    out.data, out.indices, out.indptr = value, index.astype(kind), start.astype(kind)
    return out


def _moved(part: Any, place: Any) -> Any:
    """Return a matrix with its columns moved to `place`, in the same order."""
    if len(place) == part.shape[1] and (len(place) == 0 or place[-1] == len(place) - 1):
        return part
    width = int(place[-1]) + 1 if len(place) else 0
    out = sparse.csr_matrix((part.shape[0], width))
    out.data, out.indices, out.indptr = part.data, place[part.indices].astype(part.indices.dtype), part.indptr
    return out
