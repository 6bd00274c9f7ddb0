"""Count words by class, sparsely and with their names: the statistic of texts.

For each pair that occurs: T_cw, how often word w occurs in documents of class c, and N_cw, in how many of them. For
bursty models also: how many documents of a class hold a word exactly r ≥ 2 times, and how many have each length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice import _native
from suffice.errors import DataError, LabelError, ShapeError, SubtractionError
from suffice.later import sparse
from suffice.notebook import card
from suffice.parallel import thread_count
from suffice.stats.base import ByArrays, difference, parts_of_words
from suffice.stats.inputs import COUNT, EXACT
from suffice.telling import counted
from suffice.text import Analysis, Batch
from suffice.text.word_list import WordList
from suffice.typing import Array, Booleans, Integers

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


@dataclass(frozen=True, eq=False, repr=False)
class WordCounts(ByArrays):
    """Counts of the words of labelled documents. + and − match words by name.

    >>> a = WordCounts.of(["spam spam eggs", "ham eggs"], [0, 1])
    >>> b = WordCounts.of(["more ham"], [1], n_classes=2)
    >>> (a + b).words.strings.tolist()
    ['eggs', 'ham', 'more', 'spam']
    >>> (a + b).tokens.toarray()
    array([[1., 0., 0., 2.],
           [1., 2., 1., 0.]])
    >>> (a + b) - b == a
    True
    """

    words: WordList
    n: Array
    tokens: Any
    documents: Any
    repeats: Integers  # class, word, r: one line each, sorted
    repeat_documents: Array
    lengths: Integers  # class, number of tokens
    length_documents: Array
    hash_bits: int = 0

    @classmethod
    def of(
        cls,
        texts: Any,
        labels: Any,
        weights: Any = None,
        *,
        n_classes: int | None = None,
        analysis: Analysis | None = None,
        hash_bits: int = 0,
        bursts: bool = False,
    ) -> WordCounts:
        """Count the words of documents with class codes 0, 1, 2, …"""
        codes = np.asarray(labels)
        if codes.ndim != 1 or (codes.size and codes.dtype.kind not in "iu"):
            raise LabelError("labels", "hold class codes 0, 1, 2, …").but(f"got an array of {codes.dtype}")
        codes = codes.astype(np.int64)
        count = n_classes if n_classes is not None else int(codes.max(initial=0)) + 1
        counter = WordCounter(analysis or Analysis(), count, hash_bits, bursts)
        counter.add(texts, codes, weights)
        return counter.result()

    @classmethod
    def of_matrix(cls, X: Any, words: WordList, labels: Integers, weights: Array | None, n_classes: int) -> WordCounts:
        """Return the statistic of a matrix, documents × words, whose numbers need not be counts."""
        scale = np.ones(len(labels)) if weights is None else weights
        shape = (n_classes, len(labels))
        group = sparse.csr_matrix((scale, (labels, np.arange(len(labels)))), shape=shape)
        ones = sparse.csr_matrix((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
        tokens, documents = (in_order((group @ table).tocsr()) for table in (X, ones))
        n: Any = np.bincount(labels, scale, n_classes)
        repeats, lengths = np.empty((0, 3), np.int64), np.empty((0, 2), np.int64)
        return cls(words, n, tokens, documents, repeats, np.empty(0), lengths, np.empty(0))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.n)

    @property
    def width(self) -> int:
        """Number of words, or of hash buckets."""
        return int(self.tokens.shape[1])

    @cached_property
    def document_frequency(self) -> Array:
        """Number of documents in which each word occurs."""
        return np.asarray(self.documents.sum(axis=0)).ravel()

    @cached_property
    def frequency(self) -> Array:
        """Total count of each word."""
        return np.asarray(self.tokens.sum(axis=0)).ravel()

    def arrays(self) -> dict[str, Any]:
        """Return the arrays of the statistic by name."""
        pairs = self.tokens
        return {
            "bytes": self.words.bytes,
            "offset": self.words.offset,
            "n": self.n,
            "start": pairs.indptr.astype(np.int64),
            "word": pairs.indices,
            "tokens": pairs.data,
            "documents": self.documents.data,
            "repeats": self.repeats,
            "repeat_documents": self.repeat_documents,
            "lengths": self.lengths,
            "length_documents": self.length_documents,
            "hash_bits": np.array(self.hash_bits, np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> WordCounts:
        """Return a statistic from the arrays that `arrays()` returned."""
        check_word_arrays(arrays)
        bits = int(arrays["hash_bits"])
        words = WordList(arrays["bytes"], arrays["offset"])
        shape = (len(arrays["n"]), 1 << bits if bits else len(words))
        index = arrays["word"].astype(np.int32 if shape[1] < 2**31 else np.int64, copy=False)
        tokens, documents = (
            table_of(arrays[name], index, arrays["start"].astype(index.dtype), shape)
            for name in ("tokens", "documents")
        )
        names = ("repeats", "repeat_documents", "lengths", "length_documents")
        rest: dict[str, Any] = {name: arrays[name] for name in names}
        return cls(words, np.asarray(arrays["n"], np.float64), tokens, documents, **rest, hash_bits=bits)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # without cached properties

    def __repr__(self) -> str:
        what = counted(1 << self.hash_bits, "bucket") if self.hash_bits else counted(len(self.words), "word")
        classes = counted(self.n_classes, "class", "classes")
        return f"WordCounts({counted(round(self.n.sum()), 'document')} of {classes}, {what})"

    def _repr_html_(self) -> str:
        return card(self, lambda: parts_of_words(self))

    def __add__(self, other: WordCounts) -> WordCounts:
        return WordCounts.total([self, other])

    @classmethod
    def total(cls, parts: Sequence[WordCounts]) -> WordCounts:
        """Return the sum of several statistics, added in one step."""
        first = parts[0]
        for part in parts:
            first._check_like(part)
        words, places = united([part.words for part in parts])
        every, width = list(zip(parts, places, strict=True)), first.width if first.hash_bits else len(words)
        tables = added([(place, part.tokens, part.documents) for part, place in every], first.n_classes, width)
        repeats = summed(*((part._repeats_at(place), part.repeat_documents) for part, place in every))
        lengths = summed(*((part.lengths, part.length_documents) for part in parts))
        return cls(words, np.sum([part.n for part in parts], axis=0), *tables, *repeats, *lengths, first.hash_bits)

    def __sub__(self, other: WordCounts) -> WordCounts:
        self._check_like(other)
        ours, theirs = self, other
        if not self.hash_bits:
            words, mine, place = self.words.union(other.words)
            ours, theirs = self._placed(words, mine), other._placed(words, place)
        tokens, documents = (minus(a, b) for a, b in ((ours.tokens, theirs.tokens), (ours.documents, theirs.documents)))
        n = difference(ours.n, theirs.n)
        if n.min(initial=0) < 0 or not np.array_equal(tokens.indices, documents.indices):
            raise never_added()
        repeats = summed((ours.repeats, ours.repeat_documents), (theirs.repeats, -theirs.repeat_documents))
        lengths = summed((ours.lengths, ours.length_documents), (theirs.lengths, -theirs.length_documents))
        return WordCounts(ours.words, n, tokens, documents, *repeats, *lengths, self.hash_bits)._with_documents()

    def with_classes(self, place: Integers, classes: int) -> WordCounts:
        """Return the statistic with its classes renumbered: class c becomes `place[c]`; −1 drops it and its words."""
        if classes == self.n_classes and np.array_equal(place, np.arange(classes)):
            return self._with_documents()
        kept = np.flatnonzero(place >= 0)
        n = np.zeros(classes)
        n[place[kept]] = self.n[kept]
        move = sparse.csr_matrix((np.ones(len(kept)), (place[kept], kept)), shape=(classes, self.n_classes))
        tokens, documents = (in_order((move @ table).tocsr()) for table in (self.tokens, self.documents))
        repeats = moved(self.repeats, self.repeat_documents, place)
        lengths = moved(self.lengths, self.length_documents, place)
        return WordCounts(self.words, n, tokens, documents, *repeats, *lengths, self.hash_bits)._with_documents()

    def _with_documents(self) -> WordCounts:
        """Drop words that occur in no document."""
        return self if self.hash_bits else self.keep(np.bincount(self.documents.indices, minlength=self.width) > 0)

    def scaled(self, factor: float) -> WordCounts:
        """Return the statistic with all document weights multiplied by `factor`."""
        return replace(
            self,
            n=self.n * factor,
            tokens=self.tokens * factor,
            documents=self.documents * factor,
            repeat_documents=self.repeat_documents * factor,
            length_documents=self.length_documents * factor,
        )

    def less(self, documents: Any, codes: Integers, weights: Array) -> WordCounts:
        """Subtract documents, given as rows over this vocabulary; words whose count becomes zero stay in it."""
        removed = WordCounts.of_matrix(documents, self.words, codes, weights, self.n_classes)
        tokens, shown = minus(self.tokens, removed.tokens), minus(self.documents, removed.documents)
        return replace(self, n=difference(self.n, removed.n), tokens=tokens, documents=shown)

    def keep(self, which: Booleans) -> WordCounts:
        """Return the counts of a subset of the words; document lengths still count all words."""
        if which.all():
            return self
        place = np.cumsum(which) - 1
        stay = which[self.repeats[:, 1]] if len(self.repeats) else np.zeros(0, bool)
        repeats = self.repeats[stay].copy()
        repeats[:, 1] = place[repeats[:, 1]]
        return replace(
            self,
            words=self.words.keep(which),
            tokens=self.tokens[:, which],
            documents=self.documents[:, which],
            repeats=repeats,
            repeat_documents=self.repeat_documents[stay],
        )

    def among(self, words: WordList) -> WordCounts:
        """Return the counts over the vocabulary `words`, seen or not; document lengths still count all words."""
        if self.words == words:
            return self
        both, mine, theirs = self.words.union(words)
        wanted = np.zeros(len(both), bool)
        wanted[theirs] = True
        here = wanted[mine]
        return self.keep(here)._placed(words, (np.cumsum(wanted) - 1)[mine[here]])

    def _check_like(self, other: WordCounts) -> None:
        if self.hash_bits != other.hash_bits:
            raise ShapeError("Two WordCounts", "have the same hash_bits to be combined").but(
                f"got {self.hash_bits} and {other.hash_bits}"
            )
        if self.n_classes != other.n_classes:
            raise ShapeError("Two WordCounts", "have as many classes to be combined").but(
                f"got {self.n_classes} and {other.n_classes}",
                python="If a batch may lack a class, pass n_classes= for each one.",
            )

    def _placed(self, words: WordList, place: Integers) -> WordCounts:
        if len(words) == len(self.words):
            return self
        shape = (self.n_classes, len(words))
        tokens, documents = (
            sparse.csr_matrix((table.data, place[table.indices], table.indptr), shape=shape)
            for table in (self.tokens, self.documents)
        )
        return replace(self, words=words, tokens=tokens, documents=documents, repeats=self._repeats_at(place))

    def _repeats_at(self, place: Integers) -> Integers:
        if self.hash_bits:
            return self.repeats
        repeats = self.repeats.copy()
        repeats[:, 1] = place[repeats[:, 1]]
        return repeats


class WordCounter:
    """Count words batch by batch; the result so far is a WordCounts."""

    def __init__(self, analysis: Analysis, n_classes: int, hash_bits: int = 0, bursts: bool = False) -> None:
        self._analysis, self._bits = analysis, hash_bits
        self._native = _native.TextCounter(n_classes, hash_bits, bursts)
        self._n = np.zeros(n_classes)

    def grow(self, n_classes: int) -> None:
        """Add classes, with codes after the present ones."""
        self._native.grow(n_classes)
        self._n = np.concatenate([self._n, np.zeros(n_classes - len(self._n))])

    def add(self, texts: Any, codes: Integers | None, weights: Any = None, name: str = "texts") -> None:
        """Count documents with their class codes; without codes, all belong to class 0."""
        scale = None if codes is None else read_weights(weights, len(codes))
        at = 0
        for batch in self._analysis.batches(texts, name):
            part = slice(at, at + len(batch))
            at = part.stop
            if codes is not None and at > len(codes):
                break
            label = np.zeros(len(batch), np.int64) if codes is None else codes[part]
            self.add_batch(batch, label, None if scale is None else scale[part])
        if codes is not None and at != len(codes):
            found = "more" if at > len(codes) else f"{at:,}"
            raise LabelError(name, f"hold as many texts as there are labels, {len(codes):,}").but(f"got {found}")

    def add_batch(self, batch: Batch, codes: Integers, weights: Array | None) -> None:
        """Count the documents of a batch with their class codes."""
        label, weight = np.ascontiguousarray(codes), np.empty(0) if weights is None else np.ascontiguousarray(weights)
        self._native.add(batch.texts, batch.starts, self._analysis.native, label, weight, batch.threads)
        self._n += np.bincount(label, weights, minlength=len(self._n))

    def result(self) -> WordCounts:
        """Return the counts so far."""
        found = self._native.result(thread_count())
        words = WordList(found["bytes"], found["offset"])
        shape = (len(self._n), 1 << self._bits if self._bits else len(words))
        index = found["word"]
        tables = []
        for name in ("tokens", "documents"):
            if found[name].max(initial=0) > EXACT:
                raise DataError("Counts of words", "stay below 2**53, where float64 counts exactly")
            tables.append(table_of(found[name], index, found["start"].astype(index.dtype), shape))
        records = (("repeat_start", "repeat_word", "repeat_value"), ("length_start", "length"))
        repeats, lengths = (
            np.column_stack([_lines(found[start]), *(found[name] for name in names)]).astype(np.int64)
            for start, *names in records
        )
        tokens, documents = tables
        bursts = (repeats, found["repeats"], lengths, found["lengths"])
        return WordCounts(words, self._n.copy(), tokens, documents, *bursts, self._bits)


def read_weights(weights: Any, labels: int) -> Array | None:
    """Return the weight of each document; None if no weights are given."""
    if weights is None:
        return None
    scale = COUNT.read(weights, "sample_weight")
    if scale.shape != (labels,):
        raise ShapeError("sample_weight", f"hold one number per label, {labels:,}").but(f"got shape {scale.shape}")
    return scale


def united(lists: Sequence[WordList]) -> tuple[WordList, list[Integers]]:
    """Return the union of several word lists, and the indices of each list's words in it."""
    if len(lists) == 1:
        return lists[0], [np.arange(len(lists[0]))]
    half = len(lists) // 2
    (left, ours), (right, theirs) = united(lists[:half]), united(lists[half:])
    words, mine, other = left.union(right)
    return words, [*(mine[place] for place in ours), *(other[place] for place in theirs)]


