"""Columns that may act together, put to the test: ranked, their lifts found, and judged by rows outside the counts.

Sets of two or three columns are ranked by how much their lifts would gain at the fit of other blocks, each row left out
(JC-5). Weights of blocks and sets are fitted on learned rows, each left out, and judged by rows never counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.models.choosing.block_weights import centres
from suffice.models.choosing.feature_weights import NATS, ROUGH, ColumnRows, Fitted, fit_weights, possible
from suffice.models.choosing.judge import Judged
from suffice.models.choosing.word_weights import Split
from suffice.models.model import Name
from suffice.models.scoring.grouping import Coding
from suffice.models.scoring.lifts import LearnedCodes
from suffice.typing import Array, Booleans, Integers

__all__ = ["MOST", "NUMBERS", "Columns", "Option", "Trial"]

Columns = tuple[int, ...]

MOST, TRIPLES, GROWN = 300, 600, 40
"""Sets at most; triples that are all looked at; pairs that triples are grown from where these are more."""

CELLS, NUMBERS = 2**16, 2**24
"""Classes × joint values of a set at most; and lifts of rows that are kept at once."""

WORK, OF_CLASSES = 2**24, 2**26
"""Rows × pairs, and rows × pairs × classes, that are looked at, about: in wide tables, only the columns that tell most
alone are paired."""


@dataclass(frozen=True)
class Option:
    """Something to try: the best sets of so many columns at most, with κ and a ridge.

    Numbers may be one cloud, and missing values of sets values like others.
    """

    order: int
    sets: int
    kappa: float
    ridge: float
    cloud: bool = False
    missing: bool = False


@dataclass(frozen=True, eq=False)
class Side:
    """Rows that are judged, learned or not: what blocks say of them, and the codes of their values."""

    names: list[Name]
    blocks: ColumnRows  # without rows that are impossible; a cloud of numbers, if there is one, is the last
    cloud: bool
    usable: Booleans  # which rows are possible
    codes: dict[bool, NDArray[np.int32]]  # columns that may act together × rows; missing values are values if True

    @classmethod
    def of(cls, judged: Judged, codes: Mapping[bool, Integers], power: float, cloud: Name | None) -> Side:
        """Take rows that are judged block by block; codes are rows × columns."""
        said = judged.votes()
        votes = np.stack([*said.values()]) * power
        centre = centres(judged.predictor.model, list(said))
        blocks = ColumnRows.of(votes, judged.log_prior, judged.codes, judged.weights, judged.group, centre)
        usable = possible(votes, judged.weights)
        by_column = {missing: np.ascontiguousarray(part.T, np.int32) for missing, part in codes.items()}
        return cls(list(said), blocks, cloud is not None, usable, by_column)

    def seen(self, missing: bool) -> NDArray[np.int32]:
        """Return the codes of rows that are possible."""
        return np.ascontiguousarray(self.codes[missing] if self.usable.all() else self.codes[missing][:, self.usable])

    def base(self, cloud: bool) -> ColumnRows:
        """Return rows with the votes of columns, and of the cloud if it is wanted."""
        if cloud or not self.cloud:
            return self.blocks
        return replace(self.blocks, votes=self.blocks.votes[:-1], centre=np.ones(len(self.blocks.votes) - 1))

    def rows(self, sets: int, cloud: bool) -> tuple[ColumnRows, NDArray[np.float32]]:
        """Return rows with their votes, and where the lifts of so many sets are to be written."""
        base = self.base(cloud)
        held = np.ones(len(base.votes)) if base.centre is None else base.centre
        rows = replace(base.with_more(sets), centre=np.concatenate([held, np.zeros(sets)]))
        return rows, rows.votes[len(base.votes) :]


class Trial:
    """Rows that weights are fitted on, and rows that judge them; lifts that were asked for last are kept."""

    def __init__(self, split: Split, coding: Coding, out: Any, power: float, cloud: Name | None = None) -> None:
        filled = coding.with_missing()
        codings = {False: coding} if filled is None else {False: coding, True: filled}
        self.learned = Side.of(split.learned, {key: one.codes[~out] for key, one in codings.items()}, power, cloud)
        self.unseen = Side.of(split.unseen, {key: one.codes[out] for key, one in codings.items()}, power, cloud)
        self.judged, self.power = split.learned, power
        self.classes = len(split.learned.predictor.model.classes)
        group, codes, given = split.learned.group, split.learned.codes, split.learned.given
        self.counted = {
            key: LearnedCodes.of(self.learned.codes[key], np.array(one.sizes, np.int64), codes, given, group)
            for key, one in codings.items()
        }
        self.codings = codings
        self.kept: tuple[Any, tuple[ColumnRows, ColumnRows]] | None = None
        self.ranked: dict[tuple[bool, int], list[Columns]] = {}

    @property
    def group(self) -> Integers:
        """A number for each row that judges; the same for rows that belong together."""
        return self.unseen.blocks.group

    @property
    def weights(self) -> Array:
        """What each row that judges counts for."""
        return self.unseen.blocks.weights

    def names(self, cloud: bool) -> list[Name]:
        """Return the names of blocks, columns and a cloud of numbers if it is wanted."""
        return self.learned.names if cloud or not self.learned.cloud else self.learned.names[:-1]

    def named(self, columns: Columns) -> tuple[Name, ...]:
        """Return the names of columns that act together."""
        return tuple(self.codings[False].names[j] for j in columns)

    def sets(self, option: Option) -> list[Columns]:
        """Return the sets of columns of an option."""
        return self.ranked[option.missing, option.order][: option.sets] if option.order > 1 else []

    def rows(self, option: Option) -> tuple[ColumnRows, ColumnRows]:
        """Return learned rows, each left out, and unseen rows, with the votes and lifts of an option."""
        sets = self.sets(option)
        if not sets:
            return self.learned.base(option.cloud), self.unseen.base(option.cloud)
        key, missing = (tuple(sets), option.kappa, option.cloud, option.missing), option.missing
        if self.kept is None or self.kept[0] != key:
            self.kept = None
            learned, mine = self.learned.rows(len(sets), option.cloud)
            unseen, theirs = self.unseen.rows(len(sets), option.cloud)
            usable, others = self.learned.usable, self.unseen.seen(missing)
            every = mine if usable.all() else np.empty((*mine.shape[:2], len(usable)), np.float32)
            self.counted[missing].lifts(sets, others, option.kappa, self.power, every, theirs)
            if every is not mine:
                mine[:] = every[..., usable]
            self.kept = key, (learned, unseen)
        return self.kept[1]

    def fit(self, option: Option, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return weights of columns and sets, and −ln p of the own class of unseen rows, by their weight."""
        learned, unseen = self.rows(option)
        found = fit_weights(learned, option.ridge, initial, ROUGH, least=NATS)
        return found, unseen.each(found.features, found.classes)

    def rank(self, option: Option, fit: Fitted, order: int, kappa: float = 2.0, ridge: float = 1.0) -> None:
        """Rank pairs, and triples, by what they would gain at the fit of an option (JC-5)."""
        share = np.zeros((self.classes, len(self.learned.usable)))
        share[:, self.learned.usable] = self.rows(option)[0].shares(fit.features, fit.classes)
        known, columns = dict[Columns, float](), self._informative()
        for missing in self.counted:
            pairs = self._gains(missing, combinations(columns, 2), known, share, kappa, ridge)
            self.ranked[missing, 2], known = _best(pairs), known | pairs
            if order > 2:
                triples = self._triples(self.ranked[missing, 2], columns, missing)
                more = self._gains(missing, triples, known, share, kappa, ridge)
                self.ranked[missing, 3], known = _best(pairs | more), known | more

    def _gains(
        self,
        missing: bool,
        sets: Iterable[Columns],
        known: Mapping[Columns, float],
        share: Array,
        kappa: float,
        ridge: float,
    ) -> dict[Columns, float]:
        """Return what small sets would gain; those without missing values gain what is known."""
        small = self._small(sets, missing)
        both = zip(self.codings[False].sizes, self.codings[missing].sizes, strict=True)
        holes = {j for j, (size, filled) in enumerate(both) if size != filled}
        new = [columns for columns in small if columns not in known or not holes.isdisjoint(columns)]
        found = self.counted[missing].gains(new, self.judged.weights, share, kappa, ridge, self.power)
        every = {**known, **dict(zip(new, found.tolist(), strict=True))}
        return {columns: every[columns] for columns in small}

    def _informative(self) -> list[int]:
        """Return the columns whose pairs are looked at: all, or of too many those that tell most of the class."""
        count = len(self.counted[False].sizes)
        most = int(np.sqrt(2 * min(WORK, OF_CLASSES / self.classes) / max(1, len(self.learned.usable)))) + 1
        if count <= most:
            return list(range(count))
        told = [self.counted[False].information(j) for j in range(count)]
        return sorted(sorted(range(count), key=lambda j: -told[j])[:most])

    def _triples(self, pairs: list[Columns], columns: list[int], missing: bool) -> list[Columns]:
        """Return all triples if they are few, otherwise those of the best pairs and one column more."""
        if comb(len(columns), 3) <= TRIPLES:
            return list(combinations(columns, 3))
        grown = dict[Columns, None]()
        for pair in pairs[:GROWN]:
            more = [tuple(sorted((*pair, j))) for j in columns if j not in pair]
            grown |= dict.fromkeys(self._small(more, missing))
            if len(grown) >= TRIPLES:
                break
        return list(grown)[:TRIPLES]

    def _small(self, sets: Iterable[Columns], missing: bool) -> list[Columns]:
        """Return the sets that have few joint values."""
        sizes, most, sets = self.codings[missing].sizes, CELLS // self.classes, list(sets)
        if max(sizes, default=0) ** max(map(len, sets), default=0) <= most:
            return sets
        return [columns for columns in sets if prod([sizes[j] for j in columns]) <= most]


def _best(gains: Mapping[Columns, float]) -> list[Columns]:
    found = [columns for columns, gain in gains.items() if gain > 0]
    return sorted(found, key=lambda columns: -gains[columns])[:MOST]
