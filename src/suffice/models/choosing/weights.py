"""Fit evidence weights: an exponent for each feature, so that overlapping evidence counts once.

    score_c(x) = ln π_c + b_c + s(x) · Σ_j w_j · ln p(x_j | c)      w_j ≥ 0                                     SX-9

Weights w and class terms b minimize the penalized log loss of training rows, each scored by classes without it:

    maximise  Σ_i ln softmax_{y_i}(score(x_i)) − (ρ/2) Σ_j (w_j − 1)²

The class of row i scores it with the row left out. A class without such a row has b = 0, and those of the others have
mean zero: no row could ask for it, so all others would bury it. Counts are unchanged: the weights are a view fitted on
top. The ridge ρ minimizes the log loss of rows that the weights were not fitted on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from suffice import _native
from suffice.models.choosing.judge import JUDGED, Judged, Sample, judge, parts_of, some_rows
from suffice.models.choosing.optimize import Report, descend, safest
from suffice.models.likelihoods.cloud import Cloud
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor
from suffice.models.together import left_out_lifts
from suffice.models.views import ColumnWeights
from suffice.parallel import thread_count
from suffice.typing import Array, Booleans, Integers

RIDGE, STEP, LARGEST = 0.3, 10**0.5, 1e3
"""First candidate of the ridge, factor to the next, and the value above which the ridge is infinite."""

ROUGH, FINE = 1e-3, 1e-4
"""Tolerances of a fit: for comparing ridges, and for the final weights."""

NATS = 10.0
"""Loss of all rows below which changes relative to it do not matter: no held-out row would show them."""

MANY, WIDE = 256, 64
"""Numbers of scores per row, and of columns, from which each row's scores are stored side by side."""