def added(parts: list[tuple[Any, ...]], classes: int, width: int) -> tuple[Any, Any]:
    """Return the sums of the token tables and of the document tables.

    Each part is the places of its words in the sum, and its two tables; places are empty for hash buckets, which need
    none.
    """
    given: list[tuple[Any, ...]] = []
    for place, tokens, documents in parts:
        numbers = (tokens.data, documents.data)
        given.append((place, tokens.indptr.astype(np.int64), tokens.indices.astype(np.int32, copy=False), *numbers))
    found: tuple[Any, ...] = _native.add_counts(given, classes, width, thread_count())
    start, index, *sums = found
    kind = np.int32 if start[-1] < 2**31 else np.int64
    index, start = index.astype(kind, copy=False), start.astype(kind)
    first, second = (table_of(data, index, start, (classes, width)) for data in sums)
    return first, second


def table_of(data: Array, index: Any, start: Any, shape: tuple[int, int]) -> Any:
    """Return a table of classes × words from arrays that fit together; they are not checked."""
    table = sparse.csr_matrix(shape)
    table.data, table.indices, table.indptr = data, index, start
    return table


def _lines(start: Integers) -> Integers:
    """Return the class of each entry of a table."""
    return np.repeat(np.arange(len(start) - 1), np.diff(start))


