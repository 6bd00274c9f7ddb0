"""Compute elliptical densities of real vectors: normals, and Student-t's that integrate out mean and covariance.

All are functions of δᵀΛ⁻¹δ with δ = x − m, so one pass over a row serves all of them.
Removing a row from its class changes Λ by a rank-one downdate (SX-3):

    κ'' = κ' − w      Λ'' = Λ' − κ'w/κ'' · δδᵀ      |Λ''| = |Λ'| · (1 − κ'w/κ'' · δᵀΛ'⁻¹δ)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from suffice.errors import PriorError, SingularCovariance
from suffice.later import digamma, linalg, polygamma
from suffice.models.scoring.kernels import distances
from suffice.models.scoring.removal import ROUNDING, left
from suffice.posterior import NormalInverseWishart
from suffice.posterior.special import log_rising
from suffice.typing import Array, Integers

if TYPE_CHECKING:
    from suffice.models.scoring.results import Estimate
    from suffice.models.scoring.rows import MatrixRows


Covariance = Literal["full", "shared"]


class SingularMatrix(SingularCovariance, np.linalg.LinAlgError):
    """Signal a singular covariance matrix; also a LinAlgError, which `suffice.errors` cannot name without numpy."""

    def __init__(self, message: str, why: str = "", code: int | None = None) -> None:
        super().__init__(message)
        self.why, self.code = why, code

    @classmethod
    def of(cls, why: str, code: int | None = None, label: Any = None) -> SingularMatrix:
        """Return the error for the class with code `code`, or for a covariance shared by all classes."""
        whose = "shared by all classes" if code is None else f"of class {code if label is None else label!r}"
        use = "Use estimate='predictive', or 'map' with a prior."
        return cls(f"The covariance matrix {whose} is singular: {why}. {use}", why, code)


@dataclass(frozen=True)
class Law:
    """Turn δᵀΛ⁻¹δ into ln p(x): a normal of covariance Λ/divisor, or the Student-t that integrates it out."""

    estimate: Estimate
    d: int
    shared: int = 0  # number of classes that share a covariance; 0 if none do

    def divisor(self, nu: Any) -> Array:
        """Return the divisor that turns Λ into the plug-in covariance."""
        nu = np.asarray(nu, np.float64)
        if self.estimate == "mle":
            return np.asarray(nu)
        if self.estimate == "map":
            return np.asarray(nu + self.d + 1 + max(self.shared, 1))  # NW-5
        if (nu <= self.d + 1).any():
            raise PriorError(
                "The 'prior' parameter", f"have nu + rows above d + 1 = {self.d + 1} for estimate='mean'"
            ).but(f"got {nu.min():g}", python="Use estimate='predictive'.")
        return np.asarray(nu - self.d - 1)

    def logs(self, kappa: Any, nu: Any, distance: Array, log_det: Any) -> Array:
        """Return ln p(x) where δᵀΛ⁻¹δ is `distance`; −∞ for classes with κ = 0."""
        d, some = self.d, np.asarray(kappa) > 0
        if self.estimate == "predictive":
            wider = 1 + 1 / np.where(some, kappa, 1.0)
            df = np.asarray(nu, np.float64) - d + 1
            top = log_rising(df / 2, d / 2) - d / 2 * np.log(np.pi * wider) - np.asarray(log_det) / 2
            logs = top - (df + d) / 2 * np.log1p(distance / wider)  # GD-2
        else:
            by = self.divisor(np.where(some, nu, d + 2.0))
            logs = -0.5 * (d * np.log(2 * np.pi / by) + log_det + by * distance)  # GD-1
        return np.where(some, logs, -np.inf)


@dataclass(frozen=True, eq=False)
class Ellipses:
    """Score rows by one elliptical density per class. A shared Λ has a single `root` and `log_det`."""

    law: Law
    mean: Array  # classes × d
    kappa: Array
    nu: Array  # one per class
    root: Array  # classes × d × rank, or 1 × d × rank: δᵀΛ⁻¹δ = |δᵀ·root|²
    log_det: Array

    def scores(self, rows: MatrixRows) -> Array:
        """Return ln p(x | c), rows × classes."""
        out = self.distances(rows)
        for c, (kappa, nu, log_det) in enumerate(zip(self.kappa, self.nu, self._log_dets, strict=True)):
            out[:, c] = self.law.logs(kappa, nu, out[:, c], log_det)
        return out

    def distances(self, rows: MatrixRows) -> Array:
        """Return δᵀΛ⁻¹δ for each row and class."""
        axes = np.swapaxes(self.root, 1, 2)
        if len(axes) < len(self.mean):
            return distances(rows.source, self.centre[None], axes, self.turned(self.mean)[0])
        return distances(rows.source, self.mean, axes, np.empty((0, axes.shape[1])))

    def shares(self, x: Array) -> tuple[Array, Array]:
        """Return each column's contribution to the log densities of one row, and ln p at the means.

        Contributions are columns × classes. They divide ln p(x) − ln p(mean) in proportion to the terms of δᵀΛ⁻¹δ.
        """
        away = x - self.mean
        roots = np.broadcast_to(self.root, (len(away), *self.root.shape[1:]))
        turned = np.einsum("ci,cij->cj", away, roots)
        parts = away * np.einsum("cj,cij->ci", turned, roots)
        distance = parts.sum(axis=1)
        middle = self.law.logs(self.kappa, self.nu, np.zeros(len(distance)), self._log_dets)
        with np.errstate(invalid="ignore"):
            rest = self.law.logs(self.kappa, self.nu, distance, self._log_dets) - middle
        share = np.divide(parts, distance[:, None], out=np.zeros_like(parts), where=distance[:, None] > 0)
        return np.where(np.isfinite(rest), rest, 0.0) * share.T, middle

    def turned(self, x: Array) -> tuple[Array, Array]:
        """Return rows and means in coordinates where the shared Λ is the identity."""
        return (x - self.centre) @ self.root[0], (self.mean - self.centre) @ self.root[0]

    @property
    def centre(self) -> Array:
        """Return the weighted mean of the class means, the origin used to avoid cancellation."""
        return centre_of(self.mean, self.kappa / max(float(self.kappa.sum()), 1e-300))

    @property
    def _log_dets(self) -> Array:
        return np.broadcast_to(self.log_det, (len(self.mean),))

    def own_without_row(self, x: Array, codes: Integers, weight: Array) -> Array:
        """Return ln p of each row by its own class without the row, where each class has its own Λ."""
        distance = np.empty(len(codes))
        for c in np.unique(codes):
            mine = codes == c
            turned = (x[mine] - self.mean[c]) @ self.root[c]
            distance[mine] = np.einsum("ij,ij->i", turned, turned)
        less = Downdate.of(self.kappa[codes], weight, distance)
        return self.law.logs(
            less.kappa, self.nu[codes] - weight, less.distance, self.log_det[codes] + np.log(less.ratio)
        )

    def all_without_row(self, x: Array, codes: Integers, weight: Array, prior_kappa: float) -> Array:
        """Return ln p of each row by all classes, after the shared Λ has lost the row."""
        at = np.arange(len(codes))
        turned, means = self.turned(x)
        own = turned - means[codes]
        less = Downdate.of(self.kappa[codes], weight, np.einsum("ij,ij->i", own, own))
        across = np.einsum("ij,ij->i", turned, own)[:, None] - own @ means.T
        apart = np.einsum("ij,ij->i", turned, turned)[:, None] - 2 * turned @ means.T + np.square(means).sum(axis=1)
        away = np.maximum(apart, 0.0) + (less.factor / less.ratio)[:, None] * across**2  # SX-3
        away[at, codes] = less.distance
        kappa = np.broadcast_to(self.kappa, away.shape).copy()
        kappa[at, codes] = less.kappa
        empty = less.kappa - prior_kappa <= ROUNDING * self.kappa[codes]
        # Once a class is empty, its mean counts neither as flat nor towards the mode.
        freed = float(self.law.estimate != "mle" and prior_kappa == 0) - float(self.law.estimate == "map")
        nu = (self.nu[0] - weight + freed * empty)[:, None]
        return self.law.logs(kappa, nu, away, (self.log_det[0] + np.log(less.ratio))[:, None])


class Downdate(NamedTuple):
    """The change of a class's Λ when a row is removed: Λ'' = Λ' − factor · δδᵀ."""

    kappa: Array  # κ''
    distance: Array  # of the row from the mean without it, δ''ᵀΛ''⁻¹δ''
    ratio: Array  # |Λ''| / |Λ'|
    factor: Array  # κ'w / κ''

    @classmethod
    def of(cls, kappa: Array, weight: Array, distance: Array) -> Downdate:
        """Return the change caused by rows of distance δᵀΛ'⁻¹δ; raise SingularCovariance where Λ'' is singular."""
        rest = left(kappa, weight)
        some, positive = rest > 0, np.where(rest > 0, rest, 1.0)
        factor = np.where(some, kappa * weight / positive, 0.0)
        ratio = 1.0 - factor * distance  # SX-3
        if (ratio <= 0).any():
            raise SingularMatrix.of("it has too few rows to leave one out")
        return cls(rest, np.where(some, (kappa / positive) ** 2 * distance / ratio, 0.0), ratio, factor)


