"""Read arrays, sparse matrices and texts into the rows of one block, and single rows that are to be explained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeGuard

import numpy as np

from suffice.errors import InputError, KindError
from suffice.later import issparse, sparse
from suffice.models.answers.parts import Wording, WordsOfText, names_of
from suffice.models.choosing.judge import some_rows
from suffice.models.model import Model, Name
from suffice.models.scoring.removal import group_codes
from suffice.models.scoring.rows import MatrixRows
from suffice.models.scoring.text_rows import LookedUpTexts, TextRows
from suffice.readers.labels import Examples
from suffice.stats.bottom_k import Kept
from suffice.stats.content import RowHashes, matrix_hashes, matrix_rows, text_row, value_rows, with_labels
from suffice.stats.inputs import COUNT, REAL, Allowed, RowMatrix
from suffice.stats.row_order import Values, values_of, values_of_words
from suffice.stats.word_counts import WordCounts
from suffice.tables import frame_of
from suffice.text import Analysis, text_hashes
from suffice.text.documents import each_text, must_be_one_column
from suffice.typing import GroupsLike, Integers, LabelArray, Text

__all__ = [
    "KeptTexts",
    "MatrixReader",
    "TextReader",
    "are_bags",
    "is_column",
    "is_one_row",
    "one_row_of",
    "one_text",
    "rows_of_bags",
]

AT_ONCE = 2**12
"""Number of texts of a stream that are hashed together."""


class OfMatrices:
    """What readers of numbers and of categories share: one block, whose features may have names."""

    block: str
    feature_names: LabelArray | None
    by_block = False
    backend = None

    def of(self, model: Model) -> Self:
        """Return the reader for further rows of a model."""
        return self

    def features(self, model: Model) -> Sequence[Name]:
        """Return the names of features, or their positions."""
        width = model.blocks[self.block].statistic.shape[-1]
        return range(width) if self.feature_names is None else list(self.feature_names)

    def source(self, X: Any) -> Any:
        """Return rows, which the classifier has checked."""
        return X

    def one(self, x: Any) -> Any:
        """Return rows that hold only this one."""
        return one_row_of(x, self.feature_names)

    def take(self, source: Any, which: Integers) -> Any:
        """Return a subset of the rows."""
        return (source.tocsr() if issparse(source) else source)[which]

    def size(self, source: Any) -> int:
        """Return the number of rows."""
        return int(source.shape[0])

    def hashes(self, source: Any) -> RowHashes:
        """Return a hash of the content of each row."""
        return matrix_hashes(source)

    def values(self, source: Any) -> list[Values]:
        """Return the values that decide the order of the rows."""
        return values_of(source)

    def row_bytes(self, source: Any) -> Iterable[bytes]:
        """Return each row as bytes, which are equal for equal rows."""
        plain = issparse(source) or np.asarray(source).dtype.kind in "biuf"
        return matrix_rows(source) if plain else value_rows(source)


@dataclass(frozen=True, eq=False)
class MatrixReader(OfMatrices):
    """Reader of matrices: the allowed values, or the threshold above which a value counts as 1."""

    allowed: Allowed = REAL
    above: float | None = None
    feature_names: LabelArray | None = None
    block: str = "X"

    categories = None

    def wording(self, model: Model, source: Any, read: Any) -> Wording:
        """Return the names of features; values are shown as they are."""
        return Wording(self.feature_names)

    def rows(self, source: Any, names: Sequence[Any] = ()) -> dict[str | int, Any]:
        """Return the rows of the block."""
        return {self.block: MatrixRows(self.read(source), names)}

    def read(self, source: Any) -> RowMatrix:
        """Return rows in a form that the kernels read."""
        rows = source if isinstance(source, RowMatrix) else RowMatrix.read(source, "X")
        if self.above is not None:
            return rows.flags(self.above)
        return rows if self.allowed is REAL else rows.must_be(self.allowed)

    def parts(self, source: Any) -> Iterator[dict[str | int, Any]]:
        """Yield all rows at once."""
        yield self.rows(source)


@dataclass(frozen=True)
class TextReader:
    """Reader of texts: their tokens, and whether words count by name or in hash buckets, with repeats or without."""

    analysis: Analysis
    hash_bits: int = 0
    bursts: bool = False
    block: str = "text"

    by_block = False
    backend = categories = feature_names = None

    def of(self, model: Model) -> Self:
        """Return the reader for further texts of a model."""
        return self

    def features(self, model: Model) -> Sequence[Name]:
        """Return the words, or the numbers of their buckets."""
        t = model.blocks[self.block].t
        words: list[Name] = t.words.strings.tolist()
        return range(t.width) if t.hash_bits else words

    def source(self, X: Any) -> Any:
        """Return the texts as they are."""
        return X

    def one(self, x: Any) -> list[Text]:
        """Return texts that hold only this one."""
        return [one_text(x)]

    def wording(self, model: Model, source: Any, read: Any) -> Wording:
        """Return the words of one text."""
        return Wording(text=WordsOfText.of(read[0], self.analysis))

    def rows(self, source: Any) -> dict[str | int, Any]:
        """Return the rows of the block."""
        if isinstance(source, TextRows):
            return {self.block: source}
        return {self.block: TextRows(source, self.analysis, hash_bits=self.hash_bits, bursts=self.bursts)}

    def parts(self, source: Any) -> Iterator[dict[str | int, Any]]:
        """Yield the rows in batches, so that a stream is never held as a whole."""
        batch = None
        for batch in self.analysis.batches(source, "X"):
            yield {self.block: TextRows.of_batch(batch, self.analysis)}
        if batch is None:
            yield {self.block: TextRows.of_batch(self.analysis.empty(), self.analysis)}

    def take(self, source: Any, which: Integers) -> Any:
        """Return a subset of the texts."""
        return source.take(which) if hasattr(source, "take") else [source[i] for i in np.asarray(which).tolist()]

    def size(self, source: Any) -> int:
        """Return the number of texts."""
        return len(source)

    def hashes(self, source: Any) -> RowHashes:
        """Return a hash of each text; other documents, which a user's function reads, are hashed by their tokens."""
        found: RowHashes = text_hashes(source, self._plain)
        return found

    def values(self, source: Any) -> list[Values]:
        """Return the values that decide the order of the rows: whole texts."""
        return [values_of_words(self.hashes(source))]

    def _plain(self, text: Any) -> str:
        text = self.analysis._decoded(text.as_py() if hasattr(text, "as_py") else text)
        if isinstance(text, str):
            return text
        return "\0".join(map(str, self.analysis.tokens(text))) if self.analysis.by_functions else ""

    def row_bytes(self, source: Any) -> Iterable[bytes]:
        """Return each text as bytes, which are equal for equal texts."""
        return (text_row(self.analysis._decoded(text)) for text in each_text(source, "X"))