def in_order(table: Any) -> Any:
    """Return a table with its words sorted."""
    table.sort_indices()
    return table


def minus(total: Any, part: Any) -> Any:
    """Subtract a table; raise SubtractionError if the result would be negative."""
    left = in_order(total - part)
    if (left.data != np.round(left.data)).any():  # set rounding errors of real numbers to zero
        scale = np.asarray((abs(total) + abs(part))[left.nonzero()]).ravel()
        left.data[np.abs(left.data) <= 1e-12 * scale * (left.data != np.round(left.data))] = 0
        left.eliminate_zeros()
    if left.nnz and left.data.min() < 0:
        raise never_added()
    return left


def summed(*records: tuple[Integers, Array]) -> tuple[Integers, Array]:
    """Add up values of equal keys and drop those whose sum is zero."""
    keys, values = (np.concatenate(parts) for parts in zip(*records, strict=True))
    if not len(keys):
        return records[0]
    order = np.lexsort(keys.T[::-1])
    keys, values = keys[order], values[order]
    fresh = np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)])
    sums = np.add.reduceat(values, np.flatnonzero(fresh))
    scale = np.maximum.reduceat(np.abs(values), np.flatnonzero(fresh))
    sums[np.abs(sums) <= 1e-12 * scale] = 0
    if sums.min(initial=0) < 0:
        raise never_added()
    return keys[fresh][sums > 0], sums[sums > 0]


