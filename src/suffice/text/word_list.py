"""Store a sorted list of words as one array of bytes: a million words are two arrays, not a million objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.errors import DataError, InputError, KindError
from suffice.typing import Booleans, Integers


@dataclass(frozen=True, eq=False)
class WordList:
    """Words sorted by their UTF-8 bytes, and so by their code points; word i is bytes[offset[i]:offset[i + 1]].

    >>> both = WordList.of(["pear", "apple"]).union(WordList.of(["fig", "pear"]))
    >>> [part.tolist() for part in (both[0].strings, both[1], both[2])]
    [['apple', 'fig', 'pear'], [0, 2], [1, 2]]
    """

    bytes: NDArray[np.uint8]
    offset: Integers

    @classmethod
    def of(cls, words: Iterable[str]) -> WordList:
        """Return the sorted list of the distinct strings."""
        coded = sorted({word.encode("utf-8", "surrogatepass") for word in words})
        offset = np.concatenate([[0], np.cumsum([len(word) for word in coded])]).astype(np.int64)
        return cls(np.frombuffer(b"".join(coded), np.uint8), offset)

    def check(self) -> None:
        """Raise DataError unless the words are valid UTF-8, sorted and distinct."""
        kinds = self.bytes.dtype == np.uint8 and self.offset.dtype == np.int64
        flat = self.bytes.ndim == self.offset.ndim == 1
        if not kinds or not flat or not _native.words_in_order(self.bytes, self.offset) or not is_utf8(*self.arrays):
            raise DataError("Words", "be valid UTF-8, sorted by their bytes and distinct")

    @property
    def arrays(self) -> tuple[NDArray[np.uint8], Integers]:
        """Bytes and offsets."""
        return self.bytes, self.offset

    def __len__(self) -> int:
        return len(self.offset) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordList):
            return NotImplemented
        return np.array_equal(self.bytes, other.bytes) and np.array_equal(self.offset, other.offset)

    def __hash__(self) -> int:
        return hash((self.bytes.tobytes(), self.offset.tobytes()))

    @cached_property
    def strings(self) -> NDArray[np.object_]:
        """The words as Python strings."""
        data = self.bytes.tobytes()
        ends = self.offset.tolist()
        words = [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]
        out = np.empty(len(words), object)
        out[:] = words
        return out

    def keep(self, which: Booleans) -> WordList:
        """Return a subset of the words."""
        if which.all():
            return self
        lengths = np.diff(self.offset)
        return WordList(
            self.bytes[np.repeat(which, lengths)], np.concatenate([[0], np.cumsum(lengths[which])]).astype(np.int64)
        )

    def taken(self, order: Integers) -> tuple[NDArray[np.uint8], Integers]:
        """Return the bytes and offsets of the words in another order, as a lexicon takes them."""
        lengths = np.diff(self.offset)[order]
        offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        place = np.arange(int(offset[-1])) + np.repeat(self.offset[order] - offset[:-1], lengths)
        return self.bytes[place], offset

    def union(self, other: WordList) -> tuple[WordList, Integers, Integers]:
        """Return the union of both lists, and the indices of each list's words in it."""
        if self == other:
            same = np.arange(len(self))
            return self, same, same
        data, offset, ours, theirs = _native.merge_words(self.bytes, self.offset, other.bytes, other.offset)
        return WordList(data, offset), ours, theirs


def is_utf8(data: NDArray[np.uint8], offset: Integers) -> bool:
    """Return whether bytes are UTF-8 and no offset splits a character; offsets must lie within the bytes."""
    text: Any = data
    try:
        str(text, "utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    inner = offset[offset < len(data)]
    return not len(data) or not (data[inner] & 0xC0 == 0x80).any()


def given_words(given: Any, owner: str, lowercase: bool, unknown: str | None = None) -> tuple[str, ...]:
    """Return a user's vocabulary in its order; a set is sorted, and a mapping is sorted by its columns.

    Errors name `owner` as the owner of the parameter; `unknown` is a reserved word that the vocabulary must not hold.
    """
    what = f"{owner}.vocabulary"
    if isinstance(given, str | bytes | Iterator) or not isinstance(given, Iterable):
        one = (
            "an iterator, which is read only once"
            if isinstance(given, Iterator)
            else f"a single {type(given).__name__}"
        )
        raise KindError(what, "be a list of words, such as ['mary', 'lamb']").but(f"got {one}")
    words = list(given)
    odd = next((type(word) for word in words if not isinstance(word, str)), None)
    if odd is not None:
        raise KindError(what, "hold strings").but(f"got {odd.__name__}")
    if isinstance(given, Mapping | Set):  # a set has no order; a mapping numbers its columns
        words.sort(key=given.__getitem__ if isinstance(given, Mapping) else None)
    _check_words(tuple(words), what, lowercase, unknown)
    return tuple(words)


@lru_cache(maxsize=8)  # a long vocabulary is checked repeatedly
def _check_words(words: tuple[str, ...], what: str, lowercase: bool, unknown: str | None) -> None:
    """Raise InputError unless there are words, distinct and, if texts are lowercased, in lower case."""
    if not words:
        raise InputError(what, "hold at least one word").but(
            "got none", python="Use None to learn the vocabulary of the texts."
        )
    if unknown in words:
        raise InputError(what, "not hold the name of the slot for unknown words", got=unknown).advise(
            python="Leave it out, or choose another name with 'unknown'."
        )
    twice = next((word for word, n in Counter(words).items() if n > 1), None)
    if twice is not None:
        raise InputError(what, "hold each word once").but(f"got {twice!r} twice")
    high = next((word for word in words if word != word.lower()), None) if lowercase else None
    if high is not None:
        raise InputError(what, "be in lower case, because texts are lowercased", got=high).advise(
            python="Lowercase it, or use tokens=sf.Tokens(lowercase=False)."
        )
