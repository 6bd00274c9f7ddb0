"""Choose pseudo-counts, priors of covariances and powers of the likelihood by leave-one-out log loss.

Each row is scored by classes without it. A power calibrates probabilities: naive Bayes counts related evidence twice,
and is overconfident. In

    score_c(x) = ln π_c + s(x) · ln p(x | c)      s(x) = a · n(x)^−γ                                            SX-7

one number a, and for documents of n words an exponent γ of their length, correct that. They minimize the leave-one-out
log loss of the training rows, so no rows need be held out. The power only cools: at the typical length, it is at most
one. Half of (1 − a)² + 16 γ², with a taken at that length, is added to the loss of all rows. It matters only where rows
are so few, or so easy, that any a would do. As it is bounded in a, rows of noise can choose a power near 0; and a few
texts do not choose a γ with which short ones would say too much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.later import optimize
from suffice.models.choosing.judge import Judged, Sample
from suffice.models.choosing.optimize import NAT
from suffice.models.empirical.covariances import ENOUGH, POWERS, Spread, by_parts, parts_of
from suffice.models.likelihoods.base import changed
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.scoring.cells import AS_IT_IS, Temper
from suffice.typing import Array, Integers

__all__ = [
    "LEAST_WEIGHED",
    "Scored",
    "alpha_of_counts",
    "choose_alpha",
    "choose_posterior_temper",
    "choose_spread",
    "choose_temper",
    "log_loss",
    "own_losses",
    "smoothed",
    "with_prior",
]

LEAST_POWER, UPPER = np.exp(-15.0), np.array([0.0, 2.0])
"""Lower bound of a, and upper bounds of ln a and γ."""

LEAST_WEIGHED = 0.1
"""Lower bound of a where blocks have weights, which can take away what is left: joint columns have the same power."""

OF_LENGTH = 16.0
"""Strength of the prior of γ, relative to that of the power."""

PART = 2**17
"""Number of scores processed together, chosen to fit into the CPU cache."""

Objective = Callable[[Array], tuple[float, Array, Array]]
"""Function that returns value, gradient and Hessian."""


@dataclass(frozen=True, eq=False)
class Scored:
    """Hold untempered held-out scores of training rows, with what their loss depends on."""

    scores: Array  # rows × classes
    log_prior: Array  # rows × classes
    codes: Integers
    weights: Array
    lengths: Array | None
    exponent: float | None = None  # length exponent, if given

    @classmethod
    def of(cls, judged: Judged, exponent: float | None = None, scores: Array | None = None) -> Scored:
        """Return the scores of training rows; with exponent 0, lengths are ignored."""
        found = judged.scores() if scores is None else scores
        prior = np.broadcast_to(judged.log_prior, found.shape)
        lengths = None if exponent == 0 else judged.lengths
        return cls(found, prior, judged.codes, judged.weights, lengths, exponent)

    def take(self, which: Any) -> Scored:
        """Return the given rows."""
        lengths = None if self.lengths is None else self.lengths[which]
        return replace(
            self,
            scores=self.scores[which],
            log_prior=self.log_prior[which],
            codes=self.codes[which],
            weights=self.weights[which],
            lengths=lengths,
        )

    @classmethod
    def joined(cls, parts: Sequence[Scored]) -> Scored:
        """Return the rows of several parts, one after the other."""
        lengths = [part.lengths for part in parts if part.lengths is not None]
        return cls(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.log_prior for part in parts]),
            np.concatenate([part.codes for part in parts]),
            np.concatenate([part.weights for part in parts]),
            np.concatenate(lengths) if lengths else None,
            parts[0].exponent,
        )


def log_loss(rows: Scored, temper: Temper) -> float:
    """Return −Σ w ln p(own class) / Σ w."""
    logs, _, _ = _own_logs(rows, temper.of(rows.lengths))
    judged = rows.weights > 0  # a row alone in its class is impossible, and 0 · (−∞) is NaN
    weights = rows.weights[judged]
    return -_sum(weights * logs[judged]) / _sum(weights) if judged.any() else 0.0


def own_losses(rows: Scored, temper: Temper) -> Array:
    """Return −ln p of the own class of each row; 0 where the row does not count."""
    logs, _, _ = _own_logs(rows, temper.of(rows.lengths))
    return np.where(rows.weights > 0, -logs, 0.0)


def _sum(values: Array) -> float:
    """Return the sum of values, without BLAS, whose threads would cost more than they save here."""
    return float(values.sum())


def choose_temper(rows: Scored, least: float = LEAST_POWER) -> Temper:
    """Return the temper with the lowest log loss, with the exponent fixed if given; impossible rows do not count.

    At the typical length, the power is at least `least`.
    """
    at = np.arange(len(rows.codes)), rows.codes
    usable = np.isfinite(rows.scores[at] + rows.log_prior[at]) & (rows.weights > 0)
    if rows.lengths is not None:
        usable &= rows.lengths > 0
    if not usable.any() or rows.scores.shape[1] < 2:
        return AS_IT_IS if rows.exponent is None else Temper(1.0, rows.exponent)
    rows = rows.take(usable)
    log_lengths = np.zeros(len(rows.codes)) if rows.lengths is None else np.log(rows.lengths)
    typical = _sum(rows.weights * log_lengths) / _sum(rows.weights)
    upper = UPPER if np.ptp(log_lengths) > 0 else np.zeros(2)
    lower = np.array([np.log(least), 0.0])
    if rows.exponent is not None:
        lower, upper = (np.array([bound, rows.exponent]) for bound in (lower[0], UPPER[0]))
    log_power, exponent = _minimise(_objective(rows, typical - log_lengths), lower, upper)
    return Temper(float(np.exp(log_power + exponent * typical)), float(exponent))  # SX-7


def choose_posterior_temper(rows: Scored) -> Temper:
    """Return the temper with the lowest log loss if it is also the power of the class prior: that of a typical row.

    The class prior keeps its power unless this saves more than a nat over all rows.
    """
    plain = choose_temper(rows)
    whole = replace(rows, scores=rows.scores + rows.log_prior, log_prior=np.zeros_like(rows.scores))
    temper = choose_temper(whole)
    powers = np.broadcast_to(temper.of(rows.lengths), rows.codes.shape)
    weights = np.where(powers > 0, rows.weights, 0.0)
    if not weights.any() or (log_loss(rows, plain) - log_loss(whole, temper)) * _sum(rows.weights) <= NAT:
        return plain
    typical = np.exp(_sum(weights * np.log(np.where(powers > 0, powers, 1.0))) / _sum(weights))
    return replace(temper, prior=float(typical))  # SX-14


def _objective(rows: Scored, shorter: Array) -> Objective:
    """Return the penalized loss as a function of ln a and γ; `shorter` is ln of typical over own length."""
    jacobian, weights = np.stack([np.ones_like(shorter), shorter]), rows.weights  # of ln power by ln a and γ
    alike = not shorter.any()

    def objective(parameters: Array) -> tuple[float, Array, Array]:
        power = np.exp(parameters[0]) if alike else np.exp(np.einsum("i,ij->j", parameters, jacobian))
        logs, first, second = _own_logs(rows, power)
        gradient, hessian = -weights * first * power, weights * (second * power**2 - first * power)
        a, exponent = float(np.exp(parameters[0])), float(parameters[1])
        return (
            -_sum(weights * logs) + ((1 - a) ** 2 + OF_LENGTH * exponent**2) / 2,
            np.einsum("ij,j->i", jacobian, gradient) + np.array([a * (a - 1), OF_LENGTH * exponent]),
            np.einsum("ij,kj->ik", jacobian * hessian, jacobian) + np.diag([a * (2 * a - 1), OF_LENGTH]),
        )

    return objective


def _minimise(objective: Objective, lower: Array, upper: Array) -> Array:
    """Return the minimum of a function of two numbers within bounds, by Newton steps that are halved until they
    descend.

    Once a step gains almost nothing, one more is taken unchecked: near the minimum each step doubles the correct
    digits, and values can no longer tell which of two points is lower.
    """
    at = np.clip(np.zeros(2), lower, upper)
    value, gradient, hessian = objective(at)
    for _ in range(50):
        step = _newton_step(gradient, hessian, at, lower, upper)
        for _ in range(30):
            there = np.clip(at + step, lower, upper)
            found = objective(there)
            if found[0] <= value:
                break
            step /= 2
        else:
            break
        gained = value - found[0]
        at, (value, gradient, hessian) = there, found
        if gained <= 1e-9 * (1 + abs(value)):
            return np.asarray(np.clip(at + _newton_step(gradient, hessian, at, lower, upper), lower, upper))
    return at


def _newton_step(gradient: Array, hessian: Array, at: Array, lower: Array, upper: Array) -> Array:
    """Return the Newton step of the numbers that are not held at a bound."""
    step = np.zeros(2)
    free = ~((at <= lower) & (gradient > 0) | (at >= upper) & (gradient < 0))
    if free.any():
        inside = hessian[np.ix_(free, free)]
        eigenvalues = np.linalg.eigvalsh(inside)
        largest = np.abs(eigenvalues).max()
        inside = inside if eigenvalues.min() > 1e-6 * largest else largest * np.eye(int(free.sum()))
        step[free] = -np.linalg.solve(inside, gradient[free])
    return step


def _own_logs(rows: Scored, powers: Any) -> tuple[Array, Array, Array]:
    """Return ln p of each row's own class, its derivative in the row's power, and the variance of scores under p."""
    n, step = len(rows.codes), max(1, PART // max(1, rows.scores.shape[1]))
    if n <= step:
        return _own_logs_at_once(rows, powers)
    out = np.empty((3, n))
    for start in range(0, n, step):
        part = slice(start, start + step)
        out[:, part] = _own_logs_at_once(rows.take(part), powers if np.ndim(powers) == 0 else powers[part])
    return out[0], out[1], out[2]


def _own_logs_at_once(rows: Scored, powers: Any) -> tuple[Array, Array, Array]:
    at, scores = np.arange(len(rows.codes)), rows.scores
    each = powers if np.ndim(powers) == 0 else powers[:, None]
    with np.errstate(invalid="ignore"):
        joint = rows.log_prior + each * scores
        joint -= joint.max(axis=1, keepdims=True)
        logs = joint[at, rows.codes]
        share = np.exp(joint, out=joint)
        total = share.sum(axis=1, keepdims=True)
        share /= total
        known = np.where(share > 0, scores, 0.0) - scores[at, rows.codes, None]  # relative to own, to keep digits
        expected = (share * known).sum(axis=1)
        variance = (share * known**2).sum(axis=1) - expected**2
    return logs - np.log(total[:, 0]), -expected, np.maximum(variance, 0.0)


POINTS = 7
"""Number of pseudo-counts tried first."""

SPREAD_OF_ALPHA = 2.0
"""Standard deviation of the prior of ln alpha."""

STEPS = {"xatol": 0.05}
"""Tolerance of ln alpha."""


def smoothed(model: Model, alpha: float) -> Model:
    """Return the model with the given pseudo-count in every block that scores."""
    return model.with_likelihoods({name: block.likelihood.smoothed(alpha) for name, block in model.voting.items()})


PRIOR_WEIGHT = 1 / 8
"""Weight of a class's pseudo-counts relative to its counts, for few texts; see `benchmarks/few_texts.py`."""


