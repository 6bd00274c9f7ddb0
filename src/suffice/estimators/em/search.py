"""Search for clusters: from several starts, and for several numbers of clusters if the number is not given.

A search has stages, each with a fixed prior:

1. EM runs from every start, smoothed first by a model with fewer parameters if there is one. In place of a prior that
   is learned from clusters stands a weak prior from all rows (WP). The start with the highest evidence is kept.
2. The prior is learned from its clusters, and EM continues with it.
3. The prior is learned once more, so that the model agrees with its counts.

With a given prior, or maximum likelihood, only the first stage runs. A start is shares of the rows in the clusters,
given by the user or guessed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.estimators.em.base import EMSetup
from suffice.models.class_prior import ClassPrior
from suffice.models.expectation import (
    Climbed,
    EMRows,
    History,
    Report,
    SharedRows,
    Weighed,
    bic,
    climb,
    coinciding,
    evidence_of_clusters,
    log_prior_density,
    share_out,
)
from suffice.models.likelihoods.base import Likelihood
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.views import Views
from suffice.readers.labels import is_missing
from suffice.stats.word_counts import read_weights
from suffice.telling import tell
from suffice.typing import Array, DataLike, Integers, LabelArray, WeightsLike

SMOOTH = 0.001
"""Nats per row: EM of the model with fewer parameters stops after a step that gains less."""

Likelihoods = dict[Name, Likelihood]

Everywhere = Callable[[LabelArray], EMRows]
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
    def history(self) -> History:
        """The history of all stages together, though stages have different objectives."""
        objective = [value for history in self.histories for value in history.objective]
        bound = [value for history in self.histories for value in history.bound]
        return History(objective, all(history.converged for history in self.histories), bound)

    @property
    def stages(self) -> list[int]:
        """The index in the objective at which each stage begins."""
        return [0, *accumulate(len(history.objective) for history in self.histories[:-1])]

    @property
    def bic(self) -> float:
        """The Bayesian information criterion."""
        likelihood = self.histories[-1].objective[-1] - log_prior_density(Predictor(self.model, self.prior))
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

    setup: EMSetup
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
        rows = SharedRows.of(self.setup.empty(np.arange(k), Views()), self.setup.prior, tuple(self.parts))
        total = rows.as_one_class() if self.everywhere is None else self.setup.as_one_class()
        weak = {name: _weak(one, total, name, k) for name, one in rows.base.likelihoods.items()}
        coarse = _coarse(weak, total, k) if self.first is None else None
        starts = range(self.limits.n_init if k > 1 and self.first is None else 1)
        started = max((self._climbed(rows, number, weak, coarse) for number in starts), key=lambda one: one.height)
        if self.everywhere is None:
            return self._settled(rows, rows, started, weak)
        source = self.everywhere(rows.base.classes)
        climbed = self._climb(source, started.climbed.model, f"{k} components, all rows, ")
        return self._settled(rows, source, Started(climbed, _evidence(climbed, rows.prior)), weak)

    def _settled(self, rows: SharedRows, source: EMRows, started: Started, weak: Likelihoods) -> Clusters:
        """Run the stages that learn the prior from clusters, if it is learned."""
        climbed, evidence, own = started.climbed, started.evidence, rows.base.likelihoods
        histories = [climbed.history]
        if any(likelihood.learns_prior for likelihood in own.values()):
            what = f"{rows.classes} components, prior learned, "
            climbed, more = self._learn_prior(source, climbed.model, own, what)
            histories += more
            if self.limits.compares:
                evidence = _evidence(climbed, rows.prior, _judging(climbed.model, weak))
        shares = climbed.expectation.shares
        if shares is None:  # those of the sample
            shares = rows.expect(climbed.model).shares
        assert shares is not None
        same = coinciding(shares, rows.shared)
        return Clusters(climbed.model, rows.prior, histories, shares, source.weight, evidence, same)

    def _climbed(self, rows: SharedRows, number: int, weak: Likelihoods, coarse: Likelihoods | None) -> Started:
        k = rows.classes
        first = self.first
        if first is None:
            first = first_shares(rows, rows.base.with_likelihoods(weak), self.rng, number)
        model = rows.learned(rows.counts(first), weak)  # EM-3
        if coarse is not None and k > 1:
            smooth = max(SMOOTH, self.limits.tol)
            model = climb(rows, model.with_likelihoods(coarse), self.limits.max_iter, smooth).model.with_likelihoods(
                weak
            )
        climbed = self._climb(rows, model, f"{k} components, start {number + 1}, ")
        return Started(climbed, _evidence(climbed, rows.prior))

    def _learn_prior(self, source: EMRows, model: Model, own: Likelihoods, what: str) -> tuple[Climbed, list[History]]:
        """Run EM with the prior learned from clusters, then learn the prior again and evaluate the objective."""
        blocks = model.with_likelihoods(own).blocks
        found = {name: block.settled for name, block in blocks.items() if block.likelihood.learns_prior}
        climbed = self._climb(source, model.with_likelihoods({**own, **found}), what)
        last = climbed.model.with_likelihoods(own)
        expectation = source.expect(last)
        end = History([expectation.objective], True, [np.nan])
        return Climbed(last, expectation, end), [climbed.history, end]

    def _climb(self, source: EMRows, model: Model, what: str) -> Climbed:
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
    found = {name: one.coarse(total.blocks[name].t, k) for name, one in likelihoods.items()}
    if all(one is None for one in found.values()):
        return None
    return {name: one or likelihoods[name] for name, one in found.items()}


def _judging(model: Model, weak: Likelihoods) -> Model:
    """Return the model with the priors that compare numbers of clusters."""
    learned = {name: block for name, block in model.blocks.items() if block.likelihood.learns_prior}
    return model.with_likelihoods({name: one.likelihood.judging(one.t, weak[name]) for name, one in learned.items()})


def _evidence(climbed: Climbed, prior: ClassPrior, model: Model | None = None) -> float | None:
    """Return the evidence of clusters; None if a prior is improper or a likelihood has no evidence."""
    try:
        return evidence_of_clusters(Predictor(model or climbed.model, prior), climbed.expectation.entropy())
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
    tell_of_end("Mixture", found.history.converged, max_iter)
    if found.coinciding:
        pairs = ", ".join(f"{a} and {b}" for a, b in found.coinciding[:3])
        more = ", …" if len(found.coinciding) > 3 else ""
        tell(
            f"Mixture found clusters that coincide ({pairs}{more}): the rows do not distinguish them. Use fewer "
            "components, or another prior of the estimator.",
            ConvergenceWarning,
        )


# starts ---------------------------------------------------------------------------------------------------------------


class Guesses(Protocol):
    """Anything that predicts the shares of rows, such as a fitted classifier."""

    def predict_proba(self, X: DataLike, /) -> ArrayLike:
        """Return the share of each row in every class."""


Start: TypeAlias = ArrayLike | Guesses
"""Shares of rows, the cluster of each row, the mean of each cluster, or a classifier that predicts shares."""


def weights_of_rows(given: WeightsLike, n: int) -> Array:
    """Return the weights of n rows; raise InputError if all are zero."""
    weights = read_weights(given, n)
    weights = np.ones(n) if weights is None else weights
    if not weights.any():
        raise InputError("The argument 'sample_weight' must give at least one row a weight above 0; got only zeros.")
    return weights


def given_shares(
    init: Start, X: DataLike, seen: Integers, n: int, k: int | str, setup: EMSetup, parts: Sequence[Weighed]
) -> Array:
    """Return the user's starting shares of the rows of positive weight; raise InputError if they are invalid.

    X has `n` rows; those numbered in `seen` are in `parts`.
    """
    if isinstance(k, str):
        raise InputError(f"The argument 'init' must come with a number as n_components; got n_components={k!r}.")
    if hasattr(init, "predict_proba"):
        return _checked_shares(np.asarray(init.predict_proba(X)), seen, n, k)
    try:
        given = np.asarray(init)
    except ValueError:
        raise InputError("The argument 'init' must have rows of one length; got rows of several.") from None
    if given.ndim == 1:
        return _checked_shares(_as_shares(given, n, k), seen, n, k)
    if given.ndim == 2 and len(given) == k != n:
        points = SharedRows.of(setup.empty(np.arange(k), Views()), setup.prior, tuple(parts)).points()
        if points is None:
            raise InputError(
                "The argument 'init' can give means for Gaussian classifiers only, such as GaussianDiscriminant or "
                f"GaussianNB; got {k} rows for {type(setup.estimator).__name__}. Pass shares, or a cluster per row."
            )
        if given.shape[1] == points.shape[1]:
            return _with_rows(_nearest(_numbers(given), points))
    return _checked_shares(given, seen, n, k)


def _as_shares(labels: LabelArray, n: int, k: int) -> Array:
    if len(labels) != n:
        raise InputError(f"The argument 'init' must have a cluster for each of the {n:,} rows; got {len(labels):,}.")
    if any(is_missing(label) for label in labels.tolist()):
        raise InputError(
            "The argument 'init' must have a cluster for every row. Use SemiSupervised where some are known."
        )
    found, codes = np.unique(labels, return_inverse=True)
    if len(found) != k:
        raise InputError(f"The argument 'init' must name n_components={k} clusters; got {len(found)} different ones.")
    return np.asarray(np.eye(k)[codes])


def _numbers(given: Array) -> Array:
    numbers = given.astype(np.float64) if given.dtype.kind in "biuf" else np.full(1, np.nan)
    if not np.isfinite(numbers).all():
        raise InputError("The argument 'init' must hold finite numbers; got others.")
    return numbers


def _checked_shares(given: Array, seen: Integers, n: int, k: int) -> Array:
    if given.shape != (n, k):
        raise InputError(
            f"The argument 'init' must have a row for each of the {n:,} rows and a column for each of the "
            f"n_components={k} clusters, or be the mean of each cluster: {k} rows; got the shape {given.shape}."
        )
    shares = _numbers(given)[seen]
    total = shares.sum(axis=1)
    wrong = np.flatnonzero((shares < 0).any(axis=1) | ~np.isclose(total, 1.0, rtol=0.0, atol=1e-6))
    if len(wrong):
        row = shares[wrong[0]].tolist()
        raise InputError(
            "The argument 'init' must have shares from 0 on that add up to one in each row; "
            f"got {row} in row {int(seen[wrong[0]])}."
        )
    return _with_rows(np.minimum(shares / total[:, None], 1.0))


def _with_rows(shares: Array) -> Array:
    empty = np.flatnonzero(shares.sum(axis=0) == 0)
    if len(empty):
        raise InputError(
            f"The argument 'init' must give every cluster a share of some row; cluster {int(empty[0])} has none."
        )
    return shares


def _nearest(means: Array, points: Array) -> Array:
    away = np.square(points[:, None, :] - means[None]).sum(axis=2)
    return np.asarray(np.eye(len(means))[away.argmin(axis=1)])


def first_shares(rows: SharedRows, model: Model, rng: np.random.RandomState, start: int) -> Array:
    """Return the starting shares of a restart: k-means for points, otherwise seed rows or random classes in turn.

    K-means alternates between columns scaled to equal spread, which ignores their units, and columns as they are.
    """
    points = rows.points()
    if points is not None:
        return near_shares(rows, points, rng, alike=start % 2 == 0)
    return random_shares(rows, rng) if start % 2 else seeded_shares(rows, model, rng)


def near_shares(rows: SharedRows, points: Array, rng: np.random.RandomState, alike: bool) -> Array:
    """Return clusters of nearby points by k-means, with columns scaled to equal spread if asked."""
    largest = np.abs(points).max(axis=0 if alike else None, initial=0.0)
    points = points / np.where(largest > 0, largest, 1.0)  # squares will not overflow
    points = points - np.average(points, axis=0, weights=rows.shared)
    if alike:
        spread = np.sqrt(np.average(points**2, axis=0, weights=rows.shared))
        points = np.divide(points, spread, out=np.zeros_like(points), where=spread > 1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than clusters
        found = KMeans(rows.classes, n_init=1, random_state=rng).fit(points, sample_weight=rows.shared)
    return np.asarray(np.eye(rows.classes)[found.labels_])


def random_shares(rows: SharedRows, rng: np.random.RandomState) -> Array:
    """Return shares with every row in one random class."""
    return np.eye(rows.classes)[rng.randint(rows.classes, size=len(rows.shared))]


def seeded_shares(rows: SharedRows, model: Model, rng: np.random.RandomState) -> Array:
    """Return shares in classes made of one seed row each and an average row, so that every row is possible.

    Seeds are drawn one by one. A row is the more probable as a seed, the worse the earlier seeds explain it compared
    with the average row alone.
    """
    weights, k = rows.shared, rows.classes
    chance = np.where(weights > 0, weights, 0.0)
    seeds = np.zeros((len(weights), k))
    for c in range(k):
        seeds[rng.choice(len(weights), p=chance / chance.sum()), c] = 1.0
        scores = rows.scores(rows.with_seeds(seeds, model.likelihoods))
        if c + 1 < k:
            loss = scores[:, c + 1] - scores[:, : c + 1].max(axis=1)  # class c + 1 has no seed yet
            gap = weights * (loss - loss.min())
            chance = gap if np.isfinite(gap).all() and gap.sum() > 0 else weights
    return share_out(scores, np.full(k, -np.log(k)))[0]
