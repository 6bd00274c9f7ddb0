"""Residuals: what is left to say of each value once counts have spoken, fitted on scores that have not seen the row.

    score'_c(x) = ln π_c + b_c + a · s_c(x) + Σ_j δ[c, x_j]        0 ≤ a ≤ 1                                  JC-6

    maximise  Σ_i ln softmax_{y_i}(score'(x_i)) − (ρ/2) Σ δ²

x_j is the value of a column, a bin of its numbers, or the joint value of columns that act together. Values of fewer
than two rows have no term.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.models.choosing.descent import descend
from suffice.models.choosing.feature_weights import NATS, ROUGH
from suffice.models.choosing.judge import Judged, some_rows
from suffice.models.model import Name, Together
from suffice.models.scoring.cells import powered
from suffice.models.scoring.lifts import flat, in_order
from suffice.models.views import ColumnWeights, Residual
from suffice.parallel import thread_count
from suffice.typing import Array, Integers

__all__ = ["Design", "FittedResiduals", "ResidualChoice", "fit_residuals", "with_residuals"]

Edges = tuple[float, ...] | None
Coded = tuple[Integers, tuple[NDArray[Any], ...]]
"""Codes of values, rows × columns, and what they stand for."""

LEAST, ENTRIES = 2, 2**24
"""Rows that a value must have to get a term; and values of rows that residuals are fitted on, at most."""


@dataclass(frozen=True)
class ResidualChoice:
    """How strongly residuals are held at zero, whether joint values have some, and where bins of numbers end."""

    ridge: float
    together: bool
    edges: Mapping[Name, Edges]


@dataclass(frozen=True, eq=False)
class Design:
    """The values that have a term, block after block, and which of them each row has."""

    places: list[Integers]  # of each block, rising
    first: Integers  # the number of each block's first value, and of all values
    values: NDArray[np.int32]  # blocks × rows: the number of the row's value, −1 if it has none

    @classmethod
    def of(cls, places: Sequence[Integers], known: Sequence[Integers] | None = None) -> Design:
        """Take the place of each row's value, block by block, −1 where it has none; known values, or all seen twice."""
        kept = [_seen(place) for place in places] if known is None else list(known)
        first = np.concatenate([[0], np.cumsum([len(one) for one in kept])]).astype(np.int64)
        values = np.full((len(kept), len(places[0]) if places else 0), -1, np.int32)
        for j, (place, one) in enumerate(zip(places, kept, strict=True)):
            if len(one):
                at = np.minimum(np.searchsorted(one, place), len(one) - 1)
                values[j] = np.where(one[at] == place, first[j] + at, -1)
        return cls(kept, first, values)

    def by_block(self, terms: Array) -> list[Array]:
        """Return the terms of each block's values."""
        return np.split(terms, self.first[1:-1])

    def total(self, weights: Array) -> Array:
        """Return what the rows of each value weigh."""
        out = np.zeros(int(self.first[-1]))
        for mine, begin, end in zip(self.values, self.first, self.first[1:], strict=False):
            out[begin:end] = np.bincount(np.maximum(mine - begin + 1, 0), weights, end - begin + 1)[1:]
        return out

    def rows(self, scores: Array, offset: Array, codes: Integers, weights: Array) -> _native.Residuals:
        """Return rows with their scores, for the compiled kernel; `offset` is what is not scaled."""
        scores, offset = (np.ascontiguousarray(part, np.float64) for part in (scores, offset))
        return _native.Residuals(scores, offset, self.values, self.first, codes, weights)


def _seen(place: Integers) -> Integers:
    found, rows = np.unique(place[place >= 0], return_counts=True)
    return np.asarray(found[rows >= LEAST], np.int64)


@dataclass(frozen=True, eq=False)
class FittedResiduals:
    """How much of the score stays, what is added to the term of each class, and the terms of values."""

    scale: float
    classes: Array
    terms: Array  # values × classes

    def each(self, scores: Array, offset: Array, design: Design, codes: Integers, weights: Array) -> Array:
        """Return −w ln p of the own class, row by row; `offset` is what is not scaled."""
        out = np.zeros(len(codes))
        rows = design.rows(scores, offset, codes, weights)
        rows.loss(self.scale, self.classes, self.terms, 0.0, np.zeros(0), out, thread_count())
        return out