class KeptTexts(Iterator[Text]):
    """An iterator that passes texts on and keeps those that would be picked by hash from a list of all of them.

    If texts have groups, whole groups are kept, chosen by name, because what a group holds is known only at the end.
    """

    def __init__(
        self, texts: Iterator[Text], examples: Examples, reader: TextReader, most: int, groups: GroupsLike
    ) -> None:
        self._texts, self._examples, self._reader = texts, examples, reader
        self._kept, self._at, self._waiting = Kept(most), 0, list[Text]()
        self._wanted = examples.labels.given > 0
        if groups is not None:
            some = some_rows(len(examples), most, group_codes(groups, len(examples)))
            self._wanted &= np.isin(np.arange(len(examples)), some)

    def __next__(self) -> Text:
        text = next(self._texts)
        self._waiting.append(text)
        if len(self._waiting) == AT_ONCE:
            self._sift()
        return text

    def _sift(self) -> None:
        examples, texts, start = self._examples, self._waiting, self._at
        self._at, self._waiting = start + len(texts), []
        numbers = np.arange(start, min(self._at, len(examples)))  # an excess of texts raises elsewhere
        numbers = numbers[self._wanted[numbers]]
        some = [texts[i] for i in (numbers - start).tolist()]
        hashes = with_labels(self._reader.hashes(some), examples.classes, examples.codes[numbers])
        self._kept.add(some, hashes, numbers)

    def result(self) -> tuple[Examples, Integers]:
        """Return the kept texts as examples, and their indices."""
        if self._waiting:
            self._sift()
        examples = self._examples
        which, texts = self._kept.rows(examples.weights)
        weights = None if examples.weights is None else examples.weights[which]
        return replace(examples, source=texts, codes=examples.codes[which], weights=weights), which


