"""Helpers of discriminants: linear scores, discriminant coordinates, and covariances that are estimated from rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.covariance import ledoit_wolf
from sklearn.preprocessing import StandardScaler

from suffice.errors import DataError, InputError
from suffice.estimators.shell.parameters import ClassPriorLike, Interval, StrOptions
from suffice.models.class_prior import ClassPrior
from suffice.models.scoring.ellipses import Ellipses, centre_of, roots_of
from suffice.posterior import Dirichlet, NormalInverseGamma, NormalInverseWishart
from suffice.readers.labels import Examples
from suffice.stats.moments import DiagonalMoments, FullMoments
from suffice.typing import Array

__all__ = [
    "AT_ONCE", "NOT_COMBINED", "SHRINKAGE", "Coordinates", "EstimatesCovariance", "Shrinkage", "check_combination",
    "check_given", "coordinates", "covariances_of_rows", "decisions", "fixed_shrinkage", "given_priors",
    "needs_rows", "plane", "refuse_parts",
]  # fmt: skip


@dataclass(frozen=True)
class Coordinates:
    """Discriminant coordinates (x − centre)·axes, and each axis's share of the variance between classes."""

    centre: Array
    axes: Array
    shares: Array


def decisions(joint: Array) -> Array:
    """Return scores in scikit-learn's form: for two classes, the log-odds of the second."""
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint


def plane(known: Ellipses, log_prior: Array, power: float) -> tuple[Array, Array]:
    """Return weights and offsets of linear scores: one per class, or those of the log-odds for two classes.

    Scores are exact up to a constant. Likelihoods are raised to `power`, the class prior is not.
    """
    by = float(known.law.divisor(known.nu[0])) * power
    precision = known.root[0] @ known.root[0].T * by
    weights = known.mean @ precision
    offsets = log_prior - 0.5 * np.einsum("ij,ij->i", known.mean, weights)  # GD-5
    if len(log_prior) == 2:
        return weights[1:] - weights[:1], offsets[1:] - offsets[:1]
    return weights, offsets


def coordinates(t: FullMoments | DiagonalMoments, prior: object, share: Array, most: int | None) -> Coordinates:
    """Return the principal axes of the class means, in units of the covariance within classes."""
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


def within(t: FullMoments | DiagonalMoments, prior: object) -> Array:
    """Return the covariance within classes, from their rows and the scale of the prior."""
    n, d = float(t.n[:, 0].sum()), t.mean.shape[1]
    scatter = t.scatter.sum(axis=0)
    scatter = scatter if scatter.ndim == 2 else np.diag(scatter)
    if isinstance(prior, NormalInverseWishart):
        scale = prior.scale if prior.scale.ndim == 2 else prior.scale.mean(axis=0)
        return np.asarray((scatter + scale) / (n + float(np.mean(prior.nu)) + d + 2))
    if isinstance(prior, NormalInverseGamma):
        return np.asarray((scatter + np.diag(np.broadcast_to(2 * np.asarray(prior.b), d))) / (n + 2 * np.mean(prior.a)))
    return np.asarray(scatter / n)


SHRINKAGE: list[object] = [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None]

Shrinkage: TypeAlias = float | Literal["auto"] | None
"""The weight of the identity in a covariance; "auto" is that of Ledoit and Wolf."""


class EstimatesCovariance(Protocol):
    """An estimator of covariances, as in scikit-learn; it has a `covariance_` once fitted."""

    def fit(self, X: Array, /) -> object:
        """Estimate the covariance of rows."""


class Analysing(Protocol):
    """A discriminant analysis with scikit-learn's parameters."""

    solver: str
    shrinkage: Shrinkage
    covariance_estimator: EstimatesCovariance | None


AT_ONCE = "A covariance_estimator, or shrinkage='auto', needs all rows at once: call fit, not partial_fit or forget."
NOT_COMBINED = (
    "Models with a covariance_estimator, or shrinkage='auto', cannot be combined: fit one model to the rows of both."
)


def needs_rows(estimator: Analysing) -> bool:
    """Return whether covariances need the rows, because moments do not suffice."""
    return estimator.covariance_estimator is not None or estimator.shrinkage == "auto"


def refuse_parts(estimator: Analysing, message: str) -> None:
    """Raise InputError if covariances need all rows, so that parts of them do not add up."""
    if needs_rows(estimator):
        raise InputError(message)


def fixed_shrinkage(estimator: Analysing) -> float:
    """Return `shrinkage` if it is a number; 0 otherwise."""
    given: object = estimator.shrinkage
    return float(given) if isinstance(given, Real) else 0.0


def check_combination(estimator: Analysing, no_estimator: str) -> None:
    """Raise the error of scikit-learn for parameters that contradict each other."""
    given = estimator.covariance_estimator is not None
    if estimator.solver == "svd" and estimator.shrinkage is not None:
        raise NotImplementedError("shrinkage not supported with 'svd' solver.")
    if estimator.solver == "svd" and given:
        raise InputError(no_estimator)
    if given and estimator.shrinkage is not None and estimator.shrinkage != 0:
        raise InputError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")


def covariances_of_rows(estimator: Analysing, examples: Examples) -> Array | None:
    """Return the covariances of the classes and of all rows by the covariance estimator; None if moments suffice."""
    if not needs_rows(estimator):
        return None
    if examples.weights is not None:
        raise InputError("A covariance_estimator, or shrinkage='auto', takes no sample_weight; got one. Leave it out.")
    X, codes, n_classes = examples.source, examples.codes, len(examples.classes)
    parts = [X[codes == c] for c in range(n_classes)]
    if not all(len(part) for part in parts):
        raise InputError("A covariance_estimator, or shrinkage='auto', needs at least one row of every class.")
    found = [np.atleast_2d(_covariance(estimator.covariance_estimator, part)) for part in [*parts, X]]
    return np.stack(found).astype(np.float64)


def _covariance(by: EstimatesCovariance | None, X: Array) -> ArrayLike:
    if by is None:
        scaler = StandardScaler()
        found = ledoit_wolf(scaler.fit_transform(X))[0]
        scaled: Array = scaler.scale_[:, None] * found * scaler.scale_
        return scaled
    by.fit(X)
    if not hasattr(by, "covariance_"):
        raise InputError(f"{type(by).__name__} does not have a covariance_ attribute")
    covariance: ArrayLike = by.covariance_
    return covariance


def given_priors(priors: ClassPriorLike | None) -> ClassPrior:
    """Return the class prior; given probabilities are normalized to sum to one."""
    if priors is None or isinstance(priors, str | Real | Dirichlet):
        return ClassPrior("counted" if priors is None else priors, parameter="priors")
    given = np.array(priors, np.float64)
    if (given < 0).any():
        raise InputError("priors must be non-negative")
    if not np.isfinite(given).all() or not given.any():
        raise InputError(
            f"The 'priors' parameter must hold finite numbers, at least one above 0; got {given.tolist()}."
        )
    return ClassPrior(given / given.sum(), parameter="priors")


def check_given(given: object, dtype: object, classes: int, features: int) -> None:
    """Raise DataError unless covariances in a file have the right shape, and the dtype is known."""
    shape = (classes + 1, features, features)
    if dtype not in ("float32", "float64"):
        raise DataError(f"The dtype must be float32 or float64; got {dtype!r}.")
    if given is not None and (not isinstance(given, np.ndarray) or given.shape != shape or given.dtype != "f8"):
        raise DataError(f"The covariances of the classes and of all rows must be float64 of shape {shape}.")
