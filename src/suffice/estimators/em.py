"""EM over any of our classifiers: rows with labels, rows without, and a model that learns from both."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from suffice.errors import KindError
from suffice.estimators.shared import Classifier
from suffice.estimators.views import is_loo
from suffice.models.em import Course, entropy, share_out
from suffice.models.em_objective import class_prior_density
from suffice.models.temper import choose_temper, log_loss
from suffice.telling import tell
from suffice.typing import Array, Integers

__all__ = ["Rows", "alpha_by_rows", "copy_of", "joint_of", "loss_of", "prior_of", "reporter", "tell_of_end"]

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
    """What EM learns from in memory: a model, rows with codes, and parts of rows without, each with its weights.

    Where they are only some of all rows, `like` is a model that has counted all, and knows what rows are like.
    """

    def __init__(
        self,
        model: Any,
        classes: Any,
        known: Any,
        codes: Integers,
        weights: Array,
        free: list[tuple[Any, Array]],
        like: Any = None,
    ) -> None:
        self.model, self.classes, self._codes, self._weights, self._like = model, classes, codes, weights, like
        parts = [*([] if known is None else [known]), *(part for part, _ in free)]
        read = model._begin(parts, classes) if like is None else _begun_like(model, like, parts, classes)
        self._known: Any = None if known is None else read[0]
        self._pinned = None if known is None else model._count_shares(self._known, np.eye(len(classes))[codes], weights)
        ends = np.cumsum([0, *(len(weight) for _, weight in free)])
        places = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self._parts = list(zip(read if known is None else read[1:], places, strict=True))
        self._given = np.concatenate([np.zeros(0), *(weight for _, weight in free)])
        self.shared = self._given  # weights of rows without a label
        self.shares = np.zeros((0, len(classes)))  # of these rows, by the model that was judged last

    def weigh(self, share: float) -> None:
        """Rows without labels count for so much of their weight from now on."""
        self.shared = share * self._given  # EM-2

    def forget_shares(self) -> None:
        """Back to what the labelled rows alone say."""
        self.model._take_statistics(self.classes, self._pinned)

    def learn(self, shares: Array | None = None) -> None:
        """Labelled rows as they are, and the others by shares: given ones, or those of the last judgement."""
        shares, total = self.shares if shares is None else shares, self._pinned
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

    def whole(self) -> dict[str, Any]:
        """Statistics of all rows without labels as one class; of those elsewhere too, where these are some of them."""
        if self._like is not None:
            everywhere, first = clone(self.model), np.zeros(len(self._like.classes_), np.int64)
            return dict(everywhere._begin_with(self._like, first, np.arange(1)))
        total: Any = None
        for rows, place in self._parts:
            more = self.model._count_shares(rows, np.ones((len(self.shared[place]), 1)), self.shared[place])
            total = more if total is None else {name: total[name] + more[name] for name in more}
        return dict(total)

    def points(self) -> Array | None:
        """Rows without labels as points; None where they are none."""
        parts = [self.model._points(rows) for rows, _ in self._parts]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    def scores(self) -> Array:
        """ln p(x | c) of rows without labels."""
        return np.concatenate([self.model._scores_of(rows) for rows, _ in self._parts])

    def judge(self) -> float:
        """What labelled rows, the prior, and rows without labels come to; these get their shares."""
        weights, rest = self.shared, prior_of(self.model)
        if self._known is not None:
            own = joint_of(self.model, self._known)[np.arange(len(self._codes)), self._codes]
            rest += float(self._weights[self._weights > 0] @ own[self._weights > 0])
        free = [joint_of(self.model, rows) for rows, _ in self._parts]
        joint = np.concatenate([np.zeros((0, len(self.classes))), *free])
        self.shares, logs = share_out(joint, self.model._log_prior())
        return rest + float(weights[weights > 0] @ logs[weights > 0])  # EM-1

    def entropy(self) -> float:
        """How unsure the shares are, all rows together."""
        return entropy(self.shares, self.shared)

    @property
    def unlabelled(self) -> float:
        """What rows without labels weigh together."""
        return float(self.shared.sum())

    @property
    def weight(self) -> float:
        """What all rows weigh together."""
        return float(self._weights.sum()) + self.unlabelled


def _begun_like(model: Any, like: Any, parts: list[Any], classes: Any) -> list[Any]:
    model._begin_with(like, np.full(len(like.classes_), -1), classes)
    return [model._shared_rows(part) for part in parts]


def joint_of(model: Any, rows: Any) -> Array:
    """ln p(x, c) of rows as the model has read them."""
    prior = model._log_prior()
    scores: Array = model._scores_of(rows) + prior
    scores[:, np.isneginf(prior)] = -np.inf
    return scores


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
        tell(
            f"{name} needs more than max_iter={max_iter} steps to settle. Increase max_iter or tol.",
            ConvergenceWarning,
        )