def alpha_of_counts(model: Model, bounds: tuple[float, float]) -> float:
    """Return a pseudo-count per word from the counts alone, for texts too few to hold any out; at most 1.

    With T tokens of F distinct words in k classes it is

        α = T / (8 k F)                                                                                        SX-13

    so that on average the pseudo-counts αF of a class are an eighth of its counts. Where they are many times its
    counts, the lengths of the texts decide more than their words do.
    """
    (block,) = model.voting.values()
    likelihood: Any = block.likelihood
    words = likelihood.counts(block.t)
    total, most = float(words.sum().sum()), max(bounds[0], 1.0)
    if not total:
        return most
    return float(np.clip(PRIOR_WEIGHT * total / (len(model.classes) * words.width), bounds[0], most))  # SX-13


def choose_alpha(
    judged: Judged, bounds: tuple[float, float], temper: Temper | None, exponent: float | None = None
) -> tuple[float, Temper]:
    """Return the pseudo-count with the lowest leave-one-out log loss, and the temper: the given one, or the best for
    it.

    (ln α / 2)² / 2 is added to the loss of all rows: few rows do not show what a tiny pseudo-count costs where a value
    is new. The loss may have several minima, so the search starts from the best point of a grid.
    """
    total = float(judged.weights.sum())
    found: dict[float, tuple[float, Temper]] = {}

    def loss(alpha: float) -> float:
        if alpha not in found:
            rows = Scored.of(judged.with_model(smoothed(judged.predictor.model, alpha)), exponent)
            suited = choose_temper(rows) if temper is None else temper
            found[alpha] = log_loss(rows, suited) + (np.log(alpha) / SPREAD_OF_ALPHA) ** 2 / 2 / total, suited
        return found[alpha][0]

    grid = np.geomspace(*bounds, POINTS)
    losses = [loss(float(alpha)) for alpha in grid]
    best = int(np.argmin(losses))
    between = np.log(grid[[max(best - 1, 0), min(best + 1, POINTS - 1)]])
    lowest = optimize.minimize_scalar(lambda x: loss(float(np.exp(x))), bounds=tuple(between), options=STEPS)
    alpha = float(np.exp(lowest.x)) if lowest.fun < losses[best] else float(grid[best])
    return alpha, found[alpha][1]


def with_prior(model: Model, prior: Spread) -> Model:
    """Return the model with the given prior in every block that scores."""
    return model.with_likelihoods(
        {name: changed(block.likelihood, prior=prior) for name, block in model.voting.items()}
    )


def choose_spread(predictor: Predictor, sample: Sample, temper: Temper | None) -> Spread | None:
    """Return the prior of covariances with which the other rows classify each part best; None if no part can be judged.

    The model has one block, a likelihood of vectors with a covariance. Without a temper, each prior takes its best
    power.
    """
    ((name, block),) = predictor.model.voting.items()
    few = sample.at_most(ENOUGH)
    rows: Any = few.rows[name]
    likelihood: Any = block.likelihood
    judged = rows.numbers, few.labels.y, few.labels.given, parts_of(few.labels.y, few.group)
    powers = POWERS if temper is None else (temper.power,)
    return by_parts(block.t, likelihood.covariance, judged, predictor.log_prior_of, powers)
