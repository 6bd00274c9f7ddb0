"""Which columns act together, and how strongly that is believed: chosen by rows outside the counts (JC-4, JC-5).

Sets of two or three columns are ranked by how much their lifts would gain at the fit of single columns, each row left
out. How many of them, of how many columns, by which κ and ridge, rows say that neither counts nor weights have seen:
leave-one-out alone flatters sparse cells. No set at all is one of the choices, and preferred within noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from suffice.models.choosing.feature_weights import JUDGED, ROUGH, ColumnRows, Fitted, fit_weights
from suffice.models.choosing.judge import Judged, Sample
from suffice.models.choosing.word_weights import Split
from suffice.models.predictor import Predictor
from suffice.models.scoring.lifts import expected, flat, log_lift, subsets
from suffice.models.scoring.removal import ROUNDING, Removal
from suffice.parallel import in_parallel
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
    """Rows that are judged, learned or not: votes of single columns, and what lifts need."""

    votes: Array  # columns × rows × classes
    judged: Judged
    codes: Integers  # rows × columns that may act together
    removed: Removal

    @classmethod
    def of(cls, judged: Judged, codes: Integers, power: float) -> Side:
        """Take rows that are judged by single columns."""
        votes = np.stack([*judged.votes().values()]) * power
        return cls(votes, judged, codes, judged.removed)

    def rows(self, lifts: Array) -> ColumnRows:
        """Return rows with their votes and lifts, sets × rows × classes."""
        judged = self.judged
        votes = np.concatenate([self.votes, lifts]) if len(lifts) else self.votes
        centre = np.concatenate([np.ones(len(self.votes)), np.zeros(len(lifts))])
        return ColumnRows.of(votes, judged.log_prior, judged.codes, judged.weights, judged.group, centre)


class Trial:
    """Rows that weights are fitted on, and rows that judge them; what was found for a set is kept."""

    def __init__(self, split: Split, coding: Coding, out: Any, power: float) -> None:
        self.learned = Side.of(split.learned, coding.codes[~out], power)
        self.unseen = Side.of(split.unseen, coding.codes[out], power)
        self.sizes, self.power = coding.sizes, power
        self.classes = len(split.learned.predictor.model.classes)
        self.counts: dict[Columns, tuple[Array, Array, Array, Array]] = {}
        self.near: dict[Columns, tuple[Array, Array]] = {}  # counts of single columns and pairs, which triples need
        pairs = len(self.sizes) ** 2 // 2 + 1
        self.keeps = pairs * self.classes * len(coding.codes) <= NUMBERS
        self.ranked: dict[int, list[Columns]] = {}
        self.base: Fitted | None = None

    def counted(self, columns: Columns) -> tuple[Array, Array, Array, Array]:
        """Return counts and expected counts of learned rows without each, and of unseen rows, rows × classes."""
        masks = [np.asarray((side.codes[:, columns] >= 0).all(axis=1)) for side in (self.learned, self.unseen)]
        whole = all(mask.all() for mask in masks)
        parts: dict[Columns, tuple[Array, Array]] = {}
        for which in subsets(len(columns)):
            key = tuple(columns[j] for j in which)
            found = self.near.get(key) if whole else None
            if found is None:
                found = self._counted(key, masks[0], masks[1])
                if whole and len(key) < 3 and self.keeps:
                    self.near[key] = found
            parts[which] = found
        every = tuple(range(len(columns)))
        sides = [{which: both[k] for which, both in parts.items()} for k in (0, 1)]
        return parts[every][0], expected(sides[0]), parts[every][1], expected(sides[1])

    def _counted(self, columns: Columns, learned: Booleans, unseen: Booleans) -> tuple[Array, Array]:
        """Return rows of each class with the values of each row: without it or its group, where it is learned."""
        sizes, side = [self.sizes[j] for j in columns], self.learned
        width, codes, given = int(np.prod(sizes)), side.judged.codes, side.judged.given * learned
        place = np.where(learned, flat(side.codes[:, columns], sizes), 0)
        cells = np.bincount(codes * width + place, given, self.classes * width).astype(np.float64)
        table = cells.reshape(self.classes, width).T
        mine, others = table[place], table[np.where(unseen, flat(self.unseen.codes[:, columns], sizes), 0)]
        if side.removed.alone:
            mine[np.arange(len(codes)), codes] -= given
        else:
            among = side.removed.among(learned)
            mine[among.row, among.code] -= among.same_place(np.where(learned, place, -1))
        mine[~learned], others[~unseen] = 0.0, 0.0
        return np.where(mine > ROUNDING, mine, 0.0), others

    def lifts(self, sets: Sequence[Columns], kappa: float) -> tuple[Array, Array]:
        """Return lifts of learned rows, each left out, and of unseen rows, sets × rows × classes."""
        fresh = [columns for columns in sets if columns not in self.counts]
        self.counts |= dict(zip(fresh, in_parallel(self.counted, fresh), strict=True))
        found = [self.counts[columns] for columns in sets]
        return self._stacked(self.learned, found, 0, kappa), self._stacked(self.unseen, found, 2, kappa)

    def _stacked(self, side: Side, found: list[Any], k: int, kappa: float) -> Array:
        """Return lifts of one side, sets × rows × classes."""
        out = np.empty((len(found), len(side.codes), self.classes))
        for lift, part in zip(out, found, strict=True):
            lift[:] = self.power * log_lift(part[k], part[k + 1], kappa)
        return out

    def gain(self, columns: Columns, share: Array, kappa: float, ridge: float) -> float:
        """Return how much a set would gain at the fit of single columns (JC-5)."""
        codes, counts = self.learned.judged.codes, self.counted(columns)
        lift = self.power * log_lift(counts[0], counts[1], kappa)
        weights = self.learned.judged.weights
        mean = (share * lift).sum(axis=1)
        gradient = float(weights @ (lift[np.arange(len(codes)), codes] - mean))
        curvature = float(weights @ ((share * lift**2).sum(axis=1) - mean**2))
        return gradient**2 / (2 * (curvature + ridge)) if gradient > 0 else 0.0  # JC-5

    def fit(self, option: Option, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return weights of columns and sets, and −ln p of the own class of unseen rows, by their weight."""
        sets = self.ranked[option.order][: option.sets] if option.order > 1 else []
        learned, unseen = self.lifts(sets, option.kappa)
        found = fit_weights(self.learned.rows(learned), option.ridge, initial, ROUGH)
        return found, self.unseen.rows(unseen).each(found.features, found.classes)

    def rank(self, order: int, kappa: float = 2.0, ridge: float = 1.0) -> None:
        """Rank pairs, and triples, by what they would gain."""
        assert self.base is not None
        rows = self.learned.rows(np.zeros((0, *self.learned.votes.shape[1:])))
        usable = np.isfinite(self.learned.votes).all(axis=(0, 2)) & (self.learned.judged.weights > 0)
        share = np.zeros(self.learned.votes.shape[1:])
        share[usable] = rows._shares(self.base.features, self.base.classes)[0].T
        pairs: list[Columns] = [pair for pair in combinations(range(len(self.sizes)), 2) if self._small(pair)]
        gains = self._gains(pairs, share, kappa, ridge)
        self.ranked[2] = _best(gains)
        if order > 2:
            self.ranked[3] = _best(gains | self._gains(list(self._triples()), share, kappa, ridge))

    def _gains(self, sets: list[Columns], share: Array, kappa: float, ridge: float) -> dict[Columns, float]:
        found = in_parallel(lambda columns: self.gain(columns, share, kappa, ridge), sets)
        return dict(zip(sets, found, strict=True))

    def _triples(self) -> Iterator[Columns]:
        """Return all triples if they are few, otherwise those of the best pairs and one column more."""
        columns = range(len(self.sizes))
        every = [triple for triple in combinations(columns, 3) if self._small(triple)]
        if len(every) <= TRIPLES:
            return iter(every)
        grown = [tuple(sorted({*pair, j})) for pair in self.ranked[2][:GROWN] for j in columns if j not in pair]
        return iter([triple for triple in dict.fromkeys(grown) if self._small(triple)][:TRIPLES])

    def _small(self, columns: Columns) -> bool:
        return self.classes * int(np.prod([self.sizes[j] for j in columns])) <= CELLS


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