def centre_of(mean: Array, share: Array) -> Array:
    """Return the weighted mean of the means, computed from offsets to the one with the largest share."""
    first = mean[int(np.argmax(share))]
    return np.asarray(first + share @ (mean - first))


def roots_of(scale: Array, used: Any = None) -> tuple[Array, Array]:
    """Return R with RRᵀ = Λ⁻¹, and ln|Λ|, for each matrix in use; the check for rank ignores units."""
    d, roots, log_dets = scale.shape[-1], np.zeros(scale.shape), np.zeros(len(scale))
    some = np.arange(len(scale)) if used is None else np.flatnonzero(used)
    unit = np.sqrt(np.diagonal(scale[some], axis1=1, axis2=2))
    for c, units in zip(some, unit, strict=True):
        constant = np.flatnonzero(~(units > 0))
        if len(constant):
            raise SingularMatrix.of(f"column {constant[0]} does not vary", None if used is None else int(c))
    alike = scale[some] / unit[:, :, None] / unit[:, None, :]
    least = 4 * d * np.finfo(np.float64).eps
    inverses, lower = _inverse_triangles(alike)
    if inverses is None or not (np.square(inverses).sum(axis=(1, 2)) * least < 1).all():  # 1/λ ≤ Σ 1/λ
        smallest = np.linalg.eigvalsh(alike)[:, 0]
        if inverses is None or not (smallest > least).all():
            first = int(np.argmax(~(smallest > least)))
            raise SingularMatrix.of(
                "columns are collinear, or there are too few rows", None if used is None else int(some[first])
            )
    for c, inverse, units in zip(some, inverses, unit, strict=True):
        roots[c] = (inverse / units).T
    log_dets[some] = 2 * (np.log(np.diagonal(lower, axis1=1, axis2=2)) + np.log(unit)).sum(axis=1)
    return roots, log_dets


