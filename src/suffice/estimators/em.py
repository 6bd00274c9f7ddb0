"""EM over any of our classifiers: rows with labels, rows without, and a model that learns from both."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from suffice.errors import KindError
from suffice.estimators.shared import Classifier
from suffice.estimators.views import is_loo
from suffice.models.em import Course, climb
from suffice.models.em_objective import class_prior_density
from suffice.models.temper import choose_temper, log_loss
from suffice.typing import Array, Integers

__all__ = ["Rows", "alpha_by_rows", "copy_of", "loss_of", "prior_of", "reporter", "tell_of_end"]

ENOUGH = 50
"""Fewer labelled rows than this do not choose a pseudo-count."""


def copy_of(estimator: Any, owner: str) -> Any:
    """A classifier like the one given, not fitted, or an error if it cannot learn without labels."""
    if isinstance(estimator, type) or not isinstance(estimator, Classifier):
        what = f"the class {estimator.__name__}" if isinstance(estimator, type) else f"a {type(estimator).__name__}"
        raise KindError(
            f"The 'estimator' parameter of {owner} must be a classifier of suffice, such as MultinomialNB(); "
            f"got {what}."
        )
    model: Any = clone(estimator)
    model._validate_params()
    model._must_share()
    return model


class Rows:
    """What EM learns from: a model, rows with codes, and parts of rows without."""

    def __init__(self, model: Any, classes: Any, known: Any, codes: Integers, weights: Array, free: list[Any]) -> None:
        self.model, self.classes, self._codes, self._weights = model, classes, codes, weights
        read = model._begin([*([] if known is None else [known]), *free], classes)
        self._known: Any = None if known is None else read[0]
        self._free = read if known is None else read[1:]
        self._pinned = None if known is None else model._count_shares(self._known, np.eye(len(classes))[codes], weights)
        self._parts: list[tuple[Any, slice]] = []
        self.shared = np.zeros(0)  # weights of rows without a label

    def weigh(self, weights: list[Array]) -> None:
        """Rows without labels, part by part, weigh so much from now on."""
        ends = np.cumsum([0, *(len(weight) for weight in weights)])
        places = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self._parts = list(zip(self._free, places, strict=True))
        self.shared = np.concatenate([np.zeros(0), *weights])

    def forget_shares(self) -> None:
        """Back to what the labelled rows alone say."""
        self.model._take_statistics(self.classes, self._pinned)

    def learn(self, shares: Array) -> None:
        """Labelled rows as they are, and the others by their shares."""
        total = self._pinned
        for rows, place in self._parts:
            more = self.model._count_shares(rows, np.ascontiguousarray(shares[place]), self.shared[place])
            total = more if total is None else {name: total[name] + more[name] for name in more}
        self.model._take_statistics(self.classes, total)

    def guess(self, seeds: Array) -> None:
        """Each class is the row that is its seed, if it has one, and a row's worth of all of them."""
        k, average = len(self.classes), self.shared / self.shared.sum()
        total: Any = None
        for rows, place in self._parts:
            ones = np.ones(len(seeds[place]))
            whole = self.model._count_shares(rows, np.full((len(ones), k), 1 / k), k * average[place])
            more = self.model._count_shares(rows, np.ascontiguousarray(seeds[place]), ones)
            both = {name: whole[name] + more[name] for name in more}
            total = both if total is None else {name: total[name] + both[name] for name in both}
        self.model._take_statistics(self.classes, total)

    def scores(self) -> Array:
        """ln p(x | c) of rows without labels."""
        return np.concatenate([self.model._scores_of(rows) for rows, _ in self._parts])

    def joint(self, rows: Any) -> Array:
        """ln p(x, c) of rows."""
        prior = self.model._log_prior()
        scores: Array = self.model._scores_of(rows) + prior
        scores[:, np.isneginf(prior)] = -np.inf
        return scores

    def judge(self) -> tuple[Array, Array, float]:
        """ln p(x, c) of unlabelled rows, ln p(c), and what labelled rows and the prior come to."""
        prior, rest = self.model._log_prior(), prior_of(self.model)
        if self._known is not None:
            own = self.joint(self._known)[np.arange(len(self._codes)), self._codes]
            rest += float(self._weights[self._weights > 0] @ own[self._weights > 0])
        free = [self.joint(rows) for rows, _ in self._parts]
        return np.concatenate([np.zeros((0, len(self.classes))), *free]), prior, rest

    @property
    def weight(self) -> float:
        """What all rows weigh together."""
        return float(self._weights.sum() + self.shared.sum())

    def run(self, max_iter: int, tol: float, tell: Callable[[int, float], None] | None) -> Course:
        """Steps from where the model is."""
        return climb(self, self.shared, max_iter, tol, tell)


def alpha_by_rows(model: Any, X: Any, y: Any, weights: Array) -> float | None:
    """The pseudo-count that rows with labels choose, where they are to choose it, and are enough."""
    wanted = is_loo(getattr(model, "alpha", 1.0)) or getattr(model, "alpha", 1.0) is None
    if not wanted or len(y) < ENOUGH:
        return None
    alone = clone(model)
    if "weights" in alone.get_params():
        alone.set_params(weights=None)
    chosen: float | None = alone.fit(X, y, sample_weight=weights)._chosen.get("alpha")
    return chosen


def loss_of(model: Any, X: Any, y: Any, weights: Array) -> float:
    """Log loss of rows with labels, each left out, with the temper that suits it."""
    scores, prior, codes, judged, lengths = model._judged(X, y, weights, None)
    temper = choose_temper(scores, prior, codes, judged, lengths)
    return log_loss(scores, prior, codes, judged, temper.of(lengths))


def prior_of(model: Any) -> float:
    """ln p of the parameters in use."""
    belief = getattr(model, "class_prior", getattr(model, "priors", None))
    return float(model._prior_density() + class_prior_density(belief, model._log_prior()))


def reporter(name: str, verbose: bool, rows: float, what: str = "") -> Callable[[int, float], None] | None:
    """Says each step, if that is wanted."""
    if not verbose:
        return None

    def tell(step: int, value: float) -> None:
        print(f"[{name}] {what}step {step}: {value / rows:.6f} a row", file=sys.stderr)

    return tell


def tell_of_end(name: str, course: Course, max_iter: int) -> None:
    """Warn if the steps did not come to an end."""
    if not course.converged:
        warnings.warn(
            f"{name} needs more than max_iter={max_iter} steps to settle. Increase max_iter or tol.",
            ConvergenceWarning,
            stacklevel=4,
        )
