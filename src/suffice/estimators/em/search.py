"""The search for clusters: several starts, and if their number is not given, several numbers of them.

Stages of one search, each with a prior that stays as it is:

1. every start is smoothed by a model of fewer freedoms, where there is one, and climbs. A prior that is to be learned
   from clusters is a weak one of all rows meanwhile (WP). The start of highest evidence stays.
2. the prior is learned from its clusters, and the steps go on with it.
3. the prior is learned once more: the model is what its counts say.

A prior that is given, and maximum likelihood, have the first stage alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.estimators.em.reading import Begun
from suffice.estimators.em.starts import first_shares
from suffice.models.class_prior import ClassPrior
from suffice.models.expectation import (
    Climbed,
    History,
    Report,
    ShareSource,
    bic,
    climb,
    coinciding,
    evidence_of_clusters,
    log_prior_density,
)
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.shared_rows import SharedExpectation, SharedRows, Weighed
from suffice.models.views import Views
from suffice.telling import tell
from suffice.typing import Array, LabelArray

__all__ = ["Clusters", "Everywhere", "Limits", "Search", "reporter", "tell_of_clusters", "tell_of_end"]

SMOOTH = 0.001
"""Nats a row: a step of the model of fewer freedoms that brings less is the last."""

Likelihoods = dict[Name, Likelihood]

Everywhere = Callable[[LabelArray], ShareSource]
"""Returns all rows, of which only some are here, for these classes."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters, and how they came about."""

    model: Model
    prior: ClassPrior
    histories: list[History]  # one of each stage
    shares: Array  # of the rows that are here
    weight: float
    evidence: float | None  # None where a prior is improper
    coinciding: list[tuple[int, int]]  # clusters that rows do not tell apart

    @property
    def objective(self) -> list[float]:
        """The objective after all steps; a new stage has another objective."""
        return [value for history in self.histories for value in history.objective]

    @property
    def stages(self) -> list[int]:
        """Where each stage begins."""
        return [0, *accumulate(len(history.objective) for history in self.histories[:-1])]

    @property
    def bound(self) -> list[float]:
        """The bound beside the objective; NaN at the end of each stage."""
        return [value for history in self.histories for value in history.bound]

    @property
    def converged(self) -> bool:
        """Whether all stages came to an end."""
        return all(history.converged for history in self.histories)

    @property
    def bic(self) -> float:
        """The Bayesian information criterion."""
        likelihood = self.objective[-1] - log_prior_density(Predictor(self.model, self.prior))
        return bic(self.model, likelihood, self.weight)


@dataclass(frozen=True, eq=False)
class Started:
    """Where the steps from one start have led to."""

    climbed: Climbed
    evidence: float | None

    @property
    def height(self) -> float:
        """By which starts are compared: the evidence, or where there is none, the objective."""
        height = self.climbed.history.objective[-1] if self.evidence is None else self.evidence
        return -np.inf if np.isnan(height) else height


@dataclass(frozen=True)
class Limits:
    """How long to search, and how much to print."""

    n_init: int
    max_iter: int
    tol: float
    verbose: bool
    compares: bool  # whether numbers of clusters are compared
    record: bool  # whether to record the bound


