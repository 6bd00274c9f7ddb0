"""Rows of one block of words with the class counts that score them, and trials of options on held-out rows.

Counts are unsmoothed and cover only the words that rows have. So rows can be removed, pseudo-counts tried and weights
fitted without the rest of the vocabulary: the compiled kernel holds rows, class counts of each word, and for each row
those without it. A pseudo-count turns them into log probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.errors import SubtractionError
from suffice.later import sparse
from suffice.models.choosing.judge import Sample, check_learned, parts_of, some_rows
from suffice.models.choosing.smoothing import Scored, choose_temper
from suffice.models.choosing.weights import Fitted, fit_weights, present_classes, terms_by_name
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.linear import times_counted
from suffice.models.scoring.removal import ROUNDING, Removal, left, nothing_removed
from suffice.models.scoring.rows import Labels
from suffice.models.scoring.text_rows import EntryRows
from suffice.models.views import FeatureWeights, WordWeights
from suffice.parallel import in_parallel, thread_count
from suffice.typing import Array, Booleans, Integers

ROWS_AT_ONCE = 2**14


@dataclass(frozen=True, eq=False)
class CountedWords:
    """Hold rows by their words, and the class counts that score them, each row without what is removed for it."""

    predictor: Predictor
    likelihood: Multinomial
    x: Any  # CSR, rows × words, as counted
    raw: Array  # each entry before counting
    by_word: Any  # CSR, words × classes: counts
    total: Array  # total count of words by class
    n: Array  # number of rows by class
    labels: Labels
    group: Integers | None
    used: Integers  # places of the words in the vocabulary, most frequent first
    width: int  # size of the vocabulary
    learned: bool = True  # whether the counts include the rows

    @classmethod
    def of(cls, predictor: Predictor, sample: Sample) -> CountedWords:
        """Return rows that a model of one block has learned."""
        ((name, block),) = predictor.model.voting.items()
        likelihood: Any = block.settled
        found, labels = sample.rows[name].entries(block.t), sample.labels
        check_learned(predictor.model, labels)
        used, place = _used(found.indices, found.shape[1])
        indices = place[found.indices]
        raw = sparse.csr_matrix((found.data.astype(np.float64), indices, found.indptr), (len(labels), len(used)))
        counts = likelihood.counts(block.t)
        table = counts.values[:, used] if counts.unmet is None else _columns(counts.values, place, len(used), used)
        by_word = sparse.csr_matrix(table.T) if counts.unmet is None else table.T.tocsr()
        x = likelihood.counted_entries(raw)
        n, total = np.asarray(predictor.model.n, np.float64), np.asarray(counts.sum(), np.float64)
        return cls(
            predictor, likelihood, x, raw.data, by_word, total, n, labels, sample.group, used, counts.width
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, which: Any) -> CountedWords:
        """Return the given rows, with groups renumbered."""
        group = None if self.group is None else np.unique(self.group[which], return_inverse=True)[1]
        raw = sparse.csr_matrix((self.raw, self.x.indices, self.x.indptr), self.x.shape)[which]
        x = self.likelihood.counted_entries(raw)
        return replace(self, x=x, raw=raw.data, labels=self.labels.take(which), group=group)

    def with_counts(self, other: CountedWords) -> CountedWords:
        """Return these rows with the counts of others that have the same words."""
        return replace(self, by_word=other.by_word, total=other.total, n=other.n)

    def without(self, out: Booleans, most: int | None = None) -> tuple[CountedWords, CountedWords]:
        """Return the remaining rows, or at most `most` of them, and the rows taken out.

        Both have the counts of all remaining rows.
        """
        numbers = np.flatnonzero(~out)
        if most is not None and len(numbers) > most:
            group = None if self.group is None else np.unique(self.group[numbers], return_inverse=True)[1]
            numbers = numbers[some_rows(len(numbers), most, group)]
        stay, removed_rows = self.take(numbers), self.take(out)
        removed = removed_rows._by_class()
        table = self.by_word.T.tocsr()
        data = table.data.copy()
        at = _places(table, removed)
        data[at] = left(data[at], removed.data)
        by_word = sparse.csr_matrix((data, table.indices, table.indptr), table.shape).T.tocsr()
        y, given = removed_rows.labels.y, removed_rows.labels.given
        tokens = given * removed_rows._sums(removed_rows.x.data)
        brought = (np.bincount(y, each, len(self.n)) for each in (tokens, given))
        total, n = (
            left(one, np.asarray(less, np.float64)) for one, less in zip((self.total, self.n), brought, strict=True)
        )
        rest = {"by_word": by_word, "total": total, "n": n}
        return replace(stay, **rest), replace(removed_rows, **rest, learned=False)

    def _by_class(self) -> Any:
        """Return what these rows contribute to each class, classes × words as CSR."""
        members = sparse.csr_matrix(
            (self.labels.given, (self.labels.y, np.arange(len(self)))), (len(self.n), len(self))
        )
        found = (members @ self.x).tocsr()
        found.sort_indices()
        return found

    @cached_property
    def removed(self) -> Removal:
        """Return what each class loses before it scores a row."""
        if not self.learned:
            return nothing_removed(len(self))
        return Removal.of(self.labels.y, self.labels.weights, self.group)

    @cached_property
    def own(self) -> tuple[Integers, NDArray[np.int32]]:
        """Return the places of the words that these rows have, and the inverse map."""
        return _used(self.x.indices, self.x.shape[1])

    @property
    def places(self) -> Integers:
        """Return the places in the vocabulary of the words that these rows have."""
        return self.used[self.own[0]]

    @cached_property
    def times(self) -> Array:
        """Return the effective count of each entry in a score."""
        return times_counted(self.likelihood.times, self.raw)

    @cached_property
    def lengths(self) -> Array:
        """Return the length of each row: the sum of its effective counts."""
        return self._sums(self.times)

    @property
    def lengths_as_read(self) -> Array:
        """Return the number of words of each row, as read."""
        return self._sums(self.raw)

    def _sums(self, of_entries: Array) -> Array:
        """Return the sum over the entries of each row."""
        entries = sparse.csr_matrix((of_entries, self.x.indices, self.x.indptr), self.x.shape)
        return np.asarray(entries.sum(axis=1)).ravel()

    @cached_property
    def prior(self) -> Array:
        """Return ln p(c), counting all rows."""
        return self.predictor.log_prior_of(self.n)

    @property
    def weights(self) -> Array:
        """Return the weight of each row: 0 if it is alone in its class."""
        return self._left[0]

    @property
    def log_prior(self) -> Array:
        """Return ln p(c) of each row after the removal, up to a constant per row; rows × classes."""
        out = np.repeat(self.prior[None], len(self), axis=0)
        out[self.removed.row, self.removed.code] += self._left[1]
        return out

    @cached_property
    def native(self) -> _native.EvidenceRows:
        """Return the rows in the form of the compiled kernel."""
        used, place = self.own
        removed, line, x = self.removed, self.by_word[used], self.x
        rows = x.indptr.astype(np.int64), place[x.indices], self.times, np.ascontiguousarray(self.labels.y, np.int64)
        counts = line.indptr.astype(np.int64), line.indices.astype(np.int32), line.data, self.total
        rest = left(self.total[removed.code], removed.sums(self._sums(x.data)))
        held = _native.EvidenceRows(*rows, *counts, *self._pairs(), rest, self._left[1], thread_count())
        if not held.learned:
            raise SubtractionError(
                "Rows can be left out only with the labels and weights they were learned with."
            ).advise("Pass the rows that the model was fitted on.")
        return held

    def _pairs(self) -> tuple[Integers, NDArray[np.int32], Integers, Array]:
        """Return the classes that lose each row or its group, and what they lose of the row's words."""
        removed, rows = self.removed, len(self)
        first = np.searchsorted(removed.row, np.arange(rows + 1)).astype(np.int64)
        if not len(removed.row):
            return first, np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0)
        if removed.alone:
            amount = self.x.data * np.repeat(removed.members.data, np.diff(self.x.indptr))
            return first, removed.code.astype(np.int32), self.x.indptr[:-1].astype(np.int64), amount
        entries, amount = removed.entries(self.x)
        start = np.searchsorted(entries.row, np.arange(len(removed.row))).astype(np.int64)
        return first, removed.code.astype(np.int32), start, amount

    def smoothed(self, alpha: float | None) -> _native.Evidence:
        """Return the rows smoothed by a pseudo-count; None uses that of the likelihood."""
        likelihood = self.likelihood if alpha is None else self.likelihood.smoothed(alpha)
        more = np.asarray(likelihood.more, np.float64)
        total = float(more.sum()) if more.ndim else float(more) * self.width
        each = np.ascontiguousarray(more[self.places]) if more.ndim else more.reshape(1)
        return _native.Evidence(self.native, each, total, thread_count())

    @cached_property
    def _left(self) -> tuple[Array, Array]:
        """Return the weight of each row, and each pair's change of ln p(c) relative to counting all rows.

        A row that is alone in its class weighs 0. Changes that all classes of a row share are left out.
        """
        removed, codes, given = self.removed, self.labels.y, self.labels.given
        known = np.where(np.isfinite(self.prior), self.prior, 0.0)
        weights, out = np.empty(len(codes)), np.empty(len(removed.row))
        for begin in range(0, len(codes), ROWS_AT_ONCE):
            code = codes[begin : begin + ROWS_AT_ONCE]
            every = np.arange(len(code))
            pairs = slice(*np.searchsorted(removed.row, [begin, begin + len(code)]))
            at = removed.row[pairs] - begin, removed.code[pairs]
            rest = np.repeat(self.n[None], len(code), axis=0)
            less = rest[at] - removed.weight[pairs]
            rest[at] = np.where(less > ROUNDING * rest[at], less, 0.0)
            weights[begin : begin + len(code)] = np.where(rest[every, code] > 0, given[begin:][: len(code)], 0.0)
            more = np.broadcast_to(self.predictor.log_prior_of(rest) - known, rest.shape)
            others = np.isfinite(more)
            others[at] = False
            shared = np.where(others.any(axis=1), more[every, others.argmax(axis=1)], 0.0)
            out[pairs] = more[at] - shared[at[0]]
        return weights, out


