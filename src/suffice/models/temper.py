"""Tempering: the likelihood raised to a power, so that probabilities are honest.

Naive Bayes counts related evidence twice, and is too sure of itself. With

    score_c(x) = ln π_c + s(x) · ln p(x | c)      s(x) = a · n(x)^−γ

one number a, and for documents of n words an exponent γ of their length, put that right. They are chosen where the
leave-one-out log loss of the training rows is least, so nothing need be held out. It only cools: at the typical length
a row counts for one at most. ln a, taken at that length, and γ have a weak normal prior, of spread one: it matters only
where rows are so few, or so easy, that any a would do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.typing import Array, Integers

__all__ = ["Temper", "Tempered", "choose_temper", "log_loss"]


@dataclass(frozen=True)
class Temper:
    """A power, and an exponent of the length that it is divided by."""

    power: float = 1.0
    length: float = 0.0

    def of(self, lengths: Array | None) -> Any:
        """The power of each row; of a row without words, 0."""
        if self.length == 0 or lengths is None:
            return self.power
        known = np.where(lengths > 0, lengths, 1.0)
        return np.where(lengths > 0, self.power * known**-self.length, 0.0)  # SX-7


@dataclass(frozen=True)
class Tempered:
    """A scorer whose scores are multiplied by the power of each row."""

    scorer: Any
    temper: Temper
    lengths: Callable[[Any], Array] | None

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        return raised(self.scorer.scores(X), self.powers(X))

    def powers(self, X: Any) -> Any:
        """A number for all rows, or one for each."""
        return self.temper.of(self.lengths(X) if self.lengths is not None and self.temper.length else None)

    def __getattr__(self, name: str) -> Any:
        if name == "best" and self.temper.length == 0 and hasattr(self.scorer, "best"):
            # the best of prior + a·score is that of prior/a + score
            return lambda X, log_prior: self.scorer.best(X, log_prior / self.temper.power)
        raise AttributeError(name)


def raised(scores: Array, powers: Any) -> Array:
    """Scores times powers, in place; what is impossible stays so, unless nothing is said at all."""
    each = powers if np.ndim(powers) == 0 else powers[:, None]
    with np.errstate(invalid="ignore"):
        scores *= each
    if np.ndim(powers):
        scores[powers == 0] = 0.0
    return scores


def log_loss(scores: Array, log_prior: Array, codes: Integers, weights: Array, powers: Any = 1.0) -> float:
    """−Σ w ln p(own class) / Σ w of rows with these scores."""
    logs, _, _ = _own_logs(scores, log_prior, codes, powers)
    judged = weights > 0  # a row alone in its class is impossible, and no nought makes −∞ a number
    return float(-(weights[judged] @ logs[judged]) / weights[judged].sum()) if judged.any() else 0.0


def choose_temper(scores: Array, log_prior: Array, codes: Integers, weights: Array, lengths: Array | None) -> Temper:
    """The power, and where there are lengths the exponent, of least log loss; rows that are impossible have no say."""
    log_prior = np.broadcast_to(log_prior, scores.shape)
    at = np.arange(len(codes))
    usable = np.isfinite(scores[at, codes] + log_prior[at, codes]) & (weights > 0)
    if lengths is not None:
        usable &= lengths > 0
    if not usable.any() or scores.shape[1] < 2:
        return Temper()
    scores, log_prior, codes, weights = scores[usable], log_prior[usable], codes[usable], weights[usable]
    steps = np.zeros(len(codes)) if lengths is None else np.log(lengths[usable])
    typical = float(weights @ steps / weights.sum())

    def objective(parameters: Array) -> tuple[float, Array, Array]:
        """Loss and prior, with slope and bend, in ln a and γ."""
        ways = np.stack([np.ones_like(steps), typical - steps])  # how ln power moves with each
        power = np.exp(parameters @ ways)
        logs, pull, spread = _own_logs(scores, log_prior, codes, power)
        slope, bend = -weights * pull * power, weights * (spread * power**2 - pull * power)
        return (
            float(-(weights @ logs) + parameters @ parameters / 2),
            ways @ slope + parameters,
            (ways * bend) @ ways.T + np.eye(2),
        )

    most = np.array([0.0, 2.0 if np.ptp(steps) > 0 else 0.0])
    log_power, exponent = _descended(objective, np.array([-15.0, 0.0]), most)
    return Temper(float(np.exp(log_power + exponent * typical)), float(exponent))  # SX-7


def _descended(objective: Any, least: Array, most: Array) -> Array:
    """Where a function of two numbers between bounds is least: Newton's steps, shortened until they lead down.

    When a step gains next to nothing, one more is taken unseen: near the lowest point each step doubles the digits, and
    the values no longer tell which of two places is lower.
    """
    at = np.zeros(2)
    value, slope, bend = objective(at)
    for _ in range(50):
        step = _newton_step(slope, bend, at, least, most)
        for _ in range(30):
            there = np.clip(at + step, least, most)
            found = objective(there)
            if found[0] <= value:
                break
            step /= 2
        else:
            break
        gained = value - found[0]
        at, (value, slope, bend) = there, found
        if gained <= 1e-9 * (1 + abs(value)):
            return np.asarray(np.clip(at + _newton_step(slope, bend, at, least, most), least, most))
    return at


def _newton_step(slope: Array, bend: Array, at: Array, least: Array, most: Array) -> Array:
    """The step to where the slope vanishes, of the numbers that are free to move."""
    step = np.zeros(2)
    free = ~((at <= least) & (slope > 0) | (at >= most) & (slope < 0))
    if free.any():
        inside = bend[np.ix_(free, free)]
        curves = np.linalg.eigvalsh(inside)
        curve = np.abs(curves).max()
        inside = inside if curves.min() > 1e-6 * curve else curve * np.eye(int(free.sum()))
        step[free] = -np.linalg.solve(inside, slope[free])
    return step


def _own_logs(scores: Array, log_prior: Array, codes: Integers, powers: Any) -> tuple[Array, Array, Array]:
    """ln p of each row's own class, its slope in the row's power, and the variance of scores under p."""
    at = np.arange(len(codes))
    each = powers if np.ndim(powers) == 0 else powers[:, None]
    with np.errstate(invalid="ignore"):
        joint = log_prior + each * scores
        joint -= joint.max(axis=1, keepdims=True)
        logs = joint[at, codes]
        share = np.exp(joint, out=joint)
        total = share.sum(axis=1, keepdims=True)
        share /= total
        known = np.where(share > 0, scores, 0.0) - scores[at, codes, None]  # about the own class, so that digits stay
        expected = (share * known).sum(axis=1)
        spread = (share * known**2).sum(axis=1) - expected**2
    return logs - np.log(total[:, 0]), -expected, np.maximum(spread, 0.0)
