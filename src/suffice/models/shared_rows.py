"""Hold rows in memory that EM learns from: some labelled, others split over classes in shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.models.class_prior import ClassPrior
from suffice.models.expectation import (
    counted_by,
    entropy,
    log_joint,
    log_joint_of_labels,
    log_likelihoods,
    log_prior_density,
    lower_bound,
    share_out,
    weighted_sum,
)
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor, RowsByName
from suffice.models.scoring.rows import Labels
from suffice.stats.word_counts import WordCounts
from suffice.stats.word_shares import no_documents
from suffice.typing import Array

Weighed = tuple[RowsByName, Array]
"""Rows and their weights."""


@dataclass(frozen=True, eq=False)
class SharedExpectation:
    """Hold the result of an E step on rows in memory."""

    rows: SharedRows
    model: Model
    objective: float
    shares: Array  # of unlabelled rows
    bound: float  # lower bound by the previous shares; NaN if these are unknown

    @property
    def entropy(self) -> float:
        """Return the total entropy of the shares."""
        return entropy(self.shares, self.rows.shared)

    def learn(self) -> Model:
        """Return the model of labelled rows, and of the others split by their shares."""
        return self.rows.learned(self.shares, self.model.likelihoods)

    def then(self, model: Model) -> SharedExpectation:
        """Return the rows under the next model, with the bound by the current shares."""
        return self.rows.expect(model, self.shares)


@dataclass(frozen=True, eq=False)
class SharedRows:
    """Hold labelled rows, and parts of unlabelled rows."""

    empty: Model  # the classes and blocks of a model, without rows
    prior: ClassPrior
    free: tuple[Weighed, ...]
    labelled: tuple[RowsByName, Labels] | None = None
    share: float = 1.0  # weight of an unlabelled row relative to a labelled one

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return len(self.empty.classes)

    @cached_property
    def shared(self) -> Array:
        """Return the weight of each unlabelled row (EM-2)."""
        return self.share * np.concatenate([np.zeros(0), *(weights for _, weights in self.free)])  # EM-2

    @property
    def unlabelled(self) -> float:
        """Return the total weight of unlabelled rows."""
        return float(self.shared.sum())

    @property
    def weight(self) -> float:
        """Return the total weight of all rows."""
        return self.unlabelled + (0.0 if self.labelled is None else float(self.labelled[1].given.sum()))

    def weighing(self, share: float) -> SharedRows:
        """Return the rows with unlabelled ones counting for `share` of their weight."""
        changed = replace(self, share=share)
        if "of_labels" in vars(self):
            changed.__dict__["of_labels"] = self.of_labels
        return changed

    def based_on(self, base: Model) -> SharedRows:
        """Return the rows with another model of the labelled ones, such as that of some of them."""
        changed = replace(self)
        changed.__dict__["of_labels"] = base
        return changed

    @cached_property
    def of_labels(self) -> Model:
        """Return the model of labelled rows."""
        if self.labelled is None:
            return self.empty
        return self._filled(counted_by(self.empty, *self.labelled))

    def learned(self, shares: Array, likelihoods: Mapping[Name, Likelihood]) -> Model:
        """Return the model of labelled rows, and of the others split by their shares (M step)."""
        parts = [] if self.labelled is None else [self.of_labels]
        for (rows, _), place in zip(self.free, self._places, strict=True):
            labels = Labels(np.ascontiguousarray(shares[place]), self.shared[place], self.classes)
            parts.append(counted_by(self.empty, rows, labels))
        return self._filled(Model.total(parts) if parts else self.empty).with_likelihoods(likelihoods)

    def with_seeds(self, seeds: Array, likelihoods: Mapping[Name, Likelihood]) -> Model:
        """Return the model in which each class has the rows that seed it, and an average of all rows."""
        average = self.shared / self.shared.sum()
        twos = replace(self, free=tuple((rows, np.ones(len(weights))) for rows, weights in self.free), share=2.0)
        return twos.learned((average[:, None] + seeds) / 2, likelihoods)  # no share is above one

    def as_one_class(self) -> Model:
        """Return the model of all unlabelled rows as one class."""
        one = emptied(self.empty, np.zeros(1, np.int64))
        return replace(self, empty=one, labelled=None).learned(np.ones((len(self.shared), 1)), one.likelihoods)

    def expect(self, model: Model, before: Array | None = None) -> SharedExpectation:
        """Return the rows under a model (E step), with the bound by their previous shares."""
        predictor = Predictor(model, self.prior)
        objective = log_prior_density(predictor)
        if self.labelled is not None:
            objective += log_joint_of_labels(predictor, *self.labelled)
        bound = np.nan if before is None else objective
        found = []
        for (rows, _), place in zip(self.free, self._places, strict=True):
            joint = log_joint(predictor, rows)
            if before is not None:
                bound += lower_bound(joint, before[place], self.shared[place])
            found.append(share_out(joint, predictor.log_prior))
        shares = np.concatenate([np.zeros((0, self.classes)), *(shares for shares, _ in found)])
        logs = np.concatenate([np.zeros(0), *(logs for _, logs in found)])
        objective += weighted_sum(self.shared, logs)  # EM-1
        return SharedExpectation(self, model, objective, shares, bound)

    def scores(self, model: Model) -> Array:
        """Return ln p(x | c) of unlabelled rows."""
        return np.concatenate([log_likelihoods(Predictor(model, self.prior), rows) for rows, _ in self.free])

    def points(self) -> Array | None:
        """Return unlabelled rows as points; None where they are not points."""
        if len(self.empty.blocks) != 1:
            return None
        ((name, block),) = self.empty.blocks.items()
        points: Any = getattr(block.likelihood, "points", lambda _: None)
        parts = [points(rows[name]) for rows, _ in self.free]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    def _filled(self, model: Model) -> Model:
        """Return the model with an empty block for each that has no values."""
        return replace(model, blocks={name: model.blocks.get(name, block) for name, block in self.empty.blocks.items()})

    @cached_property
    def _places(self) -> list[slice]:
        ends = np.cumsum([0, *(len(weights) for _, weights in self.free)]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]


def emptied(model: Model, classes: Array) -> Model:
    """Return a model of the same blocks with other classes and no rows; all words of texts are kept."""
    nowhere, k = np.full(len(model.classes), -1), len(classes)
    blocks = {}
    for name, block in model.blocks.items():
        t = block.t
        zero = no_documents(t, k) if isinstance(t, WordCounts) else t.with_classes(nowhere, k)
        blocks[name] = Block(block.likelihood, zero)
    return Model(classes, model.rows.with_classes(nowhere, k), blocks)
