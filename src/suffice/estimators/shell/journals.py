"""Journals of learned rows, and certificates of forgotten ones."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator

from suffice.errors import FileError, InputError, SubtractionError, WriteError, writing
from suffice.estimators.shell.atomic import file_of
from suffice.models.model import Model
from suffice.notebook import card, table
from suffice.readers.labels import Examples, RowReader
from suffice.stats.content import cell
from suffice.stats.journal import Hashes, Journal, Key
from suffice.telling import tell
from suffice.typing import Array, Booleans, JournalKey, LabelArray, Text, TextsLike


@dataclass(frozen=True, repr=False)
class Certificate:
    """A certificate that rows were forgotten, which `forget` returns if the model keeps a journal.

    Attributes
    ----------
    rows : int
        Number of forgotten rows; rows of weight 0, which were not learned, do not count.
    left : int
        Number of rows equal to these, label included, that the model still holds: they were learned more often than
        forgotten.
    hashes : tuple of str
        The hash of each row and its label under the key of the journal, in their order, as 32 hexadecimal digits.
    before, after : str or None
        SHA-256 of the model file before and after, as `save` would write it. None if `save` cannot write it, because no
        row is left or because the model has functions of the user.
    time : str
        Time of the call, in UTC.

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
    left: int
    hashes: tuple[str, ...]
    before: str | None
    after: str | None
    time: str

    @classmethod
    def of(cls, hashes: Hashes, left: int, before: str | None, after: str | None) -> Certificate:
        """Return a certificate with the current time."""
        rows = tuple(f"{first:016x}{second:016x}" for first, second in hashes.tolist())
        return cls(len(rows), left, rows, before, after, datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def json(self) -> str:
        """The certificate as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate as JSON to a new file; raise FileError if the file exists.

        Parameters
        ----------
        path : str or Path
            Path of the new file.
        """
        try:
            with writing(path), Path(path).open("x", encoding="utf-8") as file:
                file.write(self.json)
        except WriteError as error:
            if not isinstance(error.__cause__, FileExistsError):
                raise
            raise FileError(path=path, must="not exist yet: a certificate never replaces another").advise(
                "Name another file."
            ) from None

    def unused_path(self, model: str | os.PathLike[str]) -> Path:
        """Return a file name for the certificate, beside a model file, that no file has yet."""
        model, moment = Path(model), "".join(letter for letter in self.time.partition("+")[0] if letter.isalnum())
        names = (f"{model.stem}.forgotten-{moment}Z{f'-{k}' if k > 1 else ''}.json" for k in itertools.count(1))
        return next(path for path in map(model.with_name, names) if not path.exists())

    def __repr__(self) -> str:
        models = " → ".join("none" if one is None else f"{one[:12]}…" for one in (self.before, self.after))
        left = f", {self.left:,} equal left" if self.left else ""
        return f"Certificate({self.rows:,} row{'s' * (self.rows != 1)} forgotten at {self.time}{left}, model {models})"

    def _repr_html_(self) -> str:
        files = [("model before", self.before or "none"), ("model after", self.after or "none"), ("time", self.time)]
        files[:0] = [("equal rows left", f"{self.left:,}")] if self.left else []
        head = ["rows forgotten", f"{self.rows:,}"]
        return card(
            self, lambda: [table(head, [*files, *(("hash of a row", one) for one in self.hashes[:3])])], "Certificate"
        )


def checksum(model: BaseEstimator) -> str | None:
    """Return the SHA-256 of the file that `save` writes; None if it cannot write the model."""
    data = file_of(model)
    return None if data is None else sha256(data).hexdigest()


AT_ONCE = 4096
"""Number of texts of a stream that are hashed together."""


class Book:
    """Hashes of rows that are about to be learned or forgotten, and their journal."""

    def __init__(self, key: Key, labels: LabelArray, weights: Array | None) -> None:
        given = np.asarray(labels).tolist()
        known = {label: cell(label) for label in set(given)}
        self.labels = [known[label] for label in given]
        self.key, self.weights = key, weights
        self._hashes: Hashes | None = None

    @property
    def hashes(self) -> Hashes:
        """The hashes of all rows."""
        assert self._hashes is not None
        return self._hashes

    def write(self, rows: Iterable[bytes] | Hashes) -> None:
        """Hash rows, unless they were hashed while they were streamed."""
        if isinstance(rows, np.ndarray):
            self._hashes = rows
        elif self._hashes is None:
            self._hashes = self.key.hashes(rows, self.labels)

    def watch(self, texts: TextsLike, form: Callable[[Text], bytes]) -> TextsLike:
        """Return texts; an iterator is hashed while it is read."""
        return _Watched(texts, self, form) if isinstance(texts, Iterator) else texts

    @property
    def journal(self) -> Journal:
        """The journal of these rows."""
        return Journal.of(self.hashes, self.weights, self.key.check)


class _Watched(Iterator[Text]):
    """An iterator of texts that hashes each with its label."""

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
        self._hashes.append(
            self._book.key.hashes(self._rows[: len(labels)], labels)
        )  # counting raises for more texts than labels
        self._at += len(self._rows)
        self._rows = []


def book_of(kept: Journal | None, examples: Examples, journal: JournalKey, first: bool) -> Book | None:
    """Return a book for rows to be learned, under the key of the journal kept so far; None without a journal."""
    wanted = journal is not None and journal is not False
    if first:
        key = Key(None if journal is True else journal) if wanted else None
    elif kept is None and wanted:
        raise InputError(
            "journal",
            "not be given to a model that has learned rows without a journal, since a journal holds all rows",
        ).advise(python="Fit it again with 'journal', or leave it out.", shell="Fit it again with --journal.")
    elif kept is not None and journal is False:
        raise InputError("journal", "not be False if the model keeps a journal, since a journal holds all rows").advise(
            python="Leave it out, or call 'drop_journal()' first."
        )
    else:
        key = None if kept is None else _key(kept, journal)
    return None if key is None else Book(key, examples.y, examples.weights)


def struck(kept: Journal | None, examples: Examples, rows: Iterable[bytes], journal: JournalKey) -> Book | None:
    """Return the book of rows to be forgotten; raise SubtractionError for others; None without a journal."""
    if kept is None:
        if journal is not None and journal is not False:
            raise InputError("journal", "be left out for a model without a journal").but(
                "this one was fitted without",
                python="Or fit the model again with 'journal'.",
                shell="Or fit the model again with --journal.",
            )
        return None
    book = Book(_key(kept, journal), examples.y, examples.weights)
    book.write(rows)
    found = kept.not_learned(book.hashes, book.weights)
    if found is not None:
        row, why = found
        raise SubtractionError(f"Cannot forget row {row} (the first is 0): {why}.", row=row).but(why)
    return book


def signed(book: Book, rest: Journal | None, before: str | None, after: str | None) -> Certificate:
    """Return a certificate for the rows of a book, given the journal of the rows that the model still holds."""
    hashes = book.hashes if book.weights is None else book.hashes[book.weights > 0]
    left = 0 if rest is None else int(rest.copies(np.unique(hashes, axis=0)).sum())
    return Certificate.of(hashes, left, before, after)


def learned_before(kept: Journal | None, examples: Examples, rows: Iterable[bytes], journal: JournalKey) -> Booleans:
    """Return which rows are in a journal, with their labels and any weight."""
    if kept is None:
        raise InputError(
            "A model knows which rows it has learned only if it keeps a journal; this one was fitted without."
        ).advise(python="Fit it again with 'journal'.")
    book = Book(_key(kept, journal), examples.y, None)
    book.write(rows)
    return np.asarray(kept.copies(book.hashes) > 0)


def only_learned(kept: Journal | None, examples: Examples, reader: RowReader) -> Examples:
    """Return the rows; raise SubtractionError if a journal without a key lacks one. A key is needed to look rows up."""
    key = Key(None)
    if kept is None or not np.array_equal(key.check, kept.check):
        return examples
    book = Book(key, examples.y, examples.weights)
    book.write(reader.row_bytes(examples.source))
    found = kept.not_learned(book.hashes, book.weights)
    if found is not None:
        row, why = found
        raise SubtractionError(
            f"Row {row} (the first is 0) is not among the rows that the model holds: {why}.", row=row
        ).but(
            why, "Pass the rows that the model has learned and not forgotten, with the weights they were learned with."
        )
    return examples


def all_learned(kept: Journal | None, examples: Examples, reader: RowReader, model: Model) -> Examples:
    """Return the rows; warn if they are fewer than the model holds, and raise as `only_learned` does."""
    given, held = only_learned(kept, examples, reader).counted, float(model.n.sum())
    if given < held * (1 - 1e-9):
        tell(f"Views are chosen on {given:,.15g} of {held:,.15g} rows that the model holds. Pass all of them.")
    return examples


def _key(kept: Journal, journal: JournalKey) -> Key:
    """Return the given key; raise InputError unless it is that of the journal."""
    key = Key(None if journal is True or journal is None else journal)
    if np.array_equal(key.check, kept.check):
        return key
    given = "none" if journal is None or journal is True else "another"
    raise InputError("journal", "be the key of this model's journal").but(f"got {given}")


def joined(journals: list[Journal | None]) -> Journal | None:
    """Return the joint journal of several models; raise InputError unless all have one under the same key, or none."""
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
        raise InputError("Models that are combined", "all keep a journal, or none").but(
            "got models with and without",
            python="Fit all with 'journal', or call 'drop_journal()' on those that have one.",
        )
    if any(not np.array_equal(known[0].check, journal.check) for journal in known):
        raise InputError("Models that are combined", "keep their journals under one key").but(
            "got different ones", python="Fit them with the same key, or call 'drop_journal()' on each."
        )
    return known
