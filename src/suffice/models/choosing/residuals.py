"""Fit residuals: per-value corrections to the scores from counts, fitted on scores that have not seen the row.

    score'_c(x) = ln π_c + b_c + a · s_c(x) + Σ_j δ[c, x_j]        0 ≤ a ≤ 1                                  JC-6

    maximise  Σ_i ln softmax_{y_i}(score'(x_i)) − (ρ/2) Σ δ²

x_j is the value of a column, a bin of its numbers, or the joint value of joint columns. Values that fewer than two rows
have get no term.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.models.choosing.optimize import descend
from suffice.models.choosing.weights import NATS, ROUGH, BlockVotes, ColumnRows, Fitted, centred, present_classes
from suffice.models.model import Name, Together
from suffice.models.scoring.grouping import Cuts, with_missing
from suffice.models.scoring.joint_rows import JointRows
from suffice.models.scoring.lifts import flat, in_order
from suffice.models.scoring.rows import Rows
from suffice.models.views import ColumnWeights, Residual
from suffice.parallel import thread_count
from suffice.typing import Array, Integers

__all__ = [
    "Design", "FittedByName", "FittedResiduals", "ResidualChoice", "fit_residuals", "named_residuals", "scores_of",
    "with_residuals",
]  # fmt: skip

Coded = tuple[Integers, tuple[NDArray[Any], ...]]
"""Codes of values, rows × columns, and the words of each column's codes."""

LEAST = 2
"""Smallest number of rows with a value for it to get a term."""


@dataclass(frozen=True)
class ResidualChoice:
    """Hold the ridge of residuals, whether joint values have residuals, and how values are grouped."""

    ridge: float
    together: bool
    cuts: Mapping[Name, Cuts]
    missing: bool = False


@dataclass(frozen=True, eq=False)
class Design:
    """Hold the values that have a term, block by block, and which of them each row has."""

    places: list[Integers]  # places of each block's values, ascending
    first: Integers  # number of each block's first value, then of all values
    values: NDArray[np.int32]  # blocks × rows: number of the row's value, −1 if it has none

    @classmethod
    def of(cls, places: Sequence[Integers], widths: Sequence[int], known: Sequence[Integers] | None = None) -> Design:
        """Return the design for the place of each row's value, −1 where it has none, block by block.

        `widths` are the numbers of places. Values with a term are those in `known`, or all that at least two rows have.
        """
        kept = [_seen(place, width) for place, width in zip(places, widths, strict=True)] if known is None else [*known]
        first = np.concatenate([[0], np.cumsum([len(one) for one in kept])]).astype(np.int64)
        values = np.empty((len(kept), len(places[0]) if places else 0), np.int32)
        for j, (place, width, one) in enumerate(zip(places, widths, kept, strict=True)):
            number = np.full(width + 1, -1, np.int32)  # the last entry maps −1 to itself
            number[one] = np.arange(first[j], first[j + 1])
            values[j] = number[place]
        return cls(kept, first, values)

    def by_block(self, terms: Array) -> list[Array]:
        """Return the terms of each block's values."""
        return np.split(terms, self.first[1:-1])

    def total(self, weights: Array) -> Array:
        """Return the total weight of the rows with each value."""
        out = np.zeros(int(self.first[-1]))
        for mine, begin, end in zip(self.values, self.first, self.first[1:], strict=False):
            out[begin:end] = np.bincount(np.maximum(mine - begin + 1, 0), weights, end - begin + 1)[1:]
        return out

    def rows(self, scores: Array, offset: Array, codes: Integers, weights: Array) -> _native.Residuals:
        """Return the rows with their scores for the compiled kernel; `offset` is the unscaled part."""
        scores, offset = (np.ascontiguousarray(part, np.float64) for part in (scores, offset))
        return _native.Residuals(scores, offset, self.values, self.first, codes, weights)