def moved(keys: Integers, values: Array, place: Integers) -> tuple[Integers, Array]:
    """Return records with class c renumbered as `place[c]`; −1 drops its records."""
    kept = place[keys[:, 0]] >= 0
    moved = keys[kept].copy()
    moved[:, 0] = place[moved[:, 0]]
    return summed((moved, values[kept]), (moved[:0], np.empty(0)))


def never_added() -> SubtractionError:
    """Return the error for subtracting documents that were never added."""
    return SubtractionError(
        "Cannot subtract texts that were not learned: the counts of their class lack some of their words."
    )


def check_word_arrays(arrays: Mapping[str, Any]) -> None:
    """Raise DataError or ShapeError unless these arrays could be counts of documents."""
    if set(arrays) != set(NAMES):
        raise DataError("WordCounts.arrays", f"hold {sorted(NAMES)}").but(f"got {sorted(arrays)}")
    for name, kinds in NAMES.items():
        flat, array = {"repeats": 2, "lengths": 2, "hash_bits": 0}.get(name, 1), arrays[name]
        if not isinstance(array, np.ndarray) or array.ndim != flat or array.dtype not in map(np.dtype, kinds.split()):
            raise ShapeError(
                f"WordCounts.{name}", f"be an array with ndim {flat} and dtype {' or '.join(kinds.split())}"
            )
    bits = int(arrays["hash_bits"])
    if not 0 <= bits <= LARGEST_HASH:
        raise DataError("WordCounts.hash_bits", f"be from 0 to {LARGEST_HASH}").but(f"got {bits}")
    words = WordList(arrays["bytes"], arrays["offset"])
    words.check()
    if bits and len(words):
        raise DataError("WordCounts.bytes", "be empty where words are hashed")
    width = 1 << bits if bits else len(words)
    for name in ("n", "tokens", "documents", "repeat_documents", "length_documents"):
        if not arrays[name].min(initial=0.0) >= 0 or not arrays[name].max(initial=0.0) <= EXACT:  # nor is NaN
            raise DataError(f"WordCounts.{name}", "not be negative, NaN, or above 2**53")
    _check_pairs(arrays, width)
    _check_lines("repeats", arrays, (width, int(EXACT)), least=2)
    _check_lines("lengths", arrays, (int(EXACT),), least=0)
    if len(arrays["repeats"]):
        known = _lines(arrays["start"]) * width + arrays["word"]
        repeats = arrays["repeats"][:, 0] * width + arrays["repeats"][:, 1]
        if not len(known) or (known[np.minimum(np.searchsorted(known, repeats), len(known) - 1)] != repeats).any():
            raise DataError("WordCounts.repeats", "list words that the class has")


