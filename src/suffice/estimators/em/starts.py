"""Where EM can start without a label: guesses of which rows belong together."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from suffice.models.expectation import share_out
from suffice.models.model import Model
from suffice.models.shared_rows import SharedRows
from suffice.typing import Array

__all__ = ["first_shares", "near_shares", "random_shares", "seeded_shares"]


def first_shares(rows: SharedRows, model: Model, rng: np.random.RandomState, start: int) -> Array:
    """Return the guess of each start: for points k-means, in units of columns or as they are; else by seeds or by lot.

    Units of columns say the same of rows whatever these were measured in; rows as they are may know better.
    """
    points = rows.points()
    if points is not None:
        return near_shares(rows, points, rng, alike=start % 2 == 0)
    return random_shares(rows, rng) if start % 2 else seeded_shares(rows, model, rng)


def near_shares(rows: SharedRows, points: Array, rng: np.random.RandomState, alike: bool) -> Array:
    """Return clusters of points that lie near each other, with columns of one spread if they are to be alike."""
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
    """Return every row in a class by lot."""
    return np.eye(rows.classes)[rng.randint(rows.classes, size=len(rows.shared))]


def seeded_shares(rows: SharedRows, model: Model, rng: np.random.RandomState) -> Array:
    """Return shares in classes of one row each, and of an average row, so that each is possible.

    Seeds are drawn one by one, the likelier the worse those before them explain a row beside the average row alone.
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
