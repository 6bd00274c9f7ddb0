"""Score held-out texts with the pseudo-count, temper and weights of the other texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from suffice.models.choosing.counted_words import CountedWords
from suffice.models.choosing.feature_weights import JUDGED, Fitted, fit_weights
from suffice.models.choosing.judge import Sample, some_rows
from suffice.models.choosing.smoothing import choose_temper
from suffice.models.choosing.word_weights import WordRows
from suffice.models.scoring.cells import Temper
from suffice.models.scoring.rows import Labels
from suffice.parallel import in_parallel
from suffice.typing import Array, Booleans, Integers

__all__ = ["FINE_WORDS", "Outside", "WordOption", "WordTrial", "outside_scores", "parts_of"]

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


def parts_of(rows: Sample | CountedWords) -> Integers:
    """Return the part of each row."""
    return np.asarray((np.arange(len(rows)) if rows.group is None else rows.group) % JUDGED)


def outside_scores(
    words: CountedWords, option: WordOption, temper: Temper, curvature: Curvature | None = None
) -> Outside:
    """Return scores of all rows, part by part, by counts and weights that have not seen the part."""
    parts = parts_of(words)

    def scored(k: int) -> tuple[Integers, Outside]:
        most = WEIGHED if option.weighs else None
        trial = WordTrial(words, parts == k, temper, None, most, curvature)
        return trial.out, trial.scores(option, trial.fit(option)[0])

    found = in_parallel(scored, np.unique(parts).tolist())
    return Outside.together([numbers for numbers, _ in found], [scores for _, scores in found])
