"""Try joint columns: rank them, compute their lifts, and score them on held-out rows.

Sets of two or three columns are ranked by how much their lifts would gain on top of the fitted blocks, each row left
out (JC-5). Weights of blocks and sets are fitted on learned rows, each left out, and scored on held-out rows.
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
"""Largest number of sets; largest number of triples to try exhaustively; else number of pairs to extend to triples."""

CELLS, NUMBERS = 2**16, 2**24
"""Largest number of classes × joint values of a set; largest number of lifts kept at once."""

WORK, OF_CLASSES = 2**24, 2**26
"""Rough limits of rows × pairs, and of rows × pairs × classes: in wide tables, only the columns with the most
information are paired."""


@dataclass(frozen=True)
class Option:
    """Describe an option to try: at most `sets` sets of at most `order` columns, with κ and a ridge.

    Numbers may form a cloud, and missing values may be values in sets.
    """

    order: int
    sets: int
    kappa: float
    ridge: float
    cloud: bool = False
    missing: bool = False


@dataclass(frozen=True, eq=False)
class Side:
    """Hold rows to score, learned or held out: the scores of blocks, and the codes of values."""

    names: list[Name]
    blocks: ColumnRows  # without impossible rows; a cloud, if any, is the last block
    cloud: bool
    usable: Booleans  # which rows are not impossible
    codes: dict[bool, NDArray[np.int32]]  # columns that may be joint × rows; with missing as a value if True

    @classmethod
    def of(cls, judged: Judged, codes: Mapping[bool, Integers], power: float, cloud: Name | None) -> Side:
        """Return the rows from their scores block by block; codes are rows × columns."""
        said = judged.votes()
        votes = np.stack([*said.values()]) * power
        centre = centres(judged.predictor.model, list(said))
        blocks = ColumnRows.of(votes, judged.log_prior, judged.codes, judged.weights, judged.group, centre)
        usable = possible(votes, judged.weights)
        by_column = {missing: np.ascontiguousarray(part.T, np.int32) for missing, part in codes.items()}
        return cls(list(said), blocks, cloud is not None, usable, by_column)

    def seen(self, missing: bool) -> NDArray[np.int32]:
        """Return the codes of the possible rows."""
        return np.ascontiguousarray(self.codes[missing] if self.usable.all() else self.codes[missing][:, self.usable])

    def base(self, cloud: bool) -> ColumnRows:
        """Return rows with the scores of columns, and of the cloud if wanted."""
        if cloud or not self.cloud:
            return self.blocks
        return replace(self.blocks, votes=self.blocks.votes[:-1], centre=np.ones(len(self.blocks.votes) - 1))

    def rows(self, sets: int, cloud: bool) -> tuple[ColumnRows, NDArray[np.float32]]:
        """Return rows with their scores, and the array to write the lifts of `sets` sets to."""
        base = self.base(cloud)
        held = np.ones(len(base.votes)) if base.centre is None else base.centre
        rows = replace(base.with_more(sets), centre=np.concatenate([held, np.zeros(sets)]))
        return rows, rows.votes[len(base.votes) :]


class Trial:
    """Hold rows that weights are fitted on, and held-out rows; the latest lifts are cached."""

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
        """Return the number of each held-out row's group."""
        return self.unseen.blocks.group

    @property
    def weights(self) -> Array:
        """Return the weight of each held-out row."""
        return self.unseen.blocks.weights

    def names(self, cloud: bool) -> list[Name]:
        """Return the names of the columns, and of the cloud if wanted."""
        return self.learned.names if cloud or not self.learned.cloud else self.learned.names[:-1]

    def named(self, columns: Columns) -> tuple[Name, ...]:
        """Return the names of joint columns."""
        return tuple(self.codings[False].names[j] for j in columns)

    def sets(self, option: Option) -> list[Columns]:
        """Return the sets of columns of an option."""
        return self.ranked[option.missing, option.order][: option.sets] if option.order > 1 else []

    def rows(self, option: Option) -> tuple[ColumnRows, ColumnRows]:
        """Return learned rows, each left out, and held-out rows, with the scores and lifts of an option."""
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
        """Return the weights of columns and sets, and −w ln p of the own class of held-out rows."""
        learned, unseen = self.rows(option)
        found = fit_weights(learned, option.ridge, initial, ROUGH, least=NATS)
        return found, unseen.each(found.features, found.classes)

    def rank(self, option: Option, fit: Fitted, order: int, kappa: float = 2.0, ridge: float = 1.0) -> None:
        """Rank pairs and triples by how much they would gain on top of the fit of an option (JC-5)."""
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
        """Return the gain of each small set; gains of sets without missing values are taken from `known`."""
        small = self._small(sets, missing)
        both = zip(self.codings[False].sizes, self.codings[missing].sizes, strict=True)
        holes = {j for j, (size, filled) in enumerate(both) if size != filled}
        new = [columns for columns in small if columns not in known or not holes.isdisjoint(columns)]
        found = self.counted[missing].gains(new, self.judged.weights, share, kappa, ridge, self.power)
        every = {**known, **dict(zip(new, found.tolist(), strict=True))}
        return {columns: every[columns] for columns in small}

    def _informative(self) -> list[int]:
        """Return the columns to pair: all, or if they are too many, those with the most information about the class."""
        count = len(self.counted[False].sizes)
        most = int(np.sqrt(2 * min(WORK, OF_CLASSES / self.classes) / max(1, len(self.learned.usable)))) + 1
        if count <= most:
            return list(range(count))
        told = [self.counted[False].information(j) for j in range(count)]
        return sorted(sorted(range(count), key=lambda j: -told[j])[:most])

    def _triples(self, pairs: list[Columns], columns: list[int], missing: bool) -> list[Columns]:
        """Return all triples if they are few, otherwise the best pairs with one more column."""
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