def _seen(place: Integers, width: int) -> Integers:
    return np.flatnonzero(np.bincount(place + 1, minlength=width + 1)[1:] >= LEAST)


@dataclass(frozen=True, eq=False)
class FittedResiduals:
    """Hold the scale of the score, what is added to each class's term, and the terms of values."""

    scale: float
    classes: Array
    terms: Array  # values × classes

    def each(self, scores: Array, offset: Array, design: Design, codes: Integers, weights: Array) -> Array:
        """Return −w ln p of the own class for each row; `offset` is the unscaled part."""
        out = np.zeros(len(codes))
        rows = design.rows(scores, offset, codes, weights)
        rows.loss(self.scale, self.classes, self.terms, 0.0, np.zeros(0), out, thread_count())
        return out


def fit_residuals(
    scores: Array,
    offset: Array,
    design: Design,
    codes: Integers,
    weights: Array,
    ridge: float,
    initial: FittedResiduals | None = None,
) -> FittedResiduals:
    """Return the residuals that maximize the objective, given leave-one-out scores and the unscaled `offset`.

    The search starts from `initial`, an earlier fit of the same values, if given.
    """
    classes, values = scores.shape[1], int(design.first[-1])
    rows, present = design.rows(scores, offset, codes, weights), present_classes(codes, weights, classes)
    size = np.sqrt(np.concatenate([[1.0], np.full(classes, 0.1 * weights.sum() / classes)]) + ridge)
    spread = 1.0 / np.sqrt(0.1 * design.total(weights) + ridge)
    scale = np.concatenate([1.0 / size, np.repeat(spread, classes)])

    def read(x: Array) -> tuple[float, Array, Array]:
        parameters = x * scale
        return (
            1.0 - float(parameters[0]),
            centred(parameters[1 : 1 + classes], present),
            parameters[1 + classes :].reshape(values, classes),
        )

    def objective(x: Array) -> tuple[float, Array]:
        gradient = np.empty(len(x))
        value = rows.loss(*read(x), ridge, gradient, np.zeros(0), thread_count())  # JC-6
        gradient[0] = -gradient[0]
        gradient[1 : 1 + classes] = centred(gradient[1 : 1 + classes], present)
        gradient *= scale
        return value, gradient

    lower = np.concatenate([[0.0], np.full(classes + values * classes, -np.inf)])
    first = np.zeros(len(lower))
    if initial is not None:
        first = np.concatenate([[1.0 - initial.scale], initial.classes, initial.terms.ravel()]) / scale
    found = descend(objective, first, lower, ROUGH, least=NATS)
    kept, terms, delta = read(found.x)
    return FittedResiduals(max(kept, 0.0), terms, delta)


def places_of(coded: Sequence[Coded]) -> tuple[list[Integers], list[int]]:
    """Return the place of each row's value in each block, and the number of places."""
    sizes = [[len(one) for one in values] for _, values in coded]
    places = [flat(codes, one) for (codes, _), one in zip(coded, sizes, strict=True)]
    return places, [int(np.prod(one)) for one in sizes]


def _in_order(codes: Integers, values: tuple[NDArray[Any], ...]) -> Coded:
    found = [in_order(code, words) for code, words in zip(codes.T, values, strict=True)]
    return np.stack([code for code, _ in found], axis=1), tuple(words for _, words in found)


def named_residuals(
    design: Design, terms: Array, coded: Mapping[Name, Coded], choice: ResidualChoice, labels: NDArray[Any]
) -> dict[Name, Residual]:
    """Return the terms of each block's values, by name."""
    found = dict[Name, Residual]()
    for (name, (_, values)), place, mine in zip(coded.items(), design.places, design.by_block(terms), strict=True):
        if len(place):
            codes = np.unravel_index(place, [len(one) for one in values])
            words = tuple(one[code] for one, code in zip(values, codes, strict=True))
            alone = choice.missing and not isinstance(name, Together)
            found[name] = Residual(words, mine, labels, choice.cuts.get(name), alone)
    return found


