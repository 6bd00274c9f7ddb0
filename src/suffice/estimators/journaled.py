"""Journals of classifiers: which rows were learned, so that `forget` takes away these and no others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, SubtractionError
from suffice.stats.hashing import Key, cell
from suffice.stats.journal import Hashes, Journal
from suffice.stats.words import read_weights
from suffice.typing import Array

__all__ = ["Book", "Journaled", "joined", "without"]

AT_ONCE = 4096
"""Texts of a stream that are hashed together."""


class Book:
    """Rows that are about to be learned or forgotten, and the journal of them."""

    def __init__(self, key: Key, labels: Any, sample_weight: Any) -> None:
        given = np.asarray(labels).tolist()
        known = {label: cell(label) for label in set(given)}
        self.labels = [known[label] for label in given]
        self.key, self.weights = key, _weights(sample_weight, len(given))
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

    def watch(self, texts: Any, form: Any) -> Any:
        """Texts; those that can be read only once are hashed as they pass."""
        return _Watched(texts, self, form) if isinstance(texts, Iterator) else texts

    @property
    def journal(self) -> Journal:
        """The journal of these rows."""
        return Journal.of(self.hashes, self.weights, self.key.check)


class _Watched(Iterator[Any]):
    """Texts that pass by, each hashed with its label."""

    def __init__(self, texts: Iterator[Any], book: Book, form: Any) -> None:
        self._texts, self._book, self._form = texts, book, form
        self._hashes = list[Hashes]()
        self._rows = list[bytes]()
        self._at = 0

    def __next__(self) -> Any:
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
        self._hashes.append(self._book.key.hashes(self._rows[: len(labels)], labels))  # who counts them tells of more
        self._at += len(self._rows)
        self._rows = []


class Journaled:
    """A classifier that may keep a journal."""

    _journal: Journal | None = None

    @property
    def journal_(self) -> Journal | None:
        """Hashes of the rows that were learned, and their weights; None if no journal is kept."""
        check_is_fitted(self)
        return self._journal

    def drop_journal(self) -> Self:
        """Drop the journal: the model stays as it is, but `forget` can no longer tell which rows were learned.

        Returns
        -------
        self : object
            The classifier.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.BernoulliNB().fit([[0], [1]], ["a", "b"], journal=True)
        >>> model.journal_, model.drop_journal().journal_
        (Journal(2 different rows, weight 2), None)
        """
        check_is_fitted(self)
        self._journal = None
        return self

    def _open(self, journal: Any, labels: Any, sample_weight: Any, first: bool) -> Book | None:
        """What rows to be learned are written into; None where no journal is kept."""
        if first:
            self._journal = None
            key = None if journal is None or journal is False else Key(None if journal is True else journal)
        elif self._journal is None and journal is not None and journal is not False:
            raise InputError(
                "The argument 'journal' asks for a journal of all rows, but this model has learned some without one. "
                "Fit it anew with 'journal', or learn the new rows without."
            )
        elif self._journal is not None and journal is False:
            raise InputError(
                "The argument 'journal' must not be False where a journal is kept, since every row is in it. Leave it "
                "out, or call 'drop_journal()' first."
            )
        else:
            key = None if self._journal is None else self._key(journal)
        return None if key is None else Book(key, labels, sample_weight)

    def _key(self, journal: Any) -> Key:
        """The key of the journal, if it is what was given."""
        assert self._journal is not None
        key = Key(None if journal is True or journal is None else journal)
        if np.array_equal(key.check, self._journal.check):
            return key
        given = "none" if journal is None or journal is True else "another"
        raise InputError(
            f"The argument 'journal' must be the key that this model's journal is kept under; got {given}."
        )

    def _close(self, book: Book | None, X: Any) -> None:
        """Rows that were learned are in the journal from now on."""
        if book is not None:
            book.write(self._row_bytes(X))
            self._journal = book.journal if self._journal is None else self._journal + book.journal

    def _entered(self, parts: Iterable[tuple[Any, Any]], journal: Any) -> Iterator[tuple[Any, Any]]:
        """Parts of rows and labels, each of them in the journal once it was learned."""
        first = True
        for X, y in parts:
            labels = np.asarray(y)
            book = self._open(journal, labels, None, first)
            yield X, y
            self._close(book, X)
            first, journal = False, journal if book is not None else None

    def _struck(self, X: Any, y: Any, sample_weight: Any, journal: Any) -> Book | None:
        """Rows that are to go, all of which were learned; None where no journal is kept."""
        if self._journal is None:
            if journal is not None and journal is not False:
                raise InputError(
                    "The argument 'journal' needs a model that keeps one; this one was fitted without, and cannot "
                    "tell which rows it has learned."
                )
            return None
        X, labels = self._read_again(X, y)
        book = Book(self._key(journal), labels, sample_weight)
        book.write(self._row_bytes(X))
        found = self._journal.not_learned(book.hashes, book.weights)
        if found is not None:
            row, learned, gone = found
            why = "it was not learned with this label, or is forgotten already"
            if learned:
                why = f"rows like it have a weight of {learned:g} in all, and {gone:g} would go with it"
            raise SubtractionError(f"Cannot forget row {row} (the first is 0): {why}.")
        return book

    @abstractmethod
    def _read_again(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows and labels as they were learned."""

    @abstractmethod
    def _row_bytes(self, X: Any) -> Iterable[bytes]:
        """Rows as bytes, the same whatever they came from."""


def joined(models: list[Any]) -> Journal | None:
    """The journal of several models: all of them have one, under one key, or none has."""
    journals = [model._journal for model in models]
    if all(journal is None for journal in journals):
        return None
    _check_together(journals)
    return Journal.total_of(journals)


def without(whole: Any, part: Any) -> Journal | None:
    """The journal of one model without the rows of another."""
    journals = [whole._journal, part._journal]
    if journals == [None, None]:
        return None
    _check_together(journals)
    left: Journal = whole._journal - part._journal
    return left


def _check_together(journals: list[Any]) -> None:
    if any(journal is None for journal in journals):
        raise InputError(
            "Models that are combined must all keep a journal, or none; some here do not. Fit those with 'journal', or "
            "call 'drop_journal()' of the others."
        )
    if any(not np.array_equal(journals[0].check, journal.check) for journal in journals):
        raise InputError(
            "Models that are combined must keep their journals under one key; got different ones. Fit them with the "
            "same key, or call 'drop_journal()' of each."
        )


def _weights(sample_weight: Any, rows: int) -> Array | None:
    if np.ndim(sample_weight) == 0 and sample_weight is not None:
        return np.full(rows, float(sample_weight))
    return read_weights(sample_weight, rows)
