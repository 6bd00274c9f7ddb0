"""Choose evidence weights of the blocks of a table: columns, joint columns, and a cloud of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.models.choosing.feature_weights import (
    FINE,
    JUDGED,
    LEAST_PRIOR,
    NATS,
    ColumnRows,
    Fitted,
    choose_ridge,
    fit_weights,
    lie_by_row,
    possible,
    terms_by_name,
)  # fmt: skip
from suffice.models.choosing.judge import Judged, Sample, judge, some_rows
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor
from suffice.models.together import left_out_lifts
from suffice.models.views import ColumnWeights
from suffice.stats.content import hashed
from suffice.typing import Array, Booleans, Integers

__all__ = ["BlockVotes", "VotesInParts", "centres", "choose_column_weights", "named_weights"]

ENOUGH, NUMBERS = 4000, 2**25
"""Number of rows that choose the ridge of columns; largest number of columns' scores that weights are fitted on."""

SEVERAL_CLASSES, LARGE, PART, OF_CLASS = 32, 2**23, 2**20, 10
"""Thresholds for holding rows out part by part: numbers of classes and of scores; then the number of scores in a part,
and the number of rows per class below which weights are not fitted."""

EXACT = 1e-9
"""Tolerance for weights of a few columns."""


@dataclass(frozen=True, eq=False)
class BlockVotes:
    """Hold the held-out scores of each block by name, and which rows they belong to."""

    rows: ColumnRows
    names: list[Name]
    which: Integers

    @property
    def centre(self) -> Array:
        """Return the value that each block's weight shrinks to."""
        return np.ones(len(self.names)) if self.rows.centre is None else self.rows.centre

    @classmethod
    def of(cls, judged: Judged, votes: Mapping[Name, Array], sets: Mapping[Name, Block], power: float) -> BlockVotes:
        """Return the rows with the given held-out scores of blocks, and the lifts of joint columns computed here."""
        model, codes, group = judged.predictor.model, judged.codes, judged.group
        names, classes = [*votes, *sets], len(model.classes)
        which = some_rows(len(codes), max(1, NUMBERS // (len(names) * classes)), group)
        table = np.stack([*votes.values()] if len(which) == len(codes) else [vote[which] for vote in votes.values()])
        table *= power
        which, table = _only(possible(table, judged.weights[which]), which, table)
        prior = np.broadcast_to(judged.log_prior, (len(codes), classes))[which]
        some = None if group is None else np.unique(group[which], return_inverse=True)[1]
        rows = ColumnRows.of(table, prior, codes[which], judged.weights[which], some, centres(model, names))
        if sets:
            mine = {name: judged.rows[name].take(which) for name in sets}
            rows = rows.with_more(len(sets))
            left_out_lifts(sets, mine, codes[which], judged.given[which], some, power, rows.votes[len(votes) :])
        return cls(rows, names, which)


@dataclass(frozen=True, eq=False)
class VotesInParts:
    """Hold columns' held-out scores, computed part by part, so that all scores of many classes are never kept at once.

    Sums over columns are kept for all rows. Single-precision scores of each column are kept for the rows that weights
    are fitted on. If there are too few rows per class, none are: a term per class would fit noise.
    """

    total: Array  # ln p(x | c), rows × classes
    log_prior: Array  # ln p(c), rows × classes
    weights: Array  # weight of each row
    names: list[Name]
    which: Integers  # rows that weights are fitted on
    votes: NDArray[np.float32]  # their scores relative to the first class: columns × (classes − 1) × rows
    possible: Booleans  # whether these rows count and all their scores are finite

    @classmethod
    def of(cls, predictor: Predictor, sample: Sample) -> VotesInParts:
        """Return the scores of each row by the model without it; rows have no groups."""
        names = [name for name in predictor.model.voting if name in sample.rows]
        n, classes = len(sample), len(predictor.model.classes)
        most = NUMBERS // (len(names) * classes)
        which = some_rows(n, most if min(n, most) >= OF_CLASS * classes else 0)
        shape = len(names), classes - 1, len(which)
        by_row = lie_by_row(*shape[:2])
        votes = np.zeros(shape[::-1], np.float32).T if by_row else np.zeros(shape, np.float32)
        total, prior, usable = np.zeros((n, classes)), np.zeros((n, classes)), np.zeros(len(which), bool)
        out = cls(total, prior, np.zeros(n), names, which, votes, usable)
        step = max(1, PART // (len(names) * classes))
        for start in range(0, n, step):
            out._fill(predictor, sample, np.arange(start, min(n, start + step)))
        return out

    def _fill(self, predictor: Predictor, sample: Sample, rows: Integers) -> None:
        part = sample.take(rows)
        judged = judge(predictor, part.rows, part.labels)
        first, last = np.searchsorted(self.which, [rows[0], rows[-1] + 1])
        mine = self.which[first:last] - rows[0]
        self.weights[rows], self.log_prior[rows] = judged.weights, judged.log_prior
        finite = judged.weights[mine] > 0
        places = {name: place for place, name in enumerate(self.names)}
        for name, vote in judged.votes().items():
            self.total[rows] += vote
            finite &= np.isfinite(vote[mine]).all(axis=1)
            with np.errstate(invalid="ignore"):
                self.votes[places[name], :, first:last] = (vote[mine, 1:] - vote[mine, :1]).T
        self.possible[first:last] = finite

    def blocks(self, model: Model, codes: Integers, power: float) -> BlockVotes:
        """Return the rows that weights are fitted on, with their scores raised to a power."""
        which = self.which[self.possible]
        votes = self.votes if self.possible.all() else np.compress(self.possible, self.votes, axis=-1)
        votes *= np.float32(power)
        prior = np.ascontiguousarray(np.maximum(self.log_prior[which], LEAST_PRIOR).T)
        group, centre = np.arange(len(which)), centres(model, self.names)
        return BlockVotes(ColumnRows(votes, prior, codes[which], self.weights[which], group, centre), self.names, which)


def _only(usable: Booleans, which: Integers, table: Array) -> tuple[Integers, Array]:
    return (which, table) if usable.all() else (which[usable], table[:, usable])


def choose_column_weights(blocks: BlockVotes, ridge: float | None, initial: Fitted | None = None) -> Fitted:
    """Return the weights of blocks; without a ridge, choose the one with the lowest held-out log loss."""
    rows = blocks.rows
    tolerance, least = (FINE, NATS) if not blocks.centre.all() else (EXACT, 0.0)
    return fit_weights(rows, _ridge_of(rows) if ridge is None else ridge, initial, tolerance, least=least)


def named_weights(found: Fitted, names: Sequence[Name], labels: Any) -> ColumnWeights:
    """Return the weights of blocks by name."""
    columns = dict(zip(names, found.features.tolist(), strict=True))
    return ColumnWeights(terms_by_name(found, labels), found.ridge, columns)


def centres(model: Model, names: Sequence[Name]) -> Array:
    """Return what each block's weight shrinks to: one, or zero if it corrects others or is replaced by another."""
    laws = {name: model.blocks[name].likelihood for name in names}
    inside = {column for name, law in laws.items() if isinstance(law, Cloud) for column in getattr(name, "columns", ())}
    adds = [name in inside or (law.correction and not isinstance(law, Cloud)) for name, law in laws.items()]
    return np.where(adds, 0.0, 1.0)


def _ridge_of(rows: ColumnRows) -> float:
    """Return the ridge with the lowest log loss on parts of the rows, each scored by weights fitted on the others."""
    few = rows.take(np.isin(np.arange(len(rows.codes)), some_rows(len(rows.codes), ENOUGH)))
    part = hashed(few.group) % np.uint64(JUDGED)
    return choose_ridge([(few.take(part != k), few.take(part == k)) for k in range(JUDGED)]).ridge
