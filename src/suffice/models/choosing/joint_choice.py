"""Which columns act together, and how strongly that is believed: chosen by rows outside the counts (JC-4, JC-5).

Sets of two or three columns are ranked by how much their lifts would gain at the fit of single columns, each row left
out. How many of them, of how many columns, by which κ and ridge, rows say that neither counts nor weights have seen:
leave-one-out alone flatters sparse cells. No set at all is one of the choices, and preferred within noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.models.choosing.feature_weights import JUDGED, ROUGH, ColumnRows, Fitted, fit_weights, possible
from suffice.models.choosing.judge import Judged, Sample
from suffice.models.choosing.word_weights import Split
from suffice.models.predictor import Predictor
from suffice.models.scoring.lifts import LearnedCodes
from suffice.typing import Array, Booleans, Integers

__all__ = ["Coding", "JointChoice", "choose_joint"]

Columns = tuple[int, ...]

MOST, TRIPLES, GROWN = 300, 600, 40
"""Sets at most; triples that are all looked at; pairs that triples are grown from where these are more."""

CELLS, NUMBERS = 2**16, 2**24
"""Classes × joint values of a set at most; and lifts of rows that are kept at once."""

FEW, ENOUGH = 2000, 8000
"""Rows up to which each part judges what the others chose; and rows that choose at most."""

STEP, BOUNDS = 5.0, {"kappa": (0.04, 125.0), "ridge": (0.008, 125.0), "sets": (12, MOST)}
"""Factor to the next candidate, and bounds of candidates."""


@dataclass(frozen=True, eq=False)
class Coding:
    """Columns that may act together: names, and the value of each row by code, −1 where it is missing."""

    names: list[Any]
    codes: Integers  # rows × columns
    sizes: list[int]


@dataclass(frozen=True)
class JointChoice:
    """Sets of columns by name, how strongly they are believed not to act together, and the ridge of weights."""

    sets: tuple[tuple[Any, ...], ...]
    kappa: float = 1.0
    ridge: float = 1.0


@dataclass(frozen=True)
class Option:
    """Something to try: the best sets of so many columns at most, with κ and a ridge."""

    order: int
    sets: int
    kappa: float
    ridge: float


@dataclass(frozen=True, eq=False)
class Side:
    """Rows that are judged, learned or not: what single columns say of them, and the codes of their values."""

    base: ColumnRows  # without rows that are impossible
    usable: Booleans  # which rows are possible
    codes: NDArray[np.int32]  # columns that may act together × rows

    @classmethod
    def of(cls, judged: Judged, codes: Integers, power: float) -> Side:
        """Take rows that are judged by single columns; codes are rows × columns."""
        votes = np.stack([*judged.votes().values()]) * power
        usable = possible(votes, judged.log_prior, judged.weights)
        base = ColumnRows.of(votes, judged.log_prior, judged.codes, judged.weights, judged.group)
        return cls(base, usable, np.ascontiguousarray(codes.T, np.int32))

    def rows(self, lifts: Array) -> ColumnRows:
        """Return rows with their votes and lifts, sets × classes but the first × rows."""
        if not len(lifts):
            return self.base
        some = lifts if self.usable.all() else lifts[..., self.usable]
        centre = np.concatenate([np.ones(len(self.base.votes)), np.zeros(len(lifts))])
        return replace(self.base, votes=np.concatenate([self.base.votes, some]), centre=centre)


class Trial:
    """Rows that weights are fitted on, and rows that judge them; lifts that were asked for last are kept."""

    def __init__(self, split: Split, coding: Coding, out: Any, power: float) -> None:
        self.learned = Side.of(split.learned, coding.codes[~out], power)
        self.unseen = Side.of(split.unseen, coding.codes[out], power)
        self.judged, self.power = split.learned, power
        self.classes = len(split.learned.predictor.model.classes)
        sizes = np.array(coding.sizes, np.int64)
        group, codes = split.learned.group, split.learned.codes
        self.counted = LearnedCodes.of(self.learned.codes, sizes, codes, split.learned.given, group)
        self.kept: tuple[Any, tuple[ColumnRows, ColumnRows]] | None = None
        self.ranked: dict[int, list[Columns]] = {}
        self.base: Fitted | None = None

    def rows(self, option: Option) -> tuple[ColumnRows, ColumnRows]:
        """Return learned rows, each left out, and unseen rows, with the votes and lifts of an option."""
        sets = self.ranked[option.order][: option.sets] if option.order > 1 else []
        if not sets:
            return self.learned.base, self.unseen.base
        key = (tuple(sets), option.kappa)
        if self.kept is None or self.kept[0] != key:
            self.kept = None
            learned, unseen = self.counted.lifts(sets, self.unseen.codes, self.classes, option.kappa, self.power)
            self.kept = key, (self.learned.rows(learned), self.unseen.rows(unseen))
        return self.kept[1]

    def fit(self, option: Option, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return weights of columns and sets, and −ln p of the own class of unseen rows, by their weight."""
        learned, unseen = self.rows(option)
        found = fit_weights(learned, option.ridge, initial, ROUGH)
        return found, unseen.each(found.features, found.classes)

    def rank(self, order: int, kappa: float = 2.0, ridge: float = 1.0) -> None:
        """Rank pairs, and triples, by what they would gain at the fit of single columns (JC-5)."""
        assert self.base is not None
        share = np.zeros((len(self.learned.usable), self.classes))
        share[self.learned.usable] = self.learned.base.shares(self.base.features, self.base.classes).T

        def gains(sets: list[Columns]) -> dict[Columns, float]:
            found = self.counted.gains(sets, self.judged.weights, share, kappa, ridge, self.power)
            return dict(zip(sets, found.tolist(), strict=True))

        pairs = gains([pair for pair in combinations(range(len(self.counted.sizes)), 2) if self._small(pair)])
        self.ranked[2] = _best(pairs)
        if order > 2:
            self.ranked[3] = _best(pairs | gains(self._triples()))

    def _triples(self) -> list[Columns]:
        """Return all triples if they are few, otherwise those of the best pairs and one column more."""
        columns = range(len(self.counted.sizes))
        every: list[Columns] = [triple for triple in combinations(columns, 3) if self._small(triple)]
        if len(every) <= TRIPLES:
            return every
        grown = [tuple(sorted({*pair, j})) for pair in self.ranked[2][:GROWN] for j in columns if j not in pair]
        return [triple for triple in dict.fromkeys(grown) if self._small(triple)][:TRIPLES]

    def _small(self, columns: Columns) -> bool:
        return self.classes * int(np.prod([self.counted.sizes[j] for j in columns])) <= CELLS


