"""Define models as class counts and blocks, with all of + and −. A block is a likelihood and its statistic."""

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
from suffice.models.likelihoods.joint import Joint
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.scoring.removal import Removal
from suffice.models.scoring.results import HeldOut, Scorer
from suffice.models.scoring.rows import Labels, Rows, present_only
from suffice.models.views import FeatureWeights, Weights
from suffice.parallel import in_parallel
from suffice.stats import ClassCounts
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Integers

Name = str | int


class Together(str):
    """Name a block of several columns.

    >>> Together(("age", "job")), Together(("age", "job")).columns
    ('age × job', ('age', 'job'))
    """

    columns: tuple[Name, ...]

    def __new__(cls, columns: Iterable[Name]) -> Self:
        """Return the name of the columns; `str` shows only the first and last of more than three."""
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
    """Hold a likelihood and its statistic. Rows without a value are neither counted, scored nor removed."""

    likelihood: Likelihood
    statistic: Any

    @classmethod
    def of(cls, likelihood: Likelihood, rows: Rows, labels: Labels) -> Block:
        """Return the block that counts the rows with a value."""
        return cls(likelihood, likelihood.count(*present_only(rows, labels)))

    @cached_property
    def t(self) -> Any:
        """Return the part of the statistic that the likelihood uses."""
        return self.likelihood.kept(self.statistic)

    @cached_property
    def settled(self) -> Likelihood:
        """Return the likelihood with definite values for a prior or bins that depend on the statistic."""
        return self.likelihood.settled(self.t)

    @cached_property
    def scorer(self) -> Scorer:
        """Return the scorer of the block's rows."""
        return self.settled.scorer(self.t)

    def powers(self, weights: Weights | None) -> Array | None:
        """Return the power of each feature's evidence; None where features are not weighted."""
        return weights.of_features(self.t) if weights is not None and can_be_weighed(self.settled) else None

    def residuals(self, weights: Weights | None, labels: NDArray[Any]) -> Any:
        """Return what is added to each feature's evidence, features × classes as CSR; None if nothing is."""
        return weights.of_cells(self.t, labels) if weights is not None and can_be_weighed(self.settled) else None

    def added(self, weights: Weights | None, name: Name, rows: Rows, labels: NDArray[Any]) -> Array | None:
        """Return what is added to the block's evidence before tempering, rows × classes; None if nothing is."""
        if weights is None or (isinstance(weights, FeatureWeights) and not can_be_weighed(self.settled)):
            return None
        return weights.added(name, rows, labels, self.scorer)

    def held_out(self, rows: Rows, removed: Removal) -> HeldOut:
        """Return scores of training rows by all classes, each without the row or its group."""
        return self.settled.held_out(self.t, rows, removed.among(rows.present))

    def with_likelihood(self, likelihood: Likelihood) -> Self:
        """Return the block with another likelihood, reusing the settled one where it would be equal."""
        block, like = replace(self, likelihood=likelihood), getattr(likelihood, "settled_like", None)
        settled = like(self.settled) if like is not None and "settled" in vars(self) else None
        if settled is not None:
            block.__dict__["settled"] = settled
        return block

    def settled_as(self, likelihood: Likelihood) -> Self:
        """Return the block with the given likelihood as the settled one."""
        block = replace(self)
        block.__dict__["settled"] = likelihood
        return block

    def with_statistic(self, change: Callable[[Any], Any]) -> Self:
        """Return the block with a changed statistic."""
        return replace(self, statistic=change(self.statistic))

    def combined(self, other: Block, how: Callable[[Any, Any], Any], name: Name) -> Block:
        """Return the block with both statistics added or subtracted; `name` is for error messages."""
        return replace(self, statistic=how(self.statistic, other.statistic))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).copy().items() if name not in ("t", "settled", "scorer")}


