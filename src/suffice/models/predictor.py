"""Score, predict and explain with a model and its views. Bayes' rule is here, and nowhere else.

joint      ln p(x, c) = ln p(c) + ln p(x | c)
NB-10      ln p(c | x) = joint_c − ln Σ e^joint, the sum taken about its largest term
NB-12      a row that no class can have made keeps the class prior, with a warning
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.errors import DataError
from suffice.models.class_prior import ClassPrior
from suffice.models.model import Model, Name
from suffice.models.scoring.cells import AS_IT_IS, Temper, powered, tempered
from suffice.models.scoring.rows import Rows
from suffice.models.side_by_side import SEVERAL, NumberColumns, complete
from suffice.models.together import JointTerms
from suffice.models.views import ColumnWeights, Views
from suffice.parallel import in_parallel, thread_count
from suffice.telling import counted, tell
from suffice.typing import Array, Integers

__all__ = ["ImpossibleSampleWarning", "Predictor", "floored", "normalise"]

NUMBERS_AT_ONCE = 2**19
WORTH_A_THREAD = 8192
ROWS_SIDE_BY_SIDE = 512

RowsByName = Mapping[Name, Rows]


class ImpossibleSampleWarning(UserWarning):
    """Warn that a row has probability zero in every class."""


def normalise(joint: Array, log_prior: Array) -> int:
    """Turn joint log probabilities into those of classes, in place; return the number of impossible rows."""
    largest = joint.max(axis=1, keepdims=True)
    lost = np.isneginf(largest[:, 0])
    if lost.any():
        joint[lost] = np.broadcast_to(log_prior, joint.shape)[lost]  # NB-12
        largest = joint.max(axis=1, keepdims=True)
        nothing = np.isneginf(largest[:, 0])  # uniform where no class has a row
        joint[nothing], largest[nothing] = 0.0, 0.0
    joint -= largest
    joint -= np.log(np.exp(joint).sum(axis=1, keepdims=True))  # NB-10
    return int(lost.sum())


def floored(logs: Array, log_prior: Array, floor: float | None) -> Array:
    """Return ln p with p ← (1 − ε) p + ε π for the floor ε: the share of labels that may be wrong."""
    if not floor:
        return logs
    total = np.logaddexp.reduce(np.atleast_2d(log_prior), axis=1, keepdims=True)
    return np.asarray(np.logaddexp(logs + np.log1p(-floor), log_prior - total + np.log(floor)))


class Scorers(dict[Name, Any]):
    """Cache the scorers of blocks, made on first use: with many columns, most are never needed."""

    def __init__(self, predictor: Predictor) -> None:
        super().__init__()
        self._predictor = predictor

    def __missing__(self, name: Name) -> Any:
        self[name] = self._predictor.made_scorer(name)
        return self[name]


@dataclass(frozen=True, eq=False)
class Predictor:
    """Combine a model, its class prior and its views, with scorers made on first use."""

    model: Model
    prior: ClassPrior = field(default_factory=ClassPrior)
    views: Views = field(default_factory=Views)
    temper: Temper = AS_IT_IS

    @cached_property
    def names(self) -> list[Name]:
        """Return the names of the blocks that carry evidence."""
        return list(self.model.voting)

    @cached_property
    def scorers(self) -> Scorers:
        """Return the scorers of blocks that carry evidence."""
        return Scorers(self)

    def made_scorer(self, name: Name) -> Any:
        """Return a new scorer of a block's rows."""
        block, weights = self.model.blocks[name], self.views.weights
        found: Any = block.scorer
        powers = None if weights is None else block.powers(weights)
        if powers is not None:
            found = found.weighted(powers, block.residuals(weights, self.model.classes))
        alone = len(self.names) == 1 and self.temper != AS_IT_IS and hasattr(found, "tempered")
        return found.tempered(self.temper) if alone else found

    @cached_property
    def together(self) -> JointTerms | None:
        """Return what joint columns add to scores."""
        return JointTerms.of(self.model.voting, self.views.weights, self.model.classes)

    @cached_property
    def columns(self) -> list[NumberColumns]:
        """Return the numeric columns that are scored together."""
        weights = self.views.weights
        if weights is not None and not isinstance(weights, ColumnWeights):
            return []
        plain = [name for name in self.names if weights is None or name not in weights.residuals]
        return NumberColumns.among(self.model.blocks, plain, ROWS_SIDE_BY_SIDE) if len(plain) >= SEVERAL else []

    @cached_property
    def log_prior(self) -> Array:
        """Return ln p(c), with the terms of classes."""
        return self.log_prior_of(self.model.n)

    def log_prior_of(self, counts: Array) -> Array:
        """Return ln p(c) for the given rows of each class, on the last axis, with the terms of classes."""
        weights = self.views.weights
        prior = self.prior.log(counts)
        terms = prior if weights is None else np.asarray(prior + weights.terms(self.model.classes))
        return powered(terms, self.temper.prior)

    def powers(self, rows: RowsByName) -> Any:
        """Return the power of the likelihood: one number for all rows, or one per row."""
        if not self.temper.length:
            return self.temper.power
        (name,) = self.names
        return self.scorers[name].powers(rows[name])

    def votes(self, rows: RowsByName) -> dict[Name, Array]:
        """Return w_j · ln p(x_j | c) of each block, rows × classes; zeros where a value is missing."""
        return {name: self._vote(name, rows[name]) for name in self.names if name in rows}

    def _vote(self, name: Name, rows: Rows) -> Array:
        present, weights = rows.present, self.views.weights
        if present is not None and not present.any():
            votes = np.zeros((len(rows), len(self.model.classes)))
        else:
            votes = self.scorers[name].scores(rows)
            if present is not None:
                votes[~present] = 0.0
        if weights is None:
            return votes
        done = getattr(self.scorers[name], "residuals", None) is not None  # the scorer adds them itself
        more = None if done else self.model.blocks[name].added(weights, name, rows, self.model.classes)
        weighed = _weighed(votes, weights.of_block(name))
        return weighed if more is None else np.asarray(weighed + more)

    def scores(self, rows: RowsByName) -> Array:
        """Return tempered ln p(x | c), rows × classes."""
        names = [name for name in self.names if name in rows]
        if len(names) == 1:
            votes = self._vote(names[0], rows[names[0]])
            return votes if hasattr(self.scorers[names[0]], "tempered") else tempered(votes, self.temper.power)
        return tempered(self._added(names, rows), self.temper.power)

    def _added(self, names: list[Name], rows: RowsByName) -> Array:
        """Return the sum of the blocks' scores, on several threads for many rows."""
        n, sets = _size(rows), () if self.together is None else self.together.axes.sets
        beside = [group for group in self.columns if all(name in rows and complete(rows[name]) for name in group.names)]
        done = {name for group in beside for name in group.names}
        names = [name for name in names if name not in sets and name not in done]
        ends = np.linspace(0, n, min(thread_count(), 1 + n // WORTH_A_THREAD) + 1).astype(int).tolist()
        out = np.zeros((n, len(self.model.classes)))

        def add(block: slice) -> None:
            part = _part({name: rows[name] for name in (*names, *done)}, block)
            for group in beside:
                group.add(part, self.views.weights, out[block])
            for name in names:
                out[block] += self._vote(name, part[name])  # NB-9

        try:
            in_parallel(add, [slice(*pair) for pair in pairwise(ends)])
        except DataError:
            self.votes(rows)  # its error gives the row's place in the table, not in its part
            raise
        if self.together is not None:
            self.together.add(rows, out)
        return out

    def joint(self, rows: RowsByName) -> Array:
        """Return ln p(x, c), rows × classes; a class with prior probability zero stays impossible."""
        scores = self.scores(rows)
        scores += self.log_prior
        scores[:, np.isneginf(self.log_prior)] = -np.inf
        return scores

    def log_proba(self, rows: RowsByName) -> Array:
        """Return ln p(c | x), rows × classes."""
        out, impossible = np.empty((_size(rows), len(self.model.classes))), 0
        for block in self._blocks(rows):
            joint = self.joint(_part(rows, block))
            impossible += normalise(joint, self.log_prior)
            out[block] = self.floored(joint)
        _warn(impossible, len(out))
        return out

    def floored(self, logs: Array, counts: Array | None = None) -> Array:
        """Return ln p with the current floor, for the given rows of each class or those of the model."""
        floor = self.views.floor
        return floored(logs, self.prior.log(self.model.n if counts is None else counts), floor) if floor else logs

    def best(self, rows: RowsByName) -> Integers:
        """Return the most probable class of each row."""
        codes = self._best_at_once(rows)
        if codes is None:
            codes = np.empty(_size(rows), np.int64)
            for block in self._blocks(rows):
                joint = self.joint(_part(rows, block))
                lost = np.isneginf(joint.max(axis=1))
                if self.views.floor:
                    normalise(joint, self.log_prior)
                codes[block] = np.where(lost, -1, self.floored(joint).argmax(axis=1))
        lost = codes < 0
        if lost.any():
            codes[lost] = np.argmax(self.log_prior)  # NB-12
            _warn(int(lost.sum()), len(codes))
        return codes

    def _best_at_once(self, rows: RowsByName) -> Integers | None:
        names, weights = [name for name in self.names if name in rows], self.views.weights
        if len(names) != 1 or rows[names[0]].present is not None or self.views.floor:
            return None
        scorer = self.scorers[names[0]]
        power = 1.0 if hasattr(scorer, "tempered") else self.temper.power
        power *= 1.0 if weights is None else weights.of_block(names[0])
        best = getattr(scorer, "best", None)
        found = None if best is None or not power else best(rows[names[0]], self.log_prior / power)
        return None if found is None else np.asarray(found, np.int64)

    def _blocks(self, rows: RowsByName) -> Iterator[slice]:
        """Return slices of rows that keep both values and scores few at once."""
        n = _size(rows)
        width = max((part.width for part in rows.values()), default=1)
        step = max(1, NUMBERS_AT_ONCE // max(1, len(self.model.classes), width))
        return (slice(at, min(n, at + step)) for at in range(0, n, step))

    def with_views(self, views: Views, temper: Temper) -> Predictor:
        """Return the predictor with other views."""
        return replace(self, views=views, temper=temper)

    def __getstate__(self) -> dict[str, Any]:
        cached = ("names", "scorers", "together", "columns", "log_prior")  # another thread may be adding them
        return {name: value for name, value in vars(self).copy().items() if name not in cached}


def _weighed(votes: Array, power: float) -> Array:
    return votes if power == 1 else powered(votes, power)


def _size(rows: RowsByName) -> int:
    return len(next(iter(rows.values()), ()))


def _part(rows: RowsByName, block: slice) -> RowsByName:
    if block.start == 0 and block.stop == _size(rows):
        return rows
    return {name: part.part(block) for name, part in rows.items()}


def _warn(impossible: int, rows: int) -> None:
    if impossible:
        tell(
            f"{impossible:,} of {counted(rows, 'row')} {'has' if impossible == 1 else 'have'} probability zero in "
            f"every class and {'gets' if impossible == 1 else 'get'} the class prior.",
            ImpossibleSampleWarning,
            python="A larger alpha, or estimate='mean', leaves nothing impossible.",
        )