@dataclass(frozen=True, eq=False)
class Search:
    """A search for clusters of rows that are here.

    These may be some of many rows. Then the best start is theirs, and its steps go on over all that `everywhere` has.
    """

    begun: Begun
    parts: Sequence[Weighed]
    limits: Limits
    rng: np.random.RandomState
    everywhere: Everywhere | None = None
    first: Array | None = None  # shares that a user starts from

    @property
    def n(self) -> int:
        """How many rows are here."""
        return sum(len(weights) for _, weights in self.parts)

    def chosen(self, criterion: str, most: int) -> tuple[Clusters, dict[int, float]]:
        """Return the clusters of the best number, tried one after the other, and what each came to."""
        tried: dict[int, Clusters] = {}
        judged: dict[int, float] = {}
        for k in range(1, max(1, min(most, self.n)) + 1):
            found = tried[k] = self.best(k)
            if criterion == "evidence" and found.evidence is None:
                evidence_of_clusters(Predictor(found.model, found.prior), 0.0)  # says why there is none
            judged[k] = float(found.evidence or 0.0) if criterion == "evidence" else found.bic
        pick = min if criterion == "bic" else max
        return tried[pick(judged, key=lambda k: judged[k])], judged

    def best(self, k: int) -> Clusters:
        """Return the best of several starts, and where it leads to."""
        if self.n < k:
            raise InputError(f"The 'n_components' parameter of Mixture must not exceed the rows, {self.n}; got {k}.")
        rows = SharedRows(self.begun.empty(np.arange(k), Views()), self.begun.prior, tuple(self.parts))
        total = rows.as_one_class() if self.everywhere is None else self.begun.as_one_class()
        weak = {name: _weak(one, total, name, k) for name, one in rows.empty.likelihoods.items()}
        coarse = _coarse(weak, total, k) if self.first is None else None
        starts = range(self.limits.n_init if k > 1 and self.first is None else 1)
        started = max((self._climbed(rows, number, weak, coarse) for number in starts), key=lambda one: one.height)
        if self.everywhere is None:
            return self._settled(rows, rows, started, weak)
        source = self.everywhere(rows.empty.classes)
        climbed = self._climb(source, started.climbed.model, f"{k} components, all rows, ")
        return self._settled(rows, source, Started(climbed, _evidence(climbed, rows.prior)), weak)

    def _settled(self, rows: SharedRows, source: ShareSource, started: Started, weak: Likelihoods) -> Clusters:
        """Go on with the prior that clusters have, where it is to be learned from them."""
        climbed, evidence, own = started.climbed, started.evidence, rows.empty.likelihoods
        histories = [climbed.history]
        if any(likelihood.learns_prior for likelihood in own.values()):
            what = f"{rows.classes} components, prior learned, "
            climbed, more = self._learn_prior(source, climbed.model, own, what)
            histories += more
            if self.limits.compares:
                evidence = _evidence(climbed, rows.prior, _judging(climbed.model, weak))
        last = climbed.expectation
        shares = (last if isinstance(last, SharedExpectation) else rows.expect(climbed.model)).shares
        same = coinciding(shares, rows.shared)
        return Clusters(climbed.model, rows.prior, histories, shares, source.weight, evidence, same)

    def _climbed(self, rows: SharedRows, number: int, weak: Likelihoods, coarse: Likelihoods | None) -> Started:
        k = rows.classes
        first = self.first
        if first is None:
            first = first_shares(rows, rows.empty.with_likelihoods(weak), self.rng, number)
        model = rows.learned(first, weak)  # EM-3
        if coarse is not None and k > 1:
            smooth = max(SMOOTH, self.limits.tol)
            model = climb(rows, model.with_likelihoods(coarse), self.limits.max_iter, smooth).model.with_likelihoods(
                weak
            )
        climbed = self._climb(rows, model, f"{k} components, start {number + 1}, ")
        return Started(climbed, _evidence(climbed, rows.prior))

    def _learn_prior(
        self, source: ShareSource, model: Model, own: Likelihoods, what: str
    ) -> tuple[Climbed, list[History]]:
        """Make steps with the prior that the clusters have, and judge with what it is when it is theirs again."""
        blocks = model.with_likelihoods(own).blocks
        found = {name: block.settled for name, block in blocks.items() if block.likelihood.learns_prior}
        climbed = self._climb(source, model.with_likelihoods({**own, **found}), what)
        last = climbed.model.with_likelihoods(own)
        expectation = source.expect(last)
        end = History([expectation.objective], True, [np.nan])
        return Climbed(last, expectation, end), [climbed.history, end]

    def _climb(self, source: ShareSource, model: Model, what: str) -> Climbed:
        report = reporter("Mixture", self.limits.verbose, source.weight, what)
        return climb(source, model, self.limits.max_iter, self.limits.tol, report, self.limits.record)


def _weak(likelihood: Likelihood, total: Model, name: Name, k: int) -> Likelihood:
    """Return the likelihood with a prior that says little, by all rows, in place of one that is learned."""
    if not likelihood.learns_prior:
        return likelihood
    t = total.blocks[name].t
    return likelihood.weak(t, float(np.sum(getattr(t, "n", total.n))), k)


def _coarse(likelihoods: Likelihoods, total: Model, k: int) -> Likelihoods | None:
    """Return likelihoods of fewer freedoms, by which a start is smoothed; None if there are none."""
    found = {name: one.coarse(total.blocks[name].t, k) for name, one in likelihoods.items()}
    if all(one is None for one in found.values()):
        return None
    return {name: one or likelihoods[name] for name, one in found.items()}


def _judging(model: Model, weak: Likelihoods) -> Model:
    """Return the model with the priors by which numbers of clusters are compared."""
    learned = {name: block for name, block in model.blocks.items() if block.likelihood.learns_prior}
    return model.with_likelihoods({name: one.likelihood.judging(one.t, weak[name]) for name, one in learned.items()})


def _evidence(climbed: Climbed, prior: ClassPrior, model: Model | None = None) -> float | None:
    """Return the evidence of clusters, or None where there is none."""
    try:
        return evidence_of_clusters(Predictor(model or climbed.model, prior), climbed.expectation.entropy)
    except (ImproperPrior, KindError):
        return None


def reporter(name: str, verbose: bool, rows: float, what: str = "") -> Report | None:
    """Return what reports each step, if that is wanted."""
    if not verbose:
        return None

    def report(step: int, value: float) -> None:
        print(f"[{name}] {what}step {step}: {value / rows:.6f} a row", file=sys.stderr)

    return report


def tell_of_end(name: str, converged: bool, max_iter: int) -> None:
    """Warn if the steps did not come to an end."""
    if not converged:
        tell(
            f"{name} needs more than max_iter={max_iter} steps to converge. Increase max_iter or tol.",
            ConvergenceWarning,
        )


def tell_of_clusters(found: Clusters, max_iter: int) -> None:
    """Warn if the steps did not come to an end, or if clusters are the same one."""
    tell_of_end("Mixture", found.converged, max_iter)
    if found.coinciding:
        pairs = ", ".join(f"{a} and {b}" for a, b in found.coinciding[:3])
        more = ", …" if len(found.coinciding) > 3 else ""
        tell(
            f"Mixture found clusters that coincide ({pairs}{more}): the rows do not distinguish them. Use fewer "
            "components, or give the estimator another prior.",
            ConvergenceWarning,
        )