@dataclass(frozen=True, eq=False)
class Model:
    """Hold classes by name, their rows, and blocks by name. Models are frozen: + and − return new ones."""

    classes: NDArray[Any]  # sorted and distinct
    rows: ClassCounts
    blocks: Mapping[Name, Block]
    declared: NDArray[Any] | None = field(default=None)  # classes that are kept even without rows

    @classmethod
    def of(
        cls, classes: NDArray[Any], likelihoods: Mapping[Name, Likelihood], rows: Mapping[Name, Rows], labels: Labels
    ) -> Model:
        """Return the model that counts the given rows; blocks that `rows` lacks are left out."""
        names = [name for name in likelihoods if name in rows]
        made = in_parallel(lambda name: Block.of(likelihoods[name], rows[name], labels), names)
        counted = ClassCounts.of_labels(labels.y, labels.weights, n_classes=labels.n_classes)
        return cls(classes, counted, dict(zip(names, made, strict=True)))

    @property
    def n(self) -> Array:
        """Return the number of rows of each class."""
        return self.rows.counts

    def __add__(self, other: Model) -> Model:
        """Return the model of both sets of rows; classes, blocks, words and categories are matched by name."""
        return Model.total([self, other])

    @classmethod
    def total(cls, models: Sequence[Model]) -> Model:
        """Return the model of the rows of all models."""
        classes = _united([model.classes for model in models])
        placed = [model.among(classes) for model in models]
        given = [model.declared for model in models if model.declared is not None]
        names = dict.fromkeys(name for model in placed for name in model.blocks)
        blocks = {name: _sum(name, [model.blocks[name] for model in placed if name in model.blocks]) for name in names}
        rows = reduce(operator.add, (model.rows for model in placed))
        return cls(classes, rows, blocks, np.unique(np.concatenate(given)) if given else None)

    def __sub__(self, other: Model) -> Model:
        """Return the model without the rows of another; classes without rows left are dropped unless declared."""
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
        """Return the same rows with other classes; rows of other classes than these are dropped."""
        if np.array_equal(classes, self.classes):
            return replace(self, classes=classes)
        inside = np.isin(self.classes, classes)
        place: Integers = np.where(inside, np.searchsorted(classes, self.classes), -1)
        if (np.diff(place[inside]) == 0).any():
            raise LabelError("Models that are combined", "have labels that remain distinct in a common type").but(
                f"got {self.classes.dtype} labels that {classes.dtype} cannot tell apart"
            )
        return replace(self._map(lambda t: t.with_classes(place, len(classes))), classes=classes)

    def renumbered(self, order: Integers) -> Model:
        """Return the model with its classes in another order."""
        place = np.argsort(order)
        return replace(self._map(lambda t: t.with_classes(place, len(order))), classes=self.classes[order])

    def scaled(self, factor: float) -> Model:
        """Return the model as if every row weighed `factor` times as much."""
        return self._map(lambda t: t.scaled(factor))  # SX-11

    def without_trace(self) -> Model:
        """Return the model without traces of removed rows in statistics, and without blocks that rows chose."""
        return replace(self.without_chosen()._map(lambda t: t.without_trace()), rows=self.rows)

    def without_chosen(self) -> Model:
        """Return the model without blocks that rows chose."""
        kept = {name: block for name, block in self.blocks.items() if not chosen_by_rows(block.likelihood)}
        return replace(self, blocks=kept)

    def _map(self, change: Callable[[Any], Any]) -> Model:
        blocks = {name: block.with_statistic(change) for name, block in self.blocks.items()}
        return replace(self, rows=change(self.rows), blocks=blocks)

    def with_likelihoods(self, likelihoods: Mapping[Name, Likelihood]) -> Model:
        """Return the model with the given likelihoods replaced."""
        blocks = {
            name: block if name not in likelihoods else block.with_likelihood(likelihoods[name])
            for name, block in self.blocks.items()
        }
        return replace(self, blocks=blocks)

    @property
    def likelihoods(self) -> dict[Name, Likelihood]:
        """Return the likelihood of each block."""
        return {name: block.likelihood for name, block in self.blocks.items()}

    @property
    def alone(self) -> dict[Name, Block]:
        """Return the blocks that stand for themselves, without corrections of others."""
        return {name: block for name, block in self.blocks.items() if not block.likelihood.correction}

    @property
    def voting(self) -> dict[Name, Block]:
        """Return the blocks that carry evidence."""
        return {name: block for name, block in self.blocks.items() if not block.likelihood.silent}


def chosen_by_rows(law: Likelihood) -> bool:
    """Return whether training rows chose a block, which makes it a view: a cloud, or an undeclared set."""
    return law.correction and not (isinstance(law, Joint) and law.gain is None)


def can_be_weighed(law: Likelihood) -> bool:
    """Return whether features can have evidence weights: scores are linear in them, and no class rules one out."""
    return isinstance(law, Multinomial) and law.weighable


def _sum(name: Name, blocks: list[Block]) -> Block:
    """Return the sum of blocks, with words added all at once."""
    first = blocks[0]
    if len(blocks) > 2 and all(isinstance(block.statistic, WordCounts) for block in blocks):
        return replace(first, statistic=WordCounts.total([block.statistic for block in blocks]))
    return reduce(lambda a, b: a.combined(b, operator.add, name), blocks)


def _united(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.unique(np.concatenate(parts)) if len(parts) > 1 else parts[0]


def narrowest(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels in the narrowest array that holds them, since its width would reveal a forgotten label's."""
    if labels.dtype.kind not in "US" or not len(labels):
        return labels
    return labels.astype(f"{labels.dtype.kind}{max(1, int(np.char.str_len(labels).max()))}", copy=False)
