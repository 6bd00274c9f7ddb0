"""EM: rows whose class is not known are counted in shares, and the counts say what their shares are.

E step     Q_i(c) = p(c | x_i), Bayes' rule with the counts as they are
M step     the same counts, of each row by its shares Q_i; a row with a label has it for certain

EM-1  objective   Σ_labelled w ln p(x, y) + Σ_unlabelled w ln p(x) + ln p(θ)
EM-2  weight      w = sample weight, times λ if the row has no label (Nigam et al. 2000)
EM-3  mixture     no row has a label: classes are clusters, and a start is a guess of shares
EM-4  bound       Σ_unlabelled w Σ_c Q(c) (ln p(x, c) − ln Q(c)) in place of Σ_unlabelled w ln p(x), by any shares Q

Where parameters are plugged in at the mode of a fixed prior, no step takes the objective down. A posterior mean is such
a mode, of a prior with one more pseudo-count; what integrates parameters out is none.

The bound is never above the objective (Jensen), and touches it where Q_i(c) = p(c | x_i): the E step lifts it to the
objective, the M step lifts it by the parameters, and the objective goes at least as far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from suffice.later import gammaln
from suffice.models.model import Block, Model
from suffice.models.predictor import Predictor, RowsByName, normalise
from suffice.models.scoring.rows import Labels, Rows
from suffice.posterior import Dirichlet
from suffice.typing import Array

__all__ = [
    "Climbed", "Expectation", "History", "Report", "ShareSource", "Weighable", "bic", "climb", "coinciding",
    "counted_by", "entropy", "evidence_of_clusters", "expected_counts", "log_joint", "log_joint_of_labels",
    "log_likelihoods", "log_prior_density", "lower_bound", "n_parameters", "share_out", "shares_of", "weighted_sum",
]  # fmt: skip

SLIGHT = 1e-100
"""A share below this is none: what it would add to a count is far below the last digit."""

SAME = 1e-3
"""Nats: about what a row says of two normals whose means are a twelfth of a standard deviation apart."""

Report = Callable[[int, float], None]


class Expectation(Protocol):
    """What rows come to under a model (E step)."""

    @property
    def objective(self) -> float:
        """ln p of rows, labels and parameters (EM-1)."""

    @property
    def entropy(self) -> float:
        """How unsure the shares of rows without labels are, all rows together."""

    @property
    def bound(self) -> float:
        """The objective's lower bound by the shares of the step before (EM-4); NaN where these are not known."""

    def learn(self) -> Model:
        """Return the model of rows with labels, and of the others by their shares (M step)."""

    def then(self, model: Model) -> Expectation:
        """Return what the rows come to under the next model, with the bound by the shares they have here."""


class ShareSource(Protocol):
    """Rows that EM learns from, wherever they are."""

    @property
    def unlabelled(self) -> float:
        """What rows without labels weigh together."""

    @property
    def weight(self) -> float:
        """What all rows weigh together."""

    def expect(self, model: Model) -> Expectation:
        """Return what the rows come to under a model."""


class Weighable(ShareSource, Protocol):
    """Rows of which those without labels may count for less."""

    def weighing(self, share: float) -> ShareSource:
        """Return the same rows, of which those without labels count for so much of their weight (EM-2)."""


@dataclass(frozen=True)
class History:
    """How the objective went."""

    objective: list[float]  # at the start, and after each step
    converged: bool
    bound: list[float]  # beside each objective, the bound after the M step that follows it; NaN at the end


@dataclass(frozen=True, eq=False)
class Climbed:
    """Where the steps have led to, and how."""

    model: Model
    expectation: Expectation  # of the model
    history: History


def climb(
    source: ShareSource, model: Model, max_iter: int, tol: float, report: Report | None = None, record: bool = False
) -> Climbed:
    """Make steps from a model until one changes the objective by at most `tol` a row; record the bound if asked to."""
    path: list[float] = []
    bound: list[float] = []
    expectation = source.expect(model)
    while True:
        path.append(expectation.objective)
        bound.append(expectation.bound)
        if report is not None:
            report(len(path) - 1, path[-1])
        converged = not source.unlabelled or _settled(path, tol * source.unlabelled)
        if converged or len(path) > max_iter:
            return Climbed(model, expectation, History(path, converged, [*bound[1:], np.nan]))
        model = expectation.learn()
        expectation = expectation.then(model) if record else source.expect(model)


def _settled(path: list[float], slight: float) -> bool:
    if len(path) < 2 or not np.isfinite(path[-2:]).all():
        return len(path) > 2 and not np.isfinite(path[-3:]).any()  # what stays impossible will not get better
    return abs(path[-1] - path[-2]) <= slight


# one part of the rows ------------------------------------------------------------------------------------------------


def log_joint(predictor: Predictor, rows: RowsByName) -> Array:
    """Return ln p(x, c), rows × classes, of a model without views: densities, with what all classes share."""
    return _with_measure(predictor.model, rows, predictor.joint(rows))


def log_likelihoods(predictor: Predictor, rows: RowsByName) -> Array:
    """Return ln p(x | c) likewise."""
    return _with_measure(predictor.model, rows, predictor.scores(rows))


