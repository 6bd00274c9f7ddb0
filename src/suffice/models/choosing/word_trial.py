"""Texts outside the counts, scored by what has not seen them: pseudo-count, temper and weights of the other texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from suffice.models.choosing.feature_weights import JUDGED, ROUGH, Fitted, fit_weights
from suffice.models.choosing.judge import Judged, Sample
from suffice.models.choosing.judge import judge as left_out
from suffice.models.choosing.smoothing import Scored, choose_temper, smoothed
from suffice.models.choosing.word_weights import WordRows, named, never_seen, without
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Temper, tempered
from suffice.models.scoring.rows import Labels
from suffice.typing import Array, Booleans, Integers

__all__ = ["Outside", "WordOption", "WordTrial", "outside_scores", "parts_of"]

LEAST_SCORE = -1e3
"""What a class that is impossible scores."""

TEMPERED, WEIGHED = 2000, 4000
"""Rows that choose a temper, at most; and rows that weights are fitted on where they only score others."""


@dataclass(frozen=True)
class WordOption:
    """A pseudo-count, the model's own if None, and how strongly weights are held at one: ∞ if there are none."""

    alpha: float | None
    ridge: float

    @property
    def weighs(self) -> bool:
        """Whether words have weights."""
        return bool(np.isfinite(self.ridge))


@dataclass(frozen=True, eq=False)
class Outside:
    """Scores of rows by what has not seen them, tempered, and what is known before them; rows × classes each."""

    scores: Array
    offset: Array

    def weights(self, labels: Labels) -> Array:
        """Return what each row counts for: nothing where its own class is impossible."""
        own = (self.scores + self.offset)[np.arange(len(labels)), labels.y]
        return np.where(own > LEAST_SCORE / 2, labels.given, 0.0)

    @classmethod
    def together(cls, parts: Sequence[Integers], found: Sequence[Outside]) -> Outside:
        """Put parts of rows together, by the numbers of their rows."""
        order = np.argsort(np.concatenate(parts))
        return cls(*(np.concatenate([getattr(one, name) for one in found])[order] for name in ("scores", "offset")))


class WordTrial:
    """Texts that weights are fitted on, and texts outside the counts; what was asked for last is kept."""

    def __init__(
        self,
        predictor: Predictor,
        sample: Sample,
        out: Booleans,
        temper: Temper | None,
        exponent: float | None,
        most: int | None = None,
    ) -> None:
        unseen, self.learned = sample.take(out), sample.take(~out)
        self.learned = self.learned if most is None else self.learned.at_most(most)
        self.predictor, self.out = without(predictor, unseen), np.flatnonzero(out)
        self.unseen = never_seen(self.predictor, unseen, self.predictor.model.voting)
        self.temper, self.exponent = temper, exponent
        self._kept: dict[float | None, _Smoothed] = {}

    @property
    def group(self) -> Integers:
        """A number for each row that judges; the same for rows that belong together."""
        group = self.unseen.group
        return np.arange(len(self.out)) if group is None else group

    @property
    def weights(self) -> Array:
        """What each row that judges counts for."""
        return self.unseen.weights

    @cached_property
    def _few(self) -> Judged:
        few = self.learned.at_most(TEMPERED)
        return left_out(self.predictor, few.rows, few.labels, few.group)

    def at(self, alpha: float | None) -> _Smoothed:
        """Return rows by a pseudo-count."""
        if alpha not in self._kept:
            model = self.predictor.model if alpha is None else smoothed(self.predictor.model, alpha)
            temper = self.temper
            if temper is None:
                temper = choose_temper(Scored.of(self._few.with_model(model), self.exponent))
            self._kept = dict([*self._kept.items()][-1:])
            self._kept[alpha] = _Smoothed(replace(self.predictor, model=model), temper, self)
        return self._kept[alpha]

    def fit(self, option: WordOption, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return the weights of an option, and −w ln p of the own class of each row that judges."""
        rows = self.at(option.alpha)
        found = Fitted(np.ones(rows.judges.width), np.zeros(rows.judges.size[1]), np.inf, 0.0, 0)
        if option.weighs:
            found = fit_weights(rows.learned, option.ridge, initial, ROUGH)
        return found, rows.judges.each(rows.judges.own(found.features), found.classes)

    def scores(self, option: WordOption, fit: Fitted) -> Outside:
        """Return the scores of rows outside the counts."""
        rows = self.at(option.alpha)
        unseen, temper = rows.unseen, rows.temper
        scores = unseen.scores(named(fit, unseen.predictor) if option.weighs else None)
        tempered(scores, temper.of(unseen.lengths if temper.length else None))
        offset = np.broadcast_to(unseen.log_prior + fit.classes, scores.shape)
        return Outside(np.maximum(scores, LEAST_SCORE), np.maximum(offset, LEAST_SCORE))


@dataclass(frozen=True, eq=False)
class _Smoothed:
    """The rows of a trial by a pseudo-count, and the temper that suits it."""

    predictor: Predictor
    temper: Temper
    trial: WordTrial

    @cached_property
    def unseen(self) -> Judged:
        """Rows outside the counts."""
        return self.trial.unseen.with_model(self.predictor.model)

    @cached_property
    def judges(self) -> WordRows:
        """The same, as the kernel holds them."""
        return WordRows.of(self.unseen, self.temper)

    @cached_property
    def learned(self) -> WordRows:
        """Rows that weights are fitted on, each left out."""
        rows = self.trial.learned
        return WordRows.of(left_out(self.predictor, rows.rows, rows.labels, rows.group), self.temper)


def parts_of(sample: Sample) -> Integers:
    """Return which part each row is in."""
    return np.asarray((np.arange(len(sample)) if sample.group is None else sample.group) % JUDGED)


def outside_scores(
    predictor: Predictor,
    sample: Sample,
    option: WordOption,
    temper: Temper | None,
    exponent: float | None,
) -> Outside:
    """Return scores of all rows, part by part: by counts and weights that have not seen the part."""
    parts, found, numbers = parts_of(sample), list[Outside](), list[Integers]()
    for k in range(JUDGED):
        out = parts == k
        if out.any():
            trial = WordTrial(predictor, sample, out, temper, exponent, WEIGHED if option.weighs else None)
            found.append(trial.scores(option, trial.fit(option)[0]))
            numbers.append(trial.out)
    return Outside.together(numbers, found)