LEAST_PRIOR = -700.0
"""Value of ln p(c) that stands for a class without rows."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """Hold a weight per feature, a term per class, the ridge, the objective and the number of evaluations."""

    features: Array
    classes: Array
    ridge: float
    objective: float
    steps: int


class WeighedRows(Protocol):
    """Describe training rows that are scored by classes that have not seen them."""

    @property
    def size(self) -> tuple[int, int]:
        """Return the numbers of features and classes."""

    @property
    def weights(self) -> Array:
        """Return the weight of each row."""

    @property
    def present(self) -> Booleans:
        """Return which classes have rows that count."""

    @property
    def centre(self) -> Array | None:
        """Return the value that each weight shrinks to; None for one."""

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """Return −Σ w ln p of the own class, and its gradients in the feature weights and the class terms."""

    @property
    def curvature(self) -> Array:
        """Return the second derivative of the loss in each feature's weight, at the centre."""

    def own(self, features: Array) -> Array:
        """Return the weights of the features that rows have, given those of all features."""

    def among_all(self, features: Array) -> Array:
        """Return the weights of all features, given those of the features that rows have."""

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class for each row."""


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """Hold the held-out scores of a few columns, with powers applied. The last axis is that of rows, which are many.

    Scores are relative to the first class, which has none. That does not change probabilities.
    """

    votes: NDArray[Any]  # columns × (classes − 1) × rows; in single precision with joint columns
    log_prior: Array  # classes × rows
    codes: Integers
    weights: Array
    group: Integers  # number of each row's group
    centre: Array | None = None  # value that weights shrink to; None for one
    which: Integers | None = None  # places of the rows among those of `votes`; None for all

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
        """Return rows from scores, columns × rows × classes, and priors, rows × classes, without impossible rows."""
        usable = possible(votes, weights)
        prior = np.maximum(np.broadcast_to(log_prior, votes.shape[1:]), LEAST_PRIOR)
        some = votes if usable.all() else votes[:, usable]
        by_class = _by_class(some)
        group = np.arange(len(codes)) if group is None else group
        prior = np.ascontiguousarray(prior[usable].T)
        return cls(by_class, prior, codes[usable], weights[usable], group[usable], centre)

    @property
    def size(self) -> tuple[int, int]:
        """Return the numbers of columns and classes."""
        return len(self.votes), len(self.log_prior)

    @cached_property
    def present(self) -> Booleans:
        """Return which classes have rows that count."""
        return present_classes(self.codes, self.weights, self.size[1])

    def with_more(self, sets: int) -> ColumnRows:
        """Return the rows with room for the scores of `sets` joint columns, in single precision."""
        votes = np.empty((len(self.votes) + sets, *self.votes.shape[1:]), np.float32)
        votes[: len(self.votes)] = self.votes
        return replace(self, votes=votes)

    def take(self, which: Booleans) -> ColumnRows:
        """Return the given rows."""
        rows, by_row = np.flatnonzero(which), self._by_row is not None
        votes = self.votes if by_row else np.take(self.votes, rows, axis=-1)
        among = (rows if self.which is None else self.which[rows]) if by_row else None
        prior = np.take(self.log_prior, rows, axis=-1)
        return ColumnRows(votes, prior, self.codes[rows], self.weights[rows], self.group[rows], self.centre, among)

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """Return −Σ w ln p of the own class, and its gradients."""
        gradient, terms = np.zeros(len(features)), np.zeros(len(classes))
        return self._ask(features, classes, gradient=gradient, terms=terms), gradient, terms

    def each(self, features: Array, classes: Array) -> Array:
        """Return −w ln p of the own class for each row."""
        out = np.zeros(len(self.codes))
        self._ask(features, classes, each=out)
        return out

    def hessian_diagonal(self, features: Array, classes: Array) -> Array:
        """Return the second derivative of the loss in each column's weight."""
        out = np.zeros(len(features))
        self._ask(features, classes, bend=out)
        return out

    @cached_property
    def curvature(self) -> Array:
        """Return the second derivatives at the centre."""
        n, classes = self.size
        return self.hessian_diagonal(np.ones(n) if self.centre is None else self.centre, np.zeros(classes))

    def own(self, features: Array) -> Array:
        """Return the weights unchanged, since rows have all columns."""
        return features

    def among_all(self, features: Array) -> Array:
        """Return the weights unchanged."""
        return features

    def shares(self, features: Array, classes: Array) -> Array:
        """Return class probabilities, classes × rows."""
        out = np.zeros(self.log_prior.shape)
        self._ask(features, classes, share=out)
        return out

    def _ask(self, features: Array, classes: Array, **out: Array) -> float:
        """Return the loss, and fill the given arrays."""
        nothing = np.zeros(0)
        gradient, terms, bend, each = (out.get(name, nothing) for name in ("gradient", "terms", "bend", "each"))
        share = out.get("share", np.zeros((0, 0)))
        rows = self.log_prior, self.codes, self.weights
        how = features, classes, gradient, terms, bend, each, share
        if self._by_row is not None:
            which = np.zeros(0, np.int64) if self.which is None else self.which
            return _native.row_loss(self._by_row, which, *rows, *how, thread_count())
        return _native.column_loss(self.votes, *rows, *how, thread_count())

    @cached_property
    def _by_row(self) -> NDArray[Any] | None:
        """Return scores with those of a row side by side; None where they are few."""
        by_row, (features, others, _) = self.votes.transpose(2, 1, 0), self.votes.shape
        return np.ascontiguousarray(by_row) if lie_by_row(features, others) else None


def present_classes(codes: Integers, weights: Array, classes: int) -> Booleans:
    """Return which classes have rows that count."""
    return np.asarray(np.bincount(codes, weights, classes) > 0)


def lie_by_row(columns: int, others: int) -> bool:
    """Return whether each row's scores are stored side by side; `others` is the number of classes minus one."""
    return columns >= WIDE and columns * others >= MANY


