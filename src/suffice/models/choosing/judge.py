"""Compute leave-one-out scores of training rows once, for every choice to use.

Rows come in the order of their content (`bottom_k.picked`). Subsets are then picked by a hash of the row number, or
evenly, so they do not depend on how the data are stored.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.errors import SingularCovariance, SubtractionError
from suffice.models.likelihoods.base import uncut
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.likelihoods.polya import Polya
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor, normalise
from suffice.models.scoring.cells import powered, tempered
from suffice.models.scoring.removal import Removal, nothing_removed
from suffice.models.scoring.results import HeldOut
from suffice.models.scoring.rows import Labels, MatrixRows, Rows, present_only
from suffice.models.side_by_side import SEVERAL, counted_side_by_side, held_out_side_by_side, settle_bins
from suffice.models.views import Weights
from suffice.parallel import in_parallel
from suffice.stats import ClassCounts
from suffice.stats.content import hashed, matrix_hashes
from suffice.stats.row_order import Values, group_ranks, row_keys, values_of, values_of_words
from suffice.telling import untold
from suffice.typing import Array, Booleans, Integers

JUDGED = 4
"""Number of parts that rows are dealt into: one is held out, or each in turn."""

PARTS = 5
"""Number of parts of the rows, each of which is scored with bins and priors that the others settle."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Hold training rows of each block, their labels, and a code for each row's group, if any."""

    rows: Mapping[Name, Rows]
    labels: Labels
    group: Integers | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, which: Any) -> Sample:
        """Return the given rows, with groups renumbered."""
        group = None if self.group is None else np.unique(self.group[which], return_inverse=True)[1]
        return Sample({name: part.take(which) for name, part in self.rows.items()}, self.labels.take(which), group)

    def at_most(self, most: int) -> Sample:
        """Return all rows, or `most` of them if there are more."""
        return self if len(self) <= most else self.take(some_rows(len(self), most, self.group))


def in_order_of_rows(predictor: Predictor, labels: Labels) -> tuple[Predictor, Labels]:
    """Return the predictor and the labels with classes in the order of their first rows, so that names do not matter.

    Sums over classes are then rounded in an order that follows from the order of the rows.
    """
    classes = labels.n_classes
    _, first = np.unique(labels.y, return_index=True)
    seen = labels.y[np.sort(first)]
    order = np.concatenate([seen, np.setdiff1d(np.arange(classes), seen)])
    place = np.argsort(order)
    model = predictor.model.renumbered(order)
    return replace(predictor, model=model, prior=predictor.prior.renumbered(order)), replace(labels, y=place[labels.y])


def some_rows(rows: int, most: int, group: Integers | None = None) -> Integers:
    """Return the numbers of at most `most` rows, in ascending order; groups are taken whole."""
    if rows <= most:
        return np.arange(rows)
    if group is None:
        return np.sort(np.argsort(hashed(np.arange(rows)), kind="stable")[:most])
    order = np.argsort(hashed(np.arange(int(group.max()) + 1)), kind="stable")
    sizes = np.bincount(group)[order]
    kept = order[: max(1, int(np.searchsorted(np.cumsum(sizes), most, side="right")))]
    return np.flatnonzero(np.isin(group, kept))


def parts_of(rows: Sized, group: Integers | None) -> Integers:
    """Return the part of each row, in the order of rows or of their groups, so that adjacent copies are spread out."""
    return np.asarray((np.arange(len(rows)) if group is None else group) % JUDGED)


@dataclass(frozen=True, eq=False)
class Judged:
    """Hold training rows with their scores by a model without the row or its group."""

    predictor: Predictor
    rows: Mapping[Name, Rows]
    held_out: Mapping[Name, HeldOut]
    removed: Removal
    codes: Integers
    given: Array  # weight of each row
    group: Integers | None

    @cached_property
    def left(self) -> Array:
        """Return the number of rows of each class after each row's removal, rows × classes."""
        return self.removed.from_classes(self.predictor.model.n)

    @cached_property
    def alone(self) -> Booleans:
        """Return which rows belong to a class that is empty after the removal, so no model without them knows it."""
        return np.asarray(self.left[np.arange(len(self.codes)), self.codes] <= 0)

    @property
    def weights(self) -> Array:
        """Return the weight of each row in choices: 0 if it is alone in its class."""
        return np.where(self.alone, 0.0, self.given)

    @cached_property
    def log_prior(self) -> Array:
        """Return ln p(c) without the row, rows × classes."""
        return np.asarray(self.predictor.log_prior_of(self.left))

    def votes(self, weights: Weights | None = None, without: Container[Name] = ()) -> dict[Name, Array]:
        """Return held-out ln p(x_j | c) of each block, rows × classes; zeros where a value is missing."""
        found, model = {}, self.predictor.model
        for name in (name for name in model.voting if name in self.rows and name not in without):
            more = model.blocks[name].added(weights, name, self.rows[name], model.classes)
            if name in self.held_out:
                scores = self.held_out[name].scores(model.blocks[name].powers(weights))
                present = self.rows[name].present
                if present is not None:
                    scores[~present] = 0.0
                found[name] = scores if weights is None else powered(scores, weights.of_block(name))
            if more is not None:
                found[name] = found.get(name, 0.0) + more
        return found

    def scores(self, weights: Weights | None = None, without: Container[Name] = ()) -> Array:
        """Return untempered held-out ln p(x | c), rows × classes."""
        out = np.zeros((len(self.codes), len(self.predictor.model.classes)))
        for vote in self.votes(weights, without).values():
            out += vote
        return out

    @property
    def lengths(self) -> Array | None:
        """Return the number of words of each row; None where rows are not documents."""
        parts = [part.lengths() for part in self.held_out.values()]
        return parts[0] if len(parts) == 1 else None

    def log_proba(self) -> Array:
        """Return held-out ln p(c | x) under the current views, rows × classes."""
        views, temper = self.predictor.views, self.predictor.temper
        scores = self.scores(views.weights)
        tempered(scores, temper.of(self.lengths if temper.length else None))
        scores += self.log_prior
        normalise(scores, self.log_prior)
        return self.predictor.floored(scores, self.left)

    def with_model(self, model: Model) -> Judged:
        """Return the rows scored by another model of the same statistics, such as one with another pseudo-count."""
        predictor = replace(self.predictor, model=model)
        return replace(self, predictor=predictor, held_out=held_out_of(model, self.rows, self.removed))