def _inverse_triangles(matrices: Array) -> tuple[Array | None, Array]:
    """Return L⁻¹ and L with LLᵀ = Λ for each matrix; None for L⁻¹ if any matrix has no such L."""
    try:
        lower = np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        return None, matrices
    inverses = np.zeros(lower.shape)
    for k, triangle in enumerate(lower):
        inverses[k] = linalg.lapack.dtrtri(triangle, lower=1)[0]
    return inverses, np.asarray(lower, np.float64)


@dataclass(frozen=True, eq=False)
class VectorBelief:
    """Normal-inverse-Wishart beliefs, one per class, or with one Λ that all classes share."""

    known: Ellipses
    scale: Array  # Λ, classes × d × d or 1 × d × d

    def moments(self, rows: MatrixRows) -> tuple[Array, Array]:
        """Return mean and variance of each score, rows × classes."""
        h, d = self.known.distances(rows), self.known.law.d
        nu, kappa = self.known.nu, self.known.kappa
        halves = (nu[:, None] - np.arange(d)) / 2
        log_det = self.known.log_det - d * np.log(2)
        mean = 0.5 * (digamma(halves).sum(axis=1) - log_det - d * np.log(2 * np.pi) - d / kappa - nu * h)
        spread = polygamma(1, halves).sum(axis=1) + 2 * d / kappa**2
        return mean, 0.25 * (spread + 2 * nu * h**2 + 4 * nu * h / kappa - 4 * h)  # SX-5

    def covariances(self, rows: MatrixRows) -> Array | None:
        """Return covariances of scores under a shared Λ, rows × classes × classes; None if scores are independent."""
        if len(self.scale) > 1 or len(self.known.mean) == 1:
            return None
        turned, means = self.known.turned(rows.numbers)
        away = turned[:, None] - means
        nu, kappa, d = self.known.nu[0], self.known.kappa, self.known.law.d
        dots = np.einsum("nai,nbi->nab", away, away)
        h = np.einsum("naa->na", dots)
        together = polygamma(1, (nu - np.arange(d)) / 2).sum() + 2 * nu * dots**2 - 2 * h[:, :, None] - 2 * h[:, None]
        at = np.arange(len(kappa))
        together[:, at, at] += 4 * nu * h / kappa + 2 * d / kappa**2
        return np.asarray(together / 4)  # SX-5

    def draws(self, rows: MatrixRows, rng: np.random.Generator, size: int) -> Array:
        """Return scores under drawn means and covariances, size × rows × classes."""
        x, known, bodies = rows.numbers, self.known, len(self.scale)
        belief = NormalInverseWishart(known.mean[:bodies], known.kappa[:bodies], known.nu[:bodies], self.scale)
        out = np.empty((size, len(x), len(known.mean)))
        for k in range(size):
            covariance = belief.sample(rng=rng).covariance
            steps = rng.standard_normal(known.mean.shape) / np.sqrt(known.kappa)[:, None]
            for c in range(len(known.mean)):
                root = np.linalg.cholesky(covariance[c if bodies > 1 else 0])
                away = np.linalg.solve(root, (x - known.mean[c]).T) - steps[c][:, None]
                volume = np.log(np.diagonal(root)).sum() + known.law.d / 2 * np.log(2 * np.pi)
                out[k, :, c] = -volume - 0.5 * np.square(away).sum(axis=0)
        return out
