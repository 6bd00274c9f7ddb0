"""Search for clusters: from several starts, and for several numbers of clusters if the number is not given.

A search has stages, each with a fixed prior:

1. EM runs from every start, smoothed first by a model with fewer parameters if there is one. In place of a prior that
   is learned from clusters stands a weak prior from all rows (WP). The start with the highest evidence is kept.
2. The prior is learned from its clusters, and EM continues with it.
3. The prior is learned once more, so that the model agrees with its counts.

With a given prior, or maximum likelihood, only the first stage runs.
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
from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.shared_rows import SharedExpectation, SharedRows, Weighed
from suffice.models.views import Views
from suffice.telling import tell
from suffice.typing import Array, LabelArray

__all__ = ["Clusters", "Everywhere", "Limits", "Search", "reporter", "tell_of_clusters", "tell_of_end"]

SMOOTH = 0.001
"""Nats per row: EM of the model with fewer parameters stops after a step that gains less."""

Likelihoods = dict[Name, Likelihood]

Everywhere = Callable[[LabelArray], ShareSource]
"""Returns the source of all rows, of which a sample is local, for the given classes."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters, and the history of their fit."""

    model: Model
    prior: ClassPrior
    histories: list[History]  # one per stage
    shares: Array  # of the local rows
    weight: float
    evidence: float | None  # None where a prior is improper
    coinciding: list[tuple[int, int]]  # pairs of clusters that rows do not distinguish

    @property
    def objective(self) -> list[float]:
        """The objective after each step of all stages; stages have different objectives."""
        return [value for history in self.histories for value in history.objective]

    @property
    def stages(self) -> list[int]:
        """The index in `objective` at which each stage begins."""
        return [0, *accumulate(len(history.objective) for history in self.histories[:-1])]

    @property
    def bound(self) -> list[float]:
        """The lower bound for each objective; NaN at the end of each stage."""
        return [value for history in self.histories for value in history.bound]

    @property
    def converged(self) -> bool:
        """Whether all stages converged."""
        return all(history.converged for history in self.histories)

    @property
    def bic(self) -> float:
        """The Bayesian information criterion."""
        likelihood = self.objective[-1] - log_prior_density(Predictor(self.model, self.prior))
        return bic(self.model, likelihood, self.weight)


@dataclass(frozen=True, eq=False)
class Started:
    """The result of EM from one start."""

    climbed: Climbed
    evidence: float | None

    @property
    def height(self) -> float:
        """The score of a start: its evidence, or its objective if it has no evidence."""
        height = self.climbed.history.objective[-1] if self.evidence is None else self.evidence
        return -np.inf if np.isnan(height) else height


@dataclass(frozen=True)
class Limits:
    """Limits of a search, and what it prints and records."""

    n_init: int
    max_iter: int
    tol: float
    verbose: bool
    compares: bool  # whether numbers of clusters are compared
    record: bool  # whether to record the bound


@dataclass(frozen=True, eq=False)
class Search:
    """A search for clusters in local rows.

    Local rows may be a sample. Then they choose the best start, and EM continues over all rows of `everywhere`.
    """

    begun: Begun
    parts: Sequence[Weighed]
    limits: Limits
    rng: np.random.RandomState
    everywhere: Everywhere | None = None
    first: Array | None = None  # shares of a start that the user gave

    @property
    def n(self) -> int:
        """The number of local rows."""
        return sum(len(weights) for _, weights in self.parts)

    def chosen(self, criterion: str, most: int) -> tuple[Clusters, dict[int, float]]:
        """Return the clusters of the best number, and the criterion of each number tried."""
        tried: dict[int, Clusters] = {}
        judged: dict[int, float] = {}
        for k in range(1, max(1, min(most, self.n)) + 1):
            found = tried[k] = self.best(k)
            if criterion == "evidence" and found.evidence is None:
                evidence_of_clusters(
                    Predictor(found.model, found.prior), 0.0
                )  # raises an error that says why there is none
            judged[k] = float(found.evidence or 0.0) if criterion == "evidence" else found.bic
        pick = min if criterion == "bic" else max
        return tried[pick(judged, key=lambda k: judged[k])], judged

    def best(self, k: int) -> Clusters:
        """Return k clusters: EM from several starts, continued from the best."""
        if self.n < k:
            raise InputError(
                f"The 'n_components' parameter of Mixture must be at most the number of rows, {self.n}; got {k}."
            )
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
        """Run the stages that learn the prior from clusters, if it is learned."""
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
        """Run EM with the prior learned from clusters, then learn the prior again and evaluate the objective."""
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
    """Return the likelihood with a weak prior from all rows, in place of a prior that is learned."""
    if not likelihood.learns_prior:
        return likelihood
    t = total.blocks[name].t
    return likelihood.weak(t, float(np.sum(getattr(t, "n", total.n))), k)


def _coarse(likelihoods: Likelihoods, total: Model, k: int) -> Likelihoods | None:
    """Return likelihoods with fewer parameters, which smooth a start; None if there are none."""
    found = {
        name: one.coarse(total.blocks[name].t, k) if isinstance(one, Discriminant) else None
        for name, one in likelihoods.items()
    }
    if all(one is None for one in found.values()):
        return None
    return {name: one or likelihoods[name] for name, one in found.items()}


def _judging(model: Model, weak: Likelihoods) -> Model:
    """Return the model with the priors that compare numbers of clusters."""
    learned = {name: block for name, block in model.blocks.items() if block.likelihood.learns_prior}
    laws = {
        name: law.judging(one.t, weak[name]) if isinstance(law := one.likelihood, Discriminant) else one.settled
        for name, one in learned.items()
    }
    return model.with_likelihoods(laws)


def _evidence(climbed: Climbed, prior: ClassPrior, model: Model | None = None) -> float | None:
    """Return the evidence of clusters; None if a prior is improper or a likelihood has no evidence."""
    try:
        return evidence_of_clusters(Predictor(model or climbed.model, prior), climbed.expectation.entropy)
    except (ImproperPrior, KindError):
        return None


def reporter(name: str, verbose: bool, rows: float, what: str = "") -> Report | None:
    """Return a function that prints each step; None unless `verbose`."""
    if not verbose:
        return None

    def report(step: int, value: float) -> None:
        print(f"[{name}] {what}step {step}: {value / rows:.6f} a row", file=sys.stderr)

    return report


def tell_of_end(name: str, converged: bool, max_iter: int) -> None:
    """Warn if EM did not converge."""
    if not converged:
        tell(
            f"{name} did not converge in max_iter={max_iter} steps. Increase max_iter or tol.",
            ConvergenceWarning,
        )


def tell_of_clusters(found: Clusters, max_iter: int) -> None:
    """Warn if EM did not converge, or if clusters coincide."""
    tell_of_end("Mixture", found.converged, max_iter)
    if found.coinciding:
        pairs = ", ".join(f"{a} and {b}" for a, b in found.coinciding[:3])
        more = ", …" if len(found.coinciding) > 3 else ""
        tell(
            f"Mixture found clusters that coincide ({pairs}{more}): the rows do not distinguish them. Use fewer "
            "components, or another prior of the estimator.",
            ConvergenceWarning,
        )
