"""Evidence weights: an exponent for each feature, so that what several of them say counts once.

    score_c(x) = ln π_c + b_c + s(x) · Σ_j w_j · ln p(x_j | c)      w_j ≥ 0

Weights and class terms b are those for which training rows are predicted best, each by classes that have not seen it:

    maximise  Σ_i ln softmax_{y_i}(score(x_i)) − (ρ/2) Σ_j (w_j − 1)²

Row i's own class scores it with the row left out. Counts are untouched; the weights are a view fitted on top. ρ, how
strongly weights are held at one, is chosen where rows that the weights were not fitted on are predicted best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suffice.models.descent import descend
from suffice.typing import Array, Booleans, Integers

__all__ = [
    "JUDGED",
    "RIDGE",
    "ROUGH",
    "ColumnRows",
    "Fitted",
    "Rows",
    "Tell",
    "choose_ridge",
    "fit_weights",
    "in_words",
    "safest",
]

RIDGE, STEP, MOST = 0.3, 10**0.5, 1e3
"""Where the ridge is looked for first, the factor to the next, and beyond which it is infinite."""

ROUGH, FINE = 1e-3, 1e-4
"""When a fit is near enough: to compare ridges, and to keep."""

SILENT = 0.05
"""A weight below this is as good as none."""

JUDGED = 4
"""One in so many rows judges what the others chose, or each of so many parts what the others did."""

Tell = Callable[[int, float], None]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A weight per feature, a term per class, how strongly weights were held at one, and in how many steps."""

    features: Array
    classes: Array
    ridge: float
    objective: float
    steps: int


class Rows(Protocol):
    """Training rows, to be predicted by classes that have not seen them."""

    @property
    def size(self) -> tuple[int, int]:
        """Features and classes."""

    @property
    def weights(self) -> Array:
        """What each row counts for."""

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """−Σ w ln p of the own class, and its slope in the weights of features and the terms of classes."""

    def bend(self, features: Array, classes: Array) -> Array:
        """Its second derivative in the weight of each feature."""

    def each(self, features: Array, classes: Array) -> Array:
        """−w ln p of the own class, row by row."""

    def some(self, which: Booleans) -> Rows:
        """The same with some of the rows."""


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """Rows of a few features with their votes, left out, powers included. Classes come before rows: these are many."""

    votes: Array  # columns × classes × rows
    log_prior: Array  # classes × rows
    codes: Integers
    weights: Array
    group: Integers  # rows that belong together, by number

    @classmethod
    def of(
        cls, votes: Array, log_prior: Array, codes: Integers, weights: Array, group: Integers | None = None
    ) -> ColumnRows:
        """From columns × rows × classes, and rows × classes; rows that are impossible have no say."""
        prior = np.broadcast_to(log_prior, votes.shape[1:])
        usable = np.isfinite(votes).all(axis=(0, 2)) & np.isfinite(prior).all(axis=1) & (weights > 0)
        by_class = np.ascontiguousarray(votes[:, usable].transpose(0, 2, 1))
        group = np.arange(len(codes)) if group is None else group
        prior = np.ascontiguousarray(prior[usable].T)
        return cls(by_class, prior, codes[usable], weights[usable], group[usable])

    @property
    def size(self) -> tuple[int, int]:
        """Columns and classes."""
        return self.votes.shape[0], self.votes.shape[1]

    def some(self, which: Booleans) -> ColumnRows:
        """The same with some of the rows."""
        votes, prior = (np.ascontiguousarray(part[..., which]) for part in (self.votes, self.log_prior))
        return ColumnRows(votes, prior, self.codes[which], self.weights[which], self.group[which])

    def loss(self, features: Array, classes: Array) -> tuple[float, Array, Array]:
        """−Σ w ln p of the own class, and its slopes."""
        share, logs = self._shares(features, classes)
        pull = share * self.weights
        pull[self.codes, np.arange(len(self.codes))] -= self.weights
        return -float(self.weights @ logs), np.einsum("jk,k->j", self._flat, pull.ravel()), pull.sum(axis=1)

    def each(self, features: Array, classes: Array) -> Array:
        """−w ln p of the own class, row by row."""
        return -self.weights * self._shares(features, classes)[1]

    def bend(self, features: Array, classes: Array) -> Array:
        """Second derivatives, column by column."""
        share, _ = self._shares(features, classes)
        mean = (self.votes * share).sum(axis=1)
        return np.asarray(((self.votes - mean[:, None]) ** 2 * (share * self.weights)).sum(axis=(1, 2)))

    @property
    def _flat(self) -> Array:
        return self.votes.reshape(len(self.votes), -1)

    def _shares(self, features: Array, classes: Array) -> tuple[Array, Array]:
        """Probabilities, classes × rows, and ln p of the own class."""
        joint = np.einsum("j,jk->k", features, self._flat).reshape(self.log_prior.shape)
        joint += self.log_prior
        joint += classes[:, None]
        joint -= joint.max(axis=0)
        own = joint[self.codes, np.arange(len(self.codes))]
        share = np.exp(joint, out=joint)
        total = share.sum(axis=0)
        share /= total
        return share, own - np.log(total)


