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

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from suffice.later import gammaln
from suffice.models.answers import derived
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Block, Model, Name
from suffice.models.predictor import Predictor, RowsByName, normalise
from suffice.models.scoring.rows import Labels, Rows
from suffice.posterior import Dirichlet
from suffice.stats import Bursts, PoissonSums, RateCounts, TokenCounts
from suffice.stats.row_shares import no_documents
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, LabelArray

SLIGHT = 1e-100
"""Share below which a row does not count for a class: it would not change any count."""

SAME = 1e-3
"""Information per row, in nats, of two normals whose means are about a twelfth of a standard deviation apart."""

Report = Callable[[int, float], None]

Weighed = tuple[RowsByName, Array]
"""Rows and their weights."""


@dataclass(frozen=True, eq=False)
class Expectation:
    """Rows under a model (E step): sums over the rows, and on demand their counts for the M step."""

    predictor: Predictor
    labelled: float  # Σ w ln p(x, y) of labelled rows
    unlabelled: float  # Σ w ln p(x) of the others
    below: float  # the lower bound of `unlabelled` by the shares of the step before (EM-4); NaN if these are unknown
    count: Callable[[], list[Model]]  # returns unlabelled rows counted by their shares, part by part
    entropy: Callable[[], float]  # returns the total entropy of the shares
    shares: Array | None = None  # of unlabelled rows in memory
    log_prior_density: float = 0.0

    @property
    def objective(self) -> float:
        """Return ln p of rows, labels and parameters."""
        return self.log_prior_density + self.labelled + self.unlabelled  # EM-1

    @property
    def bound(self) -> float:
        """Return the lower bound of the objective by the shares of the step before; NaN if these are unknown."""
        return self.log_prior_density + self.labelled + self.below


@dataclass(frozen=True, eq=False, kw_only=True)
class EMRows(ABC):
    """Rows that EM learns from: the model of those with labels, and others, in memory or on an engine."""

    prior: ClassPrior
    base: Model  # of labelled rows; it has no rows if there are none, and always all blocks
    share: float = 1.0  # the weight of an unlabelled row relative to a labelled one (EM-2)

    @property
    @abstractmethod
    def unlabelled(self) -> float:
        """Return the total weight of unlabelled rows."""

    @property
    def weight(self) -> float:
        """Return the total weight of all rows."""
        return float(self.base.n.sum()) + self.unlabelled

    @abstractmethod
    def scan(self, predictor: Predictor, previous: Expectation | None = None) -> Expectation:
        """Return the sums of the E step over the rows, with the bound by the shares of the previous step."""

    def expect(self, model: Model, previous: Expectation | None = None) -> Expectation:
        """Return the rows under a model (E step), with the bound by the shares of the previous step."""
        predictor = Predictor(model, self.prior)
        density = log_prior_density(predictor)  # raises before the rows are read, if the prior is improper
        return replace(self.scan(predictor, previous), log_prior_density=density)

    def learned(self, counts: list[Model], likelihoods: Mapping[Name, Likelihood]) -> Model:
        """Return the model of labelled rows, and of the expected counts of the others (M step)."""
        parts = [self.base, *counts] if self.base.n.any() else counts
        total = Model.total(parts) if parts else self.base
        blocks = {name: total.blocks.get(name, block) for name, block in self.base.blocks.items()}
        return replace(total, blocks=blocks).with_likelihoods(likelihoods)


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedRows(EMRows):
    """Rows in memory: labelled ones, and parts of unlabelled ones, which several classes share."""

    free: tuple[Weighed, ...]
    known: tuple[RowsByName, Labels] | None = None

    @classmethod
    def of(
        cls,
        empty: Model,
        prior: ClassPrior,
        free: tuple[Weighed, ...],
        known: tuple[RowsByName, Labels] | None = None,
        share: float = 1.0,
    ) -> SharedRows:
        """Count labelled rows by the classes and blocks of an empty model."""
        rows = cls(prior=prior, base=empty, share=share, free=free, known=known)
        return rows if known is None else replace(rows, base=rows.learned([counted_by(empty, *known)], {}))

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return len(self.base.classes)

    @cached_property
    def shared(self) -> Array:
        """Return the weight of each unlabelled row."""
        return self.share * np.concatenate([np.zeros(0), *(weights for _, weights in self.free)])  # EM-2

    @property
    def unlabelled(self) -> float:
        """Return the total weight of unlabelled rows."""
        return float(self.shared.sum())

    def counts(self, shares: Array) -> list[Model]:
        """Return unlabelled rows counted by shares, part by part."""
        labels = (Labels(np.ascontiguousarray(shares[at]), self.shared[at], self.classes) for at in self._parts)
        return [counted_by(self.base, rows, each) for (rows, _), each in zip(self.free, labels, strict=True)]

    def with_seeds(self, seeds: Array, likelihoods: Mapping[Name, Likelihood]) -> Model:
        """Return the model in which each class has the rows that seed it, and an average of all rows."""
        average = self.shared / self.shared.sum()
        twos = replace(self, free=tuple((rows, np.ones(len(weights))) for rows, weights in self.free), share=2.0)
        return twos.learned(twos.counts((average[:, None] + seeds) / 2), likelihoods)  # no share is above one

    def as_one_class(self) -> Model:
        """Return the model of all unlabelled rows as one class."""
        one = replace(self, base=emptied(self.base, np.zeros(1, np.int64)))
        return one.learned(one.counts(np.ones((len(self.shared), 1))), {})

    def scan(self, predictor: Predictor, previous: Expectation | None = None) -> Expectation:
        """Return the sums of the E step over the rows, with the bound by the shares of the previous step."""
        labelled = 0.0
        if self.known is not None:
            rows, labels = self.known
            own = log_joint(predictor, rows)[np.arange(len(labels)), labels.y]
            labelled = weighted_sum(labels.given, own)
        below, before = (np.nan, None) if previous is None else (0.0, previous.shares)
        of_parts = [(np.zeros((0, self.classes)), np.zeros(0))]
        for (rows, _), at in zip(self.free, self._parts, strict=True):
            joint = log_joint(predictor, rows)
            if before is not None:
                below += lower_bound(joint, before[at], self.shared[at])
            of_parts.append(share_out(joint, predictor.log_prior))
        shares, logs = (np.concatenate(arrays) for arrays in zip(*of_parts, strict=True))
        unlabelled = weighted_sum(self.shared, logs)
        count, unsure = partial(self.counts, shares), partial(entropy, shares, self.shared)
        return Expectation(predictor, labelled, unlabelled, below, count, unsure, shares)

    def scores(self, model: Model) -> Array:
        """Return ln p(x | c) of unlabelled rows, including the terms that all classes share."""
        predictor = Predictor(model, self.prior)
        return np.concatenate([_with_measure(model, rows, predictor.scores(rows)) for rows, _ in self.free])

    def points(self) -> Array | None:
        """Return unlabelled rows as points; None where they are not points."""
        if len(self.base.blocks) != 1:
            return None
        ((name, block),) = self.base.blocks.items()
        points: Any = getattr(block.likelihood, "points", lambda _: None)
        parts = [points(rows[name]) for rows, _ in self.free]
        known = [part for part in parts if part is not None]
        return np.concatenate(known) if len(known) == len(parts) else None

    @cached_property
    def _parts(self) -> list[slice]:
        ends = np.cumsum([0, *(len(weights) for _, weights in self.free)]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]