def one_row_of(x: Any, names: Any) -> Any:
    """Return a source of this single row; values by name are put in the order of the model's names."""
    if hasattr(x, "to_dict") and not hasattr(x, "columns"):  # a row of pandas
        x = x.to_dict()
    by_name = isinstance(x, Mapping) and not issparse(x)  # before scipy 1.15, a matrix of keys is a dict
    if by_name and names is not None:
        missing = [name for name in names if name not in x]
        if missing:
            raise InputError("x", "have a value for each feature of the model").but(f"{missing[0]!r} has none")
        return frame_of({name: _column(x[name]) for name in names})
    if by_name:
        x = list(x.values())
    if not issparse(x) and not hasattr(x, "columns"):
        x = np.asarray(x)
        if x.dtype.kind == "O" or x.dtype.kind in "US":
            x = np.asarray(x, dtype=object)
    x = x.reshape(1, -1) if getattr(x, "ndim", 2) == 1 else x
    if getattr(x, "ndim", 2) == 2 and x.shape[0] != 1:
        raise InputError("x", "be one row").but(f"got {x.shape[0]:,} rows")
    return x


def is_one_row(x: Any, names: Sequence[Any]) -> bool:
    """Return whether these are values of one row: a dict without columns, or a Series whose index names the columns."""
    if isinstance(x, Mapping) and not issparse(x):  # some sparse matrices are dicts
        return bool(x) and not any(is_column(value) for value in x.values())
    if not hasattr(x, "to_dict") or hasattr(x, "columns") or not hasattr(getattr(x, "index", None), "isin"):
        return False
    numbered = all(isinstance(name, int) for name in names)  # as the rows of any Series are
    return len(x) == len(names) if numbered else set(names) <= set(x.index)


def is_column(value: Any) -> bool:
    """Return whether a value holds several values."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _column(value: Any) -> list[Any]:
    many = is_column(value)
    if many and len(value) != 1:
        raise InputError("x", "be one row").but(f"got {len(value):,} rows")
    return list(value) if many else [value]


def one_text(x: Any) -> Any:
    """Return a text, or the only text of a collection."""
    must_be_one_column(x, "x")
    if isinstance(x, str | bytes) or not hasattr(x, "__iter__"):
        if x is None or isinstance(x, float | int):
            raise KindError("x", "be one text").but(f"got {x!r}, a {type(x).__name__}")
        return x
    texts = list(x)
    if len(texts) != 1:
        raise InputError("x", "be one text").but(f"got {len(texts):,} texts")
    return texts[0]


def are_bags(texts: object) -> TypeGuard[Sequence[Any]]:
    """Return whether these are bags of words rather than texts."""
    return isinstance(texts, list | tuple) and len(texts) > 0 and isinstance(texts[0], Mapping)


def rows_of_bags(bags: Sequence[Any], t: WordCounts) -> LookedUpTexts:
    """Return bags as rows over the words of a statistic, as of a text; what is unknown has no say."""
    wrong = [type(bag).__name__ for bag in bags if not isinstance(bag, Mapping)]
    if wrong:
        raise KindError("X", "hold texts, or dicts of words and counts").but(f"got dict and {wrong[0]}")
    COUNT.read([count for bag in bags for count in bag.values()] or [0], "X")
    words = {str(word) for bag in bags for word in bag}
    places = {str(word): j for j, word in enumerate(names_of(t, t.width).tolist()) if str(word) in words}
    rows, columns, counts = [], [], []
    for i, bag in enumerate(bags):
        known = [(places[str(word)], count) for word, count in bag.items() if str(word) in places]
        rows += [i] * len(known)
        columns += [place for place, _ in known]
        counts += [count for _, count in known]
    matrix = sparse.csr_matrix((np.asarray(counts, np.float64), (rows, columns)), (len(bags), t.width))
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return LookedUpTexts(matrix, t)