def with_residuals(
    weights: ColumnWeights,
    blocks: BlockVotes,
    fit: Fitted,
    rows: Mapping[Name, Rows],
    labels: NDArray[Any],
    power: float,
    choice: ResidualChoice,
    initial: FittedByName | None = None,
) -> ColumnWeights:
    """Return the weights of blocks with residuals on top, fitted on the rows that the weights were fitted on."""
    names = [name for name in blocks.names if name in choice.cuts or (choice.together and isinstance(name, Together))]
    every = {name: _coded(rows[name].take(blocks.which), name, choice) for name in names}
    coded = {name: _in_order(*one) for name, one in every.items() if one is not None}
    design = Design.of(*places_of([*coded.values()]))
    votes = blocks.rows
    first = None if initial is None else initial.among(design, coded, labels)
    found = fit_residuals(*scores_of(votes, fit), design, votes.codes, votes.weights, choice.ridge, first)
    terms = zip(labels.tolist(), (weights.terms(labels) + found.classes).tolist(), strict=True)
    columns = {name: found.scale * weights.of_block(name) for name in weights.columns}
    residuals = named_residuals(design, found.terms / power, coded, choice, labels)
    return replace(weights, classes=dict(terms), columns=columns, residuals=residuals)


@dataclass(frozen=True, eq=False)
class FittedByName:
    """Hold the weights of blocks, and residuals if any, that a fit on more rows starts from."""

    weights: ColumnWeights
    scale: float = 1.0
    classes: Array | None = None  # added by residuals to the term of each class

    def of_blocks(self, names: Sequence[Name], centre: Array, labels: NDArray[Any]) -> Fitted:
        """Return the weights of the given blocks."""
        both = zip(names, centre.tolist(), strict=True)
        features = np.array([self.weights.columns.get(name, usual) for name, usual in both])
        return Fitted(features, self.weights.terms(labels), self.weights.ridge, 0.0, 0)

    def among(self, design: Design, coded: Mapping[Name, Coded], labels: NDArray[Any]) -> FittedResiduals | None:
        """Return the residuals of the given values and classes, with zeros for new ones; None if there are none."""
        if self.classes is None:
            return None
        terms = np.zeros((int(design.first[-1]), len(labels)))
        for k, (name, (_, values)) in enumerate(coded.items()):
            known = self.weights.residuals.get(name)
            if known is not None:
                codes = np.unravel_index(design.places[k], [len(one) for one in values])
                words = tuple(one[code] for one, code in zip(values, codes, strict=True))
                terms[design.first[k] : design.first[k + 1]] = known.among(labels).of_values(words)
        known_classes = dict(zip(self.weights.classes, self.classes.tolist(), strict=True))
        classes = np.array([known_classes.get(label, 0.0) for label in labels.tolist()])
        return FittedResiduals(self.scale, classes, terms)


def _coded(rows: Rows, name: Name, choice: ResidualChoice) -> Coded | None:
    """Return the codes of a block's values and their words, with missing values if these are modelled."""
    if isinstance(name, Together):
        return rows.coded(None) if isinstance(rows, JointRows) else None  # a cloud has no joint values
    found = rows.coded(choice.cuts.get(name))
    if found is None or not choice.missing:
        return found
    codes, words = with_missing(found[0][:, 0], found[1][0])
    return codes[:, None], (words,)


def scores_of(rows: ColumnRows, fit: Fitted) -> tuple[Array, Array]:
    """Return the weighted scores of rows, and the unscaled part, rows × classes."""
    scores = np.zeros(rows.log_prior.shape)
    for weight, votes in zip(fit.features.tolist(), rows.votes, strict=True):
        if weight:
            scores[1:] += weight * votes
    return np.ascontiguousarray(scores.T), np.ascontiguousarray((rows.log_prior + fit.classes[:, None]).T)
