"""Scores that are linear where a covariance is shared; and few coordinates that tell classes apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import InputError
from suffice.models.scoring.ellipses import Ellipses, centre_of, roots_of
from suffice.posterior import NormalInverseGamma, NormalInverseWishart
from suffice.typing import Array

__all__ = ["Coordinates", "coordinates", "decisions", "plane"]


@dataclass(frozen=True)
class Coordinates:
    """(x − centre)·axes, and the share of each axis in what tells classes apart."""

    centre: Array
    axes: Array
    shares: Array


def decisions(joint: Array) -> Array:
    """Return scores as scikit-learn's users expect them: of two classes, the log-odds of the second."""
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint


def plane(known: Ellipses, log_prior: Array) -> tuple[Array, Array]:
    """Weights and offsets of joint log-probabilities, up to what all classes have in common."""
    by = float(known.law.divisor(known.nu[0]))
    precision = known.root[0] @ known.root[0].T * by
    weights = known.mean @ precision
    return weights, log_prior - 0.5 * np.einsum("ij,ij->i", known.mean, weights)


def coordinates(t: Any, prior: Any, share: Array, most: int | None) -> Coordinates:
    """Axes of the means in units of the covariance within classes, all of them together; the longest first."""
    widest = min(t.mean.shape[1], max(int((t.n[:, 0] > 0).sum()) - 1, 0))
    if most is not None and not 1 <= most <= widest:
        raise InputError(
            f"n_components cannot be larger than min(n_features, n_classes - 1) = {widest}, nor below 1; got {most}."
        )
    root = roots_of(within(t, prior)[None])[0][0]
    centre = centre_of(t.mean, share)
    _, length, turn = np.linalg.svd(np.sqrt(share)[:, None] * ((t.mean - centre) @ root), full_matrices=False)
    kept = slice(widest if most is None else most)
    total = float(np.square(length[:widest]).sum())
    return Coordinates(centre, root @ turn[kept].T, np.square(length[kept]) / (total if total > 0 else 1.0))


def within(t: Any, prior: Any) -> Array:
    """Covariance within classes: of their rows, and of what a prior adds to each column."""
    n, d = float(t.n[:, 0].sum()), t.mean.shape[1]
    scatter = t.scatter.sum(axis=0)
    scatter = scatter if scatter.ndim == 2 else np.diag(scatter)
    if isinstance(prior, NormalInverseWishart):
        scale = prior.scale if prior.scale.ndim == 2 else prior.scale.mean(axis=0)
        return np.asarray((scatter + scale) / (n + float(np.mean(prior.nu)) + d + 2))
    if isinstance(prior, NormalInverseGamma):
        return np.asarray((scatter + np.diag(np.broadcast_to(2 * np.asarray(prior.b), d))) / (n + 2 * np.mean(prior.a)))
    return np.asarray(scatter / n)