def in_words(weight: float, others: str) -> str:
    """What an evidence weight means; nothing for one."""
    if weight < SILENT:
        return f"already said by other {others}"
    return "" if abs(weight - 1) < 0.005 else f"weight {weight:.2f}"


def fit_weights(
    rows: Rows,
    ridge: float,
    start: Fitted | None = None,
    tolerance: float = FINE,
    tell: Tell = lambda step, value: None,
) -> Fitted:
    """The weights of highest objective for one ridge, from where an earlier fit ended."""
    n, classes = rows.size
    at_one, at_nought = np.ones(n), np.zeros(classes)
    if np.isinf(ridge):
        return Fitted(at_one, at_nought, ridge, -rows.loss(at_one, at_nought)[0], 1)
    middle = np.concatenate([at_one, at_nought])
    few = 0.1 * float(rows.weights.sum()) / classes
    bends = np.concatenate([rows.bend(at_one, at_nought) + ridge, np.full(classes, few)])
    scale = 1.0 / np.sqrt(np.maximum(bends, 1e-12))  # so that every feature bends alike

    def objective(moved: Array) -> tuple[float, Array]:
        parameters = middle + moved * scale
        away = parameters[:n] - 1.0
        loss, slope, terms = rows.loss(np.maximum(parameters[:n], 0.0), parameters[n:])
        slope += ridge * away  # SX-9
        return loss + ridge / 2 * float(np.einsum("i,i->", away, away)), np.concatenate([slope, terms]) * scale

    first = middle if start is None else np.concatenate([start.features, start.classes])
    least = np.concatenate([-1.0 / scale[:n], np.full(classes, -np.inf)])
    found = descend(objective, (first - middle) / scale, least, tolerance, tell=tell)
    parameters = middle + found.x * scale
    terms = parameters[n:]
    weights = np.where(found.x[:n] > least[:n], np.maximum(parameters[:n], 0.0), 0.0)  # at its bound, none at all
    return Fitted(weights, terms - terms.mean(), ridge, -found.value, found.calls)


def choose_ridge(parts: list[tuple[Rows, Rows]], start: Fitted | None = None) -> Fitted:
    """The ridge for which weights of some rows predict other rows best, and the weights of the first part.

    Each part is the rows that weights are fitted on, and those that judge; `start` is a fit of the first one.
    """
    fits: dict[tuple[float, int], Fitted] = {} if start is None else {(start.ridge, 0): start}

    def fit(ridge: float, k: int) -> Fitted:
        if (ridge, k) not in fits:
            done = [other for other, part in fits if part == k]
            near = min(done, key=lambda other: abs(np.log(other / ridge)), default=None)
            fits[ridge, k] = fit_weights(parts[k][0], ridge, None if near is None else fits[near, k], ROUGH)
        return fits[ridge, k]

    def loss(ridge: float) -> Array:
        found = [fit(ridge, k) for k in range(len(parts))]
        return np.concatenate([held.each(it.features, it.classes) for (_, held), it in zip(parts, found, strict=True)])

    ridge = safest(loss, RIDGE, STEP, 1e-3, MOST)
    if ridge * STEP > MOST:  # rows do not tell weights from none: these are
        n, classes = parts[0][0].size
        return Fitted(np.ones(n), np.zeros(classes), np.inf, 0.0, 0)
    return fits[ridge, 0]


def safest(loss: Callable[[float], Array], start: float, step: float, least: float, most: float) -> float:
    """The largest of the numbers start·stepᵏ whose loss is as low as the lowest, within a standard error.

    `loss` gives the losses of rows that judge. From the start it is followed downhill until it rises; then, from the
    lowest, to larger numbers, which are smoother, as long as rows do not tell the difference (Breiman et al. 1984).
    """
    known: dict[int, Array] = {}

    def at(k: int) -> Array:
        if k not in known:
            known[k] = loss(start * step**k)
        return known[k]

    low = 0
    for way in (-1, 1):
        while least <= start * step ** (low + way) <= most and at(low + way).sum() < at(low).sum():
            low += way
        if low:
            break
    best = low
    while start * step ** (low + 1) <= most:
        more = at(low + 1) - at(best)
        if len(more) and more.sum() > np.sqrt(len(more)) * more.std():
            break
        low += 1
    return float(start * step**low)
