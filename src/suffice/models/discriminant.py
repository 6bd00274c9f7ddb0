"""Event model of real vectors: a normal per class, with its own covariance or one that all classes share.

GD-1  plugged in       Normal(mean_c, Σ_c or Σ), Σ = scatter / n
GD-2  own covariance   NIW(m, κ, ν, Λ) of each class: Student-t of NW-2
GD-3  shared           Λ' = Λ + Σ_c scatter_c, ν' = ν + N (κ = 0: ν + N − C + 1), Student-t with ν' − d + 1 degrees of
                       freedom, scale (κ'+1)/κ' · Λ' / df
GD-4  evidence         NW-4 of each class; shared: N − C for n − 1, the pooled scatter for S, Σ_c ln n_c for ln n
SX-3  without a row    κ'' = κ' − w, Λ'' = Λ' − κ'w/κ'' · δδᵀ with δ = x − m': a rank-one downdate

All of these are functions of δᵀΛ'⁻¹δ, so a row is looked at once, whatever is plugged in or integrated out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.linalg.lapack import dtrtri

from suffice.errors import DataError, PriorError
from suffice.models import leave_out
from suffice.models.events import Estimate
from suffice.models.scoring.kernels import distances
from suffice.parallel import in_parallel
from suffice.posterior import NormalInverseWishart
from suffice.posterior.special import log_rising
from suffice.stats import FullMoments
from suffice.stats.inputs import Rows
from suffice.typing import Array, Integers

__all__ = ["Covariance", "Discriminant", "Ellipses", "Law", "SingularCovariance", "roots_of", "shared_evidence"]

Covariance = Literal["full", "shared"]

ROWS_AT_ONCE = 2**10


class SingularCovariance(DataError, np.linalg.LinAlgError):
    """A covariance matrix has no inverse: that of one class, by its place, or of all."""

    def __init__(self, why: str, code: int | None = None, label: Any = None) -> None:
        whose = "shared by all classes" if code is None else f"of class {code if label is None else label!r}"
        super().__init__(
            f"The covariance matrix {whose} is singular: {why}. Use estimate='predictive', or 'map' with a prior."
        )
        self.why, self.code = why, code


@dataclass(frozen=True)
class Law:
    """From δᵀΛ⁻¹δ to ln p(x): a normal of covariance Λ/divisor, or the Student-t that integrates it out."""

    estimate: Estimate
    d: int
    shared: int = 0  # by how many classes a covariance is shared

    def divisor(self, nu: Any) -> Array:
        """What makes Λ the covariance that is plugged in."""
        nu = np.asarray(nu, np.float64)
        if self.estimate == "mle":
            return np.asarray(nu)
        if self.estimate == "map":
            return np.asarray(nu + self.d + 1 + max(self.shared, 1))  # NW-5
        if (nu <= self.d + 1).any():
            raise PriorError(
                f"The 'prior' parameter must have nu + rows above d + 1 = {self.d + 1} for estimate='mean'; got "
                f"{nu.min():g}. Use estimate='predictive'."
            )
        return np.asarray(nu - self.d - 1)

    def logs(self, kappa: Any, nu: Any, distance: Array, log_det: Any) -> Array:
        """ln p(x) where δᵀΛ⁻¹δ is `distance`; −∞ by a class that has no rows."""
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


@dataclass(frozen=True)
class Ellipses:
    """Elliptical densities, class by class; `root` and `log_det` are one for all where they are shared."""

    law: Law
    mean: Array  # classes × d
    kappa: Array
    nu: Array  # of each class
    root: Array  # classes × d × rank, or 1 × d × rank: δᵀΛ⁻¹δ = |δᵀ·root|²
    log_det: Array

    def scores(self, X: Any) -> Array:
        """Rows × classes."""
        out = self.each(X)
        for c, (kappa, nu, log_det) in enumerate(zip(self.kappa, self.nu, self._log_dets, strict=True)):
            out[:, c] = self.law.logs(kappa, nu, out[:, c], log_det)
        return out

    def each(self, X: Any) -> Array:
        """δᵀΛ⁻¹δ of each row and class."""
        rows, axes = Rows.read(X, "X"), np.swapaxes(self.root, 1, 2)
        if len(axes) < len(self.mean):
            return distances(rows, self.centre[None], axes, self.turned(self.mean)[0])
        return distances(rows, self.mean, axes, np.empty((0, axes.shape[1])))

    def shares(self, x: Array) -> tuple[Array, Array]:
        """ln p of one row: what each column adds by its part of δᵀΛ⁻¹δ, columns × classes, and ln p in the middle."""
        away = x - self.mean
        turned = np.einsum("ci,cij->cj", away, np.broadcast_to(self.root, (len(away), *self.root.shape[1:])))
        parts = away * np.einsum("cj,cij->ci", turned, np.broadcast_to(self.root, (len(away), *self.root.shape[1:])))
        distance = parts.sum(axis=1)
        middle = self.law.logs(self.kappa, self.nu, np.zeros(len(distance)), self._log_dets)
        with np.errstate(invalid="ignore"):
            rest = self.law.logs(self.kappa, self.nu, distance, self._log_dets) - middle
        share = np.divide(parts, distance[:, None], out=np.zeros_like(parts), where=distance[:, None] > 0)
        return np.where(np.isfinite(rest), rest, 0.0) * share.T, middle

    def turned(self, X: Any) -> tuple[Array, Array]:
        """Rows and means in coordinates in which the shared Λ is the identity."""
        return (X - self.centre) @ self.root[0], (self.mean - self.centre) @ self.root[0]

    @property
    def centre(self) -> Array:
        """Somewhere in the middle: digits are for distances, not for where the origin is."""
        share = self.kappa / max(float(self.kappa.sum()), 1e-300)
        first = self.mean[int(np.argmax(share))]
        return np.asarray(first + share @ (self.mean - first))

    @property
    def _log_dets(self) -> Array:
        return np.broadcast_to(self.log_det, (len(self.mean),))


@dataclass(frozen=True)
class Discriminant:
    """Real vectors; with a prior of all classes, or of each."""

    covariance: Covariance
    estimate: Estimate
    prior: NormalInverseWishart | None = None

    def scorer(self, t: FullMoments) -> Ellipses:
        """Scores of real vectors."""
        n, d = np.asarray(t.n[:, 0]), t.mean.shape[1]
        shared = self.covariance == "shared"
        law = Law(self.estimate, d, int((n > 0).sum()) if shared else 0)
        mean, kappa, nu, scale = self._shared(t, n) if shared else self._own(t, n)
        if self.estimate == "mean":
            law.divisor(nu[:1] if shared else nu[n > 0])  # refused now
        root, log_det = roots_of(scale, None if shared else kappa > 0)
        return Ellipses(law, mean, kappa, np.broadcast_to(nu, n.shape), root, log_det)

    def covariances(self, t: FullMoments) -> tuple[Array, Array]:
        """Means, and the covariance of each class or of all; of the Student-t, the expected one."""
        n, d = np.asarray(t.n[:, 0]), t.mean.shape[1]
        shared = self.covariance == "shared"
        mean, _, nu, scale = self._shared(t, n) if shared else self._own(t, n)
        law = Law("mean" if self.estimate == "predictive" else self.estimate, d, int((n > 0).sum()) if shared else 0)
        if law.estimate == "mean" and (np.asarray(nu) <= d + 1).any():
            return mean, np.full(scale.shape, np.inf)
        return mean, scale / np.reshape(law.divisor(np.where(nu > 0, nu, 1.0)), (-1, 1, 1))

    def marginals(self, t: FullMoments) -> tuple[Array, Array]:
        """Mean and variance of each column, by class."""
        estimate: Estimate = "mle" if self.estimate == "mle" or self.prior is None else "map"
        mean, covariance = Discriminant(self.covariance, estimate, self.prior).covariances(t)
        return mean, np.broadcast_to(np.diagonal(covariance, axis1=-2, axis2=-1), mean.shape)

    def leave_out(self, t: FullMoments, n: Array, X: Rows, codes: Integers, weights: Array, scores: Array) -> Array:
        """Scores of rows, each by classes that have not seen it."""
        ellipses = self.scorer(t)

        def fill(block: slice) -> None:
            part = X.matrix[block]
            part = part.toarray() if hasattr(part, "toarray") else part.astype(np.float64, copy=False)
            if self.covariance == "shared":
                scores[block] = self._without_shared(ellipses, part, codes[block], weights[block])
            else:
                own = self._without_own(ellipses, part, codes[block], weights[block])
                leave_out.put(scores[block], codes[block], own)

        in_parallel(fill, [slice(at, at + ROWS_AT_ONCE) for at in range(0, len(codes), ROWS_AT_ONCE)])
        return scores

    def _own(self, t: FullMoments, n: Array) -> tuple[Array, Array, Array, Array]:
        """m', κ', ν' and Λ' of each class."""
        if self.estimate == "mle" or self.prior is None:
            return t.mean, n, n, t.scatter  # GD-1
        return self.prior.after(t)  # GD-2

    def _shared(self, t: FullMoments, n: Array) -> tuple[Array, Array, Array, Array]:
        """The same with one Λ' of all classes."""
        pooled = t.scatter.sum(axis=0)[None]
        if self.estimate == "mle" or self.prior is None:
            return t.mean, n, np.asarray([n.sum()]), pooled  # GD-1
        kappa, nu = np.asarray(self.prior.kappa, np.float64), np.asarray(self.prior.nu, np.float64)
        away = (t.mean - self.prior.m) + t.mean_lo
        between = np.where(kappa + n > 0, kappa * n / np.where(kappa + n > 0, kappa + n, 1.0), 0.0)[:, None]
        scale = self.prior.scale + pooled + np.einsum("ci,cj->ij", between * away, away)
        share = np.divide(n, kappa + n, out=np.zeros_like(n), where=kappa + n > 0)[:, None]
        classes = np.where(kappa > 0, 0.0, max(int((n > 0).sum()), 1) - 1)
        return self.prior.m + share * away, kappa + n, np.asarray([nu + n.sum() - classes]), scale  # GD-3

    def _without_own(self, known: Ellipses, X: Array, codes: Integers, weight: Array) -> Array:
        """ln p of each row by its own class without it."""
        distance = np.empty(len(codes))
        for c in np.unique(codes):
            mine = codes == c
            turned = (X[mine] - known.mean[c]) @ known.root[c]
            distance[mine] = np.einsum("ij,ij->i", turned, turned)
        kappa, nu, log_det = known.kappa[codes], known.nu[codes], known.log_det[codes]
        rest, far, room = _removed(kappa, weight, distance)
        return known.law.logs(rest, nu - weight, far, log_det + np.log(room))

    def _without_shared(self, known: Ellipses, X: Array, codes: Integers, weight: Array) -> Array:
        """ln p of each row by all classes, whose common Λ has lost it."""
        at = np.arange(len(codes))
        turned, means = known.turned(X)
        own = turned - means[codes]
        distance = np.einsum("ij,ij->i", own, own)
        kappa = known.kappa[codes]
        rest, far, room = _removed(kappa, weight, distance)
        gone = np.where(rest > 0, kappa * weight / np.where(rest > 0, rest, 1.0), 0.0)
        across = np.einsum("ij,ij->i", turned, own)[:, None] - own @ means.T
        apart = np.einsum("ij,ij->i", turned, turned)[:, None] - 2 * turned @ means.T + np.square(means).sum(axis=1)
        away = np.maximum(apart, 0.0) + (gone / room)[:, None] * across**2  # SX-3
        away[at, codes] = far
        kappas = np.broadcast_to(known.kappa, away.shape).copy()
        kappas[at, codes] = rest
        believed = 0.0 if self.estimate == "mle" or self.prior is None else float(np.max(self.prior.kappa))
        lost = rest - believed <= leave_out.ROUNDING * kappa  # a class that has no rows any more
        frees = float(self.estimate != "mle" and believed == 0) - float(self.estimate == "map")
        nu = (known.nu[0] - weight + frees * lost)[:, None]  # its mean is neither flat nor part of the mode
        return known.law.logs(kappas, nu, away, (known.log_det[0] + np.log(room))[:, None])


