"""Choose the likelihood of numeric columns where rows come in groups, by groups that were not counted.

Evidence assumes independent rows. With a few speakers and a hundred frames each, it would learn bins of these speakers.
Frames of held-out speakers show whether bins improve on normals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from suffice.models.choices import Choice
from suffice.models.choosing.judge import Sample, judge, never_seen, parts_of
from suffice.models.choosing.optimize import Judge
from suffice.models.choosing.smoothing import Scored, choose_temper, own_losses
from suffice.models.choosing.weights import Fitted
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.categorical import Categorical
from suffice.models.likelihoods.gaussian import Gaussian
from suffice.models.likelihoods.histogram import Histogram
from suffice.models.model import Block, Model, Name
from suffice.models.open_columns import OpenBlock
from suffice.models.predictor import Predictor
from suffice.typing import Array, Integers

__all__ = ["as_normals", "choose_kinds"]

FEW = 10
"""Largest number of distinct values that stay categories regardless of groups."""

NORMAL, BY_EVIDENCE = "all normal", "by evidence"

Laws = Mapping[Name, Likelihood]


def as_normals(model: Model) -> dict[Name, Block]:
    """Return numeric columns that evidence gave bins or categories, modelled as normals instead."""
    found = dict[Name, Block]()
    for name, block in model.blocks.items():
        if not isinstance(block, OpenBlock) or block.numbers is None or not _binned(block):
            continue
        moments = Gaussian().served(block)
        if moments is not None:
            found[name] = OpenBlock(Gaussian(), moments, block.numbers)
    return found


def _binned(block: OpenBlock) -> bool:
    kind = block.likelihood
    return isinstance(kind, Histogram) or (isinstance(kind, Categorical) and len(block.statistic.values) > FEW)


class KindTrial:
    """Hold rows of some groups, and models of the others that differ in the likelihoods of columns."""

    def __init__(
        self, predictor: Predictor, samples: Mapping[str, Sample], laws: Mapping[str, Laws], part: int
    ) -> None:
        self.predictor, self.laws = predictor, laws
        first = samples[NORMAL]
        out = parts_of(first, first.group) == part
        self.learned = {name: sample.take(~out) for name, sample in samples.items()}
        self.unseen = {name: sample.take(out) for name, sample in samples.items()}
        counted = np.bincount(self.learned[NORMAL].labels.y, minlength=len(predictor.model.classes))
        labels = self.unseen[NORMAL].labels
        self.weights = np.where(counted[labels.y] > 0, labels.given, 0.0)

    @property
    def group(self) -> Integers:
        """Return the number of each held-out row's group."""
        group = self.unseen[NORMAL].group
        assert group is not None
        return group

    def fit(self, option: str, initial: Fitted | None = None) -> tuple[Fitted, Array]:
        """Return an empty fit, since nothing is weighted, and −w ln p of the own class of each held-out row.

        The temper is the one chosen on the other rows.
        """
        learned, unseen = self.learned[option], self.unseen[option]
        model = Model.of(self.predictor.model.classes, self.laws[option], learned.rows, learned.labels)
        predictor = replace(self.predictor, model=model)
        temper = choose_temper(Scored.of(judge(predictor, learned.rows, learned.labels, learned.group)))
        losses = own_losses(Scored.of(never_seen(predictor, unseen, model.voting)), temper)
        return Fitted(np.empty(0), np.empty(0), np.inf, 0.0, 0), self.weights * losses


def choose_kinds(predictor: Predictor, sample_of: Callable[[Laws], Sample]) -> tuple[bool, Choice] | None:
    """Return whether all numbers are normal, with the record of this choice; None if there is nothing to choose.

    All columns share the choice, since a few groups cannot support more. `sample_of` returns grouped rows as the given
    likelihoods read them.
    """
    normals = as_normals(predictor.model)
    if not normals:
        return None
    chosen = {name: block.likelihood for name, block in predictor.model.alone.items() if not block.likelihood.silent}
    laws: dict[str, Laws] = {NORMAL: chosen | dict.fromkeys(normals, Gaussian()), BY_EVIDENCE: chosen}
    samples = {name: sample_of(each) for name, each in laws.items()}
    parts = np.unique(parts_of(samples[NORMAL], samples[NORMAL].group)).tolist()
    if len(parts) < 2:
        return None
    asked = Judge([KindTrial(predictor, samples, laws, part) for part in parts])
    if not asked.weights.any():
        return None
    losses = {name: asked.loss(name) for name in laws}
    normal = not asked.pays(losses[NORMAL], losses[BY_EVIDENCE])
    asked.note("kinds of numeric columns", NORMAL if normal else BY_EVIDENCE, losses)
    return normal, asked.record[-1]