def fit_residuals(
    scores: Array, offset: Array, design: Design, codes: Integers, weights: Array, ridge: float
) -> FittedResiduals:
    """Return the residuals of highest objective; scores are of rows, each left out, and `offset` is not scaled."""
    classes, values = scores.shape[1], int(design.first[-1])
    rows = design.rows(scores, offset, codes, weights)
    size = np.sqrt(np.concatenate([[1.0], np.full(classes, 0.1 * weights.sum() / classes)]) + ridge)
    spread = 1.0 / np.sqrt(0.1 * design.total(weights) + ridge)
    scale = np.concatenate([1.0 / size, np.repeat(spread, classes)])

    def read(x: Array) -> tuple[float, Array, Array]:
        parameters = x * scale
        return 1.0 - float(parameters[0]), parameters[1 : 1 + classes], parameters[1 + classes :].reshape(values, -1)

    def objective(x: Array) -> tuple[float, Array]:
        gradient = np.empty(len(x))
        value = rows.loss(*read(x), ridge, gradient, np.zeros(0), thread_count())  # JC-6
        gradient[0] = -gradient[0]
        gradient *= scale
        return value, gradient

    lower = np.concatenate([[0.0], np.full(classes + values * classes, -np.inf)])
    found = descend(objective, np.zeros(len(lower)), lower, ROUGH, least=NATS)
    kept, terms, delta = read(found.x)
    return FittedResiduals(max(kept, 0.0), terms - terms.mean(), delta)


def places_of(coded: Sequence[Coded]) -> list[Integers]:
    """Return the place of each row's value in each block."""
    return [flat(codes, [len(one) for one in values]) for codes, values in coded]


def _in_order(codes: Integers, values: tuple[NDArray[Any], ...]) -> Coded:
    found = [in_order(code, words) for code, words in zip(codes.T, values, strict=True)]
    return np.stack([code for code, _ in found], axis=1), tuple(words for _, words in found)


def named_residuals(
    design: Design, terms: Array, coded: Mapping[Name, Coded], edges: Mapping[Name, Edges], labels: NDArray[Any]
) -> dict[Name, Residual]:
    """Return the terms of each block's values, by name."""
    found = dict[Name, Residual]()
    for (name, (_, values)), place, mine in zip(coded.items(), design.places, design.by_block(terms), strict=True):
        if len(place):
            codes = np.unravel_index(place, [len(one) for one in values])
            words = tuple(one[code] for one, code in zip(values, codes, strict=True))
            found[name] = Residual(words, mine, labels, edges.get(name))
    return found


def with_residuals(
    judged: Judged, votes: Mapping[Name, Array], power: float, weights: ColumnWeights, choice: ResidualChoice
) -> ColumnWeights:
    """Return weights with residuals on top of them; `votes` are those of training rows, each left out."""
    labels = judged.predictor.model.classes
    names = [name for name in votes if name in choice.edges or (choice.together and isinstance(name, Together))]
    every = {name: judged.rows[name].coded(choice.edges.get(name)) for name in names}
    coded = {name: _in_order(*one) for name, one in every.items() if one is not None}
    which = some_rows(len(judged.codes), max(1, ENTRIES // max(1, len(coded))), judged.group)
    scores = np.zeros((len(which), len(labels)))
    for name, vote in votes.items():
        scores += power * powered(vote[which], weights.of_block(name))
    offset = np.broadcast_to(judged.log_prior, (len(judged.codes), len(labels)))[which] + weights.terms(labels)
    usable = np.isfinite(scores).all(axis=1) & np.isfinite(offset).all(axis=1) & (judged.weights[which] > 0)
    which, scores, offset = which[usable], scores[usable], offset[usable]
    design = Design.of(places_of([(codes[which], values) for codes, values in coded.values()]))
    found = fit_residuals(scores, offset, design, judged.codes[which], judged.weights[which], choice.ridge)
    terms = zip(labels.tolist(), (weights.terms(labels) + found.classes).tolist(), strict=True)
    columns = {name: found.scale * weights.of_block(name) for name in weights.columns}
    residuals = named_residuals(design, found.terms / power, coded, choice.edges, labels)
    return replace(weights, classes=dict(terms), columns=columns, residuals=residuals)