def _used(words: NDArray[Any], width: int) -> tuple[Integers, NDArray[np.int32]]:
    """Return the words that rows have, most frequent first, and the place of each word among these, or −1.

    So numbers of frequent words are close together in memory.
    """
    rows = np.bincount(words, minlength=width)
    used = np.flatnonzero(rows)
    used = used[np.argsort(-rows[used], kind="stable")]
    place = np.full(width, -1, np.int32)
    place[used] = np.arange(len(used))
    return used, place


def _columns(counts: Any, place: NDArray[np.int32], width: int, used: Integers) -> Any:
    """Return the given columns of a CSR matrix, renumbered."""
    found = place[counts.indices]
    there = found >= 0
    start = np.concatenate([[0], np.cumsum(there)])[counts.indptr]
    out = sparse.csr_matrix((counts.data[there], found[there], start), (counts.shape[0], width))
    out.sort_indices()
    return out


def _places(table: Any, some: Any) -> Integers:
    """Return where the cells of one CSR matrix are stored in another; raise SubtractionError if one is missing."""
    width = np.int64(table.shape[1])
    keys, wanted = (
        np.repeat(np.arange(one.shape[0], dtype=np.int64), np.diff(one.indptr)) * width + one.indices
        for one in (table, some)
    )
    at = np.searchsorted(keys, wanted)
    if len(wanted) and (not len(keys) or (keys[np.minimum(at, len(keys) - 1)] != wanted).any()):
        raise SubtractionError("Rows can be left out only with the labels and weights they were learned with.").advise(
            "Pass the rows that the model was fitted on."
        )
    return np.asarray(at)


