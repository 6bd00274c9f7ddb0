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
from scipy.optimize import minimize

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
        known = np.maximum(lengths, np.finfo(np.float64).tiny)
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
    logs, _ = _own_logs(scores, log_prior, codes, powers)
    return float(-(weights @ logs) / weights.sum())


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

    def objective(parameters: Array) -> tuple[float, Array]:
        power = np.exp(parameters[0] - parameters[1] * (steps - typical))
        logs, pull = _own_logs(scores, log_prior, codes, power)
        slope = -weights * pull * power
        gradient = np.array([slope.sum(), -(slope @ (steps - typical))]) + parameters
        return float(-(weights @ logs) + parameters @ parameters / 2), gradient

    exponents = (0.0, 2.0) if np.ptp(steps) > 0 else (0.0, 0.0)
    found = minimize(objective, np.zeros(2), jac=True, method="L-BFGS-B", bounds=[(-15.0, 0.0), exponents])
    return Temper(float(np.exp(found.x[0] + found.x[1] * typical)), float(found.x[1]))  # SX-7


def _own_logs(scores: Array, log_prior: Array, codes: Integers, powers: Any) -> tuple[Array, Array]:
    """ln p of each row's own class, and its slope in the row's power."""
    at = np.arange(len(codes))
    each = powers if np.ndim(powers) == 0 else powers[:, None]
    with np.errstate(invalid="ignore"):
        joint = log_prior + each * scores
        joint -= joint.max(axis=1, keepdims=True)
        logs = joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))
        share = np.exp(logs)
        expected = np.where(share > 0, share * scores, 0.0).sum(axis=1)
    return logs[at, codes], scores[at, codes] - expected
