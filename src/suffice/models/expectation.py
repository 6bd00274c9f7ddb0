"""Run EM: count rows of unknown class in shares, and compute their shares from the counts.

E step     Q_i(c) = p(c | x_i), by Bayes' rule with the current counts
M step     counts with each row split by its shares Q_i; a labelled row counts for its class

EM-1  objective   Σ_labelled w ln p(x, y) + Σ_unlabelled w ln p(x) + ln p(θ)
EM-2  weight      w = sample weight, times λ if the row has no label (Nigam et al. 2000)
EM-3  mixture     no row has a label: classes are clusters, and a start is a guess of shares
EM-4  bound       Σ_unlabelled w Σ_c Q(c) (ln p(x, c) − ln Q(c)) in place of Σ_unlabelled w ln p(x), by any shares Q

If parameters are plugged in at the mode of a fixed prior, no step lowers the objective. A posterior mean is such a
mode, of a prior with pseudo-counts larger by one. Predictives that integrate parameters out are not.

The bound is never above the objective (Jensen), and touches it where Q_i(c) = p(c | x_i). The E step raises the bound
to the objective, the M step raises it by changing the parameters, and the objective rises at least as far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from suffice.later import gammaln
from suffice.models.answers import features
from suffice.models.model import Block, Model
from suffice.models.predictor import Predictor, RowsByName, normalise
from suffice.models.scoring.rows import Labels, Rows
from suffice.posterior import Dirichlet
from suffice.stats import Bursts, PoissonSums, RateCounts, TokenCounts
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array

SLIGHT = 1e-100
"""Share below which a row does not count for a class: it would not change any count."""

SAME = 1e-3
"""Information per row, in nats, of two normals whose means are about a twelfth of a standard deviation apart."""

Report = Callable[[int, float], None]


class Expectation(Protocol):
    """Describe the result of an E step: the rows under a model."""

    @property
    def objective(self) -> float:
        """Return ln p of rows, labels and parameters (EM-1)."""

    @property
    def entropy(self) -> float:
        """Return the total entropy of the shares of unlabelled rows."""

    @property
    def bound(self) -> float:
        """Return the objective's lower bound, by the previous step's shares (EM-4); NaN if these are unknown."""

    def learn(self) -> Model:
        """Return the model of labelled rows, and of the others split by their shares (M step)."""

    def then(self, model: Model) -> Expectation:
        """Return the rows under the next model, with the bound by the current shares."""


class ShareSource(Protocol):
    """Describe rows that EM learns from, wherever they are stored."""

    @property
    def unlabelled(self) -> float:
        """Return the total weight of unlabelled rows."""

    @property
    def weight(self) -> float:
        """Return the total weight of all rows."""

    def expect(self, model: Model) -> Expectation:
        """Return the rows under a model (E step)."""


class Weighable(ShareSource, Protocol):
    """Describe rows whose unlabelled part may be weighted down."""

    def weighing(self, share: float) -> Weighable:
        """Return the rows with unlabelled ones counting for `share` of their weight (EM-2)."""

    def based_on(self, base: Model) -> ShareSource:
        """Return the rows with another model of the labelled ones, such as that of some of them."""


@dataclass(frozen=True)
class History:
    """Hold the course of the objective."""

    objective: list[float]  # initially, and after each step
    converged: bool
    bound: list[float]  # for each objective, the bound after the next M step; NaN at the end


@dataclass(frozen=True, eq=False)
class Climbed:
    """Hold the result of EM."""

    model: Model
    expectation: Expectation  # of the model
    history: History


def climb(
    source: ShareSource, model: Model, max_iter: int, tol: float, report: Report | None = None, record: bool = False
) -> Climbed:
    """Return EM's result once a step changes the objective by at most `tol` per row; `record` keeps the bounds."""
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
        return len(path) > 2 and not np.isfinite(path[-3:]).any()  # what stays impossible will not improve
    return abs(path[-1] - path[-2]) <= slight


# one part of the rows ------------------------------------------------------------------------------------------------


def log_joint(predictor: Predictor, rows: RowsByName) -> Array:
    """Return ln p(x, c), rows × classes, of a model without views, including the terms that all classes share."""
    return _with_measure(predictor.model, rows, predictor.joint(rows))


def log_likelihoods(predictor: Predictor, rows: RowsByName) -> Array:
    """Return ln p(x | c), rows × classes, of a model without views, including the terms that all classes share."""
    return _with_measure(predictor.model, rows, predictor.scores(rows))


def _with_measure(model: Model, rows: RowsByName, logs: Array) -> Array:
    """Add to scores, in place, the terms that they leave out because all classes share them."""
    for name, block in model.voting.items():
        if name in rows and _has_values(rows[name]):
            present, measure = rows[name].present, _measure(block, rows[name])
            logs += np.reshape(measure if present is None else np.where(present, measure, 0.0), (-1, 1))
    return logs