def _best(gains: Mapping[Columns, float]) -> list[Columns]:
    found = [columns for columns, gain in gains.items() if gain > 0]
    return sorted(found, key=lambda columns: -gains[columns])[:MOST]


def choose_joint(
    predictor: Predictor, sample: Sample, coding: Coding, power: float, order: int = 3
) -> JointChoice | None:
    """Return the sets of columns that act together, as far as rows outside the counts tell; None if none earn it."""
    parts = (np.arange(len(sample)) if sample.group is None else sample.group) % JUDGED
    folds = range(JUDGED) if len(sample) <= FEW else range(1)
    trials = [Trial(Split.of(predictor, sample, parts == k), coding, parts == k, power) for k in folds]
    losses: dict[Option, Array] = {}

    def loss(option: Option) -> Array:
        if option not in losses:
            losses[option] = np.concatenate([trial.fit(option)[1] for trial in trials])
        return losses[option]

    alone = _downhill(Option(1, 0, 1.0, 1.0), loss, ("ridge",))
    for trial in trials:
        trial.base = trial.fit(alone)[0]
        trial.rank(order)
    if not any(trial.ranked[2] for trial in trials):
        return None
    most = max(1, NUMBERS // (len(sample) * len(predictor.model.classes)))
    starts = [Option(k, min(60, most), 1.0, 1.0) for k in range(2, order + 1)]
    first = min(starts, key=lambda option: float(loss(option).sum()))
    best = _downhill(first, loss, ("ridge", "kappa", "sets"), most)
    better = loss(alone) - loss(best)
    if better.sum() <= np.sqrt(len(better)) * better.std():
        return None
    if len(trials) > 1:
        every = Trial(Split.of(predictor, sample, np.zeros(len(sample), bool)), coding, parts > JUDGED, power)
        every.base = every.fit(alone)[0]
        every.rank(best.order)
        trials = [every]
    chosen = trials[0].ranked[best.order][: best.sets]
    return JointChoice(tuple(tuple(coding.names[j] for j in columns) for columns in chosen), best.kappa, best.ridge)


def _downhill(option: Option, loss: Any, names: Sequence[str], most: int = MOST) -> Option:
    """Return the option of least loss that is found by changing one number after the other, as long as that helps."""
    for name in names:
        factor = 2.5 if name == "sets" else STEP
        low, high = BOUNDS[name]
        for way in (1 / factor, factor):
            start = option
            while True:
                value = getattr(option, name) * way
                other = replace(option, **{name: round(value) if name == "sets" else value})
                if not low <= value <= (min(high, most) if name == "sets" else high):
                    break
                if loss(other).sum() >= loss(option).sum():
                    break
                option = other
            if option != start:
                break
    return option