def looked_up(sample: Sample, predictor: Predictor) -> Sample:
    """Return the rows of the only block by their entries."""
    ((name, block),) = predictor.model.voting.items()
    return replace(sample, rows={name: EntryRows(sample.rows[name].entries(block.t))})


@dataclass(frozen=True, eq=False)
class WordRows:
    """Hold rows smoothed by one pseudo-count, each to be scored by classes that have not seen it."""

    native: _native.Evidence
    counted: CountedWords
    weights: Array
    powers: Array  # temper of each row
    centre: Array | None = None
    scales: Array | None = None  # second derivatives for another pseudo-count, close enough

    @classmethod
    def of(cls, counted: CountedWords, alpha: float | None = None) -> WordRows:
        """Return untempered rows smoothed by a pseudo-count; None uses that of the likelihood."""
        return cls(counted.smoothed(alpha), counted, counted.weights, np.ones(len(counted)))

    def tempered(self, temper: Temper) -> WordRows:
        """Return the rows with likelihoods raised to powers."""
        power = temper.of(self.counted.lengths if temper.length else None)
        return replace(self, powers=np.broadcast_to(power, len(self.counted)).astype(np.float64))

    @property
    def size(self) -> tuple[int, int]:
        """Return the number of features that rows have, and of classes."""
        return len(self.counted.own[0]), len(self.counted.n)

    @cached_property
    def present(self) -> Booleans:
        """Return which classes have rows that count."""
        return present_classes(self.counted.labels.y, self.weights, self.size[1])

    def own(self, features: Array) -> Array:
        """Return the weights of the features that rows have, given those of all features."""
        return features[self.counted.places]

    def among_all(self, features: Array) -> Array:
        """Return the weights of all features: one for features that no row has."""
        out = np.ones(self.counted.width)
        out[self.counted.places] = features
        return out

    def take(self, which: Booleans) -> WordRows:
        """Return the rows with a weight of 0 for all but the given ones."""
        return replace(self, weights=np.where(which, self.weights, 0.0))

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """Return −Σ w ln p of the own class, and its gradients."""
        gradient, terms = (np.zeros(n) for n in self.size)
        return self._run(features, classes, gradient=gradient, terms=terms), gradient, terms

    def hessian_diagonal(self, features: Array, classes: Array) -> Array:
        """Return the second derivative of the loss in each feature's weight."""
        out = np.zeros(self.size[0])
        self._run(features, classes, hessian_diagonal=out)
        return out

    @cached_property
    def curvature(self) -> Array:
        """Return approximate second derivatives where all weights are one."""
        if self.scales is not None:
            return self.scales
        return self.hessian_diagonal(*(f(n) for f, n in zip((np.ones, np.zeros), self.size, strict=True)))

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class for each row."""
        out = np.zeros(len(self.weights))
        self._run(features, classes, each=out)
        return self.weights * out

    def scores(self, features: Array, which: Integers | None = None) -> Array:
        """Return untempered scores of all or the given rows, without the prior; rows × classes."""
        which = np.arange(len(self.counted)) if which is None else which
        out = np.empty((len(which), self.size[1]))
        self.native.scores(features, which, out, thread_count())
        return out

    def scored(self, which: Integers, exponent: float | None) -> Scored:
        """Return the given rows in the form that chooses a temper."""
        counted = self.counted
        lengths = None if exponent == 0 else counted.lengths[which]
        scores = self.scores(np.ones(self.size[0]), which)
        return Scored(scores, counted.log_prior[which], counted.labels.y[which], self.weights[which], lengths, exponent)

    def _run(self, features: Array, classes: Array, **out: Array) -> float:
        """Return the loss, and fill the given arrays."""
        nothing = np.empty(0)
        gradient, terms, diagonal, each = (
            out.get(name, nothing) for name in ("gradient", "terms", "hessian_diagonal", "each")
        )
        rows = self.counted.prior + classes, self.weights, self.powers
        return self.native.loss(features, *rows, gradient, terms, diagonal, each, thread_count())


def named(found: Fitted, predictor: Predictor) -> FeatureWeights:
    """Return fitted weights as a view, by name if features have names."""
    ((_, block),) = predictor.model.voting.items()
    terms, words = terms_by_name(found, predictor.model.classes), getattr(block.t, "words", None)
    if words is None:
        return FeatureWeights(terms, found.ridge, found.features)
    return WordWeights(terms, found.ridge, found.features, words)


LEAST_SCORE = -1e3
"""Score of an impossible class."""

TEMPERED, WEIGHED = 2000, 2000
"""Largest number of rows that choose a temper; number of rows that weights are fitted on if they only score others."""

KEPT = 4
"""Number of pseudo-counts whose tables are cached, since the search returns to them."""

ROUGH_WORDS, FINE_WORDS = 3e-3, 1e-3
"""Tolerances of a fit of word weights: for comparing options, and for the final weights."""


@dataclass(frozen=True)
class WordOption:
    """Describe an option: a pseudo-count (None for the model's own) and the ridge of weights (∞ for no weights)."""

    alpha: float | None
    ridge: float

    @property
    def weighs(self) -> bool:
        """Return whether words have weights."""
        return bool(np.isfinite(self.ridge))


@dataclass(frozen=True, eq=False)
class Curvature:
    """Hold second derivatives of a loss in the weights of words, per row, to scale the steps of another fit."""

    each: Array  # one per word

    @classmethod
    def of_rows(cls, words: CountedWords, found: Array) -> Curvature:
        """Return the curvature found on rows; words that they lack, rare ones, get the median."""
        each = np.full(words.width, float(np.median(found)) if len(found) else 1.0)
        each[words.places] = found
        return cls(each / max(1, len(words)))

    def of(self, words: CountedWords) -> Array:
        """Return approximate second derivatives for other rows."""
        return np.asarray(self.each[words.places] * len(words))


@dataclass(frozen=True, eq=False)
class Outside:
    """Hold tempered held-out scores of rows, and the unscaled part, rows × classes each."""

    scores: Array
    offset: Array

    def weights(self, labels: Labels) -> Array:
        """Return the weight of each row: 0 where its own class is impossible."""
        own = (self.scores + self.offset)[np.arange(len(labels)), labels.y]
        return np.where(own > LEAST_SCORE / 2, labels.given, 0.0)

    @classmethod
    def together(cls, parts: Sequence[Integers], found: Sequence[Outside]) -> Outside:
        """Return parts of rows merged in the order of their row numbers."""
        order = np.argsort(np.concatenate(parts))
        return cls(*(np.concatenate([getattr(one, name) for one in found])[order] for name in ("scores", "offset")))


class WordTrial:
    """Hold texts that weights are fitted on, and held-out texts; the latest results are cached."""

    def __init__(
        self,
        words: CountedWords,
        out: Booleans,
        temper: Temper | None,
        exponent: float | None,
        most: int | None = None,
        curvature: Curvature | None = None,
    ) -> None:
        self.learned, self.unseen = words.without(out, most)
        self.out, self.temper, self.exponent = np.flatnonzero(out), temper, exponent
        self._kept: dict[float | None, _Smoothed] = {}
        self._curvature = None if curvature is None else curvature.of(self.learned)

    @property
    def group(self) -> Integers:
        """Return the number of each held-out row's group."""
        group = self.unseen.group
        return np.arange(len(self.out)) if group is None else group

    @property
    def weights(self) -> Array:
        """Return the weight of each held-out row."""
        return self.unseen.weights

    @cached_property
    def few(self) -> Integers:
        """Return the learned rows that choose a temper."""
        return some_rows(len(self.learned), TEMPERED, self.learned.group)

    def at(self, alpha: float | None) -> _Smoothed:
        """Return the rows smoothed by a pseudo-count, cached."""
        if alpha not in self._kept:
            self._kept = dict([*self._kept.items()][1 - KEPT :])
            self._kept[alpha] = _Smoothed(alpha, self)
        return self._kept[alpha]

    def fit(self, option: WordOption, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return the weights of an option, and −w ln p of the own class of each held-out row."""
        rows = self.at(option.alpha)
        found = Fitted(np.ones(self.unseen.width), np.zeros(len(self.unseen.n)), np.inf, 0.0, 0)
        if option.weighs:
            learned = replace(rows.learned, scales=self._curvature)
            self._curvature = learned.curvature  # of the first pseudo-count; others differ little
            found = fit_weights(learned, option.ridge, initial, ROUGH_WORDS)
        return found, rows.judges.each(rows.judges.own(found.features), found.classes)

    def curvature_of_words(self, option: WordOption) -> Curvature | None:
        """Return second derivatives for the words of learned rows, if weights were fitted on them."""
        if self._curvature is None or not option.weighs:
            return None
        return Curvature.of_rows(self.learned, self._curvature)

    def scores(self, option: WordOption, fit: Fitted) -> Outside:
        """Return the scores of held-out rows."""
        rows = self.at(option.alpha).judges
        scores = rows.powers[:, None] * rows.scores(rows.own(fit.features))
        offset = np.broadcast_to(self.unseen.prior + fit.classes, scores.shape)
        return Outside(np.maximum(scores, LEAST_SCORE), np.maximum(offset, LEAST_SCORE))


@dataclass(frozen=True, eq=False)
class _Smoothed:
    """Hold the rows of a trial smoothed by a pseudo-count, and its best temper."""

    alpha: float | None
    trial: WordTrial

    @cached_property
    def temper(self) -> Temper:
        """Return the given temper, or the best one for the learned rows."""
        trial = self.trial
        return choose_temper(self._learned.scored(trial.few, trial.exponent)) if trial.temper is None else trial.temper

    @cached_property
    def _learned(self) -> WordRows:
        return WordRows.of(self.trial.learned, self.alpha)

    @cached_property
    def learned(self) -> WordRows:
        """Return the rows that weights are fitted on, each left out."""
        return self._learned.tempered(self.temper)

    @cached_property
    def judges(self) -> WordRows:
        """Return the held-out rows."""
        return WordRows.of(self.trial.unseen, self.alpha).tempered(self.temper)


def outside_scores(
    words: CountedWords, option: WordOption, temper: Temper, curvature: Curvature | None = None
) -> Outside:
    """Return scores of all rows, part by part, by counts and weights that have not seen the part."""
    parts = parts_of(words, words.group)

    def scored(k: int) -> tuple[Integers, Outside]:
        most = WEIGHED if option.weighs else None
        trial = WordTrial(words, parts == k, temper, None, most, curvature)
        return trial.out, trial.scores(option, trial.fit(option)[0])

    found = in_parallel(scored, np.unique(parts).tolist())
    return Outside.together([numbers for numbers, _ in found], [scores for _, scores in found])
