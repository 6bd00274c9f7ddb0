"""Urns of texts: bursty words by name, sparse in (word, class).

Of a word that a class has not met, its urn holds k_c times what the prior holds of it: only k_c is written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse

from suffice.models.logs import log
from suffice.models.texts import Lexicon
from suffice.models.empirical.urn import Documents, Urn, dcm, edcm
from suffice.posterior.special import log_rising
from suffice.stats.words import WordCounts
from suffice.text import Batch
from suffice.typing import Array, Integers

__all__ = ["Urns", "fit_urns", "predictive_urns"]

Method = Literal["dcm", "edcm"]


@dataclass(frozen=True)
class Urns:
    """α of the words each class has met, what it holds of others in units of the prior, and all it holds."""

    alpha: Any  # classes × words
    rest: Array
    prior: Array
    total: Array
    method: Method
    late: tuple[int, ...]  # classes whose urn needs more steps

    def scorer(self, lexicon: Lexicon) -> UrnScorer:
        """What scores documents by these urns."""
        return UrnScorer(lexicon, self)


def predictive_urns(counts: WordCounts, alpha: float) -> Urns:
    """The multinomial with its parameters integrated out: an urn of each class's counts, and `alpha` of every word."""
    urns = sparse.csr_matrix(
        (counts.tokens.data + alpha, counts.tokens.indices, counts.tokens.indptr), counts.tokens.shape
    )
    total = np.asarray(counts.tokens.sum(axis=1)).ravel() + alpha * counts.width
    return Urns(urns, np.ones(counts.n_classes), np.full(counts.width, alpha), total, "dcm", ())  # NB-3


def fit_urns(counts: WordCounts, alpha: float, method: Method, max_iter: int = 100, tol: float = 1e-6) -> Urns:
    """An urn for each class; `alpha` one-word documents a word were read before, spread as documents hold words."""
    held = counts.document_frequency + 1.0
    prior = alpha * held * (counts.width / held.sum())
    met, rest, totals, late = [], [], [], []
    for c in range(counts.n_classes):
        documents = _documents(counts, c, prior)
        urn: Urn = edcm(documents) if method == "edcm" else dcm(documents, max_iter, tol)
        words = counts.documents.indices[counts.documents.indptr[c] : counts.documents.indptr[c + 1]]
        met.append(urn.alpha[words])
        totals.append(urn.alpha.sum())
        rest.append(_share(urn.alpha, prior, words))
        late += [] if urn.converged else [c]
    table = (np.concatenate(met), counts.documents.indices, counts.documents.indptr)
    urns = sparse.csr_matrix(table, shape=counts.documents.shape)
    return Urns(urns, np.array(rest), prior, np.array(totals), method, tuple(late))


def _share(alpha: Array, prior: Array, met: Integers) -> float:
    """What an urn holds of words not met, in units of the prior: the same for all of them; 1 if there are none."""
    unmet = np.ones(len(prior), bool)
    unmet[met] = False
    largest = int(np.argmax(np.where(unmet, prior, -1.0)))
    return float(alpha[largest] / prior[largest]) if unmet.any() and prior[largest] > 0 else 1.0


def _documents(counts: WordCounts, c: int, prior: Array) -> Documents:
    """What is known of a class's documents: those that hold a word once are those that hold it, but for the repeats."""
    row = slice(counts.documents.indptr[c], counts.documents.indptr[c + 1])
    words, once = counts.documents.indices[row].astype(np.int64), counts.documents.data[row].copy()
    mine = counts.repeats[:, 0] == c
    repeated, value, count = counts.repeats[mine, 1], counts.repeats[mine, 2], counts.repeat_documents[mine]
    np.subtract.at(once, np.searchsorted(words, repeated), count)
    single = once > 0
    lengths = (counts.lengths[:, 0] == c) & (counts.lengths[:, 1] > 0)
    return Documents(
        np.concatenate([words[single], repeated]),
        np.concatenate([np.ones(single.sum()), value.astype(np.float64)]),
        np.concatenate([once[single], count]),
        counts.lengths[lengths, 1].astype(np.float64),
        counts.length_documents[lengths],
        prior,
    )


@dataclass(frozen=True)
class UrnScorer:
    """Scores of documents by urns, without n!/Πx! (for "edcm" n!/Πx), which all classes share."""

    lexicon: Lexicon
    urns: Urns

    def scores(self, batch: Batch) -> Array:
        """Documents × classes."""
        return self.of_matrix(self.lexicon.matrix(batch, len(self.urns.prior)))

    def of_matrix(self, X: Any) -> Array:
        """The same for documents × words."""
        urns = self.urns
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        times = X.data if urns.method == "dcm" else np.ones(X.nnz)
        with np.errstate(divide="ignore"):
            out = self._met(row, X.indices, times, X.shape[0])
            if urns.prior.any():
                out += self._as_if_unmet(row, X.indices, times, X.shape[0])
            else:
                out[self._strangers(row, X.indices, X.shape[0]) > 0.5] = -np.inf
        lengths, place = np.unique(np.asarray(X.sum(axis=1)).ravel(), return_inverse=True)
        return np.asarray(out - log_rising(urns.total, lengths[:, None])[place])  # NB-6

    @cached_property
    def _by_word(self) -> Any:
        return self.urns.alpha.T.tocsr()

    def _pairs(self, word: Integers) -> tuple[Integers, Integers]:
        """Of each word the classes that met it: which word of the list, and where in the table."""
        start, size = self._by_word.indptr[word], np.diff(self._by_word.indptr)[word]
        entry = np.repeat(np.arange(len(word)), size)
        return entry, np.arange(len(entry)) + np.repeat(start - (np.cumsum(size) - size), size)

    def _met(self, row: Integers, word: Integers, times: Array, rows: int) -> Array:
        """What the words that a class has met add, beyond what they would add unmet."""
        urns = self.urns
        entry, at = self._pairs(word)
        classes, alpha = self._by_word.indices[at], self._by_word.data[at]
        x = times[entry]
        added = _log_rising(alpha, x)
        if urns.prior.any():
            added -= _log_rising(urns.rest[classes] * urns.prior[word[entry]], x)
        cell = row[entry] * len(urns.rest) + classes
        sums: Any = np.bincount(cell, added, rows * len(urns.rest)).astype(np.float64, copy=False)
        out: Array = sums.reshape(rows, len(urns.rest))
        return out

    def _as_if_unmet(self, row: Integers, word: Integers, times: Array, rows: int) -> Array:
        urns = self.urns
        single = times == 1
        known: Any = np.bincount(row[single], log(urns.prior)[word[single]], rows)
        out: Array = known[:, None] + np.bincount(row[single], minlength=rows)[:, None] * log(urns.rest)
        again = np.flatnonzero(~single)
        for c, rest in enumerate(urns.rest):
            more = log_rising(rest * urns.prior[word[again]], times[again])
            out[:, c] += np.bincount(row[again], more, rows)
        return out

    def _strangers(self, row: Integers, word: Integers, rows: int) -> Array:
        """How many words of a document each class has not met."""
        entry, at = self._pairs(word)
        classes = len(self.urns.rest)
        met = np.bincount(row[entry] * classes + self._by_word.indices[at], minlength=rows * classes)
        return np.asarray(np.bincount(row, minlength=rows)[:, None] - met.reshape(rows, classes), np.float64)


def _log_rising(alpha: Array, x: Array) -> Array:
    out = np.log(alpha)
    again = x > 1
    out[again] = log_rising(alpha[again], x[again])
    return np.asarray(out)
