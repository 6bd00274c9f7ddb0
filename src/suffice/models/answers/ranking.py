"""Rank features by their mutual information with the class (NB-13), and describe models for plots, from counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import InputError, KindError, ShapeError
from suffice.models.answers import derived
from suffice.models.answers.parts import names_of
from suffice.models.likelihoods.pictures import ClassDistributions, FeatureBelief
from suffice.models.model import Together
from suffice.models.predictor import Predictor
from suffice.models.scoring.information import class_shares
from suffice.notebook import MOST, bar, card, table
from suffice.stats.word_counts import WordCounts
from suffice.telling import counted
from suffice.typing import Array, Integers, Names

SHOWN = 10
UNITS = {"nats": 1.0, "bits": np.log(2.0)}


class Information:
    """Rank features by their mutual information with the class, most informative first.

    Iteration yields pairs of name and value. Features with equal information keep their order.

    Attributes
    ----------
    names : ndarray
        Names of the features, or their column numbers, by decreasing information.
    values : ndarray of float
        Information of each, decreasing.
    order : ndarray of int
        Column number of each.
    by_feature : ndarray of float
        Information of all features, in the order of the columns.
    unit : {"nats", "bits"}
        Unit of the values.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 0]], ["a", "a", "b", "b"])
    >>> sf.mutual_information(model, unit="bits").top(1)
    [(0, 0.188...)]
    """

    def __init__(self, names: Any, by_feature: Array, unit: str = "nats") -> None:
        self.unit, self.by_feature = unit, by_feature
        self.order: Integers = np.argsort(-by_feature, kind="stable")
        self.values: Array = by_feature[self.order]
        self.names: NDArray[Any] = np.asarray(names)[self.order]
        for array in (self.by_feature, self.order, self.values, self.names):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        return zip(self.names.tolist(), self.values.tolist(), strict=True)

    def top(self, k: int) -> list[tuple[Any, float]]:
        """Return the k most informative features with their values; all if there are fewer."""
        number: Any = k
        if not isinstance(number, int | np.integer) or number < 0:
            raise InputError("Information.top.k", "be a whole number from 0 on", got=k)
        return list(zip(self.names[:k].tolist(), self.values[:k].tolist(), strict=True))

    def __repr__(self) -> str:
        shown = [(str(name), f"{value:.3g}") for name, value in self.top(SHOWN)]
        width = max((len(name) for name, _ in shown), default=0)
        lines = [f"Mutual information of {counted(len(self), 'feature')} with the class, in {self.unit}:"]
        lines += [f"  {name:{width}}  {value}" for name, value in shown]
        lines += [f"  … and {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return card(self, self._parts)

    def _parts(self) -> Iterator[str]:
        most = float(self.values[0]) if len(self) and self.values[0] > 0 else 1.0
        rows = [(str(name), value, bar(value / most)) for name, value in self.top(MOST)]
        yield table(["feature", self.unit, ""], rows, len(self))


def ranked(predictor: Predictor, names: Any = None, unit: str = "nats") -> Information:
    """Return the features of the only block ranked by information; without `names`, by words or places."""
    if unit not in UNITS:
        raise InputError("mutual_information.unit", "be 'nats' or 'bits'", got=unit)
    values = information_of(predictor)
    (block,) = predictor.model.voting.values()
    return Information(names_of(block.t, len(values)) if names is None else names, values / UNITS[unit], unit)


def ranked_columns(predictor: Predictor, unit: str = "nats") -> Information:
    """Return the columns of a table ranked by information, without joint columns and those of texts."""
    shares = _shares(predictor)
    blocks = {name: block for name, block in predictor.model.voting.items() if not isinstance(name, Together)}
    of_texts = [name for name, block in blocks.items() if isinstance(block.statistic, WordCounts)]
    values = {
        name: float(derived.information(block.settled, block.t, shares)[0])
        for name, block in blocks.items()
        if name not in of_texts
    }
    if not values:
        raise KindError("mutual_information.model", "have a column that is not text").but(
            f"got only {', '.join(map(repr, of_texts))}", python="Use TextClassifier, whose features are words."
        )
    names = np.empty(len(values), object)
    names[:] = list(values)
    return Information(names, np.array(list(values.values())) / UNITS[unit], unit)


def given_names(names: Any, width: int) -> NDArray[Any]:
    """Return the user's names for unnamed features; raise ShapeError unless there is one per feature."""
    called = np.asarray(names)
    if called.shape != (width,):
        raise ShapeError("feature_names", f"be a list of {counted(width, 'name')}, one per column").but(
            f"got {counted(len(called), 'name') if called.ndim == 1 else f'shape {called.shape}'}"
        )
    return called


def information_of(predictor: Predictor) -> Array:
    """Return the mutual information of each feature of the only block with the class, in nats, in feature order."""
    (block,) = predictor.model.voting.values()
    return derived.information(block.settled, block.t, _shares(predictor))


def _shares(predictor: Predictor) -> Array:
    """Return the class prior without the terms of views."""
    return class_shares(replace(predictor.prior, flat=False).log(predictor.model.n))


@dataclass(frozen=True)
class ShownColumn:
    """A column's name, the name of its family, its weight, and its distribution in each class."""

    name: Any
    kind: str
    weight: float
    classes: ClassDistributions


def believed(predictor: Predictor, names: Any = None, by_block: bool = False) -> FeatureBelief | None:
    """Return named beliefs about features of one kind; None where each feature is a column, or there is no belief."""
    if by_block:
        return None
    (block,) = predictor.model.voting.values()
    found = derived.believed(block.settled, block.t)
    if found is None:
        return None
    called = names_of(block.t, found.counts.width) if names is None else names
    if getattr(block.t, "hash_bits", 0):
        called = [f"bucket {i}" for i in range(found.counts.width)]
    return replace(found, names=np.asarray(called))


def shown_columns(
    predictor: Predictor,
    level: float,
    names: Names | None = None,
    by_block: bool = False,
    categories: Sequence[Any] | None = None,
) -> Iterator[ShownColumn]:
    """Yield the distribution of each column of a table or matrix in each class, where it can be plotted.

    `names` are those of the only block's columns, and `categories` the values of its codes.
    """
    weights = predictor.views.weights
    for name, block in predictor.model.voting.items():
        if block.likelihood.correction:
            continue
        power = 1.0 if weights is None else weights.of_block(name)
        for j, one in enumerate(derived.distributions(block.settled, block.t, level)):
            known = one if categories is None else replace(one, values=np.asarray(categories[j]))
            called = name if by_block else j if names is None else names[j]
            yield ShownColumn(called, block.likelihood.word, power, known)
