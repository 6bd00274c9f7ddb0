"""The search for clusters: several starts, and if their number is not given, several numbers of them.

Stages of one search, each with a prior that stays as it is:

1. every start is smoothed by a model of fewer freedoms, where there is one, and climbs. A prior that is to be learned
   from clusters is a weak one of all rows meanwhile (`models.weak`). The start of highest evidence stays.
2. the prior is learned from its clusters, and the steps go on with it.
3. the prior is learned once more: the model is what its counts say.

A prior that is given, and maximum likelihood, have the first stage alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from scipy.special import gammaln
from sklearn.exceptions import ConvergenceWarning

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.estimators.em import Rows, copy_of, prior_of, reporter, tell_of_end
from suffice.estimators.seeds import first_shares
from suffice.estimators.views import is_loo
from suffice.models.em import Course, alike, climb
from suffice.posterior import Dirichlet
from suffice.telling import tell
from suffice.typing import Array

__all__ = ["Begin", "Found", "Search", "bic_of", "tell_of_clusters", "without_views"]

Begin = Callable[[Any, Any], Any]
"""What a model of so many classes learns from."""

SMOOTH = 0.001
"""Nats a row: a step of the model of fewer freedoms that brings less is the last."""


@dataclass(frozen=True)
class Found:
    """Clusters, and how they came about."""

    model: Any
    courses: list[Course]  # one of each stage
    shares: Array  # of the rows that are here
    weight: float
    evidence: float | None  # None where a prior is improper
    alike: list[tuple[int, int]]  # clusters that rows do not tell apart

    @property
    def objective(self) -> list[float]:
        """Of all steps; a new stage has another objective."""
        return [value for course in self.courses for value in course.objective]

    @property
    def stages(self) -> list[int]:
        """Where each stage begins."""
        return [0, *accumulate(len(course.objective) for course in self.courses[:-1])]

    @property
    def converged(self) -> bool:
        """Whether all stages came to an end."""
        return all(course.converged for course in self.courses)


@dataclass(frozen=True)
class Start:
    """Where the steps from one start have led to."""

    course: Course
    statistics: dict[str, Any]
    shares: Array
    evidence: float | None

    @property
    def height(self) -> float:
        """By which starts are compared: the evidence, or where there is none, the objective."""
        height = self.course.objective[-1] if self.evidence is None else self.evidence
        return -np.inf if np.isnan(height) else height


@dataclass(frozen=True)
class Search:
    """For clusters of n rows that `begin` reads, with the parameters of a mixture.

    These may be some of many rows. Then the best start is theirs, and its steps go on over all that `whole` has.
    """

    owner: Any
    begin: Begin
    n: int
    whole: Begin | None
    rng: np.random.RandomState

    def chosen(self, criterion: str, most: int) -> tuple[Found, dict[int, float]]:
        """The best number of clusters, one after the other, and what each came to."""
        tried: dict[int, Found] = {}
        judged: dict[int, float] = {}
        for k in range(1, max(1, min(most, self.n)) + 1):
            found = tried[k] = self.best(k)
            if criterion == "evidence" and found.evidence is None:
                found.model.evidence()  # says why there is none
            judged[k] = float(found.evidence or 0.0) if criterion == "evidence" else _bic(found)
        pick = min if criterion == "bic" else max
        return tried[pick(judged, key=lambda k: judged[k])], judged

    def best(self, k: int) -> Found:
        """The best of several starts, and where it leads to."""
        model = without_views(copy_of(self.owner.estimator, "Mixture"))
        model._chosen = {}
        rows: Rows = self.begin(model, np.arange(k))
        if self.n < k:
            raise InputError(f"The 'n_components' parameter of Mixture must not exceed the rows, {self.n}; got {k}.")
        own, whole = model._own_priors(), rows.whole()
        coarse, weak = model._coarse(whole, k), model._weak_priors(whole, k)
        model._put_priors(weak)
        starts = range(self.owner.n_init if k > 1 else 1)
        start = max((self._climbed(rows, number, coarse) for number in starts), key=lambda one: one.height)
        model._take_statistics(rows.classes, start.statistics)
        courses, shares, evidence = [start.course], start.shares, start.evidence
        every = rows
        if self.whole is not None:
            every = self.whole(model, rows.classes)
            courses = [self._course(every, f"{k} components, all rows, ")]
            evidence = _log_evidence(model, every.entropy())
        if own:
            courses += self._learn_prior(every, own, f"{k} components, prior learned, ")
            if isinstance(self.owner.n_components, str):
                model._put_priors(model._judging_priors(weak))
                evidence = _log_evidence(model, every.entropy())
                model._put_priors(own)
        if self.whole is not None or own:
            rows.judge()
            shares = rows.shares
        return Found(model, courses, shares, every.weight, evidence, alike(shares, rows.shared))

    def _climbed(self, rows: Rows, number: int, coarse: dict[str, Any]) -> Start:
        model, k = rows.model, len(rows.classes)
        rows.learn(first_shares(rows, self.rng, number))  # EM-3
        if coarse and k > 1:
            fine = {name: getattr(model, name) for name in coarse}
            model._put_priors(coarse)
            climb(rows, self.owner.max_iter, max(SMOOTH, self.owner.tol))
            model._put_priors(fine)
        course = self._course(rows, f"{k} components, start {number + 1}, ")
        return Start(course, model._get_statistics(), rows.shares, _log_evidence(model, rows.entropy()))

    def _learn_prior(self, rows: Any, own: dict[str, Any], what: str) -> list[Course]:
        """Steps with the prior that the clusters have, and what it comes to when it is theirs again."""
        model = rows.model
        model._put_priors(own)
        model._put_priors(model._found_priors())
        course = self._course(rows, what)
        model._put_priors(own)
        return [course, Course([rows.judge()], True)]

    def _course(self, rows: Any, what: str) -> Course:
        return climb(
            rows, self.owner.max_iter, self.owner.tol, reporter("Mixture", self.owner.verbose, rows.weight, what)
        )


def without_views(model: Any) -> Any:
    """The classifier without what it would choose by rows and labels; words count as often as they come."""
    plain = {"temper": None, "weights": None}
    model.set_params(**{name: value for name, value in plain.items() if is_loo(getattr(model, name, None))})
    if getattr(model, "sublinear_tf", False) is None:
        model.set_params(sublinear_tf=False)
    return model


def tell_of_clusters(found: Found, max_iter: int) -> None:
    """Warn if the steps did not come to an end, or if clusters are the same one."""
    tell_of_end("Mixture", Course(found.objective, found.converged), max_iter)
    if found.alike:
        pairs = ", ".join(f"{a} and {b}" for a, b in found.alike[:3])
        more = ", …" if len(found.alike) > 3 else ""
        tell(
            f"Mixture found clusters that coincide ({pairs}{more}): rows do not tell them apart. Ask for fewer "
            "components, or give the estimator another prior.",
            ConvergenceWarning,
        )


def bic_of(model: Any, log_likelihood: float, rows: float) -> float:
    """Free numbers are those of each cluster, and the clusters' shares."""
    k = len(model.classes_)
    return float((model._free_parameters() + k - 1) * np.log(rows) - 2 * log_likelihood)


def _bic(found: Found) -> float:
    return bic_of(found.model, found.objective[-1] - prior_of(found.model), found.weight)


def _log_evidence(model: Any, entropy: float) -> float | None:
    """Of rows in shares, as if shares were labels; what that leaves out, their entropy; and k! orders of clusters."""
    try:
        evidence = model.evidence()
    except (ImproperPrior, KindError):
        return None
    k, labels = len(model.classes_), evidence.labels
    if getattr(model, "class_prior", getattr(model, "priors", None)) is None and getattr(model, "fit_prior", True):
        labels = float(Dirichlet(np.ones(k)).log_evidence(counts=model._class_rows())) if k > 1 else 0.0
    return float(evidence.total - evidence.labels + labels + entropy + gammaln(k + 1))  # EM-3
