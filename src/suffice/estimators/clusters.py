"""The search for clusters: several starts, and if their number is not given, several numbers of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from suffice.errors import InputError
from suffice.estimators.em import Rows, copy_of, prior_of, reporter
from suffice.estimators.seeds import random_shares, seeded_shares
from suffice.estimators.views import is_loo
from suffice.models.em import Course, climb
from suffice.posterior import Dirichlet
from suffice.typing import Array

__all__ = ["Begin", "Found", "Search", "bic_of", "without_views"]

Begin = Callable[[Any, Any], Any]
"""What a model of so many classes learns from."""


@dataclass(frozen=True)
class Found:
    """Clusters, and how they came about."""

    model: Any
    course: Course
    shares: Array  # of the rows that are here
    entropy: float
    weight: float


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
        tried, judged = {}, {}
        for k in range(1, max(1, min(most, self.n)) + 1):
            found = tried[k] = self.best(k)
            judged[k] = _log_evidence(found) if criterion == "evidence" else _bic(found)
        pick = min if criterion == "bic" else max
        return tried[pick(judged, key=lambda k: judged[k])], judged

    def best(self, k: int) -> Found:
        """The best of several starts, and where it leads to."""
        model = without_views(copy_of(self.owner.estimator, "Mixture"))
        model._chosen = {}
        rows: Rows = self.begin(model, np.arange(k))
        if self.n < k:
            raise InputError(f"The 'n_components' parameter of Mixture must not exceed the rows, {self.n}; got {k}.")
        best: Any = None
        for start in range(self.owner.n_init if k > 1 else 1):
            rows.learn(random_shares(rows, self.rng) if start % 2 else seeded_shares(rows, self.rng))  # EM-3
            course = self._course(rows, f"{k} components, start {start + 1}, ")
            if best is None or course.objective[-1] > best[0].objective[-1]:
                best = course, model._get_statistics(), rows.shares, rows.entropy()
        model._take_statistics(rows.classes, best[1])
        if self.whole is None:
            return Found(model, best[0], best[2], best[3], rows.weight)
        every = self.whole(model, rows.classes)
        course = self._course(every, f"{k} components, all rows, ")
        return Found(model, course, best[2], every.entropy(), every.weight)

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


def bic_of(model: Any, log_likelihood: float, rows: float) -> float:
    """Free numbers are those of each cluster, and the clusters' shares."""
    k = len(model.classes_)
    return float((model._free_parameters() + k - 1) * np.log(rows) - 2 * log_likelihood)


def _bic(found: Found) -> float:
    return bic_of(found.model, found.course.objective[-1] - prior_of(found.model), found.weight)


def _log_evidence(found: Found) -> float:
    """Of rows in shares, as if shares were labels; what that leaves out, their entropy; and k! orders of clusters."""
    model, evidence = found.model, found.model.evidence()
    k, labels = len(model.classes_), evidence.labels
    if getattr(model, "class_prior", getattr(model, "priors", None)) is None and getattr(model, "fit_prior", True):
        labels = float(Dirichlet(np.ones(k)).log_evidence(counts=model._class_rows())) if k > 1 else 0.0
    return float(evidence.total - evidence.labels + labels + found.entropy + gammaln(k + 1))  # EM-3