def _check_pairs(arrays: Mapping[str, Any], width: int) -> None:
    """Raise unless the words of each class are valid and increase."""
    start, word = arrays["start"], arrays["word"]
    if len(start) != len(arrays["n"]) + 1 or not len(word) == len(arrays["tokens"]) == len(arrays["documents"]):
        raise ShapeError("WordCounts.start", "have one more entry than 'n', and 'tokens' as many as 'word'")
    if start[0] != 0 or start[-1] != len(word) or (start[1:] < start[:-1]).any():
        raise DataError("WordCounts.start", "rise from 0 to the number of words of all classes")
    if len(word) and (word.min() < 0 or word.max() >= width):
        raise DataError("WordCounts.word", f"be from 0 to {width - 1}, the last word")
    falls = np.flatnonzero(word[1:] <= word[:-1]) + 1
    if not np.isin(falls, start).all():
        raise DataError("WordCounts.word", "increase within each class")


def _check_lines(name: str, arrays: Mapping[str, Any], sizes: tuple[int, ...], least: int) -> None:
    """Raise unless records (class, word where there is one, number) are in range, each with a count."""
    lines, counts = arrays[name], arrays[f"{name[:-1]}_documents"]
    if lines.shape != (len(counts), len(sizes) + 1):
        raise ShapeError(f"WordCounts.{name}", f"have {len(sizes) + 1} columns and one count per line")
    if not len(lines):
        return
    most = [len(arrays["n"]) - 1, *(size - 1 for size in sizes)]
    if (lines < 0).any() or (lines > most).any() or lines[:, -1].min() < least:
        raise DataError(f"WordCounts.{name}", "refer to existing classes, words and numbers")
