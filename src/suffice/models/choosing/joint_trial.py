"""Columns that may act together, put to the test: ranked, their lifts found, and judged by rows outside the counts.

Sets of two or three columns are ranked by how much their lifts would gain at the fit of other blocks, each row left out
(JC-5). Weights of blocks and sets are fitted on learned rows, each left out, and judged by rows never counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.models.choosing.feature_weights import NATS, ROUGH, ColumnRows, Fitted, centres, fit_weights, possible
from suffice.models.choosing.judge import Judged
from suffice.models.choosing.word_weights import Split
from suffice.models.model import Name
from suffice.models.scoring.lifts import LearnedCodes
from suffice.typing import Array, Booleans, Integers

__all__ = ["MOST", "NUMBERS", "Coding", "Columns", "Option", "Trial"]

Columns = tuple[int, ...]

MOST, TRIPLES, GROWN = 300, 600, 40
"""Sets at most; triples that are all looked at; pairs that triples are grown from where these are more."""

CELLS, NUMBERS = 2**16, 2**24
"""Classes × joint values of a set at most; and lifts of rows that are kept at once."""


@dataclass(frozen=True, eq=False)
class Coding:
    """Columns that may act together: names, and the value of each row by code, −1 where it is missing."""

    names: list[Any]
    codes: Integers  # rows × columns
    sizes: list[int]


@dataclass(frozen=True)
class Option:
    """Something to try: the best sets of so many columns at most, with κ and a ridge; and numbers as one cloud."""

    order: int
    sets: int
    kappa: float
    ridge: float
    cloud: bool = False


@dataclass(frozen=True, eq=False)
class Side:
    """Rows that are judged, learned or not: what blocks say of them, and the codes of their values."""

    blocks: ColumnRows  # without rows that are impossible; a cloud of numbers, if there is one, is the last
    cloud: bool
    usable: Booleans  # which rows are possible
    codes: NDArray[np.int32]  # columns that may act together × rows

    @classmethod
    def of(cls, judged: Judged, codes: Integers, power: float, cloud: Name | None) -> Side:
        """Take rows that are judged block by block; codes are rows × columns."""
        said = judged.votes()
        votes = np.stack([*said.values()]) * power
        centre = centres(judged.predictor.model, list(said))
        blocks = ColumnRows.of(votes, judged.log_prior, judged.codes, judged.weights, judged.group, centre)
        usable = possible(votes, judged.weights)
        return cls(blocks, cloud is not None, usable, np.ascontiguousarray(codes.T, np.int32))

    @property
    def seen(self) -> NDArray[np.int32]:
        """The codes of rows that are possible."""
        return self.codes if self.usable.all() else self.codes[:, self.usable]

    def base(self, cloud: bool) -> ColumnRows:
        """Return rows with the votes of columns, and of the cloud if it is wanted."""
        if cloud or not self.cloud:
            return self.blocks
        return replace(self.blocks, votes=self.blocks.votes[:-1], centre=np.ones(len(self.blocks.votes) - 1))

    def rows(self, lifts: Array, cloud: bool) -> ColumnRows:
        """Return rows with their votes and lifts, sets × classes but the first × rows."""
        base, some = self.base(cloud), lifts if self.usable.all() else lifts[..., self.usable]
        held = np.ones(len(base.votes)) if base.centre is None else base.centre
        centre = np.concatenate([held, np.zeros(len(lifts))])
        return replace(base, votes=np.concatenate([base.votes, some]), centre=centre)


class Trial:
    """Rows that weights are fitted on, and rows that judge them; lifts that were asked for last are kept."""

    def __init__(self, split: Split, coding: Coding, out: Any, power: float, cloud: Name | None = None) -> None:
        self.learned = Side.of(split.learned, coding.codes[~out], power, cloud)
        self.unseen = Side.of(split.unseen, coding.codes[out], power, cloud)
        self.judged, self.power = split.learned, power
        self.classes = len(split.learned.predictor.model.classes)
        sizes = np.array(coding.sizes, np.int64)
        group, codes = split.learned.group, split.learned.codes
        self.counted = LearnedCodes.of(self.learned.codes, sizes, codes, split.learned.given, group)
        self.kept: tuple[Any, tuple[ColumnRows, ColumnRows]] | None = None
        self.ranked: dict[int, list[Columns]] = {}

    def sets(self, option: Option) -> list[Columns]:
        """Return the sets of columns of an option."""
        return self.ranked[option.order][: option.sets] if option.order > 1 else []

    def rows(self, option: Option) -> tuple[ColumnRows, ColumnRows]:
        """Return learned rows, each left out, and unseen rows, with the votes and lifts of an option."""
        sets = self.sets(option)
        if not sets:
            return self.learned.base(option.cloud), self.unseen.base(option.cloud)
        key = (tuple(sets), option.kappa, option.cloud)
        if self.kept is None or self.kept[0] != key:
            self.kept = None
            learned, unseen = self.counted.lifts(sets, self.unseen.codes, self.classes, option.kappa, self.power)
            self.kept = key, (self.learned.rows(learned, option.cloud), self.unseen.rows(unseen, option.cloud))
        return self.kept[1]

    def fit(self, option: Option, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return weights of columns and sets, and −ln p of the own class of unseen rows, by their weight."""
        learned, unseen = self.rows(option)
        found = fit_weights(learned, option.ridge, initial, ROUGH, least=NATS)
        return found, unseen.each(found.features, found.classes)

    def rank(self, option: Option, fit: Fitted, order: int, kappa: float = 2.0, ridge: float = 1.0) -> None:
        """Rank pairs, and triples, by what they would gain at the fit of an option (JC-5)."""
        share = np.zeros((len(self.learned.usable), self.classes))
        share[self.learned.usable] = self.rows(option)[0].shares(fit.features, fit.classes).T

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
