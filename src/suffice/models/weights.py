"""Evidence weights: an exponent for each column, so that what several of them say counts once.

    score_c(x) = ln π_c + b_c + s(x) · Σ_j w_j · ln p(x_j | c)      w_j ≥ 0

Weights and class terms b are those for which training rows are predicted best, each by a class that has not seen it:

    maximise  Σ_i ln softmax_{y_i}(score(x_i)) − (ρ/2) Σ_j (w_j − 1)²

Row i's own class scores it with the row left out. Counts are untouched; the weights are a view fitted on top. ρ, how
strongly weights are held at one, is that of highest evidence in Laplace's approximation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from suffice.typing import Array, Integers

__all__ = ["RIDGES", "Fitted", "choose_weights", "fit_weights"]

RIDGES = (0.1, 1.0, 10.0, 100.0, 1000.0)

ENOUGH = 4000
"""Rows that the ridge is chosen by."""

FEW, NUMBERS = 200, 2**25
"""More columns than this have a ridge of 10: the evidence would take longer than the fit. And votes, at most."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A weight per column, a term per class, and how strongly weights were held at one."""

    columns: Array
    classes: Array
    ridge: float
    log_evidence: float


@dataclass(frozen=True, eq=False)
class Rows:
    """What columns say of training rows, left out, powers included. Classes come before rows: these are many."""

    votes: Array  # columns × classes × rows
    log_prior: Array  # classes × rows
    codes: Integers
    weights: Array

    @classmethod
    def of(cls, votes: Array, log_prior: Array, codes: Integers, weights: Array) -> Rows:
        """From columns × rows × classes, and rows × classes."""
        return cls(np.ascontiguousarray(votes.transpose(0, 2, 1)), np.ascontiguousarray(log_prior.T), codes, weights)

    def some(self, most: int) -> Rows:
        """So many of the rows, evenly spaced, or all."""
        if len(self.codes) <= most:
            return self
        which = np.linspace(0, len(self.codes) - 1, most).astype(np.int64)
        prior = np.ascontiguousarray(self.log_prior[:, which])
        return Rows(np.ascontiguousarray(self.votes[:, :, which]), prior, self.codes[which], self.weights[which])

    @property
    def flat(self) -> Array:
        """Votes, with all that a column says in one line."""
        return self.votes.reshape(len(self.votes), -1)

    def loss(self, columns: Array, classes: Array) -> tuple[float, Array, Array]:
        """−Σ w ln p of the own class, the probabilities, and how they pull at scores: classes × rows."""
        at = np.arange(len(self.codes))
        joint = np.einsum("j,jk->k", columns, self.flat).reshape(self.log_prior.shape)
        joint += self.log_prior
        joint += classes[:, None]
        joint -= joint.max(axis=0)
        own = joint[self.codes, at]
        share = np.exp(joint, out=joint)
        total = share.sum(axis=0)
        share /= total
        pull = share * self.weights
        pull[self.codes, at] -= self.weights
        return -float(self.weights @ (own - np.log(total))), share, pull

    def bend(self, share: Array) -> Array:
        """Second derivatives of the loss in the columns' weights."""
        mean = (self.votes * share).sum(axis=1)
        root = (self.votes * np.sqrt(share * self.weights)).reshape(len(self.votes), -1)
        return np.asarray(root @ root.T - (mean * self.weights) @ mean.T)


def choose_weights(votes: Array, log_prior: Array, codes: Integers, weights: Array) -> Fitted:
    """The weights with the ridge of highest evidence."""
    usable = np.isfinite(votes).all(axis=(0, 2)) & np.isfinite(log_prior).all(axis=1) & (weights > 0)
    prior = np.broadcast_to(log_prior, votes.shape[1:])
    rows = Rows.of(votes[:, usable], prior[usable], codes[usable], weights[usable])
    if len(votes) > FEW:
        return fit_weights(rows, 10.0)
    some = rows.some(ENOUGH)
    best = fit_weights(some, RIDGES[-1])
    for ridge in RIDGES[-2::-1]:
        found = fit_weights(some, ridge, best)
        if found.log_evidence < best.log_evidence:
            break
        best = found
    return best if some is rows else fit_weights(rows, best.ridge, best)


def fit_weights(rows: Rows, ridge: float, start: Fitted | None = None) -> Fitted:
    """The weights of highest objective for one ridge, from those of another."""
    n, classes = rows.votes.shape[:2]

    def objective(parameters: Array) -> tuple[float, Array]:
        loss, _, pull = rows.loss(parameters[:n], parameters[n:])
        away = parameters[:n] - 1.0
        slope = np.einsum("jk,k->j", rows.flat, pull.ravel()) + ridge * away  # SX-9
        return loss + ridge / 2 * float(away @ away), np.concatenate([slope, pull.sum(axis=1)])

    first = np.concatenate([np.ones(n), np.zeros(classes)] if start is None else [start.columns, start.classes])
    bounds: Any = [(0.0, None)] * n + [(None, None)] * classes
    found = minimize(objective, first, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500})
    weights, terms = found.x[:n], found.x[n:]
    evidence = -float(found.fun) + _volume(rows, weights, terms, ridge) if n <= FEW else np.nan
    return Fitted(weights, terms - terms.mean(), ridge, float(evidence))


def _volume(rows: Rows, weights: Array, terms: Array, ridge: float) -> float:
    """What Laplace's approximation adds to the height of the objective: how wide it is there."""
    _, share, _ = rows.loss(weights, terms)
    free = weights > 0
    bend = rows.bend(share)[np.ix_(free, free)] + ridge * np.eye(int(free.sum()))
    return float(len(weights) * np.log(ridge) - np.linalg.slogdet(bend)[1]) / 2