def _measure(block: Block, rows: Rows) -> Array | float:
    """Return what a block's scores leave out, cached on rows of counts, where it depends on them alone."""
    if not isinstance(block.t, RateCounts | PoissonSums | TokenCounts | WordCounts | Bursts):
        return block.settled.log_measure(block.t, rows)
    if "log_measure" not in vars(rows):
        rows.__dict__["log_measure"] = block.settled.log_measure(block.t, rows)
    known: Array | float = vars(rows)["log_measure"]
    return known


def shares_of(predictor: Predictor, rows: RowsByName) -> tuple[Array, Array]:
    """Return p(c | x) and ln p(x) of unlabelled rows (E step of a part)."""
    return share_out(log_joint(predictor, rows), predictor.log_prior)


def expected_counts(predictor: Predictor, rows: RowsByName, weights: Array) -> tuple[Model, float, float]:
    """Return unlabelled rows counted by their shares, Σ w ln p(x), and the entropy of the shares.

    This does both steps for a part of the rows that is read once; counts of parts add up.
    """
    shares, logs = shares_of(predictor, rows)
    counts = counted_by(predictor.model, rows, Labels(shares, weights, len(predictor.model.classes)))
    return counts, weighted_sum(weights, logs), entropy(shares, weights)


def log_joint_of_labels(predictor: Predictor, rows: RowsByName, labels: Labels) -> float:
    """Return Σ w ln p(x, y) of labelled rows."""
    own = log_joint(predictor, rows)[np.arange(len(labels)), labels.y]
    return weighted_sum(labels.given, own)


def counted_by(model: Model, rows: RowsByName, labels: Labels) -> Model:
    """Return rows counted by the likelihoods of a model, without blocks that have no values (M step of a part)."""
    likelihoods = model.likelihoods
    there = {name: part for name, part in rows.items() if likelihoods[name].silent or _has_values(part)}
    return Model.of(model.classes, likelihoods, there, labels)


def _has_values(rows: Rows) -> bool:
    return rows.present is None or bool(rows.present.any())


def weighted_sum(weights: Array, logs: Array) -> float:
    """Return Σ w ln p over rows with positive weight."""
    return float(weights[weights > 0] @ logs[weights > 0])


def share_out(joint: Array, log_prior: Array) -> tuple[Array, Array]:
    """Return p(c | x) and ln p(x) of rows, from ln p(x, c), which is overwritten."""
    largest = joint.max(axis=1)
    normalise(joint, log_prior)
    logs = largest - joint.max(axis=1)
    shares = np.exp(joint, out=joint)
    shares[shares < SLIGHT] = 0.0
    return shares, logs


def lower_bound(joint: Array, shares: Array, weights: Array) -> float:
    """Return the lower bound of Σ w ln p(x), from ln p(x, c) and any shares of rows."""
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    above = np.subtract(joint, logs, out=np.zeros_like(shares), where=shares > 0)
    return weighted_sum(weights, np.sum(shares * above, axis=1))  # EM-4


def entropy(shares: Array, weights: Array) -> float:
    """Return the total entropy of the shares, in nats."""
    return float(-(weights @ (shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)))


# a model as EM sees it ------------------------------------------------------------------------------------------------


def log_prior_density(predictor: Predictor) -> float:
    """Return ln p(θ) of a model's plug-in parameters, including the class prior."""
    blocks = predictor.model.blocks.values()
    found = sum(features.log_prior_density(block.settled, block.t) for block in blocks if not block.likelihood.silent)
    return float(found + predictor.prior.log_density(predictor.log_prior))


def n_parameters(model: Model) -> int:
    """Return the number of free parameters: those of each class, shared ones, and class shares."""
    k, numbers = len(model.classes), [features.n_parameters(one.settled, one.t) for one in model.voting.values()]
    return sum(k * own + shared for own, shared in numbers) + k - 1


def bic(model: Model, log_likelihood: float, rows: float) -> float:
    """Return −2 ln p + parameters · ln rows."""
    return float(n_parameters(model) * np.log(rows) - 2 * log_likelihood)


def evidence_of_clusters(predictor: Predictor, unsure: float) -> float:
    """Return ln p of rows with shares in place of labels, with corrections (Cheeseman and Stutz).

    The corrections are the entropy of the shares, `unsure`, and ln k! for the order of clusters. Raise ImproperPrior if
    a prior is improper.
    """
    model, given = predictor.model, predictor.prior.given
    k, rows = (
        len(model.classes),
        sum(b.settled.log_evidence(b.t).sum().sum() for b in model.alone.values() if not b.likelihood.silent),
    )
    if isinstance(given, str) and given == "counted":
        labels = float(Dirichlet(np.ones(k)).log_evidence(counts=model.n)) if k > 1 else 0.0
    else:
        labels = predictor.prior.log_evidence(model.n)[0]
    return float(rows + labels + unsure + gammaln(k + 1))  # EM-3


def coinciding(shares: Array, weights: Array) -> list[tuple[int, int]]:
    """Return pairs of classes that rows do not distinguish.

    A row that is in one of the two carries less than SAME nats about which one it is.
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
