"""Read texts (lists, arrays, Series, Arrow, iterators) into batches that the tokenizer reads in place.

The compiled tokenizer agrees with `re` and `str.lower` because its table of code points comes from them, as the running
interpreter knows them. A few letters have a lower case that depends on their neighbours (the Greek sigma) or has
several letters (İ): Python lowers the documents that hold one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from suffice import _native
from suffice.errors import KindError
from suffice.parallel import thread_count
from suffice.typing import Integers, Words32

LIST_AT_ONCE = 2**17
STREAM_AT_ONCE = 2**14
WORTH_A_THREAD = 2**16

_ONE_TEXT_EACH = np.empty(0, np.int64)

COUNT = 0x110000
WORD, SPACE = 1 << 21, 1 << 22
SIGMA = 0x3A3
BLOCK = 4096


@cache
def table(lowercase: bool) -> Words32:
    """Return for each code point its lower case, and flags for word characters and spaces."""
    points = np.arange(COUNT, dtype=np.uint32)
    text, kinds = _text(points), np.zeros(COUNT, np.uint32)
    for pattern, flag in ((r"\w+", WORD), (r"\s+", SPACE)):
        for match in re.finditer(pattern, text):
            kinds[match.start() : match.end()] |= np.uint32(flag)
    lowered = _lowered(points)[0] if lowercase else points
    out = lowered | kinds[lowered]
    out.setflags(write=False)
    return out


@cache
def special_letters() -> tuple[bytes, ...]:
    """Return the UTF-8 of the letters that only `str.lower` can lower."""
    found = _lowered(np.arange(COUNT, dtype=np.uint32))[1]
    return tuple(chr(point).encode() for point in found)


def _lowered(points: Words32) -> tuple[Words32, list[int]]:
    """Return each code point in lower case (unchanged if that is several letters), and the special ones."""
    out, special = points.copy(), [SIGMA]
    for start in range(0, COUNT, BLOCK):
        block = _text(points[start : start + BLOCK])
        lower = block.lower()
        if len(lower) == len(block):
            out[start : start + BLOCK] = np.frombuffer(lower.encode("utf-32-le", "surrogatepass"), "<u4")
            continue
        for point, letter in enumerate(block, start):
            lower = letter.lower()
            if len(lower) == 1:
                out[point] = ord(lower)
            else:
                special.append(point)
    out[SIGMA] = ord(chr(SIGMA).lower())
    return out, special


def _text(points: Words32) -> str:
    return points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@dataclass(frozen=True)
class Batch:
    """A batch of documents: texts in memory, and where documents start if their texts are tokens found in Python."""

    texts: _native.Texts
    starts: Integers

    def __len__(self) -> int:
        return len(self.starts) - 1 if len(self.starts) else len(self.texts)

    def part(self, block: slice) -> Batch:
        """Return the documents of a range."""
        if not len(self.starts):
            return Batch(self.texts.part(block.start, block.stop), self.starts)
        starts = self.starts[block.start : block.stop + 1]
        return Batch(self.texts.part(int(starts[0]), int(starts[-1])), starts - starts[0])

    @property
    def width(self) -> int:
        """Average number of bytes per document."""
        return int(self.texts.size // max(1, len(self)))

    @property
    def threads(self) -> int:
        """Number of threads worth starting."""
        return min(thread_count(), 1 + self.texts.size // WORTH_A_THREAD)

    @classmethod
    def of_list(
        cls, texts: list[Any], lowercase: bool, decode: Callable[[Any], Any], name: str, first: int = 0
    ) -> Batch:
        """Return a batch of one document per string; bytes are decoded first."""
        patterns = list(special_letters()) if lowercase else []
        native = _native.Texts.of_list(texts, patterns)
        if native.bad >= 0 and isinstance(texts[native.bad], bytes):
            texts = [decode(text) for text in texts]
            native = _native.Texts.of_list(texts, patterns)
        if native.bad >= 0 and hasattr(texts[native.bad], "as_py"):
            texts = unwrapped(texts)
            native = _native.Texts.of_list(texts, patterns)
        if native.bad >= 0:
            text = texts[native.bad]
            missing = type(text).__name__ in ("NoneType", "NAType", "float")
            hint = " Leave out missing texts, or replace them by ''." if missing else ""
            place = f"{type(text).__name__} at index {first + native.bad}"
            raise KindError(name, "hold strings").but(f"got {place}", hint)
        return cls(native, _ONE_TEXT_EACH)

    @classmethod
    def of_tokens(cls, documents: list[list[str]]) -> Batch:
        """Return a batch of documents whose tokens are known."""
        starts = np.concatenate([[0], np.cumsum([len(tokens) for tokens in documents])]).astype(np.int64)
        every = [token for tokens in documents for token in tokens]
        native = _native.Texts.of_list(every, [])
        if native.bad >= 0:
            raise KindError("Tokens", "be strings").but(
                f"got {every[native.bad]!r}, a {type(every[native.bad]).__name__}"
            )
        return cls(native, starts)


def unwrapped(values: Any) -> Any:
    """Return the values of a list of Arrow scalars; return any other list unchanged.

    >>> import pyarrow as pa
    >>> unwrapped(list(pa.array(["one", None]))), unwrapped(["two"])
    (['one', None], ['two'])
    """
    if not any(kind.__module__.partition(".")[0] == "pyarrow" for kind in set(map(type, values))):
        return values
    return [value.as_py() if hasattr(value, "as_py") else value for value in values]


def must_be_one_column(texts: Any, name: str) -> None:
    """Raise KindError for a table or a matrix of word counts, whose iteration would not yield texts.

    >>> must_be_one_column({"note": ["a cat"]}, "X")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    suffice.errors.KindError: The argument 'X' must be texts in one column; got a dict. Pass X['note'], or use ...
    """
    kind = type(texts).__name__
    if hasattr(texts, "nnz") and hasattr(texts, "shape"):
        raise KindError(name, "be raw texts").but(
            "got a sparse matrix", python="Drop the vectorizer, or use MultinomialNB on its matrix."
        )
    columns = getattr(texts, "column_names", getattr(texts, "columns", texts if isinstance(texts, Mapping) else None))
    if columns is None or callable(columns):
        return
    first = next(iter(columns), None)
    column = first if isinstance(first, str) else "text"
    raise KindError(name, "be texts in one column").but(
        f"got a {kind}", python=f"Pass {name}[{column!r}], or use NaiveBayes."
    )


def batches(
    texts: Any,
    lowercase: bool,
    prepare: Callable[[list[Any]], Batch | list[Any]] | None,
    decode: Callable[[Any], Any],
    name: str,
) -> Iterator[Batch]:
    """Yield the documents in batches; `prepare` turns each list of documents into another list, or into a batch."""
    if isinstance(texts, str | bytes):
        raise KindError(name, "hold texts, such as a list").but(f"got a single {type(texts).__name__}")
    must_be_one_column(texts, name)
    chunks = _arrow_chunks(texts)
    if chunks is not None and prepare is None:
        at = 0
        for chunk in chunks:
            yield _arrow_batch(chunk, lowercase, name, at)
            at += len(chunk)
        return
    first = 0
    for part in _lists(texts if chunks is None else (text for chunk in chunks for text in chunk.to_pylist()), name):
        ready = prepare(part) if prepare else part
        yield ready if isinstance(ready, Batch) else Batch.of_list(ready, lowercase, decode, name, first)
        first += len(part)


def each_text(texts: Any, name: str) -> Iterator[Any]:
    """Yield the documents one by one, as Python objects."""
    must_be_one_column(texts, name)
    chunks = _arrow_chunks(texts)
    for part in _lists(texts if chunks is None else (text for chunk in chunks for text in chunk.to_pylist()), name):
        yield from part


def _lists(texts: Any, name: str) -> Iterator[list[Any]]:
    if isinstance(texts, np.ndarray):
        if texts.ndim != 1:
            raise KindError(name, "hold one text per document").but(f"got an array of shape {texts.shape}")
        texts = texts.tolist()
    elif hasattr(texts, "to_list") and not hasattr(texts, "columns"):  # a Series or an Index
        texts = texts.to_list()
    if isinstance(texts, list | tuple):
        for at in range(0, len(texts), LIST_AT_ONCE):
            yield list(texts) if len(texts) <= LIST_AT_ONCE else list(texts[at : at + LIST_AT_ONCE])
        return
    if not isinstance(texts, Iterable):
        raise KindError(name, "hold texts, such as a list").but(f"got {type(texts).__name__}")
    source = iter(texts)
    while part := list(islice(source, STREAM_AT_ONCE)):
        yield part


def _arrow_chunks(texts: Any) -> list[Any] | None:
    """Return the texts as Arrow arrays if that takes no loop over them; None otherwise."""
    module = type(texts).__module__.split(".")[0]
    if module in ("pandas", "polars") and type(texts).__name__ == "Series":
        if str(texts.dtype) not in ("str", "string", "String", "Utf8", "large_string[pyarrow]", "string[pyarrow]"):
            return None
        import narwhals.stable.v2 as nw

        texts = nw.from_native(texts, series_only=True).to_arrow()
    elif module != "pyarrow":
        return None
    import pyarrow as pa

    if not isinstance(texts, pa.Array | pa.ChunkedArray):
        raise KindError("Texts", "be a single column, such as an Arrow array").but(
            f"got {type(texts).__name__}", "Select a column first."
        )
    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    plain = []
    for chunk in chunks:
        coded = pa.types.is_dictionary(chunk.type)
        kind = chunk.type.value_type if coded else chunk.type
        view = pa.types.is_string_view(kind)
        known = view or pa.types.is_string(kind) or pa.types.is_large_string(kind)
        plain.append(chunk.cast(pa.large_string()) if known and (coded or view) else chunk)
    return plain


def _arrow_batch(chunk: Any, lowercase: bool, name: str, first: int) -> Batch:
    import pyarrow as pa

    if chunk.null_count:
        at = int(np.flatnonzero(~chunk.is_valid().to_numpy(zero_copy_only=False))[0])
        raise KindError(name, "hold strings").but(
            f"got a null at index {first + at}", "Leave out missing texts, or replace them by ''."
        )
    if not pa.types.is_large_string(chunk.type) and not pa.types.is_string(chunk.type):
        raise KindError(name, "hold strings").but(f"got an Arrow array of {chunk.type}")
    patterns = list(special_letters()) if lowercase else []
    return Batch(
        _in_place(chunk, np.int64 if pa.types.is_large_string(chunk.type) else np.int32, patterns), _ONE_TEXT_EACH
    )


def _in_place(chunk: Any, kind: Any, patterns: list[bytes]) -> _native.Texts:
    _, offsets, data = chunk.buffers()
    offset = (
        np.frombuffer(offsets, kind)[chunk.offset : chunk.offset + len(chunk) + 1] if offsets else np.zeros(1, kind)
    )
    content = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    return _native.Texts.of_arrow(content, offset, patterns, thread_count())


def text_hashes(texts: Any, plain: Callable[[Any], str] = str) -> Any:
    """Return a 64-bit hash of each text, from any container; that of a null is arbitrary. `plain` converts non-strings.

    >>> import pyarrow as pa
    >>> a, b, c = text_hashes(pa.array(["one", "two", "one"]))
    >>> bool(a == b), bool(a == c), bool(a == text_hashes(["one"])[0])
    (False, True, True)
    """
    import pyarrow as pa

    must_be_one_column(texts, "X")
    chunks = _arrow_chunks(texts)
    if chunks is not None:
        parts = [_in_place(chunk.cast(pa.large_binary()), np.int64, []).hashes() for chunk in chunks]
        return np.concatenate([np.empty(0, np.uint64), *parts])
    parts = []
    for part in _lists(texts, "X"):
        native = _native.Texts.of_list(part, [])
        if native.bad >= 0:
            native = _native.Texts.of_list([text if isinstance(text, str) else plain(text) for text in part], [])
        parts.append(native.hashes())
    return np.concatenate([np.empty(0, np.uint64), *parts])
