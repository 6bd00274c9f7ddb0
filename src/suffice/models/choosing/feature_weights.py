"""Evidence weights: an exponent for each feature, so that what several of them say counts once.

    score_c(x) = ln π_c + b_c + s(x) · Σ_j w_j · ln p(x_j | c)      w_j ≥ 0                                     SX-9

Weights and class terms b are those for which training rows are predicted best, each by classes that have not seen it:

    maximise  Σ_i ln softmax_{y_i}(score(x_i)) − (ρ/2) Σ_j (w_j − 1)²

Row i's own class scores it with the row left out. Counts are untouched; the weights are a view fitted on top. The ridge
ρ is chosen where rows that the weights were not fitted on are predicted best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from suffice import _native
from suffice.models.choosing.descent import Report, descend, safest
from suffice.models.choosing.judge import Judged, some_rows
from suffice.models.model import Model, Name
from suffice.models.scoring.cells import Temper
from suffice.models.views import ColumnWeights
from suffice.parallel import thread_count
from suffice.stats.content import hashed
from suffice.typing import Array, Booleans, Integers

__all__ = [
    "JUDGED", "NATS", "RIDGE", "ROUGH", "ColumnRows", "Fitted", "WeighedRows", "centres", "choose_column_weights",
    "choose_ridge", "fit_weights", "in_words", "possible", "terms_by_name",
]  # fmt: skip

RIDGE, STEP, LARGEST = 0.3, 10**0.5, 1e3
"""Where the ridge is looked for first, the factor to the next, and beyond which it is infinite."""

ROUGH, FINE, EXACT = 1e-3, 1e-4, 1e-9
"""Tolerances of a fit: to compare ridges, to keep weights of many features, and of a few columns."""

NATS = 10.0
"""A loss below this, of all rows, need not be lowered by a share of itself: no row that judges would tell."""

SILENT = 0.05
"""A weight below this is as good as none."""

JUDGED = 4
"""One in so many rows judges what the others chose, or each of so many parts what the others did."""

LEAST_PRIOR = -700.0
"""What ln p(c) of a class without rows counts as."""

ENOUGH, NUMBERS = 4000, 2**25
"""Rows that the ridge of columns is chosen by; and scores of columns that weights are fitted on, at most."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A weight per feature, a term per class, how strongly weights were held at one, and in how many steps."""

    features: Array
    classes: Array
    ridge: float
    objective: float
    steps: int


