"""Check that the arrays of a WordCounts fit together; those of a file may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.errors import DataError, ShapeError
from suffice.stats.inputs import EXACT
from suffice.text.word_list import WordList

__all__ = ["LARGEST_HASH", "check_word_arrays"]

LARGEST_HASH = 30
"""Largest number of bits of a hashed word."""

NAMES = {
    "bytes": "u1",
    "offset": "i8",
    "n": "f8",
    "start": "i8",
    "word": "i4 i8",
    "tokens": "f8",
    "documents": "f8",
    "repeats": "i8",
    "repeat_documents": "f8",
    "lengths": "i8",
    "length_documents": "f8",
    "hash_bits": "i8",
}


def check_word_arrays(arrays: Mapping[str, Any]) -> None:
    """Raise DataError or ShapeError unless these arrays could be counts of documents."""
    if set(arrays) != set(NAMES):
        raise DataError(f"The argument 'arrays' of WordCounts must hold {sorted(NAMES)}; got {sorted(arrays)}.")
    for name, kinds in NAMES.items():
        flat, array = {"repeats": 2, "lengths": 2, "hash_bits": 0}.get(name, 1), arrays[name]
        if not isinstance(array, np.ndarray) or array.ndim != flat or array.dtype not in map(np.dtype, kinds.split()):
            raise ShapeError(
                f"'{name}' of WordCounts must be an array with ndim {flat} and dtype {' or '.join(kinds.split())}."
            )
    bits = int(arrays["hash_bits"])
    if not 0 <= bits <= LARGEST_HASH:
        raise DataError(f"'hash_bits' of WordCounts must be from 0 to {LARGEST_HASH}; got {bits}.")
    words = WordList(arrays["bytes"], arrays["offset"])
    words.check()
    if bits and len(words):
        raise DataError("'bytes' of WordCounts must be empty where words are hashed.")
    width = 1 << bits if bits else len(words)
    for name in ("n", "tokens", "documents", "repeat_documents", "length_documents"):
        _check_counts(name, arrays[name])
    _check_pairs(arrays, width)
    _check_lines("repeats", arrays, (width, int(EXACT)), least=2)
    _check_lines("lengths", arrays, (int(EXACT),), least=0)
    if len(arrays["repeats"]):
        _check_repeats(arrays, width)


def _check_counts(name: str, array: Any) -> None:
    if not array.min(initial=0.0) >= 0 or not array.max(initial=0.0) <= EXACT:  # nor is NaN
        raise DataError(f"'{name}' of WordCounts must not be negative, NaN, or above 2**53.")


def _check_pairs(arrays: Mapping[str, Any], width: int) -> None:
    """Raise unless the words of each class are valid and increase."""
    start, word = arrays["start"], arrays["word"]
    if len(start) != len(arrays["n"]) + 1 or not len(word) == len(arrays["tokens"]) == len(arrays["documents"]):
        raise ShapeError("'start' of WordCounts must have one more entry than 'n', and 'tokens' as many as 'word'.")
    if start[0] != 0 or start[-1] != len(word) or (start[1:] < start[:-1]).any():
        raise DataError("'start' of WordCounts must rise from 0 to the number of words of all classes.")
    if len(word) and (word.min() < 0 or word.max() >= width):
        raise DataError(f"'word' of WordCounts must be from 0 to {width - 1}, the last word.")
    falls = np.flatnonzero(word[1:] <= word[:-1]) + 1
    if not np.isin(falls, start).all():
        raise DataError("'word' of WordCounts must increase within each class.")


def _check_lines(name: str, arrays: Mapping[str, Any], sizes: tuple[int, ...], least: int) -> None:
    """Raise unless records (class, word where there is one, number) are in range, each with a count."""
    lines, counts = arrays[name], arrays[f"{name[:-1]}_documents"]
    if lines.shape != (len(counts), len(sizes) + 1):
        raise ShapeError(f"'{name}' of WordCounts must have {len(sizes) + 1} columns and one count per line.")
    if not len(lines):
        return
    most = [len(arrays["n"]) - 1, *(size - 1 for size in sizes)]
    if (lines < 0).any() or (lines > most).any() or lines[:, -1].min() < least:
        raise DataError(f"'{name}' of WordCounts must refer to existing classes, words and numbers.")


def _check_repeats(arrays: Mapping[str, Any], width: int) -> None:
    """Raise unless every repeated word of a class is one of its words."""
    lines = np.repeat(np.arange(len(arrays["n"])), np.diff(arrays["start"]))
    known = lines * width + arrays["word"]
    repeats = arrays["repeats"][:, 0] * width + arrays["repeats"][:, 1]
    if not len(known) or (known[np.minimum(np.searchsorted(known, repeats), len(known) - 1)] != repeats).any():
        raise DataError("'repeats' of WordCounts must list words that the class has.")
