"""Choose the start of EM where no row has a label: shares that the user gives, or guessed clusters."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from suffice.errors import InputError
from suffice.estimators.em.reading import Begun
from suffice.models.expectation import share_out
from suffice.models.model import Model
from suffice.models.shared_rows import SharedRows, Weighed
from suffice.models.views import Views
from suffice.readers.labels import is_missing
from suffice.stats.word_counts import read_weights
from suffice.typing import Array, DataLike, Integers, LabelArray, WeightsLike

__all__ = [
    "Start", "first_shares", "given_shares", "near_shares", "random_shares", "seeded_shares",
    "weights_of_rows",
]  # fmt: skip


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
    init: Start, X: DataLike, seen: Integers, n: int, k: int | str, begun: Begun, parts: Sequence[Weighed]
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
        points = SharedRows(begun.empty(np.arange(k), Views()), begun.prior, tuple(parts)).points()
        if points is None:
            raise InputError(
                "The argument 'init' can give means for Gaussian classifiers only, such as GaussianDiscriminant or "
                f"GaussianNB; got {k} rows for {type(begun.estimator).__name__}. Pass shares, or a cluster per row."
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
