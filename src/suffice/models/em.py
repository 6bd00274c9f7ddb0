"""EM: rows whose class is not known are counted in shares, and the counts say what their shares are.

E step     Q_i(c) = p(c | x_i), Bayes' rule with the counts as they are
M step     the same counts, of each row by its shares Q_i; a row with a label has it for certain

EM-1  objective   Σ_labelled w ln p(x, y) + Σ_unlabelled w ln p(x) + ln p(θ)
EM-2  weight      w = sample weight, times λ if the row has no label (Nigam et al. 2000)
EM-3  mixture     no row has a label: classes are clusters, and a start is a guess of shares

Where parameters are plugged in at the mode of a fixed prior, no step takes the objective down. A posterior mean is such
a mode, of a prior with one more pseudo-count (see `em_objective`); what integrates parameters out is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from suffice.models.bayes import normalise
from suffice.typing import Array

__all__ = ["Course", "Learner", "alike", "climb", "entropy", "share_out"]

SLIGHT = 1e-100
"""A share below this is none: what it would add to a count is far below the last digit."""


SAME = 1e-3
"""Nats: about what a row says of two normals whose means are a twelfth of a standard deviation apart."""


class Learner(Protocol):
    """A model, and the rows that it learns from, wherever these are."""

    @property
    def unlabelled(self) -> float:
        """What rows without labels weigh, all of them."""

    def judge(self) -> float:
        """The objective of the model as it is, by which rows without labels get their shares."""

    def learn(self) -> None:
        """Count labelled rows by their labels, and the others by these shares."""


@dataclass(frozen=True)
class Course:
    """How the objective went."""

    objective: list[float]  # at the start, and after each step
    converged: bool

    @property
    def n_iter(self) -> int:
        """Steps that were made."""
        return len(self.objective) - 1


def climb(learner: Learner, max_iter: int, tol: float, tell: Callable[[int, float], None] | None = None) -> Course:
    """Steps from the model as it is, until one changes the objective by at most `tol` a row."""
    course: list[float] = []
    while True:
        course.append(learner.judge())
        if tell is not None:
            tell(len(course) - 1, course[-1])
        if not learner.unlabelled or _settled(course, tol * learner.unlabelled):
            return Course(course, True)
        if len(course) > max_iter:
            return Course(course, False)
        learner.learn()


def share_out(joint: Array, log_prior: Array) -> tuple[Array, Array]:
    """p(c | x) and ln p(x) of rows, from ln p(x, c), which is written over."""
    largest = joint.max(axis=1)
    normalise(joint, log_prior)
    logs = largest - joint.max(axis=1)
    shares = np.exp(joint, out=joint)
    shares[shares < SLIGHT] = 0.0
    return shares, logs


def entropy(shares: Array, weights: Array) -> float:
    """How unsure the shares are, in nats, all rows together."""
    return float(-(weights @ (shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)))


def alike(shares: Array, weights: Array) -> list[tuple[int, int]]:
    """Classes that rows do not tell apart: of a row that is in one of the two, it says less than SAME which it is."""
    n = weights @ shares
    found = []
    for a, b in combinations(np.flatnonzero(n > 0).tolist(), 2):
        both = shares[:, [a, b]]
        total = both.sum(axis=1)
        part = np.divide(both, total[:, None], out=np.zeros_like(both), where=total[:, None] > 0)
        unsure = entropy(part, weights * total)
        pair = n[[a, b]] / (n[a] + n[b])
        if float(-(pair * np.log(pair)).sum()) - unsure / (n[a] + n[b]) < SAME:
            found.append((a, b))
    return found


def _settled(course: list[float], slight: float) -> bool:
    if len(course) < 2 or not np.isfinite(course[-2:]).all():
        return len(course) > 2 and not np.isfinite(course[-3:]).any()  # what stays impossible will not get better
    return abs(course[-1] - course[-2]) <= slight