@dataclass(frozen=True)
class History:
    """The course of the objective."""

    objective: list[float]  # initially, and after each step
    converged: bool
    bound: list[float]  # for each objective, the bound after the next M step; NaN at the end


@dataclass(frozen=True, eq=False)
class Climbed:
    """The result of EM."""

    model: Model
    expectation: Expectation  # of the model
    history: History


def climb(
    source: EMRows, model: Model, max_iter: int, tol: float, report: Report | None = None, record: bool = False
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
        model = source.learned(expectation.count(), model.likelihoods)
        expectation = source.expect(model, expectation if record else None)


def _settled(path: list[float], slight: float) -> bool:
    if len(path) < 2 or not np.isfinite(path[-2:]).all():
        return len(path) > 2 and not np.isfinite(path[-3:]).any()  # what stays impossible will not improve
    return abs(path[-1] - path[-2]) <= slight


# one part of the rows ------------------------------------------------------------------------------------------------


def log_joint(predictor: Predictor, rows: RowsByName) -> Array:
    """Return ln p(x, c), rows × classes, of a model without views, including the terms that all classes share."""
    return _with_measure(predictor.model, rows, predictor.joint(rows))


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
    found = sum(derived.log_prior_density(block.settled, block.t) for block in blocks if not block.likelihood.silent)
    return float(found + predictor.prior.log_density(predictor.log_prior))


def n_parameters(model: Model) -> int:
    """Return the number of free parameters: those of each class, shared ones, and class shares."""
    k, numbers = len(model.classes), [derived.n_parameters(one.settled, one.t) for one in model.voting.values()]
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


def emptied(model: Model, classes: LabelArray) -> Model:
    """Return a model of the same blocks with other classes and no rows; all words of texts are kept."""
    nowhere, k = np.full(len(model.classes), -1), len(classes)
    blocks = {}
    for name, block in model.blocks.items():
        t = block.t
        zero = no_documents(t, k) if isinstance(t, WordCounts) else t.with_classes(nowhere, k)
        blocks[name] = Block(block.likelihood, zero)
    return Model(classes, model.rows.with_classes(nowhere, k), blocks)
