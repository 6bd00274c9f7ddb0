"""Journals of the rows that were learned, and certificates of what was forgotten."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

import suffice
from suffice.errors import FileError, InputError, KindError, SubtractionError
from suffice.notebook import card, table
from suffice.readers.labels import Examples
from suffice.stats.hashing import Key, cell
from suffice.stats.journal import Hashes, Journal
from suffice.typing import Array, JournalKey, LabelArray, Text, TextsLike

__all__ = ["Book", "Certificate", "book_of", "checksum", "joined", "struck", "without"]


@dataclass(frozen=True, repr=False)
class Certificate:
    """Evidence that rows were forgotten, which `forget` returns where the model keeps a journal.

    Attributes
    ----------
    rows : int
        How many rows went.
    hashes : tuple of str
        The hash of each row and its label, in their order, as 32 hexadecimal digits; under the key of the journal.
    before, after : str or None
        SHA-256 of the model file before and after, as `save` would write it. None where there is no file: nothing is
        left of the model, or it has functions of the user's own.
    time : str
        When, in UTC.

    Examples
    --------
    >>> import suffice as sf
    >>> texts, labels = ["cheap pills", "lunch at noon", "cheap watches"], ["spam", "ham", "spam"]
    >>> model = sf.TextClassifier().fit(texts, labels, journal=True)
    >>> certificate = model.forget(["cheap pills"], ["spam"])
    >>> certificate.rows, len(certificate.hashes[0]), certificate.before == certificate.after
    (1, 32, False)
    """

    rows: int
    hashes: tuple[str, ...]
    before: str | None
    after: str | None
    time: str

    @classmethod
    def of(cls, hashes: Hashes, before: str | None, after: str | None) -> Certificate:
        """Return the certificate of rows that are forgotten now."""
        rows = tuple(f"{first:016x}{second:016x}" for first, second in hashes.tolist())
        return cls(len(rows), rows, before, after, datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def json(self) -> str:
        """All of it, as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, to a file that is not there yet: a certificate never takes the place of another.

        Parameters
        ----------
        path : str or Path
            Where to.
        """
        try:
            with Path(path).open("x", encoding="utf-8") as file:
                file.write(self.json)
        except FileExistsError:
            raise FileError(
                f"The file {str(path)!r} must not exist yet: a certificate never replaces another. Name another file."
            ) from None

    def __repr__(self) -> str:
        models = " → ".join("none" if one is None else f"{one[:12]}…" for one in (self.before, self.after))
        return f"Certificate({self.rows:,} row{'s' * (self.rows != 1)} forgotten at {self.time}, model {models})"

    def _repr_html_(self) -> str:
        files = [("model before", self.before or "none"), ("model after", self.after or "none"), ("time", self.time)]
        head = ["rows forgotten", f"{self.rows:,}"]
        return card(
            self, lambda: [table(head, [*files, *(("hash of a row", one) for one in self.hashes[:3])])], "Certificate"
        )


def checksum(model: BaseEstimator) -> str | None:
    """Return the SHA-256 of the file that `save` writes; None for a model that no file can hold."""
    store: Any = suffice.store  # which stands above the classifiers: imported when it is needed
    try:
        return sha256(store.to_bytes(model)).hexdigest()
    except (KindError, NotFittedError):
        return None


AT_ONCE = 4096
"""Texts of a stream that are hashed together."""


class Book:
    """Rows that are about to be learned or forgotten, and the journal of them."""

    def __init__(self, key: Key, labels: LabelArray, weights: Array | None) -> None:
        given = np.asarray(labels).tolist()
        known = {label: cell(label) for label in set(given)}
        self.labels = [known[label] for label in given]
        self.key, self.weights = key, weights
        self._hashes: Hashes | None = None

    @property
    def hashes(self) -> Hashes:
        """Those of all rows."""
        assert self._hashes is not None
        return self._hashes

    def write(self, rows: Iterable[bytes] | Hashes) -> None:
        """Hash rows, unless they were hashed as they passed."""
        if isinstance(rows, np.ndarray):
            self._hashes = rows
        elif self._hashes is None:
            self._hashes = self.key.hashes(rows, self.labels)

    def watch(self, texts: TextsLike, form: Callable[[Text], bytes]) -> TextsLike:
        """Return texts; those that can be read only once are hashed as they pass."""
        return _Watched(texts, self, form) if isinstance(texts, Iterator) else texts

    @property
    def journal(self) -> Journal:
        """The journal of these rows."""
        return Journal.of(self.hashes, self.weights, self.key.check)


class _Watched(Iterator[Text]):
    """Texts that pass by, each hashed with its label."""

    def __init__(self, texts: Iterator[Text], book: Book, form: Callable[[Text], bytes]) -> None:
        self._texts, self._book, self._form = texts, book, form
        self._hashes = list[Hashes]()
        self._rows = list[bytes]()
        self._at = 0

    def __next__(self) -> Text:
        try:
            text = next(self._texts)
        except StopIteration:
            self._hash()
            self._book.write(np.concatenate(self._hashes))
            raise
        self._rows.append(self._form(text))
        if len(self._rows) == AT_ONCE:
            self._hash()
        return text

    def _hash(self) -> None:
        labels = self._book.labels[self._at : self._at + len(self._rows)]
        self._hashes.append(self._book.key.hashes(self._rows[: len(labels)], labels))  # who counts them refuses more
        self._at += len(self._rows)
        self._rows = []


def book_of(kept: Journal | None, examples: Examples, journal: JournalKey, first: bool) -> Book | None:
    """Return what rows to be learned are written into, beside the journal kept so far; None where none is kept."""
    wanted = journal is not None and journal is not False
    if first:
        key = Key(None if journal is True else journal) if wanted else None
    elif kept is None and wanted:
        raise InputError(
            "The argument 'journal' asks for a journal of all rows, but this model has learned some without one. "
            "Fit it anew with 'journal', or learn the new rows without."
        )
    elif kept is not None and journal is False:
        raise InputError(
            "The argument 'journal' must not be False where a journal is kept, since every row is in it. Leave it "
            "out, or call 'drop_journal()' first."
        )
    else:
        key = None if kept is None else _key(kept, journal)
    return None if key is None else Book(key, examples.y, examples.weights)


def struck(kept: Journal | None, examples: Examples, rows: Iterable[bytes], journal: JournalKey) -> Book | None:
    """Return rows that are to be forgotten, all of which must have been learned; None where no journal is kept."""
    if kept is None:
        if journal is not None and journal is not False:
            raise InputError(
                "The argument 'journal' needs a model that keeps one; this one was fitted without, and cannot tell "
                "which rows it has learned."
            )
        return None
    book = Book(_key(kept, journal), examples.y, examples.weights)
    book.write(rows)
    found = kept.not_learned(book.hashes, book.weights)
    if found is not None:
        row, learned, removed = found
        why = "it was not learned with this label, or is forgotten already"
        if learned:
            why = f"rows like it have a weight of {learned:g} in all, and {removed:g} would be removed"
        raise SubtractionError(f"Cannot forget row {row} (the first is 0): {why}.")
    return book


def _key(kept: Journal, journal: JournalKey) -> Key:
    """Return the key of a journal, if it is the one given."""
    key = Key(None if journal is True or journal is None else journal)
    if np.array_equal(key.check, kept.check):
        return key
    given = "none" if journal is None or journal is True else "another"
    raise InputError(f"The argument 'journal' must be the key that this model's journal is kept under; got {given}.")


def joined(journals: list[Journal | None]) -> Journal | None:
    """Return the journal of several models: all of them have one, under one key, or none has."""
    if all(journal is None for journal in journals):
        return None
    return Journal.total_of(_together(journals))


def without(journal: Journal | None, part: Journal | None) -> Journal | None:
    """Return the journal of one model without the rows of another."""
    if journal is None and part is None:
        return None
    one, other = _together([journal, part])
    return one - other


def _together(journals: list[Journal | None]) -> list[Journal]:
    known = [journal for journal in journals if journal is not None]
    if len(known) < len(journals):
        raise InputError(
            "Models that are combined must all keep a journal, or none; some here do not. Fit those with 'journal', or "
            "call 'drop_journal()' of the others."
        )
    if any(not np.array_equal(known[0].check, journal.check) for journal in known):
        raise InputError(
            "Models that are combined must keep their journals under one key; got different ones. Fit them with the "
            "same key, or call 'drop_journal()' of each."
        )
    return known