def judge(
    predictor: Predictor,
    rows: Mapping[Name, Rows],
    labels: Labels,
    group: Integers | None = None,
    settled: bool = False,
    same_bins: bool = False,
) -> Judged:
    """Return every training row scored by the model without it or its group, exactly, in one pass.

    Bins and priors learned from labels are settled without the row's part, unless other rows have `settled` them. With
    `same_bins`, only bins stay those of all rows, where rows outside the counts decide in the end.
    """
    model = predictor.model
    check_learned(model, labels)
    removed = Removal.of(labels.y, labels.weights, group)
    held_out = held_out_of(model, rows, removed, settled=settled, same_bins=same_bins)
    return Judged(predictor, rows, held_out, removed, labels.y, labels.given, group)


def check_learned(model: Model, labels: Labels) -> None:
    """Raise SubtractionError if a class has more weight in `labels` than in the model."""
    taken = np.bincount(labels.y, labels.weights, len(model.classes))
    over = np.flatnonzero(taken > model.n * (1 + 1e-12))
    if len(over):
        label = model.classes[over[:1]].tolist()[0]
        raise SubtractionError(
            f"Only learned rows can be left out; got more of class {label!r} than were learned."
        ).advise("Pass the rows that the model was fitted on.")


def held_out_of(
    model: Model,
    rows: Mapping[Name, Rows],
    removed: Removal,
    names: Iterable[Name] | None = None,
    settled: bool = False,
    same_bins: bool = False,
) -> dict[Name, HeldOut]:
    """Return held-out scores of the named blocks; by default, of those with a value in any row.

    A row is removed from its class. Where classes share bins or a prior that were learned from labels, these come from
    the rows outside the part that the row is in: they have not seen the row either.
    """
    if names is None:
        names = [name for name in model.voting if name in rows and _any(rows[name])]
    names = list(names)
    laws = {name: model.blocks[name].likelihood for name in names if len(removed.row) and not settled}
    shared = [n for n, law in laws.items() if law.learns_from_labels and not (same_bins and isinstance(law, Histogram))]
    found = _held_out(model.blocks, rows, removed, [name for name in names if name not in shared])
    if shared:
        part = _parts(removed, {name: rows[name] for name in shared}, model.blocks)
        parts = [np.flatnonzero(part == k) for k in np.unique(part)]
        found |= _in_parts_held_out(model.blocks, {name: rows[name] for name in shared}, removed, parts)
    return {name: found[name] for name in names}


def _parts(removed: Removal, rows: Mapping[Name, Rows], blocks: Mapping[Name, Block]) -> Integers:
    """Return the part of each row, dealt by what follows from the data."""
    values = list[Values]()
    for name, part in rows.items():
        if isinstance(part, MatrixRows):
            values += values_of(part.source.matrix, None if part.present is None else ~part.present)
        else:
            values.append(values_of_words(matrix_hashes(part.entries(blocks[name].t))))
    codes, group = removed.own[0], removed.group
    keys, classes = row_keys(values, codes)
    if not removed.alone and np.bincount(group).max() > 1:
        return np.asarray((group_ranks(keys, group) % PARTS)[group])
    dealt = np.empty(len(codes), np.int64)
    dealt[np.lexsort((keys, classes[codes]))] = np.arange(len(codes)) % PARTS
    return dealt