def _by_class(votes: Array) -> Array:
    """Return scores, columns × rows × classes, relative to the first class, as columns × (classes − 1) × rows.

    The scores of one column are contiguous in memory, or those of one row if columns are many.
    """
    columns, rows, others = votes.shape[0], votes.shape[1], votes.shape[2] - 1
    by_row = lie_by_row(columns, others)
    out = np.empty((rows, others, columns)).T if by_row else np.empty((columns, others, rows))
    np.subtract(votes[..., 1:], votes[..., :1], out=out.transpose(0, 2, 1))
    return out


def possible(votes: Array, weights: Array) -> Booleans:
    """Return which rows count and have finite scores for every class; scores are columns × rows × classes."""
    return np.asarray(np.isfinite(votes).all(axis=(0, 2)) & (weights > 0))


def terms_by_name(found: Fitted, labels: Any) -> dict[Any, float]:
    """Return the term of each class by label."""
    return dict(zip(labels.tolist(), found.classes.tolist(), strict=True))


def fit_weights(
    rows: WeighedRows,
    ridge: float,
    initial: Fitted | None = None,
    tolerance: float = FINE,
    report: Report = lambda step, value: None,
    least: float = 0.0,
) -> Fitted:
    """Return the weights that maximize the objective for a ridge, starting from an earlier fit."""
    (n, classes), present = rows.size, rows.present
    ones, zeros = np.ones(n) if rows.centre is None else rows.centre, np.zeros(classes)
    if np.isinf(ridge):
        return Fitted(rows.among_all(ones), zeros, ridge, -rows.loss(ones, zeros)[0], 1)
    middle = np.concatenate([ones, zeros])
    few = 0.1 * float(rows.weights.sum()) / classes
    curvature = np.concatenate([rows.curvature + ridge, np.full(classes, few)])
    scale = 1.0 / np.sqrt(np.maximum(curvature, 1e-12))  # scales all features to the same curvature

    def objective(moved: Array) -> tuple[float, Array]:
        parameters = middle + moved * scale
        away = parameters[:n] - ones
        loss, gradient, terms = rows.loss(np.maximum(parameters[:n], 0.0), centred(parameters[n:], present))
        gradient += ridge * away  # SX-9
        loss += ridge / 2 * float(np.einsum("i,i->", away, away))
        return loss, np.concatenate([gradient, centred(terms, present)]) * scale

    first = middle if initial is None else np.concatenate([rows.own(initial.features), initial.classes])
    lower = np.concatenate([-ones / scale[:n], np.full(classes, -np.inf)])
    found = descend(objective, (first - middle) / scale, lower, tolerance, report=report, least=least)
    parameters = middle + found.x * scale
    weights = np.where(found.x[:n] > lower[:n], np.maximum(parameters[:n], 0.0), 0.0)  # exactly zero at the bound
    return Fitted(rows.among_all(weights), centred(parameters[n:], present), ridge, -found.value, found.calls)


def centred(terms: Array, present: Booleans) -> Array:
    """Return terms of classes with mean zero over the classes that have rows, and zero for the others."""
    return np.where(present, terms - terms[present].mean() if present.any() else 0.0, 0.0)


def choose_ridge(parts: list[tuple[WeighedRows, WeighedRows]], initial: Fitted | None = None) -> Fitted:
    """Return the weights fitted on the first part, for the ridge with the lowest held-out log loss over all parts.

    Each part holds the rows that weights are fitted on, and the held-out rows. `initial` is a fit of the first part.
    """
    fits: dict[tuple[float, int], Fitted] = {} if initial is None else {(initial.ridge, 0): initial}

    def fit(ridge: float, k: int) -> Fitted:
        if (ridge, k) not in fits:
            done = [other for other, part in fits if part == k]
            near = min(done, key=lambda other: abs(np.log(other / ridge)), default=None)
            first = None if near is None else fits[near, k]
            fits[ridge, k] = fit_weights(parts[k][0], ridge, first, ROUGH, least=NATS)
        return fits[ridge, k]

    def loss(ridge: float) -> Array:
        found = [fit(ridge, k) for k in range(len(parts))]
        return np.concatenate(
            [held.each(held.own(it.features), it.classes) for (_, held), it in zip(parts, found, strict=True)]
        )

    ridge = safest(loss, RIDGE, STEP, 1e-3, LARGEST)
    if ridge * STEP > LARGEST:  # held-out rows do not favour any weights
        first, (n, classes) = parts[0][0], parts[0][0].size
        centre = np.ones(n) if first.centre is None else first.centre
        return Fitted(first.among_all(centre), np.zeros(classes), np.inf, 0.0, 0)
    return fits[ridge, 0]


