"""Class counts and blocks: all of + and −, once. A block is a likelihood and its statistic."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from suffice.errors import LabelError, SubtractionError
from suffice.models.likelihoods.base import Likelihood
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import HeldOut, Scorer
from suffice.models.scoring.rows import Labels, Rows
from suffice.models.views import FeatureWeights, Weights
from suffice.parallel import in_parallel
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Integers

__all__ = ["Block", "Model", "Name", "Together", "narrowest"]

Name = str | int


class Together(str):
    """The name of a block of several columns.

    >>> Together(("age", "job")), Together(("age", "job")).columns
    ('age × job', ('age', 'job'))
    """

    columns: tuple[Name, ...]

    def __new__(cls, columns: Iterable[Name]) -> Self:
        """Name the columns; of more than three, only the first and the last are shown."""
        names = tuple(columns)
        name = super().__new__(cls, " × ".join(map(str, names)))
        name.columns = names
        return name

    def __str__(self) -> str:
        few = len(self.columns) <= 3
        return str.__str__(self) if few else f"{self.columns[0]} × … × {self.columns[-1]} ({len(self.columns)} columns)"

    def __format__(self, how: str) -> str:
        return format(str(self), how)

    def __getnewargs__(self) -> tuple[Any]:
        return (self.columns,)


@dataclass(frozen=True, eq=False)
class Block:
    """A likelihood and its statistic. Rows without a value are neither counted nor scored nor removed."""

    likelihood: Likelihood
    statistic: Any

    @classmethod
    def of(cls, likelihood: Likelihood, rows: Rows, labels: Labels) -> Block:
        """Count the rows that have a value."""
        if rows.present is not None and not rows.present.all():
            rows, labels = rows.take(rows.present), labels.take(rows.present)
        return cls(likelihood, likelihood.count(rows, labels))

    @cached_property
    def t(self) -> Any:
        """The part of the statistic that the likelihood looks at."""
        return self.likelihood.kept(self.statistic)

    @cached_property
    def settled(self) -> Likelihood:
        """The likelihood, with a prior or bins that depend on the statistic made definite."""
        return self.likelihood.settled(self.t)

    @cached_property
    def scorer(self) -> Scorer:
        """What scores the block's rows."""
        return self.settled.scorer(self.t)

    def powers(self, weights: Weights | None) -> Array | None:
        """Return what the evidence of each feature is raised to; None where features are not weighed."""
        return weights.of_features(self.t) if weights is not None and self.settled.weighable else None

    def residuals(self, weights: Weights | None, labels: NDArray[Any]) -> Any:
        """Return what is added to the evidence of each feature, features × classes as CSR; None where nothing is."""
        return weights.of_cells(self.t, labels) if weights is not None and self.settled.weighable else None

    def added(self, weights: Weights | None, name: Name, rows: Rows, labels: NDArray[Any]) -> Array | None:
        """Return what is added to the block's evidence, rows × classes, before it is tempered, if anything is."""
        if weights is None or (isinstance(weights, FeatureWeights) and not self.settled.weighable):
            return None
        return weights.added(name, rows, labels, self.scorer)

    def held_out(self, rows: Rows, removed: Removal) -> HeldOut:
        """Score training rows, each by classes without it or its group."""
        return self.settled.held_out(self.t, rows, removed.among(rows.present))

    def with_likelihood(self, likelihood: Likelihood) -> Self:
        """Return the block with another likelihood; what is settled alike stays so."""
        block, like = replace(self, likelihood=likelihood), getattr(likelihood, "settled_like", None)
        settled = like(self.settled) if like is not None and "settled" in vars(self) else None
        if settled is not None:
            block.__dict__["settled"] = settled
        return block

    def with_statistic(self, change: Callable[[Any], Any]) -> Self:
        """Return the block with another statistic."""
        return replace(self, statistic=change(self.statistic))

    def combined(self, other: Block, how: Callable[[Any, Any], Any], name: Name) -> Block:
        """Return the block of both statistics, added or subtracted; `name` is for complaints."""
        return replace(self, statistic=how(self.statistic, other.statistic))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).copy().items() if name not in ("t", "settled", "scorer")}


