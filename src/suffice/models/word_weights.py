"""Evidence weights of words: documents, sparse, each predicted by classes that have not seen it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from suffice import _native
from suffice.models import leave_out, texts
from suffice.models.removal import Entries, gone_by, removals
from suffice.models.sample import one_in
from suffice.models.temper import Temper, choose_temper
from suffice.models.text_model import TextModel
from suffice.models.weights import JUDGED, RIDGE, ROUGH, Fitted, choose_ridge, fit_weights, safest
from suffice.parallel import thread_count
from suffice.typing import Array, Booleans, Integers

__all__ = ["Choice", "Documents", "Tokens", "WordRows", "choose"]

ALPHA, STEP = 0.1, 10**0.5
"""Where the pseudo-count is looked for first, and the factor to the next."""


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents × words that a model has learned: their classes, what each counts for, and which belong together.

    `log_prior` is a function of the rows of each class.
    """

    matrix: Any
    codes: Integers
    given: Array
    group: Integers | None
    log_prior: Callable[[Array], Array]

    def some(self, which: Any) -> Documents:
        """Some of them."""
        group = None if self.group is None else self.group[which]
        return Documents(self.matrix[which], self.codes[which], self.given[which], group, self.log_prior)

    def gone(self, classes: int) -> tuple[Any, Integers]:
        """What goes from classes with each document or group, and which of these is each document's."""
        alone = np.arange(len(self.codes)) if self.group is None else self.group
        return gone_by(alone, self.codes, self.given, classes), alone

    def judging(self, n: Array) -> Array:
        """What each counts for; nothing for those alone in their class, which has so many rows."""
        by, alone = self.gone(len(n))
        left = n[self.codes] - np.asarray(by[alone, self.codes]).ravel()
        return np.where(left > 1e-12 * n[self.codes], self.given, 0.0)

    def prior_without(self, rows: Integers, n: Array) -> Array:
        """The log prior for some of them, without them or their group: rows × classes."""
        by, alone = self.gone(len(n))
        left = n - by[alone[rows]].toarray()
        return np.asarray(self.log_prior(np.where(left > 1e-12 * n, left, 0.0)))


@dataclass(frozen=True, eq=False)
class Tokens:
    """Counts of words that have no names: classes × words, and rows of classes."""

    tokens: Any
    n: Array

    @property
    def width(self) -> int:
        """Number of words."""
        return int(self.tokens.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.n)

    def less(self, documents: Any, codes: Integers, weights: Array) -> Tokens:
        """Without documents."""
        member = sparse.csr_matrix((weights, (codes, np.arange(len(codes)))), (len(self.n), len(codes)))
        left = self.tokens - member @ documents
        slight = np.abs(left.data) <= 1e-9 * (1 + np.abs(left.data))
        left.data[slight] = 0.0
        return Tokens(left.tocsr(), self.n - np.asarray(member.sum(axis=1)).ravel())


@dataclass(frozen=True, eq=False)
class WordRows:
    """Documents as the compiled kernel holds them."""

    native: _native.Evidence
    size: tuple[int, int]
    prior: Array
    weights: Array

    @classmethod
    def of(cls, model: TextModel, documents: Documents, temper: Temper, learned: bool = True) -> WordRows:
        """By a multinomial model's words; documents that it has not learned are not left out."""
        matrix, words = documents.matrix, texts.multinomial(model.counts, model.table, model.added)
        start, n = matrix.indptr.astype(np.int64), model.counts.n
        asked = _asked(model, documents, start) if learned else _nothing(len(documents.codes))
        line = words.values.indptr.astype(np.int64), words.values.indices.astype(np.int32), words.values.data
        told = model.told(matrix)
        power = np.broadcast_to(temper.of(lengths(told)), len(documents.codes)).astype(np.float64)
        entries = start, matrix.indices.astype(np.int32), told.data.astype(np.float64)
        native = _native.Evidence(*entries, power, documents.codes, *line, words.slope, *asked)
        judging = documents.judging(n) if learned else np.where(n[documents.codes] > 0, documents.given, 0.0)
        return cls(native, (model.counts.width, model.counts.n_classes), documents.log_prior(n), judging)

    def some(self, which: Booleans) -> WordRows:
        """The same with some of the rows."""
        return replace(self, weights=np.where(which, self.weights, 0.0))

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """−Σ w ln p of the own class, and its slopes."""
        return self._ask(features, classes, np.empty(0), np.empty(0))

    def bend(self, features: Array, classes: Array) -> Array:
        """Second derivatives, word by word."""
        bend = np.zeros(self.size[0])
        self._ask(features, classes, bend, np.empty(0))
        return bend

    def each(self, features: Array, classes: Array) -> Array:
        """−w ln p of the own class, row by row."""
        each = np.zeros(len(self.weights))
        self._ask(features, classes, np.empty(0), each)
        return self.weights * each

    def _ask(self, features: Array, classes: Array, bend: Array, each: Array) -> tuple[float, Array, Array]:
        pull, terms = (np.zeros(n) for n in self.size)
        prior = self.prior + classes
        value = self.native.loss(features, prior, self.weights, pull, terms, bend, each, thread_count())
        return value, pull, terms