def _held_out(
    blocks: Mapping[Name, Block], rows: Mapping[Name, Rows], removed: Removal, names: list[Name]
) -> dict[Name, HeldOut]:
    found = held_out_side_by_side(blocks, rows, names, removed) if len(names) >= SEVERAL else {}
    others = [name for name in names if name not in found]
    alone = in_parallel(lambda name: blocks[name].held_out(rows[name], removed), others)
    return found | dict(zip(others, alone, strict=True))


def _in_parts_held_out(
    blocks: Mapping[Name, Block], rows: Mapping[Name, Rows], removed: Removal, parts: list[Integers]
) -> dict[Name, HeldOut]:
    """Return held-out scores part by part, with bins and priors settled without the part."""
    found: dict[Name, list[HeldOut]] = {name: [] for name in rows}
    for which in parts:
        some, less = {name: part.take(which) for name, part in rows.items()}, removed.take(which)
        try:
            each = _held_out(_settled_without(blocks, some, less), some, less, [*rows])
        except SingularCovariance:  # beside a row so far away that a prior without it vanishes
            each = _held_out(blocks, some, less, [*rows])
        for name, one in each.items():
            found[name].append(one)
    return {name: HeldOutParts(parts, each) for name, each in found.items()}


def _settled_without(blocks: Mapping[Name, Block], rows: Mapping[Name, Rows], removed: Removal) -> dict[Name, Block]:
    """Return blocks with the same counts, settled by all rows but the given ones."""
    laws = {name: uncut(blocks[name].likelihood) for name in rows}
    code, weight = removed.own
    labels = Labels(code, None if (weight == 1).all() else weight, len(next(iter(blocks.values())).t.n))
    counted = counted_side_by_side(laws, rows, labels)
    rest: dict[Name, Block] = {}
    with untold("The spread of"):  # of rows that no model keeps
        for name, law in laws.items():
            t = blocks[name].t
            less = t - counted[name] if name in counted else law.without(t, *present_only(rows[name], labels))
            if less.n.sum() > 0:  # otherwise there is nothing else to learn from
                rest[name] = Block(law, less)
    settle_bins([*rest.values()])
    return {name: with_settled_of(blocks[name], rest[name]) if name in rest else blocks[name] for name in rows}


def with_settled_of(block: Block, rest: Block) -> Block:
    """Return a block with the bins, prior or urns that a block of other rows settles."""
    law = rest.settled
    if isinstance(law, Polya):  # urns are fitted to whole classes, so they cannot lose a single row
        return rest
    return block.settled_as(law.with_counts_of(block.t) if isinstance(law, Histogram) else law)


@dataclass(frozen=True, eq=False)
class Split:
    """Hold rows that a model has learned, each left out, and held-out rows."""

    learned: Judged
    unseen: Judged

    @classmethod
    def of(cls, predictor: Predictor, sample: Sample, out: Booleans) -> Split:
        """Return learned and held-out rows, with the latter taken out of the model."""
        unseen, learned = sample.take(out), sample.take(~out)
        left = without(predictor, unseen)
        judged = judge(left, learned.rows, learned.labels, learned.group)
        return cls(judged, never_seen(left, unseen, judged.held_out))


def without(predictor: Predictor, sample: Sample) -> Predictor:
    """Return the predictor without some of the rows; all features and classes are kept."""
    model, labels = predictor.model, sample.labels
    counted = ClassCounts.of_labels(labels.y, labels.weights, n_classes=labels.n_classes)
    blocks = {}
    for name, block in model.voting.items():
        likelihood = uncut(block.likelihood)
        blocks[name] = Block(likelihood, likelihood.without(block.t, *present_only(sample.rows[name], labels)))
    return replace(predictor, model=replace(model, rows=model.rows - counted, blocks=blocks))


def never_seen(predictor: Predictor, sample: Sample, names: Iterable[Name]) -> Judged:
    """Return rows that a model has never seen, in the form of left-out rows."""
    removed, labels = nothing_removed(len(sample)), sample.labels
    held_out = held_out_of(predictor.model, sample.rows, removed, names)
    return Judged(predictor, sample.rows, held_out, removed, labels.y, labels.given, sample.group)


@dataclass(frozen=True, eq=False)
class HeldOutParts:
    """Hold the scores of training rows part by part."""

    rows: list[Integers]  # of each part
    parts: list[HeldOut]

    def scores(self, feature_weights: Array | None = None) -> Array:
        """Return untempered ln p(x | c), rows × classes."""
        each = [part.scores(feature_weights) for part in self.parts]
        out = np.empty((sum(map(len, self.rows)), each[0].shape[1]))
        for which, scores in zip(self.rows, each, strict=True):
            out[which] = scores
        return out

    def lengths(self) -> Array | None:
        """Return the length of each row; None where rows are not documents."""
        each = [part.lengths() for part in self.parts]
        if any(lengths is None for lengths in each):
            return None
        out = np.empty(sum(map(len, self.rows)))
        for which, lengths in zip(self.rows, each, strict=True):
            out[which] = lengths
        return out


def _any(rows: Rows) -> bool:
    return rows.present is None or bool(rows.present.any())
