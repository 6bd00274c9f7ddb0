"""Compute log evidence: ln p of the training rows and labels with parameters integrated out, by class and feature.

    labels       with a Dirichlet prior: DM-6; otherwise their likelihood, for given or maximum-likelihood shares
    features     the log evidence of each likelihood (NB-11)

NB-11 also contains n!/Πx! of rows of counts (1/Πx! for Poisson counts). It does not depend on the prior, and is not in
the statistic. Where the rows are given, `coefficient` holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import LabelError
from suffice.models.answers import derived
from suffice.models.answers.parts import names_of
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.rows import Rows
from suffice.notebook import card, line, table
from suffice.stats.word_counts import read_weights
from suffice.typing import Array, WeightsLike


@dataclass(frozen=True, repr=False)
class Evidence:
    """The ln p of the training rows and labels, and its parts."""

    classes: NDArray[Any]
    features: Any  # names of the features
    labels: float  # ln p of the labels
    belief: bool  # whether the class prior is integrated out, not plugged in
    cells: Cells = field(repr=False)  # classes × features
    coefficient: float = 0.0  # Σ ln n!/Πx!, if the rows were given

    @property
    def total(self) -> float:
        """Return the sum of all parts."""
        return float(self.labels + self.by_class.sum() + self.coefficient)

    @cached_property
    def by_class(self) -> Array:
        """Return the log evidence of each class, summed over features."""
        return self.cells.sum()

    @cached_property
    def by_feature(self) -> Array:
        """Return the log evidence of each feature, summed over classes."""
        return self.cells.by_feature()

    @cached_property
    def table(self) -> Array:
        """Return the log evidence as classes × features; for texts this table, made on first use, may be large."""
        return self.cells.dense()

    def __repr__(self) -> str:
        prior = "integrated out" if self.belief else "plugged in"
        shown = [f"labels {self.labels:.6g} (class prior: {prior})"]
        shown += [f"{name} {value:.6g}" for name, value in zip(self.classes.tolist(), self.by_class, strict=True)]
        shown += [f"n!/Πx! {self.coefficient:.6g}"] if self.coefficient else []
        return f"Evidence(total={self.total:.6g}: {', '.join(shown)})"

    def _repr_html_(self) -> str:
        return card(self, self._parts, f"Log evidence {self.total:.6g}")

    def _parts(self) -> Iterator[str]:
        yield line(f"Class prior: {'integrated out' if self.belief else 'plugged in'}.")
        rows: list[tuple[object, float]] = [("labels", self.labels)]
        rows += [(f"class {name}", float(value)) for name, value in zip(self.classes, self.by_class, strict=True)]
        rows += [("n!/Πx!", self.coefficient)] if self.coefficient else []
        yield table(["part", "log evidence"], rows)


def evidence(predictor: Predictor, names: Any = None, by_block: bool = False, coefficient: float = 0.0) -> Evidence:
    """Return the log evidence by class and feature of the only block, or with `by_block` by class and block.

    Without `names`, features are called by their words, if the statistic has words, or by their places.
    """
    model = predictor.model
    labels, belief = predictor.prior.log_evidence(model.n)
    if by_block:
        columns = [_of_block(block, len(model.classes)) for block in model.alone.values()]
        cells = Cells(np.array(columns).reshape(len(columns), len(model.classes)).T)
        return Evidence(model.classes, list(model.alone), labels, belief, cells, coefficient)
    (block,) = model.blocks.values()
    cells = block.settled.log_evidence(block.t)
    called = names_of(block.t, cells.width) if names is None else names
    return Evidence(model.classes, called, labels, belief, cells, coefficient)


def _of_block(block: Block, classes: int) -> Array:
    """Return the log evidence of a block by class, summed over features; zeros for one that carries no evidence."""
    return np.zeros(classes) if block.likelihood.silent else block.settled.log_evidence(block.t).sum()


def coefficient_of(model: Model, rows: Mapping[Name, Rows], sample_weight: WeightsLike) -> float:
    """Return Σ ln n!/Πx! over the training rows (for Poisson, Σ −ln Πx!); raise LabelError unless all are given."""
    total = float(model.n.sum())
    found = 0.0
    for name, block in model.alone.items():
        weights = read_weights(sample_weight, len(rows[name]))
        given = np.ones(len(rows[name])) if weights is None else weights
        if abs(given.sum() - total) > 1e-9 * total:
            raise LabelError("X", f"hold the {total:g} rows that the model was fitted on").but(f"got {given.sum():g}")
        found += float((given * derived.log_coefficients(block.settled, block.t, rows[name])).sum())
    return found