class WeighedRows(Protocol):
    """Training rows, to be predicted by classes that have not seen them."""

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of features and classes."""

    @property
    def weights(self) -> Array:
        """What each row counts for."""

    @property
    def centre(self) -> Array | None:
        """What weights are held at; one if None."""

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """Return −Σ w ln p of the own class, and its gradient in the weights of features and the terms of classes."""

    def hessian_diagonal(self, features: Array, classes: Array) -> Array:
        """Return the second derivative of the loss in the weight of each feature."""

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class, row by row."""


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """Rows of a few columns with their held-out scores, powers included. Rows, which are many, are the last axis.

    Votes of classes are relative to the first, which has none: probabilities are the same.
    """

    votes: Array  # columns × classes but the first × rows
    log_prior: Array  # classes × rows
    codes: Integers
    weights: Array
    group: Integers  # rows that belong together, by number
    centre: Array | None = None  # what weights are held at; one if not given

    @classmethod
    def of(
        cls,
        votes: Array,
        log_prior: Array,
        codes: Integers,
        weights: Array,
        group: Integers | None = None,
        centre: Array | None = None,
    ) -> ColumnRows:
        """Take columns × rows × classes, and rows × classes; rows that are impossible are left out."""
        usable = possible(votes, weights)
        prior = np.maximum(np.broadcast_to(log_prior, votes.shape[1:]), LEAST_PRIOR)
        some = votes if usable.all() else votes[:, usable]
        by_class = np.ascontiguousarray((some[..., 1:] - some[..., :1]).transpose(0, 2, 1))
        group = np.arange(len(codes)) if group is None else group
        prior = np.ascontiguousarray(prior[usable].T)
        return cls(by_class, prior, codes[usable], weights[usable], group[usable], centre)

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of columns and classes."""
        return len(self.votes), len(self.log_prior)

    def take(self, which: Booleans) -> ColumnRows:
        """Return some of the rows."""
        votes, prior = (np.ascontiguousarray(part[..., which]) for part in (self.votes, self.log_prior))
        return ColumnRows(votes, prior, self.codes[which], self.weights[which], self.group[which], self.centre)

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """Return −Σ w ln p of the own class, and its gradients."""
        gradient, terms = np.zeros(len(features)), np.zeros(len(classes))
        return self._ask(features, classes, gradient=gradient, terms=terms), gradient, terms

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class, row by row."""
        out = np.zeros(len(self.codes))
        self._ask(features, classes, each=out)
        return out

    def hessian_diagonal(self, features: Array, classes: Array) -> Array:
        """Return second derivatives, column by column."""
        out = np.zeros(len(features))
        self._ask(features, classes, bend=out)
        return out

    def shares(self, features: Array, classes: Array) -> Array:
        """Return the probabilities of classes, classes × rows."""
        out = np.zeros(self.log_prior.shape)
        self._ask(features, classes, share=out)
        return out

    def _ask(self, features: Array, classes: Array, **out: Array) -> float:
        """Return the loss, and fill the arrays that are given."""
        nothing = np.zeros(0)
        gradient, terms, bend, each = (out.get(name, nothing) for name in ("gradient", "terms", "bend", "each"))
        share = out.get("share", np.zeros((0, 0)))
        rows = self.votes, self.log_prior, self.codes, self.weights
        return _native.column_loss(*rows, features, classes, gradient, terms, bend, each, share, thread_count())


def possible(votes: Array, weights: Array) -> Booleans:
    """Return which rows count and have finite votes of every class; votes are columns × rows × classes."""
    return np.asarray(np.isfinite(votes).all(axis=(0, 2)) & (weights > 0))