@dataclass(frozen=True, eq=False)
class Model:
    """Classes by name, their rows, and blocks by name. Frozen: + and − return new models."""

    classes: NDArray[Any]  # sorted, each once
    rows: ClassCounts
    blocks: Mapping[Name, Block]
    declared: NDArray[Any] | None = field(default=None)  # classes that stay, whether they have rows or not

    @classmethod
    def of(
        cls, classes: NDArray[Any], likelihoods: Mapping[Name, Likelihood], rows: Mapping[Name, Rows], labels: Labels
    ) -> Model:
        """Count rows; a block without rows has none with a value."""
        names = [name for name in likelihoods if name in rows]
        made = in_parallel(lambda name: Block.of(likelihoods[name], rows[name], labels), names)
        counted = ClassCounts.of_labels(labels.y, labels.weights, n_classes=labels.n_classes)
        return cls(classes, counted, dict(zip(names, made, strict=True)))

    @property
    def n(self) -> Array:
        """Rows of each class."""
        return self.rows.counts

    def __add__(self, other: Model) -> Model:
        """Return the model of both sets of rows; classes, blocks, words and categories are united by name."""
        return Model.total([self, other])

    @classmethod
    def total(cls, models: Sequence[Model]) -> Model:
        """Return the model of the rows of all."""
        classes = _united([model.classes for model in models])
        placed = [model.among(classes) for model in models]
        given = [model.declared for model in models if model.declared is not None]
        names = dict.fromkeys(name for model in placed for name in model.blocks)
        blocks = {name: _sum(name, [model.blocks[name] for model in placed if name in model.blocks]) for name in names}
        rows = reduce(operator.add, (model.rows for model in placed))
        return cls(classes, rows, blocks, np.unique(np.concatenate(given)) if given else None)

    def __sub__(self, other: Model) -> Model:
        """Return the model without the rows of another; a class that loses its last row is dropped, unless declared."""
        strangers = np.setdiff1d(other.classes, self.classes)
        if len(strangers):
            raise SubtractionError(f"Cannot forget rows of class {strangers.tolist()[0]!r}: none was learned.")
        removed = other.among(self.classes)
        blocks = {
            name: block.combined(removed.blocks[name], operator.sub, name) if name in removed.blocks else block
            for name, block in self.blocks.items()
        }
        rest = replace(self, rows=self.rows - removed.rows, blocks=blocks)
        empty = (self.n > 0) & (rest.n == 0)
        if self.declared is not None:
            empty &= ~np.isin(self.classes, self.declared)
        return rest.among(narrowest(self.classes[~empty])) if empty.any() else rest

    def among(self, classes: NDArray[Any]) -> Model:
        """Return the same rows among other classes; those of a class that is not among them are dropped."""
        if np.array_equal(classes, self.classes):
            return replace(self, classes=classes)
        inside = np.isin(self.classes, classes)
        place: Integers = np.where(inside, np.searchsorted(classes, self.classes), -1)
        if (np.diff(place[inside]) == 0).any():
            raise LabelError(
                "Models that are combined must have labels that stay different as numbers of one type; got "
                f"{self.classes.dtype} labels that {classes.dtype} cannot tell apart."
            )
        return replace(self._map(lambda t: t.with_classes(place, len(classes))), classes=classes)

    def scaled(self, factor: float) -> Model:
        """Return the model as if every row weighed `factor` times as much."""
        return self._map(lambda t: t.scaled(factor))  # SX-11

    def without_trace(self) -> Model:
        """Return the model without what statistics keep of removed rows, and without blocks that rows chose."""
        return replace(self.without_chosen()._map(lambda t: t.without_trace()), rows=self.rows)

    def without_chosen(self) -> Model:
        """Return the model without blocks that rows chose."""
        kept = {name: block for name, block in self.blocks.items() if not block.likelihood.chosen_by_rows}
        return replace(self, blocks=kept)

    def _map(self, change: Callable[[Any], Any]) -> Model:
        blocks = {name: block.with_statistic(change) for name, block in self.blocks.items()}
        return replace(self, rows=change(self.rows), blocks=blocks)

    def with_likelihoods(self, likelihoods: Mapping[Name, Likelihood]) -> Model:
        """Return the same statistics with other likelihoods, where these differ."""
        blocks = {
            name: block if name not in likelihoods else block.with_likelihood(likelihoods[name])
            for name, block in self.blocks.items()
        }
        return replace(self, blocks=blocks)

    @property
    def likelihoods(self) -> dict[Name, Likelihood]:
        """The likelihood of each block."""
        return {name: block.likelihood for name, block in self.blocks.items()}

    @property
    def alone(self) -> dict[Name, Block]:
        """Blocks that stand for themselves, without those that only add to what others say."""
        return {name: block for name, block in self.blocks.items() if not block.likelihood.correction}

    @property
    def voting(self) -> dict[Name, Block]:
        """Blocks that say something of rows."""
        return {name: block for name, block in self.blocks.items() if not block.likelihood.silent}


def _sum(name: Name, blocks: list[Block]) -> Block:
    """Add blocks up, words all at once."""
    first = blocks[0]
    if len(blocks) > 2 and all(isinstance(block.statistic, WordCounts) for block in blocks):
        return replace(first, statistic=WordCounts.total([block.statistic for block in blocks]))
    return reduce(lambda a, b: a.combined(b, operator.add, name), blocks)


def _united(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.unique(np.concatenate(parts)) if len(parts) > 1 else parts[0]


def narrowest(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels in an array no wider than the longest of them: a width would tell of one that was forgotten."""
    if labels.dtype.kind not in "US" or not len(labels):
        return labels
    return labels.astype(f"{labels.dtype.kind}{max(1, int(np.char.str_len(labels).max()))}", copy=False)
