"""Where EM can start without a label: guesses of which rows belong together."""

from __future__ import annotations

import numpy as np

from suffice.estimators.em import Rows
from suffice.models.em import share_out
from suffice.typing import Array

__all__ = ["random_shares", "seeded_shares"]


def random_shares(rows: Rows, rng: np.random.RandomState) -> Array:
    """Every row in a class by lot."""
    return np.eye(len(rows.classes))[rng.randint(len(rows.classes), size=len(rows.shared))]


def seeded_shares(rows: Rows, rng: np.random.RandomState) -> Array:
    """Classes of one row each, and of an average row, so that each is possible; rows go to where they are likeliest.

    Seeds are drawn one by one, the likelier the worse those before them explain a row beside the average row alone.
    """
    weights, k = rows.shared, len(rows.classes)
    chance = np.where(weights > 0, weights, 0.0)
    seeds = np.zeros((len(weights), k))
    for c in range(k):
        seeds[rng.choice(len(weights), p=chance / chance.sum()), c] = 1.0
        rows.guess(seeds)
        scores = rows.scores()
        if c + 1 < k:
            loss = scores[:, c + 1] - scores[:, : c + 1].max(axis=1)  # class c + 1 has no seed yet
            gap = weights * (loss - loss.min())
            chance = gap if np.isfinite(gap).all() and gap.sum() > 0 else weights
    return share_out(scores, np.full(k, -np.log(k)))[0]