def choose_column_weights(
    judged: Judged, votes: dict[Name, Array], temper: Temper, ridge: float | None
) -> ColumnWeights:
    """Return the weights of blocks by their held-out scores; without a ridge, that by which rows are predicted best."""
    labels = judged.predictor.model.classes
    if not votes:
        return ColumnWeights({}, 1.0, {})
    codes, group = judged.codes, judged.group
    which = some_rows(len(codes), max(1, NUMBERS // (len(votes) * len(labels))), group)
    table = np.stack([vote[which] for vote in votes.values()]) * temper.power
    prior = np.broadcast_to(judged.log_prior, (len(codes), len(labels)))[which]
    some = None if group is None else group[which]
    centre = centres(judged.predictor.model, list(votes))
    rows = ColumnRows.of(table, prior, codes[which], judged.weights[which], some, centre)
    tolerance, least = (FINE, NATS) if len(votes) > sum(centre > 0) else (EXACT, 0.0)
    found = fit_weights(rows, _ridge_of(rows) if ridge is None else ridge, tolerance=tolerance, least=least)
    columns = dict(zip(votes, found.features.tolist(), strict=True))
    return ColumnWeights(terms_by_name(found, labels), found.ridge, columns)


def centres(model: Model, names: Sequence[Name]) -> Array:
    """Return what the weight of each block is held at: one; zero if it corrects others, or another replaces it."""
    laws = {name: model.blocks[name].likelihood for name in names}
    inside = {column for name, law in laws.items() if law.replaces for column in getattr(name, "columns", ())}
    adds = [name in inside or (law.correction and not law.replaces) for name, law in laws.items()]
    return np.where(adds, 0.0, 1.0)


def terms_by_name(found: Fitted, labels: Any) -> dict[Any, float]:
    """Return the term of each class by its label."""
    return dict(zip(labels.tolist(), found.classes.tolist(), strict=True))


def _ridge_of(rows: ColumnRows) -> float:
    """Return the ridge by which each part of some rows is predicted best by weights that the others choose."""
    few = rows.take(np.isin(np.arange(len(rows.codes)), some_rows(len(rows.codes), ENOUGH)))
    part = hashed(few.group) % np.uint64(JUDGED)
    return choose_ridge([(few.take(part != k), few.take(part == k)) for k in range(JUDGED)]).ridge


def fit_weights(
    rows: WeighedRows,
    ridge: float,
    initial: Fitted | None = None,
    tolerance: float = FINE,
    report: Report = lambda step, value: None,
    least: float = 0.0,
) -> Fitted:
    """Return the weights of highest objective for one ridge, from where an earlier fit ended."""
    n, classes = rows.size
    ones, zeros = np.ones(n) if rows.centre is None else rows.centre, np.zeros(classes)
    if np.isinf(ridge):
        return Fitted(ones, zeros, ridge, -rows.loss(ones, zeros)[0], 1)
    middle = np.concatenate([ones, zeros])
    few = 0.1 * float(rows.weights.sum()) / classes
    curvature = np.concatenate([rows.hessian_diagonal(ones, zeros) + ridge, np.full(classes, few)])
    scale = 1.0 / np.sqrt(np.maximum(curvature, 1e-12))  # so that all features have the same curvature

    def objective(moved: Array) -> tuple[float, Array]:
        parameters = middle + moved * scale
        away = parameters[:n] - ones
        loss, gradient, terms = rows.loss(np.maximum(parameters[:n], 0.0), parameters[n:])
        gradient += ridge * away  # SX-9
        return loss + ridge / 2 * float(np.einsum("i,i->", away, away)), np.concatenate([gradient, terms]) * scale

    first = middle if initial is None else np.concatenate([initial.features, initial.classes])
    lower = np.concatenate([-ones / scale[:n], np.full(classes, -np.inf)])
    found = descend(objective, (first - middle) / scale, lower, tolerance, report=report, least=least)
    parameters = middle + found.x * scale
    terms = parameters[n:]
    weights = np.where(found.x[:n] > lower[:n], np.maximum(parameters[:n], 0.0), 0.0)  # at the bound, exactly zero
    return Fitted(weights, terms - terms.mean(), ridge, -found.value, found.calls)


def choose_ridge(parts: list[tuple[WeighedRows, WeighedRows]], initial: Fitted | None = None) -> Fitted:
    """Return the weights of the first part for the ridge by which weights of some rows predict other rows best.

    Each part is the rows that weights are fitted on, and those that judge; `initial` is a fit of the first one.
    """
    fits: dict[tuple[float, int], Fitted] = {} if initial is None else {(initial.ridge, 0): initial}

    def fit(ridge: float, k: int) -> Fitted:
        if (ridge, k) not in fits:
            done = [other for other, part in fits if part == k]
            near = min(done, key=lambda other: abs(np.log(other / ridge)), default=None)
            fits[ridge, k] = fit_weights(parts[k][0], ridge, None if near is None else fits[near, k], ROUGH)
        return fits[ridge, k]

    def loss(ridge: float) -> Array:
        found = [fit(ridge, k) for k in range(len(parts))]
        return np.concatenate([held.each(it.features, it.classes) for (_, held), it in zip(parts, found, strict=True)])

    ridge = safest(loss, RIDGE, STEP, 1e-3, LARGEST)
    if ridge * STEP > LARGEST:  # rows do not tell weights from none: there are none
        n, classes = parts[0][0].size
        centre = parts[0][0].centre
        return Fitted(np.ones(n) if centre is None else centre, np.zeros(classes), np.inf, 0.0, 0)
    return fits[ridge, 0]


def in_words(weight: float, others: str) -> str:
    """Return what an evidence weight means; nothing for one."""
    if weight < SILENT:
        return f"already said by other {others}"
    return "" if abs(weight - 1) < 0.005 else f"weight {weight:.2f}"