def _removed(kappa: Array, weight: Array, distance: Array) -> tuple[Array, Array, Array]:
    """κ'' without a row, δᵀΛ''⁻¹δ about the mean without it, and |Λ''|/|Λ'|."""
    rest = leave_out.left(kappa, weight)
    some = np.where(rest > 0, rest, 1.0)
    room = np.where(rest > 0, 1.0 - kappa * weight / some * distance, 1.0)  # SX-3
    if (room <= 0).any():
        raise SingularCovariance("there are too few rows to leave one out")
    return rest, np.where(rest > 0, (kappa / some) ** 2 * distance / room, 0.0), room


def roots_of(scale: Array, used: Any = None) -> tuple[Array, Array]:
    """R with RRᵀ = Λ⁻¹, and ln|Λ|, of each matrix that is used, whatever the units of its coordinates."""
    d, roots, log_dets = scale.shape[-1], np.zeros(scale.shape), np.zeros(len(scale))
    some = np.arange(len(scale)) if used is None else np.flatnonzero(used)
    unit = np.sqrt(np.diagonal(scale[some], axis1=1, axis2=2))
    for c, units in zip(some, unit, strict=True):
        constant = np.flatnonzero(~(units > 0))
        if len(constant):
            raise SingularCovariance(f"column {constant[0]} does not vary", None if used is None else int(c))
    alike = scale[some] / unit[:, :, None] / unit[:, None, :]
    singular = np.flatnonzero(~(np.linalg.eigvalsh(alike)[:, 0] > 4 * d * np.finfo(np.float64).eps))
    if len(singular):
        code = None if used is None else int(some[singular[0]])
        raise SingularCovariance("columns are collinear, or rows too few", code)
    lower = np.linalg.cholesky(alike)
    for c, triangle, units in zip(some, lower, unit, strict=True):
        roots[c] = (dtrtri(triangle, lower=1)[0] / units).T
    log_dets[some] = 2 * (np.log(np.diagonal(lower, axis1=1, axis2=2)) + np.log(unit)).sum(axis=1)
    return roots, log_dets


def shared_evidence(prior: NormalInverseWishart, t: FullMoments) -> float:
    """ln p of the rows of all classes, which share a covariance; κ = 0: given the first row of each."""
    n, d = np.asarray(t.n[:, 0]), t.mean.shape[1]
    some = n > 0
    scale = Discriminant("shared", "predictive", prior)._shared(t, n)[3]
    flat = float(prior.kappa) == 0
    rows = float(n.sum() - some.sum()) if flat else float(n.sum())
    first = float(prior.nu) + flat
    gammas = float(np.sum(log_rising((first - np.arange(d)) / 2, rows / 2)))
    before, after = roots_of(prior.scale[None])[1][0], roots_of(scale)[1][0]
    means = np.log(n[some]).sum() if flat else np.log1p(n[some] / float(prior.kappa)).sum()
    logs = gammas + first / 2 * before - (first + rows) / 2 * after
    return float(logs - rows * d / 2 * np.log(np.pi) - d / 2 * means)  # GD-4