@dataclass(frozen=True)
class Choice:
    """What was chosen by rows: the pseudo-count, the temper that suits it, and weights to start from."""

    alpha: float
    temper: Temper
    start: Fitted


def choose(
    model: TextModel, documents: Documents, alpha: float | None, temper: Temper | None, ridge: float | None, weigh: bool
) -> Choice:
    """Pseudo-count, temper and ridge, as far as they are not given.

    Some documents are taken out of the model, and judge what the others chose. Leaving out alone would not do: two
    documents that share a rare word would tell each other's class. The pseudo-count is the best with weights; the best
    without is often too small for them, since then it alone makes rare words count.
    """
    out = one_in(JUDGED, len(documents.codes), documents.group)
    judged, learned = documents.some(out), documents.some(~out)
    left = replace(model, counts=model.counts.less(judged.matrix, judged.codes, judged.given))
    fits: dict[float, tuple[Temper, tuple[WordRows, WordRows] | None, Fitted]] = {}

    def loss(pseudo_count: float) -> Array:
        its = replace(left, alpha=pseudo_count)
        suits = _temper(its, learned) if temper is None else temper
        held, start = WordRows.of(its, judged, suits, learned=False), Fitted(*_ones(its), 0.0, 0.0, 0)
        part = (WordRows.of(its, learned, suits), held) if weigh else None
        if part is not None:
            start = fit_weights(part[0], ridge or RIDGE, None, ROUGH)
        fits[pseudo_count] = suits, part, start
        return held.each(start.features, start.classes)

    if alpha is None:
        alpha = safest(loss, ALPHA, STEP, 1e-3, 10.0)
    else:
        loss(alpha)
    suits, part, start = fits[alpha]
    if part is not None and ridge is None:
        start = choose_ridge([part], start)
    return Choice(alpha, suits, start)


def _ones(model: TextModel) -> tuple[Array, Array]:
    return np.ones(model.counts.width), np.zeros(model.counts.n_classes)


def _temper(model: TextModel, learned: Documents) -> Temper:
    scores = model.leave_out(learned.matrix, learned.codes, learned.given, learned.group)
    prior = learned.prior_without(np.arange(len(learned.codes)), model.counts.n)
    weights = learned.judging(model.counts.n)
    return choose_temper(scores, prior, learned.codes, weights, lengths(model.told(learned.matrix)))


def lengths(documents: Any) -> Array:
    """Words of each document."""
    return np.asarray(documents.sum(axis=1)).ravel()


def _nothing(rows: int) -> tuple[Any, ...]:
    none = np.zeros(0, np.int64)
    return np.zeros(rows + 1, np.int64), none.astype(np.int32), none, np.zeros(0), np.zeros(0)


def _asked(model: TextModel, documents: Documents, start: Integers) -> tuple[Any, ...]:
    """Which classes each row asks without itself or its group, and what these say of its words and of the prior."""
    table, alpha = model.table, model.added
    totals = np.asarray(table.sum(axis=1)).ravel() + alpha * model.counts.width
    drawn, entries = lengths(documents.matrix), Entries.of(documents.matrix)
    rows, codes, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for removal in removals(documents.codes, documents.given, documents.group, model.counts.n_classes):
        mine, gone = removal.of_entries(entries)
        left = leave_out.left(leave_out.at(table, removal.code[mine.row], mine.feature), gone)
        whole = totals[removal.code]
        shift = np.log(whole) - np.log(whole - removal.sums(drawn))
        rows.append(removal.rows)
        codes.append(removal.code)
        values.append(np.log(left + alpha) - np.log(alpha) + shift[mine.row])  # SX-3
    row, code, value = np.concatenate(rows), np.concatenate(codes), np.concatenate(values)
    at = np.concatenate([[0], np.cumsum(np.diff(start)[row])])[:-1]
    order = np.argsort(row, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(documents.codes)))]).astype(np.int64)
    prior = _prior_of(documents, model.counts.n, row[order], code[order], first)
    return first, code[order].astype(np.int32), at[order].astype(np.int64), value, prior


def _prior_of(documents: Documents, n: Array, row: Integers, code: Integers, first: Integers) -> Array:
    """How the log prior of a class that is asked differs from that of all rows; what all classes share is left out."""
    out, prior = np.empty(len(row)), documents.log_prior(n)
    known = np.where(np.isfinite(prior), prior, 0.0)
    for begin in range(0, len(documents.codes), 2**14):
        rows = np.arange(begin, min(begin + 2**14, len(documents.codes)))
        part = slice(first[rows[0]], first[rows[-1] + 1])
        more = documents.prior_without(rows, n) - known
        others = np.isfinite(more)
        others[row[part] - begin, code[part]] = False
        shared = np.where(others.any(axis=1), more[np.arange(len(rows)), others.argmax(axis=1)], 0.0)
        out[part] = more[row[part] - begin, code[part]] - shared[row[part] - begin]
    return out
