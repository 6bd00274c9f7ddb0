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
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from suffice.errors import ImproperPrior, InputError, KindError
from suffice.estimators.em.base import EMSetup
from suffice.models.class_prior import ClassPrior
from suffice.models.expectation import (
    EMRows,
    Expectation,
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
from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.model import Model, Name
from suffice.models.predictor import Predictor
from suffice.models.views import Views
from suffice.readers.labels import is_missing
from suffice.telling import tell
from suffice.typing import Array, DataLike, Integers, LabelArray

if TYPE_CHECKING:
    from suffice.estimators.em.mixture import Mixture

SMOOTH = 0.001
"""Nats per row: EM of the model with fewer parameters stops after a step that gains less."""

Likelihoods = dict[Name, Likelihood]

Everywhere = Callable[[LabelArray], EMRows]
"""Returns the source of all rows, of which a sample is local, for the given classes."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters, and the history of their fit."""

    source: EMRows  # the rows that they were fitted to
    model: Model
    expectation: Expectation  # of the model
    histories: list[History]  # one per stage
    evidence: float | None  # None where a prior is improper, or a likelihood has no evidence
    shares: Array | None = None  # of the local rows
    coinciding: Sequence[tuple[int, int]] = ()  # pairs of clusters that rows do not distinguish

    @property
    def height(self) -> float:
        """The score of a start: its evidence, or its objective if it has no evidence."""
        height = self.histories[-1].objective[-1] if self.evidence is None else self.evidence
        return -np.inf if np.isnan(height) else height

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
        density = log_prior_density(Predictor(self.model, self.source.prior))
        return bic(self.model, self.histories[-1].objective[-1] - density, self.source.weight)


@dataclass(frozen=True, eq=False)
class Search:
    """A search for clusters in local rows.

    Local rows may be a sample. Then they choose the best start, and EM continues over all rows of `everywhere`.
    """

    setup: EMSetup
    parts: Sequence[Weighed]
    mixture: Mixture  # says how many starts and steps there are
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
            clusters = tried[k] = self.best(k)
            if criterion == "evidence" and clusters.evidence is None:
                evidence_of_clusters(Predictor(clusters.model, self.setup.prior), 0.0)  # raises and says why
            judged[k] = float(clusters.evidence or 0.0) if criterion == "evidence" else clusters.bic
        pick = min if criterion == "bic" else max
        return tried[pick(judged, key=lambda k: judged[k])], judged

    def best(self, k: int) -> Clusters:
        """Return k clusters: EM from several starts, continued from the best."""
        if self.n < k:
            raise InputError("Mixture.n_components", f"be at most the number of rows, {self.n}").but(f"got {k}")
        rows = SharedRows.of(self.setup.empty(np.arange(k), Views()), self.setup.prior, tuple(self.parts))
        total = rows.as_one_class() if self.everywhere is None else self.setup.as_one_class()
        weak = dict(rows.base.likelihoods)  # with a weak prior from all rows in place of one that is learned
        for name, likelihood in rows.base.likelihoods.items():
            if likelihood.learns_prior:
                t = total.blocks[name].t
                weak[name] = likelihood.weak(t, float(np.sum(getattr(t, "n", total.n))), k)
        coarse: Likelihoods = {}  # with fewer parameters, which smooth a start
        if k > 1 and self.first is None:
            fewer = {
                name: likelihood.coarse(total.blocks[name].t, k) if isinstance(likelihood, Discriminant) else None
                for name, likelihood in weak.items()
            }
            coarse = {name: likelihood for name, likelihood in fewer.items() if likelihood is not None}
        starts = range(self.mixture.n_init if k > 1 and self.first is None else 1)
        best = max((self._start(rows, number, weak, coarse) for number in starts), key=lambda start: start.height)
        if self.everywhere is not None:
            best = self._climb(self.everywhere(rows.base.classes), best.model, f"{k} components, all rows, ")
        if any(likelihood.learns_prior for likelihood in rows.base.likelihoods.values()):
            best = self._with_learned_prior(best, rows.base.likelihoods, weak)
        shares = best.expectation.shares if self.everywhere is None else rows.expect(best.model).shares
        assert shares is not None
        return replace(best, shares=shares, coinciding=coinciding(shares, rows.shared))

    def _start(self, rows: SharedRows, number: int, weak: Likelihoods, coarse: Likelihoods) -> Clusters:
        """Return EM's result from a start, smoothed by likelihoods with fewer parameters, if there are any."""
        first = self.first
        if first is None:
            first = first_shares(rows, rows.base.with_likelihoods(weak), self.rng, number)
        model = rows.learned(rows.counts(first), weak)  # EM-3
        if coarse:
            slight = max(SMOOTH, self.mixture.tol)
            model = climb(rows, model.with_likelihoods(coarse), self.mixture.max_iter, slight).model
        what = f"{rows.classes} components, start {number + 1}, "
        return self._climb(rows, model.with_likelihoods(weak), what)

    def _with_learned_prior(self, clusters: Clusters, own: Likelihoods, weak: Likelihoods) -> Clusters:
        """Run EM with the prior learned from clusters, then learn the prior again and evaluate the objective."""
        learns = [name for name, likelihood in own.items() if likelihood.learns_prior]
        blocks, source = clusters.model.with_likelihoods(own).blocks, clusters.source
        prior = {name: blocks[name].settled for name in learns}
        what = f"{len(clusters.model.classes)} components, prior learned, "
        later = self._climb(source, clusters.model.with_likelihoods({**own, **prior}), what)
        model, evidence = later.model.with_likelihoods(own), clusters.evidence
        expectation = source.expect(model)
        if isinstance(self.mixture.n_components, str):  # numbers of clusters are compared under priors of their own
            blocks = model.blocks
            judging = {
                name: law.judging(blocks[name].t, weak[name])
                if isinstance(law := blocks[name].likelihood, Discriminant)
                else blocks[name].settled
                for name in learns
            }
            evidence = _evidence(model.with_likelihoods(judging), source.prior, expectation)
        end = History([expectation.objective], True, [np.nan])
        return Clusters(source, model, expectation, [*clusters.histories, *later.histories, end], evidence)

    def _climb(self, source: EMRows, model: Model, what: str) -> Clusters:
        limits = self.mixture
        report = reporter("Mixture", limits.verbose, source.weight, what)
        climbed = climb(source, model, limits.max_iter, limits.tol, report, limits.record_bound)
        evidence = _evidence(climbed.model, source.prior, climbed.expectation)
        return Clusters(source, climbed.model, climbed.expectation, [climbed.history], evidence)


def _evidence(model: Model, prior: ClassPrior, expectation: Expectation) -> float | None:
    """Return the evidence of clusters; None if a prior is improper or a likelihood has no evidence."""
    try:
        return evidence_of_clusters(Predictor(model, prior), expectation.entropy())
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
            f"{name} did not converge in max_iter={max_iter} steps.",
            ConvergenceWarning,
            python="Increase max_iter or tol.",
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


def given_shares(
    init: Start, X: DataLike, seen: Integers, n: int, k: int | str, setup: EMSetup, parts: Sequence[Weighed]
) -> Array:
    """Return the user's starting shares of the rows of positive weight; raise InputError if they are invalid.

    X has `n` rows; those numbered in `seen` are in `parts`.
    """
    if isinstance(k, str):
        raise InputError("init", "come with a number as n_components").but(f"got n_components={k!r}")
    predicts = hasattr(init, "predict_proba")
    try:
        given = np.asarray(init.predict_proba(X) if hasattr(init, "predict_proba") else init)
    except ValueError:
        if predicts:
            raise
        raise InputError("init", "have rows of one length").but("got rows of several") from None
    means = given.ndim == 2 and len(given) == k != n and not predicts
    if given.ndim == 1 and not predicts:
        given = _shares_of_labels(given, n, k)
    points = None
    if means:
        points = SharedRows.of(setup.empty(np.arange(k), Views()), setup.prior, tuple(parts)).points()
        if points is None:
            raise InputError(
                "The argument 'init' can give means for Gaussian classifiers only, such as GaussianDiscriminant "
                f"or GaussianNB; got {k} rows for {type(setup.estimator).__name__}."
            ).advise("Pass shares, or a cluster per row.")
    nearest = points is not None and given.shape[1] == points.shape[1]
    if not nearest and given.shape != (n, k):
        raise InputError(
            "init",
            f"have a row for each of the {n:,} rows and a column for each of the n_components={k} clusters, or be "
            f"the mean of each cluster: {k} rows",
        ).but(f"got the shape {given.shape}")
    numbers = given.astype(np.float64) if given.dtype.kind in "biuf" else np.full(1, np.nan)
    if not np.isfinite(numbers).all():
        raise InputError("init", "hold finite numbers").but("got others")
    if nearest:
        assert points is not None
        shares = np.eye(k)[np.square(points[:, None, :] - numbers[None]).sum(axis=2).argmin(axis=1)]
    else:
        shares = numbers[seen]
        total = shares.sum(axis=1)
        wrong = np.flatnonzero((shares < 0).any(axis=1) | ~np.isclose(total, 1.0, rtol=0.0, atol=1e-6))
        if len(wrong):
            raise InputError("init", "have shares from 0 on that add up to one in each row").but(
                f"got {shares[wrong[0]].tolist()} in row {int(seen[wrong[0]])}"
            )
        shares = np.minimum(shares / total[:, None], 1.0)
    empty = np.flatnonzero(shares.sum(axis=0) == 0)
    if len(empty):
        raise InputError("init", "give every cluster a share of some row").but(f"cluster {int(empty[0])} has none")
    return np.asarray(shares)


def _shares_of_labels(labels: LabelArray, n: int, k: int) -> Array:
    if len(labels) != n:
        raise InputError("init", f"have a cluster for each of the {n:,} rows").but(f"got {len(labels):,}")
    if any(is_missing(label) for label in labels.tolist()):
        raise InputError("init", "have a cluster for every row").advise(
            python="Use SemiSupervised where some are known."
        )
    clusters, codes = np.unique(labels, return_inverse=True)
    if len(clusters) != k:
        raise InputError("init", f"name n_components={k} clusters").but(f"got {len(clusters)} different ones")
    return np.asarray(np.eye(k)[codes])


def first_shares(rows: SharedRows, model: Model, rng: np.random.RandomState, start: int) -> Array:
    """Return the starting shares of a restart: k-means for points, otherwise seed rows or random classes in turn.

    K-means alternates between columns scaled to equal spread, which ignores their units, and columns as they are.
    """
    points, weights, k, alike = rows.points(), rows.shared, rows.classes, start % 2 == 0
    if points is None:
        return _seeded_shares(rows, model, rng) if alike else np.eye(k)[rng.randint(k, size=len(weights))]
    largest = np.abs(points).max(axis=0 if alike else None, initial=0.0)
    points = points / np.where(largest > 0, largest, 1.0)  # squares will not overflow
    points = points - np.average(points, axis=0, weights=weights)
    if alike:
        spread = np.sqrt(np.average(points**2, axis=0, weights=weights))
        points = np.divide(points, spread, out=np.zeros_like(points), where=spread > 1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than clusters
        clusters = KMeans(k, n_init=1, random_state=rng).fit(points, sample_weight=weights)
    return np.asarray(np.eye(k)[clusters.labels_])


def _seeded_shares(rows: SharedRows, model: Model, rng: np.random.RandomState) -> Array:
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