RIDGE_ROWS, SCORES_KEPT = 4000, 2**25
"""Number of rows that choose the ridge of columns; largest number of columns' scores that weights are fitted on."""

SEVERAL_CLASSES, LARGE, PART, OF_CLASS = 32, 2**23, 2**20, 10
"""Thresholds for holding rows out part by part: numbers of classes and of scores; then the number of scores in a part,
and the number of rows per class below which weights are not fitted."""

EXACT = 1e-9
"""Tolerance for weights of a few columns."""


@dataclass(frozen=True, eq=False)
class BlockVotes:
    """Hold the held-out scores of each block by name, and which rows they belong to."""

    rows: ColumnRows
    names: list[Name]
    which: Integers

    @property
    def centre(self) -> Array:
        """Return the value that each block's weight shrinks to."""
        return np.ones(len(self.names)) if self.rows.centre is None else self.rows.centre

    @classmethod
    def of(cls, judged: Judged, votes: Mapping[Name, Array], sets: Mapping[Name, Block], power: float) -> BlockVotes:
        """Return the rows with the given held-out scores of blocks, and the lifts of joint columns computed here."""
        model, codes, group = judged.predictor.model, judged.codes, judged.group
        names, classes = [*votes, *sets], len(model.classes)
        which = some_rows(len(codes), max(1, SCORES_KEPT // (len(names) * classes)), group)
        table = np.stack([*votes.values()] if len(which) == len(codes) else [vote[which] for vote in votes.values()])
        table *= power
        which, table = _only(possible(table, judged.weights[which]), which, table)
        prior = np.broadcast_to(judged.log_prior, (len(codes), classes))[which]
        some = None if group is None else np.unique(group[which], return_inverse=True)[1]
        rows = ColumnRows.of(table, prior, codes[which], judged.weights[which], some, centres(model, names))
        if sets:
            mine = {name: judged.rows[name].take(which) for name in sets}
            rows = rows.with_more(len(sets))
            left_out_lifts(sets, mine, codes[which], judged.given[which], some, power, rows.votes[len(votes) :])
        return cls(rows, names, which)


@dataclass(frozen=True, eq=False)
class VotesInParts:
    """Hold columns' held-out scores, computed part by part, so that all scores of many classes are never kept at once.

    Sums over columns are kept for all rows. Single-precision scores of each column are kept for the rows that weights
    are fitted on. If there are too few rows per class, none are: a term per class would fit noise.
    """

    total: Array  # ln p(x | c), rows × classes
    log_prior: Array  # ln p(c), rows × classes
    weights: Array  # weight of each row
    names: list[Name]
    which: Integers  # rows that weights are fitted on
    votes: NDArray[np.float32]  # their scores relative to the first class: columns × (classes − 1) × rows
    possible: Booleans  # whether these rows count and all their scores are finite

    @classmethod
    def of(cls, predictor: Predictor, sample: Sample) -> VotesInParts:
        """Return the scores of each row by the model without it; rows have no groups."""
        names = [name for name in predictor.model.voting if name in sample.rows]
        n, classes = len(sample), len(predictor.model.classes)
        most = SCORES_KEPT // (len(names) * classes)
        which = some_rows(n, most if min(n, most) >= OF_CLASS * classes else 0)
        shape = len(names), classes - 1, len(which)
        by_row = lie_by_row(*shape[:2])
        votes = np.zeros(shape[::-1], np.float32).T if by_row else np.zeros(shape, np.float32)
        total, prior, usable = np.zeros((n, classes)), np.zeros((n, classes)), np.zeros(len(which), bool)
        out = cls(total, prior, np.zeros(n), names, which, votes, usable)
        step = max(1, PART // (len(names) * classes))
        for start in range(0, n, step):
            out._fill(predictor, sample, np.arange(start, min(n, start + step)))
        return out

    def _fill(self, predictor: Predictor, sample: Sample, rows: Integers) -> None:
        part = sample.take(rows)
        judged = judge(predictor, part.rows, part.labels)
        first, last = np.searchsorted(self.which, [rows[0], rows[-1] + 1])
        mine = self.which[first:last] - rows[0]
        self.weights[rows], self.log_prior[rows] = judged.weights, judged.log_prior
        finite = judged.weights[mine] > 0
        places = {name: place for place, name in enumerate(self.names)}
        for name, vote in judged.votes().items():
            self.total[rows] += vote
            finite &= np.isfinite(vote[mine]).all(axis=1)
            with np.errstate(invalid="ignore"):
                self.votes[places[name], :, first:last] = (vote[mine, 1:] - vote[mine, :1]).T
        self.possible[first:last] = finite

    def blocks(self, model: Model, codes: Integers, power: float) -> BlockVotes:
        """Return the rows that weights are fitted on, with their scores raised to a power."""
        which = self.which[self.possible]
        votes = self.votes if self.possible.all() else np.compress(self.possible, self.votes, axis=-1)
        votes *= np.float32(power)
        prior = np.ascontiguousarray(np.maximum(self.log_prior[which], LEAST_PRIOR).T)
        group, centre = np.arange(len(which)), centres(model, self.names)
        return BlockVotes(ColumnRows(votes, prior, codes[which], self.weights[which], group, centre), self.names, which)


def _only(usable: Booleans, which: Integers, table: Array) -> tuple[Integers, Array]:
    return (which, table) if usable.all() else (which[usable], table[:, usable])


def choose_column_weights(blocks: BlockVotes, ridge: float | None, initial: Fitted | None = None) -> Fitted:
    """Return the weights of blocks; without a ridge, choose the one with the lowest held-out log loss."""
    rows = blocks.rows
    tolerance, least = (FINE, NATS) if not blocks.centre.all() else (EXACT, 0.0)
    return fit_weights(rows, _ridge_of(rows) if ridge is None else ridge, initial, tolerance, least=least)


def named_weights(found: Fitted, names: Sequence[Name], labels: Any) -> ColumnWeights:
    """Return the weights of blocks by name."""
    columns = dict(zip(names, found.features.tolist(), strict=True))
    return ColumnWeights(terms_by_name(found, labels), found.ridge, columns)


def centres(model: Model, names: Sequence[Name]) -> Array:
    """Return what each block's weight shrinks to: one, or zero if it corrects others or is replaced by another."""
    laws = {name: model.blocks[name].likelihood for name in names}
    inside = {column for name, law in laws.items() if isinstance(law, Cloud) for column in getattr(name, "columns", ())}
    adds = [name in inside or (law.correction and not isinstance(law, Cloud)) for name, law in laws.items()]
    return np.where(adds, 0.0, 1.0)


def _ridge_of(rows: ColumnRows) -> float:
    """Return the ridge with the lowest log loss on parts of the rows, each scored by weights fitted on the others."""
    few = rows.take(np.isin(np.arange(len(rows.codes)), some_rows(len(rows.codes), RIDGE_ROWS)))
    part = parts_of(few.codes, few.group)
    return choose_ridge([(few.take(part != k), few.take(part == k)) for k in range(JUDGED)]).ridge
