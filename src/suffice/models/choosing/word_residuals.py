"""Fit residuals of words: corrections per word and class to the scores of weighted counts.

    score'_c(x) = ln π_c + b_c + a · s_c(x) + Σ_j δ[c, j] x̃_j      0 ≤ a ≤ 1                                   JC-6

    maximise  Σ_i ln softmax_{y_i}(score'(x_i)) − (ρ/2) Σ δ²

s is the score of a row by counts and weights that have not seen it. x̃_j is the tf-idf weight of a word: 1 + ln of its
count, times ln of its rarity, tempered as the score is, and scaled so that rows have unit length on average. So a
residual is added to w_j ln θ_jc of its word, and texts are scored as before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.later import logsumexp, sparse
from suffice.models.choosing.counted_words import CountedWords
from suffice.models.choosing.feature_weights import NATS, Fitted
from suffice.models.choosing.judge import some_rows
from suffice.models.choosing.word_trial import Outside, WordOption, WordTrial, outside_scores
from suffice.models.scoring.cells import Temper
from suffice.models.views import WordResiduals
from suffice.typing import Array, Integers

__all__ = [
    "FittedWords",
    "Scores",
    "Sides",
    "WordDesign",
    "design_of",
    "fit_word_residuals",
    "named_residuals",
]

LEAST, TERMS = 2, 2**22
"""Smallest number of rows with a word for it to get a term; largest number of words × classes, most frequent first."""

JUDGED_BY = 4000
"""Largest number of rows that residuals are fitted on to be compared."""

ENOUGH, ROUNDS, SCALES = 1e-2, 60, 3
"""Tolerance as a share of the loss; rounds over all rows; and number of updates of a."""


@dataclass(frozen=True, eq=False)
class WordDesign:
    """Hold rows by the words that have a term. The last column is one for every row: its term is that of the class."""

    x: Any  # CSR in single precision
    places: Integers  # of the words in the vocabulary, most frequent first
    factor: Array  # per word, multiplies its tempered count

    @classmethod
    def of(cls, words: CountedWords, temper: Temper, frequency: Array, rows: float) -> WordDesign:
        """Return rows by words that may have a term; `frequency` is each word's document frequency in `rows` rows."""
        x = sparse.csr_matrix((words.times, words.x.indices, words.x.indptr), words.x.shape)
        there = np.bincount(x.indices, minlength=x.shape[1])
        some = np.flatnonzero(there >= LEAST)
        some = some[np.argsort(-there[some], kind="stable")][: max(1, TERMS // len(words.n))]
        places = words.used[some]
        rarity = np.log((1 + rows) / (1 + np.minimum(frequency[places], rows))) + 1
        lengths = words.lengths_as_read if temper.length else None
        table = _tempered(_among(x, some), temper.of(lengths), rarity)
        size = float(np.sqrt((table.data**2).sum() / max(1, x.shape[0]))) or 1.0
        table.data /= size
        table = sparse.hstack([table, np.ones((x.shape[0], 1))], format="csr").astype(np.float32)
        return cls(table, places, rarity / size)

    def take(self, which: Any) -> WordDesign:
        """Return the given rows."""
        return replace(self, x=self.x[which])


Scores = tuple[Array, Array, WordDesign, Integers, Array]
"""Scores of rows, the unscaled part, words that may have residuals, codes and weights."""


def _among(x: Any, places: Integers) -> Any:
    """Return the given columns of a CSR matrix, in their order."""
    number = np.full(x.shape[1], -1, np.int32)
    number[places] = np.arange(len(places))
    found = number[x.indices]
    known = found >= 0
    start = np.concatenate([[0], np.cumsum(known)])[x.indptr]
    return sparse.csr_matrix((x.data[known], found[known], start), (x.shape[0], len(places)))


def _tempered(counts: Any, power: Any, factor: Array) -> Any:
    """Return a CSR matrix with rows multiplied by powers and words by factors."""
    each = np.repeat(np.broadcast_to(power, counts.shape[0]), np.diff(counts.indptr))
    return sparse.csr_matrix((counts.data * each * factor[counts.indices], counts.indices, counts.indptr), counts.shape)


@dataclass(frozen=True, eq=False)
class FittedWords:
    """Hold the scale of the score, the terms of words and classes, and the class probabilities that yield them."""

    scale: float
    terms: NDArray[np.float32]  # (words + 1) × classes
    shares: NDArray[np.float32]  # rows × classes
    ridge: float

    def each(self, scores: Array, offset: Array, design: WordDesign, codes: Integers, weights: Array) -> Array:
        """Return −w ln p of the own class for each row; `offset` is the unscaled part."""
        lines = self.scale * scores + offset + design.x @ self.terms
        return np.asarray(weights * (logsumexp(lines, axis=1) - lines[np.arange(len(codes)), codes]))

    def held_by(self, ridge: float) -> FittedWords:
        """Return the starting point of a fit with another ridge."""
        return replace(self, terms=self.terms * np.float32(self.ridge / ridge), ridge=ridge)


def fit_word_residuals(
    scores: Array,
    offset: Array,
    design: WordDesign,
    codes: Integers,
    weights: Array,
    ridge: float,
    initial: FittedWords | None = None,
) -> FittedWords:
    """Return the residuals that maximize the objective, given held-out scores and the unscaled `offset`."""
    classes = scores.shape[1]
    if initial is None:
        own = np.eye(classes, dtype=np.float32)[codes]
        initial = FittedWords(1.0, np.zeros((design.x.shape[1], classes), np.float32), own, ridge)
    found = initial.held_by(ridge)
    scale, terms, shares = found.scale, found.terms.copy(), found.shares.copy()
    rows = design.x.indptr.astype(np.int64), design.x.indices.astype(np.int32), design.x.data
    codes, weights = np.ascontiguousarray(codes, np.int64), np.ascontiguousarray(weights, np.float64)
    for _ in range(SCALES):
        base = np.ascontiguousarray(scale * scores + offset)
        start = float(FittedWords(scale, terms, shares, ridge).each(scores, offset, design, codes, weights).sum())
        enough = ENOUGH * max(start, NATS)
        _native.ascend(*rows, base, codes, weights, ridge, terms, shares, enough, ROUNDS)
        before, scale = scale, _scale(scores, offset + design.x @ terms, codes, weights, scale)
        if abs(before - scale) < 1e-2:
            break
    return FittedWords(scale, terms, shares, ridge)


def _scale(scores: Array, offset: Array, codes: Integers, weights: Array, scale: float) -> float:
    """Return the scale of the score, from 0 to 1, by Newton's method."""
    at = np.arange(len(codes)), codes
    for _ in range(10):
        lines = scale * scores + offset
        lines -= lines.max(axis=1, keepdims=True)
        share = np.exp(lines)
        share /= share.sum(axis=1, keepdims=True)
        mean = (share * scores).sum(axis=1)
        slope = float(weights @ (mean - scores[at]))
        bend = float(weights @ ((share * scores**2).sum(axis=1) - mean**2))
        before, scale = scale, float(np.clip(scale - slope / max(bend, 1e-9), 0.0, 1.0))
        if abs(before - scale) < 1e-4:
            break
    return scale


def design_of(words: CountedWords, temper: Temper) -> WordDesign:
    """Return rows by the words that may have a residual."""
    ((_, block),) = words.predictor.model.voting.items()
    frequency, rows = block.t.document_frequency, float(words.predictor.model.n.sum())
    return WordDesign.of(words, temper, frequency, rows)


class Sides:
    """Hold rows that residuals are fitted on, scored without themselves and without the held-out rows.

    The temper is that of the rows that are not held out.
    """

    def __init__(self, every: Scores, inside: Scores, judges: Scores) -> None:
        self.every, self.inside, self.judges = every, inside, judges
        self.last: FittedWords | None = None

    @classmethod
    def of(
        cls, trial: WordTrial, fit: Fitted, option: WordOption, words: CountedWords, out: Integers, design: WordDesign
    ) -> Sides:
        """Return the sides of a trial, whose held-out rows have the numbers `out`; the others are split into parts."""
        rest = np.setdiff1d(np.arange(len(words)), out)
        learned = words.take(rest).with_counts(trial.learned)
        known = trial.curvature_of_words(option)
        inside = outside_scores(learned, option, trial.at(option.alpha).temper, known)
        found = Outside.together([rest, out], [inside, trial.scores(option, fit)])
        every = found.scores, found.offset, design, words.labels.y, found.weights(words.labels)
        inside_rows = rest[some_rows(len(rest), JUDGED_BY, learned.group)]
        judges = (*_of(every, out)[:4], trial.weights)  # weights as without residuals
        return cls(every, _of(every, inside_rows), judges)

    def loss(self, ridge: float) -> Array:
        """Return −w ln p of the own class of each held-out row."""
        self.last = fit_word_residuals(*self.inside, ridge, self.last)
        return self.last.each(*self.judges)


def _of(scores: Scores, which: Integers) -> Scores:
    """Return the given rows."""
    own, offset, design, codes, weights = scores
    return own[which], offset[which], design.take(which), codes[which], weights[which]


def named_residuals(found: FittedWords, design: WordDesign, labels: NDArray[Any]) -> tuple[WordResiduals, Array]:
    """Return residuals as a view, and what they add to the term of each class."""
    order = np.argsort(design.places)
    terms = (found.terms[:-1] * design.factor[:, None]).astype(np.float32)[order]
    return WordResiduals(design.places[order].astype(np.int32), terms, labels), found.terms[-1].astype(np.float64)
