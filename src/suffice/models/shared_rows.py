"""Rows in memory that EM learns from: some with a label, others that belong to classes in shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

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

__all__ = ["SharedExpectation", "SharedRows", "Weighed", "emptied"]

Weighed = tuple[RowsByName, Array]
"""Rows, and what each weighs."""


@dataclass(frozen=True, eq=False)
class SharedExpectation:
    """What rows in memory come to under a model."""

    rows: SharedRows
    model: Model
    objective: float
    shares: Array  # of rows without labels
    bound: float  # of the objective, by the shares of the step before; NaN where these are not known

    @property
    def entropy(self) -> float:
        """How unsure the shares are, all rows together."""
        return entropy(self.shares, self.rows.shared)

    def learn(self) -> Model:
        """Return the model of rows with labels, and of the others by their shares."""
        return self.rows.learned(self.shares, self.model.likelihoods)

    def then(self, model: Model) -> SharedExpectation:
        """Return what the rows come to under the next model, with the bound by the shares they have here."""
        return self.rows.expect(model, self.shares)


@dataclass(frozen=True, eq=False)
class SharedRows:
    """Rows with labels, and parts of rows without."""

    empty: Model  # the classes and blocks of a model, without rows
    prior: ClassPrior
    free: tuple[Weighed, ...]
    labelled: tuple[RowsByName, Labels] | None = None
    share: float = 1.0  # what a row without a label counts for, times its own weight

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.empty.classes)

    @cached_property
    def shared(self) -> Array:
        """What each row without a label weighs (EM-2)."""
        return self.share * np.concatenate([np.zeros(0), *(weights for _, weights in self.free)])  # EM-2

    @property
    def unlabelled(self) -> float:
        """What rows without labels weigh together."""
        return float(self.shared.sum())

    @property
    def weight(self) -> float:
        """What all rows weigh together."""
        return self.unlabelled + (0.0 if self.labelled is None else float(self.labelled[1].given.sum()))

    def weighing(self, share: float) -> SharedRows:
        """Return the same rows, of which those without labels count for so much of their weight."""
        changed = replace(self, share=share)
        if "of_labels" in vars(self):
            changed.__dict__["of_labels"] = self.of_labels
        return changed

    @cached_property
    def of_labels(self) -> Model:
        """The model of rows with labels."""
        if self.labelled is None:
            return self.empty
        return self._filled(counted_by(self.empty, *self.labelled))

    def learned(self, shares: Array, likelihoods: Mapping[Name, Likelihood]) -> Model:
        """Return the model of rows with labels, and of the others by their shares (M step)."""
        parts = [] if self.labelled is None else [self.of_labels]
        for (rows, _), place in zip(self.free, self._places, strict=True):
            labels = Labels(np.ascontiguousarray(shares[place]), self.shared[place], self.classes)
            parts.append(counted_by(self.empty, rows, labels))
        return self._filled(Model.total(parts) if parts else self.empty).with_likelihoods(likelihoods)

    def with_seeds(self, seeds: Array, likelihoods: Mapping[Name, Likelihood]) -> Model:
        """Return classes of the rows that are the seed of each, if it has one, and of an average row of all."""
        average = self.shared / self.shared.sum()
        twos = replace(self, free=tuple((rows, np.ones(len(weights))) for rows, weights in self.free), share=2.0)
        return twos.learned((average[:, None] + seeds) / 2, likelihoods)  # no share is above one

    def as_one_class(self) -> Model:
        """Return the model of all rows without labels as one class."""
        one = emptied(self.empty, np.zeros(1, np.int64))
        return replace(self, empty=one, labelled=None).learned(np.ones((len(self.shared), 1)), one.likelihoods)

    def expect(self, model: Model, before: Array | None = None) -> SharedExpectation:
        """Return what the rows come to under a model (E step), with the bound by the shares they had before."""
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
        """Return ln p(x | c) of rows without labels."""
        return np.concatenate([log_likelihoods(Predictor(model, self.prior), rows) for rows, _ in self.free])

    def points(self) -> Array | None:
        """Return rows without labels as points; None where they are none."""
        if len(self.empty.blocks) != 1:
            return None
        ((name, block),) = self.empty.blocks.items()
        parts = [block.likelihood.points(rows[name]) for rows, _ in self.free]
        known = [part for part in parts if part is not None]
        return np.concatenate(known) if len(known) == len(parts) else None

    def _filled(self, model: Model) -> Model:
        """Return the model with a block without rows for each that no row has a value of."""
        return replace(model, blocks={name: model.blocks.get(name, block) for name, block in self.empty.blocks.items()})

    @cached_property
    def _places(self) -> list[slice]:
        ends = np.cumsum([0, *(len(weights) for _, weights in self.free)]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]


def emptied(model: Model, classes: Array) -> Model:
    """Return other classes and the same blocks, without rows; all words of texts stay."""
    nowhere, k = np.full(len(model.classes), -1), len(classes)
    blocks = {}
    for name, block in model.blocks.items():
        t = block.t
        zero = no_documents(t, k) if isinstance(t, WordCounts) else t.with_classes(nowhere, k)
        blocks[name] = Block(block.likelihood, zero)
    return Model(classes, model.rows.with_classes(nowhere, k), blocks)