def _with_measure(model: Model, rows: RowsByName, logs: Array) -> Array:
    """Add to scores, in place, what they leave out because all classes share it."""
    for name, block in model.voting.items():
        if name in rows and _has_values(rows[name]):
            present, measure = rows[name].present, _measure(block, rows[name])
            logs += np.reshape(measure if present is None else np.where(present, measure, 0.0), (-1, 1))
    return logs


def _measure(block: Block, rows: Rows) -> Array | float:
    """Return what scores of a block leave out; where it depends on rows alone, it is computed once."""
    if not block.likelihood.fixed_measure:
        return block.settled.measure(block.t, rows)
    if "fixed_measure" not in vars(rows):
        rows.__dict__["fixed_measure"] = block.settled.measure(block.t, rows)
    known: Array | float = vars(rows)["fixed_measure"]
    return known


def shares_of(predictor: Predictor, rows: RowsByName) -> tuple[Array, Array]:
    """Return p(c | x) and ln p(x) of rows without labels (E step of a part)."""
    return share_out(log_joint(predictor, rows), predictor.log_prior)


def expected_counts(predictor: Predictor, rows: RowsByName, weights: Array) -> tuple[Model, float, float]:
    """Return rows without labels counted by their shares, Σ w ln p(x), and the entropy of the shares.

    That is both steps for a part of the rows that is looked at once: counts of parts are added up.
    """
    shares, logs = shares_of(predictor, rows)
    counts = counted_by(predictor.model, rows, Labels(shares, weights, len(predictor.model.classes)))
    return counts, weighted_sum(weights, logs), entropy(shares, weights)


def log_joint_of_labels(predictor: Predictor, rows: RowsByName, labels: Labels) -> float:
    """Return Σ w ln p(x, y) of rows with labels."""
    own = log_joint(predictor, rows)[np.arange(len(labels)), labels.y]
    return weighted_sum(labels.given, own)


def counted_by(model: Model, rows: RowsByName, labels: Labels) -> Model:
    """Count rows by the likelihoods of a model (M step of a part); without blocks that no row has a value of."""
    likelihoods = model.likelihoods
    there = {name: part for name, part in rows.items() if likelihoods[name].silent or _has_values(part)}
    return Model.of(model.classes, likelihoods, there, labels)


def _has_values(rows: Rows) -> bool:
    return rows.present is None or bool(rows.present.any())


def weighted_sum(weights: Array, logs: Array) -> float:
    """Return Σ w ln p over rows that weigh something."""
    return float(weights[weights > 0] @ logs[weights > 0])


def share_out(joint: Array, log_prior: Array) -> tuple[Array, Array]:
    """Return p(c | x) and ln p(x) of rows, from ln p(x, c), which is written over."""
    largest = joint.max(axis=1)
    normalise(joint, log_prior)
    logs = largest - joint.max(axis=1)
    shares = np.exp(joint, out=joint)
    shares[shares < SLIGHT] = 0.0
    return shares, logs


def lower_bound(joint: Array, shares: Array, weights: Array) -> float:
    """Return what Σ w ln p(x) is at least, from ln p(x, c) and any shares of rows."""
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    above = np.subtract(joint, logs, out=np.zeros_like(shares), where=shares > 0)
    return weighted_sum(weights, np.sum(shares * above, axis=1))  # EM-4


def entropy(shares: Array, weights: Array) -> float:
    """Return how unsure the shares are, in nats, all rows together."""
    return float(-(weights @ (shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)))


# a model as EM sees it ------------------------------------------------------------------------------------------------


def log_prior_density(predictor: Predictor) -> float:
    """Return ln p(θ) of the parameters that a model plugs in, the class prior among them."""
    blocks = predictor.model.blocks.values()
    features = sum(block.settled.log_prior_density(block.t) for block in blocks if not block.likelihood.silent)
    return float(features + predictor.prior.log_density(predictor.log_prior))


def n_parameters(model: Model) -> int:
    """Return how many numbers are free: those of each class, those that classes share, and the shares of rows."""
    k, blocks = len(model.classes), [(block.settled, block.t) for block in model.voting.values()]
    return sum(k * one.n_parameters(t) + one.n_shared_parameters(t) for one, t in blocks) + k - 1


def bic(model: Model, log_likelihood: float, rows: float) -> float:
    """Return −2 ln p + parameters · ln rows."""
    return float(n_parameters(model) * np.log(rows) - 2 * log_likelihood)


def evidence_of_clusters(predictor: Predictor, unsure: float) -> float:
    """Return ln p of rows in shares, as if shares were labels, with what that leaves out (Cheeseman and Stutz).

    That is the entropy of the shares, `unsure`, and the k! orders of clusters. Raises where a prior is improper.
    """
    model, given = predictor.model, predictor.prior.given
    k, rows = (
        len(model.classes),
        sum(block.settled.log_evidence(block.t).sum().sum() for block in model.voting.values()),
    )
    if isinstance(given, str) and given == "counted":
        labels = float(Dirichlet(np.ones(k)).log_evidence(counts=model.n)) if k > 1 else 0.0
    else:
        labels = predictor.prior.log_evidence(model.n)[0]
    return float(rows + labels + unsure + gammaln(k + 1))  # EM-3


def coinciding(shares: Array, weights: Array) -> list[tuple[int, int]]:
    """Return pairs of classes that rows do not tell apart.

    Of a row that is in one of the two, it says less than SAME which it is.
    """
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
